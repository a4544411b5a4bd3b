/* program_run_entries.c - instructions on texts of which there are few: a function of two columns is
 * computed once for each combination of their values, as one of a single column is for each of its
 * dictionary's.
 *
 *   a          b          a || b                  combinations, and what is made of them
 *   x y x      1 0 0      base[4 .. 0 ..]         -0 -1 x- x0 x1 y- y0 y1
 *
 * A value's number within its base, plus one, is a digit, 0 stands for NULL, and a row's digits are the
 * number of its combination. What comes out has few values again, so that a chain of || stays short
 * work. Host devices only: what fails for a combination that no row has is not a failure. */
#include "exec/expression/program_run_entries.h"

#include "exec/expression/program_instruction.h"

#define ENTRIES_MAX 16384
/* Rows for each combination, before anything is known of them. */
#define ROWS_PER_ENTRY 2

/* Returns whether an instruction costs more for a row than looking its number up. */
static bool program_run_entries_is_costly(const program_run *run, const instruction *s)
{
    switch (s->kind) {
    case INSTRUCTION_LIKE:
    case INSTRUCTION_LIKE_COLUMN:
    case INSTRUCTION_STARTS_WITH:
    case INSTRUCTION_SLICE:
    case INSTRUCTION_TRIM:
    case INSTRUCTION_MEASURE:
    case INSTRUCTION_BUILD:
    case INSTRUCTION_CAST_FROM_TEXT:
        return true;
    case INSTRUCTION_COMPARE:
    case INSTRUCTION_IN_LIST:
        return type_is_text(instruction_at(run, s->args[0])->type);
    default:
        return false;
    }
}

/* Lists the arguments that are not constant, each once; false: they do not come as few values. */
static bool program_run_entries_find_columns(const frame *f, const instruction *s, tensor **columns,
                                             uint32_t *count)
{
    *count = 0;
    for (uint32_t i = 0; i < s->arg_count; i++) {
        tensor *t = f->slots[s->args[i]];
        if (t->form == TENSOR_CONSTANT || (*count && t == columns[*count - 1]))
            continue;
        if (t->form != TENSOR_INDEXED || !t->base_rows || *count == ENTRY_ARGS_MAX)
            return false;
        columns[(*count)++] = t;
    }
    return *count > 0;
}

/* Returns the number of entries: one column's values, or the combinations of two columns' values with each other and
 * with NULL. */
static uint64_t count_entries(tensor *const *columns, uint32_t count)
{
    if (count == 1)
        return columns[0]->base_rows;
    if (columns[0]->base_rows >= ENTRIES_MAX || columns[1]->base_rows >= ENTRIES_MAX)
        return UINT64_MAX;
    return (columns[0]->base_rows + 1) * (columns[1]->base_rows + 1);
}

static bool program_run_entries_has_nulls(tensor *const *columns, uint32_t count)
{
    bool any = false;
    for (uint32_t i = 0; i < count; i++)
        any |= columns[i]->index->has_nulls || columns[i]->base->validity;
    return any;
}

static bool program_run_entries_is_known(const entry_results *results, tensor *const *columns,
                                         uint32_t count)
{
    if (!results || results->base_count != count ||
        results->has_nulls != program_run_entries_has_nulls(columns, count))
        return false;
    for (uint32_t i = 0; i < count; i++)
        if (results->bases[i] != columns[i]->base || results->base_rows[i] != columns[i]->base_rows)
            return false;
    return true;
}

static void program_run_entries_forget(entry_results *results)
{
    for (uint32_t i = 0; i < results->base_count; i++)
        tensor_unref(results->bases[i]);
    tensor_unref(results->values);
    *results = (entry_results){0};
}

void entry_results_free(entry_results *results)
{
    if (results)
        program_run_entries_forget(results);
    mem_free(results);
}

/* ---- the combinations ---- */

/* The value that column `number` has in each combination. */
static status program_run_entries_spread(program_run *run, tensor *const *columns, uint32_t number,
                                         dev_count entries, tensor **out)
{
    row_index *index;
    uint32_t radix = (uint32_t)columns[number]->base_rows + 1;
    TRY(row_index_new(run->dev, entries.bound, &index));
    index->has_nulls = true;
    status st = DEV_LAUNCH(
        run->stream, codes_to_index, .codes = NULL, .first = 0, .count = entries, .radix = radix,
        .digit = number ? (uint32_t)columns[0]->base_rows + 1 : 1, .out = index->rows);
    if (!st)
        st = tensor_new_indexed(run->stream, columns[number]->base, columns[number]->base_rows,
                                index, entries, out);
    row_index_unref(index);
    return st;
}

