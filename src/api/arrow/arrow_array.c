/* arrow_array.c - a batch as an ArrowArray: a struct whose children hold the batch, each by a reference
 * of its own, so that any of them may be moved out and released by itself, by any thread.
 *
 *   column                     values                          long texts
 *   numbers, times, booleans   as they are                     -
 *   decimals                   made, 16 bytes (as they are,    -
 *                              where 8 are asked for)
 *   intervals                  made, in place                  -
 *   text, blobs                made: views, in place           as they are
 *   text as codes              made, or as they are            copied: one dictionary a batch
 *   lists, maps                offsets made; children as any   -
 *   structs, lists of a size   children as any                 -
 *
 * Of a batch that stays on a device all of it lies there as Arrow has it, texts as offsets and bytes.
 *
 * What is made takes the place of the batch's values before anything is handed out, so that the
 * engine has the memory of those at once: new memory costs more than what is done here. Validity is
 * always the batch's: both are bitmaps, least significant bit first. */
#include "api/arrow/arrow_array.h"

#include "base/text/uuid_text.h"
#include "base/type/nested_type.h"
#include "device/value/arrow_value.h"
#include "exec/operators/result_batch.h"
#include "exec/operators/result_dictionary.h"

#include <stdlib.h>

/* Buffers that a child holds. */
typedef struct child_data {
    const pistachio_batch *batch;
    int64_t *lengths;      /* of the buffers of views, or NULL */
    const void *buffers[]; /* what the array's point to */
} child_data;

/* By a thread that may use the batch's device by itself. */
static void give_up_batch(const pistachio_batch *batch)
{
    device *dev = batch->rows->is_on_device ? dev_ref(batch->rows->dev) : NULL;
    void *before = dev ? dev_client_enter(dev) : NULL;
    pistachio_batch_unref(batch);
    if (dev)
        dev_client_leave(dev, before);
    dev_close(dev);
}

static void release_child(struct ArrowArray *array)
{
    child_data *data = array->private_data;
    struct ArrowArray *dictionary = array->dictionary;
    if (dictionary && dictionary->release)
        dictionary->release(dictionary);
    mem_free(dictionary);
    for (int64_t i = 0; i < array->n_children; i++) {
        struct ArrowArray *child = array->children[i];
        if (child && child->release)
            child->release(child);
        mem_free(child);
    }
    mem_free(array->children);
    give_up_batch(data->batch);
    mem_free(data->lengths);
    mem_free(data);
    array->release = NULL;
}

static status child_new_of(const pistachio_batch *batch, const exec_batch_column *column,
                           uint64_t rows, uint64_t buffer_count, struct ArrowArray *out)
{
    child_data *data = mem_new(sizeof *data + (buffer_count + 1) * sizeof *data->buffers);
    if (!data)
        return status_no_memory("Arrow array", sizeof *data);
    data->batch = pistachio_batch_ref(batch);
    data->buffers[0] = column->validity;
    data->buffers[1] = column->values;
    int64_t nulls = batch->rows->is_on_device ? (int64_t)column->null_count : -1;
    *out = (struct ArrowArray){.length = (int64_t)rows,
                               .null_count = column->validity ? nulls : 0,
                               .n_buffers = (int64_t)buffer_count,
                               .buffers = data->buffers,
                               .release = release_child,
                               .private_data = data};
    return STATUS_OK;
}

static status child_new(const pistachio_batch *batch, const exec_batch_column *column,
                        uint64_t buffer_count, struct ArrowArray *out)
{
    return child_new_of(batch, column, batch->rows->row_count, buffer_count, out);
}

static bool arrow_array_is_valid(const exec_batch_column *column, uint64_t row)
{
    return !column->validity || column->validity[row / 64] >> (row % 64) & 1;
}

/* ---- decimals and intervals ---- */

static void arrow_array_widen_decimals(const int64_t *narrow, int128 *wide, uint64_t rows)
{
    for (uint64_t row = 0; row < rows; row++)
        wide[row] = narrow[row];
}

static void narrow_decimals(const int128 *wide, int64_t *narrow, uint64_t rows)
{
    for (uint64_t row = 0; row < rows; row++)
        narrow[row] = (int64_t)wide[row];
}

