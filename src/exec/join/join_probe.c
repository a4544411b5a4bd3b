/* join_probe.c - probe rows meet build rows.
 *
 * For each chunk: keys, then groups of the build table. Where only the presence of a match matters
 * a mask of rows is enough. Else pairs of row numbers are made, a bounded number at a time, the
 * residual condition narrows them, and the output's columns are both sides' columns under those
 * numbers: nothing is copied before somebody needs the values. Rows that an outer join keeps follow
 * last. */
#include "exec/join/join_probe.h"

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
}

void join_prober_drop(join_prober *p)
{
    drop_pairs(p);
    for (uint32_t k = 0; p->keys && k < p->join->key_count; k++) {
        tensor_unref(p->keys[k]);
        p->keys[k] = NULL;
    }
    row_index_unref(p->groups);
    p->groups = NULL;
    dev_buffer_unref(p->matched);
    p->matched = NULL;
    dev_buffer_unref(p->cursor);
    p->cursor = NULL;
    chunk_free(p->input);
    p->input = NULL;
    p->stage = PROBE_IDLE;
}

/* ---- keys and groups ---- */

exec_result join_prober_keys(join_prober *p, exec_task *task)
{
    for (; p->next_key < p->join->key_count; p->next_key++) {
        tensor *value = NULL;
        exec_result result = program_evaluate(p->keys_run, p->next_key, p->input, &value);
        if (result != EXEC_FINISHED)
            return result;
        status st = tensor_flatten(task->stream, value, p->input->rows, &p->keys[p->next_key]);
        tensor_unref(value);
        EXEC_TRY(task, st);
    }
    return EXEC_FINISHED;
}

static status zero_bits(exec_task *task, uint64_t rows, dev_buffer **out)
{
    size_t bytes = bitmap_bytes(rows);
    TRY(dev_alloc(task->stream->dev, bytes, "join probe", out));
    return task->stream->dev->ops->zero(task->stream, (*out)->address, bytes);
}

/* Semi and anti joins that give build rows: groups that have a match. */
static status mark_groups(join_prober *p, exec_task *task)
{
    if (!p->side->matched_groups)
        return STATUS_OK;
    return DEV_LAUNCH(task->stream, join_mark, .index = p->groups->rows,
                      .count = dev_count_exact(p->rows), .bits = p->side->matched_groups->address);
}

static uint32_t location_of(const op_join_build *join)
{
    return (uint32_t)(join->base.plan->position < 0 ? 0 : join->base.plan->position);
}

static status start_rows(join_prober *p, exec_task *task)
{
    TRY(join_table_probe(&p->side->table, task, p->keys, p->rows, &p->groups));
    if (p->join->emits_build && !p->join->residual)
        return mark_groups(p, task);
    if (p->join->type == JOIN_SINGLE && p->side->table.starts)
        TRY(DEV_LAUNCH(task->stream, join_check_single, .groups = p->groups->rows,
                       .count = dev_count_exact(p->rows), .starts = p->side->table.starts->address,
                       .error = task->error, .location = location_of(p->join)));
    TRY(exec_check_error(task));
    if (p->join->residual && !p->join->emits_build)
        TRY(zero_bits(task, p->rows, &p->matched));
    return dev_words_new(task->stream, 3, &p->cursor);
}

/* ---- masks ---- */

/* The mask becomes that of all pieces of the build side so far. */
static status add_seen(join_prober *p, exec_task *task, uint64_t *mask)
{
    uint64_t twice = 0;
    for (uint64_t w = 0; w * 64 < p->rows; w++) {
        twice |= p->seen[w] & mask[w];
        p->seen[w] |= mask[w];
        mask[w] = p->seen[w];
    }
    if (p->join->type != JOIN_SINGLE || !twice)
        return STATUS_OK;
    dev_error error = {.code = DEV_ERROR_MULTIPLE_ROWS, .location = location_of(p->join)};
    return exec_error_status(task->query, &error);
}

/* A bit for each probe row that has a match. */
static status matched_mask(join_prober *p, exec_task *task, dev_buffer **out)
{
    status st = STATUS_OK;
    *out = dev_buffer_ref(p->matched);
    if (!*out)
        st = dev_alloc(task->stream->dev, bitmap_bytes(p->rows), "join probe", out);
    if (!st && !p->matched)
        st = DEV_LAUNCH(task->stream, join_matched, .groups = p->groups->rows,
                        .count = dev_count_exact(p->rows), .out = (*out)->address);
    return !st && p->seen ? add_seen(p, task, (*out)->address) : st;
}

