"""A failing case: statement, tables, settings. It can be run again, cut down, and written as a folder."""
import copy
import os
import shutil
import tempfile
import time
from dataclasses import dataclass, field

from . import copies, files, reduce
from .oracle import Oracle, OracleError
from .program import Program
from .query import Copy
from .query_sql import OURS, oracle_sql, query_sql
from .reduce import Budget, columns_used, names_used
from .verdict import general, judge

PLAIN = {"row_group_size": 100000, "has_empty_group": False, "column_encoding": {}, "use_dictionary": True}


@dataclass
class Case:
    query: object
    tables: list
    settings: dict
    kind: str
    why: str
    seed: str = ""
    rows: list = field(default_factory=list)  # what the program gave
    expected: list = field(default_factory=list)
    stack: list = field(default_factory=list)  # of a crash

    @property
    def sql(self):
        return query_sql(self.query, OURS)

    def same(self, verdict):
        """Is this the same failure?"""
        if verdict.kind != self.kind:
            return False
        return self.kind in ("wrong", "crash", "hang") or general(verdict.why) == general(self.why)


def outcome_of(program, oracle, query, settings):
    outcome = copies.read_back(oracle, program.folder, query, program.one(query_sql(query, OURS), settings))
    return outcome, *expected_of(oracle, query)


def expected_of(oracle, query):
    try:
        return oracle.rows(query), ""
    except OracleError as error:
        return None, str(error)


