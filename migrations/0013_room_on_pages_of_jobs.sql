-- A job is written three times: moved, claimed, ended. With room for the second version on the page
-- of the first, a claim touches no index and leaves nothing dead in one.
SET LOCAL ROLE pawl_owner;

ALTER TABLE jobs SET (fillfactor = 50);
