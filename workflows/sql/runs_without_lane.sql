-- Runs that none of these lanes works on. `running` only, through the index of what is due.
-- takes lane text[]
-- gives lane text, runs bigint
SELECT lane, count(*) AS runs
FROM workflow_runs
WHERE status = 'running' AND lane <> ALL (:lane)
GROUP BY lane
