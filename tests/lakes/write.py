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


def puffin(vector, data_file, count):
    """A file of one deletion vector, which lies at its byte 4."""
    blob = {"type": "deletion-vector-v1", "fields": [], "snapshot-id": -1, "sequence-number": -1, "offset": 4, "length": len(vector),
            "properties": {"referenced-data-file": data_file, "cardinality": str(count)}}
    payload = json.dumps({"blobs": [blob]}).encode()
    return b"PFA1" + vector + b"PFA1" + payload + struct.pack("<ii", len(payload), 0) + b"PFA1"


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


def add(path, values=None, stats=None, vector=None, size=1):
    action = {"path": path, "partitionValues": values or {}, "size": size, "modificationTime": 0, "dataChange": True}
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


# ---- Iceberg ----

def zigzag(number):
    number = (number << 1) ^ (number >> 63)
    out = bytearray()
    while True:
        out.append(number & 0x7f | (0x80 if number > 0x7f else 0))
        number >>= 7
        if not number:
            return bytes(out)


def avro_value(kind, value):
    if isinstance(kind, list):
        branch = 0 if value is None else 1
        return zigzag(branch) + (b"" if value is None else avro_value(kind[branch], value))
    if isinstance(kind, dict):
        if kind["type"] == "record":
            return b"".join(avro_value(f["type"], value.get(f["name"])) for f in kind["fields"])
        if kind["type"] == "array":
            items = b"".join(avro_value(kind["items"], item) for item in value)
            return (zigzag(len(value)) + items if value else b"") + zigzag(0)
        return avro_value(kind["type"], value)
    if kind in ("int", "long"):
        return zigzag(value)
    if kind == "boolean":
        return bytes([value])
    data = value.encode() if isinstance(value, str) else value
    return zigzag(len(data)) + data


def avro_pack(codec, data):
    if codec == "deflate":
        packer = zlib.compressobj(9, zlib.DEFLATED, -15)
        return packer.compress(data) + packer.flush()
    if codec == "snappy":  # literals alone
        head, size = bytearray(), len(data)
        while True:
            head.append(size & 0x7f | (0x80 if size > 0x7f else 0))
            size >>= 7
            if not size:
                break
        body = b"".join(bytes([61 << 2]) + struct.pack("<H", len(part) - 1) + part
                        for part in (data[i:i + 60000] for i in range(0, len(data), 60000)))
        return bytes(head) + body + struct.pack(">I", zlib.crc32(data))
    return data


def avro_file(path, schema, records, codec="null", more=None):
    header = {"avro.schema": json.dumps(schema), "avro.codec": codec, **(more or {})}
    out = b"Obj\x01" + zigzag(len(header))
    for name, text in header.items():
        out += avro_value("string", name) + avro_value("string", text)
    sync = bytes(range(16))
    block = avro_pack(codec, b"".join(avro_value(schema, record) for record in records))
    with open(path, "wb") as f:
        f.write(out + zigzag(0) + sync + zigzag(len(records)) + zigzag(len(block)) + block + sync)


def avro_field(name, number, kind, optional=False):
    return {"name": name, "field-id": number, "type": ["null", kind] if optional else kind}


def pairs_of(key, value, kind):
    return {"type": "array", "logicalType": "map",
            "items": {"type": "record", "name": f"k{key}_v{value}",
                      "fields": [avro_field("key", key, "int"), avro_field("value", value, kind)]}}


LIST_SCHEMA = {"type": "record", "name": "manifest_file", "fields": [
    avro_field("manifest_path", 500, "string"), avro_field("manifest_length", 501, "long"),
    avro_field("partition_spec_id", 502, "int"), avro_field("content", 517, "int"),
    avro_field("sequence_number", 515, "long"), avro_field("min_sequence_number", 516, "long"),
    avro_field("added_snapshot_id", 503, "long"), *[avro_field(f"{kind}_{what}_count", 504 + at if what == "files" else 512 + at, "int" if what == "files" else "long")
                                                    for what in ("files", "rows") for at, kind in enumerate(("added", "existing", "deleted"))],
    avro_field("partitions", 507, {"type": "array", "element-id": 508, "items": {"type": "record", "name": "r508", "fields": [
        avro_field("contains_null", 509, "boolean"), avro_field("lower_bound", 510, "bytes", True),
        avro_field("upper_bound", 511, "bytes", True)]}}, True)]}


def entry_schema(partition):
    return {"type": "record", "name": "manifest_entry", "fields": [
        avro_field("status", 0, "int"), avro_field("snapshot_id", 1, "long", True),
        avro_field("sequence_number", 3, "long", True), avro_field("file_sequence_number", 4, "long", True),
        avro_field("data_file", 2, {"type": "record", "name": "r2", "fields": [
            avro_field("content", 134, "int"), avro_field("file_path", 100, "string"),
            avro_field("file_format", 101, "string"),
            avro_field("partition", 102, {"type": "record", "name": "r102", "fields": partition}),
            avro_field("record_count", 103, "long"), avro_field("file_size_in_bytes", 104, "long"),
            avro_field("null_value_counts", 110, pairs_of(121, 122, "long"), True),
            avro_field("lower_bounds", 125, pairs_of(126, 127, "bytes"), True),
            avro_field("upper_bounds", 128, pairs_of(129, 130, "bytes"), True),
            avro_field("equality_ids", 135, {"type": "array", "element-id": 136, "items": "int"}, True),
            avro_field("referenced_data_file", 143, "string", True),
            avro_field("content_offset", 144, "long", True),
            avro_field("content_size_in_bytes", 145, "long", True)]})]}


