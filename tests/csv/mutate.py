#!/usr/bin/env python3
"""Changed and cut files of csv, JSON and Arrow: no crash, no row that is not in the file, memory within memory_limit.

mutate.py PROGRAM [CHANGES [CUTS [SEED [csv|json|arrow]]]]

Of each format CHANGES files (10,000) differ from a good one in one to eight places, and CUTS (1,000) end early. Rows of JSON
are those that Python's parser finds; values of csv stand in the file one after another; numbers and texts of Arrow files that
are not compressed are bytes of the file.
"""
import json
import os
import random
import struct
import subprocess
import sys
import tempfile

program = os.path.abspath(sys.argv[1])
changes, cuts, seed = (int(sys.argv[i + 2]) if len(sys.argv) > i + 2 else n for i, n in enumerate((10000, 1000, 37)))
draw = random.Random(seed)
LIMIT_MB, SLACK_MB, FILES_A_PROCESS = 64, 96, 50
with open(program, "rb") as binary:
    is_sanitized = b"__asan_init" in binary.read()
environment = {**os.environ, "ASAN_OPTIONS": "exitcode=99:detect_leaks=0", "UBSAN_OPTIONS": "halt_on_error=1:exitcode=99"}
passed, failed = 0, 0


def check(what, right, said):
    global passed, failed
    passed, failed = passed + bool(right), failed + (not right)
    if not right:
        print(f"failed: {what}: {said}"[:3000], flush=True)


def text_of(out):
    """Output, which is UTF-8 whatever the file has."""
    try:
        return out.decode()
    except UnicodeDecodeError as error:
        check("output is UTF-8", False, f"{error}: {out[max(error.start - 200, 0):error.start + 20]}")
        return out.decode("utf-8", "replace")


def ask(sql, folder):
    """Exit status, output and messages; the most memory in MB."""
    out, err = (open(os.path.join(folder, name), "w+b") for name in ("out", "err"))
    arguments = [program, "--format", "jsonl", "--set", f"memory_limit={LIMIT_MB}MB", "--set", "threads=1", "-c", sql]
    child = subprocess.Popen(arguments, cwd=folder, stdout=out, stderr=err, env=environment)
    _, code, usage = os.wait4(child.pid, 0)
    child.returncode = os.waitstatus_to_exitcode(code)
    out.seek(0), err.seek(0)
    return child.returncode, text_of(out.read()), err.read().decode("utf-8", "replace"), usage.ru_maxrss // 1024


# ---- files ----

CSV = "a,b,c\n" + "".join(
    f'{i},"{"x" * (i % 29)}{chr(10) + chr(34) * 2 + str(i) + chr(34) * 2 + "," if i % 5 == 0 else ""}",{i / 4}\n' for i in range(60))
JSON = "".join(json.dumps(row) + "\n" for i in range(60) for row in [
    {"a": i, "b": "x\u00e9" * (i % 9) + ("\n\"" if i % 7 == 0 else ""), "c": [i, {"d": None}] if i % 5 == 0 else i / 8, "e": i % 2 == 0,
     "g": {"l": [i, "x", None, [i]][:i % 5], "m": {"k": i, f"a key {i}": "\u00e9"} if i % 4 else None, "t": "y" * (i % 19)} if i % 6 else None}])
ARROW = ("select i as a, case when i % 3 > 0 then 'a text of some length ' || i end as b, i * 1.5::double as c, [i, i + 1] as d, "
         "{'x': i, 'y': 't' || i} as e, i % 2 = 0 as f from range(300) t(i)")
SPECIAL = b'",\n\r\\{}[]:-+.eE019tfnux \t\x00\x1f\x7f\x80\xc3\xed\xff'


def change(text, first):
    """The text with some changes from the byte `first` on."""
    text = bytearray(text)
    for _ in range(draw.randint(1, 8)):
        at = draw.randint(min(first, len(text)), len(text))
        length = draw.choice([1, 1, 2, 5, 40])
        kind = draw.randrange(6)
        if kind == 0 and at < len(text):
            text[at] ^= 1 << draw.randrange(8)
        elif kind == 1 and at < len(text):
            text[at] = draw.choice(SPECIAL)
        elif kind == 2:
            text[at:at] = bytes(draw.choice(SPECIAL) for _ in range(length))
        elif kind == 3:
            del text[at:at + length]
        elif kind == 4:
            text[at:at] = text[at:at + length]
        else:
            other = draw.randint(min(first, len(text)), len(text))
            text[at:at + length] = text[other:other + length]
    return bytes(text)


