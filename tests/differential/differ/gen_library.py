"""Random calls of functions that are written one like another: a table of how each is called by either engine.

A template has {0}, {1} for the arguments; what must be a constant (formats, patterns, counts) stands in it, so that
cutting down cannot change it.
"""
import math

from . import gen_time, zones
from . import types as T
from .expr import call, cast, cast_fits


def quoted(text):
    return "'" + text.replace("'", "''") + "'"


MOST = 3000  # bytes of a text that is made

# (PostgreSQL's, RE2's, whether there is a group): patterns that both take alike; a match is never empty.
PATTERNS = (("b", "b", 0), ("[a-c]+", "[a-c]+", 0), ("^.", "^.", 0), (".$", ".$", 0), ("(a|b)(c|.)", "(a|b)(c|.)", 1), ("[^a]{2}", "[^a]{2}", 0),
            ("\\d+", "\\d+", 0), ("(\\d)\\d*", "(\\d)\\d*", 1), ("\u00e9|\u00f6", "\u00e9|\u00f6", 0), ("o+?.", "o+?.", 0), ("x|xx", "x|xx", 0),
            ("\\w+", "[\\p{L}\\p{N}_]+", 0), ("[[:digit:]]", "[[:digit:]]", 0), ("a.*b", "a.*b", 0), ("(?:1|2)+", "(?:1|2)+", 0), ("\\.", "\\.", 0),
            ("Z", "Z", 0), ("(e).", "(e).", 1), ("^a+$", "^a+$", 0))
SIMILAR = (("a%", "a.*"), ("%b", ".*b"), ("_", "."), ("(a|b)%", "(a|b).*"), ("[a-c]+", "[a-c]+"), ("%(1|2)%", ".*(1|2).*"), ("a?b*", "a?b*"), ("a{2,3}", "a{2,3}"))
FORMATS = (("YYYY-MM-DD", "%Y-%m-%d"), ("HH24:MI:SS", "%H:%M:%S"), ("FMDay, FMDD Mon", "%A, %-d %b"), ("DDD", "%j"), ("IYYY-IW", "%G-%V"),
           ("HH12 AM", "%I %p"), ("FMMonth YY", "%B %y"), ("Dy DD", "%a %d"), ("US", "%f"), ("ID", "%u"), ("\"at\" HH24", "at %H"))
WORDS = ("%Y-%m-%d", "%H:%M:%S.%f", "%A %-d %B", "%a %b %y", "%j", "%I %p", "%G-%V-%u", "%w %W %U", "%m/%d/%Y", "%-m %-H %-M %-S")


TH = "CASE WHEN {n} % 100 BETWEEN 11 AND 13 THEN 'th' WHEN {n} % 10 = 1 THEN 'st' WHEN {n} % 10 = 2 THEN 'nd' WHEN {n} % 10 = 3 THEN 'rd' ELSE 'th' END"
SECONDS = "(extract(hour FROM {t}) * 3600 + extract(minute FROM {t}) * 60 + CAST(extract(microsecond FROM {t}) // 1000000 AS BIGINT))"
# Of to_char, what DuckDB's strftime has not; {t} is a timestamp.
PARTS = (("Q", "CAST(quarter({t}) AS VARCHAR)"), ("J", "CAST(CAST(floor(julian(date_trunc('day', {t}))) AS BIGINT) AS VARCHAR)"), ("SSSS", f"CAST({SECONDS} AS VARCHAR)"),
         ("MS", "lpad(CAST(extract(millisecond FROM {t}) % 1000 AS VARCHAR), 3, '0')"), ("CC", "CAST((year({t}) + 99) // 100 AS VARCHAR)"),
         ("W", "CAST((day({t}) - 1) // 7 + 1 AS VARCHAR)"), ("WW", "lpad(CAST((dayofyear({t}) - 1) // 7 + 1 AS VARCHAR), 2, '0')"),
         ("RM", "rpad(['I', 'II', 'III', 'IV', 'V', 'VI', 'VII', 'VIII', 'IX', 'X', 'XI', 'XII'][month({t})], 4, ' ')"),
         ("DDth", "strftime({t}, '%d') || " + TH.replace("{n}", "day({t})")), ("FMDDTH", "strftime({t}, '%-d') || upper(" + TH.replace("{n}", "day({t})") + ")"),
         ("Y,YYY", "(year({t}) // 1000) || ',' || lpad(CAST(year({t}) % 1000 AS VARCHAR), 3, '0')"), ("YYYY BC", "strftime({t}, '%Y AD')"),
         ("FMMONTH", "upper(strftime({t}, '%B'))"), ("DAY", "rpad(upper(strftime({t}, '%A')), 9, ' ')"), ("month", "rpad(lower(strftime({t}, '%B')), 9, ' ')"),
         ("HH:MI:SS a.m.", "strftime({t}, '%I:%M:%S ') || CASE WHEN hour({t}) < 12 THEN 'a.m.' ELSE 'p.m.' END"), ("YY-FMMM-DD", "strftime({t}, '%y-%-m-%d')"),
         ("D", "CAST(dayofweek({t}) + 1 AS VARCHAR)"), ("FF3", "lpad(CAST(extract(millisecond FROM {t}) % 1000 AS VARCHAR), 3, '0')"))


def made(op, t, args, ours, oracle, bound=0, exact=None):
    e = call(op, t, *args, bound=bound, data=(ours, oracle), exact=exact)
    e.special = False
    return e


# ---- arguments ----

def text(g, depth):
    e = g.expr("text", depth)
    return e if e.bound <= MOST else None


def whole(g, depth, most=2**31):
    """An integer below `most`, signed, as integer or bigint."""
    e = g.expr("int", depth)
    if e.bound >= most:
        return None
    t = T.I64 if e.type.kind in ("u32", "i64", "u64") or g.rng.random() < 0.3 else T.I32
    return cast(e, t, g.rng.randint(0, 1)) if e.type == t or cast_fits(e, t) else None


