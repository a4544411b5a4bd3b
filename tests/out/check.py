#!/usr/bin/env python3
"""Reads each file of a folder with pyarrow, Python or DuckDB, and compares every value with values.py.

Usage: check.py FOLDER. Prints what differs.
"""
import csv
import glob
import json
import math
import os
import sys
import uuid

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq

from values import COLUMNS, ROWS, cell

folder = sys.argv[1]


def same(got, expected):
    if isinstance(expected, float) and got is not None:
        return math.isnan(got) if math.isnan(expected) else got == expected and math.copysign(1, got) == math.copysign(1, expected)
    return got == expected


def compare(name, column, got, expected):
    for row in range(ROWS):
        if not same(got[row], expected[row]):
            print(f"{name}: column {column.name}, row {row}: {got[row]!r}, not {expected[row]!r}")


def stored(column, row):
    found = cell(column, row)
    return None if not found else found[2] if column.parquet else found[1]


def arrow_values(array):
    """As values.py has them: times as numbers of days or units."""
    if pa.types.is_temporal(array.type):
        wide = pa.types.is_timestamp(array.type) or pa.types.is_time64(array.type)
        array = array.cast(pa.int64() if wide else pa.int32())
    return array.to_pylist()


def check_table(name, table):
    if table.column_names != [column.name for column in COLUMNS] or table.num_rows != ROWS:
        print(f"{name}: has columns {table.column_names} and {table.num_rows} rows")
        return
    for column in COLUMNS:
        array = table[column.name]
        if column.type_id == "TYPE_UUID" and pa.types.is_string(array.type):  # DuckDB's
            array = pa.chunked_array([[text and uuid.UUID(text).bytes for text in array.to_pylist()]], pa.binary(16)).cast(pa.uuid())
        if str(array.type) != (column.parquet or "string"):
            print(f"{name}: column {column.name} is of type {array.type}")
        compare(name, column, arrow_values(array), [stored(column, row) for row in range(ROWS)])


def text_of(column, row):
    found = cell(column, row)
    return found[1] if found else None


def check_lines(name, rows):
    """Rows of text."""
    for number, column in enumerate(COLUMNS):
        compare(name, column, [row[number] for row in rows], [text_of(column, row) for row in range(ROWS)])


def json_of(column, row):
    found = cell(column, row)
    if found is None or column.in_json == "quoted":
        return found and found[1]
    return None if found[1] in ("NaN", "Infinity", "-Infinity") else found[1] if column.in_json == "bare" else found[2]


def check_objects(name, objects):
    for column in COLUMNS:
        compare(name, column, [o[column.name] for o in objects], [json_of(column, row) for row in range(ROWS)])


def numbers_as_text(text):
    return json.loads(text, parse_float=str, parse_int=str)


def check_json(name, path):
    with open(path, newline="") as source:
        lines = source.read()
    check_objects(name, numbers_as_text(lines) if name.endswith(".json") else [numbers_as_text(line) for line in lines.splitlines()])


def unescape(text):
    if text == "\\N":
        return None
    result, at = "", 0
    while at < len(text):
        if text[at] == "\\":
            at += 1
            result += {"t": "\t", "n": "\n", "r": "\r", "\\": "\\"}[text[at]]
        else:
            result += text[at]
        at += 1
    return result


def check_file(path):
    name = os.path.basename(path)
    if name.endswith(".parquet"):
        check_table(f"{name} by pyarrow", pq.read_table(path))
        check_table(f"{name} by DuckDB", duckdb.sql(f"SELECT * FROM '{path}'").to_arrow_table())
    elif name.endswith(".csv"):
        options = "all_varchar=true, header=true, delim=',', quote='\"', escape='\"', auto_detect=false, allow_quoted_nulls=false"
        columns = "{" + ", ".join(f"'{c.name}': 'VARCHAR'" for c in COLUMNS) + "}"
        check_lines(f"{name} by DuckDB", duckdb.sql(f"SELECT * FROM read_csv('{path}', {options}, columns={columns})").fetchall())
        with open(path, newline="") as source:
            rows = list(csv.reader(source, strict=True))[1:]
        for number, column in enumerate(COLUMNS): # whose NULL is an empty text
            compare(f"{name} by Python", column, [row[number] for row in rows], [text_of(column, row) or "" for row in range(ROWS)])
    elif name.endswith(".tsv"):
        with open(path, newline="") as source:
            check_lines(name, [[unescape(text) for text in line.split("\t")] for line in source.read().split("\n")[1:-1]])
    elif name.endswith((".json", ".jsonl")):
        check_json(name, path)
    else:
        print(f"{name}: no reader is known for it")


duckdb.sql("SET TimeZone = 'UTC'")
for path in sorted(glob.glob(os.path.join(folder, "*"))):
    check_file(path)
