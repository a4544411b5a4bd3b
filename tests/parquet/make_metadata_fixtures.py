#!/usr/bin/env python3
"""Makes the Parquet files of tests/data/metadata with pyarrow; test_parquet_metadata.c knows them.

Usage: make_metadata_fixtures.py [FOLDER]     Needs: pyarrow (the files here: version 26.0.1)
"""
import datetime
import decimal
import os
import sys

import pyarrow as pa
import pyarrow.parquet as pq

folder = sys.argv[1] if len(sys.argv) > 1 else os.path.join(os.path.dirname(os.path.abspath(__file__)), "../data/metadata")


def path(name):
    return os.path.join(folder, name)


def types():
    """One column per logical type; rows: lower, upper, NULL."""
    time = datetime.time
    stamp = datetime.datetime
    utc = datetime.timezone.utc
    columns = [
        ("boolean", pa.bool_(), False, True),
        ("int8", pa.int8(), -128, 127),
        ("int16", pa.int16(), -32768, 32767),
        ("int32", pa.int32(), -(2**31), 2**31 - 1),
        ("int64", pa.int64(), -(2**63), 2**63 - 1),
        ("uint8", pa.uint8(), 0, 255),
        ("uint16", pa.uint16(), 1, 65535),
        ("uint32", pa.uint32(), 2, 2**32 - 1),
        ("uint64", pa.uint64(), 3, 2**64 - 1),
        ("float16", pa.float16(), -1.5, 2.25),
        ("float", pa.float32(), -1.5, 2.25),
        ("double", pa.float64(), -1.5, 2.25),
        ("float_nan", pa.float32(), float("nan"), 7.0),
        ("decimal_9", pa.decimal128(9, 2), decimal.Decimal("-1234567.89"), decimal.Decimal("0.01")),
        ("decimal_38", pa.decimal128(38, 10), decimal.Decimal("-1.5"), decimal.Decimal(10) ** 27),
        ("date", pa.date32(), datetime.date(1969, 12, 31), datetime.date(2024, 2, 29)),
        ("time_ms", pa.time32("ms"), time(0, 0, 1), time(23, 59, 59, 999000)),
        ("time_us", pa.time64("us"), time(0, 0, 1), time(23, 59, 59, 999999)),
        ("time_ns", pa.time64("ns"), time(0, 0, 1), time(23, 59, 59, 999999)),
        ("timestamp_ms", pa.timestamp("ms"), stamp(1969, 1, 1), stamp(2024, 1, 1, 0, 0, 0, 1000)),
        ("timestamp_us", pa.timestamp("us"), stamp(1969, 1, 1), stamp(2024, 1, 1, 0, 0, 0, 1)),
        ("timestamp_ns", pa.timestamp("ns"), stamp(1969, 1, 1), stamp(2024, 1, 1, 0, 0, 0, 1)),
        ("timestamp_utc", pa.timestamp("us", "UTC"), stamp(1969, 1, 1, tzinfo=utc), stamp(2024, 1, 1, tzinfo=utc)),
        ("string", pa.string(), "", "h\u00e9"),
        ("binary", pa.binary(), b"\x00", b"\xff\x00"),
        ("fixed_5", pa.binary(5), b"aaaaa", b"\xffbbbb"),
    ]
    arrays = [pa.array([low, high, None], type) for _, type, low, high in columns]
    table = pa.table(arrays, names=[name for name, *_ in columns])
    pq.write_table(table, path("types.parquet"), store_schema=False, version="2.6")


def int96():
    table = pa.table({"t": pa.array([datetime.datetime(2001, 1, 1)], pa.timestamp("ns"))})
    pq.write_table(table, path("int96.parquet"), store_schema=False, use_deprecated_int96_timestamps=True)


def decimals():
    """A decimal in each of its physical forms but BYTE_ARRAY."""
    values = [decimal.Decimal("-1.23"), decimal.Decimal("4.56")]
    table = pa.table({f"d{p}": pa.array(values, pa.decimal128(p, 2)) for p in (5, 15, 25)})
    pq.write_table(table, path("decimals.parquet"), store_schema=False, store_decimal_as_integer=True)


def alike():
    names = ["value", "value", "Value", "value_1", "", "UserID"]
    pq.write_table(pa.Table.from_arrays([pa.array([i]) for i in range(len(names))], names=names), path("alike.parquet"),
                   store_schema=False)


def nested():
    point = pa.struct([pa.field("x", pa.int32(), nullable=False), pa.field("y", pa.int64())])
    schema = pa.schema(
        [
            pa.field("id", pa.int32(), nullable=False),
            pa.field("required_point", point, nullable=False),
            pa.field("optional_point", point),
            pa.field("numbers", pa.list_(pa.int32())),
            pa.field("words", pa.map_(pa.string(), pa.int64())),
        ]
    )
    rows = [
        {"id": 1, "required_point": {"x": 1, "y": 2}, "optional_point": None, "numbers": [1, 2], "words": [("a", 1)]},
        {"id": 2, "required_point": {"x": 3, "y": None}, "optional_point": {"x": 5, "y": 6}, "numbers": [], "words": []},
    ]
    pq.write_table(pa.Table.from_pylist(rows, schema), path("nested.parquet"), store_schema=False)


def pages():
    """1000 rows in pages of 100; column n is NULL throughout rows 300 to 399."""
    i = list(range(1000))
    table = pa.table(
        {
            "ascending": pa.array(i, pa.int64()),
            "n": pa.array([None if 300 <= x < 400 else (x * 37) % 1000 for x in i], pa.int32()),
            "s": pa.array([f"key-{x % 50:04d}" for x in i]),
        }
    )
    pq.write_table(
        table,
        path("pages.parquet"),
        store_schema=False,
        write_page_index=True,
        write_page_checksum=True,
        max_rows_per_page=100,
        row_group_size=1000,
    )


for make in (types, int96, decimals, alike, nested, pages):
    make()
