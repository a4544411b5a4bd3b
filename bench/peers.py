"""Runs the TPC-H queries, or others, over the same Parquet files in Pistachio and its peers, interleaved, and
prints for each query the medians, the ratio of our time to each peer's, the geometric means, and peak memory; and
the same of processor time, user's and system's: the least of the runs, which tells something on a busy machine too.

    bench/peers DATA_FOLDER [--peers duckdb,polars,chdb,datafusion] [--runs N] [--threads N] [--cold]
                [--queries 1,3,6] [--statements FILE] [--program build/release/pistachio] [--timeout SECONDS]
                [--json FILE] [--session] [--warm N] [--arrow]

Hot: a run whose time is not kept comes first, or N. duckdb_tables: DuckDB's own tables. --cold: the files are put out of the page cache before each
run. Pistachio is timed as a whole process (start, footers, output as CSV), a peer inside a process that
stays open over all queries: the comparison is never in our favour. --session: Pistachio is such a process too, by its
library (libpistachio.so.0 beside the program) through ADBC, so that what takes milliseconds is compared as well. Peak memory is the resident memory
of a process that runs nothing but the query, once, with one more run of each engine (--no-memory: none).
Rows are compared with DuckDB's, in order, numbers to 1e-9. Exit status 1 if a row of ours differs.
--arrow: sessions give their results as tables of Arrow (DuckDB, Hyper and Pistachio), without Python's rows.
--json: the medians of each engine by query, for bench/chart.
A file of statements has one a line. "-- N" behind it: rows may differ but for column N (0: altogether), as their
order is not determined.
"""
import argparse, csv, glob, io, json, math, os, resource, select, statistics, subprocess, sys, time

here = os.path.dirname(os.path.abspath(__file__))
parser = argparse.ArgumentParser()
parser.add_argument("data")
parser.add_argument("--peers", default="duckdb")
parser.add_argument("--runs", type=int, default=3)
parser.add_argument("--threads", type=int, default=2)
parser.add_argument("--queries")
parser.add_argument("--statements")
parser.add_argument("--program", default=os.path.join(here, "../build/release/pistachio"))
parser.add_argument("--timeout", type=float, default=120)
parser.add_argument("--cold", action="store_true")
parser.add_argument("--no-memory", action="store_true")
parser.add_argument("--json")
parser.add_argument("--session", action="store_true")
parser.add_argument("--warm", type=int, default=1)
parser.add_argument("--arrow", action="store_true")
options = parser.parse_args()
peers = options.peers.split(",")
environment = {"PISTACHIO_LIBRARY": os.path.join(os.path.dirname(os.path.abspath(options.program)),
                                                 "libpistachio.so.0"), **os.environ}
files = glob.glob(os.path.join(options.data, "**/*.parquet"), recursive=True)


def drop_caches():
    """Asks the kernel to forget the files' pages; needs no rights, as nobody else has them mapped."""
    os.sync()
    for path in files:
        fd = os.open(path, os.O_RDONLY)
        os.posix_fadvise(fd, 0, 0, os.POSIX_FADV_DONTNEED)
        os.close(fd)


def read_statements():
    """By number: the text, and the column to compare (None: all)."""
    if not options.statements:
        paths = {n: os.path.join(here, f"../src/tpch/queries/q{n:02d}.sql") for n in range(1, 23)}
        return {n: (open(path).read(), None) for n, path in paths.items()}
    with open(options.statements) as file:
        lines = [line for line in file if line.strip() and not line.startswith("--")]
    parts = [line.strip().rpartition("; -- ") for line in lines]
    return {n: (text, int(column)) if text else (column, None) for n, (text, _, column) in enumerate(parts, 1)}


