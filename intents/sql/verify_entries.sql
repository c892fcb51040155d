-- Of the transfers above $2. An act posts them, and its audit row names their reference.
SELECT 'transfer ' || t.id, 'no act of the audit log has the reference ' || t.entry_id
FROM transfers t
WHERE t.entry_id IS NOT NULL AND t.id > $2
  AND t.entry_id NOT IN (
    SELECT details->>'reference' FROM audit_log
    WHERE action IN ('transfer.post', 'transfer.reverse', 'transfer.correct')
      AND details->>'reference' IS NOT NULL)
LIMIT $1
