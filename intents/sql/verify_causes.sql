SELECT 'transfer ' || t.id, 'nothing that is stored caused ' || t.effect_key
FROM transfers t
WHERE NOT EXISTS (
    SELECT FROM webhook_intents i
    WHERE i.provider = t.provider AND i.event_id = t.event_id
      AND i.outcome IN ('applied', 'applied_late') AND i.effect_key = t.effect_key)
  AND NOT EXISTS (  -- its event was forgotten, as its provider's retention says
    SELECT FROM forgotten_intents f WHERE f.provider = t.provider AND t.posted_at < f.before)
  AND NOT EXISTS (
    SELECT FROM payments p
    WHERE p.payment_id = t.payment_id AND p.captured = t.amount AND t.credit_account = p.account)
  AND NOT EXISTS (
    SELECT FROM payments p JOIN refunds r USING (payment_id)
    WHERE p.payment_id = t.payment_id AND r.reference IS NOT NULL AND t.debit_account = p.account
      AND t.effect_key LIKE p.books || '/refund/%')
LIMIT $1
