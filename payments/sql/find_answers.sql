SELECT wanted.place, status, coalesce(headers, ''), body
FROM unnest($1::text[], $2::text[], $3::text[])
     WITH ORDINALITY AS wanted (principal, route, key, place)
JOIN idempotency_keys USING (principal, route, key)
WHERE status IS NOT NULL
