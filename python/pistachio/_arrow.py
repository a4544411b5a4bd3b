"""The Arrow C interface by ctypes: rows out of a stream, and one row of parameters, without other packages."""
from __future__ import annotations

import ctypes
import datetime
import decimal
import struct
import uuid
from typing import Any, Iterator, List, Mapping, NamedTuple, Optional, Sequence, Tuple, TypeVar

from ._errors import of_stream

T = TypeVar("T")

_pointer = ctypes.c_void_p


class Schema(ctypes.Structure):
    pass


class Array(ctypes.Structure):
    pass


class Stream(ctypes.Structure):
    pass


_release_schema = ctypes.CFUNCTYPE(None, ctypes.POINTER(Schema))
_release_array = ctypes.CFUNCTYPE(None, ctypes.POINTER(Array))
Schema._fields_ = [("format", ctypes.c_char_p), ("name", ctypes.c_char_p), ("metadata", _pointer),
                   ("flags", ctypes.c_int64), ("n_children", ctypes.c_int64),
                   ("children", ctypes.POINTER(ctypes.POINTER(Schema))), ("dictionary", ctypes.POINTER(Schema)),
                   ("release", _release_schema), ("private_data", _pointer)]
Array._fields_ = [("length", ctypes.c_int64), ("null_count", ctypes.c_int64), ("offset", ctypes.c_int64),
                  ("n_buffers", ctypes.c_int64), ("n_children", ctypes.c_int64), ("buffers", ctypes.POINTER(_pointer)),
                  ("children", ctypes.POINTER(ctypes.POINTER(Array))), ("dictionary", ctypes.POINTER(Array)),
                  ("release", _release_array), ("private_data", _pointer)]
Stream._fields_ = [("get_schema", ctypes.CFUNCTYPE(ctypes.c_int, ctypes.POINTER(Stream), ctypes.POINTER(Schema))),
                   ("get_next", ctypes.CFUNCTYPE(ctypes.c_int, ctypes.POINTER(Stream), ctypes.POINTER(Array))),
                   ("get_last_error", ctypes.CFUNCTYPE(ctypes.c_char_p, ctypes.POINTER(Stream))),
                   ("release", ctypes.CFUNCTYPE(None, ctypes.POINTER(Stream))), ("private_data", _pointer)]


class Column(NamedTuple):
    name: str
    format: str  # of the values
    is_coded: bool = False  # the array has numbers of values of a dictionary
    children: Tuple["Column", ...] = ()  # of a list its elements, of a struct its fields


class Interval(NamedTuple):
    """An SQL interval: its parts do not become one another."""
    months: int
    days: int
    nanoseconds: int


# ---- values out of arrays ----

_EPOCH = datetime.datetime(1970, 1, 1)
_EPOCH_DAY = datetime.date(1970, 1, 1).toordinal()
_SUM = "d:38,0"  # the type of sums of integers
_NUMBERS = {"c": "b", "C": "B", "s": "h", "S": "H", "i": "i", "I": "I", "l": "q", "L": "Q", "f": "f", "g": "d"}


def _unpack(code: str, address: int, count: int) -> Tuple[Any, ...]:
    layout = f"<{count}{code}"
    return struct.unpack(layout, ctypes.string_at(address, struct.calcsize(layout)))


def _date(days: int) -> Any:
    """Python's dates are of the years 1 to 9999; what lies beyond stays a number of days."""
    ordinal = days + _EPOCH_DAY
    return datetime.date.fromordinal(ordinal) if 1 <= ordinal <= datetime.date.max.toordinal() else days