static status convert_decimals(exec_batch *batch, uint32_t index, api_arrow_options options)
{
    const exec_batch_column *column = &batch->columns[index];
    data_type type = column->type;
    exec_batch_values made;
    type.width = options.has_narrow_decimals && type.precision <= 18 ? 8 : 16;
    if (column->type.width == type.width)
        return STATUS_OK;
    TRY(exec_batch_make_values(batch, index, type, &made));
    if (type.width == 16)
        arrow_array_widen_decimals(column->values, made.values, batch->row_count);
    else
        narrow_decimals(column->values, made.values, batch->row_count);
    exec_batch_put_values(batch, index, &made);
    return STATUS_OK;
}

static status convert_uuids(exec_batch *batch, uint32_t index)
{
    const exec_batch_column *column = &batch->columns[index];
    exec_batch_values made;
    TRY(exec_batch_make_values(batch, index, column->type, &made));
    const int128 *uuids = column->values;
    for (uint64_t row = 0; row < batch->row_count; row++) {
        /* Rows are made one after the other: they may be made where the values are. */
        int128 uuid = uuids[row];
        uint8_t *bytes = (uint8_t *)made.values + row * UUID_BYTES;
        if (arrow_array_is_valid(column, row))
            uuid_to_bytes(uuid, bytes);
        else
            memset(bytes, 0, UUID_BYTES);
    }
    exec_batch_put_values(batch, index, &made);
    return STATUS_OK;
}

/* Makes one row after the other: they may be made where the intervals are. */
static status make_intervals(const exec_batch_column *column, arrow_interval *made, uint64_t rows)
{
    const interval_value *intervals = column->values;
    for (uint64_t row = 0; row < rows; row++) {
        const interval_value from = intervals[row];
        made[row] = (arrow_interval){0};
        if (arrow_array_is_valid(column, row) && !arrow_interval_make(from, &made[row]))
            return status_hint(status_new(STATUS_KIND_DATA,
                                          "interval of %lld microseconds does not fit the "
                                          "nanoseconds that Arrow's intervals have",
                                          (long long)from.microseconds),
                               "cast it to text");
    }
    return STATUS_OK;
}

static status convert_intervals(exec_batch *batch, uint32_t index)
{
    const exec_batch_column *column = &batch->columns[index];
    exec_batch_values made;
    TRY(exec_batch_make_values(batch, index, column->type, &made));
    status st = make_intervals(column, made.values, batch->row_count);
    if (st)
        exec_batch_drop_values(&made);
    else
        exec_batch_put_values(batch, index, &made);
    return st;
}

/* ---- texts ---- */

/* An offset in a view is below 2^31: what is longer is several buffers, each of the rest from its
 * beginning on. */
#define WINDOW_BITS 30
#define WINDOW_BYTES ((size_t)1 << WINDOW_BITS)

/* A part of the column's heap, and the number of its first buffer in the array. */
typedef struct heap_part {
    const char *address;
    size_t bytes;
    int32_t buffer;
} heap_part;

static_assert(sizeof(arrow_view) == sizeof(string_view), "short texts are copied whole");

/* The parts in the order of their addresses, which is that of the array's buffers. */
typedef struct heap_parts {
    heap_part *items;
    uint32_t count;
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
        out->items[i] = (heap_part){part.address, part.bytes, 0};
    }
    if (out->count)
        qsort(out->items, out->count, sizeof *out->items, compare_parts);
    for (uint32_t i = 0; i < out->count; i++) {
        heap_part *part = &out->items[i];
        part->buffer = (int32_t)out->buffer_count;
        out->buffer_count += (uint32_t)((part->bytes + WINDOW_BYTES - 1) / WINDOW_BYTES);
    }
    return STATUS_OK;
}

static bool holds(const heap_part *part, const char *text)
{
    return text >= part->address && text < part->address + part->bytes;
}

static const heap_part *parts_find(const heap_parts *parts, const char *text)
{
    uint32_t low = 0, high = parts->count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (text >= parts->items[middle].address + parts->items[middle].bytes)
            low = middle + 1;
        else
            high = middle;
    }
    return low < parts->count && holds(&parts->items[low], text) ? &parts->items[low] : NULL;
}

