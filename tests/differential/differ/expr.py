"""Expressions: a small tree, which renders itself as SQL of either engine (render.py has the forms)."""
from . import types as T

OURS, ORACLE = 0, 1


class Expr:
    """An operation `op` of `args`; `type` is what docs/SQL.md says it has.

    data    what else the form needs: a column's name, a literal's texts, a query
    bound   no number is larger in size, no text longer; dates: days from 2020
    exact   both engines compute the same bits (floats that sums or libm make are not)
    grain   a float that is a multiple of 1/8
    special may be NaN or infinite
    """

    __slots__ = ("op", "type", "args", "data", "bound", "exact", "grain", "special")

    def __init__(self, op, type_, args=(), data=None, bound=0, exact=True, grain=False, special=False):
        self.op, self.type, self.args, self.data = op, type_, list(args), data
        self.bound, self.exact, self.grain, self.special = bound, exact, grain, special

    @property
    def is_literal(self):
        return self.op in ("literal", "bare")

    def walk(self):
        yield self
        for arg in self.args:
            yield from arg.walk()

    def has_column(self):
        return any(e.op in ("column", "aggregate", "window", "query") for e in self.walk())


def union_of(args):
    """Flags of a value that is one of the args."""
    return {"bound": max(a.bound for a in args), "exact": all(a.exact for a in args),
            "grain": all(a.grain for a in args), "special": any(a.special for a in args)}


def digits(number):
    return max(1, len(str(abs(number))))


def column(alias, name, t, bound=0, exact=True, grain=False, special=False):
    return Expr("column", t, (), (alias, name), bound, exact, grain, special)


def call(op, t, *args, bound=0, data=None, exact=None):
    is_exact = all(a.exact for a in args) if exact is None else exact
    return Expr(op, t, args, data, bound, is_exact, False, any(a.special for a in args) and t.kind in T.FLOATS)


# ---- numbers ----

def decimal_of(e):
    """The decimal type that an operand of decimal arithmetic counts as."""
    if e.type.kind == "dec":
        return e.type
    if e.is_literal and isinstance(e.data[2], int):
        return T.decimal(digits(e.data[2]), 0)
    return T.decimal(19 if e.type.kind == "i64" else 10, 0)


def arithmetic_type(op, left, right):
    """(type of the result, type that both operands are cast to or None: each its own decimal)"""
    a, b = T.promoted(left.type), T.promoted(right.type)
    if a.kind in T.FLOATS or b.kind in T.FLOATS:
        t = T.F32 if a == b == T.F32 else T.F64
        return t, t
    if op == "divide" and left.type.is_integer and right.type.is_integer:
        t = T.common(a, b)
        return t, t
    if "dec" not in (a.kind, b.kind):
        t = T.common(a, b)
        return t, t
    if op == "divide":
        return T.F64, T.F64
    a = decimal_of(left) if a.kind != "dec" or left.type.kind == "dec" else a
    b = decimal_of(right) if b.kind != "dec" or right.type.kind == "dec" else b
    if op == "multiply":
        return T.decimal(a.precision + b.precision, a.scale + b.scale), None
    scale, whole = max(a.scale, b.scale), max(a.precision - a.scale, b.precision - b.scale)
    return T.decimal(whole + scale + (op != "modulo"), scale), None


def arithmetic(op, left, right):
    """None: no such operation, or it may overflow."""
    t, _ = arithmetic_type(op, left, right)
    if left.special or right.special:
        return None
    scale = left.type.scale + right.type.scale
    if op == "multiply" and t.kind == "dec" and scale > 38:
        return None
    bound = {"add": left.bound + right.bound, "subtract": left.bound + right.bound, "multiply": left.bound * right.bound,
             "divide": left.bound * (8 if t.kind in T.FLOATS else 1), "modulo": min(left.bound, right.bound) if right.bound else left.bound}[op]
    if t.kind in T.FLOATS:
        if bound > 1e30 or (op in ("modulo",) and t == T.F32):
            return None
    elif max(bound, left.bound if op == "modulo" else 0, right.bound if op == "modulo" else 0) > t.largest():
        return None
    e = call(op, t, left, right, bound=bound)
    e.grain = op in ("add", "subtract") and left.grain and right.grain and bound < 1e12 and t == T.F64
    return e


def negate(arg):
    t = T.promoted(arg.type)
    return None if t.kind not in T.FLOATS and arg.bound > t.largest() else Expr(
        "negate", t, [arg], None, arg.bound, arg.exact, arg.grain, arg.special)


# ---- casts ----

def cast_fits(arg, t):
    """Whether each value surely can be cast, and both engines give the same."""
    source = arg.type
    if source == t or source.kind == "text":
        return source == t
    if t.kind in T.FLOATS:
        return source.is_number and not (t.kind == "f32" and (source.kind == "dec" or arg.bound > 3e38 or (arg.special and source.kind == "f64")))
    if source.kind in T.FLOATS:
        return not arg.special and arg.exact and (t.is_integer and t.kind in T.SIGNED and arg.bound < t.largest()
                                                  or t.kind == "dec" and arg.grain and t.scale >= 3 and arg.bound < t.largest()
                                                  and t.precision <= 18)
    if source.is_number and t.kind == "text":
        return source.kind not in T.FLOATS
    if source.is_number and (t.is_integer or t.kind == "dec"):
        is_signed = t.kind == "dec" or t.kind in T.SIGNED
        return arg.bound < t.largest() and (is_signed or (source.kind in T.UNSIGNED))
    if source.kind == "bool":
        return t.is_integer or t.kind == "text"
    if t.kind == "bool":
        return source.is_integer
    if source.kind == "uuid":
        return t.kind == "text"
    times = ("date", "ts", "tsns", "tstz")
    if source.kind in times and t.kind in times:
        return t.kind != "tsns" or arg.bound < 30000
    if source.kind in ("ts", "tsns", "tstz"):
        return t.kind in ("time", "text") and arg.bound < 30000
    return t.kind == "text" and source.kind in ("date", "time", "interval") and arg.bound < 1e6


def cast(arg, t, style=0):
    if arg.type == t:
        return arg
    e = Expr("cast", t, [arg], style, arg.bound, arg.exact, arg.grain and t == T.F64, arg.special and t.kind in T.FLOATS)
    if t.kind == "text":
        e.bound = 60
    elif t.kind == "dec" or t.is_integer:
        e.bound = min(arg.bound + 1, t.largest())
    elif arg.type.kind == "f32" and t == T.F64:
        e.grain = arg.grain
    elif arg.type.is_integer and t == T.F64:
        e.grain = arg.bound < 1e12
    if arg.type.kind == "bool":
        e.bound = 1 if t.is_number else 5
    return e
