#!/usr/bin/env python3
"""Writes conformance.txt: what the files of apache/parquet-testing hold, as pyarrow reads them.

    python3 make_conformance.py FOLDER > conformance.txt
    python3 make_conformance.py FOLDER FILE COLUMN     the column's values, to compare by eye

One line per column: file, column, rows, and the MD5 sum of the column's values as lines of text
as the program writes them as csv (NULL: an empty line); of a list, struct or map as it writes them as jsonl, and the
word jsonl behind it. conformance.sh compares. Needs pyarrow.
"""
import datetime
import decimal
import hashlib
import json
import math
import os
import sys

import pyarrow as pa
import pyarrow.parquet as pq


def short(value, digits_type):
    """The shortest text that reads back as the same number, as printf's %g would lay it out."""
    if math.isnan(value):
        return "NaN"
    if math.isinf(value):
        return "Infinity" if value > 0 else "-Infinity"
    for precision in range(1, 18):
        text = "%.*g" % (precision, value)
        if digits_type(text) == digits_type(value):
            return text
    return repr(value)


def as_float32(value):
    import struct
    return struct.unpack("f", struct.pack("f", float(value)))[0]


def text(value, kind):
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float) or pa.types.is_floating(kind):
        return short(float(value), float if kind == pa.float64() else as_float32)
    if isinstance(value, bytes):
        return "\\x" + value.hex()
    if isinstance(value, decimal.Decimal):
        return format(value, "f")
    if isinstance(value, datetime.datetime):
        fraction = (".%06d" % value.microsecond).rstrip("0") if value.microsecond else ""
        return value.strftime("%Y-%m-%d %H:%M:%S") + fraction
    value = str(value)
    if any(c in value for c in ',"\n\r'):
        value = '"' + value.replace('"', '""') + '"'
    return value


def json_text(value, kind):
    if value is None:
        return "null"
    if pa.types.is_map(kind):
        pairs = [(json_text(k, kind.key_type), json_text(v, kind.item_type)) for k, v in value]
        return "{" + ", ".join((k if k[0] == '"' else json.dumps(k)) + ": " + v for k, v in pairs) + "}"
    if pa.types.is_struct(kind):
        return "{" + ", ".join(json.dumps(f.name) + ": " + json_text(value[f.name], f.type) for f in kind) + "}"
    if pa.types.is_nested(kind):
        return "[" + ", ".join(json_text(v, kind.value_type) for v in value) + "]"
    if isinstance(value, str):
        return json.dumps(value, ensure_ascii=False)
    plain = text(value, kind)
    is_number = isinstance(value, (bool, int, float, decimal.Decimal))
    return plain if is_number else json.dumps(plain)


def columns(path):
    table = pq.read_table(path, coerce_int96_timestamp_unit="us")
    for name, column in zip(table.column_names, table.columns):
        if pa.types.is_nested(column.type):
            yield name, ["{" + json.dumps(name) + ": " + json_text(v.as_py(), column.type) + "}" for v in column], "jsonl"
        else:
            yield name, [text(v.as_py(), column.type) for v in column], None


def main():
    folder = sys.argv[1]
    if len(sys.argv) == 4:
        for name, values, _ in columns(os.path.join(folder, sys.argv[2])):
            if name == sys.argv[3]:
                print("\n".join(values))
        return
    print("# Written by make_conformance.py: file, column, rows, MD5 of the values as lines.")
    for name in sorted(os.listdir(folder)):
        if not name.endswith(".parquet") or "corrupt" in name:
            continue
        for column, values, form in columns(os.path.join(folder, name)):
            digest = hashlib.md5("".join(v + "\n" for v in values).encode()).hexdigest()
            print(name, column, len(values), digest, *([form] if form else []), sep="\t")


main()
