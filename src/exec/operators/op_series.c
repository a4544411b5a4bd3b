/* op_series.c - generate_series and range: each row beside each value from a start to an end.
 *
 *     rows ─ start, stop, step of each, on the host ─┬─ values, a chunk at a time
 *                                                    ├─ their numbers, from 1, WITH ORDINALITY
 *                                                    └─ the number of the row that each is of
 *
 * Values are made by the host on every device: each is the one before it and the step, and the steps of
 * times are calendar intervals. Nothing is made before it is asked for. */
#include "device/chunk.h"
#include "device/chunk_transfer.h"
#include "device/transfer.h"
#include "device/value/time_value.h"
#include "device/value/zone_value.h"
#include "exec/expression/program.h"
#include "exec/expression/program_compile.h"
#include "exec/expression/program_run.h"

enum { START, STOP, STEP, BOUND_COUNT };

typedef struct op_series {
    exec_operator base;
    program *program; /* start, stop, step */
    data_type type;
    zone zone; /* where the plan names one */
} op_series;

/* The series of one row. */
typedef struct series {
    data_type type;
    bool has_stop;
    bool is_over, is_falling;
    int128 at, stop; /* numbers, or times since 1970 */
    int128 step;     /* of numbers */
    interval_value interval;
    const zone *zone; /* in which it is added; NULL: UTC */
    int64_t number;   /* of the value, from 1 */
} series;

/* Columns that are made. */
enum { VALUES, NUMBERS, MADE_MAX };

typedef struct series_local {
    program_run *run;
    chunk *current;      /* the rows */
    chunk *made, *bound; /* start, stop, step of each: as they are made; on the host */
    uint32_t next;       /* of them */
    uint64_t row;
    bool has_series;
    series series;   /* of the row */
    uint32_t *index; /* for a chunk: which row each value is of */
} series_local;

/* ---- a series ---- */

static int128 series_number_at(const tensor *t, uint64_t row)
{
    switch (t->type.width) {
    case 4:
        return ((const int32_t *)t->values)[row];
    case 8:
        return ((const int64_t *)t->values)[row];
    default:
        return ((const int128 *)t->values)[row];
    }
}

static bool is_null_at(const tensor *t, uint64_t row)
{
    return t->validity && !(t->validity[row / 64] >> (row % 64) & 1);
}

static status series_fail(const plan_node *plan, const char *what)
{
    status st = status_new(STATUS_KIND_DATA, "%s", what);
    return plan->position < 0 ? st : status_at(st, plan->position);
}

static status zero_step(const plan_node *plan)
{
    return series_fail(plan, "the step of a series is zero");
}

/* Which way an interval goes; an error where its parts go both ways: a series might never end. */
static status start_interval(series *s, const plan_node *plan)
{
    const interval_value *v = &s->interval;
    if (calendar_is_infinite((int64_t)s->at) || calendar_is_infinite((int64_t)s->stop))
        return series_fail(plan, "a series begins and ends with a timestamp that is not infinite");
    bool falls = v->months < 0 || v->days < 0 || v->microseconds < 0;
    bool rises = v->months > 0 || v->days > 0 || v->microseconds > 0;
    if (!falls && !rises)
        return zero_step(plan);
    s->is_falling = falls;
    return !falls || !rises ? STATUS_OK
                            : series_fail(plan, "the step of a series has parts that are positive "
                                                "and parts that are negative");
}

static bool is_behind_stop(const series *s)
{
    if (s->at == s->stop)
        return !s->has_stop;
    return s->is_falling ? s->at < s->stop : s->at > s->stop;
}

static data_type series_type_of(const plan_node *plan)
{
    return plan->columns.items[plan->columns.count - plan_series_columns(plan)].type;
}

