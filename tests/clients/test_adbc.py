"""Results, parameters, errors and lifetimes through ADBC, as pyarrow sees them. What is expected is what pyarrow wrote
into the files, or made by hand."""
import gc
import itertools
import os
import random
import subprocess
import sys
import tempfile
import threading
import unittest

import adbc_driver_manager
import pyarrow
import pyarrow.parquet
from adbc_driver_manager import dbapi

from client import COLUMNS, LIBRARY, connect, library, table_of

def expected_schema():
    return pyarrow.schema([(name, result or kind) for name, kind, _, result in COLUMNS])


def null_slots_are_zero(test, array):
    """Of fixed width: what lies under a NULL."""
    is_view = pyarrow.types.is_string_view(array.type) or pyarrow.types.is_binary_view(array.type)
    width = 16 if is_view else array.type.bit_width // 8
    if not width:
        return
    values = array.buffers()[1].to_pybytes()
    for i, valid in enumerate(array.is_valid().to_pylist()):
        if not valid:
            at = (array.offset + i) * width
            test.assertEqual(values[at:at + width], bytes(width), array.type)


class Results(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)

    def file(self, table, **options):
        path = os.path.join(self.folder.name, "t.parquet")
        pyarrow.parquet.write_table(table, path, **options)
        return path

    def fetch(self, table, sql="select * from t", settings=None, **options):
        with connect(self.file(table, **options), **(settings or {})) as c, c.cursor() as cursor:
            cursor.execute(sql)
            return cursor.fetch_arrow_table()

    def texts(self, values, sql, keep, **options):
        """Columns of text and of bytes as pyarrow reads them; keep says which rows the statement gives."""
        table = pyarrow.table({"i": pyarrow.array(range(len(values)), pyarrow.int64()),
                               "s": pyarrow.array(values, pyarrow.string()),
                               "z": pyarrow.array(values, pyarrow.string()).cast(pyarrow.binary())})
        got = self.fetch(table, sql, **options)
        got.validate(full=True)
        expected = table.filter(pyarrow.array([keep(i) for i in range(len(values))]))
        for name in ("s", "z"):
            self.assertTrue(got[name].to_pylist() == expected[name].to_pylist(), name)
            for chunk in got[name].chunks:
                null_slots_are_zero(self, chunk)

    def test_texts_of_many_pages(self):
        """Short and long ones, NULLs, of one page and of several, all of their rows and few."""
        kinds = {"short": lambda i: str(i % 1000),
                 "long": lambda i: f"a text that does not lie in its view {i}",
                 "mixed": lambda i: "x" * (i * 7 % 31),
                 "twelve": lambda i: "y" * (11 + i % 3),
                 "some": lambda i: None if i % 5 == 2 else "z\u00e4" * (i * 3 % 17),
                 "none": lambda i: None,
                 "few": lambda i: "a text that is the only long one of all" if i == 4711 else "s"}
        for name, make in kinds.items():
            values = [make(i) for i in range(8000)]
            for options in ({"use_dictionary": False, "data_page_size": 5000}, {"use_dictionary": False},
                            {"use_dictionary": True, "row_group_size": 3000}):
                with self.subTest(name, **options):
                    self.texts(values, "select * from t", lambda i: True, **options)
                    self.texts(values, "select * from t where i % 7 = 3", lambda i: i % 7 == 3, **options)

    def check(self, rows, **options):
        table = table_of(rows)
        got = self.fetch(table, **options)
        self.assertEqual(got.schema, expected_schema())
        got.validate(full=True)
        self.assertEqual(got.num_rows, rows)
        for name in table.column_names:
            self.assertEqual(got[name].to_pylist(), table[name].to_pylist(), name)
        for name in table.column_names:
            for chunk in got[name].chunks:
                null_slots_are_zero(self, chunk)

    def test_every_type(self):
        for rows in (0, 1, 3, 1000):
            with self.subTest(rows=rows):
                self.check(rows)

    def test_many_batches(self):
        self.check(20000, settings={"threads": 2}, row_group_size=7000)

    def test_plain_pages(self):
        self.check(3000, use_dictionary=False, compression="none")

    def test_on_a_device_with_memory_of_its_own(self):
        self.check(3000, settings={"device": "simulated"})

    def test_empty_results_have_a_schema_and_no_batch(self):
        with connect(self.file(table_of(10))) as c, c.cursor() as cursor:
            cursor.execute("select * from t where i32 = 77")
            reader = cursor.fetch_record_batch()
            self.assertEqual(reader.schema, expected_schema())
            self.assertEqual(list(reader), [])

    def test_constants_and_made_rows(self):
        with connect() as c, c.cursor() as cursor:
            cursor.execute("select 'a constant text of more than twelve bytes' as s, 1 as i, null::date as d "
                           "from (values (1), (2)) v(x)")
            self.assertEqual(cursor.fetchall(), [("a constant text of more than twelve bytes", 1, None)] * 2)
            cursor.execute("show threads")
            self.assertEqual(cursor.fetchone()[0], "threads")
            cursor.execute("explain select 1")
            self.assertTrue(cursor.fetchall())

    def test_intervals(self):
        with connect() as c, c.cursor() as cursor:
            cursor.execute("select interval '1 year 2 months 3 days 4.000005 seconds' as i, null::interval as n")
            table = cursor.fetch_arrow_table()
            self.assertEqual(table.schema.field("i").type, pyarrow.month_day_nano_interval())
            self.assertEqual(table["i"][0].as_py(), pyarrow.MonthDayNano([14, 3, 4000005000]))
            self.assertIsNone(table["n"][0].as_py())

    def test_narrow_decimals(self):
        got = self.fetch(table_of(3), "select d9, d18, d38 from t", {"arrow_decimal": 64})
        self.assertEqual([str(field.type) for field in got.schema],
                         ["decimal64(9, 2)", "decimal64(18, 4)", "decimal128(38, 10)"])
        self.assertEqual(got.to_pydict(), table_of(3).select(["d9", "d18", "d38"]).to_pydict())

    def test_small_results_hold_little(self):
        table = pyarrow.table({"i": range(100000), "s": [f"text number {i} of many" for i in range(100000)]})
        path = self.file(table, use_dictionary=False, compression="none", data_page_size=1 << 30)
        with connect(path) as c, c.cursor() as cursor:
            cursor.execute("select s from t where i % 10000 = 0")
            got = cursor.fetch_arrow_table()
            self.assertEqual(got["s"].to_pylist(), [f"text number {i} of many" for i in range(0, 100000, 10000)])
            self.assertLess(sum(b.size for chunk in got["s"].chunks for b in chunk.buffers() if b), 10000)

    def test_fetching_more_than_the_limit(self):
        table = pyarrow.table({"i": pyarrow.array(range(3000000), pyarrow.int64())})
        got = self.fetch(table, settings={"memory_limit": "16MiB", "threads": 2})
        self.assertEqual(got.num_rows, 3000000)
        self.assertEqual(got["i"][2999999].as_py(), 2999999)


