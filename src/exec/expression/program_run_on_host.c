/* program_run_on_host.c - see program_run_on_host.h. */
#include "exec/expression/program_run_on_host.h"

#include "device/chunk.h"
#include "device/chunk_transfer.h"
#include "device/transfer.h"
#include "exec/expression/program_run.h"
#include "exec/expression/program_run_host.h"

#include <string.h>

/* The task as programs of the host see it. */
struct host_side {
    exec_task task;
    dev_stream stream;
    dev_error error;
};

static status find_task(program_run *run, exec_task **out)
{
    *out = run->task;
    if (run->dev->is_host)
        return STATUS_OK;
    if (!run->host) {
        host_side *side = mem_new(sizeof *side);
        if (!side)
            return status_no_memory("expression", sizeof *side);
        side->task = *run->task;
        side->task.stream = &side->stream;
        side->task.error = &side->error;
        side->stream.dev = dev_host(run->dev);
        run->host = side;
    }
    *out = &run->host->task;
    return STATUS_OK;
}

static status program_run_on_host_find_program(program_run *run, uint32_t number, program_run **out)
{
    const lambda *called = instruction_at(run, number)->data;
    exec_task *task;
    if (!run->lambdas[number]) {
        TRY(find_task(run, &task));
        TRY(program_run_new(called->body, task, &run->lambdas[number]));
    }
    *out = run->lambdas[number];
    return STATUS_OK;
}

/* ---- arguments ---- */

#define WHO "function of the host"

/* Rows that unnest or a join has repeated: their values are copied once, and the host gets the row numbers. */
static bool is_repeated(const tensor *t, const frame *f)
{
    return t->form == TENSOR_INDEXED && t->base_rows < f->count.bound;
}

/* Columns that are not constant, as they are copied: of those that repeat rows the row numbers. */
static status columns_to_bring(frame *f, const instruction *s, chunk *to)
{
    uint32_t next = 0;
    for (uint32_t i = 0; i < s->arg_count; i++) {
        tensor *t = f->slots[s->args[i]];
        if (t->form == TENSOR_CONSTANT)
            continue;
        if (is_repeated(t, f))
            TRY(tensor_new_view(type_make(TYPE_UINT32), t->index->owner, t->index->rows,
                                &to->columns[next]));
        else
            to->columns[next] = tensor_ref(t);
        next++;
    }
    return STATUS_OK;
}

/* Copies them to the host; NULL if all arguments are constant. */
static status bring_columns(program_run *run, frame *f, const instruction *s, chunk **out)
{
    chunk *c;
    uint32_t columns = 0;
    *out = NULL;
    for (uint32_t i = 0; i < s->arg_count; i++)
        columns += f->slots[s->args[i]]->form != TENSOR_CONSTANT;
    if (!columns)
        return STATUS_OK;
    TRY(chunk_new(columns, f->count, &c));
    status st = columns_to_bring(f, s, c);
    if (!st)
        st = chunk_to_host(run->stream, c, false, WHO, out);
    chunk_free(c);
    return st;
}

/* The rows of a base that are used, in the order in which they are met, and each row's number among them. */
typedef struct used_rows {
    row_index *numbers; /* the host's */
    uint32_t *used, count;
    uint32_t *places; /* by row of the base: its number + 1; 0: not met yet */
} used_rows;

static void used_rows_release(used_rows *u)
{
    row_index_unref(u->numbers);
    mem_free(u->used);
    mem_free(u->places);
}

static status find_used(dev_stream *host, const uint32_t *rows, uint64_t count, uint64_t base_rows,
                        used_rows *u)
{
    u->used = mem_new_array(base_rows + 1, sizeof *u->used);
    u->places = mem_new_array(base_rows + 1, sizeof *u->places);
    if (!u->used || !u->places)
        return status_no_memory(WHO, base_rows * sizeof *u->used);
    TRY(row_index_new(host->dev, count, &u->numbers));
    for (uint64_t i = 0; i < count; i++) {
        if (cancel_look(i))
            return cancel_check();
        bool is_null = rows[i] == ROW_NULL;
        u->numbers->has_nulls |= is_null;
        if (!is_null && !u->places[rows[i]]) {
            u->used[u->count++] = rows[i];
            u->places[rows[i]] = u->count;
        }
        u->numbers->rows[i] = is_null ? ROW_NULL : u->places[rows[i]] - 1;
    }
    return STATUS_OK;
}

/* Copies the used rows of the base to the host. */
static status bring_used(program_run *run, const tensor *t, const used_rows *u, chunk **out)
{
    dev_count count = dev_count_exact(u->count);
    row_index *index;
    chunk *c;
    TRY(chunk_new(1, count, &c));
    status st = row_index_new(run->dev, u->count, &index);
    if (!st) {
        st = dev_upload(run->stream, index->rows, u->used, u->count * sizeof *u->used, WHO);
        if (!st)
            st = tensor_new_indexed(run->stream, t->base, t->base_rows, index, count,
                                    &c->columns[0]);
        row_index_unref(index);
    }
    if (!st)
        st = chunk_to_host(run->stream, c, false, WHO, out);
    chunk_free(c);
    return st;
}

/* A column of the host's over the rows that are used. `rows`: the row numbers, `count` of them. */
static status bring_repeated(program_run *run, const tensor *t, const tensor *rows, uint64_t count,
                             tensor **out)
{
    dev_stream *host = &run->host->stream;
    used_rows u = {0};
    chunk *base = NULL;
    status st = find_used(host, rows->values, count, t->base_rows, &u);
    if (!st && !u.count) {
        value null = value_null(t->type);
        st = tensor_new_constant(host, &null, out);
    } else if (!st && !(st = bring_used(run, t, &u, &base))) {
        st = tensor_new_indexed(host, base->columns[0], u.count, u.numbers, dev_count_exact(count),
                                out);
        if (!st && (*out)->form == TENSOR_INDEXED)
            (*out)->is_dictionary = true; /* values are made of each row's bytes once */
    }
    chunk_free(base);
    used_rows_release(&u);
    return st;
}

