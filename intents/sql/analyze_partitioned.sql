SELECT pawl.analyze_partitioned()
