-- The events of old transfers are forgotten where their provider's retention says so. Which
-- transfers these are is not stored, but how many, and a sum over their keys: one too many or too
-- few, or another one, does not fit.
WITH uncaused AS MATERIALIZED (
    SELECT t.id, t.provider, t.effect_key,
           t.event_id IS NOT NULL AND EXISTS (
               SELECT FROM purged_intents f
               WHERE f.provider = t.provider AND f.posted > 0 AND t.posted_at < f.before)
           AS may_be_forgotten
    FROM transfers t
    WHERE NOT EXISTS (
        SELECT FROM webhook_intents i
        WHERE i.provider = t.provider AND i.event_id = t.event_id
          AND i.outcome IN ('applied', 'applied_late') AND i.effect_key = t.effect_key)
      AND NOT EXISTS (
        SELECT FROM payments p
        WHERE p.payment_id = t.payment_id AND p.captured = t.amount
          AND t.credit_account = p.account)
      AND NOT EXISTS (
        SELECT FROM refunds r JOIN payments p USING (payment_id)
        WHERE r.refund_id = t.refund_id AND t.debit_account = p.account
          AND t.effect_key LIKE p.books || '/refund/%')),
counted AS (
    SELECT provider, count(*) AS posted, sum(pawl.key_number(effect_key)) AS posted_keys
    FROM uncaused
    WHERE may_be_forgotten
    GROUP BY provider)
SELECT 'transfer ' || id, 'nothing that is stored caused ' || effect_key
FROM uncaused
WHERE NOT may_be_forgotten
UNION ALL
SELECT 'transfers of ' || f.provider || ' before ' || f.before,
       coalesce(c.posted, 0) || ' have no event that is stored, and ' || f.posted
       || ' events with a transfer were forgotten'
       || CASE WHEN c.posted = f.posted THEN ': not of the same transfers' ELSE '' END
FROM purged_intents f
LEFT JOIN counted c ON c.provider = f.provider
WHERE coalesce(c.posted, 0) <> f.posted OR coalesce(c.posted_keys, 0) <> f.posted_keys
LIMIT $1
