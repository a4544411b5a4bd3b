/* avro.c - schemas to types, bytes to values; each length is checked against the bytes that are there. */
#include "lake/log/avro.h"

#include "base/cancel.h"
#include "codec/unpack.h"
#include "lake/log/lake_text.h"

#define SCHEMA_DEPTH_MAX 64
#define SCHEMA_TYPES_MAX 4096
#define BLOCK_BYTES_MAX ((size_t)128 << 20)
#define SYNC_BYTES 16

static status broken_avro(const char *what)
{
    return status_new(STATUS_KIND_CORRUPT, "it is not an Avro file that can be read: %s", what);
}

/* ---- schemas ---- */

typedef struct schema_reader {
    arena *memory;
    ARRAY(const avro_type *) named;
    size_t types;
} schema_reader;

static status read_type(schema_reader *s, yyjson_val *from, unsigned depth, const avro_type **out);

static status new_type(schema_reader *s, avro_kind kind, size_t parts, avro_type **out)
{
    avro_type *type = arena_alloc(s->memory, sizeof *type);
    *out = type;
    if (++s->types > SCHEMA_TYPES_MAX)
        return broken_avro("its schema has too many types");
    if (!type)
        return status_no_memory("lake", sizeof *type);
    type->kind = kind;
    type->part_count = parts;
    type->parts = arena_alloc_array(s->memory, parts + 1, sizeof *type->parts);
    type->field_names = arena_alloc_array(s->memory, parts + 1, sizeof *type->field_names);
    type->field_ids = arena_alloc_array(s->memory, parts + 1, sizeof *type->field_ids);
    return type->parts && type->field_names && type->field_ids
               ? STATUS_OK
               : status_no_memory("lake", parts * sizeof *type->parts);
}

static status type_of_name(schema_reader *s, const char *name, const avro_type **out)
{
    static const struct {
        const char *name;
        avro_kind kind;
    } simple[] = {{"null", AVRO_NULL},   {"boolean", AVRO_BOOL}, {"int", AVRO_INT},
                  {"long", AVRO_INT},    {"float", AVRO_FLOAT},  {"double", AVRO_DOUBLE},
                  {"bytes", AVRO_BYTES}, {"string", AVRO_BYTES}};
    avro_type *made;
    for (size_t i = 0; i < sizeof simple / sizeof *simple; i++)
        if (!strcmp(name, simple[i].name)) {
            TRY(new_type(s, simple[i].kind, 0, &made));
            *out = made;
            return STATUS_OK;
        }
    for (size_t i = 0; i < s->named.count; i++)
        if (s->named.items[i]->name && !strcmp(s->named.items[i]->name, name)) {
            *out = s->named.items[i];
            return STATUS_OK;
        }
    return broken_avro("its schema has a type that is not known");
}

static status read_record(schema_reader *s, yyjson_val *from, unsigned depth, avro_type *type)
{
    yyjson_arr_iter iter;
    yyjson_val *field;
    size_t i = 0;
    yyjson_arr_iter_init(yyjson_obj_get(from, "fields"), &iter);
    while ((field = yyjson_arr_iter_next(&iter))) {
        type->field_names[i] = lake_json_text(field, "name");
        type->field_ids[i] = -1;
        lake_json_int(field, "field-id", &type->field_ids[i]);
        TRY(read_type(s, yyjson_obj_get(field, "type"), depth, &type->parts[i++]));
    }
    return STATUS_OK;
}

static status read_union(schema_reader *s, yyjson_val *from, unsigned depth, const avro_type **out)
{
    yyjson_arr_iter iter;
    yyjson_val *branch;
    avro_type *type;
    size_t i = 0;
    TRY(new_type(s, AVRO_UNION, yyjson_arr_size(from), &type));
    yyjson_arr_iter_init(from, &iter);
    while ((branch = yyjson_arr_iter_next(&iter)))
        TRY(read_type(s, branch, depth, &type->parts[i++]));
    *out = type;
    return STATUS_OK;
}