/* The row's; of no values where one of the three is NULL. */
static status series_start(const op_series *op, const chunk *bound, uint64_t row, series *out)
{
    const plan_node *plan = op->base.plan;
    const tensor *step = bound->columns[STEP];
    data_type type = op->type;
    *out = (series){.type = type, .has_stop = plan->series.has_stop, .number = 1};
    out->zone = plan->series.zone ? &op->zone : NULL;
    for (int i = 0; i < BOUND_COUNT; i++)
        out->is_over |= is_null_at(bound->columns[i], row);
    if (out->is_over)
        return STATUS_OK;
    out->at = series_number_at(bound->columns[START], row);
    out->stop = series_number_at(bound->columns[STOP], row);
    if (type_is_time(type)) {
        out->interval = ((const interval_value *)step->values)[row];
        TRY(start_interval(out, plan));
    } else {
        out->step = series_number_at(step, row);
        if (!out->step)
            return zero_step(plan);
        out->is_falling = out->step < 0;
    }
    out->is_over = is_behind_stop(out);
    return STATUS_OK;
}

/* To the next value. Where it would not fit its type, the end has been passed. */
static void series_advance(series *s)
{
    int64_t time = 0;
    bool overflows;
    if (type_is_time(s->type)) {
        int64_t unit = s->type.precision == 9 ? 1000 : 1;
        overflows = s->zone
                        ? !zone_add(s->zone, (int64_t)s->at, s->type.precision, &s->interval, &time)
                        : !add_interval((int64_t)s->at, &s->interval, unit, &time);
        s->at = time;
    } else {
        overflows = __builtin_add_overflow(s->at, s->step, &s->at);
    }
    s->is_over = overflows || is_behind_stop(s);
    s->number++;
}

/* ---- chunks ---- */

static void series_put_value(tensor *to, uint64_t i, int128 number)
{
    switch (to->type.width) {
    case 4:
        ((int32_t *)to->values)[i] = (int32_t)number;
        break;
    case 8:
        ((int64_t *)to->values)[i] = (int64_t)number;
        break;
    default:
        ((int128 *)to->values)[i] = number;
    }
}

/* Whether the values are integers of a register's width, which are put in place by a loop of their own. */
static bool is_plain(const series *s)
{
    return !type_is_time(s->type) && s->type.width <= 8 && s->stop <= INT64_MAX &&
           s->stop >= INT64_MIN && s->step <= INT64_MAX && s->step > INT64_MIN;
}

/* Returns how many values a series of integers has left, up to `room`. */
static uint64_t values_left(const series *s, uint64_t room)
{
    uint64_t span =
        s->is_falling ? (uint64_t)s->at - (uint64_t)s->stop : (uint64_t)s->stop - (uint64_t)s->at;
    uint64_t step = (uint64_t)(s->is_falling ? -s->step : s->step);
    uint64_t steps = step == 1 ? span : span / step;
    bool has_last = s->has_stop || steps * step != span;
    return steps < room ? steps + has_last : room;
}

/* Values are put in place a block at a time, so that a few too many are: there is room for them. */
enum { BLOCK = 8 };

#define PUT_INTEGERS(number)                                                                       \
    static void put_##number(number *to, uint64_t count, uint64_t first, uint64_t step)            \
    {                                                                                              \
        for (uint64_t i = 0; i < count; i += BLOCK)                                                \
            for (uint64_t k = i; k < i + BLOCK; k++)                                               \
                to[k] = (number)(first + k * step);                                                \
    }
PUT_INTEGERS(int64_t)
PUT_INTEGERS(int32_t)

static void repeat_series_row(uint32_t *to, uint64_t count, uint32_t row)
{
    for (uint64_t i = 0; i < count; i += BLOCK)
        for (uint64_t k = i; k < i + BLOCK; k++)
            to[k] = row;
}

