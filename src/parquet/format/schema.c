/* schema.c - the schema's tree, flattened to the leaves that files have columns of. */
#include "parquet/format/schema.h"

#include "base/text/utf8.h"
#include "base/type/json_type.h"
#include "parquet/format/nested.h"
#include "parquet/format/schema_element.h"

#include <inttypes.h>

enum { DECIMAL_DIGITS = 38 };
enum { UNIT_MILLIS = 1, UNIT_MICROS, UNIT_NANOS };

const char *pq_text_read(arena *a, thrift_reader *r, const thrift_field *field)
{
    uint32_t bytes;
    const uint8_t *data = thrift_binary(r, field, &bytes);
    char *copy = data ? arena_copy_text(a, (const char *)data, bytes) : NULL;
    if (!copy)
        r->is_broken = true;
    r->lacks_memory |= data && !copy;
    return copy ? copy : "";
}

/* A name as UTF-8: it is shown, and becomes the name of a column of Arrow's. */
static const char *schema_read_name(arena *a, thrift_reader *r, const thrift_field *field)
{
    const char *name = pq_text_read(a, r, field);
    size_t bytes = strlen(name);
    if (r->is_broken || utf8_valid_bytes(name, bytes) == bytes)
        return name;
    size_t room = utf8_replaced_bytes(name, bytes);
    char *replaced = arena_alloc(a, room + 1);
    r->is_broken |= !replaced;
    r->lacks_memory |= !replaced;
    if (!replaced)
        return "";
    utf8_replace(name, bytes, replaced);
    replaced[room] = 0;
    return replaced;
}

static void read_time_type(thrift_reader *r, const thrift_field *outer, pq_element *e)
{
    thrift_field f = {0};
    if (!thrift_enter(r, outer))
        return;
    while (thrift_next(r, &f)) {
        if (f.id == 1) {
            e->is_utc = thrift_bool(r, &f);
        } else if (f.id == 2 && thrift_enter(r, &f)) {
            thrift_field unit = {0};
            while (thrift_next(r, &unit)) {
                e->unit = unit.id;
                thrift_skip(r, &unit);
            }
            thrift_leave(r);
        } else {
            thrift_skip(r, &f);
        }
    }
    thrift_leave(r);
}

static void read_logical(thrift_reader *r, const thrift_field *outer, pq_element *e)
{
    thrift_field f = {0};
    if (!thrift_enter(r, outer))
        return;
    while (thrift_next(r, &f)) {
        e->logical = f.id;
        if (f.id == LOGICAL_TIME || f.id == LOGICAL_TIMESTAMP) {
            read_time_type(r, &f, e);
            continue;
        }
        if ((f.id != LOGICAL_DECIMAL && f.id != LOGICAL_INTEGER) || !thrift_enter(r, &f)) {
            thrift_skip(r, &f);
            continue;
        }
        thrift_field inner = {0};
        while (thrift_next(r, &inner)) {
            if (f.id == LOGICAL_DECIMAL && inner.id == 1)
                e->scale = thrift_int(r, &inner);
            else if (f.id == LOGICAL_DECIMAL && inner.id == 2)
                e->precision = thrift_int(r, &inner);
            else if (f.id == LOGICAL_INTEGER && inner.id == 1)
                e->integer_width = thrift_int(r, &inner);
            else if (f.id == LOGICAL_INTEGER && inner.id == 2)
                e->is_signed = thrift_bool(r, &inner);
            else
                thrift_skip(r, &inner);
        }
        thrift_leave(r);
    }
    thrift_leave(r);
}

/* A field of another type is as if it were not there, as for readers that Thrift generates: fastparquet writes REQUIRED as
 * a boolean. */
static void schema_read_number(thrift_reader *r, const thrift_field *field, int64_t *out)
{
    if (field->type >= THRIFT_I8 && field->type <= THRIFT_I64)
        *out = thrift_int(r, field);
    else
        thrift_skip(r, field);
}

