-- What an event told a run, or began, is found from the event.
SET LOCAL ROLE pawl_owner;

CREATE INDEX workflow_signals_event ON workflow_signals (event_id, provider);
CREATE INDEX workflow_runs_correlation ON workflow_runs (correlation_id);
