/* op_join_probe.c - the probe side of a join: rows stream through and meet their matches.
 *
 * For each chunk: keys, then groups of the build table. Where only the presence of a match matters
 * a mask of rows is enough. Else pairs of row numbers are made, a bounded number at a time, the
 * residual condition narrows them, and the output's columns are both sides' columns under those
 * numbers: nothing is copied before somebody needs the values. Rows that an outer join keeps follow
 * last. */
#include "exec/op_join.h"

typedef enum probe_stage {
    PROBE_IDLE,
    PROBE_KEYS,
    PROBE_PAIRS,
    PROBE_RESIDUAL,
    PROBE_REST
} probe_stage;

typedef struct op_join_probe {
    exec_operator base;
    op_join_build *join;
    _Atomic uint64_t next_group; /* to be marked by a phase */
} op_join_probe;

typedef struct probe_lane {
    program_run *keys_run, *residual_run;
    exec_fetch fetch;
    uint64_t scratch;
    probe_stage stage;
    chunk *input;
    uint64_t rows;
    uint32_t next_key;
    tensor *keys[JOIN_KEYS_MAX];
    row_index *groups;
    dev_buffer *matched; /* a bit per probe row, where a residual decides */
    dev_buffer *cursor;  /* [0], [1] of join_pairs, [2] its count */
    bool pairs_done;
    row_index *pair_probe, *pair_build; /* the pairs at work */
    uint64_t pair_count;
    chunk *candidate; /* both sides' columns at the pairs, for the residual */
} probe_lane;

static bool keeps_probe(plan_join_type type)
{
    return type == JOIN_LEFT || type == JOIN_FULL || type == JOIN_SINGLE;
}

static bool gives_pairs(plan_join_type type)
{
    return type == JOIN_INNER || type == JOIN_RIGHT || keeps_probe(type);
}

static void drop_pairs(probe_lane *lane)
{
    row_index_unref(lane->pair_probe);
    row_index_unref(lane->pair_build);
    lane->pair_probe = lane->pair_build = NULL;
    chunk_free(lane->candidate);
    lane->candidate = NULL;
}

static void drop_input(probe_lane *lane)
{
    drop_pairs(lane);
    for (uint32_t k = 0; k < JOIN_KEYS_MAX; k++) {
        tensor_unref(lane->keys[k]);
        lane->keys[k] = NULL;
    }
    row_index_unref(lane->groups);
    lane->groups = NULL;
    dev_buffer_unref(lane->matched);
    lane->matched = NULL;
    dev_buffer_unref(lane->cursor);
    lane->cursor = NULL;
    chunk_free(lane->input);
    lane->input = NULL;
    lane->stage = PROBE_IDLE;
}

/* ---- keys and groups ---- */

static exec_step evaluate_keys(op_join_build *join, exec_task *task, probe_lane *lane)
{
    for (; lane->next_key < join->key_count; lane->next_key++) {
        tensor *value = NULL;
        exec_step step = program_evaluate(lane->keys_run, lane->next_key, lane->input, &value);
        if (step != EXEC_FINISHED)
            return step;
        status st =
            tensor_flatten(task->stream, value, lane->input->rows, &lane->keys[lane->next_key]);
        tensor_unref(value);
        EXEC_TRY(task, st);
    }
    return EXEC_FINISHED;
}

static status zero_bits(exec_task *task, uint64_t rows, dev_buffer **out)
{
    size_t bytes = (rows + 63) / 64 * 8;
    TRY(dev_alloc(task->stream->dev, bytes, "join probe", out));
    return task->stream->dev->ops->zero(task->stream, (*out)->address, bytes);
}

/* Semi and anti joins that give build rows: groups that have a match. */
static status mark_groups(op_join_build *join, exec_task *task, probe_lane *lane)
{
    if (!join->matched_groups)
        return STATUS_OK;
    return DEV_LAUNCH(task->stream, join_mark, .index = lane->groups->rows,
                      .count = dev_count_exact(lane->rows), .bits = join->matched_groups->address);
}

