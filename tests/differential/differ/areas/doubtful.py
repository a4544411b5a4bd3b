"""What a Parquet file says in addition to its values, changed to what writers write that are old, careless or of tomorrow.

The values stay as they are, so that a reader that trusts no more than it may reads the same rows: statistics that contradict
themselves, counts that are unknown, indexes that are missing, fields that nobody knows.
"""
from . import thrift
from .thrift import BINARY, FALSE, I16, I32, I64, LIST, STRUCT

BYTE_ARRAY, WIDTHS = 6, {1: 4, 2: 8, 3: 12, 4: 4, 5: 8}  # physical types
NAN = {4: b"\0\0\xc0\x7f", 5: b"\0\0\0\0\0\0\xf8\x7f"}
WRITERS = (b"parquet-mr version 1.8.0 (build x)", b"parquet-mr", b"", b"\xff\xfe", b"parquet-cpp version 1.2.9", b"a writer of tomorrow " * 20, b"fastparquet-python version 1.0.0 (build 111)")


class File:
    """A Parquet file whose footer, column indexes and page headers can be changed."""

    def __init__(self, data):
        size = int.from_bytes(data[-8:-4], "little")
        self.body, self.footer = bytearray(data[:-8 - size]), thrift.Reader(data[-8 - size:-8]).struct()

    def chunks(self):
        return [chunk for group in self.footer[4][1][1] for chunk in group[1][1][1]]

    def index(self, chunk):
        return thrift.Reader(self.body, chunk[6][1]).struct() if 6 in chunk else None

    def put_index(self, chunk, index):
        """At the end of the file, as it may have another length."""
        data = thrift.struct(index)
        chunk[6], chunk[7] = [I64, len(self.body)], [I32, len(data)]
        self.body += data

    def page_headers(self, chunk):
        """(place, header, length) of each page of a column chunk."""
        data, found = chunk[3][1], []
        at = min((data[field][1] for field in (9, 11) if field in data and data[field][1] > 0), default=0)
        end = at + data[7][1]
        while 0 < at < end:
            reader = thrift.Reader(self.body, at)
            header = reader.struct()
            found.append((at, header, reader.at - at))
            at = reader.at + header[3][1]
        return found

    def put_header(self, place, header, size):
        data = thrift.struct(header)
        if len(data) == size:
            self.body[place:place + size] = data

    def data(self):
        footer = thrift.struct(self.footer)
        return bytes(self.body) + footer + len(footer).to_bytes(4, "little") + b"PAR1"


# ---- statistics of a column chunk ----

def statistics(chunk):
    return chunk[3][1][12][1] if 12 in chunk[3][1] else None


def in_statistics(change):
    def changed(choices, file):
        chunk = choices.pick(file.chunks())
        if (found := statistics(chunk)) is not None:
            change(choices, found, chunk[3][1])
    return changed


def unknown_count(choices, found, column):
    found[3] = [I64, choices.pick((-1, column[5][1] + 1, 2 ** 62))]


def no_count(choices, found, column):
    found.pop(3, None)


def distinct_count(choices, found, column):
    found[4] = [I64, choices.pick((0, 1, -1, 10 ** 12))]


def swapped(choices, found, column):
    """The least is the greatest, unless they are alike."""
    for low, high in ((6, 5), (2, 1)):
        if low in found and high in found:
            found[low], found[high] = found[high], found[low]


def one_bound(choices, found, column):
    for field in choices.pick(((5, 1), (6, 2), (1, 2, 5, 6))):
        found.pop(field, None)


def wrong_length(choices, found, column):
    """Of types of fixed width."""
    if column[1][1] in WIDTHS:
        for field in choices.pick(((5,), (6,), (5, 6))):
            if field in found:
                found[field] = [BINARY, (found[field][1] + b"\0" * 9)[:choices.pick((0, 1, 3, 9))]]


def not_a_number(choices, found, column):
    if (nan := NAN.get(column[1][1])) and 5 in found:
        for field in choices.pick(((5,), (6,), (5, 6))):
            found[field] = [BINARY, nan]


