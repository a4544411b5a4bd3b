#!/usr/bin/env python3
"""Files whose schemas drift, read by union_by_name, against DuckDB: the same seeds each time.

union_by_name.py PROGRAM [SEED [TABLES]]

Columns come and go, change their places, and become wider types of their kind, in files of partition folders or of a plain
one. Types are compared where DuckDB's are those that docs/SQL.md names (integers with unsigned ones of 64 bits, floats with
integers and decimals near 38 digits are not generated); rows always. Without DuckDB and pyarrow it is skipped.
"""
import os
import random
import subprocess
import sys
import tempfile
from decimal import Decimal

try:
    import duckdb
    import pyarrow as pa
    import pyarrow.parquet as pq
except ImportError as missing:
    print(f"skipped union_by_name: {missing}")
    sys.exit(77)

KINDS = {
    "integer": [pa.int8(), pa.int16(), pa.int32(), pa.int64(), pa.uint8(), pa.uint16(), pa.uint32()],
    "float": [pa.float32(), pa.float64()],
    "decimal": [pa.decimal128(4, 1), pa.decimal128(9, 4), pa.decimal128(17, 2), pa.decimal128(25, 6)],
    "text": [pa.string()],
    "date": [pa.date32()],
    "mixed": [pa.int16(), pa.decimal128(9, 2), pa.int32(), pa.float64()],
}
RANGES = {pa.int8(): (-128, 127), pa.uint8(): (0, 255), pa.int16(): (-(2**15), 2**15 - 1), pa.uint16(): (0, 2**16 - 1),
          pa.int32(): (-(2**31), 2**31 - 1), pa.uint32(): (0, 2**32 - 1), pa.int64(): (-(2**53), 2**53)}
DUCK_TYPES = {"tinyint": "TINYINT", "smallint": "SMALLINT", "integer": "INTEGER", "bigint": "BIGINT", "utinyint": "UTINYINT",
              "usmallint": "USMALLINT", "uinteger": "UINTEGER", "real": "FLOAT", "double": "DOUBLE", "date": "DATE",
              "varchar": "VARCHAR"}


def value_of(draw, kind):
    if draw.random() < 0.15:
        return None
    if kind in RANGES:
        low, high = RANGES[kind]
        return draw.choice([low, high, draw.randint(low, high), draw.randint(0, 100)])
    if pa.types.is_floating(kind):
        return draw.randint(-1000, 1000) / 4
    if pa.types.is_decimal(kind):
        return Decimal(draw.randint(-(10**kind.precision) + 1, 10**kind.precision - 1)).scaleb(-kind.scale)
    if pa.types.is_date(kind):
        return draw.randint(-1000, 20000)
    return draw.choice(["", "a", "ß", "longer than twelve bytes", f"t{draw.randint(0, 99)}"])


def make_table(draw, folder):
    """Files of one table; the query's pattern."""
    columns = {f"c{i}": draw.choice(list(KINDS)) for i in range(draw.randint(1, 6))}
    keys = draw.choice([[], ["k"], ["k", "m"]])
    for number in range(draw.randint(1, 7)):
        here = [name for name in columns if draw.random() < 0.75] or list(columns)[:1]
        draw.shuffle(here)
        types = [draw.choice(KINDS[columns[name]]) for name in here]
        rows = draw.choice([0, 1, 3, 40])
        arrays = [pa.array([value_of(draw, t) for _ in range(rows)], t) for t in types]
        path = os.path.join(folder, *[f"{key}={draw.choice(['1', '2', '30'])}" for key in keys])
        os.makedirs(path, exist_ok=True)
        pq.write_table(pa.table(arrays, names=here), os.path.join(path, f"{number}.parquet"))
    return f"read_parquet('{folder}/**/*.parquet', union_by_name => true)", columns, keys


def condition_of(draw, columns):
    """Of one column, which is narrower in some files."""
    name = draw.choice(list(columns))
    values = {"text": "'a'", "date": "date '2001-05-06'", "float": str(draw.randint(-900, 900)), "mixed": str(draw.randint(-900, 900)),
              "decimal": f"{draw.randint(-10**4, 10**4)}.5", "integer": str(draw.choice([-129, -128, 0, 50, 255, 256, 40000, 2**31]))}
    return f"where {name} {draw.choice(['=', '<', '>', '<=', '>='])} {values[columns[name]]}"


def cell(text, kind):
    if text is None or text == "":
        return text
    if kind in ("integer", "decimal", "float", "mixed"):
        return float(text) if kind in ("float", "mixed") else str(Decimal(text).normalize())
    return str(text)


def rows_of(rows, kinds):
    """Sorted rows whose numbers do not depend on how their type is printed."""
    made = [tuple(cell(v if v is None or isinstance(v, str) else str(v), k) for v, k in zip(row, kinds)) for row in rows]
    return sorted(made, key=repr)


def run(program, sql, *options):
    done = subprocess.run([program, "--format", "jsonl", *options, "-c", sql], capture_output=True, text=True, check=False)
    if done.returncode:
        return done.stderr
    import json
    return [tuple(json.loads(line, parse_float=str, parse_int=str).values()) for line in done.stdout.splitlines()]


def compare(program, duck, source, columns, keys, condition, options):
    sql = f"select * from {source} {condition}"
    relation = duck.sql(sql.replace("**/*.parquet'", "**/*.parquet', hive_partitioning = true" if keys else
                                    "**/*.parquet', hive_partitioning = false"))
    kinds = [columns.get(name, "integer") for name in relation.columns]
    expected = rows_of(relation.fetchall(), kinds)
    actual = run(program, sql, *options)
    if isinstance(actual, str) or rows_of(actual, kinds) != expected:
        return f"{sql} {' '.join(options)}\n expected {expected}\n actual   {actual}"
    described = run(program, f"describe select * from {source}")
    names = [row[0] for row in described]
    if names != relation.columns:
        return f"{sql}: columns {names}, expected {relation.columns}"
    for (name, ours, _), theirs in zip(described, relation.types):
        mixed = columns.get(name) == "mixed"
        wanted = DUCK_TYPES.get(ours, ours.upper().replace(" ", ""))
        if not mixed and wanted != str(theirs):
            return f"{sql}: column {name} is {ours}, expected {theirs}"
    return None


def main():
    program, seed = sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 1
    tables = int(sys.argv[3]) if len(sys.argv) > 3 else 12
    failed = 0
    duck = duckdb.connect()
    for number in range(tables):
        draw = random.Random(seed * 1000 + number)
        with tempfile.TemporaryDirectory() as folder:
            source, columns, keys = make_table(draw, folder)
            conditions = ["", f"where {draw.choice(keys)} = 2" if keys else ""] + [condition_of(draw, columns) for _ in range(2)]
            options = draw.choice([[], ["--set", "device=simulated"], ["--set", "ranks=3", "--set", "distribute=always"]])
            for condition in dict.fromkeys(conditions):
                problem = compare(program, duck, source, columns, keys, condition, options)
                if problem:
                    failed += 1
                    print(f"seed {seed}, table {number}: {problem}")
    print(f"{tables - failed} passed, {failed} failed, 0 skipped")
    sys.exit(1 if failed else 0)


main()
