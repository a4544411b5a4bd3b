#!/usr/bin/env python3
"""Makes the files of this folder: make.py, with pyarrow 20 or newer. arrow_files.sh reads them; what it expects of them is
what is written here."""
import datetime
import decimal
import os
import uuid

import pyarrow as pa
import pyarrow.ipc as ipc

os.chdir(os.path.dirname(os.path.abspath(__file__)))


def write(name, table, rows=None, kind=ipc.new_file, **options):
    with kind(name, table.schema, options=ipc.IpcWriteOptions(**options)) as writer:
        writer.write_table(table, max_chunksize=rows)


day = datetime.date(2024, 2, 29)
stamp = datetime.datetime(1969, 12, 31, 23, 59, 59, 999999)
flat = pa.table({
    'b': pa.array([True, None, False], pa.bool_()),
    'i8': pa.array([-128, None, 127], pa.int8()),
    'i16': pa.array([-32768, None, 32767], pa.int16()),
    'i32': pa.array([-2147483648, None, 2147483647], pa.int32()),
    'i64': pa.array([-2**63, None, 2**63 - 1], pa.int64()),
    'u8': pa.array([0, None, 255], pa.uint8()),
    'u64': pa.array([0, None, 2**64 - 1], pa.uint64()),
    'f16': pa.array([0.5, None, 65504], pa.float16()),
    'f32': pa.array([0.5, None, -0.25], pa.float32()),
    'f64': pa.array([0.1, None, 1e300], pa.float64()),
    'd5': pa.array([decimal.Decimal('-1.23'), None, decimal.Decimal('999.99')], pa.decimal128(5, 2)),
    'd38': pa.array([decimal.Decimal('9' * 38), None, decimal.Decimal(-1)], pa.decimal128(38, 0)),
    'date': pa.array([day, None, datetime.date(1969, 12, 31)], pa.date32()),
    'date64': pa.array([day, None, datetime.date(1969, 12, 31)], pa.date64()),
    't32': pa.array([datetime.time(23, 59, 59), None, datetime.time(0)], pa.time32('s')),
    't64': pa.array([datetime.time(23, 59, 59, 999999), None, datetime.time(0)], pa.time64('ns')),
    'ts': pa.array([-1, None, 0], pa.timestamp('s')),
    'ms': pa.array([-1, None, 0], pa.timestamp('ms')),
    'us': pa.array([stamp, None, stamp], pa.timestamp('us')),
    'tz': pa.array([stamp, None, stamp], pa.timestamp('us', 'UTC')),
    's': pa.array(['', None, 'a text that does not lie in its view'], pa.string()),
    'ls': pa.array(['ä', None, 'twelve bytes'], pa.large_string()),
    'vs': pa.array(['ä', None, 'thirteen byte'], pa.string_view()),
    'z': pa.array([b'', None, b'\x00\xff'], pa.binary()),
    'fz': pa.array([b'abc', None, b'xyz'], pa.binary(3)),
    'n': pa.nulls(3),
    'dur': pa.array([datetime.timedelta(seconds=1), None, datetime.timedelta(milliseconds=-5)],
                    pa.duration('ms')),
    'uuid': pa.ExtensionArray.from_storage(
        pa.uuid(), pa.array([uuid.UUID(int=1).bytes, None, uuid.UUID(int=2**128 - 1).bytes],
                            pa.binary(16))),
})
write('flat.arrow', flat)
write('flat.arrows', flat, 2, ipc.new_stream)
write('lz4.feather', flat, 2, compression='lz4')
write('zstd.arrow', flat, compression='zstd')

nested = pa.table({
    'l': pa.array([[1, None], [], None, [3]], pa.list_(pa.int32())),
    'll': pa.array([['a'], None, ['b', None], []], pa.large_list(pa.string())),
    'lv': pa.array([[1], [], None, [2, 3]], pa.list_view(pa.int64())),
    'fl': pa.array([[1, 2], None, [3, None], [5, 6]], pa.list_(pa.int8(), 2)),
    's': pa.array([{'a': 1, 'b': 'x'}, None, {'a': None, 'b': 'y'}, {'a': 4, 'b': None}],
                  pa.struct([('a', pa.int32()), ('b', pa.string())])),
    'm': pa.array([[('k', 1)], [], None, [('x', None), ('y', 2)]], pa.map_(pa.string(), pa.int64())),
    'deep': pa.array([[{'a': [1]}], None, [None, {'a': None}], []],
                     pa.list_(pa.struct([('a', pa.list_(pa.int16()))]))),
})
write('nested.arrow', nested)
write('nested.arrows', nested, 3, ipc.new_stream, compression='zstd')

codes = pa.DictionaryArray.from_arrays(pa.array([0, None, 1, 2, 1], pa.int8()),
                                       pa.array(['x', 'a long text of a dictionary', None]))
write('dictionary.arrow', pa.table({'d': codes, 'i': [1, 2, 3, 4, 5]}), 2)
schema = pa.schema([('d', pa.dictionary(pa.int32(), pa.string()))])
with ipc.new_stream('changing.arrows', schema) as writer:  # another dictionary for each batch
    for words in (['a', 'b'], ['c'], ['c', 'd', 'e']):
        writer.write_batch(pa.record_batch([pa.array(words).dictionary_encode()], schema=schema))
with ipc.new_stream('delta.arrows', schema,
                    options=ipc.IpcWriteOptions(emit_dictionary_deltas=True)) as writer:
    for words in (['a', 'b'], ['a', 'b', 'c'], ['a', 'b', 'c', 'd']):
        values = pa.array(words)
        index = pa.array(range(len(words)), pa.int32())
        batch = pa.record_batch([pa.DictionaryArray.from_arrays(index, values)], schema=schema)
        writer.write_batch(batch)

write('names.arrow', pa.table([pa.array([1]), pa.array([2]), pa.array([3])], names=['v', 'V', '']))
write('empty.arrow', pa.table({'a': pa.array([], pa.int32())}))
write('union.arrow', pa.table({'u': pa.UnionArray.from_dense(
    pa.array([0, 1], pa.int8()), pa.array([0, 0], pa.int32()), [pa.array([1]), pa.array(['x'])])}))
