/* join_side.c - build rows that probe rows meet: what is known of their keys, what is noted while they are
 * probed. */
#include "exec/join/join_side.h"

#include "device/transfer.h"
#include "exec/join/op_join.h"
#include "exec/sched/runtime_filter.h"

status join_null_column(dev_stream *stream, data_type type, tensor **out)
{
    value null = value_null(type);
    return tensor_new_constant(stream, &null, out);
}

status join_side_init(const op_join_build *join, join_side *side)
{
    *side = (join_side){.table = {.dev = exec_device(join->base.query),
                                  .column_count = join->stored_columns,
                                  .key_count = join->key_count,
                                  .range_count = join->range_count,
                                  .second_is_upper = join->second_is_upper,
                                  .key_types = join->key_types,
                                  .key_columns = join->key_columns,
                                  .needed = join->needed,
                                  .null_equal = join->base.plan->join.null_equal,
                                  .wants_open = exec_wants_open_tables(join->base.query),
                                  .row_need = join->row_need}};
    side->ranges = mem_new_array(join->key_count + 1, sizeof *side->ranges);
    if (!side->ranges)
        return status_no_memory("join", join->key_count * sizeof *side->ranges);
    for (uint32_t k = 0; k < join->key_count; k++)
        side->ranges[k] = (join_key_range){.min = INT64_MAX, .max = INT64_MIN};
    return join_table_init(&side->table);
}

void join_side_release(join_side *side)
{
    join_table_release(&side->table);
    mem_free(side->ranges);
    dev_buffer_unref(side->matched);
    dev_buffer_unref(side->matched_groups);
    *side = (join_side){0};
}

/* ---- bounds of keys ---- */

status join_bounds_new(const op_join_build *join, exec_task *task, dev_buffer **out)
{
    *out = NULL;
    if (!join_table_needs_ranges(&join->whole.table))
        return STATUS_OK;
    TRY(dev_words_new(task->stream, 3 * join->key_count, out));
    status st = STATUS_OK;
    for (uint32_t k = 0; k < join->key_count && !st; k++)
        st = runtime_filter_start_bounds(task->stream, (int64_t *)(*out)->address + 3 * (size_t)k);
    if (st) {
        dev_buffer_unref(*out);
        *out = NULL;
    }
    return st;
}

status join_bounds_add(const op_join_build *join, exec_task *task, const chunk *c,
                       dev_buffer *bounds)
{
    for (uint32_t k = 0; k < join->key_count && bounds; k++) {
        const tensor *key = c->columns[join->key_columns[k]];
        TRY(DEV_LAUNCH(task->stream, join_key_bounds, .type = key->type, .keys = key->values,
                       .validity = key->validity, .count = c->rows,
                       .bounds = (int64_t *)bounds->address + 3 * (size_t)k));
    }
    return STATUS_OK;
}

status join_bounds_make(const op_join_build *join, uint64_t **out)
{
    size_t words = 3 * (size_t)join->key_count + 1;
    *out = mem_new_array(words, sizeof **out);
    return *out ? STATUS_OK : status_no_memory("join build", words * sizeof **out);
}

status join_bounds_read(const op_join_build *join, exec_task *task, const dev_buffer *bounds,
                        uint64_t **out)
{
    *out = NULL;
    if (!bounds)
        return STATUS_OK;
    TRY(join_bounds_make(join, out));
    status st = dev_words_read(task->stream, bounds->address, *out, 3 * join->key_count);
    if (st) {
        mem_free(*out);
        *out = NULL;
    }
    return st;
}

void join_side_add_bounds(const op_join_build *join, join_side *side, const uint64_t *bounds)
{
    for (uint32_t k = 0; k < join->key_count && bounds; k++) {
        join_range_widen(&side->ranges[k], (int64_t)bounds[3 * k], (int64_t)bounds[3 * k + 1]);
        side->ranges[k].count += bounds[3 * k + 2];
    }
}

/* ---- matches of build rows ---- */

static status zeroed_bits(exec_task *task, uint64_t count, dev_buffer **out)
{
    size_t bytes = bitmap_bytes(count);
    TRY(dev_alloc(task->stream->dev, bytes, "join build", out));
    return task->stream->dev->ops->zero(task->stream, (*out)->address, bytes);
}

bool join_marks_build(const op_join_build *join)
{
    return join->type == JOIN_RIGHT || join->type == JOIN_FULL || join->emits_build;
}

status join_side_start(const op_join_build *join, exec_task *task, join_side *side)
{
    if (!join_marks_build(join) || !side->table.row_count)
        return STATUS_OK;
    if (join->emits_build && !join_has_condition(join))
        TRY(zeroed_bits(task, side->table.group_count, &side->matched_groups));
    return zeroed_bits(task, side->table.row_count, &side->matched);
}

status join_side_mark_rows(const join_side *side, exec_task *task, _Atomic uint64_t *next_group)
{
    const join_table *table = &side->table;
    uint64_t slice = 65536;
    while (side->matched_groups) {
        uint64_t first = atomic_fetch_add(next_group, slice);
        if (first >= table->group_count)
            break;
        uint64_t left = table->group_count - first;
        TRY(DEV_LAUNCH(task->stream, join_mark_rows, .groups = side->matched_groups->address,
                       .first_group = first, .group_count = left < slice ? left : slice,
                       .starts = table->starts ? table->starts->address : NULL,
                       .rows = table->rows ? table->rows->address : NULL,
                       .bits = side->matched->address));
    }
    return STATUS_OK;
}
