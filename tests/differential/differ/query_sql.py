"""Queries as SQL of either engine."""
import re

from . import types as T
from .query import Copy, Derived, Join, Recursive, Script, Select, Series, SetOperation, Table, Values

OURS, ORACLE = 0, 1
PART = "@#"  # the column that stands before the rows of each of a script's queries


def from_sql(source, dialect):
    if isinstance(source, Series):
        args = [render().sql(e, dialect) for e in source.args]
        if dialect == OURS:
            return f"{source.ours.format(*args)} AS {source.alias}({source.column})"
        return f"({source.oracle.format(*args)}) {source.alias}({source.column})"
    if isinstance(source, Table):
        is_call = source.path.startswith("read_parquet(")
        name = (source.path if is_call else f"'{source.path}'") if source.path and dialect == OURS else source.name
        return f"{name} {source.alias}" if source.alias != source.name or source.path else name
    if isinstance(source, Derived):
        names = f"({', '.join(source.names)})" if source.names else ""
        return f"{'LATERAL ' if source.lateral else ''}({query_sql(source.query, dialect)}) {source.alias}{names}"
    left, right = from_sql(source.left, dialect), from_sql(source.right, dialect)
    if isinstance(source.right, Join):
        right = f"({right})"
    if source.kind == "comma":
        return f"{left}, {right}"
    word = "NATURAL " if source.natural else ""
    text = f"{left} {word}{source.kind} JOIN {right}"
    if source.on is not None:
        text += f" ON {render().sql(source.on, dialect)}"
    if source.using:
        text += f" USING ({', '.join(source.using)})"
    return text


def tail_sql(tail, query, dialect):
    text = ""
    if tail.by_all and dialect == OURS:
        o = tail.order[0]
        text += " ORDER BY ALL" + (" DESC" if o.descending else "") + (f" NULLS {o.nulls}" if o.nulls else "")
    elif tail.order:
        words = []
        for o in tail.order:
            key = str(o.index + 1)
            if o.style == "name":
                key = query.names()[o.index]
            elif o.style == "expression" and isinstance(query, Select):
                key = render().sql(query.items[o.index][0], dialect)
            words.append(key + (" DESC" if o.descending else "") + (f" NULLS {o.nulls}" if o.nulls else ""))
        text += " ORDER BY " + ", ".join(words)
    if tail.fetch and dialect == OURS:
        text += f" OFFSET {tail.offset} ROWS" if tail.offset is not None else ""
        return text + (f" FETCH FIRST {tail.limit} ROWS ONLY" if tail.limit is not None else "")
    text += f" LIMIT {tail.limit}" if tail.limit is not None else ""
    return text + (f" OFFSET {tail.offset}" if tail.offset is not None else "")


def select_sql(q, dialect):
    sql = render().sql
    items = ", ".join(f"{sql(e, dialect)} AS {name}" for e, name in q.items)
    if q.excluded is not None and dialect == OURS:
        items = star_sql(q)
    distinct = "DISTINCT " if q.distinct else ""
    if q.distinct_on:
        has_query = any(n.op == "query" for e, _ in q.items for n in e.walk())
        distinct = f"DISTINCT ON ({', '.join(str(i + 1) if has_query else sql(e, dialect) for i, (e, _) in enumerate(q.items[:q.distinct_on]))}) "
    text = f"SELECT {distinct}{items}"
    if q.source is not None:
        text += f" FROM {from_sql(q.source, dialect)}"
    if q.where is not None:
        text += f" WHERE {sql(q.where, dialect)}"
    if q.groups:
        keys = [str(i + 1) for i in range(len(q.groups))] if q.by_number else [sql(e, dialect) for e in q.groups]
        is_all = q.group_all and dialect == OURS and keys == [sql(e, dialect) for e, _ in q.items[:len(keys)]]
        text += f" GROUP BY {'ALL' if is_all else sets_sql(q, keys)}"
    if q.having is not None:
        text += f" HAVING {sql(q.having, dialect)}"
    return text


def star_sql(q):
    """All columns of a table but some, and some made anew."""
    words = [f"{q.source.alias}.*"] if q.source.alias else ["*"]
    if q.excluded:
        words.append(f"EXCLUDE ({', '.join(q.excluded)})")
    if q.replaced:
        made = [f"{render().sql(e, OURS)} AS {name}" for e, name in q.items if name in q.replaced]
        words.append(f"REPLACE ({', '.join(made)})")
    return " ".join(words)


def sets_sql(q, keys):
    """What stands behind GROUP BY."""
    if q.sets == "SETS":
        return "GROUPING SETS (" + ", ".join("(" + ", ".join(keys[i] for i in group) + ")" for group in q.set_list) + ")"
    before = q.set_list or 0
    parts = keys[:before] + ([f"{q.sets} ({', '.join(keys[before:])})"] if q.sets else keys[before:])
    return ", ".join(parts)


