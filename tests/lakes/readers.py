#!/usr/bin/env python3
"""Tables that write.py makes, read by us and by two others at least: DuckDB's extensions, deltalake or pyiceberg so far as they read such tables,
and by hand.

readers.py PROGRAM

Exit status 77: DuckDB's extensions, deltalake, pyiceberg, fastavro or pyroaring are not installed for this Python.
"""
import glob
import json
import os
import subprocess
import sys
import tempfile

import write as w

try:
    import deltalake
    import duckdb
    import duckdb_extension_avro
    import duckdb_extension_delta
    import duckdb_extension_iceberg
    import fastavro
    import pyarrow as pa
    import pyarrow.parquet as pq
    import pyroaring
    from pyiceberg.table import StaticTable
except ImportError:
    sys.exit(77)

program = os.path.abspath(sys.argv[1])
passed, failures, refused = 0, [], []
work = tempfile.TemporaryDirectory()


def root(name):
    return os.path.join(work.name, name)


def ours(scan):
    """Rows, in order."""
    done = subprocess.run([program, "--format", "json", "-c", f"select * from {scan} order by all"], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
    if done.returncode:
        return done.stdout
    return [tuple(row.values()) for row in json.loads(done.stdout or "[]")]


def ducks():
    c = duckdb.connect(config={"allow_unsigned_extensions": "true"})
    for module in (duckdb_extension_avro, duckdb_extension_iceberg, duckdb_extension_delta):
        (file,) = glob.glob(os.path.dirname(module.__file__) + "/**/*.duckdb_extension", recursive=True)
        c.execute(f"load '{file}'")
    c.execute("set unsafe_enable_version_guessing = true")
    return c


duck = ducks()


def plain(rows):
    """Rows as JSON has them, sorted."""
    return sorted((tuple(str(v) if v is not None and not isinstance(v, (int, float, str, bool)) else v for v in row) for row in rows),
                  key=lambda row: [(v is None, v) for v in row])


def compare(what, scan, *readers, least=2):
    """readers: (name, function that gives rows). All that read it give ours, and at least so many do."""
    global passed
    rows, agree = ours(scan), 0
    for name, read in readers:
        try:
            theirs = plain(read())
        except Exception as why:  # pylint: disable=broad-except
            refused.append(f"{what}: {name}: {type(why).__name__}: {str(why)[:300]}")
            continue
        if isinstance(rows, list) and plain(rows) == theirs:
            agree += 1
            passed += 1
        else:
            failures.append(f"{what}: {name}: {str(theirs)[:300]} ours: {str(rows)[:300]}")
    if agree < least:
        failures.append(f"{what}: {agree} readers agree, wanted {least}")


def of_duck(scan):
    return ("duckdb", lambda: duck.execute(f"select * from {scan}").fetchall())


def of_deltalake(path):
    return ("deltalake", lambda: list(zip(*[c.to_pylist() for c in deltalake.DeltaTable(path).to_pyarrow_table().columns])))


def of_querybuilder(path):
    def read():
        q = deltalake.QueryBuilder().register("t", deltalake.DeltaTable(path))
        t = pa.table(q.execute("select * from t").read_all())
        return list(zip(*[c.to_pylist() for c in t.columns]))
    return ("deltalake's queries", read)


def of_pyiceberg(path, number):
    def read():
        t = StaticTable.from_metadata(f"{path}/metadata/v{number}.metadata.json").scan().to_arrow()
        return list(zip(*[c.to_pylist() for c in t.columns]))
    return ("pyiceberg", read)


def by_hand(path, number):
    """Rows by the specification alone: fastavro reads manifests, pyroaring deletion vectors, pyarrow files."""
    def avro(name):
        with open(name, "rb") as f:
            return list(fastavro.reader(f))

    def read():
        with open(f"{path}/metadata/v{number}.metadata.json", encoding="utf-8") as f:
            m = json.load(f)
        (snapshot,) = [s for s in m["snapshots"] if s["snapshot-id"] == m["current-snapshot-id"]]
        names = {c["id"]: c["name"] for c in m["schemas"][-1]["fields"]}
        files = [(e["data_file"], manifest["sequence_number"] if e["sequence_number"] is None else e["sequence_number"])
                 for manifest in avro(snapshot["manifest-list"]) for e in avro(manifest["manifest_path"]) if e["status"] != 2]
        return [row for file, sequence in files if not file["content"] for row in rows_of(file, sequence, files, names)]

    def rows_of(file, sequence, files, names):
        table, gone = pq.read_table(file["file_path"]), set()
        for other, of in files:
            if other["content"] == 2 and of > sequence:
                columns = [names[i] for i in other["equality_ids"]]
                wanted = set(zip(*[pq.read_table(other["file_path"])[c].to_pylist() for c in columns]))
                gone |= {i for i, row in enumerate(zip(*[table[c].to_pylist() for c in columns])) if row in wanted}
            elif other["content"] == 1 and of >= sequence and other["file_format"] == "PARQUET":
                d = pq.read_table(other["file_path"])
                gone |= {p for f, p in zip(d["file_path"].to_pylist(), d["pos"].to_pylist()) if f == file["file_path"]}
            elif other["content"] == 1 and of >= sequence and other["referenced_data_file"] == file["file_path"]:
                with open(other["file_path"], "rb") as f:
                    f.seek(other["content_offset"])
                    gone |= set(pyroaring.BitMap64.deserialize(f.read(other["content_size_in_bytes"])[8:-4]))
        return [row for i, row in enumerate(zip(*[c.to_pylist() for c in table.columns])) if i not in gone]
    return ("by hand", read)


def make(path, **columns):
    os.makedirs(os.path.dirname(root(path)), exist_ok=True)
    table = pa.table(columns)
    with_ids = [f.with_metadata({"PARQUET:field_id": str(i + 1)}) for i, f in enumerate(table.schema)]
    pq.write_table(table.cast(pa.schema(with_ids)), root(path))


def delta():
    make("d/a.parquet", id=pa.array(range(1000), pa.int64()), name=[f"n{i}" for i in range(1000)])
    make("d/b.parquet", id=pa.array(range(1000, 2000), pa.int64()), name=[f"n{i}" for i in range(1000, 2000)])
    fields = [w.field("id", "long"), w.field("name", "string")]
    size = lambda p: os.path.getsize(root(p))
    w.commit(root("d"), 0, w.protocol(3, ["deletionVectors"]), w.metadata(fields, delta__enableDeletionVectors="true"),
             w.add("a.parquet", None, {"numRecords": 1000}, w.inline_vector([0, 7, 999]), size("d/a.parquet")),
             w.add("b.parquet", None, {"numRecords": 1000}, w.file_vector(root("d"), [i for i in range(1000) if i % 3], prefix="ab"), size("d/b.parquet")))
    compare("Delta, deletion vectors", f"delta_scan('{root('d')}')", of_duck(f"delta_scan('{root('d')}')"), of_querybuilder(root("d")), of_deltalake(root("d")))
    make("m/a.parquet", **{"col-1": pa.array(range(3), pa.int64()), "col-2": ["x", "y", "z"]})
    mapped = lambda name, kind, i: w.field(name, kind, **{"delta.columnMapping.id": i, "delta.columnMapping.physicalName": f"col-{i}"})
    w.commit(root("m"), 0, w.protocol(2), w.metadata([mapped("new name", "string", 2), mapped("k", "long", 1)], delta__columnMapping__mode="name",
                                                     delta__columnMapping__maxColumnId="2"), w.add("a.parquet", {}, {"numRecords": 3}, None, size("m/a.parquet")))
    compare("Delta, mapped columns", f"delta_scan('{root('m')}')", of_duck(f"delta_scan('{root('m')}')"), of_querybuilder(root("m")))


def files_at(name):
    """A folder with two data files, positional and equality deletes; DuckDB keeps what it has read of a path: each table has its own."""
    where = root(name)
    make(f"{name}/data/a.parquet", id=pa.array(range(1000), pa.int32()), name=[f"n{i}" for i in range(1000)])
    make(f"{name}/data/b.parquet", id=pa.array(range(1000, 2000), pa.int32()), name=[f"n{i}" for i in range(1000, 2000)])
    with_id = lambda name, kind, number: pa.field(name, kind, metadata={"PARQUET:field_id": str(number)})
    pq.write_table(pa.table({"file_path": [f"{where}/data/a.parquet"] * 2 + [f"{where}/data/b.parquet"], "pos": [5, 999, 0]}, schema=pa.schema(
        [with_id("file_path", pa.string(), 2147483546), with_id("pos", pa.int64(), 2147483545)])), f"{where}/data/pos.parquet")
    pq.write_table(pa.table({"name": [f"n{i}" for i in range(100, 1000, 100)]}, schema=pa.schema([with_id("name", pa.string(), 2)])), f"{where}/data/eq.parquet")
    return where


def same(what, at, number, *more):
    scan = f"iceberg_scan('{at}/metadata/v{number}.metadata.json')"
    compare(what, scan, of_duck(scan), by_hand(at, number), *more)


def iceberg():
    columns = [(1, "id", "int"), (2, "name", "string")]
    for version in (2, 3):
        where = files_at(f"i{version}")
        t = w.Iceberg(where, columns, version=version)
        t.commit(t.file("data/a.parquet", 1000))
        t.commit(t.file("data/b.parquet", 1000), t.file("data/pos.parquet", 3, content=1))
        same(f"Iceberg v{version}, positional deletes", where, 2, of_pyiceberg(where, 2))
        t.commit(t.file("data/eq.parquet", 9, content=2, equality_ids=[2]))
        same(f"Iceberg v{version}, equality deletes", where, 3)
    for form in ("list", "runs"):
        where = files_at(f"v_{form}")
        t = w.Iceberg(where, columns, version=3)
        t.commit(t.file("data/a.parquet", 1000), t.file("data/b.parquet", 1000))
        vector = w.framed([3, 5, 999], form)
        with open(f"{where}/data/dv.puffin", "wb") as f:
            f.write(w.puffin(vector, f"{where}/data/a.parquet", 3))
        t.commit(t.file("data/dv.puffin", 3, content=1, form="PUFFIN", referenced_data_file=f"{where}/data/a.parquet", content_offset=4,
                        content_size_in_bytes=len(vector)))
        same(f"Iceberg v3, deletion vectors of {form}", where, 2, of_pyiceberg(where, 2))
    where = files_at("schema")
    t = w.Iceberg(where, columns)
    t.commit(t.file("data/a.parquet", 1000))
    t.schemas.append([(2, "title", "string"), (1, "id", "long"), (3, "added", "int")])
    t.commit(t.file("data/b.parquet", 1000))
    scan = f"iceberg_scan('{where}/metadata/v2.metadata.json')"
    compare("Iceberg, another schema", scan, of_duck(scan), of_pyiceberg(where, 2))
    where = files_at("parts")
    t = w.Iceberg(where, columns, [(1, 1000, "id_t", "truncate[1000]", "int"), (2, 1001, "name_b", "bucket[4]", "int")])
    t.commit(t.file("data/a.parquet", 1000, partition={"id_t": 0, "name_b": 1}), t.file("data/b.parquet", 1000, partition={"id_t": 1000, "name_b": 2}))
    same("Iceberg, transforms", where, 1, of_pyiceberg(where, 1))


def main():
    delta()
    iceberg()
    for text in refused:
        print(f"not read: {text}")
    for text in failures:
        print(f"failed: {text}")
    print(f"readers: {passed} comparisons, {len(failures)} failed")
    return bool(failures)


sys.exit(main())
