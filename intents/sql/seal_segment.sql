-- $1 a segment, $2 the token of the one before it ('': it is the first), $3 its own, $4 how many
-- keys it has, $5 its filter, $6 those of its keys that stand in an older segment, too. No row:
-- another server was first, or the one before it is not sealed as the caller thinks.
UPDATE segments s
SET sealed_at = clock_timestamp(), token = $3, keys = $4, filter = $5, doubles = $6::text[]
WHERE s.segment = $1 AND s.sealed_at IS NULL
  AND $2 = coalesce((SELECT before.token FROM segments before WHERE before.segment = s.segment - 1),
                    '')
