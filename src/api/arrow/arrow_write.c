/* arrow_write.c - reads an Arrow stream, slice by slice, into a sink. */
#include "api/arrow/arrow_write.h"

#include "api/arrow/arrow_column.h"
#include "api/engine/engine.h"
#include "api/write/sink.h"
#include "exec/operators/result_batch.h"
#include "exec/operators/result_nested.h"
#include "sql/text/split.h"

#define GROUP_ROWS 122880
/* A slice of an array is what is converted at once: about so many bytes of texts, which the slices
 * before tell, and at most so many rows. */
#define SLICE_TEXT ((uint64_t)4 << 20)
#define SLICE_ROWS 16384
#define FIRST_ROWS 64
/* Texts of a row group that is being filled, beyond which it is written: so many bytes, or what lets a
 * quarter of memory_limit do for encoding, where each thread may have them twice more. */
#define GROUP_TEXT ((uint64_t)64 << 20)
#define THREADS_MAX 4

typedef struct arrow_write {
    struct ArrowArrayStream *stream;
    struct ArrowSchema schema;
    struct ArrowArray array;
    arena *memory; /* holds nested types */
    data_type *types;
    bool *is_nested;
    api_arrow_nested **nested; /* of each column that is; else NULL */
    api_engine *engine;
    settings settings;
    api_sink *sink;
    uint64_t slice_rows;             /* of the next one */
    uint64_t group_text, group_most; /* of the row group: what it has, and may have */
    uint64_t rows;
    unsigned threads; /* that encode */
} arrow_write;

static status stream_failed(const arrow_write *w, const char *what)
{
    const char *text = w->stream->get_last_error ? w->stream->get_last_error(w->stream) : NULL;
    return status_new(STATUS_KIND_INVALID, "Arrow stream gives no %s%s%s", what, text ? ": " : "",
                      text ? text : "");
}

/* ---- columns ---- */

static status arrow_write_check_schema(const struct ArrowSchema *schema)
{
    if (!schema->release || !schema->format || strcmp(schema->format, "+s"))
        return status_new(STATUS_KIND_INVALID, "rows in Arrow are a struct, not \"%s\"",
                          schema->release && schema->format ? schema->format : "");
    if (schema->n_children < 1 || schema->n_children > 65535 || !schema->children)
        return status_new(STATUS_KIND_INVALID, "a table cannot have %lld columns",
                          (long long)schema->n_children);
    return STATUS_OK;
}

static status arrow_write_make_column(arrow_write *w, size_t i, pq_column_schema *out)
{
    const struct ArrowSchema *child = w->schema.children[i];
    data_type *type = &w->types[i];
    if (!child || !child->release)
        return status_new(STATUS_KIND_INVALID, "Arrow schema has a column that was released");
    const char *name = child->name ? child->name : "";
    status st = sql_check_utf8(name, strlen(name), "the name of a column");
    if (st)
        return st;
    TRY(api_arrow_table_type(w->memory, child, type));
    w->is_nested[i] = api_arrow_is_nested(child);
    if (w->is_nested[i])
        TRY(api_arrow_nested_new(child, w->engine->dev, &w->nested[i]));
    *out = (pq_column_schema){.name = name, .type = *type, .is_nullable = true};
    return STATUS_OK;
}

static status arrow_write_open_sink(arrow_write *w, const api_arrow_target *target,
                                    const pq_column_schema *columns)
{
    pq_writer_options options = pq_writer_options_default();
    options.isa = w->engine->dev->host_isa;
    options.threads = w->threads;
    options.target = target->file;
    if (target->is_temporary)
        options.codec = PQ_CODEC_NONE;
    return api_sink_open(target->path, columns, (size_t)w->schema.n_children, &options, GROUP_ROWS,
                         w->engine->budget, &w->sink);
}

/* Takes the target's file over. */
static status open_columns(arrow_write *w, const api_arrow_target *target)
{
    size_t count = 0;
    pq_column_schema *columns = NULL;
    status st = w->stream->get_schema(w->stream, &w->schema) ? stream_failed(w, "schema")
                                                             : arrow_write_check_schema(&w->schema);
    if (!st) {
        count = (size_t)w->schema.n_children;
        columns = mem_new_array(count, sizeof *columns);
        w->types = mem_new_array(count, sizeof *w->types);
        w->is_nested = mem_new_array(count, sizeof *w->is_nested);
        w->nested = mem_new_array(count, sizeof *w->nested);
        st = columns && w->types && w->is_nested && w->nested
                 ? arena_new(&w->memory)
                 : status_no_memory("columns", count * sizeof *columns);
    }
    for (size_t i = 0; i < count && !st; i++)
        st = arrow_write_make_column(w, i, &columns[i]);
    if (st)
        new_file_abort(target->file);
    else
        st = arrow_write_open_sink(w, target, columns);
    mem_free(columns);
    return st;
}

