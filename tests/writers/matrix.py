#!/usr/bin/env python3
"""Files of other writers, by types, codecs, versions, page sizes and NULLs: what Pistachio, pyarrow and DuckDB read of them.

Usage: matrix.py PROGRAM [--seed N] [--files N] [--keep FOLDER]

Each value that neither pyarrow nor DuckDB reads as Pistachio does is a failure; so is one that COPY or the rewriter wrote and
that does not come back; so is a count by a condition, a minimum or
a maximum that is not what the values say. The last line counts files and values.
"""
import argparse
import collections
import os
import random
import subprocess
import sys
import tempfile

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq

from columns import TYPES, as_bytes, make_table, plain, same
import writers
from writers import OURS, SHARES, WRITERS

BATCH = 20  # files to a process


def choose_names(rng):
    return rng.sample(list(TYPES), rng.randrange(1, 9))


def write_files(folder, count, rng):
    """(path, writer, what it chose, None or the values that must come back) of each that was written."""
    files, unwritten, missing = [], collections.Counter(), set()
    turns = [name for name, share in SHARES.items() for _ in range(share)]
    for number in range(count):
        name = turns[number % len(turns)]
        if name in missing:
            continue
        table = make_table(choose_names(rng), rng.choice([0, 1, 2, 100, 1000, 3000]), rng)
        path = os.path.join(folder, f"{number}_{name}.parquet")
        try:
            chosen = WRITERS[name](table, path, rng)
        except ImportError as error:
            print(f"skipped: {name}: {error}")
            missing.add(name)
        except BaseException as error:  # Rust's panics are not Exceptions
            if isinstance(error, KeyboardInterrupt):
                raise
            if name in OURS:
                raise
            unwritten[f"{name}: {str(error).splitlines()[0][:90]}"] += 1
        else:
            if os.path.exists(path):
                values = {column: plain(table[column]) for column in table.column_names} if name in OURS else None
                files.append((path, name, chosen, values))
    return files, unwritten


# ---- readers ----

def read_duckdb(path):
    try:
        connection = duckdb.connect()
        connection.execute("SET TimeZone = 'UTC'")
        table = connection.sql(f"SELECT * FROM '{path}'").to_arrow_table()
        return {name: plain(table[name]) for name in table.column_names}
    except Exception:
        return {}


def read_pyarrow(path):
    try:
        table = pq.ParquetFile(path).read()
        return {name: plain(table[name]) for name in table.column_names}
    except Exception:
        return {}


def literal(value, kind):
    if isinstance(value, bool) or not isinstance(value, (int, str)) or pa.types.is_temporal(kind) or pa.types.is_floating(kind):
        return None
    return str(value) if isinstance(value, int) else None if "\0" in value else "'" + value.replace("'", "''") + "'"


def questions(path, columns, rng):
    """(SQL, what the values say) about columns whose values SQL can spell."""
    asked = []
    schema = pq.read_schema(path)
    for name, values in columns.items():
        there = [value for value in values if value is not None]
        known = [value for value in there if literal(value, schema.field(name).type)]
        asked.append((f'SELECT count("{name}") FROM \'{path}\'', len(there)))
        if not there or len(known) < len(there):
            continue
        value = rng.choice(known)
        text, order = literal(value, schema.field(name).type), as_bytes
        asked.append((f'SELECT count(*) FROM \'{path}\' WHERE "{name}" = {text}', sum(v == value for v in there)))
        asked.append((f'SELECT count(*) FROM \'{path}\' WHERE "{name}" > {text}', sum(order(v) > order(value) for v in there)))
        asked.append((f'SELECT count(*) FROM \'{path}\' WHERE "{name}" = (SELECT max("{name}") FROM \'{path}\')',
                      sum(v == max(there, key=order) for v in there)))
    return rng.sample(asked, min(len(asked), 6))


def run(program, statements):
    script = "".join(statement + ";\n" for statement in statements)
    return subprocess.run([program, "--format", "csv"], input=script, capture_output=True, text=True, errors="replace")


