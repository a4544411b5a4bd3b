"""Names: long ones, alike in their first bytes, with blanks, quotes and patterns' characters, of columns, tables, files and folders."""
import os

import pyarrow as pa

from .common import quoted, settings, text, written
from .scene import Check, Scene

FORMS = {"select": 4, "sum": 4, "alias": 4, "WHERE": 2, "GROUP BY": 3, "ORDER BY": 2, "USING": 3, "WITH": 3, "table alias": 3, "derived": 3, "COPY": 4,
         "CREATE TABLE": 3, "view": 2, "EXCLUDE": 2, "REPLACE": 2, "PARTITION_BY": 2, "window": 1, "DESCRIBE": 2, "rewrite": 2, "two alike": 5, "file": 8,
         "folder": 6, "argument": 5, "glob": 3, "by name": 2, "COPY to a name": 4, "COPY over a file": 3, "column list": 2, "case twins": 4}
NAMES = tuple(FORMS)
WORDS = ("a", "Total", "amount", "x y", "select", "order", "1st", "value", "\u00fcber", "\U0001f600", "key.part", "[0]", "it's", 'say "so"', "a,b", "a=b", "100%", "*",
         "?", "tab\there", "(1)", "-", "__", "C\u00e9sar", " lead", "trail ", "group", "\u65e5\u672c", "{x}", "$1", ":p", "#", "\\", "/", ";", "--", "x'--",
         "two\nlines", "\r", "\u0130", "\u00df", "a\u0301", "*/", "/*", ".", "..", "t", "u", "v.w.x", '""', "null", "default", "oid")
STEM = "Total amount of all payments received in the reporting period b"  # 63 bytes
FILE_WORDS = ("a", "t1", "x y", "it's", "\u00fcber", "\U0001f600", "100%", "a=b", "a,b", "(1)", "select", "Z", "\\", "two\nlines", "x" * 200, "\u00e9" * 123, "\U0001f600" * 61 + "abc", "x" * 246, ".a", "a.b.c", " ", "~", "--", "-c", "#", "$HOME", "%41", "a;b", '"')
# (a name, others that it would match if it were a pattern)
PATTERNS = (("D[x]", ("Dx",)), ("t[xyz]9", ("ty9", "tx9")), ("s*", ("s", "sales", "s1")), ("q?", ("qa", "qb")), ("[ab]", ("a", "b")), ("v[!0]", ("v1",)),
            ("**", ("zz", "z1")), ("[", ("x",)), ("r[0-9]*", ("r1", "r12")), ("w[", ("w",)), ("m]", ("m",)), ("{n,o}", ("n", "o")), ("a[^b]?", ("acd",)))


def name(choices):
    kind = choices.weighted({"word": 4, "long": 4, "two words": 2, "longer": 2, "longest": 1})
    if kind == "word":
        return choices.pick(WORDS)
    if kind == "long":
        return STEM + choices.pick(("", "y customer, in EUR", "y customer, in USD", "z"))
    if kind == "longest":
        return choices.pick(("y", "\U0001f600")) * choices.between(250, 1200) + choices.pick(("", "a", "b")) * choices.between(1, 200)
    if kind == "longer":
        return choices.pick(("n", "\u00e9", "X", "\U0001f600")) * choices.between(60, 75) + choices.pick(("", "a", "b")) * choices.between(1, 100)
    return choices.pick(WORDS) + " " + choices.pick(WORDS)


def some_names(choices, count):
    """Of which no two are equal but for their case; of some there is one more that differs in case alone, and which comes with it."""
    found = []
    while len(found) < count:
        drawn = name(choices)
        while drawn.lower() in [n.lower() for n in found]:
            drawn += str(len(found))
        found.append(drawn)
    return found


def table(choices, names):
    rows = choices.between(1, 5)
    seed = choices.seed()
    return pa.table([pa.array([(seed >> i) % 50 + 100 * row + i for row in range(rows)], pa.int64()) for i in range(len(names))], names)


def scene(choices):
    names = some_names(choices, choices.between(2, 6))
    tables = {"t": table(choices, names), "u": table(choices, names[:1] + some_names(choices, 1))}
    if tables["u"].column_names[0].lower() == tables["u"].column_names[1].lower():
        tables["u"] = tables["u"].rename_columns([names[0], names[0] + "_"])
    files = {"t.parquet": written(tables["t"]), "u.parquet": written(tables["u"])}
    places = {}
    for number in range(choices.between(1, 4)):
        add_places(choices, files, places, number)
    return Scene(files, {}, {"t": rows_of(tables["t"]), "u": rows_of(tables["u"]), "names": names, "u names": tables["u"].column_names, "places": places})