static status read_named(schema_reader *s, yyjson_val *from, const char *kind, unsigned depth,
                         const avro_type **out)
{
    avro_type *type;
    int64_t bytes = 0;
    bool is_record = !strcmp(kind, "record");
    TRY(new_type(s,
                 is_record               ? AVRO_RECORD
                 : !strcmp(kind, "enum") ? AVRO_INT
                                         : AVRO_BYTES,
                 is_record ? yyjson_arr_size(yyjson_obj_get(from, "fields")) : 0, &type));
    *out = type;
    type->name = lake_json_text(from, "name");
    type->is_enum = type->kind == AVRO_INT;
    type->is_fixed = type->kind == AVRO_BYTES;
    if (type->is_fixed && (!lake_json_int(from, "size", &bytes) || bytes < 0))
        return broken_avro("its schema has a fixed type without a size");
    type->bytes = (uint64_t)bytes;
    /* A record that has itself among its fields is not known by then. */
    if (is_record)
        TRY(read_record(s, from, depth, type));
    return array_push(s->memory, &s->named, type);
}

static status read_type(schema_reader *s, yyjson_val *from, unsigned depth, const avro_type **out)
{
    avro_type *type;
    if (depth >= SCHEMA_DEPTH_MAX)
        return broken_avro("its schema is nested too deep");
    if (yyjson_is_str(from))
        return type_of_name(s, yyjson_get_str(from), out);
    if (yyjson_is_arr(from))
        return read_union(s, from, depth + 1, out);
    yyjson_val *inner = yyjson_obj_get(from, "type");
    const char *kind = yyjson_get_str(inner);
    if (!inner)
        return broken_avro("its schema is not one");
    if (!kind)
        return read_type(s, inner, depth + 1, out);
    if (!strcmp(kind, "record") || !strcmp(kind, "fixed") || !strcmp(kind, "enum"))
        return read_named(s, from, kind, depth + 1, out);
    bool is_array = !strcmp(kind, "array");
    if (!is_array && strcmp(kind, "map") != 0)
        return type_of_name(s, kind, out);
    TRY(new_type(s, is_array ? AVRO_ARRAY : AVRO_MAP, 1, &type));
    *out = type;
    return read_type(s, yyjson_obj_get(from, is_array ? "items" : "values"), depth + 1,
                     &type->parts[0]);
}

/* ---- values ---- */

typedef struct avro_reader {
    const uint8_t *at, *end;
    arena *memory;
    uint64_t values;
} avro_reader;

static status ends_early(void)
{
    return broken_avro("its bytes end early");
}

static uint64_t bytes_left(const avro_reader *r)
{
    return (uint64_t)(r->end - r->at);
}

/* Seven bits a byte, then the sign is the lowest bit. */
static status read_long(avro_reader *r, int64_t *out)
{
    uint64_t number = 0;
    *out = 0;
    for (unsigned shift = 0; shift < 70; shift += 7) {
        if (r->at == r->end)
            return ends_early();
        uint8_t byte = *r->at++;
        if (shift < 64)
            number |= (uint64_t)(byte & 0x7f) << shift;
        if (!(byte & 0x80)) {
            *out = (int64_t)(number >> 1) ^ -(int64_t)(number & 1);
            return STATUS_OK;
        }
    }
    return broken_avro("a number is too long");
}

static status read_span(avro_reader *r, uint64_t count, const uint8_t **out)
{
    if (count > bytes_left(r))
        return ends_early();
    *out = r->at;
    r->at += count;
    return STATUS_OK;
}

static status read_bytes(avro_reader *r, const uint8_t **out, size_t *out_count)
{
    int64_t count;
    TRY(read_long(r, &count));
    if (count < 0)
        return ends_early();
    *out_count = (size_t)count;
    return read_span(r, (uint64_t)count, out);
}

static status read_value(avro_reader *r, const avro_type *type, avro_value *out);

static status avro_read_fields(avro_reader *r, const avro_type *type, avro_value *out)
{
    out->items = arena_alloc_array(r->memory, type->part_count + 1, sizeof *out->items);
    if (!out->items)
        return status_no_memory("lake", type->part_count * sizeof *out->items);
    out->item_count = type->part_count;
    for (size_t i = 0; i < type->part_count; i++)
        TRY(read_value(r, type->parts[i], &out->items[i]));
    return STATUS_OK;
}

/* A block's number of items, which may be followed by its bytes; an item takes at least a byte. */
static status read_block_count(avro_reader *r, int64_t *out)
{
    int64_t ignored;
    TRY(read_long(r, out));
    if (*out < 0 && *out > INT64_MIN) {
        *out = -*out;
        TRY(read_long(r, &ignored));
    }
    return *out < 0 || (uint64_t)*out > bytes_left(r) ? ends_early() : STATUS_OK;
}

