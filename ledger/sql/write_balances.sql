-- A row written since it was locked would have another version: then fewer rows are written than
-- asked for, and the caller decides anew.
INSERT INTO balances AS b (account, currency, amount, last_event_sequence, late_count, version,
                           absolute)
SELECT account, currency, amount, last_event_sequence, late_count, version + 1, absolute
FROM unnest($1::text[], $2::text[], $3::bigint[], $4::bigint[], $5::bigint[], $6::bigint[],
            $7::boolean[])
  AS t (account, currency, amount, last_event_sequence, late_count, version, absolute)
ON CONFLICT (account, currency) DO UPDATE
   SET amount = excluded.amount, last_event_sequence = excluded.last_event_sequence,
       late_count = excluded.late_count, version = excluded.version,
       absolute = excluded.absolute
   WHERE b.version = excluded.version - 1
