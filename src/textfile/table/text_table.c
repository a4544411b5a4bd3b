/* text_table.c - finds files, what is in them, and which of their fields are the table's columns. */
#include "textfile/table/text_table.h"

#include "base/name_index.h"
#include "storage/file.h"
#include "textfile/table/csv_sniff.h"
#include "textfile/table/json_sniff.h"

#include <strings.h>

#define FILES_MAX 1000000
#define FILENAME_COLUMN "filename"

typedef struct opener {
    arena *memory;
    text_table *table;
    name_index names; /* of the table's columns */
    ARRAY(text_file) files;
    ARRAY(text_sniffed) sniffed; /* of union_by_name each file's, else the first one's */
} opener;

static status table_no_memory(void)
{
    return status_no_memory("text table", sizeof(text_table));
}

/* ---- names of files ---- */

static bool text_table_ends_with(const char *path, size_t bytes, const char *ending)
{
    size_t length = strlen(ending);
    return bytes > length && !strncasecmp(path + bytes - length, ending, length);
}

bool text_kind_of_path(const char *path, text_kind *out)
{
    static const char *const endings[] = {".csv", ".tsv", ".json", ".jsonl", ".ndjson"};
    size_t bytes = strlen(path);
    if (text_table_ends_with(path, bytes, ".gz"))
        bytes -= 3;
    for (size_t i = 0; i < sizeof endings / sizeof *endings; i++)
        if (text_table_ends_with(path, bytes, endings[i])) {
            *out = i < 2 ? TEXT_CSV : TEXT_JSON;
            return true;
        }
    return false;
}

/* ---- columns ---- */

/* The type of which values of both are. */
static void unite_types(text_column *to, const text_column *from)
{
    bool is_same_format = to->format == from->format ||
                          (to->format && from->format && !strcmp(to->format, from->format));
    if (type_equal(to->type, from->type) && is_same_format)
        return;
    bool are_numbers = type_is_numeric(to->type) && type_is_numeric(from->type);
    to->type = type_make(are_numbers ? TYPE_DOUBLE : TYPE_VARCHAR);
    to->format = NULL;
}

static status add_column(opener *o, text_column column)
{
    uint32_t number = (uint32_t)o->table->columns.count;
    TRY(name_index_add(o->memory, &o->names, column.name, number));
    return array_push(o->memory, &o->table->columns, column);
}

static status add_columns(opener *o, const text_sniffed *sniffed, bool unites)
{
    for (size_t i = 0; i < sniffed->columns.count; i++) {
        uint32_t at;
        if (unites && name_index_find(&o->names, sniffed->columns.items[i].name, &at))
            unite_types(&o->table->columns.items[at], &sniffed->columns.items[i]);
        else
            TRY(add_column(o, sniffed->columns.items[i]));
    }
    return STATUS_OK;
}

/* Sets the formats that the user says, within nested values, too. */
static status say_formats(arena *a, const text_options *options, data_type type,
                          const char **format, const json_format **fields)
{
    if (type.id == TYPE_DATE && options->date_format)
        *format = options->date_format;
    if (type.id == TYPE_TIMESTAMP && options->timestamp_format)
        *format = options->timestamp_format;
    if (!type_is_nested(type) || !(options->date_format || options->timestamp_format))
        return STATUS_OK;
    const nested_type *nested = nested_type_of(type);
    json_format *said = arena_alloc_array(a, (size_t)nested->field_count + 1, sizeof *said);
    if (!said)
        return table_no_memory();
    for (uint32_t i = 0; i < nested->field_count; i++) {
        said[i] = *fields ? (*fields)[i] : (json_format){0};
        TRY(say_formats(a, options, nested->fields[i].type, &said[i].text, &said[i].fields));
    }
    *fields = said;
    return STATUS_OK;
}

static status set_said_types(opener *o)
{
    const text_options *options = o->table->options;
    for (size_t i = 0; i < options->types.count; i++) {
        const text_said_type *said = &options->types.items[i];
        uint32_t at = (uint32_t)i;
        if (said->name ? !name_index_find(&o->names, said->name, &at)
                       : i >= o->table->columns.count)
            return status_new(STATUS_KIND_INVALID,
                              said->name ? "types names \"%s\", which is not a column"
                                         : "there are more types than columns",
                              said->name);
        text_column *c = &o->table->columns.items[at];
        if (!type_equal(c->type, said->type)) {
            c->format = NULL;
            c->fields = NULL;
        }
        c->type = said->type;
    }
    return STATUS_OK;
}

static status set_said_formats(opener *o)
{
    text_table *t = o->table;
    for (size_t i = 0; i < t->columns.count; i++) {
        text_column *c = &t->columns.items[i];
        TRY(say_formats(o->memory, t->options, c->type, &c->format, &c->fields));
    }
    return STATUS_OK;
}

