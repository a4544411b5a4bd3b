#!/usr/bin/env python3
"""Delta and Iceberg tables whose logs are written here (write.py): versions, values of partitions, mapped columns, deletion vectors,
and logs that are damaged.

run.py PROGRAM
"""
import gzip
import json
import os
import shutil
import struct
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor

import write as w

program = os.path.abspath(sys.argv[1])
passed, failures = 0, []
work = tempfile.TemporaryDirectory()
pending = []


def check(what, right, said=""):
    global passed
    passed += bool(right)
    if not right:
        failures.append(what)
        print(f"failed: {what}: {said}")


def run(sql, *arguments):
    done = subprocess.run([program, "--format", "csv", *arguments, "-c", sql], stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True, timeout=120, check=False, cwd=work.name)
    return done.returncode, done.stdout


def gives(sql, *rows, arguments=()):
    """Rows in order; they are asked for together, at the end."""
    def look(outcome):
        status, said = outcome
        check(sql, status == 0 and said.split("\n", 1)[1].strip().split("\n") == list(rows), said)
    pending.append((sql, arguments, look))


def says(sql, *texts, arguments=()):
    def look(outcome):
        status, said = outcome
        for text in texts:
            check(f"{sql} says {text!r}", status == 1 and text in said, said)
    pending.append((sql, arguments, look))


def shows(sql, *texts):
    def look(outcome):
        status, said = outcome
        for text in texts:
            check(f"{sql} shows {text!r}", status == 0 and text in said, said)
    pending.append((sql, (), look))


def ask():
    with ThreadPoolExecutor(2) as pool:
        for (_, _, look), outcome in zip(pending, pool.map(lambda p: run(p[0], *p[1]), pending)):
            look(outcome)
    pending.clear()


def make(*files):
    """Parquet files by one process: (query, path)."""
    for _, path in files:
        os.makedirs(os.path.dirname(os.path.join(work.name, path)), exist_ok=True)
    text = "; ".join(f"copy ({sql}) to '{path}' (format parquet)" for sql, path in files)
    status, said = run(text)
    if status:
        raise SystemExit(f"files were not made: {said}")


def root(name):
    return os.path.join(work.name, name)


def test_versions():
    make(("select i::bigint as id, 'n' || i as name from range(5) t(i)", "t/a.parquet"),
         ("select i::bigint as id, 'n' || i as name, i * 1.5 as added from range(5, 8) t(i)", "t/b b.parquet"))
    two = [w.field("id", "long"), w.field("name", "string")]
    w.commit(root("t"), 0, w.protocol(), w.metadata(two), w.add("a.parquet", stats={"numRecords": 5}))
    w.commit(root("t"), 1, w.metadata(two + [w.field("added", "decimal(21,1)")]), w.add("b%20b.parquet"))
    w.commit(root("t"), 2, w.remove("a.parquet"))
    gives("select count(*), sum(id), count(added) from 't/'", "3,18,3")
    gives("select count(*), sum(id), count(added) from delta_scan('t', version => 1)", "8,28,3")
    gives("select * from delta_scan('t', version => 0) order by id limit 2", "0,n0", "1,n1")
    gives("select count(*) from t", "3", arguments=["t"])
    gives("select count(*) from t version as of 1", "8", arguments=["t"])
    gives("select count(x.id), count(y.id) from t version as of 0 as x join 't/' timestamp as of '2101-01-01' y on x.id <> y.id", "15,15",
          arguments=["t"])
    gives("select version as of, a.version from (select 1 as version) as a", "1,1")
    says("from 'p/day=1/x.parquet' version as of 1", "is not a Delta or Iceberg table")
    says("from nosuch version as of 1", "does not exist")
    says("from delta_scan('t', version => 9)", "has no version 9", "last one is 2")
    says("from delta_scan('t', as_of => '2001-01-01')", "no version of that time")
    gives("select count(*) from delta_scan('t', as_of => '2101-01-01')", "3")
    says("from delta_scan('t', versoin => 1)", "no option")
    says("from delta_scan('nothing')", "has no Delta log")


def test_partitions():
    make(*[(f"select i::integer as v, {i} * 10 + i as w from range({i}, {i} + 3) t(i)", f"p/day={i}/x.parquet")
           for i in range(1, 5)])
    columns = [w.field("v", "long"), w.field("w", "long"), w.field("day", "date"), w.field("city", "string")]
    adds = [w.add(f"day={i}/x.parquet", {"day": f"2024-01-0{i}", "city": "" if i == 2 else f"c {i}"},
                  {"numRecords": 3, "minValues": {"v": i}, "maxValues": {"v": i + 2}, "nullCount": {"v": 0}})
            for i in range(1, 5)]
    w.commit(root("p"), 0, w.protocol(), w.metadata(columns, ["day", "city"]), *adds)
    gives("select day, city, count(*), min(v) from p group by all order by day", "2024-01-01,c 1,3,1", "2024-01-02,,3,2",
          "2024-01-03,c 3,3,3", "2024-01-04,c 4,3,4", arguments=["p"])
    shows("explain analyze select sum(v) from 'p/' where day = date '2024-01-03'", "files 4, opened 1")
    shows("explain analyze select sum(v) from 'p/' where v > 5", "files 4, opened 1")
    shows("explain analyze select sum(v) from 'p/' where city is null", "files 4, opened 1")
    gives("select sum(v) from 'p/' where v in (1, 6)", "7")
    gives("select count(*), min(v), max(v) from 'p/' where v > 100", "0,,")