static void read_element(arena *a, thrift_reader *r, const thrift_field *outer, pq_element *e)
{
    *e = (pq_element){.name = "",
                      .physical = ABSENT,
                      .repetition = REQUIRED,
                      .converted = ABSENT,
                      .logical = ABSENT};
    thrift_field f = {0};
    if (!thrift_enter(r, outer))
        return;
    while (thrift_next(r, &f)) {
        switch (f.id) {
        case 1:
            schema_read_number(r, &f, &e->physical);
            break;
        case 2:
            schema_read_number(r, &f, &e->type_length);
            break;
        case 3:
            schema_read_number(r, &f, &e->repetition);
            break;
        case 4:
            e->name = schema_read_name(a, r, &f);
            break;
        case 5:
            schema_read_number(r, &f, &e->child_count);
            break;
        case 6:
            schema_read_number(r, &f, &e->converted);
            break;
        case 7:
            schema_read_number(r, &f, &e->scale);
            break;
        case 8:
            schema_read_number(r, &f, &e->precision);
            break;
        case 9:
            schema_read_number(r, &f, &e->field_id);
            break;
        case 10:
            read_logical(r, &f, e);
            break;
        default:
            thrift_skip(r, &f);
        }
    }
    thrift_leave(r);
}

/* More digits than the type has are read as doubles, but from integers, which have fewer. */
static void set_decimal(const pq_element *e, pq_leaf *leaf)
{
    bool is_binary = leaf->physical == PQ_BYTE_ARRAY || leaf->physical == PQ_FIXED_LEN_BYTE_ARRAY;
    if (!is_binary && leaf->physical != PQ_INT32 && leaf->physical != PQ_INT64)
        return;
    if (e->precision < 1 || e->scale < 0 || e->scale > e->precision ||
        e->scale > (is_binary ? PQ_WIDE_SCALE_MAX : DECIMAL_DIGITS)) {
        leaf->is_refused = true;
    } else if (is_binary && e->precision > DECIMAL_DIGITS) {
        leaf->type = type_make(TYPE_DOUBLE);
        leaf->conversion = (pq_conversion)(PQ_CONVERT_WIDE + e->scale);
    } else {
        int64_t digits = e->precision < DECIMAL_DIGITS ? e->precision : DECIMAL_DIGITS;
        leaf->type = type_decimal((unsigned)digits, (unsigned)e->scale);
        if (is_binary)
            leaf->conversion = PQ_CONVERT_BIG;
    }
}

static void set_integer(pq_leaf *leaf, int64_t width, bool is_signed)
{
    unsigned step = width == 8 ? 0 : width == 16 ? 1 : width == 32 ? 2 : 3;
    leaf->type = type_make((type_id)((is_signed ? TYPE_INT8 : TYPE_UINT8) + step));
}

/* A stored value has at least the width, so that decoding never writes past the type's. */
static bool is_integer_width(int64_t width)
{
    return width == 8 || width == 16 || width == 32 || width == 64;
}

static void set_timestamp(pq_leaf *leaf, int64_t unit, bool is_utc)
{
    leaf->type = type_make(is_utc ? TYPE_TIMESTAMP_TZ : TYPE_TIMESTAMP);
    if (unit == UNIT_NANOS)
        leaf->type.precision = 9;
    else if (unit == UNIT_MILLIS)
        leaf->conversion = PQ_CONVERT_MILLIS;
}

static void set_time(pq_leaf *leaf, int64_t unit)
{
    leaf->type = type_make(TYPE_TIME);
    if (unit == UNIT_MILLIS)
        leaf->conversion = PQ_CONVERT_MILLIS;
    else if (unit == UNIT_NANOS)
        leaf->conversion = PQ_CONVERT_NANOS;
}

static void set_by_physical(pq_leaf *leaf)
{
    static const uint8_t types[] = {
        [PQ_BOOLEAN] = TYPE_BOOL,    [PQ_INT32] = TYPE_INT32,
        [PQ_INT64] = TYPE_INT64,     [PQ_INT96] = TYPE_TIMESTAMP,
        [PQ_FLOAT] = TYPE_FLOAT,     [PQ_DOUBLE] = TYPE_DOUBLE,
        [PQ_BYTE_ARRAY] = TYPE_BLOB, [PQ_FIXED_LEN_BYTE_ARRAY] = TYPE_BLOB};
    leaf->type = type_make(types[leaf->physical]);
    if (leaf->physical == PQ_INT96)
        leaf->conversion = PQ_CONVERT_INT96;
}

