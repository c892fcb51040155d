-- takes limit_rows bigint
-- gives {{breach}}
SELECT 'total of ' || books || ' ' || object || ' ' || currency AS subject,
       'stands at ' || coalesce(t.posted::text, '(no row)') || ', and its transfers sum to '
       || coalesce(s.moved, 0) AS what
FROM object_totals t
FULL JOIN (
    SELECT step.books, step.object, step.currency, sum(tr.amount) AS moved
    FROM total_transfers step
    LEFT JOIN transfers tr USING (effect_key)
    GROUP BY step.books, step.object, step.currency) AS s USING (books, object, currency)
WHERE t.posted IS DISTINCT FROM coalesce(s.moved, 0)
LIMIT :limit_rows
