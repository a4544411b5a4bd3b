/* exchange_heavy.c - a chunk's rows are divided into those that stay and those that go. */
#include "exec/exchange/exchange_heavy.h"

#include "device/chunk.h"
#include "device/selection.h"
#include "device/transfer.h"
#include "net/wire/wire.h"
#include "net/wire/wire_write.h"

/* ---- rows that stay ---- */

/* The rows of the table's keys, or the others. */
static status exchange_heavy_select_rows(const heavy_table *table, exec_task *task,
                                         const exchange_keyed *keyed, row_selection *out_kept,
                                         row_selection *out_rest)
{
    dev_count count = (*keyed->rows)->rows;
    row_index *groups;
    dev_buffer *bits = NULL;
    TRY(table->find(table, task, keyed->keys, count, &groups));
    status st = dev_alloc(task->stream->dev, bitmap_bytes(count.bound), "exchange", &bits);
    if (!st)
        st = DEV_LAUNCH(task->stream, join_matched, .groups = groups->rows, .count = count,
                        .out = bits->address);
    row_index_unref(groups);
    row_mask mask = {.bits = bits ? bits->address : NULL};
    if (!st)
        st = row_selection_make(task->stream, &mask, count, out_kept);
    if (!st)
        st = dev_count_read(task->stream, &out_kept->count);
    mask.is_inverted = true;
    if (!st && out_kept->count.bound && out_kept->count.bound < count.bound)
        st = row_selection_make(task->stream, &mask, count, out_rest);
    if (!st && out_rest->rows)
        st = dev_count_read(task->stream, &out_rest->count);
    dev_buffer_unref(bits);
    return st;
}

/* The chunk's rows of a selection, with the columns that travel. */
static status exchange_heavy_take_rows(const exchange_keyed *keyed, exec_task *task,
                                       const row_selection *rows, chunk **out)
{
    chunk *narrow;
    *out = NULL;
    TRY(exchange_columns_narrow(keyed->columns, *keyed->rows, &narrow));
    status st =
        rows->rows ? chunk_select(task->stream, narrow, rows->rows, rows->count, NULL) : STATUS_OK;
    if (st) {
        chunk_free(narrow);
        return st;
    }
    return exchange_columns_widen(keyed->columns, narrow, out);
}

/* The others' keys are FLAT again. */
static status narrow_keys(const exchange_keyed *keyed, exec_task *task, const row_selection *rest)
{
    uint64_t all = (*keyed->rows)->rows.bound;
    for (uint32_t k = 0; k < keyed->key_count; k++) {
        tensor *chosen, *flat;
        TRY(tensor_new_indexed(task->stream, keyed->keys[k], all, rest->rows, rest->count,
                               &chosen));
        status st = tensor_flatten(task->stream, chosen, rest->count, &flat);
        tensor_unref(chosen);
        TRY(st);
        tensor_unref(keyed->keys[k]);
        keyed->keys[k] = flat;
    }
    return STATUS_OK;
}

static status keep_rest(const exchange_keyed *keyed, exec_task *task, const row_selection *rest)
{
    chunk *others = NULL;
    if (rest->rows) {
        TRY(narrow_keys(keyed, task, rest));
        TRY(exchange_heavy_take_rows(keyed, task, rest, &others));
    }
    chunk_free(*keyed->rows);
    *keyed->rows = others;
    return STATUS_OK;
}

/* Hands over the rows that stay: other tasks join them, on streams of their own. */
static status exchange_heavy_hand_over(heavy_keys *heavy, exec_task *task,
                                       const exchange_keyed *keyed, const row_selection *kept,
                                       heavy_table *table)
{
    chunk *rows;
    TRY(exchange_heavy_take_rows(keyed, task, kept, &rows));
    status st = task->stream->dev->is_host ? STATUS_OK : dev_stream_await(task->stream);
    if (st) {
        chunk_free(rows);
        return st;
    }
    return heavy_keys_put(heavy, rows, heavy_table_ref(table));
}

