"""What people write in DuckDB's dialect: PIVOT, ASOF and POSITIONAL joins, samples, macros, QUALIFY, TRY_CAST, COLUMNS, PREPARE, BY NAME."""
from .common import KINDS, column, settings, text, written
from .scene import Check, Scene

import pyarrow as pa

FORMS = {"QUALIFY": 6, "PIVOT": 6, "PIVOT in FROM": 4, "UNPIVOT": 6, "ASOF": 8, "POSITIONAL": 5, "sample": 6, "macro": 5, "table macro": 3, "TRY_CAST": 8, "COLUMNS": 5,
         "EXCLUDE and REPLACE": 3, "BY NAME": 5, "GROUP BY ALL": 4, "FROM first": 3, "alias": 4, "PREPARE": 4, "DISTINCT ON": 3, "FILTER": 2, "time spans": 3,
         "LIMIT of a share": 4, "GLOB": 4, "variable": 4, "path": 4, "first rows": 2, "file_row_number": 4, "INSERT BY NAME": 3, "shape of JSON": 4, "count()": 2, "aggregate of the outer query": 4}
NAMES = (*FORMS, "null keys", "no row")
WORDS = ["--table", "t=t.parquet", "--table", "u=u.parquet"]
NUMBERS = ("k", "v", "m", "x")


def table(choices, rows, first):
    seed, nulls = choices.seed(), choices.pick((0, 10, 40))
    names = {"k": "smallint", "g": "varchar", "v": "integer", "m": "decimal(9,2)", "x": "double", "d": "date", "b": "boolean"}
    made = {name: column(kind, rows, seed + i, nulls) for i, (name, kind) in enumerate(names.items())}
    made["k"] = pa.array([None if v is None else abs(v) % 4 for v in made["k"].to_pylist()], KINDS["smallint"][0])
    return pa.table({"id": pa.array(range(first, first + rows), pa.int32()), **made})


def scene(choices):
    sizes = [choices.weighted({7: 4, 1: 1, 0: 1, 40: 5, 3000: 1}) for _ in range(2)]
    found = {"t": table(choices, sizes[0], 0), "u": table(choices, sizes[1], choices.pick((0, 3, 1000)))}
    return Scene({f"{name}.parquet": written(arrow, row_group_size=choices.pick((100000, 3, 10))) for name, arrow in found.items()}, found, {"rows": sizes})


def check(choices, scene):
    form = choices.weighted(FORMS)
    made = MAKERS[form](choices, scene.about)
    made.covers = (form, *made.covers, *(("no row",) if 0 in scene.about["rows"] else ()))
    made.words, made.settings = WORDS, settings(choices, percent=30) if form != "first rows" else {}
    if form == "first rows":
        made.without = ("ranks", "distribute", "device", "device_mix", "chunk_rows")
    return made


def same(sql, covers=(), **more):
    """A query that both engines read alike."""
    return Check(covers, [sql], sql, **more)


def condition(choices):
    return choices.pick(("id > 3", "v > 0", "x < 0", "g = 'a'", "b", "k IN (1, 2)", "d IS NOT NULL", "m IS NULL", "true"))


def qualify(choices, about):
    window = choices.pick(("PARTITION BY g ORDER BY id", "PARTITION BY k, b ORDER BY v DESC NULLS LAST, id", "ORDER BY id", "PARTITION BY k ORDER BY x NULLS FIRST, id"))
    call = choices.pick(("row_number()", "count(*)", "sum(v)", "lag(id)", "rank()", "max(m)", "ntile(3)"))
    test = choices.pick(("{0} <= 2", "{0} = 1", "{0} IS NULL", "{0} % 2 = 0", "{0} > 1 AND id > 2"))
    where = choices.pick(("", f" WHERE {condition(choices)}"))
    how = choices.pick(("SELECT id, g, {c} OVER ({w}) AS r FROM t{where} QUALIFY {alias}", "SELECT id FROM t{where} QUALIFY {test}", "SELECT id, {c} OVER w AS r FROM t{where} WINDOW w AS ({w}) QUALIFY {alias}",
                        "SELECT k, count(*) AS n, max(id) AS y FROM t{where} GROUP BY k QUALIFY row_number() OVER (ORDER BY max(id) DESC) <= 2",
                        "SELECT count(*) FROM (SELECT * FROM t{where} QUALIFY {test}) q"))
    return same(how.replace("{where}", where).replace("{alias}", test.format("r")).replace("{test}", test.format(f"{call} OVER ({window})")).replace("{c}", call).replace("{w}", window))


