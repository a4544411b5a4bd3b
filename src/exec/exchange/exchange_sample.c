/* exchange_sample.c - samples of rows' keys: how they are drawn, and how they are written.
 *
 *     sample: of each key its first word; then of numbers two more, of texts the length and the bytes
 *
 * A task keeps every stride-th row, about; when it has too many samples it drops each second one and doubles the
 * stride. So the samples of a task stand for equally many rows. */
#include "exec/exchange/exchange_sample.h"

#include "device/chunk.h"
#include "device/kernels/kernel_ops.h"
#include "device/transfer.h"
#include "device/value/sort_key.h"

/* ---- writing and reading ---- */

static size_t text_words(uint64_t bytes)
{
    return 1 + (bytes + sizeof(uint64_t) - 1) / sizeof(uint64_t);
}

static status write_text(const uint64_t *key, ranges_words *out)
{
    string_view view;
    memcpy(&view, key + 1, sizeof view);
    uint32_t bytes = view.bytes < RANGES_TEXT_BYTES ? view.bytes : RANGES_TEXT_BYTES;
    size_t words = text_words(bytes);
    TRY(array_reserve(NULL, out, words));
    uint64_t *at = out->items + out->count;
    at[words - 1] = 0;
    at[0] = bytes;
    if (bytes)
        memcpy(at + 1, string_data(&view), bytes);
    out->count += words;
    return STATUS_OK;
}

status ranges_sample_write(const uint64_t *keys, uint32_t key_count, ranges_words *out)
{
    for (uint32_t k = 0; k < key_count; k++, keys += RANGES_KEY_WORDS) {
        TRY(array_push(NULL, out, keys[0]));
        if (keys[0] & SORT_KEY_TEXT) {
            TRY(write_text(keys, out));
            continue;
        }
        TRY(array_push(NULL, out, keys[1]));
        TRY(array_push(NULL, out, keys[2]));
    }
    return STATUS_OK;
}

size_t ranges_sample_words(const uint64_t *at, const uint64_t *end, uint32_t key_count)
{
    size_t words = 0, left = (size_t)(end - at);
    for (uint32_t k = 0; k < key_count; k++) {
        if (left - words < 2)
            return 0;
        bool is_text = at[words] & SORT_KEY_TEXT;
        if (is_text && at[words + 1] > RANGES_TEXT_BYTES)
            return 0;
        words += 1 + (is_text ? text_words(at[words + 1]) : 2);
        if (words > left)
            return 0;
    }
    return words;
}

void ranges_sample_read(const uint64_t *at, uint32_t key_count, uint64_t *out_keys)
{
    for (uint32_t k = 0; k < key_count; k++, out_keys += RANGES_KEY_WORDS) {
        out_keys[0] = at[0];
        if (at[0] & SORT_KEY_TEXT) {
            string_view view = string_view_make((const char *)(at + 2), (uint32_t)at[1]);
            memcpy(out_keys + 1, &view, sizeof view);
            at += 1 + text_words(at[1]);
            continue;
        }
        out_keys[1] = at[1];
        out_keys[2] = at[2];
        at += RANGES_KEY_WORDS;
    }
}

/* ---- drawing ---- */

typedef struct op_sample {
    exec_operator base;
    exchange_ranges *ranges; /* the sending sink's */
} op_sample;

typedef struct sample_local {
    uint64_t rows, stride;
    uint64_t next;  /* rows until the next one that is drawn */
    uint64_t state; /* of random numbers */
    uint64_t count; /* samples in words */
    ranges_words words;
    uint32_t chosen[RANGES_SAMPLES];
} sample_local;

static uint64_t sample_random(sample_local *local, uint64_t end)
{
    return dev_mix(++local->state) % end;
}

/* Drops one of each two samples. */
static void thin(sample_local *local, uint32_t key_count)
{
    const uint64_t *at = local->words.items, *end = at + local->words.count;
    uint64_t *to = local->words.items;
    uint64_t kept = 0;
    for (uint64_t i = 0; i < local->count; i++) {
        size_t words = ranges_sample_words(at, end, key_count);
        if (i % 2) {
            memmove(to, at, words * sizeof *to);
            to += words;
            kept++;
        }
        at += words;
    }
    local->words.count = (size_t)(to - local->words.items);
    local->count = kept;
    local->stride *= 2;
}