/* A view of either kind: its length and prefix, and behind them the rest of a short text, or the address or place of
 * a long one. */
typedef struct view_words {
    uint64_t head, rest;
} view_words;

static_assert(sizeof(view_words) == sizeof(arrow_view), "views are converted as words");

static uint64_t place_in(const heap_part *part, uint64_t offset)
{
    uint64_t buffer = (uint64_t)part->buffer + (offset >> WINDOW_BITS);
    return buffer | (offset & (WINDOW_BYTES - 1)) << 32;
}

/* Makes one row after the other: they may be made where the texts' are. Long and short ones come in no order, so that
 * nothing but another part of the heap is a branch. */
static status arrow_array_make_views(const exec_batch_column *column, const heap_parts *parts,
                                     arrow_view *views, uint64_t rows)
{
    const string_view *texts = column->values;
    static const heap_part none;
    const heap_part *part = &none;
    for (uint64_t row = 0; row < rows; row++) {
        view_words words;
        memcpy(&words, &texts[row], sizeof words);
        uint64_t valid = column->validity ? column->validity[row / 64] >> (row % 64) & 1 : 1;
        uint64_t is_long = valid & ((uint32_t)words.head > STRING_INLINE_BYTES);
        uint64_t offset = words.rest - (uintptr_t)part->address;
        if (__builtin_expect(is_long & (offset >= part->bytes), 0)) {
            part = parts_find(parts, texts[row].data);
            if (!part)
                return status_new(STATUS_KIND_INTERNAL,
                                  "internal error: a text lies outside of its column's memory");
            offset = words.rest - (uintptr_t)part->address;
        }
        uint64_t place = place_in(part, offset);
        words.head &= -valid;
        words.rest = (is_long ? place : words.rest) & -valid;
        memcpy(&views[row], &words, sizeof words);
    }
    return STATUS_OK;
}

static status put_views(exec_batch *batch, uint32_t index, const heap_parts *parts)
{
    const exec_batch_column *column = &batch->columns[index];
    exec_batch_values made;
    TRY(exec_batch_make_values(batch, index, column->type, &made));
    status st = arrow_array_make_views(column, parts, made.values, batch->row_count);
    if (st)
        exec_batch_drop_values(&made);
    else
        exec_batch_put_values(batch, index, &made);
    return st;
}

static status arrow_array_convert_texts(exec_batch *batch, uint32_t index)
{
    heap_parts parts;
    TRY(parts_make(&batch->columns[index], &parts));
    status st = put_views(batch, index, &parts);
    mem_free(parts.items);
    return st;
}

/* ---- lists, structs and maps ---- */

static status convert_column(exec_batch *batch, uint32_t index, api_arrow_options options);

/* Writes where each row's elements begin and where the last one's end. They are in order. */
static void make_offsets(const exec_batch_column *column, uint64_t rows, int32_t *offsets)
{
    const nested_value *values = column->values;
    int32_t at = 0;
    for (uint64_t row = 0; row < rows; row++) {
        offsets[row] = at;
        at += (int32_t)values[row].length;
    }
    offsets[rows] = at;
}

static status convert_lists(exec_batch *batch, uint32_t index)
{
    const exec_batch_column *column = &batch->columns[index];
    exec_batch_values made = {0};
    dev_buffer *buffer;
    if (column->children->row_count > INT32_MAX)
        return status_new(STATUS_KIND_UNSUPPORTED,
                          "Arrow's lists have at most %d elements together, these %llu", INT32_MAX,
                          (unsigned long long)column->children->row_count);
    TRY(exec_batch_new_buffer(batch, (batch->row_count + 1) * sizeof(int32_t), &buffer));
    make_offsets(column, batch->row_count, buffer->address);
    status st = tensor_new_view(column->type, buffer, buffer->address, &made.owner);
    dev_buffer_unref(buffer);
    TRY(st);
    exec_batch_put_values(batch, index, &made);
    return STATUS_OK;
}

static status convert_nested(exec_batch *batch, uint32_t index, api_arrow_options options)
{
    exec_batch_column *column = &batch->columns[index];
    column->children->is_leaving = batch->is_leaving;
    for (uint32_t i = 0; i < column->children->column_count; i++)
        TRY(convert_column(column->children, i, options));
    column->is_shaped = true;
    bool has_offsets = column->type.id != TYPE_STRUCT && !nested_type_size(column->type);
    return has_offsets ? convert_lists(batch, index) : STATUS_OK;
}

