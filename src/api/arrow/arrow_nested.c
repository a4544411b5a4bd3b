/* arrow_nested.c - see arrow_nested.h. A schema becomes fields, an array a body whose buffers lie in memory, as of a batch of
 * a file. How long a buffer is the interface does not say: it is taken to be as long as its array needs. */
#include "api/arrow/arrow_nested.h"

#include "api/arrow/arrow_metadata.h"
#include "api/arrow/arrow_row.h"
#include "arrowfile/arrowfile_values.h"
#include "base/text/utf8.h"
#include "base/type/nested_type.h"
#include "exec/operators/result_nested.h"

#include <stdio.h>

#define FIELDS_MAX 1000000
/* No array is longer, so that no address overflows. */
#define ROWS_MAX ((int64_t)1 << 48)

/* ---- fields ---- */

typedef struct field_maker {
    arena *memory;
    size_t fields;
    int64_t dictionaries;
} field_maker;

bool api_arrow_is_nested(const struct ArrowSchema *column)
{
    if (column->dictionary)
        column = column->dictionary;
    return column->format && column->format[0] == '+';
}

static status no_type(const struct ArrowSchema *column)
{
    return status_new(STATUS_KIND_UNSUPPORTED,
                      "column \"%s\" has the Arrow type \"%s\", which has no SQL type",
                      column->name ? column->name : "", column->format ? column->format : "");
}

/* Formats of flat types whose layout is one of a file's. */
static const struct flat_format {
    const char *format;
    uint8_t layout, width, conversion;
    int64_t factor;
} flat_formats[] = {{"n", ARROWFILE_NULLS, 0, ARROWFILE_AS_IT_IS, 0},
                    {"b", ARROWFILE_BITS, 0, ARROWFILE_AS_IT_IS, 0},
                    {"c", ARROWFILE_FIXED, 1, ARROWFILE_AS_IT_IS, 0},
                    {"C", ARROWFILE_FIXED, 1, ARROWFILE_AS_IT_IS, 0},
                    {"s", ARROWFILE_FIXED, 2, ARROWFILE_AS_IT_IS, 0},
                    {"S", ARROWFILE_FIXED, 2, ARROWFILE_AS_IT_IS, 0},
                    {"i", ARROWFILE_FIXED, 4, ARROWFILE_AS_IT_IS, 0},
                    {"I", ARROWFILE_FIXED, 4, ARROWFILE_AS_IT_IS, 0},
                    {"l", ARROWFILE_FIXED, 8, ARROWFILE_AS_IT_IS, 0},
                    {"L", ARROWFILE_FIXED, 8, ARROWFILE_AS_IT_IS, 0},
                    {"e", ARROWFILE_FIXED, 2, ARROWFILE_HALF, 0},
                    {"f", ARROWFILE_FIXED, 4, ARROWFILE_AS_IT_IS, 0},
                    {"g", ARROWFILE_FIXED, 8, ARROWFILE_AS_IT_IS, 0},
                    {"u", ARROWFILE_OFFSETS, 4, ARROWFILE_AS_IT_IS, 0},
                    {"z", ARROWFILE_OFFSETS, 4, ARROWFILE_AS_IT_IS, 0},
                    {"U", ARROWFILE_OFFSETS, 8, ARROWFILE_AS_IT_IS, 0},
                    {"Z", ARROWFILE_OFFSETS, 8, ARROWFILE_AS_IT_IS, 0},
                    {"vu", ARROWFILE_VIEWS, 16, ARROWFILE_AS_IT_IS, 0},
                    {"vz", ARROWFILE_VIEWS, 16, ARROWFILE_AS_IT_IS, 0},
                    {"tdD", ARROWFILE_FIXED, 4, ARROWFILE_AS_IT_IS, 0},
                    {"tdm", ARROWFILE_FIXED, 8, ARROWFILE_DIVIDED, 86400000},
                    {"tts", ARROWFILE_FIXED, 4, ARROWFILE_TIMES, 1000000},
                    {"ttm", ARROWFILE_FIXED, 4, ARROWFILE_TIMES, 1000},
                    {"ttu", ARROWFILE_FIXED, 8, ARROWFILE_AS_IT_IS, 0},
                    {"ttn", ARROWFILE_FIXED, 8, ARROWFILE_DIVIDED, 1000},
                    {"tiM", ARROWFILE_FIXED, 4, ARROWFILE_MONTHS, 0},
                    {"tiD", ARROWFILE_FIXED, 8, ARROWFILE_DAYS, 0},
                    {"tin", ARROWFILE_FIXED, 16, ARROWFILE_MONTHS_DAYS_NANOSECONDS, 0},
                    {"tDs", ARROWFILE_FIXED, 8, ARROWFILE_DURATION, 1000000},
                    {"tDm", ARROWFILE_FIXED, 8, ARROWFILE_DURATION, 1000},
                    {"tDu", ARROWFILE_FIXED, 8, ARROWFILE_DURATION, 1},
                    {"tDn", ARROWFILE_FIXED, 8, ARROWFILE_DURATION, 1000}};

