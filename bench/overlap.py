"""Runs the TPC-H queries with reads past the page cache under each `overlap`, interleaved; prints medians.

    bench/overlap DATA_FOLDER [--queries 1,3,6] [--runs N] [--threads N] [--program build/release/pistachio]
                  [--variants blocking,chunking,deferred,full] [--json FILE] [--svg FILE]

A variant may be followed by other settings, for what a single switch does: full,full+registered_memory=off

The paper's variants (PystachIO, sections 4 and 5) with everything else equal: blocking (read, then
compute), chunking (row groups by several lanes), deferred (row groups read ahead), full (scans of other
pipelines as well). T_min is the least that the device needs for the same bytes: fio reads them again, in the
same order, between the rounds, as devices drift (replay.py), and as many bytes of the largest file in order; the less
of the two counts, and for a round the mean of before and after. Without fio it is by the bandwidth of reading the
largest file; `--bandwidth GB/s` says it. The last column is the median of the rounds' ratios.
"""
import argparse, json, math, os, re, statistics
import measure, plot, replay

parser = argparse.ArgumentParser(usage=__doc__)
measure.add_options(parser)
parser.add_argument("--queries", default=",".join(map(str, range(1, 23))))
parser.add_argument("--runs", type=int, default=3)
parser.add_argument("--bandwidth", type=float)
parser.add_argument("--variants", default="blocking,chunking,deferred,full")
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
