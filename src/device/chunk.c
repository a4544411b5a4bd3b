/* chunk.c - columns of equal length: selecting, flattening, joining end to end. */
#include "device/chunk.h"

#include "device/nested.h"
#include "device/tensor.h"
#include "device/transfer.h"

#include <string.h>

status chunk_new(uint32_t column_count, dev_count rows, chunk **out)
{
    *out = NULL;
    size_t bytes = sizeof(chunk) + column_count * sizeof(tensor *);
    chunk *c = mem_new(bytes);
    if (!c)
        return status_no_memory("chunk", bytes);
    c->rows = rows;
    c->column_count = column_count;
    *out = c;
    return STATUS_OK;
}

void chunk_free(chunk *c)
{
    if (!c)
        return;
    for (uint32_t i = 0; i < c->column_count; i++)
        tensor_unref(c->columns[i]);
    dev_buffer_unref(c->rows_owner);
    mem_free(c);
}

status chunk_list_move(chunk_list *from, chunk_list *to)
{
    if (!from->count)
        return STATUS_OK;
    TRY(array_reserve(NULL, to, from->count));
    memcpy(to->items + to->count, from->items, from->count * sizeof *from->items);
    to->count += from->count;
    from->count = 0;
    return STATUS_OK;
}

status chunk_list_push(chunk_list *list, chunk *c)
{
    status st = array_push(NULL, list, c);
    if (st)
        chunk_free(c);
    return st;
}

void chunk_list_release(chunk_list *list)
{
    for (size_t i = 0; i < list->count; i++)
        chunk_free(list->items[i]);
    array_release(list);
}

/* An earlier column of the old chunk with the same index: its composed index serves again. */
static tensor *same_index(const chunk *c, tensor *const *done, uint32_t column)
{
    for (uint32_t i = 0; i < column; i++)
        if (c->columns[i] && c->columns[i]->form == TENSOR_INDEXED &&
            c->columns[i]->index == c->columns[column]->index)
            return done[i];
    return NULL;
}

static status select_column(dev_stream *stream, const chunk *c, tensor *const *done,
                            uint32_t column, row_index *rows, dev_count count, tensor **out)
{
    tensor *t = c->columns[column];
    tensor *twin = t->form == TENSOR_INDEXED ? same_index(c, done, column) : NULL;
    if (!twin)
        return tensor_new_indexed(stream, t, c->rows.bound, rows, count, out);
    /* The base under the composed index that the twin has already. */
    TRY(tensor_new_indexed(stream, t->base, t->base_rows, twin->index, count, out));
    (*out)->is_dictionary = t->is_dictionary;
    return STATUS_OK;
}

status chunk_select(dev_stream *stream, chunk *c, row_index *rows, dev_count count,
                    dev_buffer *count_owner)
{
    tensor **done = mem_new_array(c->column_count ? c->column_count : 1, sizeof *done);
    if (!done)
        return status_no_memory("selection", c->column_count * sizeof *done);
    status st = STATUS_OK;
    for (uint32_t i = 0; i < c->column_count && !st; i++)
        if (c->columns[i])
            st = select_column(stream, c, done, i, rows, count, &done[i]);
    for (uint32_t i = 0; i < c->column_count; i++) {
        tensor *unused = st ? done[i] : c->columns[i];
        if (!st)
            c->columns[i] = done[i];
        tensor_unref(unused);
    }
    mem_free(done);
    if (st)
        return st;
    c->rows = count;
    dev_buffer_ref(count_owner);
    dev_buffer_unref(c->rows_owner);
    c->rows_owner = count_owner;
    return STATUS_OK;
}

status chunk_flatten_column(dev_stream *stream, chunk *c, uint32_t column, tensor **out)
{
    tensor *flat;
    TRY(tensor_flatten(stream, c->columns[column], c->rows, &flat));
    tensor_unref(c->columns[column]);
    c->columns[column] = flat;
    *out = flat;
    return STATUS_OK;
}

/* The place at which a concatenated column is being written. */
typedef struct concat_column {
    tensor *target;
    dev_buffer *heap;
    dev_buffer *heap_used; /* a word on the device */
} concat_column;

static bool may_have_nulls(const tensor *t)
{
    switch (t->form) {
    case TENSOR_FLAT:
        return t->validity;
    case TENSOR_CONSTANT:
        return t->constant.is_null;
    case TENSOR_NARROW:
        return t->base ? t->narrow.has_null_codes || t->base->validity : t->validity != NULL;
    default:
        return t->index->has_nulls || t->base->validity;
    }
}

