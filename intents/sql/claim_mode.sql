-- Sets the mode of a database that has none yet.
-- takes mode text
INSERT INTO installation (mode) VALUES (:mode) ON CONFLICT (one) DO NOTHING
