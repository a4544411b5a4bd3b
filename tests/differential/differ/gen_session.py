"""Scripts: tables of the session made, added to, made anew and dropped, with queries between."""
from .query import NAMES, Script, Select, SetOperation, Step, Stored, Values
from .gen_expr import cast, cast_fits
from .literals import random_literal


class Scripts:
    """A part of QueryGenerator; self.ctes has the tables of the script, as what a query may read."""

    def script(self):
        rng = self.rng
        self.share_of_ctes = 0.75
        steps, has_view = [self.created("x0")], False
        for _ in range(rng.choice((1, 2, 2, 3, 4, 5))):
            there = [name for name, stored in self.ctes if isinstance(stored, Stored)]
            draw = rng.random()
            if draw < 0.2 or not there:
                name = rng.choice(("x0", "x1", "x2"))
                if has_view and name in there:  # it may read the table that was
                    continue
                steps.append(self.created(name))
            elif draw < 0.6:
                steps.append(self.inserted(rng.choice(there)))
            elif draw < 0.68 and not has_view:
                steps.append(self.dropped(rng.choice(there)))
            elif draw < 0.76:
                has_view = True
                steps.append(self.view())
            else:
                steps.append(Step("query", query=self.small_query()))
        steps.append(Step("query", query=self.small_query()))
        return Script([step for step in steps if step is not None])

    def small_query(self):
        self.budget = self.rng.choice((0, 0, 1))
        query = self.query(1)
        self.put_tail(query)
        return query

    def storable(self):
        """A query whose rows a table can hold."""
        self.budget = self.rng.choice((0, 0, 1))
        for _ in range(20):
            query = self.query(1)
            if all(t.kind != "interval" for t in query.types()):
                return query
        return self.select_of_table()

    def select_of_table(self):
        relation = self.table()
        return Select([(c, NAMES[i]) for i, c in enumerate(relation.columns[:4])], relation.source)

    def stored(self, name, query, names):
        from .gen_query import output_columns
        columns = output_columns(query, name)
        for c, given in zip(columns, names or query.names()):
            c.data = (name, given)
        self.forget(name)
        self.ctes.append((name, Stored(columns, 460)))  # INSERTs of joins with itself are not made: it would grow and grow

    def forget(self, name):
        self.ctes[:] = [pair for pair in self.ctes if pair[0] != name]

    def created(self, name):
        rng = self.rng
        query = self.storable()
        is_there = any(name == other for other, _ in self.ctes)
        names = [f"q{i}" for i in range(len(query.types()))] if rng.random() < 0.3 else None
        options = ("OR REPLACE " if is_there or rng.random() < 0.2 else "") + rng.choice(("", "TEMP ", "TEMPORARY "))
        self.stored(name, query, names)
        return Step("create", name, query, names, options=options)

    def view(self):
        """It is read like a table that was made of the rows it has by then, but it has those of later, too."""
        self.forget("y0")
        query = self.storable()
        self.ctes.append(("y0", query))
        return Step("view", "y0", query)

    def dropped(self, name):
        self.forget(name)
        return Step("drop", name, options=self.rng.choice(("", "IF EXISTS ")))

    def inserted(self, name):
        """Rows of a query or VALUES, into all columns or some."""
        rng = self.rng
        stored = dict(self.ctes)[name]
        columns = list(stored.columns)
        is_some = len(columns) > 1 and rng.random() < 0.3
        if is_some:
            columns = rng.sample(columns, rng.randint(1, len(columns) - 1))
        self.budget = 0
        if rng.random() < 0.3:
            query = self.values_for(columns)
        elif rng.random() < 0.2:
            query = SetOperation("UNION ALL", self.rows_for(columns, True), self.rows_for(columns, True))
        else:
            query = self.rows_for(columns)
        self.widen(columns, query)
        names = [c.data[1] for c in columns] if is_some or rng.random() < 0.2 else None
        return Step("insert", name, query, names, [c.type for c in columns])

    def widen(self, columns, query):
        """What is known of the table's columns, now that they have the query's values, too."""
        from .gen_query import output_columns
        for column, new in zip(columns, output_columns(query, "x")):
            column.bound, column.exact = max(column.bound, new.bound), column.exact and new.exact
            column.grain, column.special = column.grain and new.grain, column.special or new.special

    def fitting(self, e, t, is_strict):
        """The value for a column of the type: cast, or, unless strict, left to INSERT."""
        if e.type == t:
            return e
        if not cast_fits(e, t):
            return self.typed_null(t)
        return cast(e, t) if is_strict or self.rng.random() < 0.5 or e.is_literal else e

    def rows_for(self, columns, is_strict=False):
        rng = self.rng
        relation = self.relation(0)
        g = self.generator(relation.columns, subqueries=False)
        items = [(self.fitting(g.expr(c.type.klass, rng.choice((0, 0, 1, 2))), c.type, is_strict), NAMES[i]) for i, c in enumerate(columns)]
        return Select(items, relation.source, where=g.condition(2) if rng.random() < 0.4 else None)

    def values_for(self, columns):
        rng = self.rng
        rows = []
        for _ in range(rng.choice((1, 1, 2, 3))):
            cells = [random_literal(rng, c.type.klass) for c in columns]
            rows.append([cast(e, c.type) if e.type != c.type and cast_fits(e, c.type) else (e if e.type == c.type else self.typed_null(c.type))
                         for e, c in zip(cells, columns)])
        return Values(rows)
