#!/usr/bin/env python3
"""Oddities of csv files: each block of the files beside this one is a file, how it is read, and the rows that it has.

run.py PROGRAM [--make]

A block is a description after "# ", then lines "args: ...", "file: ..." (as Python writes bytes), "columns: ..." and a line of JSON
for each row, or "error: ..." with a part of the message. --make writes columns and rows anew, to be looked at.
"""
import gzip
import json
import os
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
program = os.path.abspath(sys.argv[1])
passed, failed = 0, 0


def read_blocks(path):
    blocks = []
    for line in open(path, encoding="utf-8"):
        line = line.rstrip("\n")
        if line.startswith("# "):
            blocks.append({"what": line[2:], "args": "", "rows": []})
        elif line.startswith(("args: ", "file: ", "columns: ", "error: ")):
            name, text = line.split(": ", 1)
            blocks[-1][name] = text
        elif line:
            blocks[-1]["rows"].append(line)
    return blocks


def write_blocks(path, blocks):
    with open(path, "w", encoding="utf-8") as out:
        for block in blocks:
            print("#", block["what"], file=out)
            for name in ("args", "file", "columns", "error"):
                if block.get(name):
                    print(f"{name}: {block[name]}", file=out)
            print(*block["rows"], "", sep="\n", file=out)


def ask(sql, folder):
    done = subprocess.run([program, "--format", "jsonl", "-c", sql], cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          check=False)
    return done.returncode, done.stdout.decode(), done.stderr.decode("utf-8", "replace")


def results(blocks, folder, first):
    """What the program says of each block without an error: its columns, and its rows."""
    sql, found = "", {}
    for i, block in blocks:
        source = f"read_{first}('{i}.{first}'{block['args']})"
        sql += f"select {i} as block; describe select * from {source}; from {source};\n"
    code, out, err = ask(sql, folder)
    now = None
    for line in out.splitlines():
        row = json.loads(line)
        if list(row) == ["block"]:
            now = found.setdefault(row["block"], ([], []))
        elif list(row) == ["column", "type", "nullable"]:
            now[0].append(f"{row['column']} {row['type']}")
        elif line:
            now[1].append(line)
    return code, found, err


def check(what, right, said=""):
    global passed, failed
    passed, failed = passed + bool(right), failed + (not right)
    if not right:
        print(f"failed: {what}: {said}")


def run(path, folder, kind):
    blocks = read_blocks(path)
    for i, block in enumerate(blocks):
        with open(os.path.join(folder, f"{i}.{kind}"), "wb") as out:
            # pylint: disable=eval-used
            out.write(eval("b" + block["file"]))
    plain = [(i, b) for i, b in enumerate(blocks) if "error" not in b]
    code, found, err = results(plain, folder, kind)
    check(f"{path} is read", code == 0, err)
    for i, block in plain:
        columns, rows = found.get(i, ([], []))
        columns = ", ".join(columns)
        if "--make" in sys.argv:
            block["columns"], block["rows"] = columns, rows
        check(block["what"], (block.get("columns"), block["rows"]) == (columns, rows), f"{columns} {rows}")
    for i, block in enumerate(blocks):
        if "error" in block:
            code, out, err = ask(f"from read_{kind}('{i}.{kind}'{block['args']})", folder)
            check(block["what"], code and block["error"] in err, out + err)
    if "--make" in sys.argv:
        write_blocks(path, blocks)


def gives(sql, rows, folder):
    code, out, err = ask(sql, folder)
    same = [json.loads(line) for line in out.splitlines()] == [json.loads(line) for line in rows.splitlines()]
    check(sql, code == 0 and same, out + err)


def write(folder, name, text):
    with (gzip.open if name.endswith(".gz") else open)(os.path.join(folder, name), "wb") as out:
        out.write(text)


def several_files(folder):
    write(folder, "p1.csv", b"a,b\n1,x\n")
    write(folder, "p2.csv", b"a,b\n2,y\n")
    write(folder, "q1.csv", b"b,c\nz,3\n")
    write(folder, "z.csv.gz", b"a,b\n5,x\n")
    write(folder, "t.tsv", b"a\tb\n6\tx\n")
    gives("select sum(a) as s from 'p*.csv'", '{"s":3}', folder)
    gives("select a, filename as f from read_csv(['p2.csv', 'p1.csv'], filename => true)", '{"a":2,"f":"p2.csv"}\n{"a":1,"f":"p1.csv"}', folder)
    gives("select a, c from read_csv(['p1.csv', 'q1.csv'], union_by_name = true)", '{"a":1,"c":null}\n{"a":null,"c":3}', folder)
    gives("select z.a, t.a as t from 'z.csv.gz', 't.tsv'", '{"a":5,"t":6}', folder)