static void set_flat(arrowfile_field *f, const struct flat_format *of)
{
    f->layout = (arrowfile_layout)of->layout;
    f->width = of->width;
    f->conversion = (arrowfile_conversion)of->conversion;
    f->factor = of->factor;
    f->is_divided = of->format[0] == 't' && of->format[2] == 'n';
}

/* Timestamps, decimals and blobs of one length. */
static void set_with_parameters(const struct ArrowSchema *column, arrowfile_field *f)
{
    static const char units[] = "smun";
    static const int64_t factors[] = {1000000, 1000, 1, 1};
    int precision, scale, bits = 128, bytes = 0;
    f->layout = ARROWFILE_FIXED;
    f->width = 8;
    if (column->format[0] == 't') {
        f->factor = factors[strchr(units, column->format[2]) - units];
        f->conversion = f->factor > 1 ? ARROWFILE_TIMES : ARROWFILE_AS_IT_IS;
    } else if (column->format[0] == 'd') {
        (void)sscanf(column->format, "d:%d,%d,%d", &precision, &scale, &bits);
        f->width = (uint32_t)bits / 8;
        f->conversion = ARROWFILE_DECIMAL;
    } else {
        (void)sscanf(column->format, "w:%d", &bytes);
        f->width = (uint32_t)bytes;
        f->conversion = f->type.id == TYPE_UUID ? ARROWFILE_UUID : ARROWFILE_FIXED_TEXT;
    }
}

static status set_flat_field(const struct ArrowSchema *column, arrowfile_field *f)
{
    TRY(api_arrow_type(column, &f->type));
    for (size_t i = 0; i < sizeof flat_formats / sizeof *flat_formats; i++)
        if (!strcmp(column->format, flat_formats[i].format)) {
            set_flat(f, &flat_formats[i]);
            if (f->layout == ARROWFILE_NULLS)
                f->type = type_make(TYPE_INT32); /* as in files */
            return STATUS_OK;
        }
    set_with_parameters(column, f);
    return STATUS_OK;
}

static status make_field(field_maker *m, const struct ArrowSchema *column, unsigned depth,
                         arrowfile_field *f);

static status make_child_fields(field_maker *m, const struct ArrowSchema *column, unsigned depth,
                                arrowfile_field *f)
{
    if (column->n_children < 0 || column->n_children > 65535 ||
        (column->n_children && !column->children))
        return no_type(column);
    f->child_count = (uint32_t)column->n_children;
    f->children = arena_alloc_array(m->memory, (size_t)f->child_count + 1, sizeof *f->children);
    if (!f->children)
        return status_no_memory("Arrow schema", f->child_count * sizeof *f->children);
    for (uint32_t i = 0; i < f->child_count; i++)
        TRY(make_field(m, column->children[i], depth + 1, &f->children[i]));
    return STATUS_OK;
}

