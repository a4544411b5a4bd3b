/* join_probe.c - probe rows meet build rows.
 *
 * For each chunk: keys, then groups of the build table. Where only the presence of a match matters
 * a mask of rows is enough. Else pairs of row numbers are made, a bounded number at a time, the
 * residual condition narrows them, and the output's columns are both sides' columns under those
 * numbers: nothing is copied before somebody needs the values. Rows that an outer join keeps follow
 * last.
 *
 * How many rows there are stays on the device. Only where a probe row may have several pairs the
 * host must know how many times to go on: lazy devices count them first (PROBE_COUNTING). */
#include "exec/join/join_probe.h"

#include "device/chunk.h"
#include "device/selection.h"
#include "device/transfer.h"
#include "exec/expression/program_compile.h"
#include "exec/expression/program_run.h"
#include "exec/join/join_range.h"
#include "exec/join/join_side.h"

static bool keeps_probe(plan_join_type type)
{
    return type == JOIN_LEFT || type == JOIN_FULL || type == JOIN_SINGLE;
}

static bool gives_pairs(plan_join_type type)
{
    return type == JOIN_INNER || type == JOIN_RIGHT || keeps_probe(type);
}

static void drop_pairs(join_prober *p)
{
    row_index_unref(p->pair_probe);
    row_index_unref(p->pair_build);
    p->pair_probe = p->pair_build = NULL;
    chunk_free(p->candidate);
    p->candidate = NULL;
    dev_buffer_unref(p->pairs_owner);
    p->pairs_owner = NULL;
}

void join_prober_drop(join_prober *p)
{
    drop_pairs(p);
    if (p->join) {
        dev_fetch_close(exec_device(p->join->base.query), &p->counted);
        late_chunk_close(exec_device(p->join->base.query), &p->rest);
    }
    for (uint32_t k = 0; p->keys && k < p->join->probe_key_count; k++) {
        tensor_unref(p->keys[k]);
        p->keys[k] = NULL;
    }
    row_index_unref(p->groups);
    p->groups = NULL;
    dev_buffer_unref(p->places);
    dev_buffer_unref(p->least);
    p->places = p->least = NULL;
    dev_buffer_unref(p->matched);
    p->matched = NULL;
    dev_buffer_unref(p->cursor);
    p->cursor = NULL;
    chunk_free(p->input);
    p->input = NULL;
    p->stage = PROBE_IDLE;
}

/* ---- keys and groups ---- */

/* keeps_rows: of a base, where the dictionary takes them. */
static exec_result join_probe_make_keys(join_prober *p, exec_task *task, bool keeps_rows)
{
    for (; p->next_key < p->join->probe_key_count; p->next_key++) {
        tensor *value = NULL, **key = &p->keys[p->next_key];
        exec_result result = program_evaluate(p->keys_run, p->next_key, p->input, &value);
        if (result != EXEC_FINISHED)
            return result;
        if (keeps_rows && join_dictionary_takes(&p->dictionary, p->join, value, p->input->rows)) {
            *key = value;
            continue;
        }
        status st = tensor_flatten(task->stream, value, p->input->rows, key);
        tensor_unref(value);
        EXEC_TRY(task, st);
    }
    return EXEC_FINISHED;
}

exec_result join_prober_keys(join_prober *p, exec_task *task)
{
    return join_probe_make_keys(p, task, false);
}

static status join_probe_look_up(join_prober *p, exec_task *task)
{
    const tensor *key = p->keys[0];
    if (key && key->form == TENSOR_INDEXED)
        return join_dictionary_probe(&p->dictionary, p->join, task, key, p->rows, &p->groups);
    return join_table_probe(&p->side->table, task, p->keys, p->rows, &p->groups);
}

static status zero_bits(exec_task *task, dev_count rows, dev_buffer **out)
{
    size_t bytes = bitmap_bytes(rows.bound);
    TRY(dev_alloc(task->stream->dev, bytes, "join probe", out));
    return task->stream->dev->ops->zero(task->stream, (*out)->address, bytes);
}