def values_of(choices, key):
    return choices.some({"g": ("'a'", "'b'", "''", "'none'", "'Zoë'"), "k": ("1", "0", "3", "9"), "b": ("true", "false")}[key], 3)


def aggregates(choices):
    return choices.some(("sum(v)", "count(*)", "max(x)", "min(id) AS least", "sum(m) AS total", "count(g)", "avg(v)"), 2)


def pivot(choices, about):
    key, by = choices.pick(("g", "k", "b")), choices.pick(("", " GROUP BY id", " GROUP BY d", " GROUP BY k"))
    by = "" if by == " GROUP BY k" and key == "k" else by
    source = choices.pick(("(SELECT {0} FROM t)", f"(SELECT {{0}} FROM t WHERE {condition(choices)})")).format(f"{key}, v, x, m, id, g AS gg, d, k AS kk" if key not in ("g", "k") else "g, k, v, x, m, id, d")
    by = by if by else " GROUP BY d"
    values = f" IN ({', '.join(values_of(choices, key))})" if choices.chance(60) or key == "g" and choices.chance(50) else ""
    source, by = (source, by.replace("GROUP BY k", "GROUP BY kk")) if key == "b" else (source, by)
    using = ", ".join(a.replace("count(g)", "count(gg)") if key == "b" else a for a in aggregates(choices))
    sql = f"PIVOT {source} ON {key}{values} USING {using}{by}"
    return Check((), [sql], sql, names=None)


def pivot_in_from(choices, about):
    key = choices.pick(("g", "k"))
    other = "k" if key == "g" else "g"
    return same(f"SELECT * FROM (SELECT {key}, {other}, v FROM t) q PIVOT ({choices.pick(('sum(v)', 'count(*)', 'max(v)'))} FOR {key} IN ({', '.join(values_of(choices, key))}) GROUP BY {other}) p")


def unpivot(choices, about):
    columns = choices.some(("v", "k", "id"), 3)
    nulls = choices.pick(("", "INCLUDE NULLS "))
    rest = "g, b" + ("" if "id" in columns else ", id")
    source = f"(SELECT {', '.join(columns)}, {rest} FROM t)"
    if choices.chance(50):
        return same(f"SELECT * FROM {source} q UNPIVOT {nulls}(value FOR name IN ({', '.join(columns)})) p")
    return same(f"UNPIVOT {source} ON {', '.join(columns)} INTO NAME name VALUE value")


def asof(choices, about):
    kind, sign = choices.pick(("ASOF JOIN", "ASOF LEFT JOIN")), choices.pick((">=", ">", "<=", "<"))
    least = "min" if sign in ("<=", "<") else "max"
    key = choices.pick(("v", "d", "x", "m", "id"))
    # Of equal times one of any: so there is one of each.
    right = f"(SELECT k, {key}, {least}(id) AS id FROM u WHERE {key} IS NOT NULL GROUP BY k, {key})"
    equal = choices.pick(("a.k = b.k AND ", ""))
    right = right if equal else f"(SELECT {key}, {least}(id) AS id FROM u WHERE {key} IS NOT NULL GROUP BY {key})" if key != "id" else "(SELECT id, id AS i FROM u)"
    if equal and key == "id":
        right = "(SELECT k, id FROM u)"
    if choices.chance(25) and equal and sign == ">=" and key != "id":
        return same(f"SELECT a.id, b.id FROM t a {kind} {right} b USING (k, {key})", ("null keys",))
    where = choices.pick(("", " WHERE a.id % 2 = 0", " WHERE b.id > 3"))
    return same(f"SELECT a.id, b.id, b.{key} FROM t a {kind} {right} b ON {equal}a.{key} {sign} b.{key}{where}", ("null keys",))


