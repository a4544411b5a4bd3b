"""Tables and results of hundreds to 2,500 columns."""
import pyarrow as pa

from .common import KINDS, column, settings, written
from .scene import Check, Scene

FORMS = {"ORDER BY": 5, "select": 2, "DISTINCT": 3, "GROUP BY": 3, "aggregates": 3, "join": 4, "outer join": 3, "COPY": 4, "CREATE TABLE": 3, "rewrite": 3,
         "window": 3, "DISTINCT ON": 2, "UNION ALL": 2, "concat": 2, "coalesce": 1, "SUMMARIZE": 1, "EXCLUDE and REPLACE": 2, "set operation": 2,
         "expressions": 2, "row in VALUES": 1, "IN subquery": 1}
NAMES = tuple(FORMS)


def width(choices):
    kind = choices.weighted({"hundreds": 4, "byte": 4, "thousand": 2, "memory": 3, "many": 2})
    if kind == "hundreds":
        return choices.between(100, 700)
    if kind == "byte":
        return choices.between(253, 258) * choices.weighted({1: 3, 2: 1})
    if kind == "thousand":
        return choices.between(997, 1003)
    return choices.between(1984, 1988) if kind == "memory" else choices.between(1100, 2500)


def table(choices, names, rows):
    """The first column numbers the rows, in a random order; the others take turns in some types."""
    kinds, nulls, seed = choices.some(KINDS, 6), choices.pick((0, 20, 90)), choices.seed()
    order = list(range(rows))
    if choices.chance(50):
        order.reverse()
    arrays = [pa.array(order, pa.int32())]
    arrays += [column(kinds[i % len(kinds)], rows, seed * 7919 + i % 97, nulls) for i in range(len(names) - 1)]
    return pa.table(arrays, names)


def scene(choices):
    columns, rows = width(choices), choices.pick((3, 0, 1, 9, 30))
    wide = table(choices, [f"c{i}" for i in range(columns)], rows)
    other = table(choices, [f"d{i}" for i in range(choices.pick((2, 40, 256, 700)))], choices.pick((3, 0, 8)))
    options = {"row_group_size": choices.pick((1000, 2, 7)), "use_dictionary": choices.chance(50)}
    return Scene({"w.parquet": written(wide, **options), "o.parquet": written(other)}, {"w": wide, "o": other},
                 {"columns": columns, "other": other.num_columns, "kinds": [str(f.type) for f in wide.schema]})


def check(choices, scene):
    form = choices.weighted(FORMS)
    made = MAKERS[form](choices, scene)
    made.words = ["--table", "w=w.parquet", "--table", "o=o.parquet"]
    made.settings = settings(choices, percent=30)
    made.may_fail_within = "memory_limit"  # a row group of thousands of columns
    if made.settings.get("device") == "simulated" or made.settings.get("ranks") or made.settings.get("chunk_rows") == "7":
        made.seconds = 150
    return made


def keys(choices, scene):
    """Up to three columns with directions, then the one that is unique."""
    drawn = [f"c{choices.below(scene.about['columns'])}{choices.pick((' ', ' DESC', ' NULLS FIRST', ' DESC NULLS LAST'))}" for _ in range(choices.between(0, 3))]
    return ", ".join(drawn + ["c0"])


def plain(choices, form, sql, is_ordered=False):
    return Check((form,), [sql], sql, is_ordered=is_ordered)


def any_column(choices, scene):
    return f"c{choices.below(scene.about['columns'])}"


def order_by(choices, scene):
    tail = choices.pick(("", " LIMIT 2", " LIMIT 5 OFFSET 1"))
    return plain(choices, "ORDER BY", f"SELECT * FROM w ORDER BY {keys(choices, scene)}{tail}", True)


def select(choices, scene):
    sql = f"SELECT * FROM w WHERE {any_column(choices, scene)} IS NOT NULL AND c0 >= {choices.below(4)}"
    return plain(choices, "select", sql)


