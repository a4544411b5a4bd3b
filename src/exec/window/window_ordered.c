/* window_ordered.c - quantiles, modes and aggregates of distinct values over frames, by the host on every device.
 *
 * Rows' values become numbers in their order; then a window slides over the rows: each row's frame is that of the row
 * before, less some rows and more others. As frames never fall, a row comes in once for each part of a frame, and
 * goes once: n log n steps in all, whatever the frames. */
#include "device/chunk.h"
#include "exec/window/window.h"
#include "exec/window/window_frame.h"
#include "exec/window/window_sliding.h"
#include "exec/window/window_text.h"

#include <math.h>

enum { VALUES, FRAMES };

typedef struct ordered {
    const plan_window_call *call;
    sliding_values sliding;
    const chunk *brought;
    uint32_t part_count;
    uint64_t from[WINDOW_PARTS], to[WINDOW_PARTS]; /* what is in the window */
    tensor *out;
    bool has_changed; /* since the last row's value */
} ordered;

/* ---- the window ---- */

static status window_ordered_add_rows(ordered *o, uint64_t from, uint64_t to)
{
    o->has_changed |= from < to;
    for (uint64_t row = from; row < to; row++) {
        if (cancel_look(row))
            TRY(cancel_check());
        sliding_add(&o->sliding, row);
    }
    return STATUS_OK;
}

static status remove_rows(ordered *o, uint64_t from, uint64_t to)
{
    o->has_changed |= from < to;
    for (uint64_t row = from; row < to; row++) {
        if (cancel_look(row))
            TRY(cancel_check());
        sliding_remove(&o->sliding, row);
    }
    return STATUS_OK;
}

/* A part of the frame becomes [from, to). */
static status move_part(ordered *o, uint32_t part, uint64_t from, uint64_t to)
{
    uint64_t was_from = o->from[part], was_to = o->to[part];
    if (from > to)
        to = from;
    if (from >= was_to || to <= was_from) {
        TRY(remove_rows(o, was_from, was_to));
        TRY(window_ordered_add_rows(o, from, to));
    } else {
        TRY(window_ordered_add_rows(o, was_to, to));
        TRY(remove_rows(o, to, was_to));
        TRY(window_ordered_add_rows(o, from, was_from));
        TRY(remove_rows(o, was_from, from));
    }
    o->from[part] = from;
    o->to[part] = to;
    return STATUS_OK;
}

static status move_window(ordered *o, uint64_t row)
{
    for (uint32_t part = 0; part < o->part_count; part++) {
        const uint32_t *from = o->brought->columns[FRAMES + 2 * part]->values;
        const uint32_t *to = o->brought->columns[FRAMES + 2 * part + 1]->values;
        TRY(move_part(o, part, from[row], to[row]));
    }
    return STATUS_OK;
}

/* ---- values of frames ---- */

static void copy_value(const tensor *from, uint64_t at, tensor *to, uint64_t row)
{
    size_t width = from->type.width;
    if (width)
        memcpy((char *)to->values + row * width, (const char *)from->values + at * width, width);
    else
        ((uint64_t *)to->values)[row / 64] |=
            (((const uint64_t *)from->values)[at / 64] >> (at % 64) & 1) << (row % 64);
}

/* The row of the n-th value, in the call's order. */
static uint32_t window_ordered_row_at(const ordered *o, uint64_t place)
{
    const sliding_values *s = &o->sliding;
    bool is_descending = o->call->args[2]->constant.boolean;
    return s->codes.rows[sliding_code_at(s, is_descending ? s->total - 1 - place : place)];
}

static double double_between(const ordered *o)
{
    const double *values = o->brought->columns[VALUES]->values;
    uint64_t count = o->sliding.total;
    double place = o->call->args[1]->constant.f64 * (double)(count - 1), whole = floor(place);
    uint64_t first = whole < (double)count ? (uint64_t)whole : count - 1;
    double low = values[window_ordered_row_at(o, first)];
    if (!(place > whole) || first + 1 >= count)
        return low;
    double high = values[window_ordered_row_at(o, first + 1)];
    return low == high ? low : low + (high - low) * (place - whole);
}

/* The first value at or behind the share. */
static uint64_t place_of_share(const ordered *o)
{
    uint64_t count = o->sliding.total;
    double place = ceil(o->call->args[1]->constant.f64 * (double)count) - 1;
    if (!(place > 0))
        return 0;
    return place < (double)count ? (uint64_t)place : count - 1;
}

static status overflow(const ordered *o)
{
    char name[TYPE_NAME_BYTES];
    status st = status_new(STATUS_KIND_DATA, "a sum of distinct values does not fit %s",
                           type_name(o->out->type, name));
    return o->call->position < 0 ? st : status_at(st, o->call->position);
}

