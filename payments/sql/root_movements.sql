-- Everything that was posted under a root. A reversal or a correction comes under the key of the
-- movement that it goes back to, over as many steps as there are.
-- takes payment_key text
-- gives effect_key text, currency text, moved bigint
WITH RECURSIVE under AS MATERIALIZED (
    SELECT id, effect_key, currency, coalesce(reverses, corrects) AS origin,
           CASE WHEN debit_account LIKE '%:clearing' THEN amount
                WHEN credit_account LIKE '%:clearing' THEN -amount ELSE 0 END AS moved
    FROM transfers
    WHERE payment_key = :payment_key),
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