def test_mapping():
    make(("select i::bigint as \"col-1\", 'n' || i as \"col-2\" from range(3) t(i)", "m/a.parquet"))
    fields = [w.field("new name", "string", **{"delta.columnMapping.id": 2, "delta.columnMapping.physicalName": "col-2"}),
              w.field("k", "long", **{"delta.columnMapping.id": 1, "delta.columnMapping.physicalName": "col-1"}),
              w.field("p", "integer", **{"delta.columnMapping.id": 3, "delta.columnMapping.physicalName": "col-3"})]
    w.commit(root("m"), 0, w.protocol(2), w.metadata(fields, ["p"], delta__columnMapping__mode="name"),
             w.add("a.parquet", {"col-3": "7"}, {"numRecords": 3, "minValues": {"col-1": 0}, "maxValues": {"col-1": 2}}))
    gives("select * from 'm/' order by k", "n0,0,7", "n1,1,7", "n2,2,7")
    shows("explain analyze select * from 'm/' where k = 9", "files 1")


def test_deleted():
    rows = 100000
    make((f"select i::bigint as id from range({rows}) t(i)", "d/a.parquet"),
         (f"select i::bigint as id from range({rows}) t(i)", "d/b.parquet"),
         (f"select i::bigint as id from range({rows}) t(i)", "d/c.parquet"))
    some, many = [0, 7, 65536, 99999], [i for i in range(rows) if i % 7]
    first = w.file_vector(root("d"), [1], prefix="ab")
    w.commit(root("d"), 0, w.protocol(3, ["deletionVectors"]), w.metadata([w.field("id", "long")]),
             w.add("a.parquet", None, {"numRecords": rows}, w.inline_vector(some)), w.add("b.parquet", None, None, first))
    w.commit(root("d"), 1, w.remove("b.parquet", first),
             w.add("b.parquet", None, {"numRecords": rows}, w.file_vector(root("d"), many)),
             w.add("c.parquet", None, None, w.inline_vector(some + [5], "runs")))
    kept = sum(range(rows)) - sum(some), sum(i for i in range(rows) if i % 7 == 0), sum(range(rows)) - sum(some) - 5
    total = 3 * rows - len(some) - len(many) - len(some) - 1
    gives("select count(*), sum(id) from 'd/'", f"{total},{sum(kept)}")
    gives("select count(*), min(id) from 'd/'", f"{total},0")
    gives("select count(*) from 'd/' where id < 10", f"{8 + 2 + 7}")
    gives("select count(*) from delta_scan('d', version => 0)", f"{2 * rows - len(some) - 1}")
    gives("select count(*), sum(id) from 'd/'", f"{total},{sum(kept)}", arguments=["--set", "device=simulated"])
    gives("select id from 'd/' order by id limit 3", "0", "1", "1")
    gives("select count(*) from (select * from 'd/' offset 5)", f"{total - 5}")
    for name, change in (("short", {"sizeInBytes": 20}), ("text", {"pathOrInlineDv": "\u00e4" * 40}),
                         ("count", {"cardinality": 2}), ("kind", {"storageType": "x"})):
        shutil.copytree(root("d"), root(f"d_{name}"))
        w.commit(root(f"d_{name}"), 0, w.protocol(3, ["deletionVectors"]), w.metadata([w.field("id", "long")]),
                 w.add("a.parquet", None, None, {**w.inline_vector(some), **change}))
        says(f"select count(*) from delta_scan('d_{name}', version => 0)", {"text": "text is damaged", "short": "Roaring", "count": "more than 2 rows",
                                                                              "kind": "not known"}[name], "a.parquet")


