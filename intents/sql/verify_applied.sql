-- Checks the events that became done since :since. An event with several movements lists their
-- keys.
-- takes limit_rows bigint, since timestamptz
-- gives {{breach}}
SELECT i.provider || '/' || i.event_id AS subject,
       'is ' || i.outcome || ', and there is no transfer ' || coalesce(i.effect_key, '(no key)')
       || ' of ' || coalesce(i.amount::text, '?') || ' ' || coalesce(i.currency, '?') || ' by it'
         AS what
FROM webhook_intents i
WHERE i.outcome IN ('applied', 'applied_late') AND i.amount > 0 AND i.done_at >= :since
  AND NOT EXISTS (
      SELECT FROM transfers t
      WHERE t.effect_key = i.effect_key AND t.amount = i.amount AND t.currency = i.currency
        AND i.account IN (t.debit_account, t.credit_account)
        AND t.provider = i.provider AND t.event_id = i.event_id)
UNION ALL
SELECT i.provider || '/' || i.event_id,
       'is ' || i.outcome || ', and there is no transfer ' || posted.effect_key || ' by it'
FROM webhook_intents i
CROSS JOIN LATERAL jsonb_array_elements_text(i.result -> 'effect_keys') AS posted (effect_key)
WHERE i.outcome IN ('applied', 'applied_late') AND i.result ? 'effect_keys' AND i.done_at >= :since
  AND NOT EXISTS (
      SELECT FROM transfers t
      WHERE t.effect_key = posted.effect_key AND t.provider = i.provider
        AND t.event_id = i.event_id)
LIMIT :limit_rows
