"""Random aggregates."""
from . import types as T
from .expr import Expr

ROWS = 10**6  # more than any group has
NAMES = {"AVG": ("avg",), "STDDEV_SAMP": ("stddev", "stddev_samp"), "STDDEV_POP": ("stddev_pop",),
         "VAR_SAMP": ("variance", "var_samp"), "VAR_POP": ("var_pop",), "BOOL_AND": ("bool_and", "every"), "BOOL_OR": ("bool_or",)}
ORACLE_NAMES = {"stddev": "stddev_samp", "variance": "var_samp", "every": "bool_and"}
BY_CLASS = {"int": ("COUNT_STAR", "COUNT", "COUNT", "MIN", "MAX", "ANY_VALUE", "BIT_AND", "BIT_OR", "BIT_XOR"), "dec": ("SUM", "SUM", "SUM", "MIN", "MAX", "ANY_VALUE"),
            "float": ("SUM", "AVG", "AVG", "STDDEV_SAMP", "STDDEV_POP", "VAR_SAMP", "VAR_POP", "MIN", "MAX"),
            "bool": ("BOOL_AND", "BOOL_OR", "MIN", "MAX")}


def made(g, function, t, arg, bound, exact):
    rng = g.rng
    name = rng.choice(NAMES.get(function, (function.lower(),)))
    name = "count" if function == "COUNT_STAR" else name
    condition = g.condition(2) if rng.random() < 0.15 else None
    is_distinct = arg is not None and arg.exact and rng.random() < 0.15 and arg.type.kind != "interval"
    data = {"function": function, "name": name, "oracle": ORACLE_NAMES.get(name, name), "distinct": is_distinct, "filter": condition}
    return Expr("aggregate", t, [arg] if arg is not None else [], data, bound, exact,
                special=bool(arg is not None and arg.special and t.kind in T.FLOATS))


def one_value(g, klass):
    """any_value where all values of the group that count are equal."""
    rng = g.rng
    found = [c for c in g.columns_of(klass, True) if c.type.kind not in T.FLOATS]
    if not found:
        return None
    arg = rng.choice(found)
    value = g.literal(klass)
    if T.common(arg.type, value.type) != arg.type or value.type != arg.type:
        return None
    e = made(g, "ANY_VALUE", arg.type, arg, arg.bound, True)
    e.data["filter"] = Expr("eq", T.BOOL, [arg, value])
    return e


def loses_digits(arg):
    """Floats whose sum, where large ones cancel each other, depends on the order in which they are added."""
    return arg.type.kind in T.FLOATS and not arg.grain and arg.bound > 1e8


def summed(g, klass, depth):
    rng = g.rng
    arg = g.expr("float" if klass == "float" else rng.choice(("int", "int", "dec")), depth)
    if arg.special or (klass == "float" and arg.bound > 1e12) or loses_digits(arg):
        return None
    t = T.F64 if klass == "float" else T.decimal(38, arg.type.scale)
    if arg.bound * ROWS >= (1e30 if klass == "float" else t.largest()):
        return None
    return made(g, "SUM", t, arg, arg.bound * ROWS, klass != "float")


def mean(g, function, depth):
    rng = g.rng
    arg = g.expr(rng.choice(("int", "dec", "float")), depth)
    # variances of large numbers lose digits, in another way in each engine
    if arg.special or arg.bound > (1e15 if function == "AVG" else 1e5) or arg.type.precision > 28 or loses_digits(arg):
        return None
    if function == "AVG" and arg.type.kind == "dec" and arg.bound * ROWS > T.decimal(38, arg.type.scale).largest():
        return None
    return made(g, function, T.F64, arg, arg.bound ** 2 + 1, False)


# Of pairs, each with a result that is a double but the count's.
PAIRS = ("corr", "covar_pop", "covar_samp", "regr_count", "regr_avgx", "regr_avgy", "regr_sxx", "regr_syy", "regr_sxy", "regr_slope",
         "regr_intercept", "regr_r2")
SHARES = ("0", "0.1", "0.25", "0.5", "0.75", "0.9", "1")


def composed(function, t, args, ours, oracle, exact, condition):
    """An aggregate that is made of others."""
    data = {"function": function, "name": function.lower(), "oracle": "", "distinct": False, "filter": condition, "forms": (ours, oracle)}
    bound = max(a.bound for a in args) ** (2 if t == T.F64 else 1) + 1
    return Expr("aggregate", t, args, data, bound * 40 if function == "STRING_AGG" else bound, exact)


