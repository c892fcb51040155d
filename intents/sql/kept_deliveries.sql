SELECT part FROM pawl.kept_deliveries() AS part
