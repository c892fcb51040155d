-- takes id bigint, target text
-- gives state text
SELECT state
FROM jobs_done
WHERE id = :id AND target = :target
FOR UPDATE
