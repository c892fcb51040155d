-- A key that is not among those asked for has the hash of one that is. `taken_back`: an operator
-- has reversed it, and all that was posted in its place by corrections.
-- takes effect_key text[]
-- gives effect_key text, debit_account text, credit_account text, currency text, amount bigint,
--       provider text, event_id text, sequence bigint null, posted_at timestamptz,
--       payment_id text null, refund_id text null, entry_id text null, payment_key text null,
--       taken_back boolean
SELECT t.effect_key, t.debit_account, t.credit_account, t.currency, t.amount,
       coalesce(t.provider, '') AS provider, coalesce(t.event_id, '') AS event_id, t.sequence,
       t.posted_at,
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
       ELSE false END AS taken_back
FROM transfers t
WHERE key_hash(t.effect_key) = ANY (ARRAY (
    SELECT key_hash(wanted.effect_key) FROM unnest(:effect_key) AS wanted (effect_key)))
