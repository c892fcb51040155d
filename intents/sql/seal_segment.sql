-- :token_before is the token of the segment before it ('': it is the first), :doubles are its keys
-- that stand in an older segment, too. No row: another server was first, or the one before it is
-- not sealed as the caller thinks.
-- takes segment integer, token_before text, token text, keys bigint, filter bytea, doubles text[]
UPDATE segments s
SET sealed_at = clock_timestamp(), token = :token, keys = :keys, filter = :filter,
    doubles = :doubles
WHERE s.segment = :segment AND s.sealed_at IS NULL
  AND :token_before = coalesce((SELECT before.token FROM segments before
                                WHERE before.segment = s.segment - 1), '')
