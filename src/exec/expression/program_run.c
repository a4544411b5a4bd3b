/* program_run.c - evaluating instructions in frames: what is kept, shared, taken over, and
 * released. The frames: program_frame.c. */
#include "exec/expression/program_run.h"

#include "device/chunk.h"
#include "device/selection.h"
#include "device/transfer.h"
#include "exec/expression/program_frame.h"
#include "exec/expression/program_instruction.h"
#include "exec/expression/program_run_entries.h"
#include "exec/expression/program_run_host.h"
#include "exec/expression/program_run_logic.h"
#include "exec/expression/program_run_narrow.h"
#include "exec/expression/program_run_text.h"
#include "exec/expression/program_run_tiles.h"
#include "exec/expression/program_run_value.h"

#include <assert.h>

static const instruction_function functions[INSTRUCTION_KIND_COUNT] = {
    [INSTRUCTION_COMPARE] = instruction_compare,
    [INSTRUCTION_RANGE] = instruction_range,
    [INSTRUCTION_IN_LIST] = instruction_in_list,
    [INSTRUCTION_LOGIC] = instruction_logic,
    [INSTRUCTION_TEST] = instruction_test,
    [INSTRUCTION_DISTINCT] = instruction_distinct,
    [INSTRUCTION_CHOOSE] = instruction_choose,
    [INSTRUCTION_ARITHMETIC] = instruction_arithmetic,
    [INSTRUCTION_MATH] = instruction_math,
    [INSTRUCTION_CAST_NUMBER] = instruction_cast_number,
    [INSTRUCTION_CAST_FROM_TEXT] = instruction_cast_from_text,
    [INSTRUCTION_CAST_TO_TEXT] = instruction_cast_to_text,
    [INSTRUCTION_LIKE] = instruction_like,
    [INSTRUCTION_LIKE_COLUMN] = instruction_like_column,
    [INSTRUCTION_STARTS_WITH] = instruction_starts_with,
    [INSTRUCTION_SLICE] = instruction_slice,
    [INSTRUCTION_TRIM] = instruction_trim,
    [INSTRUCTION_MEASURE] = instruction_measure,
    [INSTRUCTION_BUILD] = instruction_build,
    [INSTRUCTION_DATE_PART] = instruction_date_part,
    [INSTRUCTION_DATE_TRUNC] = instruction_date_trunc,
    [INSTRUCTION_TIME] = instruction_time,
    [INSTRUCTION_RETYPE] = instruction_retype,
    [INSTRUCTION_NESTED] = instruction_nested,
    [INSTRUCTION_HOST] = instruction_host,
};

/* ---- columns ---- */

/* Whether a lazy device's column repeats bytes of nested values: its host gets each of them once
 * (program_run_on_host.c). */
static bool repeats_bytes(const program_run *run, const tensor *t)
{
    return t->type.id == TYPE_BLOB && !run->dev->is_host && t->base_rows < run->input->rows.bound;
}

/* Rows that a filter or join selected are gathered once, for all who read the chunk. */
static status main_column(program_run *run, uint32_t column, tensor **out)
{
    chunk *input = run->input;
    *out = input->columns[column];
    if (!*out)
        return status_new(STATUS_KIND_INTERNAL, "an expression reads a column that is not there");
    if ((*out)->form == TENSOR_INDEXED && !(*out)->is_dictionary && !repeats_bytes(run, *out)) {
        TRY(chunk_flatten_column(run->stream, input, column, out));
        if (run->seen[column]) {
            tensor_unref(run->seen[column]);
            run->seen[column] = tensor_ref(*out);
        }
    }
    return STATUS_OK;
}

/* The input column as the frame has it, borrowed: FLAT, CONSTANT or a dictionary's codes. */
static status frame_column(program_run *run, frame *f, uint32_t column, tensor **out)
{
    if (f->dictionary) {
        *out = f->dictionary;
        return STATUS_OK;
    }
    if (!f->parent)
        return main_column(run, column, out);
    if (!f->columns[column]) {
        tensor *source;
        TRY(frame_column(run, f->parent, column, &source));
        TRY(tensor_new_indexed(run->stream, source, f->parent->count.bound, f->rows, f->count,
                               &f->columns[column]));
        if (!f->columns[column]->is_dictionary) {
            tensor *flat;
            TRY(tensor_flatten(run->stream, f->columns[column], f->count, &flat));
            tensor_unref(f->columns[column]);
            f->columns[column] = flat;
        }
    }
    *out = f->columns[column];
    return STATUS_OK;
}