def old_bounds(choices, file):
    """The fields that were replaced, with what need not be right, in addition to those in their place."""
    chunk = choices.pick(file.chunks())
    found = statistics(chunk)
    if found is not None and 5 in found and 6 in found and 7 in file.footer:
        width = WIDTHS.get(chunk[3][1][1][1], 3)
        found[1], found[2] = [BINARY, choices.pick((b"\0", b"\x01", b"\xff")) * width], [BINARY, choices.pick((b"\0", b"\x7f")) * width]


def inexact(choices, found, column):
    """Bounds that are not the least and greatest values, and say so."""
    if 5 in found and column[1][1] == BYTE_ARRAY:
        found[5] = [BINARY, found[5][1] + b"zz"]
        found[6] = [BINARY, found[6][1][:max(0, len(found[6][1]) - 1)]]
        found[7], found[8] = [FALSE, False], [FALSE, False]


# ---- column indexes ----

def in_index(change):
    def changed(choices, file):
        chunks = [chunk for chunk in file.chunks() if 6 in chunk]
        if chunks:
            chunk = choices.pick(chunks)
            found = file.index(chunk)
            change(choices, found, chunk)
            file.put_index(chunk, found)
    return changed


def null_pages(choices, found, chunk):
    """Said of a page that has no NULL; the counts are there, and say so."""
    if 5 in found:
        pages, counts = found[1][1][1], found[5][1][1]
        for i, count in enumerate(counts):
            if count == 0 and choices.chance(50):
                pages[i] = True


def index_counts(choices, found, chunk):
    if choices.chance(50):
        found.pop(5, None)
    elif 5 in found:
        found[5] = [LIST, (I64, [-1 if choices.chance(50) else count for count in found[5][1][1]])]


def index_swapped(choices, found, chunk):
    """Bounds of pages whose least value is the greatest."""
    low, high = found[2][1][1], found[3][1][1]
    for i, _ in enumerate(low):
        if choices.chance(60):
            low[i], high[i] = high[i], low[i]
    found[4] = [I32, 0]


def unordered(choices, found, chunk):
    found[4] = [I32, 0]


def levels_dropped(choices, found, chunk):
    found.pop(6, None)
    found.pop(7, None)


def no_index(choices, file):
    fields = choices.pick(((6, 7), (4, 5), (4, 5, 6, 7)))
    for chunk in file.chunks() if choices.chance(50) else [choices.pick(file.chunks())]:
        for field in fields:
            chunk.pop(field, None)


# ---- page headers ----

def page_counts(choices, file):
    """Pages of version 2 that don't know how many NULLs they have."""
    for place, header, size in file.page_headers(choices.pick(file.chunks())):
        if 8 in header and choices.chance(80):
            header[8][1][2] = [I32, -1]
            file.put_header(place, header, size)


def page_statistics(choices, file):
    for place, header, size in file.page_headers(choices.pick(file.chunks())):
        for field, inner in ((5, 5), (8, 8)):
            if field in header and inner in header[field][1]:
                found = header[field][1][inner][1]
                swapped(choices, found, None)
                if 3 in found and found[3][1] < 64:
                    found[3] = [I64, -1]
                file.put_header(place, header, size)


# ---- the footer ----

def in_schema(choices, file):
    """One of the two ways of saying a type where both are there; fields that readers need not know."""
    columns = [element for element in file.footer[2][1][1] if 5 not in element]
    for element in columns:
        if 6 in element and 10 in element:
            is_time = element[6][1] in (9, 10)
            drop = choices.pick((0, 6, 10))
            if drop and not (is_time and drop == 10):
                element.pop(drop)
        if choices.chance(30):
            element[9] = [I32, choices.pick((0, 7, -1, 2 ** 31 - 1))]