static status window_ordered_put_sum(const ordered *o, uint64_t row)
{
    data_type type = o->out->type;
    int128 sum, limit = type.id == TYPE_DECIMAL ? power_of_ten(type.precision) : 0;
    if (!sliding_sum(&o->sliding, &sum))
        return overflow(o);
    if (type.id == TYPE_DOUBLE) {
        ((double *)o->out->values)[row] =
            decimal_to_double(sum, o->sliding.values->type.scale) / o->sliding.distinct;
        return STATUS_OK;
    }
    if (sum >= limit || sum <= -limit || (type.width == 8 && sum != (int64_t)sum))
        return overflow(o);
    memcpy((char *)o->out->values + row * type.width, &sum, type.width);
    return STATUS_OK;
}

static void put_double_sum(const ordered *o, uint64_t row)
{
    double sum = sliding_double_sum(&o->sliding);
    bool is_mean = o->call->aggregate == AGGREGATE_AVG;
    ((double *)o->out->values)[row] = is_mean ? sum / o->sliding.distinct : sum;
}

/* Puts the value of a row whose frame has one. */
static status window_ordered_put_value(const ordered *o, uint64_t row)
{
    const sliding_values *s = &o->sliding;
    const tensor *values = o->brought->columns[VALUES];
    switch (o->call->function) {
    case WINDOW_QUANTILE:
        ((double *)o->out->values)[row] = double_between(o);
        return STATUS_OK;
    case WINDOW_QUANTILE_VALUE:
        copy_value(values, window_ordered_row_at(o, place_of_share(o)), o->out, row);
        return STATUS_OK;
    case WINDOW_MODE:
        copy_value(values, s->codes.rows[sliding_mode(s, o->call->args[2]->constant.boolean)],
                   o->out, row);
        return STATUS_OK;
    default:
        if (s->kind == SLIDING_NUMBERS)
            return window_ordered_put_sum(o, row);
        put_double_sum(o, row);
        return STATUS_OK;
    }
}

static status fill_row(ordered *o, uint64_t row)
{
    tensor *out = o->out;
    if (o->sliding.kind == SLIDING_DISTINCT) {
        ((int64_t *)out->values)[row] = o->sliding.distinct;
        return STATUS_OK;
    }
    if (!o->sliding.total)
        return STATUS_OK;
    out->validity[row / 64] |= (uint64_t)1 << (row % 64);
    if (row && !o->has_changed) {
        copy_value(out, row - 1, out, row);
        return STATUS_OK;
    }
    return window_ordered_put_value(o, row);
}

static status window_ordered_fill(ordered *o, uint64_t count)
{
    memset(o->out->values, 0, type_values_bytes(o->out->type, count));
    if (o->out->validity)
        memset(o->out->validity, 0, bitmap_bytes(count));
    for (uint64_t row = 0; row < count; row++) {
        o->has_changed = false;
        if (cancel_look(row))
            TRY(cancel_check());
        TRY(move_window(o, row));
        TRY(fill_row(o, row));
    }
    return STATUS_OK;
}

/* ---- memory ---- */

static sliding_kind window_ordered_kind_of(const plan_window_call *call, const tensor *values)
{
    if (call->function == WINDOW_MODE)
        return SLIDING_MODE;
    if (call->function != WINDOW_DISTINCT)
        return SLIDING_PLACES;
    if (call->aggregate == AGGREGATE_COUNT)
        return SLIDING_DISTINCT;
    return values->type.id == TYPE_DOUBLE ? SLIDING_DOUBLES : SLIDING_NUMBERS;
}

static status window_ordered_make_values(device *host, const plan_window_call *call, data_type type,
                                         const chunk *brought, uint32_t parts, tensor **out)
{
    const tensor *values = brought->columns[VALUES];
    ordered o = {.call = call, .brought = brought, .part_count = parts};
    sliding_kind kind = window_ordered_kind_of(call, values);
    window_codes codes;
    TRY(window_codes_make(host, values, brought->rows.bound, &codes));
    TRY(sliding_open(host, kind, &codes, values, &o.sliding));
    status st = tensor_new_flat(host, type, brought->rows.bound, kind != SLIDING_DISTINCT, &o.out);
    if (!st)
        st = window_ordered_fill(&o, brought->rows.bound);
    if (!st && type_is_text(type) && values->heap)
        o.out->heap = string_heap_ref(values->heap);
    sliding_close(&o.sliding);
    if (st)
        tensor_unref(o.out);
    else
        *out = o.out;
    return st;
}

/* ---- to the host and back ---- */

status window_ordered_evaluate(window_rows *rows, const plan_window_call *call, data_type type,
                               tensor **out)
{
    dev_stream *stream = rows->task->stream;
    chunk *brought;
    uint32_t parts;
    tensor *values;
    TRY(window_bring(rows, call, FRAMES, &parts, &brought));
    status st =
        window_ordered_make_values(dev_host(stream->dev), call, type, brought, parts, &values);
    if (!st) {
        st = window_send(stream, brought->rows.bound, values, out);
        tensor_unref(values);
    }
    chunk_free(brought);
    return st;
}
