"""Random dates, timestamps and intervals."""
from . import types as T
from .expr import call, cast, cast_fits

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


def difference(g, depth):
    """Of two timestamps."""
    klass = g.rng.choice(("ts", "ts", "tstz"))
    sides = [g.expr(klass, depth), g.expr(klass, depth - 1)]
    sides = [cast(side, T.TS) if side.type.kind == "tsns" and cast_fits(side, T.TS) else side for side in sides]
    if sides[0].bound + sides[1].bound > FAR or sides[0].type != sides[1].type or sides[0].type.kind == "tsns":
        return None
    return call("timestamp_difference", T.INTERVAL, *sides, bound=sides[0].bound + sides[1].bound)


def interval(g, depth, exact):
    rng = g.rng
    kind = rng.choice(("add",) * 4 + ("multiply",) * 6 + ("difference",))
    if kind == "difference":
        return difference(g, depth)
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