class Iceberg:
    """A table that is written by hand: columns are (id, name, type), partition fields (source, id, name, transform, type)."""

    def __init__(self, root, columns, partition=(), version=2, location=None, codec="deflate", **properties):
        self.root, self.version, self.codec, self.properties = root, version, codec, properties
        self.location = location or root
        self.schemas, self.partition = [columns], list(partition)
        self.snapshots, self.manifests, self.number, self.rows = [], [], 0, 0
        os.makedirs(os.path.join(root, "metadata"), exist_ok=True)

    def file(self, path, rows, content=0, status=1, partition=None, sequence=None, form="PARQUET", bounds=None, **more):
        pairs = lambda side: [{"key": key, "value": side_value} for key, (low, high) in (bounds or {}).items()
                              for side_value in [low if side == 0 else high]]
        where = os.path.join(self.root, path)
        return {"status": status, "snapshot_id": None, "sequence_number": sequence, "file_sequence_number": sequence,
                "data_file": {"content": content, "file_path": f"{self.location}/{path}", "file_format": form,
                              "partition": partition or {}, "record_count": rows,
                              "file_size_in_bytes": os.path.getsize(where) if os.path.isfile(where) else 1,
                              "lower_bounds": pairs(0) if bounds else None, "upper_bounds": pairs(1) if bounds else None, **more}}

    def commit(self, *entries, replaces=False, when=0, between=None, is_last=True):
        """A manifest of data or deletes, a list, a snapshot, metadata. between: bounds of each partition field. is_last False: more
        manifests of the snapshot follow."""
        self.number += 1
        n, folder = self.number, os.path.join(self.root, "metadata")
        if replaces:
            self.manifests = []
        kinds = [avro_field(name, number, kind, True) for _, number, name, _, kind in self.partition]
        for is_deletes in (False, True):
            chosen = [e for e in entries if (e["data_file"]["content"] > 0) == is_deletes]
            if not chosen:
                continue
            name = f"m{n}-{int(is_deletes)}.avro"
            avro_file(os.path.join(folder, name), entry_schema(kinds), chosen, self.codec, {
                "schema": json.dumps(self.schema(len(self.schemas) - 1)), "partition-spec": json.dumps(self.spec()), "partition-spec-id": "0",
                "format-version": str(self.version), "content": "deletes" if is_deletes else "data"})
            of = lambda status: [e for e in chosen if e["status"] == status]
            counts = {f"{kind}_{what}_count": len(of(status)) if what == "files" else sum(e["data_file"]["record_count"] for e in of(status))
                      for what in ("files", "rows") for status, kind in ((1, "added"), (0, "existing"), (2, "deleted"))}
            self.manifests.append({"manifest_path": f"{self.location}/metadata/{name}", "manifest_length": os.path.getsize(os.path.join(folder, name)),
                                   "partition_spec_id": 0, "content": int(is_deletes), "sequence_number": n, "min_sequence_number": n,
                                   "added_snapshot_id": n, **counts,
                                   "partitions": [{"contains_null": False, "lower_bound": low, "upper_bound": high}
                                                  for low, high in between] if between else None})
        if not is_last:
            return
        avro_file(os.path.join(folder, f"snap-{n}.avro"), LIST_SCHEMA, self.manifests, self.codec)
        rows = sum(e["data_file"]["record_count"] for e in entries if e["data_file"]["content"] == 0 and e["status"] == 1)
        self.snapshots.append({"snapshot-id": n, "sequence-number": n, "timestamp-ms": when or n * 1000,
                               "schema-id": len(self.schemas) - 1, **({"first-row-id": self.rows, "added-rows": rows} if self.version > 2 else {}),
                               **({"parent-snapshot-id": self.snapshots[-1]["snapshot-id"]} if self.snapshots else {}),
                               "manifest-list": f"{self.location}/metadata/snap-{n}.avro", "summary": {"operation": "overwrite"}})
        self.rows += rows
        self.write()

    def schema(self, number):
        return {"type": "struct", "schema-id": number, "fields": [
            {"id": c[0], "name": c[1], "type": c[2], "required": False, **(c[3] if len(c) > 3 else {})} for c in self.schemas[number]]}

    def spec(self):
        return [{"source-id": s, "field-id": i, "name": name, "transform": transform} for s, i, name, transform, _ in self.partition]

    def write(self):
        last = self.snapshots[-1] if self.snapshots else {"snapshot-id": -1, "timestamp-ms": 0}
        data = {"format-version": self.version, "table-uuid": "11111111-2222-4333-8444-555555555555", "location": self.location,
                "schemas": [self.schema(i) for i in range(len(self.schemas))], "current-schema-id": len(self.schemas) - 1,
                "last-column-id": 1000, "last-partition-id": 2000, "default-spec-id": 0, "last-sequence-number": self.number,
                "last-updated-ms": last["timestamp-ms"], "sort-orders": [{"order-id": 0, "fields": []}], "default-sort-order-id": 0,
                "partition-specs": [{"spec-id": 0, "fields": self.spec()}], "refs": {"main": {"type": "branch", "snapshot-id": last["snapshot-id"]}} if self.snapshots else {},
                "snapshots": self.snapshots, "current-snapshot-id": last["snapshot-id"], "properties": self.properties,
                **({"next-row-id": self.rows} if self.version > 2 else {})}
        with open(os.path.join(self.root, "metadata", f"v{self.number}.metadata.json"), "w", encoding="utf-8") as f:
            json.dump(data, f)