def headers_of_further_files(folder):
    write(folder, "h1.csv", b"a,b\n1,x\n")
    write(folder, "h2.csv", b"b,a\nz,3\n")
    write(folder, "h3.csv", b"B,extra,a\n\"y,\",0,5\n")
    write(folder, "h4.csv", b"")
    write(folder, "lacks.csv", b"a,c\n5,q\n")
    write(folder, "plain.csv", b"7,w\n")
    gives("select a, b from 'h*.csv'", '{"a":1,"b":"x"}\n{"a":3,"b":"z"}\n{"a":5,"b":"y,"}', folder)
    gives("select a from read_csv(['h1.csv', 'plain.csv'], header = false, names = ['a', 'b'], all_varchar = true)",
          '{"a":"a"}\n{"a":"1"}\n{"a":"7"}', folder)
    _, _, err = ask("from read_csv(['h1.csv', 'lacks.csv'])", folder)
    check("a column is missing", 'file "lacks.csv" has no column "b", which "h1.csv" has' in err, err)


def many_names(folder):
    """Wide files: names that are alike, and a further file with the columns in another order."""
    names = [f"c{i}" for i in range(4000)]
    write(folder, "w1.csv", (",".join(names) + "\n" + ",".join("1" for _ in names) + "\n").encode())
    write(folder, "w2.csv", (",".join(reversed(names)) + "\n" + ",".join(str(i) for i in range(4000)) + "\n").encode())
    gives("select sum(c0) as a, sum(c3999) as b from 'w*.csv'", '{"a":4000,"b":1}', folder)
    write(folder, "same.csv", (",".join(["x"] * 4000) + "\n" + ",".join(str(i) for i in range(4000)) + "\n").encode())
    gives("select x, x_1, x_3999 from 'same.csv'", '{"x":0,"x_1":1,"x_3999":3999}', folder)


def wide_rejects(folder):
    """What is left out of files of 4,000 columns with odd names, of one row, of none."""
    names = [f'c {i}, "q" é' for i in range(4000)]
    header = ",".join('"' + name.replace('"', '""') + '"' for name in names)
    values = [str(i) for i in range(4000)]
    lines = [header, ",".join(values), ",".join(["x"] + values[1:]), "1,2", ",".join(values[1:] + ["bad"])]
    write(folder, "w.csv", ("\n".join(lines) + "\n").encode())
    records = [{name: "bad" if (i, row) == (3999, 1) else i for i, name in enumerate(names)} for row in range(3)]
    write(folder, "w.json", "".join(json.dumps(record) + "\n" for record in records).encode())
    types = ", ".join(["'bigint'"] * 4000)
    gives(f"select line, column_name as c, error_type as e, length(record) as n from read_csv_rejects('w.csv', header => true, delim => ',', types => [{types}])",
          "\n".join(json.dumps({"line": line, "c": column, "e": error, "n": len(lines[line - 1])}) for line, column, error in
                    ((3, names[0], "CAST"), (4, None, "MISSING COLUMNS"), (5, names[3999], "CAST"))), folder)
    gives("select line, column_name as c, error_type as e from read_json_rejects('w.json', sample_size => 1)", json.dumps({"line": 2, "c": names[3999], "e": "CAST"}), folder)
    gives("select count(*) as n from read_json('w.json', sample_size => 1, ignore_errors => true)", '{"n":2}', folder)
    for name, text, rows in (("none.csv", b"", 0), ("names.csv", b"a,b\n", 0), ("one.csv", b"a,b\n1,x\n", 1), ("none.json", b"", 0), ("one.json", b'{"a":1}', 1)):
        write(folder, name, text)
        gives(f"from read_{name[-4:].strip('.')}_rejects('{name}'); select count(*) as n from '{name}'", json.dumps({"n": rows}), folder)