def rows_of(arrow):
    return [list(row.values()) for row in arrow.to_pylist()]


def add_places(choices, files, places, number):
    """Files, and folders with one file, whose names are patterns of others; places: {path: value of its only row}."""
    wanted, others = choices.pick(PATTERNS) if choices.chance(70) else (choices.pick(FILE_WORDS), ())
    base = f"g{number}"
    for i, own in enumerate((wanted, *others)):
        for path in (f"{base}/folders/{own}/f.parquet", f"{base}/files/{own}.parquet"):
            value = 1000 * number + 10 * i + (path.count("/") == 2)
            files[path] = written(pa.table({"v": pa.array([value], pa.int64())}))
            places[path] = value


def check(choices, scene):
    form = choices.weighted(FORMS)
    made = MAKERS[form](choices, scene.about)
    made.settings = settings(choices, percent=15)
    return made


def tables(form, statements, rows, names=None, is_ordered=False, **more):
    return Check((form,), statements, rows, ["--table", "t=t.parquet", "--table", "u=u.parquet"], names=names, is_ordered=is_ordered, **more)


def some(choices, about):
    """(numbers of some columns, their SQL)"""
    numbers = choices.some(range(len(about["names"])), 3)
    return numbers, ", ".join(quoted(about["names"][i]) for i in numbers)


def taken(rows, numbers):
    return [[row[i] for i in numbers] for row in rows]


def called(about, numbers):
    return [about["names"][i] for i in numbers]


def one(choices, about):
    i = choices.below(len(about["names"]))
    return i, about["names"][i], quoted(about["names"][i])


def select(choices, about):
    numbers, sql = some(choices, about)
    return tables("select", [f"SELECT {sql} FROM t"], taken(about["t"], numbers), called(about, numbers))


def total(choices, about):
    numbers, _ = some(choices, about)
    sql = ", ".join(f"sum({quoted(about['names'][i])})" for i in numbers)
    return tables("sum", [f"SELECT {sql} FROM t"], [[sum(row[i] for row in about["t"]) for i in numbers]])


def alias(choices, about):
    i, _, sql = one(choices, about)
    other = name(choices)
    tail = choices.pick(("", f" ORDER BY {quoted(other)}"))
    return tables("alias", [f"SELECT {sql} AS {quoted(other)} FROM t{tail}"], taken(about["t"], [i]), [other])


def where(choices, about):
    numbers, sql = some(choices, about)
    i, _, key = one(choices, about)
    limit = about["t"][0][i]
    return tables("WHERE", [f"SELECT {sql} FROM t WHERE t.{key} <= {limit}"], taken([r for r in about["t"] if r[i] <= limit], numbers), called(about, numbers))


def group_by(choices, about):
    i, own, sql = one(choices, about)
    by = choices.pick((sql, "1", "ALL"))
    return tables("GROUP BY", [f"SELECT {sql}, count(*) AS {quoted(own + 'n')} FROM t GROUP BY {by}"], [[row[i], 1] for row in about["t"]], [own, own + "n"])


def order_by(choices, about):
    numbers, sql = some(choices, about)
    i, _, key = one(choices, about)
    rows = sorted(about["t"], key=lambda row: -row[i])
    return tables("ORDER BY", [f"SELECT {sql} FROM t ORDER BY {key} DESC"], taken(rows, numbers), called(about, numbers), True)


def using(choices, about):
    how = choices.pick(("JOIN", "LEFT JOIN", "FULL JOIN"))
    rows = [row + [row[1]] for row in about["t"]]
    second = about["names"][1]
    return tables("USING", [f"SELECT a.*, b.{quoted(second)} AS {quoted(second + 'b')} FROM t a {how} t b USING ({quoted(about['names'][0])})"], rows)


def with_names(choices, about):
    i, own, sql = one(choices, about)
    names = some_names(choices, 2)
    first, second = map(quoted, names)
    return tables("WITH", [f"WITH {first} ({second}, {sql}) AS (SELECT 7, {sql} FROM t), w AS (SELECT 1) SELECT x.{sql}, {second} FROM {first} x"]
                  if own.lower() != names[1].lower() else [f"WITH {first} AS (SELECT {sql}, 7 FROM t) SELECT * FROM {first}"], [[row[i], 7] for row in about["t"]])


