-- The segment after :through, the last one whose filter the caller has (0: it has none), with its
-- token. One row where the next one is sealed, with its filter; `own_known`: the caller's own are
-- of this database.
-- takes through integer, token text
-- gives token text null, filter bytea null, own_known boolean
SELECT next.token, next.filter,
       :through = 0 OR EXISTS (SELECT FROM segments own
                               WHERE own.segment = :through AND own.token = :token)
         AS own_known
FROM (SELECT 1) AS always
LEFT JOIN segments next ON next.segment = :through + 1 AND next.sealed_at IS NOT NULL
