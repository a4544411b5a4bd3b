"""Files by other writers with every option that they have, with columns of nothing, odd rows, and doubtful statistics."""
import datetime
import decimal
import io
import os
import random
import tempfile

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq

from . import doubtful
from .common import KINDS, settings, text
from .scene import Check, Scene

FORMS = {"select": 5, "equal": 5, "range": 5, "IS NULL": 3, "IN": 3, "aggregates": 4, "GROUP BY": 3, "ORDER BY": 3, "join": 3, "coalesce": 3, "count": 2,
         "COPY": 4, "rewrite": 4, "union_by_name": 3, "CREATE TABLE": 2, "SUMMARIZE": 1, "LIMIT": 1}
WRITERS = {"pyarrow": 6, "polars": 2, "fastparquet": 1, "duckdb": 2}
NAMES = (*FORMS, *(f"by {name}" for name in WRITERS), "null type", "wide decimal", "invalid UTF-8", "one row", "no row", *(f"doubtful: {name}" for name in doubtful.NAMES))
CODECS = ("NONE", "SNAPPY", "GZIP", "ZSTD", "LZ4", "BROTLI")
COLUMNS = {**KINDS,
           "ubigint": (pa.uint64(), lambda r: r.choice((0, 1, 2 ** 63, 2 ** 64 - 1, r.randint(0, 99)))), "usmallint": (pa.uint16(), lambda r: r.randint(0, 65535)),
           "uinteger": (pa.uint32(), lambda r: r.choice((0, 2 ** 31, 2 ** 32 - 1, r.randint(0, 99)))), "tinyint": (pa.int8(), lambda r: r.randint(-128, 127)),
           "real": (pa.float32(), lambda r: r.randint(-80, 80) / 8), "blob": (pa.binary(), lambda r: r.choice((b"", b"\xff\0", b"a", bytes([r.randint(0, 255)] * 3)))),
           "few": (pa.dictionary(pa.int32(), pa.string()), lambda r: r.choice(("x", "yy", "zzz"))),
           "seconds": (pa.timestamp("s"), lambda r: datetime.datetime(2001, 2, 3) + datetime.timedelta(seconds=r.randint(-10 ** 8, 10 ** 8))),
           "millis": (pa.timestamp("ms"), lambda r: datetime.datetime(1969, 12, 31) + datetime.timedelta(milliseconds=r.randint(-10 ** 10, 10 ** 10))),
           "timestamptz": (pa.timestamp("us", "UTC"), lambda r: datetime.datetime(2010, 5, 6, tzinfo=datetime.timezone.utc) + datetime.timedelta(seconds=r.randint(-10 ** 8, 10 ** 8))),
           "long": (pa.large_string(), lambda r: "abc" * r.randint(0, 30))}
WIDE = ("decimal(39,2)", "decimal(50,10)", "decimal(76,0)")


# ---- a table ----

