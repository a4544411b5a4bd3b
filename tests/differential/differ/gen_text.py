"""Random expressions that are text."""
from . import types as T
from .expr import Expr, call

# bounded, as texts that are joined and joined again grow without end
MOST = 6000


def text(g, depth, exact):
    rng = g.rng
    kind = rng.choice(("concat", "concat", "concat_skip", "substring", "substring", "upper", "lower", "reverse", "trim", "ltrim", "rtrim",
                       "replace", "left", "right"))
    if kind in ("concat", "concat_skip"):
        return joined(g, kind, depth)
    arg = g.expr("text", depth)
    if kind in ("upper", "lower", "reverse"):
        return call(kind, T.TEXT, arg, bound=arg.bound)
    if kind in ("trim", "ltrim", "rtrim"):
        name = rng.choice(("trim", "btrim")) if kind == "trim" else kind
        more = [g.expr("text", 0)] if rng.random() < 0.5 else []
        return call(kind, T.TEXT, arg, *more, bound=arg.bound, data=name)
    if kind == "replace":
        return replaced(g, arg)
    if kind in ("left", "right"):
        return call(kind, T.TEXT, arg, small_integer(g), bound=arg.bound)
    return substring(g, arg)


def small_integer(g, low=-4):
    """A literal, or a column of numbers."""
    rng = g.rng
    found = [c for c in g.columns if c.type.klass == "int" and c.bound < 2**31 and c.type.kind != "u64"]
    if found and rng.random() < 0.3 and low < 0:
        return rng.choice(found)
    number = rng.randint(low, 8)
    text = str(number) if number >= 0 else f"({number})"
    return Expr("literal", T.I32, (), (text, f"CAST({number} AS INTEGER)", number), abs(number))


def substring(g, arg):
    rng = g.rng
    start = small_integer(g)
    length = [small_integer(g, 0)] if rng.random() < 0.6 else []
    return call("substring", T.TEXT, arg, start, *length, bound=arg.bound, data=rng.choice(("from", "substring", "substr")))


def replaced(g, arg):
    rng = g.rng
    new = g.expr("text", 0)
    if arg.bound * max(1, new.bound) > MOST * 10:
        return None
    return call("replace", T.TEXT, arg, g.expr("text", 0), new, bound=max(arg.bound, arg.bound * new.bound))


def joined(g, kind, depth):
    rng = g.rng
    args = [g.expr("text", depth)]
    for _ in range(rng.choice((1, 1, 2))):
        klass = rng.choice(("text", "text", "int", "date", "dec", "bool") if kind == "concat_skip" else ("text", "text", "int", "dec"))
        other = g.expr(klass, depth - 1)
        if other.bound == float("inf"):
            return None
        args.append(other)
    if kind == "concat_skip" and rng.random() < 0.3:
        args.reverse()
    bound = sum(a.bound if a.type == T.TEXT else 45 for a in args)
    return None if bound > MOST else call(kind, T.TEXT, *args, bound=bound)