def types_by_name(folder):
    write(folder, "n.csv", b"a,b\n1,2\n")
    write(folder, "n.json", b'{"a": 1, "b": "2"}\n')
    for call in ("read_csv('n.csv', types => {'b': 'varchar', a: 'double'})", "read_csv('n.csv', dtypes = {'A': 'double', 'b': 'varchar'})",
                 "read_csv('n.csv', columns => {'a': 'double', 'b': 'varchar'}, header => true)", "read_json('n.json', types => {'a': 'double'})",
                 "read_json('n.json', columns => {'a': 'double', 'b': 'varchar'})"):
        gives(f"select typeof(a) as a, typeof(b) as b, b as v from {call}", '{"a":"double","b":"varchar","v":"2"}', folder)
    for call, said in (("read_csv('n.csv', types => {'z': 'int'})", 'types names "z"'), ("read_csv('n.csv', types => {'a': 'integr'})", '"integr" does not'),
                       ("read_csv('n.csv', types => {'a': 1 + 1})", "types by name"), ("read_csv('n.csv', names => {'a': 'b'})", "a list of texts")):
        _, _, err = ask("from " + call, folder)
        check(call, said in err, err)


def many_fields(folder):
    """Objects of hundreds and thousands of fields; what is within them is read alone."""
    def object_of(count, value):
        return "{" + ", ".join(f'"k{i}": {value(i)}' for i in range(count)) + "}"

    def is_type(name, value, type_, count):
        write(folder, name, f'{{"a": {value}}}\n'.encode())
        gives(f"select typeof(a)[:{len(type_)}] as t, length(a::json::varchar) > {count} as b from '{name}'",
              json.dumps({"t": type_, "b": True}), folder)

    is_type("m200.json", object_of(200, str), "map(varchar, bigint)", 1000)
    is_type("m199.json", object_of(199, str), "struct(k0 bigint, k1 bigint, ", 1000)
    is_type("mixed.json", object_of(250, lambda i: '"x"' if i % 2 else i), "struct(k0 bigint, k1 varchar, ", 1000)
    is_type("objects.json", object_of(250, lambda i: f'{{"x": {i}}}'), "map(varchar, struct(x bigint))", 1000)
    is_type("unlike.json", object_of(250, lambda i: f'{{"x": {i}}}' if i % 2 else '{"x": 1, "y": "2"}'), "struct(k0 struct(x bigint, y varchar)", 1000)
    fields = [f'"k{i}": {[i, json.dumps(f"t{i}"), [i, None]][i % 3]}'.replace("None", "null") for i in range(5000)]
    write(folder, "wide.json", "".join(f'{{"id": {n}, "s": {{{", ".join(order)}}}}}\n' for n, order in enumerate((fields, fields[::-1], fields[2500:]))).encode())
    gives("select id, s.k0 as a, s.k4 as b, s.k4997 as c from 'wide.json'",
          '{"id":0,"a":0,"b":"t4","c":[4997,null]}\n{"id":1,"a":0,"b":"t4","c":[4997,null]}\n{"id":2,"a":null,"b":null,"c":[4997,null]}', folder)
    write(folder, "columns.json", "".join(f'{{{", ".join(order)}}}\n' for order in (fields, fields[::-1])).encode())
    gives("select k0 + 1 as a, k4 as b, k4997[1] as c from 'columns.json'", '{"a":1,"b":"t4","c":4997}\n{"a":1,"b":"t4","c":4997}', folder)


def late_fields(folder):
    """Fields that no record of the sample has; fields of further files."""
    write(folder, "late.json", b'{"a":1}\n' * 150000 + b'{"a":2,"late":true}\n')
    _, out, err = ask("select sum(a) as s from 'late.json'", folder)
    check("a late field", 'line 150001: field "late" is not a column' in err and "sample_size => -1" in err, out + err)
    gives("select count(*) as n from 'late.json'", '{"n":150001}', folder)
    gives("select * from read_json('late.json', sample_size => -1) where a = 2", '{"a":2,"late":true}', folder)
    gives("select * from read_json('late.json', ignore_errors => true) where a = 2", '{"a":2}', folder)
    gives("select a, late from read_json('late.json', columns => {late: 'boolean', a: 'int'}) where a = 2", '{"a":2,"late":true}', folder)
    write(folder, "e0.json", b"")
    write(folder, "e1.json", b'[{"a": 1}, {"a": null}]')
    write(folder, "e2.json", b'{"b": "x", "a": 1.5}\n')
    gives("from 'e*.json'", '{"a":1,"b":null}\n{"a":null,"b":null}\n{"a":1.5,"b":"x"}', folder)
    gives("from read_json('e*.json', union_by_name => true, filename => true) where b is not null", '{"a":1.5,"b":"x","filename":"e2.json"}', folder)