def test_damage():
    make(("select 1::bigint as id", "g/a.parquet"))
    one = [w.field("id", "long")]
    w.commit(root("g"), 0, w.protocol(), w.metadata(one), w.add("a.parquet"))
    w.commit(root("g"), 2, w.add("b.parquet"))
    says("from 'g/'", "has no version 1")
    for name, actions, *texts in (
            ("feature", [w.protocol(3, ["futureThing"]), w.metadata(one)], "futureThing"),
            ("reader", [w.protocol(4), w.metadata(one)], "reader of version 4"),
            ("schemaless", [w.protocol()], "no metaData"),
            ("gone", [w.protocol(), w.metadata(one), w.add("gone.parquet")], "gone.parquet"),
            ("value", [w.protocol(), w.metadata(one + [w.field("p", "date")], ["p"]), w.add("a", {"p": "yesterday"})],
             "yesterday"),
            ("type", [w.protocol(), w.metadata([w.field("id", "boolean")]), w.add(root("g/a.parquet"))], "is boolean in")):
        w.commit(root(f"g_{name}"), 0, *actions)
        says(f"from 'g_{name}/'", *texts)
    os.makedirs(root("g_json/_delta_log"))
    with open(root("g_json/_delta_log/00000000000000000000.json"), "w", encoding="utf-8") as f:
        f.write('{"protocol": {"minReaderVersion": 1}}\n{"metaData": ')
    says("from 'g_json/'", "is not JSON at its byte")
    # A long log: each action is looked at once.
    w.commit(root("g_long"), 0, w.protocol(), w.metadata(one), w.add(root("g/a.parquet")), *[w.remove(f"x{i}") for i in range(30000)])
    gives("select count(*) from 'g_long/'", "1")
    w.commit(root("g_empty"), 0, w.protocol(), w.metadata(one))
    gives("select count(*), sum(id) from 'g_empty/'", "0,")


def make_rows(path, first, end, columns="i::integer as id, 'n' || i as name, (i / 8.0)::real as f"):
    return f"select {columns} from range({first}, {end}) t(i)", path


def test_iceberg():
    columns = [(1, "id", "int"), (2, "name", "string"), (3, "f", "float")]
    make(make_rows("i/data/a.parquet", 0, 10), make_rows("i/data/b.parquet", 10, 20), make_rows("i/data/c.parquet", 20, 30))
    for codec in ("null", "deflate", "snappy"):
        t = w.Iceberg(root(f"i_{codec}"), columns, location="s3://bucket/moved", codec=codec,
                      **{"schema.name-mapping.default": json.dumps([{"field-id": i, "names": [n]} for i, n in
                                                                    ((1, "id"), (2, "name"), (3, "f"), (2, "title"))])})
        shutil.copytree(root("i/data"), root(f"i_{codec}/data"))
        little = lambda number: struct.pack("<i", number)
        t.commit(t.file("data/a.parquet", 10, bounds={1: (little(0), little(9))}),
                 t.file("data/b.parquet", 10, bounds={1: (little(10), little(19))}), when=1700000000000)
        t.schemas.append([(1, "key", "long"), (3, "f", "double"), (4, "added", "string", {"initial-default": "dflt"}),
                          (5, "missing", "date"), (2, "label", "string"), (6, "raw", "binary", {"initial-default": "00fF41"})])
        t.commit(t.file("data/c.parquet", 10, bounds={1: (struct.pack("<q", 20), struct.pack("<q", 29))}), when=1700000100000)
        t.commit(t.file("data/b.parquet", 10), t.file("data/a.parquet", 10, status=2), replaces=True, when=1700000200000)
    for codec in ("null", "snappy"):
        gives(f"select count(*), sum(key) from 'i_{codec}/'", "10,145")
    gives("select hex(raw), count(*) from iceberg_scan('i_deflate', version => 2) group by all", "00FF41,30")
    gives("select key, f, added, missing, label from iceberg_scan('i_deflate', version => 2) where key in (3, 21) order by key", "3,0.375,dflt,,n3", "21,2.625,dflt,,n21")
    gives("select * from iceberg_scan('i_deflate', version => 1) order by id limit 1", "0,n0,0")
    gives("select count(*) from iceberg_scan('i_deflate', as_of => '2023-11-14 22:15:30')", "30")
    gives("select count(*) from i_null", "10", arguments=["i_null"])
    shows("explain analyze select sum(key) from iceberg_scan('i_deflate', version => 2) where key > 25", "files 3, opened 1")
    says("from iceberg_scan('i_deflate', version => 77)", "no snapshot 77", "expired")
    says("from iceberg_scan('i_deflate', as_of => '2001-01-01')", "no snapshot of that time")
    says("from iceberg_scan('t')", "has no metadata")
    gives("select count(*) from iceberg_scan('i_deflate/metadata/v2.metadata.json')", "30")
    ask()
    with open(root("i_snappy/metadata/version-hint.text"), "w", encoding="utf-8") as f:
        f.write("1\n")
    ask()
    gives("select count(*) from 'i_snappy/'", "20")
    with open(root("i_null/metadata/v3.metadata.json"), "rb") as f, gzip.open(root("i_null/metadata/v4.gz.metadata.json"), "wb") as to:
        to.write(f.read())
    os.remove(root("i_null/metadata/v3.metadata.json"))
    gives("select count(*) from 'i_null/'", "10")
    damage = root("i_deflate/metadata/m3-0.avro")
    with open(damage, "rb") as f:
        data = f.read()
    with open(damage, "wb") as f:
        f.write(data[:-40])
    ask()
    says("from 'i_deflate/'", "m3-0.avro", "Avro")
    ask()
    os.remove(damage)
    says("from 'i_deflate/'", "m3-0.avro", "No such file")
    gives("select count(*) from iceberg_scan('i_deflate', version => 1)", "20")