def double(g, depth, most):
    """A double that is a multiple of 1/8."""
    for _ in range(4):
        e = g.expr(g.rng.choice(("float", "float", "int")), depth)
        if not e.special and e.exact and e.bound <= most and (e.grain or e.type.is_integer):
            return e if e.type == T.F64 else cast(e, T.F64, g.rng.randint(0, 1))
        depth = max(0, depth - 1)
    return None


def moment(g, depth):
    e = g.expr(g.rng.choice(("ts", "date", "ts")), depth)
    return e if e.bound < 100_000 and e.type.kind != "tsns" else None


# ---- text ----

def split_part(g, depth):
    n = g.rng.choice((1, 1, 2, 3, -1, -2))
    at = quoted(g.rng.choice((",", " ", "a", "b", "o", "\u00e9", "ab", "1")))
    return one_text(g, depth, "split_part", f"split_part({{0}}, {at}, {n})")


def one_text(g, depth, op, ours, oracle=None, t=T.TEXT, bound=None):
    arg = text(g, depth)
    if arg is None:
        return None
    return made(op, t, [arg], ours, oracle or ours, arg.bound * 2 + 1 if bound is None else bound)


def pad(op):
    def make(g, depth):
        n, fill = g.rng.choice((0, 1, 3, 7, 20)), g.rng.choice((None, "*", "xy", "\u00e9"))
        more = "" if fill is None else f", {quoted(fill)}"
        return one_text(g, depth, op, f"{op}({{0}}, {n}{more})", f"{op}({{0}}, {n}, {quoted(fill or ' ')})", bound=n)
    return make


def repeated(g, depth):
    n, arg = g.rng.choice((0, 1, 2, 3, -1)), text(g, depth)
    return made("repeat", T.TEXT, [arg], f"repeat({{0}}, {n})", f"repeat({{0}}, {n})", arg.bound * 3) if arg is not None else None


def translate(g, depth):
    source, target = g.rng.choice((("abc", "xyz"), ("abc", "x"), ("ao\u00e9", "0e1"), ("1", ""), ("ab", "ba")))
    return one_text(g, depth, "translate", f"translate({{0}}, '{source}', '{target}')")


def of_two_texts(op, t=T.I64, form="{op}({0}, {1})", bound=6000, most=200):
    """An argument may be written twice: texts are short ones."""
    whole_form = form.replace("{op}", op)

    def make(g, depth):
        args = [g.expr("text", depth), g.expr("text", depth - 1)]
        return None if args[0].bound > most or args[1].bound > most else made(op, t, args, whole_form, whole_form, bound, exact=t != T.F64)
    return make


def bar(g, depth):
    arg, width = double(g, depth, 1e9), g.rng.choice((1, 2.5, 10, 80))
    form = f"bar({{0}}, -8, {g.rng.choice((8, 100, 4096))}, {width})"
    return None if arg is None else made("bar", T.TEXT, [arg], form, form, 240)


def of_bytes(op, name):
    def make(g, depth):
        arg = whole(g, depth, 2**20)
        return None if arg is None else made(op, T.TEXT, [arg], f"{name}({{0}} * 1000)", f"{name}(CAST({{0}} AS BIGINT) * 1000)", 20)
    return make


def parse_bytes(g, depth):
    arg = whole(g, depth)
    form = f"parse_formatted_bytes(CAST(abs(CAST({{0}} AS BIGINT)) AS VARCHAR) || '{g.rng.choice((' kB', 'KiB', ' mb'))}')"
    return None if arg is None else made("parse_bytes", T.I64, [arg], form, form, 2**53)


FULL = ("%c", "%x %X", "%d %b %Y %I:%M:%S %p.%f", "%j %Y %T", "%A, %-d %B %Y")


def strptime(op):
    """There and back; what no format says is cut off at the day or the second."""
    def make(g, depth):
        arg, words = moment(g, depth), g.rng.choice(FULL)
        form = f"{op}(strftime({{0}}, '{words}'), '{words}')"
        form = f"CASE WHEN year({{0}}) BETWEEN 1000 AND 9999 THEN {form} END"
        return None if arg is None or arg.bound > 200 else made(op, T.TS, [arg], form, form, arg.bound + 1)
    return make


def of_path(op):
    def make(g, depth):
        more = g.rng.choice(("", ", true", ", false")) if op == "parse_filename" else g.rng.choice(("", ", 'system'", ", 'both_slash'"))
        form = f"{op}({{0}} || {quoted(g.rng.choice(('/', '/a.b', '.', '')))}{more})"
        return one_text(g, depth, op, form)
    return make


def bucket(g, depth):
    arg, width = moment(g, depth), g.rng.choice(("10 minutes", "1 day", "2 weeks", "1 month", "5 months", "3 years"))
    form = f"time_bucket(INTERVAL '{width}', CAST({{0}} AS TIMESTAMP))"
    return None if arg is None else made("time_bucket", T.TS, [arg], form, form, arg.bound + 2000)


def date_bin(g, depth):
    arg, width = moment(g, depth), g.rng.choice(("10 minutes", "1 day", "5 days 3 hours"))
    return None if arg is None else made("date_bin", T.TS, [arg], f"date_bin(INTERVAL '{width}', {{0}}, TIMESTAMP '2001-02-03 04:05:06')",
                                         f"time_bucket(INTERVAL '{width}', CAST({{0}} AS TIMESTAMP), TIMESTAMP '2001-02-03 04:05:06')", arg.bound + 10)


def timestamp_of(op, name):
    def make(g, depth):
        arg = whole(g, depth, 2**31)
        return None if arg is None else made(op, T.TS, [arg], f"{name}({{0}})", f"{name}(CAST({{0}} AS BIGINT))", 30)
    return make


def even(g, depth):
    arg = double(g, depth, 1e9)
    return None if arg is None else made("even", T.F64, [arg], "even({0})", "even({0})", arg.bound + 2)


def bit_count(g, depth):
    arg = whole(g, depth)
    return None if arg is None else made("bit_count", T.I64, [arg], "bit_count({0})", "bit_count({0})", 64)


