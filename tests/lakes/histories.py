#!/usr/bin/env python3
"""Random histories of Delta and Iceberg tables, written by deltalake and pyiceberg: each state equals what these read, by its number and
by its time. Odd seeds write and read Iceberg tables by a REST catalog (catalog.py), even ones by the SQL catalog alone.

histories.py PROGRAM [--seeds N] [--first SEED] [--keep FOLDER]

Exit status 77: neither library is installed for this Python.
"""
import argparse
import datetime
import decimal
import os
import random
import subprocess
import sys
import tempfile

try:
    import pyarrow as pa
    import pyarrow.parquet as pq
except ImportError:
    sys.exit(77)
try:
    import deltalake
except ImportError:
    deltalake = None
try:
    import pyiceberg.catalog.rest
    import pyiceberg.catalog.sql
    import pyiceberg.partitioning
    import pyiceberg.schema
    import pyiceberg.transforms
    import pyiceberg.types as it
    from catalog import Catalog
except ImportError:
    it = None
if not deltalake and not it:
    sys.exit(77)

parser = argparse.ArgumentParser()
parser.add_argument("program")
parser.add_argument("--seeds", type=int, default=2)
parser.add_argument("--first", type=int, default=1)
parser.add_argument("--keep")
options = parser.parse_args()
work = tempfile.TemporaryDirectory()
folder = options.keep or work.name
failures, compared = [], 0
DAY = datetime.date(2024, 1, 1)


def make_rows(rng, names, count, wide):
    """A table of some columns; wide: those that were widened."""
    makers = {
        "id": lambda: pa.array([rng.randrange(1000) for _ in range(count)], pa.int64() if "id" in wide else pa.int32()),
        "name": lambda: pa.array([rng.choice(["a", "bb", "", "é", None, "x" * 40]) for _ in range(count)], pa.string()),
        "day": lambda: pa.array([DAY + datetime.timedelta(days=rng.randrange(90)) for _ in range(count)], pa.date32()),
        "at": lambda: pa.array([datetime.datetime(1969, 12, 1) + datetime.timedelta(seconds=rng.randrange(10 ** 7)) for _ in range(count)],
                               pa.timestamp("us")),
        "price": lambda: pa.array([decimal.Decimal(rng.randrange(-10 ** 6, 10 ** 6)) / 100 for _ in range(count)],
                                  pa.decimal128(18 if "price" in wide else 9, 2)),
        "real": lambda: pa.array([rng.choice([None, rng.randrange(-99, 99) / 8]) for _ in range(count)],
                                 pa.float64() if "real" in wide else pa.float32()),
        "flag": lambda: pa.array([rng.choice([True, False, None]) for _ in range(count)], pa.bool_()),
        "more": lambda: pa.array([rng.choice([None, "m", "n"]) for _ in range(count)], pa.string()),
        "last": lambda: pa.array([rng.randrange(5) for _ in range(count)], pa.int64())}
    return pa.table({name: makers[name.split("_")[0]]() for name in names})


def once(rows):
    """Rows of which no two have the same id."""
    ids = rows["id"].to_pylist()
    return rows.take(pa.array([i for i, v in enumerate(ids) if v not in ids[:i]], pa.int32()))


class Checks:
    """Statements for one process: each state against the rows that the library has read."""

    def __init__(self, name, before=""):
        self.name, self.before, self.sql, self.what = name, before, [], []

    def add(self, scan, table, what):
        path = os.path.join(folder, f"{self.name}-{len(self.what)}.parquet")
        for i, field in enumerate(table.schema):  # views and large texts, as libraries give them
            if pa.types.is_large_string(field.type) or pa.types.is_string_view(field.type):
                table = table.set_column(i, field.name, table.column(i).cast(pa.string()))
        pq.write_table(table, path)
        rows, names = f"(select {{}} from {scan})", ", ".join(f'"{n}"' for n in table.column_names)
        rows, right = rows.format(names), f"(select {names} from '{path}')"
        names = {n.split("_")[0]: n for n in table.column_names}
        condition = "id > 500"
        equal = " or ".join(f'"{names[n]}" {c}' for n, c in (("id", "in (5, 77, 300, 999)"), ("name", "= 'bb'"), ("day", "= '2024-02-03'"),
                                                             ("price", "= 12.5"), ("at", "= '1970-01-02 03:04:05'")) if n in names)
        self.sql.append(f"select (select count(*) from ({rows} except all {right})), (select count(*) from ({right} except all {rows})), "
                        f"(select count(*) from {scan} where {condition}), (select count(*) from '{path}' where {condition}), "
                        f"(select count(*) from {scan}), (select count(*) from '{path}'), "
                        f"(select count(*) from {scan} where {equal}), (select count(*) from '{path}' where {equal})")
        self.what.append(what)

    def ask(self):
        global compared
        done = subprocess.run([options.program, "--format", "csv", "-c", self.before + "; ".join(self.sql)], stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, text=True, timeout=600, check=False)
        lines = [line for line in done.stdout.split("\n") if line[:1].isdigit()]
        if done.returncode or len(lines) != len(self.what):
            failures.append(f"{self.name}: after {len(lines)} of {len(self.what)} states: {done.stdout[-600:]}")
            return
        for line, what in zip(lines, self.what):
            compared += 1
            missing, more, found, wanted, rows, all_rows, equal, all_equal = line.split(",")
            if (missing, more) != ("0", "0") or found != wanted or rows != all_rows or equal != all_equal:
                failures.append(f"{self.name}: {what}: {line}")


