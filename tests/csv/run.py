#!/usr/bin/env python3
"""Oddities of csv files: each block of the files beside this one is a file, how it is read, and the rows that it has.

run.py PROGRAM [--make]

A block is a description after "# ", then lines "args: ...", "file: ..." (as Python writes bytes), "columns: ..." and a line of JSON
for each row, or "error: ..." with a part of the message. --make writes columns and rows anew, to be looked at.
"""
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


for name in sorted(os.listdir(HERE)):
    if name.endswith(".txt"):
        with tempfile.TemporaryDirectory() as work:
            run(os.path.join(HERE, name), work, name.split("_")[0])
print(f"{passed} passed, {failed} failed, 0 skipped")
sys.exit(failed > 0)
