"""Runs the TPC-H queries over the same Parquet files in Pistachio and in DuckDB, interleaved, and prints
each query's median times and their ratio, and the geometric mean of the ratios.

    bench/peers DATA_FOLDER [--runs N] [--threads N] [--queries 1,3,6] [--program build/release/pistachio]

Pistachio is timed as a whole process, DuckDB inside its own. Results are compared row by row (numbers
to 1e-9). Exit status 1 if a result differs.
"""
import argparse, csv, glob, io, math, os, statistics, subprocess, sys, time
import duckdb

here = os.path.dirname(os.path.abspath(__file__))
parser = argparse.ArgumentParser()
parser.add_argument("data")
parser.add_argument("--runs", type=int, default=3)
parser.add_argument("--threads", type=int, default=2)
parser.add_argument("--queries", default=",".join(map(str, range(1, 23))))
parser.add_argument("--program", default=os.path.join(here, "../build/release/pistachio"))
options = parser.parse_args()

connection = duckdb.connect()
connection.execute(f"set threads={options.threads}")
for path in sorted(glob.glob(os.path.join(options.data, "*.parquet"))):
    name = os.path.basename(path)[: -len(".parquet")]
    connection.execute(f"create view {name} as select * from '{path}'")


def run_duckdb(sql):
    start = time.perf_counter()
    rows = connection.execute(sql).fetchall()
    return time.perf_counter() - start, rows


def run_pistachio(path):
    start = time.perf_counter()
    done = subprocess.run(
        ["/usr/bin/env", "time", "-f", "%M", options.program, "--format", "csv", "--set",
         f"threads={options.threads}", "-f", path, options.data],
        capture_output=True, text=True)
    seconds = time.perf_counter() - start
    if done.returncode:
        raise RuntimeError(done.stderr.strip())
    peak = int(done.stderr.strip().splitlines()[-1]) / 1024
    return seconds, list(csv.reader(io.StringIO(done.stdout)))[1:], peak


def same(mine, theirs):
    def close(a, b):
        if b is None:
            return a == ""
        try:
            return math.isclose(float(a), float(b), rel_tol=1e-9, abs_tol=1e-9)
        except ValueError:
            return a == str(b)

    mine = [row if row else [""] for row in mine]
    return len(mine) == len(theirs) and all(
        len(a) == len(b) and all(map(close, a, b)) for a, b in zip(mine, theirs))


ratios, wrong = [], 0
print("query  pistachio s  duckdb s  ratio  peak MB")
for number in map(int, options.queries.split(",")):
    path = os.path.join(here, f"../src/tpch/queries/q{number:02d}.sql")
    sql = open(path).read()
    ours, theirs = [], []
    for run in range(options.runs + 1):
        ours_s, mine, peak = run_pistachio(path)
        theirs_s, rows = run_duckdb(sql)
        if run:
            ours.append(ours_s)
            theirs.append(theirs_s)
    ratio = statistics.median(ours) / statistics.median(theirs)
    ratios.append(ratio)
    differs = "" if same(mine, rows) else "  DIFFERS"
    wrong += bool(differs)
    print(f"q{number:02d}    {statistics.median(ours):10.3f}  {statistics.median(theirs):8.3f}  "
          f"{ratio:5.2f}  {peak:7.0f}{differs}", flush=True)
print(f"geometric mean of the ratios: {math.exp(sum(map(math.log, ratios)) / len(ratios)):.3f}")
sys.exit(1 if wrong else 0)
