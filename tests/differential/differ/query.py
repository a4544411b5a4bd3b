"""Queries: what a statement is made of besides expressions. query_sql.py writes them as SQL."""
from dataclasses import dataclass, field
from typing import Any

from . import types as T

NAMES = tuple("abcdefgh") + tuple(f"z{i}" for i in range(60))


@dataclass
class Table:
    """A table, view or common table expression in FROM."""

    name: str
    alias: str
    path: str = ""  # FROM 'path' instead of the name


@dataclass
class Derived:
    query: Any
    alias: str
    names: list = None  # x(a, b)
    lateral: bool = False


@dataclass
class Series:
    """generate_series or range in FROM."""

    ours: str  # with {0} for the first argument that is an expression
    oracle: str  # a query of one column
    args: list
    alias: str
    column: str
    path = ""


@dataclass
class Join:
    kind: str  # INNER, LEFT, RIGHT, FULL, CROSS, comma, SEMI, ANTI
    left: Any
    right: Any
    on: Any = None
    using: list = None
    natural: bool = False


@dataclass
class Order:
    """By an output column: as number, name, or expression."""

    index: int
    descending: bool = False
    nulls: str = ""  # FIRST, LAST
    style: str = "number"


@dataclass
class Tail:
    order: list = field(default_factory=list)
    limit: int = None
    offset: int = None
    fetch: bool = False
    by_all: bool = False  # ORDER BY ALL: of all columns in order, alike


@dataclass
class Select:
    items: list  # (Expr, name)
    source: Any = None
    where: Any = None
    groups: list = field(default_factory=list)  # Expr
    by_number: bool = False  # GROUP BY 1, 2: the first items are the groups
    sets: str = ""  # ROLLUP, CUBE, SETS: of the groups
    set_list: list = None  # of SETS: lists of numbers of groups; of the others how many groups stand before ROLLUP or CUBE
    group_all: bool = False  # GROUP BY ALL
    having: Any = None
    distinct: bool = False
    distinct_on: int = 0  # DISTINCT ON the first so many items, which ORDER BY begins with
    excluded: list = None  # SELECT * EXCLUDE of a table, or []; items are what is left
    replaced: list = field(default_factory=list)  # names of items that stand behind SELECT * REPLACE
    tail: Tail = field(default_factory=Tail)
    ctes: list = field(default_factory=list)  # (name, query)
    is_risky = False  # may fail where the oracle does not, by its data
    theme = ""  # what it was made for: skewed keys, large pages, many rows
    is_large = property(lambda self: self.theme in ("skewed", "pages", "many"))

    def types(self):
        return [e.type for e, _ in self.items]

    def names(self):
        return [name for _, name in self.items]


@dataclass
class SetOperation:
    word: str  # UNION, INTERSECT, EXCEPT, with or without ALL
    left: Any
    right: Any
    tail: Tail = field(default_factory=Tail)
    ctes: list = field(default_factory=list)
    is_risky, is_large, theme = False, False, ""  # as of Select

    def types(self):
        return [T.common(a, b) for a, b in zip(self.left.types(), self.right.types())]

    def names(self):
        return self.left.names()


class Recursive(SetOperation):
    """A common table expression whose right side reads it."""


@dataclass
class Values:
    rows: list  # of lists of Expr
    tail: Tail = field(default_factory=Tail)
    ctes: list = field(default_factory=list)
    is_risky, is_large, theme = False, False, ""  # as of Select

    def types(self):
        return [T.common_of([row[i].type for row in self.rows]) for i in range(len(self.rows[0]))]

    def names(self):
        return [f"column{i + 1}" for i in range(len(self.rows[0]))]


@dataclass
class Stored:
    """A table of the session: what is known of its columns (Expr of a query's output); no query of its own."""

    columns: list
    rows: float = 100
    tail: Tail = field(default_factory=Tail)
    ctes: list = field(default_factory=list)

    def types(self):
        return [c.type for c in self.columns]

    def names(self):
        return [c.data[1] for c in self.columns]


@dataclass
class Step:
    """A statement of a script: create, insert, view, drop, query."""

    word: str
    name: str = ""
    query: Any = None
    names: list = None  # of the columns, where they are given
    types: list = None  # of the columns that rows are put into
    options: str = ""  # OR REPLACE, TEMP ...


@dataclass
class Script:
    """Several statements in a row, the queries among them with rows that are compared."""

    steps: list
    zone: str = ""  # SET of the session's zone, for which DuckDB's queries are written out
    tail: Tail = field(default_factory=Tail)
    ctes: list = field(default_factory=list)
    is_risky, is_large, theme = False, False, ""

    def queries(self):
        return [step.query for step in self.steps if step.word == "query"]

    def types(self):
        return self.queries()[-1].types()

    def names(self):
        return self.queries()[-1].names()


@dataclass
class Copy:
    """COPY (query) TO a file, whose rows are compared."""

    query: Any
    kind: str  # parquet, csv, tsv, json, jsonl
    options: dict
    number: int = 0  # of the file
    ctes: list = field(default_factory=list)
    is_risky, theme = False, ""

    @property
    def tail(self):
        return Tail() if self.is_folder else self.query.tail  # whose rows have an order in each file

    @property
    def is_large(self):
        return self.query.is_large

    @property
    def path(self):
        return f"copy{self.number}" + ("" if self.is_folder else f".{self.kind}")

    @property
    def keys(self):
        """Of the folders."""
        return self.options.get("PARTITION_BY", "").strip("()").replace(" ", "").split(",") if "PARTITION_BY" in self.options else []

    @property
    def is_folder(self):
        return "PARTITION_BY" in self.options or "PER_RANK" in self.options

    def types(self):
        return self.query.types()

    def names(self):
        return self.query.names()


def sources(source):
    """All leaves and joins of a FROM."""
    if source is None:
        return
    yield source
    if isinstance(source, Join):
        yield from sources(source.left)
        yield from sources(source.right)


def expressions(query):
    """The expressions of this query itself, not of queries in it."""
    if isinstance(query, Values):
        for row in query.rows:
            yield from row
        return
    if not isinstance(query, Select):
        return
    for e, _ in query.items:
        yield e
    yield from query.groups
    yield from (e for e in (query.where, query.having) if e is not None)
    for item in sources(query.source):
        if isinstance(item, Join) and item.on is not None:
            yield item.on
        if isinstance(item, Series):
            yield from item.args


def nodes(e):
    """The expression's nodes, with those of FILTER."""
    for node in e.walk():
        yield node
        if node.op == "aggregate" and node.data["filter"] is not None:
            yield from nodes(node.data["filter"])


def walk(query):
    """All queries in this one, itself first."""
    yield query
    for _, inner in query.ctes:
        yield from walk(inner)
    if isinstance(query, Copy):
        yield from walk(query.query)
    if isinstance(query, Script):
        for step in query.steps:
            if step.query is not None:
                yield from walk(step.query)
    if isinstance(query, SetOperation):
        yield from walk(query.left)
        yield from walk(query.right)
    if isinstance(query, Select):
        for item in sources(query.source):
            if isinstance(item, Derived):
                yield from walk(item.query)
    for e in expressions(query):
        for node in nodes(e):
            if node.op == "query":
                yield from walk(node.data["query"])