/* Adds the bytes of a flat column's long strings. */
static status add_string_bytes(dev_stream *stream, const tensor *flat, dev_count rows,
                               uint64_t *total)
{
    return DEV_LAUNCH(stream, string_bytes, .values = flat->values, .validity = flat->validity,
                      .count = rows, .out_total = total);
}

/* Counts the bytes of long strings in one column, on a device that answers at once. */
static status long_string_bytes(dev_stream *stream, tensor *const *flats, chunk *const *chunks,
                                size_t chunk_count, uint64_t *out)
{
    dev_buffer *total;
    TRY(dev_words_new(stream, 1, &total));
    status st = STATUS_OK;
    for (size_t i = 0; i < chunk_count && !st; i++)
        st = add_string_bytes(stream, flats[i], chunks[i]->rows, total->address);
    if (!st)
        st = dev_words_read(stream, total->address, out, 1);
    dev_buffer_unref(total);
    return st;
}

static status concat_values(dev_stream *stream, tensor *const *flats, chunk *const *chunks,
                            size_t chunk_count, concat_column *column)
{
    data_type type = column->target->type;
    uint64_t at = 0;
    for (size_t i = 0; i < chunk_count; i++) {
        uint64_t rows = chunks[i]->rows.bound;
        char *target = column->target->values;
        if (type_is_text(type))
            TRY(DEV_LAUNCH(stream, string_copy, .values = flats[i]->values,
                           .validity = flats[i]->validity, .count = chunks[i]->rows,
                           .heap = column->heap ? column->heap->address : NULL,
                           .heap_used = column->heap_used->address,
                           .out = (string_view *)(target + at * type.width)));
        else if (type.width)
            TRY(stream->dev->ops->copy(stream, target + at * type.width, flats[i]->values,
                                       rows * type.width));
        else
            TRY(DEV_LAUNCH(stream, copy_bits, .source = flats[i]->values, .count = chunks[i]->rows,
                           .target = column->target->values, .target_at = at));
        if (column->target->validity)
            TRY(DEV_LAUNCH(stream, copy_bits, .source = flats[i]->validity,
                           .count = chunks[i]->rows, .target = column->target->validity,
                           .target_at = at));
        at += rows;
    }
    return STATUS_OK;
}

/* ---- lists, structs and maps ---- */

static status chunk_put_together(dev_stream *stream, chunk *const *chunks, size_t chunk_count,
                                 bool keep_bases, const char *who, const tensor_target *targets,
                                 chunk **out);

/* The children of a tensor that is in order, as a chunk. */
static status chunk_of_children(const tensor *t, uint32_t child_count, chunk **out)
{
    const string_heap *heap = t->heap;
    TRY(chunk_new(child_count, dev_count_exact(heap ? heap->child_rows : 0), out));
    for (uint32_t i = 0; heap && i < heap->child_count; i++)
        (*out)->columns[i] = tensor_ref(heap->children[i]);
    return STATUS_OK;
}

/* Returns how many rows the children have; a tensor of NULLs alone may have none. */
static uint64_t rows_of_children(const tensor *t)
{
    return t->heap && t->heap->child_count ? t->heap->child_rows : 0;
}

/* The children of all parts that have some, one behind the other. */
static status concat_children(dev_stream *stream, tensor *const *ordered, size_t count,
                              const char *who, string_heap **out)
{
    chunk *together = NULL, **parts = mem_new_array(count + 1, sizeof *parts);
    size_t made = 0;
    status st = parts ? STATUS_OK : status_no_memory(who, count * sizeof *parts);
    *out = NULL;
    for (size_t i = 0; i < count && !st; i++) {
        if (!rows_of_children(ordered[i]))
            continue;
        st = chunk_of_children(ordered[i], ordered[i]->heap->child_count, &parts[made]);
        made += !st;
    }
    if (!st && made)
        st = chunk_put_together(stream, parts, made, false, who, NULL, &together);
    if (together) {
        st = string_heap_new_children(together->columns, together->column_count,
                                      together->rows.bound, out);
        together->column_count = 0;
        chunk_free(together);
    }
    for (size_t i = 0; i < made; i++)
        chunk_free(parts[i]);
    mem_free(parts);
    return st;
}

