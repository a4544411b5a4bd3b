#!/usr/bin/env python3
"""JSON of random nested values as DuckDB reads it, and as Parquet, which COPY has written of it, has it in pyarrow.

nested_random.py PROGRAM [FILES [SEED]]

A file has a random structure, and records that follow it more or less: missing fields, NULLs, empty lists and objects, values
of other kinds, odd names. Rows are compared, and the types by what they say of lists, structs and maps. Needs duckdb and
pyarrow from PyPI, else it is skipped.
"""
import json
import os
import random
import subprocess
import sys
import tempfile
import uuid

try:
    import duckdb
    import pyarrow.parquet
except ImportError:
    print("skipped: duckdb or pyarrow is not installed")
    sys.exit(77)

program = os.path.abspath(sys.argv[1])
files = int(sys.argv[2]) if len(sys.argv) > 2 else 200
seed = int(sys.argv[3]) if len(sys.argv) > 3 else 1
NAMES = ["a", "b", "key", "a b", "x.y", 'q"q', "é", "select", "1", "日本", "[0]", "long name of a field that is not short", "id", "v", "t"]


def structure(rng, depth):
    kind = rng.choice(["int", "float", "text", "bool", "date", "uuid", "null"] + ["list", "struct", "map", "list", "struct"] * (depth > 0))
    if kind == "list":
        return (kind, structure(rng, depth - 1))
    if kind == "struct":
        return (kind, {name: structure(rng, depth - 1) for name in rng.sample(NAMES, rng.randint(1, 5))})
    if kind == "map":
        return (kind, structure(rng, depth - 1))
    return (kind,)


def value(rng, shape):
    kind = shape[0]
    if kind == "null" or rng.random() < 0.12:
        return None
    if rng.random() < 0.002:
        return rng.choice([1, "x", True, [], {}, [[1]]])
    if kind == "list":
        return [value(rng, shape[1]) for _ in range(rng.choice([0, 1, 2, 3, 7]))]
    if kind == "struct":
        return {name: value(rng, inner) for name, inner in shape[1].items() if rng.random() < 0.9}
    if kind == "map":
        return {f"key {rng.randint(0, 300)}": value(rng, shape[1]) for _ in range(rng.randint(0, 4))}
    return {"int": lambda: rng.randint(-2**40, 2**40), "float": lambda: rng.randint(-999, 999) / 8,
            "text": lambda: rng.choice(["", "x", "a text of more than twelve bytes ", "é\n\"q\\", "日本"]) + str(rng.randint(0, 9)),
            "bool": lambda: rng.random() < 0.5, "date": lambda: f"20{rng.randint(10, 30)}-0{rng.randint(1, 9)}-1{rng.randint(0, 9)}",
            "uuid": lambda: str(uuid.UUID(int=rng.getrandbits(128)))}[kind]()


def plain(v, type_):
    """A value of DuckDB's, as JSON has it; type_: DuckDB's."""
    if v is None:
        return None
    if type_.id == "list":
        return [plain(e, type_.children[0][1]) for e in v]
    if type_.id == "struct":
        return {name: plain(v[name], inner) for name, inner in type_.children}
    if type_.id == "map":
        return {name: plain(e, type_.children[1][1]) for name, e in v.items()}
    if str(type_) == "JSON":
        return json.loads(v)
    return v if isinstance(v, (bool, int, float, str)) else str(v)


def shape_of(type_):
    """DuckDB's type in the program's words, without names; DuckDB takes integers of both signs for 128 bits."""
    if type_.id == "list":
        return shape_of(type_.children[0][1]) + "[]"
    if type_.id == "struct":
        return "struct(" + ", ".join(shape_of(inner) for _, inner in type_.children) + ")"
    if type_.id == "map":
        return "map(" + shape_of(type_.children[1][1]) + ")"
    return {"JSON": "json", '"NULL"': "json", "HUGEINT": "bigint", "BIGINT": "bigint", "DOUBLE": "double", "VARCHAR": "varchar", "BOOLEAN": "boolean",
            "DATE": "date", "UUID": "uuid"}.get(str(type_), str(type_))


def of_arrow(v):
    if isinstance(v, list) and v and all(isinstance(e, tuple) for e in v):
        return {key: of_arrow(e) for key, e in v}
    if isinstance(v, list):
        return [of_arrow(e) for e in v]
    if isinstance(v, dict):
        return {name: of_arrow(e) for name, e in v.items()}
    return v if isinstance(v, (bool, int, float, str, type(None))) else str(v)


def order(row):
    """A key for sorting in which 1 is 1.0."""
    return json.dumps(json.loads(json.dumps(row), parse_int=float))


