"""Folders named key=value whose values are spelled in every way, and COPY (PARTITION_BY), whose values come back as they were."""
import re
from collections import Counter

import pyarrow as pa

from .common import quoted, settings, text, written
from .scene import Check, Scene

FORMS = {"select": 4, "GROUP BY": 4, "equal": 4, "typed": 4, "IS NULL": 2, "LIKE": 2, "DISTINCT": 2, "join": 3, "off": 1, "hive_types": 3, "union_by_name": 2,
         "COPY again": 4, "COPY of values": 5, "APPEND": 2, "many": 1}
NAMES = tuple(FORMS)
DEFAULT = "__HIVE_DEFAULT_PARTITION__"  # NULL
SPELLINGS = {
    "integers": ("1", "2", "-5", "0", "1234", "99"),
    "digits": ("01234", "1234", "007", "7", "00", "0", "10"),
    "large": ("9223372036854775807", "9223372036854775808", "-9223372036854775808", "18446744073709551615", "123456789012345678901234567890", "5"),
    "signs": ("+5", "5", "-0", "0", "-7", "--7", "1_000", "1000"),
    "reals": ("1.0", "1", "1.50", "1.5", "1e3", "1000", "nan", "inf", ".5", "5."),
    "dates": ("2020-01-31", "1999-12-31", "0001-01-01", "2024-02-29"),
    "near dates": ("2020-1-31", "2020-01-31", "20200131", "2020-02-30", "2023-02-29", "2020-01-31T00", "02020-01-31"),
    "times": ("2020-01-31 10:00:00", "2020-01-31 10:00", "10:00:00", "2020-01-31"),
    "blanks": (" 1", "1 ", "1", "\t1", "", " "),
    "truths": ("true", "false", "t", "TRUE", "1", "0"),
    "texts": ("a", "A", "\u00e9", "x y", "it's", "a=b", "100%", "a/b", "", "NULL", "null", "a.b", ".", "..", "[x]", "*", "?", "\U0001f600", "%41", "q\\", '"', DEFAULT[:-1]),
    "hex": ("0x10", "16", "1f", "0b1"),
}
KEYS = ("k", "zip", "Month", "a b", "key.part", "select", "\u00fc", "n" * 70, "it's", "v_", "100%")
ROWS = 3


def escaped(raw, choices):
    """The name of a folder's part; some bytes that need no escape have one."""
    more = choices.pick(("", " '\"[]*?:", "abc1 é"))
    return "".join("".join(f"%{b:02X}" for b in c.encode()) if c in '/%=\\:\x00' or ord(c) < 32 or c in more or raw in (".", "..") else c for c in raw)


def some_values(choices):
    spellings = SPELLINGS[choices.pick(tuple(SPELLINGS))]
    if choices.chance(20):
        spellings += SPELLINGS[choices.pick(tuple(SPELLINGS))]
    found = choices.some(dict.fromkeys(spellings), 5)
    return found + ([None] if choices.chance(20) else [])


def scene(choices):
    keys = choices.some(KEYS, 2)
    values = [some_values(choices) for _ in keys]
    names = [{v: f"{escaped(key, choices)}={DEFAULT if v is None else escaped(v, choices)}" for v in some} for key, some in zip(keys, values)]
    has_key, files, rows = choices.chance(10), {}, []
    for first in values[0]:
        for second in values[1] if len(keys) > 1 else [None]:
            if files and choices.chance(20):
                continue
            folder = "p/" + "/".join(names[i][value] for i, value in enumerate((first, second)[:len(keys)]))
            number = len(files)
            columns = {"v": pa.array([100 * number + i for i in range(ROWS)], pa.int64())}
            if has_key:
                columns[keys[0]] = pa.array(["other"] * ROWS)
            files[f"{folder}/{choices.pick(('f', 'data_0', 'x=y'))}.parquet"] = written(pa.table(columns), row_group_size=2)
            rows += [[first, second][:len(keys)] + [100 * number + i] for i in range(ROWS)]
    return Scene(files, {}, {"keys": keys, "rows": rows, "values": values, "has_key": has_key})


