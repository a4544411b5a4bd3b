/* window_text_frame.c - string_agg over frames: the texts of a row's frame, joined. By the host on every device,
 * as window_text.c.
 *
 * All texts that are there are put one behind the other once, each with its delimiter in front. A range of rows
 * has a part of that for its text, which is not copied: so frames of any length take linear time and memory.
 * Only what EXCLUDE leaves of a frame, in up to three parts, is put together for each row. */
#include "device/chunk.h"
#include "device/host/host.h"
#include "exec/window/window.h"
#include "exec/window/window_frame.h"
#include "exec/window/window_text.h"

enum { TEXTS, DELIMITERS, FRAMES };

/* Texts by their number: those of rows with NULL have none. */
typedef struct joined {
    const plan_window_call *call;
    const string_view *texts, *delimiters;
    const uint64_t *text_validity, *delimiter_validity; /* or NULL */
    uint64_t count;                                     /* of rows */
    uint32_t *numbers;       /* of rows: how many texts are before it; count + 1 of them */
    uint64_t *starts, *ends; /* of texts, in `bytes`: its delimiter stands before its start */
    char *bytes;
    uint64_t total;
} joined;

/* The texts [from, to) of a row's frame. */
typedef struct text_range {
    uint32_t from, to;
} text_range;

static bool window_text_frame_is_there(const uint64_t *validity, uint64_t row)
{
    return !validity || validity[row / 64] >> (row % 64) & 1;
}

static uint32_t delimiter_bytes(const joined *j, uint64_t row)
{
    return window_text_frame_is_there(j->delimiter_validity, row) ? j->delimiters[row].bytes : 0;
}

/* ---- all texts in a row ---- */

static void window_text_frame_measure(joined *j)
{
    uint32_t texts = 0;
    for (uint64_t row = 0; row < j->count && !cancel_look(row); row++) {
        j->numbers[row] = texts;
        if (!window_text_frame_is_there(j->text_validity, row))
            continue;
        j->starts[texts] = j->total + delimiter_bytes(j, row);
        j->ends[texts] = j->starts[texts] + j->texts[row].bytes;
        j->total = j->ends[texts++];
    }
    j->numbers[j->count] = texts;
}

static void window_text_frame_put(char *at, const string_view *text, uint64_t bytes)
{
    if (bytes)
        memcpy(at, string_data(text), bytes);
}

static void window_text_frame_write_texts(const joined *j)
{
    for (uint64_t row = 0; row < j->count && !cancel_look(row); row++) {
        uint32_t number = j->numbers[row], bytes = delimiter_bytes(j, row);
        if (number == j->numbers[row + 1])
            continue;
        window_text_frame_put(j->bytes + j->starts[number] - bytes, &j->delimiters[row], bytes);
        window_text_frame_put(j->bytes + j->starts[number], &j->texts[row], j->texts[row].bytes);
    }
}

/* ---- frames ---- */

static text_range window_text_frame_range_of(const joined *j, const chunk *brought, uint32_t part,
                                             uint64_t row)
{
    const uint32_t *from = brought->columns[FRAMES + 2 * part]->values;
    const uint32_t *to = brought->columns[FRAMES + 2 * part + 1]->values;
    if (from[row] >= to[row])
        return (text_range){0, 0};
    return (text_range){j->numbers[from[row]], j->numbers[to[row]]};
}

/* Returns where what a range adds begins: at its delimiter, if there is something before it. */
static uint64_t window_text_frame_start_of(const joined *j, text_range r, bool is_first)
{
    return is_first ? j->starts[r.from] : r.from ? j->ends[r.from - 1] : 0;
}

/* Finds the ranges of the texts of a row's frame, their number, and *out_bytes together. */
static uint32_t ranges_of(const joined *j, const chunk *brought, uint32_t parts, uint64_t row,
                          text_range ranges[WINDOW_PARTS], uint64_t *out_bytes)
{
    uint32_t count = 0;
    *out_bytes = 0;
    for (uint32_t part = 0; part < parts; part++) {
        text_range r = window_text_frame_range_of(j, brought, part, row);
        if (r.from >= r.to)
            continue;
        *out_bytes += j->ends[r.to - 1] - window_text_frame_start_of(j, r, !count);
        ranges[count++] = r;
    }
    return count;
}

static void join_ranges(const joined *j, const text_range *ranges, uint32_t count, char *at)
{
    for (uint32_t i = 0; i < count; i++) {
        uint64_t start = window_text_frame_start_of(j, ranges[i], !i),
                 bytes = j->ends[ranges[i].to - 1] - start;
        if (bytes)
            memcpy(at, j->bytes + start, bytes);
        at += bytes;
    }
}

static status window_text_frame_too_long(const joined *j, uint64_t bytes)
{
    status st = status_new(STATUS_KIND_DATA,
                           "string_agg would make a text of %llu bytes; the limit is %llu",
                           (unsigned long long)bytes, (unsigned long long)HOST_TEXT_MAX);
    return j->call->position < 0 ? st : status_at(st, j->call->position);
}

