SELECT effect_key, 'was posted ' || count(*) || ' times'
FROM transfers
GROUP BY effect_key
HAVING count(*) > 1
LIMIT $1