/* Semi and anti joins that give build rows: groups that have a match. */
static status mark_groups(join_prober *p, exec_task *task)
{
    if (!p->side->matched_groups)
        return STATUS_OK;
    return DEV_LAUNCH(task->stream, join_mark, .index = p->groups->rows, .count = p->rows,
                      .bits = p->side->matched_groups->address);
}

static uint32_t join_probe_location_of(const op_join_build *join)
{
    return (uint32_t)(join->base.plan->position < 0 ? 0 : join->base.plan->position);
}

static status start_rows(join_prober *p, exec_task *task)
{
    TRY(join_probe_look_up(p, task));
    if (p->join->range_count)
        TRY(join_range_find(p->join, &p->side->table, task, p->keys, p->rows, p->groups->rows,
                            &p->places, &p->least));
    else if (p->join->emits_build && !p->join->residual)
        return mark_groups(p, task);
    if (p->join->type == JOIN_SINGLE && p->side->table.starts)
        TRY(DEV_LAUNCH(task->stream, join_check_single, .groups = p->groups->rows, .count = p->rows,
                       .starts = p->side->table.starts->address, .error = task->error,
                       .location = join_probe_location_of(p->join)));
    TRY(exec_check_error(task));
    if (p->join->residual && !p->join->emits_build)
        TRY(zero_bits(task, p->rows, &p->matched));
    return dev_words_new(task->stream, 4, &p->cursor);
}

/* ---- masks ---- */

/* The mask becomes that of all pieces of the build side so far. */
static status add_seen(join_prober *p, exec_task *task, uint64_t *mask)
{
    TRY(DEV_LAUNCH(task->stream, join_seen, .count = p->rows, .mask = mask, .seen = p->seen,
                   .is_single = p->join->type == JOIN_SINGLE, .error = task->error,
                   .location = join_probe_location_of(p->join)));
    return exec_check_error(task);
}

/* A bit for each probe row that has a match. */
static status matched_mask(join_prober *p, exec_task *task, dev_buffer **out)
{
    status st = STATUS_OK;
    *out = dev_buffer_ref(p->matched);
    if (!*out)
        st = dev_alloc(task->stream->dev, bitmap_bytes(p->rows.bound), "join probe", out);
    if (!st && !p->matched)
        st = DEV_LAUNCH(task->stream, join_matched, .groups = p->groups->rows, .count = p->rows,
                        .out = (*out)->address);
    return !st && p->seen ? add_seen(p, task, (*out)->address) : st;
}

/* A bit for each probe row none of whose keys is NULL. */
static status valid_mask(join_prober *p, exec_task *task, dev_buffer **out)
{
    row_index *zeros;
    TRY(row_index_new(task->stream->dev, p->rows.bound, &zeros));
    status st = DEV_LAUNCH(task->stream, fill, .width = 4, .count = p->rows, .out = zeros->rows);
    for (uint32_t k = 0; k < p->join->key_count && !st; k++)
        if (p->keys[k]->validity)
            st = DEV_LAUNCH(task->stream, join_drop_nulls, .validity = p->keys[k]->validity,
                            .count = p->rows, .groups = zeros->rows);
    if (!st)
        st = dev_alloc(task->stream->dev, bitmap_bytes(p->rows.bound), "join probe", out);
    if (!st)
        st = DEV_LAUNCH(task->stream, join_matched, .groups = zeros->rows, .count = p->rows,
                        .out = (*out)->address);
    row_index_unref(zeros);
    return st;
}

/* ---- outputs ---- */