def of_blob(op, t, form, bound=5000):
    return lambda g, depth: made(op, t, [g.expr("blob", depth)], form, form, bound)


CAPITAL = ("CASE WHEN {0} IS NOT NULL THEN coalesce(array_to_string(list_transform(regexp_extract_all({0}, "
           "'[\\p{{L}}\\p{{N}}]+|[^\\p{{L}}\\p{{N}}]+'), lambda w: upper(left(w, 1)) || lower(substring(w, 2))), ''), '') END")


def concat_ws(g, depth):
    args = [g.expr("text", depth), *(g.expr(g.rng.choice(("text", "text", "int", "bool")), depth - 1) for _ in range(g.rng.choice((1, 2, 3))))]
    bound = sum(a.bound if a.type == T.TEXT else 45 for a in args) * 2
    if bound > MOST:
        return None
    ours = ", ".join(f"{{{i}}}" for i in range(len(args)))
    forms = {T.TEXT: "{{{}}}", T.BOOL: "left(CAST({{{}}} AS VARCHAR), 1)"}
    oracle = ", ".join(forms.get(a.type, "CAST({{{}}} AS VARCHAR)").format(i) for i, a in enumerate(args))
    return made("concat_ws", T.TEXT, args, f"concat_ws({ours})", f"concat_ws({oracle})", bound)


def to_hex(g, depth):
    arg = whole(g, depth)
    if arg is None:
        return None
    oracle = "lower(to_hex(CAST({0} AS BIGINT)))" if arg.type == T.I64 else "lower(to_hex(CAST(CAST({0} AS BIGINT) + CASE WHEN {0} < 0 THEN 4294967296 ELSE 0 END AS BIGINT)))"
    return made("to_hex", T.TEXT, [arg], "to_hex({0})", oracle, 16)


def digest(op, bound):
    def make(g, depth):
        if g.rng.random() < 0.3:
            arg = g.expr("blob", depth)
            return made(op, T.TEXT, [arg], f"{op}({{0}})", f"{op}({{0}})", bound) if op in ("md5", "sha1") else made(
                op, T.BLOB, [arg], "sha256({0})", "unhex(sha256({0}))")
        return one_text(g, depth, op, f"{op}({{0}})", bound=bound)
    return make


def encode(g, depth):
    arg = g.expr("blob", depth)
    ours, oracle = g.rng.choice((("encode({0}, 'hex')", "lower(hex({0}))"),
                                 ("replace(encode({0}, 'base64'), chr(10), '')", "base64({0})")))  # lines of 76, as PostgreSQL's
    return made("encode", T.TEXT, [arg], ours, oracle, 5000)


def decode(g, depth):
    word = g.rng.choice(("hex", "base64", "escape"))
    return made("decode", T.BLOB, [g.expr("blob", depth)], f"decode(encode({{0}}, '{word}'), '{word}')", "{0}")


def character(g, depth):
    arg = whole(g, depth)
    return made("chr", T.TEXT, [arg], "chr(33 + abs({0} % 90))", "chr(CAST(33 + abs({0} % 90) AS INTEGER))", 1) if arg is not None else None


# ---- regular expressions ----

def pattern(g):
    """(ours, the oracle's, is there a group, whatever the case)"""
    ours, oracle, group = g.rng.choice(PATTERNS)
    return quoted(braced(ours)), quoted(braced(oracle)), group, g.rng.random() < 0.3


def braced(text):
    return text.replace("{", "{{").replace("}", "}}")


def regexp_match(op):
    def make(g, depth):
        ours, oracle, _, any_case = pattern(g)
        flags = "si" if any_case or op == "regexp_match_any_case" else "s"
        if op == "regexp_like":
            name = g.rng.choice(("regexp_like", "regexp_matches"))
            return one_text(g, depth, op, f"{name}({{0}}, {ours}" + (", 'i')" if any_case else ")"), f"regexp_matches({{0}}, {oracle}, '{flags}')", T.BOOL)
        if op == "regexp_match" and g.rng.random() < 0.3:
            ours, oracle = (quoted(braced(p)) for p in g.rng.choice(SIMILAR))
            return one_text(g, depth, op, f"({{0}} SIMILAR TO {ours})", f"regexp_full_match({{0}}, {oracle}, 's')", T.BOOL)
        flags, symbol = ("si", "~*") if op == "regexp_match_any_case" else ("s", "~")
        is_negated = g.rng.random() < 0.3
        return one_text(g, depth, op, f"({{0}} {'!' if is_negated else ''}{symbol} {ours})",
                        f"({'NOT ' if is_negated else ''}regexp_matches({{0}}, {oracle}, '{flags}'))", T.BOOL)
    return make


def regexp_replace(g, depth):
    ours, oracle, group, any_case = pattern(g)
    is_all = g.rng.random() < 0.5
    new, theirs = g.rng.choice((("<\\&>", "<\\0>"), ("", ""), ("-", "-")) + ((("[\\1]", "[\\1]"),) if group else ()))
    flags = ("g" if is_all else "") + ("i" if any_case else "")
    more = f", '{flags}'" if flags else ""
    return one_text(g, depth, "regexp_replace", f"regexp_replace({{0}}, {ours}, {quoted(new)}{more})",
                    f"regexp_replace({{0}}, {oracle}, {quoted(theirs)}, 's{flags}')", bound=None)


def regexp_substr(g, depth):
    ours, oracle, group, _ = pattern(g)
    n = g.rng.choice((1, 1, 2, 3))
    return one_text(g, depth, "regexp_substr", f"regexp_substr({{0}}, {ours}" + (f", 1, {n})" if n > 1 else ")"),
                    f"regexp_extract_all({{0}}, {oracle}, 0, 's')[{n}]")


def regexp_extract(g, depth):
    ours, oracle, group, any_case = pattern(g)
    group = g.rng.randint(0, group)
    more = f", {group}" + (", 'i'" if any_case else "")
    return one_text(g, depth, "regexp_extract", f"regexp_extract({{0}}, {ours}{more})",
                    f"regexp_extract({{0}}, {oracle}, {group}, '{'si' if any_case else 's'}')")