static status read_items(avro_reader *r, const avro_type *type, avro_value *out)
{
    ARRAY(avro_value) items = {0};
    bool is_map = type->kind == AVRO_MAP;
    for (;;) {
        int64_t count;
        TRY(read_block_count(r, &count));
        if (!count)
            break;
        for (int64_t i = 0; i < count; i++) {
            TRY(array_reserve(r->memory, &items, 2));
            if (is_map) {
                avro_value *key = &items.items[items.count++];
                *key = (avro_value){.kind = AVRO_BYTES};
                TRY(read_bytes(r, &key->bytes, &key->byte_count));
            }
            TRY(read_value(r, type->parts[0], &items.items[items.count++]));
        }
    }
    out->items = items.items;
    out->item_count = items.count;
    return STATUS_OK;
}

static status read_union_value(avro_reader *r, const avro_type *type, avro_value *out)
{
    int64_t branch;
    TRY(read_long(r, &branch));
    if (branch < 0 || (uint64_t)branch >= type->part_count)
        return broken_avro("a union has no such branch");
    return read_value(r, type->parts[branch], out);
}

static status read_real(avro_reader *r, bool is_float, double *out)
{
    const uint8_t *bytes;
    float single;
    TRY(read_span(r, is_float ? 4 : 8, &bytes));
    if (is_float)
        memcpy(&single, bytes, sizeof single);
    else
        memcpy(out, bytes, sizeof *out);
    if (is_float)
        *out = (double)single;
    return STATUS_OK;
}

/* Types are not recursive, so that the depth of values is that of the schema. */
static status read_value(avro_reader *r, const avro_type *type, avro_value *out)
{
    const uint8_t *byte;
    *out = (avro_value){.kind = type->kind, .type = type};
    if (cancel_look(++r->values))
        return cancel_check();
    switch (type->kind) {
    case AVRO_NULL:
        return STATUS_OK;
    case AVRO_BOOL:
        TRY(read_span(r, 1, &byte));
        out->number = *byte != 0;
        return STATUS_OK;
    case AVRO_INT:
        return read_long(r, &out->number);
    case AVRO_FLOAT:
    case AVRO_DOUBLE:
        return read_real(r, type->kind == AVRO_FLOAT, &out->real);
    case AVRO_BYTES:
        if (!type->is_fixed)
            return read_bytes(r, &out->bytes, &out->byte_count);
        out->byte_count = type->bytes;
        return read_span(r, type->bytes, &out->bytes);
    case AVRO_RECORD:
        return avro_read_fields(r, type, out);
    case AVRO_UNION:
        return read_union_value(r, type, out);
    default:
        return read_items(r, type, out);
    }
}

/* ---- fields ---- */

const avro_value *avro_field(const avro_value *record, int64_t id, const char *name)
{
    if (!record || record->kind != AVRO_RECORD)
        return NULL;
    const avro_type *type = record->type;
    for (size_t i = 0; i < type->part_count; i++) {
        bool is_it = type->field_ids[i] >= 0
                         ? type->field_ids[i] == id
                         : type->field_names[i] && !strcmp(type->field_names[i], name);
        if (is_it)
            return record->items[i].kind == AVRO_NULL ? NULL : &record->items[i];
    }
    return NULL;
}

bool avro_field_int(const avro_value *record, int64_t id, const char *name, int64_t *out)
{
    const avro_value *v = avro_field(record, id, name);
    if (!v || (v->kind != AVRO_INT && v->kind != AVRO_BOOL))
        return false;
    *out = v->number;
    return true;
}

const char *avro_field_text(arena *a, const avro_value *record, int64_t id, const char *name)
{
    const avro_value *v = avro_field(record, id, name);
    if (!v || v->kind != AVRO_BYTES)
        return NULL;
    return arena_copy_text(a, (const char *)v->bytes, v->byte_count);
}

/* ---- files ---- */

typedef struct avro_file {
    avro_reader bytes;
    arena *memory;
    const avro_type *schema;
    bool is_packed;
    unpack_form codec;
    bool has_checksum; /* snappy: four bytes behind each block */
    const uint8_t *sync;
} avro_file;

static status choose_codec(avro_file *f, const uint8_t *name, size_t bytes)
{
    static const struct {
        const char *name;
        unpack_form form;
    } known[] = {
        {"deflate", UNPACK_DEFLATE}, {"snappy", UNPACK_SNAPPY}, {"zstandard", UNPACK_ZSTD}};
    if (bytes == 4 && !memcmp(name, "null", 4))
        return STATUS_OK;
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (strlen(known[i].name) == bytes && !memcmp(known[i].name, name, bytes)) {
            f->is_packed = true;
            f->codec = known[i].form;
            f->has_checksum = f->codec == UNPACK_SNAPPY;
            return STATUS_OK;
        }
    return status_new(STATUS_KIND_UNSUPPORTED, "its codec \"%.*s\" is not supported",
                      bytes < 40 ? (int)bytes : 40, (const char *)name);
}

