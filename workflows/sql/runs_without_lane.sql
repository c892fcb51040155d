-- Runs that no lane of $1 works on. `running` only, through the index of what is due.
SELECT lane, count(*)
FROM workflow_runs
WHERE status = 'running' AND lane <> ALL ($1::text[])
GROUP BY lane
