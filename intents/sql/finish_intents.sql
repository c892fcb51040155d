-- Finishes stored rows that this transaction decided. A row whose fencing token has risen belongs
-- to another worker and is skipped; this statement raises the token, too, so that an older owner
-- cannot write. Attempts count failures: an event that stays parked was processed. Rows are found
-- one by one, by key, and then by their place: the LIMIT keeps the planner from any other join.
-- takes provider text[], event_id text[], event_type text[], status text[], outcome text[],
--       note text[], account text[], object text[], sequence bigint[], effect_key text[],
--       amount bigint[], currency text[], plan text[], wake_at timestamptz[], now timestamptz,
--       lease bigint[], segment bigint[], result text[]
UPDATE webhook_intents i
SET event_type = mine.event_type, status = mine.status, outcome = mine.outcome,
    note = nullif(mine.note, ''), account = nullif(mine.account, ''),
    object = nullif(mine.object, ''), sequence = mine.sequence, effect_key = mine.effect_key,
    amount = mine.amount, currency = mine.currency, plan = mine.plan::jsonb,
    result = mine.result::jsonb, wake_at = mine.wake_at, locked_at = NULL, lease = i.lease + 1,
    attempts = CASE WHEN mine.status = 'parked' THEN 0 ELSE i.attempts END,
    done_at = CASE WHEN mine.status = 'done' THEN :now END
FROM unnest(:provider, :event_id, :event_type, :status, :outcome, :note, :account,
            :object, :sequence, :effect_key, :amount, :currency, :plan,
            :wake_at, :lease, :segment, :result)
  AS mine (provider, event_id, event_type, status, outcome, note, account, object, sequence,
           effect_key, amount, currency, plan, wake_at, lease, segment, result)
CROSS JOIN LATERAL (
    SELECT own.ctid AS place FROM webhook_intents own
    WHERE own.segment = mine.segment AND own.provider = mine.provider
      AND own.event_id = mine.event_id
    LIMIT 1) AS known
WHERE i.ctid = known.place AND i.segment = mine.segment AND i.provider = mine.provider
  AND i.event_id = mine.event_id
  AND i.lease = mine.lease
