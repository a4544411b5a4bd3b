"""Random statements over random Parquet files, run by Pistachio and by DuckDB, and compared."""
