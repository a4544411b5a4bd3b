/* json_sniff.c - parses the first records of a file, and looks at their fields. */
#include "textfile/table/json_sniff.h"

#include "base/cancel.h"
#include "base/text/text_scan.h"
#include "textfile/read/json_index.h"
#include "textfile/read/json_rows.h"
#include "textfile/table/json_shape.h"

struct json_sniffer {
    arena *memory;
    const text_options *options;
    json_shape *records;
    uint64_t count; /* of records in samples */
};

static status visit_records(json_sniffer *s, const char *text, const csv_index *x, uint64_t most)
{
    json_memory memory;
    status st = STATUS_OK;
    json_memory_init(&memory, NULL);
    for (size_t i = 0; i < x->record_count && i < most && !st; i++) {
        yyjson_doc *doc;
        yyjson_read_err error; /* wrong records are told of when they are read */
        uint32_t begin = x->begins.items[i];
        st = cancel_look(i) ? cancel_check() : STATUS_OK;
        if (!st)
            st = json_record_parse(text + begin, x->ends.items[i] - begin, &memory, &doc, &error);
        if (!st && doc)
            st = json_shape_add(s->records, yyjson_doc_get_root(doc));
    }
    json_memory_release(&memory);
    return st;
}

/* Returns whether the first line that is not empty is a record; an array, if another line follows. */
static status find_lines(const text_sample *sample, csv_index *x, bool *out)
{
    json_memory memory;
    yyjson_doc *doc;
    yyjson_read_err error;
    text_scan s = scan_trimmed(sample->text, sample->bytes);
    bool is_array = !scan_done(&s) && *s.at == '[';
    json_form form = {.are_lines = true, .is_first = true, .is_last = sample->is_whole};
    TRY(json_index_make(form, sample->text, sample->bytes, x));
    *out = x->record_count > 1 || !is_array;
    if (!*out || !x->record_count)
        return STATUS_OK;
    uint32_t begin = x->begins.items[0];
    json_memory_init(&memory, NULL);
    status st =
        json_record_parse(sample->text + begin, x->ends.items[0] - begin, &memory, &doc, &error);
    *out = !st && doc;
    json_memory_release(&memory);
    return st;
}

static uint64_t sample_records(const text_options *o)
{
    return o->sample_rows ? o->sample_rows : TEXT_SAMPLE_ROWS;
}

/* Looks at parts of the file until as many records have been seen as are wanted. Without a number that the user says one
 * part will do that has a record. */
static status sniff_parts(json_sniffer *s, text_sample *sample, json_form form, csv_index *x,
                          uint64_t left)
{
    for (;;) {
        bool is_there;
        uint64_t count = x->record_count < left ? x->record_count : left;
        TRY(visit_records(s, sample->text, x, left));
        left -= count;
        s->count += count;
        if (!left || (count && !s->options->sample_rows))
            return STATUS_OK;
        TRY(text_sample_next(sample, x->used, &is_there));
        if (!is_there)
            return STATUS_OK;
        form.is_first &= !x->used;
        form.is_last = sample->is_whole;
        TRY(json_index_make(form, sample->text, sample->bytes, x));
    }
}

static status sniff_file(json_sniffer *s, text_sample *sample, text_sniffed *out, csv_index *x)
{
    bool are_lines;
    if (s->options->union_by_name)
        s->count = 0;
    if (s->options->json_format == TEXT_JSON_AUTO)
        TRY(find_lines(sample, x, &are_lines));
    else
        are_lines = s->options->json_format == TEXT_JSON_LINES;
    out->file.records = are_lines ? TEXT_RECORD_LINES : TEXT_RECORD_VALUES;
    json_form form = {are_lines, true, sample->is_whole};
    TRY(json_index_make(form, sample->text, sample->bytes, x));
    out->row_bytes = x->record_count ? (double)x->used / (double)x->record_count : 1;
    uint64_t most = sample_records(s->options);
    bool is_wanted = !s->options->has_all_columns && s->count < most;
    return is_wanted ? sniff_parts(s, sample, form, x, most - s->count) : STATUS_OK;
}

status json_sniffer_new(arena *a, const text_options *options, json_sniffer **out)
{
    *out = arena_alloc(a, sizeof **out);
    if (!*out)
        return status_no_memory("JSON sample", sizeof **out);
    **out = (json_sniffer){.memory = a, .options = options};
    return json_shape_new(a, options, &(*out)->records);
}

bool json_sniffer_has_enough(const json_sniffer *s)
{
    return s->count >= sample_records(s->options);
}

status json_sniffer_add(json_sniffer *s, const char *path, text_sniffed *out)
{
    csv_index x = {0};
    text_sample sample;
    *out = (text_sniffed){0};
    status st = text_sample_open(s->memory, path, s->options, out, &sample);
    if (!st)
        st = sniff_file(s, &sample, out, &x);
    csv_index_release(&x);
    text_sample_close(&sample);
    return status_context(st, "file \"%s\"", path);
}

/* ---- columns ---- */

static status add_column(json_sniffer *s, const char *name, const json_shape *shape,
                         text_sniffed *out)
{
    json_format format = {0};
    text_column column = {.name = name, .type = type_make(TYPE_VARCHAR)};
    if (!name)
        return status_no_memory("JSON sample", 0);
    if (shape && !s->options->detects_nothing)
        TRY(json_shape_type(shape, &column.type, &format));
    column.format = format.text;
    column.fields = format.fields;
    return array_push(s->memory, &out->columns, column);
}

/* Returns the name with its zero bytes written as JSON does. */
static const char *column_name(arena *a, json_name name)
{
    static const char zero[] = "\\u0000";
    if (!memchr(name.text, 0, name.bytes))
        return name.text;
    char *text = arena_alloc(a, name.bytes * (sizeof zero - 1) + 1), *at = text;
    for (size_t i = 0; text && i < name.bytes; i++) {
        if (name.text[i])
            *at++ = name.text[i];
        else
            at = stpcpy(at, zero);
    }
    return text;
}

status json_sniffer_finish(json_sniffer *s, text_sniffed *out, bool *has_whole_records)
{
    const text_options *o = s->options;
    bool are_whole = o->json_records == TEXT_NO;
    *has_whole_records = are_whole && o->names.count == 1;
    for (size_t i = 0; i < o->names.count; i++)
        TRY(add_column(s, o->names.items[i], NULL, out));
    if (out->columns.count)
        return STATUS_OK;
    *has_whole_records = are_whole || !json_shape_has_columns(s->records);
    if (*has_whole_records)
        return add_column(s, JSON_COLUMN, s->records, out);
    for (size_t i = 0; i < json_shape_field_count(s->records); i++) {
        json_name name = json_shape_field_name(s->records, i);
        TRY(add_column(s, column_name(s->memory, name), json_shape_field(s->records, i), out));
        out->columns.items[out->columns.count - 1].field = name;
    }
    return out->columns.count ? STATUS_OK : add_column(s, JSON_COLUMN, s->records, out);
}
