-- Moves the deadlines of the events that wait by the time for which they were paused.
-- takes provider text
-- gives provider text
WITH resumed AS (
    DELETE FROM provider_pauses WHERE provider = :provider RETURNING provider, paused_at
), moved AS (
    UPDATE effect_waits w SET since = w.since + (clock_timestamp() - greatest(p.paused_at, w.since))
    FROM resumed p WHERE w.provider = p.provider
)
SELECT provider FROM resumed
