-- takes key text
-- gives {{payment}}
SELECT {{payment}}
FROM payments
WHERE key = :key
