/* program_run_lambda.c - see program_run_lambda.h. */
#include "exec/expression/program_run_lambda.h"

#include "device/chunk.h"
#include "device/nested.h"
#include "device/nested/nested_build.h"
#include "exec/expression/program_run.h"

/* A call under way. */
typedef struct lambda_call {
    program_run *run;
    frame *f;
    const instruction *s;
    const lambda *lambda;
    program_run *body;
    uint32_t first_outside; /* the argument that the column after the parameters is */
} lambda_call;

static status find_body(program_run *run, uint32_t number, const lambda *lambda, program_run **out)
{
    if (!run->lambdas[number])
        TRY(program_run_new(lambda->body, run->task, &run->lambdas[number]));
    *out = run->lambdas[number];
    return STATUS_OK;
}

/* Numbers from `first` on in steps: how many elements there are before each, or the same for all. */
static status number_column(const lambda_call *c, uint64_t rows, tensor **out)
{
    return tensor_new_flat(c->run->dev, type_make(TYPE_INT64), rows, false, out);
}

/* The columns from outside for the elements that belong to these rows. */
static status add_outside(const lambda_call *c, row_index *rows, uint64_t count, chunk *to)
{
    uint32_t at = c->lambda->parameters;
    for (uint32_t i = c->first_outside; i < c->s->arg_count; i++) {
        tensor *t = c->f->slots[c->s->args[i]];
        if (t->form == TENSOR_CONSTANT)
            to->columns[at++] = tensor_ref(t);
        else
            TRY(tensor_new_indexed(c->run->stream, t, c->f->count.bound, rows,
                                   dev_count_exact(count), &to->columns[at++]));
    }
    return STATUS_OK;
}

static status lambda_chunk(const lambda_call *c, uint64_t rows, chunk **out)
{
    return chunk_new(c->lambda->parameters + c->s->arg_count - c->first_outside,
                     dev_count_exact(rows), out);
}

/* ---- for each element ---- */

/* The element's list as a row number, and its place there: as far as the body reads them. */
static status number_elements(const lambda_call *c, const tensor *list, uint64_t elements,
                              row_index **out_rows, tensor **out_places)
{
    bool has_places = c->lambda->parameters > 1;
    if (!has_places && c->s->arg_count == c->first_outside)
        return STATUS_OK;
    TRY(row_index_new(c->run->dev, elements, out_rows));
    if (has_places)
        TRY(number_column(c, elements, out_places));
    for (uint64_t i = 0, at = 0; i < c->f->count.bound; i++)
        for (uint32_t k = 0; k < nested_pair(list, i).length; k++, at++) {
            (*out_rows)->rows[at] = (uint32_t)i;
            if (has_places)
                ((int64_t *)(*out_places)->values)[at] = k + 1;
        }
    return STATUS_OK;
}

/* list: its children have the order of its rows. */
static status element_chunk(const lambda_call *c, const tensor *list, chunk **out)
{
    uint64_t elements = nested_child_rows(list);
    row_index *rows = NULL;
    tensor *places = NULL;
    TRY(lambda_chunk(c, elements, out));
    status st = number_elements(c, list, elements, &rows, &places);
    if (!st)
        st = nested_child_flat(c->run->stream, list, 0, &(*out)->columns[0]);
    if (places)
        (*out)->columns[1] = places;
    if (!st)
        st = add_outside(c, rows, elements, *out);
    row_index_unref(rows);
    if (st) {
        chunk_free(*out);
        *out = NULL;
    }
    return st;
}

/* A list of the values, one for each element. Takes over the reference, also on failure. */
static status list_of_values(const lambda_call *c, const tensor *list, tensor *values,
                             tensor **result)
{
    status st = tensor_new_view(c->s->type, list->values_owner, list->values, result);
    if (st) {
        tensor_unref(values);
        return st;
    }
    (*result)->validity = list->validity;
    (*result)->validity_owner = dev_buffer_ref(list->validity_owner);
    return nested_own(*result, &values, 1, nested_child_rows(list));
}

static exec_result lambda_transform(const lambda_call *c, tensor **result)
{
    exec_task *task = c->run->task;
    operand x;
    tensor *list, *values = NULL;
    chunk *elements;
    EXEC_TRY(task, run_column(c->run, c->f, c->s->args[0], &x));
    EXEC_TRY(task, nested_put_in_order(c->run->stream, x.column, c->f->count.bound, &list));
    status st = element_chunk(c, list, &elements);
    if (st) {
        tensor_unref(list);
        return exec_fail(task, st);
    }
    exec_result done = program_evaluate(c->body, 0, elements, &values);
    chunk_free(elements);
    if (done == EXEC_FINISHED)
        st = list_of_values(c, list, values, result);
    tensor_unref(list);
    return st ? exec_fail(task, st) : done;
}

