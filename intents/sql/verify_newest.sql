-- The highest numbers that can be seen, and the time.
-- gives transfer_id bigint, audit_id bigint, at timestamptz
SELECT coalesce((SELECT max(id) FROM transfers), 0) AS transfer_id,
       coalesce((SELECT max(audit_id) FROM audit_log), 0) AS audit_id, clock_timestamp() AS at