/* The values of the parts, whose children follow one another from now on. */
static void concat_nested_values(tensor *const *ordered, chunk *const *chunks, size_t count,
                                 nested_value *to)
{
    uint64_t first = 0;
    for (size_t i = 0; i < count; i++) {
        const nested_value *from = ordered[i]->values;
        for (uint64_t row = 0; row < chunks[i]->rows.bound; row++, to++)
            *to = from[row].length
                      ? (nested_value){from[row].offset + (uint32_t)first, from[row].length}
                      : (nested_value){0};
        first += rows_of_children(ordered[i]);
    }
}

static status concat_nested(dev_stream *stream, chunk *const *chunks, size_t chunk_count,
                            const char *who, tensor *const *flats, tensor *target)
{
    uint64_t elements = 0;
    size_t done = 0;
    tensor **ordered = mem_new_array(chunk_count, sizeof *ordered);
    status st = ordered ? STATUS_OK : status_no_memory(who, chunk_count * sizeof *ordered);
    for (; done < chunk_count && !st; done += !st) {
        st = nested_put_in_order(stream, flats[done], chunks[done]->rows.bound, &ordered[done]);
        elements += st ? 0 : rows_of_children(ordered[done]);
    }
    if (!st && elements >= ROW_NULL)
        st = status_new(STATUS_KIND_UNSUPPORTED, "%llu elements of lists together are too many",
                        (unsigned long long)elements);
    if (!st)
        st = concat_children(stream, ordered, chunk_count, who, &target->heap);
    if (!st)
        concat_nested_values(ordered, chunks, chunk_count, target->values);
    for (size_t i = 0; i < done; i++)
        tensor_unref(ordered[i]);
    mem_free(ordered);
    return st;
}

static status concat_validity(dev_stream *stream, tensor *const *flats, chunk *const *chunks,
                              size_t chunk_count, tensor *target)
{
    uint64_t at = 0;
    for (size_t i = 0; i < chunk_count && target->validity; i++) {
        TRY(DEV_LAUNCH(stream, copy_bits, .source = flats[i]->validity, .count = chunks[i]->rows,
                       .target = target->validity, .target_at = at));
        at += chunks[i]->rows.bound;
    }
    return STATUS_OK;
}

/* Whether any part has children: where none has, no row has an element. */
static bool chunk_has_children(tensor *const *flats, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (flats[i]->heap)
            return true;
    return false;
}

static status concat_column_of(dev_stream *stream, chunk *const *chunks, size_t chunk_count,
                               uint32_t index, uint64_t rows, const char *who,
                               tensor_target target_memory, const uint64_t *text_bytes,
                               tensor **flats, concat_column *column)
{
    bool has_nulls = false;
    for (size_t i = 0; i < chunk_count; i++) {
        has_nulls |= may_have_nulls(chunks[i]->columns[index]);
        TRY(tensor_flatten(stream, chunks[i]->columns[index], chunks[i]->rows, &flats[i]));
    }
    data_type type = flats[0]->type;
    TRY(tensor_new_flat_at(stream->dev, type, rows, has_nulls, target_memory, &column->target));
    if (!type.width && rows)
        TRY(stream->dev->ops->zero(stream, column->target->values, bitmap_bytes(rows)));
    if (has_nulls && rows)
        TRY(stream->dev->ops->zero(stream, column->target->validity, bitmap_bytes(rows)));
    if (type_is_text(type)) {
        uint64_t bytes = text_bytes ? text_bytes[index] : 0;
        if (!text_bytes)
            TRY(long_string_bytes(stream, flats, chunks, chunk_count, &bytes));
        TRY(dev_words_new(stream, 1, &column->heap_used));
        if (bytes) {
            TRY(dev_alloc(stream->dev, bytes, who, &column->heap));
            TRY(string_heap_new(&column->heap, 1, &column->target->heap));
        }
    }
    if (!type_is_nested(type) || !chunk_has_children(flats, chunk_count))
        return concat_values(stream, flats, chunks, chunk_count, column);
    TRY(concat_nested(stream, chunks, chunk_count, who, flats, column->target));
    return concat_validity(stream, flats, chunks, chunk_count, column->target);
}

/* The column is INDEXED over the same base in all chunks. */
static bool has_one_base(chunk *const *chunks, size_t chunk_count, uint32_t index)
{
    for (size_t i = 0; i < chunk_count; i++) {
        const tensor *t = chunks[i]->columns[index];
        if (t->form != TENSOR_INDEXED || t->base != chunks[0]->columns[index]->base)
            return false;
    }
    return true;
}

