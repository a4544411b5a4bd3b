"""Pistachio: SQL over Parquet files, in this process.

    import pistachio
    db = pistachio.connect("/data")              # a file, or a folder whose files become tables
    db.sql("select count(*) from orders")        # shown as a table
    db.sql("select * from orders where o_orderkey = ?", [7]).pl()

It needs adbc_driver_manager; Polars, pandas, pyarrow only where they are asked for.
"""
from __future__ import annotations

import ctypes
import os
import sys
import warnings
import weakref
from typing import Any, Callable, Dict, Iterator, List, Mapping, Optional, Sequence, Tuple, TypeVar, Union, TYPE_CHECKING

import adbc_driver_manager as _adbc

from . import _arrow, _errors, _frames, _interrupt, _notebook
from ._arrow import Interval
from ._batch import Batch, Tensor
from ._cursor import Cursor
from ._errors import (DatabaseError, DataError, Error, IntegrityError, InterfaceError, InternalError, NotSupportedError,
                      OperationalError, ProgrammingError)
from ._table import render

if TYPE_CHECKING:
    import pandas
    import polars
    import pyarrow

__all__ = ["Batch", "Connection", "Cursor", "DataError", "DatabaseError", "Error", "IntegrityError", "InterfaceError", "InternalError",
           "Interval", "NotSupportedError", "OperationalError", "ProgrammingError", "Result", "Tensor", "connect", "library"]

T = TypeVar("T")
Parameters = Union[Sequence[Any], Mapping[str, Any]]
Scopes = Sequence[Mapping[str, Any]]

__version__: str

_SHOWN_ROWS = 20
_COUNTED_ROWS = 10000  # of a result that a notebook shows


def library() -> str:
    """The shared library: PISTACHIO_LIBRARY, that of this package, or the system's.

        pistachio.library()
    """
    own = os.path.join(os.path.dirname(__file__), "libpistachio.so.0")
    return os.environ.get("PISTACHIO_LIBRARY") or (own if os.path.exists(own) else "libpistachio.so.0")


def __getattr__(name: str) -> Any:
    """pistachio.dbapi, which needs pyarrow or Polars, when it is first asked for, and the library's version."""
    if name == "dbapi":
        import importlib
        return importlib.import_module(".dbapi", __name__)
    if name == "__version__":
        version = ctypes.CDLL(library()).pistachio_version
        version.restype = ctypes.c_char_p
        return version().decode()
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def _options(path: Any, settings: Mapping[str, Any]) -> Mapping[str, str]:
    def text(value: Any) -> str:
        return str(value).lower() if isinstance(value, bool) else str(value)
    options = {"pistachio." + name: text(value) for name, value in settings.items()}
    return {**options, "path": os.fspath(path)} if path is not None else options


def connect(path: Union[str, "os.PathLike[str]", None] = None, **settings: Any) -> "Connection":
    """A session. path: a Parquet file, or a folder of them, which become tables; None: FROM 'file' still reads any.
    settings: as docs/CONFIG.md lists them.

        db = pistachio.connect("/data", memory_limit="4GB", threads=8)
    """
    return Connection(path, settings)