/* An annotation that does not fit the physical type is passed over. */
static void set_type(const pq_element *e, pq_leaf *leaf)
{
    set_by_physical(leaf);
    bool is_binary = leaf->physical == PQ_BYTE_ARRAY || leaf->physical == PQ_FIXED_LEN_BYTE_ARRAY;
    bool is_int32 = leaf->physical == PQ_INT32, is_int64 = leaf->physical == PQ_INT64;
    int64_t logical = e->logical, converted = e->converted;
    if (logical == LOGICAL_UNKNOWN) {
        leaf->type = type_make(TYPE_NULL);
        leaf->conversion = PQ_CONVERT_NONE;
    } else if (logical == LOGICAL_DECIMAL || converted == CONVERTED_DECIMAL) {
        set_decimal(e, leaf);
    } else if (is_binary && (logical == LOGICAL_STRING || logical == LOGICAL_ENUM ||
                             logical == LOGICAL_JSON || converted == CONVERTED_UTF8 ||
                             converted == CONVERTED_ENUM || converted == CONVERTED_JSON)) {
        bool is_json = logical == LOGICAL_JSON || converted == CONVERTED_JSON;
        leaf->type = is_json ? type_json() : type_make(TYPE_VARCHAR);
    } else if (is_int32 && (logical == LOGICAL_DATE || converted == CONVERTED_DATE)) {
        leaf->type = type_make(TYPE_DATE);
    } else if (logical == LOGICAL_TIME && (is_int64 || (is_int32 && e->unit == UNIT_MILLIS))) {
        set_time(leaf, e->unit);
    } else if (is_int64 && logical == LOGICAL_TIMESTAMP) {
        set_timestamp(leaf, e->unit, e->is_utc);
    } else if (logical == LOGICAL_INTEGER && is_integer_width(e->integer_width) &&
               (is_int64 ? e->integer_width == 64 : is_int32 && e->integer_width < 64)) {
        set_integer(leaf, e->integer_width, e->is_signed);
    } else if (logical == LOGICAL_FLOAT16 && leaf->physical == PQ_FIXED_LEN_BYTE_ARRAY &&
               leaf->type_length == 2) {
        leaf->type = type_make(TYPE_FLOAT);
        leaf->conversion = PQ_CONVERT_HALF;
    } else if (logical == LOGICAL_UUID && leaf->physical == PQ_FIXED_LEN_BYTE_ARRAY &&
               leaf->type_length == UUID_BYTES) {
        leaf->type = type_make(TYPE_UUID);
        leaf->conversion = PQ_CONVERT_UUID;
    } else if (converted == CONVERTED_INTERVAL && leaf->physical == PQ_FIXED_LEN_BYTE_ARRAY &&
               leaf->type_length == PQ_INTERVAL_BYTES) {
        leaf->type = type_make(TYPE_INTERVAL);
        leaf->conversion = PQ_CONVERT_INTERVAL;
    } else if (logical == ABSENT && is_int32 && converted == CONVERTED_TIME_MILLIS) {
        set_time(leaf, UNIT_MILLIS);
    } else if (logical == ABSENT && is_int64 && converted == CONVERTED_TIME_MICROS) {
        set_time(leaf, UNIT_MICROS);
    } else if (logical == ABSENT && is_int64 &&
               (converted == CONVERTED_TIMESTAMP_MILLIS ||
                converted == CONVERTED_TIMESTAMP_MICROS)) {
        set_timestamp(leaf, converted == CONVERTED_TIMESTAMP_MILLIS ? UNIT_MILLIS : UNIT_MICROS,
                      true);
    } else if (logical == ABSENT && (is_int32 || is_int64) && converted >= CONVERTED_UINT_8 &&
               converted <= CONVERTED_INT_64) {
        int64_t number = converted - CONVERTED_UINT_8;
        if (is_int64 == (number % 4 == 3))
            set_integer(leaf, 8 << (number % 4), number >= 4);
    }
}