# ---- csv ----

def plain(text):
    return text.translate(None, b"\"'\\")


def csv_is_right(text, rows):
    """Values stand in the file one after another, but for quotes and escapes."""
    text, at = plain(text), 0
    for value in (value for row in rows for value in row.values() if value):
        value = plain(value.encode())
        at = text.find(value, at)
        if at < 0:
            return False
        at += len(value)
    return True


def csv_call(name):
    said = "header => true, delim => ',', quote => '\"', columns => {a: 'varchar', b: 'varchar', c: 'varchar'}, "
    return f"read_csv('{name}', {draw.choice([said, ''])}all_varchar => true, ignore_errors => true)"


# ---- JSON ----

def refuse(text):
    raise ValueError(text)


class Fields(list):
    """An object's fields."""


def json_row(line):
    """The record's row; None: it is left out."""
    try:
        record = json.loads(line.decode(), parse_constant=refuse, parse_int=lambda t: ("number", t), parse_float=lambda t: ("number", t),
                            object_pairs_hook=Fields)
        repr(record).encode()
        json.dumps(record, ensure_ascii=False).encode()
    except (ValueError, UnicodeError):
        return None
    row = {"a": None, "b": None, "c": None, "g": None}
    if not isinstance(record, Fields) or any([name for name, _ in record].count(column) > 1 for column in row):
        return None
    row.update((name, value) for name, value in record if name in row)
    return row if is_struct(row["g"]) else None


def is_struct(value):
    """Whether it is null or of the type that column g has."""
    if value is None:
        return True
    if not isinstance(value, Fields) or any([name for name, _ in value].count(field) > 1 for field in "lmt"):
        return False
    fields = dict(value)
    entries = fields.get("m")
    is_map = entries is None or (isinstance(entries, Fields) and len(dict(entries)) == len(entries))
    return is_map and (fields.get("l") is None or (isinstance(fields["l"], list) and not isinstance(fields["l"], Fields)))


def same_struct(wanted, got):
    if wanted is None or got is None:
        return wanted is got
    wanted = dict(wanted)
    elements, entries, text = (wanted.get(field) for field in "lmt")
    same_list = elements is got["l"] if elements is None or got["l"] is None else (
        len(elements) == len(got["l"]) and all(map(same_value, elements, got["l"])))
    same_map = entries is got["m"] if entries is None or got["m"] is None else (
        [name for name, _ in entries] == list(got["m"]) and all(same_value(value, got["m"][name]) for name, value in entries))
    return same_list and same_map and same_value(text, got["t"])


def same_value(wanted, got):
    if isinstance(wanted, tuple):
        return wanted[1] == got
    if isinstance(wanted, bool):
        return got == ("true" if wanted else "false")
    if isinstance(wanted, list):
        return got is not None and json_row(b'{"a":' + got.encode() + b"}")["a"] == wanted
    return wanted == got


def json_is_right(text, rows):
    lines = [line.lstrip(b" \t\v\f\r") for line in text.split(b"\n")]
    wanted = [row for row in (json_row(line) for line in lines if line) if row]
    return len(wanted) == len(rows) and all(
        (same_struct if name == "g" else same_value)(right[name], row[name]) for right, row in zip(wanted, rows) for name in right)


def json_call(name):
    return f"read_json('{name}', columns => {{a: 'varchar', b: 'varchar', c: 'varchar', g: 'struct(l varchar[], m map(varchar, varchar), t varchar)'}}, ignore_errors => true)"


# ---- Arrow ----

def leaves(value):
    if isinstance(value, dict):
        value = list(value.values())
    if isinstance(value, list):
        for item in value:
            yield from leaves(item)
    elif isinstance(value, (int, float, str)) and not isinstance(value, bool):
        yield value


