"""COPY (statement) TO a file, read back by DuckDB and by a CSV reader."""
import csv
import io
import os

from . import types as T
from .compare import differs
from .oracle import OracleError
from .query_sql import OURS, compared_column, query_sql


def can_copy(query):
    """Parquet has no type of ours for intervals."""
    return all(t.kind != "interval" for t in query.types())


def copy_statements(rng, queries):
    """(number, format, SQL) of some statements."""
    drawn = rng.sample(queries, min(len(queries), max(8, len(queries) // 50)))
    made = []
    for number, query in drawn:
        kind = rng.choice(("parquet", "csv"))
        options = {"parquet": rng.choice(("", " (FORMAT parquet)", " (FORMAT parquet, CODEC zstd, ROW_GROUP_SIZE 7)", " (CODEC gzip)")),
                   "csv": rng.choice(("", " (FORMAT csv, HEADER true)"))}[kind]
        if can_copy(query):
            made.append((number, kind, f"COPY ({query_sql(query, OURS)}) TO 'copy{number}.{kind}'{options}"))
    return made


def read_parquet(oracle, path, query):
    names = [f"c{i}" for i in range(len(query.types()))]
    columns = ", ".join(compared_column(name, t) for name, t in zip(names, query.types()))
    return oracle.run(f"SELECT {columns} FROM read_parquet('{path}') top({', '.join(names)})")


def read_csv(path):
    """Rows of text; NULL and '' are alike to this reader."""
    with open(path, encoding="utf-8", newline="") as file:
        return list(csv.reader(io.StringIO(file.read())))[1:]


def check(oracle, folder, query, kind, number, expected):
    """Why the file does not have the rows, or ""."""
    path = os.path.join(folder, f"copy{number}.{kind}")
    try:
        if kind == "parquet":
            return differs(query, [list(row) for row in read_parquet(oracle, path, query)], expected)
        rows = [["" if cell is None else cell for cell in row] for row in read_csv(path)]
        rows = [row for row in rows if row or len(query.types()) > 1]
        floats = [i for i, t in enumerate(query.types()) if t.kind in T.FLOATS]
        for row in rows:  # an empty cell is NULL where numbers are
            for i in floats:
                row[i] = row[i] or None
        texts = [tuple("" if cell is None and i not in floats else cell for i, cell in enumerate(row)) for row in expected]
        if len(query.types()) == 1:  # an empty line is a row to us, and none to the reader
            texts, rows = ([row for row in side if row and row[0] not in ("", None)] for side in (texts, rows))
        return differs(query, rows, texts)
    except (OracleError, OSError, csv.Error, UnicodeDecodeError) as error:
        return f"cannot be read: {error}"
    finally:
        if os.path.exists(path):
            os.unlink(path)
