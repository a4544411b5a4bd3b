#!/usr/bin/env python3
"""Random lists, structs and maps, written by others in random ways, read and written again by Pistachio, compared with the values
that there were.

    nested_random.py PROGRAM [--first SEED] [--seeds N] [--writer pyarrow|polars|duckdb] [--readers NAMES]
                     [--library LIBPISTACHIO] [--keep FOLDER]

--readers names who reads what Pistachio has written, with commas: pyarrow, polars, duckdb. With --library rows come through
ADBC as Arrow, whose arrays are validated, else as JSON lines. Needs pyarrow, and the packages that are named. Polars has no
maps, so that it writes none.
"""
import argparse
import datetime
import json
import os
import random
import subprocess
import sys
import tempfile

import pyarrow as pa
import pyarrow.parquet as pq

WORDS = ["", "a", "bb", "NULL", "a text that does not lie in its view", "x,y", "quote ' and \"", "\u00e4\u6f22", "back\\slash"]


class Maker:
    def __init__(self, seed, writer="pyarrow"):
        self.random = random.Random(seed)
        self.writer = writer
        self.nulls = self.random.choice([0, 0.05, 0.3])
        self.sizes = self.random.choice([[0, 1, 2], [0, 0, 3, 20], [1], [0, 1, 100]])

    def scalar(self):
        return self.random.choice([pa.int8(), pa.int32(), pa.int64(), pa.uint16(), pa.float64(), pa.string(), pa.string(),
                                   pa.bool_(), pa.date32(), pa.decimal128(20, 3), pa.timestamp("us")])

    def kind(self, depth):
        shape = self.random.choice(["list", "struct", "map", "scalar"]) if depth else "scalar"
        if shape == "map" and self.writer == "polars":
            shape = "list"
        if shape == "list":
            return pa.list_(pa.field("element", self.kind(depth - 1), nullable=self.random.random() < 0.8))
        if shape == "struct":
            count = self.random.choice([1, 2, 3])
            return pa.struct([pa.field("f%d" % i, self.kind(depth - 1), nullable=self.random.random() < 0.8)
                              for i in range(count)])
        if shape == "map":
            return pa.map_(self.random.choice([pa.string(), pa.int32()]), self.kind(depth - 1))
        return self.scalar()

    def size(self, within):
        """Of a list in so many others."""
        return self.random.choice(self.sizes if not within else [0, 1, 2])

    def value(self, kind, nullable=True, within=0):
        r = self.random
        if nullable and r.random() < self.nulls:
            return None
        if pa.types.is_map(kind):
            count = min(self.size(within), 9)
            keys = WORDS if pa.types.is_string(kind.key_type) else range(-5, 50)
            return [(k, self.value(kind.item_type, True, within + 1)) for k in r.sample(list(keys), count)]
        if pa.types.is_struct(kind):
            return {f.name: self.value(f.type, f.nullable, within) for f in kind}
        if pa.types.is_list(kind):
            return [self.value(kind.value_type, kind.value_field.nullable, within + 1)
                    for _ in range(self.size(within))]
        if pa.types.is_boolean(kind):
            return r.random() < 0.5
        if pa.types.is_string(kind):
            return r.choice(WORDS) + (str(r.randrange(3)) if r.random() < 0.3 else "")
        if pa.types.is_floating(kind):
            return r.choice([0.1, -2.5, 1e100, 3.0])
        if pa.types.is_date(kind):
            return datetime.date(2000, 1, 1) + datetime.timedelta(r.randrange(9999))
        if pa.types.is_timestamp(kind):
            return datetime.datetime(2001, 2, 3) + datetime.timedelta(seconds=r.randrange(10**6))
        if pa.types.is_decimal(kind):
            return __import__("decimal").Decimal(r.randrange(-10**15, 10**15)).scaleb(-3)
        return r.randrange(100)

    def table(self):
        rows = self.random.choice([1, 7, 300, 1000])
        fields = [pa.field("id", pa.int64())]
        fields += [pa.field("c%d" % i, self.kind(self.random.choice([1, 2, 3, 5])), nullable=True)
                   for i in range(self.random.choice([1, 2, 3]))]
        columns = [pa.array(range(rows))]
        columns += [pa.array([self.value(f.type, f.nullable) for _ in range(rows)], f.type) for f in fields[1:]]
        return pa.Table.from_arrays(columns, schema=pa.schema(fields))

    def write(self, table, path):
        getattr(self, "write_" + self.writer)(table, path)

    def write_polars(self, table, path):
        import polars
        r = self.random
        polars.from_arrow(table).write_parquet(path, compression=r.choice(["uncompressed", "snappy", "zstd", "gzip", "lz4"]),
                                               row_group_size=r.choice([None, 100]), data_page_size=r.choice([None, 100, 10000]),
                                               statistics=r.choice([True, False, "full"]))

    def write_duckdb(self, table, path):
        r = self.random
        options = ["format parquet", f"compression {r.choice(['uncompressed', 'snappy', 'zstd', 'gzip', 'lz4'])}",
                   f"parquet_version {r.choice(['v1', 'v2'])}", f"row_group_size {r.choice([2048, 122880])}",
                   f"dictionary_size_limit {r.choice([1, 10, 100000])}"]
        with duckdb_connection() as connection:
            connection.register("rows", table)
            connection.execute(f"copy rows to '{path}' ({', '.join(options)})")

    def write_pyarrow(self, table, path):
        r = self.random
        pq.write_table(table, path, use_dictionary=r.random() < 0.5, data_page_version=r.choice(["1.0", "2.0"]),
                       compression=r.choice(["none", "snappy", "zstd", "gzip", "lz4"]),
                       data_page_size=r.choice([64, 1000, 1 << 20]), write_batch_size=r.choice([1, 10, 1024]),
                       row_group_size=r.choice([100, 1 << 20]), dictionary_pagesize_limit=r.choice([64, 1 << 20]),
                       write_page_index=r.random() < 0.3, store_schema=False)


