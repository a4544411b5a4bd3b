/* csv_sniff.c - tries dialects on a sample, and looks at its values. */
#include "textfile/table/csv_sniff.h"

#include "base/name_index.h"
#include "base/text/text_scan.h"
#include "base/text/utf8.h"
#include "textfile/table/csv_types.h"

#define DIALECT_BYTES ((size_t)64 << 10) /* of the sample on which dialects are tried */

typedef struct sniffer {
    arena *memory;
    const text_options *options;
    text_sniffed *out;
    name_index names; /* of the columns: the number that the next column of the name gets */
    text_sample sample;
    char *text; /* of the sample's first part, behind the lines that are to be skipped */
    size_t bytes;
    bool is_whole; /* it is all of the file */
} sniffer;

/* A dialect, and what it makes of the sample. */
typedef struct dialect {
    csv_form form;
    uint32_t columns;
    size_t skipped;  /* lines before the first of its records */
    size_t rows;     /* records with as many fields as there are columns */
    bool has_quotes; /* some are where they belong */
    int faults;      /* what quotes do wrong: of said ones alone */
} dialect;

/* ---- the sample ---- */

/* Bytes behind the line that begins at `at`. */
static size_t next_line(const sniffer *s, size_t at)
{
    while (at < s->bytes && s->text[at] != '\n' && s->text[at] != '\r')
        at++;
    if (at == s->bytes)
        return at;
    return at + 1 + (s->text[at] == '\r' && at + 1 < s->bytes && s->text[at + 1] == '\n');
}

/* Drops the lines that the user skips. */
static void skip_said(sniffer *s)
{
    for (uint64_t i = 0; i < s->options->skip && s->bytes; i++) {
        size_t line = next_line(s, 0);
        s->text += line;
        s->bytes -= line;
    }
}

static bool csv_sniff_is_blank(const sniffer *s)
{
    for (size_t i = 0; i < s->bytes; i++)
        if (s->text[i] != '\n' && s->text[i] != '\r')
            return false;
    return s->is_whole;
}

static status take_sample(sniffer *s, const char *path)
{
    TRY(text_sample_open(s->memory, path, s->options, s->out, &s->sample));
    s->text = s->sample.text;
    s->bytes = s->sample.bytes;
    s->is_whole = s->sample.is_whole;
    s->out->file.skip = s->options->skip;
    skip_said(s);
    if (csv_sniff_is_blank(s)) {
        s->out->file.skip = UINT64_MAX; /* there is no row */
        s->bytes = 0;
    }
    return STATUS_OK;
}

/* ---- one dialect ---- */

static uint32_t field_count(const csv_index *x, size_t at)
{
    return x->firsts.items[at + 1] - x->firsts.items[at];
}

static bool is_empty_record(const csv_index *x, size_t at)
{
    return field_count(x, at) == 1 && x->ends.items[x->firsts.items[at]] == x->begins.items[at];
}

/* The last field is empty: a delimiter behind the last value. */
static bool has_empty_end(const csv_index *x, size_t at)
{
    uint32_t last = x->firsts.items[at + 1] - 1;
    return field_count(x, at) > 1 && x->ends.items[last] == x->ends.items[last - 1] + 1;
}

static bool fits_columns(const sniffer *s, const csv_index *x, size_t at, uint32_t columns)
{
    uint32_t count = field_count(x, at);
    return count == columns || is_empty_record(x, at) ||
           (count == columns + 1 && has_empty_end(x, at)) ||
           (count < columns && s->options->null_padding) || s->options->ignores_errors;
}

/* The fields of the last record; the first one has them, too, where others end with a delimiter. */
static uint32_t last_count(const csv_index *x)
{
    size_t first = 0, last = x->record_count;
    while (first < x->record_count && is_empty_record(x, first))
        first++;
    while (last > first && is_empty_record(x, last - 1))
        last--;
    if (first == last)
        return 1;
    uint32_t count = field_count(x, last - 1);
    bool is_less = field_count(x, first) + 1 == count && has_empty_end(x, last - 1);
    return count - is_less;
}