/* Returns how many of the chunk's rows are drawn; local->chosen has them. */
static uint32_t exchange_sample_choose(sample_local *local, uint64_t rows, uint32_t key_count)
{
    uint32_t chosen = 0;
    while (local->count + rows / local->stride + 1 > RANGES_SAMPLES / 2)
        thin(local, key_count);
    while (local->next < rows && chosen < RANGES_SAMPLES) {
        local->chosen[chosen++] = (uint32_t)local->next;
        local->next += 1 + sample_random(local, 2 * local->stride - 1);
    }
    local->next = local->next < rows ? 0 : local->next - rows;
    return chosen;
}

static status append_samples(const op_sample *op, sample_local *local, const uint64_t *keys,
                             uint32_t count)
{
    uint32_t key_count = exchange_ranges_key_count(op->ranges);
    for (uint32_t i = 0; i < count; i++)
        TRY(ranges_sample_write(keys + (size_t)i * key_count * RANGES_KEY_WORDS, key_count,
                                &local->words));
    local->count += count;
    return STATUS_OK;
}

static status draw(const op_sample *op, exec_task *task, sample_local *local, const chunk *rows)
{
    row_index *chosen;
    chunk *texts = NULL;
    dev_buffer *keys = NULL;
    uint32_t count =
        exchange_sample_choose(local, rows->rows.bound, exchange_ranges_key_count(op->ranges));
    local->rows += rows->rows.bound;
    if (!count)
        return STATUS_OK;
    TRY(row_index_new(task->stream->dev, count, &chosen));
    status st = dev_upload(task->stream, chosen->rows, local->chosen, count * sizeof *local->chosen,
                           "ranges");
    if (!st)
        st = exchange_ranges_pack(op->ranges, task, rows, chosen, count, &texts, &keys);
    row_index_unref(chosen);
    if (!st)
        st = append_samples(op, local, keys->address, count);
    chunk_free(texts);
    dev_buffer_unref(keys);
    return st;
}

static exec_result sample_push(exec_operator *base, exec_task *task, void *state, chunk **input,
                               chunk **output)
{
    if (!*input)
        return EXEC_NEED_INPUT;
    EXEC_TRY(task, draw((op_sample *)base, task, state, *input));
    *output = *input;
    *input = NULL;
    return EXEC_HAVE_OUTPUT;
}

static exec_result sample_finish(exec_operator *base, exec_task *task, void *state, chunk **output)
{
    (void)output;
    sample_local *local = state;
    EXEC_TRY(task, exchange_ranges_add(((op_sample *)base)->ranges, local->rows, local->count,
                                       &local->words));
    return EXEC_FINISHED;
}

static status sample_local_open(exec_operator *base, exec_task *task, void *state)
{
    sample_local *local = state;
    local->stride = 1;
    local->state = ((uint64_t)base->query->rank << 32) + ((uint64_t)task->index << 16);
    return STATUS_OK;
}

static void sample_local_close(exec_operator *base, void *state)
{
    (void)base;
    array_release(&((sample_local *)state)->words);
}

static const exec_operator_ops sample_ops = {
    .name = "sample",
    .local_bytes = sizeof(sample_local),
    .local_open = sample_local_open,
    .local_close = sample_local_close,
    .push = sample_push,
    .exact_counts = true,
    .local_finish = sample_finish,
};

status op_exchange_sample_open(exec_query *query, exchange_ranges *ranges, exec_operator **out)
{
    op_sample *op = mem_new(sizeof *op);
    *out = NULL;
    if (!op)
        return status_no_memory("exchange", sizeof *op);
    op->base = (exec_operator){.ops = &sample_ops, .query = query};
    op->ranges = ranges;
    *out = &op->base;
    return STATUS_OK;
}