/* Output columns of the selected probe rows and, if given, build rows. */
static status join_probe_make_output(join_prober *p, exec_task *task, const row_selection *probe,
                                     row_index *build, chunk **out)
{
    dev_count rows = probe->count;
    TRY(chunk_new(p->join->output_count, p->rows, out));
    for (uint32_t i = 0; i < p->join->output_count; i++)
        if (!p->join->outputs[i].is_build && !p->join->outputs[i].is_mark)
            (*out)->columns[i] = tensor_ref(p->input->columns[p->join->outputs[i].column]);
    if (probe->rows)
        TRY(chunk_select(task->stream, *out, probe->rows, rows, NULL));
    (*out)->rows = rows;
    (*out)->rows_owner = dev_buffer_ref(probe->count_owner);
    for (uint32_t i = 0; i < p->join->output_count; i++) {
        const join_source *source = &p->join->outputs[i];
        tensor **target = &(*out)->columns[i];
        if (!source->is_build || source->is_mark)
            continue;
        if (!build)
            TRY(join_null_column(task->stream, p->join->build_types[source->column], target));
        else
            TRY(tensor_new_indexed(task->stream, p->side->table.build->columns[source->column],
                                   p->side->table.row_count, build, rows, target));
    }
    return STATUS_OK;
}

static status mark_column(join_prober *p, exec_task *task, tensor **out)
{
    dev_buffer *matched = NULL, *valid = NULL;
    bool may_be_null = p->join->base.plan->columns.items[p->join->output_count - 1].is_nullable;
    tensor *t;
    TRY(tensor_new_flat(task->stream->dev, type_make(TYPE_BOOL), 1, false, &t));
    status st = matched_mask(p, task, &matched);
    /* No match: NULL if the key is, or if some build key is. */
    if (!st && may_be_null && p->side->has_rows) {
        if (p->side->has_null_key)
            valid = dev_buffer_ref(matched);
        else
            st = valid_mask(p, task, &valid);
    }
    dev_buffer_unref(t->values_owner);
    t->values_owner = matched;
    t->values = matched ? matched->address : NULL;
    t->validity_owner = valid;
    t->validity = valid ? valid->address : NULL;
    if (st) {
        tensor_unref(t);
        return st;
    }
    *out = t;
    return STATUS_OK;
}

/* Probe rows with a match, or without one: semi, anti and outer joins. */
static status unpaired_rows(join_prober *p, exec_task *task, row_selection *out)
{
    dev_buffer *matched = NULL, *valid = NULL;
    status st = matched_mask(p, task, &matched);
    *out = (row_selection){0};
    if (!st && p->join->type == JOIN_ANTI_NULL && p->side->has_rows)
        st = valid_mask(p, task, &valid);
    row_mask mask = {.bits = matched ? matched->address : NULL,
                     .validity = valid ? valid->address : NULL,
                     .is_inverted = p->join->type != JOIN_SEMI};
    if (!st)
        st = row_selection_make(task->stream, &mask, p->rows, out);
    dev_buffer_unref(matched);
    dev_buffer_unref(valid);
    return st;
}

static status make_marked(join_prober *p, exec_task *task, chunk **out)
{
    row_selection all = {.count = p->rows, .count_owner = p->input->rows_owner};
    TRY(join_probe_make_output(p, task, &all, NULL, out));
    return mark_column(p, task, &(*out)->columns[p->join->output_count - 1]);
}

/* Makes what follows a chunk's pairs: the whole output of semi, anti and mark joins; the unmatched rows of outer
 * ones. */
static status make_rest(join_prober *p, exec_task *task, chunk **out)
{
    row_selection rows;
    *out = NULL;
    if (p->join->type == JOIN_INNER || p->join->type == JOIN_RIGHT || p->join->emits_build)
        return STATUS_OK;
    if (!p->is_last) {
        dev_buffer *matched = NULL;
        status st = matched_mask(p, task, &matched);
        dev_buffer_unref(matched);
        return st;
    }
    if (p->join->type == JOIN_MARK)
        return make_marked(p, task, out);
    if (p->join->type == JOIN_ANTI_NULL && p->side->has_rows && p->side->has_null_key)
        return STATUS_OK;
    TRY(unpaired_rows(p, task, &rows));
    status st = rows.count.bound ? join_probe_make_output(p, task, &rows, NULL, out) : STATUS_OK;
    row_selection_release(&rows);
    return st;
}

/* ---- all rows at once ---- */

