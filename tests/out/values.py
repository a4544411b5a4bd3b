"""Values of every type, with their extremes: how SQL writes each, the text that it has in results (PostgreSQL's, as its
documentation says), and what a reader of Parquet finds. Nothing here comes from Pistachio.

A type of src/base/type/type.h that no column has makes the tests fail (run.sh): add a column for it.
"""
import ctypes
import decimal
import math
import uuid


class Column:
    """type_id: the enumerator of src/base/type/type.h. cells: (SQL's text, result's text, Parquet's value), without NULLs.
    in_json: bare, quoted or boolean. parquet: pyarrow's type, as text; None: Parquet has none, it is written as varchar."""

    def __init__(self, type_id, name, sql_type, cells, parquet, in_json="quoted"):
        self.type_id, self.name, self.sql_type, self.cells = type_id, name, sql_type, cells
        self.parquet, self.in_json = parquet, in_json


# ---- numbers ----

def integers(type_id, name, sql_type, bits, is_signed, parquet):
    low, high = (-2 ** (bits - 1), 2 ** (bits - 1) - 1) if is_signed else (0, 2 ** bits - 1)
    numbers = [0, 1, low, high, high // 3]
    return Column(type_id, name, sql_type, [(str(n), str(n), n) for n in numbers], parquet, "bare")


def decimals(name, precision, scale):
    most = 10 ** precision - 1
    units = [0, 1, -1, most, -most, most // 7]
    cells = []
    for unit in units:
        digits = str(abs(unit)).rjust(scale + 1, "0")
        text = ("-" if unit < 0 else "") + digits[:len(digits) - scale] + ("." + digits[len(digits) - scale:] if scale else "")
        cells.append((text, text, decimal.Decimal(text)))
    return Column("TYPE_DECIMAL", name, f"decimal({precision},{scale})", cells, f"decimal128({precision}, {scale})", "bare")


def narrow(number, is_float):
    return ctypes.c_float(number).value if is_float else number


def float_text(number, is_float):
    """PostgreSQL's: the fewest digits that read back; with an exponent below 1e-4 and from 1e15 (real: 1e6)."""
    if math.isnan(number) or math.isinf(number):
        return "NaN" if math.isnan(number) else "Infinity" if number > 0 else "-Infinity"
    if number == 0:
        return "-0" if math.copysign(1, number) < 0 else "0"
    for digits in range(1, 18):
        text = f"{number:.{digits - 1}e}"
        if narrow(float(text), is_float) == number:
            break
    mantissa, exponent = text.split("e")
    if -4 <= int(exponent) < (6 if is_float else 15):
        return f"{decimal.Decimal(text):f}"
    return f"{mantissa}e{int(exponent):+03d}"


def floats(type_id, name, sql_type, is_float, numbers, parquet):
    cells = []
    for number in numbers:
        number = narrow(number, is_float)
        text = float_text(number, is_float)
        cells.append((text, text, number))
    return Column(type_id, name, sql_type, cells, parquet, "bare")


# ---- times, counted in days and units of the proleptic Gregorian calendar ----

def days_of(year, month, day):
    """Since 1970-01-01; year 0 is 1 BC."""
    year -= month <= 2
    era = year // 400
    year_of_era = year - era * 400
    day_of_year = (153 * (month + (-3 if month > 2 else 9)) + 2) // 5 + day - 1
    return era * 146097 + year_of_era * 365 + year_of_era // 4 - year_of_era // 100 + day_of_year - 719468


def parse_date(text):
    text, is_bc = text.removesuffix(" BC"), text.endswith(" BC")
    year, month, day = (int(part) for part in text.split("-"))
    return days_of(1 - year if is_bc else year, month, day)


def parse_clock(text, places):
    whole, _, fraction = text.partition(".")
    hours, minutes, seconds = (int(part) for part in whole.split(":"))
    return (hours * 3600 + minutes * 60 + seconds) * 10 ** places + int(fraction.ljust(places, "0") or 0)


def parse_timestamp(text, places):
    text, suffix = text.removesuffix(" BC"), " BC" if text.endswith(" BC") else ""
    date, clock = text.split(" ")
    return parse_date(date + suffix) * 86400 * 10 ** places + parse_clock(clock, places)


dates = ["1970-01-01", "1969-12-31", "2000-02-29", "0001-01-01", "9999-12-31", "0044-03-15 BC", "294000-12-31"]
clocks = ["00:00:00", "23:59:59.999999", "12:34:56.5", "00:00:00.000001", "01:02:03"]
stamps = ["1970-01-01 00:00:00", "1969-12-31 23:59:59.999999", "2024-02-29 12:34:56.5", "0001-01-01 00:00:00",
          "9999-12-31 23:59:59.999999", "4713-11-24 00:00:00 BC", "290000-01-01 00:00:00.000001"]
stamps_ns = ["1970-01-01 00:00:00", "1969-12-31 23:59:59.999999999", "2262-04-11 23:47:16.854775806",
             "1677-09-21 00:12:43.145224194", "2024-02-29 12:34:56.5"]


def zoned(text):
    return text.replace(" BC", "+00 BC") if text.endswith(" BC") else text + "+00"


def interval_text(months, days, microseconds):
    """PostgreSQL's style: a positive field behind a negative one has a plus."""
    text, is_behind_negative = "", False
    years, months = (abs(months) // 12 * (1 if months > 0 else -1), abs(months) % 12 * (1 if months > 0 else -1))
    for number, unit in (years, "year"), (months, "mon"), (days, "day"):
        if number:
            plus = "+" if is_behind_negative and number > 0 else ""
            text += f"{' ' if text else ''}{plus}{number} {unit}{'' if number == 1 else 's'}"
            is_behind_negative = number < 0
    if microseconds or not text:
        seconds, fraction = divmod(abs(microseconds), 10 ** 6)
        sign = "-" if microseconds < 0 else "+" if is_behind_negative else ""
        clock = f"{seconds // 3600:02d}:{seconds // 60 % 60:02d}:{seconds % 60:02d}"
        clock += f".{fraction:06d}".rstrip("0") if fraction else ""
        text += f"{' ' if text else ''}{sign}{clock}"
    return text


def intervals():
    values = [(0, 0, 0), (14, 3, 14706789000), (-1, 2, -10800000000), (0, -1, 1), (2 ** 31 - 1, 2 ** 31 - 1, 0),
              (-2 ** 31 + 1, 0, 0), (0, 0, -1), (1, 1, 86400 * 10 ** 6)]
    texts = [interval_text(*value) for value in values]
    return [(text, text, text) for text in texts]


# ---- bytes ----

texts = ["", " ", "a", "NULL", "\\N", "a,b;c|d", 'say "no"', "''", "two\nlines", "a\ttab", "cr\r\nlf", "back\\slash",
         "Grüße, 日本語 🐘", "twelve bytes", "thirteen byte", "long " * 60, "\x01\x1f\x7f", " spaces at the ends ", "\\x61", "1e5", "true"]
# What tables show as it is.
plain_texts = ["a", "Grüße, 日本語 🐘", "twelve bytes", "thirteen byte", "1e5", "back\\slash", "say \"no\""]
blobs = [b"", b"\0", b"\xff", b"abc", b"\\x61", bytes(range(12)), bytes(range(13)), bytes(range(256))]

uuids = [uuid.UUID(int=n) for n in (0, 1, 2 ** 127 - 1, 2 ** 127, 2 ** 128 - 1, 0x0123456789abcdef0123456789abcdef)]

COLUMNS = [
    Column("TYPE_NULL", "nothing", None, [], "string"),
    Column("TYPE_BOOL", "flag", "boolean", [("true", "true", True), ("false", "false", False)], "bool", "boolean"),
    integers("TYPE_INT8", "i8", "tinyint", 8, True, "int8"),
    integers("TYPE_INT16", "i16", "smallint", 16, True, "int16"),
    integers("TYPE_INT32", "i32", "integer", 32, True, "int32"),
    integers("TYPE_INT64", "i64", "bigint", 64, True, "int64"),
    integers("TYPE_UINT8", "u8", "utinyint", 8, False, "uint8"),
    integers("TYPE_UINT16", "u16", "usmallint", 16, False, "uint16"),
    integers("TYPE_UINT32", "u32", "uinteger", 32, False, "uint32"),
    integers("TYPE_UINT64", "u64", "ubigint", 64, False, "uint64"),
    floats("TYPE_FLOAT", "f32", "real", True,
           [0.0, -0.0, 1.5, -0.1, 3.4028234663852886e38, -3.4028234663852886e38, 1e-45, 1.1754943508222875e-38, 999999, 1e6, 1234567,
            1e-4, 1e-5, math.nan, math.inf, -math.inf], "float"),
    floats("TYPE_DOUBLE", "f64", "double precision", False,
           [0.0, -0.0, 1.5, -0.1, 1.7976931348623157e308, -1.7976931348623157e308, 5e-324, 2.2250738585072014e-308, 999999999999999.0,
            1e15, 123456789012345680.0, 1e-4, 1e-5, 1 / 3, math.nan, math.inf, -math.inf], "double"),
    decimals("d5", 5, 2),
    decimals("d9", 9, 0),
    decimals("d18", 18, 4),
    decimals("d38", 38, 0),
    decimals("d38_10", 38, 10),
    decimals("d38_38", 38, 38),
    Column("TYPE_DATE", "day", "date", [(t, t, parse_date(t)) for t in dates], "date32[day]"),
    Column("TYPE_TIME", "clock", "time", [(t, t, parse_clock(t, 6)) for t in clocks], "time64[us]"),
    Column("TYPE_TIMESTAMP", "stamp", "timestamp", [(t, t, parse_timestamp(t, 6)) for t in stamps], "timestamp[us]"),
    Column("TYPE_TIMESTAMP", "stamp_ns", "timestamp_ns", [(t, t, parse_timestamp(t, 9)) for t in stamps_ns], "timestamp[ns]"),
    Column("TYPE_TIMESTAMP_TZ", "stamp_tz", "timestamptz", [(zoned(t), zoned(t), parse_timestamp(t, 6)) for t in stamps],
           "timestamp[us, tz=UTC]"),
    Column("TYPE_INTERVAL", "span", "interval", intervals(), None),
    Column("TYPE_VARCHAR", "plain", "varchar", [(t, t, t) for t in plain_texts], "string"),
    Column("TYPE_BLOB", "bytes", "blob", [(f"\\x{b.hex()}", f"\\x{b.hex()}", b) for b in blobs], "binary"),
    Column("TYPE_UUID", "uuid", "uuid", [(str(u), str(u), u) for u in uuids], "extension<arrow.uuid>"),
    Column("TYPE_VARCHAR", "text", "varchar", [(t, t, t) for t in texts], "string"),
]

# A row of NULLs first and last; columns with few values end in NULLs.
ROWS = max(len(column.cells) for column in COLUMNS) + 2


def cell(column, row):
    """A row's (SQL's text, result's text, Parquet's value), or None for NULL."""
    return column.cells[row - 1] if 1 <= row <= len(column.cells) else None
