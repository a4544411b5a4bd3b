/* ipc.c - see ipc.h. */
#include "api/ipc/ipc.h"

#include "api/ipc/ipc_body.h"
#include "api/ipc/ipc_compress.h"
#include "api/ipc/ipc_parts.h"
#include "api/ipc/ipc_schema.h"

#include <stdatomic.h>

#define CONTINUES UINT32_MAX

/* Smaller buffers are copied: a piece of a reply costs as much as a copy of so many bytes. */
#define LENT_BYTES_MIN ((size_t)16 << 10)

#define MAGIC "ARROW1\0" /* and the NUL that ends it: 8 bytes */
#define MAGIC_BYTES 6

/* A batch of a file, as the footer has it. */
typedef struct block {
    uint64_t offset;
    uint32_t metadata_bytes, padding;
    uint64_t body_bytes;
} block;

typedef struct writer {
    struct ArrowSchema schema;
    FILE *target;
    const ipc_lender *lender; /* or NULL */
    bool is_left;             /* by who is lent buffers: nobody reads any more */
    uint64_t offset;          /* bytes written */
    ARRAY(block) blocks;
    uint64_t rows;
    flat metadata;
    ipc_body body;
    ipc_compression compression;
} writer;

/* Writes what comes before a body: a mark, the metadata's length, the metadata. */
static status write_metadata(writer *w)
{
    TRY(flat_end(&w->metadata));
    uint32_t head[] = {CONTINUES, (uint32_t)w->metadata.bytes.count};
    fwrite(head, sizeof head, 1, w->target);
    fwrite(w->metadata.bytes.items, 1, w->metadata.bytes.count, w->target);
    w->offset += sizeof head + w->metadata.bytes.count;
    return STATUS_OK;
}

/* ---- bodies ---- */

struct ipc_batch {
    atomic_uint references;
    struct ArrowArray rows;
    ipc_body body;
};

void ipc_batch_unref(ipc_batch *batch)
{
    if (atomic_fetch_sub(&batch->references, 1) != 1)
        return;
    ipc_body_release(&batch->body);
    batch->rows.release(&batch->rows);
    mem_free(batch);
}

/* Takes the rows over, and the body's buffers. */
static status batch_new(writer *w, struct ArrowArray *rows, ipc_batch **out)
{
    ipc_batch *batch = *out = mem_new(sizeof *batch);
    if (!batch)
        return status_no_memory("Arrow rows", sizeof *batch);
    batch->references = 1;
    batch->rows = *rows;
    batch->body = w->body;
    rows->release = NULL;
    w->body = (ipc_body){.compression = w->body.compression};
    return STATUS_OK;
}

/* Lends a buffer behind what was written before it. */
static void lend_buffer(writer *w, ipc_buffer one, ipc_batch *batch)
{
    if (fflush(w->target))
        return;
    atomic_fetch_add(&batch->references, 1);
    w->is_left = !w->lender->lend(w->lender->to, one.bytes, one.count, batch);
}

/* Writes the buffers of a body; those of `batch` may be lent. */
static void write_body(writer *w, const ipc_body *body, ipc_batch *batch)
{
    static const char zeros[8];
    for (size_t i = 0; i < body->buffers.count && !w->is_left; i++) {
        ipc_buffer one = body->buffers.items[i];
        if (!one.count)
            continue;
        if (batch && one.count >= LENT_BYTES_MIN)
            lend_buffer(w, one, batch);
        else
            fwrite(one.bytes, 1, one.count, w->target);
        fwrite(zeros, 1, ipc_padded(one.count) - one.count, w->target);
    }
}

/* Writes the body of rows, which it takes over where there is somebody to lend them to. */
static status write_body_of(writer *w, struct ArrowArray *rows)
{
    ipc_batch *batch = NULL;
    if (w->lender)
        TRY(batch_new(w, rows, &batch));
    write_body(w, batch ? &batch->body : &w->body, batch);
    if (batch)
        ipc_batch_unref(batch);
    ipc_body_clear(&w->body);
    return STATUS_OK;
}

/* ---- messages ---- */

static status write_schema(writer *w)
{
    uint32_t message = ipc_message_begin(&w->metadata), schema;
    TRY(ipc_schema_make(&w->metadata, &w->schema, &schema));
    ipc_message_link(&w->metadata, message, IPC_SCHEMA, schema, 0);
    return write_metadata(w);
}

static status write_dictionary(writer *w, const struct ArrowSchema *schema,
                               const struct ArrowArray *values, int64_t number)
{
    uint64_t bytes;
    TRY(ipc_body_add(&w->body, schema, values, false));
    TRY(ipc_body_compress(&w->body, &w->compression));
    uint32_t message = ipc_message_begin(&w->metadata);
    uint32_t dictionary = flat_table(&w->metadata, 2);
    flat_set(&w->metadata, dictionary, 0, (uint64_t)number);
    flat_link(&w->metadata, dictionary, 1,
              ipc_body_describe(&w->body, &w->metadata, values->length, &bytes));
    ipc_message_link(&w->metadata, message, IPC_DICTIONARY, dictionary, bytes);
    TRY(write_metadata(w));
    write_body(w, &w->body, NULL);
    ipc_body_clear(&w->body);
    return STATUS_OK;
}

