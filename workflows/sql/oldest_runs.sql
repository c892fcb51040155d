-- takes now timestamptz
-- gives workflow text, seconds bigint
SELECT workflow, extract(epoch FROM :now - min(created_at))::bigint AS seconds
FROM workflow_runs
WHERE status = 'running'
GROUP BY workflow