static status start_rows(op_join_build *join, exec_task *task, probe_lane *lane)
{
    TRY(join_table_probe(&join->table, task, lane->keys, lane->rows, &lane->groups));
    if (join->emits_build && !join->residual)
        return mark_groups(join, task, lane);
    if (join->type == JOIN_SINGLE && join->table.starts)
        TRY(DEV_LAUNCH(
            task->stream, join_check_single, .groups = lane->groups->rows,
            .count = dev_count_exact(lane->rows), .starts = join->table.starts->address,
            .error = task->error,
            .place = (uint32_t)(join->base.plan->position < 0 ? 0 : join->base.plan->position)));
    TRY(exec_check_error(task));
    if (join->residual && !join->emits_build)
        TRY(zero_bits(task, lane->rows, &lane->matched));
    return dev_words_new(task->stream, 3, &lane->cursor);
}

/* ---- masks ---- */

/* A bit for each probe row that has a match. */
static status matched_mask(op_join_build *join, exec_task *task, probe_lane *lane, dev_buffer **out)
{
    if (join->residual) {
        *out = dev_buffer_ref(lane->matched);
        return STATUS_OK;
    }
    TRY(dev_alloc(task->stream->dev, (lane->rows + 63) / 64 * 8, "join probe", out));
    return DEV_LAUNCH(task->stream, join_matched, .groups = lane->groups->rows,
                      .count = dev_count_exact(lane->rows), .out = (*out)->address);
}

/* A bit for each probe row none of whose keys is NULL. */
static status valid_mask(op_join_build *join, exec_task *task, probe_lane *lane, dev_buffer **out)
{
    dev_count count = dev_count_exact(lane->rows);
    row_index *zeros;
    TRY(row_index_new(task->stream->dev, lane->rows, &zeros));
    status st = DEV_LAUNCH(task->stream, fill, .width = 4, .count = count, .out = zeros->rows);
    for (uint32_t k = 0; k < join->key_count && !st; k++)
        if (lane->keys[k]->validity)
            st = DEV_LAUNCH(task->stream, join_drop_nulls, .validity = lane->keys[k]->validity,
                            .count = count, .groups = zeros->rows);
    if (!st)
        st = dev_alloc(task->stream->dev, (lane->rows + 63) / 64 * 8, "join probe", out);
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
        st = dev_alloc(task->stream->dev, (rows + 63) / 64 * 8, "join probe", &inverted);
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
        st = dev_words_wait(task->stream, count->address, out_count, 1);
    dev_buffer_unref(inverted);
    dev_buffer_unref(count);
    return st;
}

/* ---- outputs ---- */

/* Output columns of probe rows `probe` (NULL: all of the chunk) and, if given, build rows. */
static status make_output(op_join_build *join, exec_task *task, probe_lane *lane, row_index *probe,
                          row_index *build, uint64_t count, chunk **out)
{
    dev_count rows = dev_count_exact(count);
    TRY(chunk_new(join->output_count, dev_count_exact(lane->rows), out));
    for (uint32_t i = 0; i < join->output_count; i++)
        if (!join->outputs[i].is_build && !join->outputs[i].is_mark)
            (*out)->columns[i] = tensor_ref(lane->input->columns[join->outputs[i].column]);
    if (probe)
        TRY(chunk_select(task->stream, *out, probe, rows, NULL));
    (*out)->rows = rows;
    for (uint32_t i = 0; i < join->output_count; i++) {
        const join_source *source = &join->outputs[i];
        tensor **target = &(*out)->columns[i];
        if (!source->is_build || source->is_mark)
            continue;
        if (!build)
            TRY(join_null_column(task->stream, join->build_types[source->column], target));
        else
            TRY(tensor_new_indexed(task->stream, join->table.build->columns[source->column],
                                   join->table.row_count, build, rows, target));
    }
    return STATUS_OK;
}

