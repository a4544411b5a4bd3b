/* arrowfile_table.c - finds files, their batches, and which of their fields are the table's columns. */
#include "arrowfile/arrowfile_table.h"

#include "arrowfile/arrowfile_message.h"
#include "base/cancel.h"
#include "base/unique_names.h"

#include <strings.h>

#define FILES_MAX 1000000
#define FILENAME_COLUMN "filename"
#define MAGIC "ARROW1"
#define MAGIC_BYTES 6
#define OLD_MAGIC "FEA1" /* of Feather before Arrow's format */
#define CONTINUES UINT32_MAX
#define BLOCK_BYTES                                                                                \
    24 /* of a footer: offset, length of the metadata, padding, length of the body */

typedef struct opener {
    arena *memory;
    const arrowfile_options *options;
    arrowfile_table *table;
    ARRAY(arrowfile_source) files;
    arrowfile_message message, part; /* a footer, and a message that it names */
} opener;

static status open_no_memory(void)
{
    return status_no_memory("Arrow table", sizeof(arrowfile_table));
}

static status file_damaged(const char *what)
{
    return status_new(STATUS_KIND_CORRUPT, "%s", what);
}

bool arrowfile_has_name(const char *path)
{
    static const char *const endings[] = {".arrow", ".arrows", ".feather", ".ipc"};
    size_t bytes = strlen(path);
    for (size_t i = 0; i < sizeof endings / sizeof *endings; i++) {
        size_t length = strlen(endings[i]);
        if (bytes > length && !strcasecmp(path + bytes - length, endings[i]))
            return true;
    }
    return false;
}

/* Takes which dictionary a message has values of. */
static void take_dictionary(const arrowfile_message *message, arrowfile_block *block)
{
    block->is_dictionary = message->kind == ARROWFILE_DICTIONARY;
    if (!block->is_dictionary)
        return;
    block->dictionary = flat_number(&message->header, 0, 8, 0);
    block->is_delta = flat_bool(&message->header, 2);
}

/* ---- files with a footer ---- */

static status add_blocks(opener *o, const file *f, const flat_span *items, bool are_dictionaries,
                         arrowfile_source *source)
{
    for (size_t i = 0; i < items->count; i++) {
        uint64_t offset = (uint64_t)flat_list_number(items, BLOCK_BYTES, i, 0, 8);
        uint64_t metadata = (uint32_t)flat_list_number(items, BLOCK_BYTES, i, 8, 4);
        uint64_t body = (uint64_t)flat_list_number(items, BLOCK_BYTES, i, 16, 8);
        uint32_t mark[2];
        if (metadata < sizeof mark || offset > f->bytes || metadata > f->bytes - offset ||
            body > f->bytes - offset - metadata)
            return file_damaged("a batch lies outside of the file");
        TRY(file_read(f, offset, mark, sizeof mark));
        uint32_t head =
            mark[0] == CONTINUES ? 8 : 4; /* before version 0.15 of Arrow: a length alone */
        arrowfile_block block = {.offset = offset + head,
                                 .metadata_bytes = (uint32_t)(metadata - head),
                                 .body_bytes = body};
        if (are_dictionaries) {
            TRY(arrowfile_message_read(f, block.offset, block.metadata_bytes, &o->part));
            take_dictionary(&o->part, &block);
        }
        TRY(array_push(o->memory, &source->blocks, block));
    }
    return STATUS_OK;
}

static status read_footer(opener *o, const file *f, const flat_object *footer,
                          arrowfile_source *source)
{
    flat_object schema = flat_child(footer, 1);
    flat_span dictionaries = flat_list(footer, 2, BLOCK_BYTES);
    flat_span batches = flat_list(footer, 3, BLOCK_BYTES);
    TRY(arrowfile_schema_read(o->memory, &schema, &source->fields, &source->field_count));
    TRY(add_blocks(o, f, &dictionaries, true, source));
    TRY(add_blocks(o, f, &batches, false, source));
    return footer->in->is_damaged ? file_damaged("the footer is damaged") : STATUS_OK;
}

static status open_file(opener *o, const file *f, arrowfile_source *source)
{
    struct __attribute__((packed)) {
        uint32_t bytes;
        char magic[MAGIC_BYTES];
    } end;
    if (f->bytes < 2 * MAGIC_BYTES + sizeof end)
        return file_damaged("the file is cut off");
    TRY(file_read(f, f->bytes - sizeof end, &end, sizeof end));
    if (memcmp(end.magic, MAGIC, MAGIC_BYTES) != 0 || end.bytes > ARROWFILE_METADATA_MAX ||
        end.bytes > f->bytes - sizeof end)
        return file_damaged("the file does not end in an Arrow footer: it is cut off");
    o->message.memory.count = 0;
    TRY(array_reserve(NULL, &o->message.memory, (size_t)end.bytes + 1));
    TRY(file_read(f, f->bytes - sizeof end - end.bytes, o->message.memory.items, end.bytes));
    o->message.buffer = (flat_buffer){.bytes = o->message.memory.items, .count = end.bytes};
    flat_object footer = flat_root(&o->message.buffer);
    return footer.in ? read_footer(o, f, &footer, source) : file_damaged("the footer is damaged");
}

