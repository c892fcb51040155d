-- $1 what time it is, $2 at most so many, $3 seconds until the lease may be taken over; $4 and $5
-- how many attempts they may have behind them, from and to. Events of a paused provider wait for
-- its resumption; those that others hold are passed over. Each attempt in vain doubles the time
-- until the next, to an hour or so: a poison event must not keep everybody busy.
-- The rows are locked, and found again by their place (ctid): a join by key may be planned as a
-- scan of all.
UPDATE webhook_intents i
SET lease = i.lease + 1, attempts = i.attempts + 1, locked_at = clock_timestamp(),
    wake_at = $1::timestamptz
              + make_interval(secs => $3::int * (1 << least(greatest(i.attempts - 1, 0), 7)))
FROM (SELECT ctid AS place
      FROM webhook_intents
      WHERE status IN ('pending', 'parked') AND wake_at <= $1::timestamptz
        AND attempts BETWEEN $4 AND $5
        AND provider NOT IN (SELECT provider FROM provider_pauses)
      ORDER BY wake_at
      LIMIT $2
      FOR UPDATE SKIP LOCKED) AS due
WHERE i.ctid = due.place
RETURNING i.provider, i.event_id, i.event_type, encode(i.fingerprint, 'hex'),
          encode(i.body_sha256, 'hex'),
          i.plan::text, i.correlation_id, i.received_at, i.lease, i.attempts, i.segment
