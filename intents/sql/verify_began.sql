-- The highest number of each chained table, and how many of its rows are in no chain.
SELECT coalesce((SELECT max(id) FROM transfers), 0),
       (SELECT count(*) FROM transfers WHERE chain_prev IS NULL AND chain_hash IS NULL),
       coalesce((SELECT max(audit_id) FROM audit_log), 0),
       (SELECT count(*) FROM audit_log WHERE chain_prev IS NULL AND chain_hash IS NULL)
