-- gives name text, setting text
SELECT name, setting
FROM pg_settings
WHERE name IN ('fsync', 'synchronous_commit', 'full_page_writes', 'max_connections',
               'max_prepared_transactions', 'max_locks_per_transaction', 'server_version_num')
