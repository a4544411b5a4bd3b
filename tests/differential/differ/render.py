"""How each operation is written, for Pistachio and for DuckDB.

Pistachio gets SQL as people write it. DuckDB gets SQL in which the types are explicit, so that it
computes with those that docs/SQL.md names: each form here gives exactly the expression's type.
"""
from . import gen_library
from . import types as T
from .expr import ORACLE, OURS, arithmetic_type, decimal_of
from .query_sql import query_sql

DUCKDB = {"bool": "BOOLEAN", "i8": "TINYINT", "i16": "SMALLINT", "i32": "INTEGER", "i64": "BIGINT", "u8": "UTINYINT",
          "u16": "USMALLINT", "u32": "UINTEGER", "u64": "UBIGINT", "f32": "FLOAT", "f64": "DOUBLE", "date": "DATE",
          "time": "TIME", "ts": "TIMESTAMP", "tsns": "TIMESTAMP_NS", "tstz": "TIMESTAMPTZ", "interval": "INTERVAL",
          "text": "VARCHAR", "blob": "BLOB", "uuid": "UUID"}


def duckdb_type(t):
    return f"DECIMAL({t.precision},{t.scale})" if t.kind == "dec" else DUCKDB[t.kind]


def as_type(sql, source, t):
    """DuckDB's SQL of a cast that the types ask for."""
    if source == t:
        return sql
    if t.kind == "text":
        return as_text(sql, source)
    if source.kind == "text" and t.kind == "blob":
        return f"encode({sql})"
    if source.kind == "tstz" and t.kind == "time":
        return f"CAST(CAST({sql} AS TIMESTAMP) AS TIME)"
    if source.kind == "tsns" and t.kind in ("date", "ts", "tstz", "time"):
        whole = microseconds(sql)
        return whole if t.kind == "ts" else f"CAST({whole} AS {duckdb_type(t)})"
    if source.kind == "dec" and source.precision > 15 and t == T.F64:  # DuckDB's own rounds twice
        return f"CAST(CAST({sql} AS VARCHAR) AS DOUBLE)"
    return f"CAST({sql} AS {duckdb_type(t)})"


def microseconds(sql):
    """DuckDB rounds nanoseconds where it makes microseconds of them; they are cut off here."""
    return f"make_timestamp((epoch_ns({sql}) - {nanoseconds(sql)}) // 1000)"


def nanoseconds(sql):
    """Those below a microsecond."""
    return f"((epoch_ns({sql}) % 1000 + 1000) % 1000)"


def as_text(sql, source):
    """Text as PostgreSQL prints it."""
    if source.kind == "interval":
        return f"replace(CAST({sql} AS VARCHAR), 'month', 'mon')"
    if source.kind == "blob":
        return f"('\\x' || lower(hex({sql})))"
    if source.kind == "dec" and source.scale == source.precision:
        return f"regexp_replace(CAST({sql} AS VARCHAR), '^(-?)\\.', '\\10.')"
    return f"CAST({sql} AS VARCHAR)"


def sql(e, dialect):
    return FORMS[e.op](e, dialect)


def args_sql(e, dialect):
    return [sql(a, dialect) for a in e.args]


def alike(e, dialect, t=None):
    """The arguments, for DuckDB cast to their common type."""
    parts = args_sql(e, dialect)
    if dialect == OURS:
        return parts
    t = t or T.common_of([a.type for a in e.args])
    return [as_type(part, a.type, t) for part, a in zip(parts, e.args)]


# ---- leaves ----

def column_form(e, dialect):
    alias, name = e.data
    return f"{alias}.{name}" if alias else name


def literal_form(e, dialect):
    return e.data[dialect]


