"""Volatile functions, counted: each row has a value of its own wherever the function stands, and one value that is named several times."""
from .common import settings
from .scene import Check, Scene

CALLS = ("random()", "gen_random_uuid()", "random() * 2 - 1", "md5(CAST(random() AS varchar))", "CAST(gen_random_uuid() AS varchar)")
NAMES = ("correlated", "LATERAL", "join", "view", "grouping", "CTE", "UNION ALL", "window", "derived", "filter", "aggregate", "named twice", "table", "DISTINCT")


def scene(choices):
    return Scene()


def outer(choices):
    """(SQL of rows with columns n, unique, and i, of few values; how many)."""
    rows = choices.pick((3, 7, 40, 100, 700))
    few = choices.pick(("1", "n % 2", "n % 5", "n", "CASE WHEN n % 3 = 0 THEN NULL ELSE 1 END"))
    source = choices.pick((f"range({rows}) s(n)", f"generate_series(1, {rows}) s(n)", f"(SELECT n FROM range({rows}) s(n)) s"))
    return f"(SELECT n, {few} AS i FROM {source})", rows


def tied(choices, call, alias):
    """The call in an expression that reads the outer row, or not."""
    if call == "gen_random_uuid()":
        return call
    if "varchar" in call:
        return choices.pick((call, f"{call} || coalesce(CAST({alias}.i AS varchar), '')", f"concat({alias}.i, {call})"))
    return choices.pick((f"{call} + coalesce({alias}.i, 0)", f"{call} * (1 + coalesce({alias}.i, 0))", f"CASE WHEN {alias}.i IS NULL THEN {call} ELSE {call} + 2 END"))


def subquery(choices, call, alias, depth=0):
    """A query of one row and one column v, that reads the outer row."""
    e = tied(choices, call, alias)
    where = f"({alias}.i = {alias}.i OR {alias}.i IS NULL)"
    inner = f"u{depth}"
    kind = choices.pick(("plain", "where", "range", "values", "nested", "order", "group", "cte", "union", "window"))
    if kind == "plain" and (f"{alias}." in e):
        return f"SELECT {e} AS v"
    if kind == "range":
        return f"SELECT {e} AS v FROM range(1) {inner}(k) WHERE {where}"
    if kind == "values":
        return f"SELECT w AS v FROM (VALUES ({call})) {inner}(w) WHERE {where}"
    if kind == "nested" and depth < 3:
        return f"SELECT v FROM ({subquery(choices, call, alias, depth + 1)}) {inner}"
    if kind == "order":
        return f"SELECT {e} AS v FROM range(3) {inner}(k) WHERE {where} ORDER BY k LIMIT 1"
    if kind == "group" and "uuid" not in call and "md5" not in call:
        return f"SELECT max({e} + 0 * k) AS v FROM range(2) {inner}(k) WHERE {where}"
    if kind == "cte":
        return f"WITH c{depth} AS (SELECT {e} AS v WHERE {where}) SELECT v FROM c{depth}"
    if kind == "union":
        return f"SELECT v FROM (SELECT {e} AS v WHERE {where} UNION ALL SELECT {e} WHERE NOT {where}) {inner}"
    if kind == "window":
        return f"SELECT v FROM (SELECT {e} AS v, row_number() OVER () AS o FROM range(2) {inner}(k) WHERE {where}) {inner}x WHERE o = 1"
    return f"SELECT {e} AS v WHERE {where}"


