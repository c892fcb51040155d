-- The chain columns are null where nothing chains the entry. Returns its number, and its time in
-- microseconds.
-- takes principal text, action text, subject text, reason text, details json,
--       chain_mark bytea null, chain_link bytea null
-- gives id bigint, microseconds bigint
SELECT id, microseconds
FROM write_audit(principal => :principal, action => :action, subject => :subject,
                 reason => :reason, details => :details, chain_mark => :chain_mark,
                 chain_link => :chain_link)