def test_transforms():
    """Files of one day each: partitions alone say which are opened."""
    make(*[(f"select date '2024-01-01' + {i} as d, {i} as v, 'p{i % 3}x' as s", f"tr/data/{i}.parquet") for i in range(12)])
    ids = {"schema.name-mapping.default": json.dumps([{"field-id": i, "names": [n]} for i, n in ((1, "d"), (2, "v"), (3, "s"))])}
    columns = [(1, "d", "date"), (2, "v", "int"), (3, "s", "string"), (4, "single", "string")]
    t = w.Iceberg(root("tr"), columns, [(1, 1000, "d_day", "day", "int"), (2, 1001, "v_t", "truncate[4]", "int"),
                                        (3, 1002, "s", "identity", "string"), (4, 1003, "single", "identity", "string")], **ids)
    files = [t.file(f"data/{i}.parquet", 1, partition={"d_day": 19723 + i, "v_t": i // 4 * 4, "s": f"p{i % 3}x",
                                                       "single": "o" if i else None}) for i in range(12)]
    little = lambda number: struct.pack("<i", number)
    t.commit(*files[:8], between=[(little(19723), little(19730)), (little(0), little(4)), (b"p0x", b"p2x"), (b"o", b"o")])
    t.commit(*files[8:], between=[(little(19731), little(19734)), (little(8), little(8)), (b"p0x", b"p2x"), (b"o", b"o")])
    shows("explain analyze select * from 'tr/' where d = date '2024-01-11'", "manifests 2, read 1", "opened 1")
    shows("explain analyze select * from 'tr/' where v between 0 and 3", "manifests 2, read 1", "opened 4")
    shows("explain analyze select * from 'tr/' where s = 'a'", "manifests 2, read 0")
    gives("select count(*), max(v) from 'tr/' where v > 9 or d = date '2024-01-01'", "3,11")
    shows("explain analyze select * from 'tr/' where d = date '2024-01-05'", "opened 1")
    shows("explain analyze select * from 'tr/' where d >= date '2024-01-05' and d < date '2024-01-07'", "opened 2")
    shows("explain analyze select * from 'tr/' where v = 6", "opened 4")
    shows("explain analyze select * from 'tr/' where s = 'p1x'", "files 12, opened 4")
    gives("select count(*), count(single), sum(v) from 'tr/'", "12,11,66")
    gives("select v from 'tr/' where single is null", "0")


def murmur(data):
    """Murmur3 of 32 bits, as Iceberg's specification has it."""
    mix = lambda k: ((k * 0xcc9e2d51 & 0xffffffff) << 15 | (k * 0xcc9e2d51 & 0xffffffff) >> 17) * 0x1b873593 & 0xffffffff
    h, whole = 0, len(data) // 4 * 4
    for i in range(0, whole, 4):
        h ^= mix(int.from_bytes(data[i:i + 4], "little"))
        h = ((h << 13 | h >> 19) * 5 + 0xe6546b64) & 0xffffffff
    h ^= mix(int.from_bytes(data[whole:], "little")) ^ len(data)
    h = (h ^ h >> 16) * 0x85ebca6b & 0xffffffff
    h = (h ^ h >> 13) * 0xc2b2ae35 & 0xffffffff
    return h ^ h >> 16


def test_buckets():
    """Files by bucket: equality leaves out files and manifests, whatever type the constant was written with."""
    assert murmur(struct.pack("<q", 34)) == 2017239379
    bucket = lambda data, n: (murmur(data) & 0x7fffffff) % n
    rows = [(i, f"n{i}") for i in range(40)]
    places = [[r for r in rows if bucket(struct.pack("<q", r[0]), 4) == b] for b in range(4)]
    make(*[("select * from (values " + ", ".join(f"({i}::integer, '{n}')" for i, n in places[b]) + ") t(id, name)", f"bu/data/{b}.parquet")
           for b in range(4)], ("select null::integer as id, 'z' as name", "bu/data/4.parquet"))
    ids = {"schema.name-mapping.default": json.dumps([{"field-id": i, "names": [n]} for i, n in ((1, "id"), (2, "name"))])}
    t = w.Iceberg(root("bu"), [(1, "id", "int"), (2, "name", "string")], [(1, 1000, "id_b", "bucket[4]", "int"),
                                                                         (2, 1001, "n_b", "bucket[1000]", "int")], **ids)
    little = lambda number: struct.pack("<i", number)
    for b in range(5):  # a file has rows of several buckets of the name; that field is not of them all, so it is not told
        t.commit(t.file(f"data/{b}.parquet", len(places[b]) if b < 4 else 1, partition={"id_b": b if b < 4 else None, "n_b": None}),
                 between=[(little(b), little(b)) if b < 4 else (None, None), (None, None)])
    t.schemas.append([(1, "id", "long"), (2, "name", "string")])
    t.write()
    shows("explain analyze select * from 'bu/' where id = 7", "opened 2, manifests 5, read 2")
    shows("explain analyze select * from 'bu/' where id = 7::smallint or id in (7, null)", "opened 2, manifests 5, read 2")
    for i in (0, 7, 39):
        gives(f"select name from 'bu/' where id = {i}", f"n{i}")
    gives("select count(*), min(id), max(id) from 'bu/' where id in (1, 2, 3, 5, 8, 13, 21, 34, 55)", "8,1,34")
    gives("select name from 'bu/' where id is null", "z")
    gives("select count(*) from 'bu/' where id <> 7 and name = 'n8'", "1")


