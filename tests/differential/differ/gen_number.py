"""Random expressions that are numbers."""
import re

from . import types as T
from .expr import Expr, arithmetic, call, negate


def operate(g, op, left, right):
    """left <op> right, with a divisor that is not 0 (a share of divisors may be)."""
    if op in ("divide", "modulo") and not (g.pool.get("risky") and g.rng.random() < 0.5):
        right = nonzero(g, right)
        if right is None:
            return None
    e = arithmetic(op, left, right)
    if e is not None and op == "modulo":
        e.data = g.rng.random() < 0.4
    return e


def nonzero(g, e):
    if e.is_literal:
        number = re.search(r"\d+(\.\d+)?", e.data[0])
        return e if number and float(number[0]) and "NULL" not in e.data[0] else None
    if e.type.is_integer and e.type not in (T.I32,):
        zero = Expr("literal", e.type, (), (f"0::{e.type.sql()}", f"CAST(0 AS {e.type.sql()})", None))
    elif e.type == T.I32:
        zero = Expr("literal", T.I32, (), ("0", "CAST(0 AS INTEGER)", 0))
    else:
        zero = Expr("literal", e.type, (), (f"CAST(0 AS {e.type.sql()})", f"CAST(0 AS {e.type.sql()})", None))
    return Expr("nullif", e.type, [e, zero], None, e.bound, e.exact, e.grain, e.special)


OPERATORS = ("add", "subtract", "multiply", "divide", "modulo")


def integer(g, depth, exact):
    rng = g.rng
    kind = rng.choices(("operator", "negate", "abs", "round", "text", "time", "days"), (10, 1.5, 1.5, 2, 4, 3, 1))[0]
    if kind == "operator":
        e = operate(g, rng.choice(OPERATORS), g.expr("int", depth), g.expr("int", depth - 1))
        return e if e is not None and e.type.klass == "int" else None
    if kind == "negate":
        return negate(g.expr("int", depth))
    if kind == "abs":
        return absolute(g, g.expr("int", depth))
    if kind == "round":
        return rounded(g, g.expr("int", depth))
    if kind == "text":
        return measured(g, depth)
    if kind == "days":
        left, right = g.expr("date", depth), g.expr("date", depth - 1)
        return call("date_difference", T.I64, left, right, bound=min(left.bound + right.bound, 8_000_000))
    return field(g, depth, "int")


def measured(g, depth):
    """Lengths and positions."""
    rng = g.rng
    arg = g.expr("text", depth)
    kind = rng.choice(("length", "length", "octet_length", "position"))
    if kind == "position":
        return call("position", T.I64, arg, g.expr("text", depth - 1), bound=arg.bound + 1, data=rng.choice(("in", "strpos")))
    name = rng.choice(("length", "char_length", "character_length")) if kind == "length" else "octet_length"
    return call(kind, T.I64, arg, bound=arg.bound * 4, data=name)


DATE_FIELDS = ("day", "week", "month", "quarter", "year", "decade", "century", "dow", "isodow", "doy", "isoyear", "millennium")
TIME_FIELDS = ("microseconds", "milliseconds", "second", "minute", "hour")
SHORT = ("year", "quarter", "month", "week", "day", "hour", "minute", "second", "dow", "isodow", "doy", "isoyear", "decade", "century", "millennium")


def field(g, depth, klass):
    rng = g.rng
    source = g.expr(rng.choice(("date", "date", "ts", "ts", "tstz", "time")), depth)
    name = rng.choice({"date": DATE_FIELDS, "time": TIME_FIELDS}.get(source.type.kind, DATE_FIELDS + TIME_FIELDS))
    if klass == "float":
        if source.bound > 1e6 or source.type == T.TSNS:
            return None
        return call("date_part", T.F64, source, bound=1e11, data=("epoch", rng.choice(("extract", "date_part"))))
    forms = ("extract", "extract", "date_part") + (("short",) if name in SHORT else ())
    return call("date_part", T.I64, source, bound=10**8, data=(name, rng.choice(forms)))


def absolute(g, arg):
    t = T.F64 if arg.type.kind == "f32" else T.promoted(arg.type)
    if t.kind not in T.FLOATS and arg.bound > t.largest():
        return None
    if g.rng.random() < 0.35 and not arg.special:
        return call("sign", T.F64 if arg.type.kind == "dec" else t, arg, bound=1)
    e = call("abs", t, arg, bound=arg.bound)
    e.grain = arg.grain
    return e


def rounded_type(t, scale):
    return T.decimal(t.precision - t.scale + scale + 1, scale)


