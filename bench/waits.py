"""Replays the TPC-H queries of the simulated device with a GPU's times, under each `synchronization`; prints a table.

    bench/waits DATA_FOLDER [--queries 1,3,6] [--runs N] [--threads N] [--launch 4] [--wait 25] [--speed 100]
                [--copies 50] [--one-at-a-time] [--host 1] [--lanes 3] [--set NAME=VALUE]
                [--program build/release/pistachio] [--json FILE]

The simulated device's kernels are computed by the cores that the host needs, so the time of a query says little of
what waiting for it costs. Here a trace has what tasks and streams did (the second time, in one process, nothing late at
random), and device_replay.py does it again: --launch microseconds for each launch and copy, --wait for each wait of a
thread or wake-up of a task that comes before what it waits for, kernels --speed times as fast as they were, copies
with --copies bytes a nanosecond, on as many streams as were used. The host's time between two commands is the
processor's, as measured, on --threads threads; of the runs that with the least counts.

The last column is the ratio if the host had taken as long for `deferred` as for `blocking`: when streams and the
host compute at the same time, as a GPU and its host do, here they take cores and caches from each other.

--one-at-a-time: kernels of several streams are not computed at the same time, as if each had all of the device.
--host: the host's time, by so much more or less. --lanes: tasks at work at once; 3 is what the device has streams for.
"""
import argparse, json, math, os, subprocess, tempfile
import device_replay, measure

parser = argparse.ArgumentParser(usage=__doc__)
measure.add_options(parser)
parser.set_defaults(threads=1)
parser.add_argument("--queries", default=",".join(map(str, range(1, 23))))
parser.add_argument("--runs", type=int, default=3)
parser.add_argument("--launch", type=float, default=4)
parser.add_argument("--wait", type=float, default=25)
parser.add_argument("--speed", type=float, default=100)
parser.add_argument("--copies", type=float, default=50)
parser.add_argument("--one-at-a-time", action="store_true")
parser.add_argument("--host", type=float, default=1)
parser.add_argument("--lanes", type=int, default=3)
parser.add_argument("--set", action="append", default=[])
options = parser.parse_args()


def recording(number, kind, folder):
    path, text = os.path.join(folder, "trace.json"), measure.query_text(number)
    sql = f"{text}; set trace = '{path}'; {text}; set trace = 'off'"
    words = [options.program, "--format", "csv", "--set", "device=simulated", "--set", "simulated_seed=auto"]
    for setting in [f"threads={options.threads}", f"synchronization={kind}", *options.set]:
        words += ["--set", setting]
    done = subprocess.run(words + ["-c", sql, options.data], capture_output=True, text=True)
    if done.returncode:
        raise SystemExit(done.stderr)
    return device_replay.Recording(path), done.stdout


def replay(of, kind, host=1):
    return device_replay.Replay(of, options.threads, options.lanes, kind == "blocking", options.launch * 1e3,
                                options.wait * 1e3, options.speed, options.copies, options.one_at_a_time,
                                options.host * host).run()


def mean(values):
    return math.exp(sum(map(math.log, values)) / len(values))


def results_of(number):
    kinds = {"blocking": [], "deferred": []}
    rows = set()
    with tempfile.TemporaryDirectory() as folder:
        for _ in range(options.runs):
            for kind, replays in kinds.items():
                of, text = recording(number, kind, folder)
                replays.append((replay(of, kind), of))
                rows.add(text)
    if len(rows) != 1:
        raise SystemExit(f"Q{number}: rows differ")
    result = {"query": number}
    for kind, replays in kinds.items():
        r, of = min(replays, key=lambda replay: replay[0].host)
        result[kind] = {"ms": r.now / 1e6, "host": r.host / 1e6, "kernels": r.kernel_time / 1e6,
                        "launches": r.counts["launches"], "waits": r.counts["waits"]}
    result["ratio"] = result["deferred"]["ms"] / result["blocking"]["ms"]
    alike = replay(of, "deferred", result["blocking"]["host"] / result["deferred"]["host"])
    result["alike"] = alike.now / 1e6 / result["blocking"]["ms"]
    return result


print(f"{options.threads} threads, least of {options.runs}; milliseconds")
print(f"{'':8}{'blocking':^41}{'deferred':^41}")
names = "launches", "waits", "host", "kernels", "ms"
print(f"{'query':8}" + 2 * "".join(f"{name:>{9 if name == 'launches' else 8}}" for name in names) + f"{'ratio':>8}{'alike':>8}")
results = []
for number in map(int, options.queries.split(",")):
    result = results_of(number)
    results.append(result)
    line = "".join(f"{r['launches']:9}{r['waits']:8}{r['host']:8.2f}{r['kernels']:8.2f}{r['ms']:8.2f}"
                   for r in (result["blocking"], result["deferred"]))
    print(f"Q{number:<7}{line}{result['ratio']:8.2f}{result['alike']:8.2f}", flush=True)
print(f"geometric mean{'':27}{mean([r['blocking']['ms'] for r in results]):8.2f}{'':33}"
      f"{mean([r['deferred']['ms'] for r in results]):8.2f}{mean([r['ratio'] for r in results]):8.2f}"
      f"{mean([r['alike'] for r in results]):8.2f}")
if options.json:
    with open(options.json, "w") as file:
        json.dump({"threads": options.threads, "launch": options.launch, "wait": options.wait,
                   "speed": options.speed, "results": results}, file, indent=1)
