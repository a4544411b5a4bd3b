"""What ran and agreed: counts for each function, aggregate, join, plan node, setting and type."""
import re
from collections import Counter

from . import areas, gen_aggregate, gen_folders, gen_ranked, lists
from . import types as T
from .expr import OURS
from .query import Copy, Derived, Join, Recursive, Script, Select, Series, SetOperation, Table, Values, expressions, nodes, sources, walk

# Names that nothing can have: only left, semi and anti joins are built on their left side (plan_choose_build_side).
NOT_MADE = {("plan", f"{join}, build left") for join in ("inner join", "right join", "full join", "null-aware anti join", "mark join", "single join")}
NOT_MADE.add(("plan", "grouping sets"))  # gone before a plan runs
SET_WORDS = ("UNION", "UNION ALL", "INTERSECT", "INTERSECT ALL", "EXCEPT", "EXCEPT ALL")
CLAUSES = ("WHERE", "GROUP BY", "HAVING", "DISTINCT", "ORDER BY", "LIMIT", "OFFSET", "WITH", "VALUES", "NULLS FIRST", "NULLS LAST",
           "ROLLUP", "CUBE", "GROUPING SETS", "GROUPING", "groups beside sets", "GROUP BY ALL", "ORDER BY ALL", "DISTINCT ON", "* EXCLUDE", "* REPLACE", "LATERAL",
           "derived table", "view", "path in FROM", "no FROM", "WITH RECURSIVE", "CREATE TABLE AS", "CREATE OR REPLACE TABLE AS", "INSERT SELECT", "INSERT VALUES", "DROP TABLE", "view in a script", "SET timezone",
           "COPY to parquet", "COPY to csv", "COPY to tsv", "COPY to json", "COPY to jsonl", "COPY of many rows", "COPY (PARTITION_BY)", "COPY (PER_RANK)",
           "table in folders", "columns by name", "table of dictionaries", "generate_series", "range", "series of a column", "number in a window limited", "rows of large pages", "skewed keys")
CODECS = ("none", "snappy", "gzip", "zstd", "brotli", "lz4", "lz4_raw")
SETTING_JOINS = ("INNER", "LEFT", "RIGHT", "FULL", "SEMI", "ANTI", "IN subquery", "NOT IN subquery", "EXISTS")
FORMS = ("CASE", "simple CASE", "BETWEEN", "BETWEEN SYMMETRIC", "CAST", "row comparison", "ANY/ALL (ARRAY)", "FILTER", "DISTINCT aggregate",
         "scalar subquery", "EXISTS", "IN subquery", "NOT IN subquery", "ANY subquery", "ALL subquery", "constants alone",
         "zone in a timestamp literal")
WINDOWS = lists.windows()
JOINS = ("INNER", "LEFT", "RIGHT", "FULL", "CROSS", "comma", "SEMI", "ANTI", "USING", "NATURAL")


def wanted():
    """All (kind, name) pairs that a run must have."""
    types = [T.Type(k).sql() if k != "dec" else "decimal" for k in T.ALL_KINDS]
    pairs = [("function", name) for name in lists.functions()] + [("aggregate", name) for name in lists.aggregates() if name not in gen_aggregate.COMPOSITES]
    pairs += [("aggregate of ordered rows", name) for name in gen_aggregate.COMPOSITES]
    pairs += [("window", name) for name in WINDOWS + ["aggregate"]]
    pairs += [("join", name) for name in JOINS] + [("set operation", name) for name in SET_WORDS]
    pairs += [("clause", name) for name in CLAUSES] + [("form", name) for name in FORMS]
    pairs += [("type", name) for name in types] + [("plan", name) for name in lists.plan_nodes()]
    pairs += [("setting", name) for name in lists.settings()]
    pairs += [("codec of COPY", name) for name in CODECS]
    pairs += [(kind, name) for kind in ("skewed keys over ranks", "join_table = open") for name in SETTING_JOINS]
    pairs += [("over ranks", name) for name in RANKED]
    pairs += [("area " + area, name) for area, module in areas.MODULES.items() for name in ("all", *module.NAMES)]
    return [pair for pair in pairs if pair not in NOT_MADE]