/* ---- constants ---- */

/* One computed row as a constant; its text lies in the constant's own memory. */
static status make_constant(program_run *run, tensor *flat, tensor **out)
{
    if (flat->form == TENSOR_CONSTANT) {
        *out = tensor_ref(flat);
        return STATUS_OK;
    }
    if (type_is_nested(flat->type)) /* a row of its own stands for all */
        return tensor_flatten(run->stream, flat, dev_count_exact(1), out);
    tensor *row;
    TRY(tensor_flatten(run->stream, flat, dev_count_exact(1), &row));
    value v = tensor_value(row, 0);
    status st = tensor_new_constant(run->stream, &v, out);
    tensor_unref(row);
    if (!st && type_is_text(v.type) && !v.is_null)
        (*out)->constant.text = string_data((*out)->values);
    return st;
}

static status null_constant(program_run *run, data_type type, tensor **out)
{
    bool is_bytes = type_is_nested(type) && !run->dev->is_host; /* as instruction_nested */
    value null = value_null(is_bytes ? type_make(TYPE_BLOB) : type);
    return tensor_new_constant(run->stream, &null, out);
}

/* ---- dictionaries ---- */

/* Does evaluating the entries pay? Never more than twice what the better choice costs: rows are
 * evaluated one by one until as many came as the dictionary has entries. The answer stays the same
 * for all of a chunk: an instruction that waits for its rows' bytes must find the rows it asked for. */
static bool dictionary_pays(const program_run *run, frame *d, const tensor *column, uint64_t rows)
{
    if (d->dictionary == column->base)
        return !d->is_refused;
    if (d->declined_chunk == run->chunk_number)
        return false;
    if (d->rows_declined + rows >= column->base_rows)
        return true;
    d->rows_declined += rows;
    d->declined_chunk = run->chunk_number;
    return false;
}

static bool has_dictionary(const tensor *column)
{
    return (column->form == TENSOR_INDEXED && column->is_dictionary) ||
           (column->form == TENSOR_NARROW && column->base);
}

static bool may_be_null(const tensor *column)
{
    return column->form == TENSOR_INDEXED ? column->index->has_nulls
                                          : column->narrow.has_null_codes;
}

/* The frame of the column's dictionary, or NULL: the instruction is evaluated on the frame's own
 * rows. */
static status dictionary_frame(program_run *run, frame *f, const instruction *s,
                               tensor **out_column, frame **out)
{
    *out = NULL;
    if (s->only_column < 0 || (s->kernel_fails && !run->dev->is_host) || f->dictionary)
        return STATUS_OK;
    tensor *column;
    TRY(frame_column(run, f, (uint32_t)s->only_column, &column));
    if (!has_dictionary(column) || (may_be_null(column) && !s->is_strict))
        return STATUS_OK;
    frame **location = &run->dictionaries[s->only_column];
    if (!*location) {
        frame *made = mem_new(sizeof *made);
        if (!made)
            return status_no_memory("expression", sizeof *made);
        *location = made;
        TRY(frame_init_dictionary(run->program, made));
    }
    frame *d = *location;
    if (!dictionary_pays(run, d, column, f->count.bound))
        return STATUS_OK;
    if (d->dictionary != column->base) {
        frame_clear(run->program, d);
        tensor_unref(d->dictionary);
        d->dictionary = tensor_ref(column->base);
        d->count = dev_count_exact(column->base_rows);
        d->rows_declined = 0;
        d->is_refused = false;
    }
    *out_column = column;
    *out = d;
    return STATUS_OK;
}

static exec_result run_kernel(program_run *run, frame *f, uint32_t number);

