"""Lists, structs and maps of random types: read, filtered, joined, grouped, ordered, unnested, made and computed with."""
import random

from .common import KINDS as FLAT
from .common import column, settings, written
from .scene import Check, Scene

import pyarrow as pa

# Whole numbers of doubles are printed otherwise: 3 and 3.0.
KINDS = {**FLAT, "double": (pa.float64(), lambda r: r.randint(-80, 80) + 0.625)}

FORMS = {"values": 4, "filter": 6, "join of keys": 6, "join of values": 5, "group": 8, "distinct": 4, "extremes": 5, "order": 6, "window": 6, "set operation": 5, "choice": 5, "unnest": 7, "list()": 6,
         "function": 10, "lambda": 7, "made": 6, "subquery": 4, "list of a group": 8}
NAMES = (*FORMS, "deep values", "values as they are")
WORDS = ["--table", "t=t.parquet", "--table", "u=u.parquet"]
SCALARS = ("integer", "varchar", "bigint", "date", "boolean", "double", "smallint", "decimal(9,2)")


def kind_of(r, depth):
    """A type: the name of a scalar, or ("list", type), ("struct", {name: type}), ("map", type of values)."""
    if not depth or r.random() < 0.3:
        return r.choice(SCALARS)
    form = r.choice(("list", "list", "struct", "map"))
    if form == "struct":
        return form, {name: kind_of(r, depth - 1) for name in "pqr"[: r.randint(1, 3)]}
    return form, kind_of(r, depth - 1)


def arrow_of(kind):
    if isinstance(kind, str):
        return KINDS[kind][0]
    form, inner = kind
    if form == "struct":
        return pa.struct([(name, arrow_of(k)) for name, k in inner.items()])
    return pa.list_(arrow_of(inner)) if form == "list" else pa.map_(pa.string(), arrow_of(inner))


def value_of(r, kind, nulls):
    if r.random() * 100 < nulls:
        return None
    if isinstance(kind, str):
        return KINDS[kind][1](r)
    form, inner = kind
    if form == "struct":
        return {name: value_of(r, k, nulls) for name, k in inner.items()}
    count = r.choice((0, 1, 1, 2, 3, r.randint(0, 9)))
    if form == "list":
        return [value_of(r, inner, nulls) for _ in range(count)]
    return [(key, value_of(r, inner, nulls)) for key in r.sample(("a", "b", "", "Zoë", "a longer key"), min(count, 5))]


def nested_column(kind, rows, seed, nulls, few):
    """few: of so many different values, so that some are equal; 0: any."""
    r = random.Random(seed)
    values = [value_of(r, kind, nulls) for _ in range(few or rows)]
    return pa.array([r.choice(values) if few else value for value in (values if not few else range(rows))], arrow_of(kind))


def table(choices, rows, first, deep):
    seed, nulls = choices.seed(), choices.pick((0, 10, 30))
    few = choices.pick((0, 3, 6))
    made = {name: column(kind, rows, seed + i, nulls) for i, (name, kind) in enumerate({"k": "smallint", "g": "varchar", "v": "integer"}.items())}
    made["k"] = pa.array([None if v is None else abs(v) % 4 for v in made["k"].to_pylist()], pa.int16())
    kinds = {"l": ("list", "integer"), "w": ("list", "varchar"), "x": ("list", "double"), "s": ("struct", {"a": "integer", "b": "varchar"}), "m": ("map", "integer"), "d": deep}
    nested = {name: nested_column(kind, rows, seed + 10 + i, nulls, few) for i, (name, kind) in enumerate(kinds.items())}
    return pa.table({"id": pa.array(range(first, first + rows), pa.int32()), **made, **nested})


def scene(choices):
    sizes = [choices.weighted({7: 4, 1: 1, 0: 1, 40: 5, 1000: 1}) for _ in range(2)]
    deep = kind_of(random.Random(choices.seed()), 3)
    deep = ("list", deep) if isinstance(deep, str) else deep
    found = {"t": table(choices, sizes[0], 0, deep), "u": table(choices, sizes[1], choices.pick((0, 3)), deep)}
    return Scene({f"{name}.parquet": written(arrow, row_group_size=choices.pick((100000, 3, 10))) for name, arrow in found.items()}, found, {"rows": sizes})


