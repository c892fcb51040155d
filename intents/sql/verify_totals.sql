-- The transfers of a total have its key with "@" and a figure appended; an operator's fall of it
-- has "#" and a number, too.
-- takes limit_rows bigint
-- gives {{breach}}
SELECT 'total ' || coalesce(t.effect_key, s.effect_key) AS subject,
       'stands at ' || coalesce(t.total::text, '(no row)') || ', and its transfers sum to '
       || coalesce(s.moved, 0) AS what
FROM running_totals t
FULL JOIN (
    SELECT split_part(tr.effect_key, '@', 1) AS effect_key,
           abs(sum(CASE WHEN tr.debit_account LIKE '%:clearing' THEN tr.amount
                        ELSE -tr.amount END)) AS moved
    FROM transfers tr
    WHERE key_stem(tr.effect_key) <> tr.effect_key AND strpos(tr.effect_key, '@') > 0
    GROUP BY 1) AS s USING (effect_key)
WHERE t.total IS DISTINCT FROM coalesce(s.moved, 0)
LIMIT :limit_rows
