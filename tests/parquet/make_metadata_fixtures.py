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
from thrift_edit import I32, STRUCT, File, get, put

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


def values():
    """Lists, structs and maps with NULLs and empty ones, in small pages of version 2 and three row groups."""
    l = [[1, 2, None], None, [], [3], [None], [4, 5, 6, 7, 8, 9], [10], [], [11, None, 12]]
    t = [["a", "b c"], [], None, ["x,y", "it's", ""], ["null", None], [" a", "a=b", "[x]"], ["a text that does not lie in its view"], [None, None], ["\u00e4"]]
    s = [{"a": 1, "b": "x"}, None, {"a": None, "b": "y z"}, {"a": 4, "b": None}, {"a": None, "b": None}, {"a": 6, "b": ""}, None, {"a": 8, "b": "q"}, {"a": 9, "b": "x,y"}]
    m = [[("k", 1.5)], [], None, [("a", None), ("b c", 2.5)], [("", 0.5)], None, [("x=y", 3.5)], [], [("k", None)]]
    ls = [[{"x": 1, "l": [1, 2]}, {"x": None, "l": []}], [], None, [None, {"x": 4, "l": None}], [{"x": 5, "l": [None]}], [], None, [{"x": 8, "l": [8]}], [{"x": 9, "l": [9, 9, 9]}]]
    schema = pa.schema([pa.field("id", pa.int32()), pa.field("l", pa.list_(pa.int64())), pa.field("t", pa.list_(pa.string())),
                        pa.field("s", pa.struct([("a", pa.int32()), ("b", pa.string())])),
                        pa.field("m", pa.map_(pa.string(), pa.float64())),
                        pa.field("ls", pa.list_(pa.struct([("x", pa.int16()), ("l", pa.list_(pa.int8()))])))])
    table = pa.Table.from_arrays([pa.array(c, f.type) for c, f in zip([range(1, 10), l, t, s, m, ls], schema)], schema=schema)
    pq.write_table(table, path("values.parquet"), store_schema=False, row_group_size=4, data_page_size=16, write_batch_size=2,
                   data_page_version="2.0", use_dictionary=["t.list.element"])


def variant():
    """nested.parquet with groups that are said to be VARIANT, a type that is not read."""
    file = File(path("nested.parquet"))
    for element in get(file.footer, 2)[1]:
        if get(element, 4) in (b"optional_point", b"numbers", b"words"):
            put(element, 6, I32, None)
            put(element, 10, STRUCT, [[16, STRUCT, []]])
    file.write(path("variant.parquet"))


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


for make in (types, int96, decimals, alike, nested, values, variant, pages):
    make()