/* ---- rows ---- */

/* As many as have SLICE_TEXT of texts, if they are like those before. */
static void adapt_slice(arrow_write *w, uint64_t rows, uint64_t text)
{
    uint64_t next =
        text ? (uint64_t)((double)rows / (double)text * (double)SLICE_TEXT) : SLICE_ROWS;
    uint64_t most = 2 * w->slice_rows < SLICE_ROWS ? 2 * w->slice_rows : SLICE_ROWS;
    w->slice_rows = next > most ? most : next ? next : 1;
}

static status add_batch_slice(arrow_write *w, int64_t first, uint64_t rows)
{
    exec_batch *batch;
    TRY(api_arrow_batch(&w->schema, &w->array, first, rows, w->types, w->nested, w->engine->dev,
                        &batch));
    status st = exec_batch_pack_nested(batch); /* so that its bytes count as texts */
    if (st) {
        exec_batch_free(batch);
        return st;
    }
    uint64_t text = exec_batch_text_bytes(batch);
    TRY(api_sink_add(w->sink, batch));
    adapt_slice(w, rows, text);
    w->group_text += text;
    if (w->group_text < w->group_most)
        return STATUS_OK;
    w->group_text = 0;
    return api_sink_flush(w->sink);
}

static status add_array(arrow_write *w)
{
    TRY(api_arrow_check(&w->schema, &w->array, w->is_nested));
    for (int64_t i = 0; i < w->schema.n_children; i++)
        if (w->nested[i])
            TRY(api_arrow_nested_take(w->nested[i], w->array.children[i],
                                      (uint64_t)(w->array.length + w->array.offset)));
    for (int64_t first = 0; first < w->array.length;) {
        uint64_t left = (uint64_t)(w->array.length - first);
        uint64_t rows = left < w->slice_rows ? left : w->slice_rows;
        TRY(add_batch_slice(w, first, rows));
        first += (int64_t)rows;
        w->rows += rows;
    }
    return STATUS_OK;
}

static status arrow_write_add_rows(arrow_write *w)
{
    for (;;) {
        if (w->stream->get_next(w->stream, &w->array))
            return stream_failed(w, "more rows");
        if (!w->array.release)
            return STATUS_OK;
        status st = add_array(w);
        w->array.release(&w->array);
        w->array = (struct ArrowArray){0};
        TRY(st);
    }
}

/* ---- all of it ---- */

static status arrow_write_all(arrow_write *w, const api_arrow_target *target)
{
    uint64_t threads = w->settings.threads.number;
    w->threads = threads < THREADS_MAX ? (unsigned)threads : THREADS_MAX;
    uint64_t most = mem_budget_limit(w->engine->budget) / 4 / (1 + 2 * w->threads);
    w->group_most = most < GROUP_TEXT ? most : GROUP_TEXT;
    w->slice_rows = FIRST_ROWS;
    TRY(open_columns(w, target));
    TRY(arrow_write_add_rows(w));
    api_sink *sink = w->sink;
    w->sink = NULL;
    return api_sink_finish(sink);
}

status api_arrow_write(pistachio_connection *connection, struct ArrowArrayStream *stream,
                       const api_arrow_target *target, uint64_t *out_rows)
{
    arrow_write w = {.stream = stream};
    status st = api_engine_hold(connection->database, &w.settings, &w.engine);
    if (st)
        new_file_abort(target->file);
    else
        st = arrow_write_all(&w, target);
    api_sink_abort(w.sink);
    for (int64_t i = 0; w.nested && i < w.schema.n_children; i++)
        api_arrow_nested_free(w.nested[i]);
    if (w.schema.release)
        w.schema.release(&w.schema);
    mem_free(w.types);
    mem_free(w.is_nested);
    mem_free(w.nested);
    if (w.memory)
        arena_free(w.memory);
    api_engine_unref(w.engine);
    stream->release(stream);
    *out_rows = w.rows;
    return st;
}