static status convert_column(exec_batch *batch, uint32_t index, api_arrow_options options)
{
    const exec_batch_column *column = &batch->columns[index];
    if (column->is_shaped)
        return STATUS_OK;
    if (type_is_nested(column->type))
        return convert_nested(batch, index, options);
    if (type_is_text(column->type))
        return arrow_array_convert_texts(batch, index);
    if (column->type.id == TYPE_DECIMAL)
        return convert_decimals(batch, index, options);
    if (column->type.id == TYPE_UUID)
        return convert_uuids(batch, index);
    return column->type.id == TYPE_INTERVAL ? convert_intervals(batch, index) : STATUS_OK;
}

status api_arrow_convert(exec_batch *batch, uint32_t index, api_arrow_options options)
{
    if (options.has_dictionaries && batch->columns[index].type.id == TYPE_VARCHAR)
        TRY(exec_batch_make_dictionary(batch, index));
    TRY(exec_batch_compact(batch, index));
    return convert_column(batch, index, options);
}

/* ---- arrays ---- */

/* Puts the buffers after validity and views, then their lengths. */
static void arrow_array_put_buffers(const heap_parts *parts, child_data *data)
{
    for (uint32_t i = 0; i < parts->count; i++) {
        const heap_part *part = &parts->items[i];
        for (size_t at = 0, k = 0; at < part->bytes; at += WINDOW_BYTES, k++) {
            data->buffers[2 + (size_t)part->buffer + k] = part->address + at;
            data->lengths[(size_t)part->buffer + k] = (int64_t)(part->bytes - at);
        }
    }
    data->buffers[2 + parts->buffer_count] = data->lengths;
}

static status text_child(const pistachio_batch *batch, const exec_batch_column *column,
                         uint64_t rows, const heap_parts *parts, struct ArrowArray *out)
{
    TRY(child_new_of(batch, column, rows, 3 + parts->buffer_count, out));
    child_data *data = out->private_data;
    data->lengths = mem_new_array((size_t)parts->buffer_count + 1, sizeof *data->lengths);
    if (!data->lengths) {
        release_child(out);
        return status_no_memory("Arrow array", parts->buffer_count * sizeof *data->lengths);
    }
    arrow_array_put_buffers(parts, data);
    return STATUS_OK;
}

static status make_text_child(const pistachio_batch *batch, const exec_batch_column *column,
                              uint64_t rows, struct ArrowArray *out)
{
    heap_parts parts;
    TRY(parts_make(column, &parts));
    status st = text_child(batch, column, rows, &parts, out);
    mem_free(parts.items);
    return st;
}

static status dictionary_new(const pistachio_batch *batch, const exec_batch_column *column,
                             struct ArrowArray **out)
{
    const exec_batch_dictionary *dictionary = &column->dictionary;
    *out = mem_new(sizeof **out);
    if (!*out)
        return status_no_memory("Arrow array", sizeof **out);
    TRY(child_new(batch, column, 3, *out));
    child_data *data = (*out)->private_data;
    data->buffers[0] = NULL;
    data->buffers[1] = dictionary->offsets;
    data->buffers[2] = dictionary->text;
    (*out)->length = (int64_t)dictionary->count;
    (*out)->null_count = 0;
    return STATUS_OK;
}

static status make_coded_child(const pistachio_batch *batch, const exec_batch_column *column,
                               struct ArrowArray *out)
{
    TRY(child_new(batch, column, 2, out));
    status st = dictionary_new(batch, column, &out->dictionary);
    if (st)
        release_child(out);
    return st;
}

/* Texts in a device's memory. */
static status make_offsets_child(const pistachio_batch *batch, const exec_batch_column *column,
                                 struct ArrowArray *out)
{
    TRY(child_new(batch, column, 3, out));
    ((child_data *)out->private_data)->buffers[2] = column->text ? column->text->address : NULL;
    return STATUS_OK;
}

static status make_child(const pistachio_batch *batch, const exec_batch *rows, uint32_t index,
                         struct ArrowArray *out);