def _timestamp(count: int, unit: str, zone: Optional[datetime.tzinfo]) -> Any:
    try:
        moment = _EPOCH + datetime.timedelta(microseconds=count if unit == "u" else count // 1000)
    except OverflowError:
        return count
    return moment.replace(tzinfo=zone)


def _time(count: int) -> datetime.time:
    seconds, microseconds = divmod(count, 1000000)
    return datetime.time(seconds // 3600 % 24, seconds // 60 % 60, seconds % 60, microseconds)


def _texts(array: Array, count: int) -> List[bytes]:
    values = []
    views = ctypes.string_at(array.buffers[1] + 16 * array.offset, 16 * count)
    for at in range(0, 16 * count, 16):
        length, = struct.unpack_from("<i", views, at)
        if length <= 12:
            values.append(views[at + 4:at + 4 + length])
        else:
            buffer, offset = struct.unpack_from("<ii", views, at + 8)
            values.append(ctypes.string_at(array.buffers[2 + buffer] + offset, length))
    return values


def _large_texts(array: Array, count: int) -> List[str]:
    ends = _unpack("q", array.buffers[1] + 8 * array.offset, count + 1)
    return [ctypes.string_at(array.buffers[2] + start, end - start).decode() for start, end in zip(ends, ends[1:])]


def _plain(form: str, array: Array, count: int) -> Sequence[Any]:
    """The values, those under NULLs too."""
    if form == "n":
        return [None] * count
    if form == "U":
        return _large_texts(array, count)
    if form in ("vu", "vz"):
        texts = _texts(array, count)
        return [text.decode() for text in texts] if form == "vu" else texts
    start = array.buffers[1]
    if form == "b":
        bits = ctypes.string_at(start, (array.offset + count + 7) // 8)
        return [bool(bits[i >> 3] >> (i & 7) & 1) for i in range(array.offset, array.offset + count)]
    if form in _NUMBERS:
        width = struct.calcsize("<" + _NUMBERS[form])
        return _unpack(_NUMBERS[form], start + width * array.offset, count)
    if form == "tdD":
        return [_date(days) for days in _unpack("i", start + 4 * array.offset, count)]
    if form == "tin":
        parts = ctypes.string_at(start + 16 * array.offset, 16 * count)
        return [Interval(*part) for part in struct.iter_unpack("<iiq", parts)]
    if form == "w:16":  # Pistachio gives no other of fixed length
        data = ctypes.string_at(start + 16 * array.offset, 16 * count)
        return [uuid.UUID(bytes=data[at:at + 16]) for at in range(0, 16 * count, 16)]
    if form == _SUM:
        data = ctypes.string_at(start + 16 * array.offset, 16 * count)
        return [int.from_bytes(data[at:at + 16], "little", signed=True) for at in range(0, 16 * count, 16)]
    if form.startswith("d:"):
        scale = int(form[2:].split(",")[1])
        width = 8 if form.endswith(",64") else 16
        data = ctypes.string_at(start + width * array.offset, width * count)
        return [decimal.Decimal(int.from_bytes(data[at:at + width], "little", signed=True)).scaleb(-scale, _EXACT)
                for at in range(0, width * count, width)]
    if form[:2] not in ("tt", "ts"):
        raise TypeError(f"values of Arrow's format {form} are not known here\nhint: .arrow() gives them")
    counts = _unpack("q", start + 8 * array.offset, count)
    if form == "ttu":
        return [_time(n) for n in counts]
    zone = datetime.timezone.utc if form[4:] else None
    return [_timestamp(n, form[2], zone) for n in counts]


_EXACT = decimal.Context(prec=76)


def _coded(form: str, array: Array, count: int) -> Sequence[Any]:
    """Codes have 32 bits; those under NULLs are 0, also where there are no values."""
    dictionary = array.dictionary.contents
    entries = _plain(form, dictionary, dictionary.length) or [None]
    return [entries[code] for code in _unpack("i", array.buffers[1] + 4 * array.offset, count)]


def _lists(column: Column, array: Array, count: int) -> Sequence[Any]:
    code = "q" if column.format == "+L" else "i"
    ends = _unpack(code, array.buffers[1] + struct.calcsize("<" + code) * array.offset, count + 1)
    elements = _column(column.children[0], array.children[0].contents, ends[-1])
    lists = [list(elements[start:end]) for start, end in zip(ends, ends[1:])]
    return [[tuple(entry.values()) for entry in entries] for entries in lists] if column.format == "+m" else lists


def _fixed_lists(column: Column, array: Array, count: int) -> Sequence[Any]:
    size, first = int(column.format[3:]), array.offset
    elements = _column(column.children[0], array.children[0].contents, (first + count) * size)
    return [list(elements[row * size:(row + 1) * size]) for row in range(first, first + count)]


def _structs(column: Column, array: Array, count: int) -> Sequence[Any]:
    """A dictionary of each row, as pyarrow has it."""
    fields = [_column(child, array.children[i].contents, array.offset + count)[array.offset:]
              for i, child in enumerate(column.children)]
    names = [child.name for child in column.children]
    return [dict(zip(names, row)) for row in zip(*fields)] if fields else [{} for _ in range(count)]


def _column(column: Column, array: Array, count: int) -> Sequence[Any]:
    if column.format in ("+l", "+L", "+m"):
        values = _lists(column, array, count)
    elif column.format.startswith("+w:"):
        values = _fixed_lists(column, array, count)
    elif column.format == "+s":
        values = _structs(column, array, count)
    else:
        values = (_coded if column.is_coded else _plain)(column.format, array, count)
    if not array.null_count or not array.n_buffers or not array.buffers[0]:
        return values
    bits = ctypes.string_at(array.buffers[0], (array.offset + count + 7) // 8)
    return [value if bits[i >> 3] >> (i & 7) & 1 else None for i, value in enumerate(values, array.offset)]


class Reader:
    """Rows of a stream, which it does not own."""

    def __init__(self, address: int) -> None:
        self._stream = Stream.from_address(address)
        schema = Schema()
        self._check(self._stream.get_schema(ctypes.byref(self._stream), ctypes.byref(schema)))
        try:
            self.columns = columns_of(schema)
        finally:
            schema.release(ctypes.byref(schema))

    def _check(self, code: int) -> None:
        if code:
            text = self._stream.get_last_error(ctypes.byref(self._stream))
            raise of_stream(code, text.decode("utf-8", "replace") if text else None)

    def arrays(self) -> Iterator[Array]:
        """Struct arrays, which are the caller's to release."""
        while True:
            array = Array()
            self._check(self._stream.get_next(ctypes.byref(self._stream), ctypes.byref(array)))
            if not array.release:
                return
            yield array

    def batches(self) -> Iterator[List[Tuple[Any, ...]]]:
        for array in self.arrays():
            try:
                columns = [_column(column, array.children[i].contents, array.length)
                           for i, column in enumerate(self.columns)]
                yield list(zip(*columns)) if columns else [()] * array.length
            finally:
                array.release(ctypes.byref(array))

    def first(self, most: int) -> Iterator[Tuple[List[Tuple[Any, ...]], int]]:
        """Of each batch the rows that belong to the first `most` of all, and how many it has."""
        for array in self.arrays():
            try:
                shown = min(array.length, most)
                columns = [_column(column, array.children[i].contents, shown) for i, column in enumerate(self.columns)]
                yield list(zip(*columns)), array.length
                most -= shown
            finally:
                array.release(ctypes.byref(array))


def _column_of(schema: Schema) -> Column:
    values = schema.dictionary.contents if schema.dictionary else schema
    return Column(schema.name.decode(), values.format.decode(), bool(schema.dictionary), tuple(columns_of(values)))


def columns_of(schema: Schema) -> List[Column]:
    return [_column_of(schema.children[i].contents) for i in range(schema.n_children)]


_TORCH = {"c": "int8", "C": "uint8", "s": "int16", "S": "uint16", "i": "int32", "I": "uint32", "l": "int64", "L": "uint64",
          "f": "float32", "g": "float64"}


def torch_type(column: Column) -> Tuple[Tuple[int, ...], str]:
    """The shape of no rows, and the name of its values' type in PyTorch."""
    if column.format.startswith("+w:") and column.children[0].format in _TORCH:
        return (0, int(column.format[3:])), _TORCH[column.children[0].format]
    if column.is_coded or column.format not in _TORCH:
        raise BufferError(f"\"{column.name}\" is no column of numbers, which alone tensors have\n"
                          "hint: leave it out, or cast it to a number: x::double precision")
    return (0,), _TORCH[column.format]


# ---- one row of parameters ----

def _days(value: datetime.date) -> int:
    return value.toordinal() - _EPOCH_DAY


def _microseconds(value: datetime.timedelta) -> int:
    return (value.days * 86400 + value.seconds) * 1000000 + value.microseconds


def _decimal(value: decimal.Decimal) -> Tuple[str, bytes]:
    sign, digits, exponent = value.as_tuple()
    if not isinstance(exponent, int):
        raise ValueError(f"{value} cannot be a parameter: it is not a number")
    scale = max(-exponent, 0)
    number = int("".join(map(str, digits)) or "0") * 10 ** max(exponent, 0)
    precision = max(len(str(number)), scale, 1)
    return f"d:{precision},{scale}", (-number if sign else number).to_bytes(16, "little", signed=True)


def _encode(value: Any) -> Tuple[str, List[bytes]]:
    """Arrow's format, and the buffers behind validity."""
    if value is None:
        return "n", []
    if isinstance(value, bool):
        return "b", [bytes([value])]
    if isinstance(value, int):
        if -2 ** 63 <= value < 2 ** 63:
            return "l", [struct.pack("<q", value)]
        return _encode(decimal.Decimal(value))
    if isinstance(value, float):
        return "g", [struct.pack("<d", value)]
    if isinstance(value, (str, bytes, bytearray, memoryview)):
        data = value.encode() if isinstance(value, str) else bytes(value)
        return ("U" if isinstance(value, str) else "Z"), [struct.pack("<qq", 0, len(data)), data]
    if isinstance(value, decimal.Decimal):
        form, data = _decimal(value)
        return form, [data]
    if isinstance(value, datetime.datetime):
        if value.tzinfo:
            value = value.astimezone(datetime.timezone.utc).replace(tzinfo=None)
            return "tsu:UTC", [struct.pack("<q", _microseconds(value - _EPOCH))]
        return "tsu:", [struct.pack("<q", _microseconds(value - _EPOCH))]
    if isinstance(value, datetime.date):
        return "tdD", [struct.pack("<i", _days(value))]
    if isinstance(value, datetime.time):
        seconds = (value.hour * 60 + value.minute) * 60 + value.second
        return "ttu", [struct.pack("<q", seconds * 1000000 + value.microsecond)]
    if isinstance(value, datetime.timedelta):
        return "tin", [struct.pack("<iiq", 0, value.days, (_microseconds(value) - value.days * 86400000000) * 1000)]
    if isinstance(value, Interval):
        return "tin", [struct.pack("<iiq", *value)]
    if isinstance(value, uuid.UUID):
        return "w:16", [value.bytes]
    if hasattr(value, "item"):  # a scalar of NumPy
        return _encode(value.item())
    raise TypeError(f"a parameter cannot be of type {type(value).__name__}")


_capsule = ctypes.pythonapi.PyCapsule_New
_capsule.restype = ctypes.py_object
_capsule.argtypes = [_pointer, ctypes.c_char_p, _pointer]


class Row:
    """A struct array of one row, valid as long as this object: what takes it must be done before."""

    def __init__(self, parameters: Any) -> None:
        named = isinstance(parameters, Mapping)
        items = list(parameters.items()) if named else [("", value) for value in parameters]
        self._kept: List[Any] = []
        schemas, arrays = [], []
        for name, value in items:
            form, buffers = _encode(value)
            schemas.append(Schema(format=self._text(form), name=self._text(str(name)), flags=2,
                                  metadata=self._metadata() if form == "w:16" else None, release=_no_release_schema))
            arrays.append(self._array([None, *buffers] if form != "n" else [], 1))
        self.schema = Schema(format=self._text("+s"), name=self._text(""), n_children=len(items),
                             children=self._list(schemas, Schema), release=_no_release_schema)
        self.array = self._array([None], 1)
        self.array.n_children = len(items)
        self.array.children = self._list(arrays, Array)

    def __arrow_c_array__(self, requested_schema: Any = None) -> Tuple[Any, Any]:
        return (_capsule(ctypes.addressof(self.schema), b"arrow_schema", None),
                _capsule(ctypes.addressof(self.array), b"arrow_array", None))

    def _metadata(self) -> Any:
        """That the column is of Arrow's extension type for UUIDs."""
        words = (b"ARROW:extension:name", b"arrow.uuid", b"ARROW:extension:metadata", b"")
        data = struct.pack("<i", len(words) // 2) + b"".join(struct.pack("<i", len(word)) + word for word in words)
        return ctypes.cast(self._keep(ctypes.create_string_buffer(data, len(data))), _pointer)

    def _keep(self, thing: T) -> T:
        self._kept.append(thing)
        return thing

    def _text(self, text: str) -> bytes:
        return self._keep(text.encode())

    def _array(self, buffers: Sequence[Optional[bytes]], length: int) -> Array:
        pointers = self._keep((_pointer * max(len(buffers), 1))())
        for i, data in enumerate(buffers):
            if data is not None:
                pointers[i] = ctypes.cast(self._keep(ctypes.create_string_buffer(data, len(data) + 1)), _pointer)
        return Array(length=length, n_buffers=len(buffers), buffers=ctypes.cast(pointers, ctypes.POINTER(_pointer)),
                     release=_no_release_array)

    def _list(self, items: Sequence[Any], kind: Any) -> Any:
        pointers: Any = (ctypes.POINTER(kind) * max(len(items), 1))(*[ctypes.pointer(item) for item in items])
        self._keep(items)
        return self._keep(pointers)


def _forget_schema(schema: Any) -> None:
    schema.contents.release = _release_schema()


def _forget_array(array: Any) -> None:
    array.contents.release = _release_array()


_no_release_schema, _no_release_array = _release_schema(_forget_schema), _release_array(_forget_array)
