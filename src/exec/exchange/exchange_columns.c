/* exchange_columns.c - columns that travel. A scan gives out no tensor for what only its own conditions
 * need; all above it pass that on. */
#include "exec/exchange/exchange_columns.h"

#include "device/chunk.h"
#include "device/chunk_transfer.h"

status exchange_columns_init(const plan_node *exchange, exchange_columns *out)
{
    const plan_column_list *all = &exchange->columns;
    *out = (exchange_columns){.all_count = (uint32_t)all->count};
    out->sources = mem_new_array(all->count + 1, sizeof *out->sources);
    out->types = mem_new_array(all->count + 1, sizeof *out->types);
    if (!out->sources || !out->types)
        return status_no_memory("exchange", all->count * sizeof *out->types);
    for (uint32_t i = 0; i < out->all_count; i++) {
        if (plan_is_kept_back(exchange->children[0], all->items[i].id))
            continue;
        out->sources[out->count] = i;
        out->types[out->count++] = all->items[i].type;
    }
    return STATUS_OK;
}

void exchange_columns_release(exchange_columns *columns)
{
    mem_free(columns->sources);
    mem_free(columns->types);
}

status exchange_columns_narrow(const exchange_columns *columns, const chunk *c, chunk **out)
{
    chunk *narrow;
    *out = NULL;
    TRY(chunk_new(columns->count, c->rows, &narrow));
    for (uint32_t i = 0; i < columns->count; i++) {
        tensor *t = c->columns[columns->sources[i]];
        if (!t) {
            chunk_free(narrow);
            return status_new(STATUS_KIND_INTERNAL, "column %u of an exchange is not there",
                              columns->sources[i]);
        }
        narrow->columns[i] = tensor_ref(t);
    }
    *out = narrow;
    return STATUS_OK;
}

status exchange_columns_widen(const exchange_columns *columns, chunk *c, chunk **out)
{
    chunk *wide = c;
    *out = NULL;
    if (columns->count < columns->all_count) {
        status st = chunk_new(columns->all_count, c->rows, &wide);
        if (st) {
            chunk_free(c);
            return st;
        }
        for (uint32_t i = 0; i < columns->count; i++)
            wide->columns[columns->sources[i]] = tensor_ref(c->columns[i]);
        chunk_free(c);
    }
    *out = wide;
    return STATUS_OK;
}

/* A dictionary goes to the host with each chunk: one of more entries than the chunk has rows is better left
 * behind. */
static status flatten_few(dev_stream *stream, chunk *c)
{
    for (uint32_t i = 0; i < c->column_count; i++) {
        tensor *flat, *t = c->columns[i];
        if (t->form == TENSOR_INDEXED && t->is_dictionary && t->base_rows > c->rows.bound)
            TRY(chunk_flatten_column(stream, c, i, &flat));
    }
    return STATUS_OK;
}

status exchange_to_host(dev_stream *stream, chunk *c, chunk **out)
{
    *out = c;
    if (stream->dev->is_host)
        return STATUS_OK;
    *out = NULL;
    status st = flatten_few(stream, c);
    if (!st)
        st = chunk_to_host(stream, c, true, "exchange", out);
    chunk_free(c);
    return st;
}

status exchange_share(const chunk *c, chunk **out)
{
    TRY(chunk_new(c->column_count, c->rows, out));
    for (uint32_t i = 0; i < c->column_count; i++)
        (*out)->columns[i] = tensor_ref(c->columns[i]);
    return STATUS_OK;
}
