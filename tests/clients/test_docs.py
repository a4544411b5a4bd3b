"""The lines of docs/CLIENTS.md for each client, run as they stand."""
import datetime
import inspect
import os
import re
import tempfile
import textwrap
import unittest
import warnings

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
        orders = pyarrow.table({"o_orderkey": [1, 7, 8], "o_orderstatus": ["F", "O", "O"],
                                "o_orderdate": [datetime.date(1996, 1, 2)] * 3})
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

    def test_answers_of_duckdb(self):
        """What docs/FROM_DUCKDB.md says of DuckDB; tests/docs/sessions.py runs its other column."""
        duckdb = library(self, "duckdb")
        if int(duckdb.__version__.split(".")[0]) < 2:
            self.skipTest("DuckDB is older than the page")
        page = os.path.join(os.path.dirname(PAGE), "FROM_DUCKDB.md")
        with open(page) as file:
            rows = re.findall(r"^\| `(select .*?)` \| `(.*?)` \| `(.*?)` \|", file.read(), re.MULTILINE)
        self.assertGreater(len(rows), 10)
        for statement, expected, _ in rows:
            with self.subTest(statement):
                values = [value for row in duckdb.sql(statement).fetchall() for value in row]
                texts = ["NULL" if v is None else str(v).lower() if isinstance(v, bool) else str(v) for v in values]
                self.assertEqual(", ".join(texts), expected)

    def test_docstrings(self):
        """Each public function and method has an example, which runs."""
        found = 0
        for owner in (pistachio.Connection, pistachio.Result, pistachio.Batch, pistachio):
            public = {name: value for name, value in vars(owner).items() if owner is not pistachio or name in pistachio.__all__}
            for name, value in public.items():
                function = value.fget if isinstance(value, property) else value
                if name.startswith("_") or not inspect.isfunction(function):
                    continue
                found += 1
                with self.subTest(f"{getattr(owner, '__name__', '')}.{name}"), pistachio.connect(self.folder) as db:
                    indent = 12 if isinstance(owner, type) else 8
                    blocks = re.findall(rf"(?:^ {{{indent},}}\S.*\n?)+", (function.__doc__ or "") + "\n", re.MULTILINE)
                    self.assertTrue(blocks, "there is no example")
                    lines = textwrap.dedent(blocks[-1]).replace('"/data"', repr(self.folder))
                    names = {name: library(self, name) for name in ("pandas", "polars", "numpy", "torch") if name + "." in lines or
                             (name == "torch" and ".torch()" in lines)}
                    with warnings.catch_warnings():
                        warnings.simplefilter("ignore")
                        exec(compile(lines, name, "exec"), {"db": db, "pyarrow": pyarrow, "pistachio": pistachio, **names})
        self.assertGreaterEqual(found, 17)


if __name__ == "__main__":
    unittest.main()
