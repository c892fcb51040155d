-- Before each round: every table that a round fills is as it was before the first.
TRUNCATE webhook_intents, delivery_blocks, open_deliveries, redeliveries, transfers, balances,
    sequences, staged_jobs, jobs, jobs_done, effect_waits, sequence_waits, running_totals,
    returned_effects, effect_reports;
CHECKPOINT;
