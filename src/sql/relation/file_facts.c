/* file_facts.c - see file_facts.h. The rows are VALUES in a text, below a first row of NULLs that says the types. */
#include "sql/relation/file_facts.h"

#include "base/text/utf8.h"
#include "codec/codec.h"
#include "parquet/table/footer.h"
#include "parquet/write/choice.h"
#include "sql/relation/bind_paths.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

typedef struct fact_text {
    arena *memory;
    ARRAY(char) bytes;
    bool is_first; /* of the row */
} fact_text;

/* Adds the facts of one file. */
typedef status fact_writer(fact_text *t, const file *f, const pq_metadata *metadata);

static fact_writer facts_of_file, facts_of_leaves, facts_of_chunks, facts_of_pairs;

static const struct file_function {
    const char *name;
    fact_writer *write; /* NULL: paths alone */
    const char *columns;
} functions[] = {
    {"parquet_file_metadata", facts_of_file,
     "file_name varchar, created_by varchar, num_rows bigint, num_row_groups bigint, "
     "format_version bigint, file_size_bytes bigint"},
    {"parquet_schema", facts_of_leaves,
     "file_name varchar, name varchar, type varchar, type_length bigint, "
     "repetition_type varchar, field_id bigint, logical_type varchar, column_type varchar, "
     "column_id bigint"},
    {"parquet_metadata", facts_of_chunks,
     "file_name varchar, row_group_id bigint, row_group_num_rows bigint, "
     "row_group_num_columns bigint, row_group_bytes bigint, column_id bigint, num_values bigint, "
     "path_in_schema varchar, type varchar, stats_min varchar, stats_max varchar, "
     "stats_null_count bigint, stats_distinct_count bigint, compression varchar, "
     "encodings varchar, first_page_offset bigint, total_compressed_size bigint, "
     "total_uncompressed_size bigint, bloom_filter_offset bigint, bloom_filter_length bigint, "
     "min_is_exact boolean, max_is_exact boolean, row_group_compressed_bytes bigint, "
     "column_index_offset bigint, column_index_length bigint, offset_index_offset bigint, "
     "offset_index_length bigint"},
    {"parquet_kv_metadata", facts_of_pairs, "file_name varchar, key varchar, value_bytes bigint"},
    {"glob", NULL, "file varchar"},
};

/* ---- text ---- */

static status fact_bytes(fact_text *t, const char *bytes, size_t count)
{
    TRY(array_reserve(t->memory, &t->bytes, count + 1));
    memcpy(t->bytes.items + t->bytes.count, bytes, count);
    t->bytes.count += count;
    t->bytes.items[t->bytes.count] = 0;
    return STATUS_OK;
}

static status fact_add(fact_text *t, const char *words)
{
    return fact_bytes(t, words, strlen(words));
}

static status fact_comma(fact_text *t)
{
    const char *comma = t->is_first ? "" : ", ";
    t->is_first = false;
    return fact_add(t, comma);
}

static status fact_row(fact_text *t)
{
    t->is_first = true;
    return fact_add(t, "), (");
}

/* Adds a literal; NULL: NULL. A bound that was cut may end within a character: that is a question mark. */
static status fact_quoted(fact_text *t, const char *text, size_t bytes)
{
    TRY(fact_comma(t));
    if (!text)
        return fact_add(t, "NULL");
    TRY(fact_add(t, "'"));
    for (size_t at = 0; at < bytes && text[at];) {
        bool is_character;
        unsigned part = utf8_part(text + at, bytes - at, &is_character);
        if (text[at] == '\'' || !is_character)
            TRY(fact_add(t, is_character ? "''" : "?"));
        else
            TRY(fact_bytes(t, text + at, part));
        at += part;
    }
    return fact_add(t, "'");
}

static status fact_words(fact_text *t, const char *text)
{
    return fact_quoted(t, text, text ? strlen(text) : 0);
}

/* Adds a number; a negative one is not known: NULL. */
static status fact_number(fact_text *t, int64_t number)
{
    char text[24];
    TRY(fact_comma(t));
    if (number < 0)
        return fact_add(t, "NULL");
    return fact_bytes(t, text, (size_t)snprintf(text, sizeof text, "%" PRId64, number));
}

static status fact_boolean(fact_text *t, bool is_known, bool boolean)
{
    TRY(fact_comma(t));
    return fact_add(t, !is_known ? "NULL" : boolean ? "true" : "false");
}

/* ---- facts ---- */

