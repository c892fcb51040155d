-- The payments of the movements above :after_id: returns, less those that bounced, against
-- captures, and never below zero. Fees do not count as returns. A reversal or correction by an
-- operator counts as the movement that it reversed or corrected, over any number of steps: such
-- payments are few, and all of them are read.
-- takes limit_rows bigint, after_id bigint
-- gives {{breach}}
WITH RECURSIVE operated AS MATERIALIZED (
    SELECT DISTINCT t.payment_key AS root FROM transfers t
    WHERE t.reverses IS NOT NULL AND t.payment_key IS NOT NULL
    UNION
    SELECT DISTINCT t.payment_key FROM transfers t
    WHERE t.corrects IS NOT NULL AND t.payment_key IS NOT NULL),
under AS MATERIALIZED (
    SELECT o.root, t.id, t.effect_key, t.currency, coalesce(t.reverses, t.corrects) AS origin,
           CASE WHEN t.debit_account LIKE '%:clearing' THEN t.amount ELSE -t.amount END AS moved
    FROM operated o
    CROSS JOIN LATERAL transfers_of_root(o.root) AS t
    WHERE t.debit_account NOT LIKE 'fees:%' AND t.credit_account NOT LIKE 'fees:%'),
traced AS (
    SELECT id, effect_key, origin FROM under
    UNION ALL
    SELECT later.id, earlier.effect_key, earlier.origin
    FROM traced later
    JOIN under earlier ON earlier.id = later.origin),
sums AS (
    SELECT under.root, under.currency,
           coalesce(sum(moved) FILTER (WHERE key_stem(traced.effect_key) = under.root), 0)
             AS captured,
           coalesce(-sum(moved) FILTER (WHERE key_stem(traced.effect_key) <> under.root), 0)
             AS returned
    FROM under
    JOIN traced USING (id)
    WHERE traced.origin IS NULL
    GROUP BY under.root, under.currency
    UNION ALL
    SELECT recent.root, family.currency,
           coalesce(sum(family.amount) FILTER (WHERE family.is_capture), 0),
           coalesce(-sum(family.amount) FILTER (WHERE NOT family.is_capture), 0)
    FROM (SELECT DISTINCT t.payment_key AS root FROM transfers t
          WHERE t.id > :after_id AND t.payment_key <> key_stem(t.effect_key)
            AND t.payment_key NOT IN (SELECT root FROM operated)) AS recent
    CROSS JOIN LATERAL (
        SELECT t.currency, key_stem(t.effect_key) = recent.root AS is_capture,
               CASE WHEN t.debit_account LIKE '%:clearing' THEN t.amount ELSE -t.amount END
                   AS amount
        FROM transfers_of_root(recent.root) AS t
        WHERE t.debit_account NOT LIKE 'fees:%' AND t.credit_account NOT LIKE 'fees:%') AS family
    GROUP BY recent.root, family.currency)
SELECT 'payment ' || sums.root AS subject,
       'has ' || sums.returned || ' returned of ' || sums.captured || ' captured ' || sums.currency
         AS what
FROM sums
WHERE sums.returned > sums.captured OR sums.returned < 0
LIMIT :limit_rows