def rejects(folder):
    """What ignore_errors leaves out: with the rows it is all records, in their order and with their lines."""
    write(folder, "r.csv", b'a,b\n1,2\nx,5\n7\n\r\n9,10,11\n16,"1\n7"\n13,\xff\n14,15\n"1,1\n')
    call = "('r.csv', header => true, delim => ',', quote => '\"', columns => {'a': 'int', 'b': 'varchar'}"
    gives(f"select line, byte_position as byte, column_name as c, error_type as e, record as r from read_csv_rejects{call})",
          '{"line":3,"byte":9,"c":"a","e":"CAST","r":"x,5"}\n{"line":4,"byte":13,"c":null,"e":"MISSING COLUMNS","r":"7"}\n'
          '{"line":6,"byte":17,"c":null,"e":"TOO MANY COLUMNS","r":"9,10,11"}\n{"line":9,"byte":34,"c":"b","e":"INVALID ENCODING","r":"13,\\ufffd"}\n'
          '{"line":11,"byte":45,"c":null,"e":"UNQUOTED VALUE","r":"\\"1,1\\n"}', folder)
    gives(f"from read_csv{call}, ignore_errors => true)", '{"a":1,"b":"2"}\n{"a":16,"b":"1\\n7"}\n{"a":14,"b":"15"}', folder)
    write(folder, "r.json", b'{"a":1}\n{"a":"x"}\n{"a":\n{"a":1,"a":2}\n[1]\n{"a":2,"b":{"c":[1, 2]}}\n')
    gives("select line, column_name as c, error_type as e, error_message as m, record as r, file_path as f from read_json_rejects('r.json', columns => {a: 'int'})",
          '{"line":2,"c":"a","e":"CAST","m":"column \\"a\\": \\"x\\" is not a integer","r":"{\\"a\\":\\"x\\"}","f":"r.json"}\n'
          '{"line":3,"c":null,"e":"INVALID JSON","m":"the record is not JSON: unexpected end of data","r":"{\\"a\\":","f":"r.json"}\n'
          '{"line":4,"c":null,"e":"DUPLICATE FIELD","m":"the record has \\"a\\" more than once","r":"{\\"a\\":1,\\"a\\":2}","f":"r.json"}\n'
          '{"line":5,"c":null,"e":"NOT AN OBJECT","m":"the record is not an object","r":"[1]","f":"r.json"}', folder)
    gives("from read_json('r.json', columns => {a: 'int'}, ignore_errors => true)", '{"a":1}\n{"a":2}', folder)
    _, _, err = ask("from read_csv('r.csv', store_rejects => true)", folder)
    check("store_rejects", "read_csv_rejects" in err, err)
    lines = [f"{i},{i if i % 7 else 'bad'}{',more' if i % 11 == 0 else ''}\r\n" for i in range(20000)]
    write(folder, "many.csv.gz", "".join(lines).encode())
    bad = [i for i in range(20000) if i % 7 == 0 or i % 11 == 0]
    for setup in ("set chunk_rows = 3", "set threads = 4", "set device = simulated", "set ranks = 3; set distribute = always"):
        gives(f"{setup}; select count(*) as n, sum(line) as l, sum(length(record)) as r, sum(left(record, strpos(record, ',') - 1)::int) as i"
              " from read_csv_rejects('many.csv.gz', header => false, delim => ',', columns => {'a': 'int', 'b': 'int'})",
              json.dumps({"n": len(bad), "l": sum(bad) + len(bad), "r": sum(len(lines[i]) - 2 for i in bad), "i": sum(bad)}), folder)


