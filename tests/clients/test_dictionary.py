"""Text as codes and dictionaries (arrow_dictionary = on): what each client makes of it is what pyarrow wrote."""
import os
import tempfile
import unittest

import pyarrow
import pyarrow.parquet

from client import connect, library

CODED = pyarrow.dictionary(pyarrow.int32(), pyarrow.large_string())


def texts(rows, distinct, with_nulls):
    """Short ones and long ones in turns; each third is NULL."""
    return [None if with_nulls and i % 3 == 1 else
            (f"t{i % distinct}" if i % distinct % 2 else f"a text that does not lie in its view: {i % distinct} \u00e4")
            for i in range(rows)]


# Rows, distinct texts, NULLs, how the file has them. Codes in the file are of 0, 1, 3, 9 and 17 bits.
CASES = [(0, 1, False, {}), (1, 1, False, {}), (1, 1, True, {}), (30000, 1, False, {}), (30000, 2, False, {}), (30000, 5, True, {}),
         (30000, 300, True, {"row_group_size": 7000}), (100000, 70000, True, {"row_group_size": 90000}),
         (20000, 9, True, {"use_dictionary": False}), (20000, 20000, False, {"use_dictionary": False})]


class Dictionaries(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.path = os.path.join(self.folder.name, "t.parquet")

    def write(self, values, **options):
        table = pyarrow.table({"i": pyarrow.array(range(len(values)), pyarrow.int64()), "s": pyarrow.array(values, pyarrow.string())})
        pyarrow.parquet.write_table(table, self.path, **options)

    def connect(self, **settings):
        connection = connect(self.path, arrow_dictionary="on", threads=2, **settings)
        self.addCleanup(connection.close)
        return connection

    def take(self, connection, fetch, sql="select s from t order by i"):
        with connection.cursor() as cursor:
            cursor.execute(sql)
            return fetch(cursor.fetch_record_batch())

    def check_pyarrow(self, values, **settings):
        connection = self.connect(**settings)
        for sql in ("select s from t order by i", "select s from t"):
            table = self.take(connection, lambda reader: reader.read_all(), sql)
            table.validate(full=True)
            self.assertEqual(table.schema.field("s").type, CODED)
            got = table["s"].to_pylist()
            self.assertEqual(got if "order" in sql else sorted(got, key=str), values if "order" in sql else sorted(values, key=str))
            for chunk in table["s"].chunks:
                entries = chunk.dictionary.to_pylist()
                self.assertEqual(len(set(entries)), len(entries))
                self.assertLessEqual(len(entries), len(chunk))

    def test_codes_of_every_width(self):
        for rows, distinct, with_nulls, options in CASES:
            with self.subTest(rows=rows, distinct=distinct, **options):
                values = texts(rows, distinct, with_nulls)
                self.write(values, **options)
                self.check_pyarrow(values)

    def test_on_a_device_with_memory_of_its_own_and_over_ranks(self):
        values = texts(30000, 300, True)
        self.write(values, row_group_size=7000)
        self.check_pyarrow(values, device="simulated")
        self.check_pyarrow(values, ranks=2, distribute="always")

    def test_codes_are_those_of_the_engine(self):
        """Without NULLs they are borrowed: no code is made, and each batch has all texts of the file's dictionary."""
        self.write(texts(30000, 4, False))
        table = self.take(self.connect(), lambda reader: reader.read_all(), "select s from t")
        for chunk in table["s"].chunks:
            self.assertEqual(chunk.dictionary.to_pylist(), texts(4, 4, False))

    def test_rows_that_a_filter_leaves(self):
        values = texts(30000, 300, True)
        self.write(values)
        table = self.take(self.connect(), lambda reader: reader.read_all(), "select s from t where i % 1000 = 3 order by i")
        self.assertEqual(table["s"].to_pylist(), values[3::1000])

    def test_every_client(self):
        values = texts(50000, 300, True)
        clients = {
            "polars": lambda frames: lambda reader: frames.DataFrame(reader)["s"].cast(frames.String).to_list(),
            "duckdb": lambda duckdb: lambda reader: [row[0] for row in duckdb.from_arrow(reader).fetchall()],
            "pandas": lambda _: lambda reader: [text if isinstance(text, str) else None for text in reader.read_pandas()["s"]],
        }
        for made in (values, [None] * 10, []):
            self.write(made, row_group_size=9000)
            connection = self.connect()
            for name, take in clients.items():
                with self.subTest(name, rows=len(made)):
                    self.assertEqual(self.take(connection, take(library(self, name))), made)

    def test_categories_in_frames(self):
        self.write(texts(50000, 300, True))
        polars, connection = library(self, "polars"), self.connect()
        library(self, "pandas")
        self.assertEqual(self.take(connection, polars.DataFrame).schema["s"], polars.Categorical)
        self.assertEqual(str(self.take(connection, lambda reader: reader.read_pandas())["s"].dtype), "category")

    def test_slices_and_parts_outlive_all(self):
        values = texts(30000, 300, True)
        self.write(values)
        connection = self.connect()
        parts = self.take(connection, lambda reader: [batch.column(0) for batch in reader])
        connection.close()
        parts = [part.slice(7, 20) for part in parts]
        dictionaries = [part.dictionary for part in parts]
        self.assertEqual(parts[0].to_pylist(), values[7:27])
        del parts
        self.assertTrue(all(dictionary.to_pylist() for dictionary in dictionaries))

    def test_the_package(self):
        from test_package import pistachio
        for values in (texts(20000, 300, True), [None] * 3, []):
            self.write(values)
            with pistachio.connect(self.path, arrow_dictionary=True) as db:
                self.assertEqual(db.sql("select s from t order by i").fetchall(), [(value,) for value in values])
                self.assertIn("s", repr(db.sql("select s, 1 as n from t")))
                db.register("again", db.sql("select * from t"))
                self.assertEqual(db.sql("select s from again order by i").fetchall(), [(value,) for value in values])

    def test_other_columns_and_schemas(self):
        with connect(arrow_dictionary="on") as connection, connection.cursor() as cursor:
            sql = "select 'x' as s, '\\x00'::blob as z, 1 as i, null::date as n, ?::varchar as p"
            schema = cursor.adbc_execute_schema(sql)
            self.assertEqual([str(field.type) for field in schema], [str(CODED), "binary_view", "int32", "date32[day]", str(CODED)])
            cursor.executemany("select ?::varchar as p", [("x",), (None,), ("y",)])
            cursor.execute("show threads")
            self.assertEqual(cursor.fetchone()[0], "threads")
            cursor.execute("set arrow_dictionary = off")
            cursor.execute("select 'x' as s")
            self.assertEqual(cursor.fetch_arrow_table().schema.field("s").type, pyarrow.string_view())


if __name__ == "__main__":
    unittest.main()
