"""The storage experiments of "PystachIO: Efficient Distributed GPU Query Processing with PyTorch over Fast
Networks & Fast Storage", on this machine's storage and cores:

    bench/paper FIGURE DATA_FOLDER... [--threads N] [--runs N] [--program build/release/pistachio]
                [--json FILE] [--svg FILE]

3b  the bandwidth of storage while a blocking scan of lineitem reads, over its whole time, and that of a full one
9   the bandwidth over the time of a scan, by variant
11  the mean bandwidth by variant, and by the number of threads
12  the mean bandwidth by the size of the data: several folders
14  TPC-H query 3: seconds and bandwidth by strategy (the paper's single-node columns)

Every read goes past the page cache. Bandwidth is counted by the kernel for the device: run nothing else. Of
several runs the quickest counts. Each experiment prints a table, and writes JSON and a plot where asked to.
"""
import argparse, copy, json, os
import measure, plot

parser = argparse.ArgumentParser(usage=__doc__)
parser.add_argument("figure", choices=["3b", "9", "11", "12", "14"])
parser.add_argument("folders", nargs="+")
parser.add_argument("--runs", type=int, default=3)
measure.add_options(parser, has_data=False)
options = parser.parse_args()
options.data = options.folders[0]

SWITCHES = ["metadata_cache", "registered_memory", "reader_combining", "adaptive_regulation"]


def variant(overlap, *switches, threads=None):
    """The settings of a variant: everything else is off."""
    settings = ["direct_io=always", f"overlap={overlap}"]
    settings += [f"{name}={'on' if name in switches else 'off'}" for name in SWITCHES]
    return settings + ([f"threads={threads}"] if threads else [])


# Each has what those before it have. Deferred synchronization stands where the paper has eliminated wrong ones.
SCANS = {
    "blocking": variant("blocking", threads=1),
    "chunking": variant("chunking"),
    "metadata caching": variant("chunking", "metadata_cache"),
    "registered memory": variant("chunking", "metadata_cache", "registered_memory"),
    "full": variant("full", *SWITCHES),
}
STRATEGIES = {
    "blocking": variant("blocking", threads=1),
    "blocking, fast storage": variant("blocking", "metadata_cache", "registered_memory"),
    "chunking": variant("chunking", "metadata_cache", "registered_memory"),
    "deferred": variant("deferred", "metadata_cache", "registered_memory"),
    "full": variant("full", *SWITCHES),
}


def best(sql, settings, data=None, threads=None):
    """(seconds, bytes, samples) of the quickest run."""
    used = copy.copy(options)
    used.data, used.threads = data or options.data, threads or options.threads
    runs = []
    for _ in range(options.runs):
        seconds, _, samples = measure.run_watched(used, sql, settings)
        runs.append((seconds, samples[-1][1] - samples[0][1], samples))
    return min(runs, key=lambda run: run[0])


def largest(data):
    return max(measure.files_of(data), key=os.path.getsize)


def row(name, seconds, read, peak):
    print(f"{name:<24}{seconds:9.3f} s{read / 1e9:9.2f} GB{read / seconds / 1e9:9.2f} GB/s{read / seconds / peak:8.2f}",
          flush=True)
    return {"name": name, "seconds": seconds, "bytes": read, "gb_per_second": read / seconds / 1e9}


def curve(samples, count=60):
    return [((low + high) / 2, rate / 1e9) for low, high, rate, _ in measure.parts(samples, count)]


def reading_rate(samples):
    """Bytes a second of the time in which the device read: parts of 10 ms that have a tenth of the peak."""
    fine = measure.parts(samples, max(10, int((samples[-1][0] - samples[0][0]) / 0.01)))
    busy = [rate for _, _, rate, _ in fine if rate > max(r for _, _, r, _ in fine) / 10]
    return sum(busy) / len(busy)


def figure_3b(peak):
    print("                             time         read       bandwidth  of fio")
    seconds, read, samples = best(measure.SCAN, SCANS["blocking"])
    stage = reading_rate(samples)
    results = [row("blocking: I/O stage", read / stage, read, peak), row("blocking: full scan", seconds, read, peak)]
    seconds, read, _ = best(measure.SCAN, SCANS["full"])
    results.append(row("overlapped: full scan", seconds, read, peak))
    return results, lambda path: plot.bars(path, "GB/s of storage", [r["name"] for r in results],
                                           {"scan": [r["gb_per_second"] for r in results]},
                                           {"fio": [peak / 1e9] * 3}, bar=120)


def figure_9(peak):
    print("variant                      time         read       bandwidth  of fio")
    results, curves = [], {}
    for name, settings in SCANS.items():
        seconds, read, samples = best(measure.SCAN, settings)
        curves[name] = curve(samples)
        results.append({**row(name, seconds, read, peak), "curve": curves[name]})
    return results, lambda path: plot.lines(path, "GB/s of storage over the time of a scan", curves, "s")


def figure_11(peak):
    print("variant                      time         read       bandwidth  of fio")
    results = [row(name, *best(measure.SCAN, settings)[:2], peak) for name, settings in SCANS.items()]
    threads = sorted({n for n in (1, 2, 4, 8, 16, 32, 64) if n < options.threads} | {options.threads})
    for count in threads:
        settings = [s for s in SCANS["full"]]
        results.append({**row(f"full, {count} threads", *best(measure.SCAN, settings, threads=count)[:2], peak),
                        "threads": count})
    names = [*SCANS, *[f"{n} threads" for n in threads]]
    return results, lambda path: plot.bars(path, "GB/s of storage", names,
                                           {"scan": [r["gb_per_second"] for r in results]},
                                           {"fio": [peak / 1e9] * len(results)}, bar=110)


def figure_12(peak):
    kinds = {"blocking": SCANS["blocking"], "blocking, parallel": variant("blocking"), "full": SCANS["full"]}
    results = []
    print("data                         time         read       bandwidth  of fio")
    for data in options.folders:
        size = os.path.getsize(largest(data)) / 1e9
        for kind, settings in kinds.items():
            result = row(f"{size:.2f} GB, {kind}", *best(measure.SCAN, settings, data)[:2], peak)
            results.append({**result, "kind": kind, "gb": size})
    groups = [f"{os.path.getsize(largest(data)) / 1e9:.2f} GB" for data in options.folders]
    return results, lambda path: plot.bars(
        path, "GB/s of storage, by the size of lineitem", groups,
        {kind: [r["gb_per_second"] for r in results if r["kind"] == kind] for kind in kinds},
        {"fio": [peak / 1e9] * len(groups)}, bar=40)


def figure_14(peak):
    print("strategy                     time         read       bandwidth  of fio")
    results, curves = [], {}
    for name, settings in STRATEGIES.items():
        seconds, read, samples = best(measure.query_text(3), settings)
        curves[name] = curve(samples, 40)
        results.append({**row(name, seconds, read, peak), "curve": curves[name]})
    return results, lambda path: plot.lines(path, "Query 3: GB/s of storage over its time", curves, "s")


peak = measure.bandwidth(largest(options.data))
print(f"fio {peak / 1e9:.2f} GB/s, {options.threads} threads, best of {options.runs}")
results, draw = globals()[f"figure_{options.figure}"](peak)
if options.json:
    with open(options.json, "w") as file:
        json.dump({"figure": options.figure, "fio": peak, "threads": options.threads, "results": results}, file,
                  indent=1)
if options.svg:
    draw(options.svg)
