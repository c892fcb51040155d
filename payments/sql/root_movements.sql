-- Everything that was posted under a root: captures at it and below it, and what belongs to it
-- under other keys, each by its own index. Fees are the merchant's own. A reversal or a correction
-- comes under the key of the movement that it goes back to, over as many steps as there are.
-- takes payment_key text
-- gives effect_key text, currency text, moved bigint
WITH RECURSIVE under AS MATERIALIZED (
    SELECT t.id, t.effect_key, t.currency, coalesce(t.reverses, t.corrects) AS origin,
           CASE WHEN t.debit_account LIKE '%:clearing' THEN t.amount
                WHEN t.credit_account LIKE '%:clearing' THEN -t.amount ELSE 0 END AS moved
    FROM (SELECT * FROM transfers
          WHERE key_hash(effect_key) = key_hash(:payment_key) AND effect_key = :payment_key
            AND payment_key = :payment_key
          UNION ALL
          SELECT * FROM transfers
          WHERE key_hash(key_stem(effect_key)) = key_hash(:payment_key)
            AND key_stem(effect_key) <> effect_key AND payment_key = :payment_key
          UNION ALL
          SELECT * FROM transfers
          WHERE key_hash(payment_key) = key_hash(:payment_key)
            AND payment_key <> key_stem(effect_key) AND payment_key = :payment_key) AS t
    WHERE t.debit_account NOT LIKE 'fees:%' AND t.credit_account NOT LIKE 'fees:%'),
traced AS (
    SELECT id, effect_key, origin FROM under
    UNION ALL
    SELECT later.id, earlier.effect_key, earlier.origin
    FROM traced later
    JOIN under earlier ON earlier.id = later.origin)
SELECT traced.effect_key, under.currency, under.moved
FROM under
JOIN traced USING (id)
WHERE traced.origin IS NULL