def positional(choices, about):
    n, m = about["rows"]
    left, right = choices.pick((("t", "u"), ("t", "t"), ("u", "t"))), choices.pick(("a.id, b.id", "a.v, b.g", "count(*), count(a.id), sum(b.id)"))
    cut = choices.pick((0, 5))
    sides = [f"(SELECT * FROM {name} ORDER BY id LIMIT {cut})" if cut else name for name in left]
    return same(f"SELECT {right} FROM {sides[0]} a POSITIONAL JOIN {sides[1]} b")


def sample(choices, about):
    """How many rows there are, that each is of the table, and none twice."""
    rows, n = about["rows"][0], choices.pick((5, 0, 1, 10, 100, 2000))
    how = choices.pick((f"FROM t USING SAMPLE {n} ROWS", f"FROM t TABLESAMPLE reservoir({n} ROWS)", f"FROM t USING SAMPLE reservoir({n} ROWS) REPEATABLE ({n})", f"FROM t USING SAMPLE {n}",
                        "FROM t USING SAMPLE 100%", "FROM t TABLESAMPLE bernoulli(100)", "FROM t USING SAMPLE 0 PERCENT", "FROM t TABLESAMPLE system(0%)"))
    count = rows if "100%" in how or "bernoulli(100)" in how else 0 if "0 PERCENT" in how or "(0%)" in how else min(n, rows)
    return Check((), [f"SELECT count(*), count(DISTINCT id), count(*) FILTER (id IN (SELECT id FROM t)) FROM (SELECT * {how}) q"], [[count, count, count]])


EXPRESSIONS = (("a + b", "({0}) + ({1})"), ("CASE WHEN a > b THEN a ELSE b END", "CASE WHEN ({0}) > ({1}) THEN ({0}) ELSE ({1}) END"), ("coalesce(a, b) * 2", "coalesce(({0}), ({1})) * 2"),
               ("a - b * 2", "({0}) - ({1}) * 2"))


def macro(choices, about):
    body, plain = choices.pick(EXPRESSIONS)
    first, second = choices.pick(("id", "v", "id - 3")), choices.pick(("k", "1", "v + 1"))
    default = choices.chance(40)
    call = f"f({first})" if default else f"f({first}, {choices.pick(('', 'b := '))}{second})"
    sql = choices.pick(("SELECT id, {0} AS y FROM t", "SELECT sum({0}) FROM t", "SELECT {0} AS y, count(*) FROM t GROUP BY y", "SELECT id FROM t WHERE {0} > 2", "SELECT id, f({0}, 2) FROM t"))
    twice = plain.format(plain.format(first, "7" if default else second), 2) if "f(" in sql else ""
    expected = sql.replace("f({0}, 2)", twice).format(plain.format(first, "7" if default else second))
    return Check((), [f"CREATE {choices.pick(('', 'OR REPLACE '))}MACRO f(a, b{' := 7' if default else ''}) AS {body}", sql.format(call)], expected)


def table_macro(choices, about):
    where, n = condition(choices), choices.between(0, 9)
    statements = [f"CREATE MACRO best(n) AS TABLE SELECT id, g, v FROM t WHERE {where} AND id >= n", choices.pick((f"FROM best({n})", f"SELECT count(*), max(v) FROM best(n := {n})", f"SELECT a.id FROM best({n}) a JOIN best({n} + 1) b ON a.id = b.id"))]
    plain = f"(SELECT id, g, v FROM t WHERE {where} AND id >= {n})"
    expected = {"F": f"FROM {plain}", "c": f"SELECT count(*), max(v) FROM {plain}", "a": f"SELECT a.id FROM {plain} a JOIN {plain.replace(f'>= {n})', f'>= {n} + 1)')} b ON a.id = b.id"}
    return Check((), statements, expected["F" if statements[1][0] == "F" else statements[1][7]])


