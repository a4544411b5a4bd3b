"""Cuts a failing case down: settings, the statement's tree, then files, columns and rows.

A case stays as long as it fails in the same way: the same kind of failure, and for errors the same
message but for names and numbers.
"""
import copy
import time

from . import types as T
from .expr import Expr
from .literals import null
from .query import Copy, Derived, Join, Recursive, Script, Select, SetOperation, Table, Tail, Values, expressions, nodes, sources, walk


class Budget:
    """Time that may be spent on one case."""

    def __init__(self, seconds):
        self.end = time.monotonic() + seconds

    @property
    def is_spent(self):
        return time.monotonic() > self.end


# ---- candidates: (function that changes a copy of the query in place, or returns another) ----

def holders(query):
    """(object, attribute or index) of every place where a whole expression stands."""
    for q in walk(query):
        if isinstance(q, Values):
            for row in q.rows:
                for i in range(len(row)):
                    yield row, i
        if not isinstance(q, Select):
            continue
        for i in range(len(q.items)):
            yield ItemSlot(q.items, i), None
        for i in range(len(q.groups)):
            yield q.groups, i
        for name in ("where", "having"):
            if getattr(q, name) is not None:
                yield q, name
        for item in sources(q.source):
            if isinstance(item, Join) and item.on is not None:
                yield item, "on"


class ItemSlot:
    """The expression of a select item, which is kept with its name."""

    def __init__(self, items, index):
        self.items, self.index = items, index


def read(holder, key):
    if isinstance(holder, ItemSlot):
        return holder.items[holder.index][0]
    return holder[key] if isinstance(key, int) else getattr(holder, key)


def write(holder, key, e):
    if isinstance(holder, ItemSlot):
        holder.items[holder.index] = (e, holder.items[holder.index][1])
    elif isinstance(key, int):
        holder[key] = e
    else:
        setattr(holder, key, e)


def places(query):
    """All places of expressions, those inside expressions too."""
    for holder, key in holders(query):
        yield holder, key
        e = read(holder, key)
        for node in nodes(e):
            for i in range(len(node.args)):
                yield node.args, i
            if node.op == "aggregate" and node.data["filter"] is not None:
                yield FilterSlot(node), "filter"


class FilterSlot:
    def __init__(self, node):
        self.node = node

    @property
    def filter(self):
        return self.node.data["filter"]

    @filter.setter
    def filter(self, e):
        self.node.data = dict(self.node.data, filter=e)


def simple_literals(t):
    """Plain constants of a type, tried in place of an expression."""
    if t.kind == "bool":
        return [literal(t, "true"), literal(t, "false")]
    if t == T.I32:
        return [literal(t, "1", 1)]
    if t.kind == "text":
        return [literal(t, "'a'")]
    if t.is_number:
        return [literal(t, f"CAST(1 AS {t.sql()})")]
    return []


def literal(t, text, number=None):
    from .render import duckdb_type
    return Expr("literal", t, (), (text, f"CAST({text} AS {duckdb_type(t)})" if t != T.BOOL and t != T.TEXT else text, number), 1)


def replacements(e):
    """Smaller expressions of the same class."""
    import random
    for node in list(e.walk())[1:]:
        if node.type == e.type:
            yield node
    for arg in e.args:  # with its type, which what is around it was made for
        if arg.type.klass == e.type.klass and arg.type != e.type and e.op not in ("cast", "query"):
            yield Expr("cast", e.type, [arg], 1, e.bound, e.exact and arg.exact, e.grain and arg.grain, e.special or arg.special)
    if e.op not in ("literal", "bare", "column"):
        yield from simple_literals(e.type)
        yield null(random.Random(0), e.type)
    if e.op in ("and", "or", "coalesce", "greatest", "least", "in_list", "concat", "concat_skip") and len(e.args) > 2:
        for i in range(1 if e.op == "in_list" else 0, len(e.args)):
            yield Expr(e.op, e.type, e.args[:i] + e.args[i + 1:], e.data, e.bound, e.exact, e.grain, e.special)
    if e.op == "case" and len(e.args) > 3 and not e.data["subject"]:
        yield Expr(e.op, e.type, e.args[2:], e.data, e.bound, e.exact, e.grain, e.special)
        yield Expr(e.op, e.type, e.args[:2] + e.args[4:], e.data, e.bound, e.exact, e.grain, e.special)
    if e.op == "aggregate":
        if e.data["filter"] is not None:
            yield Expr(e.op, e.type, e.args, dict(e.data, filter=None), e.bound, e.exact)
        if e.data["distinct"]:
            yield Expr(e.op, e.type, e.args, dict(e.data, distinct=False), e.bound, e.exact)


