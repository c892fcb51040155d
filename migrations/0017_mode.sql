-- Which mode's money this database holds: live or test, never both.
SET LOCAL ROLE pawl_owner;

CREATE TABLE installation (
    one  boolean NOT NULL DEFAULT true,
    mode text    NOT NULL,
    CONSTRAINT installation_pkey PRIMARY KEY (one),
    CONSTRAINT installation_one_row CHECK (one),
    CONSTRAINT installation_mode_known CHECK (mode IN ('live', 'test'))
);
COMMENT ON TABLE installation IS 'What holds for the whole database: one row';
COMMENT ON COLUMN installation.one IS 'Always true: there is one row';
COMMENT ON COLUMN installation.mode IS
    'Whose money is posted here: live or test. It changes only while nothing is posted';
GRANT SELECT, INSERT ON installation TO pawl_runtime;
GRANT UPDATE (mode) ON installation TO pawl_runtime;

-- Money that was posted before there were modes is live.
INSERT INTO installation (mode) SELECT 'live' WHERE EXISTS (SELECT 1 FROM transfers);
