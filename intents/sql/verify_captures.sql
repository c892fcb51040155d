-- Captures that succeeded against the credits under the root of their payment, as they were posted:
-- an operator's later entries change neither.
-- takes limit_rows bigint
-- gives {{breach}}
SELECT 'payment ' || p.payment_id AS subject,
       'has captures of ' || made.amount || ' that succeeded; the journal has '
         || coalesce(posted.amount, 0) || ' under ' || coalesce(p.payment_key, '(no reference)')
         AS what
FROM (SELECT payment_id, sum(amount) AS amount
      FROM captures
      WHERE state = 'succeeded'
      GROUP BY payment_id) AS made
JOIN payments p USING (payment_id)
CROSS JOIN LATERAL (
    SELECT sum(t.amount) AS amount
    FROM transfers_of_root(p.payment_key) AS t
    WHERE key_stem(t.effect_key) = p.payment_key AND t.debit_account LIKE '%:clearing'
      AND t.reverses IS NULL AND t.corrects IS NULL) AS posted
WHERE made.amount > coalesce(posted.amount, 0)
LIMIT :limit_rows
