-- Of the transfers above :after_id. An event that moved money is never purged, and an operator's
-- entry is its own cause. An event with several movements lists their keys in its result.
-- takes limit_rows bigint, after_id bigint
-- gives {{breach}}
SELECT 'transfer ' || t.id AS subject, 'nothing that is stored caused ' || t.effect_key AS what
FROM transfers t
WHERE t.entry_id IS NULL AND t.id > :after_id
  AND NOT EXISTS (
    SELECT FROM webhook_intents i
    WHERE i.provider = t.provider AND i.event_id = t.event_id
      AND i.outcome IN ('applied', 'applied_late')
      AND (i.effect_key = t.effect_key OR i.result -> 'effect_keys' ? t.effect_key))
  AND NOT EXISTS (
    SELECT FROM payments p
    WHERE p.payment_id = t.payment_id AND p.payment_key = key_stem(t.effect_key)
      AND t.credit_account = p.account)
  AND NOT EXISTS (
    SELECT FROM refunds r JOIN payments p USING (payment_id)
    WHERE r.refund_id = t.refund_id AND t.debit_account = p.account
      AND t.effect_key LIKE p.books || '/refund/%')
LIMIT :limit_rows