def nested_values(folder):
    """Lists, structs and maps over pieces and chunks, on all kinds of devices, into Parquet and back into JSON."""
    def row(i):
        inner = [{"x": j, "y": f"text of some length {j}" if j % 3 else None} for j in range(i % 5)]
        return {"id": i, "l": None if i % 11 == 0 else list(range(i % 7)), "s": {"a": i / 4, "n": inner}, "m": {f"{i % 40}": [i]}, "j": [i, "x", {}][i % 3]}

    rows = [row(i) for i in range(6000)]
    lines = "".join(json.dumps(r) + "\n" for r in rows)
    write(folder, "n.json", lines.encode())
    write(folder, "a.json.gz", json.dumps(rows, indent=1).encode())
    types = "columns => {id: 'int', l: 'int[]', s: 'struct(a double, n struct(x int, y varchar)[])', m: 'map(varchar, bigint[])', j: 'json'}"
    total = {"n": 6000, "l": sum(len(r["l"] or []) for r in rows), "x": sum(e["x"] for r in rows for e in r["s"]["n"]), "a": sum(r["s"]["a"] for r in rows),
             "m": sum(r["m"].get("1", [0])[0] for r in rows), "z": sum(r["l"] is None for r in rows)}
    for source in ("'n.json'", "'a.json.gz'", f"read_json('n.json', {types})"):
        for setup in ("set chunk_rows = 7", "set threads = 4", "set memory_limit = '32MB'", "set device = simulated", "set ranks = 3; set distribute = always"):
            gives(f"{setup}; select count(*) as n, sum(len(l)) as l, sum(list_sum(list_transform(s.n, lambda e: e.x))) as x, sum(s.a) as a,"
                  f" sum(coalesce(m['1'][1], 0)) as m, count(*) filter (where l is null) as z from {source}", json.dumps(total), folder)
        gives(f"select j, s from {source} where id in (10, 11)", "".join(json.dumps({"j": r["j"], "s": r["s"]}) + "\n" for r in rows[10:12]), folder)
    gives("copy (from 'n.json') to 'n.parquet'; copy (from 'n.parquet') to 'back.json'; from 'n.parquet' limit 5 offset 500",
          "".join(json.dumps(r) + "\n" for r in rows[500:505]), folder)
    with open(os.path.join(folder, "back.json"), encoding="utf-8") as file:
        check("nested values come back", json.load(file) == rows)
    gives(f"create table t as from 'n.json'; copy t from 'a.json.gz'; select count(*) as n, count(distinct s) as s, max(l) as l from t", '{"n":12000,"s":6000,"l":[0,1,2,3,4,5]}', folder)
    write(folder, "bad.json", (lines.replace('"id": 77,', '"id": "x",').replace('"x": 3, "y": null', '"x": "z", "y": null', 1)).encode())
    gives(f"select count(*) as n, sum(len(s.n)) as s from read_json('bad.json', {types}, ignore_errors => true)", json.dumps(
        {"n": 5998, "s": sum(len(r["s"]["n"]) for r in rows if r["id"] not in (4, 77))}), folder)
    gives(f"select line, column_name as c, error_message as m from read_json_rejects('bad.json', {types})",
          '{"line":5,"c":"s","m":"column \\"s.n[].x\\": \\"z\\" is not a integer"}\n{"line":78,"c":"id","m":"column \\"id\\": \\"x\\" is not a integer"}', folder)


def large_samples(folder):
    """Records that are longer than a sample; types that a row far behind the first megabyte decides."""
    write(folder, "long.json", ('{"a": "' + "x" * 3000000 + '", "b": [1]}\n{"a": "y", "b": [2]}\n').encode())
    gives("select length(a) as a, b from 'long.json'", '{"a":3000000,"b":[1]}\n{"a":1,"b":[2]}', folder)
    filler = "x" * 100
    write(folder, "far.csv", ("a,b\n" + f"1,{filler}\n" * 30000 + "1.5,y\n").encode())
    write(folder, "far.json", (f'{{"a": [1], "b": "{filler}"}}\n' * 30000 + '{"a": ["x"], "c": 1}\n').encode())
    for sample in ("-1", "1000000"):
        gives(f"select typeof(any_value(a)) as t, sum(a) as s from read_csv('far.csv', sample_size => {sample})", '{"t":"double","s":30001.5}', folder)
        gives(f"select typeof(any_value(a)) as t, count(c) as c from read_json('far.json', sample_size => {sample})", '{"t":"json[]","c":1}', folder)
    _, _, err = ask("select sum(a) from 'far.csv'", folder)
    check("a value far behind the sample", "line 30002" in err, err)


