-- Newest first, after the last row of the page before, if any.
-- takes provider text null, status text null, outcome text null, event_type text null,
--       account text null, object text null, text text null, from_time timestamptz null,
--       to_time timestamptz null, before_received_at timestamptz null, before_provider text null,
--       before_event_id text null, limit_rows bigint
-- gives {{listed_intent}}
SELECT {{listed_intent}}
FROM webhook_intents
WHERE (:provider IS NULL OR provider = :provider)
  AND (:status IS NULL OR status = :status)
  AND (:outcome IS NULL OR outcome = :outcome)
  AND (:event_type IS NULL OR event_type = :event_type)
  AND (:account IS NULL OR account = :account)
  AND (:object IS NULL OR object = :object)
  AND (:text IS NULL OR strpos(concat_ws(' ', event_id, object, account, note), :text) > 0)
  AND (:from_time IS NULL OR received_at >= :from_time)
  AND (:to_time IS NULL OR received_at < :to_time)
  AND (:before_received_at IS NULL
       OR (received_at, provider, event_id)
          < (:before_received_at, :before_provider, :before_event_id))
ORDER BY received_at DESC, provider DESC, event_id DESC
LIMIT :limit_rows
