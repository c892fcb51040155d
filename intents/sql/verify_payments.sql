-- takes limit_rows bigint
-- gives {{breach}}
WITH paid AS (
    SELECT payment_id, captured, account, currency, payment_key
    FROM payments
    WHERE captured > 0)
SELECT 'payment ' || p.payment_id AS subject,
       'its credit ' || coalesce(p.payment_key, '(no reference)') ||
       ' is not in the journal with its account and amount' AS what
FROM paid p
WHERE NOT EXISTS (
    SELECT FROM transfers t
    WHERE key_hash(t.effect_key) = key_hash(p.payment_key) AND t.effect_key = p.payment_key
      AND t.credit_account = p.account AND t.amount = p.captured
      AND t.currency = p.currency)
LIMIT :limit_rows