def composite(g, klass, depth, keys):
    """One of those that docs/SQL.md lists under ordered rows, or of pairs."""
    rng = g.rng
    condition = g.condition(1) if rng.random() < 0.15 else None
    kind = rng.choice(("quantile", "quantile", "disc", "disc", "mode", "mode", "arg", "arg", "texts", "texts", "approximate", "first", "first", "library", "library") + ("pair",) * 9)
    if kind == "quantile":
        return quantile(g, depth, condition)
    if kind == "disc":
        arg = g.any(depth)
        p, name = rng.choice(SHARES), rng.choice(("quantile_disc", "approx_quantile"))
        if arg.type.kind in ("interval", "bool", "blob") or arg.special or arg.is_literal:
            return None
        ours = rng.choice((f"percentile_disc({p}) WITHIN GROUP (ORDER BY {{0}})", f"{name}({{0}}, {p})"))
        return composed("QUANTILE_DISC", arg.type, [arg], ours, f"quantile_disc({{0}}, {p})", True, condition)
    if kind == "mode":
        e = one_value(g, klass)
        if e is None or e.type.kind in ("interval", "bool"):
            return None
        ours = rng.choice(("mode({0})", "mode() WITHIN GROUP (ORDER BY {0})"))
        return composed("MODE", e.type, e.args, ours, "mode({0})", True, e.data["filter"])
    if kind == "arg":
        return of_extreme(g, klass, condition)
    if kind == "approximate":
        return approximate(g, depth)
    if kind == "first":
        return first(g, depth, condition)
    if kind == "library":
        return library(g, depth, condition)
    if kind == "texts":
        made_ = ordered_texts(g, depth, condition) if rng.random() < 0.6 else None
        if made_ is not None:
            return made_
        arg = g.expr("int", depth)
        text = "string_agg(DISTINCT CAST({0} AS VARCHAR), '/' ORDER BY CAST({0} AS VARCHAR))"
        return composed("STRING_AGG", T.TEXT, [arg], text, text, True, condition)
    return pair(g, depth, condition)


def ordered_texts(g, depth, condition):
    """In the order of keys and then of the texts themselves, so that equal keys leave nothing open."""
    rng = g.rng
    arg = g.expr("text", depth)
    keys = [c for c in g.columns if c.op == "column" and c.exact and c.type.kind not in ("interval",) + T.FLOATS]
    keys = rng.sample(keys, min(len(keys), rng.choice((0, 1, 1, 2))))
    if arg.bound > 3000 or arg.is_literal:
        return None
    delimiter = rng.choice((",", "", "; ", "\u00e9"))
    order = [f"{{{i + 1}}}{rng.choice(('', ' DESC'))} NULLS {rng.choice(('FIRST', 'LAST'))}" for i in range(len(keys))] + ["{0}" + rng.choice(("", " DESC"))]
    text = f"({{0}}, '{delimiter}' ORDER BY {', '.join(order)})"
    return composed("STRING_AGG", T.TEXT, [arg] + keys, rng.choice(("string_agg", "listagg", "group_concat")) + text, "string_agg" + text, True, condition)


def first(g, depth, condition):
    """The value of the first or last row, in the order of keys and then of the values themselves."""
    rng = g.rng
    arg = g.any(depth)
    keys = [c for c in g.columns if c.op == "column" and c.exact and c.type.kind not in ("interval",) + T.FLOATS]
    if arg.type.kind in ("interval", "blob") + T.FLOATS or not arg.exact or arg.is_literal:
        return None
    keys = rng.sample(keys, min(len(keys), rng.choice((0, 1, 2))))
    order = ", ".join(f"{{{i}}}{rng.choice(('', ' DESC'))} NULLS {rng.choice(('FIRST', 'LAST'))}" for i in list(range(1, len(keys) + 1)) + [0])
    name = rng.choice(("first", "last", "any_value"))
    ours = rng.choice((name, "arbitrary")) if name == "first" else name
    e = composed(name.upper(), arg.type, [arg] + keys, f"{ours}({{0}} ORDER BY {order})", f"{name}({{0}} ORDER BY {order})", True, condition)
    e.bound, e.grain = arg.bound, arg.grain
    return e


def library(g, depth, condition):
    """One of those whose results are doubles or counts."""
    rng = g.rng
    name = rng.choice(("entropy", "mad", "count_if", "fsum", "favg", "sem", "weighted_avg", "product"))
    if name == "entropy":
        arg = g.any(depth)
        if arg.type.kind in ("interval",) + T.FLOATS or not arg.exact or arg.is_literal:
            return None
        return composed("ENTROPY", T.F64, [arg], "entropy({0})", "entropy({0})", False, condition)
    if name == "count_if":
        return composed("COUNT_IF", T.I64, [g.condition(depth)], "count_if({0})", "count_if({0})", True, condition)
    args = [side(g, depth) for _ in range(2 if name == "weighted_avg" else 1)]
    if None in args:
        return None
    if name == "product":  # of at most three numbers, and signs
        form = "product(CASE WHEN abs({0}) <= 1 THEN sign({0}) ELSE 1 END)"
        return composed("PRODUCT", T.F64, args, form, form, False, condition)
    if name == "weighted_avg":
        form = "weighted_avg(CAST({0} AS DOUBLE), abs(CAST({1} AS DOUBLE)) + 1)"
    else:
        form = f"{name}(CAST({{0}} AS DOUBLE))"
    return composed(name.upper(), T.F64, args, form, form, False, condition)


