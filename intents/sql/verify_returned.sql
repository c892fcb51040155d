-- The payments of the movements above :after_id: returns, less those that bounced, against
-- captures. Fees do not count as returns.
-- takes limit_rows bigint, after_id bigint
-- gives {{breach}}
SELECT 'payment ' || recent.root AS subject,
       'has ' || sums.returned || ' returned of ' || sums.captured || ' captured ' || sums.currency
         AS what
FROM (SELECT DISTINCT t.payment_key AS root FROM transfers t
      WHERE t.id > :after_id AND t.payment_key <> key_stem(t.effect_key)) AS recent
CROSS JOIN LATERAL (
    SELECT family.currency,
           coalesce(sum(family.amount) FILTER (WHERE family.is_capture), 0) AS captured,
           coalesce(-sum(family.amount) FILTER (WHERE NOT family.is_capture), 0) AS returned
    FROM (SELECT t.currency, true AS is_capture,
                 CASE WHEN t.debit_account LIKE '%:clearing' THEN t.amount ELSE -t.amount END
                     AS amount
          FROM transfers t
          WHERE key_hash(t.effect_key) = key_hash(recent.root) AND t.effect_key = recent.root
          UNION ALL
          SELECT t.currency, true,
                 CASE WHEN t.debit_account LIKE '%:clearing' THEN t.amount ELSE -t.amount END
          FROM transfers t
          WHERE key_hash(key_stem(t.effect_key)) = key_hash(recent.root)
            AND key_stem(t.effect_key) <> t.effect_key AND key_stem(t.effect_key) = recent.root
          UNION ALL
          SELECT t.currency, false,
                 CASE WHEN t.debit_account LIKE '%:clearing' THEN t.amount ELSE -t.amount END
          FROM transfers t
          WHERE key_hash(t.payment_key) = key_hash(recent.root)
            AND t.payment_key <> key_stem(t.effect_key) AND t.payment_key = recent.root
            AND t.debit_account NOT LIKE 'fees:%' AND t.credit_account NOT LIKE 'fees:%'
            AND t.reverses IS NULL AND t.corrects IS NULL) AS family
    GROUP BY family.currency) AS sums
WHERE sums.returned > sums.captured
LIMIT :limit_rows
