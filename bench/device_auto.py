"""Compares what device = auto chooses for the 22 queries of TPC-H with the CPU alone and a GPU alone, by replays of traces.

    bench/device_auto DATA_FOLDER... [--queries 1,3,6] [--runs N] [--keep FOLDER] [--launch 42] [--wait 25] [--speed 100]
                      [--copies 50] [--host 0.45] [--threads 16] [--worth 4] [--set NAME=VALUE]
                      [--program build/release/pistachio] [--json FILE]

For each query a trace is recorded three times, the second time that a process runs it: on the CPU, on the simulated device, and with
stages placed by cost (device_stages = cost). device_replay.py does it again with a GPU's times (--launch microseconds for a launch or a
copy, --wait for a wait, kernels --speed times as fast as here, --copies bytes a nanosecond, four streams) on --worth cores that take
--host times what this machine's core took. What auto chooses is what EXPLAIN says with --threads threads and an open H200; what it takes
is the replay's time of that. Of --runs recordings the one counts whose replay is shortest.

The values of the options are those with which the replay comes closest to an H200 beside 16 cores (docs/gpu): a launch has the
least time that a kernel takes in it, and the 16 cores are as fast as --worth that share nothing.

Two folders of scale factors S and 10 S, in this order: a line more for 100 S, each time and prediction continued linearly.
"""
import argparse, json, math, os, re, subprocess, tempfile
import device_replay, measure

parser = argparse.ArgumentParser(usage=__doc__)
measure.add_options(parser, has_data=False)
parser.set_defaults(threads=16)
parser.add_argument("data", nargs="+")
parser.add_argument("--queries", default=",".join(map(str, range(1, 23))))
parser.add_argument("--runs", type=int, default=1)
parser.add_argument("--keep")
parser.add_argument("--launch", type=float, default=42)
parser.add_argument("--wait", type=float, default=25)
parser.add_argument("--speed", type=float, default=100)
parser.add_argument("--copies", type=float, default=50)
parser.add_argument("--host", type=float, default=0.45)
parser.add_argument("--worth", type=int, default=4)
parser.add_argument("--set", action="append", default=[])
options = parser.parse_args()

DEVICE = ["device=simulated", "simulated_seed=auto", "chunk_rows=8388608"]
KINDS = {"cpu": ["device=cpu"], "gpu": DEVICE, "both": DEVICE + ["device_stages=cost"]}
FIGURES = "pistachio device 1\n0 4e-06 5.5e+10 2e+12\n"  # an H200 that is open


def run(settings, sql, data, folder):
    words = [options.program, "--format", "csv", "--set", f"threads={options.threads}", "--set", "cache_memory=0"]
    for setting in settings + options.set:
        words += ["--set", setting]
    environment = dict(os.environ, XDG_CACHE_HOME=folder)
    done = subprocess.run(words + ["-c", sql, data], capture_output=True, text=True, env=environment)
    if done.returncode:
        raise SystemExit(done.stderr)
    return done.stdout


def replay(path, kind):
    streams = options.worth if kind == "cpu" else 4
    return device_replay.Replay(device_replay.Recording(path), options.worth, streams, False, options.launch * 1e3,
                                options.wait * 1e3, options.speed, options.copies, False, options.host).run().now / 1e6


def recorded(number, kind, data, folder, i):
    """A replay's milliseconds. Now and then two threads note what they did to each other in another order than they did it; a replay
    of that does not end, and another recording is made."""
    text = measure.query_text(number)
    path = os.path.join(options.keep or folder, f"{os.path.basename(os.path.normpath(data))}-q{number}-{kind}-{i}.json")
    for again in range(5):
        if again or not (options.keep and os.path.exists(path)):
            run(KINDS[kind], f"{text}; set trace = '{path}'; {text}; set trace = 'off'", data, folder)
        try:
            return replay(path, kind)
        except SystemExit as failure:
            why = failure
    raise SystemExit(f"Q{number}, {kind}: {why}")


def times_of(number, data, folder):
    return {kind: min(recorded(number, kind, data, folder, i) for i in range(options.runs)) for kind in KINDS}


def predictions_of(number, data, folder):
    plan = run(["device=auto"], f"explain {measure.query_text(number)}", data, folder)
    found = re.search(r"predicted ([\d.]+) ms on the CPU, ([\d.]+) ms on the GPU(?:, ([\d.]+) ms on both)?", plan)
    cpu, gpu, both = found.groups()
    return {"cpu": float(cpu), "gpu": float(gpu), "both": float(both) if both else math.inf}


def mean(values):
    return math.exp(sum(map(math.log, values)) / len(values))


def show(name, results):
    print(f"\n{name}: milliseconds\n{'':6}{'predicted':^30}{'replayed':^30}")
    print(f"{'query':6}" + 2 * "".join(f"{kind:>10}" for kind in KINDS) + f"{'auto':>8}{'ratio':>8}")
    worse = 0
    for r in results:
        predicted, times = r["predicted"], r["times"]
        r["auto"] = min(predicted, key=predicted.get)
        r["ratio"] = times[r["auto"]] / min(times["cpu"], times["gpu"])
        worse += r["ratio"] > 1.15
        line = "".join(f"{v:10.1f}" if v < math.inf else f"{'-':>10}" for v in [*predicted.values(), *times.values()])
        print(f"Q{r['query']:<5}{line}{r['auto']:>8}{r['ratio']:8.2f}")
    means = [mean([r["times"][kind] for r in results]) for kind in KINDS]
    auto = mean([r["times"][r["auto"]] for r in results])
    print(f"geometric mean{'':22}" + "".join(f"{m:10.1f}" for m in means) + f"; auto {auto:.1f}; {worse} of {len(results)} above 1.15 of the better one",
          flush=True)


def continued(small, large):
    """From scale factors S and 10 S to 100 S."""
    return {k: large[k] + 10 * max(0, large[k] - small[k]) if max(small[k], large[k]) < math.inf else large[k] * 10 for k in large}


with tempfile.TemporaryDirectory() as folder:
    os.mkdir(os.path.join(folder, "pistachio"))
    with open(os.path.join(folder, "pistachio/cuda-0"), "w") as file:
        file.write(FIGURES)
    everything = {}
    for data in options.data:
        results = everything[data] = [{"query": q, "predicted": predictions_of(q, data, folder), "times": times_of(q, data, folder)}
                                      for q in map(int, options.queries.split(","))]
        show(data, results)
    if len(options.data) > 1:
        small, large = (everything[data] for data in options.data[-2:])
        results = [{"query": a["query"], "predicted": continued(a["predicted"], b["predicted"]),
                    "times": continued(a["times"], b["times"])} for a, b in zip(small, large)]
        everything["continued"] = results
        show("ten times the last, continued from both", results)
if options.json:
    with open(options.json, "w") as file:
        json.dump(everything, file, indent=1)
