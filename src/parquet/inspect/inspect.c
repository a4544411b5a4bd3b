/* inspect.c - a file's footer, and on demand its page headers, as tables of text. */
#include "parquet/inspect/inspect.h"

#include "codec/codec.h"
#include "parquet/format/page_index.h"
#include "parquet/inspect/text_table.h"
#include "parquet/table/table.h"
#include "parquet/write/choice.h"

#include <inttypes.h>

#define BOUND_WIDTH 24    /* characters of a bound */
#define GROUPS_SHOWN 20   /* lines of the row groups' table */
#define HEADER_BYTES 1024 /* of a page header, at first */
#define HEADER_BYTES_MAX (16 << 20)

typedef struct inspection {
    const file *file;
    const pq_metadata *metadata;
    arena *memory;
    FILE *out;
    uint32_t first_group, end_group;
} inspection;

static const char *physical_name(pq_physical physical)
{
    static const char *const names[] = {"BOOLEAN", "INT32",  "INT64",      "INT96",
                                        "FLOAT",   "DOUBLE", "BYTE_ARRAY", "FIXED"};
    return names[physical];
}

static const char *page_type_name(pq_page_type type)
{
    static const char *const names[] = {"data", "index", "dictionary", "data v2"};
    return type <= PQ_PAGE_DATA_V2 ? names[type] : "?";
}

/* ---- cells ---- */

static void inspect_add_bytes(text_table *t, uint64_t bytes)
{
    char text[BYTES_TEXT_BYTES];
    text_table_add(t, "%s", bytes_format(bytes, text));
}

static void add_ratio(text_table *t, uint64_t uncompressed, uint64_t compressed)
{
    if (compressed)
        text_table_add(t, "%.2f", (double)uncompressed / (double)compressed);
    else
        text_table_add(t, "-");
}

static void inspect_add_count(text_table *t, int64_t count)
{
    if (count < 0)
        text_table_add(t, "-");
    else
        text_table_add(t, "%" PRId64, count);
}

static void inspect_add_bound(text_table *t, const value *bound)
{
    char text[4 * BOUND_WIDTH + 16] = "-";
    size_t bytes = bound ? value_format(bound, text, sizeof text) : 1;
    text_table_add_text(t, text, bytes < sizeof text ? bytes : sizeof text - 1, BOUND_WIDTH);
}

/* ---- file and schema ---- */

static const char *plural(uint64_t count)
{
    return count == 1 ? "" : "s";
}

static void print_file(const inspection *in)
{
    char bytes[BYTES_TEXT_BYTES];
    const pq_metadata *m = in->metadata;
    fprintf(in->out, "File\n  %s\n", in->file->path);
    fprintf(in->out, "  %s, %" PRIu64 " row%s in %u row group%s, %u column%s\n",
            bytes_format(in->file->bytes, bytes), m->row_count, plural(m->row_count),
            m->row_group_count, plural(m->row_group_count), m->leaf_count, plural(m->leaf_count));
    fprintf(in->out, "  format version %" PRId64 ", created by %s\n", m->version,
            *m->created_by ? m->created_by : "an unnamed program");
    for (uint32_t i = 0; i < m->key_value_count; i++)
        fprintf(in->out, "  metadata \"%s\": %s\n", m->key_values[i].key,
                bytes_format(m->key_values[i].value_bytes, bytes));
}

static status print_schema(const inspection *in)
{
    char name[TYPE_NAME_BYTES];
    text_table t = text_table_make(in->memory, ">#|column|type|stored as|annotation|NULLs");
    for (uint32_t i = 0; i < in->metadata->leaf_count; i++) {
        const pq_leaf *leaf = &in->metadata->leaves[i];
        text_table_add(&t, "%u", i + 1);
        text_table_add_text(&t, leaf->name, strlen(leaf->name), 60);
        text_table_add(&t, "%s", leaf->is_nested ? "(nested)" : type_name(leaf->type, name));
        if (leaf->physical == PQ_FIXED_LEN_BYTE_ARRAY)
            text_table_add(&t, "%s(%u)", physical_name(leaf->physical), leaf->type_length);
        else
            text_table_add(&t, "%s", physical_name(leaf->physical));
        text_table_add(&t, "%s", leaf->annotation);
        text_table_add(&t, "%s", leaf->max_definition ? "yes" : "no");
    }
    fputs("\nSchema\n", in->out);
    return text_table_print(&t, in->out);
}

/* ---- row groups and columns ---- */

static status print_row_groups(const inspection *in)
{
    text_table t = text_table_make(in->memory, ">#|>rows|>at byte|>compressed|>plain|>ratio");
    uint32_t end = in->end_group;
    if (end - in->first_group > GROUPS_SHOWN)
        end = in->first_group + GROUPS_SHOWN;
    for (uint32_t g = in->first_group; g < end; g++) {
        const pq_row_group *group = &in->metadata->row_groups[g];
        text_table_add(&t, "%u", g);
        text_table_add(&t, "%" PRIu64, group->row_count);
        text_table_add(&t, "%" PRIu64, group->offset);
        inspect_add_bytes(&t, group->compressed_bytes);
        inspect_add_bytes(&t, group->uncompressed_bytes);
        add_ratio(&t, group->uncompressed_bytes, group->compressed_bytes);
    }
    fputs("\nRow groups\n", in->out);
    TRY(text_table_print(&t, in->out));
    if (end < in->end_group)
        fprintf(in->out, "  and %u more\n", in->end_group - end);
    return STATUS_OK;
}

