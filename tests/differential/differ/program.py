"""Runs statements in the program: many in one process, which is started again behind an error."""
import os
import re
import shutil
import signal
import subprocess
import time
from dataclasses import dataclass

MARK = "@@"
PATIENCE = 16  # crashes of a batch before it is given up; a hang counts as 8


@dataclass
class Outcome:
    """What became of a statement: rows, error, crash, hang, not run."""

    kind: str
    rows: list = None  # of lists of text, None for NULL
    text: str = ""  # the error's message
    status: int = 0


def unescape(cell):
    if cell == "\\N":
        return None
    if "\\" not in cell:
        return cell
    return re.sub(r"\\(.)", lambda m: {"t": "\t", "n": "\n", "r": "\r"}.get(m.group(1), m.group(1)), cell)


class Program:
    """The program at `path`, run in `folder` over the tables there."""

    def __init__(self, path, folder, tables, views=(), seconds=90, end=float("inf")):
        self.path, self.folder, self.seconds, self.end = os.path.abspath(path), folder, seconds, end
        self.table_words = [w for t in tables if t.has_name for w in ("--table", f"{t.name}={t.path}")]
        self.views = views  # SQL

    def command(self, settings):
        """(words, environment). `settings`: {name: value}, and PISTACHIO_FAULT."""
        environment = dict(os.environ, PISTACHIO_PROGRESS="off", LC_ALL="C.UTF-8")
        words = [self.path, "--format", "tsv", *self.table_words]
        for name, value in settings.items():
            if name.isupper():
                environment[name] = value
            else:
                words += ["--set", f"{name}={value}"]
        return words, environment

    def stack(self, sql, settings):
        """The functions that a crash was in, innermost first; none without gdb."""
        if not shutil.which("gdb"):
            return []
        words, environment = self.command(settings)
        words = ["gdb", "-q", "-batch", "-ex", "run", "-ex", "bt 6", "--args", *words, "-c", sql]
        try:
            done = subprocess.run(words, cwd=self.folder, env=environment, capture_output=True, timeout=60)
        except subprocess.TimeoutExpired:
            return []
        text = done.stdout.decode(errors="replace")
        return re.findall(r"^#\d+ +(?:0x[0-9a-f]+ in )?(\w+)", text, flags=re.M)

    def start(self, statements, settings):
        """Starts a process for statements, which are numbered."""
        lines = list(self.views)
        for number, sql in statements:
            lines += [sql, f"SELECT {number} AS \"{MARK}\""]
        words, environment = self.command(settings)
        process = subprocess.Popen(words, cwd=self.folder, env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                   stderr=subprocess.PIPE)
        process.script = (";\n".join(lines) + ";\n").encode()
        return process

    def finish(self, process):
        """(text on stdout, on stderr, exit status or None after a hang)"""
        try:
            patience = self.seconds + process.script.count(b"\n") / 40
            out, err = process.communicate(process.script, timeout=max(0.1, min(patience, self.end - time.monotonic())))
        except subprocess.TimeoutExpired:
            process.kill()
            out, err = process.communicate()
            return out.decode(errors="replace"), "", None
        return out.decode(errors="replace"), err.decode(errors="replace"), process.returncode

    def run(self, statements, settings):
        """{number: Outcome} of (number, SQL) pairs."""
        outcomes, rest, most, patience = {}, list(statements), len(statements), PATIENCE
        while rest:
            part, waiting = rest[:most], rest[most:]
            out, err, status = self.finish(self.start(part, settings))
            done = split_results(out, outcomes)
            left = [s for s in part if s[0] not in done]
            if left and time.monotonic() > self.end:
                outcomes.update((number, Outcome("not run")) for number, _ in left + waiting)
                break
            if not left:
                rest = waiting
                continue
            is_crash = status is None or status < 0 or "AddressSanitizer" in err or "runtime error:" in err
            if is_crash and len(part) > 1:
                # What was not written yet is lost with the process: the statements one by one.
                rest, most = left + waiting, 1
                continue
            outcomes[left[0][0]] = failure(err, status, is_crash)
            rest, most = left[1:] + waiting, len(statements)
            patience -= 8 if status is None else is_crash
            if patience <= 0:  # as when a setting brings down each statement
                outcomes.update((number, Outcome("not run")) for number, _ in rest)
                break
        return outcomes

    def one(self, sql, settings):
        return self.run([(0, sql)], settings)[0]


def failure(err, status, is_crash):
    if status is None:
        return Outcome("hang", text="took too long", status=-1)
    if is_crash:
        name = signal.Signals(-status).name if status < 0 else "sanitizer"
        return Outcome("crash", text=f"{name} {sanitizer_line(err)}".strip(), status=status)
    match = re.search(r"^error: (.*(?:\n(?!line \d+:|hint:).*)*)", err, flags=re.M)
    return Outcome("error", text=match.group(1).strip() if match else err.strip() or f"exit {status}", status=status)


def sanitizer_line(err):
    for line in err.splitlines():
        if "ERROR: AddressSanitizer" in line or "runtime error:" in line:
            return re.sub(r"0x[0-9a-f]+|==\d+==|pc .*", "", line)[:160].strip()
    return ""


def split_results(out, outcomes):
    """Takes the output apart at the marks; returns the numbers of the statements that are whole."""
    done, current = set(), []
    lines = out.split("\n")
    i = 0
    while i < len(lines):
        if lines[i] == MARK and i + 1 < len(lines) and lines[i + 1].isdigit() and i + 2 < len(lines):
            number = int(lines[i + 1])
            outcomes[number] = Outcome("rows", [[unescape(c) for c in line.split("\t")] if "\\" in line else line.split("\t") for line in current[1:]])
            done.add(number)
            current = []
            i += 2
            continue
        current.append(lines[i])
        i += 1
    return done
