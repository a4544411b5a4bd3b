"""Runs scenes and checks, judges them, and cuts failures down."""
import os
import random
import re
import shutil
import signal
import tempfile
import time
from collections import Counter
from dataclasses import dataclass, field

from ..oracle import OracleBroken, OracleError
from ..verdict import INTERNAL, Verdict, general
from . import MODULES, SCENE, WEIGHTS
from .choices import Choices, smaller
from .process import error_of, run_check
from .scene import CleanOracle, rows_differ
from .session import Session, can_share, key_of

MOST_REDUCED = 3  # failures of one kind that are cut down


@dataclass
class AreaCase:
    """A failing check, and the numbers that it is made of."""

    area: str
    of_scene: list
    of_check: list
    kind: str
    why: str
    seed: str
    check: object = None
    ran: object = None
    expected: list = field(default_factory=list)

    @property
    def key(self):
        """What tells a failure's cause from others."""
        return self.area, self.kind, general(self.why), self.check.covers[0] if self.kind in ("wrong", "crash", "hang") else ""


@dataclass
class Judged:
    verdict: Verdict
    check: object
    ran: object
    expected: list


def expected_rows(check, oracle):
    """(rows or None, what the oracle says)"""
    if not isinstance(check.rows, str):
        return check.rows, ""
    try:
        return oracle.rows(check.rows), ""
    except OracleBroken as error:
        return None, "oracle broken: " + str(error)
    except OracleError as error:
        return None, str(error)


def judge(check, ran, oracle):
    """(Verdict, expected rows)"""
    if ran.status is None:
        return Verdict("hang", "took too long"), None
    if check.interrupt is not None and ran.status == -signal.SIGINT:
        return Verdict("agree"), None
    if ran.status < 0 or "AddressSanitizer" in ran.said or "runtime error:" in ran.said:
        return Verdict("crash", f"signal {-ran.status}" if ran.status < 0 else "sanitizer"), None
    if ran.mebibytes > check.mebibytes and "AddressSanitizer" not in ran.said:
        return Verdict("wrong", "too much memory"), None
    if ran.status:
        return judge_error(check, ran, oracle)
    if check.error:
        return Verdict("wrong", "no error"), None
    expected, said = expected_rows(check, oracle)
    if expected is None and isinstance(check.rows, str):
        return Verdict("oracle fails", said), None
    return Verdict("wrong", why) if (why := why_wrong(check, ran, expected)) else Verdict("agree"), expected


def judge_error(check, ran, oracle):
    text = error_of(ran.said)
    if INTERNAL.search(text) and not (check.may_fail and re.search(check.may_fail, text)):
        return Verdict("internal", text), None
    if ran.said.count("error: ") > 1 and re.search(r"(?m)^error: (?:.|\n)*^error: ", ran.said):
        return Verdict("wrong", "more than one error"), None
    for pattern in (check.error, check.may_fail):
        if pattern and re.search(pattern, text):
            return Verdict("agree"), None
    expected, said = expected_rows(check, oracle)
    if isinstance(check.rows, str) and expected is None:
        return Verdict("both fail", text), None
    return Verdict("lone error", text), expected


def why_wrong(check, ran, expected):
    if check.names is not None and ran.names != check.names:
        return "other names of columns"
    why = rows_differ(ran.rows, expected, check.is_ordered) if expected is not None else ""
    return why or ""


SLOWER = 5  # a program with sanitizers, whose memory and stack say nothing


def has_sanitizers(program):
    with open(program, "rb") as file:
        return b"__asan_init" in file.read()


