"""COPY (statement) TO a file: random ones, and the rows of their files as DuckDB and Python's json read them."""
import json
import glob
import os
import shutil

from . import types as T
from .oracle import OracleBroken, OracleError
from .program import Outcome, unescape
from .query import Copy, Select
from .query_sql import OURS, compared_column, query_sql
from .render import duckdb_type

CODECS = ("none", "snappy", "gzip", "zstd", "brotli", "lz4", "lz4_raw")
KINDS = ("parquet",) * 6 + ("csv", "csv", "tsv", "json", "jsonl")


def can_copy(query, kind):
    """Parquet has no type of ours for intervals; an empty line is a row of one NULL to us, and none to readers of csv; a document is no text in json."""
    types = query.types()
    if kind in ("json", "jsonl") and "json" in query_sql(query, OURS):
        return False
    return not (kind == "parquet" and any(t.kind == "interval" for t in types)) and not (kind == "csv" and len(types) < 2)


def random_copy(rng, query, number, is_by_key=False):
    """The query's COPY, or the query where its rows go into no such file. is_by_key: rather to folders."""
    kind, options = "parquet" if is_by_key else rng.choice(KINDS), {}
    if rng.random() < 0.4:
        options["FORMAT"] = kind
    if kind == "parquet":
        if rng.random() < 0.9:
            options[rng.choice(("CODEC", "COMPRESSION"))] = rng.choice(CODECS)
        if rng.random() < 0.5:
            options["ROW_GROUP_SIZE"] = rng.choice((1, 7, 100, 3000, 20000))
    elif kind in ("csv", "tsv") and rng.random() < 0.4:
        options["HEADER"] = rng.choice(("true", "false"))
    if kind == "csv" and rng.random() < 0.4:
        options[rng.choice(("DELIMITER", "DELIM", "SEP"))] = rng.choice(("';'", "'|'", "':'", "' '"))
    if kind == "csv" and rng.random() < 0.3:
        options["NULL"] = rng.choice(("'NULL'", "'-'", "'none at all'")[:3 if "' '" not in options.values() else 2])
    if options.get("ROW_GROUP_SIZE", 100) < 100 and query.theme:
        options["ROW_GROUP_SIZE"] = 1000
    if kind == "parquet" and query.theme == "" and (is_by_key or rng.random() < 0.5):
        put_folders(rng, query, options)
    return Copy(query, kind, options, number) if can_copy(query, kind) else query


def folder_keys(query):
    """Names of the columns that folders can be named by, beside which others are left."""
    names = query.names()
    is_fitting = isinstance(query, Select) and len(set(names)) == len(names) > 1
    return [name for e, name in query.items if is_key(e)] if is_fitting else []


def put_folders(rng, query, options):
    """One file for each rank, or for each value of columns of few values."""
    names, fitting = query.names(), folder_keys(query)
    if fitting and rng.random() < 0.9:
        options["FORMAT"] = "parquet"
        options["PARTITION_BY"] = f"({', '.join(rng.sample(fitting, min(len(fitting), len(names) - 1, rng.choice((1, 1, 2)))))})"
        if rng.random() < 0.2:
            options["OVERWRITE_OR_IGNORE"] = "true"
    else:
        options["PER_RANK"] = "true"


def is_key(e):
    """Of values that are few, and short as names of folders."""
    if not e.exact or e.type.kind in T.FLOATS:
        return False
    if e.type.is_integer or e.type.kind == "dec":
        return e.bound <= 120 and e.type.scale <= 1
    return e.type.kind == "bool" or e.type.kind == "text" and e.bound <= 18 or e.type.kind == "date" and e.bound <= 4000 and e.op == "column"


def option(query, *names):
    return next((value for name, value in query.options.items() if name in names), None)


def read_folder(oracle, path, query):
    """Each file's rows; keys are text, of which the types are made."""
    if not glob.glob(f"{path}/**/*.parquet", recursive=True):
        return []
    keys = query.keys
    columns = [f'CAST("{name}" AS {duckdb_type(t)})' if name in keys else f'"{name}"' for name, t in zip(query.names(), query.types())]
    columns = ", ".join(compared_column(c, t) for c, t in zip(columns, query.types()))
    return oracle.run(f"SELECT {columns} FROM read_parquet('{path}/**/*.parquet', hive_partitioning={'true' if keys else 'false'}, hive_types_autocast=false)")


def read_parquet(oracle, path, query):
    if query.is_folder:
        return read_folder(oracle, path, query)
    names = [f"c{i}" for i in range(len(query.types()))]
    columns = ", ".join(compared_column(name, t) for name, t in zip(names, query.types()))
    return oracle.run(f"SELECT {columns} FROM read_parquet('{path}') top({', '.join(names)})")


def read_csv(oracle, path, query):
    delimiter = option(query, "DELIMITER", "DELIM", "SEP") or "','"
    columns = ", ".join(f"'c{i}': 'VARCHAR'" for i in range(len(query.types())))
    header = option(query, "HEADER") or "true"
    return oracle.run(f"SELECT * FROM read_csv('{path}', auto_detect = false, columns = {{{columns}}}, delim = {delimiter}, quote = '\"', escape = '\"', "
                      f"nullstr = {option(query, 'NULL') or chr(39) * 2}, allow_quoted_nulls = false, header = {header}, max_line_size = 100000000)")


def read_tsv(path, query):
    with open(path, encoding="utf-8", newline="") as file:
        lines = file.read().split("\n")[:-1]
    return [[unescape(cell) for cell in line.split("\t")] for line in lines[option(query, "HEADER") != "false":]]


def read_json(path, query):
    with open(path, encoding="utf-8") as file:
        texts = [file.read()] if query.kind == "json" else file.readlines()
    rows, plain = (rows_of_json(query, texts, decoder) for decoder in (json.JSONDecoder(parse_float=str, parse_int=str), json.JSONDecoder()))
    if any(list(row) != query.names() for row in rows):
        raise ValueError("other names of columns")
    return [[cell_of_json(*cells) for cells in zip(row.values(), other.values())] for row, other in zip(rows, plain)]


def rows_of_json(query, texts, decoder):
    return decoder.decode(texts[0]) if query.kind == "json" else [decoder.decode(line) for line in texts]


def cell_of_json(cell, plain):
    """A cell as text; a document, which is a value of type json, as DuckDB writes it."""
    if isinstance(cell, (dict, list)):
        return json.dumps(plain, separators=(",", ":"), ensure_ascii=False)
    return str(cell).lower() if isinstance(cell, bool) else cell


def rows_of(oracle, folder, query):
    """The rows of the file that a COPY has written, which is removed."""
    path = os.path.join(folder, query.path)
    try:
        if query.kind == "parquet":
            return [list(row) for row in read_parquet(oracle, path, query)]
        if query.kind == "csv":
            return [list(row) for row in read_csv(oracle, path, query)]
        return read_tsv(path, query) if query.kind == "tsv" else read_json(path, query)
    finally:
        remove(path)


def remove(path):
    if os.path.isdir(path):
        shutil.rmtree(path)
    elif os.path.exists(path):
        os.unlink(path)


def read_back(oracle, folder, query, outcome):
    """The outcome of a COPY with the rows that its file has."""
    if not isinstance(query, Copy):
        return outcome
    if outcome.kind != "rows":
        remove(os.path.join(folder, query.path))
        return outcome
    try:
        return Outcome("rows", rows_of(oracle, folder, query))
    except OracleBroken:  # too slow, on a busy machine
        return Outcome("not run")
    except (OracleError, OSError, ValueError) as error:
        return Outcome("rows", [], text=f"the file cannot be read: {error}")

