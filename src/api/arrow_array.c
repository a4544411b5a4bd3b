/* arrow_array.c - a batch as an ArrowArray: a struct whose children hold the batch, each by a reference
 * of its own, so that any of them may be moved out and released by itself, by any thread.
 *
 *   column                     values                        long texts
 *   numbers, times, booleans   the batch's                   -
 *   decimals                   made, 16 bytes (the batch's   -
 *                              where 8 are asked for)
 *   intervals                  made                          -
 *   text, blobs                made: views                   the batch's
 *
 * Validity is always the batch's: both are bitmaps, least significant bit first. */
#include "api/arrow.h"

#include <stdlib.h>

/* What a child holds. */
typedef struct child_data {
    const pistachio_batch *batch;
    void *made;            /* values, or NULL */
    int64_t *lengths;      /* of the buffers of views, or NULL */
    const void *buffers[]; /* what the array's point to */
} child_data;

static void release_child(struct ArrowArray *array)
{
    child_data *data = array->private_data;
    pistachio_batch_unref(data->batch);
    mem_free(data->made);
    mem_free(data->lengths);
    mem_free(data);
    array->release = NULL;
}

/* A child of values that are not made yet. */
static status child_new(const pistachio_batch *batch, const exec_batch_column *column,
                        uint64_t buffer_count, struct ArrowArray *out)
{
    child_data *data = mem_new(sizeof *data + (buffer_count + 1) * sizeof *data->buffers);
    if (!data)
        return status_no_memory("Arrow array", sizeof *data);
    data->batch = pistachio_batch_ref(batch);
    data->buffers[0] = column->validity;
    data->buffers[1] = column->values;
    *out = (struct ArrowArray){.length = (int64_t)batch->rows->row_count,
                               .null_count = column->validity ? -1 : 0,
                               .n_buffers = (int64_t)buffer_count,
                               .buffers = data->buffers,
                               .release = release_child,
                               .private_data = data};
    return STATUS_OK;
}

/* Room for values of so many bytes, in the place of the batch's. */
static status make_values(struct ArrowArray *array, size_t width)
{
    child_data *data = array->private_data;
    data->made = mem_new_array((size_t)array->length + 1, width);
    data->buffers[1] = data->made;
    return data->made ? STATUS_OK : status_no_memory("Arrow array", (size_t)array->length * width);
}

static bool is_valid(const exec_batch_column *column, uint64_t row)
{
    return !column->validity || column->validity[row / 64] >> (row % 64) & 1;
}

/* ---- decimals and intervals ---- */

static status widen_decimals(const exec_batch_column *column, struct ArrowArray *array)
{
    TRY(make_values(array, sizeof(int128)));
    int128 *wide = ((child_data *)array->private_data)->made;
    const int64_t *narrow = column->values;
    for (int64_t row = 0; row < array->length; row++)
        wide[row] = narrow[row];
    return STATUS_OK;
}

static status narrow_decimals(const exec_batch_column *column, struct ArrowArray *array)
{
    TRY(make_values(array, sizeof(int64_t)));
    int64_t *narrow = ((child_data *)array->private_data)->made;
    const int128 *wide = column->values;
    for (int64_t row = 0; row < array->length; row++)
        narrow[row] = (int64_t)wide[row];
    return STATUS_OK;
}

static status convert_decimals(const exec_batch_column *column, data_type type,
                               api_arrow_options options, struct ArrowArray *array)
{
    bool is_narrow = options.has_narrow_decimals && type.precision <= 18;
    if (column->type.width == (is_narrow ? 8 : 16))
        return STATUS_OK;
    return is_narrow ? narrow_decimals(column, array) : widen_decimals(column, array);
}

typedef struct month_day_nano {
    int32_t months, days;
    int64_t nanoseconds;
} month_day_nano;

