-- takes ended_by text, end_reason text
UPDATE recoveries
SET ended_at = clock_timestamp(), ended_by = :ended_by, end_reason = :end_reason
WHERE ended_at IS NULL