class Reducer:
    def __init__(self, program_path, seconds, end=float("inf")):
        self.path, self.seconds, self.oracle, self.end = program_path, seconds, Oracle(), end

    def reduce(self, case, folder, oracle, views):
        """A smaller case; the given one where it does not fail again."""
        case = copy.copy(case)
        budget = Budget(min(self.seconds, max(0, self.end - time.monotonic())))
        program = Program(self.path, folder, case.tables, seconds=5)
        case.query = reduce.inline_views(case.query, views)
        if not self.fails_again(case, program, oracle, case.query, case.settings):
            return None
        self.cut_settings(case, program, oracle)
        case.query = reduce.cut_statement(case.query, lambda queries: self.first(case, program, oracle, queries), budget)
        self.cut_settings(case, program, oracle)
        self.fails_again(case, program, oracle, case.query, case.settings)
        if case.kind == "crash":
            case.stack = program.stack(case.sql, case.settings)
        self.cut_tables(case, Budget(min(self.seconds / 2, max(0, self.end - time.monotonic()))))
        return case

    def fails_again(self, case, program, oracle, query, settings):
        outcome, expected, error = outcome_of(program, oracle, query, settings)
        verdict = judge(query, outcome, expected, error)
        if not case.same(verdict):
            return False
        case.why, case.rows, case.expected = verdict.why, outcome.rows, expected
        return True

    def first(self, case, program, oracle, queries):
        """The first query that fails like the case."""
        if isinstance(case.query, Copy):  # all write the same file
            return next((q for q in queries if case.same(judge(q, *outcome_of(program, oracle, q, case.settings)))), None)
        outcomes = program.run([(i, query_sql(q, OURS)) for i, q in enumerate(queries)], case.settings)
        for i, query in enumerate(queries):
            if case.kind == "wrong" and outcomes[i].kind != "rows" or case.kind != "wrong" and outcomes[i].kind == "rows":
                continue
            expected, error = expected_of(oracle, query) if case.kind in ("wrong", "lone error") else ([], "")
            if case.same(judge(query, outcomes[i], expected, error)):
                return query
        return None

    def cut_settings(self, case, program, oracle):
        for name in list(case.settings):
            fewer = {k: v for k, v in case.settings.items() if k != name}
            if self.fails_again(case, program, oracle, case.query, fewer):
                case.settings = fewer

    # ---- tables ----

    def cut_tables(self, case, budget):
        used, columns = names_used(case.query), columns_used(case.query)
        tables = []
        for table in case.tables:
            if table.name in used:
                table = copy.copy(table)
                table.files = [copy.copy(f) for f in table.files]
                for f in table.files:
                    f.rows = list(f.rows)
                kept = [c for c in table.columns if c.name in columns]
                table.columns = kept or table.columns[:1]
                tables.append(table)
        if not self.try_tables(case, tables):
            return
        for change in (self.drop_files, self.plain_files, self.drop_rows):
            change(case, budget)

    def try_tables(self, case, tables):
        """Does the case fail with these tables? If so, it has them from now on."""
        folder = tempfile.mkdtemp(prefix="differ-")
        oracle = self.oracle
        try:
            if files.write_tables(self.path, folder, tables):
                return False
            oracle.load(folder, tables)
            program = Program(self.path, folder, tables, seconds=5)
            if self.fails_again(case, program, oracle, case.query, case.settings):
                case.tables = tables
                return True
            return False
        except Exception:  # pylint: disable=broad-except  # a table that cannot be written does not show the failure
            return False
        finally:
            oracle.close()
            shutil.rmtree(folder, ignore_errors=True)

    def changed(self, case, number, change):
        tables = list(case.tables)
        tables[number] = copy.copy(tables[number])
        tables[number].files = [copy.copy(f) for f in tables[number].files]
        change(tables[number])
        return tables

    def drop_files(self, case, budget):
        for number in range(len(case.tables)):
            i = 0
            while i < len(case.tables[number].files) and len(case.tables[number].files) > 1 and not budget.is_spent:
                if not self.try_tables(case, self.changed(case, number, lambda t, i=i: t.files.pop(i))):
                    i += 1

    def plain_files(self, case, budget):
        def plain(table, i, options):
            table.files[i].writer, table.files[i].options = "pyarrow", options
        for number in range(len(case.tables)):
            for i, spec in enumerate(case.tables[number].files):
                for options in (PLAIN, dict(PLAIN, use_dictionary=False)):
                    if (spec.writer, spec.options) != ("pyarrow", options) and not budget.is_spent:
                        if self.try_tables(case, self.changed(case, number, lambda t, i=i, o=options: plain(t, i, o))):
                            break

    def drop_rows(self, case, budget):
        for number in range(len(case.tables)):
            for i in range(len(case.tables[number].files)):
                self.drop_rows_of(case, number, i, budget)

    def drop_rows_of(self, case, number, i, budget):
        """Delta debugging: halves, quarters, ... of a file's rows are left out."""
        size = max(1, len(case.tables[number].files[i].rows) // 2)
        while not budget.is_spent:
            at, is_cut = 0, False
            while at < len(case.tables[number].files[i].rows) and not budget.is_spent:
                rows = case.tables[number].files[i].rows
                fewer = rows[:at] + rows[at + size:]

                def cut(table, fewer=fewer):
                    table.files[i].rows = fewer
                if self.try_tables(case, self.changed(case, number, cut)):
                    is_cut = True
                else:
                    at += size
            if size == 1 and not is_cut:
                return
            size = max(1, size // 2)


# ---- reproductions ----

def shown(rows, most=12):
    lines = ["\t".join("NULL" if v is None else str(v) for v in row) for row in rows[:most]]
    return "\n".join(lines + ([f"... {len(rows)} rows"] if len(rows) > most else []))


def write_reproduction(case, path, program_path):
    """A folder with the files, the statement, and a script that runs it again."""
    os.makedirs(path, exist_ok=True)
    files.write_tables(program_path, path, case.tables)
    words = [f"--table {t.name}='{t.path}'" for t in case.tables if t.has_name]
    environment = [f"{k}={v}" for k, v in case.settings.items() if k.isupper()]
    words += [f"--set {k}={v}" for k, v in case.settings.items() if not k.isupper()]
    with open(os.path.join(path, "statement.sql"), "w", encoding="utf-8") as file:
        file.write(case.sql + ";\n")
    with open(os.path.join(path, "oracle.sql"), "w", encoding="utf-8") as file:
        file.write(oracle_sql(case.query) + ";\n")
    with open(os.path.join(path, "case.txt"), "w", encoding="utf-8") as file:
        file.write(describe(case))
    script = os.path.join(path, "again")
    with open(script, "w", encoding="utf-8") as file:
        file.write("#!/bin/sh\n# Runs the statement again: again PROGRAM. What is expected is in case.txt.\n"
                   f'program=${{1:-{program_path}}}\ncd "$(dirname "$0")" || exit 2\n'
                   f'{" ".join(environment + ["exec"] if not environment else ["exec", "env", *environment])} "$program" --format tsv '
                   f'{" ".join(words)} -f statement.sql\n')
    os.chmod(script, 0o755)


def describe(case):
    stack = [f"stack     {' < '.join(case.stack)}"] if case.stack else []
    lines = [f"seed      {case.seed}", f"failure   {case.kind}: {case.why}", f"settings  {case.settings}", f"statement {case.sql}"] + stack
    for table in case.tables:
        lines.append(f"table     {table.name}")
        for spec in table.files:
            lines.append(f"  {spec.name} by {spec.writer} {spec.options}")
            names = ", ".join(f"{c.name} {c.type.sql()}" for c in table.columns)
            lines.append(f"    {names}")
            for row in list(spec.rows)[:12]:
                lines.append("    " + ", ".join(repr(c.values[row]) if not isinstance(c.values[row], str) else repr(c.values[row])[:60]
                                               for c in table.columns))
            if len(spec.rows) > 12:
                lines.append(f"    ... {len(spec.rows)} rows")
    if case.rows is not None:
        lines += ["got:", shown(case.rows)]
    if case.expected is not None:
        lines += ["expected:", shown(case.expected)]
    return "\n".join(lines) + "\n"
