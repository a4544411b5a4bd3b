"""Rewrites TPC-H files in steps and runs the queries over each step's files, interleaved.

    bench/rewriter DATA_FOLDER [--steps original,pages,...] [--queries 1,3,6] [--runs N] [--threads N] [--cold]
                   [--program build/release/pistachio] [--work FOLDER] [--keep] [--json FILE] [--svg FILE]

The steps are after ParquetRewriter (arXiv 2602.17335), each on top of the one before: original (the files as
they are), pages (100 in a column chunk), groups (row groups of 10 million rows), encodings (the smallest,
not compressed), compression (where it saves a tenth); these suit a GPU, and the last one is `--for gpu`.
cpu is `--for cpu`. Files go to --work (default: DATA_FOLDER.rewritten), where
those of an earlier run are used again, and are removed at the end unless --keep.

A query's time is that of the whole process; what is kept is the least of the runs, of wall clock and
of processor time each, after one that is not kept. Hot: all from the page cache. --cold: past it as well.
"""
import argparse, json, math, os, shutil, subprocess, time

here = os.path.dirname(os.path.abspath(__file__))
GPU = ["--row-group-rows", "10000000", "--pages", "100", "--page-version", "2"]
STEPS = {
    "original": None,
    "pages": ["--pages", "100", "--page-version", "2"],
    "groups": GPU,
    "encodings": GPU + ["--encoding", "v2", "--codec", "none"],
    "compression": ["--for", "gpu"],
    "cpu": ["--for", "cpu"],
}
parser = argparse.ArgumentParser(usage=__doc__)
parser.add_argument("data")
parser.add_argument("--steps", default=",".join(STEPS))
parser.add_argument("--queries", default=",".join(map(str, range(1, 23))))
parser.add_argument("--runs", type=int, default=3)
parser.add_argument("--threads", type=int, default=os.cpu_count())
parser.add_argument("--cold", action="store_true")
parser.add_argument("--program", default=os.path.join(here, "../build/release/pistachio"))
parser.add_argument("--work")
parser.add_argument("--keep", action="store_true")
parser.add_argument("--json")
parser.add_argument("--svg")
options = parser.parse_args()
data = options.data.rstrip("/")
work = options.work or data + ".rewritten"
steps = options.steps.split(",")
modes = ["hot", "cold"] if options.cold else ["hot"]


def run(words):
    """Wall and processor seconds of a process, and its sorted lines."""
    started = time.perf_counter()
    process = subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    text, problem = process.stdout.read(), process.stderr.read()
    _, status, used = os.wait4(process.pid, 0)
    if status:
        raise SystemExit(f"{' '.join(words)}: {problem}")
    return time.perf_counter() - started, used.ru_utime + used.ru_stime, sorted(text.splitlines())


def folder_of(step):
    return data if step == "original" else os.path.join(work, step)


def rewrite(step):
    """Processor seconds; None: the files were there."""
    if step == "original" or os.path.isdir(folder_of(step)):
        return None
    unfinished = folder_of(step) + ".unfinished"
    shutil.rmtree(unfinished, ignore_errors=True)
    os.makedirs(unfinished)
    used = run([options.program, "rewrite", *STEPS[step], data, unfinished])[1]
    os.rename(unfinished, folder_of(step))
    return used


def megabytes(step):
    return sum(os.path.getsize(os.path.join(root, name)) for root, _, names in os.walk(folder_of(step))
               for name in names if name.endswith(".parquet")) / 1e6


def query(number, step, mode):
    return run([options.program, "--format", "csv", "--set", f"threads={options.threads}", "--set",
                "direct_io=" + ("always" if mode == "cold" else "never"), "-f",
                os.path.join(here, f"../src/tpch/queries/q{number:02d}.sql"), folder_of(step)])


def measure(number):
    """{mode: {step: (wall, processor)}}"""
    times, rows = {mode: {step: [] for step in steps} for mode in modes}, set()
    for mode in modes:
        for turn in range(options.runs + (mode == "hot")):
            for step in steps:
                wall, used, lines = query(number, step, mode)
                rows.add(tuple(lines))
                if turn or mode == "cold":
                    times[mode][step].append((wall, used))
    if len(rows) != 1:
        raise SystemExit(f"Q{number}: the steps' rows differ")
    return {mode: {step: [min(t[k] for t in times[mode][step]) for k in (0, 1)] for step in steps}
            for mode in modes}


