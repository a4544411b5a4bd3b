"""Statements of hundreds to thousands of branches, arguments, values, keys, parts and levels. What is right is calculated."""
import math

from .common import settings, text
from .scene import Check, Scene

# form: (weight, the number that must be right, the largest that is tried)
FORMS = {"CASE": (5, 5000, 5000), "CASE of a value": (3, 5000, 5000), "IN": (4, 100000, 100000), "IN of expressions": (2, 1000, 1000), "OR": (3, 5000, 5000),
         "AND": (2, 5000, 5000), "concat": (4, 900, 1200), "greatest": (3, 5000, 3000), "terms": (3, 900, 5000), "UNION ALL": (2, 5000, 2500),
         "UNION": (2, 5000, 1100), "VALUES": (3, 100000, 60000), "GROUP BY": (3, 5000, 2000), "ORDER BY": (3, 5000, 2000), "DISTINCT ON": (1, 5000, 1200),
         "aggregates": (3, 5000, 2500), "count(DISTINCT)": (1, 5000, 600), "windows": (1, 5000, 300), "WITH": (2, 1000, 600), "levels": (4, 500, 500),
         "scalar levels": (3, 500, 500), "parentheses": (2, 500, 3000), "calls": (2, 500, 3000), "CASE levels": (2, 500, 3000), "NOT": (1, 500, 3000),
         "joins": (2, 60, 60), "GROUPING SETS": (1, 200, 200), "columns": (2, 20000, 12000), "INSERT": (2, 100000, 30000), "USING": (2, 1000, 600), "endless": (4, 100000, 5000)}
NAMES = tuple(FORMS)
CLEAR = r"more than|too many|too deep|nested|levels|too long|too large|most "  # an error beyond what must be right


def scene(choices):
    return Scene()


def size(choices, most):
    near = [n for n in (16, 32, 64, 128, 165, 255, 500, 999, 1024, 1664, 2048, 4096, 32767, 65535) if n + 3 <= most]
    kind = choices.weighted({"tens": 2, "near": 5, "hundreds": 3, "any": 3})
    if kind == "near":
        return choices.pick(near) + choices.between(0, 3) - 1
    return choices.between(1, {"tens": 99, "hundreds": 900, "any": most}[kind]) if most > 99 else choices.between(1, most)


def check(choices, scene):
    form = choices.weighted({form: weight for form, (weight, _, _) in FORMS.items()})
    _, right, most = FORMS[form]
    n = min(most, size(choices, most))
    statements, rows = MAKERS[form](choices, n)
    drawn = settings(choices, percent=15)
    if form == "endless":  # a join that spills needs all rows of its other side
        drawn.pop("PISTACHIO_FAULT", None)
    return Check((form,), [statements] if isinstance(statements, str) else statements, rows, settings=drawn, seconds=40, mebibytes=1536,
                 may_fail=CLEAR if n > right else "")


def some_rows(choices, n):
    """Numbers within and beyond 0 ... n."""
    return sorted({choices.below(n), choices.below(n), n - 1, n, n + 5, 0})


def from_rows(numbers):
    return "(VALUES " + ", ".join(f"({i})" for i in numbers) + ") t (i)"


def case(choices, n):
    value = choices.pick(("{0}", "'r{0}'", "{0}.5", "CAST({0} AS bigint)"))
    test = choices.pick(("i = {0}", "i <= {0}", "i = {0} AND i >= 0", "i IN ({0}, -1)"))
    end = choices.pick(("", f" ELSE {value.format(n)}"))
    numbers = some_rows(choices, n)
    branches = " ".join(f"WHEN {test.format(i)} THEN {value.format(i)}" for i in range(n))
    plain = value.replace("CAST(", "").replace(" AS bigint)", "").replace("'", "")
    rows = [[i, plain.format(i) if i < n else plain.format(n) if end else None] for i in numbers]
    return f"SELECT i, CAST(CASE {branches}{end} END AS varchar) FROM {from_rows(numbers)}", rows


def case_of_value(choices, n):
    numbers, value = some_rows(choices, n), choices.pick(("{0}", "'a{0}'", "2 * i"))
    branches = " ".join(f"WHEN {i} THEN {value.format(i)}" for i in range(n))
    rows = [[i, None if i >= n else 2 * i if "*" in value else value.format(i).replace("'", "")] for i in numbers]
    return f"SELECT i, CASE i {branches} END FROM {from_rows(numbers)}", rows


def in_list(choices, n):
    kind, word = choices.pick(("number", "text", "double")), choices.pick(("IN", "NOT IN"))
    spell = {"number": str, "text": lambda i: f"'v{i}'", "double": lambda i: f"{i}.5"}[kind]
    operand = {"number": "i", "text": "'v' || i", "double": "i + 0.5"}[kind]
    numbers = some_rows(choices, n)
    return f"SELECT i FROM {from_rows(numbers)} WHERE {operand} {word} ({', '.join(map(spell, range(n)))})", [[i] for i in numbers if (i < n) == (word == "IN")]