/* Puts integers in place until there is no room; returns how many. */
static uint64_t put_integers(series *s, uint64_t count, uint64_t room, uint32_t row,
                             uint32_t *index, tensor *const made[MADE_MAX])
{
    uint64_t more = values_left(s, room - count), at = (uint64_t)s->at, step = (uint64_t)s->step;
    if (s->type.width == 8)
        put_int64_t((int64_t *)made[VALUES]->values + count, more, at, step);
    else
        put_int32_t((int32_t *)made[VALUES]->values + count, more, at, step);
    if (made[NUMBERS])
        put_int64_t((int64_t *)made[NUMBERS]->values + count, more, (uint64_t)s->number, 1);
    repeat_series_row(index + count, more, row);
    s->number += (int64_t)more - 1;
    s->at += s->step * ((int128)more - 1);
    series_advance(s);
    return more;
}

/* The next values, of this row and those behind it, until there is no room. */
static status series_fill(const op_series *op, series_local *local, uint64_t room,
                          tensor *const made[MADE_MAX], uint64_t *out_count)
{
    uint64_t count = 0, rows = local->bound->rows.bound;
    while (count < room && local->row < rows) {
        if (!local->has_series)
            TRY(series_start(op, local->bound, local->row, &local->series));
        local->has_series = true;
        if (!local->series.is_over && is_plain(&local->series))
            count +=
                put_integers(&local->series, count, room, (uint32_t)local->row, local->index, made);
        for (series *s = &local->series; count < room && !s->is_over; series_advance(s)) {
            local->index[count] = (uint32_t)local->row;
            if (made[NUMBERS])
                series_put_value(made[NUMBERS], count, s->number);
            series_put_value(made[VALUES], count++, s->at);
        }
        if (local->series.is_over) {
            local->has_series = false;
            local->row++;
        }
    }
    *out_count = count;
    return STATUS_OK;
}

/* Gives the values as columns of the task's device; takes them over. */
static status send_values(dev_stream *stream, const plan_node *plan, uint64_t count,
                          tensor *made[MADE_MAX], tensor **out)
{
    uint32_t columns = (uint32_t)plan_series_columns(plan);
    chunk *host, *sent;
    TRY(chunk_new(columns, dev_count_exact(count), &host));
    for (uint32_t i = 0; i < columns; i++) {
        host->columns[i] = made[i];
        made[i] = NULL;
    }
    status st = chunk_to_device(stream, host, "series", &sent);
    chunk_free(host);
    TRY(st);
    for (uint32_t i = 0; i < columns; i++)
        out[i] = tensor_ref(sent->columns[i]);
    chunk_free(sent);
    return STATUS_OK;
}

static status send_index(dev_stream *stream, const series_local *local, uint64_t count,
                         row_index **out)
{
    TRY(row_index_new(stream->dev, count, out));
    status st =
        dev_upload(stream, (*out)->rows, local->index, count * sizeof *local->index, "series");
    if (!st)
        return STATUS_OK;
    row_index_unref(*out);
    *out = NULL;
    return st;
}

/* The rows' columns, and what was made behind them. */
static status series_make_output(dev_stream *stream, const plan_node *plan,
                                 const series_local *local, uint64_t count, tensor *made[MADE_MAX],
                                 chunk **out)
{
    uint32_t passed = local->current->column_count;
    uint64_t rows = local->current->rows.bound;
    row_index *index;
    chunk *c = NULL;
    TRY(send_index(stream, local, count, &index));
    status st = chunk_new(passed + (uint32_t)plan_series_columns(plan), dev_count_exact(count), &c);
    for (uint32_t i = 0; i < passed && !st; i++)
        if (local->current->columns[i])
            st = tensor_new_indexed(stream, local->current->columns[i], rows, index, c->rows,
                                    &c->columns[i]);
    if (!st)
        st = send_values(stream, plan, count, made, &c->columns[passed]);
    row_index_unref(index);
    if (st) {
        chunk_free(c);
        return st;
    }
    *out = c;
    return STATUS_OK;
}

