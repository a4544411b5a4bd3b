/* aggregate_state_values.c - states that keep values: quantiles, as codes in their order; lists, as words (list_words.h).
 *
 *   rows ──> pieces: code of the value | group     as they come
 *              │ states_seal()                     once, when nothing more comes to the table
 *              v
 *   state ──> block | values ──> block | values    the array's heap; lists of two tables are put together in place
 *
 * Only where a group's value is asked for are its values looked at: none is sorted. On hosts they stay in the order in which
 * the task got them. */
#include "device/transfer.h"
#include "exec/aggregate/aggregate_pieces.h"
#include "exec/aggregate/aggregate_state_ops.h"

/* Rows of a piece: that of the first chunk, then more, up to so many. */
#define PIECE_ROWS_MAX ((uint64_t)1 << 18)
#define PIECE_GROWTH 4

static uint32_t values_width(const aggregate_core *core, const aggregate_table *table,
                             const state_plan *plan)
{
    (void)core;
    (void)table;
    (void)plan;
    return sizeof(aggregate_values);
}

/* ---- rows ---- */

static status piece_open(const state_update *u, uint64_t capacity, value_piece *piece)
{
    dev_stream *stream = u->task->stream;
    const char *who = u->core->who;
    TRY(dev_alloc(stream->dev, capacity * sizeof(uint64_t), who, &piece->codes));
    if (u->groups)
        TRY(dev_alloc(stream->dev, capacity * sizeof(uint32_t), who, &piece->groups));
    TRY(dev_words_new(stream, 1, &piece->words));
    piece->rows.actual = piece->words->address;
    piece->capacity = capacity;
    return stream->dev->ops->zero(stream, piece->words->address, sizeof(uint64_t));
}

/* The last piece, with room for so many values. */
static status make_room(const state_update *u, state_array *array, uint64_t values,
                        value_piece **out)
{
    size_t count = array->pieces.count;
    value_piece *last = count ? &array->pieces.items[count - 1] : NULL, next = {0};
    *out = last;
    if (last && last->capacity - last->rows.bound >= values)
        return STATUS_OK;
    uint64_t capacity = last ? last->capacity * PIECE_GROWTH : values;
    capacity = capacity < PIECE_ROWS_MAX ? capacity : PIECE_ROWS_MAX;
    capacity = capacity < values ? values : capacity;
    TRY(array_reserve(NULL, &array->pieces, 1));
    status st = piece_open(u, capacity, &next);
    if (st) {
        value_piece_release(&next);
        return st;
    }
    array->pieces.items[array->pieces.count++] = next;
    *out = &array->pieces.items[array->pieces.count - 1];
    return STATUS_OK;
}

static status update_values(const state_update *u, const state_plan *plan, state_array *array,
                            const tensor *argument, const tensor *filter)
{
    dev_stream *stream = u->task->stream;
    value_piece *piece;
    (void)plan;
    if (!u->rows.bound)
        return STATUS_OK;
    TRY(make_room(u, array, u->rows.bound, &piece));
    TRY(DEV_LAUNCH(stream, values_add, .type = argument->type, .values = argument->values,
                   .validity = argument->validity, .mask = filter ? filter->values : NULL,
                   .groups = u->groups, .count = u->rows, .out = piece->codes->address,
                   .out_groups = piece->groups ? piece->groups->address : NULL,
                   .out_count = piece->words->address));
    piece->rows.bound += u->rows.bound;
    if (!stream->dev->is_host)
        return STATUS_OK;
    return dev_words_read(stream, piece->words->address, &piece->rows.bound, 1);
}

/* ---- lists ---- */

static const uint32_t *groups_of(const value_piece *piece)
{
    return piece->groups ? piece->groups->address : NULL;
}

static status count_pieces(dev_stream *stream, const state_array *array, uint64_t groups,
                           dev_buffer *counts)
{
    TRY(stream->dev->ops->zero(stream, counts->address, groups * sizeof(uint64_t)));
    for (size_t i = 0; i < array->pieces.count; i++) {
        const value_piece *piece = &array->pieces.items[i];
        TRY(DEV_LAUNCH(stream, values_count, .groups = groups_of(piece), .count = piece->rows,
                       .counts = counts->address));
    }
    return STATUS_OK;
}