def rows_of_ignore_errors(folder):
    """The same rows, whichever columns a statement reads."""
    write(folder, "i.csv", b"a,b\n1,2\nx,3\n4,y\n5\n6,7,8\n9,9\n")
    write(folder, "i.json", b'{"a":1,"b":2}\n{"a":"x","b":3}\n{"a":4,"b":"y"}\nbad\n{"a":9,"b":9}\n')
    for call in ("read_csv('i.csv', header => true, ", "read_json('i.json', "):
        source = call + "columns => {'a': 'int', 'b': 'int'}, ignore_errors => true)"
        gives(f"select count(*) as n from {source}; select sum(a) as a from {source}; select sum(b) as b from {source}; select count(*) as n, sum(a) as a, sum(b) as b from {source}",
              '{"n":2}\n{"a":10}\n{"b":11}\n{"n":2,"a":10,"b":11}', folder)


def copy_from(folder):
    write(folder, "c.csv", b"n,t\n007,1.50\n8,x\n")
    write(folder, "c.json", b'[{"s": 1.50, "n": 9}]')
    gives("create table t (n int, s varchar); copy t from 'c.csv'; copy t from 'c.json'; copy t (s) from 'c.csv' (delimiter '|', header false, skip 2);"
          "select n, s from t", '{"n":7,"s":"1.50"}\n{"n":8,"s":"x"}\n{"n":9,"s":"1.50"}\n{"n":null,"s":"8,x"}', folder)


def copy_to(folder):
    for name in ("o.csv.gz", "o.jsonl.gz", "o.json.gz", "o.tsv.gz"):
        gives(f"copy (select i as a, 'x' || i as b from range(50000) as t(i)) to '{name}' (compression_level 1);"
              f"select count(*) as n, sum(a) as s, max(b) as b from '{name}'", '{"n":50000,"s":1249975000,"b":"x9999"}', folder)
        with gzip.open(os.path.join(folder, name)) as file:
            check(name + " is gzip", len(file.read()) > 500000)
    for options, said in (("(compression zstd)", "cannot be"), ("(compression none, compression_level 3)", "takes COMPRESSION_LEVEL"),
                          ("(compression_level 10)", "cannot be")):
        _, _, err = ask(f"copy (select 1) to 'x.csv' {options}", folder)
        check(options, said in err, err)


def many_pieces(folder):
    """Records of one line and of several, over the ends of pieces; of a file, of gzip, as JSON."""
    rows = [(i, "x" * (i % 97) + ('\n"q",' if i % 13 == 0 else ""), i / 4) for i in range(20000)]
    lines = "".join(f'{a},"' + b.replace('"', '""') + f'",{c}\n' for a, b, c in rows)
    text = ("a,b,c\n" + lines).encode()
    write(folder, "m.csv", text)
    write(folder, "m.csv.gz", text)
    write(folder, "m.jsonl", "".join(json.dumps({"a": a, "b": b, "c": c}) + "\n" for a, b, c in rows).encode())
    write(folder, "m.json", json.dumps([{"a": a, "b": b, "c": c} for a, b, c in rows], indent=1).encode())
    total = sum(len(b) for _, b, _ in rows)
    for name in ("m.csv", "m.csv.gz", "m.jsonl", "m.json"):
        for setup in ("set chunk_rows = 3", "set isa = scalar", "set threads = 4", "set memory_limit = '32MB'", "set device = simulated", "set ranks = 3; set distribute = always"):
            gives(f"{setup}; select count(*) as n, sum(a) as a, sum(length(b)) as b, sum(c) as c from '{name}'",
                  f'{{"n":20000,"a":199990000,"b":{total},"c":49997500}}', folder)
        gives(f"select a from '{name}' limit 2 offset 15000", '{"a":15000}\n{"a":15001}', folder)


for name in sorted(os.listdir(HERE)):
    if name.endswith(".txt"):
        with tempfile.TemporaryDirectory() as work:
            run(os.path.join(HERE, name), work, name.split("_")[0])
for test in (several_files, headers_of_further_files, many_names, wide_rejects, types_by_name, many_fields, late_fields, rejects, rows_of_ignore_errors, nested_values, large_samples, copy_from, copy_to, many_pieces):
    with tempfile.TemporaryDirectory() as work:
        test(work)
print(f"{passed} passed, {failed} failed, 0 skipped")
sys.exit(failed > 0)