/* Writes the dictionaries in the order of their numbers, which make_field of ipc_schema.c gives. */
static status write_dictionaries(writer *w, const struct ArrowSchema *schema,
                                 const struct ArrowArray *array, int64_t *number)
{
    if (schema->dictionary)
        TRY(write_dictionary(w, schema->dictionary, array->dictionary, (*number)++));
    for (int64_t i = 0; i < schema->n_children; i++)
        TRY(write_dictionaries(w, schema->children[i], array->children[i], number));
    return STATUS_OK;
}

static status write_rows(writer *w, struct ArrowArray *rows)
{
    uint64_t bytes;
    int64_t dictionaries = 0;
    TRY(write_dictionaries(w, &w->schema, rows, &dictionaries));
    TRY(ipc_body_add(&w->body, &w->schema, rows, true));
    TRY(ipc_body_compress(&w->body, &w->compression));
    uint32_t message = ipc_message_begin(&w->metadata);
    uint32_t batch = ipc_body_describe(&w->body, &w->metadata, rows->length, &bytes);
    ipc_message_link(&w->metadata, message, IPC_RECORDS, batch, bytes);
    block b = {.offset = w->offset, .body_bytes = bytes};
    TRY(write_metadata(w));
    b.metadata_bytes = (uint32_t)(w->offset - b.offset);
    uint64_t count = (uint64_t)rows->length;
    TRY(write_body_of(w, rows));
    w->offset += bytes;
    w->rows += count;
    TRY(array_push(NULL, &w->blocks, b));
    return STATUS_OK;
}

static status stream_failure(struct ArrowArrayStream *stream)
{
    const char *text = stream->get_last_error(stream);
    return status_new(STATUS_KIND_DATA, "%s", text ? text : "the rows could not be computed");
}

/* Writes the schema again, where batches lie, the footer's length and the mark of the end. */
static status write_footer(writer *w)
{
    uint32_t schema;
    flat *f = &w->metadata;
    flat_begin(f);
    uint32_t footer = flat_table(f, 4);
    flat_set(f, footer, 0, IPC_VERSION);
    TRY(ipc_schema_make(f, &w->schema, &schema));
    flat_link(f, footer, 1, schema);
    uint32_t blocks = flat_vector(f, w->blocks.count, sizeof(block));
    char *items = flat_items(f, blocks);
    if (items && w->blocks.count)
        memcpy(items, w->blocks.items, w->blocks.count * sizeof(block));
    flat_link(f, footer, 3, blocks);
    TRY(flat_end(f));
    uint32_t bytes = (uint32_t)f->bytes.count;
    fwrite(f->bytes.items, 1, bytes, w->target);
    fwrite(&bytes, sizeof bytes, 1, w->target);
    fwrite(MAGIC, MAGIC_BYTES, 1, w->target);
    return STATUS_OK;
}

static void write_begin(writer *w)
{
    fwrite(MAGIC, sizeof MAGIC, 1, w->target);
    w->offset = sizeof MAGIC;
}

static status write_all(writer *w, ipc_format format, struct ArrowArrayStream *stream)
{
    static const uint32_t end[] = {CONTINUES, 0};
    if (stream->get_schema(stream, &w->schema))
        return stream_failure(stream);
    if (format == IPC_FILE)
        write_begin(w);
    TRY(write_schema(w));
    while (!ferror(w->target) && !w->is_left) {
        struct ArrowArray rows;
        if (stream->get_next(stream, &rows))
            return stream_failure(stream);
        if (!rows.release)
            break;
        status st = write_rows(w, &rows);
        if (rows.release)
            rows.release(&rows);
        TRY(st);
    }
    fwrite(end, sizeof end, 1, w->target);
    return format == IPC_FILE ? write_footer(w) : STATUS_OK;
}

static status ipc_write_with(writer *w, ipc_format format, struct ArrowArrayStream *stream,
                             uint64_t *out_rows)
{
    status st = write_all(w, format, stream);
    *out_rows = w->rows;
    if (w->schema.release)
        w->schema.release(&w->schema);
    array_release(&w->blocks);
    flat_release(&w->metadata);
    ipc_body_release(&w->body);
    return st;
}

status ipc_write(struct ArrowArrayStream *stream, FILE *target, const ipc_lender *lender,
                 uint64_t *out_rows)
{
    writer w = {.target = target, .lender = lender};
    return ipc_write_with(&w, IPC_STREAM, stream, out_rows);
}

status ipc_write_as(ipc_format format, ipc_compression compression, struct ArrowArrayStream *stream,
                    FILE *target, uint64_t *out_rows)
{
    writer w = {.target = target, .compression = compression};
    return ipc_write_with(&w, format, stream, out_rows);
}
