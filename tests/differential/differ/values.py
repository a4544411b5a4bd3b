"""Random values of each type: ordinary ones and extremes.

Values are kept as files hold them: dates as days, times and timestamps as micro- or nanoseconds,
decimals as decimal.Decimal, blobs and UUIDs as bytes.
"""
import decimal as dec

from . import types as T

dec.getcontext().prec = 60
DAY_US = 86_400_000_000
# First and last day of years that all tools print alike, and two of years before Christ.
FIRST_DAY, LAST_DAY, BC_DAYS = -719162, 2932896, (-719163, -735142)
FLOAT_EXTREMES = (float("nan"), float("inf"), float("-inf"), -0.0, 0.0, 5e-324, 1.7976931348623157e308, -1e300)
FLOAT32_EXTREMES = (float("nan"), float("inf"), float("-inf"), -0.0, 0.0, 1.401298464324817e-45, 3.4028234663852886e38)
WORDS = ("a", "b", "c", "d", "e", "", "A", "ab", "abc", "B", "na\u00efve", "Zo\u00eb", "\u00c9T\u00c9", "\u65e5\u672c", "\U0001F600x", "it's", "a%b",
         "a_b", "tab\tx", "line\nx", "back\\x", " a ", "  ", "x" * 12, "x" * 13, "0", "12", "true", "NULL", "\\N", "\u0416\u043e")
ASCII_WORDS = tuple(w for w in WORDS if w.isascii() and "\\" not in w)


def integer(rng, t, flavour):
    top = t.largest()
    low = -top - 1 if t.kind in T.SIGNED else 0
    if flavour == "extreme" and rng.random() < 0.5:
        return rng.choice((low, top, 0, 1, top - 1, low + 1))
    if flavour == "extreme":
        return rng.randint(low, top)
    if flavour == "few":
        return rng.randint(0, 5)
    return rng.randint(max(low, -100), min(top, 120)) if top < 300 else rng.randint(-1000 if low else 0, 5000)


def real(rng, t, flavour):
    """Multiples of 1/8, whose sums are exact in any order, unless extremes are asked for."""
    if flavour == "extreme" and rng.random() < 0.5:
        return rng.choice(FLOAT_EXTREMES if t.kind == "f64" else FLOAT32_EXTREMES)
    if flavour == "few":
        return rng.randint(-4, 8) / 2
    if t.kind == "f32":
        return rng.randint(-80000, 80000) / 8
    return rng.randint(-8000000, 8000000) / 8


def fixed(rng, t, flavour):
    top = 10**t.precision - 1
    if flavour == "extreme":
        unscaled = rng.choice((top, -top, 0, 1, -1, rng.randint(-top, top)))
    elif flavour == "few":
        unscaled = rng.randint(-3, 5) * 10**t.scale
        if abs(unscaled) > top:
            unscaled = rng.randint(-9, 9) * top // 9
    else:
        unscaled = rng.randint(-min(top, 10**7), min(top, 10**7))
        if t.scale > 12:
            unscaled = rng.randint(-top, top)
            if t.precision > t.scale + 4:
                unscaled //= 10 ** (t.precision - t.scale - 4)
    return dec.Decimal(unscaled).scaleb(-t.scale)


def day(rng, flavour):
    if flavour == "extreme":
        return rng.choice((FIRST_DAY, LAST_DAY, 0, -1, 59, 11016, rng.randint(-100000, 100000)) + BC_DAYS)
    return 18262 + (rng.randint(0, 5) * 31 if flavour == "few" else rng.randint(-3000, 3000))


def microseconds(rng, flavour):
    if flavour == "extreme":
        return rng.choice((0, DAY_US - 1, rng.randint(0, DAY_US - 1)))
    return rng.randint(0, 5) * 3600_000_000 if flavour == "few" else rng.randint(0, 86399) * 1_000_000 + rng.choice((0, 0, 500000, 123456))


def timestamp(rng, t, flavour):
    if t.kind == "tsns":
        if flavour == "extreme":
            return rng.choice((-9223372036000000000, 9223372036000000000, 0, -1, rng.randint(-(10**18), 10**18)))
        return (day(rng, flavour) * DAY_US + microseconds(rng, flavour)) * 1000 + rng.choice((0, 1, 999))
    return day(rng, flavour) * DAY_US + microseconds(rng, flavour)


def text(rng, flavour):
    if flavour == "few":
        return rng.choice(WORDS[:8])
    if flavour == "ascii":
        return rng.choice(ASCII_WORDS)
    if flavour == "extreme":
        return rng.choice(("", "x" * 300, "\u00e9" * 200, "\U0001F600" * 40, "y" * rng.randint(10, 3000), rng.choice(WORDS)))
    if rng.random() < 0.5:
        return rng.choice(WORDS)
    return rng.choice(WORDS) + str(rng.randint(0, 400)) + rng.choice(("", "", rng.choice(WORDS)))


def blob(rng, flavour):
    if flavour == "few":
        return rng.choice((b"", b"a", b"\x00", b"\xff\xfe"))
    return bytes(rng.randrange(256) for _ in range(rng.choice((0, 1, 3, 12, 13, 40))))


def uuid(rng, flavour):
    """Its 16 bytes."""
    if flavour == "few":
        return bytes([rng.choice((0, 0x7f, 0x80, 0xff))]) + bytes(14) + bytes([rng.choice((0, 1))])
    if flavour == "extreme" and rng.random() < 0.5:
        return rng.choice((bytes(16), b"\xff" * 16, b"\x7f" + b"\xff" * 15, b"\x80" + bytes(15)))
    return bytes(rng.randrange(256) for _ in range(16))


def value(rng, t, flavour):
    """A value of type t. Flavours: few, many, extreme; of text also ascii."""
    if t.kind == "bool":
        return rng.random() < 0.5
    if t.is_integer:
        return integer(rng, t, flavour)
    if t.kind in T.FLOATS:
        return real(rng, t, flavour)
    if t.kind == "dec":
        return fixed(rng, t, flavour)
    if t.kind == "date":
        return day(rng, flavour)
    if t.kind == "time":
        return microseconds(rng, flavour)
    if t.kind in ("ts", "tsns", "tstz"):
        return timestamp(rng, t, flavour)
    return {"text": text, "blob": blob, "uuid": uuid}[t.kind](rng, flavour)


DECIMALS = ((1, 0), (4, 2), (5, 0), (9, 2), (9, 9), (10, 3), (15, 2), (18, 0), (18, 6), (19, 0), (20, 5), (25, 4),
            (30, 10), (38, 0), (38, 10), (38, 20), (38, 37), (38, 38))
FILE_KINDS = tuple(k for k in T.ALL_KINDS if k not in ("interval", "dec"))


def random_type(rng):
    if rng.random() < 0.2:
        return T.decimal(*rng.choice(DECIMALS))
    return T.Type(rng.choice(FILE_KINDS))
