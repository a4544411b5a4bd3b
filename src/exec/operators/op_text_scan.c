/* op_text_scan.c - rows of csv and JSON files: a task takes a piece of a file, and makes chunks of it. */
#include "device/chunk.h"
#include "device/chunk_transfer.h"
#include "exec/sched/lock.h"
#include "exec/sched/query.h"
#include "textfile/read/json_rows.h"
#include "textfile/table/text_table.h"

#define PIECE_BYTES ((size_t)1 << 20)
#define PIECE_BYTES_LEAST ((size_t)4 << 10)
#define ROW_BYTES 256  /* of a piece for each row of a chunk, where chunks are small */
#define VALUE_SHOWN 60 /* bytes of a wrong value in messages */

typedef struct op_text_scan {
    exec_operator base;
    const text_table *table;
    text_reading reading;
    exec_lock lock; /* of the reader */
    text_reader *reader;
    _Atomic uint64_t skipped; /* rows that ignore_errors has left out */
} op_text_scan;

typedef struct text_scan_local {
    text_piece piece;
    bool has_piece;
    size_t next_row;     /* of the piece */
    text_rules rules;    /* of the piece's file */
    csv_wrong_row wrong; /* told of when the rows before it have been given */
    uint64_t *bad;       /* ignore_errors: a bit for each row of the chunk */
    json_memory memory;  /* JSON: of a record, */
    json_making json;    /* and how it becomes a row */
} text_scan_local;

/* ---- failures ---- */

/* Puts the place of a byte of the piece in front of the failure. */
static status text_scan_place(const op_text_scan *op, const text_piece *p, uint32_t at, status st)
{
    uint64_t line;
    status failed = text_reader_line(&op->reading, p->file, p->offset + at, &line);
    const char *path = op->table->files[p->file].path;
    if (!failed)
        return status_context(st, "file \"%s\", line %llu", path, (unsigned long long)line);
    status_free(failed);
    return status_context(st, "file \"%s\", byte %llu", path, (unsigned long long)(p->offset + at));
}

static status wrong_row_error(const op_text_scan *op, const text_scan_local *local)
{
    status st =
        status_new(STATUS_KIND_DATA, "there are %u fields, not %u", local->wrong.field_count,
                   op->table->files[local->piece.file].field_count);
    st = status_hint(st,
                     "null_padding => true fills missing fields with NULL, ignore_errors => true "
                     "leaves such rows out");
    return text_scan_place(op, &local->piece, local->wrong.begin, st);
}

static status wrong_value_error(const op_text_scan *op, const text_scan_local *local,
                                const text_fields *fields, uint32_t column, text_wrong_value wrong)
{
    const text_column *c = &op->table->columns.items[column];
    uint32_t field = op->table->files[local->piece.file].fields[column];
    text_field f = text_field_of(fields, field, wrong.row);
    char type[TYPE_NAME_BYTES];
    int shown = f.bytes < VALUE_SHOWN ? (int)f.bytes : VALUE_SHOWN;
    status st;
    if (wrong.has_wrong_bytes)
        st =
            status_hint(status_new(STATUS_KIND_DATA, "column \"%s\": bytes are not UTF-8", c->name),
                        "encoding => 'latin-1' reads a file in Latin-1, ignore_errors => true "
                        "leaves such rows out");
    else
        st = status_hint(
            status_new(STATUS_KIND_DATA, "column \"%s\": \"%.*s\" is not a %s", c->name, shown,
                       f.text, type_name(c->type, type)),
            "types => ['%s'] says another type for the columns, sample_size => -1 finds "
            "types by all rows, ignore_errors => true leaves such rows out",
            "varchar");
    return text_scan_place(op, &local->piece, (uint32_t)(f.text - local->piece.text), st);
}

static status open_quote_error(const op_text_scan *op, const text_scan_local *local)
{
    const csv_index *x = &local->piece.index;
    status st = status_hint(status_new(STATUS_KIND_DATA, "a quote is not closed"),
                            "quote => '' reads quotes as they are");
    return text_scan_place(op, &local->piece, x->begins.items[x->record_count - 1], st);
}

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