def alike(ours, theirs):
    """Equal; an empty map of pyarrow is an empty list, and JSON in Parquet is text."""
    if isinstance(theirs, list) and not theirs and ours == {}:
        return True
    if isinstance(ours, list) and isinstance(theirs, list):
        return len(ours) == len(theirs) and all(map(alike, ours, theirs))
    if isinstance(ours, dict) and isinstance(theirs, dict):
        return list(ours) == list(theirs) and all(alike(ours[k], theirs[k]) for k in ours)
    if isinstance(theirs, str) and ours != theirs:
        try:
            return json.loads(theirs) == ours
        except ValueError:
            return False
    return ours == theirs and isinstance(ours, bool) == isinstance(theirs, bool)


def ask(*statements):
    done = subprocess.run([program, "--format", "jsonl", "-c", "; ".join(statements)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False)
    return done.returncode, done.stdout.decode(), done.stderr.decode()


def run(number, folder):
    rng = random.Random(seed * 100003 + number)
    path, parquet = os.path.join(folder, "r.json"), os.path.join(folder, "r.parquet")
    shapes = {name: structure(rng, 4) for name in rng.sample(NAMES, rng.randint(1, 6))}
    rows = [{name: value(rng, shape) for name, shape in shapes.items() if rng.random() < 0.97} for _ in range(rng.choice([1, 2, 5, 40, 200]))]
    with open(path, "w", encoding="utf-8") as out:
        if rng.random() < 0.3:
            json.dump(rows, out, indent=rng.choice([None, 1]), ensure_ascii=False)
        else:
            out.write("".join(json.dumps(row, ensure_ascii=rng.random() < 0.5) + "\n" for row in rows))
    relation = duckdb.connect().sql(f"from read_json('{path}', map_inference_threshold => 200)")
    theirs = [{name: plain(v, type_) for name, v, type_ in zip(relation.columns, row, relation.types)} for row in relation.fetchall()]
    if relation.columns == ["json"] and "json" not in shapes:  # records of few fields each are columns here
        return None
    setting = rng.choice(["set threads = 2", "set chunk_rows = 3", "set device = simulated"])
    code, out, err = ask(setting, f"from '{path}'")
    ours = list(map(json.loads, out.splitlines()))
    if "simulated" in setting:  # where rows have no order
        ours.sort(key=order)
    if code or ours != (sorted(theirs, key=order) if "simulated" in setting else theirs):
        at = next((i for i in range(min(len(ours), len(theirs))) if ours[i] != theirs[i]), None)
        return f"rows differ at {at}: {err} {ours[at] if at is not None else len(ours)}, DuckDB {theirs[at] if at is not None else len(theirs)}"
    code, out, err = ask("set threads = 2", f"copy (from '{path}') to '{parquet}'")
    if code:
        return err
    back = [of_arrow(row) for row in pyarrow.parquet.read_table(parquet).to_pylist(maps_as_pydicts=None)]
    if len(back) != len(theirs) or not all(map(alike, theirs, back)):
        return f"Parquet differs: {[(o, b) for o, b in zip(theirs, back) if not alike(o, b)][:1]}"
    code, out, err = ask(f"describe select * from '{path}'")
    types = [json.loads(line)["type"].replace("decimal(38,0)", "bigint") for line in out.splitlines()]
    return None if nesting(types) == [shape_of(type_) for type_ in relation.types] else f"types: {types}, DuckDB {relation.types}"


def nesting(types):
    """The program's types without the names of structs' fields and the keys of maps."""
    def read(text, at):
        if text.startswith("struct(", at):
            at, inner = at + 7, []
            while True:
                if text[at] == '"':
                    end = at + 1
                    while text[end] != '"' or text[end + 1] == '"':
                        end += 1 + (text[end] == '"')
                    at = end + 2
                else:
                    at = text.index(" ", at) + 1
                at += text[at] == " "
                one, at = read(text, at)
                inner.append(one)
                if text[at] == ")":
                    break
                at += 2
            made, at = "struct(" + ", ".join(inner) + ")", at + 1
        elif text.startswith("map(varchar, ", at):
            one, at = read(text, at + 13)
            made, at = f"map({one})", at + 1
        else:
            end = at
            while end < len(text) and text[end] not in "[),":
                end += 1
            made, at = text[at:end], end
        while text.startswith("[]", at):
            made, at = made + "[]", at + 2
        return made, at
    return [read(text, 0)[0] for text in types]


passed = failed = 0
with tempfile.TemporaryDirectory() as work:
    for file in range(files):
        wrong = run(file, work)
        passed, failed = passed + (not wrong), failed + bool(wrong)
        if wrong:
            print(f"failed: file {file}: {wrong}"[:1500])
print(f"{passed} passed, {failed} failed, 0 skipped")
sys.exit(failed > 0)
