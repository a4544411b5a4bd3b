/* json_sniff.c - parses the first records of a file, and looks at their fields. */
#include "textfile/table/json_sniff.h"

#include "base/text_scan.h"
#include "textfile/read/json_index.h"
#include "textfile/read/json_rows.h"

struct json_sniffer {
    arena *memory;
    const text_options *options;
    ARRAY(text_column) columns;
    ARRAY(csv_guess) guesses; /* by column */
    uint32_t expected;        /* the column that is tried first */
    uint64_t records;         /* in samples */
    status failure;
};

static uint32_t sniff_find(json_sniffer *s, const char *name, size_t bytes)
{
    uint32_t count = (uint32_t)s->columns.count;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t at = (s->expected + i) % count;
        const char *other = s->columns.items[at].name;
        if (strlen(other) == bytes && !memcmp(other, name, bytes))
            return at;
    }
    return count;
}

static status sniff_add(json_sniffer *s, const char *name, size_t bytes)
{
    text_column column = {.name = arena_copy_text(s->memory, name, bytes),
                          .type = type_make(TYPE_VARCHAR)};
    if (!column.name)
        return status_no_memory("JSON sample", bytes);
    TRY(array_push(s->memory, &s->columns, column));
    csv_guess guess = {.date_format = s->options->date_format,
                       .timestamp_format = s->options->timestamp_format};
    return array_push(s->memory, &s->guesses, guess);
}

static void sniff_visit(void *context, const char *name, size_t name_bytes, json_kind kind,
                        const char *text, size_t bytes)
{
    static const csv_guess_class classes[] = {[JSON_BOOL] = GUESS_OF_BOOL,
                                              [JSON_NUMBER] = GUESS_OF_NUMBER,
                                              [JSON_TEXT] = GUESS_OF_TEXT,
                                              [JSON_NESTED] = GUESS_OF_OTHER};
    json_sniffer *s = context;
    uint32_t at = sniff_find(s, name, name_bytes);
    if (!s->failure && at == s->columns.count)
        s->failure = sniff_add(s, name, name_bytes);
    if (s->failure)
        return;
    s->expected = at + 1;
    if (kind != JSON_NULL)
        csv_guess_add_of(&s->guesses.items[at], classes[kind], text, bytes);
}

static status visit_records(json_sniffer *s, const char *text, const csv_index *x, uint64_t most)
{
    json_memory memory;
    status st = STATUS_OK;
    json_memory_init(&memory, NULL);
    for (size_t i = 0; i < x->record_count && i < most && !st; i++) {
        const char *message; /* wrong records are told of when they are read */
        uint32_t begin = x->begins.items[i];
        st = json_record_visit(text + begin, x->ends.items[i] - begin, &memory, sniff_visit, s,
                               &message);
        st = st ? st : s->failure;
    }
    json_memory_release(&memory);
    return st;
}

static void visit_nothing(void *context, const char *name, size_t name_bytes, json_kind kind,
                          const char *text, size_t bytes)
{
    (void)context, (void)name, (void)name_bytes, (void)kind, (void)text, (void)bytes;
}

/* Returns whether the first line that is not empty is a record. */
static status find_lines(const char *text, size_t bytes, bool is_whole, csv_index *x, bool *out)
{
    json_memory memory;
    const char *message = NULL;
    text_scan s = scan_trimmed(text, bytes);
    *out = scan_done(&s) || *s.at != '[';
    TRY(json_index_make(true, text, bytes, is_whole, x));
    if (!*out || !x->record_count)
        return STATUS_OK;
    uint32_t begin = x->begins.items[0];
    json_memory_init(&memory, NULL);
    status st = json_record_visit(text + begin, x->ends.items[0] - begin, &memory, visit_nothing,
                                  NULL, &message);
    json_memory_release(&memory);
    *out = !message;
    return st;
}

static uint64_t sample_records(const text_options *o)
{
    return o->sample_rows ? o->sample_rows : TEXT_SAMPLE_ROWS;
}

static status sniff_text(json_sniffer *s, const text_sample *sample, text_sniffed *out,
                         csv_index *x)
{
    bool are_lines;
    uint64_t seen = s->options->union_by_name ? 0 : s->records;
    uint64_t left = sample_records(s->options) - seen;
    TRY(find_lines(sample->text, sample->bytes, sample->is_whole, x, &are_lines));
    out->file.records = are_lines ? TEXT_RECORD_LINES : TEXT_RECORD_VALUES;
    TRY(json_index_make(are_lines, sample->text, sample->bytes, sample->is_whole, x));
    if (!s->options->has_all_columns)
        TRY(visit_records(s, sample->text, x, left));
    s->records = seen + (x->record_count < left ? x->record_count : left);
    out->row_bytes = x->record_count ? (double)x->used / (double)x->record_count : 1;
    return STATUS_OK;
}

status json_sniffer_new(arena *a, const text_options *options, json_sniffer **out)
{
    *out = arena_alloc(a, sizeof **out);
    if (!*out)
        return status_no_memory("JSON sample", sizeof **out);
    **out = (json_sniffer){.memory = a, .options = options};
    return STATUS_OK;
}

bool json_sniffer_has_enough(const json_sniffer *s)
{
    return s->records >= sample_records(s->options);
}

status json_sniffer_add(json_sniffer *s, const char *path, text_sniffed *out)
{
    arena *texts;
    csv_index x = {0};
    text_sample sample;
    *out = (text_sniffed){0};
    TRY(arena_new(&texts));
    status st = text_sample_read(texts, path, s->options, out, &sample);
    out->file.path = path;
    if (!st)
        st = sniff_text(s, &sample, out, &x);
    csv_index_release(&x);
    arena_free(texts);
    return status_context(st, "file \"%s\"", path);
}

status json_sniffer_finish(json_sniffer *s, text_sniffed *out)
{
    const text_options *o = s->options;
    for (size_t i = 0; i < o->names.count; i++)
        TRY(sniff_add(s, o->names.items[i], strlen(o->names.items[i])));
    if (!s->columns.count)
        TRY(sniff_add(s, JSON_COLUMN, strlen(JSON_COLUMN)));
    for (size_t i = 0; i < s->columns.count; i++) {
        text_column *c = &s->columns.items[i];
        if (!o->detects_nothing)
            TRY(csv_guess_type(s->memory, &s->guesses.items[i], &c->type, &c->format));
        TRY(array_push(s->memory, &out->columns, *c));
    }
    return STATUS_OK;
}
