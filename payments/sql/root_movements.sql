-- The movements of a payment, without fees, which are the merchant's. A reversal or a correction is
-- counted under the key of the movement that it reverses or corrects, over any number of steps.
-- takes payment_key text
-- gives effect_key text, currency text, moved bigint
WITH RECURSIVE under AS MATERIALIZED (
    SELECT t.id, t.effect_key, t.currency, coalesce(t.reverses, t.corrects) AS origin,
           CASE WHEN t.debit_account LIKE '%:clearing' THEN t.amount
                WHEN t.credit_account LIKE '%:clearing' THEN -t.amount ELSE 0 END AS moved
    FROM transfers_of_root(:payment_key) AS t
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