class Runner:
    """For one batch: failures are grouped by their key."""

    def __init__(self, program, known, reduce, deadline=float("inf"), given=()):
        self.program, self.known, self.reduce, self.deadline = program, known, reduce, deadline
        self.given = dict(pair.split("=", 1) for pair in given)  # settings of --set
        self.is_slow = has_sanitizers(program)
        self.seen = Counter()
        self.session = None  # of the scene at work

    def run(self, seed, count, only, result, note):
        """So many checks; result: the batch's; note(kind, message, example)."""
        rng, left = random.Random(f"areas {seed}"), count
        while left > 0 and time.monotonic() < self.deadline:
            area = only if only in MODULES else rng.choices(*zip(*WEIGHTS.items()))[0]
            size = min(left, SCENE.get(area, 50))
            self.scene(f"{seed}/{count - left}", area, size, rng, result, note)
            left -= size
        result.kinds["not run"] += left

    def scene(self, name, area, size, rng, result, note):  # pylint: disable=too-many-arguments
        module, of_scene = MODULES[area], Choices(rng)
        scene = module.scene(of_scene)
        folder = tempfile.mkdtemp(prefix="differential-area-")
        oracle = CleanOracle(scene)
        try:
            scene.write(folder)
            for number in range(size):
                if time.monotonic() > self.deadline:
                    result.kinds["not run"] += size - number
                    return
                of_check = Choices(rng)
                check = module.check(of_check, scene)
                judged = self.shared(check, folder, oracle)
                self.count(AreaCase(area, of_scene.made, of_check.made, judged.verdict.kind, judged.verdict.why, f"{name}+{number}", check,
                                    judged.ran, judged.expected), result, note)
        finally:
            self.end_session()
            oracle.close()
            shutil.rmtree(folder, ignore_errors=True)

    def end_session(self):
        if self.session:
            self.session.close()
            self.session = None

    def shared(self, check, folder, oracle):
        """As once(), by the session of the checks before where that can be; what fails there runs again alone."""
        self.prepare(check)  # --set may give a fault
        if not can_share(check):
            return self.once(check, folder, oracle)
        before = set(everything(folder))
        if self.session and self.session.key != key_of(check):
            self.end_session()
        session = self.session = self.session or Session(self.program, folder, check)
        ran = session.run(check, max(0.5, min(check.seconds, self.deadline - time.monotonic())))
        self.session = session if ran.status == 0 else None
        if ran.status is None and time.monotonic() >= self.deadline:
            return Judged(Verdict("not run"), check, ran, None)
        verdict, expected = self.verdict(check, ran, folder, oracle)
        clean(folder, before)
        if verdict.kind == "agree":
            return Judged(verdict, check, ran, expected)
        self.end_session()
        alone = self.once(check, folder, oracle)
        if alone.verdict.kind == "agree" and verdict.is_failure:
            said = ran.said if ran.status else verdict.why
            return Judged(Verdict("wrong", f"only in a session: {verdict.kind}: {said[:300]} after {' '.join(session.latest)[-1500:]}"), check, ran, expected)
        return alone

    def prepare(self, check):
        given = {name: value for name, value in self.given.items() if name not in check.without}
        check.settings = {name: value for name, value in {**check.settings, **given}.items() if name.isupper() or name in self.known}
        if "memory_limit" in check.settings and check.may_fail_within:
            check.may_fail = "|".join(filter(None, (check.may_fail, check.may_fail_within)))
        if self.is_slow:
            check.seconds, check.mebibytes = check.seconds * SLOWER, float("inf")
            check.limits = {name: number for name, number in check.limits.items() if name not in ("AS", "STACK")}

    @staticmethod
    def verdict(check, ran, folder, oracle):
        verdict, expected = judge(check, ran, oracle)
        if verdict.kind == "agree" and check.look:
            why = check.look(ran, folder)
            verdict = Verdict("wrong", why) if why else verdict
        return verdict, expected

    def once(self, check, folder, oracle):
        self.prepare(check)
        before = set(everything(folder))
        ran = run_check(self.program, folder, check, self.deadline)
        ran.after /= SLOWER if self.is_slow else 1
        if ran.status is None and time.monotonic() >= self.deadline:
            return Judged(Verdict("not run"), check, ran, None)
        verdict, expected = self.verdict(check, ran, folder, oracle)
        clean(folder, before)
        return Judged(verdict, check, ran, expected)

    def count(self, case, result, note):
        result.kinds[case.kind] += 1
        if case.kind == "agree":
            result.covered.update(("area " + case.area, name) for name in ("all", *case.check.covers))
            return
        verdict = Verdict(case.kind)
        if not verdict.is_failure:
            if case.kind != "not run":
                note((case.kind, f"{case.area}: {general(case.why)}"), f"{case.seed}: {case.check.text()[:300]}")
            return
        note((case.kind, f"{case.area}, {case.check.covers[0]}: {general(case.why)}"), f"{case.seed}: {case.check.text()[:300]}")
        self.seen[case.key] += 1
        if self.seen[case.key] > MOST_REDUCED or self.reduce <= 0:
            return
        case = self.cut_down(case) or case
        case.check.look = None  # a function does not go from one process to another
        result.cases.append(case)

    # ---- smaller ----

    def again(self, case, of_scene, of_check):
        """A case like this one of these numbers, or None."""
        module = MODULES[case.area]
        folder = tempfile.mkdtemp(prefix="differential-area-")
        oracle = None
        try:
            scene_choices, check_choices = Choices(given=of_scene), Choices(given=of_check)
            scene = module.scene(scene_choices)
            check = module.check(check_choices, scene)
            if case.kind == "hang":
                check.seconds = min(check.seconds, max(2, self.reduce / 3))
            scene.write(folder)
            oracle = CleanOracle(scene, 5)
            judged = self.once(check, folder, oracle)
            found = AreaCase(case.area, scene_choices.made, check_choices.made, judged.verdict.kind, judged.verdict.why, case.seed, check,
                             judged.ran, judged.expected)
            return found if found.key == case.key else None
        except Exception:  # pylint: disable=broad-except  # numbers that make no scene
            return None
        finally:
            if oracle:
                oracle.close()
            shutil.rmtree(folder, ignore_errors=True)

    def cut_down(self, case):
        end = min(time.monotonic() + self.reduce, self.deadline)
        best, is_smaller = None, True
        while is_smaller and time.monotonic() < end:
            is_smaller = False
            now = best or case
            tries = [(now.of_scene, check) for check in smaller(now.of_check)] + [(scene, now.of_check) for scene in smaller(now.of_scene)]
            for of_scene, of_check in tries:
                if time.monotonic() > end:
                    break
                found = self.again(case, of_scene, of_check)
                if found and weight(found) < weight(now):
                    best, is_smaller = found, True
                    break
        return best


