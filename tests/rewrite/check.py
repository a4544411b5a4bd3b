#!/usr/bin/env python3
"""Rewrites a file of all types in each encoding and codec; pyarrow and DuckDB read every value.

Usage: check.py PROGRAM FOLDER
"""
import datetime
import decimal
import os
import subprocess
import sys

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq

ROWS = 5000
program, folder = sys.argv[1:]
source, target = (os.path.join(folder, name) for name in ("types.parquet", "types.out.parquet"))
day = datetime.datetime(1970, 1, 1)


def column(kind, make):
    """A column with every 7th value NULL and a run of NULLs."""
    return pa.array([None if i % 7 == 0 or 3000 <= i < 3600 else make(i) for i in range(ROWS)], kind)


def number(digits, scale):
    return lambda i: decimal.Decimal((-1 if i % 2 else 1) * (i * 7919 % 10**digits)).scaleb(-scale)


table = pa.table({
    "flag": column(pa.bool_(), lambda i: i % 3 == 0),
    "i8": column(pa.int8(), lambda i: i % 256 - 128),
    "i16": column(pa.int16(), lambda i: i * 7 - 16000),
    "i32": column(pa.int32(), lambda i: i * 400009 - 10**9),
    "i64": column(pa.int64(), lambda i: i * 10**15 - 2**60),
    "u8": column(pa.uint8(), lambda i: i % 256),
    "u16": column(pa.uint16(), lambda i: i * 13 % 65536),
    "u32": column(pa.uint32(), lambda i: i * 800009),
    "u64": column(pa.uint64(), lambda i: 2**64 - 1 - i),
    "f32": column(pa.float32(), lambda i: (i - 2500) / 8),
    "f64": column(pa.float64(), lambda i: i * 1e100 if i % 2 else -i / 7),
    "d9": column(pa.decimal128(9, 2), number(5, 2)),
    "d18": column(pa.decimal128(18, 4), number(18, 4)),
    "d38": column(pa.decimal128(38, 10), number(30, 10)),
    "d38_small": column(pa.decimal128(38, 10), number(9, 10)),
    "date": column(pa.date32(), lambda i: (day + datetime.timedelta(days=i * 7 - 9000)).date()),
    "time": column(pa.time64("us"), lambda i: (day + datetime.timedelta(microseconds=i * 17000001)).time()),
    "stamp": column(pa.timestamp("us"), lambda i: day + datetime.timedelta(seconds=i * 86399)),
    "stamp_tz": column(pa.timestamp("us", "UTC"), lambda i: day + datetime.timedelta(seconds=i * 86399)),
    "text": column(pa.string(), lambda i: f"naïve {i % 50} " * (i % 5)),
    "long": column(pa.string(), lambda i: f"{i:09d} is a number and this a text of some length"),
    "blob": column(pa.binary(), lambda i: bytes((i + k) % 256 for k in range(i % 20))),
    "nothing": pa.array([None] * ROWS, pa.int32()),
    "required": pa.array(range(ROWS), pa.int64()),
})
table = table.cast(pa.schema([f.with_nullable(f.name != "required") for f in table.schema]))
failures = passed = 0


def compare(name, expected, options):
    global failures, passed
    wanted = [f.name for f in expected.schema]
    subprocess.run([program, "rewrite", *options, source, target], check=True, stderr=subprocess.DEVNULL)
    arrow = pq.read_table(target)
    duck = duckdb.sql(f"SELECT * FROM '{target}'").to_arrow_table()
    for reader, got in ("pyarrow", arrow), ("duckdb", duck):
        bad = [c for c in wanted if not got[c].cast(expected[c].type).combine_chunks().equals(expected[c].combine_chunks())]
        if bad or got.num_rows != expected.num_rows:
            failures += 1
            print(f"{name}: {reader} reads other values of {bad}, {got.num_rows} rows")
        else:
            passed += 1


duckdb.sql("SET TimeZone = 'UTC'")
pq.write_table(table, source, row_group_size=1500)
for encoding in "v1 v2 plain dictionary delta delta_length delta_bytes split rle".split():
    for codec in "none snappy lz4_raw zstd(3) gzip brotli".split():
        for version in "12":
            compare(f"{encoding} {codec} v{version}", table,
                    ["--encoding", encoding, "--codec", codec, "--page-version", version,
                     "--row-group-rows", "2100", "--page-size", "4kB", "--bloom", "i64,long"])
for preset in "cpu", "gpu":
    compare(preset, table, ["--for", preset])
pq.write_table(table.slice(0, 0), source)
compare("empty", table.slice(0, 0), ["--for", "cpu"])
print(f"{passed} passed, {failures} failed")
sys.exit(failures > 0)