def table_alias(choices, about):
    i, own, sql = one(choices, about)
    names = some_names(choices, 2)
    a, b = map(quoted, names)
    first = about["t"][0][i]
    return tables("table alias", [f"SELECT {a}.{sql} FROM t AS {a}, (SELECT {first} AS {sql}) AS {b} WHERE {a}.{sql} = {b}.{sql}"], [[first]], [own])


def derived(choices, about):
    numbers, sql = some(choices, about)
    names = some_names(choices, len(numbers))
    star = choices.pick(("*", ", ".join(map(quoted, names)), f"s.{quoted(names[0])}"))
    kept = numbers[:1] if star.startswith("s.") else numbers
    return tables("derived", [f"SELECT {star} FROM (SELECT {sql} FROM t) s ({', '.join(map(quoted, names))})"], taken(about["t"], kept), names[:len(kept)])


def copy(choices, about):
    numbers, sql = some(choices, about)
    kind = choices.weighted({"parquet": 3, "csv": 1})
    if kind == "parquet":
        return tables("COPY", [f"COPY (SELECT {sql} FROM t) TO 'copied.parquet'", "SELECT * FROM 'copied.parquet'"], taken(about["t"], numbers), called(about, numbers))

    def look(ran, folder):
        import csv
        with open(os.path.join(folder, "copied.csv"), encoding="utf-8", newline="") as file:
            header = next(csv.reader(file))
        return "" if header == called(about, numbers) else f"header of csv: {header}"
    return tables("COPY", [f"COPY (SELECT {sql} FROM t) TO 'copied.csv'"], None, look=look)


def create_table(choices, about):
    i, own, sql = one(choices, about)
    names = some_names(choices, 2)
    target = quoted(names[0])
    column_list = f" ({quoted(names[1])})" if choices.chance(50) else ""
    column = names[1] if column_list else own
    return tables("CREATE TABLE", [f"CREATE TABLE {target}{column_list} AS SELECT {sql} FROM t", f"SELECT {quoted(column)} FROM {target}"], taken(about["t"], [i]), [column])


def view(choices, about):
    i, own, sql = one(choices, about)
    names = some_names(choices, 1)
    return tables("view", [f"CREATE VIEW {quoted(names[0])} AS SELECT {sql}, 1 AS {quoted(own + 'x')} FROM t", f"SELECT {sql} FROM {quoted(names[0])}"],
                  taken(about["t"], [i]), [own])


def exclude(choices, about):
    i, _, sql = one(choices, about)
    kept = [k for k in range(len(about["names"])) if k != i]
    return tables("EXCLUDE", [f"SELECT * EXCLUDE ({sql}) FROM t"], taken(about["t"], kept), called(about, kept))


def replace(choices, about):
    i, _, sql = one(choices, about)
    rows = [[v + 1 if k == i else v for k, v in enumerate(row)] for row in about["t"]]
    return tables("REPLACE", [f"SELECT * REPLACE ({sql} + 1 AS {sql}) FROM t"], rows, about["names"])


def partition_by(choices, about):
    i, own, sql = one(choices, about)
    if len(own.encode()) > 180 or len(own) * 3 + 20 > 250 and not own.isascii() or own.strip() != own or own.startswith(("_", ".")):
        return select(choices, about)
    other = (i + 1) % len(about["names"])
    return tables("PARTITION_BY", [f"COPY (SELECT {sql}, {quoted(about['names'][other])} FROM t) TO 'parts' (PARTITION_BY ({sql}))",
                                   f"SELECT {sql}, {quoted(about['names'][other])} FROM 'parts'"], taken(about["t"], [i, other]), called(about, [i, other]))


def window(choices, about):
    i, own, sql = one(choices, about)
    return tables("window", [f"SELECT {sql}, sum({sql}) OVER (PARTITION BY {sql}) AS {quoted(own + ' sum')} FROM t"], [[row[i], row[i]] for row in about["t"]], [own, own + " sum"])


def describe(choices, about):
    word = choices.pick(("DESCRIBE", "SUMMARIZE"))

    def look(ran, folder):
        found = [row[0] for row in ran.rows]
        return "" if found == about["names"] else "other names in its rows"
    return tables("DESCRIBE", [f"{word} t"], None, look=look)


def rewrite(choices, about):
    numbers, sql = some(choices, about)
    return tables("rewrite", [f"SELECT {sql} FROM 'again.parquet'"], taken(about["t"], numbers), called(about, numbers), before=[["rewrite", "--threads", "1", "t.parquet", "again.parquet"]])


