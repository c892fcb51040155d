-- The names with a stored verified event. Looked up one by one: the LIMIT keeps the planner from
-- any other join.
-- takes name text[]
-- gives name text
SELECT name
FROM unnest(:name) AS name
CROSS JOIN LATERAL (
    SELECT FROM webhook_intents i
    WHERE i.segment = ANY (ARRAY (SELECT segment FROM segments)) AND i.provider = name
    LIMIT 1) AS any_event
ORDER BY name
