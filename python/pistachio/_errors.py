"""What fails: one class, Error, with PEP 249's below it, whoever noticed the failure."""
from __future__ import annotations

import contextlib
import errno
import re
from typing import Any, Iterator, List, Optional, Tuple

import adbc_driver_manager as _adbc


class Error(_adbc.Error):
    """str(error) is the message, then the line of the statement with a mark below the place, then the hint.

    message, hint (or None) and position (a byte of the statement, or None) have these alone; status_code, sqlstate and
    details are those of adbc_driver_manager.Error."""

    def __init__(self, text: str, *, status_code: Any = _adbc.AdbcStatusCode.UNKNOWN, vendor_code: Optional[int] = None,
                 sqlstate: Optional[str] = None, details: Optional[List[Tuple[str, bytes]]] = None) -> None:
        Exception.__init__(self, text)
        self.status_code, self.vendor_code, self.sqlstate = _adbc.AdbcStatusCode(status_code), vendor_code, sqlstate
        self.details = details or []
        self.message = re.split(r"\nline \d+: |\nhint: ", text)[0]
        self.hint = text.split("\nhint: ", 1)[1] if "\nhint: " in text else None
        known = {(key.decode() if isinstance(key, bytes) else key): value for key, value in self.details}
        self.position = int(known["position"]) if "position" in known else None


class InterfaceError(Error, _adbc.InterfaceError):
    pass


class DatabaseError(Error, _adbc.DatabaseError):
    pass


class DataError(DatabaseError, _adbc.DataError):
    pass


class OperationalError(DatabaseError, _adbc.OperationalError):
    pass


class IntegrityError(DatabaseError, _adbc.IntegrityError):
    pass


class InternalError(DatabaseError, _adbc.InternalError):
    pass


class ProgrammingError(DatabaseError, _adbc.ProgrammingError):
    pass


class NotSupportedError(DatabaseError, _adbc.NotSupportedError):
    pass


_KINDS = (DataError, OperationalError, IntegrityError, InternalError, ProgrammingError, NotSupportedError, InterfaceError,
          DatabaseError)


def of_adbc(error: _adbc.Error) -> Error:
    """The driver manager's, whose text has its own words around the library's."""
    kind = next((k for k in _KINDS if isinstance(error, getattr(_adbc, k.__name__))), Error)
    text = re.sub(r"\. SQLSTATE: \w{5}$", "", re.sub(r"^[A-Z_]+: (?:\[[^\]]*\] )?", "", str(error)))
    return kind(text, status_code=error.status_code, vendor_code=error.vendor_code, sqlstate=error.sqlstate,
                details=error.details)


# The numbers that streams fail with.
_NUMBERS = {errno.ECANCELED: (OperationalError, _adbc.AdbcStatusCode.CANCELLED),
            errno.EIO: (OperationalError, _adbc.AdbcStatusCode.IO),
            errno.ENOMEM: (OperationalError, _adbc.AdbcStatusCode.INTERNAL),
            errno.ENOSYS: (NotSupportedError, _adbc.AdbcStatusCode.NOT_IMPLEMENTED),
            errno.EINVAL: (DataError, _adbc.AdbcStatusCode.INVALID_DATA)}


def of_stream(number: int, text: Optional[str]) -> Error:
    kind, code = _NUMBERS.get(number, (Error, _adbc.AdbcStatusCode.UNKNOWN))
    return kind(text or f"error {number}", status_code=code)


# What other packages make of a number, by the names of their classes.
_FOREIGN = {"ArrowCancelled": errno.ECANCELED, "ArrowMemoryError": errno.ENOMEM, "ArrowNotImplementedError": errno.ENOSYS,
            "OSError": errno.EIO, "ArrowInvalid": errno.EINVAL, "ComputeError": errno.EINVAL}


def of_foreign(error: Exception) -> Optional[Error]:
    """A failure of a stream that another package has pulled, as that raises it; None: it is nothing of the kind."""
    number = _FOREIGN.get(type(error).__name__)
    return of_stream(number, str(error)) if number else None


@contextlib.contextmanager
def translated() -> Iterator[None]:
    """The driver manager's errors become this package's."""
    try:
        yield
    except Error:
        raise
    except _adbc.Error as error:
        raise of_adbc(error) from None
