"""Rows that are written and read again, in every layout and several times over: they come back as they were, with their types."""
import pyarrow as pa

from .common import quoted, settings, written
from .scene import Check, Scene
from .writers import column

STEPS = {"COPY": 5, "PARTITION_BY": 5, "PER_RANK": 2, "CREATE TABLE": 3, "INSERT": 2, "ORDER BY": 2, "rewrite": 3, "columns in turn": 2}
NAMES = (*STEPS, "types", "rows")
KINDS = ("integer", "varchar", "bigint", "date", "boolean", "double", "smallint", "decimal(9,2)", "decimal(30,3)", "timestamp", "utinyint", "ubigint", "usmallint", "uinteger", "tinyint",
         "real", "blob", "millis", "timestamptz", "long")
KEYS = ("integer", "varchar", "bigint", "date", "boolean", "smallint", "decimal(9,2)", "utinyint", "ubigint")  # of PARTITION_BY
SQL = {"millis": "timestamp", "long": "varchar"}  # else as it is called


def scene(choices):
    kinds = choices.some(KINDS, 6)
    rows = choices.weighted({7: 4, 1: 2, 0: 1, 60: 4, 400: 3})
    names = choices.pick((("id", "a", "b", "c", "d", "e", "f"), ("id", "Ab", "x y", "select", "k.1", "n" * 70, "\u00fc")))[:len(kinds) + 1]
    table = pa.table([pa.array(range(rows), pa.int32()), *(column(choices, kind, rows) for kind in kinds)], list(names))
    table = table.cast(pa.schema([(f.name, pa.string() if pa.types.is_large_string(f.type) else f.type) for f in table.schema]))
    return Scene({"t.parquet": written(table, row_group_size=max(1, rows // 3))}, {"t": table},
                 {"names": list(names), "kinds": dict(zip(names, ["integer", *(SQL.get(kind, kind) for kind in kinds)])), "rows": rows})


def columns(about):
    return ", ".join(map(quoted, about["names"]))


def parquet_options(choices, first=""):
    options = [first] if first else []
    for option in ("CODEC " + choices.pick(("zstd", "none", "gzip", "brotli", "lz4_raw", "snappy")), f"ROW_GROUP_SIZE {choices.pick((1, 7, 50, 1000))}"):
        if choices.chance(40):
            options.append(option)
    return f" ({', '.join(options)})" if options else ""


def keys(choices, about):
    possible = [name for name, kind in about["kinds"].items() if kind in KEYS and name != "id"]
    return choices.some(possible, 2) if possible and about["rows"] else []


def step(choices, kind, source, number, about, statements):
    """Adds the step's statements; the source that has the rows behind it."""
    made = f"s{number}"
    if kind == "CREATE TABLE":
        statements.append(f"CREATE TABLE {made} AS SELECT {columns(about)} FROM {source}{choices.pick(('', ' ORDER BY id DESC'))}")
        return made
    if kind == "INSERT":
        statements += [f"CREATE TABLE {made} AS SELECT {columns(about)} FROM {source} WHERE id % 3 = 0", f"INSERT INTO {made} SELECT {columns(about)} FROM {source} WHERE id % 3 = 1",
                       f"INSERT INTO {made} ({columns(about)}) SELECT {columns(about)} FROM {source} WHERE id % 3 = 2"]
        return made
    if kind == "PARTITION_BY" and (parts := keys(choices, about)):
        statements.append(f"COPY (SELECT {columns(about)} FROM {source}) TO '{made}'{parquet_options(choices, f'PARTITION_BY ({chr(44).join(map(quoted, parts))})')}")
        types = ", ".join(f"{quoted(part)} {about['kinds'][part]}" for part in parts).replace("'", "''")
        return f"read_parquet('{made}', hive_types => '{types}')"
    if kind == "PER_RANK":
        statements.append(f"COPY (SELECT {columns(about)} FROM {source}) TO '{made}'{parquet_options(choices, 'PER_RANK')}")
        return f"'{made}'"
    if kind == "ORDER BY":
        statements.append(f"COPY (SELECT {columns(about)} FROM {source} ORDER BY {quoted(choices.pick(about['names']))}) TO '{made}.parquet'{parquet_options(choices)}")
    elif kind == "columns in turn":
        turned = ", ".join(map(quoted, about["names"][::-1]))
        statements.append(f"COPY (SELECT {turned} FROM {source}) TO '{made}.parquet'{parquet_options(choices)}")
    else:
        statements.append(f"COPY (SELECT {columns(about)} FROM {source}) TO '{made}.parquet'{parquet_options(choices)}")
    return f"'{made}.parquet'"


def check(choices, scene):
    about, statements, covers, source, before = scene.about, [], [], "'t.parquet'", []
    if choices.chance(25):
        words = choices.pick(([], ["--page-version", "2"], ["--encoding", "v2"], ["--sort", "id desc"], ["--row-group-rows", "5"], ["--for", "gpu"]))
        before, source, covers = [["rewrite", "--threads", "1", *words, "t.parquet", "r.parquet"]], "'r.parquet'", ["rewrite"]
    for number in range(choices.between(1, 4)):
        kind = choices.weighted({kind: weight for kind, weight in STEPS.items() if kind != "rewrite"})
        source = step(choices, kind, source, number, about, statements)
        covers.append(kind)
    if choices.chance(25):
        types = ", ".join(f"pg_typeof({quoted(name)}) AS t{i}" for i, name in enumerate(about["names"]))
        statements.append(f"SELECT count(*) FROM (SELECT {types} FROM 't.parquet' UNION SELECT {types} FROM {source}) q")
        rows = [[min(1, about["rows"])]]
        covers.append("types")
    else:
        statements.append(f"SELECT {columns(about)} FROM {source}{choices.pick(('', ' WHERE id >= 0'))}")
        rows = "SELECT * FROM t"
        covers.append("rows")
    return Check(tuple(dict.fromkeys(covers)), statements, rows, before=before, settings=settings(choices, percent=30))
