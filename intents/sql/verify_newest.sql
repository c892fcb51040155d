-- The highest numbers that can be seen, and the time.
SELECT coalesce((SELECT max(id) FROM transfers), 0),
       coalesce((SELECT max(audit_id) FROM audit_log), 0), clock_timestamp()
