-- Indexes with random keys are filled as far as random insertion would: :fill percent.
SELECT statement FROM public.bench_indexes WHERE made = 0 ORDER BY name
\gexec
SELECT regexp_replace(statement, '( WHERE |$)',
                      CASE WHEN name LIKE '%effect_key'
                           THEN format(' WITH (fillfactor = %s)\1', :fill) ELSE '\1' END)
FROM public.bench_indexes WHERE made = 1 ORDER BY name
\gexec
ALTER INDEX webhook_intents_pkey SET (fillfactor = :fill);
REINDEX INDEX webhook_intents_pkey;
ALTER INDEX webhook_intents_pkey RESET (fillfactor);
ALTER INDEX transfers_effect_key RESET (fillfactor);
DROP TABLE public.bench_indexes;
INSERT INTO segments (segment, opened_at, rows_before)
SELECT max(segment) + 1, now(), pg_stat_get_tuples_inserted('webhook_intents'::regclass)
FROM segments;
