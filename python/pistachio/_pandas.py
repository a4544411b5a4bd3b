"""Arrow tables as data frames of pandas whose columns can be plotted and computed with."""
from __future__ import annotations

from typing import Any

import pandas
import pyarrow

# Integers and booleans with NULLs: NumPy's have none.
_NULLABLE = {"int8": pandas.Int8Dtype, "int16": pandas.Int16Dtype, "int32": pandas.Int32Dtype, "int64": pandas.Int64Dtype,
             "uint8": pandas.UInt8Dtype, "uint16": pandas.UInt16Dtype, "uint32": pandas.UInt32Dtype,
             "uint64": pandas.UInt64Dtype, "bool": pandas.BooleanDtype}
_DAYS_OF_MONTH = 30  # in a timedelta64, which has no months


def _is_text(kind: Any) -> bool:
    return bool(pyarrow.types.is_string_view(kind) or pyarrow.types.is_large_string(kind) or pyarrow.types.is_string(kind))


def _microseconds(value: Any) -> int:
    days = value.months * _DAYS_OF_MONTH + value.days
    return int(days * 86400000000 + value.nanoseconds // 1000)


def _plain(column: Any) -> Any:
    """The column as what NumPy has: numbers, moments and durations."""
    kind = column.type
    if pyarrow.types.is_decimal(kind):
        return column.cast(pyarrow.float64())
    if pyarrow.types.is_date(kind):
        return column.cast(pyarrow.timestamp("us"))
    if kind == pyarrow.month_day_nano_interval():
        counts = [None if value is None else _microseconds(value) for value in column.to_pylist()]
        return pyarrow.array(counts, pyarrow.duration("us"))
    return column


def _category(column: Any) -> Any:
    return column.cast(pyarrow.large_string()).dictionary_encode() if _is_text(column.type) else column


def frame_of(table: Any, exact: bool = False, categories: bool = False) -> Any:
    """A data frame; exact and categories as Result.df() has them."""
    columns = table.columns if exact else [_plain(column) for column in table.columns]
    if categories:
        columns = [_category(column) for column in columns]
    nested = {i: column for i, column in enumerate(columns) if pyarrow.types.is_nested(column.type)}
    flat = [pyarrow.nulls(len(column)) if i in nested else column for i, column in enumerate(columns)]
    frame = pyarrow.Table.from_arrays(flat, names=table.column_names).to_pandas()
    for index, column in nested.items():  # as Python's values: pyarrow makes nothing of text views within lists
        frame.isetitem(index, pandas.Series(column.to_pylist(), dtype=object))
    for index, column in enumerate(columns):
        nullable: Any = _NULLABLE.get(str(column.type))
        if nullable and column.null_count:
            frame.isetitem(index, nullable().__from_arrow__(column))
    return frame