/* The arguments, as they are in each combination, in the frame of these. */
static status set_slots(program_run *run, frame *f, const instruction *s, tensor *const *columns,
                        uint32_t count)
{
    frame *entries = &run->entries;
    for (uint32_t i = 0; i < s->arg_count; i++) {
        tensor *t = f->slots[s->args[i]], **slot = &entries->slots[s->args[i]];
        if (*slot) /* an argument that is there twice */
            continue;
        if (t->form == TENSOR_CONSTANT)
            *slot = tensor_ref(t);
        else if (count == 1)
            *slot = tensor_ref(t->base);
        else
            TRY(program_run_entries_spread(run, columns, t == columns[1], entries->count, slot));
    }
    return STATUS_OK;
}

static void program_run_entries_clear_slots(program_run *run, const instruction *s)
{
    for (uint32_t i = 0; i < s->arg_count; i++) {
        tensor_unref(run->entries.slots[s->args[i]]);
        run->entries.slots[s->args[i]] = NULL;
    }
}

/* Nobody refers to combinations with NULL where there is none. */
static void program_run_entries_drop_validity(tensor *values)
{
    dev_buffer_unref(values->validity_owner);
    values->validity_owner = NULL;
    values->validity = NULL;
}

static status program_run_entries_compute(program_run *run, frame *f, uint32_t number,
                                          instruction_function function, tensor *const *columns,
                                          uint32_t count, entry_results *results)
{
    const instruction *s = instruction_at(run, number);
    tensor *values = NULL;
    TRY(run_check_before(run));
    run->entries.count = dev_count_exact(count_entries(columns, count));
    status st = set_slots(run, f, s, columns, count);
    if (!st)
        st = function(run, &run->entries, number, &values);
    program_run_entries_clear_slots(run, s);
    if (st && status_get_kind(st) != STATUS_KIND_DATA) {
        tensor_unref(values);
        return st;
    }
    if (st) {
        run_forgive(run, st);
        tensor_unref(values);
        values = NULL;
    }
    results->base_count = count;
    results->has_nulls = program_run_entries_has_nulls(columns, count);
    results->values = values;
    for (uint32_t i = 0; i < count; i++) {
        results->bases[i] = tensor_ref(columns[i]->base);
        results->base_rows[i] = columns[i]->base_rows;
    }
    if (values && !results->has_nulls && values->form == TENSOR_FLAT)
        program_run_entries_drop_validity(values);
    return STATUS_OK;
}

/* ---- the rows ---- */

static status make_identity(program_run *run)
{
    if (run->identity)
        return STATUS_OK;
    TRY(row_index_new(run->dev, ENTRIES_MAX, &run->identity));
    return DEV_LAUNCH(run->stream, count_up, .first = 0, .count = dev_count_exact(ENTRIES_MAX),
                      .out = run->identity->rows);
}

/* The numbers of the rows' combinations. */
static status program_run_entries_number_rows(program_run *run, frame *f, tensor *const *columns,
                                              row_index **out)
{
    uint32_t digit = 1;
    TRY(make_identity(run));
    TRY(row_index_new(run->dev, f->count.bound, out));
    for (uint32_t i = 0; i < 2; i++) {
        uint32_t radix = (uint32_t)columns[i]->base_rows + 1;
        TRY(DEV_LAUNCH(run->stream, codes_index, .ids = run->identity->rows,
                       .id_count = columns[i]->base_rows, .index = columns[i]->index->rows,
                       .count = f->count, .radix = radix, .digit = digit, .combine = i > 0,
                       .out = (*out)->rows));
        digit *= radix;
    }
    return STATUS_OK;
}

static status program_run_entries_look_up(program_run *run, frame *f, tensor *const *columns,
                                          uint32_t count, const entry_results *results,
                                          tensor **out)
{
    row_index *rows = NULL;
    status st = STATUS_OK;
    if (count == 1)
        rows = row_index_ref(columns[0]->index);
    else
        st = program_run_entries_number_rows(run, f, columns, &rows);
    if (!st)
        st = tensor_new_indexed(run->stream, results->values, count_entries(columns, count), rows,
                                f->count, out);
    row_index_unref(rows);
    return st;
}

status run_on_entries(program_run *run, frame *f, uint32_t number, instruction_function function,
                      tensor **result)
{
    const instruction *s = instruction_at(run, number);
    tensor *columns[ENTRY_ARGS_MAX];
    uint32_t count;
    if (!run->dev->is_host || !s->passes_null || !program_run_entries_is_costly(run, s) ||
        !program_run_entries_find_columns(f, s, columns, &count))
        return STATUS_OK;
    entry_results **results = &run->results[number];
    if (!program_run_entries_is_known(*results, columns, count)) {
        uint64_t entries = count_entries(columns, count);
        if ((count > 1 && entries > ENTRIES_MAX) || entries > f->count.bound / ROWS_PER_ENTRY)
            return STATUS_OK;
        if (!*results && !(*results = mem_new(sizeof **results)))
            return status_no_memory("expression", sizeof **results);
        program_run_entries_forget(*results);
        TRY(program_run_entries_compute(run, f, number, function, columns, count, *results));
    }
    return (*results)->values
               ? program_run_entries_look_up(run, f, columns, count, *results, result)
               : STATUS_OK;
}
