/* window_ignore.c - IGNORE NULLS: which rows' values lag, lead, first_value, last_value and nth_value give, by the host on every
 * device.
 *
 * Rows whose value is not NULL have ranks, from 0: ranks[i] of them are before row i, places[r] is the row of rank r. A frame is a
 * range of ranks then, and the n-th value in it is the n-th rank. */
#include "exec/window/window_ignore.h"

#include "base/cancel.h"
#include "device/chunk.h"
#include "device/kernels/kernel_ops.h"
#include "exec/window/window_frame.h"
#include "exec/window/window_text.h"

enum { VALUES, NUMBERS };

typedef struct ignoring {
    const plan_window_call *call;
    const chunk *brought;
    uint32_t values; /* columns before the frames' */
    uint32_t part_count;
    uint64_t count;
    uint32_t *ranks, *places;
    uint32_t *out;
} ignoring;

static bool window_ignore_is_valid(const tensor *values, uint64_t row)
{
    return !values->validity || values->validity[row / 64] >> (row % 64) & 1;
}

static void window_ignore_number_values(const ignoring *g)
{
    uint32_t rank = 0;
    for (uint64_t row = 0; row < g->count; row++) {
        g->ranks[row] = rank;
        if (window_ignore_is_valid(g->brought->columns[VALUES], row))
            g->places[rank++] = (uint32_t)row;
    }
    g->ranks[g->count] = rank;
}

/* The ranks [*from, *to) in a part of the row's frame. */
static void ranks_of_part(const ignoring *g, uint32_t part, uint64_t row, uint64_t *from,
                          uint64_t *to)
{
    const uint32_t *starts = g->brought->columns[g->values + 2 * part]->values;
    const uint32_t *ends = g->brought->columns[g->values + 2 * part + 1]->values;
    *from = g->ranks[starts[row]];
    *to = ends[row] > starts[row] ? g->ranks[ends[row]] : *from;
}

/* ---- lag and lead ---- */

/* The frame is the partition. */
static uint32_t shifted_row(const ignoring *g, uint64_t row, int64_t distance, uint32_t otherwise)
{
    const uint64_t most = (uint64_t)1 << 40; /* more than there are rows */
    bool is_back = (g->call->function == WINDOW_LAG) == (distance > 0);
    uint64_t steps = distance < 0 ? 0 - (uint64_t)distance : (uint64_t)distance, from, to;
    ranks_of_part(g, 0, row, &from, &to);
    steps = steps > most ? most : steps;
    if (!steps)
        return (uint32_t)row;
    if (is_back)
        return g->ranks[row] >= from + steps ? g->places[g->ranks[row] - steps] : otherwise;
    uint64_t rank = g->ranks[row + 1] + steps - 1;
    return rank < to ? g->places[rank] : otherwise;
}

static uint32_t shifted(const ignoring *g, uint64_t row)
{
    const tensor *distances = g->values > 1 ? g->brought->columns[NUMBERS] : NULL;
    uint32_t otherwise = g->call->arg_count > 2 ? (uint32_t)(g->count + row) : ROW_NULL;
    if (distances && !window_ignore_is_valid(distances, row))
        return ROW_NULL;
    return shifted_row(g, row, distances ? ((const int64_t *)distances->values)[row] : 1,
                       otherwise);
}

/* ---- values of frames ---- */

static uint32_t nth_of_frame(const ignoring *g, uint64_t row, uint64_t number)
{
    for (uint32_t part = 0; part < g->part_count; part++) {
        uint64_t from, to;
        ranks_of_part(g, part, row, &from, &to);
        if (number < to - from)
            return g->places[from + number];
        number -= to - from;
    }
    return ROW_NULL;
}

static uint32_t last_of_frame(const ignoring *g, uint64_t row)
{
    for (uint32_t part = g->part_count; part--;) {
        uint64_t from, to;
        ranks_of_part(g, part, row, &from, &to);
        if (to > from)
            return g->places[to - 1];
    }
    return ROW_NULL;
}

static status of_frame(const ignoring *g, uint64_t row, uint32_t *out)
{
    const tensor *numbers = g->values > 1 ? g->brought->columns[NUMBERS] : NULL;
    int64_t number = 1;
    *out = ROW_NULL;
    if (numbers && !window_ignore_is_valid(numbers, row))
        return STATUS_OK;
    if (numbers)
        number = ((const int64_t *)numbers->values)[row];
    if (number <= 0)
        return status_at(
            status_new(STATUS_KIND_INVALID, "argument of nth_value must be greater than zero"),
            g->call->position);
    *out = g->call->function == WINDOW_LAST_VALUE ? last_of_frame(g, row)
                                                  : nth_of_frame(g, row, (uint64_t)number - 1);
    return STATUS_OK;
}

/* ---- all of them ---- */

static bool is_shift(const plan_window_call *call)
{
    return call->function == WINDOW_LAG || call->function == WINDOW_LEAD;
}

static status fill(const ignoring *g)
{
    window_ignore_number_values(g);
    for (uint64_t row = 0; row < g->count; row++) {
        if (cancel_look(row))
            TRY(cancel_check());
        if (is_shift(g->call))
            g->out[row] = shifted(g, row);
        else
            TRY(of_frame(g, row, &g->out[row]));
    }
    return STATUS_OK;
}

/* The rows as numbers, on the host. */
static status make_rows(device *host, ignoring *g, tensor **out)
{
    dev_buffer *ranks = NULL, *places = NULL;
    tensor *found = NULL;
    status st = dev_alloc(host, (g->count + 1) * sizeof *g->ranks, "window", &ranks);
    if (!st)
        st = dev_alloc(host, (g->count + 1) * sizeof *g->places, "window", &places);
    if (!st)
        st = tensor_new_flat(host, type_make(TYPE_INT32), g->count, false, &found);
    if (!st) {
        g->ranks = ranks->address;
        g->places = places->address;
        g->out = found->values;
        st = fill(g);
    }
    dev_buffer_unref(ranks);
    dev_buffer_unref(places);
    if (st)
        tensor_unref(found);
    else
        *out = found;
    return st;
}

/* The numbers of the column become an index on the stream's device. */
static status index_of(dev_stream *stream, const tensor *numbers, uint64_t count, row_index **out)
{
    row_index *index;
    TRY(row_index_new(stream->dev, count, &index));
    status st = DEV_LAUNCH(stream, copy_bits, .source = numbers->values,
                           .count = dev_count_exact(count * 32), .target = (uint64_t *)index->rows);
    if (st)
        row_index_unref(index);
    else
        *out = index;
    return st;
}

status window_ignore_nulls(window_rows *rows, const plan_window_call *call, row_index **out)
{
    dev_stream *stream = rows->task->stream;
    plan_window_call whole = *call;
    ignoring g = {.call = call, .values = call->arg_count > 1 ? 2 : 1};
    tensor *found = NULL, *sent = NULL;
    chunk *brought;
    if (is_shift(call))
        whole.frame = (plan_frame){.mode = FRAME_ROWS, .end.kind = FRAME_UNBOUNDED_FOLLOWING};
    TRY(window_bring(rows, &whole, g.values, &g.part_count, &brought));
    g.brought = brought;
    g.count = brought->rows.bound;
    status st = make_rows(dev_host(stream->dev), &g, &found);
    if (!st)
        st = window_send(stream, g.count, found, &sent);
    if (!st)
        st = index_of(stream, sent, g.count, out);
    tensor_unref(found);
    tensor_unref(sent);
    chunk_free(brought);
    return st;
}
