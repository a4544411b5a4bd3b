#!/usr/bin/env python3
"""Rows of many columns: every operator, at widths where a number of columns could be cut, against rows computed here.

wide.py PROGRAM [COLUMNS...]

0 columns: statements of many arguments.
"""
import os
import subprocess
import sys
import tempfile

ROWS = 7
KEYS = [3, 1, 2, 1, 3, 2, None]
MARK = "next statement"
# What says something new of wide rows in every way of running.
IN_EVERY_WAY = {"make", "order", "order by a column", "row_number", "distinct on", "group", "distinct aggregates",
                "join payload", "union"}
WAYS = {
    "one thread": ["--set", "threads=1"],
    "two threads": ["--set", "threads=2"],
    "simulated": ["--set", "device=simulated"],
    "two ranks": ["--ranks", "2", "--set", "distribute=always"],
}


def cell(row, column):
    """The value of column c<column>: whole numbers and short texts, some NULL."""
    if column % 5 == 4:
        return None if (row + column) % 4 == 0 else f"t{(row * 7 + column) % 3}"
    return None if row * column % 11 == 5 else (row * 37 + column) % 101


def cell_sql(column):
    if column % 5 == 4:
        return (f"case when (u + {column}) % 4 > 0 then 't' || cast((u * 7 + {column}) % 3 as varchar) end as c{column}")
    return f"case when u * {column} % 11 <> 5 then (u * 37 + {column}) % 101 end as c{column}"


def row_of(row, columns):
    return [KEYS[row], row] + [cell(row, c) for c in range(columns)]


def last(value):
    """A key of ascending order, NULLs last."""
    return (value is None, value)


