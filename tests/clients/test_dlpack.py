"""Columns as DLPack tensors: NumPy and PyTorch see the engine's own memory, and NumPy that it is not to be written to."""
import ctypes
import gc
import os
import subprocess
import sys
import tempfile
import threading
import unittest

import pyarrow
import pyarrow.parquet

from client import LIBRARY, library
from test_package import pistachio

NUMBERS = [("i8", pyarrow.int8(), [-128, 127]), ("i16", pyarrow.int16(), [-32768, 7]), ("i32", pyarrow.int32(), [-(2**31), 5]),
           ("i64", pyarrow.int64(), [-(2**63), 2**63 - 1]), ("u8", pyarrow.uint8(), [0, 255]),
           ("u16", pyarrow.uint16(), [1, 65535]), ("u32", pyarrow.uint32(), [1, 2**32 - 1]),
           ("u64", pyarrow.uint64(), [1, 2**64 - 1]), ("f", pyarrow.float32(), [0.5, -1.25]), ("g", pyarrow.float64(), [0.1, 1e300])]


def numbers(rows):
    return pyarrow.table({name: pyarrow.array([values[i % 2] for i in range(rows)], kind) for name, kind, values in NUMBERS})


class Tensors(unittest.TestCase):
    def setUp(self):
        if not os.path.exists(os.path.join(os.path.dirname(LIBRARY), "_capsule.so")):
            self.skipTest("there is no _capsule.so beside the library")
        self.numpy = library(self, "numpy")
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.db = pistachio.connect(threads=2)

    def rows(self, count, **options):
        path = os.path.join(self.folder.name, f"{count}.parquet")
        pyarrow.parquet.write_table(numbers(count), path, **options)
        return self.db.sql(f"select * from '{path}'")

    def check(self, result, count):
        table, at = numbers(count), 0
        for batch in result.batches():
            for index, name in enumerate(table.column_names):
                seen = self.numpy.from_dlpack(batch[name])
                self.assertEqual(seen.tolist(), table[name].slice(at, len(batch)).to_pylist(), name)
                self.assertFalse(seen.flags.writeable)
                self.assertEqual(seen.ctypes.data, batch._array.children[index].contents.buffers[1])
                self.assertEqual(seen.dtype, table[name].to_numpy().dtype)
            at += len(batch)
        self.assertEqual(at, count)

    def test_numbers_at_our_own_address(self):
        for count in (1, 1000):
            self.check(self.rows(count, use_dictionary=False), count)
        self.check(self.rows(40000), 40000)
        self.assertEqual(list(self.rows(0).batches()), [])

    def test_lists_of_a_fixed_size(self):
        for kind in ("float", "bigint"):
            result = self.db.sql(f"select i, [i, i * 2, -1]::{kind}[3] as v from generate_series(1, 5000) t(i)")
            at = 0
            for batch in result.batches():
                seen = self.numpy.from_dlpack(batch["v"])
                self.assertEqual(seen.shape, (len(batch), 3))
                self.assertEqual(seen.tolist(), [[i, i * 2, -1] for i in self.numpy.from_dlpack(batch["i"]).tolist()])
                self.assertEqual(seen.ctypes.data, batch._array.children[1].contents.children[0].contents.buffers[1])
                copy = self.numpy.from_dlpack(batch["v"], copy=True)
                self.assertEqual(copy.tolist(), seen.tolist())
                at += len(batch)
            self.assertEqual(at, 5000)
        batch = next(self.db.sql("select [1, NULL]::int[2] as e, NULL::int[2] as n, ['a']::text[1] as t, [1] as l").batches())
        for name, message in (("e", "NULL elements"), ("n", "has NULLs"), ("t", "type varchar.1."), ("l", "one size")):
            with self.subTest(name), self.assertRaisesRegex(BufferError, message):
                self.numpy.from_dlpack(batch[name])

    def test_on_a_device_with_memory_of_its_own(self):
        self.db = pistachio.connect(device="simulated")
        self.check(self.rows(3000), 3000)

    def test_they_hold_their_memory(self):
        batch = next(self.rows(1000).batches())
        tensor, untaken = batch["i64"], batch["i32"].__dlpack__(max_version=(1, 0))
        del batch
        self.db.close()
        seen = [self.numpy.from_dlpack(tensor)]
        del tensor, untaken
        gc.collect()
        self.assertEqual(seen[0].tolist(), numbers(1000)["i64"].to_pylist())
        thread = threading.Thread(target=seen.clear)
        thread.start()
        thread.join()

    def test_left_at_the_interpreters_end(self):
        text = ("import pistachio, numpy; db = pistachio.connect(); b = next(db.sql('select 7 as x').batches());"
                "a = numpy.from_dlpack(b['x']); c = b['x'].__dlpack__(max_version=(1, 0)); rest = db.sql('select 8 as y').batches();"
                "next(rest); print(a)")
        environment = {**os.environ, "PYTHONPATH": os.path.dirname(os.path.dirname(pistachio.__file__))}
        ran = subprocess.run([sys.executable, "-c", text], capture_output=True, text=True, env=environment)
        self.assertEqual((ran.returncode, ran.stdout, ran.stderr), (0, "[7]\n", ""))

    def test_copies(self):
        batch = next(self.rows(1000).batches())
        copy = self.numpy.from_dlpack(batch["i64"], copy=True)
        self.assertTrue(copy.flags.writeable)
        self.assertNotEqual(copy.ctypes.data, self.numpy.from_dlpack(batch["i64"]).ctypes.data)
        copy[0] = 3
        self.assertEqual(self.numpy.from_dlpack(batch["i64"])[0], -(2**63))
        name = ctypes.pythonapi.PyCapsule_GetName
        name.restype, name.argtypes = ctypes.c_char_p, [ctypes.py_object]
        self.assertEqual(name(batch["g"].__dlpack__()), b"dltensor")  # as those ask who know no version
        self.assertEqual(name(batch["g"].__dlpack__(max_version=(1, 3))), b"dltensor_versioned")

    def test_what_is_refused(self):
        result = self.db.sql("select x, 'x' as s, 1.5 as d, true as b, date '2000-01-01' as t, x::float as f "
                             "from (values (null::integer)) v(x)")
        batch = next(result.batches())
        for name, message in (("x", "has NULLs(.|\n)*coalesce"), ("s", "type varchar"), ("d", "decimal(.|\n)*::double precision"),
                              ("b", "::integer"), ("t", "extract"), ("f", "NULLs")):
            with self.assertRaisesRegex(BufferError, f'"{name}": column (.|\n)*{message}'):
                self.numpy.from_dlpack(batch[name])
        self.assertRaises(KeyError, lambda: batch["nosuch"])
        self.assertRaises(IndexError, lambda: batch[6])
        fine = next(self.db.sql("select 1 as x").batches())["x"]
        for wrong in ({"dl_device": (2, 0)}, {"stream": 1}, {"copy": False}):
            self.assertRaises(BufferError, lambda: fine.__dlpack__(**wrong))
        self.assertEqual(fine.__dlpack_device__(), (1, 0))

    def test_the_ways_out_work(self):
        result = self.db.sql("select coalesce(x, 0) as x, 1.5::double precision as d, true::integer as b, "
                             "extract(epoch from date '2000-01-01')::double precision as t from (values (null::integer)) v(x)")
        batch = next(result.batches())
        self.assertEqual([self.numpy.from_dlpack(batch[i]).tolist() for i in range(4)], [[0], [1.5], [1], [946684800.0]])

    def test_torch(self):
        torch = library(self, "torch")
        got = self.rows(1000).torch()
        self.assertEqual({name: tensor.tolist() for name, tensor in got.items()}, numbers(1000).to_pydict())
        got = self.rows(40000).torch()
        self.assertEqual(got["i64"].tolist(), numbers(40000)["i64"].to_pylist())
        self.assertEqual({name: len(tensor) for name, tensor in self.rows(0).torch().items()}, {name: 0 for name, *_ in NUMBERS})
        batch = next(self.rows(1000).batches())
        if tuple(int(n) for n in torch.__version__.split("+")[0].split(".")[:2]) >= (2, 9):  # that knows DLPack 1.0
            self.assertEqual(torch.from_dlpack(batch["i64"]).data_ptr(), self.numpy.from_dlpack(batch["i64"]).ctypes.data)
        with self.assertRaisesRegex(BufferError, "no column of numbers"):
            self.db.sql("select 'x' as s where false").torch()


if __name__ == "__main__":
    unittest.main()