/* A bit for each probe row none of whose keys is NULL. */
static status valid_mask(join_prober *p, exec_task *task, dev_buffer **out)
{
    dev_count count = dev_count_exact(p->rows);
    row_index *zeros;
    TRY(row_index_new(task->stream->dev, p->rows, &zeros));
    status st = DEV_LAUNCH(task->stream, fill, .width = 4, .count = count, .out = zeros->rows);
    for (uint32_t k = 0; k < p->join->key_count && !st; k++)
        if (p->keys[k]->validity)
            st = DEV_LAUNCH(task->stream, join_drop_nulls, .validity = p->keys[k]->validity,
                            .count = count, .groups = zeros->rows);
    if (!st)
        st = dev_alloc(task->stream->dev, bitmap_bytes(p->rows), "join probe", out);
    if (!st)
        st = DEV_LAUNCH(task->stream, join_matched, .groups = zeros->rows, .count = count,
                        .out = (*out)->address);
    row_index_unref(zeros);
    return st;
}

/* Rows whose bit is set in mask (inverted: clear) and, if given, in `also`. */
static status mask_rows(exec_task *task, uint64_t rows, dev_buffer *mask, bool is_inverted,
                        dev_buffer *also, row_index **out, uint64_t *out_count)
{
    dev_count all = dev_count_exact(rows);
    dev_buffer *count = NULL, *inverted = NULL;
    status st = STATUS_OK;
    if (is_inverted) {
        st = dev_alloc(task->stream->dev, bitmap_bytes(rows), "join probe", &inverted);
        if (!st)
            st = DEV_LAUNCH(task->stream, invert_bits, .bits = mask->address, .count = all,
                            .out = inverted->address);
        mask = inverted;
    }
    if (!st)
        st = row_index_new(task->stream->dev, rows, out);
    if (!st)
        st = dev_words_new(task->stream, 1, &count);
    if (!st)
        st = DEV_LAUNCH(task->stream, mask_to_index, .mask = mask->address,
                        .validity = also ? also->address : NULL, .count = all, .rows = (*out)->rows,
                        .out_count = count->address);
    if (!st)
        st = dev_words_read(task->stream, count->address, out_count, 1);
    dev_buffer_unref(inverted);
    dev_buffer_unref(count);
    return st;
}

/* ---- outputs ---- */

