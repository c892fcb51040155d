SELECT pawl.analyze_deliveries()