def distinct(choices, scene):
    first, last = sorted(choices.below(scene.about["columns"]) for _ in range(2))
    some = ", ".join(f"c{i}" for i in range(first, last + 1))
    inner = choices.pick(("SELECT * FROM w", "SELECT * FROM w UNION ALL SELECT * FROM w", f"SELECT {some} FROM w"))
    return plain(choices, "DISTINCT", f"SELECT DISTINCT * FROM ({inner}) t")


def group_by(choices, scene):
    first, last = sorted(choices.below(scene.about["columns"]) for _ in range(2))
    groups = ", ".join(f"c{i}" for i in range(first, last + 1))
    return plain(choices, "GROUP BY", f"SELECT {groups}, count(*), max(c0) FROM w GROUP BY {groups}")


def aggregates(choices, scene):
    functions = choices.some(("count", "min", "max"), 3)
    items = ", ".join(f"{functions[i % len(functions)]}(c{i})" for i in range(scene.about["columns"]) if scene.about["kinds"][i] != "bool")
    tail = choices.pick(("", f" GROUP BY {any_column(choices, scene)}", " GROUP BY c0 % 2"))
    return plain(choices, "aggregates", f"SELECT {items} FROM w{tail}")


def join(choices, scene):
    how = choices.pick(("w JOIN o ON c0 = d0", "o JOIN w ON c0 = d0", "w JOIN o ON c0 < d0", "w CROSS JOIN o", "w a JOIN w b ON a.c0 = b.c0", "w SEMI JOIN o ON c0 = d0"))
    tail = choices.pick(("", "", " ORDER BY 1, 2"))
    sql = f"SELECT {'a.*' if ' a ' in how else '*'} FROM {how}{tail}"
    return plain(choices, "join", sql, False)


def outer_join(choices, scene):
    how = choices.pick(("w LEFT JOIN o ON c0 = d0", "o LEFT JOIN w ON c0 = d0 + 1", "w FULL JOIN o ON c0 = d0 + 2", "w RIGHT JOIN o ON c0 = d1" if
                        scene.about["other"] < 0 else "w RIGHT JOIN o ON c0 = d0 + 2"))
    return plain(choices, "outer join", f"SELECT * FROM {how}")


def copy(choices, scene):
    query = choices.pick(("SELECT * FROM w", f"SELECT * FROM w ORDER BY {keys(choices, scene)}", "SELECT * FROM w LEFT JOIN o ON c0 = d0"))
    options = choices.pick(("", " (CODEC zstd)", " (ROW_GROUP_SIZE 2)", " (CODEC none, ROW_GROUP_SIZE 1)"))
    return Check(("COPY",), [f"COPY ({query}) TO 'copy.parquet'{options}", "SELECT * FROM 'copy.parquet'"], query)


def create_table(choices, scene):
    query = choices.pick(("SELECT * FROM w", f"SELECT * FROM w ORDER BY {keys(choices, scene)}"))
    again = choices.pick(("", "INSERT INTO t SELECT * FROM w"))
    tail = choices.pick(("", f" ORDER BY {keys(choices, scene)}"))
    rows = f"SELECT * FROM (SELECT * FROM w{' UNION ALL SELECT * FROM w' if again else ''}) t"
    return Check(("CREATE TABLE",), [f"CREATE TABLE t AS {query}", *([again] if again else []), f"SELECT * FROM t{tail}"], rows)


def rewrite(choices, scene):
    words = choices.pick(([], ["--sort", any_column(choices, scene)], ["--sort", f"{any_column(choices, scene)} desc, c0"], ["--for", "gpu"], ["--page-version", "2"],
                          ["--encoding", "v2"], ["--page-rows", "2"]))
    return Check(("rewrite",), ["SELECT * FROM 'again.parquet'"], "SELECT * FROM w", before=[["rewrite", "--threads", "1", *words, "w.parquet", "again.parquet"]])


