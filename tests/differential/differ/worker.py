"""One batch: tables, statements, both engines, verdicts, and failures cut down."""
import gc
import os
import random
import shutil
import tempfile
import time
from collections import Counter
from contextlib import contextmanager
from dataclasses import dataclass, field

from . import areas, copies, coverage, files, gen_folders, gen_large, settings, tables
from .areas.run import Runner
from .case import Case, Reducer
from .compare import differs
from .gen_query import QueryGenerator
from .groups import Groups
from .lists import plan_nodes
from .oracle import Oracle, OracleBroken, OracleError
from .program import Outcome, Program
from .query import Copy, Script, Select, Tail
from .query_sql import OURS, query_sql
from .verdict import Verdict, general, judge

GROUP = 60  # statements of which some run again with the same random settings:
SAMPLE, SIMULATED = 24, 4  # so many; on the simulated device fewer, as each takes thirty times as long there
SKEWED = 12  # of skewed keys, large pages and COPY to folders, which run again over ranks, with the same settings


@dataclass
class Result:
    """What a batch found."""

    seed: int
    statements: int = 0
    kinds: Counter = field(default_factory=Counter)
    messages: Counter = field(default_factory=Counter)
    examples: dict = field(default_factory=dict)
    covered: Counter = field(default_factory=Counter)
    cases: list = field(default_factory=list)  # cut down
    counted: Counter = field(default_factory=Counter)
    times: Counter = field(default_factory=Counter)


def make_views(rng, table_list):
    """Two views over the tables."""
    generator = QueryGenerator(rng, table_list)
    views = []
    for number in range(2):
        generator.begin()
        query = generator.single_query()
        for _ in range(20):
            if not query.is_risky and not query.ctes:
                break
            generator.begin()
            query = generator.single_query()
        query.tail = Tail()
        if isinstance(query, Select):
            query.distinct_on = 0  # of rows in no order it would be any
        views.append((f"v{number}", query))
    return views


@contextmanager
def timed(result, name):
    """Adds the processor time of what is done inside, child processes included, to the result's times."""
    before = sum(os.times()[:4])
    try:
        yield
    finally:
        result.times[name] += sum(os.times()[:4]) - before


