SELECT part FROM pawl_kept_deliveries() AS part