def mean(mode, step, kind):
    """Geometric mean of the ratios to the first step."""
    ratios = [r[mode][step][kind] / r[mode][steps[0]][kind] for r in results.values()]
    return math.exp(sum(map(math.log, ratios)) / len(ratios))


def plot(path):
    """A group of bars for each step: its time, by wall clock, of the first one's."""
    bar, height, left = 26, 200, 50
    colours = {"hot": "#b2432f", "cold": "#6d9dc5"}
    most = max(1, max(s[mode] for s in summary for mode in modes))
    group = bar * len(modes) + 50
    width = left + len(summary) * group + 10
    out = [f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height + 80}" '
           'font-family="sans-serif" font-size="10">',
           f'<rect width="{width}" height="{height + 80}" fill="white"/>',
           f'<text x="10" y="14">time of {len(results)} TPC-H queries, of that over the first files</text>']
    for tick in range(5):
        y, value = 24 + height * (1 - tick / 4), most * tick / 4
        out.append(f'<line x1="{left - 4}" x2="{width}" y1="{y}" y2="{y}" stroke="#ddd"/>'
                   f'<text x="{left - 8}" y="{y + 3}" text-anchor="end">{value:.2f}</text>')
    for i, step in enumerate(summary):
        x = left + 10 + i * group
        for m, mode in enumerate(modes):
            h = height * step[mode] / most
            out.append(f'<rect x="{x + m * bar}" y="{24 + height - h:.1f}" width="{bar - 2}" '
                       f'height="{h:.1f}" fill="{colours[mode]}"/>'
                       f'<text x="{x + m * bar + bar / 2 - 1}" y="{20 + height - h:.1f}" '
                       f'text-anchor="middle">{step[mode]:.2f}</text>')
        centre = x + len(modes) * bar / 2
        out.append(f'<text x="{centre}" y="{height + 38}" text-anchor="middle">{step["step"]}</text>'
                   f'<text x="{centre}" y="{height + 50}" text-anchor="middle" fill="#666">'
                   f'{step["megabytes"]:.0f} MB</text>')
    for m, mode in enumerate(modes):
        out.append(f'<rect x="{left + m * 60}" y="{height + 62}" width="10" height="10" '
                   f'fill="{colours[mode]}"/><text x="{left + m * 60 + 14}" y="{height + 71}">{mode}</text>')
    with open(path, "w") as file:
        file.write("\n".join(out) + "\n</svg>\n")


os.makedirs(work, exist_ok=True)
took = {}
for step in steps:
    took[step] = rewrite(step)
    print(f"{step:12}{megabytes(step):10.1f} MB" +
          (f", rewritten in {took[step]:.1f} s of processor time" if took[step] else ""), flush=True)
results = {}
for mode in modes:
    print(f"seconds, {mode}: " + ", ".join(steps))
for number in map(int, options.queries.split(",")):
    results[number] = measure(number)
    for mode in modes:
        walls = [results[number][mode][step][0] for step in steps]
        print(f"Q{number:<3} {mode:5}" + "".join(f"{wall:9.3f}" for wall in walls) + "   " +
              "".join(f"{wall / walls[0]:6.2f}" for wall in walls[1:]), flush=True)
summary = [{"step": step, "megabytes": megabytes(step), "rewrite_s": took[step],
            **{mode: mean(mode, step, 0) for mode in modes},
            **{mode + "_processor": mean(mode, step, 1) for mode in modes}} for step in steps]
print("\nof the first one's (geometric means)\n\n| files | MB |" + "".join(f" {mode} | processor |" for mode in modes))
print("|---|---|" + "---|---|" * len(modes))
for s in summary:
    print(f"| {s['step']} | {s['megabytes']:.0f} |" +
          "".join(f" {s[mode]:.2f} | {s[mode + '_processor']:.2f} |" for mode in modes))
if options.json:
    with open(options.json, "w") as file:
        json.dump({"threads": options.threads, "runs": options.runs, "summary": summary, "queries": results},
                  file, indent=1)
if options.svg:
    plot(options.svg)
if not options.keep:
    shutil.rmtree(work)
