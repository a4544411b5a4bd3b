#!/usr/bin/env python3
"""Makes the Parquet files of tests/data/parquet with other engines' writers, and what is in them.

Usage: make_fixtures.py [DIR_OF_PARQUET_TESTING]
Needs: pyarrow, duckdb, numpy. With the folder of the public parquet-testing files, their expected
values are made too, as pyarrow or DuckDB reads them.

files.txt names each file and the text that its values are in: a line of column names, then a line
per row, values separated by tabs: integers, unscaled decimals, days, units of times; the bits of
floats; x and hexadecimal bytes of texts; - for NULL. Long texts of public files are kept as a hash
(FNV-1a, 64 bits) in files.txt instead.
"""
import decimal
import math
import os
import struct
import sys

import duckdb
import numpy
import pyarrow as pa
import pyarrow.parquet as pq

HERE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "data")
OUT = os.path.join(HERE, "parquet")
ROWS = 300
names = []


def bits(number, is_float):
    if math.isnan(number):
        return "nan"
    return str(struct.unpack("<I" if is_float else "<Q", struct.pack("<f" if is_float else "<d", number))[0])


def column_text(column):
    kind = column.type
    if pa.types.is_float16(kind):
        column, kind = pa.chunked_array([pa.array([None if v is None else float(v) for v in column.to_pylist()], pa.float32())]), pa.float32()
    if pa.types.is_dictionary(kind):
        column = column.cast(kind.value_type)
        kind = column.type
    if pa.types.is_timestamp(kind):
        if kind.unit in ("s", "ms"):
            column = column.cast(pa.timestamp("us", kind.tz))
        values = column.cast(pa.int64()).to_pylist()
    elif pa.types.is_time(kind):
        scale = {"s": 1000000, "ms": 1000, "us": 1, "ns": -1000}[kind.unit]
        values = column.cast(pa.int32() if kind.bit_width == 32 else pa.int64()).to_pylist()
        values = [v if v is None else v * scale if scale > 0 else v // -scale for v in values]
    elif pa.types.is_date(kind):
        values = column.cast(pa.date32()).cast(pa.int32()).to_pylist()
    else:
        values = column.to_pylist()
    result = []
    for v in values:
        if v is None:
            result.append("-")
        elif pa.types.is_boolean(kind):
            result.append("1" if v else "0")
        elif pa.types.is_floating(kind):
            result.append(bits(v, kind == pa.float32()))
        elif pa.types.is_decimal(kind):
            result.append(str(int(v.scaleb(kind.scale, decimal.Context(prec=80)))))
        elif isinstance(v, str):
            result.append("x" + v.encode().hex())
        elif isinstance(v, bytes):
            result.append("x" + v.hex())
        else:
            result.append(str(v))
    return result


def table_text(table):
    columns = [column_text(table.column(i)) for i in range(table.num_columns)]
    lines = [table.column_names] + list(zip(*columns))
    return "".join("\t".join(line) + "\n" for line in lines)


def write_text(table, name):
    with open(os.path.join(OUT, name + ".txt"), "w") as out:
        out.write(table_text(table))


def fnv(text):
    number = 0xCBF29CE484222325
    for byte in text.encode():
        number = (number ^ byte) * 0x100000001B3 % 2**64
    return number


def add(name, text=None):
    names.append(f"{name} {text or name}")


def make_table():
    def column(kind, make, every=7):
        required = pa.array([make(i) for i in range(ROWS)], kind)
        optional = pa.array([None if i % every == 3 or 100 <= i < 140 else make(i) for i in range(ROWS)], kind)
        return required, optional

    def wide(i):
        return (-1 if i % 2 else 1) * i * (10**20 + 7)

    def text(i):
        return "name-%d" % (i % 20) if i % 3 else "a longer text that is shared %d" % (i % 10) * (i % 3 + 1)

    kinds = {
        "bool": (pa.bool_(), lambda i: i % 3 == 0),
        "int8": (pa.int8(), lambda i: i * 37 % 256 - 128),
        "int16": (pa.int16(), lambda i: i * 7919 % 65536 - 32768),
        "int32": (pa.int32(), lambda i: (i * 2654435761) % 2**32 - 2**31),
        "int64": (pa.int64(), lambda i: (i * 0x9E3779B97F4A7C15) % 2**64 - 2**63),
        "small": (pa.int64(), lambda i: 1000 + i % 11),
        "uint8": (pa.uint8(), lambda i: i * 37 % 256),
        "uint16": (pa.uint16(), lambda i: i * 7919 % 65536),
        "uint32": (pa.uint32(), lambda i: i * 2654435761 % 2**32),
        "uint64": (pa.uint64(), lambda i: i * 0x9E3779B97F4A7C15 % 2**64),
        "half": (pa.float16(), lambda i: numpy.float16((i - 150) / 4 if i % 9 else -0.0)),
        "float": (pa.float32(), lambda i: math.nan if i % 100 == 5 else (i - 150) / 8),
        "double": (pa.float64(), lambda i: math.inf if i == 9 else (i * i - 500) / 16),
        "decimal7": (pa.decimal128(7, 2), lambda i: decimal.Decimal((-1) ** i * i * 123).scaleb(-2)),
        "decimal15": (pa.decimal128(15, 3), lambda i: decimal.Decimal((-1) ** i * i * 12345678901).scaleb(-3)),
        "decimal38": (pa.decimal128(38, 10), lambda i: decimal.Decimal(wide(i)).scaleb(-10, decimal.Context(prec=60))),
        "date": (pa.date32(), lambda i: i * 7 - 1000),
        "time_ms": (pa.time32("ms"), lambda i: i * 17001 % 86400000),
        "time_us": (pa.time64("us"), lambda i: i * 17000001),
        "time_ns": (pa.time64("ns"), lambda i: i * 17000001000),
        "ts_ms": (pa.timestamp("ms"), lambda i: (i - 100) * 86399999001),
        "ts_us": (pa.timestamp("us"), lambda i: (i - 100) * 86399999001),
        "ts_ns": (pa.timestamp("ns"), lambda i: (i - 100) * 86399999001),
        "ts_utc": (pa.timestamp("us", "UTC"), lambda i: (i - 100) * 86399999001),
        "text": (pa.string(), text),
        "blob": (pa.binary(), lambda i: bytes((250 + i + k) % 256 for k in range(i % 15))),
        "fixed5": (pa.binary(5), lambda i: b"%05d" % (i % 40)),
        "fixed16": (pa.binary(16), lambda i: b"%016d" % (i * i)),
    }
    fields, arrays = [], []
    for name, (kind, make) in kinds.items():
        required, optional = column(kind, make)
        fields += [pa.field("r_" + name, kind, nullable=False), pa.field("n_" + name, kind)]
        arrays += [required, optional]
    all_null = pa.array([None] * ROWS, pa.int32())
    fields.append(pa.field("all_null", pa.int32()))
    arrays.append(all_null)
    return pa.Table.from_arrays(arrays, schema=pa.schema(fields))


def pick(table, wanted):
    return table.select([n for n in table.column_names if n.split("_", 1)[1] in wanted])


def encodings(table, choose):
    return {n: choose(table.field(n).type) for n in table.column_names}


def delta(kind):
    if pa.types.is_integer(kind) or pa.types.is_date(kind) or pa.types.is_time(kind) or pa.types.is_timestamp(kind):
        return "DELTA_BINARY_PACKED"
    if pa.types.is_string(kind) or kind == pa.binary():
        return "DELTA_LENGTH_BYTE_ARRAY"
    if pa.types.is_fixed_size_binary(kind) or pa.types.is_decimal(kind):
        return "DELTA_BYTE_ARRAY"
    if pa.types.is_boolean(kind):
        return "RLE"
    return "BYTE_STREAM_SPLIT"


def delta_bytes(kind):
    if pa.types.is_string(kind) or pa.types.is_binary(kind):
        return "DELTA_BYTE_ARRAY"
    if pa.types.is_integer(kind) and kind.bit_width >= 32 or pa.types.is_fixed_size_binary(kind) or pa.types.is_decimal(kind):
        return "BYTE_STREAM_SPLIT"
    return "PLAIN"


def main():
    os.makedirs(OUT, exist_ok=True)
    for old in os.listdir(OUT):
        os.remove(os.path.join(OUT, old))
    table = make_table()
    write_text(table, "types")
    usual = dict(use_dictionary=False, compression="none", data_page_version="1.0", version="2.6")

    def write(name, part=table, text="types", **options):
        pq.write_table(part, os.path.join(OUT, name + ".parquet"), **{**usual, **options})
        add(name, text)

    write("plain_v1")
    write("plain_v2_snappy", compression="snappy", data_page_version="2.0")
    write("dictionary_v1_snappy", use_dictionary=True, compression="snappy")
    write("dictionary_v2_zstd", use_dictionary=True, compression="zstd", data_page_version="2.0", write_page_checksum=True)
    write("dictionary_v1_gzip_small_pages", use_dictionary=True, compression="gzip", data_page_size=64, write_batch_size=20, row_group_size=170, write_page_index=True)
    write("plain_v1_brotli_small_pages", compression="brotli", data_page_size=64, write_batch_size=33, write_page_checksum=True)
    write("delta_v1_lz4", compression="lz4", column_encoding=encodings(table, delta))
    write("delta_v2_snappy_small_pages", compression="snappy", data_page_version="2.0", data_page_size=64, write_batch_size=50, column_encoding=encodings(table, delta))
    write("split_v1_snappy", compression="snappy", column_encoding=encodings(table, delta_bytes))
    write("split_v2", data_page_version="2.0", column_encoding=encodings(table, delta_bytes))
    write("mixed_v1_snappy", use_dictionary=True, compression="snappy", dictionary_pagesize_limit=128, data_page_size=64, write_batch_size=20)
    decimals = pick(table, ("decimal7", "decimal15"))
    write_text(decimals, "decimals")
    write("decimals_as_integers", decimals, "decimals", store_decimal_as_integer=True)
    write("decimals_as_integers_delta", decimals, "decimals", store_decimal_as_integer=True,
          column_encoding={n: "DELTA_BINARY_PACKED" for n in decimals.column_names})
    times = pick(table, ("ts_us", "ts_ms"))
    write_text(times, "times")
    pq.write_table(times, os.path.join(OUT, "times_as_int96.parquet"), use_deprecated_int96_timestamps=True, version="1.0")
    add("times_as_int96", "times")

    connection = duckdb.connect()
    plain = pick(table, ("bool", "int8", "int16", "int32", "int64", "small", "uint8", "uint16", "uint32", "uint64", "float",
                         "double", "decimal7", "decimal15", "decimal38", "date", "time_us", "ts_us", "text", "blob"))
    write_text(plain, "duckdb")
    for version in ("v1", "v2"):
        path = os.path.join(OUT, f"duckdb_{version}.parquet")
        connection.sql(f"copy plain to '{path}' (format parquet, parquet_version '{version}')")
        add(f"duckdb_{version}", "duckdb")

    if len(sys.argv) > 1:
        conformance(sys.argv[1], connection)
    with open(os.path.join(OUT, "files.txt"), "w") as out:
        out.write("\n".join(names) + "\n")


def conformance(folder, connection):
    """What the public files hold; those with nested columns are left to other tests."""
    for file in sorted(os.listdir(folder)):
        name, extension = os.path.splitext(file)
        if extension != ".parquet" or "corrupt" in name:
            continue
        path = os.path.join(folder, file)
        schema = pq.ParquetFile(path).schema
        if any(schema.column(i).max_repetition_level or "." in schema.column(i).path for i in range(len(schema))):
            continue
        if name == "hadoop_lz4_compressed" or name == "alltypes_tiny_pages":
            table = connection.sql(f"from '{path}'").arrow()
            table = table if isinstance(table, pa.Table) else table.read_all()
        else:
            table = pq.read_table(path, coerce_int96_timestamp_unit="us")
        if name == "alltypes_tiny_pages":
            table = table.slice(0, 7300)
        text = table_text(table)
        if len(text) > 30000:
            names.append(f"parquet-testing/{name} ={fnv(text):016x}")
            continue
        write_text(table, name)
        names.append(f"parquet-testing/{name} {name}")


main()
