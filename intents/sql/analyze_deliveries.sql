SELECT pawl_analyze_deliveries()
