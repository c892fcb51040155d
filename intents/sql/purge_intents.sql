-- The provider redelivers within :redelivered_seconds.
-- takes provider text, kept_seconds bigint, redelivered_seconds bigint, limit_rows integer
-- gives purged integer
SELECT pawl.purge_intents(:provider, :kept_seconds * interval '1 second',
       :redelivered_seconds * interval '1 second',
                          :limit_rows) AS purged
