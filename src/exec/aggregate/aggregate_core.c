/* aggregate_core.c - what all tasks of a grouping share: its keys and how they lie in rows. */
#include "base/system/mutex.h"
#include "exec/aggregate/aggregate_rows.h"
#include "exec/sched/memory.h"

/* A table of CODES may take one part in this many of a task's share of operator memory. */
#define CODES_SHARE 4

/* How keys lie in rows; as numbers, where some are text. */
static status init_layouts(aggregate_core *core, arena *memory)
{
    bool has_text = false;
    data_type *coded = arena_alloc_array(memory, core->key_count + 1, sizeof *coded);
    if (!coded)
        return status_no_memory(core->who, core->key_count * sizeof *coded);
    for (uint32_t k = 0; k < core->key_count; k++) {
        TRY(key_interner_init(&core->interners[k], core->dev, core->key_types[k], core->who));
        has_text |= core->interners[k].is_used;
        coded[k] = core->interners[k].is_used ? type_make(TYPE_UINT32) : core->key_types[k];
    }
    for (int i = 0; i < (has_text ? 4 : 2); i++) {
        TRY(key_layout_init(&core->layouts[i], i & 2 ? coded : core->key_types, core->key_count,
                            i & 1));
        core->layouts[i].coding = i & 2 ? CODED_ALL : CODED_NONE;
    }
    core->some = mem_new(sizeof *core->some);
    if (!core->some)
        return status_no_memory(core->who, sizeof *core->some);
    mutex_init(&core->some->lock);
    core->rows = mem_new(sizeof *core->rows);
    return core->rows ? row_keys_init(core->rows, core->key_count)
                      : status_no_memory(core->who, sizeof *core->rows);
}

status aggregate_core_init(aggregate_core *core, exec_query *query, const data_type *types,
                           uint32_t key_count, uint32_t states_max)
{
    core->who = "aggregation";
    core->dev = exec_device(query);
    core->rows_state = -1;
    if (exec_may_spill(query))
        core->codes_bytes_max = exec_memory_share(query) / exec_task_count(query) / CODES_SHARE + 1;
    core->key_types = mem_new_array(key_count + 1, sizeof *core->key_types);
    core->states = mem_new_array(states_max + 1, sizeof *core->states);
    core->interners = mem_new_array(key_count + 1, sizeof *core->interners);
    if (!core->key_types || !core->states || !core->interners)
        return status_no_memory(core->who, states_max * sizeof *core->states);
    if (key_count)
        memcpy(core->key_types, types, key_count * sizeof *types);
    core->key_count = key_count;
    return init_layouts(core, exec_memory(query));
}

void aggregate_core_release(aggregate_core *core)
{
    for (uint32_t k = 0; core->interners && k < core->key_count; k++)
        key_interner_release(&core->interners[k]);
    mem_free(core->interners);
    mem_free(core->key_types);
    mem_free(core->states);
    mem_free(core->source_states);
    for (int i = 0; i < 4; i++)
        key_layout_release(&core->layouts[i]);
    for (int i = 0; core->some && i < 2; i++)
        key_layout_release(&core->some->layouts[i]);
    if (core->some)
        mutex_destroy(&core->some->lock);
    mem_free(core->some);
    if (core->rows)
        row_keys_release(core->rows);
    mem_free(core->rows);
}
