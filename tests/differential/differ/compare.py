"""Whether rows of the program are those of the oracle.

Rows are compared as multisets; columns of ORDER BY also in order. Numbers that are exact, text and
times must be equal to the last digit; floats that sums or libm make may differ a little (Rules).
"""
import math
import re
import struct
from collections import Counter

from . import types as T
from .query import Copy, Script, Select, SetOperation, Values
from .query_sql import PART

RELATIVE, ABSOLUTE = 1e-7, 1e-7


def column_kinds(query):
    """For each column: text, interval, f64, f32 (to the last bit), or about (floats of sums and libm)."""
    kinds = []
    exact = exactness(query)
    for t, is_exact in zip(query.types(), exact):
        if t.kind in T.FLOATS:
            kinds.append(t.kind if is_exact else "about")
        elif t.kind in ("interval", "date", "ts", "tsns", "tstz"):
            kinds.append("interval" if t.kind == "interval" else "time")
        else:
            kinds.append("fraction" if t.kind == "dec" and t.scale else "text")  # its digits may be fewer than its type says
    return kinds


def exactness(query):
    if isinstance(query, Copy):
        return exactness(query.query)
    if isinstance(query, Select):
        return [e.exact for e, _ in query.items]
    if isinstance(query, SetOperation):
        return [a and b for a, b in zip(exactness(query.left), exactness(query.right))]
    if isinstance(query, Values):
        return [all(row[i].exact for row in query.rows) for i in range(len(query.rows[0]))]
    return []


def expected_in_file(query, rows):
    """What a file can say of the rows: json has no NaN and no infinities."""
    floats = [i for i, t in enumerate(query.types()) if t.kind in T.FLOATS]
    if query.kind not in ("json", "jsonl") or not floats:
        return rows
    return [tuple(None if i in floats and cell is not None and not math.isfinite(cell) else cell for i, cell in enumerate(row)) for row in rows]


def number(value, kind):
    """A float that stands for itself; NaN as text, as it is equal to itself here; -0 is 0 (Rules)."""
    value = float(value)
    if math.isnan(value):
        return "nan"
    if kind == "f32" and math.isfinite(value):
        value = struct.unpack("f", struct.pack("f", value))[0]
    return value + 0.0


def duration(text):
    """An interval's text without the signs and plurals that the two write differently."""
    text = re.sub(r"(\d) (year|mon|day)s?\b", r"\1 \2", text.replace("months", "mon").replace("month", "mon").replace("mons", "mon"))
    return text.replace("+", "")


def fraction(text):
    """DuckDB writes decimals without whole digits as .5"""
    return text.replace(".", "0.", 1) if text.startswith((".", "-.")) else text


CELLS = {
    "fraction": fraction,
    "text": lambda v: v, "about": lambda v: number(v, "f64"), "f64": lambda v: number(v, "f64"), "f32": lambda v: number(v, "f32"),
    "interval": duration, "time": lambda v: v.replace(" (BC)", "") + " BC" if "(BC)" in v else v,
}


def convert(rows, kinds):
    plain = [i for i, kind in enumerate(kinds) if kind != "text"]
    if not plain:
        return [tuple(row) for row in rows]
    converted = []
    for row in rows:
        row = list(row)
        for i in plain:
            if row[i] is not None:
                row[i] = CELLS[kinds[i]](row[i])
        converted.append(tuple(row))
    return converted


def close(a, b):
    if a == b:
        return True
    if not isinstance(a, float) or not isinstance(b, float):
        return False
    return math.isclose(a, b, rel_tol=RELATIVE, abs_tol=ABSOLUTE)


def sort_key(row, kinds):
    """Exact columns first, so that near floats pair up; near ones in their order, so that of several each has its own."""
    exact = tuple((v is not None, str(v)) for v, k in zip(row, kinds) if k != "about")
    about = tuple((0 if v is None else 1 if isinstance(v, float) else 2, rough(v) if isinstance(v, float) else math.inf)  # 2: NaN, no infinity
                  for v, k in zip(row, kinds) if k == "about")
    return exact, about, tuple(v if isinstance(v, float) else math.inf for v, k in zip(row, kinds) if k == "about")


def rough(v):
    """Values that differ little, so that rows which differ in nothing else do not change places for it."""
    return 0.0 if abs(v) < 1e-6 else float(f"{v:.5g}")


def same_rows(ours, theirs, kinds):
    if "about" not in kinds:
        return Counter(ours) == Counter(theirs)
    if len(ours) != len(theirs):
        return False
    ours, theirs = (sorted(rows, key=lambda r: sort_key(r, kinds)) for rows in (ours, theirs))
    return all(close(x, y) for a, b in zip(ours, theirs) for x, y in zip(a, b))


def parts_of(rows):
    """The rows of each of a script's queries, behind whose marks they are; a result's first line has its names."""
    parts = []
    for row in [[PART]] + rows:
        if row == [PART]:
            parts.append([])
        else:
            parts[-1].append(row)
    return [part[2:] for part in parts]


def script_differs(script, ours, theirs):
    queries, parts = script.queries(), parts_of(ours)
    if len(parts) != len(queries):
        return f"rows of {len(parts)} queries, not of {len(queries)}"
    for number, (query, mine, expected) in enumerate(zip(queries, parts, theirs)):
        why = differs(query, mine, expected)
        if why:
            return f"query {number + 1}: {why}"
    return ""


def differs(query, ours, theirs):
    """Why the rows differ, or "". `ours`: lists of text; `theirs`: the oracle's tuples, for each of a script's queries."""
    if isinstance(query, Script):
        return script_differs(query, ours, theirs)
    if isinstance(query, Copy):
        theirs = expected_in_file(query, theirs)
    kinds = column_kinds(query)
    if any(len(row) != len(kinds) for row in ours):
        return "another number of columns"
    try:
        ours = convert(ours, kinds)
    except ValueError as error:
        return f"no number: {error}"
    theirs = convert(theirs, kinds)
    if len(ours) != len(theirs):
        return f"{len(ours)} rows, not {len(theirs)}"
    if not same_rows(ours, theirs, kinds):
        return "other values"
    keys = [o.index for o in query.tail.order if kinds[o.index] not in ("about", "interval")]  # 30 days are a month
    leading = []
    for o in query.tail.order:
        if o.index not in keys:
            break
        leading.append(o.index)
    if [[row[i] for i in leading] for row in ours] != [[row[i] for i in leading] for row in theirs]:
        return "another order"
    return ""
