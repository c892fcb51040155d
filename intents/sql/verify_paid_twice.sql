-- takes limit_rows bigint
-- gives {{breach}}
SELECT 'order ' || o.order_id AS subject,
       'attempts of ' || sum(p.captured) || ' were paid, the order asks for ' || o.amount || ': ' ||
       string_agg(p.payment_id, ', ') AS what
FROM payments p
JOIN orders o USING (order_id)
WHERE p.captured > 0
GROUP BY o.order_id, o.amount
HAVING sum(p.captured) > o.amount
LIMIT :limit_rows
