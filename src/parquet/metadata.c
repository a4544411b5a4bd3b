/* metadata.c - parses footers and page headers. */
#include "parquet/metadata.h"

#include "parquet/thrift.h"

#include <limits.h>

/* A schema element, before the tree is flattened. */
typedef struct element {
    const char *name;
    int64_t physical, type_length, repetition, child_count, converted, scale, precision;
    int64_t logical, unit; /* LogicalType's field; its time unit: 1 milli, 2 micro, 3 nano */
    int64_t integer_width;
    bool is_signed, is_utc;
} element;

enum { ABSENT = -1 };
enum { REQUIRED, OPTIONAL, REPEATED };
enum { /* ConvertedType */
       CONVERTED_UTF8,
       CONVERTED_ENUM = 4,
       CONVERTED_DECIMAL = 5,
       CONVERTED_DATE = 6,
       CONVERTED_TIME_MILLIS = 7,
       CONVERTED_TIME_MICROS = 8,
       CONVERTED_TIMESTAMP_MILLIS = 9,
       CONVERTED_TIMESTAMP_MICROS = 10,
       CONVERTED_UINT_8 = 11,
       CONVERTED_INT_64 = 18,
       CONVERTED_JSON = 19
};
enum { /* LogicalType's fields */
       LOGICAL_STRING = 1,
       LOGICAL_ENUM = 4,
       LOGICAL_DECIMAL = 5,
       LOGICAL_DATE = 6,
       LOGICAL_TIME = 7,
       LOGICAL_TIMESTAMP = 8,
       LOGICAL_INTEGER = 10,
       LOGICAL_JSON = 12,
       LOGICAL_FLOAT16 = 15
};

static const char *read_text(arena *a, thrift_reader *r, const thrift_field *f, uint32_t *bytes)
{
    const uint8_t *data = thrift_binary(r, f, bytes);
    char *copy = data ? arena_copy_text(a, (const char *)data, *bytes) : NULL;
    if (!copy)
        r->is_broken = true;
    return copy ? copy : "";
}

static void read_time_type(thrift_reader *r, const thrift_field *outer, element *e)
{
    thrift_field f = {0};
    if (!thrift_enter(r, outer))
        return;
    while (thrift_next(r, &f)) {
        if (f.id == 1) {
            e->is_utc = thrift_bool(&f);
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

static void read_logical(thrift_reader *r, const thrift_field *outer, element *e)
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
                e->is_signed = thrift_bool(&inner);
            else
                thrift_skip(r, &inner);
        }
        thrift_leave(r);
    }
    thrift_leave(r);
}

