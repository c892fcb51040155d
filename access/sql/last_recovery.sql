-- gives recovery_id integer, began_at timestamptz, began_by text, reason text,
--       recorded_to timestamptz null, covers_to timestamptz,
--       ended_at timestamptz null
SELECT recovery_id, began_at, began_by, reason, recorded_to, covers_to, ended_at
FROM recoveries
ORDER BY recovery_id DESC
LIMIT 1
