-- gives ignored
SELECT pawl.analyze_partitioned()
