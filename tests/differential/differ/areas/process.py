"""One process of the program for one check: its rows, error, time and memory, with a signal on the way."""
import os
import re
import resource
import signal
import subprocess
import threading
import time
from dataclasses import dataclass, field

from ..program import unescape

MARK = "@@"
MARKED = re.compile(r'^\s*(?:select|with|from|values|describe|summarize|show|table|\()', re.I)


@dataclass
class Ran:
    """status: the exit status, negative of a signal, None where it had to be killed."""

    status: int
    names: list = field(default_factory=list)
    rows: list = field(default_factory=list)
    said: str = ""
    seconds: float = 0
    mebibytes: float = 0
    after: float = 0  # seconds of processors since SIGINT


def command_of(program, check):
    """(words, variables)"""
    variables = {name: value for name, value in check.settings.items() if name.isupper()}
    words = [program, "--format", "tsv"]
    for name, value in check.settings.items():
        if not name.isupper():
            words += ["--set", f"{name}={value}"]
    return words + check.words, variables


def limited(limits):
    """A function that sets them in the new process."""
    def limit():
        for name, number in limits.items():
            resource.setrlimit(getattr(resource, f"RLIMIT_{name}"), (number, number))
    return limit if limits else None


TICKS = os.sysconf("SC_CLK_TCK")


def processor_seconds(pid):
    """Seconds of processors that a process has used so far."""
    try:
        with open(f"/proc/{pid}/stat", encoding="utf-8") as file:
            words = file.read().rsplit(")", 1)[1].split()
        return (int(words[11]) + int(words[12])) / TICKS
    except (OSError, IndexError):
        return float("inf")  # it has ended


def wait(process, seconds, interrupt, ran):
    """Fills in ran's status, times and memory; the process is killed when the time is over."""
    started, late, used = time.monotonic(), [], [float("inf")]
    timers = [threading.Timer(seconds, lambda: (late.append(True), os.kill(process.pid, signal.SIGKILL)))]
    if interrupt is not None:
        timers.append(threading.Timer(interrupt, lambda: (used.append(processor_seconds(process.pid)), os.kill(process.pid, signal.SIGINT))))
    for timer in timers:
        timer.daemon = True
        timer.start()
    try:
        _, state, usage = os.wait4(process.pid, 0)
    finally:
        for timer in timers:
            timer.cancel()
    process.returncode = os.waitstatus_to_exitcode(state)
    ran.status, ran.seconds = None if late else process.returncode, time.monotonic() - started
    # The kernel counts what this process had when it was forked, too: less than that says nothing.
    own = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    ran.mebibytes = usage.ru_maxrss / 1024 if usage.ru_maxrss > own else 0
    ran.after = max(0, usage.ru_utime + usage.ru_stime - used[-1])


def run_check(program, folder, check, deadline=float("inf")):
    """Runs it; the statements come from a file, each followed by a mark."""
    for words in check.before:
        done = subprocess.run([program, *words], cwd=folder, capture_output=True, timeout=120)
        if done.returncode:
            return Ran(done.returncode, said=done.stderr.decode(errors="replace"))
    words, variables = command_of(program, check)
    script = "".join(f'{sql};\nSELECT 1 AS "{MARK}";\n' for sql in check.statements)
    names = [os.path.join(folder, name) for name in (".statements.sql", ".out", ".err")]
    with open(names[0], "wb") as file:
        file.write(script.encode(errors="surrogateescape"))
    limit = max(0.5, min(check.seconds, deadline - time.monotonic()))
    with open(names[0], "rb") as given, open(names[1], "w+b") as out, open(names[2], "w+b") as err:
        process = subprocess.Popen(words, cwd=folder, env=dict(os.environ, PISTACHIO_PROGRESS="off", LC_ALL="C.UTF-8", **variables),
                                   stdin=given, stdout=out, stderr=err, preexec_fn=limited(check.limits))
        ran = Ran(None)
        wait(process, limit, check.interrupt, ran)
        out.seek(0)
        err.seek(0)
        text, ran.said = out.read().decode(errors="surrogateescape"), err.read().decode(errors="replace")
    results = text.split(f"{MARK}\n1\n")[:-1]
    found = [part for part in results if part]
    if found:
        ran.names, ran.rows = table_of(found[-1])
    return ran


def table_of(text):
    lines = text.split("\n")[:-1]
    rows = [[unescape(c) for c in line.split("\t")] for line in lines]
    return rows[0], rows[1:]


def error_of(said):
    match = re.search(r"^error: (.*(?:\n(?!line \d+:|hint:).*)*)", said, flags=re.M)
    return match.group(1).strip() if match else said.strip()[-300:]
