-- Why the mode cannot change: money is posted, or something is under way that would post some.
SELECT CASE
    WHEN EXISTS (SELECT 1 FROM transfers) THEN 'money is posted'
    WHEN EXISTS (SELECT 1 FROM payments WHERE state NOT IN ('declined', 'failed', 'canceled'))
        THEN 'payments are open'
    WHEN EXISTS (SELECT 1 FROM webhook_intents WHERE status IN ('pending', 'parked'))
        THEN 'events are unfinished'
END
