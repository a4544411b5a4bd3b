/* writer.c - the file that a writer makes: row groups, encoded by some threads, and the footer. */
#include "parquet/write/writer.h"

#include "codec/codec.h"
#include "parquet/write/writer_chunk.h"
#include "parquet/write/writer_footer.h"
#include "parquet/write/writer_stage.h"
#include "parquet/write/writer_team.h"
#include "storage/new_file.h"

struct pq_writer {
    pq_writer_options options;
    char *created_by;
    writer_column *columns;
    size_t column_count;
    pq_column_values *values; /* of a row group that begins, for each column */
    char *path;
    new_file *file;
    writer_team *team;
    pq_footer footer;
};

pq_writer_options pq_writer_options_default(void)
{
    return (pq_writer_options){.codec = PQ_CODEC_SNAPPY,
                               .page_bytes = 1 << 20,
                               .page_index = true,
                               .checksums = true,
                               .isa = cpu_isa_best(),
                               .created_by = "pistachio version " PISTACHIO_VERSION};
}

/* ---- open ---- */

/* The leaf's names, with dots between them. */
static status name_column(writer_column *column)
{
    size_t bytes = 0;
    for (uint32_t i = 0; i < column->leaf.path_count; i++)
        bytes += strlen(column->leaf.path + bytes) + 1;
    column->name = mem_copy_text(column->leaf.path, bytes);
    if (!column->name)
        return status_no_memory("column name", bytes);
    for (size_t i = 0; i + 1 < bytes; i++)
        if (!column->name[i])
            column->name[i] = '.';
    return STATUS_OK;
}

static status writer_check_encoding(writer_column *column, bool is_nested)
{
    char name[TYPE_NAME_BYTES];
    if (!column->options.has_encoding ||
        pq_encoding_fits(column->options.encoding, column->physical))
        return STATUS_OK;
    column->options.has_encoding = false;
    if (is_nested) /* it is for other leaves */
        return STATUS_OK;
    return status_new(STATUS_KIND_INVALID, "encoding %d cannot hold values of type %s",
                      (int)column->options.encoding, type_name(column->type, name));
}

static status writer_add_leaf(pq_writer *writer, const pq_column_schema *schema, uint32_t source,
                              size_t number)
{
    const pq_column_options *options = &schema->options;
    bool is_nested = type_is_nested(schema->type);
    writer_column *column = &writer->columns[writer->column_count++];
    *column = (writer_column){
        .source = source,
        .is_nullable = is_nested || schema->is_nullable || schema->type.id == TYPE_NULL,
        .options = *options,
        .codec = options->has_codec ? options->codec : writer->options.codec,
        .codec_level = options->has_codec ? options->codec_level : writer->options.codec_level};
    TRY(pq_leaf_make(schema->name, schema->type, number, &column->leaf));
    column->type = column->leaf.type;
    TRY(name_column(column));
    TRY(pq_column_layout(column));
    if (!codec_is_known((int)column->codec))
        return status_new(STATUS_KIND_UNSUPPORTED, "codec %s cannot be written",
                          codec_name((int)column->codec));
    return writer_check_encoding(column, is_nested);
}

static status writer_add_column(pq_writer *writer, const pq_column_schema *schema, uint32_t source)
{
    size_t leaves = pq_leaf_count(schema->type);
    for (size_t i = 0; i < leaves; i++)
        TRY(writer_add_leaf(writer, schema, source, i));
    return STATUS_OK;
}

static size_t writer_count_leaves(const pq_column_schema *columns, size_t column_count)
{
    size_t count = 0;
    for (size_t c = 0; c < column_count; c++)
        count += pq_leaf_count(columns[c].type);
    return count;
}

static status open_writer(pq_writer *writer, const char *path, const pq_column_schema *columns,
                          size_t column_count)
{
    const char *created_by = writer->options.created_by;
    if (!created_by)
        created_by = pq_writer_options_default().created_by;
    if (!writer->options.page_bytes)
        writer->options.page_bytes = pq_writer_options_default().page_bytes;
    writer->path = mem_copy_text(path, strlen(path));
    writer->created_by = mem_copy_text(created_by, strlen(created_by));
    size_t leaves = writer_count_leaves(columns, column_count);
    writer->columns = mem_new_array(leaves + 1, sizeof *writer->columns);
    writer->values = mem_new_array(leaves + 1, sizeof *writer->values);
    if (!writer->path || !writer->created_by || !writer->columns || !writer->values)
        return status_no_memory("writer", column_count * sizeof *writer->columns);
    for (size_t c = 0; c < column_count; c++) {
        status st = writer_add_column(writer, &columns[c], (uint32_t)c);
        if (st)
            return status_context(status_context(st, "column \"%s\"", columns[c].name),
                                  "file \"%s\"", path);
    }
    TRY(writer_team_new(writer->columns, leaves, &writer->options, &writer->team));
    if (!writer->file)
        TRY(new_file_open(path, &writer->file));
    return new_file_write(writer->file, "PAR1", 4);
}

