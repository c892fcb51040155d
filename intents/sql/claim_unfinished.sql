-- The lease lasts :lease_seconds; :attempts_from and :attempts_to bound the number of earlier
-- attempts. Events of a paused provider wait for its resumption; leased ones are skipped. Each
-- failed attempt doubles the time until the next, up to 128 leases: a poison event must not starve
-- the others. The rows are locked, and found again by their place (ctid): a join by key may be
-- planned as a scan of all.
-- takes now timestamptz, claim_max bigint, lease_seconds integer, attempts_from integer,
--       attempts_to integer
-- gives provider text, event_id text, event_type text, fingerprint text, body_sha256 text,
--       plan text null, correlation_id text, received_at timestamptz, lease bigint,
--       attempts integer, segment integer
UPDATE webhook_intents i
SET lease = i.lease + 1, attempts = i.attempts + 1, locked_at = clock_timestamp(),
    wake_at = :now
              + make_interval(secs => :lease_seconds * (1 << least(greatest(i.attempts - 1, 0), 7)))
FROM (SELECT ctid AS place
      FROM webhook_intents
      WHERE status IN ('pending', 'parked') AND wake_at <= :now
        AND attempts BETWEEN :attempts_from AND :attempts_to
        AND provider NOT IN (SELECT provider FROM provider_pauses)
      ORDER BY wake_at
      LIMIT :claim_max
      FOR UPDATE SKIP LOCKED) AS due
WHERE i.ctid = due.place
RETURNING i.provider, i.event_id, i.event_type, encode(i.fingerprint, 'hex') AS fingerprint,
          encode(i.body_sha256, 'hex') AS body_sha256,
          i.plan::text, i.correlation_id, i.received_at, i.lease, i.attempts, i.segment