/* The number of fields that all records have; or the most, or what most have, where others are padded or left out. */
static uint32_t usual_count(const sniffer *s, const csv_index *x)
{
    uint32_t best = 1;
    size_t best_rows = 0;
    if (!s->options->ignores_errors && !s->options->null_padding)
        return last_count(x);
    for (size_t from = 0; from < x->record_count && from < 64; from++) {
        size_t rows = 0;
        uint32_t count = field_count(x, from);
        for (size_t at = 0; at < x->record_count; at++)
            rows += field_count(x, at) == count;
        if (s->options->null_padding ? count > best : rows > best_rows) {
            best = count;
            best_rows = rows;
        }
    }
    return best;
}

static size_t count_lines_before(const sniffer *s, size_t place)
{
    size_t lines = 0;
    for (size_t at = 0; at < place && at < s->bytes; lines++)
        at = next_line(s, at);
    return lines;
}

/* Returns whether the lines before the first record can be a title; never if the user says how many to skip. */
static bool may_skip(const sniffer *s, const csv_index *x, size_t first, const dialect *d)
{
    for (size_t at = 0; at < first; at++)
        if (field_count(x, at) >= d->columns && !is_empty_record(x, at))
            return false;
    return !d->skipped || (!s->options->has_skip && first <= d->rows * 2 && d->columns > 1);
}

/* Counts what a dialect that is set makes of the index. False: it cannot be the file's. */
static bool csv_sniff_judge(const sniffer *s, const csv_index *x, bool is_said, dialect *d)
{
    if ((x->is_odd || x->is_open) && !is_said)
        return false;
    d->columns = usual_count(s, x);
    size_t first = x->record_count;
    if (is_said && !s->options->ignores_errors && !s->options->null_padding) {
        for (first = 0; first < x->record_count && is_empty_record(x, first);)
            first++;
        d->columns = first < x->record_count ? field_count(x, first) : 1;
    } else {
        while (first && fits_columns(s, x, first - 1, d->columns))
            first--;
        while (first < x->record_count && is_empty_record(x, first) && d->columns > 1)
            first++;
    }
    d->rows = x->record_count - first;
    d->skipped = first < x->record_count ? count_lines_before(s, x->begins.items[first]) : 0;
    return is_said || may_skip(s, x, first, d);
}

static bool has_quoted_field(const sniffer *s, const csv_index *x, char quote)
{
    for (size_t at = 0; quote && at < x->record_count; at++)
        for (uint32_t f = x->firsts.items[at]; f < x->firsts.items[at + 1]; f++) {
            uint32_t begin =
                f == x->firsts.items[at] ? x->begins.items[at] : x->ends.items[f - 1] + 1;
            while (begin < x->ends.items[f] && s->text[begin] == ' ')
                begin++;
            if (begin < x->ends.items[f] && s->text[begin] == quote)
                return true;
        }
    return false;
}

static bool csv_sniff_is_better(const dialect *a, const dialect *b)
{
    if (a->faults != b->faults)
        return a->faults < b->faults;
    if ((a->columns > 1) != (b->columns > 1))
        return a->columns > 1;
    if (a->has_quotes != b->has_quotes)
        return a->has_quotes;
    if (a->skipped != b->skipped)
        return a->skipped < b->skipped;
    return a->columns > b->columns;
}

/* ---- all dialects ---- */

static char first_of(const char *said, char otherwise)
{
    return said ? *said : otherwise;
}

static status try_dialect(const sniffer *s, csv_form form, csv_index *x, dialect *best)
{
    const text_options *o = s->options;
    dialect d = {.form = form};
    size_t bytes = s->bytes < DIALECT_BYTES ? s->bytes : DIALECT_BYTES;
    bool is_last = s->is_whole && bytes == s->bytes;
    TRY(csv_index_make(&form, CPU_ISA_SCALAR, s->text, bytes, is_last, x));
    if (!x->record_count && !is_last)
        TRY(csv_index_make(&form, CPU_ISA_SCALAR, s->text, s->bytes, s->is_whole, x));
    if (!csv_sniff_judge(s, x, o->delimiter != NULL && (o->quote || !x->is_odd), &d))
        return STATUS_OK;
    d.faults = 2 * x->is_odd + x->is_open;
    d.has_quotes = has_quoted_field(s, x, form.quote);
    if (!best->columns || csv_sniff_is_better(&d, best))
        *best = d;
    return STATUS_OK;
}