class Width:
    """A table of k, u and so many columns more."""

    def __init__(self, program, folder, columns):
        self.program, self.folder, self.columns = program, folder, columns
        self.path = f"{folder}/w{columns}.parquet"
        self.rows = [row_of(row, columns) for row in range(ROWS)]
        self.names = [f"c{c}" for c in range(columns)]

    def make(self):
        keys = "case u " + " ".join(f"when {u} then {k}" for u, k in enumerate(KEYS) if k is not None) + " end as k"
        cells = ", ".join([keys, "u"] + [cell_sql(c) for c in range(self.columns)])
        return f"copy (select {cells} from range(0, {ROWS}) g(u)) to '{self.path}'"

    def run(self, statements, options):
        """Runs statements from a file; what each printed, or what went wrong in the first that failed."""
        with open(f"{self.folder}/statement.sql", "w", encoding="utf-8") as f:
            f.write("".join(f"select '{MARK}' as mark; {sql};\n" for sql in statements))
        done = subprocess.run([self.program, *options, "--format", "csv", "-f", f.name],
                              capture_output=True, text=True, timeout=550, check=False)
        printed = done.stdout.split(f"mark\n{MARK}\n")[1:]
        if done.returncode:
            printed = printed[:-1] + [f"status {done.returncode}: {done.stderr[-1500:]}"]
        return printed

    def arguments(self):
        """Statements of many arguments, which take memory by their number: name, SQL, rows."""
        few = range(2000)
        yield "limit", "set memory_limit = '512MiB'", []
        yield "concat", (f"select sum(length(concat({', '.join(f'i + {k}' for k in few)}))) as n from range(0, 300) g(i)"), [
            [sum(len(str(i + k)) for i in range(300) for k in few)]]
        yield "||", (f"select max(length({' || '.join(f'cast(i + {k} as varchar)' for k in range(900))})) as n from range(0, 300) g(i)"), [
            [max(sum(len(str(i + k)) for k in range(900)) for i in range(300))]]
        yield "in", f"select count(*) as n from range(0, 3000) g(i) where 2500 in ({', '.join(f'i + {k}' for k in few)})", [
            [sum(1 for i in range(3000) if 0 <= 2500 - i < 2000)]]
        yield "partitions", (f"select {', '.join(f'sum(c{k}) as c{k}' for k in range(2, 102))} from (select "
                             f"{', '.join(f'row_number() over (partition by i % {k} order by i) as c{k}' for k in range(2, 102))} "
                             "from range(0, 300) g(i)) q"), [
            [sum(i // k + 1 for i in range(300)) for k in range(2, 102)]]
        keys = ", ".join(f"i * 0 + {k}.5" for k in range(1800))
        yield "keys of the first rows", f"select sum(i) as n from (select i from range(0, 3000) g(i) order by {keys}, i limit 5) q", [[10]]
        yield "or", (f"select count(*) as n from range(0, 3000) g(i) where "
                     f"{' or '.join(f'i % {k} = {k - 1}' for k in range(1000, 3000))}"), [
            [sum(1 for i in range(3000) if any(i % k == k - 1 for k in range(1000, 3000)))]]

    def statements(self):
        """name, SQL, rows."""
        table, rows, names = f"'{self.path}'", self.rows, self.names
        listed = ", ".join(names)
        by_key = sorted(rows, key=lambda r: (last(r[0]), r[1]))
        by_column = sorted(rows, key=lambda r: (last(r[2 + min(2, self.columns - 1)]), r[1]))
        column = names[min(2, self.columns - 1)]
        twice = f"(select * from {table} union all select * from {table})"
        yield "scan", f"select * from {table}", rows
        yield "order", f"select * from {table} order by k, u", by_key
        yield "order by a column", f"select * from {table} order by {column}, u", by_column
        yield "order by an expression", f"select * from {table} order by 0 - u", rows[::-1]
        yield "order by all", f"select u from {table} order by {listed}, u", [
            [r[1]] for r in sorted(rows, key=lambda r: ([last(v) for v in r[2:]], r[1]))]
        yield "top", f"select * from {table} order by k, u limit 3", by_key[:3]
        yield "row_number", f"select *, row_number() over (order by k, u) as n from {table} order by u", [
            r + [1 + by_key.index(r)] for r in rows]
        yield "distinct", f"select distinct * from {twice} v order by u", rows
        yield "distinct on", f"select distinct on (k) * from {table} order by k, u", [
            next(r for r in by_key if r[0] == k) for k in (1, 2, 3, None)]
        yield "group", f"select {listed}, u, count(*) as n from {twice} v group by {listed}, u order by u", [
            r[2:] + [r[1], 2] for r in rows]
        yield "aggregates", f"select k, {', '.join(f'max({n}) as {n}' for n in names)} from {table} group by k order by k", [
            [k] + [max((r[2 + c] for r in rows if r[0] == k and r[2 + c] is not None), default=None)
                   for c in range(self.columns)] for k in (1, 2, 3, None)]
        yield "distinct aggregates", (f"select k, {', '.join(f'count(distinct {n}) as {n}' for n in names)}, sum(distinct u) as s "
                                      f"from {twice} v group by k order by k"), [
            [k] + [len({r[2 + c] for r in rows if r[0] == k} - {None}) for c in range(self.columns)]
            + [sum(r[1] for r in rows if r[0] == k)] for k in (1, 2, 3, None)]
        yield "windows", (f"select u, {', '.join(f'min({n}) over (partition by k) as {n}' for n in names[:300])} "
                          f"from {table} order by u"), [
            [r[1]] + [min((s[2 + c] for s in rows if s[0] == r[0] and s[2 + c] is not None), default=None)
                      for c in range(min(self.columns, 300))] for r in rows]
        yield "join keys", (f"select a.u from {table} a join {table} b on "
                            f"{' and '.join(f'a.{n} is not distinct from b.{n}' for n in ['u', *names])} order by a.u"), [
            [r[1]] for r in rows]
        yield "join payload", f"select a.*, b.* from {table} a join {table} b on a.u = b.u + 1 order by a.u", [
            rows[i] + rows[i - 1] for i in range(1, ROWS)]
        yield "outer join", f"select a.u, b.* from {table} a left join {table} b on a.u = b.u + 4 order by a.u", [
            [i] + (rows[i - 4] if i >= 4 else [None] * (self.columns + 2)) for i in range(ROWS)]
        yield "union", f"select * from {table} union select * from {table} order by u", rows
        yield "except", f"select * from {table} except select * from {table} where u > 2 order by u", rows[:3]
        yield "intersect", f"select * from {table} intersect select * from {table} where u > 2 order by u", rows[3:]
        yield "expressions", f"select u, {', '.join(f'{n} is null as {n}' for n in names)} from {table} order by u", [
            [r[1]] + [v is None for v in r[2:]] for r in rows]
        yield "texts", f"select u, {', '.join(f'upper({n}) as {n}' for c, n in enumerate(names) if c % 5 == 4) or 'k'} from {table} order by u", [
            [r[1]] + ([v and v.upper() for c, v in enumerate(r[2:]) if c % 5 == 4] or [r[0]]) for r in rows]
        yield "coalesce", f"select u, coalesce({', '.join(n for c, n in enumerate(names) if c % 5 < 4)}) from {table} order by u", [
            [r[1], next((v for c, v in enumerate(r[2:]) if c % 5 < 4 and v is not None), None)] for r in rows]

        copy = f"{self.folder}/copy.parquet"
        yield "copy", f"copy (select * from {table} order by k, u) to '{copy}'; select * from '{copy}'", by_key
        yield ("create table", f"drop table if exists sorted; create table sorted as select * from {table} order by k, u; "
               "select * from sorted", by_key)


def in_turn(ways):
    """Those that this run takes: one, by the gate's number of the commit; without the number all."""
    choice = os.environ.get("PISTACHIO_TEST_CHOICE")
    return [ways[int(choice) % len(ways)]] if choice else ways


def text_of(rows):
    def one(value):
        return "" if value is None else str(value).lower() if isinstance(value, bool) else str(value)
    return [",".join(one(v) for v in row) for row in rows]


def lines_of(printed):
    return printed.split("\n")[1:-1]


def is_right(name, printed, rows):
    if printed.startswith("status"):
        return False
    lines, expected = lines_of(printed), text_of(rows)
    return lines == expected if name != "scan" else sorted(lines) == sorted(expected)


def show_difference(printed, rows):
    expected = text_of(rows)
    if not printed.startswith("status") and len(lines_of(printed)) == len(expected):
        differ = [(got, want) for got, want in zip(lines_of(printed), expected) if got != want]
        print(f"    {differ[0][0][:300]}\n    {differ[0][1][:300]}")
    else:
        print(f"    for {len(expected)} rows: {printed[:1500]}")


def run(width, way, is_whole, results):
    tried = list(width.arguments()) if not width.columns else [("make", width.make(), [])] + list(width.statements())
    tried = [one for one in tried if is_whole or one[0] in IN_EVERY_WAY]
    printed = width.run([sql for _, sql, _ in tried], WAYS[way])
    for (name, _, rows), text in zip(tried, printed + ["status: nothing was printed"] * len(tried)):
        is_good = is_right(name, text, rows)
        results[is_good] += 1
        if not is_good:
            print(f"failed: {width.columns} columns, {way}: {name}")
            show_difference(text, rows)


def refuse(program, results):
    """One column more than rows may have."""
    sql = f"select {', '.join(['i'] * 65536)} from range(0, 3) g(i)"
    for way in in_turn(list(WAYS)):
        done = subprocess.run([program, *WAYS[way]], input=sql, capture_output=True, text=True, timeout=300, check=False)
        is_refused = done.returncode == 1 and "rows of 65536 columns: 65535 is the most" in done.stderr
        results[is_refused] += 1
        if not is_refused:
            print(f"failed: 65536 columns, {way}: status {done.returncode}: {done.stderr[:600]}")


def main():
    program = os.path.abspath(sys.argv[1])
    os.environ["PISTACHIO_PROGRESS"] = "off"
    wanted = [(int(n), way) for n in sys.argv[2:] for way in WAYS]
    is_whole = bool(wanted)
    if not wanted:
        wanted = [(n, "two threads") for n in (0, 1, 255, 1985)] + in_turn([(1985, "simulated"), (1985, "two ranks")])
    results = {True: 0, False: 0}
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        for columns, way in wanted:
            run(Width(program, folder, columns), way, is_whole or way == "two threads", results)
        refuse(program, results)
    print(f"{results[True]} passed, {results[False]} failed")
    sys.exit(1 if results[False] else 0)


if __name__ == "__main__":
    main()