/* Whether each probe row gives exactly one row, with its match or with NULLs, and nothing else decides. */
static bool gives_each_row(const join_prober *p)
{
    const join_table *table = &p->side->table;
    return keeps_probe(p->join->type) && table->is_unique && table->key_row_count &&
           !p->join->residual && !p->places && !p->seen && p->is_last;
}

/* The row of each group, ROW_NULL without one. */
static status join_probe_build_rows(join_prober *p, exec_task *task, row_index **out)
{
    const join_table *table = &p->side->table;
    *out = row_index_ref(p->groups);
    if (!table->rows)
        return STATUS_OK;
    row_index_unref(*out);
    TRY(row_index_new(task->stream->dev, p->rows.bound, out));
    status st = DEV_LAUNCH(task->stream, gather_index, .first = table->rows->address,
                           .second = p->groups->rows, .count = p->rows, .out = (*out)->rows);
    if (st)
        row_index_unref(*out);
    return st;
}

/* One chunk of the probe's columns as they are and the build's under an index with NULLs. Two chunks, of the pairs and of
 * the rows that stay, would be selected from it, and on lazy devices, where neither is known to be empty, would double
 * with each join of a chain. */
static status make_each_row(join_prober *p, exec_task *task, chunk **out)
{
    row_selection all = {.count = p->rows, .count_owner = p->input->rows_owner};
    row_index *build;
    TRY(join_probe_build_rows(p, task, &build));
    build->has_nulls = true;
    status st = STATUS_OK;
    if (p->side->matched)
        st = DEV_LAUNCH(task->stream, join_mark, .index = build->rows, .count = p->rows,
                        .bits = p->side->matched->address);
    if (!st)
        st = join_probe_make_output(p, task, &all, build, out);
    row_index_unref(build);
    return st;
}

static exec_result emit_each_row(join_prober *p, exec_task *task, chunk **output)
{
    chunk *rows = NULL;
    status st = make_each_row(p, task, &rows);
    join_prober_drop(p);
    if (st) {
        chunk_free(rows);
        return exec_fail(task, st);
    }
    *output = rows;
    return EXEC_HAVE_OUTPUT;
}

/* ---- pairs ---- */

/* All pairs of the chunk, where no key has two build rows. */
static status unique_pairs(join_prober *p, exec_task *task)
{
    const join_table *table = &p->side->table;
    device *dev = task->stream->dev;
    TRY(row_index_new(dev, p->rows.bound, &p->pair_probe));
    if (table->rows || table->is_direct)
        TRY(row_index_new(dev, p->rows.bound, &p->pair_build));
    p->pairs = (dev_count){.bound = p->rows.bound, .actual = p->cursor->address};
    p->pairs_done = true;
    return DEV_LAUNCH(
        task->stream, join_pairs_unique, .groups = p->groups->rows, .count = p->rows,
        .rows = table->rows ? table->rows->address : NULL, .out_probe = p->pair_probe->rows,
        .out_build = p->pair_build ? p->pair_build->rows : NULL, .out_count = p->cursor->address);
}

static const uint32_t *list_places(const join_prober *p)
{
    return p->places ? p->places->address : p->side->table.starts->address;
}

/* The next pairs, as many as there is room for; *out_count, on the device: how many. */
static status join_probe_make_pairs(join_prober *p, exec_task *task, uint64_t room,
                                    uint64_t *out_count)
{
    const join_table *table = &p->side->table;
    if (!p->least)
        return DEV_LAUNCH(task->stream, join_pairs, .groups = p->groups->rows, .count = p->rows,
                          .starts = list_places(p), .rows = table->rows->address, .room = room,
                          .cursor = p->cursor->address, .out_probe = p->pair_probe->rows,
                          .out_build = p->pair_build->rows, .out_count = out_count);
    return DEV_LAUNCH(task->stream, range_pairs, .groups = p->groups->rows, .count = p->rows,
                      .places = p->places->address, .least = p->least->address,
                      .heights = table->heights->address, .tops = table->tops[0]->address,
                      .tops_of_tops = table->tops[1]->address, .rows = table->rows->address,
                      .room = room, .cursor = p->cursor->address, .out_probe = p->pair_probe->rows,
                      .out_build = p->pair_build->rows, .out_count = out_count);
}

