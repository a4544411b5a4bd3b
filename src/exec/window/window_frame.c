/* window_frame.c - frames: the rows that each row sees, as ranges. */
#include "exec/window/window_frame.h"

#include "device/chunk.h"
#include "device/chunk_transfer.h"
#include "exec/window/window.h"
#include "exec/window/window_rows.h"

void window_frame_release(window_frame *frame)
{
    for (uint32_t i = 0; i < WINDOW_PARTS; i++)
        window_range_release(&frame->parts[i]);
}

/* ---- bounds ---- */

/* How many rows, or groups of peers, the bound lies behind the row. */
static int64_t window_frame_distance_of(const plan_frame_bound *bound)
{
    int64_t offset = bound->offset > INT64_MAX / 2 ? INT64_MAX / 2 : (int64_t)bound->offset;
    return bound->kind == FRAME_PRECEDING ? -offset : bound->kind == FRAME_FOLLOWING ? offset : 0;
}

static status rows_bound(window_rows *rows, const plan_frame_bound *bound, bool is_end,
                         dev_buffer *out)
{
    const window_range *partition;
    TRY(window_partition(rows, &partition));
    return DEV_LAUNCH(rows->task->stream, over_rows_bound,
                      .distance = window_frame_distance_of(bound) + is_end,
                      .from = partition->from->address, .to = partition->to->address,
                      .count = rows->count, .out = out->address);
}

static status groups_bound(window_rows *rows, const plan_frame_bound *bound, bool is_end,
                           dev_buffer *out)
{
    const window_range *partition, *peers;
    dev_buffer *starts;
    TRY(window_partition(rows, &partition));
    TRY(window_peers(rows, &peers));
    TRY(window_alloc(rows, sizeof(uint32_t), 1, &starts));
    status st = DEV_LAUNCH(rows->task->stream, over_groups_bound,
                           .distance = window_frame_distance_of(bound), .is_end = is_end,
                           .from = partition->from->address, .to = partition->to->address,
                           .peer_from = peers->from->address, .count = rows->count,
                           .run_starts = starts->address, .out = out->address);
    dev_buffer_unref(starts);
    return st;
}

static status range_bound(window_rows *rows, const plan_frame_bound *bound, bool is_end,
                          dev_buffer *out)
{
    const plan_sort_key *order = &rows->plan->window.order.items[0];
    const window_range *partition;
    tensor *keys, *limits = NULL;
    TRY(window_partition(rows, &partition));
    TRY(window_value(rows, bound->key, &keys));
    status st = window_value(rows, bound->limit, &limits);
    if (!st)
        st = DEV_LAUNCH(rows->task->stream, over_range_bound, .type = keys->type,
                        .keys = keys->values, .keys_validity = keys->validity,
                        .limits = limits->values, .limits_validity = limits->validity,
                        .is_end = is_end, .is_descending = order->is_descending,
                        .nulls_first = order->nulls_first, .from = partition->from->address,
                        .to = partition->to->address, .count = rows->count, .out = out->address);
    tensor_unref(keys);
    tensor_unref(limits);
    return st;
}

static status compute_bound(window_rows *rows, const plan_frame *frame, bool is_end,
                            dev_buffer **out)
{
    const plan_frame_bound *bound = is_end ? &frame->end : &frame->start;
    dev_buffer *found;
    TRY(window_alloc(rows, sizeof(uint32_t), 0, &found));
    status st = frame->mode == FRAME_ROWS     ? rows_bound(rows, bound, is_end, found)
                : frame->mode == FRAME_GROUPS ? groups_bound(rows, bound, is_end, found)
                                              : range_bound(rows, bound, is_end, found);
    if (st) {
        dev_buffer_unref(found);
        return st;
    }
    *out = found;
    return STATUS_OK;
}