static const char *fact_physical_name(pq_physical physical)
{
    static const char *const names[] = {"BOOLEAN", "INT32",  "INT64",      "INT96",
                                        "FLOAT",   "DOUBLE", "BYTE_ARRAY", "FIXED_LEN_BYTE_ARRAY"};
    return (size_t)physical < sizeof names / sizeof *names ? names[physical] : "?";
}

static status facts_of_file(fact_text *t, const file *f, const pq_metadata *metadata)
{
    TRY(fact_row(t));
    TRY(fact_words(t, f->path));
    TRY(fact_words(t, metadata->created_by));
    TRY(fact_number(t, (int64_t)metadata->row_count));
    TRY(fact_number(t, metadata->row_group_count));
    TRY(fact_number(t, metadata->version));
    return fact_number(t, (int64_t)f->bytes);
}

static status facts_of_leaves(fact_text *t, const file *f, const pq_metadata *metadata)
{
    char name[TYPE_NAME_BYTES];
    for (uint32_t i = 0; i < metadata->leaf_count; i++) {
        const pq_leaf *leaf = &metadata->leaves[i];
        bool is_fixed = leaf->physical == PQ_FIXED_LEN_BYTE_ARRAY;
        TRY(fact_row(t));
        TRY(fact_words(t, f->path));
        TRY(fact_words(t, leaf->name));
        TRY(fact_words(t, fact_physical_name(leaf->physical)));
        TRY(fact_number(t, is_fixed ? (int64_t)leaf->type_length : -1));
        TRY(fact_words(t, leaf->max_repetition   ? "REPEATED"
                          : leaf->max_definition ? "OPTIONAL"
                                                 : "REQUIRED"));
        TRY(fact_number(t, leaf->field_id ? leaf->field_id : -1));
        TRY(fact_words(t, *leaf->annotation ? leaf->annotation : NULL));
        TRY(fact_words(t, leaf->is_nested ? NULL : type_name(leaf->type, name)));
        TRY(fact_number(t, i));
    }
    return STATUS_OK;
}

/* Adds a bound as the text that a cast gives. */
static status fact_bound(fact_text *t, bool is_there, const value *bound)
{
    char small[256];
    if (!is_there)
        return fact_words(t, NULL);
    size_t bytes = value_format(bound, small, sizeof small);
    if (bytes < sizeof small)
        return fact_quoted(t, small, bytes);
    char *large = arena_alloc(t->memory, bytes + 1);
    if (!large)
        return bind_no_memory();
    value_format(bound, large, bytes + 1);
    return fact_quoted(t, large, bytes);
}

static status fact_encodings(fact_text *t, uint32_t encodings)
{
    char *list = arena_format(t->memory, "%s", "");
    for (unsigned i = 0; i < 32 && list; i++)
        if (encodings >> i & 1)
            list = arena_format(t->memory, "%s%s%s", list, *list ? ", " : "",
                                pq_encoding_name((pq_encoding)i));
    return list ? fact_words(t, list) : bind_no_memory();
}

static status fact_range(fact_text *t, const pq_range *range)
{
    bool is_there = range->offset || range->bytes;
    TRY(fact_number(t, is_there ? (int64_t)range->offset : -1));
    return fact_number(t, range->bytes ? (int64_t)range->bytes : -1);
}

static status fact_statistics(fact_text *t, const pq_statistics *s)
{
    TRY(fact_bound(t, s->has_min, &s->min));
    TRY(fact_bound(t, s->has_max, &s->max));
    TRY(fact_number(t, s->null_count));
    return fact_number(t, s->distinct_count);
}

static status facts_of_chunk(fact_text *t, const pq_metadata *metadata, uint32_t number,
                             uint32_t leaf)
{
    const pq_row_group *group = &metadata->row_groups[number];
    const pq_column_chunk *chunk = &group->chunks[leaf];
    const pq_statistics *s = &chunk->statistics;
    TRY(fact_number(t, number));
    TRY(fact_number(t, (int64_t)group->row_count));
    TRY(fact_number(t, metadata->leaf_count));
    TRY(fact_number(t, (int64_t)group->uncompressed_bytes));
    TRY(fact_number(t, leaf));
    TRY(fact_number(t, (int64_t)chunk->value_count));
    TRY(fact_words(t, metadata->leaves[leaf].name));
    TRY(fact_words(t, fact_physical_name(metadata->leaves[leaf].physical)));
    TRY(fact_statistics(t, s));
    TRY(fact_words(t, codec_name((int)chunk->codec)));
    TRY(fact_encodings(t, chunk->encodings));
    TRY(fact_number(t, (int64_t)chunk->offset));
    TRY(fact_number(t, (int64_t)chunk->compressed_bytes));
    TRY(fact_number(t, (int64_t)chunk->uncompressed_bytes));
    TRY(fact_range(t, &chunk->bloom));
    TRY(fact_boolean(t, s->has_min, s->is_min_exact));
    TRY(fact_boolean(t, s->has_max, s->is_max_exact));
    TRY(fact_number(t, (int64_t)group->compressed_bytes));
    TRY(fact_range(t, &chunk->column_index));
    return fact_range(t, &chunk->offset_index);
}

