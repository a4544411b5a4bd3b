#!/usr/bin/env python3
"""Statements over random lists, structs and maps, compared with DuckDB: one rank, three, and from temporary files.

    nested_statements.py PROGRAM [--seeds N]

Needs duckdb and pyarrow.
"""
import argparse
import csv
import datetime
import decimal
import io
import os
import random
import re
import subprocess
import sys
import tempfile

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq

WORDS = ["", "a", "bb", "a text that does not lie in its view", "x,y", "q'\"", "\u00e4\u00df", "b\\s", "z\0y", "\0"]
NESTED = ["li", "lt", "s", "m", "ll"]
WAYS = [([], {}), (["--ranks", "3", "--set", "distribute=always"], {}), ([], {"PISTACHIO_FAULT": "room:1:always"})]
STATEMENTS = """select {c}, count(*), min(id) from A group by {c}
select id, {c} from A order by {c} nulls last, id
select id, {c} from A order by {c} desc nulls first, id limit 40
select id, s, {c} from A order by id desc limit 17 offset 5
select a.id, b.id, a.{c} from A a join B b on a.{c}=b.{c}
select a.id, b.id, b.{c} from A a left join B b on a.{c} is not distinct from b.{c} and a.g=b.g
select g, min({c}), max({c}), count({c}), count(distinct {c}) from A group by g
select a.id, b.id from A a, B b where a.g=b.g and a.{c} <= b.{c}
select {c} from A union select {c} from B
select {c} from A except all select {c} from B
select {c} from A intersect all select {c} from B
select id, case when id%3=0 then {c} when id%3=1 then null else {c} end from A
select a.id, coalesce(a.{c}, b.{c}), nullif(a.{c}, b.{c}), greatest(a.{c}, b.{c}), a.{c} < b.{c} from A a left join B b on a.id=b.id
select id, lag({c}) over (order by id), first_value({c}) over (partition by g order by id) from A
select id, {c}, row_number() over (partition by {c} order by id), rank() over (order by {c} nulls last) from A
select id, max({c}) over (partition by g), min({c}) over (order by id rows between 3 preceding and current row) from A
select id from A where {c} not in (select {c} from B where {c} is not null)
select g, {c}, count(*) from A group by grouping sets ((g),({c}),())
select id, x from (select id, {c} x, row_number() over (partition by g order by {c} nulls last, id) r from A) where r<=2
with t as (select {c} x, count(*) n from A group by 1) select t.x, t.n, u.n from t join t u on t.x=u.x
select (select max(b.{c}) from B b where b.g=a.g) x, id from A a
select distinct on (g) g, {c} from A order by g, {c} nulls last
select id, {c} is null, {c} from A a full join (select id id2 from B) b on a.id=b.id2+200""".splitlines()