static status make_bound(window_rows *rows, const plan_frame *frame, bool is_end, dev_buffer **out)
{
    const plan_frame_bound *bound = is_end ? &frame->end : &frame->start;
    const window_range *range;
    bool is_peers = bound->kind == FRAME_CURRENT && frame->mode != FRAME_ROWS;
    bool is_unbounded =
        bound->kind == FRAME_UNBOUNDED_PRECEDING || bound->kind == FRAME_UNBOUNDED_FOLLOWING;
    if (!is_peers && !is_unbounded)
        return compute_bound(rows, frame, is_end, out);
    TRY(is_peers ? window_peers(rows, &range) : window_partition(rows, &range));
    *out = dev_buffer_ref(is_end ? range->to : range->from);
    return STATUS_OK;
}

/* ---- EXCLUDE ---- */

typedef enum frame_part { PART_BEFORE, PART_ROW, PART_BEHIND } frame_part;

/* Adds a part of the range. hole NULL: the row is left out. */
static status window_frame_add_part(window_rows *rows, const window_range *range,
                                    const window_range *hole, frame_part part, window_frame *out)
{
    window_range *added = &out->parts[out->count++];
    TRY(window_alloc(rows, sizeof(uint32_t), 0, &added->from));
    TRY(window_alloc(rows, sizeof(uint32_t), 0, &added->to));
    return DEV_LAUNCH(rows->task->stream, over_exclude, .is_behind = part == PART_BEHIND,
                      .is_row = part == PART_ROW, .from = range->from->address,
                      .to = range->to->address, .hole_from = hole ? hole->from->address : NULL,
                      .hole_to = hole ? hole->to->address : NULL, .count = rows->count,
                      .out_from = added->from->address, .out_to = added->to->address);
}

static status exclude(window_rows *rows, const window_range *range, plan_frame_exclusion exclusion,
                      window_frame *out)
{
    const window_range *hole = NULL;
    if (exclusion == FRAME_EXCLUDE_NONE) {
        out->count = 1;
        out->parts[0] = window_range_ref(range);
        return STATUS_OK;
    }
    if (exclusion != FRAME_EXCLUDE_CURRENT)
        TRY(window_peers(rows, &hole));
    TRY(window_frame_add_part(rows, range, hole, PART_BEFORE, out));
    if (exclusion == FRAME_EXCLUDE_TIES)
        TRY(window_frame_add_part(rows, range, NULL, PART_ROW, out));
    return window_frame_add_part(rows, range, hole, PART_BEHIND, out);
}

status window_frame_make(window_rows *rows, const plan_frame *frame, window_frame *out)
{
    window_range range = {0};
    *out = (window_frame){0};
    status st = make_bound(rows, frame, false, &range.from);
    if (!st)
        st = make_bound(rows, frame, true, &range.to);
    if (!st)
        st = exclude(rows, &range, frame->exclusion, out);
    window_range_release(&range);
    if (st) {
        window_frame_release(out);
        *out = (window_frame){0};
    }
    return st;
}

/* ---- frames for what the host computes ---- */

static status window_frame_collect(window_rows *rows, const plan_window_call *call, uint32_t values,
                                   const window_frame *frame, chunk *c)
{
    for (uint32_t i = 0; i < values; i++)
        TRY(window_value(rows, call->args[i], &c->columns[i]));
    for (uint32_t i = 0; i < 2 * frame->count; i++) {
        dev_buffer *bound = i % 2 ? frame->parts[i / 2].to : frame->parts[i / 2].from;
        TRY(tensor_new_view(type_make(TYPE_INT32), bound, bound->address, &c->columns[values + i]));
    }
    return STATUS_OK;
}

status window_bring(window_rows *rows, const plan_window_call *call, uint32_t values,
                    uint32_t *out_parts, chunk **out)
{
    window_frame frame;
    chunk *c = NULL;
    TRY(window_frame_make(rows, &call->frame, &frame));
    *out_parts = frame.count;
    status st = chunk_new(values + 2 * frame.count, rows->count, &c);
    if (!st)
        st = window_frame_collect(rows, call, values, &frame, c);
    if (!st)
        st = chunk_to_host(rows->task->stream, c, false, "window", out);
    chunk_free(c);
    window_frame_release(&frame);
    return st;
}
