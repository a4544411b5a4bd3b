/* text_reader.c - reads files piece by piece, each with whole records. */
#include "textfile/read/text_reader.h"

#include "textfile/read/json_index.h"

#define FIRST_BYTES ((size_t)64 << 10) /* of the first piece, for who wants few rows */
#define GROWTH 4

struct text_reader {
    text_reading reading;
    text_source *source; /* of the file at work; NULL: the next one is to be opened */
    uint32_t next_file;
    uint64_t pieces;
    uint64_t offset; /* of the next piece in the file's text */
    uint64_t line;   /* there, if lines are counted */
    char before;     /* the byte before that line was counted to */
    bool is_first;   /* it is the file's first */
    bool is_over;    /* all bytes of the file have been read */
    char *rest;      /* read, and not given yet */
    size_t rest_bytes, rest_room;
};

status text_reader_new(const text_reading *reading, text_reader **out)
{
    *out = mem_new(sizeof **out);
    if (!*out)
        return status_no_memory("text reader", sizeof **out);
    (*out)->reading = *reading;
    return STATUS_OK;
}

void text_reader_free(text_reader *r)
{
    if (!r)
        return;
    text_source_close(r->source);
    mem_free(r->rest);
    mem_free(r);
}

void text_piece_release(text_piece *p)
{
    dev_buffer_unref(p->buffer);
    csv_index_release(&p->index);
    *p = (text_piece){0};
}

/* ---- files ---- */

uint64_t text_count_lines(const char *text, size_t bytes, char *before)
{
    uint64_t lines = 0;
    for (size_t i = 0; i < bytes; i++) {
        lines += text[i] == '\r' || (text[i] == '\n' && *before != '\r');
        *before = text[i];
    }
    return lines;
}

static void pass_lines(text_reader *r, const char *text, size_t bytes)
{
    if (r->reading.counts_lines)
        r->line += text_count_lines(text, bytes, &r->before);
}

static status text_reader_open_source(const text_reading *reading, uint32_t file, text_source **out)
{
    return text_source_open(reading->files[file].path, reading->compression, reading->is_latin1,
                            out);
}

static status reader_next_file(text_reader *r)
{
    TRY(text_reader_open_source(&r->reading, r->next_file, &r->source));
    r->offset = r->rest_bytes = 0;
    r->line = 1;
    r->before = '\0';
    r->is_over = false;
    r->is_first = true;
    r->next_file++;
    return STATUS_OK;
}

static status text_reader_close_file(text_reader *r)
{
    status st = text_source_check(r->source);
    text_source_close(r->source);
    r->source = NULL;
    return st;
}

/* ---- bytes ---- */

static status text_reader_keep_rest(text_reader *r, const char *text, size_t bytes)
{
    if (bytes > r->rest_room) {
        char *room = mem_resize(r->rest, bytes);
        if (!room)
            return status_no_memory("text reader", bytes);
        r->rest = room;
        r->rest_room = bytes;
    }
    if (bytes)
        memcpy(r->rest, text, bytes);
    r->rest_bytes = bytes;
    return STATUS_OK;
}

/* A buffer of so many bytes in the place of the piece's, with what is in it. */
static status text_reader_grow(const text_reading *reading, text_piece *p, size_t bytes)
{
    dev_buffer *buffer;
    if (p->buffer && p->buffer->bytes >= bytes + CSV_PADDING)
        return STATUS_OK;
    TRY(dev_alloc(reading->host, bytes + CSV_PADDING, "text file", &buffer));
    if (p->bytes)
        memcpy(buffer->address, p->buffer->address, p->bytes);
    dev_buffer_unref(p->buffer);
    p->buffer = buffer;
    p->text = buffer->address;
    return STATUS_OK;
}

/* Reads until the piece has so many bytes, or the file is over. */
static status fill(text_reader *r, text_piece *p, size_t bytes)
{
    char *target = p->buffer->address;
    while (p->bytes < bytes && !r->is_over) {
        size_t got, room = bytes - p->bytes;
        if (room < 8)
            break;
        TRY(text_source_read(r->source, target + p->bytes, room, &got));
        p->bytes += got;
        r->is_over = !got;
    }
    return STATUS_OK;
}

static status index_records(const text_reading *reading, text_piece *p, bool is_last)
{
    const text_file *file = &reading->files[p->file];
    if (file->records == TEXT_RECORD_CSV)
        return csv_index_make(&file->form, reading->isa, p->text, p->bytes, is_last, &p->index);
    json_form form = {file->records == TEXT_RECORD_LINES, p->is_first, is_last};
    return json_index_make(form, p->text, p->bytes, &p->index);
}

