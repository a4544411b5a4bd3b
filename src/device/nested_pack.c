/* nested_pack.c - nested values to bytes: once to count, once to write. */
#include "device/nested_pack.h"

#include "base/cancel.h"
#include "device/nested.h"
#include "device/nested_pack_bytes.h"

#include <math.h>
#include <string.h>

/* The next byte; without a target bytes are only counted. */
typedef struct packer {
    uint8_t *to;
    uint64_t bytes;
    nested_form form;
} packer;

/* A row of a child, wherever its form says that it is. */
typedef struct packed_row {
    const tensor *t; /* FLAT or CONSTANT; NULL: the row is NULL */
    uint64_t row;
} packed_row;

static packed_row nested_pack_row_of(const tensor *t, uint64_t row)
{
    if (t->form == TENSOR_CONSTANT)
        return t->constant.is_null ? (packed_row){0} : (packed_row){t, 0};
    if (t->form == TENSOR_INDEXED) {
        row = t->index->rows[row];
        t = t->base;
        if (row == ROW_NULL)
            return (packed_row){0};
    }
    return nested_is_valid(t, row) ? (packed_row){t, row} : (packed_row){0};
}

static void pack_byte(packer *p, uint8_t byte)
{
    if (p->to)
        p->to[p->bytes] = byte;
    p->bytes++;
}

static void pack_number(packer *p, uint128 number, unsigned width)
{
    if (p->to)
        nested_put_number(p->to + p->bytes, number, width);
    p->bytes += width;
}

static void pack_text(packer *p, const string_view *view)
{
    const char *text = string_data(view), *end = text + view->bytes;
    while (text < end) {
        const char *zero = memchr(text, 0, (size_t)(end - text));
        size_t bytes = (size_t)((zero ? zero + 1 : end) - text);
        if (p->to)
            memcpy(p->to + p->bytes, text, bytes);
        p->bytes += bytes;
        text += bytes;
        if (zero)
            pack_byte(p, NESTED_ZERO);
    }
    pack_byte(p, 0);
    pack_byte(p, 0);
}

static void pack_interval(packer *p, const interval_value *v)
{
    if (p->form == NESTED_KEYS) {
        pack_number(p, (uint128)nested_interval_length(v) ^ nested_sign(16), 16);
        return;
    }
    pack_number(p, (uint32_t)v->months, 4);
    pack_number(p, (uint32_t)v->days, 4);
    pack_number(p, (uint64_t)v->microseconds, 8);
}

static void pack_double(packer *p, double number)
{
    uint64_t bits;
    if (p->form == NESTED_KEYS)
        number = isnan(number) ? (double)NAN : number + 0.0;
    memcpy(&bits, &number, sizeof bits);
    pack_number(p, nested_flip(bits, 8), 8);
}

static void pack_float(packer *p, float number)
{
    uint32_t bits;
    if (p->form == NESTED_KEYS)
        number = isnan(number) ? NAN : number + 0.0f;
    memcpy(&bits, &number, sizeof bits);
    pack_number(p, nested_flip(bits, 4), 4);
}

static void pack_scalar(packer *p, const tensor *t, uint64_t row)
{
    unsigned width = t->type.width;
    const char *at = (const char *)t->values + row * width;
    switch (t->type.id) {
    case TYPE_NULL:
        break;
    case TYPE_BOOL:
        pack_byte(p, ((const uint64_t *)t->values)[row / 64] >> (row % 64) & 1);
        break;
    case TYPE_VARCHAR:
    case TYPE_BLOB:
        pack_text(p, (const string_view *)at);
        break;
    case TYPE_INTERVAL:
        pack_interval(p, (const interval_value *)at);
        break;
    case TYPE_DOUBLE:
        pack_double(p, *(const double *)at);
        break;
    case TYPE_FLOAT:
        pack_float(p, *(const float *)at);
        break;
    default:
        /* Decimals of few digits have either width in memory, and one among these bytes. */
        if (t->type.id == TYPE_DECIMAL)
            width = type_decimal(t->type.precision, t->type.scale).width;
        pack_number(p,
                    nested_read_number(at, t->type) ^
                        (nested_has_sign(t->type) ? nested_sign(width) : 0),
                    width);
    }
}

