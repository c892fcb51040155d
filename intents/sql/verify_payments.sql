-- The captures under a payment's root, as one, under ids or as totals, an operator's reversals and
-- corrections of them included; a payment that is declined, failed or canceled has none. They are
-- its account's, or that of an account to which an operator moved it before. While a movement is
-- signaled to the payment's run, the payment may still have the sum before it.
-- takes limit_rows bigint
-- gives {{breach}}
WITH RECURSIVE captures AS (
    SELECT p.payment_id, t.id, t.debit_account, t.credit_account, t.amount
    FROM payments p
    CROSS JOIN LATERAL (
        SELECT one.* FROM transfers one
        WHERE key_hash(one.effect_key) = key_hash(p.payment_key)
          AND one.effect_key = p.payment_key
        UNION ALL
        SELECT one.* FROM transfers one
        WHERE key_hash(key_stem(one.effect_key)) = key_hash(p.payment_key)
          AND key_stem(one.effect_key) <> one.effect_key
          AND key_stem(one.effect_key) = p.payment_key) AS t
    WHERE (p.captured > 0 OR p.state IN ('declined', 'failed', 'canceled'))
      AND t.currency = p.currency
      AND (p.account IN (t.debit_account, t.credit_account) OR EXISTS (
        SELECT FROM transfers_of_root(p.payment_key) AS moved
        WHERE moved.corrects IS NOT NULL AND moved.id < t.id
          AND moved.credit_account NOT LIKE '%:clearing'
          AND moved.credit_account IN (t.debit_account, t.credit_account)))
    UNION ALL
    SELECT c.payment_id, later.id, later.debit_account, later.credit_account, later.amount
    FROM captures c
    CROSS JOIN LATERAL (
        SELECT t.* FROM transfers t WHERE t.reverses = c.id
        UNION ALL
        SELECT t.* FROM transfers t WHERE t.corrects = c.id) AS later),
sums AS (
    SELECT payment_id, sum(CASE WHEN debit_account LIKE '%:clearing' THEN amount
                                WHEN credit_account LIKE '%:clearing' THEN -amount
                                ELSE 0 END) AS captured
    FROM captures
    GROUP BY payment_id)
SELECT 'payment ' || p.payment_id AS subject,
       'is ' || p.state || ' with ' || p.captured || ' captured; the journal has '
         || coalesce(sums.captured, 0) || ' for its account under '
         || coalesce(p.payment_key, '(no reference)') AS what
FROM payments p
LEFT JOIN sums USING (payment_id)
WHERE (p.captured > 0 OR p.state IN ('declined', 'failed', 'canceled'))
  AND (p.captured <> coalesce(sums.captured, 0) OR p.state IN ('declined', 'failed', 'canceled')
                                                   AND p.captured <> 0)
  AND NOT EXISTS (
    SELECT FROM workflow_signals s WHERE s.signal_key = p.key AND s.taken_at IS NULL)
LIMIT :limit_rows
