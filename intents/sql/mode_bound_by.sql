-- The reason that binds the mode: money is posted, or work in progress would post some, or a server
-- that read the mode at its start is still connected.
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
