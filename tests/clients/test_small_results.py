"""What a client keeps of few rows: their own bytes, not the pages that they were read from, nor what the engine kept to
use again. `select l_comment from lineitem where l_orderkey % 1000 = 0` of scale factor 1 (0.05 with
PISTACHIO_TEST_EFFORT=less); the data are made by the program that lies beside the library."""
import os
import subprocess
import sys
import tempfile
import unittest

from client import LIBRARY, connect
from test_package import pistachio
from test_tpch import PROGRAM

SQL = "select l_comment from lineitem where l_orderkey % 1000 = 0"
SCALE = "0.05" if os.environ.get("PISTACHIO_TEST_EFFORT") == "less" else "1"
LITTLE = 1 << 20

# How much less memory the process has when the table has gone, after everything else has.
GOES = """
import ctypes, gc, sys
from adbc_driver_manager import dbapi

def resident():
    gc.collect()
    ctypes.CDLL(None).malloc_trim(0)
    with open("/proc/self/smaps_rollup") as file:
        return next(int(line.split()[1]) << 10 for line in file if line.startswith("Rss:"))

with dbapi.connect(driver=sys.argv[1], db_kwargs={"path": sys.argv[2]}, autocommit=True) as c, c.cursor() as cursor:
    cursor.execute(sys.argv[3])
    table = cursor.fetch_arrow_table()
rows, with_table = table.num_rows, resident()
del table
print(rows, with_table - resident())
"""


class SmallResults(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        if not os.path.exists(PROGRAM):
            raise unittest.SkipTest(f"there is no {PROGRAM} that makes the data")
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.folder = folder.name
        subprocess.run([PROGRAM, "tpch", "generate", "--scale", SCALE, "--out", cls.folder], check=True, capture_output=True)

    def test_counted_by_the_engine(self):
        with connect(self.folder) as c, c.cursor() as cursor:
            def exported():
                return c.adbc_connection.get_option_int("pistachio.memory_exported")
            cursor.execute(SQL)
            table = cursor.fetch_arrow_table()
            bytes_of_text = sum(len(text) for text in table["l_comment"].to_pylist())
            self.assertGreater(bytes_of_text, 100000 * float(SCALE))
            self.assertGreater(exported(), bytes_of_text)
            self.assertLess(exported(), LITTLE)
            del table
            self.assertEqual(exported(), 0)
            cursor.execute("select * from lineitem limit 100000")
            table = cursor.fetch_arrow_table()
            self.assertGreater(exported(), 10 * LITTLE)
            del table
            self.assertEqual(exported(), 0)
            self.assertGreater(c.adbc_connection.get_option_int("pistachio.memory_peak"), 0)

    def test_asked_of_the_package(self):
        with pistachio.connect(self.folder) as db:
            table = db.sql(SQL).arrow()
            self.assertTrue(0 < db.memory_exported < LITTLE, db.memory_exported)
            del table
            self.assertEqual(db.memory_exported, 0)

    @unittest.skipUnless(os.path.exists("/proc/self/smaps_rollup"), "the system does not say what is resident")
    def test_of_the_process(self):
        if "libasan" in os.environ.get("LD_PRELOAD", ""):
            self.skipTest("the sanitizer keeps what was freed")
        ran = subprocess.run([sys.executable, "-c", GOES, LIBRARY, self.folder, SQL], capture_output=True, text=True, check=True)
        rows, held = map(int, ran.stdout.split())
        self.assertGreater(rows, 5000 * float(SCALE))
        self.assertLess(held, 2 * LITTLE)  # the allocator's share of it differs by a quarter from run to run


if __name__ == "__main__":
    unittest.main()
