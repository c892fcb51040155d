-- The newest of these times is that of the last commit that the tables have.
-- takes principal text, reason text, covers_to timestamptz null
-- gives is_new boolean
SELECT begin_recovery(
    principal => :principal, reason => :reason, covers_to => :covers_to,
    recorded_to => greatest(
        (SELECT posted_at FROM transfers ORDER BY id DESC LIMIT 1),
        (SELECT at FROM audit_log ORDER BY audit_id DESC LIMIT 1),
        (SELECT received_at FROM delivery_blocks ORDER BY block_id DESC LIMIT 1))) AS is_new
