"""SQL types as docs/SQL.md has them, and what two of them have in common."""
import functools
from dataclasses import dataclass

SIGNED = ("i8", "i16", "i32", "i64")
UNSIGNED = ("u8", "u16", "u32", "u64")
INTEGERS = SIGNED + UNSIGNED
FLOATS = ("f32", "f64")
TIMESTAMPS = ("ts", "tsns")
WIDTH = {"i8": 1, "i16": 2, "i32": 4, "i64": 8, "u8": 1, "u16": 2, "u32": 4, "u64": 8}
DIGITS = {"i8": 3, "u8": 3, "i16": 5, "u16": 5, "i32": 10, "u32": 10, "i64": 19, "u64": 20}
SQL_NAMES = {
    "bool": "boolean", "i8": "tinyint", "i16": "smallint", "i32": "integer", "i64": "bigint",
    "u8": "utinyint", "u16": "usmallint", "u32": "uinteger", "u64": "ubigint", "f32": "real",
    "f64": "double precision", "date": "date", "time": "time", "ts": "timestamp", "tsns": "timestamp_ns",
    "tstz": "timestamptz", "interval": "interval", "text": "varchar", "blob": "blob",
    "uuid": "uuid",
}


@dataclass(frozen=True)
class Type:
    """A type: its kind, and for decimals the digits in all and behind the point."""

    kind: str
    precision: int = 0
    scale: int = 0

    def sql(self):
        if self.kind == "dec":
            return f"decimal({self.precision},{self.scale})"
        return SQL_NAMES[self.kind]

    @functools.cached_property
    def klass(self):
        """What expressions are asked for by: kinds that stand for each other."""
        if self.kind in INTEGERS:
            return "int"
        if self.kind in FLOATS:
            return "float"
        return "ts" if self.kind == "tsns" else self.kind

    @functools.cached_property
    def is_integer(self):
        return self.kind in INTEGERS

    @functools.cached_property
    def is_number(self):
        return self.kind in INTEGERS or self.kind in FLOATS or self.kind == "dec"

    def largest(self):
        """The largest absolute value that surely fits (of exact numbers)."""
        if self.kind == "dec":
            return 10 ** (self.precision - self.scale) - 1
        bits = WIDTH[self.kind] * 8 - (self.kind in SIGNED)
        return 2**bits - 1


BOOL, I8, I16, I32, I64 = (Type(k) for k in ("bool", "i8", "i16", "i32", "i64"))
U8, U16, U32, U64 = (Type(k) for k in UNSIGNED)
F32, F64, DATE, TIME, TS, TSNS, TSTZ = (Type(k) for k in ("f32", "f64", "date", "time", "ts", "tsns", "tstz"))
INTERVAL, TEXT, BLOB, UUID = (Type(k) for k in ("interval", "text", "blob", "uuid"))
ALL_KINDS = tuple(SQL_NAMES) + ("dec",)


def decimal(precision, scale):
    return Type("dec", max(1, min(38, precision)), scale)


def as_decimal(t):
    return t if t.kind == "dec" else decimal(DIGITS[t.kind], 0)


def common_integer(left, right):
    if (left.kind in SIGNED) == (right.kind in SIGNED):
        return left if WIDTH[left.kind] >= WIDTH[right.kind] else right
    signed, other = (left, right) if left.kind in SIGNED else (right, left)
    if WIDTH[other.kind] < WIDTH[signed.kind]:
        return signed
    if WIDTH[other.kind] == 8:
        return decimal(20, 0)
    return {1: I16, 2: I32, 4: I64}[WIDTH[other.kind]]


@functools.lru_cache(maxsize=None)
def common(left, right):
    """The type that both are cast to where they meet; None: they do not."""
    if left == right:
        return left
    if left.is_number and right.is_number:
        if left.is_integer and right.is_integer:
            return common_integer(left, right)
        if left.kind in FLOATS or right.kind in FLOATS:
            return F32 if left == right else F64
        left, right = as_decimal(left), as_decimal(right)
        scale = max(left.scale, right.scale)
        whole = max(left.precision - left.scale, right.precision - right.scale)
        return decimal(whole + scale, scale)
    times = ("date", "ts", "tsns", "tstz")
    if left.kind in times and right.kind in times:
        if "tstz" in (left.kind, right.kind):  # with nanoseconds: a type that no file of ours has
            return None if "tsns" in (left.kind, right.kind) else TSTZ
        return TSNS if "tsns" in (left.kind, right.kind) else TS
    return None


def common_of(types):
    result = types[0]
    for t in types[1:]:
        result = common(result, t) if result else None
    return result


def promoted(t):
    """What arithmetic computes an integer as."""
    if t.kind == "u64":
        return decimal(20, 0)
    if t.kind in ("i64", "u32"):
        return I64
    return I32 if t.is_integer else t
