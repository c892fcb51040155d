-- Returns the last one that was looked at; NULL at the end.
-- takes after_delivery bigint, limit_rows integer
-- gives last bigint null
SELECT pawl.reap_open_deliveries(:after_delivery, :limit_rows) AS last
