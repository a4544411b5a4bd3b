#!/usr/bin/env python3
"""Makes the Parquet files of tests/data/doubtful: sound pages of the same six rows, below statistics that contradict
each other or the format. test_doubtful_statistics.c knows the rows.

Usage: make_doubtful_fixtures.py [FOLDER]     Needs: pyarrow (the files here: version 26.0.1)
"""
import os
import struct
import sys
import tempfile

import pyarrow as pa
import pyarrow.parquet as pq
from thrift_edit import BINARY, I32, I64, LIST, STRUCT, TRUE, File, Reader, get, put, struct_bytes

here = os.path.dirname(os.path.abspath(__file__))
folder = sys.argv[1] if len(sys.argv) > 1 else os.path.join(here, "../data/doubtful")

P, N, U, D, S, R, E = range(7)  # columns
MAX_OLD, MIN_OLD, NULLS, DISTINCT, MAX, MIN, MAX_EXACT, MIN_EXACT = range(1, 9)  # Statistics
NULL_PAGES, MINS, MAXES, ORDER, NULL_COUNTS = range(1, 6)  # ColumnIndex


def base(path, version):
    """Six rows in three pages, of version 1.0 or 2.0."""
    schema = pa.schema(
        [("p", pa.int32()), ("n", pa.int32()), ("u", pa.uint8()), ("d", pa.float64()), ("s", pa.string())]
        + [pa.field("r", pa.int64(), nullable=False), ("e", pa.int32())]
    )
    rows = {
        "p": [1, 2, 50, 50, 70, 80],
        "n": [1, None, None, None, 5, 6],
        "u": [1, 2, 3, 200, 250, 255],
        "d": [-1.5, 0.0, -0.0, 2.5, 3.0, 4.0],
        "s": ["a", "b", "c", "d", "e", "f"],
        "r": [10, 20, 30, 40, 50, 60],
        "e": [None] * 6,
    }
    pq.write_table(pa.table(rows, schema), path, max_rows_per_page=2, compression="none",
                   use_dictionary=False, write_page_index=True, store_schema=False,
                   data_page_version=version)


def i32(number):
    return struct.pack("<i", number)


def f64(number):
    return struct.pack("<d", number)


def statistics(column, changes):
    """The old pair of bounds goes, unless it is what changes."""
    def change(file):
        if not any(number in (MIN_OLD, MAX_OLD) for number, _, _ in changes):
            put(file.statistics(0, column), MIN_OLD, BINARY, None)
            put(file.statistics(0, column), MAX_OLD, BINARY, None)
        for number, kind, value in changes:
            put(file.statistics(0, column), number, kind, value)
    return change


def index(column, change_lists):
    def change(file):
        fields = file.index(0, column, 6)
        change_lists(fields)
        file.put_index(0, column, 6, fields)
    return change


def element(column, lists, page, value):
    def change_lists(fields):
        for number in lists:
            get(fields, number)[1][page] = value
    return index(column, change_lists)


def orders(count, order):
    def change(file):
        put(file.footer, 7, LIST, [STRUCT, [[[order, STRUCT, []]] for _ in range(count)]] if count else None)
    return change


def headers(columns, change_header):
    """Changes the page headers of columns in their places: their lengths must stay."""
    def change(file):
        for column in columns:
            for location in get(file.index(0, column, 4), 1)[1]:
                reader = Reader(file.body, get(location, 1))
                header, start = reader.struct(), get(location, 1)
                change_header(header)
                changed = struct_bytes(header)
                assert len(changed) == reader.at - start, (column, header)
                file.body = file.body[:start] + changed + file.body[reader.at :]
    return change


def both(*changes):
    def change(file):
        for one in changes:
            one(file)
    return change


def old_text_bounds(file):
    """In the order of signed bytes, and no order is declared."""
    orders(0, 1)(file)
    statistics(S, [(MIN, BINARY, b"c"), (MAX, BINARY, b"d"), (MAX_EXACT, TRUE, True), (MIN_EXACT, TRUE, True)])(file)