/* Output columns of probe rows `probe` (NULL: all of the chunk) and, if given, build rows. */
static status make_output(join_prober *p, exec_task *task, row_index *probe, row_index *build,
                          uint64_t count, chunk **out)
{
    dev_count rows = dev_count_exact(count);
    TRY(chunk_new(p->join->output_count, dev_count_exact(p->rows), out));
    for (uint32_t i = 0; i < p->join->output_count; i++)
        if (!p->join->outputs[i].is_build && !p->join->outputs[i].is_mark)
            (*out)->columns[i] = tensor_ref(p->input->columns[p->join->outputs[i].column]);
    if (probe)
        TRY(chunk_select(task->stream, *out, probe, rows, NULL));
    (*out)->rows = rows;
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

/* What follows a chunk's pairs: the whole output of semi, anti and mark joins; the unmatched rows
 * of outer ones. */
static status make_rest(join_prober *p, exec_task *task, chunk **out)
{
    dev_buffer *matched = NULL, *valid = NULL;
    row_index *rows = NULL;
    uint64_t count = 0;
    *out = NULL;
    if (p->join->type == JOIN_INNER || p->join->type == JOIN_RIGHT || p->join->emits_build)
        return STATUS_OK;
    if (!p->is_last) {
        status st = matched_mask(p, task, &matched);
        dev_buffer_unref(matched);
        return st;
    }
    if (p->join->type == JOIN_MARK) {
        TRY(make_output(p, task, NULL, NULL, p->rows, out));
        return mark_column(p, task, &(*out)->columns[p->join->output_count - 1]);
    }
    bool is_null_aware = p->join->type == JOIN_ANTI_NULL && p->side->has_rows;
    if (is_null_aware && p->side->has_null_key)
        return STATUS_OK;
    status st = matched_mask(p, task, &matched);
    if (!st && is_null_aware)
        st = valid_mask(p, task, &valid);
    if (!st)
        st = mask_rows(task, p->rows, matched, p->join->type != JOIN_SEMI, valid, &rows, &count);
    if (!st && count)
        st = make_output(p, task, count == p->rows ? NULL : rows, NULL, count, out);
    dev_buffer_unref(matched);
    dev_buffer_unref(valid);
    row_index_unref(rows);
    return st;
}

/* ---- pairs ---- */

/* All pairs of the chunk, where no key has two build rows. */
static status unique_pairs(join_prober *p, exec_task *task)
{
    const join_table *table = &p->side->table;
    device *dev = task->stream->dev;
    uint64_t *count = p->cursor->address;
    TRY(row_index_new(dev, p->rows, &p->pair_probe));
    if (table->rows)
        TRY(row_index_new(dev, p->rows, &p->pair_build));
    TRY(DEV_LAUNCH(task->stream, join_pairs_unique, .groups = p->groups->rows,
                   .count = dev_count_exact(p->rows),
                   .rows = table->rows ? table->rows->address : NULL,
                   .out_probe = p->pair_probe->rows,
                   .out_build = p->pair_build ? p->pair_build->rows : NULL, .out_count = count));
    p->pairs_done = true;
    return dev_words_read(task->stream, count, &p->pair_count, 1);
}

static status next_pairs(join_prober *p, exec_task *task)
{
    device *dev = task->stream->dev;
    uint64_t room = dev->chunk_rows < 1024 ? 1024 : dev->chunk_rows, words[3];
    uint64_t *cursor = p->cursor->address;
    p->pair_count = 0;
    p->pairs_done = true;
    if (!p->side->table.key_row_count)
        return STATUS_OK;
    if (p->side->table.is_unique)
        return unique_pairs(p, task);
    TRY(row_index_new(dev, room, &p->pair_probe));
    TRY(row_index_new(dev, room, &p->pair_build));
    TRY(DEV_LAUNCH(task->stream, join_pairs, .groups = p->groups->rows,
                   .count = dev_count_exact(p->rows), .starts = p->side->table.starts->address,
                   .rows = p->side->table.rows->address, .room = room, .cursor = cursor,
                   .out_probe = p->pair_probe->rows, .out_build = p->pair_build->rows,
                   .out_count = cursor + 2));
    TRY(dev_words_read(task->stream, cursor, words, 3));
    p->pair_count = words[2];
    p->pairs_done = words[0] >= p->rows;
    return STATUS_OK;
}

static status make_candidate(join_prober *p, exec_task *task)
{
    dev_count count = dev_count_exact(p->pair_count);
    const uint32_t *inputs;
    uint32_t input_count = program_inputs(p->join->residual, 0, &inputs);
    TRY(chunk_new(p->join->probe_columns + p->join->build_columns, count, &p->candidate));
    for (uint32_t i = 0; i < input_count; i++) {
        uint32_t column = inputs[i];
        tensor **target = &p->candidate->columns[column];
        if (column < p->join->probe_columns)
            TRY(tensor_new_indexed(task->stream, p->input->columns[column], p->rows, p->pair_probe,
                                   count, target));
        else
            TRY(tensor_new_indexed(task->stream,
                                   p->side->table.build->columns[column - p->join->probe_columns],
                                   p->side->table.row_count, p->pair_build, count, target));
    }
    return STATUS_OK;
}

/* pairs = pairs[rows] */
static status narrow_pairs(exec_task *task, join_prober *p, row_index *rows, uint64_t count)
{
    row_index **sides[] = {&p->pair_probe, &p->pair_build};
    for (int i = 0; i < 2; i++) {
        row_index *narrowed;
        if (!*sides[i])
            continue;
        TRY(row_index_new(task->stream->dev, count, &narrowed));
        status st =
            DEV_LAUNCH(task->stream, gather_index, .first = (*sides[i])->rows, .second = rows->rows,
                       .count = dev_count_exact(count), .out = narrowed->rows);
        row_index_unref(*sides[i]);
        *sides[i] = narrowed;
        TRY(st);
    }
    p->pair_count = count;
    return STATUS_OK;
}

static exec_result apply_residual(join_prober *p, exec_task *task)
{
    row_index *rows = NULL;
    dev_count count;
    dev_buffer *owner = NULL;
    uint64_t exact;
    if (!p->candidate)
        EXEC_TRY(task, make_candidate(p, task));
    exec_result result = program_select(p->residual_run, 0, p->candidate, &rows, &count, &owner);
    if (result != EXEC_FINISHED)
        return result;
    status st = STATUS_OK;
    if (rows) {
        exact = count.bound;
        if (count.actual)
            st = dev_words_read(task->stream, count.actual, &exact, 1);
        if (!st)
            st = narrow_pairs(task, p, rows, exact);
    }
    row_index_unref(rows);
    dev_buffer_unref(owner);
    EXEC_TRY(task, st);
    EXEC_TRY(task, exec_check_error(task));
    if (p->pair_count && p->matched)
        EXEC_TRY(task,
                 DEV_LAUNCH(task->stream, join_mark, .index = p->pair_probe->rows,
                            .count = dev_count_exact(p->pair_count), .bits = p->matched->address));
    return EXEC_FINISHED;
}

/* ---- the steps of a chunk ---- */

static exec_result emit_pairs(join_prober *p, exec_task *task, chunk **output)
{
    if (p->side->matched && p->pair_count)
        EXEC_TRY(task, DEV_LAUNCH(task->stream, join_mark, .index = p->pair_build->rows,
                                  .count = dev_count_exact(p->pair_count),
                                  .bits = p->side->matched->address));
    bool has_output = p->pair_count && gives_pairs(p->join->type);
    if (has_output) {
        /* Each row once at most, and as many pairs as rows: they are the rows. */
        bool is_all = p->side->table.is_unique && p->pair_count == p->rows;
        status st = make_output(p, task, is_all ? NULL : p->pair_probe, p->pair_build,
                                p->pair_count, output);
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

static exec_result probe_step(join_prober *p, exec_task *task, chunk **output)
{
    exec_result result;
    switch (p->stage) {
    case PROBE_KEYS:
        result = join_prober_keys(p, task);
        if (result != EXEC_FINISHED)
            return result;
        EXEC_TRY(task, start_rows(p, task));
        p->pairs_done = false;
        p->stage = gives_pairs(p->join->type) || p->join->residual ? PROBE_PAIRS : PROBE_REST;
        return EXEC_NEED_INPUT;
    case PROBE_PAIRS:
        EXEC_TRY(task, next_pairs(p, task));
        p->stage = PROBE_RESIDUAL;
        return EXEC_NEED_INPUT;
    case PROBE_RESIDUAL:
        if (p->join->residual && p->pair_count) {
            result = apply_residual(p, task);
            if (result != EXEC_FINISHED)
                return result;
        }
        return emit_pairs(p, task, output);
    default: {
        chunk *rest = NULL;
        status st = make_rest(p, task, &rest);
        join_prober_drop(p);
        if (st) {
            chunk_free(rest);
            return exec_fail(task, st);
        }
        *output = rest;
        return rest ? EXEC_HAVE_OUTPUT : EXEC_NEED_INPUT;
    }
    }
}

status join_prober_init(join_prober *p, const op_join_build *join, exec_task *task)
{
    p->join = join;
    p->keys = mem_new_array(join->key_count + 1, sizeof *p->keys);
    if (!p->keys)
        return status_no_memory("join probe", join->key_count * sizeof *p->keys);
    TRY(program_run_new(join->probe_keys, task, &p->keys_run));
    return join->residual ? program_run_new(join->residual, task, &p->residual_run) : STATUS_OK;
}

void join_prober_release(join_prober *p)
{
    join_prober_drop(p);
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
    p->rows = input->rows.bound;
    p->next_key = 0;
    p->stage = PROBE_KEYS;
}

exec_result join_prober_next(join_prober *p, exec_task *task, chunk **output)
{
    while (p->stage != PROBE_IDLE) {
        exec_result result = probe_step(p, task, output);
        if (result != EXEC_NEED_INPUT)
            return result;
        if (exec_is_cancelled(task->query))
            break;
    }
    return EXEC_NEED_INPUT;
}
