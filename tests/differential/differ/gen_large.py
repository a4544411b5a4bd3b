"""Tables of thousands of rows for what small ones do not show, and queries over them: joins by keys of which one has most
rows, which several ranks join where they are; pages of some MiB, which are decoded in part; results of many rows."""
from . import tables
from . import types as T
from . import values
from .expr import Expr
from .files import ARROW_CODECS, FileSpec
from .gen_from import Relation, table_column
from .gen_subquery import COMPARISONS
from .literals import literal
from .query import NAMES, Derived, Join, Order, Select, Table, Tail

PROBE, BUILD, PAGED = "h0", "h1", "p0"
LONG = "a key that is long" * 20
SKEWED_JOINS = ("INNER", "INNER", "LEFT", "LEFT", "RIGHT", "FULL", "SEMI", "ANTI", "in", "not in", "exists")


def skewed(rng, pool, share, rows):
    """Values of the pool, of which the first has that share of all rows."""
    heavy, null = pool[0], rng.choice((0, 0, 0.1, 0.5))
    drawn = [heavy if rng.random() < share else rng.choice(pool) for _ in range(rows)]
    return [None if null and rng.random() < null else v for v in drawn]


def key_columns(rng, rows, share, words, numbers, t):
    """k, m: numbers; s: text; d: days. Both tables draw from the same values."""
    k_type, m_type = rng.choice(tables.KEY_TYPES), rng.choice(tables.KEY_TYPES)
    few = [tables.key_value(k_type, n) for n in numbers]
    many = [tables.key_value(m_type, n) for n in range(400) if m_type.kind in T.FLOATS or n <= m_type.largest()]
    days = [(18262 + n) * (1 if t == T.DATE else values.DAY_US) for n in range(40)]
    columns = [tables.Column("k", k_type, "few", skewed(rng, few, share, rows)), tables.Column("m", m_type, "few", skewed(rng, many, share / 2, rows)),
               tables.Column("s", T.TEXT, "extreme", skewed(rng, words, share, rows)), tables.Column("d", t, "few", skewed(rng, days, share, rows))]
    return columns


def split(rng, rows, most):
    """Ranges of rows for files."""
    cuts = sorted(rng.randint(0, rows) for _ in range(rng.randrange(most)))
    return [range(a, b) for a, b in zip([0] + cuts, cuts + [rows])]


def arrow_file(rng, number, rows, columns, group_rows, **options):
    dictionary = [c for c in columns if rng.random() < 0.5]
    made = {"row_group_size": group_rows, "use_dictionary": dictionary, "compression": rng.choice(ARROW_CODECS), "write_page_index": rng.random() < 0.4,
            "has_empty_group": False, "column_encoding": {}, **options}
    return FileSpec(f"{number}.parquet", rows, "pyarrow", made)


def skewed_tables(rng):
    """h0, in whose keys one value has most rows; h1, which has few rows of each key."""
    share = rng.choice((0.3, 0.5, 0.5, 0.9))
    words = [rng.choice(("a", "Zo\u00eb", LONG, LONG * 6)), "", LONG + "x"] + [f"word {i}" for i in range(60)]
    numbers, t = rng.sample(range(120), 100), rng.choice((T.DATE, T.TS, T.TSTZ))
    made = []
    for name, rows, own in ((PROBE, rng.randint(1500, 6000), share), (BUILD, rng.randint(20, 160), rng.choice((0, 0, 0.02)))):
        table = tables.Table(name, key_columns(rng, rows, own, words, numbers, t), rows)
        for i in range(rng.randint(1, 3)):
            table.columns.append(tables.make_column(rng, f"c{i}", values.random_type(rng), rng.choice(("few", "many")), rows))
        names = [c.name for c in table.columns]
        table.files = [arrow_file(rng, i, part, names, rng.choice((100, 400, 1000)) if name == PROBE else rng.choice((5, 20, 1000)))
                       for i, part in enumerate(split(rng, rows, 3))]
        made.append(table)
    return made


