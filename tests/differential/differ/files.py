"""Tables as Parquet files: several writers, encodings, codecs, row groups, empty ones too."""
import decimal
import os
import subprocess
from dataclasses import dataclass, field

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq

from . import types as T

ARROW = {"bool": pa.bool_(), "i8": pa.int8(), "i16": pa.int16(), "i32": pa.int32(), "i64": pa.int64(),
         "u8": pa.uint8(), "u16": pa.uint16(), "u32": pa.uint32(), "u64": pa.uint64(), "f32": pa.float32(),
         "f64": pa.float64(), "date": pa.date32(), "time": pa.time64("us"), "ts": pa.timestamp("us"),
         "tsns": pa.timestamp("ns"), "tstz": pa.timestamp("us", tz="UTC"), "text": pa.string(), "blob": pa.binary()}
STORED_AS = {"date": pa.int32(), "time": pa.int64(), "ts": pa.int64(), "tsns": pa.int64(), "tstz": pa.int64()}
ARROW_CODECS = ("none", "snappy", "zstd", "gzip", "lz4", "brotli")


@dataclass
class FileSpec:
    """A file: which rows of the table, in this order, and how it is written."""

    name: str
    rows: range
    writer: str  # pyarrow, duckdb, pistachio copy, pistachio rewrite
    options: dict = field(default_factory=dict)
    columns: list = None  # names of those it has, in order; None: all but the folders' keys
    types: dict = field(default_factory=dict)  # of columns that have another one in it
    capitals: list = field(default_factory=list)  # names that it has in capitals


def arrow_array(column, rows, t):
    chosen = [column.values[i] for i in rows]
    if t.kind == "uuid":
        return pa.ExtensionArray.from_storage(pa.uuid(), pa.array(chosen, pa.binary(16)))
    if t != column.type:
        chosen = [None if v is None else in_type(v, t) for v in chosen]
    if t.kind == "dec":
        return pa.array(chosen, pa.decimal128(t.precision, t.scale))
    stored = STORED_AS.get(t.kind)
    return pa.array(chosen, stored).cast(ARROW[t.kind]) if stored else pa.array(chosen, ARROW[t.kind])


def in_type(value, t):
    """A number of a column as one file has it."""
    if t.kind == "dec":
        return decimal.Decimal(value).quantize(decimal.Decimal(1).scaleb(-t.scale))
    return float(value) if t.kind in T.FLOATS else int(value)


def columns_in(table, spec):
    """The table's columns that a file has, in its order."""
    named = {c.name: c for c in table.columns if not c.is_key}
    return [named[name] for name in (spec.columns or named) if name in named]


def arrow_table(table, spec):
    found = {c.name.upper() if c.name in spec.capitals else c.name: arrow_array(c, spec.rows, spec.types.get(c.name, c.type))
             for c in columns_in(table, spec)}
    return pa.table(found or {"other": pa.array([0] * len(spec.rows), pa.int32())})


def can_be_read(encoding, arrow_type):
    """By DuckDB. The file's type may be another one than the table's, for which the encoding was chosen."""
    return encoding != "BYTE_STREAM_SPLIT" or not pa.types.is_decimal(arrow_type)


# ---- random ways to write ----

def plain_encoding(rng, column):
    kind = column.type.kind
    choices = ["PLAIN"]
    if kind in ("i32", "i64", "date", "ts", "tstz", "u32", "u64", "i8", "i16", "time"):
        choices += ["DELTA_BINARY_PACKED"] * 2 + ["BYTE_STREAM_SPLIT"]
    elif kind in T.FLOATS:
        choices += ["BYTE_STREAM_SPLIT"] * 2
    elif kind in ("text", "blob"):
        choices += ["DELTA_LENGTH_BYTE_ARRAY", "DELTA_BYTE_ARRAY"]
    elif kind == "bool":
        choices += ["RLE"]
    elif kind == "uuid":
        choices += ["DELTA_BYTE_ARRAY"]
    return rng.choice(choices)


def arrow_options(rng, table):
    dictionary = [c.name for c in table.columns if rng.random() < 0.6]
    if rng.random() < 0.5:
        dictionary = rng.random() < 0.8
    options = {"row_group_size": rng.choice((1, 3, 7, 20, 64, 1000, 100000)), "use_dictionary": dictionary,
               "compression": rng.choice(ARROW_CODECS), "data_page_size": rng.choice((1, 64, 4096, 1 << 20)),
               "data_page_version": rng.choice(("1.0", "2.0")), "write_statistics": rng.random() < 0.8,
               "write_page_index": rng.random() < 0.4, "store_decimal_as_integer": rng.random() < 0.4,
               "has_empty_group": rng.random() < 0.15}
    in_dictionary = set(dictionary) if isinstance(dictionary, list) else ({c.name for c in table.columns} if dictionary else set())
    options["column_encoding"] = {c.name: plain_encoding(rng, c) for c in table.columns if c.name not in in_dictionary}
    return options


def copy_options(rng):
    return f"codec {rng.choice(('snappy', 'zstd', 'gzip', 'lz4_raw', 'none'))}, row_group_size {rng.choice((1, 5, 40, 100000))}"


