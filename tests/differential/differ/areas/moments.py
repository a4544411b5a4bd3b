"""Dates and timestamps of which some are infinite, and columns of Parquet's INTERVAL: read, compared, grouped, sorted, joined, computed with, written."""
import datetime
import random

import duckdb
import pyarrow as pa

from .common import settings
from .scene import Check, Scene

FORMS = {"values": 5, "filter": 8, "group": 6, "extremes": 5, "order": 6, "join": 6, "window": 6, "set operation": 4, "arithmetic": 8, "field": 6, "cast": 5, "list": 4, "choice": 4, "COPY": 4, "CREATE TABLE": 3, "subquery": 3}
NAMES = tuple(FORMS)
WORDS = ["--table", "t=t.parquet", "--table", "u=u.parquet"]
MOMENTS = {"d": "date", "s": "timestamp", "z": "timestamptz", "n": "timestamp_ns"}
GREATEST = {"d": 2 ** 31 - 1, "s": 2 ** 63 - 1, "z": 2 ** 63 - 1, "n": 2 ** 63 - 1}
ARROW = {"d": pa.date32(), "s": pa.timestamp("us"), "z": pa.timestamp("us", "UTC"), "n": pa.timestamp("ns")}
UNITS = {"d": 1, "s": 86400 * 10 ** 6, "z": 86400 * 10 ** 6, "n": 86400 * 10 ** 9}  # a day's