def test_iceberg_deletes():
    where = root("x")
    make(("select i::integer as id, 'n' || i as name from range(1000) t(i)", "x/data/a.parquet"),
         ("select i::integer as id, 'n' || i as name from range(1000, 2000) t(i)", "x/data/b.parquet"),
         (f"select * from (values ('{where}/data/a.parquet', 5::bigint), ('{where}/data/a.parquet', 999), "
          f"('{where}/data/b.parquet', 0)) t(file_path, pos) order by 1, 2", "x/data/pos.parquet"),
         ("select 'n' || i as name from range(100, 1000, 100) t(i)", "x/data/eq1.parquet"),
         ("select * from (values (7::bigint, 'n7'), (8, 'other'), (null, 'n9')) t(id, name)", "x/data/eq2.parquet"),
         ("select 'n1500' as name", "x/data/eq3.parquet"))
    ids = {"schema.name-mapping.default": json.dumps([{"field-id": i, "names": [n]} for i, n in ((1, "id"), (2, "name"))])}
    t = w.Iceberg(where, [(1, "id", "int"), (2, "name", "string")], version=3, **ids)
    t.commit(t.file("data/a.parquet", 1000))
    t.commit(t.file("data/b.parquet", 1000), t.file("data/pos.parquet", 3, content=1))
    t.commit(t.file("data/eq1.parquet", 9, content=2, equality_ids=[2]))
    t.commit(t.file("data/eq2.parquet", 3, content=2, equality_ids=[1, 2]), t.file("data/eq3.parquet", 1, content=2, equality_ids=[2]))
    vector = w.framed([3, 4, 999], "runs")
    with open(root("x/data/dv.puffin"), "wb") as f:
        f.write(b"PFA1" + vector + b"PFA1")
    dv = {"content": 1, "form": "PUFFIN", "referenced_data_file": f"{where}/data/a.parquet", "content_offset": 4,
          "content_size_in_bytes": len(vector)}
    t.commit(t.file("data/dv.puffin", 3, **dv))
    gives("select count(*), sum(id) from iceberg_scan('x', version => 2)", f"1997,{sum(range(2000)) - 5 - 999 - 1000}")
    gives("select count(*) from iceberg_scan('x', version => 3)", "1988")
    gives("select count(*) from iceberg_scan('x', version => 4)", "1986")
    gives("select count(*), min(id) from iceberg_scan('x', version => 4) where id in (7, 8, 1500)", "1,8")
    gives("select count(*), sum(id) from 'x/'",
          f"{2000 - 3 - 1 - 9 - 2},{sum(range(2000)) - 3 - 4 - 999 - 1000 - sum(range(100, 1000, 100)) - 7 - 1500}")
    gives("select id from 'x/' where id < 10 order by id", "0", "1", "2", "5", "6", "8", "9")
    gives("select count(*) from 'x/'", "1985", arguments=["--ranks", "2"])
    processes = ["--processes", "2", "--set", "distribute=always"]
    gives("select count(*), (select count(*) from iceberg_scan('x', version => 3)), (select sum(v) from 'tr/' where d < '2024-01-04') from 'x/'",
          "1985,1988,3", arguments=processes)
    gives("select count(*), sum(id) from delta_scan('d', version => 0) where id < 1000", "1997,998992", arguments=processes)
    gives("select count(*) from t version as of 1", "8", arguments=["t", *processes])
    os.makedirs(root("x_bad"))
    for name, change in (("beyond", {"content_offset": 1 << 40}), ("length", {"content_size_in_bytes": len(vector) - 1}),
                         ("negative", {"content_size_in_bytes": -5})):
        bad = w.Iceberg(root(f"x_{name}"), [(1, "id", "int"), (2, "name", "string")], version=3, location=where, **ids)
        shutil.copytree(root("x/data"), root(f"x_{name}/data"))
        bad.commit(bad.file("data/a.parquet", 1000))
        bad.commit(bad.file("data/dv.puffin", 3, **{**dv, **change}))
        says(f"from 'x_{name}/'", "dv.puffin", "a.parquet")
    shutil.copytree(where, root("x_gone"))
    gone = w.Iceberg(root("x_gone"), [(1, "id", "int"), (2, "name", "string")], location=where, **ids)
    gone.commit(gone.file("data/a.parquet", 1000))
    gone.commit(gone.file("data/eq9.parquet", 1, content=2, equality_ids=[2]))
    for old in ("v3", "v4", "v5"):
        os.remove(root(f"x_gone/metadata/{old}.metadata.json"))
    says("from 'x_gone/'", "eq9.parquet", "No such file")


