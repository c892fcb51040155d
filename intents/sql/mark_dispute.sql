-- Reports come in any order: an end stays, and of two ends the later one counts. `changed`: the
-- state has changed.
-- takes books text, dispute_id text, payment_key text, state text, happened_at timestamptz,
--       now timestamptz
-- gives changed boolean
WITH before AS (
    SELECT d.state FROM disputes d WHERE d.books = :books AND d.dispute_id = :dispute_id),
marked AS (
    INSERT INTO disputes AS d (books, dispute_id, payment_key, payment_id, state, opened_at,
                               closed_at, updated_at)
    VALUES (:books, :dispute_id, :payment_key,
            (SELECT p.payment_id FROM payments p WHERE p.payment_key = :payment_key LIMIT 1),
            :state,
            CASE WHEN :state = 'opened' THEN :happened_at END,
            CASE WHEN :state <> 'opened' THEN :happened_at END, :now)
    ON CONFLICT (books, dispute_id) DO UPDATE
       SET state = CASE WHEN excluded.state = 'opened'
                          OR d.closed_at > excluded.closed_at THEN d.state
                        ELSE excluded.state END,
           opened_at = least(d.opened_at, excluded.opened_at),
           closed_at = greatest(d.closed_at, excluded.closed_at),
           updated_at = excluded.updated_at
    RETURNING d.state)
SELECT marked.state = :state AND marked.state IS DISTINCT FROM (SELECT before.state FROM before)
         AS changed
FROM marked
