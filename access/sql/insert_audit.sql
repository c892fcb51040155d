-- $6 and $7: what chains the entry (null: nothing does). Returns its number, and its time in
-- microseconds.
SELECT id, microseconds
FROM write_audit($1, $2, $3, $4, $5::json, $6::bytea, $7::bytea)
