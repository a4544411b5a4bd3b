"""The lines of docs/CLIENTS.md for each client, run as they stand."""
import os
import re
import unittest
import tempfile

import pyarrow
import pyarrow.parquet

from client import LIBRARY, library
from test_package import pistachio

PAGE = os.path.join(os.path.dirname(__file__), "..", "..", "docs", "CLIENTS.md")
NEEDED = {"NumPy": ["numpy"], "PyTorch": ["torch"], "pandas": ["pandas"], "Polars": ["polars"], "DuckDB": ["duckdb"],
          "DataFusion": ["datafusion"], "nanoarrow": ["nanoarrow"], "pyarrow": ["pyarrow"]}


def lines_of(section):
    """The indented ones, without what is for a shell."""
    with open(PAGE) as file:
        text = re.search(rf"^## {section}\n(.*?)(?=^## )", file.read(), re.MULTILINE | re.DOTALL).group(1)
    return "\n".join(line[4:] for line in text.splitlines() if line.startswith("    ") and not line.startswith("    pip install"))


class Docs(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        orders = pyarrow.table({"o_orderkey": [1, 7, 8], "o_orderstatus": ["F", "O", "O"]})
        lines = pyarrow.table({"l_orderkey": [1, 1, 8], "l_quantity": pyarrow.array([1, 2, 3], pyarrow.decimal128(15, 2))})
        pyarrow.parquet.write_table(orders, os.path.join(folder.name, "orders.parquet"))
        pyarrow.parquet.write_table(lines, os.path.join(folder.name, "lineitem.parquet"))
        self.folder = folder.name

    def test_each_client(self):
        for section, packages in NEEDED.items():
            with self.subTest(section), pistachio.connect(self.folder) as db:
                lines = lines_of(section)
                self.assertGreaterEqual(len(lines.splitlines()), 3)
                if "_capsule" not in " ".join(os.listdir(os.path.dirname(LIBRARY))) and section in ("NumPy", "PyTorch"):
                    self.skipTest("there is no _capsule.so beside the library")
                names = {name: library(self, name) for name in packages}
                exec(compile(lines, f"docs/CLIENTS.md, {section}", "exec"), {"db": db, "pyarrow": pyarrow, **names})


if __name__ == "__main__":
    unittest.main()
