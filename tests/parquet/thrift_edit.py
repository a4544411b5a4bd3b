"""Parquet's metadata as Python lists, to be changed and written again: a struct is a list of [id, type, value]."""
import struct

TRUE, FALSE, I8, I16, I32, I64, DOUBLE, BINARY, LIST, SET, MAP, STRUCT = range(1, 13)


class Reader:
    def __init__(self, data, at=0):
        self.data, self.at = data, at

    def byte(self):
        self.at += 1
        return self.data[self.at - 1]

    def varint(self):
        number = shift = 0
        while True:
            byte = self.byte()
            number |= (byte & 0x7F) << shift
            shift += 7
            if byte < 0x80:
                return number

    def value(self, kind, in_list=False):
        if kind in (TRUE, FALSE):
            return self.byte() == TRUE if in_list else kind == TRUE
        if kind == I8:
            return self.byte()
        if kind in (I16, I32, I64):
            number = self.varint()
            return number >> 1 ^ -(number & 1)
        if kind == DOUBLE:
            self.at += 8
            return struct.unpack("<d", self.data[self.at - 8 : self.at])[0]
        if kind == BINARY:
            length = self.varint()
            self.at += length
            return self.data[self.at - length : self.at]
        if kind in (LIST, SET):
            head = self.byte()
            count = head >> 4 if head >> 4 < 15 else self.varint()
            return [head & 15, [self.value(head & 15, True) for _ in range(count)]]
        assert kind == STRUCT, kind
        return self.struct()

    def struct(self):
        fields, number = [], 0
        while head := self.byte():
            if head >> 4:
                number += head >> 4
            else:
                step = self.varint()
                number = step >> 1 ^ -(step & 1)
            fields.append([number, head & 15, self.value(head & 15)])
        return fields


def varint(number):
    out = bytearray()
    while number > 0x7F:
        out.append(number & 0x7F | 0x80)
        number >>= 7
    return bytes(out + bytes([number]))


def zigzag(number):
    return varint(number << 1 if number >= 0 else (-number << 1) - 1)


def value_bytes(kind, value):
    if kind == I8:
        return bytes([value & 0xFF])
    if kind in (I16, I32, I64):
        return zigzag(value)
    if kind == DOUBLE:
        return struct.pack("<d", value)
    if kind == BINARY:
        return varint(len(value)) + value
    if kind in (LIST, SET):
        element, items = value
        head = bytes([len(items) << 4 | element]) if len(items) < 15 else bytes([0xF0 | element]) + varint(len(items))
        if element in (TRUE, FALSE):
            return head + bytes(TRUE if item else FALSE for item in items)
        return head + b"".join(value_bytes(element, item) for item in items)
    return struct_bytes(value)


def struct_bytes(fields):
    out, before = b"", 0
    for number, kind, value in sorted(fields, key=lambda field: field[0]):
        if kind in (TRUE, FALSE):
            kind = TRUE if value else FALSE
        out += bytes([(number - before) << 4 | kind]) if 0 < number - before < 16 else bytes([kind]) + zigzag(number)
        out += b"" if kind in (TRUE, FALSE) else value_bytes(kind, value)
        before = number
    return out + b"\0"


def get(fields, number):
    return next((value for field, _, value in fields if field == number), None)


def put(fields, number, kind, value):
    """None takes the field away."""
    fields[:] = [field for field in fields if field[0] != number]
    if value is not None:
        fields.append([number, kind, value])


class File:
    """A Parquet file: its footer as lists; what is appended lies in front of the new footer."""

    def __init__(self, path):
        self.data = open(path, "rb").read()
        length = struct.unpack("<I", self.data[-8:-4])[0]
        self.body = self.data[: -8 - length]
        self.footer = Reader(self.data, len(self.body)).struct()

    def chunk(self, group, column):
        return get(get(self.footer, 4)[1][group], 1)[1][column]

    def metadata(self, group, column):
        return get(self.chunk(group, column), 3)

    def statistics(self, group, column):
        return get(self.metadata(group, column), 12)

    def index(self, group, column, offset_field):
        """The struct that the chunk's offset_field (4: offset index, 6: column index) points to."""
        return Reader(self.body, get(self.chunk(group, column), offset_field)).struct()

    def put_index(self, group, column, offset_field, fields):
        stored = struct_bytes(fields)
        put(self.chunk(group, column), offset_field, I64, len(self.body))
        put(self.chunk(group, column), offset_field + 1, I32, len(stored))
        self.body += stored

    def write(self, path):
        footer = struct_bytes(self.footer)
        with open(path, "wb") as file:
            file.write(self.body + footer + struct.pack("<I", len(footer)) + b"PAR1")
