-- takes key text, outcome text, note text, now timestamptz
UPDATE external_calls
SET forced_at = :now, outcome = :outcome, note = :note
WHERE key = :key
