-- $1 books, $2 dispute, $3 root of the payment, $4 state, $5 when it happened, $6 now. Reports come
-- in any order: an end stays, and of two ends the later one counts. True: the state has changed.
WITH before AS (
    SELECT state FROM disputes WHERE books = $1 AND dispute_id = $2),
marked AS (
    INSERT INTO disputes AS d (books, dispute_id, payment_key, payment_id, state, opened_at,
                               closed_at, updated_at)
    VALUES ($1, $2, $3,
            (SELECT p.payment_id FROM payments p WHERE p.payment_key = $3 LIMIT 1), $4,
            CASE WHEN $4 = 'opened' THEN $5::timestamptz END,
            CASE WHEN $4 <> 'opened' THEN $5::timestamptz END, $6::timestamptz)
    ON CONFLICT (books, dispute_id) DO UPDATE
       SET state = CASE WHEN excluded.state = 'opened'
                          OR d.closed_at > excluded.closed_at THEN d.state
                        ELSE excluded.state END,
           opened_at = least(d.opened_at, excluded.opened_at),
           closed_at = greatest(d.closed_at, excluded.closed_at),
           updated_at = excluded.updated_at
    RETURNING state)
SELECT marked.state = $4 AND marked.state IS DISTINCT FROM (SELECT state FROM before)
FROM marked
