-- Checks the entries above :after_id. An action posts them; its audit row names their reference.
-- takes limit_rows bigint, after_id bigint
-- gives {{breach}}
SELECT 'transfer ' || t.id AS subject,
       'no act of the audit log has the reference ' || t.entry_id AS what
FROM transfers t
WHERE t.entry_id IS NOT NULL AND t.id > :after_id
  AND t.entry_id NOT IN (
    SELECT details->>'reference' FROM audit_log
    WHERE action IN ('transfer.post', 'transfer.reverse', 'transfer.correct',
                     'import.captures')
      AND details->>'reference' IS NOT NULL)
LIMIT :limit_rows