static status mark_column(op_join_build *join, exec_task *task, probe_lane *lane, tensor **out)
{
    dev_buffer *matched = NULL, *valid = NULL;
    bool may_be_null = join->base.plan->columns.items[join->output_count - 1].is_nullable;
    bool build_has_null = join->table.key_row_count < join->table.row_count;
    tensor *t;
    TRY(tensor_new_flat(task->stream->dev, type_make(TYPE_BOOL), 1, false, &t));
    status st = matched_mask(join, task, lane, &matched);
    /* No match: NULL if the key is, or if some build key is. */
    if (!st && may_be_null && join->table.row_count) {
        if (build_has_null)
            valid = dev_buffer_ref(matched);
        else
            st = valid_mask(join, task, lane, &valid);
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
static status make_rest(op_join_build *join, exec_task *task, probe_lane *lane, chunk **out)
{
    dev_buffer *matched = NULL, *valid = NULL;
    row_index *rows = NULL;
    uint64_t count = 0;
    *out = NULL;
    if (join->type == JOIN_INNER || join->type == JOIN_RIGHT || join->emits_build)
        return STATUS_OK;
    if (join->type == JOIN_MARK) {
        TRY(make_output(join, task, lane, NULL, NULL, lane->rows, out));
        return mark_column(join, task, lane, &(*out)->columns[join->output_count - 1]);
    }
    bool is_null_aware = join->type == JOIN_ANTI_NULL && join->table.row_count;
    if (is_null_aware && join->table.key_row_count < join->table.row_count)
        return STATUS_OK;
    status st = matched_mask(join, task, lane, &matched);
    if (!st && is_null_aware)
        st = valid_mask(join, task, lane, &valid);
    if (!st)
        st = mask_rows(task, lane->rows, matched, join->type != JOIN_SEMI, valid, &rows, &count);
    if (!st && count)
        st = make_output(join, task, lane, count == lane->rows ? NULL : rows, NULL, count, out);
    dev_buffer_unref(matched);
    dev_buffer_unref(valid);
    row_index_unref(rows);
    return st;
}

/* ---- pairs ---- */

/* All pairs of the chunk, where no key has two build rows. */
static status unique_pairs(op_join_build *join, exec_task *task, probe_lane *lane)
{
    const join_table *table = &join->table;
    device *dev = task->stream->dev;
    uint64_t *count = lane->cursor->address;
    TRY(row_index_new(dev, lane->rows, &lane->pair_probe));
    if (table->rows)
        TRY(row_index_new(dev, lane->rows, &lane->pair_build));
    TRY(DEV_LAUNCH(
        task->stream, join_pairs_unique, .groups = lane->groups->rows,
        .count = dev_count_exact(lane->rows), .rows = table->rows ? table->rows->address : NULL,
        .out_probe = lane->pair_probe->rows,
        .out_build = lane->pair_build ? lane->pair_build->rows : NULL, .out_count = count));
    lane->pairs_done = true;
    return dev_words_wait(task->stream, count, &lane->pair_count, 1);
}

static status next_pairs(op_join_build *join, exec_task *task, probe_lane *lane)
{
    device *dev = task->stream->dev;
    uint64_t room = dev->chunk_rows < 1024 ? 1024 : dev->chunk_rows, words[3];
    uint64_t *cursor = lane->cursor->address;
    lane->pair_count = 0;
    lane->pairs_done = true;
    if (!join->table.key_row_count)
        return STATUS_OK;
    if (join->table.is_unique)
        return unique_pairs(join, task, lane);
    TRY(row_index_new(dev, room, &lane->pair_probe));
    TRY(row_index_new(dev, room, &lane->pair_build));
    TRY(DEV_LAUNCH(task->stream, join_pairs, .groups = lane->groups->rows,
                   .count = dev_count_exact(lane->rows), .starts = join->table.starts->address,
                   .rows = join->table.rows->address, .room = room, .cursor = cursor,
                   .out_probe = lane->pair_probe->rows, .out_build = lane->pair_build->rows,
                   .out_count = cursor + 2));
    TRY(dev_words_wait(task->stream, cursor, words, 3));
    lane->pair_count = words[2];
    lane->pairs_done = words[0] >= lane->rows;
    return STATUS_OK;
}

static status make_candidate(op_join_build *join, exec_task *task, probe_lane *lane)
{
    dev_count count = dev_count_exact(lane->pair_count);
    const uint32_t *inputs;
    uint32_t input_count = program_inputs(join->residual, 0, &inputs);
    TRY(chunk_new(join->probe_columns + join->build_columns, count, &lane->candidate));
    for (uint32_t i = 0; i < input_count; i++) {
        uint32_t column = inputs[i];
        tensor **target = &lane->candidate->columns[column];
        if (column < join->probe_columns)
            TRY(tensor_new_indexed(task->stream, lane->input->columns[column], lane->rows,
                                   lane->pair_probe, count, target));
        else
            TRY(tensor_new_indexed(task->stream,
                                   join->table.build->columns[column - join->probe_columns],
                                   join->table.row_count, lane->pair_build, count, target));
    }
    return STATUS_OK;
}

/* pairs = pairs[rows] */
static status narrow_pairs(exec_task *task, probe_lane *lane, row_index *rows, uint64_t count)
{
    row_index **sides[] = {&lane->pair_probe, &lane->pair_build};
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
    lane->pair_count = count;
    return STATUS_OK;
}

static exec_step apply_residual(op_join_build *join, exec_task *task, probe_lane *lane)
{
    row_index *rows = NULL;
    dev_count count;
    dev_buffer *owner = NULL;
    uint64_t exact;
    if (!lane->candidate)
        EXEC_TRY(task, make_candidate(join, task, lane));
    exec_step step = program_select(lane->residual_run, 0, lane->candidate, &rows, &count, &owner);
    if (step != EXEC_FINISHED)
        return step;
    status st = STATUS_OK;
    if (rows) {
        exact = count.bound;
        if (count.actual)
            st = dev_words_wait(task->stream, count.actual, &exact, 1);
        if (!st)
            st = narrow_pairs(task, lane, rows, exact);
    }
    row_index_unref(rows);
    dev_buffer_unref(owner);
    EXEC_TRY(task, st);
    EXEC_TRY(task, exec_check_error(task));
    if (lane->pair_count && lane->matched)
        EXEC_TRY(task, DEV_LAUNCH(task->stream, join_mark, .index = lane->pair_probe->rows,
                                  .count = dev_count_exact(lane->pair_count),
                                  .bits = lane->matched->address));
    return EXEC_FINISHED;
}

/* ---- the steps of a chunk ---- */

static exec_step emit_pairs(op_join_build *join, exec_task *task, probe_lane *lane, chunk **output)
{
    if (join->matched && lane->pair_count)
        EXEC_TRY(task, DEV_LAUNCH(task->stream, join_mark, .index = lane->pair_build->rows,
                                  .count = dev_count_exact(lane->pair_count),
                                  .bits = join->matched->address));
    bool has_output = lane->pair_count && gives_pairs(join->type);
    if (has_output) {
        /* Each row once at most, and as many pairs as rows: they are the rows. */
        bool is_all = join->table.is_unique && lane->pair_count == lane->rows;
        status st = make_output(join, task, lane, is_all ? NULL : lane->pair_probe,
                                lane->pair_build, lane->pair_count, output);
        if (st) {
            chunk_free(*output);
            *output = NULL;
            return exec_fail(task, st);
        }
    }
    drop_pairs(lane);
    lane->stage = lane->pairs_done ? PROBE_REST : PROBE_PAIRS;
    return has_output ? EXEC_HAVE_OUTPUT : EXEC_NEED_INPUT;
}

static exec_step probe_step(op_join_build *join, exec_task *task, probe_lane *lane, chunk **output)
{
    exec_step step;
    switch (lane->stage) {
    case PROBE_KEYS:
        step = evaluate_keys(join, task, lane);
        if (step != EXEC_FINISHED)
            return step;
        EXEC_TRY(task, start_rows(join, task, lane));
        lane->pairs_done = false;
        lane->stage = gives_pairs(join->type) || join->residual ? PROBE_PAIRS : PROBE_REST;
        return EXEC_NEED_INPUT;
    case PROBE_PAIRS:
        EXEC_TRY(task, next_pairs(join, task, lane));
        lane->stage = PROBE_RESIDUAL;
        return EXEC_NEED_INPUT;
    case PROBE_RESIDUAL:
        if (join->residual && lane->pair_count) {
            step = apply_residual(join, task, lane);
            if (step != EXEC_FINISHED)
                return step;
        }
        return emit_pairs(join, task, lane, output);
    default: {
        chunk *rest = NULL;
        status st = make_rest(join, task, lane, &rest);
        drop_input(lane);
        if (st) {
            chunk_free(rest);
            return exec_fail(task, st);
        }
        *output = rest;
        return rest ? EXEC_HAVE_OUTPUT : EXEC_NEED_INPUT;
    }
    }
}

static exec_step probe_push(exec_operator *base, exec_task *task, void *state, chunk **input,
                            chunk **output)
{
    op_join_build *join = ((op_join_probe *)base)->join;
    probe_lane *lane = state;
    status st;
    if (*input) {
        if (!exec_fetch_count(task, &lane->fetch, &(*input)->rows, &lane->scratch, &st)) {
            EXEC_TRY(task, st);
            return EXEC_WAIT;
        }
        lane->input = *input;
        *input = NULL;
        lane->rows = lane->input->rows.bound;
        lane->next_key = 0;
        lane->stage = PROBE_KEYS;
        if (!lane->rows)
            drop_input(lane);
    }
    while (lane->stage != PROBE_IDLE) {
        exec_step step = probe_step(join, task, lane, output);
        if (step != EXEC_NEED_INPUT)
            return step;
        if (exec_is_cancelled(task->query))
            break;
    }
    return EXEC_NEED_INPUT;
}

static status probe_lane_open(exec_operator *base, exec_task *task, void *state)
{
    op_join_build *join = ((op_join_probe *)base)->join;
    probe_lane *lane = state;
    TRY(program_run_new(join->probe_keys, task, &lane->keys_run));
    return join->residual ? program_run_new(join->residual, task, &lane->residual_run) : STATUS_OK;
}

static void probe_lane_close(exec_operator *base, void *state)
{
    probe_lane *lane = state;
    drop_input(lane);
    program_run_free(lane->keys_run);
    program_run_free(lane->residual_run);
    if (lane->fetch.event)
        exec_device(base->query)->ops->event_free(lane->fetch.event);
}

/* Of a sink: the marks are there. */
static exec_step probe_finish_lane(exec_operator *base, exec_task *task, void *state,
                                   chunk **output)
{
    (void)state;
    (void)output;
    uint64_t words[1];
    if (((op_join_probe *)base)->join->emits_build)
        EXEC_TRY(task, dev_words_wait(task->stream, task->error, words, 1));
    return EXEC_FINISHED;
}

/* Where there is a tail, it is the last to need the table. */
static void probe_release(exec_operator *base)
{
    op_join_build *join = ((op_join_probe *)base)->join;
    if (!join_marks_build(join))
        join_release(join);
}

static void probe_close(exec_operator *base)
{
    mem_free(base);
}

/* Where groups were marked: their rows get the mark. */
static exec_step probe_phase(exec_operator *base, exec_task *task, unsigned number)
{
    (void)number;
    op_join_probe *op = (op_join_probe *)base;
    const join_table *table = &op->join->table;
    uint64_t words[1], slice = 65536;
    while (op->join->matched_groups) {
        uint64_t first = atomic_fetch_add(&op->next_group, slice);
        if (first >= table->group_count)
            break;
        uint64_t left = table->group_count - first;
        EXEC_TRY(task,
                 DEV_LAUNCH(task->stream, join_mark_rows,
                            .groups = op->join->matched_groups->address, .first_group = first,
                            .group_count = left < slice ? left : slice,
                            .starts = table->starts ? table->starts->address : NULL,
                            .rows = table->rows->address, .bits = op->join->matched->address));
    }
    EXEC_TRY(task, dev_words_wait(task->stream, task->error, words, 1));
    return EXEC_FINISHED;
}

static const exec_operator_ops probe_ops = {
    .name = "join probe",
    .lane_bytes = sizeof(probe_lane),
    .lane_open = probe_lane_open,
    .lane_close = probe_lane_close,
    .push = probe_push,
    .lane_finish = probe_finish_lane,
    .phase_count = 1, /* where it is a sink */
    .phase = probe_phase,
    .release = probe_release,
    .close = probe_close,
};

status join_probe_new(op_join_build *join, exec_operator **out)
{
    op_join_probe *op = mem_new(sizeof *op);
    *out = NULL;
    if (!op)
        return status_no_memory("join", sizeof *op);
    op->base =
        (exec_operator){.ops = &probe_ops, .query = join->base.query, .plan = join->base.plan};
    op->join = join;
    *out = &op->base;
    return STATUS_OK;
}
