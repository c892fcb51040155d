-- takes effect_key text[], account text[], currency text[], total bigint[], last_sequence bigint[]
INSERT INTO running_totals (effect_key, account, currency, total, last_sequence)
SELECT * FROM unnest(:effect_key, :account, :currency, :total, :last_sequence)
  AS t (effect_key, account, currency, total, last_sequence)
ON CONFLICT (effect_key)
DO UPDATE SET total = excluded.total, last_sequence = excluded.last_sequence
