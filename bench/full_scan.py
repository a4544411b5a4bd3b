"""Scans all columns of lineitem, cold, and says for each tenth of the time what bound it: storage or the cores.

    bench/full-scan DATA_FOLDER [--threads N] [--runs N] [--program build/release/pistachio] [--set NAME=VALUE]
                    [--drop-caches] [--json FILE] [--svg FILE] [--timeline FILE]

Bandwidth is counted by the kernel for the device, and held against what fio reads in order from the same file
(large direct reads, best of a few shapes). Cores busy: processor time of the program's threads, also where
they were ready and others had the core. A tenth is bound if one of them is at 95 % or more. The tenths are those
of the scan: from when its first row groups have come from storage to the end of the program, whose seconds are
all of its time. Of several runs the quickest is shown. --timeline: the program's own view.
"""
import argparse, json, os
import measure, plot

FIRST_BYTES = 8e6  # before the cores have what they can work on

parser = argparse.ArgumentParser(usage=__doc__)
measure.add_options(parser)
parser.add_argument("--runs", type=int, default=3)
parser.add_argument("--set", action="append", default=[])
parser.add_argument("--drop-caches", action="store_true")
parser.add_argument("--timeline")
options = parser.parse_args()

path = max(measure.files_of(options.data), key=os.path.getsize)
speed = measure.bandwidth(path)
settings = options.set + ([f"timeline={options.timeline}"] if options.timeline else [])
best = None
for _ in range(options.runs):
    measure.forget(options.data, options.drop_caches)
    seconds, _, samples = measure.run_watched(options, measure.SCAN, settings)
    if not best or seconds < best[0]:
        best = (seconds, samples)
seconds, samples = best
cores = min(options.threads, os.cpu_count())
before = samples[0][1]
read = samples[-1][1] - before
scan = [sample for sample in samples if sample[1] - before >= FIRST_BYTES]
print(f"{seconds:.3f} s, {read / 1e9:.2f} GB from storage; fio {speed / 1e9:.2f} GB/s, {cores} cores")
print("tenth        GB/s   of fio   cores busy   of all   bound")
tenths, unbound = [], 0
for number, (_, _, rate, busy) in enumerate(measure.parts(scan, 10), 1):
    storage, work = rate / speed, busy / cores
    bound = "cores" if work >= 0.95 else "storage" if storage >= 0.95 else "-"
    unbound += bound == "-"
    tenths.append({"gb_per_second": rate / 1e9, "of_fio": storage, "cores": busy, "of_cores": work, "bound": bound})
    print(f"{number:>5}{rate / 1e9:12.2f}{storage:9.2f}{busy:13.2f}{work:9.2f}   {bound}")
print(f"{10 - unbound} of 10 tenths are bound")
if options.json:
    with open(options.json, "w") as file:
        json.dump({"seconds": seconds, "bytes": read, "fio": speed, "cores": cores, "tenths": tenths}, file, indent=1)
if options.svg:
    fine = measure.parts(samples, 60)
    plot.lines(options.svg, "A full scan of lineitem: share of what there is, over seconds",
               {"storage (of fio)": [((a + b) / 2, rate / speed) for a, b, rate, _ in fine],
                "cores": [((a + b) / 2, busy / cores) for a, b, _, busy in fine]}, "s")
