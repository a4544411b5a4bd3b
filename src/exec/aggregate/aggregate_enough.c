/* aggregate_enough.c - how many different groups a task's table has at least. */
#include "exec/aggregate/aggregate_enough.h"

#include "exec/aggregate/aggregate_table.h"

/* The groups of CODES that occur, counted up to `most`. */
static status count_codes(const aggregate_core *core, exec_task *task, const aggregate_table *table,
                          uint64_t most, uint64_t *out)
{
    uint64_t size = table_slice_groups(core->dev);
    for (uint64_t first = 0; first < table->count && *out < most; first += size) {
        uint64_t left = table->count - first;
        table_slice slice;
        TRY(table_slice_open(core, task->stream, table, first, left < size ? left : size, &slice));
        *out += slice.count;
        table_slice_close(&slice);
    }
    return STATUS_OK;
}

/* Within a segment, whose rows are in the order of the only key, groups differ. */
static uint64_t count_runs(const aggregate_table *table)
{
    uint64_t most = 0;
    for (size_t i = 0; i < table->segments.count; i++)
        if (table->segments.items[i].count > most)
            most = table->segments.items[i].count;
    return most;
}

static bool is_power_of_two(uint64_t number)
{
    return !(number & (number - 1));
}

/* Groups of the last table: two tables may have the same ones. */
static status count_groups(aggregate_local *local, exec_task *task, uint64_t most, uint64_t pushes,
                           uint64_t *out)
{
    const aggregate_core *core = local->core;
    *out = 0;
    if (!local->tables.count)
        return STATUS_OK;
    const aggregate_table *table = local->tables.items[local->tables.count - 1];
    switch (table->form) {
    case TABLE_HASH: /* of rows' numbers, two may have the same values */
        *out =
            table->bases || table->is_passing || table->groups.is_behind ? 0 : table->groups.count;
        break;
    case TABLE_RUNS:
        *out = core->key_count == 1 ? count_runs(table) : 0;
        break;
    case TABLE_CODES: /* counting them is work, and on lazy devices has to be waited for */
        if (core->dev->is_host && is_power_of_two(pushes))
            return count_codes(core, task, table, most, out);
        break;
    case TABLE_ONE:
        break;
    }
    return STATUS_OK;
}

status aggregate_enough_look(aggregate_enough *enough, aggregate_local *local, exec_task *task,
                             uint64_t pushes, bool *out)
{
    uint64_t groups = 0;
    *out = enough->groups && atomic_load_explicit(&enough->is_reached, memory_order_relaxed);
    if (!enough->groups || *out)
        return STATUS_OK;
    TRY(aggregate_local_catch_up(local, task));
    TRY(count_groups(local, task, enough->groups, pushes, &groups));
    *out = groups >= enough->groups;
    if (*out)
        atomic_store_explicit(&enough->is_reached, true, memory_order_relaxed);
    return STATUS_OK;
}
