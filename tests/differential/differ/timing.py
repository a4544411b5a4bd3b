"""times --seed N --statements K --program PATH: random statements over larger tables, timed in both engines (README.md)."""
import argparse
import multiprocessing
import os
import random
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time

import duckdb

from . import tables
from . import types as T
from .gen_query import QueryGenerator
from .query import Order, Select, SetOperation, walk
from .query_sql import ORACLE, OURS, query_sql
from .render import duckdb_type

PATIENCE, MOST_ROWS = 4.0, 20_000  # seconds of a statement; rows of a result that is timed
# A column's SQL from two hashes h and g of its row, its type, and the largest value or the longest text; {n} is a number of values.
KINDS = ((T.I32, "CAST(h % {n} AS INTEGER)", 2_000_000), (T.I64, "CAST(h % {n} AS BIGINT) - {n} // 2", 2_000_000), (T.I16, "CAST(h % least({n}, 30000) AS SMALLINT)", 30_000),
         (T.F64, "(h % {n}) / 8.0", 300_000), (T.decimal(15, 2), "CAST((h % {n}) / 100.0 AS DECIMAL(15,2))", 30_000),
         (T.decimal(30, 4), "CAST((h % {n}) / 10000.0 AS DECIMAL(30,4))", 300), (T.TEXT, "'word ' || (h % {n})", 14),
         (T.TEXT, "'http://example.com/' || (h % {n}) || repeat('/path', CAST(1 + h % 7 AS BIGINT))", 70), (T.DATE, "DATE '2016-01-01' + CAST(h % least({n}, 3000) AS INTEGER)", 4000),
         (T.TS, "TIMESTAMP '2018-01-01' + to_seconds(h % {n} * 97)", 4000), (T.BOOL, "h % 3 = 0", 1))
ROWS = {"t0": 1_500_000, "t1": 200_000, "t2": 20_000, "t3": 60}


class LargeColumn(tables.Column):
    """Whose values are made by SQL; nothing of them is here."""

    def __init__(self, rng, name, kind, values, nulls):
        t, text, bound = kind
        super().__init__(name, t, "many", [], known_bound=bound)
        made = text.replace("{n}", str(values)).replace("h ", f"(hash(i * 31 + {rng.randrange(1000)}) >> 1) ")
        made = f"CASE WHEN hash(i + {rng.randrange(1000)}) % 100 >= {nulls} THEN {made} END" if nulls else made
        self.sql = f"CAST({made} AS {duckdb_type(t)}) AS {name}"


def make_table(rng, folder, name, rows):
    """Keys by which tables are joined, and columns of random types, in one file as DuckDB writes it."""
    keys = (("k", KINDS[0], 100_000), ("m", KINDS[1], 1_000_000), ("s", KINDS[6], 50_000), ("d", KINDS[8], 3000))
    columns = [LargeColumn(rng, n, kind, values, rng.choice((0, 0, 5))) for n, kind, values in keys]
    for i, kind in enumerate(rng.sample(KINDS, 7)):
        columns.append(LargeColumn(rng, f"c{i}", kind, rng.choice((3, 40, 1000, 1_000_000)), rng.choice((0, 0, 0, 20, 80))))
    os.makedirs(os.path.join(folder, name))
    order = rng.choice(("", "", "", " ORDER BY d"))
    duckdb.sql(f"COPY (SELECT {', '.join(c.sql for c in columns)} FROM range({rows}) r(i){order}) TO '{folder}/{name}/0.parquet' (FORMAT parquet)")
    return tables.Table(name, columns, rows)