static status count_pairs(join_prober *p, exec_task *task, uint64_t *out_total)
{
    const join_table *table = &p->side->table;
    if (!p->least)
        return DEV_LAUNCH(task->stream, join_pairs_total, .groups = p->groups->rows,
                          .count = p->rows, .starts = list_places(p), .out_total = out_total);
    return DEV_LAUNCH(task->stream, range_pairs_total, .groups = p->groups->rows, .count = p->rows,
                      .places = p->places->address, .least = p->least->address,
                      .heights = table->heights->address, .tops = table->tops[0]->address,
                      .tops_of_tops = table->tops[1]->address, .out_total = out_total);
}

/* Pairs may be more than there is room for at once: what there is room for, of those that were
 * counted, or, where launches finish at once, until there are fewer. */
static status many_pairs(join_prober *p, exec_task *task)
{
    device *dev = task->stream->dev;
    uint64_t room = dev->chunk_rows < 1024 ? 1024 : dev->chunk_rows;
    uint64_t *cursor = p->cursor->address;
    if (p->is_counted && p->pairs_left < room)
        room = p->pairs_left;
    TRY(row_index_new(dev, room, &p->pair_probe));
    TRY(row_index_new(dev, room, &p->pair_build));
    TRY(join_probe_make_pairs(p, task, room, cursor + 2));
    p->pairs = (dev_count){.bound = room, .actual = p->is_counted ? NULL : cursor + 2};
    dev_count_settle(dev, &p->pairs);
    p->pairs_left -= p->is_counted ? room : 0;
    p->pairs_done = p->is_counted ? !p->pairs_left : p->pairs.bound < room;
    return STATUS_OK;
}

static status next_pairs(join_prober *p, exec_task *task)
{
    p->pairs = dev_count_exact(0);
    p->pairs_done = true;
    if (!p->side->table.key_row_count || (p->is_counted && !p->pairs_left))
        return STATUS_OK;
    TRY(p->side->table.is_unique ? unique_pairs(p, task) : many_pairs(p, task));
    dev_count_settle(task->stream->dev, &p->pairs);
    p->pairs_owner = p->pairs.actual ? dev_buffer_ref(p->cursor) : NULL;
    return STATUS_OK;
}

/* Whether the number of rows that an outer join keeps has to be fetched: a chunk that may be empty would go on through
 * all joins of a chain, and become two at each of them. */
static bool counts_rest(const join_prober *p, const exec_task *task)
{
    return !task->stream->dev->is_host && keeps_probe(p->join->type) && p->is_last;
}

/* Begins to fetch how many rows are kept, if the pairs do not decide it. */
static status start_rest(join_prober *p, exec_task *task)
{
    chunk *rest = NULL;
    if (!counts_rest(p, task) || p->join->residual || p->seen)
        return STATUS_OK;
    status st = make_rest(p, task, &rest);
    if (!st && rest)
        return late_chunk_start(task->stream, rest, &p->rest);
    chunk_free(rest);
    return st;
}

/* A lazy device counts the pairs, for the host to know when it needs them. */
static status start_pairs(join_prober *p, exec_task *task)
{
    const join_table *table = &p->side->table;
    uint64_t *total = (uint64_t *)p->cursor->address + 3;
    p->stage = PROBE_PAIRS;
    p->is_counted = !task->stream->dev->is_host && table->key_row_count && !table->is_unique;
    if (!p->is_counted)
        return STATUS_OK;
    TRY(start_rest(p, task));
    TRY(count_pairs(p, task, total));
    p->stage = PROBE_COUNTING;
    return dev_fetch_start(task->stream, total, 1, &p->counted);
}

