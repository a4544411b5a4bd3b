"""Rows of two engines brought to one form, the program asked, and what it answers counted."""
import collections
import datetime
import decimal
import os
import re
import subprocess

SECONDS = 20


def number(text):
    try:
        value = float(text)
    except ValueError:
        return None
    return "%.7g" % (value + 0.0) if value == value else "nan"


def loose(text):
    """A list, struct or map without its quotes, and with numbers of one form; what else may be taken for one stays."""
    text = re.sub(r"['\"\\\\]", "", text).replace("=", ": ")
    return re.sub(r"(?<![\w.-])-?\d+\.\d+", lambda found: number(found[0]), text)


def map_entries(value):
    """Keys and values of a map whose keys are lists or structs, which Python gives as two lists; else None."""
    if list(value) != ["key", "value"] or not all(isinstance(value[part], list) for part in value):
        return None
    keys = value["key"]
    is_map = len(keys) == len(value["value"]) and any(isinstance(key, (list, dict)) for key in keys)
    return list(zip(keys, value["value"])) if is_map else None


def nested(value):
    """A list, struct or map as DuckDB prints it, but for quotes."""
    if isinstance(value, dict) and map_entries(value):
        return "{" + ", ".join(f"{nested(k)}: {nested(v)}" for k, v in map_entries(value)) + "}"
    if isinstance(value, dict):
        return "{" + ", ".join(f"{nested(k)}: {nested(v)}" for k, v in value.items()) + "}"
    if isinstance(value, (list, tuple)):
        left, right = "[]" if isinstance(value, list) else "()"
        return left + ", ".join(map(nested, value)) + right
    return "NULL" if value is None else str(value).lower() if isinstance(value, bool) else str(value)


def endless(value):
    """The text of an infinite date or timestamp, which Python has as its last and first one; else None."""
    bare = value.replace(tzinfo=None) if isinstance(value, datetime.datetime) else value
    return "infinity" if bare == type(bare).max else "-infinity" if bare == type(bare).min else None


def plain(value):
    """The text of a value that both engines' texts are brought to."""
    if value is None:
        return None
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, (list, dict, tuple)):
        return loose(nested(value))
    if isinstance(value, (int, float, decimal.Decimal)):
        return number(str(value))
    if isinstance(value, datetime.timedelta):
        rest = value.seconds + value.microseconds / 1e6
        return "interval %d %.6f" % (value.days, rest)
    if isinstance(value, (bytes, bytearray)):
        return "\\x" + value.hex()
    if isinstance(value, datetime.date) and endless(value):
        return endless(value)
    if isinstance(value, datetime.datetime):
        if value.tzinfo:
            value = value.astimezone(datetime.timezone.utc).replace(tzinfo=None)
        return moment(value.isoformat(sep=" "))
    text = str(value)
    return loose(text) if text[:1] in ("[", "{", "(") else number(text) or moment(text)


def moment(text):
    """Timestamps without zeros at the end."""
    found = re.fullmatch(r"(\d+-\d\d-\d\d)[ T](\d\d:\d\d:\d\d)(\.\d+)?(\+00(:00)?)?", text)
    if not found:
        return text
    return f"{found[1]} {found[2]}{(found[3] or '').rstrip('0').rstrip('.')}"


def interval(text):
    """The text of plain() for an interval, or None."""
    found = re.fullmatch(
        r"(?:(-?\d+) years? ?)?(?:(-?\d+) mons? ?)?(?:(-?\d+) days? ?)?(?:(-?)(\d+):(\d\d):(\d\d(?:\.\d+)?))?", text)
    if not found or not text:
        return None
    days = int(found[1] or 0) * 360 + int(found[2] or 0) * 30 + int(found[3] or 0)
    rest = int(found[5] or 0) * 3600 + int(found[6] or 0) * 60 + float(found[7] or 0)
    try:
        return plain(datetime.timedelta(days=days, seconds=-rest if found[4] else rest))
    except OverflowError:
        return None


def read_csv(text):
    """Rows of values; an empty one without quotes is None."""
    rows, row, at = [], [], 0
    while at < len(text):
        if text[at] == '"':
            value, at = [], at + 1
            while True:
                end = text.index('"', at)
                value.append(text[at:end])
                at = end + 1
                if text[at:at + 1] != '"':
                    break
                value.append('"')
                at += 1
            row.append("".join(value))
        else:
            end = at
            while text[end:end + 1] not in (",", "\n", ""):
                end += 1
            row.append(text[at:end] or None)
            at = end
        if text[at:at + 1] == "\n":
            rows.append(row)
            row = []
        at += 1
    return rows[1:]


def ask(program, folder, shared, query):
    """(rows, None) or (None, what the program says)."""
    command = [program, "--format", "csv", "--set", "threads=1"]
    for statement in shared:
        command += ["-c", statement]
    try:
        done = subprocess.run(command + ["-c", query] + ([folder] if os.listdir(folder) else []), capture_output=True, timeout=SECONDS,
                              stdin=subprocess.DEVNULL)
    except subprocess.TimeoutExpired:
        return None, "no answer within %d s" % SECONDS
    if done.returncode:
        return None, done.stderr.decode(errors="replace").strip() or "exit status %d" % done.returncode
    return read_csv(done.stdout.decode(errors="replace")), None


def without_arrays(rows, types):
    """Rows whose columns with lists of a fixed size, which Python gives as tuples, have lists: so the program has them."""
    def listed(value):
        if isinstance(value, dict):
            return {k: listed(v) for k, v in value.items()}
        return [listed(v) for v in value] if isinstance(value, (list, tuple)) else value

    has = [re.search(r"\[\d+\]", str(column)) for column in types]
    return [tuple(listed(v) if has[i] else v for i, v in enumerate(row)) for row in rows] if any(has) else rows


def same(expected, got):
    left = collections.Counter(tuple(plain(v) for v in row) for row in expected)
    got = [tuple(loose(v) if v and v[0] in "[{(" else v for v in row) for row in got]
    right = collections.Counter(tuple(None if v is None else number(v) or moment(v) for v in row) for row in got)
    if left == right:
        return True
    right = collections.Counter(
        tuple(None if v is None else number(v) or interval(v) or moment(v) for v in row) for row in got)
    return left == right


def reason(message):
    """A message without what is the statement's own."""
    text = next((line for line in message.split("\n") if "rror" in line or "no answer" in line), message.split("\n")[0])
    text = re.sub(r"^.*?error: ?", "", text)
    text = re.sub(r"line \d+, column \d+:? ?", "", text)
    return re.sub(r" at \d+:\d+", "", text)[:110]


class Tally:
    def __init__(self, details):
        self.agree = self.differ = self.refused = 0
        self.reasons = collections.Counter()
        self.details = details

    def note(self, path, query, outcome, text=""):
        if self.details:
            print(f"== {outcome} {path}\n{query}\n-- {text}", file=self.details)

    def take(self, path, query, expected, rows, message):
        if message is not None:
            self.refused += 1
            self.reasons[reason(message)] += 1
            self.note(path, query, "refused", message)
        elif same(expected, rows):
            self.agree += 1
        else:
            self.differ += 1
            self.note(path, query, "differs", f"{str(expected)[:400]}\n-- {str(rows)[:400]}")

    def report(self, reasons):
        total = self.agree + self.differ + self.refused
        print(f"{total} statements: {self.agree} agree ({100 * self.agree / max(total, 1):.1f}%), "
              f"{self.differ} differ, {self.refused} are refused")
        for text, count in self.reasons.most_common(reasons):
            print(f"{count:6} {text}")