def test_delete_memory():
    """What is kept of deletes is charged: a statement fails where there is no room for it."""
    make(("select i::bigint as id from range(200000) t(i)", "dm/data/a.parquet"),
         ("select i::bigint as id from range(0, 200000, 2) t(i)", "dm/data/eq.parquet"),
         (f"select '{root('dm')}/data/a.parquet' as file_path, i::bigint as pos from range(1, 200000, 2) t(i)", "dm/data/pos.parquet"))
    t = w.Iceberg(root("dm"), [(1, "id", "long")], **{"schema.name-mapping.default": json.dumps([{"field-id": 1, "names": ["id"]}])})
    t.commit(t.file("data/a.parquet", 200000))
    t.commit(t.file("data/eq.parquet", 100000, content=2, equality_ids=[1]))
    t.commit(t.file("data/pos.parquet", 100000, content=1))
    for version, kept in ((1, 200000), (2, 100000), (3, 0)):
        gives(f"select count(id) from iceberg_scan('dm', version => {version})", str(kept))
    small = ("--set", "memory_limit=16MiB", "--set", "threads=1")
    gives("select count(id) from iceberg_scan('dm', version => 1)", "200000", arguments=small)
    says("select count(id) from iceberg_scan('dm', version => 2)", "memory_limit", "deleted rows", arguments=small)