/* Finds the piece's rows. */
static status find_rows(op_text_scan *op, text_scan_local *local)
{
    text_piece *p = &local->piece;
    const text_file *file = &op->table->files[p->file];
    const text_options *options = op->table->options;
    csv_row_rules rules = {.column_count = file->field_count,
                           .has_padding = options->null_padding,
                           .skips_wrong = options->ignores_errors};
    uint64_t skipped = 0;
    local->next_row = 0;
    local->wrong.is_there = false;
    atomic_fetch_add_explicit(&op->base.metrics.bytes_read, p->bytes, memory_order_relaxed);
    if (!p->is_indexed)
        TRY(text_piece_index(&op->reading, p));
    if (options->kind == TEXT_JSON)
        return STATUS_OK;
    if (p->index.is_open && !options->ignores_errors)
        return open_quote_error(op, local);
    TRY(csv_rows_make(&rules, file->has_header && p->is_first, &p->index, &skipped, &local->wrong));
    if (skipped)
        atomic_fetch_add(&op->skipped, skipped);
    local->rules = op->table->rules;
    local->rules.quote = file->form.quote;
    local->rules.escape = file->form.escape;
    return STATUS_OK;
}

/* ---- chunks ---- */

static status make_constant(const op_text_scan *op, const text_column *c, const text_piece *p,
                            device *host, tensor **out)
{
    dev_stream stream = {.dev = host};
    value v = value_null(c->type);
    const char *path = op->table->files[p->file].path;
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
        return make_constant(op, c, &local->piece, op->reading.host, out);
    TRY(text_values_make(fields, file->fields[column], c->type, c->format, op->reading.host,
                         local->bad, &wrong, out));
    return wrong.is_there ? wrong_value_error(op, local, fields, column, wrong) : STATUS_OK;
}

/* Rows whose bit is set go. */
static status drop_bad(op_text_scan *op, const uint64_t *bad, uint32_t rows, chunk *c)
{
    row_index *index;
    uint32_t kept = 0;
    dev_stream stream = {.dev = op->reading.host};
    TRY(row_index_new(op->reading.host, rows, &index));
    for (uint32_t row = 0; row < rows; row++)
        if (!(bad[row / 64] >> row % 64 & 1))
            index->rows[kept++] = row;
    atomic_fetch_add(&op->skipped, rows - kept);
    status st =
        kept == rows ? STATUS_OK : chunk_select(&stream, c, index, dev_count_exact(kept), NULL);
    row_index_unref(index);
    return st;
}

static status wrong_record(const op_text_scan *op, const json_wrong *wrong)
{
    char type[TYPE_NAME_BYTES];
    const text_column *c = &op->table->columns.items[wrong->column];
    static const char leaves_out[] = "ignore_errors => true leaves such records out";
    switch (wrong->kind) {
    case JSON_WRONG_VALUE:
        return status_hint(status_new(STATUS_KIND_DATA, "column \"%s\": \"%s\" is not a %s",
                                      c->name, wrong->value, type_name(c->type, type)),
                           "%s, sample_size => -1 finds types by all of them", leaves_out);
    case JSON_WRONG_FIELD:
        return status_hint(
            status_new(STATUS_KIND_DATA, "field \"%s\" is not a column", wrong->value),
            "the first records do not have it: sample_size => -1 finds the fields of all records, "
            "union_by_name => true those of all files, columns => {...} says which are read");
    case JSON_WRONG_TWICE:
        return status_hint(
            status_new(STATUS_KIND_DATA, "the record has \"%s\" more than once", wrong->value),
            "%s", leaves_out);
    default:
        return status_hint(
            status_new(STATUS_KIND_DATA, "the record is not JSON: %s", wrong->message), "%s",
            leaves_out);
    }
}

static status wrong_record_error(const op_text_scan *op, const text_scan_local *local,
                                 const json_wrong *wrong)
{
    uint32_t begin = local->piece.index.begins.items[local->next_row + wrong->row];
    return text_scan_place(op, &local->piece, begin + wrong->offset, wrong_record(op, wrong));
}