def regexp_part(g, depth):
    ours, oracle, group, _ = pattern(g)
    return one_text(g, depth, "regexp_part", f"substring({{0}} from {ours})",
                    f"CASE WHEN regexp_matches({{0}}, {oracle}, 's') THEN regexp_extract({{0}}, {oracle}, {group}, 's') END")


def regexp_count(g, depth):
    ours, oracle, _, _ = pattern(g)
    return one_text(g, depth, "regexp_count", f"regexp_count({{0}}, {ours})", f"len(regexp_extract_all({{0}}, {oracle}, 0, 's'))", T.I64, MOST)


def regexp_instr(g, depth):
    ours, oracle, _, _ = pattern(g)
    inside = oracle[1:-1]
    if inside.startswith("^"):
        return None
    found = f"length(regexp_extract({{0}}, '^(.*?)(?:{inside})', 1, 's')) + 1"
    return one_text(g, depth, "regexp_instr", f"regexp_instr({{0}}, {ours})",
                    f"CASE WHEN regexp_matches({{0}}, {oracle}, 's') THEN {found} WHEN {{0}} IS NOT NULL THEN 0 END", T.I64, MOST)


# ---- numbers ----

def divisor(op):
    def make(g, depth):
        left, right = whole(g, depth, 2**20), whole(g, depth - 1, 2**20)
        if left is None or right is None:
            return None
        form = f"{op}({{0}}, {{1}})"
        return made(op, T.I64, [left, right], form, f"{op}(CAST({{0}} AS BIGINT), CAST({{1}} AS BIGINT))",
                    max(left.bound, right.bound) if op == "gcd" else left.bound * right.bound + 1)
    return make


def kind_of_real(op):
    def make(g, depth):
        arg = g.expr("float", depth)
        return made(op, T.BOOL, [arg], f"{op}({{0}})", f"{op}(CAST({{0}} AS DOUBLE))") if arg.exact else None
    return make


def sign_bit(g, depth):
    """Of neither NaN nor -0.0, of which keys and sums may make another."""
    arg = g.expr("float", depth)
    form = "signbit(nullif(CAST({0} AS double precision), CAST('nan' AS double precision)) + 0e0)"
    return made("signbit", T.BOOL, [arg], form, form) if arg.exact else None


# What is computed of an argument x: a form of x that is in the function's domain, and how large x may be.
LIBRARY = {"log2": ("(abs({0}) + 1)", 1e12), "cbrt": ("{0}", 1e12), "degrees": ("{0}", 1e6), "radians": ("{0}", 1e6), "sin": ("{0}", 1e5), "cos": ("{0}", 1e5),
           "tan": ("{0}", 1e4), "cot": ("({0} + 0.03125)", 1e4), "asin": ("({0} / (abs({0}) + 1))", 1e6), "acos": ("({0} / (abs({0}) + 1))", 1e6),
           "atan": ("{0}", 1e9), "sinh": ("({0} / (abs({0}) + 2) * 20)", 1e6), "cosh": ("({0} / (abs({0}) + 2) * 20)", 1e6), "tanh": ("{0}", 1e3), "asinh": ("{0}", 1e6), "acosh": ("(abs({0}) + 1)", 1e6),
           "atanh": ("({0} / (abs({0}) + 2))", 1e3)}


def libm(op):
    form, most = LIBRARY[op]

    def make(g, depth):
        arg = double(g, depth, most)
        if arg is None:
            return None
        whole_form = f"{op}({form})"
        return made(op, T.F64, [arg], whole_form, whole_form.replace("0.03125", "CAST(0.03125 AS DOUBLE)"), 1e9, exact=False)
    return make


def atan2(g, depth):
    args = [double(g, depth, 1e6), double(g, depth - 1, 1e6)]
    return None if None in args else made("atan2", T.F64, args, "atan2({0}, {1})", "atan2({0}, {1})", 4, exact=False)


def bits(op, symbol, oracle):
    def make(g, depth):
        args = [whole(g, depth), whole(g, depth - 1)]
        if None in args:
            return None
        t = T.I64 if T.I64 in (args[0].type, args[1].type) else T.I32
        wide = [f"CAST({{{i}}} AS BIGINT)" for i in range(2)]
        ours = f"xor({{0}}, {{1}})" if op == "bit_xor" and g.rng.random() < 0.4 else f"({{0}} {symbol} {{1}})"
        return made(op, t, args, ours, oracle.format(*wide), t.largest())
    return make


def bit_not(g, depth):
    arg = whole(g, depth)
    return made("bit_not", arg.type, [arg], "(~ {0})", "(- {0} - 1)", arg.bound + 1) if arg is not None else None


def shift(op, t, is_left):
    """By a constant; for the oracle computed with whole numbers of 128 bits."""
    width = 32 if t == T.I32 else 64

    def make(g, depth):
        arg = g.expr("int", depth)
        if arg.bound >= 2**31 or arg.type.kind in ("u32", "u64"):
            return None
        arg = cast(arg, t) if t == T.I64 else (arg if arg.type == T.I32 else cast(arg, T.I32))
        n = g.rng.choice((0, 1, 2, 5, 13, 31, width - 2, width - 1))
        wide, power = "CAST({0} AS HUGEINT)", f"CAST({2**n} AS HUGEINT)"
        if is_left:
            full, half = f"CAST({2**width} AS HUGEINT)", f"CAST({2**(width - 1)} AS HUGEINT)"
            oracle = f"CAST(((({wide} * {power} + {half}) % {full} + {full}) % {full}) - {half} AS {'INTEGER' if width == 32 else 'BIGINT'})"
        else:
            oracle = f"CAST(({wide} - (({wide} % {power}) + {power}) % {power}) // {power} AS {'INTEGER' if width == 32 else 'BIGINT'})"
        return made(op, t, [arg], f"({{0}} {'<<' if is_left else '>>'} {n})", oracle, t.largest() + is_left)  # the least number may come, whose negative does not fit
    return make


