"""Random calls of functions OVER windows. What they give must not depend on the order of equal rows: either the
function does not, or the window's order is by all columns there are."""
from . import types as T
from .expr import Expr, cast
from .gen_aggregate import ROWS
from .gen_expr import Generator

PEERS = ("RANK", "DENSE_RANK", "PERCENT_RANK", "CUME_DIST")
ROW = ("ROW_NUMBER", "NTILE", "LAG", "LEAD", "FIRST_VALUE", "LAST_VALUE", "NTH_VALUE")
AGGREGATES = ("COUNT_STAR", "COUNT", "SUM", "MIN", "MAX", "BOOL_AND", "AVG", "COUNT_DISTINCT", "SUM_DISTINCT", "QUANTILE_DISC")
EXCLUSIONS = ("", "", "", "", " EXCLUDE CURRENT ROW", " EXCLUDE GROUP", " EXCLUDE TIES", " EXCLUDE NO OTHERS")
BOUNDS = ("UNBOUNDED PRECEDING", "{} PRECEDING", "CURRENT ROW", "{} FOLLOWING", "UNBOUNDED FOLLOWING")


def frame(rng, modes):
    """A frame clause, or none."""
    if not modes or rng.random() < 0.3:
        return ""
    start = rng.randrange(4)
    end = rng.choice([i for i in range(1, 5) if i >= start or start == 2 and i == 2])
    words = [BOUNDS[i].format(rng.choice((0, 1, 1, 2, 3, 10))) for i in (start, end)]
    return f"{rng.choice(modes)} BETWEEN {words[0]} AND {words[1]}"


def peer_frame(rng):
    """A frame of whole groups of peers."""
    text = frame(rng, ("GROUPS", "RANGE"))
    if text.startswith("RANGE") and any(c.isdigit() for c in text):
        text = text.replace("RANGE", "GROUPS")
    return text and text + rng.choice(("", "", " EXCLUDE GROUP"))


def aggregate(g, rng):
    """(function, type, arguments, bound, exact) or None."""
    function = rng.choice(AGGREGATES)
    if function == "COUNT_STAR":
        return function, T.I64, [], ROWS, True
    if function == "COUNT":
        return function, T.I64, [g.any(2)], ROWS, True
    if function == "BOOL_AND":
        return function, T.BOOL, [g.condition(2)], 1, True
    if function == "COUNT_DISTINCT":
        arg = g.any(2)
        return None if arg.type.kind == "interval" else (function, T.I64, [arg], ROWS, True)
    if function in ("SUM", "SUM_DISTINCT", "AVG"):
        arg = g.expr(rng.choice(("int", "dec")), 2)
        t = T.decimal(38, arg.type.scale)
        if arg.special or arg.bound * ROWS >= t.largest() or arg.type.precision > 28:
            return None
        return (function, t, [arg], arg.bound * ROWS, True) if function != "AVG" else (function, T.F64, [arg], arg.bound ** 2 + 1, False)
    arg = g.any(2)
    if arg.type.kind == "interval" or function == "QUANTILE_DISC" and (arg.type.kind in ("bool", "blob") or arg.special or arg.is_literal):
        return None
    return function, arg.type, [arg], arg.bound, True


def of_row(g, rng):
    function = rng.choice(ROW)
    if function == "ROW_NUMBER":
        return function, T.I64, [], ROWS, True
    if function == "NTILE":
        return function, T.I32, [number(rng, 1)], ROWS, True
    arg = g.any(2)
    args = [arg]
    if function == "NTH_VALUE":
        args.append(number(rng, 1))
    elif function in ("LAG", "LEAD") and rng.random() < 0.5:
        args.append(number(rng, 0))
    return function, arg.type, args, arg.bound, arg.exact


def number(rng, least):
    value = rng.choice((1, 2, 3, 7, 100)) if least else rng.choice((0, 1, 2, 5, 1000))
    return Expr("literal", T.I32, (), (str(value), str(value), value), value)


def window(g, may_number):
    """A call, or None. g: a generator over the columns of FROM. may_number: it may tell equal rows apart, as one call
    of a statement may: which of them two calls number alike is anybody's guess."""
    rng = g.rng
    # -0 and 0 are peers, but not the same
    plain = [c for c in g.columns if c.exact and c.type.kind != "interval" and c.type.kind not in T.FLOATS]
    if not plain:
        return None
    bare = Generator(rng, plain, None, g.pool)
    is_total = may_number and len(plain) == len(g.columns) and rng.random() < 0.95
    partition = [rng.choice(plain) for _ in range(rng.choice((0, 1, 1, 2)))]
    order = [rng.choice(plain) for _ in range(rng.choice((0, 1, 1, 2)))]
    if is_total:
        order += [c for c in plain if c not in order]
    exclusion = rng.choice(EXCLUSIONS)
    if is_total:
        made = of_row(bare, rng) if rng.random() < 0.85 else aggregate(bare, rng)
        text = frame(rng, ("ROWS", "ROWS", "GROUPS"))
        text = text and text + exclusion
    elif rng.random() < 0.4:
        function = rng.choice(PEERS)
        is_number = function in PEERS[:2]
        made, text = (function, T.I64 if is_number else T.F64, [], ROWS, is_number), ""
    else:
        made, text = aggregate(bare, rng), peer_frame(rng) if order else ""
        if len(order) == 1 and order[0].type.klass == "int" and order[0].bound < 1e15 and rng.random() < 0.4:
            order = [cast(order[0], T.I64)]
            text = frame(rng, ("RANGE",))
    if made is None:
        return None
    function, t, args, bound, exact = made
    is_aggregate = function in AGGREGATES
    condition = bare.condition(2) if is_aggregate and rng.random() < 0.15 else None
    directions = [(rng.random() < 0.4, rng.choice(("FIRST", "LAST"))) for _ in order]
    counts = (len(args), len(partition), len(order), condition is not None)
    everything = args + partition + order + ([condition] if condition is not None else [])
    data = {"function": function, "counts": counts, "directions": directions, "frame": text}
    return Expr("window", t, everything, data, bound, exact)
