"""Columns of every type with NULLs in every pattern, as Arrow arrays; and values of any reader as comparable ones."""
import datetime
import decimal
import random

import pyarrow as pa

TEXTS = ["", "a", "b" * 12, "c" * 13, "d" * 300, "é", "漢字", "a\0b", "~", "\U0001f600"]
DECIMAL = decimal.Decimal


def moment(rng, low=-2 ** 50, high=2 ** 51):
    """Microseconds since 1970; within what nanoseconds of 64 bits have."""
    return rng.choice([0, -1, 1, low, high, rng.randrange(low, high)])


def integer(bits, is_signed):
    low, high = (-(2 ** (bits - 1)), 2 ** (bits - 1) - 1) if is_signed else (0, 2 ** bits - 1)
    return lambda rng: rng.choice([low, high, 0, rng.randrange(low, high + 1), rng.randrange(0, 9)])


def decimals(precision, scale):
    most = 10 ** precision - 1
    return lambda rng: DECIMAL(rng.choice([0, most, -most, rng.randrange(-most, most + 1)])).scaleb(
        -scale, decimal.Context(prec=80))


def real(rng):
    return rng.choice([0.0, -0.0, 1.5, -1e30, float("inf"), float("-inf"), rng.uniform(-1e6, 1e6)])


# name: (Arrow's type, a value)
TYPES = {
    "bool": (pa.bool_(), lambda rng: rng.random() < 0.5),
    "i8": (pa.int8(), integer(8, True)),
    "i16": (pa.int16(), integer(16, True)),
    "i32": (pa.int32(), integer(32, True)),
    "i64": (pa.int64(), integer(64, True)),
    "u8": (pa.uint8(), integer(8, False)),
    "u16": (pa.uint16(), integer(16, False)),
    "u32": (pa.uint32(), integer(32, False)),
    "u64": (pa.uint64(), integer(64, False)),
    "f32": (pa.float32(), lambda rng: rng.choice([0.0, -0.0, 1.5, float("inf"), rng.randrange(-1000, 1000) / 8])),
    "f64": (pa.float64(), real),
    "nan": (pa.float64(), lambda rng: rng.choice([float("nan"), real(rng)])),
    "dec4": (pa.decimal128(4, 2), decimals(4, 2)),
    "dec15": (pa.decimal128(15, 2), decimals(15, 2)),
    "dec38": (pa.decimal128(38, 10), decimals(38, 10)),
    "date": (pa.date32(), lambda rng: datetime.date(1970, 1, 1) + datetime.timedelta(rng.randrange(-100000, 100000))),
    "time": (pa.time64("us"), lambda rng: rng.randrange(86400 * 10 ** 6)),
    "ts_s": (pa.timestamp("s"), lambda rng: moment(rng) // 10 ** 6),
    "ts_ms": (pa.timestamp("ms"), lambda rng: moment(rng) // 1000),
    "ts_us": (pa.timestamp("us"), moment),
    "ts_ns": (pa.timestamp("ns"), lambda rng: moment(rng) * 1000),
    "ts_tz": (pa.timestamp("us", "UTC"), moment),
    "text": (pa.string(), lambda rng: rng.choice(TEXTS + [f"row {rng.randrange(10 ** 6)}"])),
    "few": (pa.string(), lambda rng: rng.choice(["x", "yy", "zzz"])),
    "blob": (pa.binary(), lambda rng: rng.choice([b"", b"\xff\0", bytes(rng.randrange(256) for _ in range(20))])),
    "fixed": (pa.binary(5), lambda rng: bytes(rng.randrange(256) for _ in range(5))),
    "null": (pa.null(), None),
}


def is_null(pattern, row, rows, rng):
    return {"none": False, "all": True, "alternate": row % 2 == 0, "first": row < rows / 2, "last": row >= rows / 2,
            "runs": row // 37 % 2 == 0, "some": rng.random() < 0.1, "most": rng.random() < 0.95}[pattern]


PATTERNS = ["none", "all", "alternate", "first", "last", "runs", "some", "most"]


def make_array(name, rows, pattern, is_sorted, rng):
    arrow, make = TYPES[name]
    if make is None:
        return pa.nulls(rows)
    values = [make(rng) for _ in range(rows)]
    if is_sorted:
        values.sort()
    return pa.array([None if is_null(pattern, row, rows, rng) else value for row, value in enumerate(values)], arrow)


def make_table(names, rows, rng):
    return pa.table({name: make_array(name, rows, rng.choice(PATTERNS), rng.random() < 0.3, rng) for name in names})


# ---- comparison ----

UNITS = {"s": 10 ** 9, "ms": 10 ** 6, "us": 1000, "ns": 1}


def plain(array):
    """Python's values, the same whatever reader they come from: times in nanoseconds, text as str, floats by their bits."""
    if isinstance(array, pa.ChunkedArray):
        array = array.combine_chunks()
    kind = array.type
    if pa.types.is_dictionary(kind):
        return plain(array.dictionary_decode())
    if isinstance(kind, pa.BaseExtensionType):
        return plain(array.storage)
    if pa.types.is_timestamp(kind) or pa.types.is_time(kind):
        wide = array.cast(pa.int32()).cast(pa.int64()) if pa.types.is_time32(kind) else array.cast(pa.int64())
        return [None if value is None else value * UNITS[kind.unit] for value in wide.to_pylist()]
    if pa.types.is_date64(kind):
        return plain(array.cast(pa.date32()))
    if pa.types.is_floating(kind):
        return [None if value is None else "nan" if value != value else repr(float(value)) for value in array.to_pylist()]
    return array.to_pylist()


def same(one, other):
    if one == other:
        return True
    if len(one) != len(other):
        return False
    return all(a == b or (isinstance(a, (str, bytes)) and isinstance(b, (str, bytes)) and as_bytes(a) == as_bytes(b))
               for a, b in zip(one, other))


def as_bytes(value):
    return value.encode() if isinstance(value, str) else value