static status set_nested_field(field_maker *m, const struct ArrowSchema *column, unsigned depth,
                               arrowfile_field *f)
{
    static const struct {
        const char *format;
        uint8_t type, layout, width;
    } formats[] = {
        {"+l", TYPE_LIST, ARROWFILE_LIST, 4},       {"+L", TYPE_LIST, ARROWFILE_LIST, 8},
        {"+vl", TYPE_LIST, ARROWFILE_LIST_VIEW, 4}, {"+vL", TYPE_LIST, ARROWFILE_LIST_VIEW, 8},
        {"+m", TYPE_MAP, ARROWFILE_LIST, 4},        {"+s", TYPE_STRUCT, ARROWFILE_STRUCT, 0}};
    int size, end = 0;
    TRY(make_child_fields(m, column, depth, f));
    if (strcmp(column->format, "+s") ? f->child_count != 1 : !f->child_count)
        return no_type(column);
    for (size_t i = 0; i < sizeof formats / sizeof *formats; i++)
        if (!strcmp(column->format, formats[i].format))
            return arrowfile_field_nest(m->memory, f, (type_id)formats[i].type,
                                        (arrowfile_layout)formats[i].layout, formats[i].width);
    if (sscanf(column->format, "+w:%d%n", &size, &end) == 1 && end && !column->format[end])
        return arrowfile_field_nest(m->memory, f, TYPE_LIST, ARROWFILE_FIXED_LIST, size);
    return no_type(column);
}

static status copy_field_name(field_maker *m, const struct ArrowSchema *column, arrowfile_field *f)
{
    const char *name = column->name ? column->name : "";
    size_t bytes = strlen(name);
    if (utf8_valid_bytes(name, bytes) != bytes)
        return status_new(STATUS_KIND_INVALID, "the name of a column's field is not valid UTF-8");
    f->name = arena_copy_text(m->memory, name, bytes);
    return f->name ? STATUS_OK : status_no_memory("Arrow schema", bytes);
}

static status set_codes(field_maker *m, const struct ArrowSchema *column, arrowfile_field *f)
{
    static const char formats[] = "cCsSiIlL";
    const char *found =
        column->format && column->format[0] ? strchr(formats, column->format[0]) : NULL;
    if (!found || column->format[1] || column->dictionary->dictionary)
        return status_new(STATUS_KIND_INVALID,
                          "Arrow array of column \"%s\" has codes that are not integers", f->name);
    f->has_dictionary = true;
    f->has_signed_codes = (found - formats) % 2 == 0;
    f->code_width = 1U << ((found - formats) / 2);
    f->dictionary = m->dictionaries++;
    return STATUS_OK;
}

static status make_field(field_maker *m, const struct ArrowSchema *column, unsigned depth,
                         arrowfile_field *f)
{
    *f = (arrowfile_field){.name = ""};
    if (!column || !column->release)
        return status_new(STATUS_KIND_INVALID, "Arrow schema has a column that was released");
    if (depth > NESTED_DEPTH_MAX || ++m->fields > FIELDS_MAX)
        return status_new(STATUS_KIND_UNSUPPORTED,
                          "column \"%s\" has more than %d levels, or more than %d fields",
                          column->name ? column->name : "", NESTED_DEPTH_MAX, FIELDS_MAX);
    TRY(copy_field_name(m, column, f));
    if (column->dictionary) {
        TRY(set_codes(m, column, f));
        column = column->dictionary;
    }
    if (!column->format)
        return no_type(column);
    return column->format[0] == '+' ? set_nested_field(m, column, depth, f)
                                    : set_flat_field(column, f);
}

status api_arrow_nested_type(arena *a, const struct ArrowSchema *column, data_type *out)
{
    field_maker m = {.memory = a};
    arrowfile_field f;
    TRY(make_field(&m, column, 0, &f));
    *out = f.type;
    return STATUS_OK;
}