/* Gives the dictionary up after a failure: an entry that no row refers to may fail, and one that a row refers to may
 * not be needed. Rows are then evaluated one by one, as they are asked for. */
static bool refuse_dictionary(program_run *run, status st)
{
    if (!run->tried || status_get_kind(st) == STATUS_KIND_CANCELLED)
        return false;
    run->tried->is_refused = true;
    run_forgive(run, st);
    return true;
}

static exec_result run_on_dictionary(program_run *run, frame *f, uint32_t number, frame *d,
                                     tensor *column)
{
    exec_task *task = run->task;
    tensor *indexed;
    EXEC_TRY(task, run_check_before(run));
    run->tried = d;
    exec_result done = run_instruction(run, d, number);
    run->tried = NULL;
    if (done == EXEC_FAILED && d->is_refused)
        return run_kernel(run, f, number);
    if (done != EXEC_FINISHED)
        return done;
    if (column->form == TENSOR_NARROW)
        EXEC_TRY(task, narrow_look_up(run->stream, column, d->slots[number], f->count, &indexed));
    else
        EXEC_TRY(task, tensor_new_indexed(run->stream, d->slots[number], column->base_rows,
                                          column->index, f->count, &indexed));
    slot_set(f, number, indexed);
    return EXEC_FINISHED;
}

/* ---- instructions ---- */

static exec_result run_arguments(program_run *run, frame *f, const instruction *s,
                                 bool *out_is_null)
{
    *out_is_null = false;
    for (uint32_t i = 0; i < s->arg_count; i++) {
        exec_result done = run_instruction(run, f, s->args[i]);
        if (done != EXEC_FINISHED)
            return done;
        const tensor *arg = f->slots[s->args[i]];
        *out_is_null |= s->passes_null && arg->form == TENSOR_CONSTANT && arg->constant.is_null;
    }
    return EXEC_FINISHED;
}

/* Arguments that nothing else reads: a long expression would keep a column of each of its levels. The
 * constant frame keeps its values for all chunks. */
static void release_arguments(program_run *run, frame *f, const instruction *s)
{
    for (uint32_t i = 0; i < s->arg_count && f != &run->constant; i++) {
        const instruction *arg = instruction_at(run, s->args[i]);
        if (arg->user_count == 1 && arg->kind != INSTRUCTION_CONSTANT &&
            arg->kind != INSTRUCTION_COLUMN)
            slot_clear(f, s->args[i]);
    }
}

static exec_result run_kernel(program_run *run, frame *f, uint32_t number)
{
    exec_task *task = run->task;
    const instruction *s = &run->program->instructions.items[number];
    bool is_null = false, ran;
    tensor *result = NULL;
    exec_result below = run_below(run, f, number);
    if (below != EXEC_FINISHED)
        return below;
    exec_result tiles = run_tiles(run, f, number, &ran);
    if (tiles != EXEC_FINISHED || ran)
        return tiles;
    if (s->kind != INSTRUCTION_LAZY_CASE) {
        exec_result done = run_arguments(run, f, s, &is_null);
        if (done != EXEC_FINISHED)
            return done;
    }
    if (is_null) {
        EXEC_TRY(task, null_constant(run, s->type, &result));
        slot_set(f, number, result);
        return EXEC_FINISHED;
    }
    if (s->kind == INSTRUCTION_LAZY_CASE || s->kind == INSTRUCTION_LAMBDA) {
        exec_result done = s->kind == INSTRUCTION_LAMBDA
                               ? ((const lambda *)s->data)->run(run, f, number, &result)
                               : instruction_lazy_case(run, f, number, &result);
        if (done == EXEC_FINISHED)
            slot_set(f, number, result);
        return done;
    }
    status st = run_on_entries(run, f, number, functions[s->kind], &result);
    if (!st && !result)
        st = functions[s->kind](run, f, number, &result);
    if (st) {
        tensor_unref(result);
        return refuse_dictionary(run, st) ? EXEC_FAILED : exec_fail(task, st);
    }
    slot_set(f, number, result);
    release_arguments(run, f, s);
    return EXEC_FINISHED;
}

