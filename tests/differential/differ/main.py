"""run --seed N --statements K --jobs J --program PATH: see README.md."""
import argparse
import multiprocessing
import os
import shutil
import signal
import sys
import tempfile
import time
import traceback
from queue import Empty

from . import areas, report, rules
from .gen_query import KINDS
from .worker import Worker


def arguments():
    parser = argparse.ArgumentParser(prog="run", description="Random statements over random files: Pistachio against DuckDB.")
    parser.add_argument("--program", default="build/release/pistachio", help="the pistachio to test")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--statements", type=int, default=0, help="end after so many; 2000 where --seconds is not given")
    parser.add_argument("--seconds", type=float, default=0, help="end after so long")
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--per-tables", type=int, default=1000, help="statements over the same tables")
    parser.add_argument("--reduce", type=float, default=12, help="seconds to cut down a failure; 0: not at all")
    parser.add_argument("--out", default="build/differential", help="where reproductions go")
    parser.add_argument("--least", type=int, default=0, help="fail where something was covered less often")
    parser.add_argument("--coverage", action="store_true", help="print the table of what ran")
    parser.add_argument("--explain", type=float, default=1.0, help="share of statements whose plans are looked at")
    parser.add_argument("--only", default="", choices=[*KINDS, *areas.MODULES, areas.EVERY], help="statements of one kind or area, or of all areas")
    parser.add_argument("--set", action="append", default=[], metavar="NAME=VALUE", help="of all further runs")
    parser.add_argument("--rules", action="store_true", help="print where the two engines are meant to differ")
    return parser.parse_args()


class Job:
    """A process that does every jobs-th batch. The oracle is in it, and may crash: then another goes on behind that batch."""

    def __init__(self, options, number, queue):
        self.options, self.queue = options, queue
        self.batch = multiprocessing.Value("q", number)  # at work
        self.start()

    def start(self):
        self.process = multiprocessing.Process(target=work, args=(self.options, self.batch, self.queue), daemon=True)
        self.process.start()

    def died(self):
        """Its exit status, if it did; it has been started again."""
        status = self.process.exitcode
        if not status:
            return None
        with self.batch.get_lock():
            self.batch.value += self.options.jobs
        self.start()
        return status

    def kill(self):
        """Ends what is still there of it, and the processes that it started."""
        try:
            os.killpg(self.process.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass


IN_MEMORY = "/dev/shm"
ON_DISK = 8  # one of so many batches has its files on the disk, which direct reads need


def folder_of(batch):
    """Where a batch has its files: in memory, as COPY waits until a disk has what it wrote; None: where TMPDIR says."""
    has_room = "TMPDIR" not in os.environ and os.path.isdir(IN_MEMORY) and shutil.disk_usage(IN_MEMORY).free > 2 << 30
    return IN_MEMORY if has_room and batch % ON_DISK else None


GRACE = 30  # seconds that a job may take to its end when the time is over, then it is killed


def work(options, at, queue):
    os.setpgid(0, 0)  # so that it goes with the processes that it started
    if signal.getsignal(signal.SIGINT) == signal.SIG_IGN:  # as in the background of a shell; the program shall hear it
        signal.signal(signal.SIGINT, signal.default_int_handler)
    worker, end = Worker(options), options.end
    batches = (options.statements + options.per_tables - 1) // options.per_tables
    while at.value < batches and time.monotonic() < end:
        batch = at.value
        count = min(options.per_tables, options.statements - batch * options.per_tables)
        tempfile.tempdir = folder_of(batch + 1)
        try:
            queue.put(worker.batch(options.seed * 1_000_000 + batch, count))
        except Exception:  # pylint: disable=broad-except  # the other batches go on
            queue.put(f"batch {options.seed * 1_000_000 + batch}: {traceback.format_exc()[-1500:]}")
        with at.get_lock():
            at.value += options.jobs
    queue.put(None)


def main():
    options = arguments()
    if options.rules:
        print(rules.markdown())
        return 0
    options.program = os.path.abspath(options.program)
    options.out = os.path.abspath(options.out)
    options.end = time.monotonic() + options.seconds if options.seconds else float("inf")
    options.statements = options.statements or (10 ** 9 if options.seconds else 2000)
    shutil.rmtree(os.path.join(options.out, f"seed-{options.seed}"), ignore_errors=True)
    started = time.monotonic()
    queue = multiprocessing.Queue()
    jobs = [Job(options, i, queue) for i in range(options.jobs)]
    total = report.Total(options)
    try:
        collect(options, jobs, queue, total, started)
    finally:
        for job in jobs:
            job.kill()
    return total.finish(time.monotonic() - started)


def collect(options, jobs, queue, total, started):
    """Takes what the jobs find until all have ended, or the time is over."""
    running = len(jobs)
    while running:
        try:
            result = queue.get(timeout=min(5, max(0.1, options.end + GRACE - time.monotonic())))
        except Empty:
            if time.monotonic() > options.end + GRACE:
                print("the time is over; what was at work is not counted", file=sys.stderr, flush=True)
                return
            for job in jobs:
                batch, status = job.batch.value, job.died()
                if status:
                    total.crashed(options.seed * 1_000_000 + batch, status)
            continue
        if isinstance(result, str):
            total.broken.append(result)
            print(result, file=sys.stderr, flush=True)
            continue
        if result is None:
            running -= 1
            continue
        total.add(result)
        if sys.stderr.isatty() or total.batches % 20 == 0:
            print(f"{total.statements} statements, {time.monotonic() - started:.0f} s, {dict(total.kinds)}", file=sys.stderr, flush=True)
    for job in jobs:
        job.process.join(10)


if __name__ == "__main__":
    sys.exit(main())
