-- Which transfers brought a running total to where it is: their sum is what has been posted for it.
-- `posted_before`: what was posted before this was kept, which no transfer here accounts for.
SET LOCAL ROLE pawl_owner;

ALTER TABLE object_totals ADD COLUMN posted_before bigint NOT NULL DEFAULT 0;
UPDATE object_totals SET posted_before = posted;

CREATE TABLE total_transfers (
    effect_key text NOT NULL,
    books      text NOT NULL,
    object     text NOT NULL,
    currency   text NOT NULL,
    CONSTRAINT total_transfers_pkey PRIMARY KEY (effect_key)
);
GRANT SELECT, INSERT ON total_transfers TO pawl_runtime;
