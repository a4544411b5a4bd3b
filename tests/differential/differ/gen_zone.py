"""Queries in a session whose zone is not UTC. DuckDB stays in UTC: for it the zone is written out wherever the session's clock counts.

What they compute of are columns and constants alone, so that nothing in them depends on the clock unseen, and none of
their results is a timestamp with time zone, which would be shown by it.
"""
from . import gen_aggregate, gen_library, zones
from . import types as T
from .expr import Expr, column
from .gen_from import Relation
from .gen_library import FORMATS, PARTS, WORDS, made
from .literals import literal
from .query import NAMES, Derived, Join, Script, Select, Step, Values

FIELDS = ("hour", "minute", "second", "day", "week", "month", "quarter", "dow", "isodow", "doy")
UNITS = ("microsecond", "second", "minute", "hour", "day", "month", "quarter", "year")
LOCAL, STAMP = "YYYY-MM-DD HH24:MI:SS.US", "CAST({0} AS TIMESTAMP)"


class Forms:
    """What is computed by the clock of `zone` (DuckDB's name), of the columns."""

    def __init__(self, rng, zone, columns):
        self.rng, self.zone = rng, zone
        self.instants = [c for c in columns if c.type == T.TSTZ and c.bound < 100_000]
        self.stamps = [c for c in columns if c.type == T.TS and c.bound < 100_000]
        self.days = [c for c in columns if c.type == T.DATE and c.bound < 100_000]

    # ---- arguments ----

    def constant(self):
        """An instant whose offset is written, or the local time."""
        rng = self.rng
        if rng.random() < 0.5:
            return zones.instant_near(rng, self.zone)
        local = zones.local_near(rng, self.zone).data[1].split("'")[1]
        return zones.constant(T.TSTZ, f"timestamptz '{local}'", f"(TIMESTAMP '{local}' AT TIME ZONE '{self.zone}')")

    def instant(self):
        return self.rng.choice(self.instants) if self.instants and self.rng.random() < 0.9 else self.constant()

    def stamp(self):
        return self.rng.choice(self.stamps) if self.stamps and self.rng.random() < 0.9 else zones.local_near(self.rng, self.zone)

    def local(self):
        """A date or a timestamp without zone."""
        return self.rng.choice(self.days) if self.days and self.rng.random() < 0.4 else self.stamp()

    # ---- DuckDB's SQL ----

    def shown(self, arg="{0}"):
        """What the clock shows at an instant."""
        return f"({arg} AT TIME ZONE '{self.zone}')"

    def at(self, stamp=STAMP):
        """The instant of a local time."""
        return f"({stamp} AT TIME ZONE '{self.zone}')"

    @property
    def offset(self):
        """Seconds east of UTC, of a whole instant {0}."""
        return f"((epoch_us({self.shown()}) - epoch_us({STAMP})) // 1000000)"

    def offset_text(self, is_full=False, has_seconds=False):
        """As +05 or +05:30; full: +05:00; with seconds, where there are any: +05:53:28."""
        hours, minutes, seconds = (f"lpad(CAST(abs({self.offset}) {part} AS VARCHAR), 2, '0')" for part in ("// 3600", "// 60 % 60", "% 60"))
        behind = f"':' || {minutes}" if is_full else f"CASE WHEN {self.offset} % 3600 <> 0 THEN ':' || {minutes} ELSE '' END"
        last = f" || CASE WHEN {self.offset} % 60 <> 0 THEN ':' || {seconds} ELSE '' END" if has_seconds else ""
        return f"(CASE WHEN {self.offset} < 0 THEN '-' ELSE '+' END || {hours} || {behind}{last})"

    def utc(self, op, args, ours, oracle, bound=30_000):
        """An instant, shown as UTC's clock does."""
        return made(op, T.TS, args, f"({ours} AT TIME ZONE 'UTC')", f"({oracle} AT TIME ZONE 'UTC')", bound)

    # ---- forms, each with the function that it becomes ----

    def casted(self):
        arg, t = self.instant(), self.rng.choice((T.TS, T.DATE, T.TIME))
        ours = self.rng.choice((f"CAST({{0}} AS {t.sql()})", f"{{0}}::{t.sql()}"))
        return made("zone_local", t, [arg], ours, f"CAST({self.shown()} AS {t.sql()})", arg.bound + 2)

    def field(self):
        name = self.rng.choice(FIELDS)
        ours = self.rng.choice((f"extract({name} FROM {{0}})", f"date_part('{name}', {{0}})", f"{name}({{0}})"))
        return made("zone_local", T.I64, [self.instant()], ours, f"extract({name} FROM {self.shown()})", 400)

    def of_local(self):
        """Functions that take what the clock shows."""
        rng, args = self.rng, [self.instant(), self.instant()]
        kind, unit, words = rng.choice(("last_day", "strftime", "age", "date_diff")), rng.choice(UNITS), rng.choice(WORDS)
        if kind == "age":
            return made("zone_local", T.INTERVAL, args, "age({0}, {1})", f"age({self.shown()}, {self.shown('{1}')})", 30_000)
        if kind == "date_diff":
            return made("zone_local", T.I64, args, f"date_diff('{unit}', {{0}}, {{1}})", f"date_diff('{unit}', {self.shown()}, {self.shown('{1}')})", 2**62)
        if kind == "last_day":
            return made("zone_local", T.DATE, args[:1], "last_day({0})", f"last_day({self.shown()})", args[0].bound + 40)
        return made("zone_local", T.TEXT, args[:1], f"strftime({{0}}, '{words}')", f"strftime({self.shown()}, '{words}')", 60)

    def instant_of(self):
        arg = self.local()
        ours = self.rng.choice(("CAST({0} AS timestamptz)", "{0}::timestamptz"))
        return self.utc("zone_instant", [arg], ours, self.at(), arg.bound + 2)

    def compared(self):
        """An instant with a local time, or a day."""
        args, symbol = [self.instant(), self.local()], self.rng.choice(("<", "<=", ">", ">=", "=", "<>"))
        if self.rng.random() < 0.3:
            args.append(self.local())
            other = self.at("CAST({2} AS TIMESTAMP)")
            return made("zone_instant", T.BOOL, args, "({0} BETWEEN {1} AND {2})", f"({{0}} BETWEEN {self.at('CAST({1} AS TIMESTAMP)')} AND {other})")
        return made("zone_instant", T.BOOL, args, f"({{0}} {symbol} {{1}})", f"({{0}} {symbol} {self.at('CAST({1} AS TIMESTAMP)')})")

    def cut(self):
        """Days and what is longer are cut off by the clock; of the parts of a day the offset is kept."""
        unit, arg = self.rng.choice(("day", "day", "week", "month", "quarter", "year")), self.instant()
        return self.utc("zone_instant", [arg], f"date_trunc('{unit}', {{0}})", self.at(f"CAST(date_trunc('{unit}', {self.shown()}) AS TIMESTAMP)"), arg.bound + 400)

    def kept(self):
        unit, arg = self.rng.choice(("hour", "hour", "minute", "second", "milliseconds")), self.instant()
        oracle = gen_library.KEPT.replace("{zone}", f"'{self.zone}'").replace("{unit}", unit)
        return self.utc("zone_keep", [arg], f"date_trunc('{unit}', {{0}})", oracle, arg.bound + 2)

    def offset_of(self):
        name, oracle = self.rng.choice((("timezone", self.offset), ("timezone_hour", f"({self.offset} // 3600)"), ("timezone_minute", f"({self.offset} // 60 % 60)")))
        ours = self.rng.choice((f"extract({name} FROM {{0}})", f"date_part('{name}', {{0}})"))
        return made("zone_offset", T.I64, [self.instant()], ours, oracle, 60_000)

    def added(self):
        """Months, then days, each by the clock; then hours, whatever it shows."""
        rng, arg = self.rng, self.instant()
        months, days, minutes = rng.choice((0, 0, 1, 5, 6, 12)), rng.choice((0, 1, 1, 2, 30, 200)), rng.choice((0, 0, 1, 60, 90, 1500))
        if not months and not days:
            days = 1
        symbol, oracle = rng.choice("+-"), "{0}"
        for number, unit in ((months, "MONTH"), (days, "DAY")):
            oracle = self.at(f"({self.shown(oracle)} {symbol} INTERVAL {number} {unit})") if number else oracle
        oracle = f"({oracle} {symbol} INTERVAL {minutes} MINUTE)" if minutes else oracle
        return self.utc("zone_add", [arg], f"({{0}} {symbol} interval '{months} months {days} days {minutes} minutes')", oracle, arg.bound + 700)

    def text_of(self):
        ours = self.rng.choice(("CAST({0} AS varchar)", "{0}::text", "({0} || '')"))
        return made("zone_format", T.TEXT, [self.instant()], ours, f"(CAST({self.shown()} AS VARCHAR) || {self.offset_text(has_seconds=True)})", 60)

    def read(self):
        """Texts of local times, also with an offset or another zone behind them; of instants as the session writes them."""
        rng = self.rng
        kind = rng.choice(("local", "local", "offset", "zone", "back"))
        if kind == "back":
            return self.utc("zone_read", [self.instant()], "CAST(CAST({0} AS varchar) AS timestamptz)", "{0}")
        arg = self.stamp()
        words, name = rng.choice((("+05:30", "Asia/Kolkata"), ("-03", "Etc/GMT+3"), (" America/New_York", "America/New_York"), (" CEST", "Etc/GMT-2")))
        if kind == "local":
            return self.utc("zone_read", [arg], "CAST(CAST({0} AS varchar) AS timestamptz)", self.at(), arg.bound + 2)
        return self.utc("zone_read", [arg], f"CAST(CAST({{0}} AS varchar) || '{words}' AS timestamptz)", f"({STAMP} AT TIME ZONE '{name}')", arg.bound + 2)

    def to_char(self):
        draw, arg = self.rng.random(), [self.instant()]
        if draw < 0.4:
            ours, oracle = self.rng.choice(FORMATS)
            oracle = f"strftime({self.shown()}, '{oracle}')"
        elif draw < 0.7:
            ours, oracle = self.rng.choice(PARTS)
            oracle = oracle.replace("{t}", self.shown())
        elif draw < 0.85:
            ours, oracle = "OF", self.offset_text()
        else:
            ours, oracle = "HH24:MI TZH:TZM", f"(strftime({self.shown()}, '%H:%M ') || {self.offset_text(is_full=True)})"
        return made("zone_to_char", T.TEXT, arg, f"to_char({{0}}, '{ours}')", oracle, 60)

    def to_timestamp(self):
        """Of texts of local times, also with an offset."""
        arg = self.stamp()
        if self.rng.random() < 0.3:
            ours = f"to_timestamp(to_char({{0}}, '{LOCAL}') || ' -03', '{LOCAL} TZH')"
            return self.utc("zone_to_timestamp", [arg], ours, f"({STAMP} AT TIME ZONE 'Etc/GMT+3')", arg.bound + 2)
        return self.utc("zone_to_timestamp", [arg], f"to_timestamp(to_char({{0}}, '{LOCAL}'), '{LOCAL}')", self.at(), arg.bound + 2)

    # ---- of any ----

    def any(self):
        of = (self.casted, self.field, self.of_local, self.instant_of, self.compared, self.cut, self.kept)
        others = (self.offset_of, self.added, self.text_of, self.read, self.to_char, self.to_timestamp)
        return self.rng.choice(of if self.rng.random() < 0.35 else others)()

    def condition(self):
        """By the clock."""
        rng, kind = self.rng, self.rng.choice(("compared", "compared", "field", "day", "null"))
        if kind == "compared":
            return self.compared()
        if kind == "null":
            return Expr(rng.choice(("is_null", "is_not_null", "is_not_null")), T.BOOL, [self.any()])
        op = rng.choice(("eq", "ne", "lt", "ge"))
        if kind == "field":
            n = rng.randint(0, 30)
            return Expr(op, T.BOOL, [self.field(), literal(T.I32, str(n), f"CAST({n} AS INTEGER)", n, n)])
        day = zones.local_near(rng, self.zone).data[1].split("'")[1].split()[0]
        return Expr(op, T.BOOL, [made("zone_local", T.DATE, [self.instant()], "{0}::date", f"CAST({self.shown()} AS DATE)", 30_000),
                                 zones.constant(T.DATE, f"date '{day}'", f"CAST('{day}' AS DATE)")])


