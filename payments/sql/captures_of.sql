-- takes payment_id text
-- gives {{capture}}
SELECT {{capture}}
FROM captures
WHERE payment_id = :payment_id
ORDER BY n