/* Instructions that read no column, on a host device: computed once, for one row. Their slots are shared by
 * all frames and all chunks, so each is a CONSTANT from the moment others can see it. */
static exec_result run_constant(program_run *run, frame *f, uint32_t number)
{
    exec_task *task = run->task;
    frame *c = &run->constant;
    const instruction *s = &run->program->instructions.items[number];
    if (!c->slots[number] && s->kind == INSTRUCTION_CONSTANT) {
        tensor *made;
        EXEC_TRY(task, tensor_new_constant(run->stream, &s->constant, &made));
        slot_set(c, number, made);
    } else if (!c->slots[number]) {
        exec_result done = run_kernel(run, c, number);
        if (done != EXEC_FINISHED)
            return done;
        tensor *computed = c->slots[number];
        c->slots[number] = NULL;
        status st = make_constant(run, computed, &c->slots[number]);
        tensor_unref(computed);
        EXEC_TRY(task, st);
    }
    if (f == c)
        return EXEC_FINISHED;
    tensor *shared;
    EXEC_TRY(task, nested_repeat(run, c->slots[number], f->count.bound, &shared));
    slot_set(f, number, shared);
    return EXEC_FINISHED;
}

/* Takes over what the frame that this one selects from has computed already. */
static status take_over(program_run *run, frame *f, uint32_t number)
{
    tensor *indexed;
    TRY(tensor_new_indexed(run->stream, f->parent->slots[number], f->parent->count.bound, f->rows,
                           f->count, &indexed));
    slot_set(f, number, indexed);
    return STATUS_OK;
}

status run_needs_kernel(program_run *run, frame *f, uint32_t number, bool *out)
{
    const instruction *s = instruction_at(run, number);
    tensor *column;
    frame *dictionary;
    *out = false;
    if (f->slots[number] || (f->count.bound == 0 && s->can_fail) ||
        (f->parent && f->parent->slots[number]))
        return STATUS_OK;
    TRY(dictionary_frame(run, f, s, &column, &dictionary));
    *out = !dictionary;
    return STATUS_OK;
}

exec_result run_instruction(program_run *run, frame *f, uint32_t number)
{
    exec_task *task = run->task;
    const instruction *s = &run->program->instructions.items[number];
    tensor *column;
    frame *dictionary;
    if (f->slots[number])
        return EXEC_FINISHED;
    if (s->kind == INSTRUCTION_CONSTANT)
        return run_constant(run, f, number);
    if (s->kind == INSTRUCTION_COLUMN) {
        EXEC_TRY(task, frame_column(run, f, s->column, &column));
        slot_set(f, number, tensor_ref(column));
        return EXEC_FINISHED;
    }
    if (f->count.bound == 0 && s->can_fail) { /* no row needs it */
        EXEC_TRY(task, null_constant(run, s->type, &column));
        slot_set(f, number, column);
        return EXEC_FINISHED;
    }
    if (s->only_column == COLUMN_NONE && run->dev->is_host)
        return run_constant(run, f, number);
    if (f->parent && f->parent->slots[number]) {
        EXEC_TRY(task, take_over(run, f, number));
        return EXEC_FINISHED;
    }
    EXEC_TRY(task, dictionary_frame(run, f, s, &column, &dictionary));
    if (dictionary)
        return run_on_dictionary(run, f, number, dictionary, column);
    return run_kernel(run, f, number);
}

/* ---- what instructions are made of ---- */

status run_operand(program_run *run, frame *f, uint32_t number, operand *out)
{
    tensor *t = f->slots[number];
    if (t->form == TENSOR_INDEXED || t->form == TENSOR_NARROW) {
        tensor *flat;
        TRY(tensor_flatten(run->stream, t, f->count, &flat));
        tensor_unref(t);
        f->slots[number] = t = flat;
    }
    *out = (operand){.column = t, .values = t->values, .validity = t->validity, .stride = 1};
    if (t->form == TENSOR_CONSTANT) {
        out->stride = 0;
        out->validity = t->constant.is_null ? run->zeros->address : NULL;
    }
    return STATUS_OK;
}

