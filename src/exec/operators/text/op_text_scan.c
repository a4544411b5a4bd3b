/* op_text_scan.c - rows of csv and JSON files: a task takes a piece of a file, and makes chunks of it. */
#include "exec/operators/text/op_text_scan.h"

#include "device/chunk_transfer.h"
#include "exec/operators/text/text_failure.h"
#include "exec/operators/text/text_rejects.h"
#include "exec/operators/text/text_scan.h"
#include "exec/sched/query.h"

#define PIECE_BYTES ((size_t)1 << 20)
#define PIECE_BYTES_LEAST ((size_t)4 << 10)
#define ROW_BYTES 256 /* of a piece for each row of a chunk, where chunks are small */

/* ---- pieces ---- */

/* Returns whether another rank reads the piece: they read all of each file, and take turns at what is to be done with it. */
static bool is_of_another(const op_text_scan *op, const text_piece *p)
{
    const exec_query *query = op->base.query;
    return query->net && op->base.plan->placement == PLACEMENT_PARTS &&
           p->number % query->rank_count != query->rank;
}

static status take_piece(op_text_scan *op, exec_task *task, text_scan_local *local)
{
    TRY(exec_lock_take(&op->lock, task->stream));
    status st;
    do {
        st = cancel_check();
        if (!st)
            st = text_reader_take(op->reader, &local->piece, &local->has_piece);
    } while (!st && local->has_piece && is_of_another(op, &local->piece));
    exec_lock_give(&op->lock, task->stream);
    return st;
}

/* Leaves the last record out, in which a quote is not closed. */
static status leave_open_out(text_scan_local *local)
{
    csv_index *x = &local->piece.index;
    uint32_t begin = x->begins.items[--x->record_count];
    csv_wrong_row open = {true, begin, (uint32_t)local->piece.bytes, 0};
    return array_push(NULL, &local->left_out, open);
}

/* Finds the piece's rows. */
static status find_rows(op_text_scan *op, text_scan_local *local)
{
    text_piece *p = &local->piece;
    const text_file *file = &op->table->files[p->file];
    const text_options *options = op->table->options;
    csv_row_rules rules = {.column_count = file->field_count,
                           .has_padding = options->null_padding,
                           .skips_wrong = options->ignores_errors};
    local->next_row = 0;
    local->wrong.is_there = false;
    atomic_fetch_add_explicit(&op->base.metrics.bytes_read, p->bytes, memory_order_relaxed);
    if (!p->is_indexed)
        TRY(text_piece_index(&op->reading, p));
    if (options->kind == TEXT_JSON)
        return STATUS_OK;
    if (p->index.is_open && !options->ignores_errors)
        return text_scan_place(op, p, p->index.begins.items[p->index.record_count - 1],
                               text_open_quote());
    local->left_out.count = 0;
    if (p->index.is_open)
        TRY(leave_open_out(local));
    TRY(csv_rows_make(&rules, file->has_header && p->is_first, &p->index,
                      options->gives_rejects ? &local->left_out : NULL, &local->wrong));
    local->rules = op->table->rules;
    local->rules.quote = file->form.quote;
    local->rules.escape = file->form.escape;
    return STATUS_OK;
}

/* ---- chunks ---- */

status text_scan_constant(const op_text_scan *op, const text_column *c, device *host, uint32_t file,
                          tensor **out)
{
    dev_stream stream = {.dev = host};
    value v = value_null(c->type);
    const char *path = op->table->files[file].path;
    if (c->is_filename)
        v = value_text(path, strlen(path));
    return tensor_new_constant(&stream, &v, out);
}

