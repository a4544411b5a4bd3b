"""Thrift's compact protocol, read into and written from plain structures: what a Parquet file's footer, indexes and page headers are in.

A struct is {field's number: [type, value]} in the order of its fields, a list (type of its items, [values]).
"""
TRUE, FALSE, BYTE, I16, I32, I64, DOUBLE, BINARY, LIST, SET, STRUCT = 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 12


class Reader:
    def __init__(self, data, at=0):
        self.data, self.at = data, at

    def byte(self):
        self.at += 1
        return self.data[self.at - 1]

    def number(self):
        value = shift = 0
        while True:
            byte = self.byte()
            value |= (byte & 127) << shift
            shift += 7
            if byte < 128:
                return value

    def signed(self):
        value = self.number()
        return value >> 1 ^ -(value & 1)

    def taken(self, size):
        self.at += size
        return bytes(self.data[self.at - size:self.at])

    def value(self, kind):
        if kind in (TRUE, FALSE):
            return kind == TRUE
        if kind == BYTE:
            return self.byte()
        if kind in (I16, I32, I64):
            return self.signed()
        if kind == DOUBLE:
            return self.taken(8)
        if kind == BINARY:
            return self.taken(self.number())
        if kind in (LIST, SET):
            head = self.byte()
            size, item = head >> 4, head & 15
            size = self.number() if size == 15 else size
            return item, [self.byte() == 1 if item in (TRUE, FALSE) else self.value(item) for _ in range(size)]
        assert kind == STRUCT, kind
        return self.struct()

    def struct(self):
        fields, last = {}, 0
        while head := self.byte():
            last = last + (head >> 4) if head >> 4 else self.signed()
            fields[last] = [head & 15, self.value(head & 15)]
        return fields


def number(value):
    out = bytearray()
    while value > 127:
        out.append(value & 127 | 128)
        value >>= 7
    return bytes(out) + bytes([value])


def signed(value):
    return number(value << 1 if value >= 0 else (-value << 1) - 1)


def written(kind, value):
    """The bytes of a value."""
    if kind in (TRUE, FALSE):
        return b""
    if kind == BYTE:
        return bytes([value])
    if kind in (I16, I32, I64):
        return signed(value)
    if kind == DOUBLE:
        return value
    if kind == BINARY:
        return number(len(value)) + value
    if kind in (LIST, SET):
        item, values = value
        head = bytes([len(values) << 4 | item]) if len(values) < 15 else bytes([0xf0 | item]) + number(len(values))
        return head + b"".join(bytes([TRUE if v else FALSE]) if item in (TRUE, FALSE) else written(item, v) for v in values)
    return struct(value)


def struct(fields):
    out, last = b"", 0
    for field, (kind, value) in sorted(fields.items()):
        if kind in (TRUE, FALSE):
            kind = TRUE if value else FALSE
        step = field - last
        out += bytes([step << 4 | kind]) if 0 < step < 16 else bytes([kind]) + signed(field)
        out += written(kind, value)
        last = field
    return out + b"\0"
