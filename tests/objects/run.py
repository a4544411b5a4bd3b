#!/usr/bin/env python3
"""Object stores, read from a store of our own (store.py): names, signatures, versions, and what a server can do wrong.

run.py PROGRAM
"""
import os
import random
import re
import shutil
import struct
import subprocess
import sys
import tempfile
import threading
import time
import urllib.request

from store import Store

sys.path.insert(1, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../lakes"))
import write as lakes  # pylint: disable=wrong-import-position

KEYS = ("AKIDEXAMPLE", "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY")
program = os.path.abspath(sys.argv[1])
passed, failures = 0, []
work = tempfile.TemporaryDirectory()
root = os.path.join(work.name, "root")
store = None


def check(what, right, said=""):
    global passed
    passed += bool(right)
    if not right:
        failures.append(what)
        print(f"failed: {what}: {said}")


def environment(**more):
    kept = {name: value for name, value in os.environ.items() if not name.startswith("AWS_")}
    return {**kept, "HOME": work.name, "AWS_ENDPOINT_URL": f"http://127.0.0.1:{store.server_port}",
            "AWS_ACCESS_KEY_ID": KEYS[0], "AWS_SECRET_ACCESS_KEY": KEYS[1], "AWS_REGION": "eu-central-1",
            "LSAN_OPTIONS": f"suppressions={os.path.dirname(os.path.abspath(__file__))}/../lsan.supp:print_suppressions=0",
            **more}


def run(sql, *options, **more):
    """The exit status and all that is said."""
    began = time.monotonic()
    done = subprocess.run([program, "--format", "csv", *options, "-c", sql], env=environment(**more), timeout=60,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
    if "TIMES" in os.environ:
        print(f"{time.monotonic() - began:.2f} s: {sql}")
    check("no secret is told by " + sql.replace(KEYS[1], "..."), KEYS[1] not in done.stdout and KEYS[1][:12] not in done.stdout,
          done.stdout)
    return done.returncode, done.stdout


def gives(sql, rows, *options, **more):
    status, said = run(sql, *options, **more)
    check(sql, status == 0 and said.split("\n", 1)[1].strip() == rows, said)


def says(sql, *texts, **more):
    status, said = run(sql, **more)
    for text in texts:
        check(f"{sql} says {text!r}", status == 1 and text in said, said)
    return said


def make(sql, path):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    path = path.replace("'", "''")
    subprocess.run([program, "-c", f"copy ({sql}) to '{path}' (format parquet)"], check=True, stdout=subprocess.DEVNULL)


def make_all(*files, options=""):
    """Files by one process: (query, path)."""
    for _, path in files:
        os.makedirs(os.path.dirname(path), exist_ok=True)
    subprocess.run([program, "-c", "; ".join(f"copy ({sql}) to '{path}' (format parquet{options})" for sql, path in files)], check=True,
                   stdout=subprocess.DEVNULL)


def make_files():
    data = os.path.join(root, "data")
    for i in range(20):  # three pages of a listing
        make(f"select {i} as i, 'text ' || {i} as t", f"{data}/many/part-{i:02}.parquet")
    for name in ("a b", "a+b", "a%2Bb", "a&b<c>'d", "größe=1", "x~y!(z)", "quote\"d"):
        make(f"select '{name.replace(chr(39), chr(39) * 2)}' as n", f"{data}/names/{name}.parquet")
    for year in (2023, 2024):
        for month in (1, 2):
            make(f"select {month} as v", f"{data}/hive/year={year}/month={month}/x.parquet")
    make("select 1 as v", f"{data}/many/_hidden/x.parquet")
    make("select g as g, g * 7919 % 100003 as h, 'row number ' || g as t from generate_series(1, 100000) s(g)", f"{data}/big.parquet")
    open(f"{data}/empty.parquet", "w").close()
    with open(f"{data}/text.parquet", "w") as f:
        f.write("no Parquet at all\n" * 20)


def test_names():
    gives("select count(*), sum(i), max(t) from 's3://data/many/*.parquet'", "20,190,text 9")
    gives("select count(*), sum(i) from 's3://data/many'", "20,190")
    gives("select count(*), sum(i) from 's3://data/many/'", "20,190")
    gives("select sum(i) from 's3://data/many/part-1[0-4].parquet'", "60")
    gives("select count(*) from 's3a://data/**/part-0?.parquet'", "10")
    gives("select t from 's3://data/many/part-03.parquet'", "text 3")
    gives("select count(*), min(n) from 's3://data/names/*.parquet'", "7,a b")
    for name in ("a b", "a+b", "a%2Bb", "größe=1", "x~y!(z)"):
        gives(f"select n from 's3://data/names/{name}.parquet'", name)
    gives("select year, sum(v) from 's3://data/hive' group by year order by year", "2023,3\n2024,3")
    gives("select sum(v) from 's3://data/hive/**/*.parquet' where year = 2024 and month = 2", "2")
    gives("select count(*), sum(h), count(distinct t) from 's3://data/big.parquet'", "100000,5000073754,100000")
    gives("select count(*) from 's3://data/big.parquet' b, 's3://data/many/*.parquet' m where b.g = m.i + 1", "20",
          "--ranks", "3")
    says("from 's3://data/nothing/*.parquet'", "no object matches", "line 1:")
    says("from 's3://data/nothing/'", "no *.parquet objects below")
    says("from 's3://data/nothing.parquet'", "there is no such object")
    says("from 's3://nothing/x.parquet'", "there is no such bucket")
    says("from 's3://da*/x.parquet'", "bucket")
    says("from 's3:///x.parquet'", "does not name a bucket")
    says("from 's3://data/empty.parquet'", "too short")
    says("from 's3://data/text.parquet'", "not a Parquet file")


def test_lakes():
    """Logs, data files and deletion vectors are objects."""
    delta, ice = os.path.join(root, "data/delta"), os.path.join(root, "data/ice")
    for folder in (delta, os.path.join(ice, "data")):
        for name in ("a", "b c"):
            make(f"select g::bigint as id, '{name}' as n from generate_series(1, 1000) s(g)", f"{folder}/{name}.parquet")
    columns = [lakes.field("id", "long"), lakes.field("n", "string")]
    lakes.commit(delta, 0, lakes.protocol(3, ["deletionVectors"]), lakes.metadata(columns), lakes.add("a.parquet"))
    lakes.commit(delta, 1, lakes.add("b%20c.parquet", vector=lakes.file_vector(delta, range(100))))
    gives("select n, count(*), min(id) from delta_scan('s3://data/delta') group by n order by n", "a,1000,1\nb c,900,101")
    gives("select count(*) from delta_scan('s3a://data/delta/', version => 0)", "1000")
    says("from delta_scan('s3://data/many')", "has no Delta log")
    gives("select count(*) from 's3://data/delta/'", "1900")
    gives("select count(*) from 's3://data/delta' version as of 0", "1000")
    table = lakes.Iceberg(ice, [(1, "id", "long"), (2, "n", "string")], location="s3a://data/ice", **{
        "schema.name-mapping.default": '[{"field-id": 1, "names": ["id"]}, {"field-id": 2, "names": ["n"]}]'})
    table.commit(table.file("data/a.parquet", 1000))
    table.commit(table.file("data/b c.parquet", 1000))
    gives("select n, count(*) from iceberg_scan('s3://data/ice') group by n order by n", "a,1000\nb c,1000")
    gives("select count(*) from iceberg_scan('s3://data/ice', version => 1)", "1000")
    # Folders that have logs are tables, next to other folders and files.
    for name in ("delta", "ice"):
        shutil.copytree(os.path.join(root, "data", name), os.path.join(root, f"data/lakes/{name}"))
    make("select 1 as x", os.path.join(root, "data/lakes/plain/y.parquet"))
    make("select 2 as x", os.path.join(root, "data/lakes/file.parquet"))
    with open(os.path.join(root, "data/lakes/ice/metadata/version-hint.text"), "w") as f:
        f.write("1")
    counts = ", ".join(f"(select count(*) from {name})" for name in ("delta", "ice", "plain", "file"))
    gives(f"select {counts}", "1900,1000,1,1", "s3://data/lakes/")
    gives(f"attach 's3://data/lakes' as l; use l; select {counts}", "1900,1000,1,1")
    gives("select count(*), count(distinct n) from ice", "2000,2", "s3://data/ice")
    os.remove(os.path.join(ice, "data/a.parquet"))
    says("from iceberg_scan('s3://data/ice')", "a.parquet")


def test_lake_deletes():
    """A file of deletes is read once in a statement, whatever number of data files and scans it concerns."""
    where, files = os.path.join(root, "data/dels"), 12
    make_all(*[(f"select g::bigint as id, g % 10 as k from generate_series({1000 * i}, {1000 * i + 999}) s(g)", f"{where}/data/{i:02}.parquet")
               for i in range(files)],
             (f"select 's3://data/dels/data/' || lpad(i::text, 2, '0') || '.parquet' as file_path, p::bigint as pos "
              f"from generate_series(0, {files - 1}) a(i), generate_series(5, 905, 100) b(p) order by 1, 2", f"{where}/data/pos.parquet"),
             (f"select (1000 * i)::bigint as id from generate_series(0, {files - 1}) a(i)", f"{where}/data/eq1.parquet"),
             (f"select (1000 * i + 1)::bigint as id from generate_series(0, {files - 1}) a(i)", f"{where}/data/eq2.parquet"))
    table = lakes.Iceberg(where, [(1, "id", "long"), (2, "k", "long")], location="s3://data/dels", **{
        "schema.name-mapping.default": '[{"field-id": 1, "names": ["id"]}, {"field-id": 2, "names": ["k"]}]'})
    table.commit(*[table.file(f"data/{i:02}.parquet", 1000) for i in range(files - 1)])
    table.commit(table.file("data/eq1.parquet", files, content=2, equality_ids=[1]))
    table.commit(table.file(f"data/{files - 1:02}.parquet", 1000))
    table.commit(table.file("data/eq2.parquet", files, content=2, equality_ids=[1]), table.file("data/pos.parquet", 10 * files, content=1))
    kept = 1000 * files - 10 * files - (files - 1) - files
    for sql in ("select count(*) from iceberg_scan('s3://data/dels')",
                "select count(*) from iceberg_scan('s3://data/dels') a join iceberg_scan('s3://data/dels') b on a.id = b.id"):
        before = len(store.log)
        gives(sql, str(kept))
        log = "\n".join(store.log[before:])
        check(f"{sql} reads each file of deletes once", [log.count(f"/{name}.parquet") for name in ("pos", "eq1", "eq2")] == [1, 1, 1], log)
    before = len(store.log)
    gives("select count(*) from iceberg_scan('s3://data/dels') where id < 0", "0")
    check("no deletes are read where no row is", not any(name in line for line in store.log[before:] for name in ("pos.", "eq1.", "eq2.")),
          "\n".join(store.log[before:]))


def test_one_day():
    """A query for one day of 10,000 files opens the manifests that it needs and the files of that day, which alone are there."""
    days, files, day = 100, 100, 41
    ice, delta = os.path.join(root, "data/days"), os.path.join(root, "data/ddays")
    name = lambda d, i: f"data/d={d:03}/{i:02}.parquet"
    make("select timestamp '2024-02-11' + interval (i) hour as at, i::bigint as v from generate_series(0, 23) s(i)", f"{ice}/{name(day, 0)}")
    for where in (ice, delta):
        os.makedirs(f"{where}/data/d={day:03}", exist_ok=True)
        for i in range(files):
            if (where, i) != (ice, 0):
                shutil.copy(f"{ice}/{name(day, 0)}", f"{where}/{name(day, i)}")
    table = lakes.Iceberg(ice, [(1, "at", "timestamp"), (2, "v", "long")], [(1, 1000, "at_day", "day", "int")], location="s3://data/days", **{
        "schema.name-mapping.default": '[{"field-id": 1, "names": ["at"]}, {"field-id": 2, "names": ["v"]}]'})
    for d in range(days):
        low = struct.pack("<i", 19723 + d)
        table.commit(*[table.file(name(d, i), 24, partition={"at_day": 19723 + d}) for i in range(files)], between=[(low, low)],
                     is_last=d == days - 1)
    lakes.commit(delta, 0, lakes.protocol(), lakes.metadata([lakes.field("at", "timestamp_ntz"), lakes.field("v", "long"),
                                                             lakes.field("d", "integer")], ["d"]),
                 *[lakes.add(name(d, i).replace("=", "%3D"), {"d": str(d)}, {"numRecords": 24}) for d in range(days) for i in range(files)])
    for sql in ("select count(*), sum(v) from iceberg_scan('s3://data/days') where at >= '2024-02-11' and at < '2024-02-12'",
                "select count(*), sum(v) from iceberg_scan('s3://data/days') where at between '2024-02-11 00:00:00' and '2024-02-11 23:30:00'",
                f"select count(*), sum(v) from delta_scan('s3://data/ddays') where d = {day}"):
        before = len(store.log)
        gives(sql, f"{24 * files},{276 * files}")
        log = store.log[before:]
        opened = {line.split()[1] for line in log if ".parquet" in line}
        check(f"{sql} opens one manifest", sum("/metadata/m" in line for line in log) == ("iceberg" in sql), "\n".join(log))
        check(f"{sql} opens files of the day", len(opened) <= files and len(log) <= 2 * files + 8, f"{len(opened)} {len(log)}")


def fetched(log, name):
    """Ranges of an object that were read, without those of its end: (first, last)."""
    found = [re.search(r"bytes=(\d+)-(\d+) ", line) for line in log if f"{name}.parquet" in line]
    return sorted((int(m[1]), int(m[2])) for m in found if m)


def count_fetched(where, names, ranks):
    """Counts footers, second requests, and the bytes of gaps and of whole blocks, apart from the chunks that a query reads: each of these once."""
    said = subprocess.run([program, "--format", "csv", "-c", f"select file_name, first_page_offset, total_compressed_size from parquet_metadata('{where}/*.parquet') "
                           "where path_in_schema <> 'v'"], stdout=subprocess.PIPE, text=True, check=True).stdout
    before = len(store.log)
    gives("select count(*), sum(id), sum(length(t)) from 's3://data/dealt/*.parquet'", "120000,7200060000,3840000", "--processes", str(ranks), "--set",
          "distribute=always", "--set", "threads=1")
    log = store.log[before:]
    for name in names:
        chunks = [(int(first), int(first) + int(size)) for file, first, size in (line.split(",") for line in said.split("\n")[1:] if line) if f"/{name}.parquet" in file]
        footers = sum(f"/{name}.parquet" in line and "bytes=-" in line for line in log)
        every = fetched(log, name)
        ranges = sorted(set(every))
        gaps = sum(b - a + 1 for a, b in ranges) - sum(b - a for a, b in chunks)
        readers = [sum(a <= first and end <= b + 1 for a, b in ranges) for first, end in chunks]
        check(f"{ranks} ranks fetch each column chunk of {name} once", set(readers) == {1} and footers <= ranks and 0 <= gaps <= len(ranges) << 20,
              f"{footers} footers, {len(every) - len(ranges)} second requests, {gaps} bytes of gaps, {len(chunks)} chunks: {readers}")


def test_ranks():
    """Ranks that are processes deal out the row groups of plain files and of lakes: each byte before the footers is read by one rank, once."""
    where, names = os.path.join(root, "data/dealt"), ("a", "b")
    make_all(*[(f"select g::bigint as id, (g * 7919) % 1000003 as v, md5(g::text) as t from generate_series({i * 60000 + 1}, {i * 60000 + 60000}) s(g)",
                f"{where}/{name}.parquet") for i, name in enumerate(names)], options=", row_group_size 10000")
    lakes.commit(where, 0, lakes.protocol(), lakes.metadata([lakes.field("id", "long"), lakes.field("v", "long"), lakes.field("t", "string")]),
                 *[lakes.add(f"{name}.parquet") for name in names])
    sizes = {name: os.path.getsize(f"{where}/{name}.parquet") for name in names}
    for path in ("s3://data/dealt/*.parquet", "s3://data/dealt/"):
        for ranks in (2, 3):
            before = len(store.log)
            gives(f"select count(*), sum(id), count(distinct v), min(t) < max(t) from '{path}'", "120000,7200060000,120000,true",
                  "--processes", str(ranks), "--set", "distribute=always", "--set", "threads=1")
            log = store.log[before:]
            for name in names:
                ranges = fetched(log, name)
                overlaps = [(a, b) for a, b in zip(ranges, ranges[1:]) if b[0] <= a[1]]
                check(f"{path} by {ranks} ranks: each part of {name} is read once", ranges and not overlaps and
                      sum(b - a + 1 for a, b in ranges) <= sizes[name], f"{overlaps} of {ranges}")
    for ranks in (2, 3):
        count_fetched(where, names, ranks)
    lakes.commit(where, 1, lakes.remove("a.parquet"))
    gives("select count(*) from 's3://data/dealt/'; select count(*), min(id) from delta_scan('s3://data/dealt', version => 0)", "60000\ncount,min\n120000,1",
          "--processes", "2", "--set", "distribute=always")


def test_requests():
    """How many there are."""
    before = len(store.log)
    q = "select count(*), sum(i) from 's3://data/many/*.parquet'; "
    status, said = run(q + q)
    log = store.log[before:]
    check("two queries over 20 small objects ask for each once", status == 0 and not any("HEAD" in line for line in log) and
          sum("/data/many/part-" in line for line in log) == 20, "\n".join(log))
    done = subprocess.run([program, "calibrate", "--path", "s3://data/many/"], env=environment(), stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True, check=False)
    check("a store is measured by 64 MiB at least", done.returncode == 1 and "too few to measure" in done.stdout, done.stdout)
    before = len(store.log)
    gives("select count(*), sum(h) from 's3://data/big.parquet'", "100000,5000073754")
    check("a footer takes one request", sum("bytes=-" in line for line in store.log[before:]) == 1 and
          len(store.log) - before <= 4, "\n".join(store.log[before:]))


def test_looks():
    """A table of the command line is not looked at for the first statement, later once in a statement, however often that names it."""
    before = len(store.log)
    q = "select (select count(*) from t), (select sum(h) from t), count(*) from t a, u where a.g = u.g"
    gives(f"{q}; {q}", "100000,5000073754,100000\ncount,sum,count_1\n100000,5000073754,100000", "--table", "t=s3://data/big.parquet", "--table",
          "u=s3://data/big.parquet")
    log = [line for line in store.log[before:] if "HEAD" in line]
    check("each table is looked at once", len(log) == 2, "\n".join(store.log[before:]))


def waited(*arguments):
    """Runs the program over "late": seconds, the most requests at once, the requests, what is said."""
    store.most, before, began = 0, len(store.log), time.monotonic()
    done = subprocess.run([program, "--format", "csv", *arguments], env=environment(), timeout=60, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          text=True, check=False)
    if "TIMES" in os.environ:
        print(f"{time.monotonic() - began:.2f} s, {store.most} at once")
    return time.monotonic() - began, store.most, store.log[before:], done.stdout.strip()


def test_together():
    """Tables of a statement, and of the command line, are opened together; failures are those of the first in the statement's order."""
    names = [f"part-{i:02}" for i in range(12)]
    paths = [f"s3://late/many/{name}.parquet" for name in names]
    lakes.commit(f"{root}/data/log", 0, lakes.protocol(), lakes.metadata([lakes.field("i", "integer"), lakes.field("t", "string")]))
    union, rows = " union all ".join(f"from '{path}'" for path in paths), "count,sum\n12,66"
    views = "; ".join(f"create view v{i} as from '{path}'" for i, path in enumerate(paths[:4]))
    seen = " union all ".join(f"from v{i}" for i in range(4))
    ask = "select count(*), sum(i) from"
    for what, most, *arguments in (
            ("paths", 12, "-c", f"{ask} ({union})"),
            ("a list of paths", 12, "-c", f"{ask} read_parquet({paths})"),
            ("arguments of functions, and patterns", 12, "-c", f"{ask} (" + " union all ".join(f"from read_parquet('{path[:-1]}*')" for path in paths) + ")"),
            ("names, and lakes", 13, *[t for name, path in zip(names, paths) for t in ("--table", f"{name}={path}")], "--table", "log=delta:s3://late/log",
             "-c", f"{ask} ({' union all '.join(f'from {chr(34)}{name}{chr(34)}' for name in names)} union all from log)"),
            ("paths of the command line", 12, *paths, "-c", f"{ask} ({' union all '.join(f'from {chr(34)}{name}{chr(34)}' for name in names)})")):
        took, at_once, log, said = waited(*arguments)
        check(f"{what} are asked for at once", said == rows and at_once >= most, f"{took:.1f} s, {at_once} at once, {len(log)} requests: {said}")
        check(f"{what}: each once", len(log) == len(set(log)), "\n".join(log))
    took, at_once, _, said = waited("-c", views + f"; {ask} ({seen}); {ask} ({seen})")
    check("paths of views are asked for at once", said == "count,sum\n4,6\ncount,sum\n4,6" and at_once == 4, f"{took:.1f} s, {at_once} at once: {said}")
    many = [f"s3://late/many/part-{i % 20:02}.{c}arquet" for c in ("p", "[p]", "?", "[pq]", "[a-p]") for i in range(20)]
    took, at_once, log, said = waited("-c", f"{ask} read_parquet({many})")
    check("of many paths no more than 64 are asked for at once", said == "count,sum\n100,950" and 20 < at_once <= 64, f"{took:.1f} s, {at_once}: {said}")
    # Who would have failed first fails; a name of a WITH query, a text that is not a path, and what is not named are not asked for.
    gone = "from 's3://late/gone-1.parquet'"
    says(f"select * from (from 's3://data/many/part-01.parquet') a, ({gone}) b, (from 's3://late/gone-2.parquet') c", "gone-1.parquet", "line 1:")
    says(f"select nothing from 's3://data/many/part-01.parquet' union all {gone} union all from 's3://late/gone-2.parquet'", "nothing")
    _, _, log, said = waited("--table", f"t={paths[0]}", "--table", f"u={paths[1]}", "--table", f"w={paths[2]}", "-c", "select 1",
                             "-c", "with u as (select 7 as x) select x, 's3://late/many/part-09.parquet' from u, t where t <> 's3://late/many/part-08.parquet'")
    check("nothing else is asked for", said.endswith("7,s3://late/many/part-09.parquet") and not any("part-08" in line or "part-09" in line or "HEAD" in line
          for line in log), said + "\n".join(log))
    _, at_once, log, said = waited("--table", f"t={paths[0]}", "--table", "u=s3://late/gone.parquet", "--table", "w=s3://late/gone-2.parquet", "-c", "select 1")
    check("the first table of the command line that is missing is told", "gone.parquet" in said, said)
    began = time.monotonic()
    started = subprocess.Popen([program, "-c", f"from 's3://hang/a.parquet', 's3://hang/b.parquet', {union[5:].replace('late', 'hang')}"], env=environment(),
                               stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    time.sleep(0.7)
    started.send_signal(2)
    said = started.communicate(timeout=60)[0]
    check("tables that are opened together are given up by Ctrl-C", started.returncode and "cancel" in said and time.monotonic() - began < 10, said)


def test_twice():
    """What two scans of a statement begin to read at once is fetched once, but for blocks of 4 KiB at edges, whoever of them comes first."""
    make_all(("select g as id, (g * 7919) % 1000003 as v, md5(g::text) as t from generate_series(1, 60000) s(g)", f"{root}/data/twice.parquet"),
             options=", row_group_size 10000")
    for sql in ("select count(*), sum(a.v), max(b.t) from 's3://late/twice.parquet' a join 's3://late/twice.parquet' b on a.id = b.v - 1",
                "select count(*), sum(v), max(t) from (select v, t from 's3://late/twice.parquet' union all select v, t from 's3://late/twice.parquet')"):
        expected = subprocess.run([program, "--format", "csv", "-c", sql.replace("s3://late", f"{root}/data")], capture_output=True, text=True, check=True)
        took, _, log, said = waited("-c", sql)
        ranges = fetched(log, "twice")
        overlaps = [(a, b) for a, b in zip(ranges, ranges[1:]) if a[1] - b[0] >= 4096]
        check(f"{sql}: each part is fetched once", said == expected.stdout.strip() and ranges and not overlaps, f"{took:.1f} s, {overlaps} of {ranges}: {said}")


def test_keys():
    q = "select t from 's3://data/many/part-03.parquet'"
    said = says(q, "403 SignatureDoesNotMatch", "AWS_SECRET_ACCESS_KEY", AWS_SECRET_ACCESS_KEY="wrong0wrong")
    check("the wrong secret is not told", "wrong0wrong" not in said, said)
    says(q, "no keys were given", AWS_ACCESS_KEY_ID="")
    gives(q, "text 3", AWS_SESSION_TOKEN="a token/with+signs=")
    base = {"AWS_ACCESS_KEY_ID": "", "AWS_ENDPOINT_URL": "", "AWS_REGION": ""}
    keys = (f"set s3_endpoint = 'http://127.0.0.1:{store.server_port}'; set s3_access_key_id = '{KEYS[0]}'; "
            f"set s3_secret_access_key = '{KEYS[1]}';\n")
    status, said = run(keys + q, **base)
    check("keys by SET", status == 0 and said.endswith("text 3\n"), said)
    for options in (["--ranks", "2"], ["--processes", "2"]):
        status, said = run(keys + "select count(*), sum(i) from 's3://data/many/*.parquet'", *options, **base)
        check(f"keys by SET on ranks {options}", status == 0 and said.endswith("20,190\n"), said)
    status, said = run(keys + "set s3_session_token = 'tttoken'; show all", **base)
    check("secrets are shown as ***", status == 0 and said.count("***") == 2 and "tttoken" not in said, said)
    status, said = run("set s3_access_key_id = 'none'; " + q)
    check("unsigned by SET", status == 1 and "no keys were given" in said, said)
    status, said = run("set enable_external_access = off; set s3_endpoint = 'x'")
    check("stores are not for untrusted SQL to choose", status == 1 and "s3_endpoint" in said, said)
    os.makedirs(f"{work.name}/.aws", exist_ok=True)
    with open(f"{work.name}/.aws/credentials", "w") as f:
        f.write(f"[default]\naws_access_key_id = none\n[other]\n# comment\naws_access_key_id={KEYS[0]}  \n"
                f"aws_secret_access_key = {KEYS[1]}\r\n")
    with open(f"{work.name}/.aws/config", "w") as f:
        f.write("[profile other]\nregion = us-west-2\n")
    gives(q, "text 3", AWS_ACCESS_KEY_ID="", AWS_PROFILE="other", AWS_REGION="")


def test_lent_keys():
    q = "select count(*), sum(i) from 's3://data/many/*.parquet'"
    here = f"http://127.0.0.1:{store.server_port}"
    nothing = {"AWS_ACCESS_KEY_ID": "", "AWS_SECRET_ACCESS_KEY": "", "AWS_SHARED_CREDENTIALS_FILE": "/nowhere"}
    container = {**nothing, "AWS_CONTAINER_CREDENTIALS_FULL_URI": f"{here}/web/lent"}
    with open(f"{work.name}/token", "w") as f:
        f.write("a+b\n")
    gives(q, "20,190", **container, AWS_CONTAINER_AUTHORIZATION_TOKEN="for the container")
    says(q, "keys for object stores", "403", **container)
    gives(q, "20,190", **nothing, AWS_EC2_METADATA_SERVICE_ENDPOINT=here)
    gives(q, "20,190", **nothing, AWS_WEB_IDENTITY_TOKEN_FILE=f"{work.name}/token", AWS_ROLE_ARN="arn:aws:iam::1:role/x",
          AWS_ENDPOINT_URL_STS=f"{here}/sts")
    says(q, "no keys were given", **nothing, AWS_EC2_METADATA_DISABLED="true")
    before = store.counts.get("/web/lent", 0)
    run(q, **container, AWS_CONTAINER_AUTHORIZATION_TOKEN="for the container")
    asked = store.counts["/web/lent"] - before
    store.lent_for = 1
    gives(q, "20,190", **container, AWS_CONTAINER_AUTHORIZATION_TOKEN="for the container")
    check("keys are asked for once while they hold", asked == 1, asked)
    store.lent_for = 3600


def test_web():
    base = f"http://127.0.0.1:{store.server_port}/web"
    gives(f"select t from '{base}/many/part-03.parquet'", "text 3")
    gives(f"select t from '{base}/to/many/part-03.parquet?X-Signature=hush'", "text 3")
    check("no web server got a signature", not re.search(r"/web/(?!lent).*signed", "\n".join(store.log)))
    said = says(f"from '{base}/none.parquet?X-Signature=hush'", "there is no such object")
    check("the query is not told", "could not read" in said and "hush" not in said.split("line 1:")[0], said)
    said = says(f"from '{base}/text.parquet?X-Signature=hush'", "not a Parquet file", "text.parquet?...")
    check("a file's error does not tell the query", "hush" not in said.split("line 1:")[0], said)
    says(f"from '{base}/loop'", "redirects")
    says(f"from '{base}/down'", "rotocol")
    said = says("from 'https://me:hush@127.0.0.1/x.parquet'", "has a name or a password in it")
    check("the password is not told", "hush" not in said.split("line 1:")[0], said)
    says("from 'http://127.0.0.1:1/x.parquet'", "could not read")


def test_tls():
    certificate = f"{work.name}/certificate.pem"
    made = subprocess.run(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes",
                           "-days", "2", "-subj", "/CN=store", "-addext", "subjectAltName=IP:127.0.0.1",
                           "-keyout", f"{certificate}.key", "-out", certificate],
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
    check("a certificate is made", made.returncode == 0, made.stdout)
    with open(f"{certificate}.both", "w") as both:
        for name in (certificate, certificate + ".key"):
            with open(name) as f:
                both.write(f.read())
    secure = Store(root, KEYS, f"{certificate}.both")
    threading.Thread(target=secure.serve_forever, daemon=True).start()
    q = "select t from 's3://data/many/part-03.parquet'"
    here = {"AWS_ENDPOINT_URL": f"https://127.0.0.1:{secure.server_port}", "AWS_CA_BUNDLE": certificate}
    gives(q, "text 3", **here)
    gives("select count(*), sum(h) from 's3://data/big.parquet'", "100000,5000073754", **here)
    says(q, "certificate", "AWS_CA_BUNDLE", **{**here, "AWS_CA_BUNDLE": ""})
    says(q, "subject name", **{**here, "AWS_ENDPOINT_URL": f"https://localhost:{secure.server_port}"})
    says(f"from 'https://127.0.0.1:{secure.server_port}/web/plain/{store.server_port}/web/many/part-03.parquet'", "rotocol", **here)


def test_writing():
    data = os.path.join(root, "data")
    gives("copy (select 42 as x) to 's3://data/new/a b+c.parquet'; select x from 's3://data/new/a b+c.parquet'", "42")
    big = "select g, repeat('x', 70) as m from generate_series(1, 120000) s(g)"
    status, said = run(f"copy ({big}) to 's3://data/new/big.csv'")
    with open(f"{data}/new/big.csv") as f:
        rows = f.read().split("\n")
    check("a text of several parts", status == 0 and len(rows) == 120002 and rows[0] == "g,m" and
          rows[120000] == "120000," + 70 * "x", said)
    check("it was sent in parts", sum("/new/big.csv?partNumber" in line for line in store.log) == 2)
    says(f"copy ({big.replace('select g', 'select 10 / (g - 118000) as g')}) to 's3://data/new/fail.csv'", "division by zero")
    says(f"copy ({big}) to 's3://broken/new/fail.csv'", "could not write", "500 InternalError: a <secret> thing",
         PISTACHIO_HTTP_TIMEOUT="1")
    says("copy (select 1 as x) to 's3://denied/new/fail.parquet'", "could not write", "403 AccessDenied")
    says("copy (select 1 as x) to 'http://127.0.0.1/new/fail.parquet'", "not in an object store")
    says("copy (select 1 as x, 2 as y) to 's3://data/new/parts' (partition_by (x))", "writing a folder")
    for text, options in (("the last part", "lastpart"), ("its end", "badend")):
        says(f"copy ({big}) to 's3://{options}/new/fail.csv'", "could not write")
    check("nothing of it is left", not store.uploads and sorted(os.listdir(f"{data}/new")) == ["a b+c.parquet", "big.csv"],
          f"{store.uploads.keys()} {os.listdir(data + '/new')}")
    done = subprocess.run([program, "rewrite", "s3://data/big.parquet", "s3://data/new/rewritten.parquet"], env=environment(),
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
    check("rewrite", done.returncode == 0, done.stdout)
    gives("select count(*), sum(h) from 's3://data/new/rewritten.parquet'", "100000,5000073754")


def test_faults():
    part = "many/part-03.parquet"
    gives(f"select t from 's3://busy/{part}'", "text 3")
    gives("select sum(i) from 's3://busy/many/*.parquet'", "190")
    gives("select sum(h) from 's3://reset/big.parquet'", "5000073754")
    for fault, text in (("whole", "gives no parts of files"), ("shifted", "were asked for"), ("longer", ""),
                        ("nameless", "does not say which part"), ("header", "too long"), ("packed", "compresses"),
                        ("denied", "403 AccessDenied")):
        says(f"from 's3://{fault}/big.parquet'", text)
    says("select sum(h) from 's3://changing/big.parquet'", "changed while it was read", "run the query again")
    says("from 's3://hang/big.parquet'", "does not answer", PISTACHIO_HTTP_TIMEOUT="1")
    says("from 's3://longer/many/part-03.parquet'", "could not read", PISTACHIO_HTTP_TIMEOUT="1")
    says("from 's3://broken/big.parquet'", "500 InternalError", PISTACHIO_HTTP_TIMEOUT="1")
    for fault, text in (("page", "not a list of objects"), ("repeat", "does not go on"), ("stranger", "not asked for")):
        says(f"from 's3://{fault}/many/*.parquet'", text)


def test_tardy():
    """Requests that are slower than most are asked a second time."""
    make_all(("select g, md5(g::text) as t from generate_series(1, 40000) s(g)", f"{root}/data/tardy.parquet"), options=", row_group_size 400")
    before, began = len(store.log), time.monotonic()
    gives("select count(*), sum(g), count(distinct t) from 's3://tardy/tardy.parquet'", "40000,800020000,40000")
    took, log = time.monotonic() - began, [line for line in store.log[before:] if "bytes=-" not in line]
    second = len(log) - len(set(log))
    check("requests that are late are asked a second time, at most one of 20", took < 38 and 0 < len(store.late) <= second <= len(log) // 20,
          f"{took:.1f} s, {len(log)} requests, {len(set(log))} different, {len(store.late)} late")


def test_patience():
    """Ctrl-C ends a wait."""
    for sql in ("from 's3://hang/big.parquet'", "select sum(h) from 's3://slow/big.parquet'"):
        started = subprocess.Popen([program, "-c", sql], env=environment(), stdout=subprocess.PIPE,
                                   stderr=subprocess.STDOUT, text=True)
        time.sleep(0.5)
        began = time.monotonic()
        started.send_signal(2)
        said = started.communicate(timeout=60)[0]
        took = time.monotonic() - began
        check(f"{sql} is cancelled", started.returncode and "cancel" in said, said)
        if took > 1:
            print(f"{sql}: cancelled after {took:.1f} s")


def test_failing():
    """Tables that are opened together and scans that share what they read, each with an allocation, a read or the statement cancelled
    somewhere: the right rows, or one error. FAULTS=N: how many; SEED=N: which."""
    if not os.path.exists(f"{root}/data/twice.parquet"):
        test_twice()
    twice = "'s3://data/twice.parquet'"
    few = " union all ".join(f"select i from 's3://data/many/part-{i:02}.parquet'" for i in range(6))
    sql = f"select count(*), sum(a.v), max(b.t), sum(c.i) from {twice} a join {twice} b on a.id = b.v - 1 left join ({few}) c on c.i = a.id"
    status, rows = run(sql)
    check("the statement whose faults follow", status == 0, rows)
    drawn = random.Random(int(os.environ.get("SEED", os.environ.get("PISTACHIO_TEST_CHOICE", "1"))))
    for _ in range(int(os.environ.get("FAULTS", "24"))):
        kind = drawn.choice(("alloc", "alloc", "alloc", "read", "cancel", "room"))
        fault = f"{kind}:{int(100 * 300 ** drawn.random())}" + drawn.choice(("", "", ":always"))
        status, said = run(sql, PISTACHIO_FAULT=fault)
        is_right = said == rows if status == 0 else status == 1 and said.count("error:") == 1 and "Sanitizer" not in said and "runtime error" not in said
        check(f"{fault} gives rows or an error", is_right, f"status {status}: {said}")


def in_turn(tests):
    """The first, and of the others those that the gate's number of the commit chooses, which is each second; else all."""
    choice = os.environ.get("PISTACHIO_TEST_CHOICE")
    return tests if not choice else tests[:1] + tests[1 + int(choice) % 2::2]


def main():
    global store
    os.makedirs(root)
    store = Store(root, KEYS)
    threading.Thread(target=store.serve_forever, daemon=True).start()
    make_files()
    for test in in_turn((test_names, test_lakes, test_lake_deletes, test_one_day, test_ranks, test_requests, test_looks, test_together, test_twice, test_keys,
                         test_lent_keys, test_web, test_tls, test_writing, test_faults, test_failing, test_tardy, test_patience)):
        began = time.monotonic()
        test()
        if os.environ.get("TIMES"):
            print(f"{test.__name__}: {time.monotonic() - began:.1f} s")
    print(f"{passed} passed, {len(failures)} failed, 0 skipped")
    os._exit(bool(failures))  # threads may hang on purpose


main()