def check(choices, scene):
    form = choices.weighted(FORMS)
    sql = MAKERS[form](choices)
    covers = (form, *(("deep values",) if "d::varchar" in sql else ()))
    ours = sql
    if choices.chance(40) and "len((" not in sql and "flat" not in sql:  # the program prints values as it casts them to text
        ours, covers = sql.replace("::varchar", ""), (*covers, "values as they are")
    return Check(covers, [ours], sql, WORDS, settings(choices, percent=40))


COLUMNS = ("l", "w", "x", "s", "m", "d")


def shown(choices, most=2, of=COLUMNS, prefix=""):
    """Columns as text, each with a name of its own: ORDER BY l means the value."""
    return ", ".join(f"{prefix}{name}::varchar AS {name}_text" for name in choices.some(of, most))


def scalar(choices):
    return choices.pick(("l[1]", "l[-1]", "len(l)", "s.a", "s.b", "cardinality(m)", "m['a']", "w[1]", "len(w)", "x[2]", "len(map_keys(m))", "list_sum(l)", "list_avg(l)", "list_max(w)", "list_min(x)", "id", "v"))


def condition(choices):
    return choices.pick(("len(l) > 1", "s.a > 0", "s.b = 'a'", "list_contains(l, 3)", "l IS NULL", "s IS NOT NULL", "m['a'] > 0", "l[1] < 10 OR s.a IS NULL", "list_contains(w, 'a')", "l < [5]", "l = [1]",
                         "id > 3", "d IS NOT NULL", "len(w) = 2 AND id % 2 = 0", "x[1] > 0", "cardinality(m) > 0", "s.a IN (1, 2, 3)", "true"))


def where(choices):
    return choices.pick(("", f" WHERE {condition(choices)}"))


def values(choices):
    return f"SELECT id, {shown(choices, 4)} FROM t{where(choices)}"


def filtered(choices):
    return choices.pick((f"SELECT id FROM t WHERE {condition(choices)} AND {condition(choices)}", f"SELECT count(*), sum(v) FROM t WHERE {condition(choices)}", f"SELECT id, {scalar(choices)} FROM t WHERE {condition(choices)}",
                         f"SELECT id, {shown(choices)} FROM t WHERE NOT ({condition(choices)})"))


def join_of_keys(choices):
    c, kind = choices.pick(COLUMNS), choices.pick(("JOIN", "LEFT JOIN", "FULL JOIN", "SEMI JOIN", "ANTI JOIN"))
    more = choices.pick(("", " AND a.k = b.k"))
    ids = "a.id" if kind[0] in "SA" else "a.id, b.id"
    return f"SELECT {ids} FROM t a {kind} u b ON a.{c} = b.{c}{more}"


def join_of_values(choices):
    kind = choices.pick(("JOIN", "LEFT JOIN", "RIGHT JOIN", "FULL JOIN"))
    return f"SELECT a.id, {shown(choices, prefix='a.')}, b.id, {shown(choices, prefix='b.').replace('_text', '_other')} FROM t a {kind} u b ON a.id = b.id{choices.pick(('', ' AND a.k = b.k'))}"


def group(choices):
    keys = choices.some(COLUMNS, 2)
    return f"SELECT {', '.join(f'{name}::varchar AS {name}_text' for name in keys)}, count(*), min(id), sum(len(l)) FROM t{where(choices)} GROUP BY {', '.join(keys)}{choices.pick(('', ' HAVING count(*) > 1'))}"


def distinct(choices):
    c = choices.pick(COLUMNS)
    return choices.pick((f"SELECT count(*) FROM (SELECT DISTINCT {c} FROM t{where(choices)}) q", f"SELECT k, count(DISTINCT {c}) FROM t GROUP BY k", f"SELECT {c}::varchar AS y FROM (SELECT DISTINCT {c} FROM t) q"))


def extremes(choices):
    c = choices.pick(COLUMNS)
    return choices.pick((f"SELECT min({c})::varchar, max({c})::varchar FROM t{where(choices)}", f"SELECT k, max({c})::varchar FROM t GROUP BY k", f"SELECT g, min({c})::varchar, count({c}) FROM t GROUP BY g"))


