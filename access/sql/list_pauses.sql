-- Paused providers by name, with the number of events that each has stored and not applied.
-- gives provider text, paused_at timestamptz, paused_by text, reason text, waiting bigint
SELECT p.provider, p.paused_at, p.paused_by, p.reason,
       (SELECT count(*) FROM webhook_intents i
        WHERE i.status = 'pending' AND i.provider = p.provider) AS waiting
FROM provider_pauses p
ORDER BY p.provider