def factorial(g, depth):
    if depth > 0 and g.rng.random() < 0.8:  # it is the one that makes decimals
        return None
    arg, n = whole(g, depth), g.rng.choice((6, 13, 21, 34))
    return None if arg is None else made("factorial", T.decimal(38, 0), [arg], f"factorial(abs({{0}} % {n}))", f"factorial(CAST(abs({{0}} % {n}) AS INTEGER))", math.factorial(n - 1))


# {c} parts from {l} to {h}, which may be below it: as PostgreSQL computes it with doubles.
BUCKET = ("CASE WHEN {x} IS NULL OR {l} IS NULL OR {c} IS NULL THEN NULL WHEN {x} {before} {l} THEN 0 WHEN {x} {behind} {h} THEN {c} + 1 "
          "ELSE least(CAST(floor({c} * (({x} / 2 - {l} / 2) / ({h} / 2 - {l} / 2))) AS BIGINT) + 1, {c}) END")


def width_bucket(g, depth):
    """The bounds and the number of parts are constants or not."""
    rng = g.rng
    low, count, width = str(rng.randint(-400, 400) / 8), str(rng.choice((1, 3, 5, 10, 1000))), rng.choice((-1, 1, 1)) * rng.choice((1, 8, 24, 100, 8000, 80_000)) / 8
    args = [double(g, depth, 1e6)]
    if rng.random() < 0.3:
        args.append(double(g, depth - 1, 1e6))
        low = "{1}"
    if rng.random() < 0.3:
        count = f"(1 + abs({{{len(args)}}} % 9))"
        args.append(whole(g, depth - 1))
    if None in args:
        return None
    parts = {"x": "{0}", "l": f"CAST({low} AS DOUBLE)", "h": f"(CAST({low} AS DOUBLE) + CAST({width} AS DOUBLE))", "c": f"CAST({count} AS BIGINT)",
             "before": "<" if width > 0 else ">", "behind": ">=" if width > 0 else "<="}
    return made("width_bucket", T.I64, args, f"width_bucket({{0}}, {low}, {low} + ({width}), {count})", BUCKET.format(**parts), 10_000)


# ---- time ----

def make_timestamp(g, depth):
    args = [whole(g, depth), whole(g, depth - 1), whole(g, 0)]
    if None in args:
        return None
    form = "make_timestamp(1900 + abs({0} % 200), 1 + abs({1} % 12), 1 + abs({2} % 28), abs({1} % 24), abs({2} % 60), abs({0} % 480) / CAST(8 AS double precision))"
    return made("make_timestamp", T.TS, args, form, form, 50_000)


def plain_date(g, depth):
    args = [whole(g, depth), whole(g, depth - 1), whole(g, 0)]
    form = "make_date(1900 + abs({0} % 200), 1 + abs({1} % 12), 1 + abs({2} % 28))"
    return None if None in args else made("make_date", T.DATE, args, form, form, 50_000)


def of_moment(op, t, ours, oracle, bound=60):
    def make(g, depth):
        arg = moment(g, depth)
        return None if arg is None else made(op, t, [arg], ours, oracle, arg.bound + 40 if bound is None else bound)
    return make


def age(g, depth):
    args = [moment(g, depth), moment(g, depth - 1)]
    return None if None in args else made("age", T.INTERVAL, args, "age({0}, {1})", "age(CAST({0} AS TIMESTAMP), CAST({1} AS TIMESTAMP))", args[0].bound + args[1].bound)


def date_diff(g, depth):
    args, name = [moment(g, depth), moment(g, depth - 1)], g.rng.choice(("date_diff", "datediff"))
    unit = g.rng.choice(("microsecond", "millisecond", "second", "minute", "hour", "day", "month", "quarter", "year"))
    return None if None in args else made("date_diff", T.I64, args, f"{name}('{unit}', {{0}}, {{1}})", f"date_diff('{unit}', CAST({{0}} AS TIMESTAMP), CAST({{1}} AS TIMESTAMP))", 2**62)


def to_timestamp(g, depth):
    arg = whole(g, depth)
    return None if arg is None else made("make_timestamptz", T.TSTZ, [arg], "to_timestamp({0})", "to_timestamp(CAST({0} AS DOUBLE))", 60_000)


def to_char(g, depth):
    if g.rng.random() < 0.5:
        ours, oracle = g.rng.choice(PARTS)
        return of_moment("to_char", T.TEXT, f"to_char({{0}}, '{ours}')", oracle.replace("{t}", "CAST({0} AS TIMESTAMP)"))(g, depth)
    ours, oracle = g.rng.choice(FORMATS)
    return of_moment("to_char", T.TEXT, f"to_char({{0}}, '{ours}')", f"strftime({{0}}, '{oracle}')")(g, depth)


SIGN, PLUS_OR_MINUS = "CASE WHEN {x} < 0 THEN '-' ELSE '' END", "CASE WHEN {x} < 0 THEN '-' ELSE '+' END"
# to_char of a number x: the format, which has {nines} or {zeros} for its n digits, and the text, with the digits {a} of its amount.
NUMBERS = (("{nines}", f"lpad({SIGN} || {{a}}, {{n}} + 1, ' ')"), ("{zeros}", "CASE WHEN {x} < 0 THEN '-' ELSE ' ' END || lpad({a}, {n}, '0')"),
           ("FM{nines}", f"{SIGN} || {{a}}"), ("FM{zeros}", f"{SIGN} || lpad({{a}}, {{n}}, '0')"), ("{nines}MI", "lpad({a}, {n}, ' ') || CASE WHEN {x} < 0 THEN '-' ELSE ' ' END"),
           ("S{nines}", f"lpad({PLUS_OR_MINUS} || {{a}}, {{n}} + 1, ' ')"), ("{nines}S", f"lpad({{a}}, {{n}}, ' ') || {PLUS_OR_MINUS}"),
           ("{nines}PR", "CASE WHEN {x} < 0 THEN lpad('<' || {a}, {n} + 1, ' ') || '>' ELSE lpad({a}, {n} + 1, ' ') || ' ' END"),
           ("FM{nines}\"#\"", f"{SIGN} || {{a}} || '#'"), ("FM9,999,999,999,999", f"{SIGN} || format('{{:,}}', CAST({{a}} AS BIGINT))"),
           ("9,999,999,999,999", f"lpad({SIGN} || format('{{:,}}', CAST({{a}} AS BIGINT)), 18, ' ')"),
           ("FM{nines}th", f"{SIGN} || {{a}} || CASE WHEN {{x}} < 0 THEN '' ELSE " + TH.replace("{n}", "abs({x})") + " END"))