def order(choices):
    c = choices.pick(COLUMNS)
    return f"SELECT id, {c}::varchar AS y FROM t{where(choices)} ORDER BY {c}{choices.pick(('', ' DESC'))} NULLS {choices.pick(('FIRST', 'LAST'))}, id LIMIT {choices.pick((3, 10, 1000))}"


def window(choices):
    c, p = choices.pick(COLUMNS), choices.pick(COLUMNS)
    return choices.pick((f"SELECT id, lag({c}) OVER (ORDER BY id)::varchar FROM t", f"SELECT id, first_value({c}) OVER (PARTITION BY k ORDER BY id)::varchar FROM t", f"SELECT id, row_number() OVER (PARTITION BY {p} ORDER BY id) FROM t",
                         f"SELECT id, rank() OVER (ORDER BY {c}) FROM t{where(choices)}", f"SELECT id, max({c}) OVER (PARTITION BY g)::varchar FROM t"))


def set_operation(choices):
    c, op = choices.pick(COLUMNS), choices.pick(("UNION", "UNION ALL", "EXCEPT", "INTERSECT", "EXCEPT ALL"))
    return f"SELECT {c}::varchar AS y FROM (SELECT {c} FROM t{where(choices)} {op} SELECT {c} FROM u{where(choices)}) q"


def choice(choices):
    c = choices.pick(COLUMNS)
    return choices.pick((f"SELECT id, CASE WHEN {condition(choices)} THEN {c} END::varchar FROM t", f"SELECT a.id, coalesce(a.{c}, b.{c})::varchar FROM t a LEFT JOIN u b ON a.id = b.id", f"SELECT id, CASE WHEN len(l) > 0 THEN 100 // len(l) ELSE v END FROM t",
                         "SELECT id, coalesce(l, [id, v])::varchar FROM t", f"SELECT a.id, a.{c} < b.{c}, a.{c} IS DISTINCT FROM b.{c} FROM t a JOIN u b ON a.k = b.k"))


def unnested(choices):
    c = choices.pick(("l", "w", "x"))
    return choices.pick((f"SELECT id, y FROM t, unnest({c}) q(y){where(choices)}", f"SELECT id, unnest({c}) AS y FROM t", f"SELECT y, count(*) FROM (SELECT unnest({c}) AS y FROM t) q GROUP BY y", f"SELECT sum(len({c})) FROM (SELECT {c}, unnest({c}) FROM t) q",
                         f"SELECT id, y, {shown(choices, 1)} FROM t, unnest({c}) q(y)", "SELECT id, unnest(map_keys(m)) AS y FROM t"))


def listed(choices):
    c = choices.pick(("id", "v", "g", *COLUMNS))
    return choices.pick((f"SELECT k, list({c} ORDER BY id)::varchar FROM t GROUP BY k", f"SELECT len(list({c})) FROM t{where(choices)}", f"SELECT g, list({c} ORDER BY id DESC) FILTER (id % 2 = 0)::varchar FROM t GROUP BY g",
                         f"SELECT k, list_sort(list(DISTINCT v))::varchar FROM t GROUP BY k"))


def function(choices):
    call = choices.pick(("list_sort(l)", "list_reverse(w)", "list_sort(list_distinct(l))", "list_concat(l, [v, id])", "l[2:3]", "l[-2:]", "list_append(l, id)", "list_prepend(v, l)", "flatten([l, [id]])",
                         "list_position(l, 3)", "list_has_any(l, [1, 2, 3])", "list_has_all(l, [v])", "list_sum(l)", "list_min(w)", "list_max(l)", "list_count(l)", "map_keys(m)", "map_values(m)", "map_entries(m)", "m['a']",
                         "array_to_string(w, '-')", "string_split(g, 'a')", "list_unique(w)", "list_zip(l, w)", "s.b || 'x'", "len(x)", "list_contains(x, 1.5)"))
    return f"SELECT id, ({call})::varchar FROM t{where(choices)}"