/* ---- annotations, for people ---- */

static const char *time_annotation(arena *a, const char *name, int64_t unit, bool is_utc)
{
    static const char *const units[] = {"?", "MILLIS", "MICROS", "NANOS"};
    return arena_format(a, "%s(%s%s)", name, units[unit >= 1 && unit <= 3 ? unit : 0],
                        is_utc ? ",UTC" : "");
}

static const char *converted_annotation(arena *a, const pq_element *e)
{
    static const char *const names[] = {"UTF8",
                                        "MAP",
                                        "MAP_KEY_VALUE",
                                        "LIST",
                                        "ENUM",
                                        "DECIMAL",
                                        "DATE",
                                        "TIME_MILLIS",
                                        "TIME_MICROS",
                                        "TIMESTAMP_MILLIS",
                                        "TIMESTAMP_MICROS",
                                        "UINT_8",
                                        "UINT_16",
                                        "UINT_32",
                                        "UINT_64",
                                        "INT_8",
                                        "INT_16",
                                        "INT_32",
                                        "INT_64",
                                        "JSON",
                                        "BSON",
                                        "INTERVAL"};
    if (e->converted == CONVERTED_DECIMAL)
        return arena_format(a, "DECIMAL(%" PRId64 ",%" PRId64 ")", e->precision, e->scale);
    if (e->converted >= 0 && e->converted <= CONVERTED_INTERVAL)
        return names[e->converted];
    return "";
}

/* NULL: no memory. */
static const char *annotation_of(arena *a, const pq_element *e)
{
    switch (e->logical) {
    case LOGICAL_STRING:
        return "STRING";
    case LOGICAL_ENUM:
        return "ENUM";
    case LOGICAL_DECIMAL:
        return arena_format(a, "DECIMAL(%" PRId64 ",%" PRId64 ")", e->precision, e->scale);
    case LOGICAL_DATE:
        return "DATE";
    case LOGICAL_TIME:
        return time_annotation(a, "TIME", e->unit, e->is_utc);
    case LOGICAL_TIMESTAMP:
        return time_annotation(a, "TIMESTAMP", e->unit, e->is_utc);
    case LOGICAL_INTEGER:
        return arena_format(a, "%s(%" PRId64 ")", e->is_signed ? "INT" : "UINT", e->integer_width);
    case LOGICAL_UNKNOWN:
        return "UNKNOWN";
    case LOGICAL_JSON:
        return "JSON";
    case LOGICAL_BSON:
        return "BSON";
    case LOGICAL_UUID:
        return "UUID";
    case LOGICAL_FLOAT16:
        return "FLOAT16";
    case ABSENT:
        return converted_annotation(a, e);
    default:
        return arena_format(a, "type %" PRId64, e->logical);
    }
}

/* ---- the schema tree ---- */

#define GROUP_DEPTH_MAX 64
/* A file can repeat a long name in the path of each of its leaves. */
#define PATH_BYTES_MAX ((uint64_t)64 << 20)

typedef struct flattening {
    arena *memory;
    const pq_element *elements;
    uint32_t element_count, next;
    pq_leaf *leaves;
    uint32_t leaf_count;
    uint64_t path_bytes;
    const char *top; /* the name of the element below the root that is being walked */
} flattening;

