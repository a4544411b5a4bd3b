"""What random queries read: tables, views, derived tables, common table expressions, joins."""
from dataclasses import dataclass

from . import gen_series, literals
from . import types as T
from .expr import Expr, column
from .query import NAMES, Derived, Join, Order, Select, Table, Tail, Values, expressions, nodes, walk

JOINS = ("INNER",) * 4 + ("LEFT",) * 4 + ("RIGHT",) * 2 + ("FULL",) * 2 + ("CROSS", "comma", "comma", "SEMI", "ANTI")


@dataclass
class Relation:
    source: object
    columns: list  # Expr("column")
    rows: float  # about how many


class Relations:
    """A part of QueryGenerator."""

    most_pairs = 200_000  # of rows of two items of FROM

    def alias(self):
        self.aliases += 1
        return f"r{self.aliases}"

    def relation(self, depth):
        """FROM of a select: one to three items."""
        rng = self.rng
        count = rng.choice((1, 1, 1, 2, 2, 3)) if depth > 0 else 1
        result = self.leaf(depth)
        for _ in range(count - 1):
            if rng.random() < 0.12:
                made = self.lateral(result)
                if made is not None:
                    result = made
                    continue
            other = self.leaf(depth - 1)
            if result.rows * other.rows > self.most_pairs:
                continue
            result = self.join(result, other)
        return result

    def leaf(self, depth):
        rng, draw = self.rng, self.rng.random()
        if self.ctes and draw < self.share_of_ctes:
            return self.named(*rng.choice(self.ctes))
        if self.views and rng.random() < 0.08:
            return self.named(*rng.choice(self.views))
        if depth > 0 and rng.random() < 0.12:
            return self.derived(depth)
        if rng.random() < 0.05:
            return self.series()
        return self.table()

    def series(self, most=300):
        source, made, rows = gen_series.constant(self.rng, self.alias(), most)
        return Relation(source, [made], rows)

    def leaf_of_columns(self):
        """A table, or a view or CTE in which there is no subquery."""
        relation = self.leaf(0)
        query = dict([*self.views, *self.ctes]).get(relation.source.name) if isinstance(relation.source, Table) else None
        return self.table() if query is not None and has_subquery(query) else relation

    def table(self):
        return self.of_table(self.rng.choice(self.tables))

    def of_table(self, table):
        alias = self.alias()
        columns = [table_column(alias, c) for c in table.columns]
        path = table.path if self.rng.random() < 0.1 else ""
        if table.calls and (not table.has_name or self.rng.random() < 0.3):
            path = self.rng.choice(table.calls).format(table.name)
        return Relation(Table(table.name, alias, path), columns, table.rows)

    def named(self, name, query):
        """A view or common table expression."""
        from .gen_query import output_columns
        alias = self.alias()
        return Relation(Table(name, alias), output_columns(query, alias), getattr(query, "rows", 100) if not isinstance(query, Values) else 5)

    def derived(self, depth):
        from .gen_query import output_columns, star
        alias = self.alias()
        if self.rng.random() < 0.1:
            table = self.table()
            if len(table.columns) > 1:
                query = star(self.rng, table, self.generator(table.columns, subqueries=False))
                return Relation(Derived(query, alias), output_columns(query, alias), table.rows)
        query = self.query(depth - 1)
        columns = output_columns(query, alias)
        names = None
        if not isinstance(query, Select) or self.rng.random() < 0.15:
            names = [f"x{i}" for i in range(len(columns))]
            for c, name in zip(columns, names):
                c.data = (alias, name)
        return Relation(Derived(query, alias, names), columns, 100)

    # ---- joins ----

    def lateral(self, left):
        """A query that reads columns of the items before it: of no table, some rows of one, the first of them, or their aggregates."""
        from . import gen_aggregate
        from .gen_query import output_columns
        rng = self.rng
        outer = self.generator([c for c in left.columns if c.data[0]], subqueries=False)
        relation = self.leaf_of_columns()
        if left.rows * relation.rows > 20_000 or not outer.columns:
            return None
        g = self.generator(relation.columns, subqueries=False)
        kind, tail, where = rng.choice(("none", "rows", "first", "aggregate", "series")), Tail(), self.where(relation, g, outer)
        if kind == "series":
            return self.lateral_series(left, outer)
        if kind == "none":
            items = [outer.any(2) for _ in range(rng.choice((1, 2)))]
            relation, where = Relation(None, [], 1), outer.condition(1) if rng.random() < 0.3 else None
        elif kind == "aggregate":
            items = [e for e in (gen_aggregate.aggregate(g, k, 1) for k in ("int", "text", "dec")) if e is not None][:2]
        else:
            items = [g.any(1) for _ in range(rng.choice((1, 2)))]
        if not items or (kind == "first" and not all(e.exact and e.type.kind != "interval" for e in items)):
            return None
        if kind == "first":
            tail = Tail([Order(i, rng.random() < 0.5, rng.choice(("", "FIRST"))) for i in range(len(items))], rng.choice((1, 2)))
        query, alias = Select([(e, NAMES[i]) for i, e in enumerate(items)], relation.source, where=where, tail=tail), self.alias()
        columns = output_columns(query, alias)
        if isinstance(left.source, Join) and left.source.kind == "comma":
            left.source.kind = "CROSS"
        join = rng.choice(("comma", "CROSS", "LEFT", "INNER"))
        on = literals.literal(T.BOOL, "true", "true") if join in ("LEFT", "INNER") else None
        if on is not None and rng.random() < 0.4:
            on = self.generator(outer.columns + columns, subqueries=False).condition(1)
        return Relation(Join(join, left.source, Derived(query, alias, lateral=True), on), outer.columns + columns, left.rows * max(1, relation.rows / 3))

    def lateral_series(self, left, outer):
        made = gen_series.of_columns(outer, self.alias())
        if made is None:
            return None
        source, counted = made
        if isinstance(left.source, Join) and left.source.kind == "comma":
            left.source.kind = "CROSS"
        join = self.rng.choice(("comma", "CROSS", "LEFT", "INNER"))
        on = literals.literal(T.BOOL, "true", "true") if join in ("LEFT", "INNER") else None
        return Relation(Join(join, left.source, source, on), outer.columns + [counted], left.rows * 4)

    def join(self, left, right):
        rng = self.rng
        kind = rng.choice(JOINS)
        if kind not in ("CROSS", "comma", "SEMI", "ANTI") and rng.random() < 0.15:
            made = self.using(kind, left, right)
            if made:
                return made
        # A merged column has no table's name: behind another join it may be ambiguous.
        columns = [c for c in left.columns + right.columns if c.data[0]]
        left.columns, right.columns = ([c for c in r.columns if c.data[0]] for r in (left, right))
        if isinstance(left.source, Join) and left.source.kind == "comma":
            left.source.kind = "CROSS"  # a comma binds less than JOIN, whose ON would not see the left table
        if kind in ("CROSS", "comma"):
            if left.rows * right.rows > 20_000:
                kind = "INNER"
            else:
                return Relation(Join(kind, left.source, right.source), columns, left.rows * right.rows)
        on, rows = self.condition_of(left, right)
        if kind in ("SEMI", "ANTI"):
            if isinstance(right.source, Join) or getattr(right.source, "names", None):
                kind = "INNER"  # its names would not be told from an alias
            else:
                return Relation(Join(kind, left.source, right.source, on), left.columns, left.rows)
        return Relation(Join(kind, left.source, right.source, on), columns, rows + left.rows + right.rows)

    def pairs(self, left, right):
        """Columns of both sides that may be compared, key columns first."""
        from .gen_expr import meets
        keys, others = [], []
        for a in left.columns:
            for b in right.columns:
                t = T.common(a.type, b.type)
                if t is None or not a.exact or not b.exact or t.kind == "interval" or not (meets(a, t) and meets(b, t)):
                    continue
                (keys if a.data[1] == b.data[1] and a.data[1] in "kmsd" else others).append((a, b))
        return keys, others

    def condition_of(self, left, right):
        """(the ON condition, rows that come out, about)"""
        rng = self.rng
        keys, others = self.pairs(left, right)
        terms, rows = [], left.rows * right.rows
        for _ in range(rng.choice((1, 1, 1, 2))):
            pool = keys if keys and (rng.random() < 0.8 or not others) else others
            if not pool:
                break
            a, b = rng.choice(pool)
            op = rng.choices(("eq", "is_not_distinct", "lt", "ge", "ne"), (80, 6, 5, 5, 2))[0]
            if op in ("lt", "ge", "ne") and rows > 20_000:
                op = "eq"
            sides = [a, b] if rng.random() < 0.7 else [b, a]
            terms.append(Expr(op, T.BOOL, sides))
            rows /= 3 if op in ("eq", "is_not_distinct") else 1.5
        if rows <= 20_000 and rng.random() < 0.2:
            terms = self.ranges_of(keys + others) + (terms if rng.random() < 0.4 else [])
        g = self.generator(left.columns + right.columns, subqueries=False)
        if rng.random() < 0.25 or not terms:
            terms.append(g.condition(2))
        return (terms[0] if len(terms) == 1 else Expr("and", T.BOOL, terms)), rows

    def ranges_of(self, pairs):
        """Inequalities between both sides: one, a band of one column, or an overlap of two."""
        rng = self.rng
        if not pairs:
            return []
        a, b = rng.choice(pairs)
        ops = ("lt", "le", "gt", "ge")
        terms = [Expr(rng.choice(ops), T.BOOL, [a, b])]
        if rng.random() < 0.7:
            opposite = rng.choice(ops[2:] if terms[0].op in ops[:2] else ops[:2])
            others = [pair for pair in pairs if (pair[0] is a) != (pair[1] is b)] or pairs
            c, d = rng.choice(others if rng.random() < 0.7 else pairs)
            terms.append(Expr(opposite, T.BOOL, [c, d] if rng.random() < 0.7 or opposite in ("gt", "ge") else [d, c]))
        return terms

    def using(self, kind, left, right):
        """USING and NATURAL: over derived tables that have the key columns and one more.

        A key's name stands alone, so it must not be one of a select's items, too, which DuckDB would take for it in WHERE."""
        rng = self.rng
        names = {c.data[1]: c for c in right.columns if c.exact and c.data[1] not in NAMES}
        shared = [c for c in left.columns if c.exact and c.data[1] in names and names[c.data[1]].type == c.type and c.type.kind != "interval"]
        if not shared:
            return None
        shared = list({c.data[1]: c for c in shared}.values())
        keys = rng.sample(shared, min(len(shared), rng.choice((1, 1, 2))))
        sides, columns = [], []
        for number, relation in enumerate((left, right)):
            alias = self.alias()
            others = [c for c in relation.columns if c.data[1] not in {k.data[1] for k in keys}][:3]
            items = [(k if number == 0 else names[k.data[1]], k.data[1]) for k in keys] + [(c, f"{'yz'[number]}{i}") for i, c in enumerate(others)]
            sides.append(Derived(Select(items, relation.source), alias))
            columns += [Expr("column", c.type, (), (alias, name), c.bound, c.exact, c.grain, c.special) for c, name in items[len(keys):]]
        for k in keys:
            other = names[k.data[1]]
            columns.append(Expr("column", k.type, (), (None, k.data[1]), max(k.bound, other.bound), True, k.grain and other.grain,
                                k.special or other.special))
        using = [k.data[1] for k in keys]
        is_natural = rng.random() < 0.3
        join = Join(kind, *sides, using=None if is_natural else using, natural=is_natural)
        return Relation(join, columns, left.rows * right.rows / 3 + left.rows)


def has_subquery(query):
    return any(node.op == "query" for q in walk(query) for e in expressions(q) for node in nodes(e))


def table_column(alias, c):
    return column(alias, c.name, c.type, c.bound, True, c.type.kind in T.FLOATS and not c.is_special, c.is_special)