/* Bytes of whole records; 0: there is none. */
static status text_reader_find_end(const text_reader *r, text_piece *p, size_t *out)
{
    const csv_form *form = &r->reading.files[p->file].form;
    *out = p->bytes;
    p->is_indexed = false;
    if (r->is_over)
        return STATUS_OK;
    bool are_values = r->reading.files[p->file].records == TEXT_RECORD_VALUES;
    if (!are_values && (!form->quote || !memchr(p->text, form->quote, p->bytes))) {
        const char *end = memrchr(p->text, '\n', p->bytes);
        *out = end ? (size_t)(end - p->text) + 1 : 0;
        if (end)
            return STATUS_OK;
    }
    TRY(index_records(&r->reading, p, false));
    p->is_indexed = true;
    *out = p->index.used;
    return STATUS_OK;
}

/* The bytes behind so many lines; 0: there are fewer. */
static size_t behind_lines(const char *text, size_t bytes, uint64_t lines)
{
    size_t at = 0;
    for (; lines; lines--) {
        while (at < bytes && text[at] != '\n' && text[at] != '\r')
            at++;
        if (at + 1 >= bytes)
            return 0;
        at += 1 + (text[at] == '\r' && text[at + 1] == '\n');
    }
    return at;
}

/* Drops the lines before the header. *out false: more bytes are needed. */
static bool skip_lines(text_reader *r, text_piece *p)
{
    uint64_t lines = r->reading.files[p->file].skip;
    char *text = p->buffer->address;
    size_t at = behind_lines(text, p->bytes, lines);
    if (lines && !at && !r->is_over)
        return false;
    at = lines && !at ? p->bytes : at;
    pass_lines(r, text, at);
    p->bytes -= at;
    p->offset += at;
    memmove(text, text + at, p->bytes);
    return true;
}

/* ---- pieces ---- */

static status too_long(const text_reader *r, const text_piece *p)
{
    uint64_t line;
    TRY(text_reader_line(&r->reading, p->file, p->offset, &line));
    return status_hint(
        status_new(STATUS_KIND_DATA, "file \"%s\", line %llu: a record has more than %zu bytes",
                   r->reading.files[p->file].path, (unsigned long long)line, CSV_TEXT_MAX),
        "a quote may be missing; quote => '' reads quotes as they are");
}

static status text_reader_take_bytes(text_reader *r, text_piece *p)
{
    size_t wanted = r->reading.piece_bytes, used = 0;
    for (uint64_t i = r->pieces; i < 3 && wanted > FIRST_BYTES; i++)
        wanted /= GROWTH;
    wanted = wanted < r->rest_bytes + 64 ? r->rest_bytes * 2 + 64 : wanted;
    TRY(text_reader_grow(&r->reading, p, wanted));
    if (r->rest_bytes)
        memcpy(p->buffer->address, r->rest, r->rest_bytes);
    p->bytes = r->rest_bytes;
    bool has_skipped = !p->is_first;
    for (;; wanted *= 2) {
        if (wanted > CSV_TEXT_MAX)
            return too_long(r, p);
        TRY(text_reader_grow(&r->reading, p, wanted));
        TRY(fill(r, p, wanted));
        has_skipped = has_skipped || skip_lines(r, p);
        if (!has_skipped)
            continue;
        TRY(text_reader_find_end(r, p, &used));
        if (used || r->is_over)
            break;
    }
    TRY(text_reader_keep_rest(r, p->text + used, p->bytes - used));
    p->bytes = used;
    p->line = r->line;
    pass_lines(r, p->text, used);
    r->offset = p->offset + used;
    return STATUS_OK;
}

status text_reader_take(text_reader *r, text_piece *p, bool *is_there)
{
    p->bytes = 0;
    *is_there = false;
    while (!p->bytes) {
        if (r->source && r->is_over && !r->rest_bytes)
            TRY(text_reader_close_file(r));
        if (!r->source && r->next_file == r->reading.file_count)
            return STATUS_OK;
        if (!r->source)
            TRY(reader_next_file(r));
        p->file = r->next_file - 1;
        p->offset = r->offset;
        p->is_first = r->is_first;
        p->is_indexed = false;
        TRY(text_reader_take_bytes(r, p));
        r->is_first = false;
    }
    p->number = r->pieces++;
    *is_there = true;
    return STATUS_OK;
}

status text_piece_index(const text_reading *reading, text_piece *p)
{
    return index_records(reading, p, true);
}

/* ---- lines ---- */

#define LINE_BYTES ((size_t)64 << 10)

static status count_lines(text_source *source, uint64_t offset, uint64_t *out)
{
    char *text = mem_new(LINE_BYTES);
    status st = text ? STATUS_OK : status_no_memory("text reader", LINE_BYTES);
    size_t got = 1;
    char before = '\0';
    *out = 1;
    while (!st && offset && got) {
        st = text_source_read(source, text, LINE_BYTES, &got);
        size_t count = !st && got < offset ? got : (size_t)offset;
        if (!st)
            *out += text_count_lines(text, count, &before);
        offset -= count;
    }
    mem_free(text);
    return st;
}

status text_reader_line(const text_reading *reading, uint32_t file, uint64_t offset, uint64_t *out)
{
    text_source *source;
    TRY(text_reader_open_source(reading, file, &source));
    status st = count_lines(source, offset, out);
    text_source_close(source);
    return st;
}