/* Children of `parent`, a column each. */
static status add_children(const pistachio_batch *batch, const exec_batch *columns,
                           struct ArrowArray *parent)
{
    parent->children = mem_new_array((size_t)columns->column_count + 1, sizeof *parent->children);
    if (!parent->children)
        return status_no_memory("Arrow array", columns->column_count * sizeof *parent->children);
    for (uint32_t i = 0; i < columns->column_count; i++) {
        struct ArrowArray *child = mem_new(sizeof *child);
        if (!child)
            return status_no_memory("Arrow array", sizeof *child);
        parent->children[parent->n_children++] = child;
        TRY(make_child(batch, columns, i, child));
    }
    return STATUS_OK;
}

/* A map's entries: a struct without NULLs between the map and its keys and values. */
static status add_entries(const pistachio_batch *batch, const exec_batch *columns,
                          struct ArrowArray *map)
{
    static const exec_batch_column no_nulls;
    map->children = mem_new_array(1, sizeof *map->children);
    struct ArrowArray *entries = map->children ? mem_new(sizeof *entries) : NULL;
    if (!entries)
        return status_no_memory("Arrow array", sizeof *entries);
    map->children[map->n_children++] = entries;
    TRY(child_new_of(batch, &no_nulls, columns->row_count, 1, entries));
    return add_children(batch, columns, entries);
}

static status make_nested_child(const pistachio_batch *batch, const exec_batch_column *column,
                                uint64_t rows, struct ArrowArray *out)
{
    bool has_offsets = column->type.id != TYPE_STRUCT && !nested_type_size(column->type);
    TRY(child_new_of(batch, column, rows, has_offsets ? 2 : 1, out));
    status st = column->type.id == TYPE_MAP ? add_entries(batch, column->children, out)
                                            : add_children(batch, column->children, out);
    if (st)
        release_child(out);
    return st;
}

static status make_child(const pistachio_batch *batch, const exec_batch *rows, uint32_t index,
                         struct ArrowArray *out)
{
    const exec_batch_column *column = &rows->columns[index];
    bool is_null = column->type.id == TYPE_NULL;
    if (type_is_nested(column->type))
        return make_nested_child(batch, column, rows->row_count, out);
    if (column->dictionary.offsets)
        return make_coded_child(batch, column, out);
    if (type_is_text(column->type))
        return batch->rows->is_on_device ? make_offsets_child(batch, column, out)
                                         : make_text_child(batch, column, rows->row_count, out);
    TRY(child_new_of(batch, column, rows->row_count, is_null ? 0 : 2, out));
    out->null_count = is_null ? out->length : out->null_count;
    return STATUS_OK;
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

static status make_struct(const pistachio_batch *batch, struct ArrowArray *out)
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
        TRY(make_child(batch, batch->rows, i, child));
    }
    return STATUS_OK;
}

status api_arrow_array_make(pistachio_batch *batch, api_arrow_options options,
                            struct ArrowArray *out)
{
    batch->rows->is_leaving = true;
    status st = STATUS_OK;
    bool is_laid_out = batch->rows->is_on_device;
    for (uint32_t i = 0; !is_laid_out && i < batch->rows->column_count && !st; i++)
        st = api_arrow_convert(batch->rows, i, options);
    *out = (struct ArrowArray){0};
    if (!st) {
        st = make_struct(batch, out);
        if (st)
            release_struct(out);
    }
    pistachio_batch_unref(batch);
    return st;
}

status api_arrow_batch_of(const struct ArrowArray *rows, uint32_t column,
                          const pistachio_batch **out)
{
    *out = NULL;
    if (rows->release != release_struct)
        return status_new(STATUS_KIND_INVALID,
                          "the Arrow array does not come from a stream of Pistachio");
    if (column >= rows->n_children)
        return status_new(STATUS_KIND_INVALID, "there is no column %u: the array has %lld", column,
                          (long long)rows->n_children);
    const struct ArrowArray *child = rows->children[column];
    if (child->release != release_child)
        return status_new(STATUS_KIND_INVALID, "column %u of the Arrow array was released", column);
    *out = ((const child_data *)child->private_data)->batch;
    return STATUS_OK;
}
