"""Random dates, timestamps and intervals."""
from . import types as T
from .expr import call

FAR = 600_000  # days; beyond, years stop having four digits
UNITS = ("microseconds", "milliseconds", "second", "minute", "hour", "day", "week", "month", "quarter", "year", "decade", "century")


def date(g, depth, exact):
    rng = g.rng
    day, number = g.expr("date", depth), g.expr("int", depth - 1)
    if number.type.kind in ("u64", "i64", "u32") or day.bound + number.bound > FAR:
        return None
    symbol = rng.choice(("+", "-"))
    args = (number, day) if symbol == "+" and rng.random() < 0.2 else (day, number)
    return call("date_add_days", T.DATE, *args, bound=day.bound + number.bound, data=symbol)


def timestamp(g, depth, exact):
    return stamp(g, depth, g.rng.choice(("ts", "ts", "date")))


def timestamp_tz(g, depth, exact):
    return stamp(g, depth, "tstz")


def stamp(g, depth, klass):
    rng = g.rng
    source = g.expr(klass, depth)
    t = T.TS if source.type.kind == "date" else source.type
    far = 20000 if t.kind == "tsns" else FAR
    if rng.random() < 0.45:
        if source.bound > far:
            return None
        return call("date_trunc", t, source, bound=source.bound + 40000 if t.kind != "tsns" else source.bound, data=rng.choice(UNITS[:10] if t.kind == "tsns" else UNITS))
    gap = g.expr("interval", depth - 1)
    if source.bound + gap.bound > far:
        return None
    symbol = rng.choice(("+", "-"))
    args = (gap, source) if symbol == "+" and rng.random() < 0.2 else (source, gap)
    return call("timestamp_add_interval", t, *args, bound=source.bound + gap.bound, data=symbol)


def interval(g, depth, exact):
    rng = g.rng
    kind = rng.choice(("add", "add", "add", "multiply", "multiply", "multiply", "multiply", "difference", "difference", "difference"))
    if kind == "difference":
        klass = rng.choice(("ts", "ts", "tstz"))
        left, right = g.expr(klass, depth), g.expr(klass, depth - 1)
        if left.bound + right.bound > (30000 if "tsns" in (left.type.kind, right.type.kind) else FAR) or left.type != right.type:
            return None
        if left.type.kind == "tsns":
            return None
        return call("timestamp_difference", T.INTERVAL, left, right, bound=left.bound + right.bound)
    gap = g.expr("interval", depth)
    if kind == "add":
        other = g.expr("interval", depth - 1)
        if gap.bound + other.bound > 1e6:
            return None
        return call("interval_add", T.INTERVAL, gap, other, bound=gap.bound + other.bound, data=rng.choice(("+", "-")))
    number = g.expr("int", depth - 1)
    if gap.bound * number.bound > 1e5:
        return None
    return call("interval_multiply", T.INTERVAL, gap, number, bound=gap.bound * number.bound, data=rng.random() < 0.3)