static void read_element(arena *a, thrift_reader *r, const thrift_field *outer, element *e)
{
    *e = (element){.name = "",
                   .physical = ABSENT,
                   .repetition = REQUIRED,
                   .converted = ABSENT,
                   .logical = ABSENT};
    thrift_field f = {0};
    uint32_t bytes;
    if (!thrift_enter(r, outer))
        return;
    while (thrift_next(r, &f)) {
        switch (f.id) {
        case 1:
            e->physical = thrift_int(r, &f);
            break;
        case 2:
            e->type_length = thrift_int(r, &f);
            break;
        case 3:
            e->repetition = thrift_int(r, &f);
            break;
        case 4:
            e->name = read_text(a, r, &f, &bytes);
            break;
        case 5:
            e->child_count = thrift_int(r, &f);
            break;
        case 6:
            e->converted = thrift_int(r, &f);
            break;
        case 7:
            e->scale = thrift_int(r, &f);
            break;
        case 8:
            e->precision = thrift_int(r, &f);
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

static bool set_decimal(const element *e, pq_leaf *leaf)
{
    if (e->precision < 1 || e->precision > 38 || e->scale < 0 || e->scale > e->precision)
        return false;
    leaf->type = type_decimal((unsigned)e->precision, (unsigned)e->scale);
    if (leaf->physical == PQ_BYTE_ARRAY || leaf->physical == PQ_FIXED_LEN_BYTE_ARRAY)
        leaf->conversion = PQ_CONVERT_BIG;
    else if (leaf->physical != PQ_INT32 && leaf->physical != PQ_INT64)
        return false;
    return true;
}

static void set_integer(pq_leaf *leaf, int64_t width, bool is_signed)
{
    unsigned step = width == 8 ? 0 : width == 16 ? 1 : width == 32 ? 2 : 3;
    leaf->type = type_make((type_id)((is_signed ? TYPE_INT8 : TYPE_UINT8) + step));
}

static void set_timestamp(pq_leaf *leaf, int64_t unit, bool is_utc)
{
    leaf->type = type_make(is_utc ? TYPE_TIMESTAMP_TZ : TYPE_TIMESTAMP);
    if (unit == 3)
        leaf->type.precision = 9;
    else if (unit == 1)
        leaf->conversion = PQ_CONVERT_MILLIS;
}

static void set_time(pq_leaf *leaf, int64_t unit)
{
    leaf->type = type_make(TYPE_TIME);
    if (unit == 1)
        leaf->conversion = PQ_CONVERT_MILLIS;
    else if (unit == 3)
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
static void set_type(const element *e, pq_leaf *leaf)
{
    set_by_physical(leaf);
    bool is_binary = leaf->physical == PQ_BYTE_ARRAY || leaf->physical == PQ_FIXED_LEN_BYTE_ARRAY;
    bool is_int32 = leaf->physical == PQ_INT32, is_int64 = leaf->physical == PQ_INT64;
    int64_t logical = e->logical, converted = e->converted;
    if (logical == LOGICAL_DECIMAL || converted == CONVERTED_DECIMAL) {
        pq_leaf decimal = *leaf;
        if (set_decimal(e, &decimal))
            *leaf = decimal;
    } else if (is_binary && (logical == LOGICAL_STRING || logical == LOGICAL_ENUM ||
                             logical == LOGICAL_JSON || converted == CONVERTED_UTF8 ||
                             converted == CONVERTED_ENUM || converted == CONVERTED_JSON)) {
        leaf->type = type_make(TYPE_VARCHAR);
    } else if (is_int32 && (logical == LOGICAL_DATE || converted == CONVERTED_DATE)) {
        leaf->type = type_make(TYPE_DATE);
    } else if ((is_int32 || is_int64) && logical == LOGICAL_TIME) {
        set_time(leaf, e->unit);
    } else if (is_int64 && logical == LOGICAL_TIMESTAMP) {
        set_timestamp(leaf, e->unit, e->is_utc);
    } else if (logical == LOGICAL_INTEGER && (is_int64 || (is_int32 && e->integer_width <= 32))) {
        set_integer(leaf, e->integer_width, e->is_signed);
    } else if (logical == LOGICAL_FLOAT16 && leaf->physical == PQ_FIXED_LEN_BYTE_ARRAY &&
               leaf->type_length == 2) {
        leaf->type = type_make(TYPE_FLOAT);
        leaf->conversion = PQ_CONVERT_HALF;
    } else if (logical == ABSENT && is_int32 && converted == CONVERTED_TIME_MILLIS) {
        set_time(leaf, 1);
    } else if (logical == ABSENT && is_int64 && converted == CONVERTED_TIME_MICROS) {
        set_time(leaf, 2);
    } else if (logical == ABSENT && is_int64 &&
               (converted == CONVERTED_TIMESTAMP_MILLIS ||
                converted == CONVERTED_TIMESTAMP_MICROS)) {
        set_timestamp(leaf, converted == CONVERTED_TIMESTAMP_MILLIS ? 1 : 2, true);
    } else if (logical == ABSENT && (is_int32 || is_int64) && converted >= CONVERTED_UINT_8 &&
               converted <= CONVERTED_INT_64) {
        int64_t number = converted - CONVERTED_UINT_8;
        if (is_int64 || number % 4 < 3)
            set_integer(leaf, 8 << (number % 4), number >= 4);
    }
}

/* ---- the schema tree ---- */

typedef struct flattening {
    arena *memory;
    const element *elements;
    uint32_t element_count, next;
    pq_leaf *leaves;
    uint32_t leaf_count;
    unsigned depth;
} flattening;

static status flatten(flattening *f, const char *path, unsigned definition, unsigned repetition,
                      bool is_nested)
{
    if (f->next >= f->element_count)
        return status_new(STATUS_KIND_CORRUPT, "the schema has fewer elements than its groups say");
    const element *e = &f->elements[f->next++];
    bool is_root = f->depth == 0;
    if (!is_root) {
        definition += e->repetition != REQUIRED;
        repetition += e->repetition == REPEATED;
        path = *path ? arena_format(f->memory, "%s.%s", path, e->name) : e->name;
        if (!path)
            return status_no_memory("schema", 64);
    }
    if (e->physical == ABSENT) {
        if (e->child_count < 0 || ++f->depth > 64)
            return status_new(STATUS_KIND_CORRUPT, "the schema is nested too deep at \"%s\"", path);
        bool is_optional = !is_root && e->repetition != REQUIRED;
        for (int64_t i = 0; i < e->child_count; i++)
            TRY(flatten(f, path, definition, repetition, is_nested || is_optional));
        f->depth--;
        return STATUS_OK;
    }
    if (e->physical < 0 || e->physical > PQ_FIXED_LEN_BYTE_ARRAY)
        return status_new(STATUS_KIND_CORRUPT, "column \"%s\" has the unknown physical type %lld",
                          path, (long long)e->physical);
    if (e->physical == PQ_FIXED_LEN_BYTE_ARRAY &&
        (e->type_length < 1 || e->type_length > (1 << 20)))
        return status_new(STATUS_KIND_CORRUPT, "column \"%s\" has values of %lld bytes", path,
                          (long long)e->type_length);
    pq_leaf *leaf = &f->leaves[f->leaf_count++];
    leaf->name = path;
    leaf->physical = (pq_physical)e->physical;
    leaf->type_length = (uint32_t)e->type_length;
    leaf->max_definition = (uint16_t)definition;
    leaf->max_repetition = (uint16_t)repetition;
    leaf->is_nested = is_nested || repetition;
    set_type(e, leaf);
    return STATUS_OK;
}

/* ---- statistics ---- */

static int128 big_endian(const uint8_t *bytes, uint32_t length)
{
    uint128 number = length && bytes[0] & 0x80 ? ~(uint128)0 : 0;
    for (uint32_t i = 0; i < length; i++)
        number = number << 8 | bytes[i];
    return (int128)number;
}

static bool statistics_value(arena *a, const pq_leaf *leaf, const uint8_t *bytes, uint32_t length,
                             value *out)
{
    *out = (value){.type = leaf->type};
    int32_t i32;
    int64_t i64;
    float f32;
    if (leaf->conversion == PQ_CONVERT_BIG) {
        if (length < 1 || length > 16)
            return false;
        *out = value_decimal(big_endian(bytes, length), leaf->type);
        return true;
    }
    if (leaf->conversion != PQ_CONVERT_NONE)
        return false;
    switch (leaf->physical) {
    case PQ_INT32:
        if (length != 4)
            return false;
        memcpy(&i32, bytes, 4);
        i64 = i32;
        if (leaf->type.id >= TYPE_UINT8 && leaf->type.id <= TYPE_UINT32)
            i64 = (int64_t)(uint32_t)i32;
        break;
    case PQ_INT64:
        if (length != 8)
            return false;
        memcpy(&i64, bytes, 8);
        break;
    case PQ_FLOAT:
        if (length != 4)
            return false;
        memcpy(&f32, bytes, 4);
        out->f64 = (double)f32;
        return f32 == f32;
    case PQ_DOUBLE:
        if (length != 8)
            return false;
        memcpy(&out->f64, bytes, 8);
        return out->f64 == out->f64;
    case PQ_BYTE_ARRAY: {
        char *copy = arena_copy_text(a, (const char *)bytes, length);
        if (!copy)
            return false;
        out->text = copy;
        out->bytes = length;
        return true;
    }
    default:
        return false;
    }
    if (leaf->type.id == TYPE_DECIMAL)
        *out = value_decimal(i64, leaf->type);
    else
        out->i64 = i64;
    return true;
}

static void read_statistics(arena *a, thrift_reader *r, const thrift_field *outer,
                            const pq_leaf *leaf, pq_statistics *s)
{
    const uint8_t *min = NULL, *max = NULL, *old_min = NULL, *old_max = NULL;
    uint32_t min_bytes = 0, max_bytes = 0, old_min_bytes = 0, old_max_bytes = 0;
    s->is_min_exact = s->is_max_exact = true;
    thrift_field f = {0};
    if (!thrift_enter(r, outer))
        return;
    while (thrift_next(r, &f)) {
        switch (f.id) {
        case 1:
            old_max = thrift_binary(r, &f, &old_max_bytes);
            break;
        case 2:
            old_min = thrift_binary(r, &f, &old_min_bytes);
            break;
        case 3:
            s->null_count = thrift_int(r, &f);
            break;
        case 5:
            max = thrift_binary(r, &f, &max_bytes);
            break;
        case 6:
            min = thrift_binary(r, &f, &min_bytes);
            break;
        case 7:
            s->is_max_exact = thrift_bool(&f);
            break;
        case 8:
            s->is_min_exact = thrift_bool(&f);
            break;
        default:
            thrift_skip(r, &f);
        }
    }
    thrift_leave(r);
    if (r->is_broken)
        return;
    /* The old fields compare as signed numbers only. */
    bool old_are_right = leaf->physical != PQ_BYTE_ARRAY &&
                         leaf->physical != PQ_FIXED_LEN_BYTE_ARRAY &&
                         !(leaf->type.id >= TYPE_UINT8 && leaf->type.id <= TYPE_UINT64);
    if (!min && old_are_right) {
        min = old_min;
        min_bytes = old_min_bytes;
    }
    if (!max && old_are_right) {
        max = old_max;
        max_bytes = old_max_bytes;
    }
    s->has_min = min && statistics_value(a, leaf, min, min_bytes, &s->min);
    s->has_max = max && statistics_value(a, leaf, max, max_bytes, &s->max);
    /* A NaN in one bound makes the other one worthless as well. */
    if (leaf->physical == PQ_FLOAT || leaf->physical == PQ_DOUBLE)
        if (!s->has_min || !s->has_max)
            s->has_min = s->has_max = false;
}

/* ---- row groups ---- */

static void read_column_metadata(arena *a, thrift_reader *r, const thrift_field *outer,
                                 const pq_leaf *leaf, pq_column_chunk *chunk)
{
    int64_t data_offset = -1, dictionary_offset = -1;
    thrift_field f = {0};
    if (!thrift_enter(r, outer))
        return;
    while (thrift_next(r, &f)) {
        int64_t number = f.id >= 4 && f.id <= 11 && f.id != 8 ? thrift_int(r, &f) : 0;
        switch (f.id) {
        case 4:
            chunk->codec = (pq_codec)number;
            break;
        case 5:
            chunk->value_count = (uint64_t)number;
            break;
        case 6:
            chunk->uncompressed_bytes = (uint64_t)number;
            break;
        case 7:
            chunk->compressed_bytes = (uint64_t)number;
            break;
        case 9:
            data_offset = number;
            break;
        case 11:
            dictionary_offset = number;
            break;
        case 10:
            break;
        case 12:
            read_statistics(a, r, &f, leaf, &chunk->statistics);
            break;
        default:
            thrift_skip(r, &f);
        }
    }
    thrift_leave(r);
    chunk->has_dictionary = dictionary_offset > 0;
    chunk->offset =
        (uint64_t)(dictionary_offset > 0 && dictionary_offset < data_offset ? dictionary_offset
                                                                            : data_offset);
}

static void read_row_group(arena *a, thrift_reader *r, const thrift_field *outer,
                           const pq_metadata *m, pq_row_group *group)
{
    thrift_field f = {0};
    if (!thrift_enter(r, outer))
        return;
    while (thrift_next(r, &f)) {
        if (f.id == 3) {
            group->row_count = (uint64_t)thrift_int(r, &f);
        } else if (f.id == 1) {
            thrift_type type;
            uint32_t count = thrift_list(r, &f, &type);
            if (count != m->leaf_count)
                r->is_broken = true;
            for (uint32_t i = 0; i < count && !r->is_broken; i++) {
                thrift_field item = thrift_element(type), inner = {0};
                group->chunks[i].statistics.null_count = -1;
                if (!thrift_enter(r, &item))
                    return;
                while (thrift_next(r, &inner))
                    if (inner.id == 3)
                        read_column_metadata(a, r, &inner, &m->leaves[i], &group->chunks[i]);
                    else
                        thrift_skip(r, &inner);
                thrift_leave(r);
            }
        } else {
            thrift_skip(r, &f);
        }
    }
    thrift_leave(r);
}

static status check_row_groups(const pq_metadata *m, uint64_t file_bytes)
{
    uint64_t rows = 0;
    for (uint32_t g = 0; g < m->row_group_count; g++) {
        const pq_row_group *group = &m->row_groups[g];
        if (group->row_count > INT64_MAX || __builtin_add_overflow(rows, group->row_count, &rows))
            return status_new(STATUS_KIND_CORRUPT, "row group %u has an impossible row count", g);
        for (uint32_t c = 0; c < m->leaf_count; c++) {
            const pq_column_chunk *chunk = &group->chunks[c];
            uint64_t end;
            if (__builtin_add_overflow(chunk->offset, chunk->compressed_bytes, &end) ||
                end > file_bytes || chunk->uncompressed_bytes > INT64_MAX)
                return status_new(STATUS_KIND_CORRUPT,
                                  "row group %u, column \"%s\" lies outside the file", g,
                                  m->leaves[c].name);
        }
    }
    if (rows != m->row_count)
        return status_new(STATUS_KIND_CORRUPT,
                          "the row groups have %llu rows, the footer says %llu",
                          (unsigned long long)rows, (unsigned long long)m->row_count);
    return STATUS_OK;
}

static status read_schema(arena *a, thrift_reader *r, const thrift_field *field, pq_metadata *m)
{
    thrift_type type;
    uint32_t count = thrift_list(r, field, &type);
    element *elements = arena_alloc_array(a, count + 1, sizeof *elements);
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
    TRY(flatten(&f, "", 0, 0, false));
    if (f.next != count)
        return status_new(STATUS_KIND_CORRUPT, "the schema has more elements than its groups say");
    m->leaf_count = f.leaf_count;
    return STATUS_OK;
}

status pq_metadata_parse(arena *a, const void *footer, size_t footer_bytes, uint64_t file_bytes,
                         pq_metadata **out)
{
    *out = NULL;
    thrift_reader r = thrift_reader_make(footer, footer_bytes);
    pq_metadata *m = arena_alloc(a, sizeof *m);
    if (!m)
        return status_no_memory("footer", sizeof *m);
    m->created_by = "";
    thrift_field f = {0};
    thrift_type type;
    uint32_t bytes;
    while (thrift_next(&r, &f)) {
        if (f.id == 2) {
            TRY(read_schema(a, &r, &f, m));
        } else if (f.id == 3) {
            m->row_count = (uint64_t)thrift_int(&r, &f);
        } else if (f.id == 4 && m->leaves) {
            uint32_t count = thrift_list(&r, &f, &type);
            m->row_groups = arena_alloc_array(a, count + 1, sizeof *m->row_groups);
            if (!m->row_groups)
                return status_no_memory("row groups", count * sizeof *m->row_groups);
            for (uint32_t i = 0; i < count && !r.is_broken; i++) {
                thrift_field item = thrift_element(type);
                m->row_groups[i].chunks =
                    arena_alloc_array(a, m->leaf_count + 1, sizeof(pq_column_chunk));
                if (!m->row_groups[i].chunks)
                    return status_no_memory("row groups", m->leaf_count * sizeof(pq_column_chunk));
                read_row_group(a, &r, &item, m, &m->row_groups[i]);
            }
            m->row_group_count = count;
        } else if (f.id == 6) {
            m->created_by = read_text(a, &r, &f, &bytes);
        } else {
            thrift_skip(&r, &f);
        }
    }
    if (r.is_broken || !m->leaves)
        return status_new(STATUS_KIND_CORRUPT,
                          "the footer breaks off or is damaged at its byte %zu",
                          (size_t)(r.at - r.start));
    TRY(check_row_groups(m, file_bytes));
    *out = m;
    return STATUS_OK;
}

/* ---- page headers ---- */

static void read_data_header(thrift_reader *r, const thrift_field *outer, pq_page_header *h)
{
    bool is_v2 = h->type == PQ_PAGE_DATA_V2;
    thrift_field f = {0};
    if (!thrift_enter(r, outer))
        return;
    while (thrift_next(r, &f)) {
        if (is_v2 && f.id == 7) {
            h->is_compressed = thrift_bool(&f);
            continue;
        }
        if (f.id < 1 || f.id > 6 || (f.type != THRIFT_I32 && f.type != THRIFT_I16)) {
            thrift_skip(r, &f);
            continue;
        }
        int64_t number = thrift_int(r, &f);
        if (number < 0 || number > INT32_MAX)
            r->is_broken = true;
        if (f.id == 1)
            h->value_count = (uint32_t)number;
        else if (f.id == (is_v2 ? 4 : 2))
            h->encoding = (pq_encoding)number;
        else if (!is_v2 && f.id == 3)
            h->definition_encoding = (pq_encoding)number;
        else if (is_v2 && f.id == 5)
            h->definition_bytes = (uint32_t)number;
        else if (is_v2 && f.id == 6)
            h->repetition_bytes = (uint32_t)number;
    }
    thrift_leave(r);
}

status pq_page_header_parse(const void *bytes, size_t length, pq_page_header *out,
                            size_t *out_header_bytes)
{
    thrift_reader r = thrift_reader_make(bytes, length);
    pq_page_header h = {.is_compressed = true, .definition_encoding = PQ_RLE};
    thrift_field f = {0};
    int64_t number;
    while (thrift_next(&r, &f)) {
        if (f.id >= 1 && f.id <= 4) {
            number = thrift_int(&r, &f);
            if (f.id != 4 && (number < 0 || number > INT32_MAX))
                r.is_broken = true;
            if (f.id == 1)
                h.type = (pq_page_type)number;
            else if (f.id == 2)
                h.uncompressed_bytes = (uint32_t)number;
            else if (f.id == 3)
                h.compressed_bytes = (uint32_t)number;
            else
                h.checksum = (uint32_t)number, h.has_checksum = true;
        } else if (f.id == 5 || f.id == 7 || f.id == 8) {
            read_data_header(&r, &f, &h);
        } else {
            thrift_skip(&r, &f);
        }
    }
    *out_header_bytes = (size_t)(r.at - r.start);
    *out = h;
    if (r.is_broken)
        return status_new(STATUS_KIND_CORRUPT, "the page header breaks off or is damaged");
    return STATUS_OK;
}