static status schema_add_leaf(flattening *f, const pq_element *e, const char *path,
                              unsigned definition, unsigned repetition, bool is_nested)
{
    if (e->physical < 0 || e->physical > PQ_FIXED_LEN_BYTE_ARRAY)
        return status_new(STATUS_KIND_CORRUPT,
                          "column \"%s\" has physical type %" PRId64
                          ", which the format does not have",
                          path, e->physical);
    if (e->physical == PQ_FIXED_LEN_BYTE_ARRAY && (e->type_length < 1 || e->type_length > 1 << 20))
        return status_new(STATUS_KIND_CORRUPT, "column \"%s\" has values of %" PRId64 " bytes",
                          path, e->type_length);
    pq_leaf *leaf = &f->leaves[f->leaf_count];
    leaf->number = f->leaf_count++;
    leaf->field_id = e->field_id > 0 && e->field_id <= INT32_MAX ? (int32_t)e->field_id : 0;
    leaf->name = path;
    leaf->top = f->top;
    leaf->physical = (pq_physical)e->physical;
    leaf->type_length = leaf->physical == PQ_FIXED_LEN_BYTE_ARRAY ? (uint32_t)e->type_length : 0;
    leaf->max_definition = (uint16_t)definition;
    leaf->max_repetition = (uint16_t)repetition;
    leaf->is_nested = is_nested;
    leaf->annotation = annotation_of(f->memory, e);
    if (!leaf->annotation)
        return status_no_memory("schema", 64);
    set_type(e, leaf);
    return STATUS_OK;
}

static status child_path(flattening *f, const char *path, const pq_element *e, const char **out)
{
    *out = e->name;
    if (!*path)
        return STATUS_OK;
    f->path_bytes += strlen(path) + strlen(e->name) + 2;
    if (f->path_bytes > PATH_BYTES_MAX)
        return status_new(STATUS_KIND_CORRUPT, "the schema's names are too long");
    *out = arena_format(f->memory, "%s.%s", path, e->name);
    return *out ? STATUS_OK : status_no_memory("schema", strlen(path));
}

/* The next element and, if it is a group, those below it. depth 0: the root. */
static status flatten(flattening *f, const char *path, unsigned depth, unsigned definition,
                      unsigned repetition, bool is_nested)
{
    if (f->next >= f->element_count)
        return status_new(STATUS_KIND_CORRUPT, "the schema has fewer elements than its groups say");
    const pq_element *e = &f->elements[f->next++];
    if (depth) {
        if (e->repetition < REQUIRED || e->repetition > REPEATED)
            return status_new(STATUS_KIND_CORRUPT,
                              "schema element \"%s\" is neither required, optional nor repeated",
                              e->name);
        definition += e->repetition != REQUIRED;
        repetition += e->repetition == REPEATED;
        is_nested |= e->repetition == REPEATED;
        f->top = depth == 1 ? e->name : f->top;
        TRY(child_path(f, path, e, &path));
        if (e->physical != ABSENT)
            return schema_add_leaf(f, e, path, definition, repetition, is_nested);
        is_nested = true;
    } else if (e->physical != ABSENT) {
        return status_new(STATUS_KIND_CORRUPT, "the schema's root is not a group");
    }
    if (depth == GROUP_DEPTH_MAX)
        return status_new(STATUS_KIND_CORRUPT, "the schema is nested too deep at \"%s\"", path);
    for (int64_t i = 0; i < e->child_count; i++)
        TRY(flatten(f, path, depth + 1, definition, repetition, is_nested));
    return STATUS_OK;
}

status pq_schema_read(arena *a, thrift_reader *r, const thrift_field *field, pq_metadata *m)
{
    thrift_type type;
    uint32_t count = thrift_list(r, field, &type);
    pq_element *elements = arena_alloc_array(a, count + 1, sizeof *elements);
    m->leaves = arena_alloc_array(a, count + 1, sizeof *m->leaves);
    if (!elements || !m->leaves)
        return status_no_memory("schema", count * sizeof *elements);
    for (uint32_t i = 0; i < count && !r->is_broken; i++) {
        thrift_field item = thrift_element(type);
        read_element(a, r, &item, &elements[i]);
    }
    if (r->is_broken)
        return STATUS_OK; /* reported by the caller */
    flattening f = {.memory = a, .elements = elements, .element_count = count, .leaves = m->leaves};
    TRY(flatten(&f, "", 0, 0, 0, false));
    if (f.next != count)
        return status_new(STATUS_KIND_CORRUPT, "the schema has more elements than its groups say");
    m->leaf_count = f.leaf_count;
    return pq_nested_find(a, elements, count, m);
}
