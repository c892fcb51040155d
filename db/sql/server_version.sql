-- gives version text
SELECT current_setting('server_version') AS version
