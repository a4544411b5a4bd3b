"""Pistachio: SQL over Parquet files, in this process.

    import pistachio
    db = pistachio.connect("/data")              # a file, or a folder whose files become tables
    db.sql("select count(*) from orders")        # shown as a table
    db.sql("select * from orders where o_orderkey = ?", [7]).pl()

It needs adbc_driver_manager; Polars, pandas, pyarrow only where they are asked for.
"""
from __future__ import annotations

import os
import warnings
from typing import Any, Dict, Iterator, List, Mapping, Optional, Sequence, Tuple, Union

import adbc_driver_manager as _adbc

from . import _arrow, _errors, _interrupt
from ._arrow import Interval
from ._batch import Batch, Tensor
from ._errors import (DatabaseError, DataError, Error, IntegrityError, InterfaceError, InternalError, NotSupportedError,
                      OperationalError, ProgrammingError)
from ._table import render

__all__ = ["Batch", "Connection", "DataError", "DatabaseError", "Error", "IntegrityError", "InterfaceError", "InternalError",
           "Interval", "NotSupportedError", "OperationalError", "ProgrammingError", "Result", "Tensor", "connect", "library"]

Parameters = Union[Sequence[Any], Mapping[str, Any]]

_SHOWN_ROWS = 20


def library() -> str:
    """The shared library: PISTACHIO_LIBRARY, that of this package, or the system's."""
    own = os.path.join(os.path.dirname(__file__), "libpistachio.so.0")
    return os.environ.get("PISTACHIO_LIBRARY") or (own if os.path.exists(own) else "libpistachio.so.0")


def _options(path: Any, settings: Mapping[str, Any]) -> Mapping[str, str]:
    def text(value: Any) -> str:
        return str(value).lower() if isinstance(value, bool) else str(value)
    options = {"pistachio." + name: text(value) for name, value in settings.items()}
    return {**options, "path": os.fspath(path)} if path is not None else options


def connect(path: Union[str, "os.PathLike[str]", None] = None, **settings: Any) -> "Connection":
    """A session. path: a Parquet file, or a folder of them, which become tables; None: FROM 'file' still reads any.
    settings: as docs/CONFIG.md lists them: connect("/data", memory_limit="4GB", threads=8)."""
    return Connection(path, settings)


class Connection:
    """A session: settings, views and registered frames are its own. Several results may be open at once."""

    def __init__(self, path: Any, settings: Mapping[str, Any]) -> None:
        with _errors.translated():
            self._database = _adbc.AdbcDatabase(driver=library(), **_options(path, settings))
            self._connection = _adbc.AdbcConnection(self._database)
        self._interrupts = _interrupt.Interrupts(library())

    def _statement(self) -> Any:
        with _errors.translated():
            return _adbc.AdbcStatement(self._connection)

    def _call(self, statement: Any, function: Any) -> Any:
        """Ctrl-C cancels it, and comes as KeyboardInterrupt."""
        return self._interrupts.call(self._connection, statement, function)

    def sql(self, text: str, parameters: Optional[Parameters] = None) -> "Result":
        """The statement's result, lazily: each use runs it. Parameters: ? or $1 by a list, $name by a mapping. A
        statement that returns no rows (COPY, SET, CREATE VIEW) runs at once."""
        result = Result(self, text, parameters)
        if not result.columns:
            result._drain()
        return result

    def register(self, name: str, frame: Any) -> None:
        """A table of what has __arrow_c_stream__: frames of Polars and pandas, tables of pyarrow. It is read now; the
        same name again replaces it."""
        statement = self._statement()
        try:
            statement.set_options(**{"adbc.ingest.target_table": name, "adbc.ingest.mode": "adbc.ingest.mode.replace",
                                     "adbc.ingest.temporary": "true"})
            statement.bind_stream(frame.__arrow_c_stream__())
            self._call(statement, statement.execute_update)
        finally:
            statement.close()

    @property
    def memory_exported(self) -> int:
        """Bytes of the engine's memory that results hold which were fetched and are still there."""
        with _errors.translated():
            return int(self._connection.get_option_int("pistachio.memory_exported"))

    def close(self) -> None:
        """Results that were fetched stay."""
        self._connection.close()
        self._database.close()

    def __enter__(self) -> "Connection":
        return self

    def __exit__(self, *_: Any) -> None:
        self.close()


class Result:
    """Rows of a statement. It holds none: each use runs the statement."""

    def __init__(self, connection: Connection, text: str, parameters: Optional[Parameters]) -> None:
        self._connection, self._text, self._parameters = connection, text, parameters
        statement = self._prepare()
        try:
            handle = connection._call(statement, statement.execute_schema)
            self._columns = _arrow.columns_of(_arrow.Schema.from_address(handle.address))
            for notice in statement.get_option("pistachio.notices").splitlines():
                warnings.warn(notice, stacklevel=3)
        finally:
            statement.close()

    @property
    def columns(self) -> List[str]:
        return [column.name for column in self._columns]

    # ---- Arrow, for whoever takes it ----

    def __arrow_c_schema__(self) -> Any:
        statement = self._prepare()
        try:
            return self._connection._call(statement, statement.execute_schema).__arrow_c_schema__()
        finally:
            statement.close()

    def __arrow_c_stream__(self, requested_schema: Any = None) -> Any:
        statement = self._prepare()
        try:
            return self._execute(statement).__arrow_c_stream__(requested_schema)
        finally:
            statement.close()  # the stream goes on

    def arrow(self) -> Any:
        """A pyarrow.Table."""
        import pyarrow
        return self._fetch(lambda stream: pyarrow.RecordBatchReader.from_stream(stream).read_all())

    def pl(self) -> Any:
        """A polars.DataFrame."""
        import polars
        return self._fetch(polars.DataFrame)

    def df(self) -> Any:
        """A pandas.DataFrame."""
        import pyarrow
        return self._fetch(lambda stream: pyarrow.RecordBatchReader.from_stream(stream).read_all().to_pandas())

    def torch(self) -> Dict[str, Any]:
        """A torch.Tensor of each column, by name: integers and floats without NULLs. A result of one batch is not copied,
        and must not be written to."""
        import torch
        parts: Dict[str, List[Any]] = {name: [] for name in self.columns}
        for batch in self.batches():
            for index, name in enumerate(self.columns):
                parts[name].append(torch.from_dlpack(batch[index]))
        empty = {column.name: _arrow.torch_type(column) for column in self._columns}
        return {name: tensors[0] if len(tensors) == 1 else torch.cat(tensors) if tensors
                else torch.empty(0, dtype=getattr(torch, empty[name])) for name, tensors in parts.items()}

    def batches(self) -> Iterator[Batch]:
        """Batches as they come, whose columns of numbers are DLPack tensors: numpy.from_dlpack(batch["x"])."""
        return self._read(lambda reader: (Batch(library(), reader.columns, array) for array in reader.arrays()))

    # ---- Python's own values ----

    def fetchall(self) -> List[Tuple[Any, ...]]:
        return [row for batch in self._batches() for row in batch]

    def fetchone(self) -> Optional[Tuple[Any, ...]]:
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

    # ---- running ----

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
        handle = self._connection._call(statement, statement.execute_query)[0]
        return self._connection._interrupts.stream(statement, handle)

    def _fetch(self, take: Any) -> Any:
        """What `take` makes of the stream; what fails in the stream is an Error, whatever `take` makes of it."""
        statement = self._prepare()
        try:
            results = self._execute(statement)
            try:
                return take(results)
            except Exception:
                failure = results.failure()
                if failure:
                    raise failure from None
                raise
        finally:
            statement.close()

    def _drain(self) -> None:
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
