"""DB-API 2.0 (PEP 249), by adbc_driver_manager: cursors that also fetch Arrow. Needs pyarrow or Polars.

Failures are this package's Error and the classes below it; Ctrl-C comes as KeyboardInterrupt."""
from __future__ import annotations

import functools
import threading
from typing import Any, Callable, List, Optional, Tuple, TYPE_CHECKING

from adbc_driver_manager import AdbcStatusCode
from adbc_driver_manager import dbapi as _dbapi
from adbc_driver_manager.dbapi import (BINARY, DATETIME, NUMBER, ROWID, STRING, Date, DateFromTicks, Time, TimeFromTicks,
                                       Timestamp, TimestampFromTicks, Warning, apilevel, paramstyle, threadsafety)

from . import _errors, _options, library
from ._errors import (DatabaseError, DataError, Error, IntegrityError, InterfaceError, InternalError, NotSupportedError,
                      OperationalError, ProgrammingError)

__all__ = ["BINARY", "DATETIME", "NUMBER", "ROWID", "STRING", "Connection", "Cursor", "DataError", "DatabaseError", "Date",
           "DateFromTicks", "Error", "IntegrityError", "InterfaceError", "InternalError", "NotSupportedError",
           "OperationalError", "ProgrammingError", "Time", "TimeFromTicks", "Timestamp", "TimestampFromTicks", "Warning",
           "apilevel", "connect", "paramstyle", "threadsafety"]


if TYPE_CHECKING:
    import pandas


def _translated(method: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(method)
    def call(self: Any, *arguments: Any, **named: Any) -> Any:
        self._is_cancelled = False
        try:
            try:
                with _errors.translated():
                    return method(self, *arguments, **named)
            except Exception as error:
                foreign = None if isinstance(error, Error) else _errors.of_foreign(error)
                if foreign:
                    raise foreign from None
                raise
        except Error as error:
            # The driver manager's handler takes the signal and cancels; Python does not see it.
            if (error.status_code == AdbcStatusCode.CANCELLED and not self._is_cancelled
                    and threading.current_thread() is threading.main_thread()):
                raise KeyboardInterrupt from None
            raise
    return call


class Cursor(_dbapi.Cursor):
    _is_cancelled = False

    def adbc_cancel(self) -> None:
        self._is_cancelled = True
        super().adbc_cancel()

    def _with_sums(self, rows: List[Tuple[Any, ...]]) -> List[Tuple[Any, ...]]:
        """The rows; sums of integers, which Arrow has as decimals of 38 digits, are int."""
        kinds = [str(column[1]) for column in self.description or ()]
        sums = {i for i, kind in enumerate(kinds) if kind == "decimal128(38, 0)"}
        if not sums:
            return rows
        return [tuple(int(value) if i in sums and value is not None else value for i, value in enumerate(row)) for row in rows]

    def fetchone(self) -> Optional[Tuple[Any, ...]]:
        """The next row, or None."""
        row = super().fetchone()
        return row if row is None else self._with_sums([row])[0]

    def fetchmany(self, size: Optional[int] = None) -> List[Tuple[Any, ...]]:
        """The next rows, at most `size` of them."""
        return self._with_sums(super().fetchmany(size))

    def fetchall(self) -> List[Tuple[Any, ...]]:
        """The rows that are left."""
        return self._with_sums(super().fetchall())

    def fetch_df(self) -> "pandas.DataFrame":
        """As Result.df()."""
        from . import _pandas
        frame: "pandas.DataFrame" = _pandas.frame_of(self.fetch_arrow_table())
        return frame


class Connection(_dbapi.Connection):
    _is_cancelled = False

    def cursor(self, *arguments: Any, **named: Any) -> Cursor:
        cursor: Any = super().cursor(*arguments, **named)
        cursor.__class__ = Cursor
        made: Cursor = cursor
        return made

    def adbc_cancel(self) -> None:
        self._is_cancelled = True
        super().adbc_cancel()


def _translate(kind: type, base: type) -> None:
    for name in dir(base):
        method = getattr(kind, name)
        if callable(method) and (name == "__next__" or not name.startswith("_")) and name not in ("adbc_cancel", "cursor", "close"):
            setattr(kind, name, _translated(method))


_translate(Cursor, _dbapi.Cursor)
_translate(Connection, _dbapi.Connection)


def connect(path: Any = None, *, autocommit: bool = True, **settings: Any) -> Connection:
    """As pistachio.connect."""
    with _errors.translated():
        connection: Any = _dbapi.connect(driver=library(), db_kwargs=dict(_options(path, settings)), autocommit=autocommit)
    connection.__class__ = Connection
    made: Connection = connection
    return made