def duckdb_connection():
    import duckdb
    return duckdb.connect(config={"threads": 1})


def with_maps(value, kind):
    """A value whose maps are lists of keys and values, as its type has them."""
    if value is None:
        return None
    if pa.types.is_map(kind):
        pairs = [pair if isinstance(pair, tuple) else (pair["key"], pair["value"]) for pair in value]
        return [(key, with_maps(item, kind.item_type)) for key, item in pairs]
    if pa.types.is_struct(kind):
        return {f.name: with_maps(value[f.name], f.type) for f in kind}
    if pa.types.is_list(kind):
        return [with_maps(v, kind.value_type) for v in value]
    return value


def read_pyarrow(path, schema):
    return pq.read_table(path).to_pylist()


def read_duckdb(path, schema):
    with duckdb_connection() as connection:
        return connection.sql(f"select * from '{path}' order by id").to_arrow_table().to_pylist()


def read_polars(path, schema):
    import polars
    rows = polars.read_parquet(path).to_arrow().to_pylist()
    return [{f.name: with_maps(row[f.name], f.type) for f in schema} for row in rows]


READERS = {"pyarrow": read_pyarrow, "duckdb": read_duckdb, "polars": read_polars}


def plain(value, kind):
    """As it is read from JSON."""
    if value is None:
        return None
    if pa.types.is_map(kind):
        return {str(k): plain(v, kind.item_type) for k, v in value}
    if pa.types.is_struct(kind):
        return {f.name: plain(value[f.name], f.type) for f in kind}
    if pa.types.is_list(kind):
        return [plain(v, kind.value_type) for v in value]
    if pa.types.is_decimal(kind):
        return float(value)
    return str(value) if pa.types.is_temporal(kind) else value


def statement(number, path, keys):
    """The statement, and which ids its rows have."""
    if number % 4 == 3:
        return f"select * from '{path}' order by id % 7, id desc", lambda i: True
    if number % 3 == 1:
        return f"select * from '{path}' where id % 3 = 1", lambda i: i % 3 == 1
    if number % 3 == 2:
        return f"select t.* from '{path}' t join '{keys}' k on t.id = k.id", lambda i: i % 5 == 0
    return f"select * from '{path}'", lambda i: True


def read_json(options, sql):
    done = subprocess.run([options.program, "--format", "jsonl", "-c", sql], capture_output=True, check=False)
    if done.returncode:
        return done.stderr.decode()
    return [json.loads(line) for line in done.stdout.decode().splitlines()]


def read_arrow(connection, sql):
    with connection.cursor() as cursor:
        cursor.execute(sql)
        table = cursor.fetch_arrow_table()
    table.validate(full=True)
    return table.to_pylist()


def write_again(options, seed, table, path, folder):
    """What is wrong with a copy that COPY or rewrite makes; None: nothing."""
    copy = os.path.join(folder, "copy.parquet")
    form = ["", "(row_group_size 100)", "(compression zstd)", "(compression none, row_group_size 7)"][seed % 4]
    command = ["-c", f"copy (select * from '{path}' order by id) to '{copy}' {form}"]
    if seed % 5 == 2:
        if os.path.exists(copy):
            os.remove(copy)
        command = ["rewrite", path, copy]
    done = subprocess.run([options.program, *command], capture_output=True, check=False)
    if done.returncode:
        return done.stderr.decode()
    expected = table.to_pylist()
    for name in options.readers.split(","):
        rows = READERS[name](copy, table.schema)
        if rows != expected:
            return name, next((pair for pair in zip(rows, expected) if pair[0] != pair[1]), "other rows")
    return None


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("program")
    parser.add_argument("--first", type=int, default=1)
    parser.add_argument("--seeds", type=int, default=6)
    parser.add_argument("--writer", default="pyarrow", choices=("pyarrow", "polars", "duckdb"))
    parser.add_argument("--readers", default="pyarrow")
    parser.add_argument("--library")
    parser.add_argument("--keep")
    options = parser.parse_args()
    connection = None
    if options.library:
        from adbc_driver_manager import dbapi
        connection = dbapi.connect(driver=options.library, entrypoint="AdbcDriverInit", autocommit=True)
    failed = 0
    with tempfile.TemporaryDirectory() as work:
        folder = options.keep or work
        path, keys = os.path.join(folder, "nested.parquet"), os.path.join(folder, "keys.parquet")
        pq.write_table(pa.table({"id": range(0, 2000, 5)}), keys)
        for seed in range(options.first, options.first + options.seeds):
            maker = Maker(seed, options.writer)
            table = maker.table()
            maker.write(table, path)
            wrong = write_again(options, seed, table, path, folder)
            if wrong:
                failed += 1
                print(f"failed: seed {seed}: the copy: {wrong}\n{table.schema}")
            sql, is_wanted = statement(seed, path, keys)
            expected = [row for row in table.to_pylist() if is_wanted(row["id"])]
            if connection:
                rows = read_arrow(connection, sql)
            else:
                rows = read_json(options, sql)
                expected = [{f.name: plain(row[f.name], f.type) for f in table.schema} for row in expected]
            if isinstance(rows, list):
                rows.sort(key=lambda row: row["id"])
            if rows != expected:
                failed += 1
                print(f"failed: seed {seed}: {sql}\n{table.schema}")
                print(rows if isinstance(rows, str) else next((p for p in zip(rows, expected) if p[0] != p[1]), (len(rows), len(expected))))
                if options.keep:
                    break
    print(f"{options.seeds - failed} passed, {failed} failed")
    return failed > 0


sys.exit(main())