static status join_probe_make_candidate(join_prober *p, exec_task *task)
{
    const uint32_t *inputs;
    uint32_t input_count = program_inputs(p->join->residual, 0, &inputs);
    TRY(chunk_new(p->join->probe_columns + p->join->build_columns, p->pairs, &p->candidate));
    p->candidate->rows_owner = dev_buffer_ref(p->pairs_owner);
    for (uint32_t i = 0; i < input_count; i++) {
        uint32_t column = inputs[i];
        tensor **target = &p->candidate->columns[column];
        if (column < p->join->probe_columns)
            TRY(tensor_new_indexed(task->stream, p->input->columns[column], p->rows.bound,
                                   p->pair_probe, p->pairs, target));
        else
            TRY(tensor_new_indexed(task->stream,
                                   p->side->table.build->columns[column - p->join->probe_columns],
                                   p->side->table.row_count, p->pair_build, p->pairs, target));
    }
    return STATUS_OK;
}

/* pairs = pairs[chosen] */
static status narrow_pairs(exec_task *task, join_prober *p, const row_selection *chosen)
{
    row_index **sides[] = {&p->pair_probe, &p->pair_build};
    for (int i = 0; i < 2; i++) {
        row_index *narrowed;
        if (!*sides[i])
            continue;
        TRY(row_index_new(task->stream->dev, chosen->count.bound, &narrowed));
        status st =
            DEV_LAUNCH(task->stream, gather_index, .first = (*sides[i])->rows,
                       .second = chosen->rows->rows, .count = chosen->count, .out = narrowed->rows);
        row_index_unref(*sides[i]);
        *sides[i] = narrowed;
        TRY(st);
    }
    dev_buffer_unref(p->pairs_owner);
    p->pairs_owner = dev_buffer_ref(chosen->count_owner);
    p->pairs = chosen->count;
    return STATUS_OK;
}

static exec_result apply_residual(join_prober *p, exec_task *task)
{
    row_selection chosen = {0};
    if (!p->candidate)
        EXEC_TRY(task, join_probe_make_candidate(p, task));
    exec_result result = program_select(p->residual_run, 0, p->candidate, &chosen.rows,
                                        &chosen.count, &chosen.count_owner);
    if (result != EXEC_FINISHED)
        return result;
    status st = chosen.rows ? narrow_pairs(task, p, &chosen) : STATUS_OK;
    row_selection_release(&chosen);
    EXEC_TRY(task, st);
    EXEC_TRY(task, exec_check_error(task));
    if (p->pairs.bound && p->matched)
        EXEC_TRY(task, DEV_LAUNCH(task->stream, join_mark, .index = p->pair_probe->rows,
                                  .count = p->pairs, .bits = p->matched->address));
    return EXEC_FINISHED;
}

/* ---- the steps of a chunk ---- */

static exec_result emit_pairs(join_prober *p, exec_task *task, chunk **output)
{
    if (p->side->matched && p->pairs.bound)
        EXEC_TRY(task, DEV_LAUNCH(task->stream, join_mark, .index = p->pair_build->rows,
                                  .count = p->pairs, .bits = p->side->matched->address));
    bool has_output = p->pairs.bound && gives_pairs(p->join->type);
    if (has_output) {
        /* Each row once at most, and as many pairs as rows: they are the rows. */
        bool is_all = p->side->table.is_unique && !p->pairs.actual && !p->rows.actual &&
                      p->pairs.bound == p->rows.bound;
        row_selection pairs = {is_all ? NULL : p->pair_probe, p->pairs, p->pairs_owner};
        status st = join_probe_make_output(p, task, &pairs, p->pair_build, output);
        if (st) {
            chunk_free(*output);
            *output = NULL;
            return exec_fail(task, st);
        }
    }
    drop_pairs(p);
    p->stage = p->pairs_done ? PROBE_REST : PROBE_PAIRS;
    return has_output ? EXEC_HAVE_OUTPUT : EXEC_NEED_INPUT;
}

static exec_result find_groups(join_prober *p, exec_task *task)
{
    exec_result result = join_probe_make_keys(p, task, p->side == &p->join->whole);
    if (result != EXEC_FINISHED)
        return result;
    EXEC_TRY(task, start_rows(p, task));
    p->pairs_done = false;
    p->stage = gives_each_row(p) ? PROBE_EACH_ROW : PROBE_REST;
    if (p->stage == PROBE_EACH_ROW)
        return EXEC_NEED_INPUT;
    if (gives_pairs(p->join->type) || p->join->residual || (p->join->emits_build && p->places))
        EXEC_TRY(task, start_pairs(p, task));
    return EXEC_NEED_INPUT;
}

