"""Tables whose files differ: in folders named key=value, with columns put together by name; and one of dictionaries.

g0 is in folders: its keys are the last columns, and no file has them. u0 is read with union_by_name: each file has some of the
columns, in an order of its own, of types that widen to the table's. e0 has a column of each type with few values, all in
dictionaries, which each row group has anew.
"""
import decimal
from urllib.parse import quote

from . import files, tables
from . import types as T
from . import values

FOLDERS, BY_NAME, DICTIONARIES = "g0", "u0", "e0"
NO_VALUE = "__HIVE_DEFAULT_PARTITION__"
# Values of keys, by the type that all of them together have.
KEYS = {T.I64: (0, 1, 2, 3, 5, -7, 120, 2020, 9007199254740993), T.DATE: tuple(range(18262, 18272)) + (16000, 20500),
        
        T.TEXT: ("a", "b", "c", "ab", "", "Zo\u00eb", "S\u00e3o Paulo", "a=b", "a/b", "100%", "x.y~z", "it's", "1e3", "NULL", "*?[", "back\\x", "\u65e5\u672c")}
# Types that files of one column may have, and what they are together.
FAMILIES = ((T.I64, (T.I8, T.I16, T.I32, T.I64)), (T.I64, (T.U32, T.I32, T.U8)), (T.I32, (T.U16, T.I16, T.I8)), (T.U64, (T.U8, T.U32, T.U64)),
            (T.F64, (T.F32, T.F64)), (T.F64, (T.I32, T.F64)), (T.F64, (T.F32, T.decimal(9, 3))), (T.decimal(18, 4), (T.decimal(9, 2), T.decimal(18, 4))),
            (T.decimal(14, 4), (T.decimal(10, 0), T.decimal(5, 4))), (T.decimal(22, 3), (T.I64, T.decimal(9, 3))))


def key_text(t, value):
    """A key's value as the name of a folder has it."""
    if value is None:
        return NO_VALUE
    if t == T.DATE:
        from .literals import date_text
        return date_text(value)[0]
    return quote(str(value), safe=" ")


def pieces(rng, rows, count):
    """So many ranges of rows, none empty where there are enough."""
    cuts = sorted(rng.sample(range(1, rows), min(count - 1, rows - 1))) if rows > 1 else []
    return [range(a, b) for a, b in zip([0] + cuts, cuts + [rows])]


def folder_table(rng):
    """g0"""
    table = tables.make_table(rng, FOLDERS)
    table.rows = len(table.columns[0].values)
    names = rng.sample(("year", "city", "part", "q0"), rng.choice((1, 1, 2, 2, 3)))
    keys = [(name, rng.choice(list(KEYS))) for name in names]
    combinations = []
    for _ in range(rng.choice((1, 2, 3, 5, 8))):
        drawn = tuple(None if rng.random() < 0.1 else rng.choice(KEYS[t]) for _, t in keys)
        if drawn not in combinations:
            combinations.append(drawn)
    if None in combinations[0]:  # the first one, which is surely there, tells the keys' types
        combinations[0] = tuple(KEYS[t][0] for _, t in keys)
    parts = pieces(rng, table.rows, len(combinations) + rng.choice((0, 0, 1, 2)))
    columns = [tables.Column(name, t, "many", [None] * table.rows) for name, t in keys]
    for column in columns:
        column.is_key = True
    for number, rows in enumerate(parts):
        chosen = combinations[number % len(combinations)]
        for column, value in zip(columns, chosen):
            for row in rows:
                column.values[row] = value
        path = "/".join(f"{c.name}={key_text(c.type, v)}" for c, v in zip(columns, chosen))
        between = "inner/" if rng.random() < 0.1 else ""
        table.files.append(files.plan_file(rng, table, f"{path}/{between}{number}.parquet", rows))
    table.columns += columns
    table.pattern = "**/*.parquet"
    table.calls = ("read_parquet('{}/**/*.parquet', hive_partitioning => true)", "read_parquet('{}/**/*.parquet')")
    return order_by_path(table)


def order_by_path(table):
    """Files are taken by name, and the first has the order of the columns that all have."""
    table.files.sort(key=lambda f: f.name.encode())
    return table


def narrow_value(rng, t, whole):
    """A value of type t as one of type whole."""
    value = values.value(rng, t, rng.choice(("few", "many")))
    if whole.kind in T.FLOATS:
        return float(value)
    return decimal.Decimal(value).quantize(decimal.Decimal(1).scaleb(-whole.scale)) if whole.kind == "dec" else value