/* ---- from the first to the last ---- */

/* Rows whose lists are not at their end yet, and what was computed of each so far. */
typedef struct reduction {
    const lambda_call *c;
    const tensor *list;
    uint32_t *alive; /* row numbers */
    uint64_t count;
    tensor *sum;     /* of the rows alive */
    uint64_t *found; /* by row: where its value lies among those of `parts` */
    ARRAY(tensor *) parts;
    ARRAY(uint64_t) part_rows;
    uint64_t done;
} reduction;

static void reduction_release(reduction *r)
{
    for (size_t i = 0; i < r->parts.count; i++)
        tensor_unref(r->parts.items[i]);
    array_release(&r->parts);
    array_release(&r->part_rows);
    tensor_unref(r->sum);
    mem_free(r->alive);
    mem_free(r->found);
}

/* Takes over the rows of `sum` that the index has. */
static status reduction_select(reduction *r, nested_index *index, tensor **out)
{
    tensor *some;
    dev_count count = dev_count_exact(index->count);
    TRY(tensor_new_indexed(r->c->run->stream, r->sum, r->count, index->rows, count, &some));
    status st = tensor_flatten(r->c->run->stream, some, count, out);
    tensor_unref(some);
    return st;
}

/* Puts the values of rows whose lists have only `length` elements aside. */
static status reduction_end_rows(reduction *r, uint32_t length)
{
    nested_index kept = {0}, ended = {0};
    tensor *part = NULL, *rest = NULL;
    status st = nested_index_new(r->c->run->stream, r->count, &kept);
    if (!st)
        st = nested_index_new(r->c->run->stream, r->count, &ended);
    for (uint64_t i = 0; i < r->count && !st; i++) {
        uint32_t row = r->alive[i];
        if (nested_pair(r->list, row).length <= length) {
            r->found[row] = r->done + ended.count;
            nested_index_add(&ended, i);
        } else {
            r->alive[kept.count] = row;
            nested_index_add(&kept, i);
        }
    }
    if (!st && ended.count)
        st = reduction_select(r, &ended, &part);
    if (!st && ended.count)
        st = reduction_select(r, &kept, &rest);
    if (part && !st) {
        st = array_push(NULL, &r->parts, part);
        part = st ? part : NULL;
    }
    if (!st && ended.count)
        st = array_push(NULL, &r->part_rows, ended.count);
    if (rest && !st) {
        tensor_unref(r->sum);
        r->sum = rest;
        rest = NULL;
    }
    r->done += ended.count;
    r->count = kept.count;
    tensor_unref(part);
    tensor_unref(rest);
    row_index_unref(kept.rows);
    row_index_unref(ended.rows);
    return st;
}

/* The sums, element number `at` of each list, and what is read from outside. */
static status reduction_chunk(const reduction *r, uint32_t at, chunk **out)
{
    const lambda_call *c = r->c;
    nested_index elements = {0}, rows = {0};
    TRY(lambda_chunk(c, r->count, out));
    status st = nested_index_new(c->run->stream, r->count, &elements);
    if (!st)
        st = nested_index_new(c->run->stream, r->count, &rows);
    for (uint64_t i = 0; i < r->count && !st; i++) {
        nested_index_add(&rows, r->alive[i]);
        nested_index_add(&elements, nested_pair(r->list, r->alive[i]).offset + at);
    }
    (*out)->columns[0] = tensor_ref(r->sum);
    if (!st)
        st = nested_pick(c->run->stream, r->list, 0, elements.rows, r->count, &(*out)->columns[1]);
    if (!st && c->lambda->parameters > 2) {
        st = number_column(c, r->count, &(*out)->columns[2]);
        for (uint64_t i = 0; i < r->count && !st; i++)
            ((int64_t *)(*out)->columns[2]->values)[i] = at + 1;
    }
    if (!st)
        st = add_outside(c, rows.rows, r->count, *out);
    row_index_unref(elements.rows);
    row_index_unref(rows.rows);
    if (st) {
        chunk_free(*out);
        *out = NULL;
    }
    return st;
}

static exec_result reduction_step(reduction *r, uint32_t at)
{
    exec_task *task = r->c->run->task;
    chunk *elements;
    tensor *sum = NULL, *flat;
    EXEC_TRY(task, cancel_check());
    EXEC_TRY(task, reduction_chunk(r, at, &elements));
    exec_result done = program_evaluate(r->c->body, 0, elements, &sum);
    chunk_free(elements);
    if (done != EXEC_FINISHED)
        return done;
    status st = tensor_flatten(r->c->run->stream, sum, dev_count_exact(r->count), &flat);
    tensor_unref(sum);
    EXEC_TRY(task, st);
    tensor_unref(r->sum);
    r->sum = flat;
    return EXEC_FINISHED;
}

