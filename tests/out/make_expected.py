#!/usr/bin/env python3
"""Writes expected/: a statement that makes the values of values.py, and what each way out makes of them. Python's own
library alone, so that the tests need no other engine where they run.

Usage: make_expected.py (OUT in the environment: another folder)
"""
import csv
import io
import json
import os

from values import COLUMNS, ROWS, cell

OUT = os.environ.get("OUT") or os.path.join(os.path.dirname(os.path.abspath(__file__)), "expected")
NAMES = [column.name for column in COLUMNS]


def literal(column, row):
    found = cell(column, row)
    text = "'" + found[0].replace("'", "''") + "'" if found else "NULL"
    return f"CAST({text} AS {column.sql_type})" if column.sql_type else text


def statement():
    rows = (",\n".join("(" + ", ".join(literal(column, row) for column in COLUMNS) + ")" for row in range(ROWS)))
    return f"CREATE VIEW every AS SELECT * FROM (VALUES\n{rows}) AS v ({', '.join(NAMES)});\n"


def text_of(column, row):
    found = cell(column, row)
    return found[1] if found else None


def quoted(text):
    """RFC 4180; NULL is nothing, so that an empty text has quotes."""
    if text is None:
        return ""
    needs = text == "" or any(c in text for c in ',"\r\n')
    return '"' + text.replace('"', '""') + '"' if needs else text


def csv_text():
    lines = [",".join(quoted(name) for name in NAMES)]
    lines += [",".join(quoted(text_of(column, row)) for column in COLUMNS) for row in range(ROWS)]
    text = "\n".join(lines) + "\n"
    # Python's reader agrees, but for NULL, which it takes for an empty text.
    read = list(csv.reader(io.StringIO(text, newline=""), strict=True))
    assert read == [NAMES] + [[text_of(c, row) or "" for c in COLUMNS] for row in range(ROWS)]
    return text


def escaped(text):
    if text is None:
        return "\\N"
    for c, escape in ("\\", "\\\\"), ("\t", "\\t"), ("\n", "\\n"), ("\r", "\\r"):
        text = text.replace(c, escape)
    return text


def tsv_text():
    lines = ["\t".join(NAMES)] + ["\t".join(escaped(text_of(c, row)) for c in COLUMNS) for row in range(ROWS)]
    return "\n".join(lines) + "\n"


def json_value(column, row):
    text = text_of(column, row)
    if text is None or (column.in_json == "bare" and text in ("NaN", "Infinity", "-Infinity")):
        return "null"
    if column.in_json != "quoted":
        assert json.loads(text) is not None
        return text
    # Beyond these two, JSON names no characters that a text may not hold as they are.
    return json.dumps(text, ensure_ascii=False).replace("\\r", "\\u000d")


def objects():
    return ["{" + ", ".join(f"{json.dumps(c.name)}: {json_value(c, row)}" for c in COLUMNS) + "}" for row in range(ROWS)]


def cells_text():
    """A line for each row of a table of what tables show as it is, values divided by tabs, NULL as nothing."""
    shown = [column for column in COLUMNS if column.name != "text"]
    return "".join("\t".join(text_of(c, row) or "" for c in shown) + "\n" for row in range(ROWS))


def api_text():
    """What the C interface says of each column and value: name, class; row, column, text as hexadecimal digits."""
    classes = {"bare": "number", "boolean": "boolean", "quoted": "other"}
    lines = [f"column {c.name} {classes[c.in_json]}" for c in COLUMNS]
    for row in range(ROWS):
        for c in COLUMNS:
            text = text_of(c, row)
            lines.append(f"{row} {c.name} " + ("NULL" if text is None else "x" + text.encode().hex()))
    return "\n".join(lines) + "\n"


def main():
    lines = objects()
    files = {
        "types.txt": "".join(f"{t}\n" for t in sorted({c.type_id for c in COLUMNS})),
        "columns.txt": "".join(f"{c.name} {'varchar' if not c.parquet else 'same'}\n" for c in COLUMNS),
        "every.sql": statement(),
        "every.csv": csv_text(),
        "every.tsv": tsv_text(),
        "every.json": "[" + ",\n ".join(lines) + "]\n",
        "every.jsonl": "\n".join(lines) + "\n",
        "every.cells": cells_text(),
        "every.api": api_text(),
    }
    os.makedirs(OUT, exist_ok=True)
    for name, text in files.items():
        with open(os.path.join(OUT, name), "w", newline="") as out:
            out.write(text)


main()
