"""Data frames of pandas that can be worked with: types as DuckDB gives them, plots, resampling, JSON; data frames that
statements name by variables; pandas.read_sql."""
import datetime
import decimal
import gc
import json
import unittest
import warnings

import pyarrow

from client import library
from test_package import pistachio

# Of each type two values and a NULL; the type in DuckDB where it has another name.
TYPES = [("i::smallint", None), ("i::int", None), ("i::bigint", None), ("sum(i) over ()", None), ("sum(i::bigint) over ()", None),
         ("count(*) over ()", None), ("i::decimal(10,2)", None), ("i::decimal(38,10)", None), ("i::decimal(10,0)", None),
         ("i::double precision", None), ("i::real", None), ("date '2020-02-29' + i::int", None),
         ("timestamp '2020-02-29 01:02:03.000004'", None), ("timestamptz '2020-02-29 01:02:03+00'", None), ("time '01:02:03'", None),
         ("interval '1' day * i", None), ("'text ' || i", None), ("'00000000-0000-0000-0000-00000000000' || i", "uuid"),
         ("i = 1", None), ("date '0001-01-01'", None), ("timestamp '9999-12-31 00:00:00'", None)]


def statement(has_nulls):
    columns = []
    for number, (text, kind) in enumerate(TYPES):
        text = f"({text})::{kind}" if kind else f"({text})"
        columns.append(f"case when i = 1 then null else {text} end as c{number}" if has_nulls else f"{text} as c{number}")
    return f"select {', '.join(columns)} from range(3) r(i) order by i"


class Frames(unittest.TestCase):
    def setUp(self):
        self.pandas = library(self, "pandas")
        self.db = pistachio.connect(threads=2)
        self.addCleanup(self.db.close)

    def test_types_are_those_of_duckdb(self):
        duckdb = library(self, "duckdb")
        for has_nulls in (False, True):
            text = statement(has_nulls)
            duck = duckdb.connect()
            duck.execute("set timezone = 'UTC'")
            expected, got = duck.sql(text).df(), self.db.sql(text).df()
            self.assertEqual([str(t) for t in got.dtypes], [str(t) for t in expected.dtypes])
            for name in expected.columns:
                with self.subTest(name, has_nulls=has_nulls):
                    want, have = expected[name], got[name]
                    self.assertEqual(list(have.isna()), list(want.isna()))
                    self.assertEqual(list(have.dropna()), list(want.dropna()))

    def test_exact(self):
        text = "select sum(i) as s, 1.50 as d, date '2020-01-01' as day from range(3) r(i)"
        frame = self.db.sql(text).df(exact=True)
        self.assertEqual(frame.iloc[0].tolist(), [decimal.Decimal(3), decimal.Decimal("1.50"), datetime.date(2020, 1, 1)])
        self.assertIsInstance(frame["s"][0], decimal.Decimal)
        large = self.db.sql("select 9007199254740993::bigint as x union all select null").df()
        self.assertEqual((str(large["x"].dtype), int(large["x"].dropna().iloc[0])), ("Int64", 9007199254740993))

    def test_categories(self):
        frame = self.db.sql("select 'text ' || i % 2 as t, i from range(10) r(i) order by i").df(categories=True)
        self.assertEqual((str(frame["t"].dtype), list(frame["t"].cat.categories)), ("category", ["text 0", "text 1"]))
        self.assertEqual(list(frame["t"][:3]), ["text 0", "text 1", "text 0"])

    def test_empty_and_repeated_names(self):
        frame = self.db.sql("select i, i * 1.5 as d, date '2020-01-01' as e from range(0) r(i)").df()
        self.assertEqual([str(t) for t in frame.dtypes], ["int32", "float64", "datetime64[us]"])
        self.assertEqual(list(self.db.sql("select 1 as a, 2 as a").df().columns), ["a", "a_1"])

    def test_work_of_a_day(self):
        library(self, "matplotlib").use("Agg")
        sales = """select date '2024-01-01' + i as day, sum(i)::decimal(10,2) as amount, sum(i) as pieces
                   from range(90) r(i) group by i order by 1"""
        frame = self.db.sql(sales).df()
        axes = frame.plot(x="day", y=["amount", "pieces"])
        self.assertEqual([len(line.get_xdata()) for line in axes.get_lines()], [90, 90])
        self.assertAlmostEqual((frame["amount"] * 1.1).sum(), 4005 * 1.1)
        by_month = frame.set_index("day").resample("ME").sum()
        self.assertEqual(by_month["pieces"].tolist(), [465.0, 1305.0, 2235.0])
        self.assertEqual(json.dumps(self.db.sql("select sum(i), count(*) from range(5) r(i)").fetchall()), "[[10, 5]]")

    def test_sums_are_int(self):
        row = self.db.sql("select sum(i), sum(9223372036854775807), sum(i::decimal(5,2)), sum(null::int) from range(3) r(i)").fetchone()
        self.assertEqual(row, (3, 3 * 9223372036854775807, decimal.Decimal("3.00"), None))
        self.assertEqual([type(value) for value in row], [int, int, decimal.Decimal, type(None)])
        with pistachio.dbapi.connect(threads=1) as connection, connection.cursor() as cursor:
            cursor.execute("select sum(i), 1.50 from range(3) r(i)")
            rows = cursor.fetchall()
            self.assertEqual((rows, type(rows[0][0])), ([(3, decimal.Decimal("1.50"))], int))
            cursor.execute("select sum(i), 1.50 from range(3) r(i)")
            self.assertEqual([str(t) for t in cursor.fetch_df().dtypes], ["float64", "float64"])

    def test_read_sql(self):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # pandas has been tested with SQLAlchemy alone
            frame = self.pandas.read_sql("select x, x * 1.5 as y from (values (1), (2), (3)) v(x) where x > ? order by x",
                                         self.db, params=[1])
            self.assertEqual(frame["y"].tolist(), [3.0, 4.5])
            named = self.pandas.read_sql("select $b || $a as t", self.db, params={"a": "a", "b": "b"})
            self.assertEqual(named["t"].tolist(), ["ba"])
            parts = list(self.pandas.read_sql("select i from range(5) r(i)", self.db, chunksize=2))
            self.assertEqual([len(part) for part in parts], [2, 2, 1])
            with self.assertRaisesRegex(Exception, "does not exist"):
                self.pandas.read_sql("select nosuch", self.db)

    def test_cursor(self):
        with self.db.cursor() as cursor:
            with self.assertRaises(pistachio.InterfaceError):
                cursor.fetchone()
            cursor.execute("select i, i * i as q from range(5) r(i) order by i")
            self.assertEqual([column[0] for column in cursor.description], ["i", "q"])
            self.assertEqual((cursor.fetchone(), cursor.fetchmany(2), cursor.fetchmany(), list(cursor)),
                             ((0, 0), [(1, 1), (2, 4)], [(3, 9)], [(4, 16)]))
            self.assertIsNone(cursor.fetchone())
            cursor.executemany("create table $t as select 1", []).execute("create view v as select 7 as x")
            self.assertIsNone(cursor.description)
            self.assertEqual(cursor.execute("select * from v").fetchall(), [(7,)])