def delta_history(seed):
    rng = random.Random(seed)
    root = os.path.join(folder, f"delta-{seed}")
    names = ["id", "name", "day", "at", "price", "real", "flag"]
    partition = rng.choice([None, ["name"], ["day"], ["flag"], ["name", "flag"]])
    checks = Checks(f"delta-{seed}")
    write = lambda rows, **more: deltalake.write_deltalake(root, rows, partition_by=partition, **more)
    write(make_rows(rng, names, 50, ()))
    for _ in range(rng.randrange(5, 14)):
        table = deltalake.DeltaTable(root)
        step = rng.choice(["append", "append", "overwrite", "delete", "update", "evolve", "compact", "checkpoint", "merge", "upsert", "spec"])
        if step == "append":
            write(make_rows(rng, names, rng.choice([1, 20, 300]), ()), mode="append")
        elif step == "overwrite":
            write(make_rows(rng, names, 30, ()), mode="overwrite")
        elif step == "delete":
            table.delete(rng.choice(["id < 200", "name = 'a'", "day < '2024-02-01'", "flag is null", "id % 3 = 0"]))
        elif step == "update":
            table.update(updates={"name": "'upd'"}, predicate="id > 700")
        elif step == "evolve" and len(names) < 9:
            names.append("more" if "more" not in names else "last")
            write(make_rows(rng, names, 20, ()), mode="append", schema_mode="merge")
        elif step == "compact":
            table.optimize.compact()
        elif step == "checkpoint":
            table.create_checkpoint()
        elif step == "spec":
            partition = rng.choice([None, ["name"], ["day"], ["flag", "day"]])
            write(make_rows(rng, names, 40, ()), mode="overwrite", schema_mode="overwrite")
        elif step == "upsert":
            source = once(make_rows(rng, names, 40, ()))
            table.merge(source, "t.id = s.id", source_alias="s", target_alias="t").when_matched_update(
                {"name": "s.name", "real": "s.real"}).when_not_matched_insert_all().execute()
        elif step == "merge":
            source = once(make_rows(rng, names, 10, ()))
            table.merge(source, "t.id = s.id", source_alias="s", target_alias="t").when_matched_delete().when_not_matched_insert_all().execute()
    last = deltalake.DeltaTable(root).version()
    for version in range(last + 1):
        scan = f"delta_scan('{root}', version => {version})" if version < last else f"'{root}'"
        checks.add(scan, deltalake.DeltaTable(root, version=version).to_pyarrow_table(), f"version {version}")
    # Minutes apart, so that times tell versions.
    began = datetime.datetime(2024, 1, 1, tzinfo=datetime.timezone.utc)
    for version in range(last + 1):
        when = began.timestamp() + 60 * version
        os.utime(os.path.join(root, f"_delta_log/{version:020}.json"), (when, when))
    for version in rng.sample(range(last + 1), min(3, last + 1)):
        when = began + datetime.timedelta(seconds=60 * version + rng.randrange(60))
        table = deltalake.DeltaTable(root)
        table.load_as_version(when)
        checks.add(f"delta_scan('{root}', as_of => '{when:%Y-%m-%d %H:%M:%S}')", table.to_pyarrow_table(), f"version {table.version()} by its time")
    return checks


