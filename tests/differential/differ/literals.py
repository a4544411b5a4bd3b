"""Random literals, as each engine writes them: Expr("literal").data = (ours, DuckDB's, the integer or None)."""
import datetime
import uuid as uuids

from . import types as T
from . import values
from .expr import Expr
from .render import duckdb_type

EPOCH = datetime.date(1970, 1, 1)


def quoted(text):
    return "'" + text.replace("'", "''") + "'"


def date_text(days):
    """(PostgreSQL's text, DuckDB's)"""
    if days >= values.FIRST_DAY:
        text = (EPOCH + datetime.timedelta(days=days)).isoformat()
        return text, text
    year4 = days + 146097  # the calendar repeats every 400 years
    moved = EPOCH + datetime.timedelta(days=year4)
    text = f"{400 - moved.year + 1:04d}-{moved.month:02d}-{moved.day:02d}"
    return f"{text} BC", f"{text} (BC)"


def key_literal(t, value):
    """DuckDB's constant for a value of a folder's name."""
    if value is None:
        return "NULL"
    return f"DATE '{date_text(value)[1]}'" if t == T.DATE else (quoted(value) if t == T.TEXT else str(value))


def time_text(us):
    seconds, fraction = divmod(us, 1_000_000)
    text = f"{seconds // 3600:02d}:{seconds // 60 % 60:02d}:{seconds % 60:02d}"
    return text + (f".{fraction:06d}".rstrip("0") if fraction else "")


def literal(t, ours, oracle, number=None, bound=0, grain=False, special=False):
    return Expr("literal", t, (), (ours, oracle, number), bound, True, grain, special)


def boolean(rng):
    text = rng.choice(("true", "false"))
    return literal(T.BOOL, text, text)


def integer(rng, t=None):
    t = t or rng.choice((T.I32,) * 6 + (T.I64, T.I8, T.I16, T.U8, T.U16, T.U32, T.U64))
    top = t.largest()
    number = rng.choice((0, 1, 2, 3, 5, 7, rng.randint(0, 20), rng.randint(0, min(top, 100)), rng.randint(0, min(top, 100000))))
    if rng.random() < 0.02:
        number = top
    if t.kind in T.SIGNED and rng.random() < 0.25:
        number = -number
    text = str(number) if number >= 0 else f"({number})"
    ours = text if t == T.I32 else (f"{text}::{t.sql()}" if rng.random() < 0.7 else f"CAST({number} AS {t.sql()})")
    return literal(t, ours, f"CAST({number} AS {duckdb_type(t)})", number if t in (T.I32, T.I64) else None, abs(number))


def fixed(rng):
    scale = rng.choice((1, 1, 2, 2, 3, 6))
    unscaled = rng.choice((rng.randint(0, 99), rng.randint(0, 100000), 5 * 10 ** (scale - 1)))
    whole, part = divmod(unscaled, 10**scale)
    text = f"{whole}.{part:0{scale}d}"
    t = T.decimal(max(scale, len(str(unscaled))), scale)
    if rng.random() < 0.3:
        t = T.decimal(*rng.choice([d for d in values.DECIMALS if d[1] >= scale and d[0] - d[1] > len(str(whole))] or [(38, 10)]))
        return literal(t, f"CAST({text} AS {t.sql()})", f"CAST({text} AS {duckdb_type(t)})", None, whole + 1)
    if rng.random() < 0.2:
        return literal(t, f"(-{text})", f"CAST(-{text} AS {duckdb_type(t)})", None, whole + 1)
    return literal(t, text, f"CAST({text} AS {duckdb_type(t)})", None, whole + 1)


def real(rng, exact=True):
    if rng.random() < 0.04:
        word = rng.choice(("NaN", "Infinity", "-Infinity"))
        t = rng.choice((T.F64, T.F32))
        return literal(t, f"'{word}'::{t.sql()}", f"CAST('{word}' AS {duckdb_type(t)})", None, float("inf"), False, True)
    number = rng.randint(0, 4000) / 8
    t = rng.choice((T.F64, T.F64, T.F32))
    ours = f"{number}::{t.sql()}"
    if t == T.F64 and rng.random() < 0.4:
        ours = f"{number}e0"
    return literal(t, ours, f"CAST({number} AS {duckdb_type(t)})", None, number, True)