static status facts_of_chunks(fact_text *t, const file *f, const pq_metadata *metadata)
{
    for (uint32_t number = 0; number < metadata->row_group_count; number++)
        for (uint32_t leaf = 0; leaf < metadata->leaf_count; leaf++) {
            TRY(cancel_check());
            TRY(fact_row(t));
            TRY(fact_words(t, f->path));
            TRY(facts_of_chunk(t, metadata, number, leaf));
        }
    return STATUS_OK;
}

static status facts_of_pairs(fact_text *t, const file *f, const pq_metadata *metadata)
{
    for (uint32_t i = 0; i < metadata->key_value_count; i++) {
        TRY(fact_row(t));
        TRY(fact_words(t, f->path));
        TRY(fact_words(t, metadata->key_values[i].key));
        TRY(fact_number(t, metadata->key_values[i].value_bytes));
    }
    return STATUS_OK;
}

/* ---- files ---- */

static status facts_of_path(fact_text *t, const struct file_function *function, const char *path)
{
    file *f;
    pq_footer *footer;
    if (!function->write) {
        TRY(fact_row(t));
        return fact_words(t, path);
    }
    TRY(file_open(path, &f));
    status st = status_context(pq_footer_open(f, true, &footer), "file \"%s\"", path);
    if (!st) {
        st = function->write(t, f, pq_footer_metadata(footer));
        pq_footer_unref(footer);
    }
    file_close(f);
    return st;
}

static status facts_of_pattern(binder *b, const bound_path *pattern,
                               const struct file_function *function, fact_text *t)
{
    path_list paths = {0};
    status st = file_expand(b->memory, pattern->text, &paths);
    if (st && !function->write && status_get_kind(st) == STATUS_KIND_NOT_FOUND) {
        status_free(st); /* glob of nothing has no rows */
        return STATUS_OK;
    }
    for (size_t i = 0; i < paths.count && !st; i++)
        st = facts_of_path(t, function, paths.items[i]);
    return st ? status_at(st, bind_position(b, pattern->location)) : STATUS_OK;
}

static status facts_of_argument(binder *b, const FuncCall *call, const Node *node,
                                const struct file_function *function, fact_text *t)
{
    bound_path_list patterns = {0};
    TRY(bind_paths(b, node, function->name, call->location, &patterns));
    for (size_t i = 0; i < patterns.count; i++)
        TRY(facts_of_pattern(b, &patterns.items[i], function, t));
    return STATUS_OK;
}

/* ---- what the column cache has ---- */

static const char cache_columns[] = "file_name varchar, column_name varchar, form varchar, "
                                    "row_count bigint, bytes bigint, uses bigint";

static int compare_paths(const void *a, const void *b)
{
    return strcmp(((const pq_kept_column *)a)->path, ((const pq_kept_column *)b)->path);
}

/* Marks the columns of the table's files, which may be seen. */
static void mark_table(const pq_table *table, const pq_kept_column *kept, size_t count,
                       bool *is_seen)
{
    for (size_t i = 0; i < table->files.count; i++) {
        const file *f = table->files.items[i].file;
        pq_kept_column wanted = {.path = f ? f->path : ""};
        const pq_kept_column *found =
            count ? bsearch(&wanted, kept, count, sizeof *kept, compare_paths) : NULL;
        if (!found)
            continue;
        size_t first = (size_t)(found - kept), end = first;
        while (first && !compare_paths(&kept[first - 1], &wanted))
            first--;
        for (; end < count && !compare_paths(&kept[end], &wanted); end++)
            is_seen[end] = true;
        memset(is_seen + first, true, end - first);
    }
}

