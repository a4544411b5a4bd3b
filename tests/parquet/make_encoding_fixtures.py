#!/usr/bin/env python3
"""Makes the Parquet files of tests/data/encodings: sound files whose row groups, or files, store one
column in different ways. Needs pyarrow. The tests in tests/sql read them (blocks `files`)."""
import os
import shutil

import pyarrow as pa
import pyarrow.parquet as pq

OUT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "data", "encodings")


def write(name, groups, schema, **options):
    path = os.path.join(OUT, name)
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with pq.ParquetWriter(path, schema, store_schema=False, **options) as writer:
        for columns in groups:
            arrays = [pa.array(values, field.type) for values, field in zip(columns, schema)]
            writer.write_table(pa.table(arrays, schema=schema))


def blobs(texts):
    return [None if text is None else text.encode() for text in texts]


def null_dictionaries():
    """Text and blobs of which one row group has only NULLs: its dictionary page has 0 values. One
    file has nothing else. In every codec and both versions of pages."""
    schema = pa.schema([("s", pa.string()), ("b", pa.binary()), ("i", pa.int32()), ("v", pa.float64())])
    for codec in ("none", "snappy", "gzip", "brotli", "zstd", "lz4"):
        for version in ("1.0", "2.0"):
            groups = []
            for first, texts in enumerate((["a", None, "b"], [None, None], ["c", "a"], [None], ["b", "d"])):
                numbers = [None if text is None else first * 10 + at for at, text in enumerate(texts)]
                groups.append((texts, blobs(texts), numbers, [n and n / 2 for n in numbers]))
            write(f"null_dictionary/{codec}_v{version[0]}.parquet", groups, schema, compression=codec,
                  data_page_version=version)
    write("only_nulls.parquet", [([None, None], [None, None], [None, None], [0, 1.5])], schema)


def mixed():
    """A text column that is a dictionary's with NULLs in some files, and plain in others."""
    schema = pa.schema([("s", pa.string()), ("t", pa.string()), ("v", pa.float64())])
    write("mixed/p0.parquet", [(["a", None], ["x", "y"], [0, 1.5])], schema)
    write("mixed/p1.parquet", [(["b", "c"], ["x", None], [0, 1.5])], schema, use_dictionary=False)
    write("mixed/p2.parquet", [([None, "a"], [None, None], [None, 1.5])], schema)
    write("mixed/p3.parquet", [(["a", None], ["x", "y"], [0, 1.5])], schema, use_dictionary=False)
    write("mixed/p4.parquet", [(["b", "d"], ["x", "y"], [0, 1.5])], schema, use_dictionary=["t"])


def late_dictionaries():
    """Text that is plain in the first file and a dictionary's in the next ones."""
    schema = pa.schema([("k", pa.float64()), ("s", pa.string())])
    for number in range(3):
        keys = [None if at % 4 == 0 else at % 7 for at in range(20)]
        texts = [f"w{at % 6}" for at in range(20)]
        write(f"late_dictionary/p{number}.parquet", [(keys, texts)], schema, use_dictionary=number > 0)


def empty_row_groups():
    """Row groups without rows, first, last and between others."""
    schema = pa.schema([("i", pa.int32()), ("s", pa.string())])
    nothing = ([], [])
    write("empty_row_groups.parquet", [nothing, ([1, 2], ["x", None]), nothing, nothing, ([3], ["y"]), nothing],
          schema)
    write("no_rows.parquet", [nothing], schema)


def required_and_optional():
    """A column that cannot be NULL in one file, and is in another one of the table."""
    key = pa.field("k", pa.int64())
    required = pa.schema([key, pa.field("c", pa.int32(), nullable=False), pa.field("s", pa.string(), nullable=False)])
    optional = pa.schema([key, pa.field("c", pa.int32()), pa.field("s", pa.string())])
    write("required_first/p0.parquet", [([1], [1], ["a"])], required)
    write("required_first/p1.parquet", [([2, 3], [None, 3], [None, "c"])], optional)
    write("required_last/p0.parquet", [([2, 3], [None, 3], [None, "c"])], optional)
    write("required_last/p1.parquet", [([1], [1], ["a"])], required)


shutil.rmtree(OUT, ignore_errors=True)
null_dictionaries()
mixed()
late_dictionaries()
empty_row_groups()
required_and_optional()