/* ---- arrays as bodies ---- */

/* A dictionary, whose array is the client's, and its values once somebody wants them. */
typedef struct nested_entries {
    const struct ArrowArray *array;
    tensor *values;
} nested_entries;

struct api_arrow_nested {
    arena *memory;
    arrowfile_field field;
    device *dev; /* of batches */
    arrowfile_body body;
    size_t dictionary_count;
    nested_entries *dictionaries; /* by the fields' numbers */
};

static status wrong(const arrowfile_field *f, const char *what)
{
    return status_new(STATUS_KIND_INVALID, "Arrow array of column \"%s\" %s", f->name, what);
}

static status check_array(const arrowfile_field *f, const struct ArrowArray *array, int64_t buffers)
{
    bool has_views = !f->has_dictionary && f->layout == ARROWFILE_VIEWS;
    if (!array || !array->release)
        return wrong(f, "was released");
    if (array->length < 0 || array->offset < 0 || array->length > ROWS_MAX ||
        array->offset > ROWS_MAX - array->length)
        return wrong(f, "has a negative length or offset, or too large ones");
    if (has_views ? array->n_buffers < 3 || array->n_buffers > INT32_MAX
                  : array->n_buffers != buffers)
        return wrong(f, "has another number of buffers than its type");
    if (array->n_buffers && !array->buffers)
        return wrong(f, "has no buffers");
    return STATUS_OK;
}

static status add_buffer(arrowfile_body *body, const arrowfile_field *f, const void *memory,
                         uint64_t bytes)
{
    const arrowfile_buffer b = {.bytes = bytes, .memory = memory};
    if (bytes && !memory)
        return wrong(f, "has no values");
    return array_push(NULL, &body->buffers, b);
}

/* The bits that say which rows are NULL; no buffer where none is. */
static status add_validity(arrowfile_body *body, const arrowfile_field *f,
                           const struct ArrowArray *array, uint64_t rows)
{
    const void *bits = array->n_buffers && array->null_count ? array->buffers[0] : NULL;
    return add_buffer(body, f, bits, bits ? (rows + 7) / 8 : 0);
}

/* Bytes of texts: as many as the last offset says. An array without rows may have no offsets. */
static status add_texts(arrowfile_body *body, const arrowfile_field *f,
                        const struct ArrowArray *array, uint64_t rows)
{
    uint64_t last = 0;
    if (rows && array->buffers[1])
        memcpy(&last, (const char *)array->buffers[1] + rows * f->width, f->width);
    if (f->width == 4 ? last > INT32_MAX : last > INT64_MAX)
        return wrong(f, "has offsets of texts that are negative");
    TRY(add_buffer(body, f, array->buffers[1], rows ? (rows + 1) * f->width : 0));
    return add_buffer(body, f, array->buffers[2], last);
}

static status add_views(arrowfile_body *body, const arrowfile_field *f,
                        const struct ArrowArray *array, uint64_t rows)
{
    uint64_t count = (uint64_t)array->n_buffers - 3;
    const char *lengths = array->buffers[array->n_buffers - 1];
    if (count && !lengths)
        return wrong(f, "does not say how long its buffers are");
    TRY(array_push(NULL, &body->view_buffers, count));
    TRY(add_buffer(body, f, array->buffers[1], rows * f->width));
    for (uint64_t i = 0; i < count; i++) {
        int64_t bytes;
        memcpy(&bytes, lengths + i * sizeof bytes, sizeof bytes);
        if (bytes < 0)
            return wrong(f, "has a buffer of negative length");
        TRY(add_buffer(body, f, array->buffers[2 + i], (uint64_t)bytes));
    }
    return STATUS_OK;
}