static status try_quotes(const sniffer *s, char delimiter, char comment, csv_index *x,
                         dialect *best)
{
    static const char pairs[][2] = {
        {'"', '"'}, {'"', '\\'}, {'\'', '\''}, {'\'', '\\'}, {'\0', '\0'}};
    const text_options *o = s->options;
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
        char quote = first_of(o->quote, pairs[i][0]), escape = first_of(o->escape, pairs[i][1]);
        if (o->quote && !o->escape && escape != '\\')
            escape = quote;
        if ((o->quote && o->escape && i) || (quote && quote == delimiter))
            continue;
        csv_form form = {
            .delimiter = delimiter, .quote = quote, .escape = escape, .comment = comment};
        TRY(try_dialect(s, form, x, best));
    }
    return STATUS_OK;
}

static status find_dialect(sniffer *s, csv_index *x, dialect *best)
{
    static const char delimiters[] = ",|;\t";
    const text_options *o = s->options;
    char said = o->delimiter ? *o->delimiter ? *o->delimiter : CSV_NO_DELIMITER : '\0';
    for (int comments = 0; comments < 2; comments++) {
        char comment = first_of(o->comment, comments ? '#' : '\0');
        bool has_mark = s->bytes && (*s->text == '#' || memmem(s->text, s->bytes, "\n#", 2));
        if (comments && (o->comment || !has_mark))
            continue;
        for (const char *d = delimiters; *d; d++)
            if (!said || d == delimiters)
                TRY(try_quotes(s, said ? said : *d, comment, x, best));
    }
    if (!best->columns || (best->columns == 1 && !said)) {
        bool has_quotes = best->columns && best->has_quotes;
        csv_form form = best->form;
        *best = (dialect){
            .columns = 1,
            .form = {.delimiter = said ? said : CSV_NO_DELIMITER,
                     .quote = has_quotes ? form.quote : first_of(o->quote, '"'),
                     .escape = has_quotes ? form.escape : first_of(o->escape, '"'),
                     .comment = best->columns ? form.comment : first_of(o->comment, '\0')}};
    }
    return STATUS_OK;
}

static void say_dialect(const text_options *o, dialect *out)
{
    char quote = first_of(o->quote, '"');
    out->form = (csv_form){.delimiter = first_of(o->delimiter, ','),
                           .quote = quote,
                           .escape = first_of(o->escape, quote),
                           .comment = first_of(o->comment, '\0')};
}

/* ---- names and types ---- */

static text_field sample_field(const text_fields *f, uint32_t row, uint32_t column)
{
    return text_field_of(f, column, row);
}

static void guess_columns(const text_fields *f, uint32_t from, uint32_t columns, csv_guess *guesses)
{
    for (uint32_t row = from; row < f->rows; row++)
        for (uint32_t i = 0; i < columns; i++) {
            text_field field = sample_field(f, row, i);
            if (!field.is_null)
                csv_guess_add(&guesses[i], field.text, field.bytes);
        }
}

/* Looks at `left` rows after the first `used` bytes of the sample. */
static status guess_further_rows(sniffer *s, const text_fields *first, uint32_t columns,
                                 size_t used, uint64_t left, csv_guess *guesses, csv_index *x)
{
    csv_wrong_row wrong;
    bool is_there;
    text_fields f = *first;
    csv_row_rules rules = {.column_count = columns, .has_padding = true, .skips_wrong = true};
    for (;; used = x->used, left -= f.rows) {
        TRY(left ? text_sample_next(&s->sample, used, &is_there) : STATUS_OK);
        if (!left || !is_there)
            return STATUS_OK;
        const text_sample *part = &s->sample;
        TRY(csv_index_make(&s->out->file.form, CPU_ISA_SCALAR, part->text, part->bytes,
                           part->is_whole, x));
        TRY(csv_rows_make(&rules, false, x, NULL, &wrong));
        f.text = part->text;
        f.ends = x->ends.items;
        f.firsts = x->firsts.items;
        f.begins = x->begins.items;
        f.rows = (uint32_t)(x->record_count < left ? x->record_count : left);
        guess_columns(&f, 0, columns, guesses);
    }
}

