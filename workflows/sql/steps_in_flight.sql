-- gives workflow text, step text
SELECT DISTINCT workflow, step FROM workflow_runs WHERE status = 'running'
