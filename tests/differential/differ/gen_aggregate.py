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


def summed(g, klass, depth):
    rng = g.rng
    arg = g.expr("float" if klass == "float" else rng.choice(("int", "int", "dec")), depth)
    if arg.special or (klass == "float" and arg.bound > 1e12):
        return None
    t = T.F64 if klass == "float" else T.decimal(38, arg.type.scale)
    if arg.bound * ROWS >= (1e30 if klass == "float" else t.largest()):
        return None
    return made(g, "SUM", t, arg, arg.bound * ROWS, klass != "float")


def mean(g, function, depth):
    rng = g.rng
    arg = g.expr(rng.choice(("int", "dec", "float")), depth)
    # variances of large numbers lose digits, in another way in each engine
    if arg.special or arg.bound > (1e15 if function == "AVG" else 1e5) or arg.type.precision > 28:
        return None
    if function == "AVG" and arg.type.kind == "dec" and arg.bound * ROWS > T.decimal(38, arg.type.scale).largest():
        return None
    return made(g, function, T.F64, arg, arg.bound ** 2 + 1, False)


def aggregate(g, klass, depth=2, keys=()):
    """An aggregate whose result has the class; None: none was found."""
    rng = g.rng
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