static status move_pieces(dev_stream *stream, const state_array *array, dev_buffer *places)
{
    for (size_t i = 0; i < array->pieces.count; i++) {
        const value_piece *piece = &array->pieces.items[i];
        TRY(DEV_LAUNCH(stream, values_move, .values = piece->codes->address,
                       .groups = groups_of(piece), .count = piece->rows, .places = places->address,
                       .heap = text_heap_address(&array->heap)));
    }
    return STATUS_OK;
}

static status place_pieces(dev_stream *stream, state_array *array, uint64_t groups,
                           dev_buffer *counts)
{
    TRY(DEV_LAUNCH(stream, values_place, .counts = counts->address,
                   .count = dev_count_exact(groups), .states = array->buffer->address,
                   .heap = text_heap_address(&array->heap),
                   .heap_used = array->heap.words->address));
    return move_pieces(stream, array, counts);
}

static status seal_values(const aggregate_core *core, dev_stream *stream,
                          const aggregate_table *table, state_array *array)
{
    uint64_t rows = 0, groups = table->count;
    dev_buffer *counts;
    for (size_t i = 0; i < array->pieces.count; i++)
        rows += array->pieces.items[i].rows.bound;
    uint64_t blocks = groups < rows ? groups : rows;
    uint64_t bytes = rows * sizeof(uint64_t) + blocks * sizeof(aggregate_values_block);
    if (!rows) {
        value_pieces_release(&array->pieces);
        return STATUS_OK;
    }
    TRY(text_heap_reserve(&array->heap, stream, core->who, bytes));
    array->heap.used += bytes; /* at most */
    TRY(dev_alloc(stream->dev, groups * sizeof(uint64_t), core->who, &counts));
    status st = count_pieces(stream, array, groups, counts);
    if (!st)
        st = place_pieces(stream, array, groups, counts);
    dev_buffer_unref(counts);
    if (!st)
        value_pieces_release(&array->pieces);
    return st;
}

static status merge_values(const state_update *u, const state_plan *plan, const state_array *array,
                           const void *states, uint32_t width)
{
    (void)plan;
    (void)width;
    return DEV_LAUNCH(u->task->stream, values_merge, .values = states, .groups = u->groups,
                      .count = u->rows, .states = array->buffer->address);
}

static status finish_values(const state_finish *f, tensor *out)
{
    return DEV_LAUNCH(f->task->stream, values_select, .type = f->type,
                      .between = f->result == AGGREGATE_RESULT_QUANTILE, .share = f->share,
                      .states = f->states, .count = f->count, .out = out->values,
                      .out_validity = out->validity);
}

const aggregate_state_ops aggregate_state_values = {.width = values_width,
                                                    .update = update_values,
                                                    .seal = seal_values,
                                                    .merge = merge_values,
                                                    .finish = finish_values,
                                                    .keeps_values = true,
                                                    .takes_share = true};

/* ---- lists of all values: host devices alone ---- */

/* A list's words, as bytes, are those of a blob. */
#define LIST_WORDS_MAX (UINT32_MAX / sizeof(uint64_t))

static status update_list(const state_update *u, const state_plan *plan, state_array *array,
                          const tensor *argument, const tensor *filter)
{
    dev_stream *stream = u->task->stream;
    const uint64_t *mask = filter ? filter->values : NULL;
    uint64_t words = 0;
    value_piece *piece;
    (void)plan;
    assert(stream->dev->is_host);
    if (!u->rows.bound)
        return STATUS_OK;
    TRY(DEV_LAUNCH(stream, list_count, .type = argument->type, .values = argument->values,
                   .validity = argument->validity, .mask = mask, .count = u->rows,
                   .out_words = &words));
    TRY(make_room(u, array, words, &piece));
    TRY(DEV_LAUNCH(stream, list_add, .type = argument->type, .values = argument->values,
                   .validity = argument->validity, .mask = mask, .groups = u->groups,
                   .count = u->rows, .out = piece->codes->address,
                   .out_groups = piece->groups ? piece->groups->address : NULL,
                   .out_count = piece->words->address));
    return dev_words_read(stream, piece->words->address, &piece->rows.bound, 1);
}

