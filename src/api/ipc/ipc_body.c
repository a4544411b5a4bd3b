/* ipc_body.c - rows as the body of a message: buffers of the arrays one after the other. */
#include "api/ipc/ipc_body.h"

#include "api/arrow/arrow_schema.h"
#include "api/ipc/ipc_compress.h"
#include "api/ipc/ipc_parts.h"
#include "api/ipc/ipc_schema.h"

/* Rows of an array: `first` counts from the beginning of its buffers. */
typedef struct range {
    uint64_t first, count;
} range;

static status add_buffer(ipc_body *body, const void *bytes, size_t count)
{
    return array_push(NULL, &body->buffers, ((ipc_buffer){bytes, bytes ? count : 0}));
}

status ipc_body_make(ipc_body *body, size_t bytes, void **out)
{
    *out = mem_resize(NULL, bytes + 8);
    if (!*out)
        return status_no_memory("Arrow buffer", bytes);
    status st = array_push(NULL, &body->made, *out);
    if (st)
        mem_free(*out);
    return st;
}

static bool ipc_body_is_set(const uint8_t *bits, uint64_t at)
{
    return bits[at / 8] >> (at % 8) & 1;
}

/* Adds bits of the range, moved if they do not begin with a byte. */
static status ipc_add_bits(ipc_body *body, const uint8_t *bits, range rows)
{
    size_t bytes = (rows.count + 7) / 8;
    void *made;
    if (!bits || rows.first % 8 == 0)
        return add_buffer(body, bits ? bits + rows.first / 8 : NULL, bytes);
    TRY(ipc_body_make(body, bytes, &made));
    memset(made, 0, bytes);
    for (uint64_t i = 0; i < rows.count; i++)
        ((uint8_t *)made)[i / 8] |= (uint8_t)(ipc_body_is_set(bits, rows.first + i) << (i % 8));
    return add_buffer(body, made, bytes);
}

static uint64_t count_unset(const uint8_t *bits, range rows)
{
    uint64_t at = rows.first, end = rows.first + rows.count, set = 0;
    for (; at < end && at % 8; at++)
        set += ipc_body_is_set(bits, at);
    for (uint64_t word; at + 64 <= end; at += 64) {
        memcpy(&word, bits + at / 8, sizeof word);
        set += (uint64_t)__builtin_popcountll(word);
    }
    for (; at < end; at++)
        set += ipc_body_is_set(bits, at);
    return rows.count - set;
}

static uint64_t offset_at(const void *offsets, uint32_t width, uint64_t index)
{
    return width == 4 ? ((const uint32_t *)offsets)[index] : ((const uint64_t *)offsets)[index];
}

/* Adds count + 1 offsets, the first of which is made 0; *out: the range of what they tell. */
static status add_offsets(ipc_body *body, const void *offsets, uint32_t width, range rows,
                          range *out)
{
    uint64_t begin = 0, end = 0;
    void *made;
    size_t bytes = (rows.count + 1) * width;
    if (rows.count) {
        begin = offset_at(offsets, width, rows.first);
        end = offset_at(offsets, width, rows.first + rows.count);
    }
    *out = (range){begin, end - begin};
    if (rows.count && !begin)
        return add_buffer(body, (const char *)offsets + rows.first * width, bytes);
    TRY(ipc_body_make(body, bytes, &made));
    memset(made, 0, bytes);
    for (uint64_t i = 0; rows.count && i <= rows.count; i++)
        if (width == 4)
            ((uint32_t *)made)[i] = (uint32_t)(offset_at(offsets, 4, rows.first + i) - begin);
        else
            ((uint64_t *)made)[i] = offset_at(offsets, 8, rows.first + i) - begin;
    return add_buffer(body, made, bytes);
}

/* ---- views ---- */

static size_t view_bytes(const struct ArrowArray *array, uint64_t row)
{
    const uint8_t *validity = array->buffers[0];
    const arrow_view *views = array->buffers[1];
    return validity && !ipc_body_is_set(validity, row) ? 0 : (size_t)views[row].bytes;
}

/* Copies the text to where there is room for one that is inlined behind it. */
static inline void copy_view(const struct ArrowArray *array, const arrow_view *view, size_t length,
                             char *target)
{
    if (length <= sizeof view->inlined)
        memcpy(target, view->inlined, sizeof view->inlined); /* of one length: no call */
    else
        memcpy(target, (const char *)array->buffers[2 + view->buffer] + view->offset, length);
}