/* The bytes of all frames of several ranges whose texts are not kept in place. */
static status window_text_frame_long_bytes(const joined *j, const chunk *brought, uint32_t parts,
                                           uint64_t *out)
{
    text_range ranges[WINDOW_PARTS];
    uint64_t bytes;
    *out = 0;
    for (uint64_t row = 0; row < j->count && !cancel_look(row); row++) {
        uint32_t count = ranges_of(j, brought, parts, row, ranges, &bytes);
        if (bytes > HOST_TEXT_MAX)
            return window_text_frame_too_long(j, bytes);
        *out += count > 1 && bytes > STRING_INLINE_BYTES ? bytes : 0;
    }
    return cancel_check();
}

static void window_text_frame_fill(const joined *j, const chunk *brought, uint32_t parts,
                                   char *heap, tensor *out)
{
    text_range ranges[WINDOW_PARTS];
    char place[STRING_INLINE_BYTES];
    uint64_t bytes;
    memset(out->validity, 0, bitmap_bytes(j->count));
    memset(out->values, 0, j->count * sizeof(string_view));
    for (uint64_t row = 0; row < j->count && !cancel_look(row); row++) {
        uint32_t count = ranges_of(j, brought, parts, row, ranges, &bytes);
        const char *text = count ? j->bytes + j->starts[ranges[0].from] : NULL;
        if (!count)
            continue;
        if (count > 1) {
            bool is_long = bytes > STRING_INLINE_BYTES;
            char *at = is_long ? heap : place;
            join_ranges(j, ranges, count, at);
            text = at;
            heap += is_long ? bytes : 0;
        }
        ((string_view *)out->values)[row] = string_view_make(text, (uint32_t)bytes);
        out->validity[row / 64] |= (uint64_t)1 << (row % 64);
    }
}

/* ---- memory ---- */

enum { NUMBERS, STARTS, ENDS, BUFFER_COUNT };

/* Buffers of the heap that are there, which it takes over. */
static status own_heap(dev_buffer **all, dev_buffer **excluded, tensor *out)
{
    dev_buffer *buffers[2];
    uint32_t count = 0;
    if (*all)
        buffers[count++] = *all;
    if (*excluded)
        buffers[count++] = *excluded;
    *all = *excluded = NULL;
    return count ? string_heap_new(buffers, count, &out->heap) : STATUS_OK;
}

static status window_text_frame_make_texts(device *host, joined *j, const chunk *brought,
                                           uint32_t parts, tensor *out)
{
    dev_buffer *all = NULL, *excluded = NULL;
    uint64_t bytes = 0;
    status st = j->total ? dev_alloc(host, j->total, "string_agg", &all) : STATUS_OK;
    if (!st && all) {
        j->bytes = all->address;
        window_text_frame_write_texts(j);
        st = cancel_check();
    }
    if (!st)
        st = window_text_frame_long_bytes(j, brought, parts, &bytes);
    if (!st && bytes)
        st = dev_alloc(host, bytes, "string_agg", &excluded);
    if (!st) {
        window_text_frame_fill(j, brought, parts, excluded ? excluded->address : NULL, out);
        st = cancel_check();
    }
    if (!st)
        return own_heap(&all, &excluded, out);
    dev_buffer_unref(all);
    dev_buffer_unref(excluded);
    return st;
}

static status join_all(device *host, joined *j, const chunk *brought, uint32_t parts, tensor *out)
{
    dev_buffer *buffers[BUFFER_COUNT] = {NULL};
    status st =
        dev_alloc(host, (j->count + 1) * sizeof *j->numbers, "string_agg", &buffers[NUMBERS]);
    for (uint32_t i = STARTS; i < BUFFER_COUNT && !st; i++)
        st = dev_alloc(host, (j->count + 1) * sizeof *j->starts, "string_agg", &buffers[i]);
    if (!st) {
        j->numbers = buffers[NUMBERS]->address;
        j->starts = buffers[STARTS]->address;
        j->ends = buffers[ENDS]->address;
        window_text_frame_measure(j);
        st = cancel_check();
        st = st ? st : window_text_frame_make_texts(host, j, brought, parts, out);
    }
    for (uint32_t i = 0; i < BUFFER_COUNT; i++)
        dev_buffer_unref(buffers[i]);
    return st;
}

/* ---- to the host and back ---- */

static status window_window_text_frame_evaluate(device *host, const plan_window_call *call,
                                                data_type type, const chunk *brought,
                                                uint32_t parts, tensor **out)
{
    const tensor *texts = brought->columns[TEXTS], *delimiters = brought->columns[DELIMITERS];
    joined j = {.call = call,
                .texts = texts->values,
                .text_validity = texts->validity,
                .delimiters = delimiters->values,
                .delimiter_validity = delimiters->validity,
                .count = brought->rows.bound};
    tensor *made;
    TRY(tensor_new_flat(host, type, j.count, true, &made));
    status st = join_all(host, &j, brought, parts, made);
    if (st) {
        tensor_unref(made);
        return st;
    }
    *out = made;
    return STATUS_OK;
}

status window_text_frame_evaluate(window_rows *rows, const plan_window_call *call, data_type type,
                                  tensor **out)
{
    dev_stream *stream = rows->task->stream;
    chunk *brought;
    uint32_t parts;
    tensor *texts;
    TRY(window_bring(rows, call, FRAMES, &parts, &brought));
    status st = window_window_text_frame_evaluate(dev_host(stream->dev), call, type, brought, parts,
                                                  &texts);
    if (!st) {
        st = window_send(stream, brought->rows.bound, texts, out);
        tensor_unref(texts);
    }
    chunk_free(brought);
    return st;
}
