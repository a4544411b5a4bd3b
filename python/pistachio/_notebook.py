"""What notebooks show: results as HTML tables, and a bar while a statement runs."""
from __future__ import annotations

import ctypes
import html
import sys
import threading
import time
from typing import Any, Optional, Sequence, Tuple

from ._arrow import Column
from ._table import is_number, text_of

_FIRST_SECONDS, _EACH_SECONDS = 0.5, 0.25
_TEXT_MOST = 300  # characters of a cell


def _cell(tag: str, text: str, column: Column) -> str:
    text = text if len(text) <= _TEXT_MOST else text[:_TEXT_MOST - 1] + "\u2026"
    side = "right" if is_number(column.format) else "left"
    return f'<{tag} style="text-align: {side}">{html.escape(text)}</{tag}>'


def count_text(shown: int, count: int, is_all: bool) -> str:
    if not is_all:
        return f"the first {shown:,} of more than {count:,} rows"
    return f"{count:,} row{'' if count == 1 else 's'}" + (f", the first {shown:,} shown" if shown < count else "")


def table(columns: Sequence[Column], rows: Sequence[Tuple[Any, ...]], count: int, is_all: bool) -> str:
    """An HTML table. rows: those that are shown; count: of all that have come, is_all: no others are left."""
    head = "".join(_cell("th", column.name, column) for column in columns)
    body = "".join("<tr>" + "".join(_cell("td", text_of(value, column.format), column) for value, column in zip(row, columns))
                   + "</tr>" for row in rows)
    return (f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"
            f"<p>{count_text(len(rows), count, is_all)}</p>")


def is_notebook() -> bool:
    shell = getattr(sys.modules.get("IPython"), "get_ipython", lambda: None)()
    return type(shell).__name__ == "ZMQInteractiveShell"


class Bar:
    """Draws how far a connection's statement is, below the cell that runs it, once it has taken half a second."""

    def __init__(self, path: str, connection: Any) -> None:
        self._library = ctypes.CDLL(path)
        self._library.pistachio_progress.argtypes = [ctypes.c_void_p, ctypes.POINTER(ctypes.c_uint64),
                                                     ctypes.POINTER(ctypes.c_uint64)]
        self._connection = connection
        self._end = threading.Event()
        self._thread: Optional[threading.Thread] = None

    def __enter__(self) -> "Bar":
        if is_notebook():
            address = self._connection.get_option_int("pistachio.connection")
            self._thread = threading.Thread(target=self._draw, args=(address,), daemon=True)
            self._thread.start()
        return self

    def __exit__(self, *_: Any) -> None:
        self._end.set()
        if self._thread:
            self._thread.join()

    def _text(self, address: int, seconds: float) -> Optional[str]:
        done, total = ctypes.c_uint64(), ctypes.c_uint64()
        self._library.pistachio_progress(address, ctypes.byref(done), ctypes.byref(total))
        if not total.value:
            return None
        return (f'<progress max="{total.value}" value="{min(done.value, total.value)}"></progress> '
                f"{done.value / 1e6:,.0f} of {total.value / 1e6:,.0f} MB, {seconds:.1f} s")

    def _draw(self, address: int) -> None:
        import IPython.display
        make: Any = IPython.display.HTML
        display: Any = IPython.display.display
        start, shown = time.monotonic(), None
        wait = _FIRST_SECONDS
        while not self._end.wait(wait):
            wait = _EACH_SECONDS
            text = self._text(address, time.monotonic() - start)
            if text and shown:
                shown.update(make(text))
            elif text:
                shown = display(make(text), display_id=True)
        if shown:
            shown.update(make(""))