def query_form(e, dialect):
    inner = query_sql(e.data["query"], dialect)
    kind = e.data["kind"]
    if kind == "scalar":
        return f"({inner})"
    if kind == "exists":
        return f"EXISTS ({inner})"
    left = sql(e.args[0], dialect)
    t = e.data["query"].types()[0]
    both = T.common(e.args[0].type, t)
    if dialect == ORACLE and both != e.args[0].type:
        left = as_type(left, e.args[0].type, both)
    if dialect == ORACLE and both != t:
        inner = f"SELECT {as_type('x.a', t, both)} FROM ({inner}) x(a)"
    if kind in ("in", "not in"):
        return f"({left} {kind.upper()} ({inner}))"
    return f"({left} {e.data['comparison']} {kind.upper()} ({inner}))"


# ---- arithmetic ----

SYMBOLS = {"add": "+", "subtract": "-", "multiply": "*", "divide": "/", "modulo": "%"}


def wide(e, arg, t):
    """The decimal that an operand is for DuckDB, which else computes in 64 bits where both operands fit them."""
    own = arg.type if arg.type.kind == "dec" else (T.promoted(arg.type) if arg.type.kind == "u64" else decimal_of(arg))
    if e.op == "multiply":
        return own if t.precision <= 18 or arg is not e.args[0] else T.decimal(max(19, own.precision), own.scale)
    return t if t.precision > 18 else own


def arithmetic_form(e, dialect):
    left, right = args_sql(e, dialect)
    if dialect == OURS:
        return f"mod({left}, {right})" if e.op == "modulo" and e.data else f"({left} {SYMBOLS[e.op]} {right})"
    t, operand = arithmetic_type(e.op, *e.args)
    sides = []
    for part, arg in zip((left, right), e.args):
        sides.append(as_type(part, arg.type, operand or wide(e, arg, t)))
    if e.op == "divide" and t.kind not in T.FLOATS:
        if t.kind == "dec":
            sides = [f"CAST({s} AS HUGEINT)" for s in sides]
        return f"CAST(({sides[0]} // {sides[1]}) AS {duckdb_type(t)})"
    return f"CAST(({sides[0]} {SYMBOLS[e.op]} {sides[1]}) AS {duckdb_type(t)})"


def negate_form(e, dialect):
    arg = sql(e.args[0], dialect)
    return f"(- {arg})" if dialect == OURS else f"(- {as_type(arg, e.args[0].type, e.type)})"


def typed_function(name, oracle=None):
    """name(x, ...): for DuckDB the first argument as the result's type, and so the result."""
    def form(e, dialect):
        parts = args_sql(e, dialect)
        if dialect == OURS:
            return f"{name}({', '.join(parts)})"
        if e.data == "tens":  # DuckDB makes 0 of a NULL that has fewer digits
            wide = f"round(CAST({parts[0]} AS DECIMAL(38,{e.args[0].type.scale})), {parts[1]})"
            return f"CAST(CASE WHEN {parts[0]} IS NOT NULL THEN {wide} END AS {duckdb_type(e.type)})"
        if e.data != "keep":
            parts[0] = as_type(parts[0], e.args[0].type, e.type)
        elif len(parts) == 1 and e.args[0].type.is_integer:  # it is whole; DuckDB would make it a double on the way
            return parts[0]
        return f"CAST({oracle or name}({', '.join(parts)}) AS {duckdb_type(e.type)})"
    return form


# ---- logic ----

COMPARISONS = {"eq": "=", "ne": "<>", "lt": "<", "le": "<=", "gt": ">", "ge": ">=", "is_distinct": "IS DISTINCT FROM",
               "is_not_distinct": "IS NOT DISTINCT FROM"}


def comparison_form(e, dialect):
    left, right = alike(e, dialect)
    symbol = "!=" if e.op == "ne" and e.data and dialect == OURS else COMPARISONS[e.op]
    return f"({left} {symbol} {right})"


def joined(word):
    return lambda e, dialect: "(" + f" {word} ".join(args_sql(e, dialect)) + ")"


