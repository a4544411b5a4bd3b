"""Runs the TPC-H queries with reads past the page cache under each `overlap`, interleaved; prints medians.

    bench/overlap DATA_FOLDER [--queries 1,3,6] [--runs N] [--threads N] [--program build/release/pistachio]
                  [--variants blocking,chunking,deferred,full] [--json FILE] [--svg FILE]
    bench/overlap DATA_FOLDER --costs 4,25 [--queries 1,3,6] [--runs N] [--threads N] [--json FILE]

A variant may be followed by other settings, for what a single switch does: full,full+registered_memory=off

The paper's variants (PystachIO, sections 4 and 5) with everything else equal: blocking (read, then
compute), chunking (row groups by several lanes), deferred (row groups read ahead), full (scans of other
pipelines as well). T_min is the least that the device needs for the same bytes: fio reads them again, in the
same order, between the rounds, as devices drift (replay.py), and as many bytes of the largest file in order; the less
of the two counts, and for a round the mean of before and after. Without fio it is by the bandwidth of reading the
largest file; `--bandwidth GB/s` says it. The last column is the median of the rounds' ratios.

With --costs LAUNCH,WAIT the same for a device's waits: on the simulated device, on which a launch takes so many
microseconds and a wait or a wake-up so many (4 and 25 are about a GPU's), files cached, under `synchronization` blocking
and deferred, with what the device was told to do.
"""
import argparse, json, math, os, re, statistics
import measure, plot, replay

parser = argparse.ArgumentParser(usage=__doc__)
measure.add_options(parser)
parser.add_argument("--queries", default=",".join(map(str, range(1, 23))))
parser.add_argument("--runs", type=int, default=3)
parser.add_argument("--bandwidth", type=float)
parser.add_argument("--variants", default="blocking,chunking,deferred,full")
parser.add_argument("--costs")
options = parser.parse_args()
variants = options.variants.split(",")
width = {v: max(10, len(v) + 2) for v in variants}


def bytes_read(number):
    """Of the scans, by EXPLAIN ANALYZE."""
    _, text = measure.run(options, "explain analyze " + measure.query_text(number), ["direct_io=always"])
    return float(re.search(r"([\d.]+) MB in total", text)[1]) * 1e6


def floor_of(number):
    """A function: the least seconds that the device needs for the query's bytes, now."""
    if options.bandwidth or not replay.is_possible():
        count = bytes_read(number)
        return lambda: count / (options.bandwidth * 1e9 if options.bandwidth else measure.bandwidth(largest, 0.5))
    again = replay.Replay(options, measure.query_text(number))
    return lambda: min(again.seconds(), again.bytes / measure.bandwidth(largest, 0.3))


def work_of(number, settings):
    """What the device was told to do: {"launches": 12, ...}."""
    _, text = measure.run(options, "explain analyze " + measure.query_text(number), settings)
    line = re.search(r"device simulated: (.*);", text)
    return {name.strip(): int(count) for name, count in re.findall(r"([a-z -]+?) (\d+)", line[1])} if line else {}


def mean(values):
    return math.exp(sum(map(math.log, values)) / len(values))


def synchronization():
    """The table of --costs."""
    launch, wait = options.costs.split(",")
    base = ["device=simulated", "simulated_seed=auto", f"simulated_launch_time={launch}", f"simulated_wait_time={wait}"]
    kinds = {kind: base + ["synchronization=" + kind] for kind in ("blocking", "deferred")}
    print(f"{options.threads} threads, median of {options.runs}; {launch} us a launch, {wait} us a wait")
    print(f"{'query':8}{'launches':>10}{'waits':>8}{'wake-ups':>10}{'blocking':>10}{'deferred':>10}{'ratio':>8}")
    results = []
    for number in map(int, options.queries.split(",")):
        times, rows = {kind: [] for kind in kinds}, set()
        for _ in range(options.runs):
            for kind, settings in kinds.items():
                seconds, text = measure.run(options, measure.query_text(number), settings)
                times[kind].append(seconds)
                rows.add(text)
        if len(rows) != 1:
            raise SystemExit(f"Q{number}: the variants' rows differ")
        work = {kind: work_of(number, settings) for kind, settings in kinds.items()}
        result = {"query": number, "launches": work["deferred"].get("launches", 0),
                  "waits": work["blocking"].get("blocking waits", 0), "wakes": work["deferred"].get("wake-ups", 0),
                  **{kind: statistics.median(t) for kind, t in times.items()}}
        result["ratio"] = result["deferred"] / result["blocking"]
        results.append(result)
        print(f"Q{number:<7}{result['launches']:10}{result['waits']:8}{result['wakes']:10}{result['blocking']:10.3f}"
              f"{result['deferred']:10.3f}{result['ratio']:8.2f}", flush=True)
    print(f"geometric mean{'':22}{mean([r['blocking'] for r in results]):10.3f}"
          f"{mean([r['deferred'] for r in results]):10.3f}{mean([r['ratio'] for r in results]):8.2f}")
    if options.json:
        with open(options.json, "w") as file:
            json.dump({"threads": options.threads, "costs": options.costs, "results": results}, file, indent=1)


if options.costs:
    synchronization()
    raise SystemExit

largest = max(measure.files_of(options.data), key=os.path.getsize)
print(f"{options.threads} threads, median of {options.runs}")
print("query      hot    T_min" + "".join(f"{v:>{width[v]}}" for v in variants) + f"   {variants[-1]}/max(T_min, hot)")
results = []
for number in map(int, options.queries.split(",")):
    times, rows = {v: [] for v in variants + ["warm", "hot"]}, set()
    floor = floor_of(number)
    floors = [floor()]
    for _ in range(options.runs):
        # The first run of a round is not counted: what measured the disk may have left it and memory slow.
        for variant in ["warm", "hot"] + variants:
            is_cached = variant in ("warm", "hot")
            settings = ["direct_io=never"] if is_cached else ["direct_io=always", *("overlap=" + variant).split("+")]
            seconds, text = measure.run(options, measure.query_text(number), settings)
            times[variant].append(seconds)
            rows.add(text)
        floors.append(floor())
    if len(rows) != 1:
        raise SystemExit(f"Q{number}: the variants' rows differ")
    t_mins = [(before + after) / 2 for before, after in zip(floors, floors[1:])]
    ratios = [t / max(least, hot) for t, least, hot in zip(times[variants[-1]], t_mins, times["hot"])]
    result = {"query": number, "t_min": statistics.median(t_mins), "ratio": statistics.median(ratios),
              **{v: statistics.median(t) for v, t in times.items()}}
    results.append(result)
    print(f"Q{number:<4}{result['hot']:9.3f}{result['t_min']:9.3f}" +
          "".join(f"{result[v]:{width[v]}.3f}" for v in variants) + f"{result['ratio']:10.2f}", flush=True)
means = {v: math.exp(sum(math.log(r[v]) for r in results) / len(results)) for v in variants}
print("geometric mean        " + "".join(f"{means[v]:{width[v]}.3f}" for v in variants))
if options.json:
    with open(options.json, "w") as file:
        json.dump({"threads": options.threads, "results": results}, file, indent=1)
if options.svg:
    plot.bars(options.svg, "seconds, read from storage", [f"Q{r['query']}" for r in results],
              {v: [r[v] for r in results] for v in variants}, {"T_min": [r["t_min"] for r in results]}, bar=7)
