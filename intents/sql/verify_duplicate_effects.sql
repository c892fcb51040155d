-- Checks the events that became done since :since.
-- takes limit_rows bigint, since timestamptz
-- gives {{breach}}
SELECT i.provider || '/' || i.event_id AS subject,
       'names ' || coalesce(i.effect_key, '(no key)')
       || ', which was not posted with this account, amount and currency'
         AS what
FROM webhook_intents i
WHERE i.outcome = 'duplicate_effect' AND i.done_at >= :since
  AND NOT EXISTS (
      SELECT FROM transfers t
      WHERE t.effect_key = i.effect_key AND t.amount = i.amount AND t.currency = i.currency
        AND i.account IN (t.debit_account, t.credit_account))
LIMIT :limit_rows