TEXTS = {"integer": ("12", "-7", "0012", " 5 ", "abc", "", "99999999999", "+3", "2147483648"), "boolean": ("true", "f", "T", "yes", "0", "1", "maybe", ""),
         "date": ("2020-02-29", "2021-02-29", "1999-1-2", "abc", "", "2020-13-01"), "double": ("1.5", "-1e10", "abc", "", ".5", "5."),
         "decimal(5,2)": ("1.25", "123.456", "99999", "-0.005", "x", ""), "smallint": ("32767", "32768", "-32768", "7"), "utinyint": ("255", "256", "-1", "0"),
         "bigint": ("9223372036854775807", "9223372036854775808", "12", "-"), "timestamp": ("2020-01-01 10:11:12", "2020-01-01", "2020-01-01 25:00:00", "x", "2020-01-01T01:02:03.5")}


def try_cast(choices, about):
    """Of a table's columns, or of constants."""
    kind = choices.pick(tuple(TEXTS))
    if choices.chance(50):
        rows = ", ".join(f"({i}, {text(value)})" for i, value in enumerate(choices.some(TEXTS[kind], 8)))
        return same(f"SELECT i, TRY_CAST(s AS {kind}) FROM (VALUES {rows}, (-1, NULL)) q(i, s)")
    source = choices.pick(("v", "k", "m * 1000", "id * 40", "id - 5"))
    kind = choices.pick(("tinyint", "utinyint", "smallint", "usmallint", "decimal(4,2)", "uinteger"))
    if source == "m * 1000" and kind != "decimal(4,2)":
        source = "v * 100"  # halves are rounded in another way
    return same(f"SELECT id, TRY_CAST({source} AS {kind}) FROM t")


def columns(choices, about):
    which = choices.pick(("COLUMNS('^[vk]$')", "COLUMNS(['v', 'id'])", "COLUMNS(* EXCLUDE (g, b, d))", "COLUMNS('d|g')"))
    call = choices.pick(("{0}", "max({0})", "count({0})", "count(DISTINCT {0})"))
    tail = choices.pick(("", " GROUP BY b")) if call != "{0}" else ""
    return same(f"SELECT {call.format(which)} FROM t{choices.pick(('', ' WHERE ' + condition(choices)))}{tail}")


def exclude(choices, about):
    return same(choices.pick(("SELECT * EXCLUDE (x, d) FROM t", "SELECT * REPLACE (v + 1 AS v, upper(g) AS g) FROM t", "SELECT t.* EXCLUDE (id), u.id FROM t JOIN u USING (id)", "SELECT * RENAME (v AS w) FROM t",
                              "SELECT * LIKE 'i%' FROM t", "SELECT a.* FROM t a SEMI JOIN u b ON a.k = b.k", "SELECT a.* FROM t a ANTI JOIN u b ON a.v = b.v")))


def by_name(choices, about):
    left, right = (", ".join(choices.some(("id", "g", "v", "d", "x"), 4)) for _ in range(2))
    return same(f"SELECT {left} FROM t UNION{choices.pick((' ALL', ''))} BY NAME SELECT {right} FROM u")


def group_by_all(choices, about):
    keys = ", ".join(choices.some(("g", "k", "b", "d", "v % 3"), 3))
    return same(f"SELECT {keys}, {', '.join(aggregates(choices))} FROM t GROUP BY ALL{choices.pick(('', ' ORDER BY ALL', ' HAVING count(*) > 1'))}")


def from_first(choices, about):
    return same(choices.pick(("FROM t SELECT id, v WHERE {0}", "FROM t WHERE {0}", "FROM (FROM t WHERE {0}) SELECT count(*), max(x)", "FROM t a JOIN u b USING (id) SELECT a.id, b.v")).format(condition(choices)))


def alias(choices, about):
    return same(choices.pick(("SELECT v + 1 AS y, y * 2 AS z FROM t WHERE z > 4", "SELECT id % 3 AS y, count(*) AS n FROM t GROUP BY y HAVING n > 1", "SELECT coalesce(v, 0) AS y, y + id AS z FROM t ORDER BY z + 1, id LIMIT 5",
                              "SELECT k * 2 AS kk, sum(v) AS s FROM t GROUP BY kk ORDER BY s + 1 DESC NULLS LAST, kk NULLS FIRST LIMIT 3")))