def moments(name, rows, r, nulls, infinite, few):
    """Numbers of days or parts of seconds; infinite: how many of a hundred."""
    def one():
        if r.random() * 100 < nulls:
            return None
        if r.random() * 100 < infinite:
            return r.choice((1, -1)) * GREATEST[name]
        days = r.choice((0, 18262, r.randint(-30000, 30000))) if few else r.randint(-30000, 30000)
        return days * UNITS[name] + (0 if name == "d" else r.choice((0, UNITS[name] // 86400 * r.randint(0, 86399))))
    return pa.array([one() for _ in range(rows)], pa.int32() if name == "d" else pa.int64()).view(ARROW[name])


def spans(rows, r, nulls, few):
    """Months, days and milliseconds of which no two are equal in other parts, as 1 month and 30 days are."""
    def one():
        if r.random() * 100 < nulls:
            return None
        return pa.MonthDayNano([r.choice((0, 1, 13, 500)), r.randint(0, 1 if few else 27), r.choice((0, 1, 86399999) if few else (r.randint(0, 86399999),)) * 10 ** 6])
    return pa.array([one() for _ in range(rows)], pa.month_day_nano_interval())


def table(choices, rows, first):
    r, nulls, infinite, few = random.Random(choices.seed()), choices.pick((0, 10, 40)), choices.pick((10, 0, 50, 100)), choices.chance(40)
    made = {name: moments(name, rows, r, nulls, infinite, few) for name in MOMENTS}
    return pa.table({"id": pa.array(range(first, first + rows), pa.int32()), "k": pa.array([i % 3 for i in range(rows)], pa.int32()), **made, "i": spans(rows, r, nulls, few)})


def writer(arrow, group):
    """By DuckDB, which alone writes Parquet's INTERVAL."""
    def write(path):
        connection = duckdb.connect()
        try:
            connection.execute("SET TimeZone='UTC'")
            connection.register("rows", arrow)
            connection.execute(f"COPY (SELECT * FROM rows) TO '{path}' (FORMAT parquet, ROW_GROUP_SIZE {group})")
        finally:
            connection.close()
    return write


def scene(choices):
    sizes = [choices.weighted({7: 4, 1: 1, 0: 1, 40: 5, 5000: 1}) for _ in range(2)]
    found = {name: table(choices, rows, first) for name, rows, first in zip("tu", sizes, (0, choices.pick((0, 3))))}
    return Scene({f"{name}.parquet": writer(arrow, choices.pick((100000, 2048))) for name, arrow in found.items()}, found, {"rows": sizes})


def check(choices, scene):
    form = choices.weighted(FORMS)
    made = MAKERS[form](choices)
    check_ = made if isinstance(made, Check) else Check((), [made], made)
    check_.covers, check_.words, check_.settings = (form,), WORDS, settings(choices, percent=40)
    return check_


def moment(choices):
    return choices.pick(tuple(MOMENTS))


def constant(choices, name):
    return f"{choices.pick((chr(39) + 'infinity' + chr(39), chr(39) + '-infinity' + chr(39), chr(39) + '2020-01-01' + chr(39), chr(39) + '1970-01-01' + chr(39)))}::{MOMENTS[name]}"


SPAN = ("interval '1 month'", "interval '1 month 3 days'", "interval '0 days'", "interval '500 months'", "interval '13 months 1 day 86399.999 seconds'")


def condition(choices):
    name = moment(choices)
    one, two = constant(choices, name), constant(choices, name)
    return choices.pick((f"{name} {choices.pick(('<', '<=', '>', '>=', '=', '<>'))} {one}", f"isfinite({name})", f"isinf({name})", f"{name} BETWEEN {one} AND {two}", f"{name} IN ({one}, {two})", f"NOT isfinite({name})",
                         f"{name} IS NULL", f"{name} IS DISTINCT FROM {one}", f"i {choices.pick(('<', '>=', '='))} {choices.pick(SPAN)}", "i IS NOT NULL", "d = s::date", "s < z::timestamp", "id > 3", "true"))


def where(choices):
    return choices.pick(("", f" WHERE {condition(choices)}"))


PARTS = "extract(year FROM i) AS {0}y, extract(month FROM i) AS {0}m, extract(day FROM i) AS {0}d, epoch(i - to_months(extract(year FROM i) * 12 + extract(month FROM i))) AS {0}s"


def shown(choices):
    """Columns as text; of an interval, whose text the two write differently, its parts."""
    return ", ".join(PARTS.format("i") if name == "i" else f"{name}::varchar AS {name}_text" for name in choices.some(("d", "s", "z", "n", "i"), 3))


def values(choices):
    return f"SELECT id, {shown(choices)} FROM t{where(choices)}"


def filtered(choices):
    return choices.pick((f"SELECT id FROM t WHERE {condition(choices)}", f"SELECT id FROM t WHERE {condition(choices)} OR {condition(choices)}", f"SELECT count(*), sum(id) FROM t WHERE {condition(choices)} AND NOT ({condition(choices)})",
                         f"SELECT id, {condition(choices)} AS y FROM t"))


def key(choices):
    return choices.pick((*MOMENTS, "i", "isfinite(d)", "s::date", "date_trunc('month', s)"))


def group(choices):
    one = key(choices)
    text = "epoch(i)" if one == "i" else f"({one})::varchar"
    more = choices.pick(("min(id)", "max(d)::varchar", "min(s)::varchar", "count(DISTINCT z)", "count(i)", "epoch(max(i))", "max(n)::varchar"))
    return f"SELECT {text} AS y, count(*), {more} AS a FROM t{where(choices)} GROUP BY {one}{choices.pick(('', ' HAVING count(*) > 1'))}"


def extremes(choices):
    name = choices.pick((*MOMENTS, "i"))
    call = (lambda text: f"epoch({text})") if name == "i" else (lambda text: f"({text})::varchar")
    by = choices.pick(("", " GROUP BY k"))
    return f"SELECT {'k, ' if by else ''}{call(f'min({name})')} AS a, {call(f'max({name})')} AS b, count(DISTINCT {name}) AS n FROM t{where(choices)}{by}"


def order(choices):
    name = choices.pick((*MOMENTS, "i", "d, s"))
    made = f"SELECT id FROM t{where(choices)} ORDER BY {name}{choices.pick(('', ' DESC'))} NULLS {choices.pick(('FIRST', 'LAST'))}, id LIMIT {choices.pick((3, 10, 1000))}"
    return Check((), [made], made, is_ordered=True)


def join(choices):
    name, kind = choices.pick((*MOMENTS, "i")), choices.pick(("JOIN", "LEFT JOIN", "FULL JOIN", "SEMI JOIN", "ANTI JOIN"))
    ids = "a.id" if kind[0] in "SA" else "a.id, b.id"
    how = choices.pick(("a.{0} = b.{0}", "a.{0} = b.{0} AND a.k = b.k", "a.{0} < b.{0} AND a.k = b.k", "a.{0} >= b.{0} AND a.id = b.id"))
    if choices.chance(20) and name != "i":
        sign = choices.pick((">=", ">", "<=", "<"))
        least = "max" if sign[0] == ">" else "min"
        return f"SELECT a.id, b.id FROM t a ASOF {choices.pick(('JOIN', 'LEFT JOIN'))} (SELECT k, {name}, {least}(id) AS id FROM u WHERE {name} IS NOT NULL GROUP BY ALL) b ON a.k = b.k AND a.{name} {sign} b.{name}"
    return f"SELECT {ids} FROM t a {kind} u b ON {how.format(name)}"


def window(choices):
    name, by = moment(choices), choices.pick((*MOMENTS, "i"))
    return choices.pick((f"SELECT id, (lag({name}) OVER (ORDER BY id))::varchar FROM t", f"SELECT id, (max({name}) OVER (PARTITION BY k))::varchar FROM t", f"SELECT id, rank() OVER (ORDER BY {by}) FROM t{where(choices)}", f"SELECT id, row_number() OVER (PARTITION BY {by} ORDER BY id) FROM t",
                         f"SELECT id, (first_value({name}) OVER (PARTITION BY k ORDER BY {by} NULLS FIRST, id))::varchar FROM t", f"SELECT id, count(*) OVER (PARTITION BY k ORDER BY {name}, id ROWS BETWEEN 1 PRECEDING AND CURRENT ROW) FROM t",
                         f"SELECT id, dense_rank() OVER (PARTITION BY k ORDER BY {name} DESC NULLS LAST) FROM t"))


def set_operation(choices):
    name, op = moment(choices), choices.pick(("UNION", "UNION ALL", "EXCEPT", "INTERSECT", "EXCEPT ALL"))
    return choices.pick((f"SELECT {name}::varchar AS y FROM (SELECT {name} FROM t{where(choices)} {op} SELECT {name} FROM u{where(choices)}) q", f"SELECT epoch(i) FROM (SELECT i FROM t {op} SELECT i FROM u{where(choices)}) q",
                         f"SELECT y::varchar AS x FROM (SELECT d AS y FROM t {op} SELECT s FROM u{where(choices)}) q"))


def arithmetic(choices):
    """Sums of infinite ones are as they were."""
    name = choices.pick(("d", "s", "z"))
    spans = ("interval '1 day'", "interval '1 month'", "interval '-2 hours'", "i", "to_days(k)")
    span = choices.pick(spans if name != "z" else spans[:3])  # DuckDB takes an instant's hours first, a timestamp's months
    return choices.pick((f"SELECT id, ({name} {choices.pick('+-')} {span})::varchar FROM t", "SELECT id, (d + k)::varchar, (d - 1)::varchar FROM t", f"SELECT count(*) FROM t WHERE {name} + {span} > {constant(choices, name)}",
                         f"SELECT id, epoch(i {choices.pick('+-')} {choices.pick(('i', 'interval 1 day'))}) FROM t", f"SELECT id, ({name} + {span} = {name}) FROM t WHERE isinf({name})", "SELECT id, epoch(i * k) FROM t"))


def field(choices):
    part = choices.pick(("year", "month", "day", "quarter", "dow", "doy", "decade"))
    name = choices.pick(("d", "s", "z"))
    return choices.pick((f"SELECT id, extract({part} FROM {name}) FROM t", f"SELECT id, extract({part} FROM {name}) AS y FROM t WHERE extract({part} FROM {name}) IS {choices.pick(('', 'NOT '))}NULL", f"SELECT extract({part} FROM {name}) AS y, count(*) FROM t GROUP BY 1",
                         f"SELECT id, coalesce(extract({part} FROM {name}), -1) FROM t{where(choices)}", f"SELECT id, date_trunc('{choices.pick(('month', 'year', 'day'))}', {name})::varchar FROM t", f"SELECT id, {choices.pick(('year', 'month', 'day'))}({name}) FROM t",
                         "SELECT id, last_day(d)::varchar FROM t WHERE isfinite(d)", "SELECT id, strftime(s, '%Y-%m-%d') FROM t WHERE isfinite(s)", f"SELECT id, extract({choices.pick(('year', 'month', 'day', 'hour', 'minute', 'millisecond'))} FROM i) FROM t"))


def cast(choices):
    return f"SELECT id, {choices.pick(('d::timestamp', 's::date', 'd::timestamptz', 'z::date', 'z::timestamp', 's::timestamptz', 'd::timestamp_ns', 'n::date', 'n::timestamp', 's::timestamp_ns', 'd::varchar::date', 's::varchar::timestamp', 'z::varchar::timestamptz', '(i::varchar::interval + d)'))}::varchar FROM t{where(choices)}"


def listed(choices):
    name = moment(choices)
    return choices.pick((f"SELECT k, list({name} ORDER BY id)::varchar FROM t GROUP BY k", f"SELECT id, [{name}, {constant(choices, name)}]::varchar FROM t", f"SELECT id, {{'a': {name}}}::varchar FROM t", f"SELECT k, list_sort(list(DISTINCT {name}))::varchar FROM t GROUP BY k",
                         f"SELECT id, list_contains([{constant(choices, name)}], {name}) FROM t", "SELECT k, len(list(i)), list_max(list(d))::varchar FROM t GROUP BY k", f"SELECT id, y::varchar AS x FROM t, unnest([{name}, {constant(choices, name)}]) q(y)"))


def choice(choices):
    name = moment(choices)
    one = constant(choices, name)
    return f"SELECT id, {choices.pick((f'coalesce({name}, {one})', f'greatest({name}, {one})', f'least({name}, {one})', f'nullif({name}, {one})', f'CASE WHEN {condition(choices)} THEN {name} ELSE {one} END', f'(d + CASE WHEN {condition(choices)} THEN i END)'))}::varchar FROM t"


COLUMNS = "id, d, s, z"


def copied(choices):
    kind = choices.pick(("parquet", "csv", "jsonl", "arrow"))
    types = "columns => {id: 'integer', d: 'date', s: 'timestamp', z: 'timestamptz'}"  # an infinite one alone would be a double, as DuckDB has it
    source = {"csv": f"read_csv('made.csv', {types})", "jsonl": f"read_json('made.jsonl', {types})"}.get(kind, f"'made.{kind}'")
    text = ", ".join(f"{name}::varchar AS {name}_text" for name in COLUMNS.split(", "))
    return Check((), [f"COPY (SELECT {COLUMNS} FROM t{choices.pick(('', ' ORDER BY s'))}) TO 'made.{kind}'", f"SELECT {text} FROM {source}"], f"SELECT {text} FROM t")


def table_made(choices):
    """A table of the session, with rows of VALUES behind those of a query."""
    name = choices.pick(("d", "s", "z"))
    test = choices.pick(("{0} < {1}", "{0} = {1}", "isfinite({0})", "{0} IS NULL", "true")).format(name, constant(choices, name))
    sql = f"SELECT id, d::varchar AS x, s::varchar AS y, z::varchar AS w FROM made WHERE {test}"
    rows = "(-1, 'infinity', '-infinity', 'infinity'), (-2, '2020-01-01', '1970-01-01', NULL)"
    both = f"(SELECT {COLUMNS} FROM t UNION ALL SELECT a, b::date, c::timestamp, e::timestamptz FROM (VALUES {rows}) q(a, b, c, e))"
    return Check((), [f"CREATE TABLE made AS SELECT {COLUMNS} FROM t", f"INSERT INTO made VALUES {rows}", sql], sql.replace("made", both + " q"))


def subquery(choices):
    name = choices.pick((*MOMENTS, "i"))
    return choices.pick((f"SELECT id FROM t WHERE {name} IN (SELECT {name} FROM u)", f"SELECT id FROM t WHERE {name} = (SELECT max({name}) FROM t)", f"SELECT id FROM t a WHERE NOT EXISTS (SELECT * FROM u b WHERE b.{name} = a.{name})", f"SELECT id FROM t WHERE {name} > ALL (SELECT {name} FROM u WHERE {name} IS NOT NULL)"))


MAKERS = {"values": values, "filter": filtered, "group": group, "extremes": extremes, "order": order, "join": join, "window": window, "set operation": set_operation, "arithmetic": arithmetic, "field": field, "cast": cast, "list": listed, "choice": choice,
          "COPY": copied, "CREATE TABLE": table_made, "subquery": subquery}