def between_form(e, dialect):
    """data: (negated, symmetric)"""
    is_negated, is_symmetric = e.data
    x, low, high = args_sql(e, dialect)
    word = "NOT " if is_negated else ""
    if dialect == OURS:
        return f"({x} {word}BETWEEN {'SYMMETRIC ' if is_symmetric else ''}{low} AND {high})"

    def pair(op, right, arg):
        t = T.common(e.args[0].type, arg.type)
        return f"{as_type(x, e.args[0].type, t)} {op} {as_type(right, arg.type, t)}"
    forth = f"({pair('>=', low, e.args[1])} AND {pair('<=', high, e.args[2])})"
    if is_symmetric:
        forth = f"({forth} OR ({pair('>=', high, e.args[2])} AND {pair('<=', low, e.args[1])}))"
    return f"({word}{forth})"


def in_form(e, dialect):
    parts = alike(e, dialect)
    return f"({parts[0]} {'NOT ' if e.data else ''}IN ({', '.join(parts[1:])}))"


def array_form(e, dialect):
    """x = ANY (ARRAY[...]); data: (comparison, ANY or ALL)"""
    symbol, word = e.data
    parts = alike(e, dialect)
    if dialect == OURS:
        return f"({parts[0]} {symbol} {word} (ARRAY[{', '.join(parts[1:])}]))"
    between = " OR " if word == "ANY" else " AND "
    return "(" + between.join(f"{parts[0]} {symbol} {p}" for p in parts[1:]) + ")"


def row_form(e, dialect):
    """(a, b) = (c, d); data: = or <>, or IN with the number of columns"""
    parts = args_sql(e, dialect)
    width = e.data[1]
    rows = [parts[i:i + width] for i in range(0, len(parts), width)]
    if dialect == OURS and e.data[0] == "IN":
        return f"(({', '.join(rows[0])}) IN ({', '.join('(' + ', '.join(r) + ')' for r in rows[1:])}))"
    if dialect == OURS:
        return f"(({', '.join(rows[0])}) {e.data[0]} ({', '.join(rows[1])}))"

    def same(number):
        terms = []
        for i in range(width):
            left, right = e.args[i], e.args[number * width + i]
            t = T.common(left.type, right.type)
            terms.append(f"{as_type(rows[0][i], left.type, t)} {'<>' if e.data[0] == '<>' else '='} {as_type(rows[number][i], right.type, t)}")
        return "(" + (" OR " if e.data[0] == "<>" else " AND ").join(terms) + ")"
    return "(" + " OR ".join(same(n) for n in range(1, len(rows))) + ")"


def case_form(e, dialect):
    """args: condition, value, ..., else value if data['else']; data['subject']: the first arg is compared with each"""
    parts, args = args_sql(e, dialect), list(e.args)
    subject = None
    if e.data["subject"]:
        subject, subject_arg = parts.pop(0), args.pop(0)
    words = ["CASE"]
    if subject and dialect == OURS:
        words.append(subject)
    pairs = len(parts) // 2
    for i in range(pairs):
        when, then = parts[2 * i], parts[2 * i + 1]
        if dialect == ORACLE:
            then = as_type(then, args[2 * i + 1].type, e.type)
            if subject:
                t = T.common(subject_arg.type, args[2 * i].type)
                when = f"{as_type(subject, subject_arg.type, t)} = {as_type(when, args[2 * i].type, t)}"
        words.append(f"WHEN {when} THEN {then}")
    if len(parts) % 2:
        words.append("ELSE " + (parts[-1] if dialect == OURS else as_type(parts[-1], args[-1].type, e.type)))
    return "(" + " ".join(words) + " END)"


def variadic(name):
    return lambda e, dialect: f"{name}({', '.join(alike(e, dialect, e.type))})"


def like_form(e, dialect):
    """data: (LIKE or ILIKE, negated). PostgreSQL's patterns escape with a backslash unless told otherwise."""
    word, is_negated = e.data
    parts = args_sql(e, dialect)
    escape = f" ESCAPE {parts[2]}" if len(parts) > 2 else ("" if dialect == OURS else " ESCAPE '\\'")
    return f"({parts[0]} {'NOT ' if is_negated else ''}{word} {parts[1]}{escape})"


