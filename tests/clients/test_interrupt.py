"""Ctrl-C in Python comes as KeyboardInterrupt, whoever pulls the rows; what fails is a pistachio.Error with its place.

Each interrupted statement would run for hours, in an interpreter of its own: that it ends is what is tested."""
import os
import subprocess
import sys
import unittest

from client import LIBRARY, library

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "..", "..", "python"))
import pistachio  # noqa: E402

LONG = "select count(*) from range(3000000) a(i) join range(3000000) b(i) on a.i * 7 % 1000003 <> b.i % 999983 + a.i"
ENDLESS = "select i, i::varchar as s from range(1000000000000) t(i)"
MEDIAN = "select sum(m) from (select median(i) over (order by i * 7 % 1000003 rows 100000 preceding) as m from range(30000000) t(i)) q"
SECONDS = 120

RUN = """
import os, signal, sys, threading, time
import pistachio
db = pistachio.connect(threads=2)
threading.Timer({delay}, os.kill, (os.getpid(), signal.SIGINT)).start()
try:
    {statement}
    print("went on")
except KeyboardInterrupt:
    print("KeyboardInterrupt")
except Exception as error:
    # Another package's exception comes first: Python's own handler runs as soon as the interpreter does.
    try:
        time.sleep(5)
        print(type(error).__name__ + ":", error)
    except KeyboardInterrupt:
        print("KeyboardInterrupt")
print(db.sql("select 42 as x").fetchall())
"""


class Interrupt(unittest.TestCase):
    def check(self, statement, delay=0.7, needs=(), also=()):
        """Ctrl-C while the statement runs: KeyboardInterrupt, or what another package makes of it (also)."""
        for name in needs:
            library(self, name)
        environment = {**os.environ, "PISTACHIO_LIBRARY": LIBRARY,
                       "PYTHONPATH": os.path.dirname(os.path.dirname(pistachio.__file__))}
        text = RUN.format(statement=statement, delay=delay)
        ran = subprocess.run([sys.executable, "-c", text], capture_output=True, text=True, env=environment, timeout=SECONDS)
        self.assertEqual(ran.returncode, 0, ran.stderr)
        self.assertIn(ran.stdout, [f"{said}\n[(42,)]\n" for said in ("KeyboardInterrupt", *also)], ran.stderr)

    def test_values(self):
        self.check(f"db.sql('{LONG}').fetchall()")
        self.check(f"db.sql('{MEDIAN}').fetchone()")
        self.check(f"for row in db.sql('{ENDLESS}'): pass")

    def test_statements_without_rows(self):
        self.check(f"db.sql('create table t as {LONG}')")

    def test_arrow(self):
        self.check(f"db.sql('{LONG}').arrow()", needs=["pyarrow"])
        self.check(f"import pyarrow\n    for b in pyarrow.RecordBatchReader.from_stream(db.sql('{ENDLESS}')): pass",
                   needs=["pyarrow"])
        self.check(f"import pyarrow\n    pyarrow.RecordBatchReader.from_stream(db.sql('{LONG}')).read_all()", needs=["pyarrow"])

    def test_polars(self):
        self.check(f"db.sql('{LONG}').pl()", needs=["polars"])
        self.check(f"import polars\n    polars.DataFrame(db.sql('{LONG}'))", needs=["polars"], delay=2)

    def test_pandas(self):
        self.check(f"db.sql('{LONG}').df()", needs=["pandas"])

    def test_duckdb(self):
        self.check(f"import duckdb\n    duckdb.from_arrow(db.sql('{LONG}')).fetchall()", needs=["duckdb", "pyarrow"], delay=2,
                   also=["RuntimeError: Query interrupted"])  # DuckDB looks for signals, too: whoever looks first has it

    def test_batches(self):
        self.check(f"for batch in db.sql('{ENDLESS}').batches(): pass")

    def test_dbapi(self):
        self.check(f"from pistachio import dbapi\n    with dbapi.connect(threads=2) as c, c.cursor() as k: k.execute('{LONG}'); k.fetchall()",
                   needs=["pyarrow"], delay=2)