def of_expression(e, found):
    op = e.op
    found.add(("type", "decimal" if e.type.kind == "dec" else e.type.sql()))
    if op == "query":
        found.add(("form", {"scalar": "scalar subquery", "exists": "EXISTS"}.get(e.data["kind"], e.data["kind"].upper() + " subquery")))
    elif op == "aggregate":
        found.add(("aggregate of ordered rows" if e.data["function"] in gen_aggregate.COMPOSITES else "aggregate", e.data["function"]))
        if e.data["function"] == "APPROX_COUNT_DISTINCT":  # which is made of these
            found.update((("function", "COUPON"), ("function", "VALUES_OF_COUPONS")))
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
        elif isinstance(item, Series):
            found.add(("clause", item.ours.split("(")[0]))
            found.update({("clause", "series of a column")} if item.args else ())
        elif hasattr(item, "query"):
            found.add(("clause", "LATERAL" if item.lateral else "derived table"))
        elif item.path:
            found.add(("clause", "path in FROM"))
        elif item.name in views:
            found.add(("clause", "view"))
        if isinstance(item, Table) and item.name in SPECIAL_TABLES:
            found.add(("clause", SPECIAL_TABLES[item.name]))
        if isinstance(item, Derived) and gen_ranked.NUMBER in item.query.names():
            found.add(("clause", "number in a window limited"))


SPECIAL_TABLES = {gen_folders.FOLDERS: "table in folders", gen_folders.BY_NAME: "columns by name", gen_folders.DICTIONARIES: "table of dictionaries"}
RANKED = ("all", "table in folders", "columns by name", "table of dictionaries", "COPY (PARTITION_BY)", "number in a window limited", "WITH RECURSIVE", "CREATE TABLE AS", "INSERT SELECT", "COPY to parquet", "rows of large pages", "GROUP BY", "ORDER BY", "LIMIT")
THEMES = {"skewed": "skewed keys", "pages": "rows of large pages"}


def of_settings(found, chosen):
    """What a statement, of which of_query() has found that, covers by running with settings."""
    pairs = {("setting", name) for name in chosen}
    names = {name for _, name in found}
    is_ranked = chosen.get("ranks", "1") != "1" and chosen.get("distribute") != "never"
    if is_ranked:
        pairs.update(("over ranks", name) for name in RANKED if name == "all" or name in names)
    for kind, is_so in (("skewed keys over ranks", is_ranked and "skewed keys" in names), ("join_table = open", chosen.get("join_table") == "open")):
        pairs.update((kind, name) for name in SETTING_JOINS if is_so and name in names)
    return pairs


def of_step(step, found):
    if step.word == "create":
        found.add(("clause", "CREATE OR REPLACE TABLE AS" if "REPLACE" in step.options else "CREATE TABLE AS"))
    elif step.word == "insert":
        found.add(("clause", "INSERT VALUES" if isinstance(step.query, Values) else "INSERT SELECT"))
    elif step.word != "query":
        found.add(("clause", {"drop": "DROP TABLE", "view": "view in a script"}[step.word]))


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
        if isinstance(q, Recursive):
            found.add(("clause", "WITH RECURSIVE"))
        elif isinstance(q, SetOperation):
            found.add(("set operation", q.word))
        for step in q.steps if isinstance(q, Script) else ():
            of_step(step, found)
        if isinstance(q, Script) and q.zone:
            found.add(("clause", "SET timezone"))
        if isinstance(q, Copy):
            found.add(("clause", f"COPY to {q.kind}"))
            if q.kind == "parquet":
                found.add(("codec of COPY", next((v for k, v in q.options.items() if k in ("CODEC", "COMPRESSION")), "snappy")))
            found.update(("clause", f"COPY ({word})") for word in ("PARTITION_BY", "PER_RANK") if word in q.options)
            if q.query.theme == "many":
                found.add(("clause", "COPY of many rows"))
        if getattr(q, "theme", "") in THEMES:
            found.add(("clause", THEMES[q.theme]))
        if isinstance(q, Select):
            for word, there in (("WHERE", q.where), ("GROUP BY", q.groups), ("HAVING", q.having), ("DISTINCT", q.distinct),
                                ("ROLLUP", q.sets == "ROLLUP"), ("CUBE", q.sets == "CUBE"), ("GROUPING SETS", q.sets == "SETS"),
                                ("groups beside sets", q.sets in ("ROLLUP", "CUBE") and q.set_list), ("GROUP BY ALL", q.group_all),
                                ("DISTINCT ON", q.distinct_on), ("* EXCLUDE", q.excluded), ("* REPLACE", q.replaced), ("ORDER BY ALL", tail.by_all)):
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