def window(choices, scene):
    call = choices.pick(("row_number() OVER (ORDER BY {0})", "count(*) OVER (PARTITION BY {1})", "max(c0) OVER (PARTITION BY {1} ORDER BY {0})", "lag(c0) OVER (ORDER BY {0})"))
    return plain(choices, "window", f"SELECT *, {call.format(keys(choices, scene), any_column(choices, scene))} AS n FROM w")


def distinct_on(choices, scene):
    key = any_column(choices, scene)
    return plain(choices, "DISTINCT ON", f"SELECT DISTINCT ON ({key}) * FROM w ORDER BY {key}, c0", True)


def union_all(choices, scene):
    return plain(choices, "UNION ALL", f"SELECT * FROM w UNION ALL SELECT * FROM w WHERE c0 > {choices.below(3)}")


def call_of_all(form, function, choices, scene):
    of_kind = [f"c{i}" for i, kind in enumerate(scene.about["kinds"]) if kind == choices_kind(form)] or ["c0"]
    of_kind = of_kind if len(of_kind) > 1 else of_kind * 2
    items = ", ".join(f"CAST({c} AS varchar)" for c in of_kind)
    return plain(choices, form, f"SELECT c0, {function}({items}) FROM w")


def choices_kind(form):
    return "int32" if form == "concat" else "string"


def concat(choices, scene):
    return call_of_all("concat", choices.pick(("concat", "concat_ws", "coalesce")), choices, scene)


def coalesce(choices, scene):
    return call_of_all("coalesce", choices.pick(("coalesce", "greatest", "least")), choices, scene)


def summarize(choices, scene):
    """One row for each column."""
    columns = scene.about["columns"]

    def look(ran, folder):
        if len(ran.rows) != columns:
            return f"{len(ran.rows)} rows, not one for each of {columns} columns"
        return "" if [row[0] for row in ran.rows] == [f"c{i}" for i in range(columns)] else "other names"
    return Check(("SUMMARIZE",), ["SUMMARIZE w"], None, look=look, seconds=30)


def exclude(choices, scene):
    out, changed = any_column(choices, scene), choices.below(scene.about["columns"])
    replaced = f" REPLACE (c0 + 1 AS c{changed})" if f"c{changed}" != out else ""
    return plain(choices, "EXCLUDE and REPLACE", f"SELECT * EXCLUDE ({out}){replaced} FROM w")


def set_operation(choices, scene):
    word = choices.pick(("UNION", "EXCEPT", "INTERSECT"))
    return plain(choices, "set operation", f"SELECT * FROM w {word} SELECT * FROM w WHERE c0 > {choices.below(3)}")


def expressions(choices, scene):
    width_of = min(scene.about["columns"] + choices.below(300), 2500)
    items = ", ".join(f"c0 + {i} AS x{i}" for i in range(width_of))
    tail = choices.pick(("", " ORDER BY x0 DESC", " WHERE c0 > 0"))
    return plain(choices, "expressions", f"SELECT * FROM (SELECT {items} FROM w) t{tail}")


def values(choices, scene):
    row = ", ".join(str(i % 7) for i in range(scene.about["columns"]))
    return plain(choices, "row in VALUES", f"SELECT * FROM (VALUES ({row}), ({row})) t {choices.pick(('', 'LIMIT 1'))}")


def in_subquery(choices, scene):
    word = choices.pick(("IN", "NOT IN"))
    return plain(choices, "IN subquery", f"SELECT * FROM w WHERE c0 {word} (SELECT d0 FROM o)")


MAKERS = {"ORDER BY": order_by, "select": select, "DISTINCT": distinct, "GROUP BY": group_by, "aggregates": aggregates, "join": join, "outer join": outer_join,
          "COPY": copy, "CREATE TABLE": create_table, "rewrite": rewrite, "window": window, "DISTINCT ON": distinct_on, "UNION ALL": union_all,
          "concat": concat, "coalesce": coalesce, "SUMMARIZE": summarize, "EXCLUDE and REPLACE": exclude, "set operation": set_operation,
          "expressions": expressions, "row in VALUES": values, "IN subquery": in_subquery}
