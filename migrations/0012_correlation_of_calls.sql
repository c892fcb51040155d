-- What binds a call to the webhook or request that led to it: as in its run, its jobs and the log.
SET LOCAL ROLE pawl_owner;

ALTER TABLE external_calls ADD COLUMN correlation_id text;  -- null: from before there was one
