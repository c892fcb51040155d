SELECT 'payment ' || p.payment_id,
       'refunds of ' || sum(r.amount) || ' stand against ' || p.captured || ' captured'
FROM payments p
JOIN refunds r USING (payment_id)
WHERE r.state <> 'failed'
GROUP BY p.payment_id, p.captured
HAVING sum(r.amount) > p.captured
LIMIT $1