def check(choices, scene):
    form = choices.weighted(FORMS)
    made = MAKERS[form](choices, scene.about)
    made.settings = settings(choices, percent=20)
    return made


def plain(form, sql, rows, **more):
    return Check((form,), [sql], rows, **more)


def source(choices):
    return choices.pick(("'p'", "'p/**/*.parquet'", "read_parquet('p')", "'p/'"))


def as_text(key):
    return f"CAST({quoted(key)} AS varchar)"


def listed(about):
    return ", ".join(map(as_text, about["keys"])) + ", v"


def one(choices, about):
    """(number of a key, its SQL, one of its values that is not NULL)"""
    i = choices.below(len(about["keys"]))
    return i, quoted(about["keys"][i]), choices.pick([v for v in about["values"][i] if v is not None])


def select(choices, about):
    return plain("select", f"SELECT {listed(about)} FROM {source(choices)}", about["rows"])


def group_by(choices, about):
    i, key, _ = one(choices, about)
    sums = Counter()
    for row in about["rows"]:
        sums[row[i]] += row[-1]
    return plain("GROUP BY", f"SELECT CAST({key} AS varchar), sum(v) FROM {source(choices)} GROUP BY {key}", [[k, n] for k, n in sums.items()])


def equal(choices, about):
    i, key, value = one(choices, about)
    how = choices.pick(("= {0}", "IN ({0}, 'zz')", "<> {0}"))
    right = [row for row in about["rows"] if row[i] is not None and (row[i] == value) != how.startswith("<>")]
    return plain("equal", f"SELECT {listed(about)} FROM {source(choices)} WHERE CAST({key} AS varchar) {how.format(text(value))}", right)


def is_integers(values):
    return all(v is None or re.fullmatch(r"0|-?[1-9]\d{0,17}", v) for v in values)


def is_dates(values):
    return all(v is None or re.fullmatch(r"(?!0000)\d{4}-\d\d-\d\d", v) and v not in ("2020-02-30", "2023-02-29") for v in values)


def present(about, i):
    return [row[i] for row in about["rows"]]


def typed(choices, about):
    """A condition on the key itself: of integers, dates and texts."""
    i, key, value = one(choices, about)
    values = present(about, i)
    kind = int if is_integers(values) else str
    literal = value if kind is int else f"date '{value}'" if is_dates(values + [value]) else text(value)
    if kind is int and not is_integers([value]) or is_dates(values) and not is_dates([value]):
        return select(choices, about)
    how, test = choices.pick((("=", lambda a, b: a == b), (">", lambda a, b: a > b), ("<=", lambda a, b: a <= b), ("<>", lambda a, b: a != b)))
    order = kind if kind is int else lambda v: v.encode()
    right = [row for row in about["rows"] if row[i] is not None and test(order(row[i]), order(value))]
    return plain("typed", f"SELECT {listed(about)} FROM {source(choices)} WHERE {key} {how} {literal}", right)


def is_null(choices, about):
    i, key, _ = one(choices, about)
    word = choices.pick(("", "NOT "))
    right = [row for row in about["rows"] if (row[i] is None) != bool(word)]
    return plain("IS NULL", f"SELECT {listed(about)} FROM {source(choices)} WHERE {key} IS {word}NULL", right)


def like(choices, about):
    i, key, value = one(choices, about)
    begin = re.sub(r"[%_\\]", "", value)[:1]
    right = [row for row in about["rows"] if row[i] is not None and row[i].startswith(begin)]
    return plain("LIKE", f"SELECT {listed(about)} FROM {source(choices)} WHERE CAST({key} AS varchar) LIKE {text(begin + '%')}", right)


