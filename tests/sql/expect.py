#!/usr/bin/env python3
"""Writes the expected rows of query tests, asking PostgreSQL or DuckDB. See README.md."""
import csv
import datetime
import decimal
import io
import os
import re
import subprocess
import sys

NULL = "@NULL@"
MARK = "@@@@"


def blocks(text):
    """Paragraphs: lists of lines."""
    for part in re.split(r"\n\s*\n", text.strip("\n")):
        yield part.split("\n")


def split_block(lines):
    """(comment lines, head line, SQL lines, expected lines)"""
    comments = [line for line in lines if line.startswith("#")]
    lines = [line for line in lines if not line.startswith("#")]
    if not lines:
        return comments, "", [], []
    body = lines[1:]
    if "----" in body:
        at = body.index("----")
        return comments, lines[0], body[:at], body[at + 1 :]
    return comments, lines[0], body, []


def escape(cell):
    if cell is None:
        return "NULL"
    if cell == "":
        return "''"
    return cell.replace("\\", "\\\\").replace("\n", "\\n").replace("|", "\\|")


def create_table(head, sql):
    name, columns = re.match(r"table (\w+) *\((.*)\)", head).groups()
    return f"CREATE TABLE {name} AS SELECT * FROM ({sql}) AS source ({columns});"


def create_view(path, head, files):
    """Of Parquet files: for DuckDB alone."""
    files = os.path.join(os.path.dirname(os.path.abspath(path)), "..", "data", files)
    if os.path.isdir(files):
        files = os.path.join(files, "*.parquet")
    return f"CREATE VIEW {head[6:]} AS SELECT * FROM read_parquet('{files}');"


def cases_statement(template, lines):
    """The statement of a `cases` block: the template with each case, and its FROM; and the cases."""
    cases = [line.rsplit(" => ", 1)[0] for line in lines]
    values, _, source = "\n".join(template).partition("\nFROM ")
    statement = "SELECT " + ", ".join(values.replace("{}", case) for case in cases)
    return statement + (" FROM " + source if source else ""), cases


def ask_postgres(setup, queries):
    if not queries:
        return []
    script = ["\\set ON_ERROR_STOP on", f"\\pset null {NULL}", "SET timezone = 'UTC';", "BEGIN;"] + setup
    for zone, query in queries:
        script += [f"SET timezone = '{zone}';"]
        script += [f"\\echo {MARK}", f"{query} \\gdesc", f"\\echo {MARK}", f"{query};"]
    script += ["ROLLBACK;"]
    command = os.environ.get("PSQL", "psql").split() + ["-X", "-q", "--csv", "-d", "postgres"]
    done = subprocess.run(command, input="\n".join(script), capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"{done.stdout[-500:]}\n{done.stderr}")
    parts = done.stdout.split(MARK + "\n")[1:]
    results = []
    for types, rows in zip(parts[0::2], parts[1::2]):
        types = [row[1] for row in csv.reader(io.StringIO(types))][1:]
        result = []
        for row in list(csv.reader(io.StringIO(rows)))[1:]:
            cells = []
            for kind, cell in zip(types, row):
                if cell == NULL:
                    cell = None
                elif kind == "boolean":
                    cell = {"t": "true", "f": "false"}[cell]
                cells.append(cell)
            result.append(cells)
        results.append(result)
    return results


def duckdb_cell(value):
    if value is None:
        return None
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float):
        text = repr(value)
        return text[:-2] if text.endswith(".0") else text
    if isinstance(value, bytes):
        return "\\x" + value.hex()
    if isinstance(value, (int, decimal.Decimal, str, datetime.date, datetime.datetime)):
        return str(value)
    sys.exit(f"cannot print {value!r}")


def duckdb_rows(connection, query):
    """The last dates of Python stand for infinite ones, too: where there are some, DuckDB's own texts of times are taken."""
    rows = connection.execute(query).fetchall()
    kinds = (datetime.date, list, dict)
    if not any(isinstance(cell, kinds) and getattr(cell, "year", 1) in (1, 9999) for row in rows for cell in row):
        return [[duckdb_cell(cell) for cell in row] for row in rows]
    texts = connection.execute(f"SELECT COLUMNS(*)::VARCHAR FROM ({query})").fetchall()
    return [
        [text if isinstance(cell, kinds) else duckdb_cell(cell) for cell, text in zip(row, line)]
        for row, line in zip(rows, texts)
    ]


def ask_duckdb(setup, queries):
    if not queries:
        return []
    import duckdb

    connection = duckdb.connect()
    connection.execute("SET integer_division = true; SET default_null_order = 'nulls_last'")
    for statement in setup:
        connection.execute(statement)
    return [duckdb_rows(connection, query) for _, query in queries]


def main():
    for path in sys.argv[1:]:
        print(path)
        with open(path, encoding="utf-8") as file:
            parsed = [split_block(lines) for lines in blocks(file.read())]
        setup = [create_table(head, "\n".join(sql)) for _, head, sql, _ in parsed if head[:6] == "table "]
        views = [create_view(path, head, sql[0]) for _, head, sql, _ in parsed if head[:6] == "files "]
        asked = {"postgres": [], "duckdb": []}
        zone = "UTC"
        for index, (_, head, sql, lines) in enumerate(parsed):
            if head.split(" ")[0] == "zone":
                zone = head[5:]
            if head.split(" ")[0] in ("query", "cases"):
                text = "\n".join(sql) if head.split(" ")[0] == "query" else cases_statement(sql, lines)[0]
                query = (index, (zone, text))
                asked["duckdb" if "duckdb" in head else "postgres"].append(query)
        answers = {}
        for engine, ask in (("postgres", ask_postgres), ("duckdb", ask_duckdb)):
            results = ask(setup + (views if engine == "duckdb" else []), [query for _, query in asked[engine]])
            for (index, _), rows in zip(asked[engine], results):
                _, head, sql, lines = parsed[index]
                if head.split(" ")[0] == "cases":
                    values = zip(cases_statement(sql, lines)[1], rows[0])
                    answers[index] = [f"{case} => {escape(cell)}" for case, cell in values]
                else:
                    answers[index] = ["|".join(escape(cell) for cell in row) for row in rows]
        with open(path, "w", encoding="utf-8") as file:
            out = []
            for index, (comments, head, sql, expected) in enumerate(parsed):
                expected = answers.get(index, expected)
                has_rows = head.split(" ")[0] in ("query", "cases", "error")
                lines = comments + ([head] if head else []) + sql
                out.append("\n".join(lines + (["----"] + expected if has_rows else [])))
            file.write("\n\n".join(out) + "\n")


main()
