/* window_turn.c - pieces of partitions: states, what is carried from piece to piece, values. */
#include "exec/window/window_turn.h"

#include "base/system/mutex.h"
#include "device/chunk.h"
#include "exec/window/window_rows.h"

/* ---- what is shared ---- */

status window_turns_open(const plan_node *plan, window_turns *out)
{
    *out = (window_turns){.key_count = (uint32_t)plan->window.partition.count,
                          .call_count = (uint32_t)plan->window.calls.count};
    mutex_init(&out->lock);
    out->keys = mem_new_array(out->key_count + 1, sizeof *out->keys);
    out->calls = mem_new_array(out->call_count + 1, sizeof *out->calls);
    return out->keys && out->calls
               ? STATUS_OK
               : status_no_memory("window", out->call_count * sizeof *out->calls);
}

void window_turns_wake(window_turns *turns)
{
    exec_wake_each(&turns->lock, &turns->waiting);
}

static void release_carries(window_carry *calls, uint32_t count)
{
    for (uint32_t i = 0; calls && i < count; i++)
        window_carry_release(&calls[i]);
    mem_free(calls);
}

void window_turns_close(window_turns *turns)
{
    for (uint32_t k = 0; turns->keys && k < turns->key_count; k++)
        tensor_unref(turns->keys[k]);
    mem_free(turns->keys);
    release_carries(turns->calls, turns->call_count);
    array_release(&turns->waiting);
    mutex_destroy(&turns->lock);
}

/* ---- states ---- */

/* The first row behind row 0 where a partition begins. */
static status window_turn_find_end(window_rows *rows, uint64_t *out)
{
    const window_range *partition;
    TRY(window_partition(rows, &partition));
    *out = *(const uint32_t *)partition->to->address;
    return STATUS_OK;
}

static status start_calls(window_turn *turn)
{
    const plan_node *plan = turn->rows.plan;
    size_t passed = turn->columns->column_count;
    for (size_t i = 0; i < plan->window.calls.count; i++)
        TRY(window_running_start(&turn->rows, &plan->window.calls.items[i],
                                 plan->columns.items[passed + i].type, &turn->calls[i]));
    TRY(window_turn_find_end(&turn->rows, &turn->end));
    return exec_check_error(turn->rows.task);
}

status window_turn_start(exec_task *task, const column_map *places, const plan_node *plan,
                         uint64_t number, chunk *columns, window_turn *turn)
{
    *turn = (window_turn){.is_open = true, .number = number, .columns = columns};
    turn->rows = (window_rows){
        .task = task, .places = places, .plan = plan, .columns = columns, .count = columns->rows};
    size_t calls = plan->window.calls.count;
    turn->calls = mem_new_array(calls + 1, sizeof *turn->calls);
    return turn->calls ? start_calls(turn)
                       : status_no_memory("window", calls * sizeof *turn->calls);
}

void window_turn_close(window_turn *turn)
{
    for (size_t i = 0; turn->calls && i < turn->rows.plan->window.calls.count; i++)
        window_running_release(&turn->calls[i]);
    mem_free(turn->calls);
    window_rows_release(&turn->rows);
    chunk_free(turn->columns);
    *turn = (window_turn){0};
}

/* ---- what is carried ---- */

/* The piece's first row is of the partition of the row before it. */
static status window_turn_goes_on(const window_turns *turns, window_turn *turn, bool *out)
{
    const expr_list *keys = &turn->rows.plan->window.partition;
    uint64_t changes = 0;
    *out = turns->has_rows;
    for (uint32_t k = 0; k < turns->key_count && *out; k++) {
        const tensor *before = turns->keys[k];
        tensor *values;
        TRY(window_value(&turn->rows, keys->items[k], &values));
        status st = DEV_LAUNCH(turn->rows.task->stream, over_changes, .type = values->type,
                               .values = values->values, .validity = values->validity,
                               .previous = before->values, .previous_validity = before->validity,
                               .previous_row = 0, .count = dev_count_exact(1), .combine = false,
                               .out = &changes);
        tensor_unref(values);
        TRY(st);
        *out = !(changes & 1);
    }
    return STATUS_OK;
}

