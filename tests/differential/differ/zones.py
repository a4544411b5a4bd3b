"""Time zones of which both engines know the same, and moments near the changes of their clocks."""
import datetime
import functools
import zoneinfo

from . import types as T
from .expr import Expr

# With summer time on both hemispheres, offsets of parts of an hour, a day that was left out, and without summer time.
NAMES = ("Europe/Berlin", "Europe/London", "America/New_York", "America/St_Johns", "America/Santiago", "America/Sao_Paulo", "Australia/Adelaide",
         "Australia/Lord_Howe", "Pacific/Auckland", "Pacific/Chatham", "Pacific/Apia", "Asia/Kolkata", "Asia/Kathmandu", "Asia/Tokyo")
# Of one offset: as Pistachio is told it, and DuckDB, whose signs count west.
FIXED = (("EST", "Etc/GMT+5"), ("CEST", "Etc/GMT-2"), ("JST", "Etc/GMT-9"), ("<+05>-5", "Etc/GMT-5"), ("Etc/GMT+11", "Etc/GMT+11"))
SET_FIXED = (("-3", "Etc/GMT+3"), ("'+02'", "Etc/GMT-2"), ("INTERVAL '+05:00' HOUR TO MINUTE", "Etc/GMT-5"))
EPOCH = datetime.datetime(1970, 1, 1, tzinfo=datetime.timezone.utc)
SECOND = 1_000_000
NEAR = (0, 0, -1, 1, SECOND, -SECOND, 1800 * SECOND, -1800 * SECOND, 3600 * SECOND, -3600 * SECOND, 5400 * SECOND, -5400 * SECOND, 86400 * SECOND, -86400 * SECOND)
BOUND = 10_000  # days


def random_zone(rng, with_abbreviations=True):
    """(Pistachio's text, DuckDB's)"""
    if with_abbreviations and rng.random() < 0.15:
        return rng.choice(FIXED)
    name = rng.choice(NAMES)
    return rng.choice((name, name, name, name.lower(), name.upper())), name


def random_session(rng):
    """(what SET says, DuckDB's name)"""
    if rng.random() < 0.1:
        text, name = rng.choice(SET_FIXED)
        return f"SET TIME ZONE {text}", name
    text, name = rng.choice(FIXED[3:]) if rng.random() < 0.1 else random_zone(rng, False)
    return rng.choice(("SET timezone = '{}'", "SET TIME ZONE '{}'")).format(text), name


@functools.lru_cache(maxsize=None)
def changes(name):
    """The seconds since 1970 at which the clock is set, of twenty years; or any, where it never is."""
    zone = zoneinfo.ZoneInfo(name)

    def offset(seconds):
        return (EPOCH + datetime.timedelta(seconds=seconds)).astimezone(zone).utcoffset()
    found, day, first, last = [], 86400, 13_149 * 86400, 20_454 * 86400
    for low in range(first, last, day):
        high = low + day
        if offset(low) == offset(high):
            continue
        while high - low > 1:
            middle = (low + high) // 2
            low, high = (middle, high) if offset(middle) == offset(low) else (low, middle)
        found.append(high)
    return tuple(found) or (1_593_561_600,)


def written(microseconds):
    return (EPOCH + datetime.timedelta(microseconds=microseconds)).replace(tzinfo=None).isoformat(" ")


def near(rng, name):
    """An instant near a change, in microseconds since 1970."""
    return rng.choice(changes(name)) * SECOND + rng.choice(NEAR)


def constant(t, ours, oracle):
    return Expr("literal", t, (), (ours, oracle, None), BOUND)


def instant_near(rng, name):
    """As a constant, whose offset is written."""
    text = written(near(rng, name))
    return constant(T.TSTZ, f"timestamptz '{text}+00'", f"CAST('{text}+00' AS TIMESTAMPTZ)")


def local_near(rng, name):
    """What the clock shows near a change, or would if it were not set."""
    at, zone = rng.choice(changes(name)), zoneinfo.ZoneInfo(name)
    offset = (EPOCH + datetime.timedelta(seconds=at - rng.choice((1, 0)))).astimezone(zone).utcoffset()
    text = written((at + int(offset.total_seconds())) * SECOND + rng.choice(NEAR))
    return constant(T.TS, f"timestamp '{text}'", f"CAST('{text}' AS TIMESTAMP)")