def word(rng):
    text = rng.choice(values.WORDS) if rng.random() < 0.6 else rng.choice(("a", "b", "c", "ab", "", "x"))
    return literal(T.TEXT, quoted(text), quoted(text), None, len(text))


def blob(rng):
    text = rng.choice(("", "a", "ab", "b", "abcdefghijklmnop"))
    return literal(T.BLOB, f"'{text}'::blob", f"CAST('{text}' AS BLOB)")


def uuid(rng):
    """In one of the spellings that PostgreSQL reads."""
    text = str(uuids.UUID(bytes=values.uuid(rng, rng.choice(("few", "many", "extreme")))))
    ours = rng.choice((text, text, text.upper(), text.replace("-", ""), "{" + text + "}"))
    return literal(T.UUID, rng.choice((f"uuid '{ours}'", f"'{ours}'::uuid")), f"CAST('{text}' AS UUID)")


def temporal(rng, t, bare=False):
    """A date, time or timestamp; bare: only its text, which gets its type from what it meets."""
    flavour = "extreme" if rng.random() < 0.06 else rng.choice(("few", "many"))
    days = values.day(rng, flavour)
    bound = 4000 if flavour != "extreme" else float("inf")
    clock = time_text(values.microseconds(rng, "few" if flavour == "extreme" else flavour))
    ours, oracle = date_text(days)
    if t == T.TIME:
        ours = oracle = clock
    elif t.kind != "date":
        era = "BC" in ours
        ours, oracle = f"{ours.split()[0]} {clock}", f"{oracle} {clock}"
        if t.kind == "tsns" and bound > 30000:
            ours = oracle = f"2020-01-01 {clock}"
            bound = 10
        zone = "+00" if t.kind == "tstz" else ("+02" if t.kind == "ts" and rng.random() < 0.06 else "")
        ours, oracle = ours + zone, oracle + ("+00" if t.kind == "tstz" else "")
        if era and t.kind != "tsns":
            ours += " BC"
    name = t.sql() if rng.random() < 0.7 or bare else None
    text = f"'{ours}'" if bare else (f"{name} '{ours}'" if name else f"CAST('{ours}' AS {t.sql()})")
    e = literal(t, text, f"CAST('{oracle}' AS {duckdb_type(t)})", None, bound)
    e.op = "bare" if bare else "literal"
    return e


def interval(rng):
    parts, bound = [], 0
    for unit, most, days in (("year", 3, 366), ("month", 14, 31), ("day", 40, 1), ("hour", 30, 2), ("minute", 90, 1), ("second", 100, 1)):
        if rng.random() < 0.3:
            number = rng.randint(0, most)
            bound += (number + 1) * days
            parts.append(f"{number} {unit}{'s' if rng.random() < 0.7 else ''}")
    text = " ".join(parts) or "1 day"
    if len(parts) == 1 and rng.random() < 0.4:
        number, unit = parts[0].split()
        return literal(T.INTERVAL, f"interval '{number}' {unit.rstrip('s')}", f"INTERVAL '{text}'", None, bound + 2)
    return literal(T.INTERVAL, f"interval '{text}'", f"INTERVAL '{text}'", None, bound + 2)


def null(rng, t):
    ours = f"NULL::{t.sql()}" if rng.random() < 0.5 else f"CAST(NULL AS {t.sql()})"
    return literal(t, ours, f"CAST(NULL AS {duckdb_type(t)})")


def random_literal(rng, klass):
    if klass in ("date", "time", "tstz"):
        return temporal(rng, T.Type(klass))
    if klass == "ts":
        return temporal(rng, rng.choice((T.TS, T.TS, T.TS, T.TSNS)))
    return {"bool": boolean, "int": integer, "dec": fixed, "float": real, "text": word, "blob": blob, "interval": interval,
            "uuid": uuid}[klass](rng)