def alike(choices, about):
    """Two or three columns of one result that have the same name; which are told apart behind it."""
    first = name(choices)
    rest = [quoted(n) for n in about["names"]]
    a, b = choices.below(len(rest)), choices.below(len(rest))
    inner = f"SELECT {rest[a]} AS {quoted(first)}, {rest[b]} AS {quoted(first)} FROM t"
    rows = taken(about["t"], [a, b])
    how = choices.weighted({"result": 1, "derived": 2, "table": 2, "COPY": 2, "WITH": 1, "view": 1})
    second = quoted(first + "_1")
    if how == "result":
        return tables("two alike", [inner], rows, [first, first + "_1"])
    if how == "derived":
        return tables("two alike", [f"SELECT s.{second} FROM ({inner}) s"], taken(rows, [1]), [first + "_1"])
    if how == "WITH":
        return tables("two alike", [f"WITH w AS ({inner}) SELECT {second}, {quoted(first)} FROM w"], [row[::-1] for row in rows], [first + "_1", first])
    if how == "COPY":
        return tables("two alike", [f"COPY ({inner}) TO 'alike.parquet'", f"SELECT {quoted(first)}, {second} FROM 'alike.parquet'"], rows, [first, first + "_1"])
    return tables("two alike", [f"CREATE {'TABLE' if how == 'table' else 'VIEW'} made AS {inner}", "SELECT * FROM made"], rows, [first, first + "_1"])


# ---- files and folders ----

def place(choices, about, kind):
    paths = [path for path in about["places"] if f"/{kind}/" in path]
    path = choices.pick(paths)
    return path, about["places"][path]


def file(choices, about):
    path, value = place(choices, about, choices.pick(("files", "folders")))
    source = choices.pick(("{0}", "read_parquet({0})", "read_parquet([{0}])", "read_parquet({0}, union_by_name => true)"))
    return Check(("file",), [f"SELECT v FROM {source.format(text(path))}"], [[value]])


def folder(choices, about):
    """A name that has a pattern's characters stands alone: with a pattern behind it, it is one, too."""
    path, value = place(choices, about, "folders")
    own = os.path.dirname(path)
    tail = choices.pick(("", "/") if set(own) & set("*?[{") else ("", "/", "/*.parquet", "/f*"))
    source = choices.pick(("{0}", "read_parquet({0})")).format(text(own + tail))
    return Check(("folder",), [f"SELECT v FROM {source}"], [[value]])


def argument(choices, about):
    """Of the command line."""
    path, value = place(choices, about, choices.pick(("files", "folders")))
    own = choices.pick((path, os.path.dirname(path))) if "/folders/" in path else path
    if choices.chance(50):
        return Check(("argument",), ["SELECT v FROM tab"], [[value]], ["--table", f"tab={own}"])
    called_so = "f" if own == path and "/folders/" in path else os.path.basename(own).removesuffix(".parquet")
    if "/folders/" in path and own != path:
        called_so = "f"
    return Check(("argument",), [f"SELECT v FROM {quoted(called_so)}"], [[value]], [own])


def glob(choices, about):
    """All of a folder, whatever their names are."""
    base = choices.pick(sorted({path.split("/")[0] for path in about["places"]}))
    kind, tail = choices.pick((("files", ""), ("files", "/*.parquet"), ("folders", "/*/f.parquet"), ("folders", "/**"), ("files", "/*")))
    values = [[value] for path, value in about["places"].items() if path.startswith(f"{base}/{kind}/") and "/." not in path]
    if not values:  # names that begin with a dot are left out
        return Check(("glob",), [f"SELECT v FROM '{base}/{kind}{tail}'"], None, error="no file matches|has no")
    if any(path.startswith(f"{base}/{kind}{tail}/") or path == f"{base}/{kind}{tail}" for path in about["places"]):  # an exact name is tried first
        tail = "" if kind == "files" else "/*/f.parquet"
    return Check(("glob",), [f"SELECT v FROM '{base}/{kind}{tail}'"], values)


def by_name(choices, about):
    names, others = about["names"], about["u names"]
    both = f"SELECT {quoted(names[0])} FROM read_parquet(['t.parquet', 'u.parquet'], union_by_name => true)"
    if len({n.lower() for n in names + others[1:]}) < len(names) + len(others) - 1:
        return file(choices, about)
    return Check(("by name",), [both], taken(about["t"], [0]) + taken(about["u"], [0]), names=names[:1])