def lambdas(choices):
    call = choices.pick(("list_transform(l, lambda e: e + v)", "list_transform(l, lambda e, i: e * i)", "list_filter(l, lambda e: e > v)", "list_filter(w, lambda e: e <> g)", "list_transform(w, lambda e: len(e) + len(l))", "list_reduce(list_concat([id], l), lambda a, e: a + coalesce(e, 0))",
                         "[e + 1 for e in l if e > 0]", "list_transform(l, lambda e: [e, id])", "list_transform(l, lambda e: {'e': e, 'v': v})", "list_sum(list_transform(l, lambda e: e * 2))", "list_transform([l, [v]], lambda q: list_transform(q, lambda e: e + id))"))
    return choices.pick((f"SELECT id, ({call})::varchar FROM t{where(choices)}", f"SELECT count(*) FROM t WHERE len(({call})::varchar) > 4"))


def made(choices):
    value = choices.pick(("[id, v]", "{'a': v, 'l': l}", "map([id], [g])", "[s, s]", "[l, NULL, [id]]", "{'s': s, 'm': m}", "[g, s.b]", "range(k)", "struct_pack(a := l, b := w)", "map {'k': v, 'i': id}"))
    return choices.pick((f"SELECT id, ({value})::varchar FROM t{where(choices)}", f"SELECT count(DISTINCT y) FROM (SELECT {value} AS y FROM t) q", f"SELECT id, y::varchar AS z FROM (SELECT id, {value} AS y FROM t) q ORDER BY y, id LIMIT 5"))


def subquery(choices):
    c = choices.pick(COLUMNS)
    return choices.pick((f"SELECT id FROM t WHERE {c} IN (SELECT {c} FROM u)", f"SELECT id FROM t a WHERE EXISTS (SELECT * FROM u b WHERE b.{c} = a.{c} AND b.id <> a.id)", f"SELECT id, (SELECT max({c}) FROM u)::varchar FROM t",
                         f"SELECT id FROM t WHERE {c} = (SELECT min({c}) FROM t)"))


def list_of_group(choices):
    """Lists of a group's values, and what is computed with them, by columns of every type."""
    c = choices.pick(("id", "v", "g", "k", "x[1]", "s.b", "l[1]", "m['a']", "id::bigint * 1000000007", "v::decimal(9,2)", "v::decimal(30,3)", "g || g || g", "v > 0", "date '2020-01-31' + v", "x[1]::real", "v::smallint"))
    made = choices.pick((f"list({c} ORDER BY id)", f"array_agg({c} ORDER BY id DESC)", f"list({c} ORDER BY {c} NULLS FIRST, id)", f"list_sort(array_agg({c}))", f"list_sort(list(DISTINCT {c}))", f"list({c} ORDER BY id) FILTER (WHERE {c} IS NOT NULL)", f"list_sort(list({c}) FILTER ({condition(choices)}))"))
    used = choices.pick((made, made, f"{made}[1]", f"len({made})", f"list_distinct({made})[1] IS NULL", f"{made}[-2:]", f"list_reverse({made})", f"list_count({made})", f"list_position({made}, NULL)", f"list_max({made})", f"list_concat({made}, {made})", f"coalesce({made}, [])", f"list_unique({made})"))
    by = choices.pick(("", " GROUP BY k", " GROUP BY g", " GROUP BY k, g", " GROUP BY id % 5"))
    key = "" if not by else by[10:] + ", "
    how = choices.pick(("SELECT {key}({used})::varchar AS y FROM t{where}{by}", "SELECT {key}({used})::varchar AS y, count(*), max(v) FROM t{where}{by}", "SELECT y::varchar AS text, count(*) FROM (SELECT {key}{used} AS y FROM t{where}{by}) q GROUP BY y",
                        "SELECT len(y) FROM (SELECT {key}{made} AS y FROM t{where}{by}) q WHERE len(y) > 1", "SELECT e, count(*) FROM (SELECT {key}unnest({made}) AS e FROM t{where}{by}) q GROUP BY e"))
    return how.format(key=key, used=used, made=made, by=by, where=where(choices))


MAKERS = {"values": values, "filter": filtered, "join of keys": join_of_keys, "join of values": join_of_values, "group": group, "distinct": distinct, "extremes": extremes, "order": order, "window": window, "set operation": set_operation, "choice": choice,
          "unnest": unnested, "list()": listed, "function": function, "lambda": lambdas, "made": made, "subquery": subquery, "list of a group": list_of_group}