/* Without a word of the user's: not if its values are of the columns' types, and these are not all texts. */
static status find_header(const sniffer *s, const text_fields *f, uint32_t columns,
                          const csv_guess *guesses, bool *out)
{
    bool all_texts = true, all_null = true, fits = true;
    for (uint32_t i = 0; i < columns; i++) {
        data_type type;
        const char *format;
        text_field field = sample_field(f, 0, i);
        TRY(csv_guess_type(s->memory, &guesses[i], &type, &format));
        all_null &= field.is_null;
        all_texts &= type.id == TYPE_VARCHAR;
        fits &= field.is_null || csv_guess_fits(&guesses[i], field.text, field.bytes);
    }
    *out = f->rows && !all_null && (all_texts || !fits);
    return STATUS_OK;
}

static status wrong_name(size_t number)
{
    return status_hint(status_new(STATUS_KIND_DATA, "the name of column %zu is not UTF-8", number),
                       "encoding => 'latin-1' reads a file in Latin-1, names => [...] gives other "
                       "names");
}

/* Adds a column, with a name that no column before it has. */
static status add_name(sniffer *s, const char *name, size_t bytes)
{
    text_scan trimmed = scan_trimmed(name, bytes);
    text_column column = {.type = type_make(TYPE_VARCHAR)};
    size_t number = s->out->columns.count;
    bytes = (size_t)(trimmed.end - trimmed.at);
    if (utf8_valid_bytes(trimmed.at, bytes) != bytes)
        return wrong_name(number + 1);
    char *base = bytes ? arena_copy_text(s->memory, trimmed.at, bytes)
                       : arena_format(s->memory, "column%zu", number);
    uint32_t *next = base ? name_index_at(&s->names, base) : NULL;
    column.name = base;
    while (column.name && name_index_at(&s->names, column.name))
        column.name = arena_format(s->memory, "%s_%u", base, (*next)++);
    if (!column.name)
        return status_no_memory("csv", bytes);
    TRY(name_index_add(s->memory, &s->names, column.name, 1));
    return array_push(s->memory, &s->out->columns, column);
}

static status add_names(sniffer *s, const text_fields *f, bool has_header, uint32_t columns)
{
    const text_options *o = s->options;
    for (uint32_t i = 0; i < columns; i++) {
        text_field field = {.text = ""};
        if (i < o->names.count) {
            field.text = o->names.items[i];
            field.bytes = (uint32_t)strlen(field.text);
        } else if (has_header && f->rows) {
            field = sample_field(f, 0, i);
            char *copy = arena_alloc(s->memory, (size_t)field.bytes + 1);
            if (!copy)
                return status_no_memory("csv", field.bytes);
            field.bytes = text_field_copy(f->rules, field, copy);
            field.text = copy;
        }
        TRY(add_name(s, field.text, field.bytes));
    }
    return STATUS_OK;
}

static status csv_sniff_set_types(const sniffer *s, const csv_guess *guesses)
{
    const text_options *o = s->options;
    for (size_t i = 0; i < s->out->columns.count; i++) {
        text_column *c = &s->out->columns.items[i];
        if (!o->all_varchar && !o->detects_nothing)
            TRY(csv_guess_type(s->memory, &guesses[i], &c->type, &c->format));
    }
    return STATUS_OK;
}

/* ---- the whole ---- */