static status make_column(const op_text_scan *op, text_scan_local *local, const text_fields *fields,
                          uint32_t column, tensor **out)
{
    const text_column *c = &op->table->columns.items[column];
    const text_file *file = &op->table->files[local->piece.file];
    text_wrong_value wrong;
    if (c->is_filename || file->fields[column] == TEXT_NO_FIELD)
        return text_scan_constant(op, c, op->reading.host, local->piece.file, out);
    TRY(text_values_make(fields, file->fields[column], c->type, c->format, op->reading.host,
                         local->bad, &wrong, out));
    if (!wrong.is_there)
        return STATUS_OK;
    text_field f = text_field_of(fields, file->fields[column], wrong.row);
    return text_scan_place(op, &local->piece, (uint32_t)(f.text - local->piece.text),
                           text_wrong_field(c, f, wrong.has_wrong_bytes));
}

/* Rows whose bit is set go. */
static status drop_bad(const op_text_scan *op, const uint64_t *bad, uint32_t rows, chunk *c)
{
    row_index *index;
    uint32_t kept = 0;
    dev_stream stream = {.dev = op->reading.host};
    TRY(row_index_new(op->reading.host, rows, &index));
    for (uint32_t row = 0; row < rows; row++)
        if (!(bad[row / 64] >> row % 64 & 1))
            index->rows[kept++] = row;
    status st =
        kept == rows ? STATUS_OK : chunk_select(&stream, c, index, dev_count_exact(kept), NULL);
    row_index_unref(index);
    return st;
}

/* Gives the chunk the columns that it has, and drops those that were made to find wrong values. */
static status take_json_columns(const op_text_scan *op, text_scan_local *local, chunk *c)
{
    const plan_node *plan = op->base.plan;
    json_column *columns = local->json.columns;
    for (uint32_t i = 0; i < c->column_count; i++) {
        uint32_t source = plan->text_scan.sources.items[i];
        const text_column *column = &op->table->columns.items[source];
        c->columns[i] = columns[source].made;
        columns[source].made = NULL;
        if (column->is_filename)
            TRY(text_scan_constant(op, column, op->reading.host, local->piece.file,
                                   &c->columns[i]));
    }
    for (uint32_t i = 0; i < local->json.column_count; i++) {
        tensor_unref(columns[i].made);
        columns[i].made = NULL;
    }
    return STATUS_OK;
}

static status make_json_columns(op_text_scan *op, text_scan_local *local, uint32_t rows, chunk *c)
{
    json_wrong wrong;
    TRY(json_rows_make(&local->json, &local->piece.index, local->piece.text, local->next_row, rows,
                       local->bad, &wrong));
    if (!wrong.is_there)
        return take_json_columns(op, local, c);
    uint32_t begin = local->piece.index.begins.items[local->next_row + wrong.row];
    return text_scan_place(op, &local->piece, begin + wrong.offset, text_wrong_record(op, &wrong));
}

text_fields text_scan_fields(const text_scan_local *local, size_t first, uint32_t rows)
{
    const csv_index *x = &local->piece.index;
    return (text_fields){.rules = &local->rules,
                         .text = local->piece.text,
                         .ends = x->ends.items,
                         .firsts = x->firsts.items + first,
                         .begins = x->begins.items + first,
                         .rows = rows,
                         .is_ascii = x->is_ascii};
}

/* Finds wrong values of the columns that nobody reads: ignore_errors leaves out the same rows for all statements. */
static status check_unread_columns(const op_text_scan *op, text_scan_local *local,
                                   const text_fields *fields)
{
    const plan_node *plan = op->base.plan;
    uint32_t next = 0; /* sources ascend */
    for (uint32_t i = 0; i < op->table->columns.count; i++) {
        tensor *made;
        if (next < plan->text_scan.sources.count && plan->text_scan.sources.items[next] == i) {
            next++;
            continue;
        }
        TRY(make_column(op, local, fields, i, &made));
        tensor_unref(made);
    }
    return STATUS_OK;
}

