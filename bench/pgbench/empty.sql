-- Before each round: every table that a round fills is as it was before the first.
TRUNCATE webhook_intents, webhook_deliveries, transfers, balances, sequences, staged_jobs, jobs,
    effect_waits, sequence_waits, object_totals, total_transfers;
CHECKPOINT;