def to_char_number(g, depth):
    """Digits before the point, and of decimals behind it."""
    rng = g.rng
    arg = g.expr("dec", depth) if rng.random() < 0.4 else whole(g, depth)
    if arg is None or arg.special or not arg.exact or arg.bound >= 10**12 or arg.type.kind == "dec" and arg.type.precision > 28:
        return None
    if arg.type.kind == "dec":
        return fixed_to_char(rng, arg)
    digits = len(str(arg.bound)) + rng.choice((0, 0, 2, 5, -1))
    words, text_ = rng.choice(NUMBERS)
    if "{" in words and digits < len(str(arg.bound)) and (words not in ("{nines}", "FM{nines}", "{zeros}") or digits < 1):
        digits = len(str(arg.bound))
    if "{" not in words:
        digits = 13
    text_ = text_.replace("{:,}", "{{:,}}").replace("{a}", "CAST(abs(CAST({0} AS BIGINT)) AS VARCHAR)").replace("{x}", "{0}").replace("{n}", str(digits))
    if digits < len(str(arg.bound)):
        sign = "CASE WHEN {0} < 0 THEN '-' ELSE '" + ("" if words.startswith("FM") else " ") + "' END"
        text_ = f"CASE WHEN abs(CAST({{0}} AS BIGINT)) >= {10**digits} THEN {sign} || '{'#' * digits}' ELSE {text_} END"
    words = words.replace("{nines}", "9" * digits).replace("{zeros}", "0" * digits)
    return made("to_char_number", T.TEXT, [arg], f"to_char({{0}}, '{words}')", f"({text_})", 30)


def fixed_to_char(rng, arg):
    digits, places = len(str(int(arg.bound) + 1)) + rng.choice((0, 2)), rng.choice((1, 2, 3))
    rounded = f"CAST(round(CAST({{0}} AS DECIMAL(38,{arg.type.scale})), {min(places, arg.type.scale)}) AS DECIMAL(38,{places}))"
    text_ = f"(CASE WHEN {rounded} < 0 THEN '-' ELSE '' END || CAST(abs({rounded}) AS VARCHAR))"
    is_short = rng.random() < 0.4
    words = f"{'FM' if is_short else ''}{'9' * (digits - 1)}0{rng.choice('.D')}{'0' * places}"
    return made("to_char_number", T.TEXT, [arg], f"to_char({{0}}, '{words}')", text_ if is_short else f"lpad({text_}, {digits + places + 2}, ' ')", 60)


# ---- random numbers, of which only the range is known ----

def random_(g, depth):
    form_ = g.rng.choice(("(random() < 1)", "(random() >= 0)", "(floor(random() * 8) BETWEEN 0 AND 7)", "(random() IS NOT NULL)", "(random() + random() BETWEEN 0 AND 2)"))
    if g.rng.random() < 0.5:
        return made("random", T.BOOL, [], form_, "true")
    return made("random", T.BOOL, [g.condition(depth)], f"({{0}} AND {form_})", "{0}")


def random_number(g, depth):
    arg = whole(g, depth)
    return None if arg is None else made("random_number", arg.type, [arg], "({0} + CAST(floor(random()) AS integer))", "{0}", arg.bound)


VERSION = "substring(CAST(gen_random_uuid() AS varchar), 15, 1)"
UUIDS = ("(gen_random_uuid() IS NOT NULL)", f"({VERSION} = '4')", "(gen_random_uuid() <> gen_random_uuid())", "(uuid() IS DISTINCT FROM uuidv4())",
         "(substring(CAST(gen_random_uuid() AS varchar), 20, 1) IN ('8', '9', 'a', 'b'))", "(length(CAST(uuidv4() AS varchar)) = 36)")


def random_uuid(g, depth):
    form_ = g.rng.choice(UUIDS)
    if g.rng.random() < 0.3:
        return made("gen_random_uuid", T.BOOL, [], form_, "true")
    if g.rng.random() < 0.5:
        return made("gen_random_uuid", T.BOOL, [g.condition(depth)], f"({{0}} AND {form_})", "{0}")
    arg = g.expr("uuid", depth)
    return made("gen_random_uuid", T.BOOL, [arg], "({0} <> gen_random_uuid())", "({0} IS NOT NULL OR NULL)")


# ---- zones ----

def zone_of(g, depth):
    """(the zone as SQL of either engine, arguments, DuckDB's name): a constant, or one of two by the condition {1}."""
    ours, oracle = zones.random_zone(g.rng)
    if g.rng.random() < 0.25:
        other = g.rng.choice((zones.random_zone(g.rng), ("UTC", "UTC")))
        choice = "CASE WHEN {1} THEN '%s' ELSE '%s' END"
        return choice % (ours, other[0]), choice % (oracle, other[1]), [g.condition(min(depth, 1))], oracle
    return f"'{ours}'", f"'{oracle}'", [], oracle


def at_zone(rng, ours):
    return rng.choice((f"({{0}} AT TIME ZONE {ours})", f"timezone({ours}, {{0}})"))


def zone_local(g, depth):
    """What a zone's clock shows at an instant, or at the beginning of a day."""
    ours, oracle, more, name = zone_of(g, depth)
    arg = zones.instant_near(g.rng, name) if g.rng.random() < 0.15 else g.expr(g.rng.choice(("tstz", "tstz", "tstz", "date")), depth)
    if arg.bound > 100_000:
        return None
    return made("zone_local", T.TS, [arg] + more, at_zone(g.rng, ours), f"(CAST({{0}} AS TIMESTAMPTZ) AT TIME ZONE {oracle})", arg.bound + 2)