/* ---- streams ---- */

/* Reads the mark and the length before a message; *out_bytes 0: the stream ends here. */
static status read_head(const file *f, uint64_t *offset, uint32_t *out_bytes)
{
    *out_bytes = 0;
    for (unsigned i = 0; i < 2; i++) {
        if (*offset == f->bytes && !i)
            return STATUS_OK; /* without a mark of its end */
        if (f->bytes - *offset < sizeof *out_bytes)
            return file_damaged("the stream is cut off");
        TRY(file_read(f, *offset, out_bytes, sizeof *out_bytes));
        *offset += sizeof *out_bytes;
        if (*out_bytes != CONTINUES)
            break;
    }
    return STATUS_OK;
}

static status take_message(opener *o, uint64_t offset, uint32_t bytes, arrowfile_source *source)
{
    arrowfile_block block = {
        .offset = offset, .metadata_bytes = bytes, .body_bytes = o->message.body_bytes};
    take_dictionary(&o->message, &block);
    if (!source->fields) {
        if (o->message.kind != ARROWFILE_SCHEMA)
            return file_damaged("the stream does not begin with a schema");
        return arrowfile_schema_read(o->memory, &o->message.header, &source->fields,
                                     &source->field_count);
    }
    if (o->message.kind != ARROWFILE_DICTIONARY && o->message.kind != ARROWFILE_RECORDS)
        return status_new(STATUS_KIND_UNSUPPORTED,
                          "the message at byte %llu has rows of no columns (tensors)",
                          (unsigned long long)offset);
    return array_push(o->memory, &source->blocks, block);
}

static status open_stream(opener *o, const file *f, arrowfile_source *source)
{
    uint64_t offset = 0;
    source->is_stream = true;
    for (;;) {
        uint32_t bytes;
        TRY(cancel_check());
        TRY(read_head(f, &offset, &bytes));
        if (!bytes)
            break;
        TRY(arrowfile_message_read(f, offset, bytes, &o->message));
        if (o->message.body_bytes > f->bytes - offset - bytes)
            return file_damaged("the stream is cut off");
        TRY(take_message(o, offset, bytes, source));
        offset += bytes + o->message.body_bytes;
    }
    return source->fields ? STATUS_OK : file_damaged("the stream ends before its schema");
}

/* ---- one file ---- */

static status open_either(opener *o, const file *f, arrowfile_source *source)
{
    char begin[MAGIC_BYTES] = "";
    TRY(file_read(f, 0, begin, f->bytes < sizeof begin ? f->bytes : sizeof begin));
    source->version = f->version;
    if (!memcmp(begin, MAGIC, MAGIC_BYTES))
        return open_file(o, f, source);
    if (!memcmp(begin, OLD_MAGIC, strlen(OLD_MAGIC)))
        return status_hint(
            status_new(STATUS_KIND_UNSUPPORTED, "version 1 of the Feather format is not supported"),
            "pyarrow.feather.write_feather(table, path) writes version 2");
    return open_stream(o, f, source);
}

static status name_apart(opener *o, arrowfile_source *source)
{
    const char **names =
        arena_alloc_array(o->memory, (size_t)source->field_count + 1, sizeof *names);
    if (!names)
        return open_no_memory();
    for (uint32_t i = 0; i < source->field_count; i++)
        names[i] = source->fields[i].name;
    TRY(unique_names(o->memory, names, source->field_count));
    for (uint32_t i = 0; i < source->field_count; i++)
        source->fields[i].name = names[i];
    return STATUS_OK;
}

/* Estimates rows by the first batch's. */
static status estimate(opener *o, const file *f, const arrowfile_source *source)
{
    size_t batches = 0;
    const arrowfile_block *first = NULL;
    for (size_t i = 0; i < source->blocks.count; i++)
        if (!source->blocks.items[i].is_dictionary) {
            first = first ? first : &source->blocks.items[i];
            batches++;
        }
    if (!first)
        return STATUS_OK;
    TRY(arrowfile_message_read(f, first->offset, first->metadata_bytes, &o->message));
    int64_t rows = flat_number(&o->message.header, 0, 8, 0);
    o->table->estimated_rows += (double)rows * (double)batches;
    return STATUS_OK;
}

static status open_one(opener *o, arrowfile_source *source)
{
    file *f;
    TRY(file_open(source->path, &f));
    status st = open_either(o, f, source);
    if (!st)
        st = name_apart(o, source);
    if (!st)
        st = estimate(o, f, source);
    file_close(f);
    return st ? status_context(st, "file \"%s\"", source->path) : STATUS_OK;
}

/* ---- columns ---- */