static status read_schema(avro_file *f, const uint8_t *text, size_t bytes)
{
    schema_reader s = {.memory = f->memory};
    yyjson_val *root;
    size_t at = 0;
    char *copy = arena_copy_text(f->memory, (const char *)text, bytes);
    if (!copy)
        return status_no_memory("lake", bytes);
    TRY(lake_json(f->memory, "avro.schema", copy, bytes, &at, &root));
    return read_type(&s, root, 0, &f->schema);
}

static bool avro_is_key(const avro_value *key, const char *name)
{
    return key->byte_count == strlen(name) && !memcmp(key->bytes, name, key->byte_count);
}

/* Magic number, a map of texts, the bytes that end each block. */
static status read_header(avro_file *f)
{
    static const avro_type bytes_type = {.kind = AVRO_BYTES};
    const avro_type *parts[] = {&bytes_type};
    const avro_type map_type = {.kind = AVRO_MAP, .parts = parts, .part_count = 1};
    const uint8_t *magic;
    avro_value map = {0};
    TRY(read_span(&f->bytes, 4, &magic));
    if (memcmp(magic, "Obj\1", 4) != 0)
        return broken_avro("it does not begin as one");
    TRY(read_items(&f->bytes, &map_type, &map));
    for (size_t i = 0; i + 1 < map.item_count; i += 2) {
        const avro_value *key = &map.items[i], *text = &map.items[i + 1];
        if (avro_is_key(key, "avro.codec"))
            TRY(choose_codec(f, text->bytes, text->byte_count));
        if (avro_is_key(key, "avro.schema"))
            TRY(read_schema(f, text->bytes, text->byte_count));
    }
    TRY(read_span(&f->bytes, SYNC_BYTES, &f->sync));
    return f->schema ? STATUS_OK : broken_avro("it has no schema");
}

static status read_records(const avro_file *f, const uint8_t *bytes, size_t count, uint64_t records,
                           avro_taker take, void *context)
{
    avro_reader r = {.at = bytes, .end = bytes + count};
    TRY(arena_new(&r.memory));
    status st = STATUS_OK;
    for (uint64_t i = 0; i < records && !st; i++) {
        avro_value record;
        st = read_value(&r, f->schema, &record);
        if (!st)
            st = take(context, &record);
    }
    arena_free(r.memory);
    return st;
}

static status read_block(avro_file *f, avro_taker take, void *context)
{
    int64_t records;
    const uint8_t *bytes, *sync;
    size_t count, plain_count;
    char *plain;
    TRY(read_long(&f->bytes, &records));
    TRY(read_bytes(&f->bytes, &bytes, &count));
    TRY(read_span(&f->bytes, SYNC_BYTES, &sync));
    if (memcmp(sync, f->sync, SYNC_BYTES) != 0 || records < 0)
        return broken_avro("a block does not end where it should");
    if (f->has_checksum && count < 4)
        return ends_early();
    if (!f->is_packed)
        return (uint64_t)records > count
                   ? ends_early()
                   : read_records(f, bytes, count, (uint64_t)records, take, context);
    TRY(codec_unpack(f->codec, bytes, count - (f->has_checksum ? 4 : 0), BLOCK_BYTES_MAX, &plain,
                     &plain_count));
    status st = (uint64_t)records > plain_count
                    ? ends_early()
                    : read_records(f, (const uint8_t *)plain, plain_count, (uint64_t)records, take,
                                   context);
    mem_free(plain);
    return st;
}

static status read_file_of(avro_file *f, avro_taker take, void *context)
{
    TRY(read_header(f));
    while (f->bytes.at < f->bytes.end)
        TRY(read_block(f, take, context));
    return STATUS_OK;
}

status avro_read(const void *bytes, size_t count, avro_taker take, void *context)
{
    avro_file f = {.bytes = {.at = bytes, .end = (const uint8_t *)bytes + count}};
    TRY(arena_new(&f.memory));
    f.bytes.memory = f.memory;
    status st = read_file_of(&f, take, context);
    arena_free(f.memory);
    return st;
}