static status make_csv_columns(op_text_scan *op, text_scan_local *local, uint32_t rows, chunk *c)
{
    const plan_node *plan = op->base.plan;
    text_fields fields = text_scan_fields(local, local->next_row, rows);
    for (uint32_t i = 0; i < c->column_count; i++)
        TRY(make_column(op, local, &fields, plan->text_scan.sources.items[i], &c->columns[i]));
    return local->bad ? check_unread_columns(op, local, &fields) : STATUS_OK;
}

static status make_columns(op_text_scan *op, text_scan_local *local, uint32_t rows, chunk *c)
{
    if (local->bad)
        memset(local->bad, 0, bitmap_bytes(rows));
    TRY(op->table->options->kind == TEXT_CSV ? make_csv_columns(op, local, rows, c)
                                             : make_json_columns(op, local, rows, c));
    return local->bad ? drop_bad(op, local->bad, rows, c) : STATUS_OK;
}

static status make_rows_chunk(op_text_scan *op, text_scan_local *local, uint32_t chunk_rows,
                              chunk **out)
{
    size_t left = local->piece.index.record_count - local->next_row;
    uint32_t rows = left < chunk_rows ? (uint32_t)left : chunk_rows;
    TRY(chunk_new((uint32_t)op->base.plan->columns.count, dev_count_exact(rows), out));
    status st = make_columns(op, local, rows, *out);
    local->next_row += rows;
    if (st) {
        chunk_free(*out);
        *out = NULL;
    }
    return st;
}

/* Makes a chunk of the next rows of the piece, in the device's memory. */
static status op_text_scan_make_chunk(op_text_scan *op, exec_task *task, text_scan_local *local,
                                      chunk **out)
{
    chunk *made;
    uint32_t chunk_rows = task->stream->dev->chunk_rows;
    TRY(op->table->options->gives_rejects ? text_rejects_chunk(op, local, chunk_rows, &made)
                                          : make_rows_chunk(op, local, chunk_rows, &made));
    *out = made;
    if (task->stream->dev->is_host)
        return STATUS_OK;
    *out = NULL;
    status st = chunk_to_device_as_bytes(task->stream, made, "text files", out);
    chunk_free(made);
    return st;
}

/* Returns whether the piece has rows that were not given. */
static bool has_rows(const op_text_scan *op, const text_scan_local *local)
{
    return op->table->options->gives_rejects ? local->next_reject < local->rejects.count
                                             : local->next_row < local->piece.index.record_count;
}

static exec_result text_scan_pull(exec_operator *base, exec_task *task, void *state, chunk **output)
{
    op_text_scan *op = (op_text_scan *)base;
    text_scan_local *local = state;
    for (;;) {
        EXEC_TRY(task, cancel_check());
        if (!local->has_piece) {
            EXEC_TRY(task, take_piece(op, task, local));
            if (!local->has_piece || !exec_turn_begin(task, local->piece.number))
                return EXEC_FINISHED;
            EXEC_TRY(task, find_rows(op, local));
            if (op->table->options->gives_rejects)
                EXEC_TRY(task, text_rejects_find(op, local, task->stream->dev->chunk_rows));
        }
        if (has_rows(op, local)) {
            EXEC_TRY(task, op_text_scan_make_chunk(op, task, local, output));
            if ((*output)->rows.bound)
                return EXEC_HAVE_OUTPUT;
            chunk_free(*output);
            *output = NULL;
            continue;
        }
        if (local->wrong.is_there)
            EXEC_TRY(task, text_scan_place(
                               op, &local->piece, local->wrong.begin,
                               text_wrong_row(op, local->piece.file, local->wrong.field_count)));
        local->has_piece = false;
    }
}

/* ---- the operator ---- */