static status convert_intervals(const exec_batch_column *column, struct ArrowArray *array)
{
    TRY(make_values(array, sizeof(month_day_nano)));
    month_day_nano *made = ((child_data *)array->private_data)->made;
    const interval_value *intervals = column->values;
    for (int64_t row = 0; row < array->length; row++) {
        const interval_value *from = &intervals[row];
        if (!is_valid(column, (uint64_t)row))
            continue;
        made[row].months = from->months;
        made[row].days = from->days;
        if (__builtin_mul_overflow(from->microseconds, (int64_t)1000, &made[row].nanoseconds))
            return status_hint(status_new(STATUS_KIND_DATA,
                                          "interval of %lld microseconds does not fit the "
                                          "nanoseconds that Arrow's intervals have",
                                          (long long)from->microseconds),
                               "cast it to text");
    }
    return STATUS_OK;
}

/* ---- texts ---- */

/* An offset in a view is below 2^31: what is longer is several buffers, each of the rest from its
 * beginning on. */
#define WINDOW_BITS 30

/* A part of the column's heap, and the number of its first buffer in the array; -1: none yet. */
typedef struct heap_part {
    const char *address;
    size_t bytes;
    int32_t buffer;
} heap_part;

static_assert(sizeof(arrow_view) == sizeof(string_view), "short texts are copied whole");

/* The parts in the order of their addresses. */
typedef struct heap_parts {
    heap_part *items;
    uint32_t count, last; /* the one that was found last */
    uint32_t buffer_count;
} heap_parts;

static int compare_parts(const void *left, const void *right)
{
    const char *l = ((const heap_part *)left)->address, *r = ((const heap_part *)right)->address;
    return (l > r) - (l < r);
}

static status parts_make(const exec_batch_column *column, heap_parts *out)
{
    *out = (heap_parts){.count = exec_batch_heap_count(column)};
    out->items = mem_new_array((size_t)out->count + 1, sizeof *out->items);
    if (!out->items)
        return status_no_memory("Arrow array", out->count * sizeof *out->items);
    for (uint32_t i = 0; i < out->count; i++) {
        exec_heap_part part = exec_batch_heap(column, i);
        out->items[i] = (heap_part){part.address, part.bytes, -1};
    }
    if (out->count)
        qsort(out->items, out->count, sizeof *out->items, compare_parts);
    return STATUS_OK;
}

static bool holds(const heap_part *part, const char *text)
{
    return text >= part->address && text < part->address + part->bytes;
}

static heap_part *parts_find(heap_parts *parts, const char *text)
{
    uint32_t low = 0, high = parts->count;
    if (parts->last < parts->count && holds(&parts->items[parts->last], text))
        return &parts->items[parts->last];
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (text >= parts->items[middle].address + parts->items[middle].bytes)
            low = middle + 1;
        else
            high = middle;
    }
    parts->last = low;
    return low < parts->count && holds(&parts->items[low], text) ? &parts->items[low] : NULL;
}

/* Views of the rows; parts get the numbers of their buffers as they are met. */
static status make_views(const exec_batch_column *column, heap_parts *parts, arrow_view *views,
                         uint64_t rows)
{
    const string_view *from = column->values;
    for (uint64_t row = 0; row < rows; row++) {
        if (!is_valid(column, row))
            continue;
        if (from[row].bytes <= STRING_INLINE_BYTES) {
            memcpy(&views[row], &from[row], sizeof *views);
            continue;
        }
        heap_part *part = parts_find(parts, from[row].data);
        if (!part)
            return status_new(STATUS_KIND_INTERNAL,
                              "internal error: a text lies outside of its column's memory");
        if (part->buffer < 0) {
            part->buffer = (int32_t)parts->buffer_count;
            parts->buffer_count += (uint32_t)((part->bytes - 1) >> WINDOW_BITS) + 1;
        }
        size_t offset = (size_t)(from[row].data - part->address);
        views[row].bytes = (int32_t)from[row].bytes;
        memcpy(views[row].prefix, from[row].prefix, sizeof views[row].prefix);
        views[row].buffer = part->buffer + (int32_t)(offset >> WINDOW_BITS);
        views[row].offset = (int32_t)(offset & (((size_t)1 << WINDOW_BITS) - 1));
    }
    return STATUS_OK;
}

