"""A cursor of PEP 249 over a Connection, which pandas.read_sql takes: Python's own values, without pyarrow."""
from __future__ import annotations

from typing import Any, Iterator, List, Optional, Sequence, Tuple, TYPE_CHECKING

from ._errors import InterfaceError

if TYPE_CHECKING:
    from . import Connection, Parameters

Row = Tuple[Any, ...]


class Cursor:
    """Rows of one statement after the other.

        cursor = db.cursor()
        cursor.execute("select o_orderkey from orders where o_orderkey < ?", [7])
        cursor.fetchall()
    """

    arraysize = 1
    rowcount = -1

    def __init__(self, connection: "Connection") -> None:
        self._connection = connection
        self._rows: Optional[Iterator[Row]] = None
        self.description: Optional[List[Tuple[Any, ...]]] = None

    def execute(self, text: str, parameters: Optional["Parameters"] = None) -> "Cursor":
        """Runs a statement; its parameters are those of Connection.sql."""
        result = self._connection._result(text, parameters, ())
        self.description = [(name, None, None, None, None, None, None) for name in result.columns] or None
        self._rows = iter(result) if self.description else None
        return self

    def executemany(self, text: str, rows: Sequence["Parameters"]) -> "Cursor":
        """Runs a statement once for each row of parameters."""
        for parameters in rows:
            self.execute(text, parameters)
        return self

    def _all(self) -> Iterator[Row]:
        if self._rows is None:
            raise InterfaceError("no statement that gives rows has been executed")
        return self._rows

    def fetchone(self) -> Optional[Row]:
        """The next row, or None."""
        return next(self._all(), None)

    def fetchmany(self, size: Optional[int] = None) -> List[Row]:
        """The next rows, at most `size` of them."""
        rows = self._all()
        return [row for _, row in zip(range(self.arraysize if size is None else size), rows)]

    def fetchall(self) -> List[Row]:
        """The rows that are left."""
        return list(self._all())

    def __iter__(self) -> Iterator[Row]:
        return self._all()

    def setinputsizes(self, sizes: Any) -> None:
        """Does nothing: parameters have the types of their values."""

    def setoutputsize(self, size: Any, column: Any = None) -> None:
        """Does nothing: values are whole."""

    def close(self) -> None:
        """Leaves the rows that have not been fetched."""
        self._rows = self.description = None

    def __enter__(self) -> "Cursor":
        return self

    def __exit__(self, *_: Any) -> None:
        self.close()
