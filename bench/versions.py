"""Two programs over the same TPC-H data, in turns: medians of time, ratios, and peak memory.

Each run is a process of its own; which of the two comes first changes from round to round. A first
round is not counted. With --cold the page cache is dropped before each run (as root).
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
parser.add_argument("--cold", action="store_true")
arguments = parser.parse_args()


def drop_caches():
    os.sync()
    with open("/proc/sys/vm/drop_caches", "w", encoding="ascii") as file:
        file.write("3")


def run(program, sql):
    """Seconds and peak bytes of one process."""
    if arguments.cold:
        drop_caches()
    start = time.monotonic()
    child = subprocess.Popen([program, arguments.data, "--format", "csv", "-c", sql], stdout=subprocess.DEVNULL)
    _, state, usage = os.wait4(child.pid, 0)
    if state:
        sys.exit(f"{program} failed")
    return time.monotonic() - start, usage.ru_maxrss * 1024


def mean(ratios):
    return math.exp(sum(map(math.log, ratios)) / len(ratios))


times, peaks = [], []
print("query  old s  new s  ratio  memory")
for number in arguments.queries.split(","):
    with open(f"{here}/../src/tpch/queries/q{int(number):02}.sql", encoding="utf-8") as file:
        sql = file.read()
    seconds, bytes_held = {}, {}
    for round_number in range(arguments.runs + 1):
        pair = [arguments.old, arguments.new]
        for program in pair if round_number % 2 else reversed(pair):
            took, held = run(program, sql)
            if round_number:
                seconds.setdefault(program, []).append(took)
                bytes_held.setdefault(program, []).append(held)
    old, new = (statistics.median(seconds[p]) for p in (arguments.old, arguments.new))
    memory = statistics.median(bytes_held[arguments.new]) / statistics.median(bytes_held[arguments.old])
    times.append(new / old)
    peaks.append(memory)
    print(f"{number:>5}  {old:5.3f}  {new:5.3f}  {new / old:5.2f}  {memory:6.2f}", flush=True)
print(f"geometric mean {mean(times):.3f}, most {max(times):.2f}; memory {mean(peaks):.3f}, most {max(peaks):.2f}")