status exchange_heavy_keep(heavy_keys *heavy, exec_task *task, const exchange_keyed *keyed)
{
    row_selection kept = {0}, rest = {0};
    heavy_table *table = heavy_keys_table(heavy);
    if (!table)
        return STATUS_OK;
    status st = exchange_heavy_select_rows(table, task, keyed, &kept, &rest);
    if (!st && kept.count.bound) {
        st = exchange_heavy_hand_over(heavy, task, keyed, &kept, table);
        if (!st)
            st = keep_rest(keyed, task, &rest);
    }
    row_selection_release(&kept);
    row_selection_release(&rest);
    heavy_table_unref(table);
    return st;
}

/* ---- asking ---- */

/* One row of the keys, as columns. */
static status exchange_heavy_take_key(exec_task *task, const exchange_keyed *keyed, uint64_t row,
                                      chunk **out)
{
    row_index *one;
    TRY(row_index_new(task->stream->dev, 1, &one));
    status st = chunk_new(keyed->key_count, dev_count_exact(1), out);
    if (!st)
        st = DEV_LAUNCH(task->stream, fill, .width = sizeof *one->rows, .value_low = row,
                        .count = dev_count_exact(1), .out = one->rows);
    for (uint32_t k = 0; k < keyed->key_count && !st; k++)
        st = tensor_new_indexed(task->stream, keyed->keys[k], (*keyed->rows)->rows.bound, one,
                                dev_count_exact(1), &(*out)->columns[k]);
    row_index_unref(one);
    if (st) {
        chunk_free(*out);
        *out = NULL;
    }
    return st;
}

/* As bytes; *used is 0 where they do not fit. */
static status write_key(const exchange_keyed *keyed, const chunk *key, char *bytes, uint32_t room,
                        uint32_t *used)
{
    wire_writer *writer = NULL;
    uint64_t rows = 0;
    data_type *types = mem_new_array(keyed->key_count + 1, sizeof *types);
    status st = types ? STATUS_OK : status_no_memory("exchange", keyed->key_count * sizeof *types);
    for (uint32_t k = 0; k < keyed->key_count && !st; k++)
        types[k] = keyed->keys[k]->type;
    if (!st)
        st = wire_writer_new(types, keyed->key_count, &writer);
    if (!st)
        st = wire_append(writer, key, 0, 1, bytes, room, used, &rows);
    wire_writer_free(writer);
    mem_free(types);
    if (!rows)
        *used = 0;
    return st;
}

static status exchange_heavy_ask(heavy_keys *heavy, exec_task *task, const exchange_keyed *keyed,
                                 uint64_t hash, uint64_t row)
{
    char bytes[HEAVY_ASK_BYTES] __attribute__((aligned(8)));
    uint32_t used = sizeof hash;
    chunk *key, *here;
    TRY(exchange_heavy_take_key(task, keyed, row, &key));
    status st = exchange_to_host(task->stream, key, &here);
    TRY(st);
    memcpy(bytes, &hash, sizeof hash);
    uint32_t key_bytes = 0;
    st = write_key(keyed, here, bytes + used, sizeof bytes - used, &key_bytes);
    chunk_free(here);
    TRY(st);
    if (!key_bytes) /* a long text: it goes where its hash says */
        return heavy_keys_answer(heavy, hash, NULL);
    heavy_keys_ask(heavy, hash, bytes, used + key_bytes);
    return STATUS_OK;
}

/* From all over the chunk, where the host sees them; of a lazy device's the first ones. */
static status exchange_heavy_take_sample(exec_task *task, const uint64_t *hashes, uint64_t count,
                                         uint64_t step, uint64_t *out)
{
    if (!task->stream->dev->is_host)
        return dev_words_read(task->stream, hashes, out, (uint32_t)count);
    for (uint64_t i = 0; i < count; i++)
        out[i] = hashes[i * step];
    return STATUS_OK;
}

status exchange_heavy_sample(heavy_keys *heavy, exec_task *task, const exchange_keyed *keyed,
                             const uint64_t *hashes)
{
    uint64_t sample[HEAVY_SAMPLE], rows = (*keyed->rows)->rows.bound;
    uint64_t count = rows < HEAVY_SAMPLE ? rows : HEAVY_SAMPLE;
    uint64_t step = task->stream->dev->is_host ? rows / count : 1;
    uint32_t found;
    TRY(exchange_heavy_take_sample(task, hashes, count, step, sample));
    if (!heavy_keys_sample(heavy, sample, (uint32_t)count, &found))
        return STATUS_OK;
    return exchange_heavy_ask(heavy, task, keyed, sample[found], found * step);
}