/* One column over the row groups that are shown. */
typedef struct summary {
    uint64_t compressed_bytes, uncompressed_bytes;
    uint32_t codecs, encodings; /* bits */
    uint32_t column_indexes, offset_indexes, blooms;
    int64_t null_count;
    bool lacks_min, lacks_max; /* some row group has no bound */
    const value *min, *max;
} summary;

static void inspect_add_chunk(summary *s, const pq_column_chunk *chunk)
{
    const pq_statistics *from = &chunk->statistics;
    s->compressed_bytes += chunk->compressed_bytes;
    s->uncompressed_bytes += chunk->uncompressed_bytes;
    s->codecs |= 1u << chunk->codec;
    s->encodings |= chunk->encodings;
    s->column_indexes += chunk->column_index.bytes != 0;
    s->offset_indexes += chunk->offset_index.bytes != 0;
    s->blooms += chunk->bloom.offset != 0;
    s->null_count =
        from->null_count < 0 || s->null_count < 0 ? -1 : s->null_count + from->null_count;
    if (from->null_count == (int64_t)chunk->value_count)
        return; /* has no bounds, and needs none */
    s->lacks_min |= !from->has_min;
    s->lacks_max |= !from->has_max;
    if (from->has_min && (!s->min || value_compare(&from->min, s->min) < 0))
        s->min = &from->min;
    if (from->has_max && (!s->max || value_compare(&from->max, s->max) > 0))
        s->max = &from->max;
}

static const char *list_names(const inspection *in, uint32_t bits, bool are_codecs)
{
    const char *list = "";
    for (unsigned i = 0; i < 32 && list; i++)
        if (bits >> i & 1)
            list = arena_format(in->memory, "%s%s%s", list, *list ? " " : "",
                                are_codecs ? codec_name((int)i) : pq_encoding_name(i));
    return list ? list : "";
}

static void add_indexes(text_table *t, const summary *s)
{
    bool has_column = s->column_indexes, has_offset = s->offset_indexes, has_bloom = s->blooms;
    if (!has_column && !has_offset && !has_bloom)
        text_table_add(t, "-");
    else
        text_table_add(t, "%s%s%s%s%s", has_column ? "column" : "",
                       has_column && has_offset ? ", " : "", has_offset ? "offset" : "",
                       has_bloom && (has_column || has_offset) ? ", " : "",
                       has_bloom ? "bloom" : "");
}

static status print_columns(const inspection *in)
{
    text_table t =
        text_table_make(in->memory, ">#|column|codec|encodings|>compressed|>plain|>ratio|"
                                    ">NULLs|min|max|indexes");
    for (uint32_t c = 0; c < in->metadata->leaf_count; c++) {
        const pq_leaf *leaf = &in->metadata->leaves[c];
        summary s = {0};
        for (uint32_t g = in->first_group; g < in->end_group; g++)
            inspect_add_chunk(&s, &in->metadata->row_groups[g].chunks[c]);
        text_table_add(&t, "%u", c + 1);
        text_table_add_text(&t, leaf->name, strlen(leaf->name), 40);
        text_table_add(&t, "%s", list_names(in, s.codecs, true));
        text_table_add(&t, "%s", list_names(in, s.encodings, false));
        inspect_add_bytes(&t, s.compressed_bytes);
        inspect_add_bytes(&t, s.uncompressed_bytes);
        add_ratio(&t, s.uncompressed_bytes, s.compressed_bytes);
        inspect_add_count(&t, s.null_count);
        inspect_add_bound(&t, s.lacks_min ? NULL : s.min);
        inspect_add_bound(&t, s.lacks_max ? NULL : s.max);
        add_indexes(&t, &s);
    }
    fputs("\nColumns\n", in->out);
    return text_table_print(&t, in->out);
}

/* ---- pages ---- */

/* The header at `at`, whose length is not known before it is parsed. */
static status inspect_read_header(const inspection *in, uint64_t at, uint64_t end,
                                  pq_page_header *header, size_t *out_header_bytes)
{
    for (uint64_t bytes = HEADER_BYTES;; bytes *= 16) {
        uint64_t window = bytes < end - at ? bytes : end - at;
        uint8_t *memory = mem_new(window + 1);
        if (!memory)
            return status_no_memory("page header", window);
        status st = file_read(in->file, at, memory, window);
        bool was_read = !st;
        if (!st)
            st = pq_page_header_parse(memory, window, header, out_header_bytes);
        mem_free(memory);
        if (!st && header->compressed_bytes > end - at - *out_header_bytes)
            return status_new(STATUS_KIND_CORRUPT,
                              "page at byte %" PRIu64 " has %u bytes, more than its column chunk",
                              at, header->compressed_bytes);
        if (!st || !was_read || window == end - at || bytes >= HEADER_BYTES_MAX)
            return status_context(st, "page at byte %" PRIu64, at);
        status_free(st);
    }
}

