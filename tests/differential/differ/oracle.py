"""DuckDB over the same files: what the rows should be."""
import os
import threading
import time

import duckdb

from .files import columns_in
from .literals import key_literal
from .query import Script
from .query_sql import ORACLE, oracle_sql, query_sql, step_sql
from .render import duckdb_type

SETTINGS = ("SET threads=1", "SET TimeZone='UTC'", "SET default_null_order='nulls_last_on_asc_first_on_desc'",
            "SET preserve_insertion_order=true", "PRAGMA disable_optimizer", "SET memory_limit='2GB'")


class OracleError(Exception):
    """DuckDB gives no rows for the statement; the text is its message."""


class OracleBroken(OracleError):
    """DuckDB failed in itself, which says nothing of the statement."""


class Watch:
    """Interrupts what takes too long; one thread for all statements."""

    def __init__(self):
        self.connection, self.end = None, 0
        threading.Thread(target=self.loop, daemon=True).start()

    def loop(self):
        while True:
            time.sleep(0.25)
            connection = self.connection
            if connection is not None and time.monotonic() > self.end:
                connection.interrupt()

    def start(self, connection, seconds):
        self.end, self.connection = time.monotonic() + seconds, connection

    def stop(self):
        self.connection = None


class Oracle:
    """A DuckDB database in memory with the tables and views."""

    def __init__(self, seconds=3.0):
        self.seconds, self.connection, self.watch = seconds, None, Watch()

    def load(self, folder, tables, views=()):
        """Reads the tables' files into DuckDB's own tables, with the types that they are declared to have."""
        self.close()
        self.state = (folder, tables, views)
        self.connection = duckdb.connect()
        for setting in SETTINGS:
            self.connection.execute(setting)
        for table in tables:
            columns = ", ".join(f"{c.name} {duckdb_type(c.type)}" for c in table.columns)
            self.connection.execute(f"CREATE TABLE {table.name} ({columns})")
            for spec in table.files:
                path = os.path.join(folder, table.name, spec.name)
                self.connection.execute(f"INSERT INTO {table.name} SELECT {self.columns_of(table, spec)} FROM read_parquet('{path}', hive_partitioning=false)")
        self.add_views(views)

    def add_views(self, views):
        self.state = (*self.state[:2], list(self.state[2]) + [v for v in views if v not in self.state[2]])
        for name, query in views:
            self.connection.execute(f"CREATE VIEW {name} AS {query_sql(query, ORACLE)}")

    def columns_of(self, table, spec):
        """A file's columns, and what the names of folders say; NULL for what it has not."""
        there = columns_in(table, spec)
        return ", ".join(self.column_of(spec, c, there) for c in table.columns)

    def column_of(self, spec, c, there):
        if c.is_key and len(spec.rows):
            return key_literal(c.type, c.values[spec.rows[0]])
        return c.name if c in there else "NULL"

    def rows(self, query):
        """The rows, each value text or a float; of a script those of each query."""
        return self.script(query) if isinstance(query, Script) else self.run(oracle_sql(query))

    def script(self, script):
        found, left = [], {}
        try:
            for step in script.steps:
                if step.word == "query":
                    found.append(self.run(oracle_sql(step.query)))
                    continue
                for sql in step_sql(step, ORACLE).split(";\n"):
                    self.run(sql)
                if step.word in ("create", "view"):
                    left[step.name] = "VIEW" if step.word == "view" else "TABLE"
        finally:
            for name in sorted(left, key=left.get, reverse=True):
                self.run(f"DROP {left[name]} IF EXISTS {name}")
        return found

    def run(self, sql):
        self.watch.start(self.connection, self.seconds)
        try:
            return self.connection.execute(sql).fetchall()
        except (duckdb.InternalException, duckdb.FatalException) as error:
            self.load(*self.state)
            raise OracleBroken(str(error)) from error
        except duckdb.InterruptException as error:
            raise OracleBroken("took too long") from error
        except duckdb.Error as error:
            raise OracleError(str(error)) from error
        except UnicodeDecodeError as error:
            raise OracleBroken(str(error)) from error
        finally:
            self.watch.stop()

    def close(self):
        if self.connection is not None:
            self.connection.close()
            self.connection = None
