\set high random(1, 9223372036854775807)
\set low random(1, 9223372036854775807)
\set account random(1, 10000)
\set minor random(1, 50000)
SELECT bench_receive(to_hex(:high::bigint) || to_hex(:low::bigint),
                     'user:' || :account::text, :minor);