def everything(folder):
    """Paths of what is in it, folders behind their files."""
    return [os.path.join(place, name) for place, folders, files in os.walk(folder, topdown=False) for name in files + folders]


def clean(folder, before):
    """Removes what was not in it before."""
    for path in everything(folder):
        if path not in before and path != os.path.join(folder, ".err"):
            remove(path)


def remove(path):
    if os.path.isdir(path) and not os.path.islink(path):
        os.rmdir(path)
    else:
        os.unlink(path)


def weight(case):
    return len(case.of_scene) + len(case.of_check), sum(case.of_scene) + sum(case.of_check)


# ---- reproductions ----

def shown(rows, most=8):
    if rows is None:
        return "any"
    lines = ["\t".join("NULL" if v is None else str(v) for v in row)[:500] for row in rows[:most]]
    return "\n".join(lines + ([f"... {len(rows)} rows"] if len(rows) > most else []))


def describe(case):
    check = case.check
    lines = [f"seed      {case.seed}", f"area      {case.area}: {', '.join(check.covers)}", f"failure   {case.kind}: {case.why[:600]}",
             f"settings  {check.settings}", f"words     {check.words} {check.before or ''}", f"statement {check.text()[:1500]}"]
    if check.limits:
        lines.append(f"limits    {check.limits}")
    if check.interrupt is not None:
        lines.append(f"SIGINT after {check.interrupt} s")
    if case.ran:
        lines += [f"status {case.ran.status}, {case.ran.seconds:.1f} s, {case.ran.after:.1f} s of processors after SIGINT, {case.ran.mebibytes:.0f} MiB", case.ran.said[:600], "got:", shown([case.ran.names] + case.ran.rows)]
    return "\n".join(lines + ["expected:", str(check.names or ""), shown(case.expected)]) + "\n"


def write_reproduction(case, path, program):
    """A folder with the files, the statements and a script."""
    shutil.rmtree(path, ignore_errors=True)
    os.makedirs(path)
    MODULES[case.area].scene(Choices(given=case.of_scene)).write(path)
    with open(os.path.join(path, "statement.sql"), "wb") as file:
        file.write(case.check.text().encode(errors="surrogateescape"))
    with open(os.path.join(path, "case.txt"), "w", encoding="utf-8", errors="surrogateescape") as file:
        file.write(describe(case) + f"numbers {case.of_scene} {case.of_check}\n")
    settings = case.check.settings
    words = [f"--set {k}={v}" for k, v in settings.items() if not k.isupper()] + [quoted(w) for w in case.check.words]
    variables = " ".join(f"{k}={v}" for k, v in settings.items() if k.isupper())
    before = "".join('"$program" ' + " ".join(quoted(w) for w in some) + " || exit 1\n" for some in case.check.before)
    script = os.path.join(path, "again")
    with open(script, "w", encoding="utf-8") as file:
        file.write("#!/bin/sh\n# Runs the statements again: again PROGRAM. What is expected is in case.txt.\n"
                   f'program=${{1:-{program}}}\ncd "$(dirname "$0")" || exit 2\n{before}'
                   f'exec env {variables} "$program" --format tsv {" ".join(words)} <statement.sql\n')
    os.chmod(script, 0o755)


def quoted(word):
    return "'" + word.replace("'", "'\\''") + "'"