class Connection:
    """A session: settings, views and registered frames are its own. Several results may be open at once."""

    def __init__(self, path: Any, settings: Mapping[str, Any]) -> None:
        with _errors.translated():
            self._database = _adbc.AdbcDatabase(driver=library(), **_options(path, settings))
            self._connection = _adbc.AdbcConnection(self._database)
        self._interrupts = _interrupt.Interrupts(library())
        self._shelf = _frames.Shelf(self.register, self._run)
        self._is_closed = False

    def _statement(self) -> Any:
        if self._is_closed:
            raise InterfaceError("the connection is closed")
        with _errors.translated():
            return _adbc.AdbcStatement(self._connection)

    def _call(self, statement: Any, function: Any) -> Any:
        """Ctrl-C cancels it, and comes as KeyboardInterrupt."""
        return self._interrupts.call(self._connection, statement, function)

    def _run(self, text: str) -> None:
        """Runs a statement that gives no rows."""
        statement = self._statement()
        try:
            statement.set_sql_query(text)
            self._call(statement, statement.execute_update)
        finally:
            statement.close()

    def _result(self, text: str, parameters: Optional[Parameters], scopes: Scopes) -> "Result":
        self._shelf.clear()
        result = Result(self, text, parameters, scopes)
        if not result.columns:
            result._drain()
        return result

    def sql(self, text: str, parameters: Optional[Parameters] = None) -> "Result":
        """The statement's result, lazily: each use runs it. Parameters: ? or $1 by a list, $name by a mapping. A
        statement that returns no rows (COPY, SET, CREATE VIEW) runs at once.

        A table that there is not may be a data frame: a variable of the caller that holds one of Polars, pandas, pyarrow or
        another result. It is read now; what becomes of it later is not in the result.

            db.sql("select count(*) from orders where o_orderkey < ?", [7]).fetchone()
            frame = db.sql("select o_orderkey as k from orders").df()
            db.sql("select max(k) from frame").fetchone()
        """
        caller = sys._getframe(1)
        return self._result(text, parameters, (caller.f_locals, caller.f_globals))

    def cursor(self) -> Cursor:
        """A cursor of PEP 249, for those who want one, as pandas does.

            pandas.read_sql("select * from orders where o_orderkey = ?", db, params=[7])
        """
        return Cursor(self)

    def commit(self) -> None:
        """Does nothing: there are no transactions, each statement is done when it has run.

            db.commit()
        """

    def rollback(self) -> None:
        """Does nothing: there are no transactions.

            db.rollback()
        """

    def register(self, name: str, frame: Any) -> None:
        """A table of what has __arrow_c_stream__: frames of Polars and pandas, tables of pyarrow. It is read now; the
        same name again replaces it.

            db.register("t", pyarrow.table({"x": [1, 2]}))
        """
        statement = self._statement()
        try:
            statement.set_options(**{"adbc.ingest.target_table": name, "adbc.ingest.mode": "adbc.ingest.mode.replace",
                                     "adbc.ingest.temporary": "true"})
            statement.bind_stream(frame.__arrow_c_stream__())
            self._call(statement, statement.execute_update)
        finally:
            statement.close()

    def cache(self, table: str, columns: Sequence[str] = ()) -> None:
        """Keeps columns of a table decoded for later statements of the process: all if none are named. What is kept,
        and of what size, db.sql("from pistachio_cache()") says.

            db.cache("orders", ["o_orderkey", "o_orderdate"])
        """
        def quoted(name: str) -> str:
            return '"' + name.replace('"', '""') + '"'
        names = f" ({', '.join(quoted(c) for c in columns)})" if columns else ""
        self._run(f"CACHE TABLE {quoted(table)}{names}")

    def clear_cache(self) -> None:
        """Forgets what is kept, for all connections of the process.

            db.clear_cache()
        """
        self._run("CLEAR CACHE")

    @property
    def memory_exported(self) -> int:
        """Bytes of the engine's memory that results hold which were fetched and are still there.

            db.memory_exported
        """
        with _errors.translated():
            return int(self._connection.get_option_int("pistachio.memory_exported"))

    def close(self) -> None:
        """Results that were fetched stay.

            db.close()
        """
        self._is_closed = True
        self._connection.close()
        self._database.close()

    def __enter__(self) -> "Connection":
        return self

    def __exit__(self, *_: Any) -> None:
        self.close()


