"""Lists, structs and maps that a client gives as an Arrow stream: values are pyarrow's."""
import datetime
import decimal
import os
import sys
import unittest

import pyarrow as pa

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "..", "..", "python"))
import pistachio  # noqa: E402

WORDS = ["a", "", "a text that does not lie in its view", None, "\u00e4\u6f22"]
MOMENT = datetime.datetime(2001, 2, 3, 4, 5, 6, 789)
TYPES = {
    "list": (pa.list_(pa.int32()), [[1, None, 3], [], None, [4]]),
    "large": (pa.large_list(pa.large_string()), [WORDS, None, [], ["b"]]),
    "views": (pa.list_(pa.string_view()), [WORDS, None, ["another text that does not lie in its view"], []]),
    "list_view": (pa.list_view(pa.int64()), [[5, 6], None, [], [7, None]]),
    "large_list_view": (pa.large_list_view(pa.binary()), [[b"\0\xff", None], None, [], [b""]]),
    "fixed": (pa.list_(pa.float32(), 3), [[1.5, None, -0.5], None, [0.0, 1.0, 2.0], [3.0, 4.0, 5.0]]),
    "map": (pa.map_(pa.string(), pa.list_(pa.int8())), [[("k", [1]), ("l", None)], [], None, [("a longer key than a view", [])]]),
    "struct": (pa.struct([("a", pa.int16()), ("b", pa.struct([("c", pa.string())]))]),
               [{"a": 1, "b": {"c": "x"}}, {"a": None, "b": None}, None, {"a": 2, "b": {"c": None}}]),
    "deep": (pa.list_(pa.struct([("l", pa.list_(pa.list_(pa.bool_()))), ("m", pa.map_(pa.int32(), pa.date32()))])),
             [[{"l": [[True, None], []], "m": [(1, datetime.date(2000, 1, 1))]}, None], [], None, [{"l": None, "m": None}]]),
    "times": (pa.list_(pa.timestamp("ms")), [[MOMENT.replace(microsecond=1000), None], None, [], [MOMENT.replace(microsecond=0)]]),
    "dates": (pa.list_(pa.date64()), [[datetime.date(1969, 12, 31)], None, [], [None]]),
    "decimals": (pa.list_(pa.decimal128(20, 3)), [[decimal.Decimal("-1.250"), None], None, [], [decimal.Decimal("99.999")]]),
    "halves": (pa.list_(pa.float16()), [[1.5], None, [], [-2.0, None]]),
    "nothing": (pa.list_(pa.null()), [[None, None], None, [], [None]]),
    "codes": (pa.list_(pa.dictionary(pa.int8(), pa.string())), [["x", "y", None], None, [], ["x"]]),
    "coded": (pa.dictionary(pa.int32(), pa.list_(pa.int32())), None),
}


def arrays():
    """Each type's array, of four rows."""
    made = {name: pa.array(rows, kind) for name, (kind, rows) in TYPES.items() if rows}
    made["coded"] = pa.DictionaryArray.from_arrays(pa.array([1, None, 0, 1], pa.int32()), pa.array([[1, 2], [3]], pa.list_(pa.int32())))
    return made


class Nested(unittest.TestCase):
    def setUp(self):
        self.db = pistachio.connect(threads=2)
        self.addCleanup(self.db.close)

    def check(self, table):
        self.db.register("t", table)
        rows = self.db.sql("select * from t order by id").arrow().to_pylist()
        self.assertEqual(rows, table.to_pylist())

    def test_every_type(self):
        for name, array in arrays().items():
            with self.subTest(name):
                self.check(pa.table({"id": range(4), name: array}))

    def test_slices(self):
        columns = {name: pa.concat_arrays([array, array.slice(1), array.slice(2, 1)]) for name, array in arrays().items()
                   if name not in ("codes", "coded")}
        table = pa.table({"id": range(8), **columns})
        for first in range(8):
            for count in (1, 2, 8):
                self.check(table.slice(first, count))
        self.check(pa.concat_tables([table.slice(3, 2), table.slice(6)]))
        self.check(pa.table({"id": range(3), "s": pa.StructArray.from_arrays([columns["list"].slice(2, 5)], ["l"]).slice(1, 3)}))

    def test_many_rows(self):
        lists = [[str(k) * (k % 30) for k in range(i % 7)] for i in range(40000)]
        self.check(pa.table({"id": range(40000), "l": lists}))
        self.assertEqual(self.db.sql("select sum(len(l)) as n, count(l[2]) as m from t").fetchall(),
                         [(sum(map(len, lists)), sum(len(row) > 1 for row in lists))])

    def test_statements(self):
        self.db.register("t", pa.table({"id": [1, 2], "s": [{"a": 1, "l": [1, 2]}, {"a": 2, "l": [3]}]}))
        self.assertEqual(self.db.sql("select id, s.a, unnest(s.l) as x from t order by x").fetchall(), [(1, 1, 1), (1, 1, 2), (2, 2, 3)])

    def test_refused(self):
        union = pa.UnionArray.from_sparse(pa.array([0, 0], pa.int8()), [pa.array([1, 2])])
        for name, array in (("union", pa.ListArray.from_arrays(pa.array([0, 2], pa.int32()), union)),
                            ("interval", pa.array([[pa.MonthDayNano((1, 2, 3))]])),
                            ("runs", pa.ListArray.from_arrays(pa.array([0, 1], pa.int32()), pa.RunEndEncodedArray.from_arrays([1], [5])))):
            with self.subTest(name), self.assertRaisesRegex(pistachio.Error, "x|item|no SQL type|tables do not have"):
                self.db.register("t", pa.table({"x": array}))


if __name__ == "__main__":
    unittest.main()