class Parameters(unittest.TestCase):
    def test_values_of_every_type(self):
        with connect() as c, c.cursor() as cursor:
            for name, kind, values, _ in COLUMNS:
                for value in [*values, None]:
                    row = pyarrow.table({"x": pyarrow.array([value], kind)})
                    cursor.adbc_statement.set_sql_query("select ? as x")
                    cursor.adbc_statement.bind_stream(row.to_reader())
                    handle, _ = cursor.adbc_statement.execute_query()
                    got = pyarrow.RecordBatchReader._import_from_c(handle.address).read_all()
                    self.assertEqual(got["x"].to_pylist(), [value], name)

    def test_layouts_of_text(self):
        texts = ["short", None, "a text that does not lie in its view", ""]
        kinds = [pyarrow.string(), pyarrow.large_string(), pyarrow.string_view(),
                 pyarrow.dictionary(pyarrow.int8(), pyarrow.string())]
        with connect() as c, c.cursor() as cursor:
            for kind in kinds:
                rows = pyarrow.table({"x": pyarrow.array(["cut off", *texts]).cast(kind)}).slice(1)
                cursor.adbc_statement.set_sql_query("select ?::varchar as x")
                cursor.adbc_statement.bind_stream(rows.to_reader())
                handle, _ = cursor.adbc_statement.execute_query()
                got = pyarrow.RecordBatchReader._import_from_c(handle.address).read_all()
                self.assertEqual(got["x"].to_pylist(), texts, kind)

    def test_styles_and_schema(self):
        with connect() as c, c.cursor() as cursor:
            cursor.execute("select $2 || $1", ("b", "a"))
            self.assertEqual(cursor.fetchall(), [("ab",)])
            cursor.execute("select ? where ? = ? and '?' = '?'", (1, "x", "x"))
            self.assertEqual(cursor.fetchall(), [(1,)])
            schema = cursor.adbc_prepare("select i from (values (1, date '2000-01-01')) v(i, d) where d < $day and i = $i")
            self.assertEqual(schema, pyarrow.schema([("day", pyarrow.date32()), ("i", pyarrow.int32())]))
            self.assertEqual(cursor.adbc_execute_schema("select 1 as i, 'x' as s"),
                             pyarrow.schema([("i", pyarrow.int32()), ("s", pyarrow.string_view())]))

    def test_wrong_counts_and_types(self):
        with connect() as c, c.cursor() as cursor:
            with self.assertRaisesRegex(dbapi.Error, "2 parameters, a row of them 1 columns"):
                cursor.execute("select ?, ?", (1,))
            with self.assertRaisesRegex(dbapi.Error, "has no value"):
                cursor.execute("select ?")
            cursor.adbc_statement.set_sql_query("select ?")
            cursor.adbc_statement.bind_stream(pyarrow.table({"nested": [[1, 2]]}).to_reader())
            with self.assertRaisesRegex(adbc_driver_manager.Error, 'column "nested" has the Arrow type'):
                cursor.adbc_statement.execute_query()


