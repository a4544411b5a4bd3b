"""Random queries: plain and grouped selects, set operations, VALUES, WITH, views."""
from . import gen_aggregate, gen_window
from . import types as T
from .expr import Expr, cast, cast_fits, column
from .gen_expr import CLASSES, Generator
from .copies import folder_keys, random_copy
from .gen_from import Relations
from .gen_large import LargeQueries
from .gen_ranked import RankedQueries
from .gen_recursive import RecursiveQueries
from .gen_session import Scripts
from .gen_subquery import Subqueries
from .gen_zone import ZoneQueries
from .query import NAMES, Order, Recursive, Select, SetOperation, Stored, Tail, Values
from .reduce import text

MOST_ROWS = 2500  # of a result that is shown in full
KINDS = {"query": 70, "skewed": 6, "pages": 5, "script": 6, "zone": 2, "copy": 9, "recursive": 2}  # of statements, and how often each


class QueryGenerator(Relations, Subqueries, Scripts, RecursiveQueries, RankedQueries, LargeQueries, ZoneQueries):
    """Statements over tables (tables.Table), of which some are large (gen_large.py), and views ((name, query) pairs)."""

    def __init__(self, rng, tables, views=(), large=()):
        self.rng, self.tables, self.views, self.large = rng, tables, views, {table.name: table for table in large}
        self.copies = 0
        self.begin()

    def begin(self):
        self.pool, self.ctes, self.aliases, self.budget = {}, [], 0, self.rng.choice((0, 1, 1, 2, 3))
        self.share_of_ctes, self.share_of_recursive = 0.5, 0.05  # of what is read, where there are any; of statements

    def statement(self, only=""):
        """A statement of any kind, or only of one."""
        self.begin()
        kind = only or self.rng.choices(*zip(*KINDS.items()))[0]
        if kind in ("skewed", "pages") and not self.large:
            kind = "query"
        return getattr(self, f"{kind}_statement")()

    def query_statement(self):
        return self.single_query()

    def skewed_statement(self):
        return self.with_tail(self.skewed_query())

    def pages_statement(self):
        query = self.paged_query()
        return query if query.tail.order else self.with_tail(query)

    def script_statement(self):
        return self.script()

    def zone_statement(self):
        return self.zone_script()

    def copy_statement(self):
        return self.copy()

    def recursive_statement(self):
        self.share_of_recursive = 1
        return self.single_query()

    def copy(self):
        query = self.many_rows() if self.rng.random() < 0.35 and self.large else None
        self.begin()
        is_by_key = query is None and self.rng.random() < 0.12
        query = query or self.single_query()
        for _ in range(6 if is_by_key else 0):
            if folder_keys(query):
                break
            self.begin()
            query = self.single_query()
        self.copies += 1
        return query if query.is_risky else random_copy(self.rng, query, self.copies, is_by_key)

    def with_tail(self, query):
        self.put_tail(query)
        return query

    def single_query(self):
        """A query of its own."""
        rng = self.rng
        ctes = []
        is_risky = rng.random() < 0.01  # may overflow or divide by 0, and then has to fail
        if is_risky:
            self.pool["risky"] = True
        has_recursive = rng.random() < self.share_of_recursive
        if has_recursive or rng.random() < 0.1:
            for i in range(rng.choice((1, 1, 2))):
                made = (self.recursive(f"w{i}") if has_recursive and (i == 0 or rng.random() < 0.5) else None) or self.query(1)
                self.share_of_ctes = 0.8 if isinstance(made, Recursive) else self.share_of_ctes
                ctes.append((f"w{i}", made))
                self.ctes.append((f"w{i}", made))
        query = self.query(2)
        query.ctes = ctes
        query.is_risky = is_risky
        self.put_tail(query)
        return query

    def query(self, depth):
        draw = self.rng.random()
        if draw < 0.03:
            return self.values()
        if draw < 0.07:
            return self.constants()
        if draw < 0.17 and depth > 0:
            return self.set_operation(depth)
        return self.select(depth)

    def generator(self, columns, subqueries=True):
        return Generator(self.rng, columns, self.subquery if subqueries else None, self.pool)

    # ---- selects ----

    def select(self, depth):
        made = self.ranked() if self.rng.random() < 0.035 else None
        if made is not None:
            return made
        relation = self.relation(depth)
        return self.select_from(relation, self.rng.random() < 0.42 or relation.rows > MOST_ROWS)

    def select_from(self, relation, is_grouped, filtered=0.5):
        rng = self.rng
        g = self.generator(relation.columns)
        where = g.condition(3) if rng.random() < filtered else None
        if rng.random() < filtered / 5:
            where = self.and_subquery(where, g)
        if is_grouped:
            query = self.grouped(relation, g)
        else:
            query = self.plain(relation, g)
        query.where = where
        return query

    def and_subquery(self, where, g):
        """A subquery as a condition of its own, which becomes a semi or anti join."""
        self.budget += 1
        kind = self.rng.choice(("exists", "in", "not in", "not in", "any", "all"))
        made = self.subquery(kind, g.random_class(), g)
        if made is None:
            return where
        if kind in ("exists", "in") and self.rng.random() < 0.4:
            made = Expr("not", T.BOOL, [made])
        if self.rng.random() < 0.25:  # of which there is more than a join: whether a row has its partner is a value
            made = Expr("or", T.BOOL, [made, g.condition(1)])
        return made if where is None else Expr("and", T.BOOL, [where, made])

    def plain(self, relation, g):
        rng = self.rng
        is_distinct = rng.random() < 0.14
        count = rng.choice((1, 2, 2, 3, 3, 4, 6))
        items = []
        windows = self.windows(relation) if relation.source is not None and rng.random() < 0.25 else []
        if is_distinct:
            windows = [e for e in windows if e.exact and e.type.kind != "interval"]
        if windows:
            g = self.generator(relation.columns + windows)
        looked_up = self.looked_up_item(g) if rng.random() < 0.05 and not is_distinct and not windows else None
        for i in range(count):
            if i < len(windows):
                items.append((windows[i], NAMES[i]))
                continue
            e = looked_up if looked_up is not None and i == count - 1 else g.any(rng.choice((0, 1, 2, 3)), exact=is_distinct)
            if is_distinct and e.type.kind == "interval":
                e = g.expr("int", 1)
            items.append((e, NAMES[i]))
        made = Select(items, relation.source, distinct=is_distinct)
        if not is_distinct and not windows and rng.random() < 0.12:
            self.first_of_each(made)
        return made

    def looked_up_item(self, g):
        """A subquery as a value: whether there is a row, or what the one row has."""
        self.budget += 1
        kind = self.rng.choice(("exists", "in", "not in", "any", "all", "looked up", "looked up", "looked up"))
        if kind != "looked up":
            return self.subquery(kind, g.random_class(), g)
        relation = self.leaf(0)
        if relation.rows > 500 or not g.columns:
            return None
        return self.looked_up(self.rng.choice(("int", "text", "date", "dec")), relation, Generator(self.rng, relation.columns, None, self.pool), g)

    def first_of_each(self, query):
        """DISTINCT ON some of the items, in an order of all of them."""
        rng = self.rng
        if not all(e.exact and e.type.kind != "interval" and not e.is_literal and e.has_column() for e, _ in query.items):
            return
        if len({text(e) for e, _ in query.items}) < len(query.items):  # which of two alike ORDER BY begins with is another matter
            return
        count = len(query.items)
        query.distinct_on = rng.randint(1, max(1, count - 1))
        order = list(range(query.distinct_on))
        rest = list(range(query.distinct_on, count))
        rng.shuffle(order)
        rng.shuffle(rest)
        query.tail = Tail([Order(i, rng.random() < 0.4, rng.choice(("", "", "FIRST", "LAST"))) for i in order + rest])

    def windows(self, relation):
        bare = self.generator(relation.columns, subqueries=False)
        return [e for e in (gen_window.window(bare, i == 0) for i in range(self.rng.choice((1, 1, 2, 3)))) if e is not None]

    def grouped(self, relation, g):
        rng = self.rng
        keys = [k for k in (self.key(g) for _ in range(rng.choice((0, 1, 1, 1, 2, 2, 3)))) if k is not None]
        inner = self.generator(relation.columns, subqueries=False)
        made = []
        for _ in range(rng.choice((1, 2, 3))):
            e = gen_aggregate.aggregate(inner, rng.choices(CLASSES, (30, 20, 14, 20, 8, 8, 6, 3, 3, 0, 2, 2))[0], 2, keys)
            if e is not None:
                made.append(e)
        if not made and not keys:
            made.append(gen_aggregate.made(inner, "COUNT_STAR", T.I64, None, gen_aggregate.ROWS, True))
        sets = self.sets(g, keys, made)
        post = self.generator(keys + made, subqueries=bool(keys) and not sets[0] and rng.random() < 0.3)
        items = list(keys) if rng.random() < 0.8 else []
        kind, listed = sets
        if kind and rng.random() < 0.5:
            made.append(Expr("grouping", T.I32, rng.sample(keys, rng.randint(1, len(keys))), None, 15))
        by_number = bool(keys) and len(items) == len(keys) and rng.random() < 0.3
        for e in made:
            items.append(post.any(2, exact=False) if rng.random() < 0.4 else e)
        group_all = bool(keys) and not kind and len(items) > len(keys) and rng.random() < 0.2 and all(
            any(n.op == "aggregate" for n in e.walk()) and not any(n.op == "query" for n in e.walk()) for e in items[len(keys):])
        items = [(e, NAMES[i]) for i, e in enumerate(items or keys)]
        having = post.condition(2) if rng.random() < 0.18 else None
        is_distinct = all(e.exact and e.type.kind != "interval" for e, _ in items) and rng.random() < 0.05
        return Select(items, relation.source, groups=keys, by_number=by_number and kind != "SETS", having=having, distinct=is_distinct,
                      sets=kind, set_list=listed, group_all=group_all)

    def sets(self, g, keys, made):
        """(ROLLUP, CUBE or a list of sets, its data: query.py), of different columns; any_value of a coarser set could be any, and
        aggregates made of others know no sets."""
        names = {id(k) for k in keys}
        fits = keys and len(names) == len(keys) and all(any(k is c for c in g.columns) for k in keys)
        if not fits or any(e.data["function"] == "ANY_VALUE" or "forms" in e.data for e in made) or self.rng.random() > 0.4:
            return "", None
        if self.rng.random() < 0.5:
            numbers = range(len(keys))
            return "SETS", [self.rng.sample(numbers, self.rng.randint(0, len(keys))) for _ in range(self.rng.choice((1, 2, 2, 3)))] + [list(numbers)]
        return self.rng.choice(("ROLLUP", "CUBE")), self.rng.randrange(len(keys))

    def key(self, g):
        """What to group by: a column, or an expression with one."""
        rng = self.rng
        plain = [c for c in g.columns if c.exact and c.type.kind != "interval"]
        if not plain:
            return None
        if rng.random() < 0.7:
            return rng.choice(plain)
        bare = Generator(rng, plain, None, self.pool)
        e = bare.expr(rng.choice(plain).type.klass, 2)
        return e if e.has_column() and e.type.kind != "interval" else rng.choice(plain)

    def constants(self):
        g = Generator(self.rng, [], self.subquery, self.pool)
        return Select([(g.any(3), NAMES[i]) for i in range(self.rng.choice((1, 2, 3)))])

    # ---- VALUES and set operations ----

    def values(self):
        rng = self.rng
        g = Generator(rng, [], None, self.pool)
        classes = [rng.choices(CLASSES, (30, 20, 12, 12, 10, 8, 6, 3, 3, 0, 2, 2))[0] for _ in range(rng.choice((1, 2, 3)))]
        columns = []
        count = rng.choice((1, 2, 3, 5))
        for klass in classes:
            first = g.expr(klass, 1)
            cells = [first]
            for _ in range(count - 1):
                e = g.expr(klass, rng.choice((0, 0, 1)))
                cells.append(e if e.type == first.type else (cast(e, first.type) if cast_fits(e, first.type) else first))
            columns.append(cells)
        return Values([list(row) for row in zip(*columns)])

    def comparable(self, query):
        """May its rows be told apart the same way by both engines?"""
        return isinstance(query, Select) and all(e.exact and e.type.kind != "interval" for e, _ in query.items)

    def set_operation(self, depth):
        rng = self.rng
        left = self.select(0)
        if not self.comparable(left):
            return left
        columns = self.relation(0)
        g = self.generator(columns.columns)
        items = []
        for e, name in left.items:
            other = g.expr(e.type.klass, rng.choice((0, 0, 1, 2)))
            if other.type != e.type and cast_fits(other, e.type):
                other = cast(other, e.type)
            if other.type != e.type:
                other = self.typed_null(e.type)
            items.append((other, name))
        right = Select(items, columns.source, where=g.condition(2) if rng.random() < 0.5 else None)
        word = rng.choice(("UNION", "UNION", "INTERSECT", "EXCEPT")) + rng.choice(("", " ALL"))
        made = SetOperation(word, left, right)
        if depth > 1 and rng.random() < 0.2:
            made = SetOperation(rng.choice(("UNION", "UNION ALL", "EXCEPT", "INTERSECT ALL")), made, self.repeated(left))
        return made

    def repeated(self, query):
        """Another query with the same columns: constants."""
        return Select([(self.typed_null(e.type), name) for e, name in query.items])

    def typed_null(self, t):
        from .literals import null
        return null(self.rng, t)

    # ---- ORDER BY, LIMIT ----

    def put_tail(self, query):
        """LIMIT only where the order is total, or none of the rows would be the ones expected."""
        rng = self.rng
        if rng.random() < 0.55 or getattr(query, "distinct_on", 0):
            return
        count = len(query.types())
        exprs = [e for e, _ in query.items] if isinstance(query, Select) else []
        total = all(t.kind != "interval" for t in query.types()) and all(e.exact for e in exprs)
        if isinstance(query, SetOperation):
            total = all(t.kind != "interval" for t in query.types())
        order = list(range(count))
        rng.shuffle(order)
        wants_limit = total and rng.random() < 0.5
        if not wants_limit and rng.random() < 0.4:
            order = order[:1]
        order = [i for i in order if not exprs or exprs[i].exact]
        styles = ("number", "name") if isinstance(query, SetOperation) or count > 8 else ("number", "number", "name", "expression")
        if isinstance(query, Select) and query.distinct:
            styles = ("number", "name")
        orders = [Order(i, rng.random() < 0.4, rng.choice(("", "", "FIRST", "LAST")), rng.choice(styles)) for i in order]
        for o in orders:
            if o.style == "expression" and (not isinstance(query, Select) or not query.items[o.index][0].has_column()):
                o.style = "number"
        query.tail = Tail(orders)
        if len(orders) == count and rng.random() < 0.15:
            orders.sort(key=lambda o: o.index)
            for o in orders:
                o.descending, o.nulls, o.style = orders[0].descending, orders[0].nulls, "number"
            query.tail.by_all = True
        if wants_limit:
            query.tail.limit = rng.choice((0, 1, 2, 3, 5, 10, 50)) if rng.random() < 0.85 else None
            query.tail.offset = rng.choice((0, 1, 3, 20)) if rng.random() < 0.35 else None
            query.tail.fetch = rng.random() < 0.2


