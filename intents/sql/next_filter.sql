-- $1 the last segment whose filter the caller has (0: it has none), $2 its token. One row where the
-- next one is sealed, with its filter; the last column: the caller's own are of this database.
SELECT next.token, next.filter,
       $1 = 0 OR EXISTS (SELECT FROM segments own WHERE own.segment = $1 AND own.token = $2)
FROM (SELECT 1) AS always
LEFT JOIN segments next ON next.segment = $1 + 1 AND next.sealed_at IS NOT NULL
