-- takes key text, outcome text null, in_doubt boolean, http_status integer null, answer bytea,
--       reference text null, moved bigint null, currency text null, note text null,
--       lookups integer, not_found integer, unanswered integer, now timestamptz,
--       capturable bigint null
UPDATE external_calls
SET outcome = coalesce(:outcome, outcome), in_doubt = :in_doubt, http_status = :http_status,
    answer = :answer, reference = coalesce(:reference, reference), moved = coalesce(:moved, moved),
    capturable = :capturable, currency = coalesce(:currency, currency), note = :note, lookups = :lookups,
    not_found = :not_found, unanswered = :unanswered,
    decided_at = CASE WHEN :outcome IN ('succeeded', 'declined', 'canceled', 'failed')
                 THEN :now END
WHERE key = :key
