-- Unfinished rows that this transaction took over; a row whose lease has moved is somebody else's.
UPDATE webhook_intents i
SET status = mine.status, outcome = mine.outcome, note = nullif(mine.note, ''), locked_at = NULL,
    wake_at = CASE WHEN mine.status IN ('pending', 'parked')
                   THEN $7::timestamptz + interval '1 minute' END,
    done_at = CASE WHEN mine.status = 'done' THEN $7::timestamptz END,
    attempts = i.attempts + 1
FROM unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::text[], $6::bigint[])
  AS mine (provider, event_id, status, outcome, note, lease)
WHERE i.provider = mine.provider AND i.event_id = mine.event_id AND i.lease = mine.lease
