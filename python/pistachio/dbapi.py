"""DB-API 2.0 (PEP 249), by adbc_driver_manager: cursors that also fetch Arrow. Needs pyarrow or Polars.

Failures are this package's Error and the classes below it; Ctrl-C comes as KeyboardInterrupt."""
from __future__ import annotations

import functools
import threading
from typing import Any, Callable

from adbc_driver_manager import AdbcStatusCode
from adbc_driver_manager import dbapi as _dbapi
from adbc_driver_manager.dbapi import *  # noqa: F401,F403

from . import _errors, _options, library
from ._errors import (DatabaseError, DataError, Error, IntegrityError, InterfaceError, InternalError,  # noqa: F401
                      NotSupportedError, OperationalError, ProgrammingError)


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


class Connection(_dbapi.Connection):
    _is_cancelled = False

    def cursor(self, *arguments: Any, **named: Any) -> Cursor:
        cursor = super().cursor(*arguments, **named)
        cursor.__class__ = Cursor
        return cursor

    def adbc_cancel(self) -> None:
        self._is_cancelled = True
        super().adbc_cancel()


def _translate(kind: type, base: type) -> None:
    for name in dir(base):
        method = getattr(base, name)
        if callable(method) and (name == "__next__" or not name.startswith("_")) and name not in ("adbc_cancel", "cursor", "close"):
            setattr(kind, name, _translated(method))


_translate(Cursor, _dbapi.Cursor)
_translate(Connection, _dbapi.Connection)


def connect(path: Any = None, *, autocommit: bool = True, **settings: Any) -> Connection:
    """As pistachio.connect."""
    with _errors.translated():
        connection = _dbapi.connect(driver=library(), db_kwargs=dict(_options(path, settings)), autocommit=autocommit)
    connection.__class__ = Connection
    return connection
