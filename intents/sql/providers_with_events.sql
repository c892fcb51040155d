-- $1 names of providers: those of which a verified event is stored. Looked up one by one: the LIMIT
-- keeps the planner from any other join.
SELECT name
FROM unnest($1::text[]) AS name
CROSS JOIN LATERAL (
    SELECT FROM webhook_intents i
    WHERE i.segment = ANY (ARRAY (SELECT segment FROM segments)) AND i.provider = name
    LIMIT 1) AS any_event
ORDER BY name
