-- A capture is the root of its own payment; any other movement has the root of its first need.
-- takes limit_rows bigint, after_id bigint
-- gives {{breach}}
SELECT 'transfer ' || t.id AS subject,
       'is ' || t.effect_key || ', and says that it belongs to '
       || coalesce(t.payment_key, 'no payment') AS what
FROM transfers t
WHERE t.id > :after_id
  AND CASE WHEN t.effect_key ~ '/capture/[^/]*$'
           THEN t.payment_key IS DISTINCT FROM key_stem(t.effect_key)
           ELSE t.payment_key IS NOT NULL AND t.payment_key !~ '/capture/[^/:@#]*$' END
UNION ALL
SELECT 'payment ' || string_agg(p.payment_id, ', '), 'share the root ' || p.payment_key
FROM payments p
WHERE p.payment_key IS NOT NULL
GROUP BY p.payment_key
HAVING count(*) > 1
LIMIT :limit_rows