static status window_turn_take_keys(window_turns *turns, window_turn *turn)
{
    const expr_list *keys = &turn->rows.plan->window.partition;
    uint64_t count = turn->rows.count.bound;
    const uint32_t last = (uint32_t)count - 1;
    for (uint32_t k = 0; k < turns->key_count; k++) {
        tensor *values;
        TRY(window_value(&turn->rows, keys->items[k], &values));
        tensor_unref(turns->keys[k]);
        turns->keys[k] = NULL;
        status st = window_some_rows(&turn->rows, values, count, &last, 1, &turns->keys[k]);
        tensor_unref(values);
        TRY(st);
    }
    return STATUS_OK;
}

/* Takes what the piece leaves to the next one. before: what it was left, if its last row is of that partition. */
static status take_calls(window_turn *turn, const window_carry *before, window_carry *out)
{
    uint64_t last = turn->rows.count.bound - 1;
    for (size_t i = 0; i < turn->rows.plan->window.calls.count; i++) {
        if (before)
            TRY(window_running_carry(&turn->calls[i], &before[i], last, last + 1));
        TRY(window_running_take(&turn->calls[i], before ? &before[i] : NULL, last, &out[i]));
    }
    return STATUS_OK;
}

static status carry_calls(window_turn *turn, const window_carry *before, uint64_t end)
{
    for (size_t i = 0; i < turn->rows.plan->window.calls.count; i++)
        TRY(window_running_carry(&turn->calls[i], &before[i], 0, end));
    return STATUS_OK;
}

static void window_turn_end_turn(window_turns *turns)
{
    mutex_lock(&turns->lock);
    turns->next++;
    mutex_unlock(&turns->lock);
    window_turns_wake(turns);
}

/* Takes what the turn before left, and leaves the next one what it is to take, as soon as that is known. */
static status pass_on(window_turns *turns, window_turn *turn)
{
    bool continues;
    uint64_t last = turn->rows.count.bound - 1;
    window_carry *before = turns->calls;
    TRY(window_turn_goes_on(turns, turn, &continues));
    TRY(window_turn_take_keys(turns, turn));
    window_carry *left = mem_new_array(turns->call_count + 1, sizeof *left);
    if (!left)
        return status_no_memory("window", turns->call_count * sizeof *left);
    turns->calls = left;
    turns->has_rows = true;
    status st = take_calls(turn, continues && turn->end > last ? before : NULL, left);
    if (!st) {
        window_turn_end_turn(turns);
        st = continues ? carry_calls(turn, before, turn->end > last ? last : turn->end) : STATUS_OK;
    }
    release_carries(before, turns->call_count);
    return st;
}

/* ---- values ---- */

static status make_result(window_turn *turn, chunk **out)
{
    const chunk *c = turn->columns;
    uint32_t passed = c->column_count, calls = (uint32_t)turn->rows.plan->window.calls.count;
    chunk *result;
    TRY(chunk_new(passed + calls, c->rows, &result));
    status st = STATUS_OK;
    for (uint32_t i = 0; i < calls && !st; i++)
        st = window_running_finish(&turn->calls[i], &result->columns[passed + i]);
    for (uint32_t i = 0; i < passed; i++)
        result->columns[i] = tensor_ref(c->columns[i]);
    if (!st)
        st = exec_check_error(turn->rows.task);
    if (st) {
        chunk_free(result);
        return st;
    }
    *out = result;
    return STATUS_OK;
}

/* False: the task is woken when another turn is over. */
static status try_turn(window_turns *turns, exec_task *task, const window_turn *turn,
                       bool *out_is_next)
{
    status st = STATUS_OK;
    mutex_lock(&turns->lock);
    *out_is_next = turns->next == turn->number || exec_is_cancelled(task->query);
    if (!*out_is_next)
        st = array_push(NULL, &turns->waiting, task);
    mutex_unlock(&turns->lock);
    return st;
}

exec_result window_turn_finish(window_turns *turns, exec_task *task, window_turn *turn, chunk **out)
{
    bool is_next;
    *out = NULL;
    EXEC_TRY(task, try_turn(turns, task, turn, &is_next));
    if (!is_next)
        return EXEC_WAIT;
    if (!exec_is_cancelled(task->query)) {
        EXEC_TRY(task, pass_on(turns, turn));
        EXEC_TRY(task, make_result(turn, out));
    }
    window_turn_close(turn);
    return EXEC_FINISHED;
}