class Errors(unittest.TestCase):
    def test_state_position_and_hint(self):
        with connect() as c, c.cursor() as cursor:
            with self.assertRaises(dbapi.Error) as caught:
                cursor.execute("select nosuch from (values (1)) v(nosuck)")
            error = caught.exception
            self.assertEqual(error.sqlstate, "42704")
            self.assertEqual(dict(error.details)[b"position"] if isinstance(error.details[0][0], bytes)
                             else dict(error.details)["position"], b"7")
            self.assertIn("did you mean", str(error))

    def test_wrong_options_and_orders(self):
        with self.assertRaisesRegex(dbapi.Error, "there is no option nonsense"):
            dbapi.connect(driver=LIBRARY, db_kwargs={"nonsense": "1"})
        with self.assertRaisesRegex(dbapi.Error, "/nowhere"):
            connect("/nowhere/at.parquet")
        with connect() as c, c.cursor() as cursor:
            with self.assertRaisesRegex(adbc_driver_manager.Error, "no query"):
                cursor.adbc_statement.execute_query()
            with self.assertRaisesRegex(dbapi.Error, "several statements"):
                cursor.execute("select 1; select 2")
            cursor.execute("select 1;  ")
            with self.assertRaisesRegex(dbapi.Error, "whole database's"):
                cursor.execute("set threads = 1")

    def test_failures_while_rows_come(self):
        with connect() as c, c.cursor() as cursor:
            with self.assertRaisesRegex(Exception, "division by zero"):
                cursor.execute("select 1 / i from (values (1), (0)) v(i)")
                cursor.fetchall()


