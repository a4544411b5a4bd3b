"""Recursive common table expressions that end: they count up to a limit, or their rows are each once and of few values."""
from collections import Counter

from . import types as T
from .expr import Expr, call
from .gen_from import Relation
from .literals import literal
from .query import NAMES, Join, Recursive, Select, Table

MOST = 6000  # rows of all rounds
LARGEST, LONGEST = 5000, 60  # of numbers and texts, so that a step's values may be read by the next


def number(n):
    return literal(T.I32, str(n), f"CAST({n} AS INTEGER)", n, n)


def fan(column):
    """How many rows one value has at most."""
    return max(Counter(v for v in column.values if v is not None).values(), default=1)


class RecursiveQueries:
    """A part of QueryGenerator."""

    def recursive(self, name):
        """None: the tables suit none."""
        rng = self.rng
        small = [t for t in self.tables if 0 < t.rows <= 70 and t.columns[0].name == "k"]
        if not small:
            return None
        if rng.random() < 0.35:
            return self.reached(name, rng.choice(small))
        return self.counted(name, rng.choice(small))

    def limited(self, t):
        return LONGEST if t.kind == "text" else (min(LARGEST, t.largest()) if t.is_number and t.kind not in T.FLOATS else LARGEST)

    def read(self, name, columns):
        """The rows of the round before, under a new alias."""
        alias = self.alias()
        return Relation(Table(name, alias), [Expr("column", c.type, (), (alias, NAMES[i]), c.bound, c.exact, c.grain, c.special)
                                             for i, c in enumerate(columns)], 100)

    # ---- each row once, of a table's values ----

    def reached(self, name, table):
        """Which values of a column lead to which others in the same or another column, as edges of a graph do."""
        rng = self.rng
        edges = self.of_table(table)
        usable = [c for c in edges.columns if c.type.kind not in ("interval", "blob", "bool") and not c.special]
        pairs = [(a, b) for a in usable for b in usable if a is not b and a.type == b.type]
        start, end = rng.choice(pairs) if pairs else (usable[0], usable[0])
        rest = [c for c in usable if c is not end][:rng.choice((0, 0, 1))]
        first = Select([(c, NAMES[i]) for i, c in enumerate([end] + rest)], edges.source,
                       where=self.generator(edges.columns, False).condition(1) if rng.random() < 0.4 else None)
        again = self.of_table(table)
        named = {c.data[1]: d for c, d in zip(edges.columns, again.columns)}
        before = self.read(name, [end] + rest)
        on = Expr("eq", T.BOOL, [named[start.data[1]], before.columns[0]])
        items = [named[end.data[1]]] + [rng.choice((named[c.data[1]], before.columns[i + 1])) for i, c in enumerate(rest)]
        sides = [again.source, before.source]
        step = Select([(c, NAMES[i]) for i, c in enumerate(items)], Join("INNER", *(sides if rng.random() < 0.5 else sides[::-1]), on))
        return Recursive("UNION", first, step)

    # ---- rounds that are counted ----

    def counted(self, name, table):
        rng = self.rng
        first, columns = self.first_rows()
        before = self.read(name, columns)
        counter, rounds, relation = before.columns[0], rng.choice((1, 2, 3, 5, 8)), before
        draw = rng.random()
        if draw < 0.6:
            joined, relation = self.joined(before, table)
            growth = max(1, joined)
            while rounds > 1 and 12 * growth ** rounds > MOST:
                rounds -= 1
            if 12 * growth > MOST:
                relation = before
        g = self.generator(relation.columns, subqueries=False)
        items = [call("add", T.I32, counter, number(1), bound=LARGEST)]
        items += [self.kept(g, c, before.columns[i + 1]) for i, c in enumerate(columns[1:])]
        where = Expr("lt", T.BOOL, [counter, number(rounds)])
        if rng.random() < 0.3:
            where = Expr("and", T.BOOL, [where, g.condition(1)])
        step = Select([(e, NAMES[i]) for i, e in enumerate(items)], relation.source, where=where, distinct=rng.random() < 0.15)
        if step.distinct and not all(e.exact for e in items):
            step.distinct = False
        word = "UNION" if all(e.exact for e in items) and rng.random() < 0.4 else "UNION ALL"
        return Recursive(word, first, step)

    def first_rows(self):
        """A counter of 0, and columns of a small table or constants."""
        rng = self.rng
        tiny = [t for t in self.tables if 0 < t.rows <= 12]
        relation = self.of_table(rng.choice(tiny)) if tiny and rng.random() < 0.75 else Relation(None, [], 1)
        g = self.generator(relation.columns, subqueries=False)
        made = []
        for _ in range(rng.choice((0, 1, 1, 2, 3))):
            e = g.any(rng.choice((0, 0, 1)))
            if e.type.kind == "dec" and not e.has_column():  # of constants the digits count, and the step must have the same
                continue
            if e.type.kind not in ("interval", "blob") and e.exact and not e.special and e.bound <= self.limited(e.type):
                made.append(e)
        first = Select([(e, NAMES[i]) for i, e in enumerate([number(0)] + made)], relation.source,
                       where=g.condition(1) if relation.source is not None and rng.random() < 0.3 else None)
        columns = [Expr("column", e.type, (), None, self.limited(e.type), True, e.grain, e.special) for e in made]
        return first, [Expr("column", T.I32, (), None, LARGEST)] + columns

    def joined(self, before, table):
        """(rows of each row, the rows before joined with the table or with themselves)"""
        from .gen_expr import meets
        rng = self.rng
        other = self.of_table(table)
        pairs = []
        for a in before.columns:
            for b, column in zip(other.columns, table.columns):
                t = T.common(a.type, b.type)
                if t == b.type and meets(a, t) and t.kind not in T.FLOATS + ("interval",) and a.exact and (t.kind != "tsns" or a.type == t):
                    pairs.append((a, b, fan(column)))
        pairs = [p for p in pairs if p[2] <= 12] or pairs
        if not pairs:
            return MOST, before
        a, b, rows = rng.choice(pairs)
        kind = rng.choice(("INNER", "INNER", "LEFT"))
        source = Join(kind, before.source, other.source, Expr("eq", T.BOOL, [a, b] if rng.random() < 0.5 else [b, a]))
        return rows, Relation(source, before.columns + other.columns, 100)

    def kept(self, g, column, own):
        """The next round's value: one that is not larger than all may be."""
        for _ in range(6):
            e = g.expr(column.type.klass, self.rng.choice((0, 1, 2)))
            e = g.same_type(e, column.type)
            if e.type == column.type and e.exact and not e.special and e.bound <= column.bound and (e.grain or not column.grain):
                return e
        return own