def copies(program, paths, folder):
    """What Pistachio reads of each, as Parquet of its own; of a file that it refuses the error."""
    targets = [os.path.join(folder, f"copy_{number}.parquet") for number in range(len(paths))]
    statements = [f"COPY (SELECT * FROM '{path}') TO '{target}'" for path, target in zip(paths, targets)]
    run(program, statements)
    found = []
    for statement, target in zip(statements, targets):
        said = "" if os.path.exists(target) else run(program, [statement]).stderr  # one before it has failed
        found.append(read_pyarrow(target) if os.path.exists(target) else said)
        if os.path.exists(target):
            os.unlink(target)
    return found


class Count:
    def __init__(self):
        self.files, self.values, self.questions, self.ours, self.others = collections.Counter(), 0, 0, [], collections.Counter()


def compare_columns(path, writer, chosen, wanted, ours, count):
    arrow, duck = read_pyarrow(path), read_duckdb(path)
    if not arrow and not duck:
        count.others[f"{writer}: neither pyarrow nor DuckDB reads the file"] += 1
        return {}
    if isinstance(ours, str) and not (arrow and duck):  # as fastparquet's NULLs and NaT in columns that it calls required
        count.others[f"{writer}: neither {'DuckDB' if arrow else 'pyarrow'} nor we read the file"] += 1
        return {}
    if isinstance(ours, str):
        count.ours.append((path, chosen, ours.strip().splitlines()[0] if ours.strip() else "no file"))
        return {}
    count.files[writer] += 1
    for name in arrow or duck:
        values = ours.get(name)
        if values is None:
            count.ours.append((path, chosen, f"column {name} is missing"))
            continue
        agree = [reader for reader, read in (("pyarrow", arrow), ("DuckDB", duck)) if name in read and same(values, read[name])]
        count.values += len(values)
        if not agree or (wanted and not same(values, wanted[name])):
            count.ours.append((path, chosen, f"column {name}"))
        elif len(agree) == 1 and name in arrow and name in duck:
            count.others[f"{writer}: {name.split('_')[0]}: only {agree[0]} reads it as we do"] += 1
    return arrow or duck


def ask(program, path, chosen, columns, rng, count):
    asked = questions(path, columns, rng)
    if not asked:
        return
    answers = run(program, [sql for sql, _ in asked])
    lines = [line for line in answers.stdout.split("\n") if line.isdigit()]
    count.questions += len(asked)
    if lines != [str(expected) for _, expected in asked]:
        for sql, expected in asked:
            alone = run(program, [sql])
            if alone.stdout.split("\n")[1:2] != [str(expected)]:
                count.ours.append((path, chosen, f"{sql}: {alone.stdout.split()[1:2] or alone.stderr}, not {expected}"))


def main():
    arguments = argparse.ArgumentParser()
    arguments.add_argument("program")
    arguments.add_argument("--seed", type=int, default=1)
    arguments.add_argument("--files", type=int, default=700)
    arguments.add_argument("--keep")
    given = arguments.parse_args()
    rng, count = random.Random(given.seed), Count()
    writers.PROGRAM = given.program
    with tempfile.TemporaryDirectory() as scratch:
        folder = given.keep or scratch
        os.makedirs(folder, exist_ok=True)
        files, unwritten = write_files(folder, given.files, rng)
        for first in range(0, len(files), BATCH):
            batch = files[first:first + BATCH]
            for (path, writer, chosen, wanted), ours in zip(batch, copies(given.program, [file[0] for file in batch], scratch)):
                columns = compare_columns(path, writer, chosen, wanted, ours, count)
                ask(given.program, path, chosen, columns, rng, count)
    for text, times in sorted(unwritten.items()):
        print(f"not written, {times} times: {text}")
    for text, times in sorted(count.others.items()):
        print(f"{times} times: {text}")
    for path, chosen, text in count.ours:
        print(f"FAILED: {os.path.basename(path)}: {text}\n  {chosen}")
    by_writer = ", ".join(f"{times} of {writer}" for writer, times in sorted(count.files.items()))
    print(f"{sum(count.files.values())} files ({by_writer}), {count.values} values and {count.questions} questions, "
          f"{len(count.ours)} failed")
    return 1 if count.ours or not count.files else 0


if __name__ == "__main__":
    sys.exit(main())
