"""csv and JSON files as inputs, in many dialects: what DuckDB's sniffing finds in them is what is right."""
import datetime
import gzip
import json
import os
import random
import tempfile

import duckdb

from .common import settings
from .scene import Check, Scene

FORMS = {"select": 6, "aggregates": 4, "WHERE": 4, "GROUP BY": 3, "ORDER BY": 3, "join": 3, "COPY": 3, "CREATE TABLE": 3, "count": 2, "LIMIT": 1, "two files": 3}
KINDS = {"csv": 6, "json lines": 3, "json array": 1}
NAMES = (*FORMS, *KINDS, "gz", "no header", "quoted")
DAY = datetime.date(2020, 1, 31)
VALUES = {
    "integer": lambda r: r.randint(-50, 50), "bigint": lambda r: r.randint(-10 ** 14, 10 ** 14), "double": lambda r: r.randint(-80, 80) / 8, "boolean": lambda r: r.random() < 0.5,
    "text": lambda r: r.choice(("a", "b", "Zo\u00eb", "a longer text", "x y", "it's")), "odd text": lambda r: r.choice(("a,b", "say \"so\"", "two\nlines", " lead", "trail ", "a;b|c", "#1", "x")),
    "date": lambda r: DAY + datetime.timedelta(r.randint(-500, 500)), "timestamp": lambda r: datetime.datetime(2020, 1, 31, 12) + datetime.timedelta(seconds=r.randint(-10 ** 6, 10 ** 6)),
}


def shown(value, json_too=False):
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, datetime.datetime):
        return value.strftime("%Y-%m-%d %H:%M:%S")
    return str(value)


def rows_of(choices, kinds, count):
    r, nulls = random.Random(choices.seed()), choices.pick((0, 10, 40))
    return [[i, *(None if r.random() * 100 < nulls else VALUES[kind](r) for kind in kinds)] for i in range(count)]


def csv_text(choices, names, rows):
    """(text, what it covers)"""
    delimiter, end = choices.pick((",", ";", "|", "\t")), choices.pick(("\n", "\r\n"))
    has_header, quotes = choices.chance(75), choices.chance(30)

    def field(value):
        if value is None:
            return ""
        text = shown(value)
        needs = quotes and isinstance(value, str) or any(c in text for c in (delimiter, '"', "\n", "\r")) or text != text.strip() or text == ""
        return '"' + text.replace('"', '""') + '"' if needs else text
    lines = ([delimiter.join(names)] if has_header else []) + [delimiter.join(map(field, row)) for row in rows]
    covers = [*(["no header"] if not has_header else []), *(["quoted"] if quotes else [])]
    return end.join(lines) + (end if choices.chance(85) and lines else ""), covers


def json_text(choices, names, rows, is_array):
    drops = choices.chance(40)
    r = random.Random(choices.seed())
    records = []
    for row in rows:
        record = {name: value if isinstance(value, (bool, int, float, str, type(None))) else shown(value) for name, value in zip(names, row)}
        records.append({name: value for name, value in record.items() if name == "id" or not drops or value is not None or r.random() < 0.5})
    lines = [json.dumps(record, ensure_ascii=choices.chance(50)) for record in records]
    return "[" + ",\n".join(lines) + "]" if is_array else "".join(line + "\n" for line in lines)


def file_of(choices, number):
    """(name, bytes, what it covers)"""
    kinds = choices.some(tuple(VALUES), 6)
    names = ["id", *(f"c{i}" for i in range(len(kinds)))]
    rows = rows_of(choices, kinds, choices.weighted({7: 4, 1: 1, 60: 4, 3000: 2}))
    kind = choices.weighted(KINDS)
    text, covers = csv_text(choices, names, rows) if kind == "csv" else (json_text(choices, names, rows, kind == "json array"), [])
    data, ending = text.encode(), {"csv": "csv", "json lines": "jsonl", "json array": "json"}[kind]
    if choices.chance(20):
        data, ending, covers = gzip.compress(data), ending + ".gz", covers + ["gz"]
    return f"f{number}.{ending}", data, [kind, *covers]


def writer(data):
    def write(path):
        with open(path, "wb") as file:
            file.write(data)
    return write


def sniffed(name, data):
    """What DuckDB reads of the file."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, name)
        writer(data)(path)
        reader = "read_csv" if ".csv" in name else "read_json"
        connection = duckdb.connect()
        try:
            connection.execute("SET TimeZone='UTC'")
            return connection.sql(f"SELECT * FROM {reader}('{path}')").to_arrow_table()
        except duckdb.Error:
            return None  # of which it makes nothing
        finally:
            connection.close()


def scene(choices):
    found = Scene(about=[])
    for number in range(2):
        table = None
        while table is None:
            name, data, covers = file_of(choices, number)
            table = sniffed(name, data)
        found.files[name] = writer(data)
        found.clean[f"f{number}"] = table
        found.about.append((f"'{name}'", f"f{number}", covers, found.clean[f"f{number}"].column_names))
    return found


def check(choices, scene):
    form = choices.weighted(FORMS)
    ours, table, covers, names = choices.pick(scene.about)
    first = '"' + names[0] + '"'
    some = ", ".join(f'"{name}"' for name in choices.some(names, 4))
    last = '"' + choices.pick(names) + '"'
    sql = {"select": f"SELECT * FROM {{0}} WHERE {first} >= {choices.pick((0, 3, 50))}" if choices.chance(40) else "SELECT * FROM {0}", "count": "SELECT count(*) FROM {0}",
           "aggregates": f"SELECT count(*), count({last}), min({last}), max({last}), count(DISTINCT {last}) FROM {{0}}", "WHERE": f"SELECT {some} FROM {{0}} WHERE {last} IS {choices.pick(('NOT ', ''))}NULL",
           "GROUP BY": f"SELECT {last}, count(*) FROM {{0}} GROUP BY 1", "ORDER BY": f"SELECT {some} FROM {{0}} ORDER BY {first} DESC LIMIT {choices.between(1, 20)}",
           "join": f"SELECT count(*), max(a.{first}) FROM {{0}} a JOIN {{0}} b ON a.{last} = b.{last}", "COPY": f"SELECT {some} FROM {{0}}", "CREATE TABLE": "SELECT * FROM {0}",
           "LIMIT": f"SELECT count(*) FROM (SELECT {some} FROM {{0}} LIMIT {choices.between(0, 30)}) q",
           "two files": f"SELECT count(*), (SELECT count(*) FROM {{1}}) FROM {{0}} WHERE {first} IN (SELECT {{2}} FROM {{1}})"}[form]
    other = scene.about[1 if table == "f0" else 0]
    column = '"' + other[3][0] + '"'
    mine, theirs = sql.replace("{0}", ours).replace("{1}", other[0]).replace("{2}", column), sql.replace("{0}", table).replace("{1}", other[1]).replace("{2}", column)
    statements = [mine]
    if form == "COPY":
        statements = [f"COPY ({mine}) TO 'made.parquet'", "SELECT * FROM 'made.parquet'"]
    elif form == "CREATE TABLE":
        statements = [f"CREATE TABLE made AS {mine}", "SELECT * FROM made"]
    return Check((form, *covers), statements, theirs, names=names if form == "select" else None, settings=settings(choices, ranks=True, percent=30))
