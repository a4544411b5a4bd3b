"""What areas make: scenes (a folder of files, and the same rows as clean tables for DuckDB) and checks (statements and their rows)."""
import datetime
import decimal
import os
from collections import Counter
from dataclasses import dataclass, field
from typing import Any

import duckdb

from ..oracle import OracleBroken, OracleError, Watch

SETTINGS = ("SET threads=1", "SET TimeZone='UTC'", "SET default_null_order='nulls_last_on_asc_first_on_desc'", "SET memory_limit='2GB'",
            "SET max_expression_depth=20000")
SECONDS = 60  # within which a check ends, on a machine where others are at work
MEBIBYTES = 2048  # of memory that no check needs


@dataclass
class Scene:
    """files: {name: function that writes it at a path}; clean: {name: pyarrow table} for DuckDB."""

    files: dict = field(default_factory=dict)
    clean: dict = field(default_factory=dict)
    about: Any = None  # what the area knows of it

    def write(self, folder):
        for name, writer in self.files.items():
            path = os.path.join(folder, name)
            os.makedirs(os.path.dirname(path), exist_ok=True)
            writer(path)


@dataclass
class Check:
    """Statements of one process, of which the last that has rows is compared.

    rows: a list of rows; or DuckDB's SQL over the scene's clean tables; or None: any rows are right, if it ends in time.
    error: a pattern of the error that is expected in place of rows. may_fail: one of an error that is as good as rows.
    look: a function of the rows (lists of text) and the folder, that says what is wrong with them, or "".
    """

    covers: tuple
    statements: list
    rows: Any = None
    words: list = field(default_factory=list)  # of the command line
    settings: dict = field(default_factory=dict)
    names: list = None  # of the columns
    is_ordered: bool = False
    error: str = ""
    may_fail: str = ""
    may_fail_within: str = ""  # likewise, where memory_limit is set
    look: Any = None
    before: list = field(default_factory=list)  # command lines of the program, run first: rewrite ...
    seconds: float = SECONDS
    mebibytes: float = MEBIBYTES
    interrupt: float = None  # after so many seconds SIGINT
    limits: dict = field(default_factory=dict)  # of the process: {name of RLIMIT_: number}
    without: tuple = ()  # settings of --set that would make other rows right

    def text(self):
        return ";\n".join(self.statements) + ";\n"


class CleanOracle:
    """DuckDB over a scene's clean tables; asked first, it makes them in a database that all scenes of the process share."""

    watch = database = owner = None

    def __init__(self, scene, seconds=20.0):
        self.scene, self.seconds = scene, seconds

    def open(self):
        if CleanOracle.watch is None:
            CleanOracle.watch = Watch()
        if CleanOracle.database is None:
            CleanOracle.database = duckdb.connect()
            for setting in SETTINGS:
                CleanOracle.database.execute(setting)
        CleanOracle.owner = self
        for name, table in self.scene.clean.items():
            self.database.register(f"{name} as arrow", table)
            self.database.execute(f'CREATE OR REPLACE TABLE "{name}" AS SELECT * FROM "{name} as arrow"')
            self.database.unregister(f"{name} as arrow")

    def rows(self, sql):
        if CleanOracle.owner is not self or CleanOracle.database is None:
            self.open()
        self.watch.start(self.database, self.seconds)
        try:
            return self.database.execute(sql).fetchall()
        except (duckdb.InternalException, duckdb.FatalException, duckdb.InterruptException, RecursionError, UnicodeDecodeError) as error:
            CleanOracle.database = None
            raise OracleBroken(str(error)[:200]) from error
        except duckdb.Error as error:
            raise OracleError(str(error)[:200]) from error
        finally:
            self.watch.stop()

    def close(self):
        if CleanOracle.owner is not self:
            return
        CleanOracle.owner = None
        for name in self.scene.clean if CleanOracle.database is not None else ():
            self.database.execute(f'DROP TABLE IF EXISTS "{name}"')


# ---- comparing ----

def cell(value):
    """A value of Python as the program prints it."""
    if value is None or isinstance(value, (str, float)):
        return value
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, decimal.Decimal):
        return f"{value:f}"
    if isinstance(value, datetime.datetime):
        text = value.replace(tzinfo=None).isoformat(" ")
        text = text.rstrip("0") if "." in text else text
        return text + ("+00" if value.tzinfo else "")
    if isinstance(value, bytes):
        return "\\x" + value.hex()
    return str(value)


def close(ours, theirs):
    if isinstance(theirs, float) and ours is not None:
        try:
            ours = float(ours)
        except ValueError:
            return False
        return ours == theirs or ours != ours and theirs != theirs or abs(ours - theirs) <= 1e-9 * max(abs(ours), abs(theirs))
    return ours == theirs


def key_of(row):
    return tuple((v is not None, str(float(v)) if isinstance(v, float) or is_float(v) else str(v)) for v in row)


def is_float(text):
    try:
        float(text)
        return True
    except (TypeError, ValueError):
        return False


def rows_differ(ours, theirs, is_ordered):
    """Why, or "". ours: lists of text; theirs: rows of Python."""
    theirs = [[cell(v) for v in row] for row in theirs]
    if len(ours) != len(theirs):
        return f"{len(ours)} rows, not {len(theirs)}"
    if ours and len(ours[0]) != len(theirs[0]):
        return f"{len(ours[0])} columns, not {len(theirs[0])}"
    if ours == theirs:
        return ""
    has_floats = any(isinstance(v, float) for row in theirs for v in row)
    if not is_ordered and not has_floats:
        return "" if Counter(map(tuple, ours)) == Counter(map(tuple, theirs)) else "other values"
    if not is_ordered:
        ours, theirs = sorted(ours, key=key_of), sorted(theirs, key=key_of)
    same = all(close(a, b) for mine, other in zip(ours, theirs) for a, b in zip(mine, other))
    return "" if same else "another order or other values" if is_ordered else "other values"