class LargeQueries(QueryGenerator):
    """Joins of any size by keys; results that are small."""

    most_pairs = 1e13

    def begin(self):
        super().begin()
        self.share_of_recursive = 0

    def select(self, depth):
        made = self.ranked() if self.rng.random() < 0.04 else None
        return made or self.select_from(self.relation(depth), self.rng.random() < 0.6)

    def timed_statement(self):
        """Most rows are grouped, or the first ones of an order."""
        self.begin()
        query = self.single_query()
        if not any(isinstance(q, Select) and q.groups for q in walk(query)) and query.tail.limit is None and isinstance(query, (Select, SetOperation)):
            count = len(query.types())
            query.tail.order = query.tail.order or [Order(i, self.rng.random() < 0.5) for i in range(self.rng.randint(0, count))]
            query.tail.limit, query.tail.by_all = self.rng.choice((1, 10, 100)), False
        return query


# ---- the engines ----

class Ours:
    """The program, a process for each statement, whose shell tells the time."""

    def __init__(self, options, folder):
        names = [w for name in ROWS for w in ("--table", f"{name}={name}/*.parquet")]
        self.words = [os.path.abspath(options.program), "--format", "tsv", "--set", f"threads={options.threads}", *names]
        self.folder = folder

    def run(self, sql):
        """(seconds, seconds of all processors, "") or (None, None, why not)."""
        with tempfile.TemporaryFile() as script, tempfile.TemporaryFile() as said:
            script.write(f".timer on\n{sql};\n".encode())
            script.seek(0)
            process = subprocess.Popen(self.words, cwd=self.folder, stdin=script, stdout=subprocess.DEVNULL, stderr=said,
                                       env=dict(os.environ, PISTACHIO_PROGRESS="off"))
            killer = threading.Timer(PATIENCE * 2, process.kill)
            killer.start()
            usage = os.wait4(process.pid, 0)[2]
            killer.cancel()
            said.seek(0)
            text = said.read().decode(errors="replace")
        if "time: " not in text or "error: " in text:
            return None, None, text or "took too long"
        return float(text.split("time: ")[1].split()[0]), usage.ru_utime + usage.ru_stime, ""


def serve_peer(folder, threads, pipe):
    """DuckDB, over views of the same files: its statements come by the pipe, and what they took goes back."""
    connection = duckdb.connect()
    connection.execute(f"SET threads={threads}; SET TimeZone='UTC'; SET memory_limit='6GB'; SET default_null_order='nulls_last_on_asc_first_on_desc'")
    for name in ROWS:
        connection.execute(f"CREATE VIEW {name} AS SELECT * FROM read_parquet('{folder}/{name}/*.parquet')")
    while True:
        sql = pipe.recv()
        usage = resource.getrusage(resource.RUSAGE_SELF)
        before, began = usage.ru_utime + usage.ru_stime, time.monotonic()
        try:
            rows = len(connection.execute(sql).fetchmany(MOST_ROWS + 1))
            usage = resource.getrusage(resource.RUSAGE_SELF)
            pipe.send((time.monotonic() - began, usage.ru_utime + usage.ru_stime - before, rows))
        except Exception as error:  # pylint: disable=broad-except  # whatever it is, the statement is left out
            pipe.send((None, None, str(error)[:200]))


class Peer:
    def __init__(self, options, folder):
        self.options, self.folder, self.process = options, folder, None

    def run(self, sql):
        if self.process is None:
            self.pipe, other = multiprocessing.Pipe()
            self.process = multiprocessing.Process(target=serve_peer, args=(self.folder, self.options.threads, other), daemon=True)
            self.process.start()
            other.close()
        self.pipe.send(sql)
        if self.pipe.poll(PATIENCE):
            try:
                return self.pipe.recv()
            except EOFError:
                pass
        self.close()
        return None, None, "took too long, or crashed"

    def close(self):
        if self.process is not None:
            self.process.kill()
            self.process.join()
            self.process = None


# ---- a run ----

def least(pairs):
    return tuple(min(values) for values in zip(*pairs))


