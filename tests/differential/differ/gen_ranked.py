"""Rows by their number in a window: the first of each partition, which need no sort of all."""
from . import types as T
from .expr import Expr
from .gen_aggregate import ROWS
from .gen_from import Relation
from .literals import literal
from .query import NAMES, Derived, Select

NUMBER = "rn"


def number(n):
    return literal(T.I64, f"{n}", f"CAST({n} AS INTEGER)", n, n) if n >= 0 else literal(T.I64, f"({n})", f"CAST({n} AS INTEGER)", n, -n)


def limits(rng, rn):
    """Conditions on the number."""
    n = number(rng.choice((1, 1, 2, 3, 5, 10, 100, 0, -1)))
    kind = rng.choice(("le", "le", "le", "lt", "eq", "turned", "between", "more"))
    if kind == "turned":
        return Expr(rng.choice(("ge", "gt")), T.BOOL, [n, rn])
    if kind == "between":
        return Expr("between", T.BOOL, [rn, number(rng.choice((0, 1, 2))), n], (False, False))
    if kind == "more":
        return Expr("and", T.BOOL, [Expr("ge", T.BOOL, [rn, number(2)]), Expr("le", T.BOOL, [rn, n])])
    return Expr(kind, T.BOOL, [rn, n])


class RankedQueries:
    """A part of QueryGenerator."""

    def ranked(self):
        """A query over a derived table with the number; None: the relation has no order that says which rows are first."""
        from .gen_query import output_columns
        rng = self.rng
        relation = self.relation(rng.choice((0, 0, 1)))
        plain = [c for c in relation.columns if c.exact and c.type.kind not in ("interval",) + T.FLOATS]
        if not plain:
            return None
        function = rng.choice(("ROW_NUMBER", "ROW_NUMBER", "RANK", "RANK", "DENSE_RANK"))
        partition = [rng.choice(plain) for _ in range(rng.choice((0, 1, 1, 2)))]
        order = [rng.choice(plain) for _ in range(rng.choice((1, 1, 2)))]
        kept = rng.sample(plain, min(len(plain), rng.choice((1, 2, 3, 5))))
        if function == "ROW_NUMBER":  # rows that are alike in all that is shown may be told apart in any way
            order += [c for c in kept if c not in order]
        directions = [(rng.random() < 0.5, rng.choice(("FIRST", "LAST"))) for _ in order]
        data = {"function": function, "counts": (0, len(partition), len(order), False), "directions": directions, "frame": ""}
        call = Expr("window", T.I64, partition + order, data, ROWS)
        items = [(c, NAMES[i]) for i, c in enumerate(kept)] + [(call, NUMBER)]
        where = self.generator(relation.columns).condition(2) if rng.random() < 0.3 else None
        inner, alias = Select(items, relation.source, where=where), self.alias()
        columns = output_columns(inner, alias)
        query = self.select_from(Relation(Derived(inner, alias), columns, min(relation.rows, 300)), rng.random() < 0.3, 0.2)
        terms = [limits(rng, columns[-1])] + ([query.where] if query.where is not None else [])
        query.where = terms[0] if len(terms) == 1 else Expr("and", T.BOOL, terms)
        return query
