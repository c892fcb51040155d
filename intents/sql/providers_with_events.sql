-- $1 names of providers: those of which a verified event is stored
SELECT name
FROM unnest($1::text[]) AS name
WHERE EXISTS (SELECT 1 FROM webhook_intents i WHERE i.provider = name)
ORDER BY name
