"""Bulk ingest: a table is what was given, whole or not at all. The files are read by pyarrow."""
import os
import tempfile
import unittest

import pyarrow
import pyarrow.parquet
from adbc_driver_manager import dbapi

from client import COLUMNS, connect, table_of

ROWS = pyarrow.table({"i": [1, 2, 3], "s": ["a", None, "a text that does not lie in its view"]})


def failing():
    yield ROWS.to_batches()[0]
    raise ValueError("the source broke")


class Ingest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name
        pyarrow.parquet.write_table(ROWS, os.path.join(self.folder, "there.parquet"))
        self.c = connect(self.folder)
        self.addCleanup(self.c.close)
        self.cursor = self.c.cursor()
        self.addCleanup(self.cursor.close)

    def count(self, table):
        self.cursor.execute(f'select count(*) from "{table}"')
        return self.cursor.fetchone()[0]

    def test_every_type(self):
        for rows in (0, 1, 1000, 40000):
            with self.subTest(rows=rows):
                table = table_of(rows)
                self.assertEqual(self.cursor.adbc_ingest(f"t{rows}", table.to_reader(700)), rows)
                self.cursor.execute(f"select * from t{rows}")
                got = self.cursor.fetch_arrow_table()
                self.assertEqual(got.num_rows, rows)
                written = pyarrow.parquet.read_table(os.path.join(self.folder, f"t{rows}.parquet"))
                for name in table.column_names:
                    self.assertEqual(got[name].to_pylist(), table[name].to_pylist(), name)
                    self.assertEqual(written[name].to_pylist(), table[name].to_pylist(), name)

    def test_dictionaries(self):
        kinds = [pyarrow.string(), pyarrow.large_string(), pyarrow.int64(), pyarrow.decimal128(20, 3), pyarrow.bool_()]
        values = {pyarrow.bool_(): [True, None, False, True], pyarrow.int64(): [7, None, 8, 7]}
        for kind in kinds:
            plain = pyarrow.array(values.get(kind, ["1.5", None, "2.5", "1.5"])).cast(kind)
            table = pyarrow.table({"x": plain.dictionary_encode() if kind != pyarrow.bool_() else plain})
            self.cursor.adbc_ingest("dictionary", table, mode="replace")
            self.cursor.execute("select * from dictionary")
            self.assertEqual(self.cursor.fetch_arrow_table()["x"].to_pylist(), plain.to_pylist(), kind)

    def test_create_is_seen_by_others_and_only_once(self):
        self.cursor.adbc_ingest("t", ROWS)
        with self.assertRaisesRegex(dbapi.Error, "exists"):
            self.cursor.adbc_ingest("t", ROWS)
        with self.assertRaisesRegex(dbapi.Error, "exists"):
            self.cursor.adbc_ingest("there", ROWS)
        other = self.c.adbc_clone()
        with other.cursor() as cursor:
            cursor.execute("select sum(i) from t")
            self.assertEqual(cursor.fetchone(), (6,))
        other.close()
        with connect(self.folder) as again, again.cursor() as cursor:
            cursor.execute("select sum(i) from t")
            self.assertEqual(cursor.fetchone(), (6,))

    def test_replace(self):
        self.cursor.adbc_ingest("t", ROWS, mode="replace")
        self.assertEqual(self.count("t"), 3)
        self.cursor.adbc_ingest("t", pyarrow.table({"other": [1]}), mode="replace")
        self.cursor.execute("select other from t")
        self.assertEqual(self.cursor.fetchall(), [(1,)])

    def test_append(self):
        with self.assertRaisesRegex(dbapi.Error, "no table"):
            self.cursor.adbc_ingest("t", ROWS, mode="append")
        for n in (1, 2, 3):
            self.cursor.adbc_ingest("t", ROWS, mode="create_append")
            self.assertEqual(self.count("t"), 3 * n)
        self.cursor.adbc_ingest("t", ROWS, mode="append")
        self.assertEqual(self.count("t"), 12)
        self.assertEqual(len(os.listdir(os.path.join(self.folder, "t"))), 4)
        with self.assertRaisesRegex(dbapi.Error, "other columns"):
            self.cursor.adbc_ingest("t", pyarrow.table({"i": [1]}), mode="append")
        with self.assertRaisesRegex(dbapi.Error, "create_append"):
            self.cursor.adbc_ingest("there", ROWS, mode="append")

    def test_a_failure_leaves_nothing(self):
        before = sorted(os.listdir(self.folder))
        reader = pyarrow.RecordBatchReader.from_batches(ROWS.schema, failing())
        for mode in ("create", "replace", "create_append"):
            reader = pyarrow.RecordBatchReader.from_batches(ROWS.schema, failing())
            with self.assertRaisesRegex(dbapi.Error, "the source broke"):
                self.cursor.adbc_ingest("there" if mode == "replace" else "t", reader, mode=mode)
            self.assertEqual(sorted(os.listdir(self.folder)), before, mode)
        self.assertEqual(self.count("there"), 3)
        with self.assertRaisesRegex(dbapi.Error, 'column "n"'):
            self.cursor.adbc_ingest("t", pyarrow.table({"n": [[1]]}))

    def test_temporary(self):
        self.cursor.adbc_ingest("t", ROWS, temporary=True)
        self.assertEqual(self.count("t"), 3)
        self.assertEqual(os.listdir(self.folder), ["there.parquet"])
        other = self.c.adbc_clone()
        with other.cursor() as cursor, self.assertRaises(dbapi.Error):
            cursor.execute("select * from t")
        other.close()
        self.cursor.adbc_ingest("t", ROWS.slice(1), mode="replace", temporary=True)
        self.assertEqual(self.count("t"), 2)

    def test_names(self):
        for name in ("", "../t", "a/b", ".t", "t*"):
            with self.assertRaises(dbapi.Error):
                self.cursor.adbc_ingest(name, ROWS)
        self.cursor.adbc_ingest("a name; with 'quotes\"", ROWS)
        self.cursor.execute('select count(*) from "a name; with \'quotes"""')
        self.assertEqual(self.cursor.fetchone(), (3,))
        with connect() as c, c.cursor() as cursor, self.assertRaisesRegex(dbapi.Error, "no folder"):
            cursor.adbc_ingest("t", ROWS)


if __name__ == "__main__":
    unittest.main()
