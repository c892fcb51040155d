-- Transfers that an operator has corrected: the two accounts that hold them now, the last of each
-- last.
-- takes id bigint[]
-- gives first bigint, debit_account text, credit_account text
WITH RECURSIVE moved AS (
    SELECT wanted.id AS first, c.id, c.debit_account, c.credit_account
    FROM unnest(:id) AS wanted (id)
    CROSS JOIN LATERAL (
        SELECT * FROM transfers own
        WHERE own.corrects = wanted.id
        LIMIT 1) AS c
    UNION ALL
    SELECT m.first, c.id, c.debit_account, c.credit_account
    FROM moved m
    CROSS JOIN LATERAL (
        SELECT * FROM transfers own
        WHERE own.corrects = m.id
        LIMIT 1) AS c)
SELECT first, debit_account, credit_account FROM moved ORDER BY id