static status empty_list(const instruction *s)
{
    status st = status_new(STATUS_KIND_DATA, "list_reduce of an empty list needs an initial value");
    return s->position < 0 ? st : status_at(st, s->position);
}

/* The initial value, or the first elements. */
static status reduction_begin(reduction *r, bool has_initial)
{
    const lambda_call *c = r->c;
    uint64_t count = c->f->count.bound;
    nested_index rows;
    operand x;
    r->alive = mem_new_array(count + 1, sizeof *r->alive);
    r->found = mem_new_array(count + 1, sizeof *r->found);
    if (!r->alive || !r->found)
        return status_no_memory("expression", count * sizeof *r->found);
    TRY(nested_index_new(c->run->stream, count, &rows));
    status st = STATUS_OK;
    for (uint64_t i = 0; i < count && !st; i++) {
        nested_value list = nested_pair(r->list, i);
        r->found[i] = UINT64_MAX;
        if (!nested_is_valid(r->list, i))
            continue;
        if (!has_initial && !list.length)
            st = empty_list(c->s);
        r->alive[r->count++] = (uint32_t)i;
        nested_index_add(&rows, has_initial ? i : list.offset);
    }
    tensor *first = NULL;
    if (!st && has_initial && !(st = run_column(c->run, c->f, c->s->args[1], &x)))
        st = tensor_new_indexed(c->run->stream, x.column, count, rows.rows,
                                dev_count_exact(r->count), &first);
    else if (!st)
        st = nested_pick(c->run->stream, r->list, 0, rows.rows, r->count, &first);
    if (!st)
        st = tensor_flatten(c->run->stream, first, dev_count_exact(r->count), &r->sum);
    tensor_unref(first);
    row_index_unref(rows.rows);
    return st;
}

/* Puts the values of all rows into their order. */
static status reduction_end(reduction *r, tensor **result)
{
    const lambda_call *c = r->c;
    tensor *all;
    nested_index index;
    if (!r->parts.count) {
        value null = value_null(c->s->type);
        return tensor_new_constant(c->run->stream, &null, result);
    }
    TRY(nested_chain(c->run->stream, r->parts.items, r->part_rows.items, (uint32_t)r->parts.count,
                     &all));
    status st = nested_index_new(c->run->stream, c->f->count.bound, &index);
    for (uint64_t i = 0; i < c->f->count.bound && !st; i++)
        if (r->found[i] == UINT64_MAX)
            nested_index_add_null(&index);
        else
            nested_index_add(&index, r->found[i]);
    if (!st) {
        st = tensor_new_indexed(c->run->stream, all, r->done, index.rows, c->f->count, result);
        row_index_unref(index.rows);
    }
    tensor_unref(all);
    return st;
}

static exec_result lambda_reduce(const lambda_call *c, bool has_initial, tensor **result)
{
    exec_task *task = c->run->task;
    operand x;
    EXEC_TRY(task, run_column(c->run, c->f, c->s->args[0], &x));
    reduction r = {.c = c, .list = x.column};
    exec_result done = EXEC_FINISHED;
    status st = reduction_begin(&r, has_initial);
    uint32_t at = has_initial ? 0 : 1;
    if (!st)
        st = reduction_end_rows(&r, at);
    for (; !st && done == EXEC_FINISHED && r.count; at++) {
        done = reduction_step(&r, at);
        if (done == EXEC_FINISHED)
            st = reduction_end_rows(&r, at + 1);
    }
    if (!st && done == EXEC_FINISHED)
        st = reduction_end(&r, result);
    reduction_release(&r);
    return st ? exec_fail(task, st) : done;
}

exec_result instruction_lambda(program_run *run, frame *f, uint32_t number, tensor **result)
{
    const instruction *s = instruction_at(run, number);
    exec_task *task = run->task;
    assert(run->dev->is_host); /* program_run_on_host.h */
    lambda_call c = {.run = run, .f = f, .s = s, .lambda = s->data};
    c.first_outside = s->op == LAMBDA_REDUCE_FROM ? 2 : 1;
    EXEC_TRY(task, find_body(run, number, c.lambda, &c.body));
    if (s->op == LAMBDA_TRANSFORM)
        return lambda_transform(&c, result);
    return lambda_reduce(&c, s->op == LAMBDA_REDUCE_FROM, result);
}
