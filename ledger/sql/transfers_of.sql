-- $2: before this id, or 0 for the newest. Two index scans: an OR over two columns would sort all.
-- The indexes leave clearing accounts out, and are found by saying so in their words.
SELECT id, effect_key, debit_account, credit_account, currency, amount, provider, event_id,
       sequence, posted_at
FROM ((SELECT * FROM transfers
       WHERE credit_account = $1 AND credit_account NOT LIKE '%:clearing'
         AND ($2::bigint = 0 OR id < $2)
       ORDER BY id DESC LIMIT $3)
      UNION ALL
      (SELECT * FROM transfers
       WHERE debit_account = $1 AND debit_account NOT LIKE '%:clearing'
         AND ($2::bigint = 0 OR id < $2)
       ORDER BY id DESC LIMIT $3)) AS both_sides
ORDER BY id DESC
LIMIT $3
