/* parquet_reader.c - see parquet_reader.h. */
#include "parquet_reader.h"

void parquet_reader_open(parquet_reader *r, const char *path, const char *device)
{
    *r = (parquet_reader){0};
    CHECK_OK(mem_budget_new(0, &r->budget));
    if (!strcmp(device, "simulated"))
        CHECK_OK(dev_open_simulated(0, r->budget, &r->dev));
    else
        CHECK_OK(dev_open_cpu(device, 0, r->budget, &r->dev));
    CHECK_OK(r->dev->ops->stream_open(r->dev, &r->stream));
    CHECK_OK(dev_words_new(r->stream, 2, &r->error));
    CHECK_OK(pq_table_open(path, false, &r->table));
}

void parquet_reader_close(parquet_reader *r)
{
    pq_table_close(r->table);
    dev_buffer_unref(r->error);
    r->dev->ops->stream_close(r->stream);
    dev_close(r->dev);
    CHECK_EQ(mem_budget_used(r->budget), 0);
    mem_budget_free(r->budget);
}

pq_column *parquet_reader_column(parquet_reader *r, uint32_t number, pq_column_use use)
{
    pq_column *column;
    use.error = r->error->address;
    CHECK_OK(pq_column_open(r->stream, r->table, (pq_row_group_ref){0}, number, use, &column));
    return column;
}