# ---- casts and text ----

def cast_form(e, dialect):
    arg = sql(e.args[0], dialect)
    if dialect == ORACLE:
        return as_type(arg, e.args[0].type, e.type)
    return f"CAST({arg} AS {e.type.sql()})" if e.data else f"({arg})::{e.type.sql()}"


def varchar_cast_form(e, dialect):
    """varchar(n) cuts."""
    arg = sql(e.args[0], dialect)
    return f"CAST({arg} AS varchar({e.data}))" if dialect == OURS else f"left({arg}, {e.data})"


def concat_form(e, dialect):
    parts = args_sql(e, dialect)
    if dialect == ORACLE:
        parts = [as_type(p, a.type, T.TEXT) for p, a in zip(parts, e.args)]
    return "(" + " || ".join(parts) + ")"


def concat_function_form(e, dialect):
    """Of a truth value t or f, as in PostgreSQL."""
    parts = args_sql(e, dialect)
    if dialect == ORACLE:
        parts = [as_type(p, a.type, T.TEXT) for p, a in zip(parts, e.args)]
        parts = [f"left({p}, 1)" if a.type == T.BOOL else p for p, a in zip(parts, e.args)]
    return f"concat({', '.join(parts)})"


def substring_form(e, dialect):
    """Positions before the first character count towards the length; DuckDB would count from the end."""
    parts = args_sql(e, dialect)
    if dialect == OURS:
        if e.data == "from":
            return f"substring({parts[0]} from {parts[1]}" + (f" for {parts[2]})" if len(parts) > 2 else ")")
        return f"{e.data}({', '.join(parts)})"
    start = f"CAST({parts[1]} AS BIGINT)"
    if len(parts) == 2:
        return f"substring({parts[0]}, greatest({start}, CASE WHEN {parts[1]} IS NULL THEN NULL ELSE 1 END))"
    length = f"CAST({parts[2]} AS BIGINT)"
    missing = f"CASE WHEN {parts[1]} IS NULL OR {parts[2]} IS NULL THEN NULL"
    return (f"substring({parts[0]}, {missing} ELSE greatest({start}, 1) END, "
            f"{missing} ELSE greatest({start} + {length} - greatest({start}, 1), 0) END)")


def text_function(name, oracle=None):
    def form(e, dialect):
        parts = args_sql(e, dialect)
        if dialect == OURS:
            return f"{e.data or name}({', '.join(parts)})"
        return (oracle or name + "({0})").format(*parts) if oracle else f"{name}({', '.join(parts)})"
    return form


def position_form(e, dialect):
    text, part = args_sql(e, dialect)
    if dialect == OURS and e.data == "in":
        return f"position({part} in {text})"
    return f"strpos({text}, {part})"


# ---- time ----

def date_part_form(e, dialect):
    """data: (field, form)"""
    field, how = e.data
    arg = sql(e.args[0], dialect)
    if dialect == OURS:
        return {"extract": f"extract({field} from {arg})", "date_part": f"date_part('{field}', {arg})",
                "short": f"{field}({arg})"}[how]
    arg = microseconds(arg) if e.args[0].type == T.TSNS else arg
    arg = f"CAST({arg} AS TIMESTAMP)" if e.args[0].type == T.TSTZ else arg  # of 2 BC, with a zone, it gives year 2
    asked, form = YEARS.get(field, (field, "{0}"))
    return f"CAST({form.format(f'extract({asked} FROM {arg})')} AS {duckdb_type(e.type)})"


# 1 BC is year -1, and a decade begins in each year that 10 divides: DuckDB has a year 0, and cuts decades off towards it.
YEARS = {"year": ("year", "({0} - CAST({0} <= 0 AS INTEGER))"), "isoyear": ("isoyear", "({0} - CAST({0} <= 0 AS INTEGER))"),
         "decade": ("year", "(({0} - (({0} % 10) + 10) % 10) // 10)")}