FILES = {
    "true": lambda file: None,
    # The footer's statistics.
    "nulls_unknown": statistics(N, [(NULLS, I64, None)]),
    "nulls_negative": statistics(N, [(NULLS, I64, -1)]),
    "nulls_beyond_rows": statistics(N, [(NULLS, I64, 7)]),
    "nulls_of_all_rows_beside_bounds": statistics(P, [(NULLS, I64, 6)]),
    "nulls_in_a_required_column": statistics(R, [(NULLS, I64, 2)]),
    "min_above_max": statistics(P, [(MIN, BINARY, i32(80)), (MAX, BINARY, i32(1)), (NULLS, I64, 6)]),
    "signed_bounds_of_unsigned": statistics(U, [(MIN, BINARY, i32(-56)), (MAX, BINARY, i32(3))]),
    "bound_beyond_type": statistics(U, [(MAX, BINARY, i32(256))]),
    "nan_min": statistics(D, [(MIN, BINARY, f64(float("nan"))), (MAX, BINARY, f64(2.5))]),
    "nan_max": statistics(D, [(MAX, BINARY, f64(float("nan"))), (MIN, BINARY, f64(3.0))]),
    "zeros_of_one_sign": statistics(D, [(MIN, BINARY, f64(-1.5))]),
    "short_bounds": statistics(P, [(MIN, BINARY, b"\x32"), (MAX, BINARY, b"\x32\0")]),
    "old_bounds_differ": statistics(P, [(MIN_OLD, BINARY, i32(60)), (MAX_OLD, BINARY, i32(80)), (MIN, BINARY, i32(60))]
                                    + [(MAX, BINARY, i32(70)), (MIN_EXACT, TRUE, None), (MAX_EXACT, TRUE, None)]),
    "cut_text_called_exact_without_order": old_text_bounds,
    "order_unknown": both(orders(7, 9), statistics(P, [(MIN, BINARY, i32(60)), (MAX, BINARY, i32(60))])),
    "orders_of_fewer_columns": both(orders(3, 1), statistics(P, [(MIN, BINARY, i32(60)), (MAX, BINARY, i32(60))])),
    "distinct_beyond_rows": statistics(P, [(DISTINCT, I64, 100)]),
    "distinct_none": statistics(P, [(DISTINCT, I64, 0)]),
    # The page index.
    "null_page_with_values": element(P, [NULL_PAGES], 1, True),
    "null_page_without_nulls": both(element(P, [NULL_PAGES], 1, True), element(P, [MINS, MAXES], 1, b"")),
    "null_page_of_required": both(element(R, [NULL_PAGES], 1, True), element(R, [MINS, MAXES], 1, b"")),
    "null_count_of_all_rows": element(P, [NULL_COUNTS], 1, 2),
    "null_count_beyond_rows": element(P, [NULL_COUNTS], 1, 200),
    "null_count_of_other_pages": both(element(N, [NULL_COUNTS], 0, 0), element(N, [NULL_COUNTS], 2, 0)),
    "page_min_above_max": both(element(P, [MINS], 1, i32(55)), element(P, [MAXES], 1, i32(45))),
    "pages_out_of_order": both(element(P, [MINS], 1, i32(75)), element(P, [MAXES], 1, i32(79))),
    "page_beyond_chunk": both(index(P, lambda fields: put(fields, ORDER, 5, 0)), element(P, [MINS, MAXES], 1, i32(90))),
    "one_page_less": index(P, lambda fields: [get(fields, number)[1].pop(1) for number in (1, 2, 3, 5)]),
    "without_null_counts": index(N, lambda fields: put(fields, NULL_COUNTS, LIST, None)),
    # Page headers: what reading does not need.
    "level_encoding_of_required": headers([R], lambda header: put(get(header, 5), 3, I32, -3)),
    "v2_nulls_negative": headers(range(7), lambda header: put(get(header, 8), 2, I32, -1)),
    "v2_nulls_beyond_rows": headers(range(7), lambda header: put(get(header, 8), 2, I32, 60)),
    "v2_rows_negative": headers(range(7), lambda header: put(get(header, 8), 3, I32, -1)),
}

os.makedirs(folder, exist_ok=True)
with tempfile.TemporaryDirectory() as scratch:
    for name, change in FILES.items():
        base(os.path.join(scratch, "base.parquet"), "2.0" if name.startswith("v2") else "1.0")
        file = File(os.path.join(scratch, "base.parquet"))
        change(file)
        file.write(os.path.join(folder, name + ".parquet"))