def prepare(choices, about):
    sql = choices.pick(("SELECT id, v FROM t WHERE v > {0} OR g = {1}", "SELECT count(*) FROM t WHERE id IN ({0}, {0} + 1) OR g < {1}", "SELECT id + {0}, coalesce(g, {1}) FROM t"))
    one, two = choices.between(-5, 30), choices.pick(("'a'", "''", "'Zoë'"))
    return Check((), ["PREPARE q AS " + sql.format("$1", "$2"), f"EXECUTE q({choices.between(0, 5)}, 'b')", f"EXECUTE q({one}, {two})"], sql.format(one, two))


def distinct_on(choices, about):
    key = choices.pick(("g", "k", "b", "k, b"))
    return same(f"SELECT DISTINCT ON ({key}) {key}, id FROM t ORDER BY {', '.join(word + ' NULLS LAST' for word in key.split(', '))}, id{choices.pick(('', ' DESC'))}")


def filtered(choices, about):
    return same(f"SELECT k, sum(v) FILTER ({condition(choices)}), count(*) FILTER (WHERE {condition(choices)}) FROM t GROUP BY k")


def spans(choices, about):
    return same(choices.pick(("SELECT id, d + interval (k) day FROM t", "SELECT id, d - interval 2 days FROM t", "SELECT id, date_trunc('month', d + interval 1 month) FROM t", "SELECT id // 3, id % 3 == 1, FROM t")))


def limit_of_share(choices, about):
    share = choices.pick(("0%", "10%", "33.3%", "50 PERCENT", "99.9%", "100%", "(20 + 5)%"))
    offset = choices.pick(("", "", " OFFSET 1", " OFFSET 5"))
    order = choices.pick(("id", "id DESC", "k NULLS FIRST, id", "x DESC NULLS LAST, id"))
    rows = f"SELECT id FROM t WHERE {condition(choices)} ORDER BY {order} LIMIT {share}{offset}"
    return same(choices.pick((rows, f"SELECT count(*), min(id), sum(id) FROM ({rows}) q", f"SELECT id FROM t WHERE id IN ({rows})")))


def glob(choices, about):
    pattern = choices.pick(("'*'", "'a*'", "'*a'", "'?'", "'[a-m]*'", "'[!a-m]*'", "'*[!b]'", "''", "'n?n*'", "'*a*b*'", "'%'", "'_'", "'[]'", "'a-[-]'", "'*\\\\*'", "lower(g)", "g || '*'", "NULL"))
    call = choices.pick((f"g GLOB {pattern}", f"g NOT GLOB {pattern}", f"NOT g GLOB {pattern}", f"coalesce(g, '') GLOB {pattern}"))
    return same(choices.pick((f"SELECT id FROM t WHERE {call}", f"SELECT {call} AS y, count(*) FROM t GROUP BY y", f"SELECT id, {call} FROM t WHERE {condition(choices)}")))


def variable(choices, about):
    value = choices.pick(("(SELECT max(v) FROM t)", "3", "(SELECT avg(id) FROM t)", "NULL::integer", "1 + 1", f"(SELECT min(id) FROM t WHERE {condition(choices)})"))
    name = choices.pick(("a", "Some", '"a b"'))
    read = f"getvariable('{name.strip(chr(34))}')"
    sql = choices.pick(("SELECT id FROM t WHERE v > {0}", "SELECT {0} AS y, count(*) FROM t GROUP BY y", "SELECT id, {0} + id FROM t", "SELECT id FROM t WHERE id = {0} OR {0} IS NULL"))
    return Check((), [f"SET VARIABLE {name} {choices.pick(('=', 'TO'))} {value}", sql.format(read)], sql.format(value))


