"""Calls of the library that Ctrl-C cancels (_interrupt.c), and streams whose calls it does."""
from __future__ import annotations

import ctypes
from typing import Any, Callable, Optional, TypeVar

from adbc_driver_manager._lib import _blocking_call

from . import _errors
from ._arrow import Stream
from ._batch import load

T = TypeVar("T")


class Interrupts:
    """Of one library. Where the wheel was made without _capsule.so the driver manager's own means are taken, which cannot
    cancel while a client pulls with the interpreter's lock held."""

    def __init__(self, path: str) -> None:
        try:
            loaded = load(path)
        except ImportError:
            self.python = None
            return
        self.python = loaded.python
        self._of_connection = ctypes.cast(loaded.c.pistachio_cancel, ctypes.c_void_p)
        self._of_statement = ctypes.cast(loaded.c.pistachio_statement_cancel, ctypes.c_void_p)
        self.python.pistachio_call.argtypes = [ctypes.py_object, ctypes.c_void_p, ctypes.c_void_p]
        self.python.pistachio_call.restype = ctypes.py_object
        self.python.pistachio_watch_stream.argtypes = [ctypes.c_void_p, ctypes.c_void_p, ctypes.c_void_p,
                                                       ctypes.POINTER(ctypes.c_void_p)]
        self.python.pistachio_watch_stream.restype = ctypes.py_object
        for name, kind in (("number", ctypes.c_int), ("text", ctypes.c_char_p), ("free", None)):
            function = getattr(self.python, "pistachio_failure_" + name)
            function.argtypes, function.restype = [ctypes.c_void_p], kind

    def call(self, connection: Any, statement: Any, function: Callable[[], T]) -> T:
        """function(), of a statement of the connection."""
        with _errors.translated():
            result: T
            if self.python is None:
                result = _blocking_call(function, (), {}, statement.cancel)
            else:
                address = connection.get_option_int("pistachio.connection")
                result = self.python.pistachio_call(function, self._of_connection, address)
            return result

    def stream(self, statement: Any, handle: Any) -> "Results":
        if self.python is None:
            return Results(None, handle.__arrow_c_stream__(), None)
        failure = ctypes.c_void_p()
        address = statement.get_option_int("pistachio.statement")
        try:
            capsule = self.python.pistachio_watch_stream(handle.address, self._of_statement, address, ctypes.byref(failure))
        except ValueError:  # NULL without an exception
            raise MemoryError("no memory for a stream") from None
        return Results(self.python, capsule, failure)


_get_pointer = ctypes.pythonapi.PyCapsule_GetPointer
_get_pointer.restype, _get_pointer.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]


class Results:
    """A stream, for one who takes it: as a capsule, or at an address."""

    def __init__(self, python: Any, capsule: Any, failure: Optional[ctypes.c_void_p]) -> None:
        self._python, self._stream, self._failure = python, capsule, failure

    def __arrow_c_stream__(self, requested_schema: Any = None) -> Any:
        return self._stream

    @property
    def address(self) -> int:
        return int(_get_pointer(self._stream, b"arrow_array_stream"))

    def release(self) -> None:
        stream = Stream.from_address(self.address)
        if stream.release:
            stream.release(ctypes.byref(stream))

    def failure(self) -> Optional[_errors.Error]:
        """Why the stream has failed, whoever has pulled it."""
        number = self._python.pistachio_failure_number(self._failure) if self._failure else 0
        text = self._python.pistachio_failure_text(self._failure) if number else None
        return _errors.of_stream(number, text.decode("utf-8", "replace") if text else None) if number else None

    def __del__(self) -> None:
        if self._failure:
            self._python.pistachio_failure_free(self._failure)
