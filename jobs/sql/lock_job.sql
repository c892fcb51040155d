-- takes id bigint, target text
-- gives state text
SELECT CASE WHEN state = 'ready' AND locked_until > clock_timestamp() THEN 'running' ELSE state END
         AS state
FROM jobs
WHERE id = :id AND target = :target
FOR UPDATE
