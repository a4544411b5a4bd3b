#!/usr/bin/env python3
"""bench/clients.py FOLDER [RUNS]: `select * from lineitem` of FOLDER/lineitem.parquet into a pyarrow table, by Pistachio
and by DuckDB in turns (RUNS 0: not), and streamed within memory_limit=256MB, with the most memory that the process had. Needs
tests/clients/run's virtual environment: build/clients/bin/python bench/clients.py ...; PISTACHIO_LIBRARY says which
library, else build/release/libpistachio.so.0."""
import os
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
LIBRARY = os.environ.get("PISTACHIO_LIBRARY") or os.path.join(ROOT, "build", "release", "libpistachio.so.0")

DUCKDB = "import duckdb; duckdb.sql('SET enable_progress_bar = false'); take = lambda: duckdb.sql(\"select * from '{file}'\").to_arrow_table()"
PISTACHIO = ("from adbc_driver_manager import dbapi\n"
             "connection = dbapi.connect(driver='{library}', autocommit=True)\n"
             "def take():\n"
             "    with connection.cursor() as cursor:\n"
             "        cursor.execute(\"select * from '{file}'\")\n"
             "        return cursor.fetch_arrow_table()\n")
TIMED = ("\nimport time\nstart, used = time.monotonic(), time.process_time()\n"
         "rows = take().num_rows\nprint(rows, time.monotonic() - start, time.process_time() - used)")
STREAMED = ("from adbc_driver_manager import dbapi\n"
            "connection = dbapi.connect(driver='{library}', db_kwargs={{'pistachio.memory_limit': '256MB'}}, autocommit=True)\n"
            "import resource, time\n"
            "before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss\n"
            "start = time.monotonic()\n"
            "with connection.cursor() as cursor:\n"
            "    cursor.execute(\"select * from '{file}'\")\n"
            "    rows = sum(batch.num_rows for batch in cursor.fetch_record_batch())\n"
            "peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss\n"
            "print(rows, time.monotonic() - start, peak, before)")


def run(text, file):
    out = subprocess.run([sys.executable, "-c", text.format(file=file, library=LIBRARY)], check=True, capture_output=True,
                         text=True).stdout
    # The last line: DuckDB may draw its progress before it.
    return [float(word) for word in out.splitlines()[-1].split()]


def median(values):
    return sorted(values)[len(values) // 2]


def compare(file, runs):
    times = {"pistachio": [], "duckdb": []}
    for _ in range(runs):
        for name, text in (("pistachio", PISTACHIO), ("duckdb", DUCKDB)):
            rows, *seconds = run(text + TIMED, file)
            times[name].append(seconds)
    for what, which in (("time", 0), ("processor time", 1)):
        for of, pick in (("median", median), ("least", min)):
            ours, theirs = (pick([run[which] for run in times[name]]) for name in ("pistachio", "duckdb"))
            print(f"{rows:.0f} rows into pyarrow, {what}, {of} of {runs}: pistachio {ours:.2f} s, duckdb {theirs:.2f} s, "
                  f"ratio {ours / theirs:.2f}")


def main():
    file = os.path.join(sys.argv[1], "lineitem.parquet")
    runs = int(sys.argv[2]) if len(sys.argv) > 2 else 5
    if runs:
        compare(file, runs)
    rows, seconds, peak, before = run(STREAMED, file)
    print(f"{rows:.0f} rows streamed within memory_limit 256MB: {seconds:.2f} s, at most {peak / 1024:.0f} MB of memory "
          f"({before / 1024:.0f} MB of it before)")


main()