def timed(options, ours, peer, query):
    """(ours, DuckDB's) as (seconds, of all processors), the least of some runs in turns; None: it is not compared.

    Only what was slower than DuckDB is run again: the others are not among the worst."""
    texts = query_sql(query, OURS), query_sql(query, ORACLE)
    theirs = peer.run(texts[1])
    if theirs[0] is None or theirs[2] > MOST_ROWS:
        return None
    mine = ours.run(texts[0])
    if mine[0] is None:
        return (PATIENCE * 2, PATIENCE * 2), theirs[:2], mine[2]
    side = options.clock == "cpu"
    if mine[side] < options.slow / 1000:
        return None
    if mine[side] <= theirs[side]:
        return mine[:2], theirs[:2], ""
    runs = [(ours.run(texts[0])[:2], peer.run(texts[1])[:2]) for _ in range(options.runs)]
    if any(None in pair for run in runs for pair in run):
        return None
    mine, theirs = (least([run[engine] for run in runs]) for engine in range(2))
    return (mine, theirs, "") if mine[side] >= options.slow / 1000 else None


def arguments():
    parser = argparse.ArgumentParser(prog="times", description="Random statements over larger tables: the worst times against DuckDB's.")
    parser.add_argument("--program", default="build/release/pistachio")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--statements", type=int, default=5000)
    parser.add_argument("--per-tables", type=int, default=500)
    parser.add_argument("--seconds", type=float, default=float("inf"))
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--runs", type=int, default=3, help="of each engine, in turns; the least counts")
    parser.add_argument("--slow", type=float, default=50, help="milliseconds that a statement has to take")
    parser.add_argument("--worst", type=int, default=20)
    parser.add_argument("--clock", choices=("wall", "cpu"), default="wall", help="cpu: processor time, which tells something on a busy machine too")
    return parser.parse_args()


class Found(list):
    """What was slow: (timed's result, which statement, its SQL, DuckDB's SQL). `done`: statements so far, the fast ones too."""

    done = 0


def batch(options, seed, count, end, found):
    """Adds to `found` what is slow among so many statements over tables of their own."""
    rng, folder = random.Random(seed), tempfile.mkdtemp(prefix="times-")
    ours, peer = Ours(options, folder), Peer(options, folder)
    try:
        made = [make_table(rng, folder, name, rows) for name, rows in ROWS.items()]
        generator = LargeQueries(rng, made[:2] * 2 + made)  # most of large ones
        for i in range(count):
            if time.monotonic() >= end:
                break
            query = generator.timed_statement()
            result = None if query.is_risky else timed(options, ours, peer, query)
            found.done += 1
            if result is not None and ("error:" not in result[2]):
                found.append((result, f"{seed}/{i}", query_sql(query, OURS), query_sql(query, ORACLE)))
    finally:
        peer.close()
        shutil.rmtree(folder, ignore_errors=True)


def show(options, found):
    side = options.clock == "cpu"
    found.sort(key=lambda f: -f[0][0][side] / max(f[0][1][side], 1e-3))
    ratios = sorted(f[0][0][side] / max(f[0][1][side], 1e-3) for f in found)
    if ratios:
        print(f"{found.done} statements, {len(found)} of at least {options.slow:.0f} ms; ratio: median {ratios[len(ratios) // 2]:.2f}, above 1: {sum(r > 1 for r in ratios)}")
    for (mine, theirs, why), seed, sql, oracle in found[:options.worst]:
        print(f"{mine[side] / max(theirs[side], 1e-3):6.2f}  {mine[side] * 1000:.0f} ms, DuckDB {theirs[side] * 1000:.0f} ms  {seed} {why}\n        {sql}\n        DuckDB: {oracle}")


def main():
    options = arguments()
    found, end = Found(), time.monotonic() + options.seconds
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        while found.done < options.statements and time.monotonic() < end:
            number = found.done // options.per_tables
            batch(options, options.seed * 1000 + number, min(options.per_tables, options.statements - found.done), end, found)
            print(f"{found.done} statements, {len(found)} slow", file=sys.stderr, flush=True)
    except KeyboardInterrupt:  # what was found so far is shown
        print("interrupted", file=sys.stderr)
    show(options, found)
    return 0


if __name__ == "__main__":
    sys.exit(main())