/* Puts the arguments, constants among them, into one chunk of the host's. `brought`: what bring_columns made. */
static status place_arguments(program_run *run, frame *f, const instruction *s,
                              const chunk *brought, chunk *to)
{
    uint32_t next = 0;
    for (uint32_t i = 0; i < s->arg_count; i++) {
        const tensor *t = f->slots[s->args[i]];
        if (t->form == TENSOR_CONSTANT)
            TRY(tensor_new_constant(&run->host->stream, &t->constant, &to->columns[i]));
        else if (is_repeated(t, f))
            TRY(bring_repeated(run, t, brought->columns[next++], to->rows.bound, &to->columns[i]));
        else
            to->columns[i] = tensor_ref(brought->columns[next++]);
    }
    return STATUS_OK;
}

/* The arguments in the host's reach. Without columns there is one row, which stands for all. */
static status take_arguments(program_run *run, frame *f, const instruction *s, chunk **out)
{
    chunk *brought;
    TRY(bring_columns(run, f, s, &brought));
    status st = chunk_new(s->arg_count, dev_count_exact(brought ? brought->rows.bound : 1), out);
    if (!st)
        st = place_arguments(run, f, s, brought, *out);
    chunk_free(brought);
    return st;
}

/* ---- results ---- */

/* A FLAT copy with room for `rows`, of which the first `count` are t's. */
static status with_room(dev_stream *host, tensor *t, uint64_t count, uint64_t rows, tensor **out)
{
    tensor *flat, *made;
    *out = NULL;
    TRY(tensor_flatten(host, t, dev_count_exact(count), &flat));
    if (count == rows) {
        *out = flat;
        return STATUS_OK;
    }
    status st = tensor_new_flat(host->dev, flat->type, rows, flat->validity, &made);
    if (!st) {
        memset(made->values, 0, type_values_bytes(made->type, rows));
        memcpy(made->values, flat->values, type_values_bytes(made->type, count));
        if (made->validity) {
            memset(made->validity, 0, bitmap_bytes(rows));
            memcpy(made->validity, flat->validity, bitmap_bytes(count));
        }
        made->heap = string_heap_ref(flat->heap);
        *out = made;
    }
    tensor_unref(flat);
    return st;
}

/* The one row's value for all rows of the frame. */
static status repeat_row(program_run *run, frame *f, tensor *row, tensor **out)
{
    row_index *zeros;
    uint64_t rows = f->count.bound;
    TRY(row_index_new(run->dev, rows, &zeros));
    status st = run->dev->ops->zero(run->stream, zeros->rows, rows * sizeof *zeros->rows);
    if (!st)
        st = tensor_new_indexed(run->stream, row, 1, zeros, f->count, out);
    row_index_unref(zeros);
    return st;
}

/* Gives the device what was computed of `count` rows. */
static status send_result(program_run *run, frame *f, const instruction *s, tensor *made,
                          uint64_t count, tensor **result)
{
    dev_stream *host = &run->host->stream;
    bool is_one = true;
    for (uint32_t i = 0; i < s->arg_count; i++)
        is_one &= f->slots[s->args[i]]->form == TENSOR_CONSTANT;
    uint64_t rows =
        is_one ? 1 : f->count.bound; /* as many as the device believes that there may be */
    if (made->form == TENSOR_CONSTANT && made->constant.is_null) {
        value null = value_null(s->type);
        return tensor_new_constant(run->stream, &null, result);
    }
    TRY(with_room(host, made, count, rows, result));
    TRY(run_send_result(run, rows, result));
    if (!is_one)
        return STATUS_OK;
    tensor *row = *result;
    *result = NULL;
    status st = repeat_row(run, f, row, result);
    tensor_unref(row);
    return st;
}

/* On a host device the program reads the columns where they are. */
static status share_arguments(frame *f, const instruction *s, chunk **out)
{
    TRY(chunk_new(s->arg_count, f->count, out));
    for (uint32_t i = 0; i < s->arg_count; i++)
        (*out)->columns[i] = tensor_ref(f->slots[s->args[i]]);
    return STATUS_OK;
}

exec_result instruction_on_host(program_run *run, frame *f, uint32_t number, tensor **result)
{
    const instruction *s = instruction_at(run, number);
    exec_task *task = run->task;
    program_run *program;
    chunk *arguments = NULL;
    tensor *made = NULL;
    EXEC_TRY(task, program_run_on_host_find_program(run, number, &program));
    status st = run->dev->is_host ? share_arguments(f, s, &arguments)
                                  : take_arguments(run, f, s, &arguments);
    exec_result done = EXEC_FINISHED;
    if (!st && !arguments->rows.bound) { /* no row needs it */
        value null = value_null(s->type);
        st = tensor_new_constant(run->stream, &null, result);
    } else if (!st) {
        done = program_evaluate(program, 0, arguments, &made);
        if (done == EXEC_FINISHED && run->dev->is_host)
            *result = tensor_ref(made);
        else if (done == EXEC_FINISHED)
            st = send_result(run, f, s, made, arguments->rows.bound, result);
    }
    tensor_unref(made);
    chunk_free(arguments);
    if (!st)
        return done;
    tensor_unref(*result);
    *result = NULL;
    return exec_fail(task, st);
}
