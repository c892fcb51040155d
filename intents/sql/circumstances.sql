-- The segment that takes new events, and the providers that are paused: one row each, the segment's
-- first.
SELECT (SELECT max(segment) FROM segments), NULL::text
UNION ALL
SELECT NULL, provider FROM provider_pauses