def date_trunc_form(e, dialect):
    arg = sql(e.args[0], dialect)
    if dialect == OURS:
        return f"date_trunc('{e.data}', {arg})"
    arg = microseconds(arg) if e.args[0].type == T.TSNS else arg
    if e.data == "century":  # they begin in 1901 and 2001, for DuckDB in 1900 and 2000
        return f"CAST((date_trunc('century', {arg} - INTERVAL 1 YEAR) + INTERVAL 1 YEAR) AS {duckdb_type(e.type)})"
    return f"CAST(date_trunc('{e.data}', {arg}) AS {duckdb_type(e.type)})"


def date_days_form(e, dialect):
    left, right = args_sql(e, dialect)
    if dialect == ORACLE:
        left, right = (f"CAST({s} AS INTEGER)" if a.type.is_integer else s for s, a in zip((left, right), e.args))
    return f"({left} {e.data} {right})"


def plus_minus_form(e, dialect):
    """timestamp, date or interval, plus or minus an interval; data: + or -"""
    left, right = args_sql(e, dialect)
    whole = f"({left} {e.data} {right})"
    if dialect == ORACLE and e.type == T.TSNS:  # DuckDB's own loses nanoseconds
        stamp = left if e.args[0].type == T.TSNS else right
        sides = [microseconds(s) if a.type == T.TSNS else s for s, a in zip((left, right), e.args)]
        return f"make_timestamp_ns(epoch_ns(CAST(({sides[0]} {e.data} {sides[1]}) AS TIMESTAMP_NS)) + {nanoseconds(stamp)})"
    if dialect == ORACLE and e.type == T.TSTZ:  # DuckDB's own takes months, days and time in another order
        sides = [f"CAST({s} AS TIMESTAMP)" if a.type == T.TSTZ else s for s, a in zip((left, right), e.args)]
        return f"CAST(({sides[0]} {e.data} {sides[1]}) AS TIMESTAMPTZ)"
    return whole if dialect == OURS else f"CAST({whole} AS {duckdb_type(e.type)})"


def timestamp_difference_form(e, dialect):
    left, right = args_sql(e, dialect)
    if dialect == ORACLE:
        t = T.common(e.args[0].type, e.args[1].type)
        t = TS_OF.get(t.kind, t)
        left, right = (as_type(s, a.type, t) for s, a in zip((left, right), e.args))
    return f"({left} - {right})"


TS_OF = {"date": T.TS, "tsns": T.TS}


def date_difference_form(e, dialect):
    left, right = args_sql(e, dialect)
    return f"({left} - {right})" if dialect == OURS else f"CAST(({left} - {right}) AS BIGINT)"


def interval_multiply_form(e, dialect):
    left, right = args_sql(e, dialect)
    if dialect == ORACLE:
        return f"({left} * CAST({right} AS BIGINT))"
    return f"({right} * {left})" if e.data else f"({left} * {right})"


# ---- aggregates ----

def aggregate_form(e, dialect):
    """data: {name, distinct, filter}; args: the argument, if any"""
    name = e.data["name"]
    inside = "*" if not e.args else ("DISTINCT " if e.data["distinct"] else "") + sql(e.args[0], dialect)
    text = f"{name if dialect == OURS else e.data['oracle']}({inside})"
    if "forms" in e.data:
        text = e.data["forms"][dialect].format(*args_sql(e, dialect))
    if e.data["filter"]:
        text += f" FILTER (WHERE {sql(e.data['filter'], dialect)})"
    if e.data["function"].startswith(("REGR_", "CORR")) and e.type == T.F64 and dialect == ORACLE:  # of one point it makes NaN, not NULL
        return f"nullif(CAST({text} AS {duckdb_type(e.type)}), 'nan')"
    return text if dialect == OURS else f"CAST({text} AS {duckdb_type(e.type)})"