/* Says which columns a statement may hear of: confined ones, of the catalog's tables. */
static status find_seen(binder *b, const pq_kept_column *kept, size_t count, bool **out)
{
    sql_catalog_entry *entries;
    size_t entry_count = 0;
    *out = arena_alloc_array(b->memory, count + 1, sizeof **out);
    if (!*out)
        return bind_no_memory();
    if (!b->is_confined) {
        memset(*out, true, count);
        return STATUS_OK;
    }
    TRY(sql_catalog_list(b->catalog, true, b->held, &entries, &entry_count));
    for (size_t i = 0; i < entry_count; i++)
        if (entries[i].table)
            mark_table(entries[i].table, kept, count, *out);
    return STATUS_OK;
}

static status fact_form(fact_text *t, const pq_kept_column *kept)
{
    if (!kept->width)
        return fact_words(t, kept->form);
    const char *form = arena_format(t->memory, "%s of %u byte%s", kept->form, kept->width,
                                    kept->width == 1 ? "" : "s");
    return form ? fact_words(t, form) : bind_no_memory();
}

static status facts_of_kept(fact_text *t, const pq_kept_column *kept)
{
    TRY(fact_row(t));
    TRY(fact_words(t, kept->path));
    TRY(fact_words(t, kept->column));
    TRY(fact_form(t, kept));
    TRY(fact_number(t, (int64_t)kept->rows));
    TRY(fact_number(t, (int64_t)kept->bytes));
    return fact_number(t, (int64_t)kept->uses);
}

static status facts_of_cache(binder *b, const FuncCall *call, fact_text *t)
{
    pq_kept_column *kept;
    size_t count;
    bool *is_seen;
    if (list_length(call->args))
        return bind_error(b, STATUS_KIND_INVALID, call->location,
                          "function \"pistachio_cache\" takes no arguments");
    if (!b->list_kept)
        return bind_unsupported(b, call->location, "pistachio_cache() with several ranks is");
    TRY(b->list_kept(b->memory, &kept, &count));
    TRY(find_seen(b, kept, count, &is_seen));
    for (size_t i = 0; i < count; i++)
        if (is_seen[i])
            TRY(facts_of_kept(t, &kept[i]));
    return STATUS_OK;
}

/* ---- the query ---- */

/* Begins the values with a row of NULLs of the columns' types. */
static status facts_begin(fact_text *t, const char *columns)
{
    TRY(fact_add(t, "* FROM (VALUES ("));
    for (const char *at = columns; at; at = strchr(at, ',') ? strchr(at, ',') + 2 : NULL) {
        const char *type = strchr(at, ' ') + 1;
        TRY(fact_add(t, at == columns ? "NULL::" : ", NULL::"));
        TRY(fact_bytes(t, type, strcspn(type, ",")));
    }
    return STATUS_OK;
}

/* Ends them with the columns' names. */
static status facts_end(fact_text *t, const char *columns)
{
    size_t first = strcspn(columns, " ");
    TRY(fact_add(t, ")) AS \"#\"("));
    for (const char *at = columns; at; at = strchr(at, ',') ? strchr(at, ',') + 2 : NULL) {
        TRY(fact_add(t, at == columns ? "" : ", "));
        TRY(fact_bytes(t, at, strcspn(at, " ")));
    }
    TRY(fact_add(t, ") WHERE "));
    TRY(fact_bytes(t, columns, first));
    return fact_add(t, " IS NOT NULL");
}

status file_facts_text(binder *b, const FuncCall *call, const char **out)
{
    const char *name = strVal(list_nth(call->funcname, list_length(call->funcname) - 1));
    const struct file_function *found = NULL;
    fact_text t = {.memory = b->memory};
    *out = NULL;
    if (!strcmp(name, "pistachio_cache")) {
        TRY(facts_begin(&t, cache_columns));
        TRY(facts_of_cache(b, call, &t));
        TRY(facts_end(&t, cache_columns));
        *out = t.bytes.items;
        return STATUS_OK;
    }
    for (size_t i = 0; i < sizeof functions / sizeof *functions; i++)
        if (!strcmp(functions[i].name, name))
            found = &functions[i];
    if (!found)
        return STATUS_OK;
    TRY(bind_check_access(b, call->location, "a path"));
    if (list_length(call->args) != 1)
        return bind_error(b, STATUS_KIND_INVALID, call->location,
                          "function \"%s\" takes a path, or a list of paths", name);
    TRY(facts_begin(&t, found->columns));
    TRY(facts_of_argument(b, call, list_nth(call->args, 0), found, &t));
    TRY(facts_end(&t, found->columns));
    *out = t.bytes.items;
    return STATUS_OK;
}