def in_footer(choices, file):
    footer = file.footer
    kind = choices.pick(("created_by", "version", "orders", "pairs", "no schema", "wrong schema"))
    if kind == "created_by":
        footer[6] = [BINARY, choices.pick(WRITERS)]
        if choices.chance(30):
            footer.pop(6)
    elif kind == "version":
        footer[1] = [I32, choices.pick((1, 2, 3, 0, 99, -1))]
    elif kind == "orders":
        footer.pop(7, None)
        for found in filter(None, map(statistics, file.chunks())):
            found.pop(1, None)
            found.pop(2, None)
    elif kind == "pairs":
        footer[5] = [LIST, (STRUCT, [{1: [BINARY, b"k"]}, {1: [BINARY, b"k"], 2: [BINARY, b"\xff" * 50]}] * choices.between(1, 20))]
    elif kind == "no schema":
        footer.pop(5, None)
    elif 5 in footer:
        for pair in footer[5][1][1]:
            pair[2] = [BINARY, choices.pick((b"", b"!!", b"/////w==", b"A" * 1000))]


def in_groups(choices, file):
    for group in file.footer[4][1][1]:
        kind = choices.pick(("bytes", "compressed", "ordinal", "offset", "sorting"))
        if kind == "bytes":
            group[2] = [I64, choices.pick((0, 1, 10 ** 9))]
        elif kind == "compressed":
            group.pop(6, None)
        elif kind == "ordinal":
            group.pop(7, None)
        elif kind == "offset":
            group[5] = [I64, 0]
        else:
            group.pop(4, None)


def in_chunks(choices, file):
    for chunk in file.chunks():
        kind = choices.pick(("offset", "encodings", "encoding statistics", "sizes", "pairs", "dictionary"))
        data = chunk[3][1]
        if kind == "offset":
            chunk[2] = [I64, choices.pick((0, data[9][1]))]
        elif kind == "encodings":
            data[2] = [LIST, (I32, data[2][1][1] + [choices.pick((3, 4, 0, 8))])]
        elif kind == "encoding statistics":
            data.pop(13, None)
        elif kind == "sizes":
            data.pop(16, None)
        elif kind == "pairs":
            data[8] = [LIST, (STRUCT, [{1: [BINARY, b"\0"], 2: [BINARY, b"x" * 200]}])]


def in_groups_and_chunks(choices, file):
    in_groups(choices, file)
    in_chunks(choices, file)


def unknown_fields(choices, file):
    """Of a later version of the format."""
    chunk = choices.pick(file.chunks())
    places = [file.footer, chunk, chunk[3][1], file.footer[4][1][1][0], file.footer[2][1][1][-1]] + ([statistics(chunk)] if statistics(chunk) else [])
    for place in choices.some(range(len(places)), 3):
        kind, value = choices.pick(((I32, 5), (BINARY, b"\xff" * 9), (LIST, (STRUCT, [{1: [I16, 3]}] * 3)), (STRUCT, {1: [BINARY, b""], 40: [I64, -1]}), (FALSE, False)))
        places[place][choices.pick((40, 99, 32767))] = [kind, value]


CHANGES = {"unknown count": in_statistics(unknown_count), "no count": in_statistics(no_count), "distinct count": in_statistics(distinct_count),
           "bounds swapped": in_statistics(swapped), "one bound": in_statistics(one_bound), "wrong length": in_statistics(wrong_length),
           "NaN": in_statistics(not_a_number), "old bounds": old_bounds, "inexact bounds": in_statistics(inexact),
           "null pages": in_index(null_pages), "index counts": in_index(index_counts), "index swapped": in_index(index_swapped), "index unordered": in_index(unordered),
           "index levels": in_index(levels_dropped), "no index": no_index, "page counts": page_counts, "page statistics": page_statistics, "schema": in_schema,
           "footer": in_footer, "groups": in_groups_and_chunks, "unknown fields": unknown_fields}
NAMES = tuple(CHANGES)


def changed(choices, data):
    """(bytes of the file with some changes, what they are)"""
    file = File(data)
    if not file.chunks():
        return data, []
    names = choices.some(NAMES, 3)
    for name in names:
        CHANGES[name](choices, file)
    return file.data(), names
