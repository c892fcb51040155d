-- Transfers ($1 to $11, arrays of equal length but for $9, the time) and the balances that they
-- touch ($12 to $17); $18 and $19: what chains them (null: nothing does);
-- $20: their roots. Returns the numbers of
-- the transfers, and the highest. A unique violation: a balance was written by another transaction
-- since it was read.
SELECT ids, ids[cardinality(ids)]
FROM post_transfers($1::text[], $2::text[], $3::text[], $4::text[], $5::bigint[], $6::text[],
                      $7::text[], $8::bigint[], $9::timestamptz, $10::text[], $11::text[],
                      $12::text[], $13::text[], $14::bigint[], $15::bigint[], $16::bigint[],
                      $17::boolean[], $18::bytea, $19::bytea[], $20::text[]) AS ids
