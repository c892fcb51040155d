-- The debits of each refund that has succeeded, less what returned them: one, of its amount. An
-- operator's reversals and corrections count as what they reversed or corrected. While a movement
-- is signaled to the run of the refund or of its payment, the refund may be as it was before it.
-- takes limit_rows bigint
-- gives {{breach}}
WITH RECURSIVE refunded AS MATERIALIZED (
    SELECT r.refund_id, r.amount, r.currency, p.payment_key,
           replace(replace(replace(replace(replace(
               r.reference, '%', '%25'), '/', '%2F'), ':', '%3A'), '@', '%40'), '#', '%23') AS id,
           p.books
    FROM refunds r
    JOIN payments p USING (payment_id)
    WHERE r.state = 'succeeded'
      AND NOT EXISTS (SELECT FROM workflow_signals s
                      WHERE s.signal_key IN (r.key, p.key) AND s.taken_at IS NULL)),
under AS MATERIALIZED (
    SELECT refunded.refund_id, t.id, t.effect_key, t.currency,
           coalesce(t.reverses, t.corrects) AS origin,
           CASE WHEN t.debit_account LIKE '%:clearing' THEN -t.amount ELSE t.amount END AS moved
    FROM refunded
    CROSS JOIN LATERAL transfers_of_root(refunded.payment_key) AS t),
traced AS (
    SELECT refund_id, id, effect_key, origin FROM under
    UNION ALL
    SELECT later.refund_id, later.id, earlier.effect_key, earlier.origin
    FROM traced later
    JOIN under earlier ON earlier.refund_id = later.refund_id AND earlier.id = later.origin)
SELECT 'refund ' || refunded.refund_id AS subject,
       'is succeeded with ' || refunded.amount || ' ' || refunded.currency || '; the journal has '
         || coalesce(sum(under.moved), 0) || ' in ' || coalesce(sum(sign(under.moved)), 0)
         || ' debits that were not returned' AS what
FROM refunded
LEFT JOIN traced ON traced.refund_id = refunded.refund_id AND traced.origin IS NULL
    AND key_stem(traced.effect_key) IN (refunded.books || '/refund/' || refunded.id,
                                        refunded.books || '/refund_failed/' || refunded.id)
LEFT JOIN under ON under.refund_id = traced.refund_id AND under.id = traced.id
    AND under.currency = refunded.currency
GROUP BY refunded.refund_id, refunded.amount, refunded.currency
HAVING coalesce(sum(under.moved), 0) <> refunded.amount OR sum(sign(under.moved)) <> 1
LIMIT :limit_rows