static status make_json_columns(op_text_scan *op, text_scan_local *local, uint32_t rows, chunk *c)
{
    const plan_node *plan = op->base.plan;
    json_wrong wrong;
    TRY(json_rows_make(&local->json, &local->piece.index, local->piece.text, local->next_row, rows,
                       local->bad, &wrong));
    if (wrong.is_there)
        return wrong_record_error(op, local, &wrong);
    for (uint32_t i = 0; i < c->column_count; i++) {
        json_column *made = &local->json.columns[plan->text_scan.sources.items[i]];
        const text_column *column = &op->table->columns.items[plan->text_scan.sources.items[i]];
        c->columns[i] = made->made;
        made->made = NULL;
        if (column->is_filename)
            TRY(make_constant(op, column, &local->piece, op->reading.host, &c->columns[i]));
    }
    return STATUS_OK;
}

static status make_csv_columns(op_text_scan *op, text_scan_local *local, uint32_t rows, chunk *c)
{
    const csv_index *x = &local->piece.index;
    const plan_node *plan = op->base.plan;
    text_fields fields = {.rules = &local->rules,
                          .text = local->piece.text,
                          .ends = x->ends.items,
                          .firsts = x->firsts.items + local->next_row,
                          .begins = x->begins.items + local->next_row,
                          .rows = rows,
                          .is_ascii = x->is_ascii};
    for (uint32_t i = 0; i < c->column_count; i++)
        TRY(make_column(op, local, &fields, plan->text_scan.sources.items[i], &c->columns[i]));
    return STATUS_OK;
}

static status make_columns(op_text_scan *op, text_scan_local *local, uint32_t rows, chunk *c)
{
    if (local->bad)
        memset(local->bad, 0, bitmap_bytes(rows));
    TRY(op->table->options->kind == TEXT_CSV ? make_csv_columns(op, local, rows, c)
                                             : make_json_columns(op, local, rows, c));
    return local->bad ? drop_bad(op, local->bad, rows, c) : STATUS_OK;
}

/* The next rows of the piece, in the device's memory. */
static status make_chunk(op_text_scan *op, exec_task *task, text_scan_local *local, chunk **out)
{
    size_t left = local->piece.index.record_count - local->next_row;
    uint32_t rows =
        left < task->stream->dev->chunk_rows ? (uint32_t)left : task->stream->dev->chunk_rows;
    chunk *made;
    TRY(chunk_new((uint32_t)op->base.plan->columns.count, dev_count_exact(rows), &made));
    status st = make_columns(op, local, rows, made);
    local->next_row += rows;
    *out = made;
    if (!st && !task->stream->dev->is_host) {
        *out = NULL;
        st = chunk_to_device(task->stream, made, "text files", out);
        chunk_free(made);
    } else if (st) {
        chunk_free(made);
        *out = NULL;
    }
    return st;
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
        }
        if (local->next_row < local->piece.index.record_count) {
            EXEC_TRY(task, make_chunk(op, task, local, output));
            if ((*output)->rows.bound)
                return EXEC_HAVE_OUTPUT;
            chunk_free(*output);
            *output = NULL;
            continue;
        }
        if (local->wrong.is_there)
            EXEC_TRY(task, wrong_row_error(op, local));
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
                      .refuses_others = !options->has_all_columns && !options->detects_nothing &&
                                        !options->ignores_errors};
    if (!columns)
        return status_no_memory("text scan", count * sizeof *columns);
    for (size_t i = 0; i < count; i++) {
        const text_column *c = &op->table->columns.items[i];
        columns[i] = (json_column){
            .name = c->name, .name_bytes = strlen(c->name), .type = c->type, .format = c->format};
    }
    for (size_t i = 0; i < plan->columns.count; i++) {
        uint32_t source = plan->text_scan.sources.items[i];
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
    mem_free(local->json.columns);
    mem_free(local->bad);
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

static size_t piece_bytes(const device *dev)
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
                                 .piece_bytes = piece_bytes(query->dev)};
    exec_lock_init(&op->lock);
    status st = text_reader_new(&op->reading, &op->reader);
    if (st) {
        text_scan_close(&op->base);
        return st;
    }
    *out = &op->base;
    return STATUS_OK;
}