class Result:
    """Rows of a statement. It holds none: each use runs the statement."""

    def __init__(self, connection: Connection, text: str, parameters: Optional[Parameters], scopes: Scopes) -> None:
        self._connection, self._text, self._parameters = connection, text, parameters
        self._frames: Dict[str, str] = {}  # the tables of data frames, by the names that the statement has for them
        weakref.finalize(self, connection._shelf.leave, self._frames)
        connection._shelf.find(self._frames, scopes, self._describe)

    def _describe(self) -> None:
        statement = self._prepare()
        try:
            handle = self._connection._call(statement, statement.execute_schema)
            self._columns = _arrow.columns_of(_arrow.Schema.from_address(handle.address))
            for notice in statement.get_option("pistachio.notices").splitlines():
                warnings.warn(notice, stacklevel=6)
        finally:
            statement.close()

    @property
    def columns(self) -> List[str]:
        """The names.

            db.sql("select * from orders").columns
        """
        return [column.name for column in self._columns]

    # ---- Arrow, for whoever takes it ----

    def __arrow_c_schema__(self) -> Any:
        statement = self._prepare()
        try:
            with self._connection._shelf.views(self._frames):
                return self._connection._call(statement, statement.execute_schema).__arrow_c_schema__()
        finally:
            statement.close()

    def __arrow_c_stream__(self, requested_schema: Any = None) -> Any:
        statement = self._prepare()
        try:
            return self._execute(statement).__arrow_c_stream__(requested_schema)
        finally:
            statement.close()  # the stream goes on

    def arrow(self) -> "pyarrow.Table":
        """A pyarrow.Table.

            db.sql("select * from orders").arrow().schema
        """
        import pyarrow
        table: "pyarrow.Table" = self._fetch(lambda stream: pyarrow.RecordBatchReader.from_stream(stream).read_all())
        return table

    def pl(self) -> "polars.DataFrame":
        """A polars.DataFrame.

            db.sql("select * from orders").pl().head()
        """
        import polars
        return self._fetch(polars.DataFrame)

    def df(self, exact: bool = False, categories: bool = False) -> "pandas.DataFrame":
        """A pandas.DataFrame, of types that can be plotted and computed with: decimals and sums of integers are float64,
        dates datetime64, intervals timedelta64 (a month is 30 days), integers with NULLs pandas' Int64.

        exact: decimals and sums are decimal.Decimal, dates datetime.date, intervals what pyarrow makes of them.
        categories: texts are categories.

            db.sql("select o_orderkey, o_orderstatus from orders").df(categories=True).describe()
        """
        from . import _pandas
        frame: "pandas.DataFrame" = _pandas.frame_of(self.arrow(), exact, categories)
        return frame

    def torch(self) -> Dict[str, Any]:
        """A torch.Tensor of each column, by name: integers and floats without NULLs; of lists of a fixed size of them a
        tensor of two dimensions. A result of one batch is not copied, and must not be written to.

            db.sql("select o_orderkey from orders").torch()["o_orderkey"]
        """
        import torch
        parts: Dict[str, List[Any]] = {name: [] for name in self.columns}
        for batch in self.batches():
            for index, name in enumerate(self.columns):
                parts[name].append(torch.from_dlpack(batch[index]))
        empty = {column.name: _arrow.torch_type(column) for column in self._columns}
        return {name: tensors[0] if len(tensors) == 1 else torch.cat(tensors) if tensors
                else torch.empty(empty[name][0], dtype=getattr(torch, empty[name][1])) for name, tensors in parts.items()}

    def batches(self) -> Iterator[Batch]:
        """Batches as they come, whose columns of numbers are DLPack tensors.

            for batch in db.sql("select o_orderkey from orders").batches():
                numpy.from_dlpack(batch["o_orderkey"])
        """
        batches: Iterator[Batch] = self._read(
            lambda reader: (Batch(library(), reader.columns, array) for array in reader.arrays()))
        return batches

    # ---- Python's own values ----

    def fetchall(self) -> List[Tuple[Any, ...]]:
        """The rows; sums of integers are int.

            db.sql("select o_orderstatus, count(*) from orders group by 1").fetchall()
        """
        with self._bar():
            return [row for batch in self._batches() for row in batch]

    def fetchone(self) -> Optional[Tuple[Any, ...]]:
        """The first row, or None.

            db.sql("select count(*) from orders").fetchone()
        """
        with self._bar():
            return next(iter(self), None)

    def __iter__(self) -> Iterator[Tuple[Any, ...]]:
        for batch in self._batches():
            yield from batch

    def __repr__(self) -> str:
        if not self._columns:
            return ""
        rows: List[Tuple[Any, ...]] = []
        batches = self._batches()
        for batch in batches:
            rows += batch
            if len(rows) > _SHOWN_ROWS:
                break
        batches.close()
        return render(self._columns, rows, _SHOWN_ROWS)

    def _repr_html_(self) -> str:
        """What a notebook shows."""
        if not self._columns:
            return ""
        rows: List[Tuple[Any, ...]] = []
        count, is_all = 0, True
        with self._bar():
            for more, length in self._read(lambda reader: reader.first(_SHOWN_ROWS)):
                rows += more
                count += length
                if count > _COUNTED_ROWS:
                    is_all = False
                    break
        return _notebook.table(self._columns, rows, count, is_all)

    # ---- running ----

    def _bar(self) -> _notebook.Bar:
        return _notebook.Bar(library(), self._connection._connection)

    def _prepare(self) -> Any:
        statement = self._connection._statement()
        try:
            statement.set_sql_query(self._text)
            if self._parameters is not None:
                row = _arrow.Row(self._parameters)
                self._row = row  # its memory stays until it was read
                statement.bind(row)
        except BaseException:
            statement.close()
            raise
        return statement

    def _execute(self, statement: Any) -> _interrupt.Results:
        with self._connection._shelf.views(self._frames):
            handle = self._connection._call(statement, statement.execute_query)[0]
        return self._connection._interrupts.stream(statement, handle)

    def _fetch(self, take: Callable[[_interrupt.Results], T]) -> T:
        """What `take` makes of the stream; what fails in the stream is an Error, whatever `take` makes of it."""
        statement = self._prepare()
        try:
            results = self._execute(statement)
            try:
                with self._bar():
                    return take(results)
            except Exception:
                failure = results.failure()
                if failure:
                    raise failure from None
                raise
        finally:
            statement.close()

    def _drain(self) -> None:
        with self._bar():
            for _ in self._batches():
                pass

    def _batches(self) -> Any:
        return self._read(_arrow.Reader.batches)

    def _read(self, take: Any) -> Any:
        """What `take` makes of the rows, one after the other."""
        statement = self._prepare()
        try:
            results = self._execute(statement)
            try:
                reader = _arrow.Reader(results.address)
                self._columns = reader.columns  # types that depend on parameters are known now
                yield from take(reader)
            finally:
                results.release()
        finally:
            statement.close()