def step(choices, call, source, depth):
    """A query with columns n, i and v over (SQL of n and i): one row for each, of which each v differs; and what it covers."""
    kind = choices.pick(("derived", "correlated", "LATERAL", "join", "grouping", "CTE", "UNION ALL", "window", "filter", "aggregate", "table"))
    if kind == "correlated":
        return f"SELECT t.n, t.i, ({subquery(choices, call, 't')}) AS v FROM {source} t", kind
    if kind == "LATERAL":
        how = choices.pick((", LATERAL ({0}) q", " CROSS JOIN LATERAL ({0}) q", " LEFT JOIN LATERAL ({0}) q ON true"))
        return f"SELECT t.n, t.i, q.v FROM {source} t{how.format(subquery(choices, call, 't'))}", kind
    if kind == "join":
        how = choices.pick(("JOIN {0} y ON x.n = y.n", "LEFT JOIN {0} y ON x.n = y.n", "LEFT JOIN {0} y ON false", "SEMI JOIN {0} y ON x.n = y.n", "FULL JOIN {0} y USING (n)"))
        name = "n" if "USING" in how else "x.n"
        return f"SELECT {name}, x.i, x.v FROM (SELECT n, i, {call} AS v FROM {source} t) x {how.format(source)}", kind
    if kind == "grouping":
        extra = choices.pick(("", "GROUP BY n, i, {0}", "GROUP BY 1, 2, 3"))
        if extra:
            return f"SELECT n, i, {call} AS v FROM {source} t {extra.replace('{0}', '3')}", kind
        return f"SELECT n, min(i) AS i, {call} AS v FROM {source} t GROUP BY n", kind
    if kind == "CTE":
        word = choices.pick(("", "MATERIALIZED", "NOT MATERIALIZED"))
        return f"WITH c AS {word} (SELECT n, i, {call} AS v FROM {source} t) SELECT * FROM c", kind
    if kind == "UNION ALL":
        return f"SELECT n, i, {call} AS v FROM {source} t WHERE n % 2 = 0 UNION ALL SELECT n, i, {call} FROM {source} t WHERE n % 2 <> 0", kind
    if kind == "window":
        return f"SELECT n, i, v FROM (SELECT n, i, {call} AS v, count(*) OVER (PARTITION BY i) AS o FROM {source} t) x WHERE o > 0", kind
    if kind == "filter":
        return f"SELECT n, i, v FROM (SELECT n, i, {call} AS v FROM {source} t) x WHERE v IS NOT NULL AND n >= 0", kind
    if kind == "aggregate" and "uuid" not in call and "md5" not in call:
        return f"SELECT n, min(i) AS i, max({call}) AS v FROM {source} t GROUP BY n", kind
    if kind == "table" and depth:
        return f"SELECT n, i, v FROM (SELECT * FROM (SELECT n, i, {call} AS v FROM {source} t) a ORDER BY v) x", "derived"
    return f"SELECT n, i, {call} AS v FROM {source} t", "derived"


def check(choices, scene):
    call, (source, rows) = choices.pick(CALLS), outer(choices)
    covers, statements = [], []
    for depth in range(choices.between(1, 3)):
        sql, kind = step(choices, call, source, depth)
        covers.insert(0, kind)
        if choices.chance(15):
            name = f"{choices.pick(('v', 't'))}{depth}"
            statements.append(f"CREATE {'VIEW' if name[0] == 'v' else 'TABLE'} {name} AS {sql}")
            covers.append("view" if name[0] == "v" else "table")
            source, last = name, f"SELECT * FROM {name}"
        else:
            source, last = f"(SELECT n, i FROM ({sql}) z{depth})", sql
    outermost = choices.weighted({"count": 5, "twice": 3, "distinct": 2})
    if outermost == "count":
        statements.append(f"SELECT count(*), count(v), count(DISTINCT v) FROM ({last}) q")
        expected = [[rows, rows, rows]]
    elif outermost == "distinct":
        statements.append(f"SELECT count(*), min(a), max(a) FROM (SELECT v, count(*) AS a FROM (SELECT DISTINCT n, v FROM ({last}) p) q GROUP BY v) r")
        expected, covers = [[rows, 1, 1]], covers + ["DISTINCT"]
    else:
        name = choices.pick(("a.v = a.w", "a.v = b.v", "a.v IN (SELECT w FROM c)"))
        statements.append(f"WITH c AS (SELECT n, v, v AS w FROM ({last}) q) SELECT count(*), count(DISTINCT a.v) FROM c a JOIN c b ON a.n = b.n WHERE {name}")
        expected, covers = [[rows, rows]], covers + ["named twice"]
    return Check(tuple(dict.fromkeys(covers)), statements, expected, settings=settings(choices, percent=25))
