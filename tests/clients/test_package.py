"""The Python package `pistachio`. Its values are those that pyarrow has of the same streams."""
import datetime
import decimal
import importlib.util
import os
import subprocess
import sys
import tempfile
import unittest
import warnings

import pyarrow
import pyarrow.parquet

from client import COLUMNS, LIBRARY, library, table_of

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "..", "..", "python"))
import pistachio  # noqa: E402


def in_pyarrow(value):
    """As the package has it."""
    return pistachio.Interval(*value) if isinstance(value, pyarrow.MonthDayNano) else value


class Package(unittest.TestCase):
    def setUp(self):
        self.db = pistachio.connect(threads=2)
        self.addCleanup(self.db.close)

    def test_every_type(self):
        for rows in (0, 1, 3, 20000):
            table = table_of(rows)
            with tempfile.NamedTemporaryFile(suffix=".parquet") as file:
                pyarrow.parquet.write_table(table, file.name)
                result = self.db.sql(f"select * from '{file.name}'")
                self.assertEqual(result.columns, table.column_names)
                self.assertEqual(result.fetchall(), list(zip(*(table[n].to_pylist() for n in table.column_names))))
                self.assertEqual(result.arrow().num_rows, rows)

    def test_made_values(self):
        result = self.db.sql("select interval '14 months -3 days 4.000005 seconds', null, -0.5::decimal(5,2), 1e300::double")
        expected = [in_pyarrow(column[0].as_py()) for column in result.arrow().columns]
        self.assertEqual(result.fetchall(), [tuple(expected)])
        self.assertEqual(result.fetchone(), (pistachio.Interval(14, -3, 4000005000), None, decimal.Decimal("-0.50"), 1e300))

    def test_parameters(self):
        moment = datetime.datetime(2000, 1, 2, 3, 4, 5, 6)
        values = [None, True, -7, 2**62, 1.5, "text, longer than twelve bytes \u00e4", b"\0\xff", decimal.Decimal("-12.340"),
                  moment, moment.replace(tzinfo=datetime.timezone.utc), moment.date(), moment.time()]
        for value in values:
            self.assertEqual(self.db.sql("select ? as x", [value]).fetchall(), [(value,)])
        self.assertEqual(self.db.sql("select ? as x", [datetime.timedelta(days=-1, seconds=3)]).fetchall(),
                         [(pistachio.Interval(0, -1, 3 * 10**9),)])
        self.assertEqual(self.db.sql("select $b || $a", {"a": "a", "b": "b"}).fetchone(), ("ba",))
        for wrong in ([1, 2], []):
            with self.assertRaises(pistachio.Error):
                self.db.sql("select ?", wrong).fetchall()
        with self.assertRaisesRegex(TypeError, "set"):
            self.db.sql("select ?", [{1}])

    def test_register(self):
        table = table_of(1000)
        self.db.register("frame", table)
        got = self.db.sql("select * from frame").arrow()
        for name in table.column_names:
            self.assertEqual(got[name].to_pylist(), table[name].to_pylist(), name)
        self.db.register("frame", table.slice(990))
        self.assertEqual(self.db.sql("select count(*) from frame").fetchone(), (10,))
        self.db.register("again", self.db.sql("select i32 from frame where i32 > 0"))
        self.assertEqual(self.db.sql("select min(i32) from again").fetchone(), (5,))

    def test_cache(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, 't"1.parquet')
            pyarrow.parquet.write_table(pyarrow.table({"a": [1, 2, 300], 'b"': ["x", "y", "x"]}), path)
            os.utime(path, (0, 0))  # a file that is written to at this moment is not kept
            with pistachio.connect(folder) as db:
                kept = f"select column_name, row_count from pistachio_cache() where file_name = '{path}' order by 1"
                db.cache('t"1', ['b"'])
                self.assertEqual(db.sql(kept).fetchall(), [('b"', 3)])
                db.cache('t"1')
                self.assertEqual(db.sql(kept).fetchall(), [("a", 3), ('b"', 3)])
                self.assertEqual(db.sql('select sum(a) from "t""1" where "b""" = \'x\'').fetchone(), (301,))
                db.clear_cache()
                self.assertEqual(db.sql(kept).fetchall(), [])

    def test_frames(self):
        result = self.db.sql("select i, 'a text that does not lie in its view' as s from (values (1), (2)) v(i)")
        for name, take in (("polars", lambda: result.pl().rows()),
                           ("pandas", lambda: list(result.df().itertuples(index=False, name=None)))):
            with self.subTest(name):
                library(self, name)
                self.assertEqual(take(), result.fetchall())

    def test_shown_as_the_shell_does(self):
        result = self.db.sql("select i, s, d from (values (1, 'x', 1.50), (20, null, -2.00)) v(i, s, d)")
        self.assertEqual(repr(result), " i  | s    | d\n----+------+-------\n  1 | x    |  1.50\n 20 | NULL | -2.00\n(2 rows)")
        self.assertEqual(repr(self.db.sql("create view v as select 1 as x")), "")
        digits = "(values (0),(1),(2),(3),(4),(5),(6),(7),(8),(9))"
        self.assertTrue(repr(self.db.sql(f"select a.i from {digits} a(i), {digits} b(i)")).endswith("(the first 20 rows)"))

    def test_failures(self):
        with self.assertRaisesRegex(pistachio.Error, "did you mean"):
            self.db.sql("select nosuch from (values (1)) v(nosuck)")
        with self.assertRaisesRegex(Exception, "division by zero"):
            self.db.sql("select 1 / i from (values (1), (0)) v(i)").fetchall()
        with self.assertRaisesRegex(pistachio.Error, "nonsense"):
            pistachio.connect(nonsense=1)

    def test_nested_values(self):
        kind = pyarrow.map_(pyarrow.string(), pyarrow.int64())
        table = pyarrow.table({"id": [1, 2, 3, 4], "tags": [["a", "b"], [], None, ["a text that does not lie in its view", None]],
                               "s": [{"x": 1, "y": "q"}, None, {"x": 3, "y": None}, {"x": 4, "y": "z"}],
                               "deep": [[[1], [2, 3]], None, [[]], [None]], "of": [[{"a": 1}], [], None, [{"a": 2}, None]],
                               "m": pyarrow.array([[("k", 1)], [], None, [("p", 2), ("q", None)]], kind)})
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "nested.parquet")
            pyarrow.parquet.write_table(table, path, row_group_size=3)
            with warnings.catch_warnings():
                warnings.simplefilter("error")  # nothing is left out
                result = self.db.sql(f"select * from '{path}'")
            expected = list(zip(*(table[name].to_pylist() for name in table.column_names)))
            self.assertEqual(result.fetchall(), expected)
            self.assertEqual(self.db.sql(f"select * from '{path}' where id > 1").fetchall(), expected[1:])
            self.assertIn("['a', 'b']", repr(result))
            if importlib.util.find_spec("pandas"):
                self.assertEqual(result.df()["tags"].tolist()[:2], [["a", "b"], []])
            # From a page through a filter and a join to pyarrow, where the device's memory is out of the host's reach.
            with pistachio.connect(device="simulated") as lazy:
                read = lazy.sql(f"select t.* from '{path}' t join (values (2), (4), (5)) k(id) on t.id = k.id "
                                "where len(t.tags) is null or t.tags[1] <> '' order by t.id").arrow()
                self.assertEqual(read["id"].to_pylist(), [4])
                read = lazy.sql(f"select * from '{path}' where id <> 2 order by s").arrow()
                self.assertEqual(list(zip(*(read[name].to_pylist() for name in table.column_names))),
                                 [expected[0], expected[2], expected[3]])

    def test_lists_of_a_fixed_size(self):
        rows = [(1, [1, None]), (2, None), (3, [5, 6])]
        sql = "select i, case when i = 1 then [1, NULL] when i = 3 then [5, 6] end::integer[2] as v from (values (1), (2), (3)) t(i)"
        self.assertEqual(self.db.sql(sql).fetchall(), rows)
        table = self.db.sql(sql + " union all " + sql).arrow()
        self.assertEqual(table.schema.field("v").type, pyarrow.list_(pyarrow.field("element", pyarrow.int32()), 2))
        self.assertEqual(table["v"].to_pylist(), [v for _, v in rows + rows])
        table.validate(full=True)
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "v.arrow")
            self.db.sql(f"copy ({sql}) to '{path}' (format arrow)")
            self.assertEqual(pyarrow.ipc.open_file(path).read_all()["v"].to_pylist(), [v for _, v in rows])
            read = self.db.sql(f"select typeof(v) as t, v from '{path}' where i = 3").arrow()
            self.assertEqual(read.to_pylist(), [{"t": "integer[2]", "v": [5, 6]}])

    def test_dbapi(self):
        from pistachio import dbapi
        with dbapi.connect(threads=1) as c, c.cursor() as cursor:
            cursor.execute("select ?", (7,))
            self.assertEqual(cursor.fetchall(), [(7,)])

    def run_python(self, text, path):
        environment = {**os.environ, "PYTHONPATH": path, "PISTACHIO_LIBRARY": LIBRARY}
        return subprocess.run([sys.executable, "-c", text], capture_output=True, text=True, env=environment)

    def test_needs_no_other_package_and_leaves_cleanly(self):
        ran = self.run_python("import pistachio, sys; db = pistachio.connect(); r = db.sql('select ? as x', [1]);"
                              "print(r.fetchall(), r); rest = iter(db.sql('select 1 as y')); next(rest);"
                              "print([m for m in ('pyarrow', 'numpy', 'pandas') if m in sys.modules])",
                              os.path.dirname(os.path.dirname(pistachio.__file__)))
        self.assertEqual((ran.returncode, ran.stdout, ran.stderr), (0, "[(1,)]  x\n---\n 1\n(1 row)\n[]\n", ""))

    def test_wheel(self):
        root = os.path.join(os.path.dirname(__file__), "..", "..")
        with tempfile.TemporaryDirectory() as folder:
            made = subprocess.run([os.path.join(root, "scripts", "wheel"), LIBRARY, folder], capture_output=True, text=True)
            if made.returncode:
                self.skipTest(made.stderr.strip())
            if not importlib.util.find_spec("pip"):
                self.skipTest("there is no pip")
            target = os.path.join(folder, "installed")
            subprocess.run([sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--no-index", "--target", target,
                            made.stdout.strip()], check=True)
            environment = {name: value for name, value in os.environ.items() if name != "PISTACHIO_LIBRARY"}
            ran = subprocess.run([sys.executable, "-c", "import pistachio; print(pistachio.library());"
                                  "print(pistachio.connect().sql('select 42').fetchone())"], capture_output=True, text=True,
                                 env={**environment, "PYTHONPATH": target})
            self.assertEqual(ran.stdout, os.path.join(target, "pistachio", "libpistachio.so.0") + "\n(42,)\n", ran.stderr)


if __name__ == "__main__":
    unittest.main()
