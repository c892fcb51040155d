-- $1 from which time on. A server that runs for weeks without a restart never writes to a default
-- partition, from which rows cannot be dropped with their table. Answers with how many were made.
SELECT sum(pawl.make_partitions(parent, $1::timestamptz, ahead))
FROM (VALUES ('delivery_blocks', 8), ('rejections', 14), ('jobs_done', 14)) AS t (parent, ahead)
