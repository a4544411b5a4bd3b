"""Runs the TPC-H queries with reads past the page cache under each `overlap`, interleaved; prints medians.

    bench/overlap DATA_FOLDER [--queries 1,3,6] [--runs N] [--threads N] [--program build/release/pistachio]
                  [--json FILE] [--svg FILE]

The paper's variants (PystachIO, sections 4 and 5) with everything else equal: blocking (read, then
compute), chunking (row groups by several lanes), deferred (row groups read ahead), full (scans of other
pipelines as well). T_min is what the device took to give the same bytes to nobody: the bytes that the query
reads over the bandwidth that `--bandwidth` says (GB/s; default: measured by reading the largest file).
"""
import argparse, glob, json, math, mmap, os, re, statistics, subprocess, time

here = os.path.dirname(os.path.abspath(__file__))
parser = argparse.ArgumentParser(usage=__doc__)
parser.add_argument("data")
parser.add_argument("--queries", default=",".join(map(str, range(1, 23))))
parser.add_argument("--runs", type=int, default=3)
parser.add_argument("--threads", type=int, default=os.cpu_count())
parser.add_argument("--program", default=os.path.join(here, "../build/release/pistachio"))
parser.add_argument("--bandwidth", type=float)
parser.add_argument("--json")
parser.add_argument("--svg")
options = parser.parse_args()
variants = ["blocking", "chunking", "deferred", "full"]


def run(number, *settings):
    """Seconds of the whole process, and what it printed."""
    words = [options.program, "--format", "csv", "--set", f"threads={options.threads}"]
    for setting in settings:
        words += ["--set", setting]
    started = time.perf_counter()
    done = subprocess.run(words + ["-f", os.path.join(here, f"../src/tpch/queries/q{number:02d}.sql"),
                                   options.data], capture_output=True, text=True, check=True)
    return time.perf_counter() - started, done.stdout


def bandwidth():
    """GB/s of large direct reads, one after another, of the largest file."""
    path = max(glob.glob(os.path.join(options.data, "**/*.parquet"), recursive=True), key=os.path.getsize)
    fd, block = os.open(path, os.O_RDONLY | os.O_DIRECT), mmap.mmap(-1, 8 << 20)
    started, done = time.perf_counter(), 0
    while time.perf_counter() - started < 1.5:
        got = os.preadv(fd, [block], done)
        if got < len(block):
            break
        done += got
    os.close(fd)
    return done / (time.perf_counter() - started) / 1e9


def bytes_read(number):
    """Of the scans, by EXPLAIN ANALYZE."""
    with open(os.path.join(here, f"../src/tpch/queries/q{number:02d}.sql")) as file:
        sql = "explain analyze " + file.read()
    text = subprocess.run([options.program, "--format", "csv", "-c", sql, options.data],
                          capture_output=True, text=True, check=True).stdout
    return sum(float(mb) for mb in re.findall(r"read ([\d.]+) MB", text)) * 1e6


def plot(results, path):
    """Bars of each query and variant."""
    bar, gap, height, left = 7, 8, 240, 50
    colours = ["#b2432f", "#dd9a3c", "#6d9dc5", "#2f6b4f"]
    most = max(max(r[v] for v in variants) for r in results)
    width = left + len(results) * (4 * bar + gap) + 20
    out = [f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height + 70}" '
           'font-family="sans-serif" font-size="10">',
           f'<rect width="{width}" height="{height + 70}" fill="white"/>',
           '<text x="10" y="14">seconds, read from storage</text>']
    for tick in range(5):
        y, value = 20 + height * (1 - tick / 4), most * tick / 4
        out.append(f'<line x1="{left - 4}" x2="{width}" y1="{y}" y2="{y}" stroke="#ddd"/>'
                   f'<text x="{left - 8}" y="{y + 3}" text-anchor="end">{value:.2f}</text>')
    for i, result in enumerate(results):
        x = left + i * (4 * bar + gap)
        for v, variant in enumerate(variants):
            h = height * result[variant] / most
            out.append(f'<rect x="{x + v * bar}" y="{20 + height - h:.1f}" width="{bar - 1}" '
                       f'height="{h:.1f}" fill="{colours[v]}"/>')
        y = 20 + height * (1 - result["t_min"] / most)
        out.append(f'<line x1="{x - 1}" x2="{x + 4 * bar}" y1="{y:.1f}" y2="{y:.1f}" stroke="black"/>'
                   f'<text x="{x + 2 * bar}" y="{height + 34}" text-anchor="middle">Q{result["query"]}</text>')
    for v, variant in enumerate(variants + ["T_min"]):
        x = left + v * 90
        colour = colours[v] if v < 4 else "black"
        out.append(f'<rect x="{x}" y="{height + 46}" width="10" height="{10 if v < 4 else 2}" '
                   f'fill="{colour}"/><text x="{x + 14}" y="{height + 55}">{variant}</text>')
    with open(path, "w") as file:
        file.write("\n".join(out) + "\n</svg>\n")


speed = options.bandwidth or bandwidth()
print(f"bandwidth {speed:.2f} GB/s, {options.threads} threads, median of {options.runs}")
print("query      hot    T_min" + "".join(f"{v:>10}" for v in variants) + "   full/max(T_min, hot)")
results = []
for number in map(int, options.queries.split(",")):
    t_min = bytes_read(number) / speed / 1e9
    times, rows = {v: [] for v in variants + ["hot"]}, set()
    for _ in range(options.runs):
        for variant in variants:
            seconds, text = run(number, "direct_io=always", f"overlap={variant}")
            times[variant].append(seconds)
            rows.add(text)
    for turn in range(options.runs + 1):
        seconds, text = run(number, "direct_io=never")
        rows.add(text)
        if turn:
            times["hot"].append(seconds)
    if len(rows) != 1:
        raise SystemExit(f"Q{number}: the variants' rows differ")
    result = {"query": number, "t_min": t_min, **{v: statistics.median(t) for v, t in times.items()}}
    results.append(result)
    bound = max(t_min, result["hot"])
    print(f"Q{number:<4}{result['hot']:9.3f}{t_min:9.3f}" + "".join(f"{result[v]:10.3f}" for v in variants) +
          f"{result['full'] / bound:10.2f}", flush=True)
means = {v: math.exp(sum(math.log(r[v]) for r in results) / len(results)) for v in variants}
print("geometric mean        " + "".join(f"{means[v]:10.3f}" for v in variants))
if options.json:
    with open(options.json, "w") as file:
        json.dump({"bandwidth": speed, "threads": options.threads, "results": results}, file, indent=1)
if options.svg:
    plot(results, options.svg)