GLOBAL = pyarrow.table({"x": [1, 2, 3]})


class LocalNames(unittest.TestCase):
    def setUp(self):
        self.db = pistachio.connect(threads=2)
        self.addCleanup(self.db.close)

    def test_variables(self):
        table = pyarrow.table({"k": [1, 2], "name": ["one", "two"]})
        frame = table
        self.assertEqual(self.db.sql("from frame").fetchall(), [(1, "one"), (2, "two")])
        self.assertEqual(self.db.sql("select sum(x) from GLOBAL").fetchone(), (6,))
        self.assertEqual(self.db.sql("select name from frame join global on k = x order by 1").fetchall(), [("one",), ("two",)])
        MixedCase = table
        self.assertEqual(self.db.sql("select count(*) from MixedCase").fetchone(), (2,))
        self.assertEqual(self.db.sql('select count(*) from "MixedCase"').fetchone(), (2,))
        del MixedCase

    def test_kinds(self):
        polars, pandas = library(self, "polars"), library(self, "pandas")
        one, two, three = polars.DataFrame({"x": [1]}), polars.DataFrame({"x": [2]}).lazy(), pandas.DataFrame({"x": [3]})
        four = self.db.sql("select x + 1 as x from three")
        self.assertEqual(self.db.sql("from one union all from two union all from three union all from four order by 1").fetchall(),
                         [(1,), (2,), (3,), (4,)])
        del one, two, three, four

    def test_what_was_read_stays(self):
        pandas = library(self, "pandas")
        frame = pandas.DataFrame({"x": [1, 2]})
        result = self.db.sql("select sum(x) from frame")
        frame["x"] = 0
        self.assertEqual((result.fetchone(), self.db.sql("select sum(x) from frame").fetchone()), ((3,), (0,)))
        frame = pandas.DataFrame({"x": [10]})
        self.assertEqual((result.fetchone(), self.db.sql("select sum(x) from frame").fetchone()), ((3,), (10,)))
        for _ in range(2):
            self.assertEqual(result.arrow().num_rows, 1)
            self.assertEqual(pyarrow.RecordBatchReader.from_stream(result).read_all().num_rows, 1)

    def test_nothing_is_left(self):
        frame = pyarrow.table({"x": [1]})
        for _ in range(3):
            self.assertEqual(self.db.sql("select count(*) from frame").fetchone(), (1,))
        del frame
        gc.collect()
        self.assertEqual(self.db.sql("show tables").fetchall(), [])
        with self.assertRaisesRegex(pistachio.ProgrammingError, 'table "frame" does not exist'):
            self.db.sql("from frame")

    def test_tables_come_first(self):
        taken = pyarrow.table({"x": [1]})
        self.db.register("taken", pyarrow.table({"x": [2]}))
        self.assertEqual(self.db.sql("from taken").fetchall(), [(2,)])
        del taken

    def test_other_names_are_errors(self):
        number, kind = 7, pyarrow.Table
        for text in ("from number", "from kind", "from nowhere", "from os"):
            with self.assertRaisesRegex(pistachio.ProgrammingError, "does not exist"):
                self.db.sql(text)
        del number, kind

    def test_statements_without_rows(self):
        frame = pyarrow.table({"x": [1, 2]})
        self.db.sql("create table kept as select x * 2 as y from frame")
        del frame
        self.assertEqual(self.db.sql("from kept").fetchall(), [(2,), (4,)])


if __name__ == "__main__":
    unittest.main()
