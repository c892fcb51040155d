SELECT write_audit($1, $2, $3, $4, $5::jsonb)
