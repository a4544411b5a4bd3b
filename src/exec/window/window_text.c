/* window_text.c - string_agg: the texts of each partition, joined in the order of its rows, at its first row;
 * the other rows have NULL. By the host on every device: it is copying, of lengths that nothing bounds. */
#include "exec/window/window_text.h"

#include "device/chunk.h"
#include "device/chunk_transfer.h"
#include "device/host/host.h"
#include "exec/window/window.h"
#include "exec/window/window_rows.h"

enum { TEXTS, DELIMITERS, ENDS, BROUGHT_COUNT };

typedef struct joining {
    const plan_window_call *call;
    const string_view *texts, *delimiters;
    const uint64_t *text_validity, *delimiter_validity; /* or NULL */
    const uint32_t *ends;                               /* of each row's partition */
    uint64_t count;
} joining;

static bool window_text_is_there(const uint64_t *validity, uint64_t row)
{
    return !validity || validity[row / 64] >> (row % 64) & 1;
}

static bool window_text_is_equal(const string_view *a, const string_view *b)
{
    return a->bytes == b->bytes && !memcmp(string_data(a), string_data(b), a->bytes);
}

/* The next row of the partition whose text counts, from `row` on; `end`: there is none. `last` is the one
 * before it, or `end`. With DISTINCT equal texts are side by side. */
static uint64_t window_text_next_text(const joining *j, uint64_t row, uint64_t end, uint64_t last)
{
    bool is_distinct = j->call->function == WINDOW_STRING_AGG_DISTINCT;
    while (row < end &&
           (!window_text_is_there(j->text_validity, row) ||
            (is_distinct && last < end && window_text_is_equal(&j->texts[row], &j->texts[last]))))
        row++;
    return row;
}

/* Measures the partition [row, end): *out_bytes of text, without memory for it. */
static bool window_text_measure(const joining *j, uint64_t row, uint64_t end, uint64_t *out_bytes)
{
    uint64_t bytes = 0, last = end;
    for (row = window_text_next_text(j, row, end, last); row < end;
         row = window_text_next_text(j, row + 1, end, last)) {
        if (cancel_look(row))
            break;
        bytes += j->texts[row].bytes;
        if (last < end && window_text_is_there(j->delimiter_validity, row))
            bytes += j->delimiters[row].bytes;
        last = row;
    }
    *out_bytes = bytes;
    return last < end;
}

static char *window_text_append(char *at, const string_view *text)
{
    if (text->bytes)
        memcpy(at, string_data(text), text->bytes);
    return at + text->bytes;
}

static void window_text_join(const joining *j, uint64_t row, uint64_t end, char *at)
{
    uint64_t last = end;
    for (row = window_text_next_text(j, row, end, last); row < end;
         row = window_text_next_text(j, row + 1, end, last)) {
        if (cancel_look(row))
            break;
        if (last < end && window_text_is_there(j->delimiter_validity, row))
            at = window_text_append(at, &j->delimiters[row]);
        at = window_text_append(at, &j->texts[row]);
        last = row;
    }
}

static status window_text_too_long(const joining *j, uint64_t bytes)
{
    status st = status_new(STATUS_KIND_DATA,
                           "string_agg would make a text of %llu bytes; the limit is %llu",
                           (unsigned long long)bytes, (unsigned long long)HOST_TEXT_MAX);
    return j->call->position < 0 ? st : status_at(st, j->call->position);
}

/* The bytes of all partitions' texts that are not kept in place. */
static status window_text_long_bytes(const joining *j, uint64_t *out)
{
    uint64_t total = 0, bytes, partitions = 0;
    for (uint64_t row = 0; row < j->count; row = j->ends[row]) {
        if (cancel_look(partitions++))
            break;
        window_text_measure(j, row, j->ends[row], &bytes);
        if (bytes > HOST_TEXT_MAX)
            return window_text_too_long(j, bytes);
        total += bytes > STRING_INLINE_BYTES ? bytes : 0;
    }
    *out = total;
    return cancel_check();
}

