-- What an event led to was staged soon after it was received. Where a job lies on the disk tells
-- when that was, and a summary of it costs a writer nothing; an index of correlation ids was a
-- good part of the work of moving and ending a job.
SET LOCAL ROLE pawl_owner;

DROP INDEX jobs_correlation;
CREATE INDEX jobs_staged_at ON jobs USING brin (staged_at)
    WITH (pages_per_range = 16, autosummarize = on);
