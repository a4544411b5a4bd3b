"""What the tests share: the library, how it is opened, a column of each type."""
import datetime
import decimal
import os
import uuid

import pyarrow
from adbc_driver_manager import dbapi

LIBRARY = os.environ["PISTACHIO_LIBRARY"]
UTC = datetime.timezone.utc
D = decimal.Decimal

# Name, type as written, two values; the type in the result where it is another.
COLUMNS = [
    ("b", pyarrow.bool_(), [True, False], None),
    ("i8", pyarrow.int8(), [-128, 127], None),
    ("i16", pyarrow.int16(), [-32768, 7], None),
    ("i32", pyarrow.int32(), [-(2**31), 5], None),
    ("i64", pyarrow.int64(), [-(2**63), 2**63 - 1], None),
    ("u8", pyarrow.uint8(), [0, 255], None),
    ("u16", pyarrow.uint16(), [1, 65535], None),
    ("u32", pyarrow.uint32(), [1, 2**32 - 1], None),
    ("u64", pyarrow.uint64(), [1, 2**64 - 1], None),
    ("f", pyarrow.float32(), [0.5, -1.25], None),
    ("g", pyarrow.float64(), [0.1, 1e300], None),
    ("d9", pyarrow.decimal128(9, 2), [D("-1234567.89"), D("0.01")], None),
    ("d18", pyarrow.decimal128(18, 4), [D("99999999999999.9999"), D("-0.0001")], None),
    ("d38", pyarrow.decimal128(38, 10), [D("9999999999999999999999999999.9999999999"), D("-1.0000000001")], None),
    ("date", pyarrow.date32(), [datetime.date(1, 1, 1), datetime.date(9999, 12, 31)], None),
    ("time", pyarrow.time64("us"), [datetime.time(0, 0, 0, 1), datetime.time(23, 59, 59, 999999)], None),
    ("ts", pyarrow.timestamp("us"), [datetime.datetime(1900, 1, 1, 0, 0, 0, 1), datetime.datetime(2100, 1, 1)], None),
    ("tz", pyarrow.timestamp("us", "UTC"), [datetime.datetime(1900, 1, 1, tzinfo=UTC),
                                            datetime.datetime(2100, 1, 1, tzinfo=UTC)], None),
    ("s", pyarrow.string(), ["", "a text that does not lie in its view: \u00e4\u6f22"], pyarrow.string_view()),
    ("short", pyarrow.string(), ["twelve bytes", "x"], pyarrow.string_view()),
    ("u", pyarrow.uuid(), [uuid.UUID(int=1), uuid.UUID(int=2**128 - 1)], None),
    ("z", pyarrow.binary(), [b"\0\xff", b"bytes that do not lie in their view \0"], pyarrow.binary_view()),
]


def connect(path="", **settings):
    options = {"pistachio." + name: str(value) for name, value in settings.items()}
    return dbapi.connect(driver=LIBRARY, db_kwargs={"path": path, **options}, autocommit=True)


def table_of(rows):
    """Of so many rows: two values and a NULL, in turns."""
    arrays = [pyarrow.array([([*values, None])[i % 3] for i in range(rows)], kind) for _, kind, values, _ in COLUMNS]
    return pyarrow.table(arrays, [name for name, *_ in COLUMNS])


def library(test, name):
    """A package; the test is skipped where it is not."""
    try:
        return __import__(name)
    except ImportError:
        test.skipTest(f"{name} is not installed")