class Worker:
    def __init__(self, options):
        self.options, self.groups, self.oracle, self.end = options, Groups(), Oracle(), options.end
        self.nodes, self.known = coverage.node_pattern(plan_nodes()), settings.known_settings(options.program)
        self.reducer = Reducer(options.program, options.reduce, self.end)
        self.areas = Runner(os.path.abspath(options.program), self.known, options.reduce, self.end, options.set)

    @property
    def is_over(self):
        return time.monotonic() > self.end

    def batch(self, seed, count):
        rng = random.Random(seed)
        folder = tempfile.mkdtemp(prefix="differential-")
        gc.disable()  # what a batch makes stays until its end
        try:
            return self.run(seed, count, rng, folder)
        finally:
            gc.enable()
            shutil.rmtree(folder, ignore_errors=True)

    def run(self, seed, count, rng, folder):
        result = Result(seed)
        only = self.options.only
        of_areas = count if only in areas.MODULES or only == areas.EVERY else 0 if only else round(count * sum(areas.WEIGHTS.values()) / 1000)
        with timed(result, "areas"):
            self.areas.run(seed, of_areas, only, result, lambda key, example: self.example(result, key, example))
        if of_areas < count:
            self.of_tables(result, seed, count - of_areas, rng, folder)
        result.statements = count - result.kinds["not run"]
        return result

    def example(self, result, key, example):
        result.messages[key] += 1
        result.examples.setdefault(key, example)

    def of_tables(self, result, seed, count, rng, folder):
        """Statements of the kinds that are over random tables of the batch."""
        small, large = tables.make_tables(rng), gen_large.large_tables(rng)
        for table in small:
            files.plan_files(rng, table)
        small += gen_folders.make_tables(rng)
        table_list = small + large
        with timed(result, "tables"):
            for name, spec, message in files.write_tables(self.options.program, folder, table_list):
                self.note(result, "wrong", "writing: " + general(message.split(": exit")[-1]), f"{name}: {spec.writer} {spec.options}: {message}")
            self.check_files(result, folder, table_list)
            table_list = self.readable(result, folder, table_list)
            small, large = ([t for t in some if t in table_list] for some in (small, large))
            oracle = self.oracle
            views = self.usable_views(rng, folder, table_list, small, oracle)
        generator = QueryGenerator(rng, small, views, large)
        with timed(result, "generating"):
            queries = [generator.statement(self.options.only) for _ in range(count)]
        try:
            self.compare(result, seed, rng, folder, table_list, views, oracle, queries)
        finally:
            oracle.close()

    def readable(self, result, folder, table_list):
        """The tables that the program opens: one that it refuses would be each statement's error."""
        def error(some):
            outcome = Program(self.options.program, folder, some).one("SELECT 1", {})
            return None if outcome.kind == "rows" else outcome.text
        if error(table_list) is None:
            return table_list
        errors = [(table, error([table])) for table in table_list]
        for table, text in errors:
            if text is not None:
                self.note(result, "lone error", "table: " + general(text), f"{table.name}: {text}")
        return [table for table, text in errors if text is None]

    def usable_views(self, rng, folder, table_list, small, oracle):
        """Views that both engines take."""
        program = Program(self.options.program, folder, table_list)
        oracle.load(folder, table_list)
        views = [v for v in make_views(rng, small)
                 if program.one(query_sql(v[1], OURS), {}).kind == "rows" and self.expected(oracle, v[1])[0] is not None]
        oracle.add_views(views)
        return views

    def check_files(self, result, folder, table_list):
        """Each file is one that `inspect --pages` can read."""
        for table in table_list:
            for spec in table.files:
                path = os.path.join(folder, table.name, spec.name)
                try:
                    files.run_program([self.options.program, "inspect", "--pages", path])
                except (files.WriteError, OSError) as error:
                    self.note(result, "wrong", "inspect: " + general(str(error).split("exit")[-1]), f"{spec.writer} {spec.options}: {error}")

    def note(self, result, kind, message, example):
        result.kinds[kind] += 1
        self.example(result, (kind, message), example)

    def expected(self, oracle, query):
        try:
            return oracle.rows(query), ""
        except OracleBroken as error:
            return None, "oracle broken: " + str(error)
        except OracleError as error:
            return None, str(error)

    def compare(self, result, seed, rng, folder, table_list, views, oracle, queries):
        texts = [(i, query_sql(q, OURS)) for i, q in enumerate(queries)]
        view_sql = [f"CREATE VIEW {name} AS {query_sql(q, OURS)}" for name, q in views]
        program = Program(self.options.program, folder, table_list, view_sql, end=self.end)
        view_names = [name for name, _ in views]
        with timed(result, "program"):
            plain = self.outcomes(program, oracle, dict(enumerate(queries)), texts, {})
        with timed(result, "oracle"):
            expected = []
            for i, query in enumerate(queries):
                if self.is_over:
                    plain[i] = Outcome("not run")
                expected.append(self.expected(oracle, query) if plain[i].kind != "not run" else (None, ""))
        verdicts = [judge(query, plain[i], *expected[i]) for i, query in enumerate(queries)]
        with timed(result, "settings"):
            used = self.with_settings(rng, folder, program, oracle, queries, texts, verdicts)
        agreed = []
        for i, query in enumerate(queries):
            verdict, outcome, chosen = verdicts[i], plain[i], {}
            for other, with_them in used.get(i, ()):
                if not verdict.is_failure:
                    verdict, outcome, chosen = self.again(query, verdict, plain[i], other, with_them, *expected[i])
            result.kinds[verdict.kind] += 1
            if verdict.kind == "agree":
                agreed.append(i)
                found = coverage.of_query(query, view_names)
                result.covered.update(found)
                for _, with_them in used.get(i, ()):
                    result.covered.update(coverage.of_settings(found, with_them))
            elif not verdict.is_failure:
                result.messages[(verdict.kind, general(verdict.why))] += 1
                result.examples.setdefault((verdict.kind, general(verdict.why)), f"{seed}/{i}: {texts[i][1]}")
            else:
                case = Case(query, table_list, dict(chosen), verdict.kind, verdict.why, f"{seed}/{i}", outcome.rows, expected[i][0])
                self.failed(result, case, folder, oracle, views)
        texts = [(i, query_sql(q.query if isinstance(q, Copy) else q, OURS)) for i, q in enumerate(queries) if not isinstance(q, Script)]
        on_ranks = {i for i, runs in used.items() if any(chosen.get("ranks", "1") != "1" and chosen.get("distribute") == "always" for _, chosen in runs)}
        self.explain(result, rng, program, [t for t in texts if t[0] in agreed and t[0] not in on_ranks], {})
        self.explain(result, rng, program, [t for t in texts if t[0] in agreed and t[0] in on_ranks], {"ranks": "2", "distribute": "always"})

    def outcomes(self, program, oracle, queries, texts, chosen):
        """{number: outcome}; queries: {number: query}."""
        return {i: copies.read_back(oracle, program.folder, queries[i], outcome) for i, outcome in program.run(texts, chosen).items()}

    def with_settings(self, rng, folder, program, oracle, queries, texts, verdicts):
        """{number: [(outcome, settings), ...]} of further runs, in groups that share random settings; refused is refused."""
        rest, used = [pair for pair, verdict in zip(texts, verdicts) if verdict.kind not in ("refused", "not run")], {}

        def run(group, chosen):
            for i, outcome in self.outcomes(program, oracle, queries, group, chosen).items():
                used.setdefault(i, []).append((outcome, chosen))
        for begin in range(0, len(rest) if not self.is_over else 0, GROUP):
            chosen = settings.random_settings(rng, folder, self.known, given=self.options.set)
            group = [pair for pair in rest[begin:begin + GROUP] if not queries[pair[0]].is_large or not settings.is_slow(chosen)]
            run(rng.sample(group, min(len(group), SIMULATED if chosen.get("device") == "simulated" else SAMPLE)), chosen)
        skewed = [pair for pair in rest if queries[pair[0]].theme in ("skewed", "pages") or isinstance(queries[pair[0]], Copy) and queries[pair[0]].is_folder]
        for begin in range(0, len(skewed), SKEWED):
            chosen, group = settings.random_settings(rng, folder, self.known, True, self.options.set), skewed[begin:begin + SKEWED]
            run(group[:SIMULATED] if chosen.get("device") == "simulated" else group, chosen)
        return used

    def again(self, query, verdict, plain, outcome, chosen, expected, error):
        """(verdict, outcome, settings) of a statement that did not fail without settings."""
        second = judge(query, outcome, expected, error)
        if second.kind == "oracle fails" and plain.kind == "rows" and not isinstance(query, Script):  # then the program's own rows of both runs must be alike
            why = differs(query, outcome.rows, [tuple(row) for row in plain.rows])
            if why:
                second = Verdict("wrong", "settings change the rows: " + why)
        return (second if second.is_failure else verdict), outcome, chosen

    def failed(self, result, case, folder, oracle, views):
        result.messages[(case.kind, general(case.why) if case.kind != "wrong" else "rows")] += 1
        if not self.groups.wants(case) or not self.options.reduce or self.is_over:
            return
        with timed(result, "reducing"):
            small = self.reducer.reduce(case, folder, oracle, views)
        if small is None:
            small = case
            small.why += " (not seen again)"
        small.views = []
        group, is_new = self.groups.add(small)
        if is_new:
            result.cases.append(small)

    def explain(self, result, rng, program, texts, chosen):
        """Which plan nodes the statements that agreed had with these settings."""
        drawn = [(i, f"EXPLAIN {sql}") for i, sql in texts if rng.random() < self.options.explain]
        with timed(result, "explain"):
            for outcome in program.run(drawn, chosen).values():
                if outcome.kind == "rows":
                    result.covered.update(coverage.of_plan([row[0] for row in outcome.rows], self.nodes))