class ZoneQueries:
    """A part of QueryGenerator."""

    def zone_script(self):
        """One or two queries in a zone."""
        said, zone = zones.random_session(self.rng)
        return Script([Step("query", query=self.zone_query(zone)) for _ in range(self.rng.choice((1, 2)))], zone=said)

    def zone_query(self, zone):
        rng = self.rng
        relation = self.zone_relation(zone)
        forms = Forms(rng, zone, relation.columns)
        where = forms.condition() if rng.random() < 0.4 else None
        if rng.random() < 0.3:
            query = self.zone_groups(relation, forms)
        else:
            items = [forms.any() for _ in range(rng.choice((2, 3, 4)))]
            plain = [c for c in relation.columns if c.type != T.TSTZ]
            items += rng.sample(plain, min(len(plain), rng.choice((0, 1, 2))))
            is_distinct = rng.random() < 0.1 and all(e.type.kind != "interval" and e.exact for e in items)
            query = Select([(e, NAMES[i]) for i, e in enumerate(items)], relation.source, distinct=is_distinct)
        query.where = where
        self.put_tail(query)
        return query

    def zone_groups(self, relation, forms):
        """By a form, or a column and a form, with aggregates of others."""
        rng = self.rng
        keys = [e for e in (forms.any() for _ in range(rng.choice((1, 1, 2)))) if e.type.kind != "interval" and e.has_column()]
        aggregates = [aggregate(rng, forms.any()) for _ in range(rng.choice((1, 2, 3)))]
        return Select([(e, NAMES[i]) for i, e in enumerate(keys + aggregates)], relation.source, groups=keys)

    def zone_relation(self, zone):
        """A table with a column of instants, moments near the changes of the zone's clock, or both."""
        rng = self.rng
        fitting = [t for t in self.tables if any(c.type == T.TSTZ and c.bound < 100_000 for c in t.columns)]
        if fitting and rng.random() < 0.5:
            return self.of_table(rng.choice(fitting))
        near = self.near_changes(zone)
        small = [t for t in self.tables if t.rows <= 400]
        if not small or rng.random() < 0.5:
            return near
        other = self.of_table(rng.choice(small))
        return Relation(Join("CROSS", near.source, other.source), near.columns + other.columns, near.rows * other.rows)

    def near_changes(self, zone):
        rng, alias, rows = self.rng, self.alias(), []
        for _ in range(rng.choice((1, 3, 6, 12))):
            day = zones.written(zones.near(rng, zone)).split()[0]
            cells = [zones.instant_near(rng, zone), zones.local_near(rng, zone), zones.constant(T.DATE, f"date '{day}'", f"CAST('{day}' AS DATE)")]
            rows.append([self.typed_null(e.type) if rng.random() < 0.1 else e for e in cells])
        names = ["x0", "x1", "x2"]
        columns = [column(alias, name, e.type, zones.BOUND) for name, e in zip(names, rows[0])]
        return Relation(Derived(Values(rows), alias, names), columns, len(rows))


def aggregate(rng, e):
    """Of a form."""
    function = rng.choice(("COUNT_STAR", "COUNT", "MIN", "MAX") if e.type.kind not in ("interval", "bool") else ("COUNT_STAR", "COUNT"))
    is_distinct = function == "COUNT" and e.type.kind != "interval" and rng.random() < 0.5
    args = [] if function == "COUNT_STAR" else [e]
    name = "count" if function.startswith("COUNT") else function.lower()
    data = {"function": function, "name": name, "oracle": name, "distinct": is_distinct, "filter": None}
    t, bound = (T.I64, gen_aggregate.ROWS) if name == "count" else (e.type, e.bound)
    return Expr("aggregate", t, args, data, bound)

