-- Those whose turn has come, and were too many for one transaction. $1 books, $2 scopes: pairs.
UPDATE webhook_intents i SET wake_at = $3::timestamptz
FROM unnest($1::text[], $2::text[]) AS wanted (books, scope)
JOIN sequences s ON s.books = wanted.books AND s.scope = wanted.scope
JOIN sequence_waits w ON w.books = s.books AND w.scope = s.scope
 AND w.sequence = CASE WHEN s.last < 9223372036854775807 THEN s.last + 1 END
WHERE i.provider = w.provider AND i.event_id = w.event_id AND i.status = 'parked'