def zone_instant(g, depth):
    """The instant at which a zone's clock shows it; or the beginning of a zone's day."""
    rng = g.rng
    ours, oracle, more, name = zone_of(g, depth)
    if rng.random() < 0.3:
        unit, arg = rng.choice(("day", "week", "month", "quarter", "year")), g.expr("tstz", depth)
        ours, oracle = f"date_trunc('{unit}', {{0}}, {ours})", f"(CAST(date_trunc('{unit}', {{0}} AT TIME ZONE {oracle}) AS TIMESTAMP) AT TIME ZONE {oracle})"
        return made("zone_instant", T.TSTZ, [arg] + more, ours, oracle, arg.bound + 400) if arg.bound <= 100_000 else None
    arg = zones.local_near(rng, name) if rng.random() < 0.15 else g.expr("ts", depth)
    if arg.bound > 100_000 or arg.type != T.TS:
        return None
    return made("zone_instant", T.TSTZ, [arg] + more, at_zone(rng, ours), f"({{0}} AT TIME ZONE {oracle})", arg.bound + 2)


KEPT = "({0} - ({0} AT TIME ZONE {zone} - date_trunc('{unit}', {0} AT TIME ZONE {zone})))"


def zone_keep(g, depth):
    """Parts of a day are cut off, and the offset stays: DuckDB's own would take the instant anew, of two hours that look alike the second."""
    ours, oracle, more, name = zone_of(g, depth)
    arg, unit = zones.instant_near(g.rng, name) if g.rng.random() < 0.25 else g.expr("tstz", depth), g.rng.choice(("hour", "hour", "minute", "second", "milliseconds"))
    if arg.bound > 100_000:
        return None
    oracle = KEPT.replace("{zone}", oracle).replace("{unit}", unit)
    return made("zone_keep", T.TSTZ, [arg] + more, f"date_trunc('{unit}', {{0}}, {ours})", oracle, arg.bound + 2)


def strftime(g, depth):
    word = g.rng.choice(WORDS)
    return of_moment("strftime", T.TEXT, f"strftime({{0}}, '{word}')", f"strftime({{0}}, '{word}')")(g, depth)


def there_and_back(op, t, call_name, words, oracle):
    def make(g, depth):
        arg = moment(g, depth)
        if arg is None:
            return None
        return made(op, t, [arg], f"{call_name}(to_char({{0}}, '{words}'), '{words}')", oracle, arg.bound + 1)
    return make


# Of a whole number.
PRINTED = ("%d", "%6d", "%-6d|", "%06d", "%+d", "%,d", "%x", "%o %%")
PLACES = ("{}", "{:6}", "{:<6}|", "{:06d}", "{:+d}", "{:,}", "{:^9}", "{:x} {{}}")


def printed(op, forms):
    def make(g, depth):
        arg, form = whole(g, depth), g.rng.choice(forms).replace("{", "{{").replace("}", "}}")
        return None if arg is None else made(op, T.TEXT, [arg], f"{op}('{form}', {{0}})", f"{op}('{form}', {{0}})", 60)
    return make


# (JSON of a whole number and a text, paths into it)
DOCUMENTS = (("json_object('a', {0}, 'b', {1})", ("$.a", "$.b", "b", "/b", "$.c", "$")), ("json_array({1}, NULL, {0})", ("$[0]", "$[2]", "$[-1]", "/1", "$[7]")),
             ("json_object('o', json_array({0}, json_object('k', {1})))", ("$.o[0]", "$.o[1].k", "/o/1", "$.o[#-1].k", "$.o.k")))


def of_json(op, t, bound):
    """A function of a document and a path."""
    def make(g, depth):
        number, word = whole(g, depth), text(g, depth - 1)
        document, paths = g.rng.choice(DOCUMENTS)
        if number is None or word is None:
            return None
        form = f"{op}({document}, '{g.rng.choice(paths)}')"
        if t == T.TEXT:  # a literal beside JSON would have to be JSON
            form = f"CAST({form} AS VARCHAR)"
        return made(op, t, [number, word], form, form, bound)
    return make


