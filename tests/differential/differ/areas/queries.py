"""Queries with every operator over two tables, a (`rows` rows) and b (a third): for areas in which what happens around a query is at random."""
import random

import pyarrow as pa
import pyarrow.parquet as pq


def tables(choices, rows):
    """{name: Arrow table}: id unique; k, g, s, x, d with NULLs, k and s skewed or not."""
    return {name: table(choices, count) for name, count in (("a", rows), ("b", max(1, rows // 3)))}


def table(choices, rows):
    r = random.Random(choices.seed())
    keys, skew = max(1, rows // choices.pick((3, 1, 50))), choices.pick((0, 60))
    k = [None if r.random() < 0.02 else 1 if skew and r.random() * 100 < skew else r.randrange(keys) for _ in range(rows)]
    s = [None if r.random() < 0.02 else f"s{r.randrange(keys)}" + "x" * (r.randrange(30) if i % 9 == 0 else 0) for i in range(rows)]
    return pa.table({"id": pa.array(range(rows), pa.int32()), "k": pa.array(k, pa.int64()), "g": pa.array([r.randrange(9) for _ in range(rows)], pa.int16()), "s": pa.array(s),
                     "x": pa.array([None if r.random() < 0.05 else r.randrange(-800, 800) / 8 for _ in range(rows)], pa.float64()),
                     "d": pa.array([r.randrange(3000) for _ in range(rows)], pa.int32()).cast(pa.date32())})


def files(found, rows_of_group=20000):
    def write_of(arrow):
        return lambda path: pq.write_table(arrow, path, row_group_size=rows_of_group)
    return {f"{name}.parquet": write_of(arrow) for name, arrow in found.items()}


WORDS = ["--table", "a=a.parquet", "--table", "b=b.parquet"]


def condition(choices, name):
    return choices.pick((f"{name}.g < 5", f"{name}.x > 0", f"{name}.s < 's5'", f"{name}.d >= date '1974-01-01'", f"{name}.s LIKE '%1%'", f"{name}.k IS NOT NULL", f"{name}.k % 3 = 1 OR {name}.x < 10"))


def aggregate(choices):
    keys = choices.pick(("g", "k", "s", "k, g", "d", "s, d"))
    items = ", ".join(choices.some(("count(*)", "sum(k)", "min(s)", "max(x)", "count(DISTINCT g)", "max(d)", "count(x)", "sum(x)"), 4))
    return f"SELECT {keys}, {items} FROM a WHERE {condition(choices, 'a')} GROUP BY {keys}"


def join(choices):
    how = choices.pick(("JOIN", "LEFT JOIN", "FULL JOIN", "RIGHT JOIN"))
    on = choices.pick(("a.k = b.k", "a.s = b.s", "a.k = b.k AND a.g < b.g", "a.id = b.id", "a.k = b.k AND a.s = b.s", "a.d = b.d AND a.g = b.g AND a.k < b.k"))
    return f"SELECT count(*), sum(a.id), sum(b.id), max(b.s) FROM a {how} b ON {on} AND a.id % 5 = b.g % 5"


def semi_join(choices):
    how = choices.pick(("k IN (SELECT k FROM b)", "EXISTS (SELECT 1 FROM b WHERE b.k = a.k AND b.g > a.g)", "NOT EXISTS (SELECT 1 FROM b WHERE b.s = a.s)", "k NOT IN (SELECT k FROM b WHERE k IS NOT NULL)"))
    return f"SELECT count(*), sum(id), min(s) FROM a WHERE {how}"


def order_by(choices):
    keys = choices.pick(("s", "x DESC", "g, s DESC", "d, k", "k DESC"))
    return f"SELECT id, s, x FROM a WHERE {condition(choices, 'a')} ORDER BY {keys}, id LIMIT {choices.pick((7, 500))}"


def window(choices):
    by = choices.pick(("PARTITION BY g ORDER BY x, id", "ORDER BY s, id", "PARTITION BY k ORDER BY d, id", "PARTITION BY s ORDER BY id"))
    call = choices.pick(("row_number()", "sum(g)", "lag(id)", "count(x)", "first_value(id)"))
    return f"SELECT count(*), sum(r), sum(r * (id % 7)) FROM (SELECT id, {call} OVER ({by}) AS r FROM a) t"


def distinct(choices):
    columns = choices.pick(("k, s", "s", "d, g", "k"))
    return f"SELECT count(*) FROM (SELECT DISTINCT {columns} FROM a) t"


def count_distinct(choices):
    return f"SELECT g, count(DISTINCT k), count(DISTINCT s) FROM a GROUP BY g" if choices.chance(50) else "SELECT count(DISTINCT s), count(DISTINCT k), count(*) FROM a"


def set_operation(choices):
    word = choices.pick(("UNION", "EXCEPT", "INTERSECT", "UNION ALL", "EXCEPT ALL", "INTERSECT ALL"))
    return f"SELECT count(*), sum(k) FROM (SELECT k, s FROM a {word} SELECT k, s FROM b) t"


def correlated(choices):
    inner = choices.pick(("SELECT max(b.x) FROM b WHERE b.g = a.g", "SELECT min(b.x) FROM b WHERE b.k = a.k", "SELECT count(*) - 3 FROM b WHERE b.k = a.k AND b.g < 4"))
    return f"SELECT count(*), sum(id) FROM a WHERE a.x > ({inner})"


def with_twice(choices):
    return "WITH c AS (SELECT k, count(*) AS n FROM a GROUP BY k) SELECT count(*), sum(p.n * q.n) FROM c p JOIN c q ON p.k = q.k + 1"


def grouping_sets(choices):
    return f"SELECT g, d, count(*), sum(k) FROM a GROUP BY {choices.pick(('ROLLUP (g, d)', 'CUBE (g, d)', 'GROUPING SETS ((g), (d), ())'))}"


def recursion(choices):
    return f"WITH RECURSIVE t(n, v) AS (SELECT 1, 1 UNION ALL SELECT n + 1, (v * 7 + n) % 1000 FROM t WHERE n < {choices.pick((5, 60))}) SELECT count(*), sum(v) FROM t JOIN a ON a.g = t.v % 9"


def median(choices):
    return f"SELECT {choices.pick(('g', 'k % 50'))}, {choices.pick(('median(x)', 'max(s)', 'quantile_disc(k, 0.3)'))} FROM a GROUP BY 1"


def three(choices):
    return f"SELECT b.g, count(*), sum(a.id) FROM a JOIN b ON a.k = b.k JOIN (SELECT g, min(id) AS least FROM a GROUP BY g) c ON c.g = b.g WHERE {condition(choices, 'a')} AND b.id % 3 = 0 GROUP BY b.g"


def scan(choices):
    return f"SELECT count(*), sum(k), sum(length(s || 'x')), min(x) FROM a WHERE {condition(choices, 'a')} AND {condition(choices, 'a')}"


FORMS = {"scan": (scan, 2), "aggregate": (aggregate, 4), "join": (join, 5), "semi join": (semi_join, 3), "ORDER BY": (order_by, 3), "window": (window, 3), "DISTINCT": (distinct, 2),
         "count(DISTINCT)": (count_distinct, 2), "set operation": (set_operation, 3), "correlated": (correlated, 2), "WITH": (with_twice, 2), "grouping sets": (grouping_sets, 2),
         "recursion": (recursion, 1), "median": (median, 1), "joins": (three, 2)}


def query(choices):
    """(its kind, SQL of both engines)"""
    form = choices.weighted({form: weight for form, (_, weight) in FORMS.items()})
    return form, FORMS[form][0](choices)