def iceberg_history(seed):
    rng = random.Random(seed)
    warehouse = os.path.join(folder, f"iceberg-{seed}")
    os.makedirs(warehouse)
    server = Catalog(warehouse) if seed % 2 else None
    catalog = (pyiceberg.catalog.rest.RestCatalog("r", uri=server.url) if server else
               pyiceberg.catalog.sql.SqlCatalog("c", uri=f"sqlite:///{warehouse}/c.db", warehouse=f"file://{warehouse}"))
    catalog.create_namespace("ns")
    types = {"id": it.IntegerType(), "name": it.StringType(), "day": it.DateType(), "at": it.TimestampType(),
             "price": it.DecimalType(9, 2), "real": it.FloatType(), "flag": it.BooleanType()}
    names, wide = list(types), set()
    schema = pyiceberg.schema.Schema(*[it.NestedField(i + 1, n, t, required=False) for i, (n, t) in enumerate(types.items())])
    tr = pyiceberg.transforms
    specs = [("name", tr.BucketTransform(5)), ("day", tr.BucketTransform(4)), ("price", tr.BucketTransform(3)), ("at", tr.BucketTransform(6)),
             ("day", tr.MonthTransform()), ("at", tr.DayTransform()), ("id", tr.BucketTransform(3)), ("name", tr.TruncateTransform(1)),
             ("name", tr.IdentityTransform()), ("flag", tr.IdentityTransform()), ("id", tr.TruncateTransform(100)), ("day", tr.YearTransform())]
    chosen = rng.sample(specs, rng.randrange(3))
    if len({n for n, _ in chosen}) < len(chosen):  # pyiceberg refuses some pairs of one column
        chosen.pop()
    fields = [pyiceberg.partitioning.PartitionField(names.index(n) + 1, 1000 + i, t, f"p{i}") for i, (n, t) in enumerate(chosen)]
    table = catalog.create_table("ns.t", schema, partition_spec=pyiceberg.partitioning.PartitionSpec(*fields),
                                 properties={"format-version": rng.choice(["1", "2"])})
    table.append(make_rows(rng, names, 50, wide))
    renamed, added = 0, 0
    for _ in range(rng.randrange(4, 10)):
        step = rng.choice(["append", "append", "overwrite", "delete", "add", "rename", "widen", "drop", "spec", "merge", "compact"])
        if step == "append":
            table.append(make_rows(rng, names, rng.choice([1, 20, 200]), wide))
        elif step == "overwrite":
            table.overwrite(make_rows(rng, names, 30, wide))
        elif step == "delete":
            table.delete(rng.choice(["id < 200", "id > 900", "id == 5 or id == 77"]))
        elif step == "merge":
            try:
                table.upsert(once(make_rows(rng, names, 40, wide)), join_cols=["id"])
            except ValueError:  # pyiceberg refuses tables whose columns have been dropped, or ids that are there twice
                pass
        elif step == "compact":
            table.overwrite(table.scan().to_arrow())
        elif step == "add" and added < 2:
            added += 1
            names.append("more" if added == 1 else "last")
            with table.update_schema() as update:
                update.add_column(names[-1], it.StringType() if added == 1 else it.LongType())
        elif step == "rename":
            renamed += 1
            at = rng.randrange(1, len(names))
            new = f"{names[at].split('_')[0]}_{renamed}"
            with table.update_schema() as update:
                update.rename_column(names[at], new)
            names[at] = new
        elif step == "widen":
            by = {n.split("_")[0]: n for n in names}
            column = rng.choice([c for c in ("id", "price", "real") if c in by])
            if column in wide:
                continue
            wide.add(column)
            with table.update_schema() as update:
                update.update_column(by[column], {"id": it.LongType(), "price": it.DecimalType(18, 2), "real": it.DoubleType()}[column])
        elif step == "drop" and len(names) > 4:
            at = rng.randrange(1, len(names))
            if any(table.schema().find_field(names[at]).field_id == f.source_id for s in table.specs().values() for f in s.fields):
                continue
            with table.update_schema() as update:
                update.delete_column(names[at])
            names.pop(at)
        elif step == "spec":
            try:
                with table.update_spec() as update:
                    if table.spec().fields and rng.random() < 0.5:
                        update.remove_field(table.spec().fields[0].name)
                    elif all(f.source_id != 1 for f in table.spec().fields):
                        update.add_field("id", tr.BucketTransform(rng.randrange(5, 99)), f"b{rng.randrange(10 ** 6)}")
            except ValueError:  # pyiceberg refuses some fields beside others
                pass
        table = catalog.load_table("ns.t")
    root = table.location().removeprefix("file://")
    checks = Checks(f"iceberg-{seed}", f"attach '{server.url}' as lake (type iceberg); " if server else "")
    scan = lambda name, text: (f"lake.ns.t {text} as of {name}" if server else
                               f"iceberg_scan('{root}', {'version' if text == 'version' else 'as_of'} => {name})")
    for snapshot in table.snapshots():
        rows = table.scan(snapshot_id=snapshot.snapshot_id).to_arrow()
        checks.add(scan(snapshot.snapshot_id, "version"), rows, f"snapshot {snapshot.snapshot_id}")
    for snapshot in rng.sample(table.snapshots(), min(3, len(table.snapshots()))):
        when = snapshot.timestamp_ms
        of_time = table.snapshot_as_of_timestamp(when)
        text = datetime.datetime.fromtimestamp(when // 1000, datetime.timezone.utc).strftime("%Y-%m-%d %H:%M:%S") + f".{when % 1000:03}"
        checks.add(scan(f"'{text}'", "timestamp"), table.scan(snapshot_id=of_time.snapshot_id).to_arrow(), f"snapshot {of_time.snapshot_id} by its time")
    checks.add("lake.ns.t" if server else f"'{root}'", table.scan().to_arrow(), "now")
    checks.close = server.close if server else lambda: None
    return checks


def main():
    for seed in range(options.first, options.first + options.seeds):
        if deltalake:
            delta_history(seed).ask()
        if it:
            checks = iceberg_history(seed)
            checks.ask()
            checks.close()
        if "TIMES" in os.environ:
            print(f"seed {seed}: {compared} states compared, {len(failures)} failed {failures[-1:]}", flush=True)
    for failure in failures:
        print(f"failed: {failure}")
    print(f"histories: {compared} states compared, {len(failures)} failed")
    return bool(failures)


if __name__ == "__main__":
    sys.exit(main())