/* Words of groups that lie in one block are lent, not copied. */
static status finish_list(const state_finish *f, tensor *out)
{
    dev_stream *stream = f->task->stream;
    uint64_t words[2] = {0};
    text_heap heap = {0};
    TRY(DEV_LAUNCH(stream, list_bytes, .states = f->states, .count = f->count, .out = words));
    if (words[1] > LIST_WORDS_MAX)
        return status_new(STATUS_KIND_LIMIT, "a group's list takes %llu bytes; the limit is %llu",
                          (unsigned long long)(words[1] * sizeof(uint64_t)),
                          (unsigned long long)(LIST_WORDS_MAX * sizeof(uint64_t)));
    status st = text_heap_reserve(&heap, stream, "aggregation", words[0]);
    char *address = text_heap_address(&heap);
    if (!st)
        st = text_heap_share(&heap, f->heap);
    if (!st)
        st = DEV_LAUNCH(stream, list_view, .states = f->states, .count = f->count, .heap = address,
                        .out = out->values, .out_validity = out->validity);
    if (!st)
        st = text_heap_view(&heap, &out->heap);
    text_heap_release(&heap);
    return st;
}

const aggregate_state_ops aggregate_state_list = {.width = values_width,
                                                  .update = update_list,
                                                  .seal = seal_values,
                                                  .merge = merge_values,
                                                  .finish = finish_list,
                                                  .keeps_values = true};

/* ---- as a column ---- */

static status blob_heap(const aggregate_core *core, dev_stream *stream, const void *states,
                        uint64_t count, text_heap *out)
{
    dev_buffer *total;
    uint64_t bytes;
    TRY(dev_words_new(stream, 1, &total));
    status st = stream->dev->ops->zero(stream, total->address, sizeof(uint64_t));
    if (!st)
        st = DEV_LAUNCH(stream, values_bytes, .states = states, .count = dev_count_exact(count),
                        .out_total = total->address);
    if (!st)
        st = dev_words_read(stream, total->address, &bytes, 1);
    dev_buffer_unref(total);
    return st ? st : text_heap_reserve(out, stream, core->who, bytes ? bytes : 1);
}

status state_values_to_column(const aggregate_core *core, exec_task *task, const void *states,
                              uint64_t count, tensor **out)
{
    dev_stream *stream = task->stream;
    text_heap heap = {0};
    *out = NULL;
    status st = blob_heap(core, stream, states, count, &heap);
    if (!st)
        st = tensor_new_flat(stream->dev, type_make(TYPE_BLOB), count, true, out);
    if (!st)
        st = DEV_LAUNCH(stream, values_to_blob, .states = states, .count = dev_count_exact(count),
                        .heap = text_heap_address(&heap), .heap_used = heap.words->address,
                        .out = (*out)->values, .out_validity = (*out)->validity,
                        .error = task->error);
    if (!st)
        st = text_heap_view(&heap, &(*out)->heap);
    text_heap_release(&heap);
    if (st) {
        tensor_unref(*out);
        *out = NULL;
    }
    return st;
}

/* Bytes of the column's texts. */
static status column_bytes(dev_stream *stream, const tensor *t, uint64_t count, uint64_t *out)
{
    dev_buffer *total;
    TRY(dev_words_new(stream, 1, &total));
    status st = DEV_LAUNCH(stream, string_bytes, .values = t->values,
                           .count = dev_count_exact(count), .out_total = total->address);
    if (!st)
        st = dev_words_read(stream, total->address, out, 1);
    dev_buffer_unref(total);
    return st;
}

status state_values_from_column(const aggregate_core *core, dev_stream *stream, const tensor *t,
                                uint64_t count, state_array *array)
{
    uint64_t bytes;
    TRY(column_bytes(stream, t, count, &bytes));
    bytes += count * (STRING_INLINE_BYTES + sizeof(aggregate_values_block));
    TRY(text_heap_reserve(&array->heap, stream, core->who, bytes));
    array->heap.used += bytes;
    return DEV_LAUNCH(stream, values_from_blob, .values = t->values, .validity = t->validity,
                      .count = dev_count_exact(count), .heap = text_heap_address(&array->heap),
                      .heap_used = array->heap.words->address, .states = array->buffer->address);
}