status pq_writer_open(const char *path, const pq_column_schema *columns, size_t column_count,
                      const pq_writer_options *options, pq_writer **out)
{
    *out = NULL;
    pq_writer *writer = mem_new(sizeof *writer);
    if (!writer) {
        new_file_abort(options ? options->target : NULL);
        return status_no_memory("writer", sizeof *writer);
    }
    writer->options = options ? *options : pq_writer_options_default();
    writer->file = writer->options.target;
    status st = open_writer(writer, path, columns, column_count);
    if (st) {
        pq_writer_abort(writer);
        return st;
    }
    *out = writer;
    return STATUS_OK;
}

void pq_writer_abort(pq_writer *writer)
{
    if (!writer)
        return;
    writer_team_free(writer->team);
    new_file_abort(writer->file);
    pq_footer_release(&writer->footer);
    for (size_t c = 0; c < writer->column_count; c++) {
        pq_leaf_release(&writer->columns[c].leaf);
        mem_free(writer->columns[c].name);
    }
    mem_free(writer->columns);
    mem_free(writer->values);
    mem_free(writer->created_by);
    mem_free(writer->path);
    mem_free(writer);
}

/* ---- row groups ---- */

static status with_path(const pq_writer *writer, status st)
{
    return status_context(st, "file \"%s\"", writer->path);
}

static status encode_columns(const pq_writer *writer, const pq_column_values *columns,
                             pq_encoded_row_group *group)
{
    pq_chunk_scratch scratch = {0};
    status st = STATUS_OK;
    for (size_t c = 0; c < group->column_count && !st; c++)
        st = pq_group_encode_column(&writer->columns[c], &writer->options,
                                    &columns[writer->columns[c].source], &scratch, group, c);
    pq_chunk_scratch_release(&scratch);
    return st;
}

status pq_row_group_encode(const pq_writer *writer, const pq_column_values *columns,
                           uint64_t row_count, pq_encoded_row_group **out)
{
    TRY(pq_group_new(writer->column_count, row_count, out));
    status st = encode_columns(writer, columns, *out);
    if (st) {
        pq_encoded_row_group_free(*out);
        *out = NULL;
    }
    return with_path(writer, st);
}

static void report_chunk(const pq_writer *writer, size_t c, const pq_written_chunk *chunk)
{
    for (size_t i = 0; writer->options.report && i < chunk->trials.count; i++)
        writer->options.report(writer->options.report_context, writer->footer.groups.count,
                               writer->columns[c].name, &chunk->trials.items[i]);
}

static status writer_append(pq_writer *writer, const pq_encoded_row_group *group)
{
    pq_group_record record = {.row_count = group->row_count,
                              .offset = new_file_bytes(writer->file)};
    uint64_t bloom_offset = record.offset;
    for (size_t c = 0; c < group->column_count; c++)
        bloom_offset += group->chunks[c].bytes.count;
    for (size_t c = 0; c < group->column_count; c++) {
        const pq_written_chunk *chunk = &group->chunks[c];
        TRY(pq_footer_add(&writer->footer, &writer->columns[c], &writer->options, chunk,
                          new_file_bytes(writer->file), bloom_offset));
        bloom_offset += chunk->bloom.count;
        record.compressed_bytes += chunk->bytes.count;
        record.uncompressed_bytes += chunk->uncompressed_bytes;
        TRY(new_file_write(writer->file, chunk->bytes.items, chunk->bytes.count));
        report_chunk(writer, c, chunk);
    }
    for (size_t c = 0; c < group->column_count; c++)
        TRY(new_file_write(writer->file, group->chunks[c].bloom.items,
                           group->chunks[c].bloom.count));
    return array_push(NULL, &writer->footer.groups, record);
}

status pq_writer_append(pq_writer *writer, pq_encoded_row_group *group)
{
    status st = group->row_count ? writer_append(writer, group) : STATUS_OK;
    pq_encoded_row_group_free(group);
    return st;
}

status pq_writer_begin(pq_writer *writer, const pq_column_values *columns, uint64_t row_count)
{
    for (size_t c = 0; c < writer->column_count; c++)
        writer->values[c] = columns[writer->columns[c].source];
    return writer_team_begin(writer->team, writer->values, row_count);
}

size_t pq_writer_begun(const pq_writer *writer)
{
    return writer_team_count(writer->team);
}

status pq_writer_end(pq_writer *writer)
{
    pq_encoded_row_group *group;
    status st = writer_team_end(writer->team, &group);
    return st ? with_path(writer, st) : pq_writer_append(writer, group);
}

status pq_writer_write(pq_writer *writer, const pq_column_values *columns, uint64_t row_count)
{
    TRY(pq_writer_begin(writer, columns, row_count));
    while (pq_writer_begun(writer))
        TRY(pq_writer_end(writer));
    return STATUS_OK;
}

uint64_t pq_writer_bytes(const pq_writer *writer)
{
    return new_file_bytes(writer->file);
}

status pq_writer_finish(pq_writer *writer)
{
    pq_buffer tail = {0};
    status st = STATUS_OK;
    while (!st && pq_writer_begun(writer))
        st = pq_writer_end(writer);
    if (!st)
        st = pq_footer_write(&writer->footer, writer->columns, writer->column_count,
                             writer->created_by, new_file_bytes(writer->file), &tail);
    if (!st)
        st = new_file_write(writer->file, tail.items, tail.count);
    pq_buffer_release(&tail);
    if (!st) {
        new_file *file = writer->file;
        writer->file = NULL;
        st = new_file_publish(file);
    }
    pq_writer_abort(writer);
    return st;
}