status run_column(program_run *run, frame *f, uint32_t number, operand *out)
{
    TRY(run_operand(run, f, number, out));
    if (out->stride)
        return STATUS_OK;
    /* The slots of the constant frame stay as they are; its columns, of one row, lie beside them. */
    bool is_shared = f == &run->constant;
    tensor **location = is_shared ? &run->constant_columns[number] : &f->slots[number], *flat;
    if (!is_shared || !*location) {
        TRY(tensor_flatten(run->stream, out->column, f->count, &flat));
        tensor_unref(*location);
        *location = flat;
    }
    flat = *location;
    *out =
        (operand){.column = flat, .values = flat->values, .validity = flat->validity, .stride = 1};
    return STATUS_OK;
}

status run_operands(program_run *run, frame *f, const instruction *s, operand out[2])
{
    TRY(run_operand(run, f, s->args[0], &out[0]));
    TRY(run_operand(run, f, s->args[1], &out[1]));
    if (out[0].stride || out[1].stride)
        return STATUS_OK;
    TRY(run_column(run, f, s->args[0], &out[0]));
    return run_operand(run, f, s->args[1], &out[1]); /* it may be the same instruction */
}

status run_result(program_run *run, frame *f, data_type type, tensor **out)
{
    return tensor_new_flat(run->dev, type, f->count.bound, false, out);
}

status run_validity(program_run *run, frame *f, tensor *result, const operand *operands,
                    uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        const tensor *from = operands[i].column;
        if (!operands[i].validity || !operands[i].stride || from->validity == result->validity)
            continue;
        if (!result->validity) {
            result->validity = from->validity;
            result->validity_owner = dev_buffer_ref(from->validity_owner);
            continue;
        }
        dev_buffer *both;
        TRY(dev_alloc(run->dev, bitmap_bytes(f->count.bound), "chunk", &both));
        status st = DEV_LAUNCH(run->stream, logic, .op = DEV_LOGIC_BOTH_VALID,
                               .left_validity = result->validity, .left_stride = 1,
                               .right_validity = operands[i].validity, .right_stride = 1,
                               .count = f->count, .out = both->address);
        dev_buffer_unref(result->validity_owner);
        result->validity = both->address;
        result->validity_owner = both;
        TRY(st);
    }
    return STATUS_OK;
}

status run_upload(program_run *run, uint32_t number, const void **out)
{
    const instruction *s = &run->program->instructions.items[number];
    if (!run->uploads[number]) {
        TRY(dev_alloc(run->dev, s->data_bytes + 1, "constant", &run->uploads[number]));
        TRY(dev_upload(run->stream, run->uploads[number]->address, s->data, s->data_bytes,
                       "constant"));
    }
    *out = run->uploads[number]->address;
    return STATUS_OK;
}

status run_merge_heaps(tensor *const *columns, uint32_t count, string_heap **out)
{
    uint32_t total = 0;
    string_heap *only = NULL;
    *out = NULL;
    for (uint32_t i = 0; i < count; i++)
        if (columns[i]->heap && columns[i]->heap != only) {
            total += columns[i]->heap->buffer_count;
            only = columns[i]->heap;
        }
    if (!only || only->buffer_count == total) {
        *out = string_heap_ref(only);
        return STATUS_OK;
    }
    dev_buffer **buffers = mem_new_array(total, sizeof *buffers);
    if (!buffers)
        return status_no_memory("string heap", total * sizeof *buffers);
    uint32_t at = 0;
    only = NULL;
    for (uint32_t i = 0; i < count; i++) {
        string_heap *heap = columns[i]->heap;
        if (!heap || heap == only)
            continue;
        for (uint32_t k = 0; k < heap->buffer_count; k++)
            buffers[at++] = dev_buffer_ref(heap->buffers[k]);
        only = heap;
    }
    status st = string_heap_new(buffers, total, out);
    mem_free(buffers);
    return st;
}

/* ---- runs ---- */

