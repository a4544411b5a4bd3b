"""chart.py FIGURES OUT TITLE: bars of each query's seconds by engine, from what peers.py --json has written.

The axis ends where nine of ten bars do: a few slow ones would make all others too low to be read."""
import json, sys

import plot

NAMES = {"pistachio": "Pistachio", "duckdb": "DuckDB", "polars": "Polars", "chdb": "ClickHouse", "datafusion": "DataFusion"}

figures_path, out, title = sys.argv[1:]
with open(figures_path) as file:
    figures = json.load(file)
engines = list(next(iter(figures.values())))
series = {NAMES.get(engine, engine): [seconds[engine] for seconds in figures.values()] for engine in engines}
values = sorted(v for of_engine in series.values() for v in of_engine if v is not None)
plot.bars(out, title, list(figures), series, bar=6, most=values[len(values) * 9 // 10])
