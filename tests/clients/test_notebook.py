"""A notebook that nbconvert executes: results as tables, plots, a bar while a statement runs, and its end."""
import os
import tempfile
import unittest

from client import LIBRARY, library
from test_package import pistachio

CELLS = [
    "import pistachio\ndb = pistachio.connect(threads=2)",
    "db.sql(\"select i, '<b>' || i as t from range(50) r(i) order by i\")",
    "db.sql('select i from range(1000000000000) r(i)')",
    "db.sql('create view v as select 1 as x')",
    "%matplotlib inline\n"
    "sales = db.sql(\"select date '2024-01-01' + i as day, sum(i) as pieces from range(90) r(i) group by i order by 1\").df()\n"
    "axes = sales.plot(x='day', y='pieces')",
    "sales.set_index('day').resample('ME').sum() * 1.1",
    "import json\njson.dumps(db.sql('select sum(pieces) from sales').fetchall())",
    # long enough for a bar: scans are what it counts
    "db.sql(\"copy (select i, i * 7 % 1000003 as k from range(3000000) r(i)) to '{path}'\")",
    "import os, signal, threading\n"
    "threading.Timer(3, os.kill, (os.getpid(), signal.SIGINT)).start()  # what the button for it does\n"
    "try:\n"
    "    db.sql(\"select count(*) from '{path}' a join '{path}' b on a.k < b.k - a.i % 7\").fetchall()\n"
    "except KeyboardInterrupt:\n"
    "    print('interrupted')",
]


class Notebook(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        try:
            import IPython  # noqa: F401
            import matplotlib  # noqa: F401
            import nbformat
            import pandas  # noqa: F401
            from nbconvert.preprocessors import ExecutePreprocessor
        except ImportError as error:
            raise unittest.SkipTest(f"{error.name} is not installed")
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        path = os.path.join(folder.name, "rows.parquet")
        book = nbformat.v4.new_notebook()
        book.cells = [nbformat.v4.new_code_cell(cell.replace("{path}", path)) for cell in CELLS]
        os.environ["PISTACHIO_LIBRARY"] = LIBRARY
        os.environ["PYTHONPATH"] = os.path.dirname(os.path.dirname(pistachio.__file__))
        ExecutePreprocessor(timeout=120, kernel_name="python3").preprocess(book, {"metadata": {"path": folder.name}})
        cls.cells = [cell.outputs for cell in book.cells]

    def html(self, cell):
        return "".join(output.data.get("text/html", "") for output in self.cells[cell] if "data" in output)

    def test_tables(self):
        shown = self.html(1)
        self.assertEqual((shown.count("<tr>"), "&lt;b&gt;19" in shown, "20</td>" in shown), (21, True, False))
        self.assertIn("50 rows, the first 20 shown", shown)
        self.assertIn("the first 20 of more than", self.html(2))
        self.assertEqual(self.html(3), "")

    def test_frames(self):
        self.assertTrue(any("image/png" in output.data for output in self.cells[4] if "data" in output))
        self.assertIn("511.5", self.html(5))
        self.assertIn("4005", str(self.cells[6]))

    def test_a_bar_that_goes(self):
        bars = [output for output in self.cells[8] if output.output_type == "display_data"]
        self.assertEqual([bar.data["text/html"] for bar in bars], [""], self.cells[8])
        self.assertIn("interrupted", str(self.cells[8]))


class Bar(unittest.TestCase):
    def test_texts(self):
        from pistachio import _notebook
        self.assertEqual(_notebook.count_text(20, 1234, True), "1,234 rows, the first 20 shown")
        self.assertEqual(_notebook.count_text(1, 1, True), "1 row")
        self.assertFalse(_notebook.is_notebook())
        db = pistachio.connect(threads=1)
        self.addCleanup(db.close)
        self.assertIn("<td style=\"text-align: left\">NULL</td>", db.sql("select null::varchar as x")._repr_html_())
        self.assertIn("x" * 299 + "\u2026<", db.sql("select repeat('x', 1000) as x")._repr_html_())


if __name__ == "__main__":
    unittest.main()
