-- Why the mode cannot change: money is posted, or something is under way that would post some, or a
-- server that judged the mode when it started is still connected.
-- gives reason text null
SELECT CASE
    WHEN EXISTS (SELECT 1 FROM transfers) THEN 'money is posted'
    WHEN EXISTS (SELECT 1 FROM payments WHERE state NOT IN ('declined', 'failed', 'canceled'))
        THEN 'payments are open'
    WHEN EXISTS (SELECT 1 FROM webhook_intents WHERE status IN ('pending', 'parked'))
        THEN 'events are unfinished'
    WHEN EXISTS (SELECT 1 FROM pg_stat_activity
                 WHERE datname = current_database() AND pid <> pg_backend_pid()
                   AND starts_with(application_name, 'pawl/'))
        THEN 'another pawl is connected'
END AS reason
