-- The lost period begins with the last commit that the tables have from before the first lost one.
-- Rows of the audit log do not count: commands write them also after the loss.
-- takes principal text, reason text, covers_to timestamptz null, lost_from timestamptz null
-- gives is_new boolean
SELECT begin_recovery(
    principal => :principal, reason => :reason, covers_to => :covers_to,
    recorded_to => least(:lost_from, greatest(
        (SELECT posted_at FROM transfers ORDER BY id DESC LIMIT 1),
        (SELECT received_at FROM delivery_blocks ORDER BY block_id DESC LIMIT 1)))) AS is_new