status program_run_new(const program *p, exec_task *task, program_run **out)
{
    *out = NULL;
    program_run *run = mem_new(sizeof *run);
    if (!run)
        return status_no_memory("expression", sizeof *run);
    run->program = p;
    run->task = task;
    run->stream = task->stream;
    run->dev = task->stream->dev;
    size_t instructions = p->instructions.count + 1, columns = p->layout.count + 1;
    run->dictionaries = mem_new_array(columns, sizeof *run->dictionaries);
    run->seen = mem_new_array(columns, sizeof *run->seen);
    run->uploads = mem_new_array(instructions, sizeof *run->uploads);
    run->constant_columns = mem_new_array(instructions, sizeof *run->constant_columns);
    run->results = mem_new_array(instructions, sizeof *run->results);
    run->lambdas = mem_new_array(instructions, sizeof *run->lambdas);
    run->visited = mem_new_array(instructions, sizeof *run->visited);
    status st = STATUS_OK;
    if (!run->dictionaries || !run->seen || !run->uploads || !run->constant_columns ||
        !run->results || !run->lambdas || !run->visited)
        st = status_no_memory("expression", instructions * sizeof *run->uploads);
    if (!st)
        st = frame_init(p, &run->main);
    if (!st)
        st = frame_init(p, &run->constant);
    if (!st)
        st = frame_init(p, &run->entries);
    if (!st)
        st = dev_words_new(run->stream, 8, &run->zeros);
    if (!st)
        st = tile_run_new(run, &run->tiles);
    run->constant.count = dev_count_exact(1);
    run->chunk_number = 1;
    if (st) {
        program_run_free(run);
        return st;
    }
    *out = run;
    return STATUS_OK;
}

static void forget_input(program_run *run)
{
    run->chunk_number++;
    run->has_seen_all = false;
    frame_clear(run->program, &run->main);
    for (uint32_t i = 0; run->seen && i < run->program->layout.count; i++) {
        tensor_unref(run->seen[i]);
        run->seen[i] = NULL;
    }
}

void program_run_free(program_run *run)
{
    if (!run)
        return;
    const program *p = run->program;
    forget_input(run);
    frame_release(p, &run->main);
    frame_release(p, &run->constant);
    frame_release(p, &run->entries);
    frame_free_spares(run);
    for (uint32_t i = 0; run->dictionaries && i < p->layout.count; i++)
        if (run->dictionaries[i]) {
            frame_release(p, run->dictionaries[i]);
            mem_free(run->dictionaries[i]);
        }
    for (size_t i = 0; i < p->instructions.count; i++) {
        if (run->uploads)
            dev_buffer_unref(run->uploads[i]);
        if (run->constant_columns)
            tensor_unref(run->constant_columns[i]);
        if (run->results)
            entry_results_free(run->results[i]);
        if (run->lambdas)
            program_run_free(run->lambdas[i]);
    }
    row_index_unref(run->identity);
    dev_buffer_unref(run->zeros);
    mem_free(run->dictionaries);
    mem_free(run->seen);
    mem_free(run->uploads);
    mem_free(run->constant_columns);
    mem_free(run->results);
    mem_free(run->lambdas);
    mem_free(run->visited);
    mem_free(run->tiles);
    mem_free(run->host);
    mem_free(run);
}

void program_run_take_all(program_run *run)
{
    run->takes_all = true;
}

static void see_columns(program_run *run, uint32_t index)
{
    const program *p = run->program;
    for (uint32_t k = 0; k < p->input_counts[index]; k++) {
        uint32_t column = p->inputs[index][k];
        if (!run->seen[column])
            run->seen[column] = tensor_ref(run->input->columns[column]);
    }
}

static bool program_run_is_seen(const program_run *run, const chunk *input, uint32_t column)
{
    return !run->seen[column] ||
           (column < input->column_count && run->seen[column] == input->columns[column]);
}

/* Slots stay valid while the columns that they were computed from are the chunk's, for as many rows: the next expression of
 * that chunk shares them, and one that waited goes on. What an expression uses was computed from the columns that it reads;
 * volatile instructions are computed anew for any other chunk, and so is what a lazy device counts. */
