"""Rows as the shell shows them."""
from __future__ import annotations

import datetime
import decimal
from typing import Any, List, Sequence, Tuple

from ._arrow import Column, Interval


def is_number(form: str) -> bool:
    return form in "cCsSiIlLfg" or form.startswith("d:")


def _real(value: float) -> str:
    text = repr(value)
    if text in ("inf", "-inf", "nan"):
        return text.replace("inf", "Infinity").replace("nan", "NaN")
    return text[:-2] if text.endswith(".0") else text


def _clock(microseconds: int) -> str:
    seconds, rest = divmod(abs(microseconds), 1000000)
    sign = "-" if microseconds < 0 else ""
    part = f".{rest:06}".rstrip("0") if rest else ""
    return f"{sign}{seconds // 3600:02}:{seconds // 60 % 60:02}:{seconds % 60:02}{part}"


def _interval(value: Interval) -> str:
    years, months = int(value.months / 12), value.months - 12 * int(value.months / 12)
    parts = [f"{n} {word if n == 1 else word + 's'}"
             for n, word in ((years, "year"), (months, "mon"), (value.days, "day")) if n]
    if value.nanoseconds or not parts:
        parts.append(_clock(value.nanoseconds // 1000))
    return " ".join(parts)


def text_of(value: Any, form: str) -> str:
    if value is None:
        return "NULL"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float):
        return _real(value)
    if isinstance(value, bytes):
        return "\\x" + value.hex()
    if isinstance(value, decimal.Decimal):
        return format(value, "f")
    if isinstance(value, datetime.datetime):
        text = value.replace(tzinfo=None).isoformat(" ")
        text = text.rstrip("0") if "." in text else text
        return text + ("+00" if value.tzinfo else "")
    if isinstance(value, datetime.time):
        text = value.isoformat()
        return text.rstrip("0") if "." in text else text
    if isinstance(value, Interval):
        return _interval(value)
    return str(value)


def render(columns: Sequence[Column], rows: Sequence[Tuple[Any, ...]], most: int) -> str:
    shown: List[List[str]] = [[text_of(value, column.format) for value, column in zip(row, columns)]
                              for row in rows[:most]]
    widths = [max([len(column.name), *(len(row[i]) for row in shown)]) for i, column in enumerate(columns)]
    last = len(columns) - 1
    lines = [" " + " | ".join(column.name.ljust(widths[i]) if i < last else column.name
                              for i, column in enumerate(columns)),
             "+".join("-" * (width + 2) for width in widths)]
    for row in shown:
        cells = [cell.rjust(widths[i]) if is_number(columns[i].format)
                 else cell.ljust(widths[i]) if i < last else cell for i, cell in enumerate(row)]
        lines.append(" " + " | ".join(cells))
    if len(rows) > most:
        lines.append(f"(the first {most} rows)")
    else:
        lines.append(f"({len(shown)} row{'' if len(shown) == 1 else 's'})")
    return "\n".join(lines)