def rewrite_options(rng):
    words = rng.choice(([], ["--for", "cpu"], ["--for", "gpu"], ["--encoding", "v2"], ["--encoding", "plain"],
                        ["--encoding", "dictionary"], ["--encoding", "delta"], ["--encoding", "delta_bytes"],
                        ["--encoding", "delta_length"], ["--encoding", "split"]))
    words = words + rng.choice(([], ["--row-group-rows", "5"], ["--page-rows", "3"], ["--page-version", "2"], ["--no-statistics"],
                                ["--bloom", "k,s"], ["--no-page-index"], ["--codec", "zstd(3)"], ["--codec", "none"]))
    return words + ["--threads", "1"] + (["--profile", "/dev/null"] if "cpu" in words else [])


def split_rows(rng, rows):
    """Ranges of rows, one for each file; some are empty."""
    cuts = sorted(rng.randint(0, rows) for _ in range(rng.choice((0, 0, 0, 1, 1, 2, 3))))
    return [range(a, b) for a, b in zip([0] + cuts, cuts + [rows])]


def plan_files(rng, table):
    for number, rows in enumerate(split_rows(rng, table.rows)):
        table.files.append(plan_file(rng, table, f"{number}.parquet", rows))


def plan_file(rng, table, name, rows):
    writer = rng.choices(("pyarrow", "duckdb", "copy", "rewrite"), (60, 20, 12, 8))[0]
    options = {"pyarrow": lambda: arrow_options(rng, table), "copy": lambda: copy_options(rng),
               "rewrite": lambda: rewrite_options(rng),
               "duckdb": lambda: {"row_group_size": rng.choice((2048, 122880)), "compression": rng.choice(("snappy", "zstd", "uncompressed", "gzip")),
                                  "parquet_version": rng.choice(("v1", "v2"))}}[writer]()
    return FileSpec(name, rows, writer, options)


# ---- writing ----

def write_arrow(data, path, options):
    options = dict(options)
    group, has_empty = options.pop("row_group_size"), options.pop("has_empty_group")
    encodings = {c: e for c, e in options.pop("column_encoding").items() if c in data.column_names and can_be_read(e, data.schema.field(c).type)}
    if isinstance(options["use_dictionary"], list):
        options["use_dictionary"] = [c for c in options["use_dictionary"] if c in data.column_names] or False
    if encodings:
        options["column_encoding"] = encodings
    with pq.ParquetWriter(path, data.schema, **options) as writer:
        if has_empty:
            writer.write_table(data.slice(0, 0))
        writer.write_table(data, row_group_size=group)


def write_duckdb(data, path, options):
    connection = duckdb.connect()
    connection.execute("SET TimeZone='UTC'; SET threads=1")
    connection.register("data", data)
    settings = ", ".join(f"{k} {v}" for k, v in options.items())
    connection.execute(f"COPY data TO '{path}' (FORMAT parquet, {settings})")
    connection.close()


class WriteError(Exception):
    """The program failed to write a table."""


def run_program(command):
    done = subprocess.run(command, capture_output=True, timeout=60)
    if done.returncode:
        raise WriteError(f"{' '.join(command[1:])}: exit {done.returncode}: {done.stderr.decode(errors='replace')[:500]}")


def write_file(program, folder, table, spec):
    """Writes one file; WriteError where the program does not."""
    path = os.path.join(folder, table.name, spec.name)
    os.makedirs(os.path.dirname(path), exist_ok=True)
    data = arrow_table(table, spec)
    if spec.writer == "duckdb":
        return write_duckdb(data, path, spec.options)
    if spec.writer == "pyarrow":
        return write_arrow(data, path, spec.options)
    source = os.path.join(folder, f"{table.name}-source.parquet")
    pq.write_table(data, source)
    if spec.writer == "copy":
        run_program([program, "-c", f"COPY (SELECT * FROM '{source}') TO '{path}' (FORMAT parquet, {spec.options})"])
    else:
        run_program([program, "rewrite", *fitting(spec.options, data.column_names), source, path])
    os.unlink(source)
    return None


def fitting(words, names):
    """Options without those for columns that are no longer there."""
    bloom = [i for i, word in enumerate(words) if word == "--bloom" and not set(words[i + 1].split(",")) <= set(names)]
    return [word for i, word in enumerate(words) if i not in bloom and i - 1 not in bloom]


def write_tables(program, folder, tables):
    """Writes all files; returns what the program failed to write (such a file comes from pyarrow)."""
    failed = []
    for table in tables:
        os.makedirs(os.path.join(folder, table.name), exist_ok=True)
        for spec in table.files:
            try:
                write_file(program, folder, table, spec)
            except (WriteError, subprocess.TimeoutExpired) as error:
                failed.append((table.name, spec, str(error)))
                spec.writer, spec.options = "pyarrow", {"row_group_size": 1000, "has_empty_group": False, "column_encoding": {},
                                                        "use_dictionary": True}
                write_file(program, folder, table, spec)
            # The column cache keeps nothing of a file that is written to at this moment.
            os.utime(os.path.join(folder, table.name, spec.name), (10**9, 10**9))
    return failed