def test_states():
    """A session closes the states of a growing table that no statement reads any more; of those that were asked for by version it keeps some."""
    files, states = 1500, 48
    make(("select 1::bigint as id", "st/a.parquet"))
    w.commit(root("st"), 0, w.protocol(), w.metadata([w.field("id", "long")]), w.add("a.parquet", stats={"numRecords": 1, "minValues": {"id": 1}}),
             *[w.add(f"not/there/{i:0100}.parquet", stats={"numRecords": 1, "minValues": {"id": 7}, "maxValues": {"id": 9}}) for i in range(files)])
    session = subprocess.Popen([program, "--format", "csv"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, cwd=work.name,
                               env={**os.environ, "ASAN_OPTIONS": os.environ.get("ASAN_OPTIONS", "") + ":quarantine_size_mb=1", "MALLOC_TRIM_THRESHOLD_": "65536"})

    def held():
        with open(f"/proc/{session.pid}/status", encoding="utf-8") as f:
            return [int(line.split()[1]) // 1024 for line in f if line.startswith("VmRSS")][0]

    def asks(sql):
        session.stdin.write(sql + ";\n")
        session.stdin.flush()
        return [session.stdout.readline().strip() for _ in range(2)][1]
    sizes, of_versions = [], []
    for i in range(1, states):
        w.commit(root("st"), i, w.add(f"not/{i}.parquet", stats={"numRecords": 1, "minValues": {"id": 7}, "maxValues": {"id": 9}}))
        check(f"state {i}", asks("select count(*) from 'st/' a, 'st/' b where a.id = b.id and a.id = 1 and b.id = 1") == "1")
        sizes.append(held())
    for i in range(states):
        check(f"version {i}", asks(f"select count(*) from delta_scan('st', version => {i}) where id = 1") == "1")
        of_versions.append(held())
    session.stdin.close()
    check("the session ends", session.wait(60) == 0)
    check("states are closed", sizes[-1] - sizes[9] < 40, f"{sizes} MB")
    check("32 versions stay", of_versions[-1] - of_versions[33] < 35, f"{of_versions} MB")


def sql_text(text):
    return "'" + text.replace("'", "''") + "'"


def sql_of(action):
    """A checkpoint's row, as a struct of SQL: one action."""
    (kind, told), = action.items()
    lists = lambda items: "[" + ", ".join(sql_text(item) for item in items) + "]"
    pairs = lambda of: f"map({lists(of)}, {lists(of.values())})" if of else "null::map(varchar, varchar)"
    if kind == "protocol":
        features = f", 'readerFeatures': {lists(told['readerFeatures'])}" if told.get("readerFeatures") else ""
        return kind, f"{{'minReaderVersion': {told['minReaderVersion']}, 'minWriterVersion': {told['minWriterVersion']}{features}}}"
    if kind == "metaData":
        return kind, (f"{{'id': 't', 'schemaString': {sql_text(told['schemaString'])}, 'partitionColumns': {lists(told['partitionColumns'])}, "
                      f"'configuration': {pairs(told['configuration'])}}}")
    if kind == "sidecar":
        return kind, f"{{'path': {sql_text(told['path'])}, 'sizeInBytes': 1::bigint, 'modificationTime': 0::bigint}}"
    vector = told.get("deletionVector")
    more = (f", 'deletionVector': {{'storageType': {sql_text(vector['storageType'])}, 'pathOrInlineDv': {sql_text(vector['pathOrInlineDv'])}, "
            f"'offset': {vector.get('offset', 0)}, 'sizeInBytes': {vector['sizeInBytes']}, 'cardinality': {vector['cardinality']}::bigint}}"
            if vector else "")
    return kind, (f"{{'path': {sql_text(told['path'])}, 'partitionValues': {pairs(told['partitionValues'])}, 'size': 1::bigint, "
                  f"'modificationTime': 0::bigint, 'dataChange': true, 'stats': {sql_text(told.get('stats', '{}'))}{more}}}")


def checkpoint(path, *actions):
    """(query, path) of a checkpoint's file; actions of one kind have the same fields."""
    rows = [sql_of(action) for action in actions]
    columns = [(kind, " ".join(f"when {i} then {text}" for i, (other, text) in enumerate(rows) if other == kind))
               for kind in dict.fromkeys(kind for kind, _ in rows)]
    return ", ".join(f"case i {cases} end as \"{kind}\"" for kind, cases in columns).join(
        ("select ", f" from range({len(rows)}) t(i)")), path


def test_checkpoints():
    """Checkpoints in parts and of version 2, with deletion vectors; the JSON files before them are gone."""
    make(*[(f"select i::bigint as id from range({10 * i}, {10 * i + 10}) t(i)", f"cp/p={i}/x.parquet") for i in range(6)])
    fields = [w.field("id", "long"), w.field("p", "integer")]
    head = [w.protocol(3, ["deletionVectors", "v2Checkpoint"]), w.metadata(fields, ["p"], delta__x="y")]
    adds = [w.add(f"p={i}/x.parquet", {"p": str(i)}, {"numRecords": 10, "minValues": {"id": 10 * i}, "maxValues": {"id": 10 * i + 9}})
            for i in range(6)]
    cut = [w.add("p=3/x.parquet", {"p": "3"}, {"numRecords": 10}, w.inline_vector([0, 9])),
           w.add("p=4/x.parquet", {"p": "4"}, {"numRecords": 10}, w.file_vector(root("cp"), [1, 2, 3]))]
    for name in ("parts", "lost", "two", "json", "gone"):
        shutil.copytree(root("cp"), root(f"cp_{name}"))
        w.commit(root(f"cp_{name}"), 4, w.remove("p=0/x.parquet"), adds[5])
    log = lambda name, file: f"cp_{name}/_delta_log/{3:020}.checkpoint.{file}"
    side = lambda name, number: f"cp_{name}/_delta_log/_sidecars/s{number}.parquet"
    parts = [head[:1] + adds[:1], head[1:] + adds[1:2], adds[2:3], cut]
    make(*[checkpoint(log(name, f"{i + 1:010}.{4:010}.parquet"), *part) for name in ("parts", "lost") for i, part in enumerate(parts)],
         *[checkpoint(side(name, i), *part) for name in ("two", "json", "gone") for i, part in enumerate((adds[:3], cut))],
         *[checkpoint(log(name, "5a1b3c4d-0000-4000-8000-0123456789ab.parquet"), *head,
                      {"sidecar": {"path": "s0.parquet"}}, {"sidecar": {"path": "s1.parquet"}}) for name in ("two", "gone")])
    os.remove(root(log("lost", f"{2:010}.{4:010}.parquet")))
    os.remove(root(side("gone", 1)))
    with open(root(log("json", "5a1b3c4d-0000-4000-8000-0123456789ab.json")), "w", encoding="utf-8") as f:
        f.writelines(json.dumps(line) + "\n" for line in ({"checkpointMetadata": {"version": 3}}, *head, {"sidecar": {"path": "s0.parquet", "sizeInBytes": 1}},
                                                          {"sidecar": {"path": "s1.parquet", "sizeInBytes": 1}}))
    total = sum(range(10, 60)) - 30 - 39 - 41 - 42 - 43
    for name in ("parts", "two", "json"):
        gives(f"select count(*), sum(id), sum(p) from 'cp_{name}/'", f"45,{total},{10 * 1 + 10 * 2 + 8 * 3 + 7 * 4 + 10 * 5}")
        gives(f"select count(*), min(id) from delta_scan('cp_{name}', version => 3)", "45,0")
        shows(f"explain analyze select sum(id) from 'cp_{name}/' where p = 2", "files 5, opened 1")
        shows(f"explain analyze select sum(id) from 'cp_{name}/' where id = 12", "files 5")
        says(f"from delta_scan('cp_{name}', version => 1)", "version")
    says("from 'cp_lost/'", "log")
    says("from 'cp_gone/'", "s1.parquet", "No such file")


def test_nested():
    """Parts of nested columns by their names in files, which have no ids: added, renamed, dropped, widened, missing."""
    make(("select i::bigint as id, case when i = 1 then {'a': 1::integer, 'b': 'x'} end as s, "
          "case when i = 1 then [{'x': 1::bigint, 'gone': 1}] end as l, case when i = 1 then map(['k'], [1::integer]) end as m "
          "from range(1, 3) t(i)", "ne/data/a.parquet"),
         ("select 3::bigint as id, {'aa': 5::bigint, 'c': {'d': 'C'}} as s, [{'x': 7::bigint, 'n': [1, 2]}] as l, map(['j'], [9::integer]) as m, "
          "{'q': 1} as w", "ne/data/b.parquet"),
         ("select 4::bigint as id, {'other': 1} as s", "ne/data/c.parquet"), ("select 5::bigint as id, 7 as s", "ne/data/d.parquet"))
    names = {"id": 1, "s": 2, "l": 3, "m": 4, "w": 5}
    inner = [{"field-id": 10, "names": ["a", "aa"]}, {"field-id": 11, "names": ["b"]}, {"field-id": 12, "names": ["c"], "fields": [
        {"field-id": 13, "names": ["d"]}]}, {"field-id": 21, "names": ["x"]}, {"field-id": 22, "names": ["n"]}, {"field-id": 50, "names": ["q"]}]
    ids = {"schema.name-mapping.default": json.dumps([{"field-id": i, "names": [n], "fields": inner} for n, i in names.items()])}
    part = lambda number, name, kind: {"id": number, "name": name, "type": kind, "required": False}
    struct = lambda *fields: {"type": "struct", "fields": list(fields)}
    listed = lambda number, kind: {"type": "list", "element-id": number, "element": kind, "element-required": False}
    columns = [(1, "id", "long"), (2, "s", struct(part(12, "c", struct(part(13, "d", "string"))), part(10, "now", "long"))),
               (3, "l", listed(20, struct(part(21, "x", "long"), part(22, "n", listed(23, "int"))))),
               (4, "m", {"type": "map", "key-id": 30, "key": "string", "value-id": 31, "value": "long"}),
               (5, "w", struct(part(50, "q", "int"))), (6, "v", "variant"), (7, "vs", struct(part(70, "x", "variant")))]
    t = w.Iceberg(root("ne"), columns, version=3, **ids)
    t.commit(t.file("data/a.parquet", 2), t.file("data/b.parquet", 1))
    t.commit(t.file("data/c.parquet", 1), replaces=True)
    t.commit(t.file("data/d.parquet", 1), replaces=True)
    scan = "iceberg_scan('ne', version => 1)"
    gives(f"select id, s::text, l::text, m::text, w::text from {scan} order by id",
          "1,\"{'c': NULL, 'now': 1}\",\"[{'x': 1, 'n': NULL}]\",{k=1},", "2,,,,",
          "3,\"{'c': {'d': C}, 'now': 5}\",\"[{'x': 7, 'n': [1, 2]}]\",{j=9},{'q': 1}")
    gives(f"select id, s.c.d, len(l), l[1].n::text from {scan} order by id", "1,,1,", "2,,,", "3,C,1,\"[1, 2]\"")
    gives(f"select count(*), count(s), count(s.c), count(w), count(w.q) from {scan}", "3,2,1,1,1")
    gives(f"select id from {scan} where s.now = 1 or s.c.d = 'C' order by id", "1", "3")
    gives(f"select id from {scan} where s.c is null order by id", "1", "2")
    says(f"select v from {scan}", "column \"v\"", "VARIANT")
    says(f"select vs from {scan}", "column \"vs\"", "VARIANT")
    says("select s from iceberg_scan('ne', version => 2)", "part \"s\" of column \"s\" has none of its fields in file")
    says("select s from iceberg_scan('ne', version => 3)", "column \"s\" is ", "data/d.parquet")
    fields = [w.field("id", "long"), w.field("s", {"type": "struct", "fields": [
        w.field("b", "string"), w.field("z", "double"), w.field("a", "long")]}),
              w.field("l", {"type": "array", "elementType": {"type": "struct", "fields": [w.field("x", "long")]}, "containsNull": True}),
              w.field("m", {"type": "map", "keyType": "string", "valueType": "integer", "valueContainsNull": True})]
    w.commit(root("nd"), 0, w.protocol(), w.metadata(fields), *[w.add(f"../ne/data/{n}.parquet") for n in "ab"])
    says("select s from 'nd/'", "part \"s\" of column \"s\" has none of its fields", "b.parquet")
    ask()
    w.commit(root("nd"), 1, w.remove("../ne/data/b.parquet"))
    gives("select id, l::text, m::text from 'nd/' order by id", "1,[{'x': 1}],{k=1}", "2,,")
    gives("select id, s::text from 'nd/' order by id", "1,\"{'b': x, 'z': NULL, 'a': 1}\"", "2,")


def main():
    for test in (test_checkpoints, test_nested, test_versions, test_partitions, test_mapping, test_deleted, test_damage, test_iceberg, test_transforms,
                 test_buckets, test_states, test_iceberg_deletes, test_delete_memory):
        test()
    ask()
    print(f"lakes: {passed} passed, {len(failures)} failed")
    return bool(failures)


if __name__ == "__main__":
    sys.exit(main())