class Maker:
    def __init__(self, seed):
        self.random = random.Random(seed)

    def perhaps(self, make):
        return None if self.random.random() < .1 else make()

    def items(self, make):
        return [self.perhaps(make) for _ in range(self.random.choice([0, 1, 1, 2, 3]))]

    def below(self, count, scale=0):
        return decimal.Decimal(self.random.randrange(-count, count)).scaleb(-scale) if scale else self.random.randrange(count)

    def time(self):
        return datetime.datetime(2020, 1, 1) + datetime.timedelta(hours=self.random.randrange(5))

    def struct(self):
        numbers = [0.0, -0.0, 1.5, float("nan"), -2.5, float("inf")]
        return {"a": self.perhaps(lambda: self.below(3)), "b": self.perhaps(lambda: self.random.choice(WORDS)),
                "c": self.perhaps(lambda: self.items(lambda: self.random.choice(numbers)))}

    def deep(self):
        return {"x": self.perhaps(lambda: self.below(10**4, 2)), "y": self.perhaps(self.time), "z": self.perhaps(lambda: self.below(3, 3)),
                "d": self.perhaps(lambda: self.time().date()), "u": self.perhaps(lambda: self.random.random() < .5)}

    def table(self, rows):
        deep = pa.struct([("x", pa.decimal128(9, 2)), ("y", pa.timestamp("us")), ("z", pa.decimal128(25, 3)), ("d", pa.date32()),
                          ("u", pa.bool_())])
        columns = {"g": (pa.int32(), lambda: self.below(50)),
                   "li": (pa.list_(pa.int32()), lambda: self.items(lambda: self.below(5) - 2)),
                   "lt": (pa.list_(pa.string()), lambda: self.items(lambda: self.random.choice(WORDS))),
                   "s": (pa.struct([("a", pa.int64()), ("b", pa.string()), ("c", pa.list_(pa.float64()))]), self.struct),
                   "m": (pa.map_(pa.string(), pa.int16()),
                         lambda: [(k, self.perhaps(lambda: self.below(3))) for k in self.random.sample(WORDS, self.below(3))]),
                   "ll": (pa.list_(pa.list_(pa.list_(deep))), lambda: self.items(lambda: self.items(lambda: self.items(self.deep))))}
        made = {"id": pa.array(range(rows), pa.int64())}
        for name, (kind, make) in columns.items():
            made[name] = pa.array([self.perhaps(make) for _ in range(rows)], kind)
        return pa.table(made)


def plain(text):
    """A value's text without what the two print differently: floats."""
    if text is None:
        return ""
    text = re.sub(r"(?<![A-Za-z])(-?)inf(?![A-Za-z])", r"\1Infinity", str(text))
    text = re.sub(r"(?<![A-Za-z])nan(?![A-Za-z])", "NaN", text)
    text = re.sub(r"(?<![\d.])(-?\d+)\.0(?!\d)", r"\1", text)
    return re.sub(r"(?<![\w.:-])-0(?![\w.])", "0", text)


def expected_rows(oracle, sql):
    count = len(oracle.execute(sql).description)
    names = [f"c{i}" for i in range(count)]
    texts = ", ".join(f"x.{name}::varchar" for name in names)
    rows = oracle.execute(f"select {texts} from ({sql}) x({', '.join(names)})").fetchall()
    return [tuple(map(plain, row)) for row in rows]


def rows_of(program, way, sql):
    options, environment = way
    done = subprocess.run([program, "--format", "csv", *options, "-c", sql], capture_output=True, check=False,
                          env={**os.environ, **environment})
    if done.returncode:
        return done.stderr.decode()
    return [tuple(map(plain, row)) if row else ("",) for row in csv.reader(io.StringIO(done.stdout.decode()))][1:]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("program")
    parser.add_argument("--seeds", type=int, default=2)
    options = parser.parse_args()
    oracle = duckdb.connect()
    tried = failed = 0
    with tempfile.TemporaryDirectory() as work:
        for seed in range(options.seeds):
            for name, rows in ("A", 400), ("B", 300):
                pq.write_table(Maker(f"{seed}{name}").table(rows), os.path.join(work, name + ".parquet"), row_group_size=150, store_schema=False)
            for sql in (s.format(c=c) for c in NESTED for s in STATEMENTS):
                sql = re.sub(r"\b([AB])\b(?!\.)", rf"'{work}/\1.parquet'", sql)
                is_ordered = re.search(r" order by [^)]*$", sql) and "distinct on" not in sql
                expected = expected_rows(oracle, sql)
                for way in WAYS:
                    rows = rows_of(options.program, way, sql)
                    tried += 1
                    if isinstance(rows, list) and not is_ordered:
                        rows.sort()
                        expected.sort()
                    if rows != expected:
                        failed += 1
                        print(f"failed: seed {seed}, {way}: {sql}")
                        print(rows if isinstance(rows, str) else next((p for p in zip(rows, expected) if p[0] != p[1]), len(rows)))
    print(f"{tried - failed} passed, {failed} failed")
    return failed != 0


if __name__ == "__main__":
    sys.exit(main())
