"""generate_series and range in FROM: of constants, whose values are counted here, and of columns before them."""
import datetime

from . import types as T
from .expr import Expr, arithmetic, cast, cast_fits, column
from .literals import EPOCH, literal
from .query import Series
from .render import duckdb_type
from .values import DAY_US

COLUMN = "n"
STEPS = (("1 day", 1, 0), ("7 days", 7, 0), ("1 month", 0, 1), ("1 year", 0, 12), ("-1 day", -1, 0), ("-2 months", 0, -2), ("36 hours", 1.5, 0), ("1 month 3 days", 3, 1))


def counted(start, stop, step, has_end):
    """The values of a series of whole numbers."""
    found = []
    while (start < stop if step > 0 else start > stop) or (has_end and start == stop):
        found.append(start)
        start += step
    return found


def later(us, days, months):
    """A time and a month, or some: its last day where that month has fewer."""
    day, rest = divmod(us, DAY_US)
    date = EPOCH + datetime.timedelta(days=day)
    month = date.year * 12 + date.month - 1 + months
    following = datetime.date((month + 1) // 12, (month + 1) % 12 + 1, 1)
    date = datetime.date(month // 12, month % 12 + 1, min(date.day, (following - datetime.timedelta(days=1)).day))
    return int(((date - EPOCH).days + days) * DAY_US) + rest


def times(start, stop, step, has_end):
    _, days, months = step
    found = []
    is_forward = days + months > 0
    while (start < stop if is_forward else start > stop) or (has_end and start == stop):
        found.append(start)
        start = later(start, days, months)
    return found


def listed(texts, t):
    return f"SELECT CAST(unnest([{', '.join(texts)}]) AS {duckdb_type(t)})" if texts else f"SELECT CAST(NULL AS {duckdb_type(t)}) WHERE false"


def number_text(t, number, scale):
    if t.kind != "dec":
        return f"{number}" if t == T.I32 else f"{number}::{t.sql()}"
    return f"CAST({number / 10**scale:.{scale}f} AS {t.sql()})"


def of_numbers(rng, name, most):
    t, scale = rng.choice(((T.I32, 0), (T.I32, 0), (T.I64, 0), (T.decimal(9, 2), 2), (T.decimal(20, 1), 1)))
    step = rng.choice((1, 1, 1, 2, 3, 7, -1, -5))
    start = rng.choice((0, 1, 1, rng.randint(-20, 20)))
    stop = start + step * rng.choice((0, 1, 2, 5, 9, 40, most)) + rng.choice((0, 0, 1)) * (1 if step > 0 else -1)
    stop = stop if rng.random() < 0.93 else start - step
    is_short = start == 0 and step == 1 and t.kind != "dec" and rng.random() < 0.7
    has_step = step != 1 or t.kind == "dec" or rng.random() < 0.3
    numbers = [number_text(t, n, scale) for n in ([stop] if is_short else [start, stop] + [step] * has_step)]
    found = counted(start, stop, step, name == "generate_series")
    bound = max((abs(n) for n in found), default=0) + 1
    return f"{name}({', '.join(numbers)})", listed([f"{n / 10**scale:.{scale}f}" for n in found], t), t, bound, len(found)


def of_times(rng, name):
    step, start = rng.choice(STEPS), 18262 + rng.choice((0, 30, 59, rng.randint(-2000, 2000)))
    stop = start + int(step[1] + step[2] * 30) * rng.choice((0, 1, 2, 5, 12)) + rng.choice((0, 0, 1, -1))
    words, end = [(EPOCH + datetime.timedelta(days=d)).isoformat() for d in (start, stop)], name == "generate_series"
    kind = rng.choice(("date", "timestamp"))
    found = times(start * DAY_US, stop * DAY_US, step, end)
    texts = [f"make_timestamp({us})" for us in found]
    return f"{name}({kind} '{words[0]}', {kind} '{words[1]}', interval '{step[0]}')", listed(texts, T.TS), T.TS, 4000, len(found)


def constant(rng, alias, most=300):
    """(the source, its column, how many rows) of constants."""
    name = rng.choice(("generate_series", "generate_series", "range"))
    ours, oracle, t, bound, rows = of_times(rng, name) if rng.random() < 0.3 else of_numbers(rng, name, most)
    if rng.random() < 0.04:
        ours, oracle, rows = f"{name}(1, NULL::{T.I32.sql()})", listed([], T.I32), 0
        t, bound = T.I32, 1
    return Series(ours, oracle, [], alias, COLUMN), column(alias, COLUMN, t, bound), rows


def of_columns(g, alias):
    """(the source, its column) of a number in a column before it; None: there is none."""
    rng = g.rng
    found = [c for c in g.columns if c.type.is_integer and c.data[0] and c.exact]
    if not found:
        return None
    most = literal(T.I32, "6", "CAST(6 AS INTEGER)", 6, 6)
    stop = arithmetic("modulo", rng.choice(found), most)
    if stop is None or not cast_fits(stop, T.I32) and stop.type != T.I32:
        return None
    stop = cast(stop, T.I32)
    name, start, step = rng.choice(("generate_series", "range")), rng.choice((0, 1, -2)), rng.choice((1, 1, 2, -1))
    ours = f"{name}({start}, {{0}}, {step})" if step != 1 or rng.random() < 0.3 else f"{name}({start}, {{0}})"
    oracle = f"SELECT CAST(unnest({name}({start}, CAST({{0}} AS BIGINT), {step})) AS INTEGER)"
    return Series(ours, oracle, [stop], alias, COLUMN), Expr("column", T.I32, (), (alias, COLUMN), 6)