/* FLAT in all of them, and in memory behind each other, without NULLs. */
static bool is_side_by_side(chunk *const *chunks, size_t chunk_count, uint32_t index)
{
    const tensor *first = chunks[0]->columns[index];
    const char *values = first->values;
    for (size_t i = 0; i < chunk_count; i++) {
        const tensor *t = chunks[i]->columns[index];
        if (t->form != TENSOR_FLAT || !t->type.width || t->validity || t->values != values ||
            t->values_owner != first->values_owner || t->heap != first->heap)
            return false;
        values += chunks[i]->rows.bound * t->type.width;
    }
    return true;
}

/* An earlier column of the result with the same indexes in all chunks: its index serves again. */
static row_index *find_combined(chunk *const *chunks, size_t chunk_count, uint32_t index,
                                const chunk *result)
{
    for (uint32_t c = 0; c < index; c++) {
        if (!result->columns[c] || result->columns[c]->form != TENSOR_INDEXED)
            continue;
        size_t same = 0;
        while (same < chunk_count &&
               chunks[same]->columns[c]->index == chunks[same]->columns[index]->index)
            same++;
        if (same == chunk_count)
            return row_index_ref(result->columns[c]->index);
    }
    return NULL;
}

static status combine_indexes(dev_stream *stream, chunk *const *chunks, size_t chunk_count,
                              uint32_t index, uint64_t rows, row_index **out)
{
    uint64_t at = 0;
    TRY(row_index_new(stream->dev, rows, out));
    for (size_t i = 0; i < chunk_count; i++) {
        const row_index *from = chunks[i]->columns[index]->index;
        uint64_t count = chunks[i]->rows.bound;
        (*out)->has_nulls |= from->has_nulls;
        status st = stream->dev->ops->copy(stream, (*out)->rows + at, from->rows,
                                           count * sizeof *from->rows);
        if (st) {
            row_index_unref(*out);
            return st;
        }
        at += count;
    }
    return STATUS_OK;
}

/* Rows of the one base that the chunks' indexes have numbers of: where rows of a FLAT column are taken, a chunk
 * that is a part of another says fewer than others do. */
static uint64_t most_base_rows(chunk *const *chunks, size_t chunk_count, uint32_t index)
{
    uint64_t most = 0;
    for (size_t i = 0; i < chunk_count; i++) {
        const tensor *t = chunks[i]->columns[index];
        most = t->base_rows > most ? t->base_rows : most;
    }
    return most;
}

static status combine_column(dev_stream *stream, chunk *const *chunks, size_t chunk_count,
                             uint32_t index, chunk *result)
{
    const tensor *first = chunks[0]->columns[index];
    row_index *combined = find_combined(chunks, chunk_count, index, result);
    if (!combined)
        TRY(combine_indexes(stream, chunks, chunk_count, index, result->rows.bound, &combined));
    uint64_t base_rows = most_base_rows(chunks, chunk_count, index);
    status st = tensor_new_indexed(stream, first->base, base_rows, combined, result->rows,
                                   &result->columns[index]);
    row_index_unref(combined);
    if (!st)
        result->columns[index]->is_dictionary = first->is_dictionary;
    return st;
}

/* A lazy device is asked once for all columns: each column's bytes of long strings, whose text
 * becomes FLAT in the chunks. *out is the caller's, also on failure. */
static status ask_string_bytes(dev_stream *stream, chunk *const *chunks, size_t chunk_count,
                               bool keep_bases, uint64_t **out)
{
    uint32_t column_count = chunks[0]->column_count;
    dev_buffer *totals;
    bool has_text = false;
    uint64_t *bytes = mem_new_array(column_count + 1, sizeof *bytes);
    *out = bytes;
    if (!bytes)
        return status_no_memory("concatenation", column_count * sizeof *bytes);
    TRY(dev_words_new(stream, column_count + 1, &totals));
    status st = STATUS_OK;
    for (uint32_t c = 0; c < column_count && !st; c++) {
        const tensor *first = chunks[0]->columns[c];
        if (!first || !type_is_text(first->type) ||
            (keep_bases && has_one_base(chunks, chunk_count, c)))
            continue;
        for (size_t i = 0; i < chunk_count && !st; i++) {
            tensor *flat;
            st = chunk_flatten_column(stream, chunks[i], c, &flat);
            if (st)
                break;
            has_text = true;
            st = add_string_bytes(stream, flat, chunks[i]->rows, (uint64_t *)totals->address + c);
        }
    }
    if (!st && has_text)
        st = dev_words_read(stream, totals->address, bytes, column_count);
    dev_buffer_unref(totals);
    return st;
}

