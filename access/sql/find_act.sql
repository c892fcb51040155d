-- The details of the entry of an act. A subject has few entries.
-- takes subject text, act_id text
-- gives details text
SELECT details::text
FROM audit_log
WHERE subject = :subject AND details->>'act_id' = :act_id
ORDER BY audit_id DESC
LIMIT 1
