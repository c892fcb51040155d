-- What is asked about jobs every few seconds reads as many rows as there are answers, however many
-- jobs are over.
SET LOCAL ROLE pawl_owner;

-- Those that wait for a later attempt, of a subscriber that is told in order.
CREATE INDEX jobs_in_order_due ON jobs (kind, target, run_at, id)
    WHERE state = 'ready' AND ordering_key IS NOT NULL;
CREATE INDEX jobs_discarded ON jobs (done_at) WHERE state = 'discarded';
