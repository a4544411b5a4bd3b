#!/usr/bin/env python3
"""Random tables as Arrow files of pyarrow, copied to Arrow files by the program and read by pyarrow again: equal values.

arrow_random.py PROGRAM [SEEDS [FIRST]]

All types that are read, NULLs, lists, structs and maps to depth 3, dictionaries, files and streams, LZ4 and zstd, batches of ten
rows to all of them. Without pyarrow it is skipped.
"""
import datetime
import decimal
import os
import random
import subprocess
import sys
import tempfile

try:
    import pyarrow as pa
    import pyarrow.ipc as ipc
except ImportError as missing:
    print(f"skipped arrow_random: {missing}")
    sys.exit(77)

EPOCH = datetime.datetime(1970, 1, 1)
FLAT = [
    pa.bool_(), pa.int8(), pa.int16(), pa.int32(), pa.int64(), pa.uint8(), pa.uint16(), pa.uint32(), pa.uint64(),
    pa.float16(), pa.float32(), pa.float64(), pa.decimal128(5, 2), pa.decimal128(18, 0), pa.decimal128(38, 10), pa.date32(),
    pa.date64(), pa.time32("s"), pa.time32("ms"), pa.time64("us"), pa.time64("ns"), pa.timestamp("s"), pa.timestamp("ms"),
    pa.timestamp("us"), pa.timestamp("us", "UTC"), pa.timestamp("ns"), pa.string(), pa.large_string(), pa.string_view(),
    pa.binary(), pa.large_binary(), pa.binary_view(), pa.binary(5), pa.null(),
]
MICROSECONDS = {"s": 10**6, "ms": 1000, "us": 1, "ns": 1}


class Maker:
    def __init__(self, seed):
        self.draw = random.Random(seed)

    def text(self):
        return "".join(self.draw.choice("abcé漢x\U0001f600 ") for _ in range(self.draw.choice([0, 1, 3, 12, 13, 40])))

    def integer(self, kind):
        bits = kind.bit_width
        least, most = (0, 2**bits - 1) if str(kind).startswith("u") else (-(2 ** (bits - 1)), 2 ** (bits - 1) - 1)
        return self.draw.choice([least, most, 0, self.draw.randint(least, most)])

    def moment(self, kind):
        unit = MICROSECONDS[kind.unit]
        if pa.types.is_time(kind):
            microseconds = self.draw.randint(0, 86400 * 10**6 - 1)
            return (EPOCH + datetime.timedelta(microseconds=microseconds - microseconds % unit)).time()
        microseconds = self.draw.randint(-(2**51), 2**51)
        moment = EPOCH + datetime.timedelta(microseconds=microseconds - microseconds % unit)
        return moment.replace(tzinfo=datetime.timezone.utc) if kind.tz else moment

    def nested(self, kind):
        if pa.types.is_fixed_size_list(kind):
            return [self.value(kind.value_type) for _ in range(kind.list_size)]
        if pa.types.is_map(kind):
            keys = {self.draw.randint(0, 10**6) for _ in range(self.draw.randint(0, 4))}
            make = int if pa.types.is_integer(kind.key_type) else str
            return [(make(key), self.value(kind.item_type)) for key in keys]
        if pa.types.is_struct(kind):
            return {kind.field(i).name: self.value(kind.field(i).type) for i in range(kind.num_fields)}
        return [self.value(kind.value_type) for _ in range(self.draw.choice([0, 1, 2, 5]))]

    def value(self, kind):
        draw, types = self.draw, pa.types
        if draw.random() < 0.15 or types.is_null(kind):
            return None
        if types.is_nested(kind):
            return self.nested(kind)
        if types.is_boolean(kind):
            return draw.random() < 0.5
        if types.is_integer(kind):
            return self.integer(kind)
        if types.is_floating(kind):
            return draw.choice([0.0, 0.5, -1.25, 65504.0])
        if types.is_decimal(kind):
            digits = draw.randint(1 - 10**kind.precision, 10**kind.precision - 1)
            return decimal.Decimal(digits).scaleb(-kind.scale, decimal.Context(prec=60))
        if types.is_date(kind):
            return datetime.date(1970, 1, 1) + datetime.timedelta(days=draw.randint(-100000, 100000))
        if types.is_time(kind) or types.is_timestamp(kind):
            return self.moment(kind)
        if types.is_fixed_size_binary(kind):
            return draw.randbytes(kind.byte_width)
        if kind in (pa.string(), pa.large_string(), pa.string_view()):
            return self.text()
        return draw.randbytes(draw.choice([0, 3, 12, 13, 50]))

    def kind(self, depth=0):
        draw, chance = self.draw, self.draw.random()
        if depth >= 3 or chance < 0.6:
            return draw.choice(FLAT)
        if chance < 0.75:
            return draw.choice([pa.list_, pa.large_list, pa.list_view])(self.kind(depth + 1))
        if chance < 0.8:
            return pa.list_(self.kind(depth + 1), draw.choice([0, 1, 3]))
        if chance < 0.93:
            return pa.struct([(f"f{i}", self.kind(depth + 1)) for i in range(draw.randint(1, 3))])
        return pa.map_(draw.choice([pa.string(), pa.int32()]), self.kind(depth + 1))

    def dictionary(self, rows):
        kind = self.draw.choice([pa.string(), pa.int64(), pa.large_string()])
        values = [self.value(kind) for _ in range(self.draw.randint(1, 20))]
        codes = [None if self.draw.random() < 0.15 else self.draw.randrange(len(values)) for _ in range(rows)]
        index = self.draw.choice([pa.int8(), pa.int16(), pa.int32(), pa.uint8()])
        return pa.DictionaryArray.from_arrays(pa.array(codes, index), pa.array(values, kind))

    def column(self, rows):
        if self.draw.random() < 0.15:
            return self.dictionary(rows)
        kind = self.kind()
        return pa.array([self.value(kind) for _ in range(rows)], kind)

    def table(self):
        rows = self.draw.choice([0, 1, 7, 64, 100, 1000])
        return pa.table({f"c{i}": self.column(rows) for i in range(self.draw.randint(1, 8))})

    def write(self, table, path):
        make = ipc.new_stream if path.endswith("s") else ipc.new_file
        options = ipc.IpcWriteOptions(compression=self.draw.choice([None, None, "lz4", "zstd"]))
        with make(path, table.schema, options=options) as writer:
            writer.write_table(table, max_chunksize=self.draw.choice([None, 10, 65, 300]))