def approximate(g, depth):
    """Whether it is within five times its error of the right number, which count(DISTINCT) says."""
    arg = g.any(depth)
    if arg.type.kind == "interval" or not arg.exact or arg.is_literal:
        return None
    ours = "(abs(approx_count_distinct({0}) - count(DISTINCT {0})) * 18 <= count(DISTINCT {0}) + 36)"
    e = composed("APPROX_COUNT_DISTINCT", T.BOOL, [arg], ours, "(count({0}) >= 0)", True, None)
    e.bound = 1
    return e


def pair(g, depth, condition):
    rng = g.rng
    sides = [side(g, depth), side(g, depth - 1)]
    if None in sides:
        return None
    name = rng.choice(PAIRS)
    oracle = f"{name}(CAST({{0}} AS DOUBLE), CAST({{1}} AS DOUBLE))"
    return composed(name.upper(), T.I64 if name == "regr_count" else T.F64, sides, f"{name}({{0}}, {{1}})", oracle, name == "regr_count", condition)


def side(g, depth):
    """A number of which the squares' sums keep their digits."""
    for _ in range(5):
        e = g.expr(g.rng.choice(("int", "dec", "float")), depth)
        if not e.special and e.bound <= 1e5 and e.exact and not e.is_literal:
            return e
    return None


def quantile(g, depth, condition):
    rng = g.rng
    arg, p = g.expr(rng.choice(("int", "dec", "float")), depth), rng.choice(SHARES)
    if arg.special or arg.bound > 1e12 or arg.is_literal:
        return None
    if rng.random() < 0.4:
        return composed("MEDIAN", T.F64, [arg], "median({0})", "median(CAST({0} AS DOUBLE))", False, condition)
    ours = rng.choice((f"percentile_cont({p}) WITHIN GROUP (ORDER BY {{0}})", f"quantile_cont({{0}}, {p})"))
    return composed("QUANTILE_CONT", T.F64, [arg], ours, f"quantile_cont(CAST({{0}} AS DOUBLE), {p})", False, condition)


def of_extreme(g, klass, condition):
    """arg_min(value, key): the value is one of the key, as another row may have the key as well."""
    from .gen_expr import Generator
    rng = g.rng
    found = [c for c in g.columns if c.op == "column" and c.exact and not c.special and c.type.kind not in ("interval", "bool", "blob")
             and c.type.kind not in T.FLOATS]
    if not found:
        return None
    key = rng.choice(found)
    value = Generator(rng, [key], None, g.pool).expr(klass, 2)
    if value.type.kind in ("interval", "bool", "blob") or not value.exact or value.special:
        return None
    name = rng.choice(("arg_min", "arg_max"))
    ours = name if rng.random() < 0.6 else {"arg_min": "min_by", "arg_max": "max_by"}[name]
    e = composed(name.upper(), value.type, [value, key], f"{ours}({{0}}, {{1}})", f"{name}({{0}}, {{1}})", True, condition)
    e.bound, e.grain = value.bound, value.grain
    return e


COMPOSITES = ("MEDIAN", "QUANTILE_CONT", "QUANTILE_DISC", "MODE", "ARG_MIN", "ARG_MAX", "STRING_AGG", "APPROX_COUNT_DISTINCT", "FIRST", "LAST", "ENTROPY", "MAD",
              "COUNT_IF", "FSUM", "FAVG", "SEM", "WEIGHTED_AVG", "PRODUCT")


def aggregate(g, klass, depth=2, keys=(), composites=True):
    """An aggregate whose result has the class, if it is none of those made of others; None: none was found."""
    rng = g.rng
    if composites and rng.random() < 0.3:
        return composite(g, klass, depth, keys)
    function = rng.choice(BY_CLASS.get(klass, ("MIN", "MAX", "ANY_VALUE")))
    if function == "COUNT_STAR":
        return made(g, function, T.I64, None, ROWS, True)
    if function == "COUNT":
        arg = g.any(depth)
        return made(g, function, T.I64, arg, ROWS, True)
    if function == "SUM":
        return summed(g, klass, depth)
    if function == "ANY_VALUE":
        fitting = [k for k in keys if k.type.klass == klass and k.type.kind not in T.FLOATS]
        if fitting and rng.random() < 0.7:
            arg = rng.choice(fitting)
            return made(g, function, arg.type, arg, arg.bound, True)
        return one_value(g, klass)
    if function in ("AVG", "STDDEV_SAMP", "STDDEV_POP", "VAR_SAMP", "VAR_POP"):
        return mean(g, function, depth)
    if klass == "interval":
        return None
    arg = g.expr(klass, depth)
    if function.startswith("BIT_") and arg.type.kind == "dec":
        return None
    bound = 2 * arg.bound + 1 if function.startswith("BIT_") else arg.bound
    return made(g, function, arg.type, arg, bound, True)
