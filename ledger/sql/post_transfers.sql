-- Transfers ($1 to $13, arrays of equal length but for $9, the time) and the balances that they
-- touch ($14 to $19); $20 and $21: what chains them (null: nothing does). Returns the numbers of
-- the transfers, and the highest. A unique violation: a balance was written by another transaction
-- since it was read.
SELECT ids, ids[cardinality(ids)]
FROM post_transfers($1::text[], $2::text[], $3::text[], $4::text[], $5::bigint[], $6::text[],
                      $7::text[], $8::bigint[], $9::timestamptz, $10::text[], $11::text[],
                      $12::text[], $13::timestamptz[], $14::text[], $15::text[], $16::bigint[],
                      $17::bigint[], $18::bigint[], $19::boolean[], $20::bytea,
                      $21::bytea[]) AS ids