/* Finds which of the file's fields is which of the table's columns: of several with one name the last. */
static status map_fields(opener *o, text_file *file, const text_sniffed *sniffed)
{
    const text_table *t = o->table;
    size_t count = t->columns.count;
    file->fields = arena_alloc_array(o->memory, count + 1, sizeof *file->fields);
    if (!file->fields)
        return table_no_memory();
    for (uint32_t i = 0; i < count; i++)
        file->fields[i] = TEXT_NO_FIELD;
    for (uint32_t f = 0; f < sniffed->columns.count; f++) {
        uint32_t at;
        if (name_index_find(&o->names, sniffed->columns.items[f].name, &at))
            file->fields[at] = f;
    }
    return STATUS_OK;
}

/* ---- files ---- */

static status find_files(opener *o, const text_name_list *paths)
{
    for (size_t i = 0; i < paths->count; i++) {
        path_list found = {0};
        TRY(file_expand(o->memory, paths->items[i], &found));
        for (size_t f = 0; f < found.count; f++) {
            text_file file = {.path = found.items[f]};
            TRY(array_push(o->memory, &o->files, file));
        }
    }
    if (!o->files.count || o->files.count > FILES_MAX)
        return status_new(STATUS_KIND_NOT_FOUND, "there are %zu files, not 1 to %d", o->files.count,
                          FILES_MAX);
    return STATUS_OK;
}

static void add_estimate(const opener *o, const text_file *file, double row_bytes)
{
    o->table->estimated_rows += (double)file->bytes / (row_bytes > 1 ? row_bytes : 1);
}

static status text_table_sniff_file(opener *o, size_t number, text_sniffed *out)
{
    text_file *file = &o->files.items[number];
    TRY(csv_sniff(o->memory, file->path, o->table->options, out));
    *file = out->file;
    add_estimate(o, file, out->row_bytes);
    return STATUS_OK;
}

/* ---- headers of further files ---- */

/* Enough for a header of some hundred columns. */
#define HEADER_BYTES ((size_t)64 << 10)
#define HEADER_COLUMNS_FEW 500

/* Returns whether further files have headers that name their columns. */
static bool names_columns(const opener *o)
{
    const text_options *options = o->table->options;
    return options->kind == TEXT_CSV && o->files.items[0].has_header && !options->names.count &&
           !options->has_all_columns;
}

/* Writes a character of the dialect as options say it: "" for one that there is not. */
static const char *say_character(char character, char text[2])
{
    text[0] = character;
    text[1] = '\0';
    return text;
}

/* Sniffs a file's header and first row in the first file's dialect. */
static status sniff_header(arena *a, const opener *o, size_t number, text_sniffed *out)
{
    char delimiter[2], quote[2], escape[2], comment[2];
    const csv_form *form = &o->files.items[0].form;
    text_options options = *o->table->options;
    bool is_cut = form->delimiter != CSV_NO_DELIMITER;
    options.delimiter = say_character(is_cut ? form->delimiter : '\0', delimiter);
    options.quote = say_character(form->quote, quote);
    options.escape = say_character(form->escape, escape);
    options.comment = say_character(form->comment, comment);
    options.header = TEXT_YES;
    options.sample_rows = 2;
    if (o->table->columns.count < HEADER_COLUMNS_FEW)
        options.sample_bytes = HEADER_BYTES;
    return csv_sniff(a, o->files.items[number].path, &options, out);
}

static status check_header(const opener *o, const text_file *file)
{
    for (uint32_t i = 0; i < o->table->columns.count; i++)
        if (file->fields[i] == TEXT_NO_FIELD)
            return status_hint(status_new(STATUS_KIND_INVALID,
                                          "file \"%s\" has no column \"%s\", which \"%s\" has",
                                          file->path, o->table->columns.items[i].name,
                                          o->files.items[0].path),
                               "union_by_name => true takes the columns of all files, and NULL "
                               "where a file lacks one");
    return STATUS_OK;
}

/* Takes a further file's columns by the names in its header: each of the table's has to be there, others are left out. */
static status follow_header(opener *o, size_t number)
{
    arena *names;
    text_sniffed sniffed;
    text_file *file = &o->files.items[number];
    TRY(arena_new(&names));
    status st = sniff_header(names, o, number, &sniffed);
    if (!st && sniffed.file.skip != UINT64_MAX) { /* it has a row */
        file->skip = sniffed.file.skip;
        file->field_count = sniffed.file.field_count;
        st = map_fields(o, file, &sniffed);
        if (!st)
            st = check_header(o, file);
    }
    arena_free(names);
    return st;
}

/* Opens a further file of the first one's form. */
static status follow_first(opener *o, size_t number)
{
    text_source *source;
    text_file *file = &o->files.items[number];
    const char *path = file->path;
    *file = o->files.items[0];
    file->path = path;
    TRY(text_source_open(path, o->table->options->compression, false, &source));
    file->bytes = text_source_bytes(source) * (text_source_is_compressed(source) ? 4 : 1);
    text_source_close(source);
    add_estimate(o, file, o->sniffed.items[0].row_bytes);
    return names_columns(o) ? follow_header(o, number) : STATUS_OK;
}