static status next_values(op_series *op, exec_task *task, series_local *local, chunk **out)
{
    const plan_node *plan = op->base.plan;
    device *host = dev_host(task->stream->dev);
    uint64_t room = dev_room_rows(task->stream->dev), count = 0;
    tensor *made[MADE_MAX] = {NULL};
    status st = tensor_new_flat(host, op->type, room + BLOCK, false, &made[VALUES]);
    if (!st && plan->series.has_number)
        st = tensor_new_flat(host, type_make(TYPE_INT64), room + BLOCK, false, &made[NUMBERS]);
    if (!st)
        st = series_fill(op, local, room, made, &count);
    if (!st && count)
        st = series_make_output(task->stream, plan, local, count, made, out);
    tensor_unref(made[VALUES]);
    tensor_unref(made[NUMBERS]);
    return st;
}

/* ---- the operator ---- */

static void series_drop(series_local *local)
{
    chunk_free(local->current);
    chunk_free(local->made);
    chunk_free(local->bound);
    local->current = local->made = local->bound = NULL;
    local->next = 0;
    local->row = 0;
}

/* Start, stop and step of the rows, on the host. */
static exec_result bound_rows(exec_task *task, series_local *local)
{
    if (!local->made)
        EXEC_TRY(task, chunk_new(BOUND_COUNT, local->current->rows, &local->made));
    for (; local->next < BOUND_COUNT; local->next++) {
        exec_result result = program_evaluate(local->run, local->next, local->current,
                                              &local->made->columns[local->next]);
        if (result != EXEC_FINISHED)
            return result;
    }
    EXEC_TRY(task, chunk_to_host(task->stream, local->made, false, "series", &local->bound));
    EXEC_TRY(task, exec_check_error(task));
    return EXEC_FINISHED;
}

static exec_result series_push(exec_operator *base, exec_task *task, void *state, chunk **input,
                               chunk **output)
{
    series_local *local = state;
    if (*input) {
        local->current = *input;
        *input = NULL;
    }
    if (local->current && !local->bound) {
        exec_result result = bound_rows(task, local);
        if (result != EXEC_FINISHED)
            return result;
    }
    if (local->current) {
        EXEC_TRY(task, next_values((op_series *)base, task, local, output));
        if (local->row >= local->bound->rows.bound)
            series_drop(local);
    }
    return *output ? EXEC_HAVE_OUTPUT : EXEC_NEED_INPUT;
}

static status series_local_open(exec_operator *base, exec_task *task, void *state)
{
    series_local *local = state;
    uint64_t room = dev_room_rows(task->stream->dev) + BLOCK;
    local->index = mem_new_array(room, sizeof *local->index);
    if (!local->index)
        return status_no_memory("series", room * sizeof *local->index);
    return program_run_new(((op_series *)base)->program, task, &local->run);
}

static void series_local_close(exec_operator *base, void *state)
{
    (void)base;
    series_local *local = state;
    series_drop(local);
    mem_free(local->index);
    program_run_free(local->run);
}

static void series_close(exec_operator *base)
{
    op_series *op = (op_series *)base;
    program_free(op->program);
    mem_free(op);
}

static const exec_operator_ops series_ops = {
    .name = "series",
    .local_bytes = sizeof(series_local),
    .local_open = series_local_open,
    .local_close = series_local_close,
    .push = series_push,
    .exact_counts = true,
    .close = series_close,
};

status op_series_open(exec_query *query, const plan_node *plan, exec_layout input,
                      exec_operator **out)
{
    const expr *bounds[BOUND_COUNT] = {plan->series.start, plan->series.stop, plan->series.step};
    *out = NULL;
    op_series *op = mem_new(sizeof *op);
    if (!op)
        return status_no_memory("series", sizeof *op);
    op->base = (exec_operator){.ops = &series_ops, .query = query, .plan = plan};
    op->type = series_type_of(plan);
    const char *zone_name = plan->series.zone;
    status st = zone_name ? zone_find(zone_name, strlen(zone_name), &op->zone) : STATUS_OK;
    if (!st)
        st = program_compile(bounds, BOUND_COUNT, input, &op->program);
    return exec_operator_opened(&op->base, st, out);
}
