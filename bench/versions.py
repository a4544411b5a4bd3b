"""Two programs over the same data, in turns: medians of time, of processor time, ratios, and peak memory.

Each run is a process of its own; which of the two comes first changes from round to round. A first
round is not counted. With --cold the page cache is dropped before each run (as root). Statements are TPC-H's, those of a
file (--statements bench/clickbench.sql), or EXPLAIN of one statement over TPC-H's tables of so many bytes (--planning 10000).
"""
import argparse
import math
import os
import statistics
import subprocess
import sys
import time

here = os.path.dirname(os.path.abspath(__file__))
parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
parser.add_argument("old")
parser.add_argument("new")
parser.add_argument("data")
parser.add_argument("--runs", type=int, default=7)
parser.add_argument("--queries", default=",".join(map(str, range(1, 23))))
parser.add_argument("--statements", help="a file of statements, one a line")
parser.add_argument("--planning", type=int, metavar="BYTES")
parser.add_argument("--cold", action="store_true")
arguments = parser.parse_args()


def drop_caches():
    os.sync()
    with open("/proc/sys/vm/drop_caches", "w", encoding="ascii") as file:
        file.write("3")


def run(program, sql):
    """Seconds, seconds of processors and peak bytes of one process."""
    if arguments.cold:
        drop_caches()
    start = time.monotonic()
    child = subprocess.Popen([program, arguments.data, "--format", "csv", "-c", sql], stdout=subprocess.DEVNULL)
    _, state, usage = os.wait4(child.pid, 0)
    if state:
        sys.exit(f"{program} failed")
    return time.monotonic() - start, usage.ru_utime + usage.ru_stime, usage.ru_maxrss * 1024


def mean(ratios):
    return math.exp(sum(map(math.log, ratios)) / len(ratios))


def part(number):
    """A part of the statement whose planning is measured: expressions, joins, groups and a subquery."""
    year = 1992 + number % 7
    return f"""select l_orderkey as k, sum(case when l_discount > 0.0{number % 10} then l_extendedprice * (1 - l_discount)
else l_tax * {number} + 1 end) as total, count(*) filter (where l_shipmode in ('AIR', 'RAIL', 'SHIP', 'x{number}')) as n,
max(o_orderdate + interval '{number} day') as latest, upper(c_name) || substring(o_comment from {number + 1} for 10) as t
from lineitem join orders on l_orderkey = o_orderkey left join customer on o_custkey = c_custkey and c_nationkey <> {number}
where l_shipdate between date '{year}-01-01' and date '{year}-12-31' and l_quantity < {number + 10}
and (l_linenumber = {number} or o_orderpriority like '{number}%'
or exists (select 1 from nation where n_nationkey = c_nationkey and n_regionkey = {number % 5}))
group by l_orderkey, upper(c_name) || substring(o_comment from {number + 1} for 10) having sum(l_quantity) > {number}"""


def planned(count):
    """EXPLAIN of a statement of at least so many bytes."""
    parts = [part(0)]
    while sum(map(len, parts)) < count:
        parts.append(part(len(parts)))
    return "EXPLAIN SELECT * FROM (" + "\nUNION ALL\n".join(parts) + ") AS parts ORDER BY 2 DESC, 1 LIMIT 100"


def statements():
    """Pairs of a name and a statement."""
    if arguments.planning:
        return [("plan", planned(arguments.planning))]
    if arguments.statements:
        with open(arguments.statements, encoding="utf-8") as file:
            lines = [line.split("; --")[0] for line in file if line.strip() and not line.startswith("--")]
        return list(enumerate(lines))
    texts = []
    for number in arguments.queries.split(","):
        with open(f"{here}/../src/tpch/queries/q{int(number):02}.sql", encoding="utf-8") as file:
            texts.append((number, file.read()))
    return texts


ratios = []
print("query  old s  new s  ratio  processors  memory")
for name, sql in statements():
    runs = {arguments.old: [], arguments.new: []}
    for round_number in range(arguments.runs + 1):
        pair = [arguments.old, arguments.new]
        for program in pair if round_number % 2 else reversed(pair):
            figures = run(program, sql)
            if round_number:
                runs[program].append(figures)
    old, new = ([statistics.median(column) for column in zip(*runs[program])] for program in (arguments.old, arguments.new))
    ratios.append([after / before for before, after in zip(old, new)])
    print(f"{name:>5}  {old[0]:5.3f}  {new[0]:5.3f}  {ratios[-1][0]:5.2f}  {ratios[-1][1]:10.2f}  {ratios[-1][2]:6.2f}", flush=True)
columns = list(zip(*ratios))
print("; ".join(f"{name} {mean(column):.3f}, most {max(column):.2f}"
                for name, column in zip(("geometric means: time", "processors", "memory"), columns)))
