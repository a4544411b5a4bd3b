"""What ran and agreed: counts for each function, aggregate, join, plan node, setting and type."""
import re
from collections import Counter

from . import gen_aggregate, lists
from . import types as T
from .expr import OURS
from .query import Join, Select, SetOperation, Values, expressions, nodes, sources, walk

# Names that nothing can have: only left, semi and anti joins are built on their left side (plan_choose_build_side).
NOT_MADE = {("plan", f"{join}, build left") for join in ("inner join", "right join", "full join", "null-aware anti join", "mark join", "single join")}
NOT_MADE.add(("plan", "grouping sets"))  # gone before a plan runs
SET_WORDS = ("UNION", "UNION ALL", "INTERSECT", "INTERSECT ALL", "EXCEPT", "EXCEPT ALL")
CLAUSES = ("WHERE", "GROUP BY", "HAVING", "DISTINCT", "ORDER BY", "LIMIT", "OFFSET", "WITH", "VALUES", "NULLS FIRST", "NULLS LAST",
           "ROLLUP", "CUBE", "GROUPING SETS", "GROUPING", "groups beside sets", "GROUP BY ALL", "ORDER BY ALL", "DISTINCT ON", "* EXCLUDE", "LATERAL",
           "derived table", "view", "path in FROM", "no FROM", "COPY to parquet", "COPY to csv")
FORMS = ("CASE", "simple CASE", "BETWEEN", "BETWEEN SYMMETRIC", "CAST", "row comparison", "ANY/ALL (ARRAY)", "FILTER", "DISTINCT aggregate",
         "scalar subquery", "EXISTS", "IN subquery", "NOT IN subquery", "ANY subquery", "ALL subquery", "constants alone",
         "zone in a timestamp literal")
WINDOWS = lists.windows()
JOINS = ("INNER", "LEFT", "RIGHT", "FULL", "CROSS", "comma", "SEMI", "ANTI", "USING", "NATURAL")


def wanted():
    """All (kind, name) pairs that a run must have."""
    types = [T.Type(k).sql() if k != "dec" else "decimal" for k in T.ALL_KINDS]
    pairs = [("function", name) for name in lists.functions()] + [("aggregate", name) for name in lists.aggregates()]
    pairs += [("aggregate of ordered rows", name) for name in gen_aggregate.COMPOSITES]
    pairs += [("window", name) for name in WINDOWS + ["aggregate"]]
    pairs += [("join", name) for name in JOINS] + [("set operation", name) for name in SET_WORDS]
    pairs += [("clause", name) for name in CLAUSES] + [("form", name) for name in FORMS]
    pairs += [("type", name) for name in types] + [("plan", name) for name in lists.plan_nodes()]
    pairs += [("setting", name) for name in lists.settings()]
    return [pair for pair in pairs if pair not in NOT_MADE]


def of_expression(e, found):
    op = e.op
    found.add(("type", "decimal" if e.type.kind == "dec" else e.type.sql()))
    if op == "query":
        found.add(("form", {"scalar": "scalar subquery", "exists": "EXISTS"}.get(e.data["kind"], e.data["kind"].upper() + " subquery")))
    elif op == "aggregate":
        found.add(("aggregate of ordered rows" if e.data["function"] in gen_aggregate.COMPOSITES else "aggregate", e.data["function"]))
        found.update(pair for pair, is_there in ((("form", "FILTER"), e.data["filter"]), (("form", "DISTINCT aggregate"), e.data["distinct"])) if is_there)
    elif op == "window":
        name = e.data["function"]
        found.add(("window", name if name in WINDOWS else "aggregate"))
    elif op == "case":
        found.add(("form", "simple CASE" if e.data["subject"] else "CASE"))
    elif op in ("cast", "varchar_cast"):
        found.add(("form", "CAST"))
    elif op == "between":
        found.add(("form", "BETWEEN SYMMETRIC" if e.data[1] else "BETWEEN"))
    elif op == "grouping":
        found.add(("clause", "GROUPING"))
    elif op == "row":
        found.add(("form", "row comparison"))
    elif op == "array":
        found.add(("form", "ANY/ALL (ARRAY)"))
    elif op in ("literal", "bare"):
        if "+02'" in e.data[OURS]:
            found.add(("form", "zone in a timestamp literal"))
    elif op != "column":
        found.add(("function", op.upper()))
        if e.args and not e.has_column():
            found.add(("form", "constants alone"))


def of_source(query, found, views):
    if query.source is None:
        found.add(("clause", "no FROM"))
    for item in sources(query.source):
        if isinstance(item, Join):
            found.add(("join", item.kind))
            found.update(("join", word) for word, there in (("USING", item.using), ("NATURAL", item.natural)) if there)
        elif hasattr(item, "query"):
            found.add(("clause", "LATERAL" if item.lateral else "derived table"))
        elif item.path:
            found.add(("clause", "path in FROM"))
        elif item.name in views:
            found.add(("clause", "view"))


def of_query(query, views=()):
    """What a statement covers, but for plan nodes and settings."""
    found = set()
    for q in walk(query):
        tail = q.tail
        for word, there in (("ORDER BY", tail.order), ("LIMIT", tail.limit is not None), ("OFFSET", tail.offset is not None), ("WITH", q.ctes),
                            ("VALUES", isinstance(q, Values))):
            if there:
                found.add(("clause", word))
        found.update(("clause", f"NULLS {o.nulls}") for o in tail.order if o.nulls)
        if isinstance(q, SetOperation):
            found.add(("set operation", q.word))
        if isinstance(q, Select):
            for word, there in (("WHERE", q.where), ("GROUP BY", q.groups), ("HAVING", q.having), ("DISTINCT", q.distinct),
                                ("ROLLUP", q.sets == "ROLLUP"), ("CUBE", q.sets == "CUBE"), ("GROUPING SETS", q.sets == "SETS"),
                                ("groups beside sets", q.sets in ("ROLLUP", "CUBE") and q.set_list), ("GROUP BY ALL", q.group_all),
                                ("DISTINCT ON", q.distinct_on), ("* EXCLUDE", q.excluded), ("ORDER BY ALL", tail.by_all)):
                if there:
                    found.add(("clause", word))
            of_source(q, found, views)
        for e in expressions(q):
            for node in nodes(e):
                of_expression(node, found)
    return found


def node_pattern(names):
    """What finds a node's name in a line of EXPLAIN, behind the estimate; of names that begin alike the longest."""
    found = sorted(names, key=len, reverse=True)
    return re.compile(r"\s*(?:[-\d.e+]+\s)?\s*(" + "|".join(re.escape(name) + ("" if "," in name else r"(?![\w,])") for name in found) + ")")


def of_plan(text, pattern):
    """The nodes that EXPLAIN's text has."""
    return {("plan", match.group(1)) for match in map(pattern.match, text) if match}


class Coverage:
    def __init__(self):
        self.counts = Counter()

    def add(self, found):
        self.counts.update(found)

    def missing(self, least):
        return [(pair, self.counts[pair]) for pair in wanted() if self.counts[pair] < least]

    def table(self):
        lines, kind_before = [], None
        for kind, name in wanted():
            if kind != kind_before:
                lines.append(f"  {kind}")
            kind_before = kind
            lines.append(f"    {name:32} {self.counts[(kind, name)]:8}")
        return "\n".join(lines)