/* Buffers behind the bits of NULLs. */
static status add_buffers(arrowfile_body *body, const arrowfile_field *f,
                          const struct ArrowArray *array, uint64_t rows)
{
    switch (f->layout) {
    case ARROWFILE_BITS:
        return add_buffer(body, f, array->buffers[1], (rows + 7) / 8);
    case ARROWFILE_FIXED:
        return add_buffer(body, f, array->buffers[1], rows * f->width);
    case ARROWFILE_OFFSETS:
        return add_texts(body, f, array, rows);
    case ARROWFILE_VIEWS:
        return add_views(body, f, array, rows);
    case ARROWFILE_LIST:
        return add_buffer(body, f, array->buffers[1], rows ? (rows + 1) * f->width : 0);
    case ARROWFILE_LIST_VIEW:
        TRY(add_buffer(body, f, array->buffers[1], rows * f->width));
        return add_buffer(body, f, array->buffers[2], rows * f->width);
    default:
        return STATUS_OK;
    }
}

static status add_nested_array(api_arrow_nested *n, arrowfile_body *body, const arrowfile_field *f,
                               const struct ArrowArray *array);

static status add_codes(api_arrow_nested *n, arrowfile_body *body, const arrowfile_field *f,
                        const struct ArrowArray *array, uint64_t rows)
{
    if (!array->dictionary)
        return wrong(f, "has no dictionary of values");
    n->dictionaries[f->dictionary].array = array->dictionary;
    return add_buffer(body, f, array->buffers[1], rows * f->code_width);
}

/* The array's parts behind one another, as a body has them: its own, then those of its children. */
static status add_nested_array(api_arrow_nested *n, arrowfile_body *body, const arrowfile_field *f,
                               const struct ArrowArray *array)
{
    static const uint8_t buffers[] = {
        [ARROWFILE_NULLS] = 0,     [ARROWFILE_BITS] = 2,       [ARROWFILE_FIXED] = 2,
        [ARROWFILE_OFFSETS] = 3,   [ARROWFILE_VIEWS] = 0,      [ARROWFILE_LIST] = 2,
        [ARROWFILE_LIST_VIEW] = 3, [ARROWFILE_FIXED_LIST] = 1, [ARROWFILE_STRUCT] = 1};
    TRY(check_array(f, array, f->has_dictionary ? 2 : buffers[f->layout]));
    uint64_t rows = (uint64_t)(array->offset + array->length);
    arrowfile_node node = {.rows = (uint64_t)array->length,
                           .null_count = (uint64_t)array->null_count,
                           .offset = (uint64_t)array->offset};
    TRY(array_push(NULL, &body->nodes, node));
    if (f->has_dictionary || f->layout != ARROWFILE_NULLS)
        TRY(add_validity(body, f, array, rows));
    if (f->has_dictionary)
        return add_codes(n, body, f, array, rows);
    TRY(add_buffers(body, f, array, rows));
    if (array->n_children != f->child_count || (f->child_count && !array->children))
        return wrong(f, "has another number of children than its type");
    for (uint32_t i = 0; i < f->child_count; i++)
        TRY(add_nested_array(n, body, &f->children[i], array->children[i]));
    return STATUS_OK;
}

static void forget_dictionaries(api_arrow_nested *n)
{
    for (size_t i = 0; i < n->dictionary_count; i++) {
        tensor_unref(n->dictionaries[i].values);
        n->dictionaries[i] = (nested_entries){0};
    }
}

/* ---- dictionaries ---- */

static status give_dictionary(void *context, const arrowfile_field *field, tensor **out,
                              uint64_t *out_rows)
{
    api_arrow_nested *n = context;
    nested_entries *entries = &n->dictionaries[field->dictionary];
    arrowfile_body body = {.host = dev_host(n->dev), .is_in_memory = true};
    arrowfile_field values = *field;
    values.has_dictionary = false;
    status st = STATUS_OK;
    if (!entries->values) {
        const arrowfile_maker maker = {&body, body.host, give_dictionary, n};
        st = add_nested_array(n, &body, &values, entries->array);
        if (!st)
            st = arrowfile_dictionary_make(&maker, field,
                                           (arrowfile_range){0, (uint64_t)entries->array->length},
                                           &entries->values);
        arrowfile_body_release(&body);
    }
    TRY(st);
    *out = tensor_ref(entries->values);
    *out_rows = (uint64_t)entries->array->length;
    return STATUS_OK;
}

