#!/usr/bin/env python3
"""Writes conformance.txt: what the files of apache/parquet-testing hold, as pyarrow reads them.

    python3 make_conformance.py FOLDER > conformance.txt
    python3 make_conformance.py FOLDER FILE COLUMN     the column's values, to compare by eye

One line per flat column: file, column, rows, and the MD5 sum of the column's values as lines of text
as the program writes them as csv (NULL: an empty line). conformance.sh compares. Needs pyarrow.
"""
import datetime
import decimal
import hashlib
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


def columns(path):
    table = pq.read_table(path, coerce_int96_timestamp_unit="us")
    for name, column in zip(table.column_names, table.columns):
        if pa.types.is_nested(column.type):
            continue
        yield name, [text(v.as_py(), column.type) for v in column]


def main():
    folder = sys.argv[1]
    if len(sys.argv) == 4:
        for name, values in columns(os.path.join(folder, sys.argv[2])):
            if name == sys.argv[3]:
                print("\n".join(values))
        return
    print("# Written by make_conformance.py: file, column, rows, MD5 of the values as lines.")
    for name in sorted(os.listdir(folder)):
        if not name.endswith(".parquet") or "corrupt" in name:
            continue
        for column, values in columns(os.path.join(folder, name)):
            digest = hashlib.md5("".join(v + "\n" for v in values).encode()).hexdigest()
            print(name, column, len(values), digest, sep="\t")


main()