def distinct(choices, about):
    i, key, _ = one(choices, about)
    values = set(present(about, i))
    if choices.chance(50):
        return plain("DISTINCT", f"SELECT count(DISTINCT {key}) FROM {source(choices)}", [[len(values - {None})]])
    return plain("DISTINCT", f"SELECT CAST({key} AS varchar) FROM (SELECT DISTINCT {key} FROM {source(choices)}) t", [[v] for v in values])


def join(choices, about):
    i, key, _ = one(choices, about)
    counts = Counter(present(about, i))
    del counts[None]
    return plain("join", f"SELECT count(*) FROM {source(choices)} a JOIN {source(choices)} b ON a.{key} = b.{key}", [[sum(n * n for n in counts.values())]])


def off(choices, about):
    return plain("off", "SELECT count(*), sum(v) FROM read_parquet('p/**', hive_partitioning => false)", [[len(about["rows"]), sum(r[-1] for r in about["rows"])]])


def hive_types(choices, about):
    i, key, _ = one(choices, about)
    kind = choices.pick(("varchar", "bigint") if is_integers(present(about, i)) else ("varchar",))
    right = [[row[i], row[-1]] for row in about["rows"]]
    return plain("hive_types", f"SELECT CAST({key} AS varchar), v FROM read_parquet('p', hive_types => {text(f'{key} {kind}')})", right)


def union_by_name(choices, about):
    return plain("union_by_name", f"SELECT {listed(about)} FROM read_parquet('p', union_by_name => true)", about["rows"])


def copied(choices, form, first, about, rows, tail=""):
    keys = ", ".join(map(quoted, about["keys"]))
    ending = choices.pick(("'again'", "'again/**'"))
    return Check((form,), [first.format(f"'again' (PARTITION_BY ({keys}){tail})"), f"SELECT {listed(about)} FROM {ending}"], rows)


def copy_again(choices, about):
    query = choices.pick(("FROM 'p'", "FROM 'p' ORDER BY v DESC", "FROM 'p' WHERE v >= 0"))
    return copied(choices, "COPY again", f"COPY (SELECT * {query}) TO {{0}}", about, about["rows"])


def values_sql(rows, names):
    items = ", ".join("(" + ", ".join("CAST(NULL AS varchar)" if v is None else text(v) if isinstance(v, str) else str(v) for v in row) + ")" for row in rows)
    return f"SELECT * FROM (VALUES {items}) t ({', '.join(map(quoted, names))})"


def copy_of_values(choices, about):
    query = values_sql(about["rows"], about["keys"] + ["v"])
    return copied(choices, "COPY of values", f"COPY ({query}) TO {{0}}".replace("{0}", "\0").replace("{", "{{").replace("}", "}}").replace("\0", "{0}"), about, about["rows"],
                  choices.pick(("", ", CODEC zstd", ", OVERWRITE_OR_IGNORE")))


def append(choices, about):
    made = copied(choices, "APPEND", "COPY (SELECT * FROM 'p') TO {0}", about, about["rows"] * 2, ", APPEND")
    made.statements.insert(0, made.statements[0])
    return made


def many(choices, about):
    """Folders by the hundred, of numbers and texts."""
    count = choices.between(300, 1600)
    key = choices.pick(("i", "'x' || i", "i * 1000003"))
    return Check(("many",), [f"COPY (SELECT {key} AS k, i AS v FROM range({count}) t(i)) TO 'many' (PARTITION_BY (k))",
                             "SELECT count(*), count(DISTINCT k), sum(v) FROM 'many'"], [[count, count, count * (count - 1) // 2]], seconds=20)


MAKERS = {"select": select, "GROUP BY": group_by, "equal": equal, "typed": typed, "IS NULL": is_null, "LIKE": like, "DISTINCT": distinct, "join": join, "off": off,
          "hive_types": hive_types, "union_by_name": union_by_name, "COPY again": copy_again, "COPY of values": copy_of_values, "APPEND": append, "many": many}