def star(rng, relation, g):
    """All columns of a table but one or two, or with one or two made anew."""
    columns = relation.columns
    count = rng.choice((1, 1, 2)) if rng.random() < 0.7 else 0
    left_out = rng.sample(range(len(columns)), min(len(columns) - 1, count))
    items = [(c, c.data[1]) for i, c in enumerate(columns) if i not in left_out]
    replaced = rng.sample(range(len(items)), min(len(items), rng.choice((1, 2)))) if not left_out or rng.random() < 0.4 else []
    for i in replaced:
        items[i] = (g.any(2), items[i][1])
    return Select(items, relation.source, excluded=[columns[i].data[1] for i in left_out], replaced=[items[i][1] for i in replaced])


def output_columns(query, alias):
    """The columns of a query, as a FROM item gives them."""
    if isinstance(query, Select):
        return [Expr("column", e.type, (), (alias, name), e.bound, e.exact, e.grain, e.special) for e, name in query.items]
    if isinstance(query, SetOperation):
        lefts, rights = output_columns(query.left, alias), output_columns(query.right, alias)
        for left, right, t in zip(lefts, rights, query.types()):
            left.type, left.bound = t, max(left.bound, right.bound)
            left.exact, left.grain = left.exact and right.exact, left.grain and right.grain
            left.special = left.special or right.special
        return lefts
    if isinstance(query, Stored):
        return [Expr("column", c.type, (), (alias, c.data[1]), c.bound, c.exact, c.grain, c.special) for c in query.columns]
    result = []
    for i, (name, t) in enumerate(zip(query.names(), query.types())):
        cells = [row[i] for row in query.rows]
        result.append(column(alias, name, t, max(c.bound for c in cells), all(c.exact for c in cells),
                             all(c.grain for c in cells), any(c.special for c in cells)))
    return result
