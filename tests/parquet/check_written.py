#!/usr/bin/env python3
"""Reads files that the Parquet writer made with pyarrow and DuckDB, and compares every value.

Usage: PISTACHIO_WRITTEN=DIR build/release/tests/test_parquet_writer && check_written.py DIR
Needs: pyarrow, duckdb. The formulas are those of tests/unit/parquet_sample.c.
"""
import datetime
import decimal
import glob
import os
import struct
import sys

import duckdb
import pyarrow.parquet as pq

ROWS = 5000
U64 = 2**64
decimal.getcontext().prec = 60


def signed(number, bits):
    number %= 2**bits
    return number - 2**bits if number >= 2 ** (bits - 1) else number


def text(i, is_blob):
    if is_blob:
        return bytes((250 + i + k) % 256 for k in range(i % 5))
    return f"name-{i % 100}" if i % 2 else chr(ord("y") - i % 20) * (i % 100) + str(i)


def number(i, factor, scale):
    return decimal.Decimal((-1 if i % 2 else 1) * i * factor).scaleb(-scale)


EPOCH = datetime.datetime(1970, 1, 1)
WIDE = 10**20 + 7


def micros(count):
    return EPOCH + datetime.timedelta(microseconds=count)


formulas = {
    "bool": lambda i: i % 3 == 0,
    "int8": lambda i: signed(i * 37, 8),
    "int16": lambda i: signed(i * 7919, 16),
    "int32": lambda i: signed(i * 2654435761, 32),
    "int64": lambda i: signed(i * 0x9E3779B97F4A7C15, 64),
    "uint8": lambda i: i * 37 % 256,
    "uint16": lambda i: i * 7919 % 65536,
    "uint32": lambda i: i * 2654435761 % 2**32,
    "uint64": lambda i: i * 0x9E3779B97F4A7C15 % U64,
    "float": lambda i: "nan" if i % 1000 == 5 else (i - 2000) / 8,
    "double": lambda i: (i * i - 500) / 16,
    "date": lambda i: (EPOCH + datetime.timedelta(days=i * 7 % 20000 - 1000)).date(),
    "time": lambda i: micros(i * 17000001).time(),
    "timestamp": lambda i: micros((i - 100) * 86399999001),
    "timestamp_tz": lambda i: micros((i - 100) * 86399999001).replace(tzinfo=datetime.timezone.utc),
    "varchar": lambda i: text(i, False),
    "blob": lambda i: text(i, True),
    "timestamp_ns": lambda i: (i - 100) * 86399999001,
    "decimal_9_2": lambda i: number(i, 1234, 2),
    "decimal_18_4": lambda i: number(i, 1234, 4),
    "decimal_25_4": lambda i: number(i, WIDE, 4),
    "decimal_38_10": lambda i: number(i, WIDE, 10),
    "null": lambda i: None,
}


def expected(column):
    kind, name = column.split("_", 1)
    values = [formulas[name](i) for i in range(ROWS)]
    if kind == "n":
        values = [None if i % 7 == 3 else v for i, v in enumerate(values)]
    return values + values[:77]


def plain(value):
    return "nan" if isinstance(value, float) and value != value else value


def bounds(values, name):
    present = [v for v in values if v is not None and v != "nan"]
    if name == "varchar":
        present = [v.encode() for v in present]
    return min(present, default=None), max(present, default=None)


def check_statistics(path, file, expectations):
    groups = [(0, ROWS), (ROWS, ROWS + 77)]
    for g, (first, last) in enumerate(groups):
        for c, name in enumerate(file.schema_arrow.names):
            statistics = file.metadata.row_group(g).column(c).statistics
            values = expectations[name][first:last]
            nulls = sum(v is None for v in values)
            assert statistics.null_count == nulls, (path, name, "null_count")
            low, high = bounds(values, name.split("_", 1)[1])
            if low is None:
                assert not statistics.has_min_max, (path, name)
                continue
            if name.endswith("timestamp_ns"):
                continue  # pyarrow needs pandas for these
            actual_low, actual_high = statistics.min, statistics.max
            if name.endswith("varchar"):
                actual_low, actual_high = actual_low.encode(), actual_high.encode()
                assert actual_low <= low and low.startswith(actual_low), (path, name)
                assert actual_high >= high and len(actual_high) <= 64, (path, name)
                continue
            assert (actual_low, actual_high) == (low, high), (path, name, actual_low, low, actual_high, high)


def check_file(path):
    file = pq.ParquetFile(path, page_checksum_verification=True)
    table = file.read()
    if os.path.basename(path) == "empty.parquet":
        assert table.num_rows == 0
        return 0
    expectations = {name: expected(name) for name in table.column_names}
    for name in table.column_names:
        column = table.column(name)
        if name.endswith("timestamp_ns"):
            column = column.cast("int64")
        actual = [plain(v) for v in column.to_pylist()]
        wanted = expectations[name]
        for row, (a, w) in enumerate(zip(actual, wanted)):
            assert a == w and type(a) == type(w), (path, name, row, a, w)
        assert len(actual) == len(wanted), (path, name)
    check_statistics(path, file, expectations)
    # DuckDB, with conditions that use statistics, page indexes and Bloom filters.
    con = duckdb.connect()
    con.execute("set timezone='UTC'")
    for name in table.column_names:
        kind = name.split("_", 1)[1]
        if "encoding_9" in path and kind.startswith(("decimal_25", "decimal_38")):
            continue  # DuckDB has no BYTE_STREAM_SPLIT of FIXED_LEN_BYTE_ARRAY
        expression = f'epoch_ns("{name}")' if kind == "timestamp_ns" else f'"{name}"'
        actual = con.execute(f"select {expression} from '{path}'").fetchall()
        for row, ((a,), w) in enumerate(zip(actual, expectations[name])):
            same = plain(a) == w or (isinstance(a, datetime.datetime) and a.timestamp() == w.timestamp())
            assert same, (path, name, row, a, w)
        if kind in ("int32", "int64", "varchar", "decimal_18_4", "decimal_25_4", "date", "uint64"):
            for row in (1, 77, 2500, 4999):
                w = expectations[name][row]
                if w is None:
                    continue
                count = con.execute(f'select count(*) from \'{path}\' where "{name}" = ?', [w]).fetchone()[0]
                assert count == expectations[name].count(w), (path, name, w, count)
    return len(table.column_names)


def main():
    paths = sorted(glob.glob(os.path.join(sys.argv[1], "*.parquet")))
    assert paths, "no files"
    for path in paths:
        print(f"{os.path.basename(path)}: {check_file(path)} columns equal")


main()