# Each function, by the class that it makes.
TABLE = {
    "text": {"split_part": split_part, "lpad": pad("lpad"), "rpad": pad("rpad"), "repeat": repeated, "translate": translate,
             "initcap": lambda g, d: one_text(g, d, "initcap", "initcap({0})", CAPITAL), "chr": character, "concat_ws": concat_ws, "to_hex": to_hex,
             "md5": digest("md5", 32), "sha1": digest("sha1", 40), "printf": printed("printf", PRINTED), "format": printed("format", PLACES),
             "json_extract": of_json("json_extract", T.TEXT, MOST), "json_extract_string": of_json("json_extract_string", T.TEXT, MOST), "json_value": of_json("json_value", T.TEXT, MOST),
             "json_type": of_json("json_type", T.TEXT, 10), "json_quote": lambda g, d: one_text(g, d, "json_quote", "CAST(to_json(CAST({0} AS varchar)) AS varchar)", "CAST(to_json({0}) AS VARCHAR)", bound=MOST), "sha256": digest("sha256", 64), "encode": encode, "regexp_replace": regexp_replace,
             "regexp_substr": regexp_substr, "regexp_extract": regexp_extract, "regexp_part": regexp_part, "to_char": to_char, "strftime": strftime,
             "monthname": of_moment("monthname", T.TEXT, "monthname({0})", "monthname({0})", 9), "dayname": of_moment("dayname", T.TEXT, "dayname({0})", "dayname({0})", 9),
             **{op: of_path(op) for op in ("parse_filename", "parse_dirname", "parse_dirpath")},
             "text_of_bytes": lambda g, d: one_text(g, d, "text_of_bytes", "decode(encode({0}))"),
             "url_encode": lambda g, d: one_text(g, d, "url_encode", "url_encode({0})", bound=MOST),
             "url_decode": lambda g, d: one_text(g, d, "url_decode", "url_decode(url_encode({0}))"), "to_base64": of_blob("to_base64", T.TEXT, "to_base64({0})"),
             "format_bytes": of_bytes("format_bytes", "format_bytes"), "format_decimal_bytes": of_bytes("format_decimal_bytes", "formatReadableDecimalSize"), "bar": bar,
             "to_char_number": to_char_number, "setseed": lambda g, d: made("setseed", T.TEXT, [], f"setseed({g.rng.choice((0, 0.25, -1, 1))})", "''")},
    "bool": {"regexp_match": regexp_match("regexp_match"), "regexp_match_any_case": regexp_match("regexp_match_any_case"),
             "regexp_like": regexp_match("regexp_like"), "isfinite": kind_of_real("isfinite"), "isinf": kind_of_real("isinf"), "isnan": kind_of_real("isnan"),
             "signbit": sign_bit, "json_exists": of_json("json_exists", T.BOOL, 1),
             "json_valid": lambda g, d: one_text(g, d, "json_valid", "json_valid({0} || '')", t=T.BOOL, bound=1), "ends_with": of_two_texts("ends_with", T.BOOL), "random": random_, "gen_random_uuid": random_uuid},
    "int": {"ascii": lambda g, d: one_text(g, d, "ascii", "ascii({0})", t=T.I64, bound=1_200_000), "regexp_count": regexp_count, "regexp_instr": regexp_instr,
            "unicode": lambda g, d: one_text(g, d, "unicode", "unicode({0})", t=T.I64, bound=1_200_000), "bit_count": bit_count,
            "epoch_ms": of_moment("epoch_ms", T.I64, "epoch_ms({0})", "epoch_ms({0})", 1e15), "epoch_us": of_moment("epoch_us", T.I64, "epoch_us({0})", "epoch_us({0})", 1e18),
            "epoch_ns": of_moment("epoch_ns", T.I64, "epoch_ns({0})", "epoch_ns({0})", 2**63),
            "levenshtein": of_two_texts("levenshtein"), "damerau_levenshtein": of_two_texts("damerau_levenshtein"),
            "hamming": of_two_texts("hamming", form="{op}('x' || {0} || reverse({1}), 'y' || {1} || reverse({0}))"),
            "parse_bytes": parse_bytes, "json_array_length": of_json("json_array_length", T.I64, 10),
            "gcd": divisor("gcd"), "lcm": divisor("lcm"), "bit_and": bits("bit_and", "&", "({0} & {1})"), "bit_or": bits("bit_or", "|", "({0} | {1})"),
            "bit_xor": bits("bit_xor", "#", "xor({0}, {1})"), "bit_not": bit_not, "shift_left": shift("shift_left", T.I64, True),
            "shift_right": shift("shift_right", T.I64, False), "shift_left_32": shift("shift_left_32", T.I32, True),
            "shift_right_32": shift("shift_right_32", T.I32, False), "date_diff": date_diff, "random_number": random_number, "width_bucket": width_bucket},
    "dec": {"factorial": factorial},
    "float": {"atan2": atan2, "even": even, "jaccard": of_two_texts("jaccard", T.F64, "{op}('x' || {0}, 'y' || {1})", 2), "jaro_similarity": of_two_texts("jaro_similarity", T.F64, bound=2),
              "jaro_winkler_similarity": of_two_texts("jaro_winkler_similarity", T.F64, bound=2), **{op: libm(op) for op in LIBRARY}},
    "blob": {"decode": decode, "bytes_of_text": lambda g, d: one_text(g, d, "bytes_of_text", "encode({0})", t=T.BLOB), "from_base64": of_blob("from_base64", T.BLOB, "from_base64(to_base64({0}))")},
    "date": {"make_date": plain_date, "last_day": of_moment("last_day", T.DATE, "last_day({0})", "last_day({0})", None),
             "to_date": there_and_back("to_date", T.DATE, "to_date", "YYYY-MM-DD", "CAST({0} AS DATE)")},
    "ts": {"make_timestamp": make_timestamp, "timestamp_of_us": timestamp_of("timestamp_of_us", "make_timestamp"), "timestamp_of_ms": timestamp_of("timestamp_of_ms", "make_timestamp_ms"),
           "strptime": strptime("strptime"), "try_strptime": strptime("try_strptime"), "time_bucket": bucket, "date_bin": date_bin, "zone_local": zone_local},
    "tstz": {"zone_instant": zone_instant, "zone_keep": zone_keep,
             "make_timestamptz": to_timestamp,
             "parse_timestamp": there_and_back("parse_timestamp", T.TSTZ, "to_timestamp", "YYYY-MM-DD HH24:MI:SS.US", "CAST(CAST({0} AS TIMESTAMP) AS TIMESTAMPTZ)")},
    "interval": {"age": age, "timestamp_difference": gen_time.difference},
}
IN_SESSION = ("zone_offset", "zone_add", "zone_format", "zone_read", "zone_to_char", "zone_to_timestamp")  # gen_zone.py
OPS = sorted({op for ops in TABLE.values() for op in ops})


def of_class(g, klass, depth, exact):
    """A call that makes the class; None: there is none, or its arguments did not fit."""
    ops = TABLE.get(klass)
    if not ops or (klass == "float" and exact):
        return None
    return ops[g.rng.choice(sorted(ops))](g, depth)


def any_call(g, depth, exact):
    """Of all functions alike."""
    op = g.rng.choice(OPS)
    made_ = next(ops[op] for ops in TABLE.values() if op in ops)(g, depth)
    return made_ if made_ is not None and (made_.exact or not exact) else None


def form(e, dialect):
    """The call, for DuckDB cast to the type that docs/SQL.md names."""
    from .render import args_sql, duckdb_type
    text_ = e.data[dialect].format(*args_sql(e, dialect))
    return text_ if dialect == 0 else f"CAST({text_} AS {duckdb_type(e.type)})"