static exec_result emit_rest(join_prober *p, exec_task *task, chunk **output)
{
    chunk *rest = NULL;
    status st = p->rest.rows ? STATUS_OK : make_rest(p, task, &rest);
    if (!st && rest && counts_rest(p, task)) {
        st = late_chunk_start(task->stream, rest, &p->rest);
        rest = NULL;
    }
    if (!st && p->rest.rows)
        st = late_chunk_finish(task->stream, &p->rest, &rest);
    join_prober_drop(p);
    if (st) {
        chunk_free(rest);
        return exec_fail(task, st);
    }
    *output = rest;
    return rest ? EXEC_HAVE_OUTPUT : EXEC_NEED_INPUT;
}

static exec_result probe_step(join_prober *p, exec_task *task, chunk **output)
{
    switch (p->stage) {
    case PROBE_KEYS:
        return find_groups(p, task);
    case PROBE_COUNTING:
        EXEC_TRY(task, dev_fetch_finish(task->stream, &p->counted, &p->pairs_left));
        p->stage = PROBE_PAIRS;
        return EXEC_NEED_INPUT;
    case PROBE_PAIRS:
        EXEC_TRY(task, next_pairs(p, task));
        p->stage = PROBE_RESIDUAL;
        return EXEC_NEED_INPUT;
    case PROBE_RESIDUAL:
        if (p->join->residual && p->pairs.bound) {
            exec_result result = apply_residual(p, task);
            if (result != EXEC_FINISHED)
                return result;
        }
        return emit_pairs(p, task, output);
    case PROBE_EACH_ROW:
        return emit_each_row(p, task, output);
    default:
        return emit_rest(p, task, output);
    }
}

status join_prober_init(join_prober *p, const op_join_build *join, exec_task *task)
{
    p->join = join;
    p->keys = mem_new_array(join->probe_key_count + 1, sizeof *p->keys);
    if (!p->keys)
        return status_no_memory("join probe", join->probe_key_count * sizeof *p->keys);
    TRY(program_run_new(join->probe_keys, task, &p->keys_run));
    return join->residual ? program_run_new(join->residual, task, &p->residual_run) : STATUS_OK;
}

void join_prober_release(join_prober *p)
{
    join_prober_drop(p);
    join_dictionary_release(&p->dictionary);
    program_run_free(p->keys_run);
    program_run_free(p->residual_run);
    mem_free(p->keys);
    *p = (join_prober){0};
}

void join_prober_take(join_prober *p, const join_side *side, chunk *input)
{
    join_prober_take_piece(p, side, input, NULL, true);
}

void join_prober_take_piece(join_prober *p, const join_side *side, chunk *input, uint64_t *seen,
                            bool is_last)
{
    p->side = side;
    p->input = input;
    p->seen = seen;
    p->is_last = is_last;
    p->rows = input->rows;
    p->next_key = 0;
    p->stage = PROBE_KEYS;
}

exec_result join_prober_start(join_prober *p, exec_task *task)
{
    return p->stage == PROBE_KEYS ? find_groups(p, task) : EXEC_NEED_INPUT;
}

/* Pairs of many chunks may give no row: other tasks, of other statements too, have their turn meanwhile. */
#define STEPS_OF_TURN 32

exec_result join_prober_next(join_prober *p, exec_task *task, chunk **output)
{
    for (unsigned steps = 0; p->stage != PROBE_IDLE; steps++) {
        if (steps == STEPS_OF_TURN) {
            exec_wake(task);
            return EXEC_WAIT;
        }
        exec_result result = probe_step(p, task, output);
        if (result != EXEC_NEED_INPUT)
            return result;
        if (exec_is_cancelled(task->query))
            break;
    }
    return EXEC_NEED_INPUT;
}