static void inspect_add_page(text_table *t, uint32_t group, const pq_leaf *leaf, uint32_t number,
                             uint64_t at, const pq_page_header *h, const pq_statistics *s)
{
    text_table_add(t, "%u", group);
    text_table_add_text(t, leaf->name, strlen(leaf->name), 40);
    text_table_add(t, "%u", number);
    text_table_add(t, "%s", page_type_name(h->type));
    text_table_add(t, "%s", pq_encoding_name(h->encoding));
    text_table_add(t, "%u", h->value_count);
    text_table_add(t, "%" PRIu64, at);
    inspect_add_bytes(t, h->compressed_bytes);
    inspect_add_bytes(t, h->uncompressed_bytes);
    text_table_add(t, "%s", h->has_checksum ? "yes" : "no");
    inspect_add_count(t, s ? s->null_count : -1);
    inspect_add_bound(t, s && s->has_min ? &s->min : NULL);
    inspect_add_bound(t, s && s->has_max ? &s->max : NULL);
}

static status inspect_list_pages(const inspection *in, uint32_t group, uint32_t column,
                                 text_table *t)
{
    const pq_leaf *leaf = &in->metadata->leaves[column];
    const pq_column_chunk *chunk = &in->metadata->row_groups[group].chunks[column];
    pq_column_index index;
    pq_column_index_read(in->memory, in->file, leaf, chunk, &index);
    uint64_t at = chunk->offset, end = at + chunk->compressed_bytes;
    for (uint32_t number = 0, data_page = 0; at < end; number++) {
        pq_page_header h;
        size_t header_bytes;
        TRY(inspect_read_header(in, at, end, &h, &header_bytes));
        bool is_data = h.type == PQ_PAGE_DATA || h.type == PQ_PAGE_DATA_V2;
        bool has_bounds = is_data && data_page < index.page_count;
        inspect_add_page(t, group, leaf, number, at, &h,
                         has_bounds ? &index.pages[data_page] : NULL);
        data_page += is_data;
        at += header_bytes + h.compressed_bytes;
    }
    return STATUS_OK;
}

static status print_pages(const inspection *in)
{
    text_table t = text_table_make(in->memory,
                                   ">group|column|>page|type|encoding|>values|>at byte|>compressed|"
                                   ">plain|checksum|>NULLs|min|max");
    for (uint32_t g = in->first_group; g < in->end_group; g++)
        for (uint32_t c = 0; c < in->metadata->leaf_count; c++) {
            status st = inspect_list_pages(in, g, c, &t);
            if (st)
                return status_context(st, "file \"%s\", row group %u, column \"%s\"",
                                      in->file->path, g, in->metadata->leaves[c].name);
        }
    fputs("\nPages\n", in->out);
    return text_table_print(&t, in->out);
}

static status inspect(inspection *in, const pq_inspect_options *options)
{
    in->end_group = in->metadata->row_group_count;
    if (options->is_one_group) {
        if (options->row_group >= in->end_group)
            return status_new(STATUS_KIND_INVALID, "file \"%s\" has %u row group%s, there is no %u",
                              in->file->path, in->end_group, in->end_group == 1 ? "" : "s",
                              options->row_group);
        in->first_group = options->row_group;
        in->end_group = in->first_group + 1;
    }
    print_file(in);
    TRY(print_schema(in));
    TRY(print_row_groups(in));
    TRY(print_columns(in));
    return options->with_pages ? print_pages(in) : STATUS_OK;
}

static status inspect_file(const char *path, const pq_inspect_options *options, FILE *out)
{
    pq_table *table;
    TRY(pq_table_open_plain(path, true, &table));
    inspection in = {
        .file = table->files.items[0].file, .metadata = table->files.items[0].metadata, .out = out};
    status st = arena_new(&in.memory);
    if (!st)
        st = inspect(&in, options);
    arena_free(in.memory);
    pq_table_close(table);
    return st;
}

/* Each file is opened by itself: files of a folder may be of several tables. */
static status inspect_all(arena *a, const char *path, const pq_inspect_options *options, FILE *out)
{
    path_list files = {0};
    TRY(file_expand(a, path, &files));
    for (size_t i = 0; i < files.count; i++) {
        if (i)
            fputc('\n', out);
        TRY(inspect_file(files.items[i], options, out));
    }
    return STATUS_OK;
}

status pq_inspect(const char *path, const pq_inspect_options *options, FILE *out)
{
    arena *a;
    TRY(arena_new(&a));
    status st = inspect_all(a, path, options, out);
    arena_free(a);
    return st;
}
