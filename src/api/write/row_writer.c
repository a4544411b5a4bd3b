/* row_writer.c - headers, batches, ends. */
#include "api/write/row_writer.h"

#include "api/handles/handles.h"
#include "exec/operators/result_batch.h"

#define BUFFER_BYTES 65536

/* Finds the names of the rows that the result has, or that its COPY writes. */
static status find_names(api_row_writer *w, const pistachio_result *result, uint32_t *out_count)
{
    const plan_node *root = result->statement->query.root; /* NULL: SET and the like */
    bool is_copy = !result->columns.count && root;
    uint32_t count = *out_count = is_copy ? (uint32_t)root->columns.count : result->columns.count;
    w->names = mem_new_array(count + 1, sizeof *w->names);
    if (!w->names)
        return status_no_memory("column names", count * sizeof *w->names);
    for (uint32_t c = 0; c < count; c++)
        w->names[c] = is_copy ? root->columns.items[c].name : result->columns.names[c];
    return STATUS_OK;
}

status api_row_writer_open(api_row_writer *w, const pistachio_result *result, row_style style,
                           FILE *target, unsigned threads)
{
    uint32_t count;
    *w = (api_row_writer){.out = {.target = target}};
    TRY(find_names(w, result, &count));
    style.zone = result->statement->zone;
    TRY(api_row_text_open(&w->text, style, w->names, count));
    w->out.begin = w->out.at = mem_new(BUFFER_BYTES);
    if (!w->out.begin)
        return status_no_memory("text of rows", BUFFER_BYTES);
    w->out.end = w->out.begin + BUFFER_BYTES;
    if (threads < 2)
        return STATUS_OK;
    return api_row_team_open(&w->text, &w->out, threads, result->engine->budget, &w->team);
}

void api_row_writer_close(api_row_writer *w)
{
    api_row_team_close(w->team);
    api_row_text_close(&w->text);
    mem_free(w->out.begin);
    mem_free(w->names);
    *w = (api_row_writer){0};
}

static void row_writer_begin(api_row_writer *w)
{
    if (!w->has_begun)
        api_row_text_begin(&w->text, w->names, &w->out);
    w->has_begun = true;
}

static void row_writer_write_rows(api_row_writer *w, const exec_batch *rows)
{
    row_writer_begin(w);
    api_row_text_add(&w->text, rows, 0, rows->row_count, !w->row_count, &w->out);
    w->row_count += rows->row_count;
    text_out_flush(&w->out);
}

void api_row_writer_add(api_row_writer *w, const pistachio_batch *batch)
{
    row_writer_write_rows(w, batch->rows);
}

void api_row_writer_take(api_row_writer *w, exec_batch *rows)
{
    if (!w->team) {
        row_writer_write_rows(w, rows);
        exec_batch_free(rows);
        return;
    }
    row_writer_begin(w);
    bool is_first = !w->row_count;
    w->row_count += rows->row_count;
    api_row_team_add(w->team, rows, is_first);
}

void api_row_writer_end(api_row_writer *w)
{
    if (w->team)
        api_row_team_finish(w->team);
    row_writer_begin(w);
    api_row_text_end(&w->text, &w->out);
    text_out_flush(&w->out);
}