def in_expressions(choices, n):
    numbers = some_rows(choices, n)
    return f"SELECT count(*) FROM {from_rows(numbers)} WHERE i IN ({', '.join(f'i + {k + 1}' for k in range(n))}, 0)", [[numbers.count(0)]]


def either(choices, n):
    numbers, test = some_rows(choices, n), choices.pick(("i = {0}", "i * 2 = {0} * 2", "(i = {0} AND i < 1000000)", "i BETWEEN {0} AND {0}"))
    return f"SELECT i FROM {from_rows(numbers)} WHERE {' OR '.join(test.format(i) for i in range(n))}", [[i] for i in numbers if i < n]


def both(choices, n):
    numbers, test = some_rows(choices, n), choices.pick(("i <> {0}", "i + 1 <> {0} + 1", "NOT i = {0}", "(i < {0} OR i > {0})"))
    return f"SELECT i FROM {from_rows(numbers)} WHERE {' AND '.join(test.format(i) for i in range(n))}", [[i] for i in numbers if i >= n]


def concat(choices, n):
    """Over a few rows, or thousands: their length."""
    function = choices.pick(("concat", "concat_ws", "||"))
    count = choices.weighted({5: 3, 20000: 2}) if n <= 500 else 3
    items = [choices.pick(("i % 10", "i", "'ab'")) if k % 7 == 0 else "i % 10" for k in range(n)]
    if function == "||":
        call = " || ".join(f"CAST({item} AS varchar)" for item in items)
    else:
        call = f"{function}({', '.join((['chr(45)'] if function == 'concat_ws' else []) + items)})"
    each = [sum(2 if item == "'ab'" else len(str(r)) if item == "i" else 1 for item in items) for r in range(count)]
    return f"SELECT sum(length(v)) FROM (SELECT {call} AS v FROM range({count}) t(i)) q", [[sum(each) + (count * (n - 1) if function == "concat_ws" else 0)]]


def greatest(choices, n):
    function = choices.pick(("greatest", "least", "coalesce"))
    if function == "coalesce":
        items = ", ".join(f"nullif(i * 0 + {k}, {k})" for k in range(n - 1)) + (", " if n > 1 else "") + "i"
        return f"SELECT coalesce({items}) FROM range(3) t(i)", [[i] for i in range(3)]
    items = ", ".join(f"i + {k * 7 % n}" for k in range(n))
    return f"SELECT {function}({items}) FROM range(3) t(i)", [[i + (max if function == "greatest" else min)(k * 7 % n for k in range(n))] for i in range(3)]


def terms(choices, n):
    kind = choices.pick(("+", "- +", "||"))
    if kind == "||":
        return f"SELECT length({' || '.join(['s'] * n)}) FROM (SELECT 'ab' AS s) t", [[2 * n]]
    signs = "".join(f" {'-' if kind != '+' and k % 2 else '+'} {k}" for k in range(n))
    return f"SELECT i{signs} FROM range(3) t(i)", [[i + sum(-k if kind != "+" and k % 2 else k for k in range(n))] for i in range(3)]