/* Puts the first file that has bytes in front, because empty files say nothing of columns and have no rows. */
static void put_filled_first(opener *o)
{
    size_t from = 0;
    while (from + 1 < o->files.count) {
        file_version version;
        if (!file_version_of_path(o->files.items[from].path, &version) || version.bytes)
            break;
        from++;
    }
    text_file before = o->files.items[0];
    o->files.items[0] = o->files.items[from];
    o->files.items[from] = before;
}

static status open_alike(opener *o)
{
    text_sniffed first;
    put_filled_first(o);
    TRY(text_table_sniff_file(o, 0, &first));
    TRY(array_push(o->memory, &o->sniffed, first));
    TRY(add_columns(o, &first, false));
    TRY(map_fields(o, &o->files.items[0], &first));
    for (size_t i = 1; i < o->files.count; i++)
        TRY(follow_first(o, i));
    return STATUS_OK;
}

/* Files of which each has a sample, as long as these have fewer records than one sample may have. */
#define JSON_FILES_SAMPLED 32

static bool json_is_sampled(const opener *o, const json_sniffer *sniffer, size_t number)
{
    const text_options *options = o->table->options;
    bool are_all = options->union_by_name || options->sample_rows == UINT64_MAX;
    return are_all || (number < JSON_FILES_SAMPLED && !json_sniffer_has_enough(sniffer));
}

/* Takes the columns of the first JSON files; the others have the form of the first one. */
static status text_table_open_json(opener *o)
{
    json_sniffer *sniffer;
    text_sniffed found, columns = {0};
    put_filled_first(o);
    TRY(json_sniffer_new(o->memory, o->table->options, &sniffer));
    for (size_t i = 0; i < o->files.count; i++) {
        text_file *file = &o->files.items[i];
        if (!json_is_sampled(o, sniffer, i) && i) {
            TRY(follow_first(o, i));
            continue;
        }
        TRY(json_sniffer_add(sniffer, file->path, &found));
        *file = found.file;
        add_estimate(o, file, found.row_bytes);
        if (!i)
            TRY(array_push(o->memory, &o->sniffed, found));
    }
    TRY(json_sniffer_finish(sniffer, &columns, &o->table->has_whole_records));
    return add_columns(o, &columns, false);
}

static status open_united(opener *o)
{
    for (size_t i = 0; i < o->files.count; i++) {
        text_sniffed sniffed;
        TRY(text_table_sniff_file(o, i, &sniffed));
        TRY(array_push(o->memory, &o->sniffed, sniffed));
        TRY(add_columns(o, &sniffed, true));
    }
    for (size_t i = 0; i < o->files.count; i++)
        TRY(map_fields(o, &o->files.items[i], &o->sniffed.items[i]));
    return STATUS_OK;
}

/* The column of paths, behind the others. */
static status text_table_add_filename(opener *o)
{
    text_column column = {
        .name = FILENAME_COLUMN, .type = type_make(TYPE_VARCHAR), .is_filename = true};
    uint32_t at;
    if (name_index_find(&o->names, FILENAME_COLUMN, &at))
        return status_hint(
            status_new(STATUS_KIND_INVALID, "the files have a column \"filename\" of their own"),
            "leave the option filename out");
    return add_column(o, column);
}

static char text_table_character_of(const char *text)
{
    return text ? *text : '\0';
}

static status set_rules(opener *o)
{
    const text_options *options = o->table->options;
    text_rules *rules = &o->table->rules;
    const char **empty = arena_alloc(o->memory, sizeof *empty);
    if (!empty)
        return table_no_memory();
    *empty = "";
    rules->nulls = (text_nulls){empty, 1};
    if (options->nulls.count)
        rules->nulls = (text_nulls){options->nulls.items, options->nulls.count};
    rules->decimal = text_table_character_of(options->decimal);
    rules->thousands = text_table_character_of(options->thousands);
    return STATUS_OK;
}

status text_table_open(arena *a, const text_name_list *paths, const text_options *options,
                       text_table **out)
{
    opener o = {.memory = a, .table = arena_alloc(a, sizeof *o.table)};
    *out = NULL;
    if (!o.table)
        return table_no_memory();
    o.table->name = paths->items[0];
    o.table->options = options;
    TRY(find_files(&o, paths));
    TRY(options->kind == TEXT_JSON ? text_table_open_json(&o)
        : options->union_by_name   ? open_united(&o)
                                   : open_alike(&o));
    TRY(set_said_types(&o));
    TRY(set_said_formats(&o));
    if (options->has_filename)
        TRY(text_table_add_filename(&o));
    TRY(set_rules(&o));
    o.table->files = o.files.items;
    o.table->file_count = (uint32_t)o.files.count;
    *out = o.table;
    return STATUS_OK;
}