def copy_to(choices, about):
    """To a name that is a pattern of another, or its other way round: which stays as it was."""
    path, _ = place(choices, about, choices.pick(("files", "folders")))
    values = [[value] for other, value in about["places"].items() if other != path and os.path.dirname(other) == os.path.dirname(path)]
    rest = [other for other in about["places"] if other != path and os.path.dirname(other) == os.path.dirname(path)]
    target = path.removesuffix(".parquet") + choices.pick(("-new", "[1]", "*")) + ".parquet"
    if len(os.path.basename(target).encode()) > 255 or target in about["places"]:  # which no file can have, or one has
        return file(choices, about)
    read = " UNION ALL ".join([f"SELECT v FROM {text(target)}"] + [f"SELECT v FROM {text(other)}" for other in rest])
    return Check(("COPY to a name",), [f"COPY (SELECT 5 AS v) TO {text(target)}", read], [[5]] + values)


def copy_over(choices, about):
    """A file that is there: it is replaced, and no other."""
    path, value = place(choices, about, choices.pick(("files", "folders")))
    others = [other for other in about["places"] if other != path and os.path.dirname(other) == os.path.dirname(path)]
    read = " UNION ALL ".join([f"SELECT v FROM {text(other)}" for other in (path, *others)])
    copy = path + ".old"
    rows = [[value + 1]] + [[about["places"][other]] for other in others]
    return Check(("COPY over a file",), [f"COPY (SELECT v FROM {text(path)}) TO {text(copy)} (FORMAT parquet)", f"COPY (SELECT v + 1 AS v FROM {text(path)}) TO {text(path)}", read,
                                         f"COPY (SELECT v FROM {text(copy)}) TO {text(path)}"], rows) if len(os.path.basename(copy).encode()) < 256 else file(choices, about)


def case_twins(choices, about):
    """Columns whose names differ in case alone: each by its own, another case is neither's if both are as near."""
    own = choices.pick(("a", "Total", "x y", "\u00e4", "select", STEM + "z"))
    twins = choices.some((own.lower(), own.upper(), own.title(), own.swapcase()), 3)
    twins = list(dict.fromkeys(twins))
    items = ", ".join(f"{i + 1} AS {quoted(twin)}" for i, twin in enumerate(twins))
    wanted = choices.below(len(twins))
    rows, name_of = [[wanted + 1]], quoted(twins[wanted])
    source = choices.pick(("derived", "COPY", "CREATE TABLE", "WITH", "view"))
    how = choices.pick((f"SELECT {name_of} FROM {{0}} s", f"SELECT s.{name_of} FROM {{0}} s WHERE {name_of} = {wanted + 1}", f"SELECT {name_of} FROM {{0}} s GROUP BY {name_of}",
                        f"SELECT max({name_of}) AS {name_of} FROM {{0}} s", f"SELECT {name_of} FROM {{0}} s ORDER BY {name_of}", f"SELECT {name_of} FROM (SELECT * FROM {{0}} s) t"))
    before = {"COPY": [f"COPY (SELECT {items}) TO 'twins.parquet'"], "CREATE TABLE": [f"CREATE TABLE made AS SELECT {items}"], "view": [f"CREATE VIEW made AS SELECT {items}"]}.get(source, [])
    if source == "WITH":
        how = f"WITH w AS (SELECT {items}) " + how
    place_of = {"derived": f"(SELECT {items})", "COPY": "'twins.parquet'", "WITH": "w"}.get(source, "made")
    return Check(("case twins",), [*before, how.replace("{0}", place_of)], rows, names=[twins[wanted]])


def column_list(choices, about):
    names = some_names(choices, 2)
    a, b = map(quoted, names)
    return Check(("column list",), [f"CREATE TABLE made ({a} integer, {b} varchar)", f"INSERT INTO made ({b}, {a}) VALUES ('x', 1)", f"SELECT {b}, {a} FROM made"],
                 [["x", 1]], names=names[::-1])


MAKERS = {"select": select, "sum": total, "alias": alias, "WHERE": where, "GROUP BY": group_by, "ORDER BY": order_by, "USING": using, "WITH": with_names,
          "table alias": table_alias, "derived": derived, "COPY": copy, "CREATE TABLE": create_table, "view": view, "EXCLUDE": exclude, "REPLACE": replace,
          "PARTITION_BY": partition_by, "window": window, "DESCRIBE": describe, "rewrite": rewrite, "two alike": alike, "file": file, "folder": folder,
          "argument": argument, "glob": glob, "by name": by_name, "COPY to a name": copy_to, "COPY over a file": copy_over, "case twins": case_twins, "column list": column_list}
