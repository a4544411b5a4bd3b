"""What several areas draw: settings, columns of values, names in quotes."""
import datetime
import decimal
import random

import pyarrow as pa
import pyarrow.parquet as pq

SETTINGS = (
    ("threads", ("2", "1", "7")), ("chunk_rows", ("64", "7", "1000")), ("device", ("simulated",)), ("memory_limit", ("64MiB", "256MiB")),
    ("isa", ("scalar", "avx2")), ("join_table", ("open",)), ("cache_memory", ("1MB", "0", "1GB")), ("device_mix", ("1", "2", "3")), ("PISTACHIO_FAULT", ("room:3:every", "room:7:every")),
)


def settings(choices, ranks=True, percent=35):
    """None most times, else some; two or three ranks among them."""
    if not choices.chance(percent):
        return {}
    drawn = {}
    for name, values in SETTINGS:
        if choices.chance(25):
            drawn[name] = choices.pick(values)
    if ranks and choices.chance(40):
        drawn.update({"ranks": choices.pick(("2", "3")), "distribute": "always"})
    return drawn


def quoted(name):
    return '"' + name.replace('"', '""') + '"'


def text(value):
    return "'" + value.replace("'", "''") + "'"


DAY = datetime.date(2020, 1, 31)
KINDS = {
    "integer": (pa.int32(), lambda r: r.randint(-50, 50)), "varchar": (pa.string(), lambda r: r.choice(("a", "b", "", "Zo\u00eb", "a longer text"))),
    "bigint": (pa.int64(), lambda r: r.randint(-10 ** 15, 10 ** 15)), "date": (pa.date32(), lambda r: DAY + datetime.timedelta(r.randint(-500, 500))),
    "boolean": (pa.bool_(), lambda r: r.random() < 0.5), "double": (pa.float64(), lambda r: r.randint(-80, 80) / 8),
    "smallint": (pa.int16(), lambda r: r.randint(-9, 9)), "decimal(9,2)": (pa.decimal128(9, 2), lambda r: decimal.Decimal(r.randint(-999, 999)).scaleb(-2)),
    "decimal(30,3)": (pa.decimal128(30, 3), lambda r: decimal.Decimal(r.randint(-10 ** 12, 10 ** 12)).scaleb(-3)),
    "timestamp": (pa.timestamp("us"), lambda r: datetime.datetime(2020, 1, 31, 12) + datetime.timedelta(seconds=r.randint(-10 ** 6, 10 ** 6))),
    "utinyint": (pa.uint8(), lambda r: r.randint(0, 255)),
}


def column(kind, rows, seed, nulls):
    """An Arrow array; nulls: how many of a hundred."""
    r = random.Random(seed)
    arrow, value = KINDS[kind]
    return pa.array([None if nulls and r.random() * 100 < nulls else value(r) for _ in range(rows)], arrow)


def written(table, **options):
    """A function that writes an Arrow table with pyarrow."""
    return lambda path: pq.write_table(table, path, **options)