class Peer:
    """A peer's process, started again when it has died or was stopped for its time."""

    def __init__(self, engine):
        self.engine, self.process = engine, None

    def run(self, sql):
        if not self.process or self.process.poll() is not None:
            self.process = subprocess.Popen(
                [sys.executable, os.path.join(here, "peer.py"), self.engine, options.data,
                 str(options.threads), *["--arrow"] * options.arrow], env=environment,
                stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        self.process.stdin.write(json.dumps(sql) + "\n")
        self.process.stdin.flush()
        ready, _, _ = select.select([self.process.stdout], [], [], options.timeout)
        line = self.process.stdout.readline() if ready else ""
        if not line:
            self.stop()
            return {"error": "died" if ready else "too slow"}
        return json.loads(line)

    def stop(self):
        if self.process:
            self.process.kill()
            self.process.wait()
            self.process = None


def processor_seconds(who):
    usage = resource.getrusage(who)
    return usage.ru_utime + usage.ru_stime


class Pistachio:
    def run(self, sql, measure=()):
        started, used = time.perf_counter(), processor_seconds(resource.RUSAGE_CHILDREN)
        done = subprocess.run(
            [*measure, options.program, "--format", "csv", "--set", f"threads={options.threads}", "-c", sql,
             options.data], capture_output=True, text=True)
        seconds = time.perf_counter() - started
        used = processor_seconds(resource.RUSAGE_CHILDREN) - used
        lines = done.stderr.strip().splitlines()
        if done.returncode:
            return {"error": " ".join(lines)}
        rows = [row or [""] for row in list(csv.reader(io.StringIO(done.stdout)))[1:]]
        if sql.startswith("copy"):  # says nothing; peers give a row, the number of rows
            rows = [[""]]
        return {"s": seconds, "cpu": used, "peak": int(lines[-1]) / 1024 if measure else None,
                "rows": [[cell or None for cell in row] for row in rows]}

    def stop(self):
        pass


def same(a, b, column=None):
    def close(x, y):
        if x == y or not x and not y:  # CSV does not tell NULL from an empty text
            return True
        try:
            return math.isclose(float(x), float(y), rel_tol=1e-9, abs_tol=1e-9)
        except (TypeError, ValueError):
            return False
    if column is not None:
        a, b = ([row[column - 1: column] for row in rows] if column else [[]] * len(rows) for rows in (a, b))
    return len(a) == len(b) and all(len(x) == len(y) and all(map(close, x, y)) for x, y in zip(a, b))


def peak_alone(engine, sql):
    if isinstance(engine, Pistachio):
        return engine.run(sql, ["/usr/bin/env", "time", "-f", "%M"]).get("peak")
    peer = Peer(engine.engine)
    answer = peer.run(sql)
    peer.stop()
    return answer.get("peak") if "error" not in answer else None


def geometric_mean(values):
    return math.exp(sum(map(math.log, values)) / len(values))


def cell(value, digits, width):
    return (f"{value:.{digits}f}" if value is not None else "-").rjust(width)


engines = {"pistachio": Peer("pistachio") if options.session else Pistachio(), **{peer: Peer(peer) for peer in peers}}
KINDS = ("s", "cpu")  # of the clock, of processors
ratios = {(peer, kind): [] for peer in peers for kind in KINDS}
notes, wrong, leaner = [], 0, {peer: 0 for peer in peers}
sums, figures = {(name, kind): 0.0 for name in engines for kind in KINDS}, {}
print("query" + "".join("".join(f"{name if kind == 's' else '':>10} {kind:3}" + (f"{'ratio':>7}" if name in peers else "")
                                for kind in KINDS) +
                        ("" if options.no_memory else f"{'MB':>7}") for name in engines))
statements = read_statements()
for number in map(int, options.queries.split(",")) if options.queries else statements:
    sql, column = statements[number]
    times, failed, rows = {(name, kind): [] for name in engines for kind in KINDS}, {}, {}
    warm = 0 if options.cold else options.warm
    for run in range(options.runs + warm):
        for name, engine in engines.items():
            if name in failed:
                continue
            if options.cold:
                engine.stop()  # DuckDB, for one, keeps what it has read in its own memory
                drop_caches()
            answer = engine.run(sql)
            if "error" in answer:
                failed[name] = answer["error"]
                notes.append(f"q{number:02d} {name}: {answer['error']}")
            else:
                rows[name] = answer["rows"]
                if run >= warm:
                    for kind in KINDS:
                        times[name, kind].append(answer[kind])
    for name in rows:
        reference = next(rows[other] for other in ("duckdb", "duckdb_tables", "pistachio", name) if other in rows)
        if not same(rows[name], reference, column):
            notes.append(f"q{number:02d} {name}: rows differ from {'duckdb' if 'duckdb' in rows else 'ours'}")
            wrong += name == "pistachio"
    wrong += "pistachio" in failed
    peaks = {name: None if options.no_memory or name in failed else peak_alone(engine, sql)
             for name, engine in engines.items()}
    typical = {key: (statistics.median if key[1] == "s" else min)(t) if t else None for key, t in times.items()}
    figures[f"Q{number}"] = {name: typical[name, "s"] for name in engines}
    line = f"q{number:02d}  "
    for name in engines:
        for kind in KINDS:
            line += cell(typical[name, kind], 3, 14)
            sums[name, kind] += typical[name, kind] or 0
            if name in peers:
                both = typical[name, kind] and typical["pistachio", kind]
                ratio = typical["pistachio", kind] / typical[name, kind] if both else None
                line += cell(ratio, 2, 7)
                if both:
                    ratios[name, kind].append(ratio)
        if name in peers:
            leaner[name] += bool(peaks[name] and peaks["pistachio"] and peaks["pistachio"] <= peaks[name])
        if not options.no_memory:
            line += cell(peaks[name], 0, 7)
    print(line, flush=True)
print("sum  " + "".join("".join(cell(sums[name, kind], 2, 14) + " " * (0 if name == "pistachio" else 7)
                                for kind in KINDS) + ("" if options.no_memory else " " * 7) for name in engines))
for peer in peers:
    for kind, of in zip(KINDS, ("ratios", "ratios of processor time")):
        if ratios[peer, kind]:
            print(f"{peer}: geometric mean of the {of} {geometric_mean(ratios[peer, kind]):.3f} over "
                  f"{len(ratios[peer, kind])} queries, worst {max(ratios[peer, kind]):.2f}" +
                  (f"; our peak memory at most theirs in {leaner[peer]}"
                   if kind == "s" and not options.no_memory else ""))
for note in notes:
    print("note:", note)
for engine in engines.values():
    engine.stop()
if options.json:
    with open(options.json, "w") as file:
        json.dump(figures, file, indent=1)
sys.exit(1 if wrong else 0)
