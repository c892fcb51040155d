SELECT workflow, extract(epoch FROM $1::timestamptz - min(created_at))::bigint
FROM workflow_runs
WHERE status = 'running'
GROUP BY workflow