def rounded(g, arg):
    """round, floor, ceil, trunc"""
    rng, t = g.rng, arg.type
    op = rng.choice(("round", "round", "floor", "ceil", "trunc"))
    if arg.special or not arg.exact or (t.kind == "dec" and arg.bound + 1 > 10 ** (37 - t.scale)):
        return None
    if op != "round":
        result = t if t.is_integer else (T.F64 if t.kind in T.FLOATS else (t if t.scale == 0 else rounded_type(t, 0)))
        e = call(op, result, arg, bound=arg.bound + 1, data="keep")
        e.grain = e.type == T.F64 and arg.grain
        return e
    digits = rng.choice((None, None, 0, 1, 2, -1, -2)) if t.kind not in T.FLOATS else None
    scale = digits or 0
    if t.is_integer or (t.kind == "dec" and scale >= t.scale):
        result = t
        if scale < 0 and arg.bound + 10 ** -scale > t.largest():
            return None
    elif t.kind == "dec":
        result = rounded_type(t, max(scale, 0))
    else:
        result = T.F64
    args = [arg] + ([Expr("literal", T.I32, (), (str(digits), str(digits), digits))] if digits is not None else [])
    e = call("round", result, *args, bound=arg.bound + 10 ** max(0, -scale), data="tens" if scale < 0 and t.kind == "dec" else "keep")
    e.grain = arg.grain
    return e


def fixed(g, depth, exact):
    rng = g.rng
    kind = rng.choices(("operator", "quotient", "negate", "abs", "round"), (10, 1, 1.5, 1.5, 3))[0]
    if kind == "quotient":  # of integers, of which one is a ubigint
        sides = [g.expr("int", depth), g.expr("int", depth - 1)]
        number = rng.randrange(2)
        sides[number] = g.same_type(sides[number], T.U64)
        e = operate(g, rng.choice(("divide", "divide", "modulo", "multiply")), *sides)
        return e if e is not None and e.type.kind == "dec" else None
    if kind == "operator":
        klass = rng.choice(("dec", "dec", "int"))
        sides = [g.expr("dec", depth), g.expr(klass, depth - 1)]
        if rng.random() < 0.3:
            sides.reverse()
        e = operate(g, rng.choice(("add", "subtract", "multiply", "modulo")), *sides)
        return e if e is not None and e.type.kind == "dec" else None
    arg = g.expr("dec", depth)
    if kind == "negate":
        return negate(arg)
    e = absolute(g, arg) if kind == "abs" else rounded(g, arg)
    return e if e is not None and e.type.kind == "dec" else None


def real(g, depth, exact):
    rng = g.rng
    kind = rng.choices(("operator", "negate", "abs", "round", "library", "epoch", "divide"), (8, 1.5, 1.5, 2, 0 if exact else 44, 1.5, 2))[0]
    if kind == "operator":
        left, right = g.expr("float", depth, exact), g.number(depth - 1, exact)
        if rng.random() < 0.3:
            left, right = right, left
        e = operate(g, rng.choice(OPERATORS[:4]), left, right)
        return e if e is not None and e.type.klass == "float" else None
    if kind == "divide":  # decimal / decimal
        e = operate(g, "divide", g.expr("dec", depth), g.expr(rng.choice(("dec", "int")), depth - 1))
        return e if e is not None and e.type.klass == "float" else None
    if kind == "library":
        return library(g, depth)
    if kind == "epoch":
        return field(g, depth, "float")
    arg = g.expr("float", depth, exact)
    if kind == "negate":
        return negate(arg)
    return absolute(g, arg) if kind == "abs" else rounded(g, arg)


def library(g, depth):
    """Functions of libm, over arguments where they are defined."""
    rng = g.rng
    arg = g.number(depth, True)
    if arg.special or arg.bound > 1e15:
        return None
    op = rng.choices(("sqrt", "ln", "log10", "exp", "power"), (4, 5, 4, 5, 5))[0]
    positive = absolute_of(arg)
    if positive is None:
        return None
    one = Expr("literal", T.I32, (), ("1", "CAST(1 AS INTEGER)", 1), 1)
    if op == "sqrt":
        return call(op, T.F64, positive, bound=arg.bound + 1, exact=False)
    if op in ("ln", "log10"):
        inside = arithmetic("add", positive, one)
        return None if inside is None else call(op, T.F64, inside, bound=100, exact=False)
    if op == "exp":
        small = negate(positive)
        return None if small is None else call(op, T.F64, small, bound=1, exact=False)
    if arg.bound > 1e4:
        return None
    power = Expr("literal", T.I32, (), ("2", "CAST(2 AS INTEGER)", 2), 2) if rng.random() < 0.6 else Expr(
        "literal", T.decimal(2, 1), (), ("0.5", "CAST(0.5 AS DECIMAL(2,1))", None), 1)
    return call(op, T.F64, positive, power, bound=(arg.bound + 1) ** 2, exact=False)


def absolute_of(arg):
    t = T.F64 if arg.type.kind == "f32" else T.promoted(arg.type)
    if t.kind not in T.FLOATS and arg.bound > t.largest():
        return None
    return call("abs", t, arg, bound=arg.bound)
