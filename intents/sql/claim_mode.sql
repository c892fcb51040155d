-- $1 mode: of a database that has none yet
INSERT INTO installation (mode) VALUES ($1) ON CONFLICT (one) DO NOTHING