def read(path):
    return (ipc.open_stream(path) if path.endswith("s") else ipc.open_file(path)).read_all()


def plain(value):
    """The value without pandas' type for moments of nanoseconds."""
    if isinstance(value, list):
        return [plain(item) for item in value]
    if isinstance(value, tuple):
        return tuple(plain(item) for item in value)
    if isinstance(value, dict):
        return {key: plain(item) for key, item in value.items()}
    return value.value if hasattr(value, "value") else value


def try_seed(program, seed, folder):
    maker = Maker(seed)
    path = os.path.join(folder, maker.draw.choice(["t.arrow", "t.arrows"]))
    copy = os.path.join(folder, maker.draw.choice(["copy.arrow", "copy.arrows"]))
    codec = maker.draw.choice(["none", "lz4", "zstd"])
    table = maker.table()
    maker.write(table, path)
    settings = [f"threads={maker.draw.choice([1, 3])}", f"chunk_rows={maker.draw.choice([64, 100, 2048])}"]
    arguments = [argument for setting in settings for argument in ("--set", setting)]
    done = subprocess.run([program, *arguments, "-c", f"copy (from '{path}') to '{copy}' (compression {codec})"], capture_output=True, text=True)
    if done.returncode:
        return done.stderr
    wanted, got = plain(table.to_pylist()), plain(read(copy).to_pylist())
    differing = [pair for pair in zip(wanted, got) if pair[0] != pair[1]]
    if len(wanted) != len(got):
        return f"{len(got)} rows, not {len(wanted)}"
    return "{}\n{}".format(*differing[0]) if differing else None


def main():
    program = sys.argv[1]
    seeds = int(sys.argv[2]) if len(sys.argv) > 2 else 5
    first = int(sys.argv[3]) if len(sys.argv) > 3 else 1
    passed = failed = 0
    with tempfile.TemporaryDirectory() as folder:
        for seed in range(first, first + seeds):
            wrong = try_seed(program, seed, folder)
            passed, failed = passed + (not wrong), failed + bool(wrong)
            if wrong:
                print(f"failed: seed {seed}: {wrong}")
    print(f"{passed} passed, {failed} failed, 0 skipped")
    sys.exit(failed > 0)


main()