def structural(query):
    """Changes of clauses: each a function that changes a copy of the query and may return another one."""
    count = sum(1 for _ in walk(query))
    for number in range(count):
        for change in (drop_tail, drop_order, drop_where, drop_having, drop_distinct, drop_ctes):
            yield lambda q, n=number, c=change: c(nth(q, n))
        for i in range(8):
            yield lambda q, n=number, i=i: drop_item(nth(q, n), i)
            yield lambda q, n=number, i=i: drop_group(nth(q, n), i)
            yield lambda q, n=number, i=i: drop_row(nth(q, n), i)
            yield lambda q, n=number, i=i: drop_step(nth(q, n), i)
        for side in ("left", "right"):
            yield lambda q, n=number, s=side: simplify_source(nth(q, n), s)
            yield lambda q, n=number, s=side: one_side(q, n, s)
        yield lambda q, n=number: unwrap(q, n)


def nth(query, number):
    for i, q in enumerate(walk(query)):
        if i == number:
            return q
    raise IndexError(number)


def drop_tail(q):
    q.tail = Tail()
    q.distinct_on = 0


def drop_order(q):
    if q.tail.limit is None and q.tail.offset is None:
        q.tail.order = q.tail.order[:-1]
        q.tail.by_all = False


def drop_where(q):
    q.where = None


def drop_having(q):
    q.having = None


def drop_distinct(q):
    q.distinct = False
    q.distinct_on = 0


def drop_ctes(q):
    q.ctes = q.ctes[:-1]


def drop_item(q, i):
    if isinstance(q, Select) and len(q.items) > 1 and i < len(q.items):
        del q.items[i]
        q.distinct_on -= i < q.distinct_on
        q.group_all, q.excluded, q.replaced, q.tail.by_all = False, None, [], False
        q.tail.order = [o for o in q.tail.order if o.index != i]
        for o in q.tail.order:
            o.index -= o.index > i
        if q.by_number:
            q.by_number = False


def drop_group(q, i):
    if isinstance(q, Select) and i < len(q.groups):
        del q.groups[i]
        q.by_number = q.group_all = False
        if q.sets == "SETS":
            q.set_list = [[k - (k > i) for k in group if k != i] for group in q.set_list]
        elif q.set_list:
            q.set_list -= i < q.set_list


def drop_row(q, i):
    if isinstance(q, Values) and len(q.rows) > 1 and i < len(q.rows):
        del q.rows[i]


def drop_step(q, i):
    """A statement of a script, or what a COPY is asked for."""
    if isinstance(q, Script) and len(q.steps) > 1 and i < len(q.steps):
        del q.steps[i]
        if not q.queries():
            raise ValueError("nothing is left to compare")
    if isinstance(q, Copy) and i < len(q.options):
        del q.options[list(q.options)[i]]


def simplify_source(q, side):
    if isinstance(q, Select) and isinstance(q.source, Join):
        q.source = getattr(q.source, side)
    elif isinstance(q, Select) and side == "left":
        q.source = None


def one_side(query, number, side):
    """A set operation becomes one of its sides, where it is the whole statement or a derived table."""
    q = nth(query, number)
    if not isinstance(q, SetOperation) or isinstance(q, Recursive):
        return None
    kept = getattr(q, side)
    if q is query:
        kept.ctes = kept.ctes or q.ctes
        return kept
    if kept.types() != q.types():  # those that the query around it was made for
        return None
    for parent in walk(query):
        if isinstance(parent, Select):
            for item in sources(parent.source):
                if isinstance(item, Derived) and item.query is q:
                    item.query = kept
    return None


def unwrap(query, number):
    """A query in the statement becomes the statement."""
    q = nth(query, number)
    if q is query or isinstance(query, Script) and query.zone:  # outside of the script it means something else
        return None
    if not q.ctes:  # it may read those before the one that it is in
        before = []
        for name, inner in query.ctes:
            if any(w is q for w in walk(inner)):
                break
            before.append((name, inner))
        q.ctes = before
    return q