/* ---- all of it ---- */

status api_arrow_nested_new(const struct ArrowSchema *column, device *dev, api_arrow_nested **out)
{
    field_maker m = {0};
    api_arrow_nested *n = *out = mem_new(sizeof *n);
    if (!n)
        return status_no_memory("Arrow rows", sizeof *n);
    n->dev = dev;
    n->body = (arrowfile_body){.host = dev_host(dev), .is_in_memory = true};
    status st = arena_new(&n->memory);
    m.memory = n->memory;
    if (!st)
        st = make_field(&m, column, 0, &n->field);
    n->dictionary_count = (size_t)m.dictionaries;
    if (!st) {
        n->dictionaries = mem_new_array(n->dictionary_count + 1, sizeof *n->dictionaries);
        st = n->dictionaries ? STATUS_OK
                             : status_no_memory("Arrow rows", n->dictionary_count * sizeof *n);
    }
    if (st) {
        n->dictionary_count = 0;
        api_arrow_nested_free(n);
        *out = NULL;
    }
    return st;
}

void api_arrow_nested_free(api_arrow_nested *n)
{
    if (!n)
        return;
    if (n->dictionaries)
        forget_dictionaries(n);
    mem_free(n->dictionaries);
    arrowfile_body_release(&n->body);
    if (n->memory)
        arena_free(n->memory);
    mem_free(n);
}

status api_arrow_nested_take(api_arrow_nested *n, const struct ArrowArray *array, uint64_t rows)
{
    arrowfile_body_clear(&n->body);
    forget_dictionaries(n);
    TRY(add_nested_array(n, &n->body, &n->field, array));
    return (uint64_t)array->length < rows ? wrong(&n->field, "is shorter than its struct")
                                          : STATUS_OK;
}

/* Puts NULL where the struct that has the column is NULL. */
static status under_parent(dev_stream *stream, tensor *t, uint64_t count,
                           const struct ArrowArray *parent, int64_t parent_row, tensor **out)
{
    row_index *index;
    *out = tensor_ref(t);
    if (!parent->n_buffers || !parent->null_count || !parent->buffers[0])
        return STATUS_OK;
    tensor_unref(*out);
    TRY(row_index_new(stream->dev, count, &index));
    for (uint64_t i = 0; i < count; i++) {
        bool is_null = api_arrow_is_null(parent, parent_row + (int64_t)i);
        index->rows[i] = is_null ? ROW_NULL : (uint32_t)i;
        index->has_nulls |= is_null;
    }
    tensor *flat;
    status st = tensor_flatten(stream, t, dev_count_exact(count), &flat);
    if (!st) {
        st = tensor_new_indexed(stream, flat, count, index, dev_count_exact(count), out);
        tensor_unref(flat);
    }
    row_index_unref(index);
    return st;
}

status api_arrow_nested_read(api_arrow_nested *n, uint64_t first, uint64_t count,
                             const struct ArrowArray *parent, int64_t parent_row,
                             exec_batch_column *out)
{
    arrowfile_cursor cursor = {0};
    dev_stream stream = {.dev = dev_host(n->dev)};
    const arrowfile_maker maker = {&n->body, stream.dev, give_dictionary, n};
    tensor *t, *placed;
    TRY(arrowfile_values_make(&maker, &n->field, &cursor, (arrowfile_range){first, count}, &t));
    status st = under_parent(&stream, t, count, parent, parent_row, &placed);
    tensor_unref(t);
    TRY(st);
    st = exec_batch_put_nested(n->dev, &stream, placed, count, out);
    tensor_unref(placed);
    return st;
}
