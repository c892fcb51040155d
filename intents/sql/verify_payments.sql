-- The captures under a payment's root, as one, under ids or as totals, an operator's included.
-- takes limit_rows bigint
-- gives {{breach}}
WITH paid AS (
    SELECT payment_id, captured, account, currency, payment_key
    FROM payments
    WHERE state IN ('succeeded', 'refunded', 'partially_refunded', 'disputed'))
SELECT 'payment ' || p.payment_id AS subject,
       'its credit ' || coalesce(p.payment_key, '(no reference)') ||
       ' is not in the journal with its account and amount' AS what
FROM paid p
WHERE p.captured IS DISTINCT FROM (
    SELECT sum(CASE WHEN family.credit_account = p.account THEN family.amount
                    ELSE -family.amount END)
    FROM (SELECT t.debit_account, t.credit_account, t.amount, t.currency FROM transfers t
          WHERE key_hash(t.effect_key) = key_hash(p.payment_key)
            AND t.effect_key = p.payment_key
          UNION ALL
          SELECT t.debit_account, t.credit_account, t.amount, t.currency FROM transfers t
          WHERE key_hash(key_stem(t.effect_key)) = key_hash(p.payment_key)
            AND key_stem(t.effect_key) <> t.effect_key
            AND key_stem(t.effect_key) = p.payment_key) AS family
    WHERE p.account IN (family.debit_account, family.credit_account)
      AND family.currency = p.currency)
LIMIT :limit_rows