/* Behind validity and views: the buffers, then their lengths. */
static void put_buffers(const heap_parts *parts, child_data *data)
{
    for (uint32_t i = 0; i < parts->count; i++) {
        const heap_part *part = &parts->items[i];
        for (size_t at = 0, k = 0; part->buffer >= 0 && at < part->bytes;
             at += (size_t)1 << WINDOW_BITS, k++) {
            data->buffers[2 + (size_t)part->buffer + k] = part->address + at;
            data->lengths[(size_t)part->buffer + k] = (int64_t)(part->bytes - at);
        }
    }
    data->buffers[2 + parts->buffer_count] = data->lengths;
}

static status text_child(const pistachio_batch *batch, const exec_batch_column *column,
                         heap_parts *parts, struct ArrowArray *out)
{
    arrow_view *views = mem_new_array(batch->rows->row_count + 1, sizeof *views);
    if (!views)
        return status_no_memory("Arrow array", batch->rows->row_count * sizeof *views);
    status st = make_views(column, parts, views, batch->rows->row_count);
    if (!st)
        st = child_new(batch, column, 3 + parts->buffer_count, out);
    if (st) {
        mem_free(views);
        return st;
    }
    child_data *data = out->private_data;
    data->made = views;
    data->buffers[1] = views;
    data->lengths = mem_new_array((size_t)parts->buffer_count + 1, sizeof *data->lengths);
    if (!data->lengths) {
        release_child(out);
        return status_no_memory("Arrow array", parts->buffer_count * sizeof *data->lengths);
    }
    put_buffers(parts, data);
    return STATUS_OK;
}

static status make_text_child(const pistachio_batch *batch, const exec_batch_column *column,
                              struct ArrowArray *out)
{
    heap_parts parts;
    TRY(parts_make(column, &parts));
    status st = text_child(batch, column, &parts, out);
    mem_free(parts.items);
    return st;
}

/* ---- all of them ---- */

static status make_child(const pistachio_batch *batch, uint32_t index, api_arrow_options options,
                         struct ArrowArray *out)
{
    const exec_batch_column *column = &batch->rows->columns[index];
    if (type_is_text(column->type))
        return make_text_child(batch, column, out);
    TRY(child_new(batch, column, column->type.id == TYPE_NULL ? 0 : 2, out));
    status st = STATUS_OK;
    if (column->type.id == TYPE_DECIMAL)
        st = convert_decimals(column, column->type, options, out);
    else if (column->type.id == TYPE_INTERVAL)
        st = convert_intervals(column, out);
    else if (column->type.id == TYPE_NULL)
        out->null_count = out->length;
    if (st)
        release_child(out);
    return st;
}

static void release_struct(struct ArrowArray *array)
{
    for (int64_t i = 0; i < array->n_children; i++) {
        struct ArrowArray *child = array->children[i];
        if (child && child->release)
            child->release(child);
        mem_free(child);
    }
    mem_free(array->children);
    mem_free(array->private_data);
    array->release = NULL;
}

static status make_struct(const pistachio_batch *batch, api_arrow_options options,
                          struct ArrowArray *out)
{
    uint32_t count = batch->rows->column_count;
    *out = (struct ArrowArray){.length = (int64_t)batch->rows->row_count,
                               .n_buffers = 1,
                               .private_data = mem_new(sizeof(void *)), /* no validity */
                               .children = mem_new_array((size_t)count + 1, sizeof *out->children),
                               .release = release_struct};
    out->buffers = out->private_data;
    if (!out->buffers || !out->children)
        return status_no_memory("Arrow array", count * sizeof *out->children);
    for (uint32_t i = 0; i < count; i++) {
        struct ArrowArray *child = mem_new(sizeof *child);
        if (!child)
            return status_no_memory("Arrow array", sizeof *child);
        out->children[out->n_children++] = child;
        TRY(make_child(batch, i, options, child));
    }
    return STATUS_OK;
}

status api_arrow_array_make(pistachio_batch *batch, api_arrow_options options,
                            struct ArrowArray *out)
{
    status st = exec_batch_compact(batch->rows);
    *out = (struct ArrowArray){0};
    if (!st) {
        st = make_struct(batch, options, out);
        if (st)
            release_struct(out);
    }
    pistachio_batch_unref(batch);
    return st;
}