static bool is_same_input(const program_run *run, uint32_t index, const chunk *input)
{
    const program *p = run->program;
    dev_count count = run->main.count;
    bool looks_at_all = p->is_volatile || count.actual || !p->input_counts[index];
    bool is_same = count.bound == input->rows.bound && count.actual == input->rows.actual;
    for (uint32_t i = 0; looks_at_all && i < p->layout.count && is_same; i++)
        is_same = program_run_is_seen(run, input, i);
    for (uint32_t k = 0; !looks_at_all && k < p->input_counts[index] && is_same; k++)
        is_same = program_run_is_seen(run, input, p->inputs[index][k]);
    return is_same;
}

static void program_run_attach(program_run *run, uint32_t index, chunk *input)
{
    run->input = input;
    if (!is_same_input(run, index, input)) {
        forget_input(run);
        run->main.count = input->rows;
    }
    run->root = index;
    see_columns(run, index);
    if (!run->takes_all || run->has_seen_all)
        return;
    for (uint32_t r = index + 1; r < run->program->root_count; r++)
        see_columns(run, r);
    run->has_seen_all = true;
}

/* Checks that what other frames take as one value for all their rows is one. */
static void check_constants(const program_run *run)
{
#ifndef NDEBUG
    for (uint32_t i = 0; i < run->program->instructions.count; i++)
        assert(!run->constant.slots[i] || run->constant.slots[i]->form == TENSOR_CONSTANT ||
               type_is_nested(run->constant.slots[i]->type));
#else
    (void)run;
#endif
}

static void detach(program_run *run, uint32_t index)
{
    check_constants(run);
    if (index + 1 >= run->program->root_count)
        forget_input(run);
    else
        frame_forget(run->program, &run->main, index);
    run->input = NULL;
}

static exec_result run_root(program_run *run, uint32_t index)
{
    exec_result done = run_draws(run, index);
    if (done != EXEC_FINISHED)
        return done;
    return run_instruction(run, &run->main, run->program->roots[index]);
}

exec_result program_evaluate(program_run *run, uint32_t index, chunk *input, tensor **out)
{
    uint32_t root = run->program->roots[index];
    const instruction *s = &run->program->instructions.items[root];
    *out = NULL;
    if (s->kind == INSTRUCTION_COLUMN) {
        /* As it is: selected rows need not be gathered yet. */
        *out = tensor_ref(input->columns[s->column]);
        return EXEC_FINISHED;
    }
    program_run_attach(run, index, input);
    exec_result done = run_root(run, index);
    if (done == EXEC_FINISHED)
        *out = tensor_ref(run->main.slots[root]);
    detach(run, index);
    return done;
}

static status program_run_select_rows(program_run *run, operand mask, row_index **out_rows,
                                      dev_count *out_count, dev_buffer **out_owner)
{
    row_mask bits = {.bits = mask.values, .validity = mask.validity};
    row_selection selection;
    TRY(row_selection_make(run->stream, &bits, run->main.count, &selection));
    *out_rows = selection.rows;
    *out_count = selection.count;
    *out_owner = selection.count_owner;
    return STATUS_OK;
}

/* All rows pass, or none does. */
static status select_constant(program_run *run, const value *condition, row_index **out_rows,
                              dev_count *out_count)
{
    *out_count = run->main.count;
    if (!condition->is_null && condition->boolean)
        return STATUS_OK;
    *out_count = dev_count_exact(0);
    return row_index_new(run->dev, 1, out_rows);
}

exec_result program_select(program_run *run, uint32_t index, chunk *input, row_index **out_rows,
                           dev_count *out_count, dev_buffer **out_owner)
{
    uint32_t root = run->program->roots[index];
    *out_rows = NULL;
    *out_owner = NULL;
    program_run_attach(run, index, input);
    exec_result done = run_root(run, index);
    status st = STATUS_OK;
    if (done == EXEC_FINISHED) {
        operand mask;
        tensor *result = run->main.slots[root];
        if (result->form == TENSOR_CONSTANT)
            st = select_constant(run, &result->constant, out_rows, out_count);
        else if (!(st = run_operand(run, &run->main, root, &mask)))
            st = program_run_select_rows(run, mask, out_rows, out_count, out_owner);
    }
    exec_task *task = run->task;
    detach(run, index);
    EXEC_TRY(task, st);
    return done;
}
