#!/usr/bin/env python3
"""A csv file and a JSON file, cut at a thousand places: rows that come before the cut, or an error, and nothing else.

cut.py PROGRAM [CUTS]
"""
import json
import os
import random
import subprocess
import sys
import tempfile

program = os.path.abspath(sys.argv[1])
cuts = int(sys.argv[2]) if len(sys.argv) > 2 else 1000
random.seed(37)
rows = [(str(i), "x" * (i % 29) + (f'line\n"{i}",' if i % 5 == 0 else ""), f"{i / 4}") for i in range(400)]
csv = "a,b,c\n" + "".join(f'{a},"' + b.replace('"', '""') + f'",{c}\n' for a, b, c in rows)
jsonl = "".join(json.dumps(dict(zip("abc", row))) + "\n" for row in rows)
calls = {"csv": (csv, "read_csv('f.csv', header => true, delim => ',', quote => '\"', all_varchar => true, null_padding => true)"),
         "json": (jsonl, "read_json('f.json')")}
passed, failed = 0, 0


def ask(folder, call):
    done = subprocess.run([program, "--format", "jsonl", "-c", f"set chunk_rows = 3; select a, b, c from {call}"], cwd=folder,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False)
    return done.returncode, [tuple(json.loads(line).values()) for line in done.stdout.decode().splitlines()], done.stderr.decode()


def is_right(kind, code, found, err):
    """All but the last row, which may be cut, are the file's; a failure is one of the file's."""
    if code not in (0, 1) or "internal error" in err:
        return False
    whole = [tuple(value or "" for value in row) if kind == "csv" else row for row in found[:-1]]  # "" is NULL in csv
    return whole == rows[:len(whole)] and len(found) <= len(rows)


with tempfile.TemporaryDirectory() as work:
    for number in range(cuts):
        kind = "json" if number % 4 == 3 else "csv"
        text, call = calls[kind]
        at = random.randrange(len(text) + 1)
        with open(os.path.join(work, "f." + kind), "w", encoding="utf-8") as out:
            out.write(text[:at])
        code, found, err = ask(work, call)
        names = "column" in err or "NULL" in err  # a cut header has no such column
        right = is_right(kind, code, found, err) or (code == 1 and names)
        passed, failed = passed + right, failed + (not right)
        if not right:
            print(f"failed: {kind} cut at {at}: {found[-3:]} {err}")
print(f"{passed} passed, {failed} failed, 0 skipped")
sys.exit(failed > 0)