def path(choices, about):
    """A path that is a variable, a list of them, an argument of a macro, or computed."""
    lists = {"'t.parquet'": "t", "'u.parquet'": "u", "['t.parquet', 'u.parquet']": "(SELECT * FROM t UNION ALL SELECT * FROM u)", "'t' || '.parquet'": "t", "'[u].parquet'": "u", "['u.parquet']": "u",
             "list_value('t.parquet', 't.parquet')": "(SELECT * FROM t UNION ALL SELECT * FROM t)", "'*.parquet'": "(SELECT * FROM t UNION ALL SELECT * FROM u)", "concat('u', '.', lower('PARQUET'))": "u"}
    value = choices.pick(tuple(lists))
    sql = choices.pick(("SELECT id, g, v FROM {0} q", "SELECT count(*), sum(id), max(g) FROM {0} q", "SELECT k, count(*) FROM {0} q GROUP BY k", f"SELECT id FROM {{0}} q WHERE {condition(choices)}", "SELECT a.id FROM {0} a JOIN {0} b ON a.id = b.k",
                        "SELECT id FROM t WHERE id IN (SELECT id FROM {0} q)"))
    expected = sql.format(lists[value])
    how = choices.pick(("variable", "constant", "macro", "variable in a view"))
    if how == "constant":
        return Check((), [sql.format(f"read_parquet({value})")], expected)
    if how == "macro":
        return Check((), ["CREATE MACRO rows_of(p) AS TABLE SELECT * FROM read_parquet(p)", sql.format(f"rows_of({value})")], expected)
    made = [f"SET VARIABLE files = {value}"]
    call = "read_parquet(getvariable('files'))"
    if how == "variable in a view":
        made.append(f"CREATE VIEW w AS SELECT * FROM {call}")
        call = "w"
    return Check((), [*made, sql.format(call)], expected)


def first_rows(choices, about):
    """A LIMIT without ORDER BY passes a table's first rows, on the CPU and without ranks, wherever it stands."""
    rows = f"(SELECT id, v FROM t{choices.pick(('', ' WHERE id % 3 > 0'))} LIMIT {choices.pick((5, 1, 20))})"
    return same(choices.pick(("SELECT sum(id), count(v) FROM {0} q", "SELECT id FROM {0} q", "SELECT q.id FROM {0} q JOIN u ON q.id = u.id", "SELECT id FROM u WHERE id IN (SELECT id FROM {0} q)")).format(rows))


def row_number_of_file(choices, about):
    where = choices.pick(("", f" WHERE {condition(choices)}", " WHERE file_row_number % 2 = 0", " WHERE file_row_number BETWEEN 2 AND 9"))
    sql = choices.pick(("SELECT id, file_row_number FROM t{0}", "SELECT count(*), sum(file_row_number), max(file_row_number) FROM t{0}", "SELECT g, min(t.file_row_number) FROM t{0} GROUP BY g",
                        "SELECT a.id FROM t a JOIN t b ON a.file_row_number = b.id + 1{0}".replace("{0}", ""), "SELECT * FROM t{0}")).format(where)
    return Check((), [sql], sql.replace("a.file_row_number", "a.id").replace("t.file_row_number", "id").replace("file_row_number", "id"))


def insert_by_name(choices, about):
    columns = choices.some(("v AS b", "id AS a", "g AS c"), 3)
    query = f"SELECT {', '.join(columns)} FROM t WHERE {condition(choices)}"
    names = [next((c.split(" ")[0] for c in columns if c.endswith(f" {n}")), "NULL") for n in "abc"]
    rows = query.replace(", ".join(columns), ", ".join(f"{n} AS {c}" for n, c in zip(names, "abc")), 1)
    return Check((), ["CREATE TABLE made (a integer, b bigint, c varchar)", f"INSERT INTO made BY NAME {query}", "FROM made"], f"SELECT a::integer, b::bigint, c::varchar FROM ({rows}) q")