def union_all(choices, n):
    part = choices.pick(("SELECT {0} AS i", "SELECT i + {0} AS i FROM range(1) t(i)", "SELECT CAST({0} AS bigint) AS i WHERE {0} >= 0"))
    return f"SELECT count(*), sum(i), max(i) FROM ({' UNION ALL '.join(part.format(k) for k in range(n))}) q", [[n, n * (n - 1) // 2, n - 1]]


def union(choices, n):
    distinct = min(n, 1 + choices.below(50))
    return f"SELECT count(*), max(i) FROM ({' UNION '.join(f'SELECT {k % distinct} AS i' for k in range(n))}) q", [[distinct, distinct - 1]]


def values(choices, n):
    row = choices.pick(("({0})", "({0}, 'x{0}')", "({0}, NULL, 1.5)"))
    names = ("i", "s", "d")[:row.count(",") + 1]
    return f"SELECT count(*), sum(i), count(DISTINCT i) FROM (VALUES {', '.join(row.format(k) for k in range(n))}) t ({', '.join(names)})", [[n, n * (n - 1) // 2, n]]


def insert(choices, n):
    return ["CREATE TABLE made (i integer, s varchar)", f"INSERT INTO made VALUES {', '.join(f'({k}, {text(str(k))})' for k in range(n))}",
            "SELECT count(*), sum(i), count(DISTINCT s) FROM made"], [[n, n * (n - 1) // 2, n]]


def group_by(choices, n):
    keys = ", ".join(f"i % {k + 1}" for k in range(n))
    shown = choices.pick(("", "i % 1, "))
    groups = min(24, math.lcm(*range(1, n + 1)) if n < 10 else 24)
    rows = [[n_of] for n_of in [1 + (24 - 1 - k) // groups for k in range(groups)]]
    return f"SELECT {shown}count(*) FROM range(24) t(i) GROUP BY {keys}", [([0] if shown else []) + row for row in rows]


def order_by(choices, n):
    keys = ", ".join(f"i % {k % 3 + 1}{choices.pick(('', ' DESC')) if k < 20 else ''}" if choices.chance(50) and k < 20 else f"i * 0 + {k + 1}.5" for k in range(n))
    tail = choices.pick(("", " LIMIT 5"))
    return f"SELECT count(*), sum(i) FROM (SELECT i FROM range(24) t(i) ORDER BY {keys}, i{tail}) q" if not tail else \
        f"SELECT count(*), min(i) >= 0 FROM (SELECT i FROM range(24) t(i) ORDER BY {keys}, i{tail}) q", [[5, "true"]] if tail else [[24, 276]]


def distinct_on(choices, n):
    keys = ", ".join(f"i % {k % 5 + 1}" for k in range(n))
    period = math.lcm(*(k % 5 + 1 for k in range(n)))
    return f"SELECT count(*) FROM (SELECT DISTINCT ON ({keys}) i FROM range(100) t(i)) q", [[min(100, period)]]


def aggregates(choices, n):
    function = choices.pick(("sum", "max", "min", "count"))
    items = ", ".join(f"{function}(i + {k})" for k in range(n))
    value = {"sum": lambda k: 6 + 4 * k, "max": lambda k: 3 + k, "min": lambda k: k, "count": lambda k: 4}[function]
    tail = choices.pick(("", " GROUP BY i * 0"))
    return f"SELECT {items} FROM range(4) t(i){tail}", [[value(k) for k in range(n)]]


def count_distinct(choices, n):
    return f"SELECT {', '.join(f'count(DISTINCT i % {k + 1})' for k in range(n))} FROM range(30) t(i)", [[min(30, k + 1) for k in range(n)]]


def windows(choices, n):
    items = ", ".join(f"row_number() OVER (ORDER BY i + {k}{' DESC' if k % 2 else ''})" for k in range(n))
    return f"SELECT {items} FROM range(3) t(i)", [[3 - i if k % 2 else i + 1 for k in range(n)] for i in range(3)]


def with_parts(choices, n):
    if choices.chance(50):
        parts = ", ".join(f"c{k} AS (SELECT {k} AS i)" for k in range(n))
        return f"WITH {parts} SELECT {' + '.join(f'(SELECT i FROM c{k})' for k in range(min(n, 50)))}, (SELECT i FROM c{n - 1})", [[sum(range(min(n, 50))), n - 1]]
    parts = ", ".join(f"c{k} AS (SELECT i + 1 AS i FROM {f'c{k - 1}' if k else 'range(3) t(i)'})" for k in range(n))
    return f"WITH {parts} SELECT sum(i) FROM c{n - 1}", [[3 + 3 * n]]


def levels(choices, n):
    inner = choices.pick(("SELECT i + 1 AS i FROM ({0}) q", "SELECT * FROM ({0}) q", "SELECT i FROM ({0}) q WHERE i >= 0", "SELECT i FROM ({0} LIMIT 9) q",
                          "SELECT DISTINCT i FROM ({0}) q"))
    sql = "SELECT i FROM range(3) t(i)"
    for _ in range(n):
        sql = inner.replace("{0}", sql)
    return f"SELECT sum(i) FROM ({sql}) q", [[3 + 3 * n if "+ 1" in inner else 3]]


def scalar_levels(choices, n):
    step = choices.pick(("SELECT ({0})", "SELECT 1 + ({0})", "SELECT max(k) FROM (SELECT ({0}) AS k) q"))
    sql = "SELECT 5"
    n = n // step.count("SELECT")
    for _ in range(n):
        sql = step.replace("{0}", sql)
    return sql, [[5 + (n if "1 +" in step else 0)]]


def around(first, last, inner, n):
    return first * n + inner + last * n


def parentheses(choices, n):
    return f"SELECT {around('(', ')', 'i + 1', n)} FROM range(2) t(i)", [[1], [2]]


def calls(choices, n):
    name, last = choices.pick((("abs(", ")"), ("coalesce(", ", 0)"), ("(1 + ", ")"), ("- (", ")")))
    value = {"(1 + ": lambda i: i + n, "- (": lambda i: i * (-1) ** n}.get(name, abs)
    return f"SELECT {around(name, last, 'i', n)} FROM range(2) t(i)", [[value(i)] for i in range(2)]


def case_levels(choices, n):
    return f"SELECT {around('CASE WHEN i < 0 THEN -1 ELSE ', ' END', 'i', n)} FROM range(2) t(i)", [[0], [1]]


def negation(choices, n):
    return f"SELECT {'NOT ' * n}(i = 0) FROM range(2) t(i)", [["true" if (i == 0) != bool(n % 2) else "false"] for i in range(2)]


def joins(choices, n):
    how = choices.pick(("JOIN", "LEFT JOIN", "FULL JOIN"))
    tables = "range(3) t0(i)" + "".join(f" {how} range(3) t{k}(i) ON t{k}.i = t{choices.below(k) if how != 'FULL JOIN' else 0}.i" for k in range(1, n))
    return f"SELECT count(*), sum(t{n - 1}.i) FROM {tables}", [[3, 3]]


def grouping_sets(choices, n):
    return f"SELECT count(*), sum(c) FROM (SELECT count(*) AS c FROM range(12) t(i) GROUP BY GROUPING SETS ({', '.join(f'(i * 0 + {k})' for k in range(n))})) q", [[n, 12 * n]]


def columns(choices, n):
    items = ", ".join(f"i + {k} AS c{k}" for k in range(n))
    tail = choices.pick(("", " ORDER BY c0 DESC", " GROUP BY ALL" if n <= 5000 else ""))
    rows = [[i + k for k in range(n)] for i in range(2)]
    if choices.chance(50):
        return f"SELECT c{n - 1}, c0 FROM (SELECT {items} FROM range(2) t(i)) q", [[row[-1], row[0]] for row in rows]
    return f"SELECT * FROM (SELECT {items} FROM range(2) t(i)) q{tail}", rows


def using(choices, n):
    items = ", ".join(f"i + {k} AS c{k}" for k in range(n))
    names = ", ".join(f"c{k}" for k in range(n))
    how = choices.pick(("JOIN", "LEFT JOIN", "FULL JOIN"))
    return f"SELECT count(*), sum(c{n - 1}) FROM (SELECT {items} FROM range(3) t(i)) a {how} (SELECT {items} FROM range(3) t(i)) b USING ({names})", [[3, 3 + 3 * (n - 1)]]


ENDLESS = ("WITH RECURSIVE t(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM t) SELECT i FROM t", "WITH RECURSIVE t(i, j) AS (SELECT 1, 2 UNION ALL SELECT i + 1, j FROM t) SELECT i FROM t",
           "SELECT i FROM generate_series(1, 9000000000000000) t(i)", "SELECT i FROM range(1000000000000) t(i) WHERE i >= 0", "SELECT a.i FROM range(3000000000) a(i), range(3000) b(i)",
           "SELECT i FROM range(1000000000000) t(i) UNION ALL SELECT i FROM range(1000000000000) t(i)",
           "SELECT i FROM (SELECT i, i * 2 AS j FROM range(1000000000000) t(i)) q WHERE j > 5", "SELECT a.i FROM range(1000000000000) a(i) JOIN range(9) b(i) ON a.i % 9 = b.i")


def endless(choices, n):
    """Sources that never end, or not within days, of which n rows are wanted."""
    source = choices.pick(ENDLESS)
    how = choices.pick(("SELECT count(*), count(i) FROM ({0} LIMIT {1}) q", "SELECT count(*), count(i) FROM (SELECT * FROM ({0}) p LIMIT {1}) q",
                        "SELECT count(*), count(i) FROM (SELECT i FROM ({0}) p LIMIT {1} OFFSET 3) q", "WITH c AS ({0} LIMIT {1}) SELECT count(*), count(i) FROM c",
                        "SELECT {1}, {1} WHERE EXISTS ({0})", "SELECT count(*), count(i) FROM (SELECT i FROM ({0}) p FETCH FIRST {1} ROWS ONLY) q"))
    if how.startswith("WITH") and source.startswith("WITH"):
        how = "SELECT count(*), count(i) FROM ({0} LIMIT {1}) q"
    return how.replace("{0}", source).replace("{1}", str(n)), [[n, n]]


MAKERS = {"CASE": case, "CASE of a value": case_of_value, "IN": in_list, "IN of expressions": in_expressions, "OR": either, "AND": both, "concat": concat,
          "greatest": greatest, "terms": terms, "UNION ALL": union_all, "UNION": union, "VALUES": values, "GROUP BY": group_by, "ORDER BY": order_by,
          "DISTINCT ON": distinct_on, "aggregates": aggregates, "count(DISTINCT)": count_distinct, "windows": windows, "WITH": with_parts, "levels": levels,
          "scalar levels": scalar_levels, "parentheses": parentheses, "calls": calls, "CASE levels": case_levels, "NOT": negation, "joins": joins,
          "GROUPING SETS": grouping_sets, "columns": columns, "INSERT": insert, "USING": using, "endless": endless}
