-- Newest first, before transfer :before_id (0: the newest). The newest of the journal are nearly
-- all its own: they are read in the order of their numbers until there are enough.
-- takes account text, before_id bigint, limit_rows bigint
-- gives {{transfer}}
SELECT {{transfer}}
FROM transfers
WHERE (credit_account = :account OR debit_account = :account)
  AND (:before_id = 0 OR id < :before_id)
ORDER BY id DESC
LIMIT :limit_rows