def side_sql(side, types, dialect):
    """A side of a set operation; for DuckDB with the columns' common types."""
    inner = query_sql(side, dialect)
    own = side.types()
    if dialect == ORACLE and own != types:
        names = [f"c{i}" for i in range(len(own))]
        casts = ", ".join(f"{render().as_type('x.' + n, a, b)} AS {n}" for n, a, b in zip(names, own, types))
        return f"(SELECT {casts} FROM ({inner}) x({', '.join(names)}))"
    is_plain = isinstance(side, (Select, Values)) and not side.ctes and not side.tail.order and side.tail.limit is None and side.tail.offset is None
    return inner if is_plain else f"({inner})"


def values_sql(q, dialect):
    types = q.types()
    rows = []
    for row in q.rows:
        cells = [render().sql(e, dialect) for e in row]
        if dialect == ORACLE:
            cells = [render().as_type(c, e.type, t) for c, e, t in zip(cells, row, types)]
        rows.append("(" + ", ".join(cells) + ")")
    text = "VALUES " + ", ".join(rows)
    if dialect == ORACLE:  # DuckDB calls the columns col0, col1
        return f"SELECT * FROM ({text}) v({', '.join(q.names())})"
    return text


def step_sql(step, dialect):
    """A statement of a script."""
    if step.word == "query":
        return query_sql(step.query, dialect)
    if step.word == "drop":
        return f"DROP TABLE {step.options}{step.name}"
    if step.word == "view":
        return f"CREATE OR REPLACE {'TEMP ' if dialect == ORACLE else ''}VIEW {step.name} AS {query_sql(step.query, dialect)}"
    names = f" ({', '.join(step.names)})" if step.names else ""
    if step.word == "insert":
        if dialect == ORACLE:  # which reads rows that the statement itself adds
            staged = f"CREATE OR REPLACE TEMP TABLE staged AS SELECT * FROM ({side_sql(step.query, step.types, ORACLE)})"
            return f"{staged};\nINSERT INTO {step.name}{names} SELECT * FROM staged"
        return f"INSERT INTO {step.name}{names} {query_sql(step.query, OURS)}"
    if dialect == ORACLE:
        every = step.names or step.query.names()
        return f"CREATE OR REPLACE TEMP TABLE {step.name} AS SELECT * FROM ({query_sql(step.query, ORACLE)}) made({', '.join(every)})"
    return f"CREATE {step.options}TABLE {step.name}{names} AS {without_json(step.query)}"


def without_json(query):
    """The query, whose texts that may be JSON are texts: a column of JSON takes no others."""
    sql = query_sql(query, OURS)
    texts = [name for name, t in zip(query.names(), query.types()) if t.kind == "text"]
    if not texts or not re.search(r"json|\bv[01]\b", sql):  # a view may have some
        return sql
    return f"SELECT * REPLACE ({', '.join(f'{name}::varchar AS {name}' for name in texts)}) FROM ({sql}) made"


def script_sql(script):
    """All statements, before each query's rows a mark; nothing is left behind."""
    lines, count = [script.zone] if script.zone else [], 0
    for step in script.steps:
        if step.word == "query":
            lines.append(f'SELECT {count} AS "{PART}"')
            count += 1
        lines.append(step_sql(step, OURS))
    for word in ("view", "create"):
        made = sorted({step.name for step in script.steps if step.word == word})
        lines += [f"DROP {'VIEW' if word == 'view' else 'TABLE'} IF EXISTS {name}" for name in made]
    if script.zone:
        lines.append("SET timezone = 'UTC'")
    return ";\n".join(lines)


def copy_sql(q):
    options = ", ".join(f"{name} {value}" for name, value in q.options.items())
    return f"COPY ({query_sql(q.query, OURS)}) TO '{q.path}'" + (f" ({options})" if options else "")


def query_sql(q, dialect):
    if isinstance(q, Script):
        return script_sql(q)
    if isinstance(q, Copy):
        return copy_sql(q) if dialect == OURS else query_sql(q.query, ORACLE)
    text = ""
    if q.ctes:
        text = "WITH RECURSIVE " if any(isinstance(inner, Recursive) for _, inner in q.ctes) else "WITH "
        text += ", ".join(f"{name} AS ({query_sql(inner, dialect)})" for name, inner in q.ctes) + " "
    if isinstance(q, SetOperation):
        types = q.types()
        text += f"{side_sql(q.left, types, dialect)} {q.word} {side_sql(q.right, types, dialect)}"
    else:
        text += values_sql(q, dialect) if isinstance(q, Values) else select_sql(q, dialect)
    return text + tail_sql(q.tail, q, dialect)


def compared_column(name, t):
    """A column of a result: floats as they are, all else as text."""
    if t.kind in T.FLOATS or t.kind == "text":
        return name
    return f"('\\x' || lower(hex({name})))" if t.kind == "blob" else f"CAST({name} AS VARCHAR)"


def oracle_sql(q):
    """The query for DuckDB, with columns that compare.py can hold against the program's text."""
    names = [f"c{i}" for i in range(len(q.types()))]
    columns = [compared_column(name, t) for name, t in zip(names, q.types())]
    return f"SELECT {', '.join(columns)} FROM ({query_sql(q, ORACLE)}) top({', '.join(names)})"


def render():
    """render.py and this file call each other."""
    from . import render as module
    return module
