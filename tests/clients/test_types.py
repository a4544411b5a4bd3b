"""Types as mypy sees them: the package's own lines, and what a user's program has of it. The attributes that are made
when they are asked for."""
import os
import subprocess
import sys
import tempfile
import unittest

from client import library
from test_package import pistachio

ROOT = os.path.dirname(os.path.dirname(pistachio.__file__))

PROGRAM = """
import pistachio
db = pistachio.connect("/data", threads=2)
with db:
    result = db.sql("select ?", [1])
    reveal_type(result)
    reveal_type(result.fetchall())
    reveal_type(result.fetchone())
    reveal_type(result.columns)
    reveal_type(db.cursor())
    reveal_type(pistachio.__version__)
    for row in result:
        reveal_type(row)
    try:
        db.sql("x")
    except pistachio.ProgrammingError as error:
        reveal_type(error.position)
    db.sql(7)
    result.df(exakt=True)
"""
EXPECTED = ["pistachio.Result", "list[tuple[Any, ...]]", "tuple[Any, ...] | None", "list[str]", "pistachio._cursor.Cursor", "str",
            "tuple[Any, ...]", "int | None"]


class Types(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.cache = folder.name

    def mypy(self, *arguments):
        library(self, "mypy")
        settings = os.path.join(os.path.dirname(__file__), "mypy.ini")
        environment = {name: value for name, value in os.environ.items() if name != "LD_PRELOAD"}
        return subprocess.run([sys.executable, "-m", "mypy", "--config-file", settings, "--cache-dir", self.cache, *arguments],
                              capture_output=True, text=True, env={**environment, "MYPYPATH": ROOT})

    def test_package(self):
        ran = self.mypy(os.path.join(ROOT, "pistachio"))
        self.assertEqual(ran.returncode, 0, ran.stdout + ran.stderr)

    def test_program(self):
        with tempfile.NamedTemporaryFile("w", suffix=".py") as file:
            file.write(PROGRAM)
            file.flush()
            ran = self.mypy(file.name)
        lines = ran.stdout.splitlines()
        revealed = [line.split('Revealed type is "')[1][:-1].replace("builtins.", "") for line in lines if "Revealed" in line]
        self.assertEqual([text.replace("Union[", "").replace(", None]", " | None") for text in revealed], EXPECTED, ran.stdout)
        errors = [line for line in lines if ": error:" in line]
        self.assertEqual(len(errors), 2, ran.stdout)
        self.assertIn('expected "str"', errors[0])
        self.assertIn('"exakt"', errors[1])


class Attributes(unittest.TestCase):
    def test_version(self):
        self.assertRegex(pistachio.__version__, r"^\d+\.\d+\.\d+$")

    def test_dbapi(self):
        text = "import pistachio; print(pistachio.dbapi.apilevel, pistachio.dbapi.connect.__name__)"
        ran = subprocess.run([sys.executable, "-c", text], capture_output=True, text=True, env={**os.environ, "PYTHONPATH": ROOT})
        self.assertEqual(ran.stdout, "2.0 connect\n", ran.stderr)

    def test_others(self):
        with self.assertRaisesRegex(AttributeError, "nonsense"):
            pistachio.nonsense

    def test_after_close(self):
        db = pistachio.connect(threads=1)
        result = db.sql("select 1 as x")
        rows = result.fetchall()
        db.close()
        for use in (lambda: db.sql("select 1"), result.fetchall, lambda: db.register("t", result), lambda: db.cursor().execute("x")):
            with self.assertRaisesRegex(pistachio.InterfaceError, "^the connection is closed$"):
                use()
        self.assertEqual(rows, [(1,)])
        db.close()


if __name__ == "__main__":
    unittest.main()