/* Looks at the rows that the user wants in the sample, of which f has the first ones. */
static status guess_all_columns(sniffer *s, const text_fields *f, bool has_header, uint32_t columns,
                                size_t used, csv_guess *guesses)
{
    csv_index x = {0};
    const text_options *o = s->options;
    for (uint32_t i = 0; i < columns; i++) {
        guesses[i].date_format = o->date_format;
        guesses[i].timestamp_format = o->timestamp_format;
    }
    guess_columns(f, f->rows > 1 || has_header ? 1 : 0, columns, guesses);
    if (o->sample_rows <= f->rows || o->detects_nothing || o->all_varchar)
        return STATUS_OK;
    used += (size_t)(s->text - s->sample.text);
    status st = guess_further_rows(s, f, columns, used, o->sample_rows - f->rows, guesses, &x);
    csv_index_release(&x);
    return st;
}

static status look_at_rows(sniffer *s, text_fields *f, uint32_t columns, size_t used)
{
    csv_guess *guesses = arena_alloc_array(s->memory, columns + 1, sizeof *guesses);
    if (!guesses)
        return status_no_memory("csv", columns * sizeof *guesses);
    const text_options *o = s->options;
    bool has_header = o->header == TEXT_YES;
    TRY(guess_all_columns(s, f, has_header, columns, used, guesses));
    if (o->header == TEXT_AUTO && !o->detects_nothing)
        TRY(find_header(s, f, columns, guesses, &has_header));
    if (!has_header && f->rows > 1)
        guess_columns(&(text_fields){.rules = f->rules,
                                     .text = f->text,
                                     .ends = f->ends,
                                     .firsts = f->firsts,
                                     .begins = f->begins,
                                     .rows = 1},
                      0, columns, guesses);
    if (has_header && f->rows == 1)
        memset(guesses, 0, columns * sizeof *guesses);
    s->out->file.has_header = has_header;
    TRY(add_names(s, f, has_header, columns));
    return csv_sniff_set_types(s, guesses);
}

static status sniff(sniffer *s, csv_index *x)
{
    static const char *const empty = "";
    const text_options *o = s->options;
    dialect d = {.columns = 0};
    csv_wrong_row wrong;
    if (o->detects_nothing)
        say_dialect(o, &d);
    else
        TRY(find_dialect(s, x, &d));
    s->out->file.form = d.form;
    s->out->file.skip += d.skipped;
    for (size_t i = 0; i < d.skipped; i++) {
        size_t line = next_line(s, 0);
        s->text += line;
        s->bytes -= line;
    }
    TRY(csv_index_make(&d.form, CPU_ISA_SCALAR, s->text, s->bytes, s->is_whole, x));
    if (o->detects_nothing)
        d.columns = x->record_count ? field_count(x, 0) : 1;
    if (o->has_all_columns)
        d.columns = (uint32_t)o->names.count;
    s->out->file.field_count = d.columns;
    /* Wrong rows are told of when they are read. */
    csv_row_rules rules = {.column_count = d.columns, .has_padding = true, .skips_wrong = true};
    TRY(csv_rows_make(&rules, false, x, NULL, &wrong));
    uint64_t most = o->sample_rows ? o->sample_rows : TEXT_SAMPLE_ROWS;
    text_rules values = {.quote = d.form.quote, .escape = d.form.escape, .nulls = {&empty, 1}};
    if (o->nulls.count)
        values.nulls = (text_nulls){o->nulls.items, o->nulls.count};
    text_fields f = {.rules = &values,
                     .text = s->text,
                     .ends = x->ends.items,
                     .firsts = x->firsts.items,
                     .begins = x->begins.items,
                     .rows = (uint32_t)(x->record_count < most ? x->record_count : most)};
    s->out->row_bytes = x->record_count ? (double)x->used / (double)x->record_count : 1;
    return look_at_rows(s, &f, d.columns, x->used);
}

status csv_sniff(arena *a, const char *path, const text_options *options, text_sniffed *out)
{
    *out = (text_sniffed){0};
    sniffer s = {.memory = a, .options = options, .out = out};
    csv_index x = {0};
    status st = take_sample(&s, path);
    if (!st)
        st = sniff(&s, &x);
    csv_index_release(&x);
    text_sample_close(&s.sample);
    return status_context(st, "file \"%s\"", path);
}
