"""The 22 queries of TPC-H at scale factor 0.01, their answers through each client against the published ones. The data
are made by the program that lies beside the library."""
import csv
import datetime
import decimal
import math
import os
import subprocess
import tempfile
import unittest

import pyarrow

from client import LIBRARY, connect, library

TPCH = os.path.join(os.path.dirname(__file__), "..", "..", "src", "tpch")
PROGRAM = os.path.join(os.path.dirname(LIBRARY), "pistachio")


def expected(number):
    """None: the answer is long, and only known by its digest."""
    path = os.path.join(TPCH, "answers", "sf0.01", f"q{number:02}.csv")
    if not os.path.exists(path):
        return None
    with open(path, newline="") as file:
        return list(csv.reader(file, delimiter="|"))[1:]


def is_equal(value, text):
    if value is None or (isinstance(value, float) and math.isnan(value)):
        return text == ""
    if isinstance(value, (int, float, decimal.Decimal)) and not isinstance(value, bool):
        return math.isclose(float(value), float(text), rel_tol=1e-9, abs_tol=1e-12)
    if isinstance(value, datetime.datetime):
        value = value.date()
    return str(value).strip() == text.strip()


class Clients(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        if not os.path.exists(PROGRAM):
            raise unittest.SkipTest(f"there is no {PROGRAM} that makes the data")
        cls.folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.folder.cleanup)
        subprocess.run([PROGRAM, "tpch", "generate", "--scale", "0.01", "--out", cls.folder.name], check=True,
                       capture_output=True)
        cls.connection = connect(cls.folder.name)
        cls.addClassCleanup(cls.connection.close)

    def check(self, take):
        def rows(text):
            with self.connection.cursor() as cursor:
                cursor.execute(text)
                return [tuple(row) for row in take(cursor.fetch_record_batch())]
        self.check_text(rows)

    def check_text(self, rows_of):
        checked = 0
        for number in range(1, 23):
            answer = expected(number)
            with open(os.path.join(TPCH, "queries", f"q{number:02}.sql")) as file:
                rows = rows_of(file.read())
            if answer is None:
                self.assertGreater(len(rows), 0, f"query {number}")
                continue
            self.assertEqual(len(rows), len(answer), f"query {number}")
            for row, wanted in zip(rows, answer):
                self.assertTrue(all(is_equal(value, text) for value, text in zip(row, wanted)),
                                f"query {number}: {row} is not {wanted}")
            checked += 1
        self.assertEqual(checked, 21)

    def test_pyarrow(self):
        self.check(lambda reader: zip(*(column.to_pylist() for column in reader.read_all().columns)))

    def test_polars(self):
        polars = library(self, "polars")
        self.check(lambda reader: polars.DataFrame(reader).rows())

    def test_pandas(self):
        library(self, "pandas")
        self.check(lambda reader: reader.read_pandas().itertuples(index=False, name=None))

    def test_duckdb(self):
        duckdb = library(self, "duckdb")
        self.check(lambda reader: duckdb.from_arrow(reader).fetchall())

    def test_datafusion(self):
        datafusion = library(self, "datafusion")

        def take(reader):
            frame = datafusion.SessionContext().from_arrow(reader.read_all())
            table = pyarrow.Table.from_batches(frame.collect(), frame.schema())
            return zip(*(column.to_pylist() for column in table.columns))
        self.check(take)

    def test_nanoarrow(self):
        nanoarrow = library(self, "nanoarrow")
        # Its own values are not compared: 0.9 reads negative decimals of pyarrow's wrong as well, and its read_all
        # crashes where it hands an array of views on.
        def take(reader):
            table = pyarrow.RecordBatchReader.from_stream(nanoarrow.ArrayStream(reader)).read_all()
            return zip(*(column.to_pylist() for column in table.columns))
        self.check(take)

    def test_the_package(self):
        from test_package import pistachio
        with pistachio.connect(self.folder.name) as db:
            self.check_text(lambda text: db.sql(text).fetchall())


if __name__ == "__main__":
    unittest.main()