class Lifetimes(unittest.TestCase):
    LONG = ("with d(i) as (values (0),(1),(2),(3),(4),(5),(6),(7),(8),(9)) "
            "select a.i from d a, d b, d c, d e, d f, d g, d h, d j")

    def test_two_cursors_and_cancel(self):
        with connect() as c, c.cursor() as one, c.cursor() as two:
            one.execute(self.LONG)
            two.execute("select 1")
            reader = one.fetch_record_batch()
            reader.read_next_batch()
            one.adbc_cancel()
            self.assertEqual(two.fetchall(), [(1,)])
            with self.assertRaises(Exception):
                while True:
                    reader.read_next_batch()
            two.execute("select 2")
            self.assertEqual(two.fetchall(), [(2,)])

    def test_arrays_outlive_everything(self):
        c = connect()
        cursor = c.cursor()
        cursor.execute("select 'a text that is longer than twelve bytes' as s, 7 as i")
        table = cursor.fetch_arrow_table()
        cursor.close()
        c.close()
        column = table["s"]
        del table
        gc.collect()
        results = []
        thread = threading.Thread(target=lambda: results.append(column.to_pylist()))
        thread.start()
        thread.join()
        self.assertEqual(results, [["a text that is longer than twelve bytes"]])

    def test_cancelled_by_another_thread_while_a_neighbour_runs(self):
        with connect(threads=2) as c, c.cursor() as one, c.cursor() as two:
            two.execute("with d(i) as (values (0),(1),(2),(3),(4),(5),(6),(7),(8),(9)) select a.i from d a, d b, d c, d e, d f")
            neighbour = two.fetch_record_batch()
            one.execute(self.LONG)
            reader = one.fetch_record_batch()
            reader.read_next_batch()
            thread = threading.Thread(target=one.adbc_cancel)
            thread.start()
            with self.assertRaises(Exception):
                while True:
                    reader.read_next_batch()
            thread.join()
            self.assertEqual(sum(batch.num_rows for batch in neighbour), 10**5)

    def test_released_in_any_order_by_any_thread(self):
        """Everything that a client may hold, let go of in each order of a stream, its arrays and its statement, and others
        anywhere among them, each thing by a thread of its own."""
        draw = random.Random(7)
        for order in itertools.permutations(("reader", "batch", "column", "one")):
            c = connect(threads=2)
            one, two = c.cursor(), c.cursor()
            one.execute(self.LONG)
            reader = one.fetch_record_batch()
            batch = reader.read_next_batch()
            two.execute("select 'a text that is longer than twelve bytes' as s from (values (1), (2)) v(i)")
            held = {"reader": reader, "batch": batch, "table": two.fetch_arrow_table(), "column": batch.column(0).slice(3, 5)}
            del reader, batch
            names = [*order]
            for name in ("table", "two"):
                names.insert(draw.randint(0, len(names)), name)
            closed = 1 + max(names.index("one"), names.index("two"))  # the driver manager refuses it under its statements
            names.insert(draw.randint(closed, len(names)), "connection")
            for name in names:
                close = {"one": one.close, "two": two.close, "connection": c.close}.get(name, lambda: held.pop(name))
                thread = threading.Thread(target=close)
                thread.start()
                thread.join()
                for left in held.values():
                    if isinstance(left, pyarrow.Table):
                        self.assertEqual(left["s"].to_pylist(), ["a text that is longer than twelve bytes"] * 2)
                    elif isinstance(left, pyarrow.Array):
                        self.assertEqual(len(left.to_pylist()), 5)
        gc.collect()

    def test_left_at_the_interpreters_end(self):
        text = (f"from adbc_driver_manager import dbapi; c = dbapi.connect(driver={LIBRARY!r}, autocommit=True)\n"
                f"one, two = c.cursor(), c.cursor(); one.execute({self.LONG!r}); reader = one.fetch_record_batch()\n"
                "batch = reader.read_next_batch(); two.execute('select 7 as x'); table = two.fetch_arrow_table(); LEFT\n"
                "print(table['x'][0], flush=True)")
        lefts = {"as it is": "", "in a module": "import sys; sys.held = [reader, batch, table, two, one, c]",
                 "in a circle": "circle = [reader, batch, table, two, one, c]; circle.append(circle)",
                 "with a thread": "import threading; threading.Thread(target=lambda: sum(1 for _ in range(10**6)) and batch.num_rows).start()",
                 "closed under the arrays": "del reader; one.close(); two.close(); c.close()"}
        for name, left in lefts.items():
            with self.subTest(name):
                ran = subprocess.run([sys.executable, "-W", "ignore", "-c", text.replace("LEFT", left or "pass")],
                                     capture_output=True, text=True)
                self.assertEqual((ran.returncode, ran.stdout), (0, "7\n"), ran.stderr)

    def test_sessions(self):
        with connect() as c, c.cursor() as cursor:
            other = c.adbc_clone()
            cursor.execute("create view v as select 1 as x")
            cursor.execute("set read_ahead = '1MiB'")
            with other.cursor() as second:
                with self.assertRaises(dbapi.Error):
                    second.execute("select * from v")
                second.execute("show read_ahead")
                self.assertEqual(second.fetchone()[1], "96MiB")
            other.close()
            self.assertEqual(c.adbc_get_table_schema("v"), pyarrow.schema([("x", pyarrow.int32())]))

    def test_transactions_are_none(self):
        with dbapi.connect(driver=LIBRARY) as c, c.cursor() as cursor:
            cursor.execute("select 1")
            cursor.fetchall()
            c.commit()
            c.rollback()


class Clients(unittest.TestCase):
    """Other libraries that take Arrow streams; those that are not there are skipped."""

    def setUp(self):
        connection = connect()
        self.addCleanup(connection.close)
        cursor = connection.cursor()
        self.addCleanup(cursor.close)
        cursor.execute("select i, 'a text that does not lie in its view ' || i as s from (values (1), (2)) v(i)")
        self.reader = cursor.fetch_record_batch()
        self.expected = [(1, "a text that does not lie in its view 1"), (2, "a text that does not lie in its view 2")]

    def test_polars(self):
        self.assertEqual(library(self, "polars").from_arrow(self.reader.read_all()).rows(), self.expected)

    def test_pandas(self):
        library(self, "pandas")
        frame = self.reader.read_pandas()
        self.assertEqual(list(frame.itertuples(index=False, name=None)), self.expected)

    def test_duckdb(self):
        rows = self.reader
        self.assertEqual(library(self, "duckdb").sql("select * from rows").fetchall(), self.expected)


if __name__ == "__main__":
    unittest.main()
