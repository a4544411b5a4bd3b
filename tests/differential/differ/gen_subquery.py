"""Random subqueries in expressions: scalar, EXISTS, IN, ANY, ALL; correlated or not."""
from . import gen_aggregate
from . import types as T
from .expr import Expr
from .gen_expr import Generator, meets
from .query import Derived, Order, Select, SetOperation, Tail

COMPARISONS = ("=", "<>", "<", "<=", ">", ">=")


class Subqueries:
    """A part of QueryGenerator."""

    def subquery(self, kind, klass, outer):
        """A subquery of the class within an expression of the generator `outer`; None: not this time."""
        if self.budget <= 0:
            return None
        self.budget -= 1
        relation = self.leaf(0) if kind in ("scalar", "exists") else self.leaf_of_columns()
        if relation.rows > 500:
            return None
        if kind == "scalar":
            return self.scalar(klass, relation, outer)
        g = self.generator(relation.columns)
        where = self.where(relation, g, outer)
        if kind == "exists":
            query = self.doubled(Select([(g.any(1), "a")], relation.source, where=where), outer)
            return Expr("query", T.BOOL, (), {"kind": "exists", "query": query})
        return self.compared(kind, klass, relation, g, where, outer)

    def compared(self, kind, klass, relation, g, where, outer):
        rng = self.rng
        if klass == "interval":
            return None
        plain = g if where is None else self.generator(relation.columns, subqueries=False)
        left, item = outer.expr(klass, 1), plain.expr(klass, rng.choice((0, 0, 1, 2)))
        item = g.same_type(item, left.type)
        t = T.common(left.type, item.type)
        if t is None or not (meets(left, t) and meets(item, t)):
            return None
        query = Select([(item, "a")], relation.source, where=where)
        query = self.doubled(query, outer)
        comparison = rng.choice(COMPARISONS) if kind in ("any", "all") else None
        return Expr("query", T.BOOL, [left], {"kind": kind, "query": query, "comparison": comparison})

    def doubled(self, query, outer):
        """Now and then a set operation, the other side of which refers to the outer query as well."""
        rng, (item, name) = self.rng, query.items[0]
        if rng.random() > 0.08 or item.type.kind == "interval" or not item.exact:
            return query
        relation = self.leaf(0)
        g = self.generator(relation.columns, subqueries=False)  # rules.py: subqueries in what a correlated IN reads
        other = g.same_type(g.expr(item.type.klass, 1), item.type)
        if other.type != item.type:
            return query
        right = Select([(other, name)], relation.source, where=self.where(relation, g, outer))
        return SetOperation(rng.choice(("UNION", "UNION ALL", "EXCEPT", "INTERSECT")), query, right)

    def where(self, relation, g, outer):
        """A condition that refers to the outer query, or not."""
        rng = self.rng
        terms = []
        if outer.columns and rng.random() < 0.65:
            terms += self.correlation(relation, outer)
        if rng.random() < 0.4:
            terms.append(g.condition(2))
        if not terms:
            return None
        return terms[0] if len(terms) == 1 else Expr("and", T.BOOL, terms)

    def correlation(self, relation, outer):
        rng = self.rng
        pairs = []
        for a in relation.columns:
            for b in outer.columns:
                t = T.common(a.type, b.type)
                if t and a.exact and b.exact and b.op == "column" and b.data[0] and t.kind != "interval" and meets(a, t) and meets(b, t):
                    is_key = a.data[1] == b.data[1] and a.data[1] in "kmsd"
                    pairs += [(a, b)] * (8 if is_key else 1)
        if not pairs:
            return []
        made = []
        for _ in range(rng.choice((1, 1, 1, 2))):
            a, b = rng.choice(pairs)
            op = rng.choices(("eq", "lt", "ne"), (88, 8, 4))[0]
            made.append(Expr(op, T.BOOL, [a, b] if rng.random() < 0.6 else [b, a]))
        return made

    def scalar(self, klass, relation, outer):
        rng = self.rng
        inner = Generator(rng, relation.columns, None, self.pool)
        where = self.where(relation, inner, outer)
        draw = rng.random()
        if draw < 0.25:
            return self.first(klass, relation, inner)
        if draw < 0.5 and outer.columns:
            return self.looked_up(klass, relation, inner, outer)
        made = [gen_aggregate.aggregate(inner, k, 1) for k in (klass, klass, "int")]
        made = [e for e in made if e is not None]
        if not made:
            return None
        post = Generator(rng, made, None, self.pool)
        item = post.expr(klass, 2) if rng.random() < 0.55 else made[0]
        if item.type.klass != klass or not item.exact or not any(n.op == "aggregate" for n in item.walk()):
            return None
        if outer.columns and any(n.op == "in_list" for n in item.walk()):  # rules.py: the one row of no rows
            return None
        query = Select([(item, "a")], relation.source, where=where)
        return Expr("query", item.type, (), {"kind": "scalar", "query": query}, item.bound, True, item.grain, item.special)

    def looked_up(self, klass, relation, inner, outer):
        """The one row that has the outer row's key: of a derived table with a row for each."""
        keys = [(a, b) for a in relation.columns for b in outer.columns
                if a.exact and b.exact and b.op == "column" and b.data[0] and a.type == b.type and a.type.kind != "interval"]
        value = gen_aggregate.aggregate(inner, klass, 1)
        if not keys or value is None or not value.exact or value.type.klass != klass:
            return None
        key, other = self.rng.choice(keys)
        alias = self.alias()
        each = Derived(Select([(key, "a"), (value, "b")], relation.source, groups=[key]), alias)
        item = Expr("column", value.type, (), (alias, "b"), value.bound, True, value.grain, value.special)
        where = Expr("eq", T.BOOL, [Expr("column", key.type, (), (alias, "a"), key.bound, True, key.grain, key.special), other])
        query = Select([(item, "a")], each, where=where)
        return Expr("query", item.type, (), {"kind": "scalar", "query": query}, item.bound, True, item.grain, item.special)

    def first(self, klass, relation, inner):
        """The first of all rows: not correlated."""
        item = inner.expr(klass, 1)
        if item.type.kind == "interval" or not item.has_column():
            return None
        query = Select([(item, "a")], relation.source, tail=Tail([Order(0, self.rng.random() < 0.5)], 1))
        return Expr("query", item.type, (), {"kind": "scalar", "query": query}, item.bound, item.exact, item.grain, item.special)
