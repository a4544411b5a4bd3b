#!/usr/bin/env python3
"""The oddities of csv and JSON files, as DuckDB reads them: against_duckdb.py

Each block of csv_oddities.txt and json_oddities.txt is read by DuckDB, too, and has the same rows, but for what its description
says of DuckDB in parentheses and for what docs/FILES.md lists ("What differs from DuckDB"). Needs duckdb from PyPI, else it is
skipped.
"""
import datetime
import decimal
import json
import os
import re
import sys
import tempfile
import uuid

try:
    import duckdb
except ImportError:
    print("skipped: duckdb is not installed")
    sys.exit(77)

HERE = os.path.dirname(os.path.abspath(__file__))


def blocks_of(path):
    for block in re.split(r"^# ", open(path, encoding="utf-8").read(), flags=re.M)[1:]:
        what, *lines = block.rstrip("\n").split("\n")
        fields = dict(line.split(": ", 1) for line in lines if re.match("(args|file|columns|error): ", line))
        rows = [json.loads(line) for line in lines if line.startswith("{")]
        yield what, fields, rows


def plain(value):
    """A value as the program's JSON has it, or near enough."""
    if isinstance(value, datetime.time):
        return re.sub(r"(\.\d*?)0+$", r"\1", str(value))
    if isinstance(value, (datetime.date, uuid.UUID, datetime.timedelta)):
        return str(value)
    if isinstance(value, (int, float, decimal.Decimal)) and not isinstance(value, bool):
        return float(value)
    if isinstance(value, str):
        try:
            return float(value)
        except ValueError:
            return value
    return value


def same(wanted, got):
    """Whether a value is DuckDB's; its JSON comes as a text."""
    if isinstance(got, dict) and isinstance(wanted, dict):
        return [str(key) for key in got] == list(wanted) and all(same(wanted[str(key)], value) for key, value in got.items())
    if isinstance(got, list) and isinstance(wanted, list):
        return len(got) == len(wanted) and all(map(same, wanted, got))
    if isinstance(got, str) and (not isinstance(wanted, str) or wanted != got):
        try:
            return wanted == json.loads(got) or plain(wanted) == plain(got)
        except ValueError:
            pass
    wanted, got = plain(wanted), plain(got)
    if isinstance(wanted, str) and isinstance(got, str):
        return wanted.replace("T", " ")[:19] == got.replace("T", " ")[:19]
    return wanted == got or (wanted != wanted and got != got)


def read(kind, path, args):
    """DuckDB's rows; a text: why there are none."""
    try:
        result = duckdb.connect().sql(f"from read_{kind}('{path}'{args})")
        return [dict(zip(result.columns, row)) for row in result.fetchall()]
    except duckdb.Error as error:
        return str(error).split("\n", maxsplit=1)[0]


def agree(fields, wanted, got):
    if "error" in fields or isinstance(got, str):
        return "error" in fields and isinstance(got, str)
    return len(wanted) == len(got) and all(
        list(ours) == list(theirs) and all(same(ours[name], theirs[name]) for name in ours) for ours, theirs in zip(wanted, got))


agreeing, known, failed = 0, 0, 0
with tempfile.TemporaryDirectory() as work:
    for kind in ("csv", "json"):
        for number, (what, fields, rows) in enumerate(blocks_of(os.path.join(HERE, kind + "_oddities.txt"))):
            path = os.path.join(work, f"{number}.{kind}")
            with open(path, "wb") as out:
                # pylint: disable=eval-used
                out.write(eval("b" + fields["file"]))
            got = read(kind, path, fields.get("args", ""))
            is_known = "(DuckDB" in what
            right = agree(fields, rows, got)
            agreeing, known, failed = agreeing + right, known + (is_known and not right), failed + (is_known == right)
            if is_known == right:
                print(f"failed: {kind}: {what}: {rows}, but {got}")
print(f"{agreeing} of {agreeing + known + failed} as DuckDB {duckdb.__version__} has them, {known} said to differ")
print(f"{agreeing + known} passed, {failed} failed, 0 skipped")
sys.exit(failed > 0)