def paged_table(rng):
    """p0: texts without NULLs in pages of more than 2 MiB, a few in small ones."""
    pool = ["".join(rng.choice(values.WORDS) for _ in range(rng.randint(1, 30))) + "z" * rng.choice((0, 100, 300, 600)) for _ in range(200)]
    average = sum(len(w.encode()) + 4 for w in pool) / len(pool)
    rows = int(rng.choice((2.3, 4.5)) * (1 << 20) / average)
    texts = rng.choices(pool, k=rows)
    made = tables.Table(PAGED, [tables.Column("i", T.I32, "many", list(range(rows))), tables.Column("s", T.TEXT, "extreme", texts),
                                tables.Column("k", T.I32, "few", [rng.randint(0, 30) for _ in range(rows)]),
                                tables.Column("n", T.TEXT, "extreme", [None if rng.random() < 0.1 else texts[-1 - r] for r in range(rows)]),
                                tables.Column("v", rng.choice((T.I64, T.F64, T.decimal(30, 4), T.TS)), "many", [])], rows)
    made.columns[4].values = rng.choices([values.value(rng, made.columns[4].type, "many") for _ in range(50)], k=rows)
    options = {"data_page_size": rng.choice((1 << 20, 1 << 24, 1 << 24, 1 << 24)), "compression": rng.choice(("snappy",) * 5 + ("zstd", "lz4", "none")),
               "data_page_version": rng.choice(("1.0", "2.0")), "dictionary_pagesize_limit": 1 << 25}
    made.files = [arrow_file(rng, i, part, ["k"], rng.choice((rows, rows, rows // 2 + 1)), **options) for i, part in enumerate(split(rng, rows, 2))]
    for spec in made.files:
        spec.options["use_dictionary"] = rng.choice((False, False, False, ["k"], ["s", "k"]))
    if rng.random() < 0.2:
        for spec in made.files:
            spec.writer, spec.options = "copy", f"codec {rng.choice(('snappy', 'zstd', 'lz4_raw'))}, row_group_size {rows}"
    return made


def large_tables(rng):
    return [*skewed_tables(rng), paged_table(rng)]


class LargeQueries:
    """A part of QueryGenerator; self.large: {name: table} of the above."""

    def large_relation(self, name):
        table, alias = self.large[name], self.alias()
        return Relation(Table(name, alias), [table_column(alias, c) for c in table.columns], table.rows)

    # ---- skewed keys ----

    def equal_keys(self, left, right):
        """The ON of a join by one or two key columns, and now and then more."""
        from .gen_expr import meets
        rng = self.rng
        pairs = [(a, b) for a, b in zip(left.columns[:4], right.columns[:4]) if T.common(a.type, b.type) is not None]
        pairs = [(a, b) for a, b in pairs if meets(a, T.common(a.type, b.type)) and meets(b, T.common(a.type, b.type))]
        op = "is_not_distinct" if rng.random() < 0.1 else "eq"
        terms = [Expr(op, T.BOOL, list(pair) if rng.random() < 0.6 else list(reversed(pair)))
                 for pair in rng.sample(pairs, min(len(pairs), rng.choice((1, 1, 1, 2))))]
        if rng.random() < 0.15:
            terms.append(self.generator(left.columns + right.columns, subqueries=False).condition(1))
        return terms[0] if len(terms) == 1 else Expr("and", T.BOOL, terms)

    def skewed_query(self):
        rng = self.rng
        self.budget = 0
        probe, build = self.large_relation(PROBE), self.large_relation(BUILD)
        kind = rng.choice(SKEWED_JOINS)
        left, right = (probe, build) if rng.random() < 0.7 or kind in ("in", "not in", "exists") else (build, probe)
        condition = None
        if kind in ("in", "not in", "exists"):
            relation, condition = left, self.skewed_subquery(kind, left, right)
        else:
            source = Join(kind, left.source, right.source, self.equal_keys(left, right))
            relation = Relation(source, left.columns + (right.columns if kind not in ("SEMI", "ANTI") else []), probe.rows * 3)
            small = [t for t in self.tables if t.rows <= 8]
            if small and rng.random() < 0.2:
                relation = self.join(relation, self.of_table(rng.choice(small)))
        query = self.select_from(relation, rng.random() < 0.7, 0.2)
        if condition is not None:
            query.where = condition if query.where is None else Expr("and", T.BOOL, [query.where, condition])
        query.theme = "skewed"
        return query

    def skewed_subquery(self, kind, left, right):
        rng = self.rng
        if kind == "exists":
            where = self.equal_keys(left, right)
            inner = Select([(literal(T.I32, "1", "1", 1, 1), "a")], right.source, where=where)
            return Expr("query", T.BOOL, (), {"kind": "exists", "query": inner})
        pairs = [(a, b) for a, b in zip(left.columns[:4], right.columns[:4]) if a.type == b.type] or [(left.columns[2], right.columns[2])]
        a, b = rng.choice(pairs)
        where = self.generator(right.columns, subqueries=False).condition(1) if rng.random() < 0.4 else None
        return Expr("query", T.BOOL, [a], {"kind": kind, "query": Select([(b, "a")], right.source, where=where), "comparison": COMPARISONS[0]})

    # ---- large pages ----

    def paged_query(self):
        """Of few of the rows: a filter, the first rows in order, or any rows, of which only their number is known."""
        rng = self.rng
        self.budget = 0
        relation = self.large_relation(PAGED)
        kind = rng.choice(("filter", "filter", "filter", "top", "any", "grouped", "join"))
        if kind == "any":
            query = self.any_rows(relation)
        elif kind == "top":
            query = Select(self.paged_items(relation), relation.source, where=self.few_rows(relation) if rng.random() < 0.3 else None,
                           tail=Tail([Order(0, rng.random() < 0.4)], rng.choice((0, 1, 7, 300)), rng.choice((None, 0, 5, 9000))))
            query.tail.order += [Order(i) for i in range(1, len(query.items))]
        elif kind == "grouped":
            query = self.select_from(relation, True, 0.3)
        elif kind == "join":
            small = self.of_table(rng.choice([t for t in self.tables if t.rows <= 60 and t.columns[0].name == "k"] or self.tables[:1]))
            on = Expr("eq", T.BOOL, [relation.columns[rng.choice((0, 2))], small.columns[0]])
            if on.args[0] is relation.columns[2]:
                on = Expr("and", T.BOOL, [on, self.few_rows(relation)])
            joined = Relation(Join(rng.choice(("INNER", "SEMI")), relation.source, small.source, on), relation.columns, 100)
            query = Select(self.paged_items(joined), joined.source)
        else:
            query = Select(self.paged_items(relation), relation.source, where=self.few_rows(relation))
        query.theme = "pages"
        return query

    def paged_items(self, relation):
        rng, number = self.rng, relation.columns[0]
        g = self.generator(relation.columns, subqueries=False)
        items = [number] + rng.sample(relation.columns[1:], rng.choice((1, 2, 3)))
        if rng.random() < 0.5:
            e = g.any(2)
            items += [e] if e.exact and e.type.kind != "interval" else []
        return [(e, NAMES[i]) for i, e in enumerate(items)]

    def few_rows(self, relation):
        """A condition that some hundred rows have, near each other or not."""
        rng, number, rows = self.rng, relation.columns[0], relation.rows

        def of(n):
            return literal(T.I32, str(n), f"CAST({n} AS INTEGER)", n, n)
        kind = rng.choice(("range", "range", "every", "list", "both"))
        start = rng.choice((0, rng.randrange(int(rows)), int(rows) - 50))
        near = Expr("between", T.BOOL, [number, of(max(0, start)), of(max(0, start) + rng.choice((0, 3, 200, 1500)))], (False, False))
        every = Expr("eq", T.BOOL, [Expr("modulo", T.I32, [number, of(rng.choice((97, 1000, 4001)))], None, 4001), of(rng.randrange(90))])
        if kind == "list":
            return Expr("in_list", T.BOOL, [number] + [of(rng.randrange(int(rows))) for _ in range(rng.choice((1, 3, 9)))], False)
        if kind == "both":
            return Expr("or", T.BOOL, [near, every])
        return near if kind == "range" else every

    def any_rows(self, relation):
        """LIMIT of rows in no order: how many of them the table has just so."""
        rng = self.rng
        kept = [relation.columns[0], *rng.sample(relation.columns[1:4], rng.choice((1, 2)))]
        where = self.few_rows(relation) if rng.random() < 0.4 else None
        tail = Tail([], rng.choice((1, 5, 100, 3000)), rng.choice((None, 0, 17, 2500)))
        inner = Select([(c, NAMES[i]) for i, c in enumerate(kept)], relation.source, where=where, tail=tail)
        alias, whole = self.alias(), self.large_relation(PAGED)
        on = [Expr("is_not_distinct", T.BOOL, [Expr("column", c.type, (), (alias, NAMES[i]), c.bound),
                                               next(w for w in whole.columns if w.data[1] == c.data[1])]) for i, c in enumerate(kept)]
        on[0].op = "eq"
        count = {"function": "COUNT_STAR", "name": "count", "oracle": "count", "distinct": False, "filter": None}
        return Select([(Expr("aggregate", T.I64, (), count, rows_of(relation)), "a")],
                      Join("INNER", Derived(inner, alias), whole.source, Expr("and", T.BOOL, on)))

    # ---- many rows ----

    def many_rows(self):
        """Some ten thousand rows of two tables, in no order."""
        rng = self.rng
        self.budget = 0
        pairs = [(a, b) for a in self.tables for b in self.tables if 3000 <= a.rows * b.rows <= 60_000]
        pairs += [(self.large[PROBE], b) for b in self.tables if 2 <= b.rows <= 12]
        if not pairs:
            return None
        left, right = (self.of_table(t) for t in rng.choice(pairs))
        g = self.generator(left.columns + right.columns, subqueries=False)
        items = [(c, NAMES[i]) for i, c in enumerate(rng.sample(g.columns, min(len(g.columns), rng.choice((2, 3, 5)))))]
        items += [(g.any(2), NAMES[len(items)])]
        query = Select(items, Join("CROSS", left.source, right.source), where=g.condition(1) if rng.random() < 0.3 else None)
        query.theme = "many"
        return query


def rows_of(relation):
    return int(relation.rows)
