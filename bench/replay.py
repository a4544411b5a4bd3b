"""The reads of a query, by themselves: fio(1) reads the same bytes of the same files in the same order and gives
them to nobody. That is the least that the device needs for the query. A single file read in order says less: it
is other bytes, which something below the file system may have cached or not."""
import json, os, shutil, statistics, subprocess, tempfile
import measure

DEPTHS = 2, 4, 8, 16, 32  # reads under way at once


def is_possible():
    return shutil.which("fio") is not None


class Replay:
    """Of a query past the page cache. `bytes`: what it reads; `depth`: that with which fio is fastest."""

    def __init__(self, options, sql, runs=3, settings=(), depths=DEPTHS):
        self.folder = tempfile.TemporaryDirectory()
        self.log = os.path.join(self.folder.name, "reads")
        self.write_log(options, self.trace(options, sql, settings))
        times = {depth: [] for depth in depths}
        for _ in range(runs):
            for depth in depths:
                times[depth].append(self.seconds(depth))
        self.depth = min(depths, key=lambda depth: statistics.median(times[depth]))

    def trace(self, options, sql, settings):
        path = os.path.join(self.folder.name, "trace.json")
        measure.run(options, sql, ["direct_io=always", *settings], ["--trace", path])
        with open(path) as file:
            events = json.load(file)["traceEvents"]
        return [event["args"] for event in events if event.get("cat") == "storage" and event["ph"] == "b"]

    def write_log(self, options, reads):
        paths = {os.path.basename(path): path for path in measure.files_of(options.data)}
        used = sorted({paths[read["file"]] for read in reads})
        self.bytes = sum(read["bytes"] for read in reads)
        with open(self.log, "w") as log:
            log.write("fio version 2 iolog\n")
            for action in ("add", "open"):
                log.writelines(f"{path} {action}\n" for path in used)
            log.writelines(f"{paths[read['file']]} read {read['offset']} {read['bytes']}\n" for read in reads)
            log.writelines(f"{path} close\n" for path in used)

    def seconds(self, depth=None):
        """Without the start of fio."""
        done = subprocess.run(
            ["fio", "--name=replay", f"--read_iolog={self.log}", "--replay_no_stall=1", "--readonly", "--direct=1",
             "--ioengine=io_uring", f"--iodepth={depth or self.depth}", "--output-format=json+"],
            capture_output=True, text=True)
        if done.returncode:
            raise SystemExit(done.stderr)
        read = json.loads(done.stdout[done.stdout.index("{"):])["jobs"][0]["read"]
        return self.bytes / read["bw_bytes"] if read["bw_bytes"] else 0