def window_form(e, dialect):
    """data: {function, counts, directions, frame}; args: the function's, PARTITION BY, ORDER BY, FILTER (gen_window.py)"""
    args, partition, order, has_filter = e.data["counts"]
    texts = args_sql(e, dialect)
    inside = ", ".join(texts[:args])
    name = "count" if e.data["function"] == "COUNT_STAR" else e.data["function"].lower()
    words = []
    if partition:
        words.append("PARTITION BY " + ", ".join(texts[args:args + partition]))
    if order:
        keys = texts[args + partition:args + partition + order]
        words.append("ORDER BY " + ", ".join(f"{key}{' DESC' if down else ''} NULLS {nulls}"
                                             for key, (down, nulls) in zip(keys, e.data["directions"])))
    words.append(e.data["frame"])
    if name.endswith("_distinct"):
        name, inside = name.removesuffix("_distinct"), f"DISTINCT {inside}"
    elif name == "quantile_disc":
        inside += f", {(0, 0.25, 0.5, 0.9, 1)[len(e.data['frame']) % 5]}"
    text = f"{name}({inside if args or e.data['function'] != 'COUNT_STAR' else '*'})"
    if has_filter:
        text += f" FILTER (WHERE {texts[-1]})"
    text += f" OVER ({' '.join(w for w in words if w)})"
    return text if dialect == OURS else f"CAST({text} AS {duckdb_type(e.type)})"


def suffix(word):
    return lambda e, dialect: f"({sql(e.args[0], dialect)} {e.data or word})"


def grouping_form(e, dialect):
    text = f"GROUPING({', '.join(args_sql(e, dialect))})"
    return text if dialect == OURS else f"CAST({text} AS INTEGER)"


FORMS = {
    "grouping": grouping_form,
    "column": column_form, "literal": literal_form, "bare": literal_form, "query": query_form, "aggregate": aggregate_form,
    "window": window_form,
    **dict.fromkeys(SYMBOLS, arithmetic_form), "negate": negate_form,
    **dict.fromkeys(COMPARISONS, comparison_form), "and": joined("AND"), "or": joined("OR"),
    "not": lambda e, d: f"(NOT {sql(e.args[0], d)})", "is_null": suffix("IS NULL"), "is_not_null": suffix("IS NOT NULL"),
    "is_true": suffix("IS TRUE"), "is_false": suffix("IS FALSE"), "between": between_form, "in_list": in_form,
    "array": array_form, "row": row_form, "case": case_form, "coalesce": variadic("coalesce"),
    "greatest": variadic("greatest"), "least": variadic("least"), "nullif": variadic("nullif"), "like": like_form, "ilike": like_form,
    "cast": cast_form, "varchar_cast": varchar_cast_form, "concat": concat_form, "concat_skip": concat_function_form, "substring": substring_form,
    "length": text_function("length"), "octet_length": text_function("octet_length", "strlen({0})"),
    "upper": text_function("upper"), "lower": text_function("lower"),
    "reverse": text_function("reverse"), "trim": text_function("trim"),
    "ltrim": text_function("ltrim"), "rtrim": text_function("rtrim"), "position": position_form,
    "replace": text_function("replace"), "left": text_function("left"), "right": text_function("right"),
    "starts_with": text_function("starts_with"), "round": typed_function("round"), "floor": typed_function("floor"),
    "ceil": typed_function("ceil"), "trunc": typed_function("trunc"), "abs": typed_function("abs"),
    "sign": typed_function("sign"), "power": typed_function("power"), "sqrt": typed_function("sqrt"),
    "ln": typed_function("ln"), "log10": typed_function("log10"), "exp": typed_function("exp"),
    "date_part": date_part_form, "date_trunc": date_trunc_form, "date_add_days": date_days_form,
    "date_difference": date_difference_form, "timestamp_add_interval": plus_minus_form,
    **dict.fromkeys(gen_library.OPS, gen_library.form), **dict.fromkeys(gen_library.IN_SESSION, gen_library.form),
    "timestamp_difference": timestamp_difference_form, "interval_add": plus_minus_form, "interval_multiply": interval_multiply_form,
}