def column(choices, kind, rows):
    """An Arrow array: sorted or not, with NULLs here and there, in runs, alone."""
    seed, nulls = choices.seed(), choices.weighted({"none": 4, "some": 3, "runs": 2, "most": 1, "all": 1})
    r = random.Random(seed)
    arrow, make = COLUMNS[kind]
    values = [make(r) for _ in range(rows)]
    if choices.chance(50):
        values.sort()
    is_null = {"none": lambda i: False, "some": lambda i: r.random() < 0.2, "runs": lambda i: i // 7 % 2 == 0, "most": lambda i: r.random() < 0.9, "all": lambda i: True}[nulls]
    values = [None if is_null(i) else value for i, value in enumerate(values)]
    return pa.array(values).cast(arrow) if pa.types.is_dictionary(arrow) and any(v is not None for v in values) else pa.array(values, arrow)


def table(choices, kinds):
    rows = choices.weighted({7: 3, 1: 2, 0: 2, 60: 4, 400: 2})
    return pa.table([pa.array(range(rows), pa.int32()), *(column(choices, kind, rows) for kind in kinds)], ["id", *(f"c{i}" for i in range(len(kinds)))])


# ---- writers ----

def encodings(choices, schema):
    found = {}
    for field in schema:
        options = ["PLAIN"]
        if pa.types.is_integer(field.type) and field.type.bit_width >= 32 or pa.types.is_temporal(field.type):
            options += ["DELTA_BINARY_PACKED", "BYTE_STREAM_SPLIT"]
        elif pa.types.is_floating(field.type):
            options += ["BYTE_STREAM_SPLIT"]
        elif pa.types.is_string(field.type) or pa.types.is_binary(field.type):
            options += ["DELTA_LENGTH_BYTE_ARRAY", "DELTA_BYTE_ARRAY"]
        elif pa.types.is_boolean(field.type):
            options += ["RLE"]
        found[field.name] = choices.pick(options)
    return found


def by_pyarrow(choices, arrow, path):
    has_dictionary = choices.chance(50)
    pq.write_table(
        arrow, path, version=choices.pick(("2.6", "1.0", "2.4")), data_page_version=choices.pick(("1.0", "2.0")), compression=choices.pick(CODECS), use_dictionary=has_dictionary,
        column_encoding=None if has_dictionary else encodings(choices, arrow.schema), write_statistics=choices.pick((True, True, False, ["id"])),
        data_page_size=choices.pick((2 ** 20, 1, 100)), write_batch_size=choices.pick((1024, 1, 4, 64)), dictionary_pagesize_limit=choices.pick((2 ** 20, 1, 100)),
        row_group_size=choices.pick((2 ** 20, 5, 50)), write_page_index=choices.chance(60), write_page_checksum=choices.chance(30), store_schema=choices.chance(50),
        store_decimal_as_integer=choices.chance(30), use_deprecated_int96_timestamps=choices.chance(10))


def by_polars(choices, arrow, path):
    import polars  # takes a second
    polars.from_arrow(arrow).write_parquet(path, compression=choices.pick(("zstd", "uncompressed", "snappy", "gzip", "lz4")), statistics=choices.pick((True, False, "full")),
                                           row_group_size=choices.pick((None, 5, 50)), data_page_size=choices.pick((None, 1, 100)))


def by_fastparquet(choices, arrow, path):
    import fastparquet  # takes a second
    frame = arrow.to_pandas()
    for name in list(frame.columns):
        if str(frame[name].dtype) in ("str", "string"):
            frame[name] = frame[name].astype(object)
    fastparquet.write(path, frame, object_encoding="utf8", compression=choices.pick(("UNCOMPRESSED", "SNAPPY", "GZIP", "ZSTD")), has_nulls=choices.pick((True, "infer")),
                      stats=choices.pick((True, False, "auto")), times=choices.pick(("int64", "int96")), row_group_offsets=choices.pick((5000, 5)))


def by_duckdb(choices, arrow, path):
    options = [f"compression {choices.pick(('snappy', 'uncompressed', 'zstd', 'gzip', 'lz4_raw'))}", f"parquet_version {choices.pick(('v1', 'v2'))}"]
    options += [f"row_group_size {choices.pick((2048, 10000))}"] if choices.chance(40) else []
    options += [f"dictionary_size_limit {choices.pick((1, 10, 100000))}"] if choices.chance(40) else []
    connection = duckdb.connect()
    connection.execute("SET threads = 1")
    connection.register("t", arrow)
    connection.execute(f"COPY (SELECT * FROM t) TO '{path}' (FORMAT parquet, {', '.join(options)})")
    connection.close()


BY = {"pyarrow": by_pyarrow, "polars": by_polars, "fastparquet": by_fastparquet, "duckdb": by_duckdb}


def plain(arrow):
    """Without dictionaries, and of types that a reader gives back."""
    return arrow.cast(pa.schema([(f.name, pa.string() if pa.types.is_dictionary(f.type) or pa.types.is_large_string(f.type) else f.type) for f in arrow.schema]))


def is_alike(one, other):
    """Whether a column has its type still, or a finer unit."""
    return one == other or pa.types.is_timestamp(one) and pa.types.is_timestamp(other) and one.tz == other.tz and other.unit != "ns"


def is_same(arrow, path):
    """Whether a writer has changed neither a type nor a value."""
    back = plain(pq.ParquetFile(path).read())
    return back.column_names == arrow.column_names and all(map(is_alike, arrow.schema.types, back.schema.types)) and back.cast(arrow.schema).equals(arrow)


def file_of(choices, arrow, covers):
    """Bytes of a file with these rows."""
    name = choices.weighted(WRITERS)
    with tempfile.TemporaryDirectory(prefix="differential-writer-") as folder:
        path = os.path.join(folder, "f.parquet")
        try:
            BY[name](choices, arrow, path)
            is_right = is_same(plain(arrow), path)
        except Exception:  # pylint: disable=broad-except  # that one cannot
            is_right = False
        if not is_right:
            name = "pyarrow"
            pq.write_table(arrow, path)
        with open(path, "rb") as file:
            data = file.read()
    covers.append(f"by {name}")
    if choices.chance(60):
        data, names = doubtful.changed(choices, data)
        covers += [f"doubtful: {n}" for n in names]
    return data


# ---- scenes ----

def put(data):
    def write(path):
        with open(path, "wb") as file:
            file.write(data)
    return write


def nothing(choices, arrow, covers):
    """Columns of nothing but NULLs become such of Parquet's null type."""
    for i, name in enumerate(arrow.column_names):
        if i and arrow.num_rows and arrow.column(i).null_count == arrow.num_rows and choices.chance(70):
            arrow = arrow.set_column(i, name, pa.nulls(arrow.num_rows))
            covers.append("null type")
    return arrow


def scene(choices):
    kind = choices.weighted({"one": 5, "several": 4, "bytes": 1, "wide decimals": 1})
    if kind == "bytes":
        return wrong_texts(choices)
    if kind == "wide decimals":
        return wide_decimals(choices)
    kinds, covers, files = choices.some(COLUMNS, 5), [], {}
    parts = [table(choices, kinds) for _ in range(choices.between(2, 3) if kind == "several" else 1)]
    clean = pa.concat_tables([plain(part) for part in parts])
    clean = clean.set_column(0, "id", pa.array(range(clean.num_rows), pa.int32()))
    at = 0
    for i, part in enumerate(parts):
        rows = clean.slice(at, part.num_rows)
        part = part.set_column(0, "id", rows.column(0).combine_chunks())
        at += part.num_rows
        files[f"f/{i}.parquet"] = put(file_of(choices, nothing(choices, part, covers), covers))
    covers += ["no row"] * (clean.num_rows == 0) + ["one row"] * (clean.num_rows == 1)
    return Scene(files, {"t": clean}, {"kinds": dict(zip(clean.column_names, ["integer", *kinds])), "covers": covers, "several": kind == "several"})


def wide_decimals(choices):
    name = choices.pick(WIDE)
    precision, scale = map(int, name[8:-1].split(","))
    r = random.Random(choices.seed())
    values = [None if r.random() < 0.1 else decimal.Decimal(r.randint(-10 ** 8, 10 ** 8)).scaleb(-min(scale, 2)) for _ in range(choices.pick((3, 1, 50)))]
    arrow = pa.table({"id": pa.array(range(len(values)), pa.int32()), "c0": pa.array(values, pa.decimal256(precision, scale))})
    clean = arrow.set_column(1, "c0", pa.array([None if v is None else float(v) for v in values], pa.float64()))
    out = io.BytesIO()
    pq.write_table(arrow, out, use_dictionary=choices.chance(50))
    return Scene({"f/0.parquet": put(out.getvalue())}, {"t": clean}, {"kinds": {"id": "integer", "c0": "double"}, "covers": ["wide decimal"], "several": False, "read only": True})


def wrong_texts(choices):
    """Text that is no UTF-8: it is read with what is in its place, or not at all."""
    r = random.Random(choices.seed())
    values = [choices.pick((b"\xff", b"a\xc3", b"\xed\xa0\x80", b"\xf5\x80\x80\x80", b"ok\x80", b"\xc0\xaf"))] + [b"good", b"\xc3\xa9", b""] * choices.between(0, 30)
    r.shuffle(values)
    blobs = pa.array(values, pa.binary())
    texts = pa.Array.from_buffers(pa.string(), len(values), blobs.buffers())
    arrow = pa.table({"id": pa.array(range(len(values)), pa.int32()), "c0": texts})
    out = io.BytesIO()
    pq.write_table(arrow, out, use_dictionary=choices.chance(50), data_page_version=choices.pick(("1.0", "2.0")), write_statistics=choices.chance(50),
                   compression=choices.pick(CODECS))
    rows = [[i, v.decode(errors="replace")] for i, v in enumerate(values)]
    return Scene({"f/0.parquet": put(out.getvalue())}, {}, {"wrong": rows, "covers": ["invalid UTF-8"], "kinds": {"id": "integer", "c0": "varchar"}, "several": False})


# ---- checks ----

def check(choices, scene):
    if "wrong" in scene.about:
        return of_wrong_texts(choices, scene.about)
    form = choices.weighted(FORMS)
    made = MAKERS[form](choices, scene)
    made.covers += tuple(dict.fromkeys(scene.about["covers"]))
    made.words = ["--table", f"t={choices.pick(('f', 'f/*.parquet') if scene.about['several'] else ('f/0.parquet', 'f'))}"]
    made.settings = settings(choices, percent=25)
    return made


def of_wrong_texts(choices, about):
    covers = ("invalid UTF-8",)
    statement = choices.pick(("SELECT id, c0 FROM 'f'", "SELECT id, c0 FROM 'f' ORDER BY id", "COPY (SELECT * FROM 'f') TO 'g.parquet'", "COPY (SELECT * FROM 'f') TO 'g.json'",
                              "CREATE TABLE made AS SELECT * FROM 'f'", "SELECT max(c0), min(c0) FROM 'f' WHERE id >= 0", "SELECT c0, count(*) FROM 'f' GROUP BY c0"))
    if choices.chance(30):
        rows = [[row[0], row[1]] for row in about["wrong"]]
        made = Check(covers, ["SELECT id, c0 FROM 'f'"], rows, may_fail="has no setting|no setting")
        made.settings = {"invalid_utf8": "replace"}
        return made
    return Check(covers, [statement], None, error="UTF-8")


def same(form, sql, is_ordered=False):
    return Check((form,), [sql], sql, is_ordered=is_ordered)


def literal(kind, value):
    if kind in ("varchar", "few", "long"):
        return text(value)
    if kind == "boolean":
        return str(value).lower()
    if kind == "date":
        return f"date '{value}'"
    if kind in ("timestamp", "seconds", "millis"):
        return f"timestamp '{value}'"
    if kind == "timestamptz":
        return f"timestamptz '{value}'"
    return f"CAST('{value}' AS {kind})"


def one(choices, scene, kinds=None):
    """(a column that can be compared, a literal like its values)"""
    about = scene.about
    names = [name for name, kind in about["kinds"].items() if kind != "blob" and (kinds is None or kind in kinds)]
    name = choices.pick(names or ["id"])
    values = [value for value in scene.clean["t"].column(name).to_pylist() if value is not None]
    kind = about["kinds"][name]
    value = choices.pick(values) if values else COLUMNS[kind][1](random.Random(choices.seed()))
    return name, literal(kind, value)


def select(choices, scene):
    names = choices.some(scene.about["kinds"], 4)
    return same("select", f"SELECT {', '.join(names)} FROM t")


def equal(choices, scene):
    name, value = one(choices, scene)
    shown = choices.pick((name, "*", "count(*)"))
    return same("equal", f"SELECT {shown} FROM t WHERE {name} {choices.pick(('=', '<>'))} {value}")


def between(choices, scene):
    name, value = one(choices, scene)
    how = choices.pick(("> {0}", "<= {0}", "< {0}", ">= {0}", "BETWEEN {0} AND {0}"))
    return same("range", f"SELECT {choices.pick((name, '*', 'count(*)'))} FROM t WHERE {name} {how.format(value)}")


def is_null(choices, scene):
    name = choices.pick(tuple(scene.about["kinds"]))
    return same("IS NULL", f"SELECT {choices.pick(('id', 'count(*)', '*'))} FROM t WHERE {name} IS {choices.pick(('', 'NOT '))}NULL")


def in_list(choices, scene):
    name, value = one(choices, scene)
    return same("IN", f"SELECT * FROM t WHERE {name} {choices.pick(('IN', 'NOT IN'))} ({value}, {value})")


def aggregates(choices, scene):
    name, _ = one(choices, scene)
    kind = scene.about["kinds"][name]
    items = f"count(*), count({name})" + (f", min({name}), max({name})" if kind != "boolean" else "") + choices.pick(("", f", count(DISTINCT {name})"))
    return same("aggregates", f"SELECT {items} FROM t{choices.pick(('', ' WHERE id >= 0', ' WHERE id < 3'))}")


def group_by(choices, scene):
    name, _ = one(choices, scene)
    return same("GROUP BY", f"SELECT {name}, count(*), min(id) FROM t GROUP BY {name}")


def order_by(choices, scene):
    name, _ = one(choices, scene)
    return same("ORDER BY", f"SELECT {choices.pick(('*', 'id'))} FROM t ORDER BY {name}{choices.pick(('', ' DESC'))}, id{choices.pick(('', ' LIMIT 3', ' LIMIT 2 OFFSET 1'))}", True)


def join(choices, scene):
    name, _ = one(choices, scene)
    return same("join", f"SELECT a.id, b.id FROM t a {choices.pick(('JOIN', 'LEFT JOIN'))} t b ON a.{name} = b.{name} AND b.id < 9")


def coalesce(choices, scene):
    name, value = one(choices, scene)
    return same("coalesce", f"SELECT id, coalesce({name}, {value}) FROM t{choices.pick(('', f' WHERE coalesce({name}, {value}) = {value}'))}")


def count(choices, scene):
    return same("count", f"SELECT count(*){choices.pick(('', ', max(id)', ', sum(id)'))} FROM t")


def limit(choices, scene):
    return same("LIMIT", f"SELECT count(*) FROM (SELECT * FROM t LIMIT {choices.below(30)}) q")


def copy(choices, scene):
    options = choices.pick(("", " (CODEC zstd)", " (ROW_GROUP_SIZE 7)", " (CODEC none, ROW_GROUP_SIZE 1)"))
    return Check(("COPY",), [f"COPY (SELECT * FROM t) TO 'again.parquet'{options}", "SELECT * FROM 'again.parquet'"], "SELECT * FROM t")


def rewrite(choices, scene):
    if scene.about["several"] or scene.about.get("read only"):
        return copy(choices, scene)
    options = []
    for words in (["--page-version", choices.pick("12")], ["--encoding", choices.pick(("v1", "v2", "plain", "dictionary"))], ["--page-rows", "5"], ["--row-group-rows", "9"], ["--codec", "zstd"],
                  ["--no-statistics"], ["--no-page-index"], ["--for", "gpu"]):
        if choices.chance(25):
            options += words
    return Check(("rewrite",), [f"SELECT * FROM 'again.parquet'{choices.pick(('', ' WHERE id >= 0'))}"], "SELECT * FROM t",
                 before=[["rewrite", "--threads", "1", *options, "f/0.parquet", "again.parquet"]])


def union_by_name(choices, scene):
    name, value = one(choices, scene)
    where = choices.pick(("", f" WHERE {name} = {value}"))
    return Check(("union_by_name",), [f"SELECT * FROM read_parquet('f', union_by_name => true){where}"], f"SELECT * FROM t{where}")


def create_table(choices, scene):
    name, value = one(choices, scene)
    has_type = scene.clean["t"].column(name).null_count < scene.clean["t"].num_rows  # a column of nothing becomes one of texts
    where = f" WHERE {name} >= {value}" if has_type else ""
    return Check(("CREATE TABLE",), ["CREATE TABLE made AS SELECT * FROM t", f"SELECT * FROM made{where}"], f"SELECT * FROM t{where}")


def summarize(choices, scene):
    wanted = list(scene.about["kinds"])

    def look(ran, folder):
        return "" if [row[0] for row in ran.rows] == wanted else "other names"
    return Check(("SUMMARIZE",), ["SUMMARIZE t"], None, look=look)


MAKERS = {"select": select, "equal": equal, "range": between, "IS NULL": is_null, "IN": in_list, "aggregates": aggregates, "GROUP BY": group_by, "ORDER BY": order_by,
          "join": join, "coalesce": coalesce, "count": count, "COPY": copy, "rewrite": rewrite, "union_by_name": union_by_name, "CREATE TABLE": create_table,
          "SUMMARIZE": summarize, "LIMIT": limit}
