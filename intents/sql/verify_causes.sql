-- Of the transfers above :after_id. An event that moved money is never purged, and an operator's
-- entry is its own cause. An event with several movements lists their keys in its result. A payment
-- is credited to its account, or to one that an operator had moved it to by then. A refund
-- is taken from an account that held the payment at that time: one with a capture, or with what an
-- operator's correction posted in its place, that was not reversed by then.
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
      AND (t.credit_account = p.account OR EXISTS (
        SELECT FROM transfers_of_root(p.payment_key) AS moved
        WHERE moved.corrects IS NOT NULL AND moved.credit_account = t.credit_account
          AND moved.id < t.id)))
  AND NOT EXISTS (
    SELECT FROM refunds r JOIN payments p USING (payment_id)
    CROSS JOIN LATERAL transfers_of_root(p.payment_key) AS held
    WHERE r.refund_id = t.refund_id AND t.effect_key LIKE p.books || '/refund/%'
      AND (held.corrects IS NOT NULL OR key_stem(held.effect_key) = p.payment_key)
      AND held.credit_account = t.debit_account AND held.id < t.id
      AND NOT EXISTS (
        SELECT FROM transfers gone WHERE gone.reverses = held.id AND gone.id < t.id))
LIMIT :limit_rows
