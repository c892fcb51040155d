-- Newest first, before transfer :before_id (0: the newest). Two index scans: an OR over two columns
-- would sort all. The indexes leave clearing accounts out, and are found by saying so in their
-- words.
-- takes account text, before_id bigint, limit_rows bigint
-- gives {{transfer}}
SELECT {{transfer}}
FROM ((SELECT * FROM transfers
       WHERE credit_account = :account AND credit_account NOT LIKE '%:clearing'
         AND (:before_id = 0 OR id < :before_id)
       ORDER BY id DESC LIMIT :limit_rows)
      UNION ALL
      (SELECT * FROM transfers
       WHERE debit_account = :account AND debit_account NOT LIKE '%:clearing'
         AND (:before_id = 0 OR id < :before_id)
       ORDER BY id DESC LIMIT :limit_rows)) AS both_sides
ORDER BY id DESC
LIMIT :limit_rows
