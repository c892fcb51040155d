-- takes limit_rows bigint
-- gives {{breach}}
SELECT 'payment ' || p.payment_id AS subject,
       'refunds of ' || sum(r.amount) || ' stand against ' || p.captured || ' captured'
         AS what
FROM payments p
JOIN refunds r USING (payment_id)
WHERE r.state <> 'failed'
GROUP BY p.payment_id, p.captured
HAVING sum(r.amount) > p.captured
LIMIT :limit_rows