def by_name_table(rng):
    """u0"""
    table = tables.make_table(rng, BY_NAME)
    parts = pieces(rng, table.rows, rng.choice((2, 2, 3, 4)))
    narrowed = []
    for i in range(rng.choice((1, 2, 3))):
        whole, kinds = rng.choice(FAMILIES)
        column = tables.Column(f"f{i}", whole, "many", [None] * table.rows)
        drawn = [rng.choice(kinds) for _ in parts]
        drawn[:len(kinds)] = rng.sample(kinds, len(kinds))[:len(drawn)]
        narrowed.append((column, drawn))
        table.columns.append(column)
    table.files = [files.plan_file(rng, table, f"{i}.parquet", rows) for i, rows in enumerate(parts)]
    for number, spec in enumerate(table.files):
        rest = [c for c in table.columns if number > 0 or c.name not in "kmsd" or rng.random() < 0.7]
        rest = [c for c in rest if rng.random() < 0.75] or rest[:1]
        rng.shuffle(rest)
        spec.columns = [c.name for c in rest]
        spec.types = {c.name: drawn[number] for c, drawn in narrowed}
        spec.capitals = [c.name for c in rest if rng.random() < 0.1]
    take_shape(table, narrowed, rng)
    table.calls = ("read_parquet('{}/*.parquet', union_by_name => true)",)
    return table


def take_shape(table, narrowed, rng):
    """The table's columns in the order in which files have them, with the type that those files have together, NULL in the others."""
    kinds = {c.name: [t for spec, t in zip(table.files, drawn) if c.name in spec.columns] for c, drawn in narrowed}
    seen = list(dict.fromkeys(name for spec in table.files for name in spec.columns))
    columns = {c.name: c for c in table.columns}
    for column, drawn in narrowed:
        if kinds[column.name]:
            column.type = together(kinds[column.name])
            for spec, t in zip(table.files, drawn):
                for row in spec.rows:
                    column.values[row] = None if rng.random() < 0.1 else narrow_value(rng, t, column.type)
    for spec in table.files:
        for name in set(seen) - set(spec.columns):
            for row in spec.rows:
                columns[name].values[row] = None
        spec.capitals = [name for name in spec.capitals if any(name in other.columns for other in table.files[:table.files.index(spec)])]
    table.columns = [columns[name] for name in seen]


def together(kinds):
    """docs/SQL.md: the narrowest integer; floats and what meets one are double; decimals and integers have the digits of both."""
    result = kinds[0]
    for t in kinds[1:]:
        result = T.F64 if result != t and (t.kind in T.FLOATS or result.kind in T.FLOATS) else T.common(result, t)
    return result


def dictionary_table(rng):
    """e0"""
    rows = rng.choice((60, 300, 900, 2500))
    table = tables.Table(DICTIONARIES, tables.key_columns(rng, rows), rows)
    for i, t in enumerate([T.Type(k) for k in values.FILE_KINDS] + [T.decimal(*d) for d in rng.sample(values.DECIMALS, 4)]):
        pool = [values.value(rng, t, rng.choice(("few", "many", "extreme"))) for _ in range(rng.choice((1, 2, 5, 40)))]
        column = tables.Column(f"c{i}", t, "extreme", tables.put_nulls(rng, rng.choices(pool, k=rows)))
        if rng.random() < 0.2:  # runs
            column.values.sort(key=lambda v: (v is None, repr(v)))
        table.columns.append(column)
    names = [c.name for c in table.columns]
    for number, part in enumerate(pieces(rng, rows, rng.choice((1, 1, 2, 3)))):
        options = {"row_group_size": rng.choice((20, 64, 300, 100000)), "use_dictionary": names, "compression": rng.choice(files.ARROW_CODECS),
                   "data_page_size": rng.choice((64, 4096, 1 << 20)), "data_page_version": rng.choice(("1.0", "2.0")),
                   "dictionary_pagesize_limit": rng.choice((16, 200, 1 << 20, 1 << 20)), "write_statistics": rng.random() < 0.8,
                   "store_decimal_as_integer": rng.random() < 0.4, "has_empty_group": False, "column_encoding": {}}
        table.files.append(files.FileSpec(f"{number}.parquet", part, "pyarrow", options))
    return table


def make_tables(rng):
    return [folder_table(rng), by_name_table(rng), dictionary_table(rng)]
