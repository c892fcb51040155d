-- The acts whose entries reach above :after_id. Each recorded the digest of its entries in the
-- transaction that posted them.
-- takes limit_rows bigint, after_id bigint
-- gives {{breach}}
SELECT 'import ' || (a.details->>'reference') AS subject,
       'posted ' || (a.details->>'transfers') || ' transfers for '
         || (a.details->>'payments') || ' payments of ' || (a.details->>'file') || ', lines '
         || (a.details->>'first_line') || ' to ' || (a.details->>'last_line') || '; of '
         || (SELECT count(*) FROM transfers t WHERE t.entry_id = a.details->>'reference')
         || ' in the journal at least one is another' AS what
FROM audit_log a
WHERE a.action = 'import.captures' AND (a.details->>'last_transfer')::bigint > :after_id
  AND entry_digest(a.details->>'reference') IS DISTINCT FROM a.details->>'digest'
LIMIT :limit_rows
