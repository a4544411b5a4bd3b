"""Queries on two to four ranks, and COPY, with a fault planted: the right rows, or one error that the fault explains."""
import os

from . import queries
from .scene import Check, Scene

KINDS = {"alloc": 6, "read": 2, "write": 2, "cancel": 3, "room": 4, "gone": 3, "silent": 1, "rubbish": 3}
NAMES = (*KINDS, "COPY", "PER_RANK", "PARTITION_BY", "CREATE TABLE", *queries.FORMS)
LOST = r"is gone|is lost|cannot reach the others|end came|has left"
SAID = {"alloc": r"no memory|want of memory|" + LOST, "read": r"could not read|cannot read|Input/output error|" + LOST, "write": r"No space left|could not|Input/output error|" + LOST,
        "cancel": r"cancelled|interrupted|" + LOST, "room": r"memory_limit", "gone": LOST, "silent": LOST, "rubbish": LOST + r"|a message whose checksum"}
NEAR = {"alloc": 6000, "read": 40, "write": 40, "cancel": 2000}  # of so many checks one fails


def scene(choices):
    found = queries.tables(choices, choices.pick((2000, 50, 20000)))
    return Scene(queries.files(found, choices.pick((20000, 500))), found)


def fault(choices, ranks):
    """(its kind, settings)"""
    kind = choices.weighted(KINDS)
    if kind in ("gone", "silent", "rubbish"):
        return kind, {"network_fault": f"{kind}:{choices.below(ranks)}:{choices.pick((1, 2, 5, 10, 20, 50)) + choices.below(5)}"}
    if kind == "room":
        return kind, {"PISTACHIO_FAULT": f"room:{choices.between(1, 9)}:every"}
    least = 1 + choices.below(choices.pick((NEAR[kind], 10, NEAR[kind] // 10)))
    return kind, {"PISTACHIO_FAULT": f"{kind}:{least}{choices.pick(('', '', ':always'))}"}


def check(choices, scene):
    form, sql = queries.query(choices)
    ranks = choices.between(2, 4)
    kind, planted = fault(choices, ranks)
    made = Check((kind, form), [sql], sql)
    if choices.chance(25):
        writing(choices, made, sql)
    made.words, made.seconds = queries.WORDS, 90
    made.settings = {"ranks": str(ranks), "distribute": "always", "threads": str(ranks * choices.between(1, 2)), **planted}
    if choices.chance(20):
        made.settings["message_size"] = "4KiB"
    if choices.chance(15):
        made.settings["memory_limit"] = "64MiB"
    made.may_fail = SAID[kind]
    return made


def writing(choices, made, sql):
    """Writes rows that are read again; of what fails no file stays."""
    how = choices.pick(("COPY", "PER_RANK", "PARTITION_BY", "CREATE TABLE"))
    made.covers += (how,)
    rows = f"SELECT id, k, s, g FROM a WHERE id IN (SELECT id FROM b) OR g > {choices.below(9)}"
    made.rows = f"SELECT count(*), sum(k), max(s), count(DISTINCT g) FROM ({rows}) q"
    if how == "CREATE TABLE":
        made.statements = [f"CREATE TABLE made AS {rows}", made.rows.replace(f"({rows})", "made")]
        return
    target = "made.parquet" if how == "COPY" else "made"
    options = {"COPY": "", "PER_RANK": " (PER_RANK)", "PARTITION_BY": " (PARTITION_BY (g))"}[how]
    made.statements = [f"COPY ({rows}) TO '{target}'{options}", made.rows.replace(f"({rows})", f"'{target}'")]
    made.look = lambda ran, folder: left_over(folder) if ran.status else ""


def left_over(folder):
    """Files that a failure leaves: the target may be there whole, where it was the query over it that failed."""
    hidden = [name for name in os.listdir(folder) if name not in ("a.parquet", "b.parquet", "made", "made.parquet", ".statements.sql", ".out", ".err")]
    return f"files are left: {hidden[:3]}" if hidden else ""