static void pack_value(packer *p, const tensor *t, uint64_t row);

/* A child's row with what leads it. */
static void pack_child(packer *p, const tensor *t, uint32_t child, uint64_t row)
{
    packed_row at = {0};
    if (t->heap && child < t->heap->child_count)
        at = nested_pack_row_of(t->heap->children[child], row);
    pack_byte(p, at.t ? NESTED_IS_THERE : NESTED_IS_NULL);
    if (at.t)
        pack_value(p, at.t, at.row);
}

static void pack_value(packer *p, const tensor *t, uint64_t row)
{
    if (!type_is_nested(t->type)) {
        pack_scalar(p, t, row);
        return;
    }
    nested_value v = ((const nested_value *)t->values)[row];
    uint32_t fields = nested_type_of(t->type)->field_count;
    if (t->type.id == TYPE_STRUCT) {
        for (uint32_t i = 0; i < fields; i++)
            pack_child(p, t, i, v.offset);
        return;
    }
    for (uint32_t k = 0; k < v.length; k++)
        for (uint32_t i = 0; i < fields; i++)
            pack_child(p, t, i, (uint64_t)v.offset + k);
    pack_byte(p, NESTED_END);
}

uint64_t nested_packed_bytes(const tensor *t, uint64_t row, nested_form form)
{
    packer p = {.form = form};
    packed_row at = nested_pack_row_of(t, row);
    if (at.t)
        pack_value(&p, at.t, at.row);
    return p.bytes;
}

/* Adds up the bytes that are not in the rows' views. */
static status count_bytes(const tensor *t, uint64_t first, uint64_t count, nested_form form,
                          string_view *views, uint64_t *out)
{
    *out = 0;
    for (uint64_t i = 0; i < count; i++) {
        if (cancel_look(i))
            return cancel_check();
        uint64_t bytes = nested_packed_bytes(t, first + i, form);
        if (bytes > UINT32_MAX)
            return status_new(
                STATUS_KIND_UNSUPPORTED,
                "a list, struct or map of %llu bytes is too large to be compared or moved",
                (unsigned long long)bytes);
        views[i] = (string_view){.bytes = (uint32_t)bytes};
        *out += bytes > STRING_INLINE_BYTES ? bytes : 0;
    }
    return STATUS_OK;
}

static status write_rows(const tensor *t, uint64_t first, uint64_t count, nested_form form,
                         tensor *out, char *heap)
{
    string_view *views = out->values;
    for (uint64_t i = 0; i < count; i++) {
        char inlined[STRING_INLINE_BYTES] = {0};
        packed_row at = nested_pack_row_of(t, first + i);
        if (cancel_look(i))
            return cancel_check();
        if (!at.t) {
            views[i] = (string_view){0};
            out->validity[i / 64] &= ~(1ULL << (i % 64));
            continue;
        }
        uint32_t bytes = views[i].bytes;
        packer p = {.form = form, .to = (uint8_t *)(bytes > STRING_INLINE_BYTES ? heap : inlined)};
        pack_value(&p, at.t, at.row);
        assert(p.bytes == bytes);
        views[i] = string_view_make((const char *)p.to, bytes);
        heap += bytes > STRING_INLINE_BYTES ? bytes : 0;
    }
    return STATUS_OK;
}

status nested_pack(device *dev, const tensor *t, uint64_t first, uint64_t count, nested_form form,
                   const char *who, tensor **out)
{
    uint64_t bytes = 0;
    tensor *made;
    dev_buffer *heap = NULL;
    *out = NULL;
    assert(dev->is_host && type_is_nested(t->type));
    TRY(tensor_new_flat(dev, type_make(TYPE_BLOB), count, true, &made));
    memset(made->validity, 0xff, bitmap_bytes(count));
    status st = count_bytes(t, first, count, form, made->values, &bytes);
    if (!st && bytes)
        st = dev_alloc(dev, bytes, who, &heap);
    if (!st)
        st = write_rows(t, first, count, form, made, heap ? heap->address : NULL);
    if (!st && heap)
        st = string_heap_new(&heap, 1, &made->heap);
    else
        dev_buffer_unref(heap);
    if (st) {
        tensor_unref(made);
        return st;
    }
    *out = made;
    return STATUS_OK;
}
