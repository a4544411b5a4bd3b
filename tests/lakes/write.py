"""Writes what libraries do not: logs of Delta tables by hand, deletion vectors, mapped columns."""
import json
import os
import struct
import uuid
import zlib

DIGITS_85 = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ.-:+=^!/*?&<>()[]{}@%$#"


def text_85(data):
    out = ""
    for i in range(0, len(data), 4):
        number = int.from_bytes(data[i:i + 4], "big")
        out += "".join(DIGITS_85[number // 85 ** k % 85] for k in (4, 3, 2, 1, 0))
    return out


def roaring(rows, form="list"):
    """The portable form of 64 bits: containers of one kind."""
    uppers = {}
    for row in sorted(set(rows)):
        uppers.setdefault(row >> 32, {}).setdefault(row >> 16 & 0xffff, []).append(row & 0xffff)
    out = struct.pack("<q", len(uppers))
    for upper, containers in uppers.items():
        count = len(containers)
        heads = b"".join(struct.pack("<HH", key, len(low) - 1) for key, low in containers.items())
        bodies = []
        for low in containers.values():
            if form == "runs":
                bodies.append(struct.pack("<H", len(low)) + b"".join(struct.pack("<HH", v, 0) for v in low))
            elif len(low) <= 4096:
                bodies.append(struct.pack(f"<{len(low)}H", *low))
            else:
                bits = bytearray(8192)
                for v in low:
                    bits[v // 8] |= 1 << v % 8
                bodies.append(bytes(bits))
        out += struct.pack("<i", upper)
        if form == "runs":
            out += struct.pack("<I", 12347 | (count - 1) << 16) + bytes([0xff] * ((count + 7) // 8))
        else:
            out += struct.pack("<II", 12346, count)
        out += heads
        if form != "runs" or count >= 4:
            out += b"".join(struct.pack("<I", 0) for _ in bodies)
        out += b"".join(bodies)
    return b"\xd1\xd3\x39\x64" + out


def framed(rows, form="list"):
    data = roaring(rows, form)
    return struct.pack(">I", len(data)) + data + struct.pack(">I", zlib.crc32(data))


def inline_vector(rows, form="list"):
    data = roaring(rows, form)
    return {"storageType": "i", "pathOrInlineDv": text_85(data + bytes(-len(data) % 4)),
            "sizeInBytes": len(data), "cardinality": len(set(rows))}


def file_vector(root, rows, form="list", prefix=""):
    """A file with one byte, then this vector; its identifier is told by 20 characters."""
    ident = uuid.uuid4()
    data = framed(rows, form)
    folder = os.path.join(root, prefix) if prefix else root
    os.makedirs(folder, exist_ok=True)
    with open(os.path.join(folder, f"deletion_vector_{ident}.bin"), "wb") as f:
        f.write(b"\x01" + data)
    return {"storageType": "u", "pathOrInlineDv": prefix + text_85(ident.bytes), "offset": 1,
            "sizeInBytes": len(data) - 8, "cardinality": len(set(rows))}


def field(name, kind, **metadata):
    return {"name": name, "type": kind, "nullable": True, "metadata": metadata}


def metadata(fields, partitions=(), **configuration):
    return {"metaData": {"id": "t", "format": {"provider": "parquet", "options": {}},
                         "schemaString": json.dumps({"type": "struct", "fields": fields}),
                         "partitionColumns": list(partitions),
                         "configuration": {name.replace("__", "."): text for name, text in configuration.items()}}}


def protocol(reader=1, features=None):
    more = {"readerFeatures": features, "writerFeatures": features} if features is not None else {}
    return {"protocol": {"minReaderVersion": reader, "minWriterVersion": 2 if reader < 3 else 7, **more}}


def add(path, values=None, stats=None, vector=None):
    action = {"path": path, "partitionValues": values or {}, "size": 1, "modificationTime": 0, "dataChange": True}
    if stats:
        action["stats"] = json.dumps(stats)
    if vector:
        action["deletionVector"] = vector
    return {"add": action}


def remove(path, vector=None):
    action = {"path": path, "deletionTimestamp": 0, "dataChange": True}
    if vector:
        action["deletionVector"] = vector
    return {"remove": action}


def commit(root, version, *actions):
    log = os.path.join(root, "_delta_log")
    os.makedirs(log, exist_ok=True)
    with open(os.path.join(log, f"{version:020}.json"), "w", encoding="utf-8") as f:
        f.writelines(json.dumps(action) + "\n" for action in actions)
