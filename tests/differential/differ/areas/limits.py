"""Queries within little memory, few descriptors, a small stack, small files: the right rows, or one clear error."""
from . import queries
from .counts import MAKERS as COUNTS
from .scene import Check, Scene

KINDS = {"memory": 8, "memory on ranks": 4, "descriptors": 2, "stack": 3, "file size": 1, "address space": 1}
NAMES = (*KINDS, *queries.FORMS)
DEEP = ("terms", "parentheses", "calls", "CASE levels", "NOT", "levels", "scalar levels", "OR", "AND", "IN of expressions", "UNION ALL", "CASE")
MOST = 700  # MiB of a process whose memory_limit is at most a tenth of it


def scene(choices):
    found = queries.tables(choices, choices.pick((3000, 30000, 150000)))
    return Scene(queries.files(found, choices.pick((20000, 1000))), found)


def check(choices, scene):
    kind = choices.weighted(KINDS)
    if kind == "stack":
        return stack(choices)
    form, sql = queries.query(choices)
    made = Check((kind, form), [sql], sql, words=queries.WORDS, seconds=90)
    if kind.startswith("memory"):
        memory(choices, made, kind)
    elif kind == "descriptors":
        made.limits = {"NOFILE": choices.between(12, 40)}
        made.settings = {"ranks": choices.pick(("1", "3"))}
        made.may_fail = r"descriptor|Too many open files"
    elif kind == "file size":
        made.limits = {"FSIZE": choices.pick((4096, 100000))}
        made.settings = {"memory_limit": "16MiB"} if choices.chance(50) else {}
        if choices.chance(50):
            made.statements = ["COPY (SELECT * FROM a) TO 'made.parquet'", "SELECT count(*) FROM 'made.parquet'"]
            made.rows = "SELECT count(*) FROM a"
        made.may_fail = r"File too large|No space left"
    else:
        made.limits = {"AS": choices.between(100, 700) << 20}
        made.may_fail = r"no memory|memory_limit|could not start|Cannot allocate|want of memory|cannot be started"
    return made


def memory(choices, made, kind):
    made.settings = {"memory_limit": choices.pick(("16MiB", "17MiB", "24MiB", "40MiB", "64MiB")), "threads": choices.pick(("1", "2", "4"))}
    if kind == "memory on ranks":
        made.settings.update({"ranks": choices.pick(("2", "3")), "distribute": "always"})
    if choices.chance(20):
        made.settings["device"] = "simulated"
    made.mebibytes, made.may_fail = MOST, r"memory_limit"
    if choices.chance(20):
        made.statements = [f"CREATE TABLE made AS SELECT * FROM a ORDER BY {choices.pick(('s', 'x', 'd, k'))}", "SELECT count(*), sum(id), max(s) FROM made"]
        made.rows = "SELECT count(*), sum(id), max(s) FROM a"


def stack(choices):
    """Deep statements where the stack is small."""
    form = choices.pick(DEEP)
    sql, rows = COUNTS[form](choices, choices.pick((10, 100, 450, 900, 4000)))
    return Check(("stack",), [sql], rows, limits={"STACK": choices.pick((8192, 1024, 512)) << 10}, seconds=60, may_fail=r"deep|levels|stack|nested")
