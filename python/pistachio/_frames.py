"""Data frames that statements name by the caller's variables: db.sql("select sum(x) from frame")."""
from __future__ import annotations

import contextlib
import re
import threading
from typing import Any, Callable, Dict, Iterator, List, Mapping, Optional, Sequence, TypeVar

from ._errors import ProgrammingError

T = TypeVar("T")
Register = Callable[[str, Any], None]
Run = Callable[[str], None]


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def _missing(error: ProgrammingError) -> Optional[str]:
    """The table that there is not."""
    found = re.match(r'table "(.*)" does not exist$', error.message)
    return found.group(1) if found else None


def _frame_of(value: Any) -> Any:
    """What register() takes of a variable's value; None: it is nothing of the kind."""
    if isinstance(value, type):
        return None
    if hasattr(value, "collect") and type(value).__name__ == "LazyFrame":
        value = value.collect()
    return value if hasattr(value, "__arrow_c_stream__") else None


def _find(name: str, scopes: Sequence[Mapping[str, Any]]) -> Any:
    """The frame of that name; SQL folds names that are not in quotes, so any case will do where no other has it exactly."""
    for scope in scopes:
        names = [name] if name in scope else [known for known in scope if known.lower() == name.lower()]
        for known in names:
            frame = _frame_of(scope[known])
            if frame is not None:
                return frame
    return None


class Shelf:
    """The frames that a session's results have read, each a table with a name of its own. A statement finds it under a
    view of the variable's name, which is there only while the statement is bound: the next statement looks anew."""

    def __init__(self, register: Register, run: Run) -> None:
        self._register, self._run = register, run
        self._lock = threading.RLock()
        self._count = 0
        self._left: List[str] = []  # tables whose results are gone

    def put(self, frame: Any) -> str:
        with self._lock:
            self._count += 1
            table = f"pistachio_frame_{self._count}"
        self._register(table, frame)
        return table

    def leave(self, tables: Mapping[str, str]) -> None:
        """Called by the garbage collector, in whatever thread: the tables go with the next statement."""
        self._left.extend(tables.values())

    def clear(self) -> None:
        with self._lock:
            while self._left:
                self._run("DROP TABLE IF EXISTS " + _quoted(self._left.pop()))

    @contextlib.contextmanager
    def views(self, tables: Mapping[str, str]) -> Iterator[None]:
        if not tables:
            yield
            return
        with self._lock:
            made: List[str] = []
            try:
                for name, table in tables.items():
                    self._run(f"CREATE VIEW {_quoted(name)} AS SELECT * FROM {_quoted(table)}")
                    made.append(name)
                yield
            finally:
                for name in made:
                    self._run("DROP VIEW " + _quoted(name))

    def find(self, tables: Dict[str, str], scopes: Sequence[Mapping[str, Any]], bind: Callable[[], T]) -> T:
        """bind(), with tables for the frames that it misses."""
        while True:
            try:
                with self.views(tables):
                    return bind()
            except ProgrammingError as error:
                name = _missing(error)
                frame = _find(name, scopes) if name is not None and name not in tables else None
                if name is None or frame is None:
                    raise
            tables[name] = self.put(frame)
