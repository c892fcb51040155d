-- The effect key is made of the gateway's reference as rules make it: %, / and : are escaped.
WITH paid AS (
    SELECT payment_id, captured, account, currency,
           books || '/capture/' ||
           replace(replace(replace(reference, '%', '%25'), '/', '%2F'), ':', '%3A') AS effect_key
    FROM payments
    WHERE state IN ('succeeded', 'refunded', 'partially_refunded', 'disputed'))
SELECT 'payment ' || p.payment_id, 'its credit ' || coalesce(p.effect_key, '(no reference)') ||
       ' is not in the journal with its account and amount'
FROM paid p
WHERE NOT EXISTS (
    SELECT FROM transfers t
    WHERE t.effect_key = p.effect_key AND t.credit_account = p.account AND t.amount = p.captured
      AND t.currency = p.currency)
LIMIT $1
