#!/bin/sh
# What bench/waits replays: a trace made by hand takes the time that it must, and the simulated device's traces have what
# tasks and streams did. A lazy device has as many tasks at work as streams, on one thread.
# waits.sh PROGRAM
set -u
# shellcheck source=tests/cli/cli_common.sh
. "$(dirname "$0")/cli_common.sh"

if ! command -v python3 >/dev/null; then
    skip "replays: no python3"
    finish
    exit
fi
PYTHONPATH=$here/../../bench PYTHONDONTWRITEBYTECODE=1
export PYTHONPATH PYTHONDONTWRITEBYTECODE

# Two tasks of one stage. Each tells its stream of a kernel after 10 microseconds, waits for it, and ends 5 later. The
# kernel took 100, of which a hundredth is left: it is done 4 + 1 after it was told, and what waits goes on 25 later. A
# thread that waits has both one after the other, 10 + 5 + 25 + 5 each; one that does not comes to the second at 10, and
# back to it at 20 + 5 + 25. Two threads need no such thing.
cat >"$work/by_hand.py" <<'END'
import json, sys
import device_replay

def trace(path, waits):
    events, used, at = [], {}, [0]

    def point(tid, name, passed, a, b="0", number=0):
        used[tid] = used.get(tid, 0) + passed
        at[0] += 1
        events.append({"ph": "i", "tid": tid, "cat": "device", "name": name, "ts": at[0],
                       "args": {"a": a, "b": b, "number": number, "used": used[tid]}})

    point(1, "stage", 0, "S")
    for task in "AB":
        point(1, "task", 0, task, "S")
    for task in "AB":
        stream, event = "stream" + task, "event" + task
        point(1, "turn", 777, task)  # the thread slept
        point(1, "kernel", 10000, stream)
        point(1, "event", 0, stream, event)
        for passed in 100000, 0:
            point(ord(task), "begin", 0, stream)
            point(ord(task), "done", passed, stream)
        if waits:
            point(1, "block", 999, stream, "0")  # and was asleep
        else:
            point(1, "await", 0, stream, event)
            point(1, "yield", 0, task)
            point(1, "turn", 777, task)
        point(1, "end", 5000, task)
    with open(path, "w") as file:
        json.dump({"traceEvents": events, "otherData": {"dropped": "0"}}, file)

for waits, threads, lanes, least in (True, 1, 3, 90), (False, 1, 3, 55), (True, 2, 3, 45), (False, 2, 3, 45), (False, 2, 1, 90):
    trace(sys.argv[1], waits)
    replay = device_replay.Replay(device_replay.Recording(sys.argv[1]), threads, lanes, waits, 4000, 25000, 100, 50).run()
    assert (replay.now, replay.counts["launches"], replay.counts["waits"], replay.lost) == (least * 1000, 2, 2, 0), \
        (waits, threads, lanes, replay.now, replay.counts, replay.lost)
END
check "a trace made by hand" python3 "$work/by_hand.py" "$work/trace.json"

check "generate" "$program" tpch generate --scale 0.01 --out "$work/data" --parts 4
check "the table" "$here/../../bench/waits" "$work/data" --queries 6,9 --runs 1 --program "$program" \
    --set chunk_rows=2000 --json "$work/table.json"
check "its figures" python3 -c '
import json, sys
results = json.load(open(sys.argv[1]))["results"]
assert [r["query"] for r in results] == [6, 9]
for r in results:  # a host slower than the device, as with sanitizers, need not wait at all
    for kind in "blocking", "deferred":
        assert r[kind]["launches"] > 50 and r[kind]["ms"] >= r[kind]["host"] > 0, r
    assert r["blocking"]["waits"], r
' "$work/table.json"

# Of the scan, three are under way at the same time, though there is one thread; what the streams did is all there.
"$program" --set device=simulated --set threads=1 --set chunk_rows=2000 --trace "$work/trace.json" \
    -c "select sum(l_quantity), count(l_comment) from lineitem" "$work/data" >"$work/out"
check "more tasks than threads" python3 -c '
import sys
import device_replay
replay = device_replay.Replay(device_replay.Recording(sys.argv[1]), 1, 3, False, 4000, 25000, 100, 50).run()
assert len(replay.r.commands) == 3 and all(len(c) > 20 for c in replay.r.commands.values()), replay.r.commands
assert replay.lost < 5
' "$work/trace.json"
"$program" --set threads=3 --trace "$work/trace.json" -c "select sum(l_quantity) from lineitem" "$work/data" >"$work/out"
check "tasks of the CPU" python3 -c '
import sys
import device_replay
replay = device_replay.Replay(device_replay.Recording(sys.argv[1]), 3, 3, False, 4000, 25000, 100, 50).run()
assert not replay.r.commands and replay.now > 0 and replay.counts["launches"] == 0
' "$work/trace.json"
"$program" --set device=simulated --set device_mix=3 --set threads=3 --trace "$work/trace.json" \
    -c "select l_returnflag, sum(l_quantity) from lineitem group by 1 order by 1" "$work/data" >"$work/out"
check "stages of two devices" python3 -c '
import sys
import device_replay
assert device_replay.Replay(device_replay.Recording(sys.argv[1]), 3, 3, False, 4000, 25000, 100, 50).run().now > 0
' "$work/trace.json"
finish