# ---- the loop ----

def size(query):
    """Of its text; an exception where it cannot be written for both engines."""
    from .query_sql import ORACLE, OURS, query_sql, step_sql
    for step in query.steps if isinstance(query, Script) else ():
        step_sql(step, ORACLE)
    if not isinstance(query, Script):
        query_sql(query, ORACLE)
    return len(query_sql(query, OURS))


def attempt(query, change):
    """A changed copy, or None where the change does nothing."""
    try:
        changed = copy.deepcopy(query)
        result = change(changed)
        changed = result if result is not None and not isinstance(result, bool) else changed
        changed.is_risky = query.is_risky
        return changed if size(changed) < size(query) and is_sound(changed) else None
    except (IndexError, AttributeError, KeyError, TypeError, ValueError, RecursionError):
        return None


def is_sound(query):
    """Do the rows not depend on the engine? LIMIT needs a total order, any_value one value in each group."""
    for q in walk(query):
        has_limit = q.tail.limit is not None or q.tail.offset is not None or getattr(q, "distinct_on", 0)
        if has_limit and len({o.index for o in q.tail.order}) < len(q.types()):
            return False
        for e in expressions(q):
            for node in nodes(e):
                if node.op == "aggregate" and node.data["function"] in ("ANY_VALUE", "MODE") and not one_value(node, q):
                    return False
                if node.op == "aggregate" and node.data["function"] in ("ARG_MIN", "ARG_MAX") and not is_of_key(*node.args):
                    return False
    return True


def one_value(node, q):
    condition, arg = node.data["filter"], node.args[0]
    texts = [text(g) for g in getattr(q, "groups", [])]
    return (arg.is_literal or text(arg) in texts
            or condition is not None and condition.op == "eq" and text(condition.args[0]) == text(arg) and condition.args[1].is_literal)


def is_of_key(value, key):
    """Rows with equal keys have equal values."""
    return key.op == "column" and all(text(node) == text(key) for node in value.walk() if node.op == "column")


def text(e):
    from .render import sql
    return sql(e, 0)


def expression_changes(query):
    count = sum(1 for _ in places(query))
    for number in range(count):
        holder, key = next((h, k) for i, (h, k) in enumerate(places(query)) if i == number)
        e = read(holder, key)
        for i in range(sum(1 for _ in replacements(e))):
            yield lambda q, n=number, i=i: replace_nth(q, n, i)


def replace_nth(query, number, choice):
    holder, key = next((h, k) for i, (h, k) in enumerate(places(query)) if i == number)
    e = read(holder, key)
    write(holder, key, next(r for i, r in enumerate(replacements(e)) if i == choice))


def cut_statement(query, fails, budget):
    """The smallest query found that still fails. fails(list of queries) gives the first that does, or None."""
    is_changing = True
    while is_changing and not budget.is_spent:
        is_changing = False
        for source in (structural, expression_changes):
            while not budget.is_spent:
                found = first_that_fails(query, source(query), fails, budget)
                if found is None:
                    break
                query, is_changing = found, True
    return query


def first_that_fails(query, changes, fails, budget):
    """Tries changes by the handful, as a process runs many statements."""
    handful = []
    for change in changes:
        changed = attempt(query, change)
        if changed is not None:
            handful.append(changed)
        if len(handful) >= 24:
            found = fails(handful)
            if found is not None or budget.is_spent:
                return found
            handful = []
    return fails(handful) if handful else None


def inline_views(query, views):
    """The query with derived tables in place of views."""
    views = dict(views)

    def change(q):
        for inner in list(walk(q)):
            if isinstance(inner, Select):
                inner.source = inlined(inner.source, views)
    changed = copy.deepcopy(query)
    change(changed)
    return changed


def inlined(source, views):
    if isinstance(source, Join):
        source.left, source.right = inlined(source.left, views), inlined(source.right, views)
    if isinstance(source, Table) and source.name in views:
        return Derived(copy.deepcopy(views[source.name]), source.alias)
    return source


def names_used(query):
    return {item.name for q in walk(query) if isinstance(q, Select) for item in sources(q.source) if isinstance(item, Table)}


def columns_used(query):
    return {node.data[1] for q in walk(query) for e in expressions(q) for node in nodes(e) if node.op == "column"}
