"""The same search on Spark: sharded, resumable, and the state graph as Parquet tables."""
