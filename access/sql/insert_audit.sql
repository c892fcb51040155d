INSERT INTO audit_log (principal, action, subject, reason, details)
VALUES ($1, $2, $3, $4, $5::jsonb)
