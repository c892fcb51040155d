-- Within a segment the primary key proves it, across segments the proof at sealing; a deep
-- verification reads the table itself, and asks no filter.
-- takes limit_rows bigint
-- gives {{breach}}
SELECT 'constraint webhook_intents_pkey' AS subject, 'is missing or not valid' AS what
WHERE NOT EXISTS (
    SELECT FROM pg_constraint c
    JOIN pg_index x ON x.indexrelid = c.conindid
    WHERE c.conrelid = 'webhook_intents'::regclass AND c.conname = 'webhook_intents_pkey'
      AND c.contype = 'p' AND x.indisvalid
      AND pg_get_constraintdef(c.oid) = 'PRIMARY KEY (segment, provider, event_id)')
UNION ALL
SELECT twin, 'stands in segment ' || s.segment || ' and in an older one'
FROM segments s
CROSS JOIN LATERAL unnest(s.doubles) AS twin
UNION ALL
(SELECT provider || '/' || event_id, 'stands in segments ' || string_agg(segment::text, ', ')
 FROM webhook_intents
 WHERE current_setting('pawl.verify_deep', true) = 'on'
 GROUP BY provider, event_id
 HAVING count(*) > 1)
LIMIT :limit_rows
