-- The segment that takes new events, and the providers that are paused: one row each, the segment's
-- first.
-- gives segment integer null, paused_provider text null
SELECT (SELECT max(segment) FROM segments) AS segment, NULL::text AS paused_provider
UNION ALL
SELECT NULL, provider FROM provider_pauses