DOCUMENTS = ('{"a": 1, "b": [1, 2.5, null], "c": {"d": "x"}}', '[1, [2, {"a b": true}], -3]', '{}', '[]', '"x"', 'null', '[{"a": 1}, {"b": "y", "a": 2.5}]', '{"a": {"a": {"a": []}}, "z": 1e3}',
             '{"é": "\\u0041", "": 0}', '[[], [[]], null, {"k": null}]')


def shape_of_json(choices, about):
    listed = ", ".join(f"({i}, '{document}')" for i, document in enumerate(choices.some(DOCUMENTS, 4))) + ", (9, NULL)"
    source = f"(VALUES {listed}) AS j(i, doc)"
    call = choices.pick(("json_keys(doc)::varchar", "json_structure(doc)::varchar", "json_keys(doc, '$.c')::varchar", "len(json_keys(doc))"))
    tree = choices.pick(("SELECT i, key, type, id, parent, fullkey, path FROM {0}, json_tree(doc)", "SELECT i, count(*), max(id) FROM {0}, json_tree(doc) GROUP BY i", "SELECT i, atom::varchar FROM {0}, json_tree(doc) r WHERE r.type = 'UBIGINT'"))
    return same(choices.pick((f"SELECT i, {call} FROM {source}", tree.format(source))))


def count_of_rows(choices, about):
    return same(choices.pick((f"SELECT count(), count() FILTER ({condition(choices)}) FROM t", "SELECT g, count() FROM t GROUP BY g HAVING count() > 1", "SELECT id, count() OVER (PARTITION BY k) FROM t",
                              "SELECT k!, count() FROM t WHERE k >= 0 GROUP BY 1", f"SELECT id, (abs(k) + 1)! FROM t WHERE {condition(choices)}")))


def outer_aggregate(choices, about):
    """Over columns of the outer query alone, in a subquery: of its groups."""
    call = choices.pick(("max(t.v)", "count(*) FILTER (WHERE t.v > 0)", "median(t.id)", "sum(t.id + t.k)", "string_agg(t.g, ',' ORDER BY t.id)", "count(DISTINCT t.k)", "min(t.d) FILTER (WHERE t.b)", "arg_max(t.id, t.id)"))
    is_made = call.startswith(("median", "string_agg", "arg_max"))  # which are not in ROLLUP
    by = choices.pick((" GROUP BY k", "", " GROUP BY k" if is_made else " GROUP BY ROLLUP (k)"))
    key = "k, " if by else ""
    how = choices.pick(("SELECT {key}(SELECT {call}) AS y FROM t{where}{by}", "SELECT {key}(SELECT {call} FROM (VALUES (1), (2)) q(y) WHERE y = 1) AS y FROM t{where}{by}",
                        "SELECT {key}(SELECT count(*) FROM u WHERE u.id < max(t.id)) AS y FROM t{where}{by}", "SELECT {key}count(*) AS n FROM t{where}{by} HAVING (SELECT {call}) IS NOT NULL",
                        "SELECT {key}(SELECT sum(y) FILTER (WHERE y < max(t.id)) FROM (VALUES (1), (20)) q(y)) AS y FROM t{where}{by}"))
    return same(how.format(key=key, call=call, by=by, where=choices.pick(("", " WHERE " + condition(choices)))))


MAKERS = {"QUALIFY": qualify, "PIVOT": pivot, "PIVOT in FROM": pivot_in_from, "UNPIVOT": unpivot, "ASOF": asof, "POSITIONAL": positional, "sample": sample, "macro": macro, "table macro": table_macro,
          "TRY_CAST": try_cast, "COLUMNS": columns, "EXCLUDE and REPLACE": exclude, "BY NAME": by_name, "GROUP BY ALL": group_by_all, "FROM first": from_first, "alias": alias, "PREPARE": prepare,
          "DISTINCT ON": distinct_on, "FILTER": filtered, "time spans": spans, "LIMIT of a share": limit_of_share, "GLOB": glob, "variable": variable, "path": path, "first rows": first_rows,
          "file_row_number": row_number_of_file, "INSERT BY NAME": insert_by_name, "shape of JSON": shape_of_json, "count()": count_of_rows, "aggregate of the outer query": outer_aggregate}