/* Says which columns of the table are made. */
static status open_json(const op_text_scan *op, text_scan_local *local)
{
    size_t count = op->table->columns.count;
    const plan_node *plan = op->base.plan;
    const text_options *options = op->table->options;
    json_memory_init(&local->memory, exec_budget(op->base.query));
    json_column *columns = mem_new_array(count + 1, sizeof *columns);
    local->json =
        (json_making){.host = op->reading.host,
                      .memory = &local->memory,
                      .columns = columns,
                      .column_count = (uint32_t)count,
                      .has_whole_records = op->table->has_whole_records,
                      .refuses_others = !options->has_all_columns && !options->detects_nothing &&
                                        !options->ignores_errors};
    if (!columns)
        return status_no_memory("text scan", count * sizeof *columns);
    for (size_t i = 0; i < count; i++) {
        const text_column *c = &op->table->columns.items[i];
        const json_format format = {c->format, c->fields};
        columns[i] = (json_column){.type = c->type, .format = c->format};
        TRY(json_names_add(NULL, &local->json.names, c->field.text ? c->field.text : c->name,
                           c->field.text ? c->field.bytes : strlen(c->name)));
        if (type_is_nested(c->type))
            TRY(json_part_new(c->type, &format, &columns[i].parts));
    }
    for (size_t i = 0; i < (options->ignores_errors ? count : plan->columns.count); i++) {
        size_t source = options->ignores_errors ? i : plan->text_scan.sources.items[i];
        columns[source].is_wanted = !op->table->columns.items[source].is_filename;
    }
    return STATUS_OK;
}

static status text_scan_local_open(exec_operator *base, exec_task *task, void *state)
{
    text_scan_local *local = state;
    const op_text_scan *op = (op_text_scan *)base;
    if (op->table->options->kind == TEXT_JSON)
        TRY(open_json(op, local));
    if (!op->table->options->ignores_errors)
        return STATUS_OK;
    size_t bytes = bitmap_bytes(task->stream->dev->chunk_rows);
    local->bad = mem_new(bytes);
    return local->bad ? STATUS_OK : status_no_memory("text scan", bytes);
}

static void text_scan_local_close(exec_operator *base, void *state)
{
    (void)base;
    text_scan_local *local = state;
    text_piece_release(&local->piece);
    json_memory_release(&local->memory);
    json_making_release(&local->json);
    mem_free(local->json.columns);
    mem_free(local->bad);
    array_release(&local->left_out);
    array_release(&local->rejects);
}

static void text_scan_close(exec_operator *base)
{
    op_text_scan *op = (op_text_scan *)base;
    text_reader_free(op->reader);
    exec_lock_destroy(&op->lock);
    mem_free(op);
}

static const exec_operator_ops text_scan_ops = {
    .name = "scan",
    .local_bytes = sizeof(text_scan_local),
    .local_open = text_scan_local_open,
    .local_close = text_scan_local_close,
    .pull = text_scan_pull,
    .close = text_scan_close,
};

static size_t op_text_scan_piece_bytes(const device *dev)
{
    uint64_t bytes = (uint64_t)dev->chunk_rows * ROW_BYTES;
    bytes = bytes < PIECE_BYTES_LEAST ? PIECE_BYTES_LEAST : bytes;
    return bytes < PIECE_BYTES ? (size_t)bytes : PIECE_BYTES;
}

status op_text_scan_open(exec_query *query, const plan_node *plan, exec_operator **out)
{
    const text_table *table = plan->text_scan.table;
    *out = NULL;
    op_text_scan *op = mem_new(sizeof *op);
    if (!op)
        return status_no_memory("text scan", sizeof *op);
    op->base = (exec_operator){.ops = &text_scan_ops, .query = query, .plan = plan};
    op->table = table;
    op->reading = (text_reading){.files = table->files,
                                 .file_count = table->file_count,
                                 .compression = table->options->compression,
                                 .is_latin1 = table->options->is_latin1,
                                 .host = dev_host(query->dev),
                                 .isa = query->dev->host_isa,
                                 .piece_bytes = op_text_scan_piece_bytes(query->dev),
                                 .counts_lines = table->options->gives_rejects};
    exec_lock_init(&op->lock);
    status st = text_reader_new(&op->reading, &op->reader);
    return exec_operator_opened(&op->base, st, out);
}