/* keep_bases: as chunk_combine. places: by column, or NULL. */
static status chunk_put_together(dev_stream *stream, chunk *const *chunks, size_t chunk_count,
                                 bool keep_bases, const char *who, const tensor_target *targets,
                                 chunk **out)
{
    *out = NULL;
    uint64_t rows = 0;
    for (size_t i = 0; i < chunk_count; i++)
        rows += chunks[i]->rows.bound;
    chunk *result;
    TRY(chunk_new(chunks[0]->column_count, dev_count_exact(rows), &result));
    tensor **flats = mem_new_array(chunk_count, sizeof *flats);
    uint64_t *text_bytes = NULL;
    status st = flats ? STATUS_OK : status_no_memory("concatenation", chunk_count * sizeof *flats);
    if (!st && !stream->dev->is_host)
        st = ask_string_bytes(stream, chunks, chunk_count, keep_bases, &text_bytes);
    for (uint32_t c = 0; c < result->column_count && !st; c++) {
        concat_column column = {0};
        if (!chunks[0]->columns[c])
            continue;
        if (keep_bases && has_one_base(chunks, chunk_count, c)) {
            st = combine_column(stream, chunks, chunk_count, c, result);
            continue;
        }
        if (keep_bases && is_side_by_side(chunks, chunk_count, c)) {
            result->columns[c] = tensor_ref(chunks[0]->columns[c]);
            continue;
        }
        st =
            concat_column_of(stream, chunks, chunk_count, c, rows, who,
                             targets ? targets[c] : (tensor_target){0}, text_bytes, flats, &column);
        result->columns[c] = column.target;
        dev_buffer_unref(column.heap_used);
        for (size_t i = 0; i < chunk_count; i++) {
            tensor_unref(flats[i]);
            flats[i] = NULL;
        }
    }
    mem_free(flats);
    mem_free(text_bytes);
    if (st) {
        chunk_free(result);
        return st;
    }
    *out = result;
    return STATUS_OK;
}

status chunk_share_base(dev_stream *stream, chunk *const *chunks, size_t chunk_count,
                        uint32_t index, const char *who)
{
    chunk *base = NULL, **parts = mem_new_array(chunk_count, sizeof *parts);
    size_t made = 0;
    uint64_t first = 0;
    status st = parts ? STATUS_OK : status_no_memory(who, chunk_count * sizeof *parts);
    for (; made < chunk_count && !st; made += !st) {
        st = chunk_new(1, chunks[made]->rows, &parts[made]);
        if (!st)
            parts[made]->columns[0] = tensor_ref(chunks[made]->columns[index]);
    }
    if (!st)
        st = chunk_put_together(stream, parts, chunk_count, false, who, NULL, &base);
    for (size_t i = 0; i < chunk_count && !st; i++) {
        row_index *rows;
        tensor *indexed = NULL;
        uint64_t count = chunks[i]->rows.bound;
        st = row_index_new(stream->dev, count, &rows);
        if (st)
            break;
        for (uint64_t row = 0; row < count; row++)
            rows->rows[row] = (uint32_t)(first + row);
        st = tensor_new_indexed(stream, base->columns[0], base->rows.bound, rows, chunks[i]->rows,
                                &indexed);
        row_index_unref(rows);
        if (st)
            break;
        tensor_unref(chunks[i]->columns[index]);
        chunks[i]->columns[index] = indexed;
        first += count;
    }
    chunk_free(base);
    for (size_t i = 0; i < made; i++)
        chunk_free(parts[i]);
    mem_free(parts);
    return st;
}

status chunk_concat(dev_stream *stream, chunk *const *chunks, size_t chunk_count, const char *who,
                    chunk **out)
{
    return chunk_put_together(stream, chunks, chunk_count, false, who, NULL, out);
}

status chunk_concat_at(dev_stream *stream, chunk *const *chunks, size_t chunk_count,
                       const char *who, const tensor_target *targets, chunk **out)
{
    return chunk_put_together(stream, chunks, chunk_count, false, who, targets, out);
}

status chunk_combine(dev_stream *stream, chunk *const *chunks, size_t chunk_count, const char *who,
                     chunk **out)
{
    return chunk_put_together(stream, chunks, chunk_count, true, who, NULL, out);
}