/* Finds a column by its name. Files mostly have the same columns in one order: `expected` is tried first. */
static bool find_column(const arrowfile_table *t, const char *name, uint32_t expected,
                        uint32_t *out)
{
    uint32_t count = (uint32_t)t->columns.count;
    for (uint32_t i = 0; i < count; i++) {
        *out = (expected + i) % count;
        if (!strcasecmp(t->columns.items[*out].name, name))
            return true;
    }
    return false;
}

static status add_columns(opener *o, const arrowfile_source *source, bool unites)
{
    for (uint32_t i = 0; i < source->field_count; i++) {
        uint32_t at;
        const arrowfile_field *f = &source->fields[i];
        arrowfile_column column = {.name = f->name, .type = f->type};
        if (!unites || !find_column(o->table, f->name, i, &at))
            TRY(array_push(o->memory, &o->table->columns, column));
    }
    return STATUS_OK;
}

static status type_differs(const opener *o, const arrowfile_source *source, uint32_t column,
                           data_type type)
{
    char wanted[TYPE_NAME_BYTES], found[TYPE_NAME_BYTES];
    const arrowfile_column *c = &o->table->columns.items[column];
    return status_new(STATUS_KIND_INVALID, "file \"%s\": column \"%s\" is a %s, but a %s in \"%s\"",
                      source->path, c->name, type_name(type, found), type_name(c->type, wanted),
                      o->files.items[0].path);
}

static status map_column(const opener *o, arrowfile_source *source, uint32_t column)
{
    const arrowfile_column *c = &o->table->columns.items[column];
    source->sources[column] = ARROWFILE_NO_FIELD;
    for (uint32_t i = 0; i < source->field_count; i++) {
        uint32_t f = (column + i) % source->field_count;
        if (!strcasecmp(source->fields[f].name, c->name)) {
            source->sources[column] = f;
            return type_equal(source->fields[f].type, c->type)
                       ? STATUS_OK
                       : type_differs(o, source, column, source->fields[f].type);
        }
    }
    if (o->options->union_by_name)
        return STATUS_OK;
    return status_hint(status_new(STATUS_KIND_INVALID,
                                  "file \"%s\" has no column \"%s\", which \"%s\" has",
                                  source->path, c->name, o->files.items[0].path),
                       "union_by_name => true takes the columns of all files, and NULL where a "
                       "file lacks one");
}

/* Fields of the first file are the columns in their order, whatever their names. */
static status map_columns(opener *o, size_t number)
{
    arrowfile_source *source = &o->files.items[number];
    size_t count = o->table->columns.count;
    source->sources = arena_alloc_array(o->memory, count + 1, sizeof *source->sources);
    if (!source->sources)
        return open_no_memory();
    for (uint32_t i = 0; i < count; i++)
        if (!number && i < source->field_count)
            source->sources[i] = i;
        else
            TRY(map_column(o, source, i));
    return STATUS_OK;
}

static status add_filename(opener *o)
{
    uint32_t at;
    arrowfile_column column = {
        .name = FILENAME_COLUMN, .type = type_make(TYPE_VARCHAR), .is_filename = true};
    if (find_column(o->table, FILENAME_COLUMN, 0, &at))
        return status_hint(
            status_new(STATUS_KIND_INVALID, "the files have a column \"filename\" of their own"),
            "leave the option filename out");
    return array_push(o->memory, &o->table->columns, column);
}

/* ---- the table ---- */

static status find_paths(opener *o, const char *const *paths, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        path_list found = {0};
        TRY(file_expand(o->memory, paths[i], &found));
        for (size_t f = 0; f < found.count; f++) {
            arrowfile_source source = {.path = found.items[f]};
            TRY(array_push(o->memory, &o->files, source));
        }
    }
    if (!o->files.count || o->files.count > FILES_MAX)
        return status_new(STATUS_KIND_NOT_FOUND, "there are %zu files, not 1 to %d", o->files.count,
                          FILES_MAX);
    return STATUS_OK;
}

static status open_all(opener *o, const char *const *paths, size_t path_count)
{
    TRY(find_paths(o, paths, path_count));
    for (size_t i = 0; i < o->files.count; i++) {
        TRY(open_one(o, &o->files.items[i]));
        if (!i || o->options->union_by_name)
            TRY(add_columns(o, &o->files.items[i], i > 0));
    }
    for (size_t i = 0; i < o->files.count; i++)
        TRY(map_columns(o, i));
    if (o->options->has_filename)
        TRY(add_filename(o));
    return STATUS_OK;
}

status arrowfile_table_open(arena *a, const char *const *paths, size_t path_count,
                            const arrowfile_options *options, arrowfile_table **out)
{
    opener o = {.memory = a, .options = options, .table = arena_alloc(a, sizeof *o.table)};
    *out = NULL;
    if (!o.table)
        return open_no_memory();
    o.table->name = paths[0];
    status st = open_all(&o, paths, path_count);
    arrowfile_message_release(&o.message);
    arrowfile_message_release(&o.part);
    TRY(st);
    o.table->files = o.files.items;
    o.table->file_count = (uint32_t)o.files.count;
    *out = o.table;
    return STATUS_OK;
}