class Errors(unittest.TestCase):
    def setUp(self):
        self.db = pistachio.connect(threads=1)
        self.addCleanup(self.db.close)

    def test_ways_out(self):
        text = "select 1 /\n  (i - 3) as x from range(10) t(i)"
        ways = {"fetchall": lambda r: r.fetchall(), "fetchone": lambda r: r.fetchone(), "iter": list, "repr": repr,
                "batches": lambda r: list(r.batches()), "pyarrow": lambda r: r.arrow(), "polars": lambda r: r.pl(),
                "pandas": lambda r: r.df(), "torch": lambda r: r.torch()}
        for name, take in ways.items():
            with self.subTest(name):
                if name in ("pyarrow", "polars", "pandas", "torch"):
                    library(self, name)
                with self.assertRaises(pistachio.Error) as caught:
                    take(self.db.sql(text))
                self.assertIsInstance(caught.exception, pistachio.DataError)
                self.assertEqual(caught.exception.message, "division by zero")
                self.assertEqual(str(caught.exception).split("\n")[1:3], ["line 1: select 1 /", "                 ^"])

    # Statements that fail as they run: class, message, where the mark is (line, the text from there).
    RUNNING = [
        ("select 10 / (i - 3) as x from range(10) t(i)", pistachio.DataError, "division by zero", "/ (i - 3)"),
        ("select (i || 'x')::int as x from range(10) t(i)", pistachio.DataError, '"0x" is no', "::int"),
        ("select 2147483640::int + i::int as x from range(10) t(i)", pistachio.DataError, "does not fit integer", "+ i"),
        ("select (select j from range(2) u(j) where j >= i) as x from range(1) t(i)", pistachio.Error, "more than one row", None),
        ("select sqrt(i - 3) as x from range(10) t(i)", pistachio.DataError, "not defined", None),
    ]

    def test_each_failure_each_way(self):
        """In whatever way rows are asked for a failure is the same exception, and the session goes on."""
        ways = {"fetchall": lambda r: r.fetchall(), "fetchone": lambda r: r.fetchone(), "iter": list, "repr": repr,
                "html": lambda r: r._repr_html_(), "batches": lambda r: list(r.batches()), "pyarrow": lambda r: r.arrow(),
                "polars": lambda r: r.pl(), "pandas": lambda r: r.df(), "exact": lambda r: r.df(exact=True)}
        cases = 0
        for text, kind, message, place in self.RUNNING:
            for name, take in ways.items():
                with self.subTest(name, text=text):
                    cases += 1
                    if name in ("pyarrow", "polars", "pandas"):
                        library(self, name)
                    with self.assertRaises(kind) as caught:
                        take(self.db.sql(text))
                    self.assertIn(message, caught.exception.message)
                    self.check_mark(caught.exception, text, place)
                    self.assertEqual(self.db.sql("select 42 as x").fetchone(), (42,))
            with self.subTest("cursor", text=text), self.db.cursor() as cursor, self.assertRaises(kind):
                cases += 1
                cursor.execute(text)
                cursor.fetchall()
        self.assertGreaterEqual(cases, 50)

    def check_mark(self, error, text, place):
        lines = str(error).split("\n")
        if place is None or len(lines) < 3 or not lines[1].startswith("line 1: "):
            self.assertIsNone(place, str(error))
            return
        self.assertEqual(lines[1], "line 1: " + text)
        self.assertTrue(text[lines[2].index("^") - len("line 1: "):].startswith(place), str(error))

    # Statements that fail before they run: class, message, a part of the hint.
    BINDING = [
        ("select nosuch from (values (1)) v(nosuck)", pistachio.ProgrammingError, 'column "nosuch" does not exist', "nosuck"),
        ("select * from nowhere", pistachio.ProgrammingError, 'table "nowhere" does not exist', "FROM 'path.parquet'"),
        ("select nosuchfunction(1)", pistachio.ProgrammingError, "nosuchfunction", None),
        ("selec 1", pistachio.ProgrammingError, "syntax error", None),
        ("select 'open", pistachio.ProgrammingError, "unterminated", None),
        ("select 1 + true", pistachio.ProgrammingError, "operator", None),
        ("select x, count(*) from (values (1)) v(x)", pistachio.ProgrammingError, "x", None),
        ("select * from '/nowhere/at/all.parquet'", pistachio.Error, "No such file", None),
        ("set nosuch = 1", pistachio.Error, "nosuch", None),
        ("set threads = 2", pistachio.Error, "whole database", None),
        ("create table t as select nosuch", pistachio.ProgrammingError, "nosuch", None),
        ("copy (select 1 as x) to '/nowhere/at/all.parquet'", pistachio.Error, "/nowhere/at/all.parquet", None),
        ("select 1; select 2", pistachio.Error, "", None),
        ("", pistachio.Error, "", None),
    ]

    def test_each_binding(self):
        for text, kind, message, hint in self.BINDING:
            with self.subTest(text):
                with self.assertRaises(kind) as caught:
                    self.db.sql(text).fetchall()
                error = caught.exception
                self.assertIn(message, error.message)
                self.assertNotIn("ADBC", str(error))
                if hint:
                    self.assertIn(hint, error.hint)
                if error.position is not None:
                    self.assertTrue(0 <= error.position <= len(text), error.position)

    def test_binding(self):
        with self.assertRaises(pistachio.ProgrammingError) as caught:
            self.db.sql("select nosuch\nfrom (values (1)) v(nosuck)")
        error = caught.exception
        self.assertEqual((error.message, error.hint, error.position), ('column "nosuch" does not exist', 'did you mean "nosuck"?', 7))
        self.assertEqual(str(error), 'column "nosuch" does not exist\nline 1: select nosuch\n               ^\n'
                                     'hint: did you mean "nosuck"?')
        with self.assertRaises(pistachio.NotSupportedError):
            self.db.sql("select * from (values (1)) v(x) for update")
        with self.assertRaises(pistachio.Error):
            pistachio.connect("/nowhere/at/all")

    def test_dbapi(self):
        library(self, "pyarrow")
        from pistachio import dbapi
        with dbapi.connect(threads=1) as connection, connection.cursor() as cursor:
            for text in ("select nosuch", "select 1 / i from (values (0)) v(i)"):
                with self.assertRaises(pistachio.Error):
                    cursor.execute(text)
                    cursor.fetchall()
                with self.assertRaises(dbapi.Error):
                    cursor.execute(text)
                    cursor.fetchall()
            cursor.execute("select 7")
            self.assertEqual(cursor.fetchall(), [(7,)])


if __name__ == "__main__":
    unittest.main()
