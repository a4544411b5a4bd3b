"""Would the pool's one lock hold up many workers? (bench/scheduler)

Counts, for each of the 22 queries, the turns of tasks and the wake-ups (EXPLAIN ANALYZE), measures how
long the lock is held for one of each (bench/scheduler.c), and plays the query with more workers than
this machine has: each worker works as long as a turn lasts here, on average and with random lengths,
then takes the lock, first come, first served. Printed: which share of the workers' time the lock costs.
"""

import argparse
import heapq
import pathlib
import random
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent


def lock_seconds():
    program = ROOT / "build/release/bench_scheduler"
    turn, wake = subprocess.run([program], check=True, capture_output=True, text=True).stdout.split()
    return float(turn) * 1e-9, float(wake) * 1e-9


def analyze(program, data, number, settings):
    text = (ROOT / f"src/tpch/queries/q{number:02d}.sql").read_text()
    command = [program, "--format", "csv", *settings, "-c", f"explain analyze {text}", data]
    lines = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    turns, wakes = map(int, re.search(r"tasks had (\d+) turns and were woken (\d+) times", lines).groups())
    seconds = sum(float(m) for m in re.findall(r"^\"? *(?:\d+|-) +\S+ +(\d+\.\d+) +\d+%", lines, re.M))
    return turns, wakes, seconds


def lost(workers, turns, wakes, work, turn_seconds, wake_seconds):
    """The share of the workers' time that they spend at the lock."""
    mean = work / turns
    per_turn = 2 * turn_seconds + wakes / turns * wake_seconds
    rng = random.Random(1)
    ready = [(rng.expovariate(1 / mean), i) for i in range(workers)]
    heapq.heapify(ready)
    free_at = worked = end = 0.0
    for _ in range(max(20000, 200 * workers)):
        at, worker = heapq.heappop(ready)
        begin = max(at, free_at)
        free_at = begin + per_turn
        length = rng.expovariate(1 / mean)
        worked += length
        end = max(end, free_at + length)
        heapq.heappush(ready, (free_at + length, worker))
    total = sum(t for t, _ in ready)
    return 1 - worked / total if total else 0


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("data")
    parser.add_argument("--program", default=str(ROOT / "build/release/pistachio"))
    parser.add_argument("--workers", default="2,16,64,256")
    parser.add_argument("--set", action="append", default=[])
    options = parser.parse_args()
    workers = [int(w) for w in options.workers.split(",")]
    settings = [part for s in options.set for part in ("--set", s)]
    turn, wake = lock_seconds()
    print(f"the lock is held {turn * 1e9:.0f} ns for a turn, {wake * 1e9:.0f} ns for a wake-up")
    print("query  turns  wake-ups  us a turn  " + "  ".join(f"lost at {w}" for w in workers))
    for number in range(1, 23):
        turns, wakes, seconds = analyze(options.program, options.data, number, settings)
        shares = [lost(w, turns, wakes, max(seconds, 1e-6), turn, wake) for w in workers]
        print(f"Q{number:<4} {turns:6} {wakes:9} {seconds / turns * 1e6:10.0f}  "
              + "  ".join(f"{s:{len(f'lost at {w}')}.1%}" for s, w in zip(shares, workers)))


if __name__ == "__main__":
    sys.exit(main())