static void window_text_fill(const joining *j, char *heap, tensor *out)
{
    char place[STRING_INLINE_BYTES];
    uint64_t bytes;
    memset(out->validity, 0, bitmap_bytes(j->count));
    memset(out->values, 0, j->count * sizeof(string_view));
    for (uint64_t row = 0; row < j->count; row = j->ends[row]) {
        bool has_text = window_text_measure(j, row, j->ends[row], &bytes);
        if (cancel_is_asked()) /* `bytes` may be too few */
            break;
        if (!has_text)
            continue;
        bool is_long = bytes > STRING_INLINE_BYTES;
        window_text_join(j, row, j->ends[row], is_long ? heap : place);
        ((string_view *)out->values)[row] =
            string_view_make(is_long ? heap : place, (uint32_t)bytes);
        out->validity[row / 64] |= (uint64_t)1 << (row % 64);
        heap += is_long ? bytes : 0;
    }
}

static status window_text_make_texts(device *host, const joining *j, data_type type, tensor **out)
{
    uint64_t bytes;
    dev_buffer *heap = NULL;
    TRY(window_text_long_bytes(j, &bytes));
    TRY(tensor_new_flat(host, type, j->count, true, out));
    status st = bytes ? dev_alloc(host, bytes, "string_agg", &heap) : STATUS_OK;
    if (!st && heap)
        st = string_heap_new(&heap, 1, &(*out)->heap); /* takes it over */
    if (!st) {
        window_text_fill(j, heap ? heap->address : NULL, *out);
        st = cancel_check();
    }
    if (!st)
        return STATUS_OK;
    tensor_unref(*out);
    *out = NULL;
    return st;
}

/* ---- to the host and back ---- */

/* Texts, delimiters and where partitions end, on the host. */
static status window_text_bring(window_rows *rows, const plan_window_call *call, chunk **out)
{
    const window_range *partition;
    chunk *c;
    TRY(window_partition(rows, &partition));
    TRY(chunk_new(BROUGHT_COUNT, rows->count, &c));
    status st = window_value(rows, call->args[0], &c->columns[TEXTS]);
    if (!st)
        st = window_value(rows, call->args[1], &c->columns[DELIMITERS]);
    if (!st)
        st = tensor_new_view(type_make(TYPE_INT32), partition->to, partition->to->address,
                             &c->columns[ENDS]);
    if (!st)
        st = chunk_to_host(rows->task->stream, c, false, "string_agg", out);
    chunk_free(c);
    return st;
}

status window_send(dev_stream *stream, uint64_t count, tensor *texts, tensor **out)
{
    chunk *c, *sent;
    TRY(chunk_new(1, dev_count_exact(count), &c));
    c->columns[0] = tensor_ref(texts);
    status st = chunk_to_device(stream, c, "string_agg", &sent);
    chunk_free(c);
    TRY(st);
    *out = tensor_ref(sent->columns[0]);
    chunk_free(sent);
    return STATUS_OK;
}

status window_text_evaluate(window_rows *rows, const plan_window_call *call, data_type type,
                            tensor **out)
{
    chunk *brought;
    tensor *texts;
    TRY(window_text_bring(rows, call, &brought));
    const tensor *values = brought->columns[TEXTS], *delimiters = brought->columns[DELIMITERS];
    joining j = {.call = call,
                 .texts = values->values,
                 .text_validity = values->validity,
                 .delimiters = delimiters->values,
                 .delimiter_validity = delimiters->validity,
                 .ends = brought->columns[ENDS]->values,
                 .count = brought->rows.bound};
    status st = window_text_make_texts(dev_host(rows->task->stream->dev), &j, type, &texts);
    if (!st) {
        st = window_send(rows->task->stream, j.count, texts, out);
        tensor_unref(texts);
    }
    chunk_free(brought);
    return st;
}
