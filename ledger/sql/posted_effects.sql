-- $1 effect keys. A key that is not among them has the hash of one that is. The last column: an
-- operator has reversed it, and whatever was posted in its place by corrections.
SELECT t.effect_key, t.debit_account, t.credit_account, t.currency, t.amount,
       coalesce(t.provider, ''), coalesce(t.event_id, ''), t.sequence, t.posted_at,
       t.payment_id, t.refund_id, t.entry_id, t.payment_key,
       CASE WHEN EXISTS (SELECT FROM transfers r WHERE r.reverses = t.id) THEN (
           WITH RECURSIVE place AS (
               SELECT t.id
               UNION ALL
               SELECT c.id FROM place p JOIN transfers c ON c.corrects = p.id)
           SELECT bool_and(EXISTS (
               SELECT FROM transfers r
               WHERE r.reverses = place.id
                 AND NOT EXISTS (SELECT FROM transfers again WHERE again.reverses = r.id)))
           FROM place)
       ELSE false END
FROM transfers t
WHERE key_hash(t.effect_key) = ANY (ARRAY (
    SELECT key_hash(wanted.effect_key) FROM unnest($1::text[]) AS wanted (effect_key)))