def forms(value):
    """Bytes that the value may be: the file may say another type."""
    if isinstance(value, str):
        return [value.encode()]
    made = []
    for form in "<q", "<Q", "<i", "<I", "<h", "<H", "<b", "<B", "<d", "<f", "<e":
        try:
            made.append(struct.pack(form, value))
        except (struct.error, OverflowError):
            pass
    return made


def arrow_is_right(text, rows):
    return len(rows) <= 8 * len(text) and all(
        any(form in text for form in forms(value)) for row in rows for value in leaves(row))


def arrow_rows(out):
    """Rows; text that is not UTF-8 is told of before."""
    return [json.loads(line) for line in out.splitlines()]


def try_arrow(folder):
    good = {}
    for codec in ("none", "lz4", "zstd"):
        for ending in ("arrow", "arrows"):
            ask(f"copy ({ARROW}) to 'good.{ending}' (compression {codec})", folder)
            with open(os.path.join(folder, "good." + ending), "rb") as file:
                good[codec, ending] = file.read()
    for number in range(changes + cuts):
        codec, ending = draw.choice(list(good))
        text = good[codec, ending]
        text = change(text, 0) if number < changes else text[:draw.randrange(len(text))]
        name = "changed." + ending
        with open(os.path.join(folder, name), "wb") as file:
            file.write(text)
        code, out, err, memory = ask(f"from read_arrow('{name}')", folder)
        what = f"{name}, {codec}, number {number}"
        right = code in (0, 1) and "internal error" not in err and (is_sanitized or memory < LIMIT_MB + SLACK_MB)
        if right and code == 0 and codec == "none":
            right = arrow_is_right(text, arrow_rows(out))
        check(what, right, f"{code}, {memory} MB: {err or out[:500]}")
        if not right:
            keep(text, f"{number}.{ending}")


# ---- all ----

def keep(text, name):
    folder = os.environ.get("PISTACHIO_MUTATE_KEEP")
    if folder:
        with open(os.path.join(folder, name), "wb") as file:
            file.write(text)


def run_files(calls, folder):
    """What each call gives: its rows, or None after an error; one process for many, until one fails."""
    found, at = [], 0
    while at < len(calls):
        sql = "".join(f"select {i} as mark; from {calls[i]};\n" for i in range(at, len(calls)))
        code, out, err, memory = ask(sql, folder)
        rows = []
        for line in out.splitlines():
            row = json.loads(line)
            if list(row) == ["mark"]:
                rows.append([])
            else:
                rows[-1].append(row)
        if code not in (0, 1) or "internal error" in err or not (is_sanitized or memory < LIMIT_MB + SLACK_MB):
            found += [(item, None) for item in rows[:-1]] + [([], f"{code}, {memory} MB: {err}")]
        else:
            found += [(item, None) for item in rows[:-1]] + [(None if code else rows[-1], None)]
        at = len(found)
    return found


def try_text(folder, kind, good, first, call, is_right):
    texts = [change(good, first) for _ in range(changes)] + [good[:draw.randrange(len(good))] for _ in range(cuts)]
    for begin in range(0, len(texts), FILES_A_PROCESS):
        part = texts[begin:begin + FILES_A_PROCESS]
        for i, text in enumerate(part):
            with open(os.path.join(folder, f"{i}.{kind}"), "wb") as file:
                file.write(text)
        calls = [call(f"{i}.{kind}") for i in range(len(part))]
        for i, (rows, wrong) in enumerate(run_files(calls, folder)):
            right = not wrong and (rows is None or is_right(part[i], rows))
            check(f"{kind}, number {begin + i}, {calls[i]}", right, wrong or rows)
            if not right:
                keep(part[i], f"{begin + i}.{kind}")


kinds = sys.argv[5:] or ["csv", "json", "arrow"]
with tempfile.TemporaryDirectory() as work:
    if "csv" in kinds:
        try_text(work, "csv", CSV.encode(), 0, csv_call, csv_is_right)
    if "json" in kinds:
        try_text(work, "jsonl", JSON.encode(), JSON.index("\n") + 1, json_call, json_is_right)
    if "arrow" in kinds:
        try_arrow(work)
print(f"{passed} passed, {failed} failed, 0 skipped")
sys.exit(failed > 0)