static status ipc_add_views(ipc_body *body, const struct ArrowArray *array, range rows)
{
    const arrow_view *views = array->buffers[1];
    const bool has_nulls = array->buffers[0];
    void *made;
    uint64_t total = 0, at = 0;
    for (uint64_t row = rows.first; row < rows.first + rows.count; row++)
        total += has_nulls ? view_bytes(array, row) : (size_t)views[row].bytes;
    TRY(ipc_body_make(body, (rows.count + 1) * sizeof at, &made));
    uint64_t *offsets = made;
    TRY(add_buffer(body, offsets, (rows.count + 1) * sizeof at));
    TRY(ipc_body_make(body, total + sizeof views->inlined, &made));
    char *bytes = made;
    for (uint64_t i = 0; i < rows.count; i++) {
        const arrow_view *view = views + rows.first + i;
        size_t length = has_nulls ? view_bytes(array, rows.first + i) : (size_t)view->bytes;
        offsets[i] = at;
        copy_view(array, view, length, bytes + at);
        at += length;
    }
    offsets[rows.count] = at;
    return add_buffer(body, bytes, at);
}

/* ---- arrays ---- */

static status add_range(ipc_body *body, const struct ArrowSchema *schema,
                        const struct ArrowArray *array, range rows);

static status add_child(ipc_body *body, const struct ArrowSchema *schema,
                        const struct ArrowArray *array, int64_t child, range rows)
{
    const struct ArrowArray *of = array->children[child];
    rows.first += (uint64_t)of->offset;
    return add_range(body, schema->children[child], of, rows);
}

static status add_values(ipc_body *body, const struct ArrowSchema *schema,
                         const struct ArrowArray *array, range rows)
{
    ipc_layout layout;
    uint32_t width;
    range inner;
    TRY(ipc_layout_of(schema->format, &layout, &width));
    switch (layout) {
    case IPC_NULL:
        return STATUS_OK;
    case IPC_BITS:
        return ipc_add_bits(body, array->buffers[1], rows);
    case IPC_FIXED:
        return add_buffer(body, (const char *)array->buffers[1] + rows.first * width,
                          rows.count * width);
    case IPC_OFFSETS:
        TRY(add_offsets(body, array->buffers[1], width, rows, &inner));
        return add_buffer(body, (const char *)array->buffers[2] + inner.first, inner.count);
    case IPC_VIEWS:
        return ipc_add_views(body, array, rows);
    case IPC_LIST:
        TRY(add_offsets(body, array->buffers[1], width, rows, &inner));
        return add_child(body, schema, array, 0, inner);
    case IPC_FIXED_LIST:
        return add_child(body, schema, array, 0, (range){rows.first * width, rows.count * width});
    case IPC_STRUCT:
        for (int64_t i = 0; i < array->n_children; i++)
            TRY(add_child(body, schema, array, i, rows));
    }
    return STATUS_OK;
}

static status add_range(ipc_body *body, const struct ArrowSchema *schema,
                        const struct ArrowArray *array, range rows)
{
    bool has_validity = array->n_buffers && array->buffers[0];
    uint64_t nulls = has_validity ? count_unset(array->buffers[0], rows) : 0;
    bool is_null = !strcmp(schema->format, "n");
    ipc_node node = {(int64_t)rows.count, (int64_t)(is_null ? rows.count : nulls)};
    TRY(array_push(NULL, &body->nodes, node));
    if (!is_null)
        TRY(ipc_add_bits(body, nulls ? array->buffers[0] : NULL, rows));
    return add_values(body, schema, array, rows);
}

status ipc_body_add(ipc_body *body, const struct ArrowSchema *schema,
                    const struct ArrowArray *array, bool is_root)
{
    range rows = {(uint64_t)array->offset, (uint64_t)array->length};
    return is_root ? add_values(body, schema, array, rows) : add_range(body, schema, array, rows);
}

uint32_t ipc_body_describe(const ipc_body *body, flat *f, int64_t rows, uint64_t *out_bytes)
{
    uint32_t batch = flat_table(f, 4);
    int64_t at = 0;
    flat_set(f, batch, 0, (uint64_t)rows);
    uint32_t nodes = flat_vector(f, body->nodes.count, sizeof(ipc_node));
    flat_link(f, batch, 1, nodes);
    char *items = flat_items(f, nodes);
    if (items && body->nodes.count)
        memcpy(items, body->nodes.items, body->nodes.count * sizeof(ipc_node));
    uint32_t buffers = flat_vector(f, body->buffers.count, 2 * sizeof at);
    flat_link(f, batch, 2, buffers);
    items = flat_items(f, buffers);
    for (size_t i = 0; i < body->buffers.count; i++) {
        int64_t place[] = {at, (int64_t)body->buffers.items[i].count};
        if (items)
            memcpy(items + i * sizeof place, place, sizeof place);
        at += (int64_t)ipc_padded(body->buffers.items[i].count);
    }
    ipc_compression_describe(&body->compression, f, batch);
    *out_bytes = (uint64_t)at;
    return batch;
}

void ipc_body_clear(ipc_body *body)
{
    for (size_t i = 0; i < body->made.count; i++)
        mem_free(body->made.items[i]);
    body->nodes.count = body->buffers.count = body->made.count = 0;
}

void ipc_body_release(ipc_body *body)
{
    ipc_body_clear(body);
    array_release(&body->nodes);
    array_release(&body->buffers);
    array_release(&body->made);
}
