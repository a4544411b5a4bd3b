#!/usr/bin/env python3
"""Makes the Parquet files of tests/data/other with pyarrow: what writers may leave in files that few of them do. other.sh
knows their rows.

Usage: make_other_fixtures.py [FOLDER]     Needs: pyarrow (the files here: version 26.0.1)
"""
import datetime
import decimal
import os
import sys

import pyarrow as pa
import pyarrow.parquet as pq
from thrift_edit import I32, TRUE, File, get, put

here = os.path.dirname(os.path.abspath(__file__))
folder = sys.argv[1] if len(sys.argv) > 1 else os.path.join(here, "../data/other")


def write(name, columns, **options):
    path = os.path.join(folder, name + ".parquet")
    os.makedirs(os.path.dirname(path), exist_ok=True)
    pq.write_table(pa.table(columns), path, store_schema=False, **options)
    return path


def texts(values):
    """A STRING column of these bytes, which need not be UTF-8."""
    return pa.Array.from_buffers(pa.string(), len(values), pa.array(values, pa.binary()).buffers())


BAD = [b"ok", b"\xff", b"caf\xe9 au lait", None, b"\xed\xa0\x80", b"\xf0\x9f\x98", b"a" * 40 + b"\x80", "é".encode(), b"\xfe"]
for encoding in ("PLAIN", "DELTA_LENGTH_BYTE_ARRAY", "DELTA_BYTE_ARRAY", "DICTIONARY"):
    is_coded = encoding == "DICTIONARY"
    for version in ("1.0", "2.0"):
        write(f"bad_text/{encoding.lower()}_{version[0]}", {"i": pa.array(range(len(BAD)), pa.int32()), "s": texts(BAD)},
              use_dictionary=is_coded, column_encoding=None if is_coded else {"i": "PLAIN", "s": encoding},
              data_page_version=version)
write("text", {"s": pa.array(["é", "abc", "漢字" * 20, None, "x" * 300, "\U0001f600"])}, use_dictionary=False)
path = write("bad_name", {"a": [1], "xx": [2]})
file = File(path)
for element in get(file.footer, 2)[1]:
    if get(element, 4) == b"xx":
        put(element, 4, 8, b"x\xff")
file.write(path)

wide = [decimal.Decimal("1.50"), None, decimal.Decimal(-10) ** 41 - decimal.Decimal("0.25"), decimal.Decimal(0)]
write("wide_decimal", {"x": pa.array(wide, pa.decimal256(60, 2)), "y": pa.array([1, 2, 3, 4])})
path = write("scale_beyond_precision", {"x": pa.array([decimal.Decimal("1.5")], pa.decimal128(9, 2)), "y": [7]})
file = File(path)
put(get(file.footer, 2)[1][1], 10, 12, None)
put(get(file.footer, 2)[1][1], 7, I32, 12)
file.write(path)

write("nulls/a", {"id": [1, 2], "note": pa.nulls(2)})
write("nulls/b", {"id": [3], "note": ["x"]})
time = datetime.datetime(2020, 1, 1, 1, 2, 3, 456789)
for unit in ("us", "ms", "ns"):
    write(f"units/{'bac'[('us', 'ms', 'ns').index(unit)]}", {"t": pa.array([time], pa.timestamp("us")).cast(pa.timestamp(unit), safe=False)})
write("types/a", {"k": pa.array([1], pa.int32()), "v": pa.array([10], pa.int32())})
write("types/b", {"v": ["20"], "k": pa.array([2], pa.int64())})
write("types/c", {"k": pa.array([3], pa.int16()), "v": ["many"]})

# fastparquet gives the elements of an empty list no type, and writes REQUIRED as a boolean.
file = File(write("untyped_list", {"k": pa.array([], pa.int32())}))
put(file.footer, 4, 9, [0, []])
file.write(os.path.join(folder, "untyped_list.parquet"))

path = write("required_as_boolean", pa.table({"k": [1, 2]}, pa.schema([pa.field("k", pa.int64(), nullable=False)])))
file = File(path)
put(get(file.footer, 2)[1][1], 3, TRUE, True)
file.write(path)

# NaT, as fastparquet writes it into a required column.
write("least_time", {"t": pa.array([0, -(2 ** 63)], pa.int64()).cast(pa.timestamp("ms"))})
