/* arrowfile_body.c - see arrowfile_body.h. */
#include "arrowfile/arrowfile_body.h"

#include "base/cancel.h"
#include "codec/codec.h"
#include "parquet/format/format.h"

#define NODE_BYTES 16   /* of the metadata: rows, NULLs */
#define BUFFER_BYTES 16 /* of the metadata: offset, length */
#define PLAIN_LENGTH                                                                               \
    8 /* bytes before a compressed buffer: how many it gives; -1: it is not compressed */

static status body_damaged(const char *what)
{
    return status_new(STATUS_KIND_CORRUPT, "the batch is damaged: %s", what);
}

/* ---- what the metadata says ---- */

static status take_nodes(arrowfile_body *body, const flat_object *batch)
{
    flat_span items = flat_list(batch, 1, NODE_BYTES);
    for (size_t i = 0; i < items.count; i++) {
        int64_t rows = flat_list_number(&items, NODE_BYTES, i, 0, 8);
        int64_t nulls = flat_list_number(&items, NODE_BYTES, i, 8, 8);
        if (rows < 0 || rows > INT64_MAX / 64)
            return body_damaged("a column has a negative length");
        arrowfile_node node = {(uint64_t)rows, nulls < 0 ? UINT64_MAX : (uint64_t)nulls, 0};
        TRY(array_push(NULL, &body->nodes, node));
    }
    return STATUS_OK;
}

static status take_buffers(arrowfile_body *body, const flat_object *batch)
{
    flat_span items = flat_list(batch, 2, BUFFER_BYTES);
    for (size_t i = 0; i < items.count; i++) {
        arrowfile_buffer b = {.offset = (uint64_t)flat_list_number(&items, BUFFER_BYTES, i, 0, 8),
                              .bytes = (uint64_t)flat_list_number(&items, BUFFER_BYTES, i, 8, 8)};
        if (b.offset > body->bytes || b.bytes > body->bytes - b.offset)
            return body_damaged("a buffer lies outside of the body");
        TRY(array_push(NULL, &body->buffers, b));
    }
    flat_span views = flat_list(batch, 4, 8);
    for (size_t i = 0; i < views.count; i++) {
        uint64_t count = (uint64_t)flat_list_number(&views, 8, i, 0, 8);
        if (count > items.count)
            return body_damaged("views have more buffers than there are");
        TRY(array_push(NULL, &body->view_buffers, count));
    }
    return STATUS_OK;
}

static status take_compression(arrowfile_body *body, const flat_object *batch)
{
    flat_object compression = flat_child(batch, 3);
    int64_t codec = flat_number(&compression, 0, 1, 0);
    body->is_compressed = compression.in != NULL;
    body->is_zstd = codec == 1;
    if (codec < 0 || codec > 1 || flat_number(&compression, 1, 1, 0))
        return status_new(STATUS_KIND_UNSUPPORTED,
                          "the batch is compressed by neither LZ4 nor zstd");
    return STATUS_OK;
}

status arrowfile_body_open(arrowfile_body *body, const flat_object *batch, uint64_t offset,
                           uint64_t bytes)
{
    int64_t rows = flat_number(batch, 0, 8, 0);
    arrowfile_body_clear(body);
    body->offset = offset;
    body->bytes = bytes;
    if (rows < 0 || !batch->in)
        return body_damaged("it has a negative number of rows");
    body->rows = (uint64_t)rows;
    TRY(take_nodes(body, batch));
    TRY(take_buffers(body, batch));
    TRY(take_compression(body, batch));
    return batch->in->is_damaged ? body_damaged("its metadata breaks off") : STATUS_OK;
}

void arrowfile_body_clear(arrowfile_body *body)
{
    for (size_t i = 0; i < body->buffers.count; i++)
        dev_buffer_unref(body->buffers.items[i].plain);
    body->nodes.count = body->buffers.count = body->view_buffers.count = 0;
}

void arrowfile_body_release(arrowfile_body *body)
{
    arrowfile_body_clear(body);
    array_release(&body->nodes);
    array_release(&body->buffers);
    array_release(&body->view_buffers);
}

/* ---- bytes ---- */

static bool decompress(const arrowfile_body *body, const void *packed, uint64_t packed_bytes,
                       void *plain, uint64_t bytes)
{
    return body->is_zstd
               ? codec_decompress(body->isa, PQ_CODEC_ZSTD, packed, packed_bytes, plain, bytes)
               : codec_decompress_lz4_frame(packed, packed_bytes, plain, bytes);
}

static status unpack(const arrowfile_body *body, arrowfile_buffer *b, const uint8_t *stored,
                     int64_t plain_bytes)
{
    dev_buffer *plain;
    uint64_t packed_bytes = b->bytes - PLAIN_LENGTH;
    bool is_packed = plain_bytes >= 0;
    uint64_t bytes = is_packed ? (uint64_t)plain_bytes : packed_bytes;
    TRY(dev_alloc(body->host, bytes + 1, "Arrow buffer", &plain));
    bool is_right = true;
    if (!is_packed)
        memcpy(plain->address, stored + PLAIN_LENGTH, bytes);
    else if (bytes)
        is_right = decompress(body, stored + PLAIN_LENGTH, packed_bytes, plain->address, bytes);
    if (!is_right) {
        dev_buffer_unref(plain);
        TRY(cancel_check());
        return body_damaged(body->is_zstd ? "a buffer is not zstd of the length that it says"
                                          : "a buffer is not LZ4 of the length that it says");
    }
    b->plain = plain;
    b->plain_bytes = bytes;
    return STATUS_OK;
}

/* Decompresses a buffer, once. */
static status make_plain(arrowfile_body *body, arrowfile_buffer *b)
{
    dev_buffer *stored;
    int64_t plain_bytes;
    if (b->plain || !b->bytes)
        return STATUS_OK;
    if (b->bytes < PLAIN_LENGTH)
        return body_damaged("a buffer does not say how long it is");
    TRY(dev_alloc(body->host, b->bytes, "Arrow buffer", &stored));
    status st = file_read(body->file, body->offset + b->offset, stored->address, b->bytes);
    body->bytes_read += b->bytes;
    if (!st) {
        memcpy(&plain_bytes, stored->address, sizeof plain_bytes);
        st = plain_bytes < -1 ? body_damaged("a buffer has a negative length")
                              : unpack(body, b, stored->address, plain_bytes);
    }
    dev_buffer_unref(stored);
    return st;
}

status arrowfile_body_bytes(arrowfile_body *body, size_t buffer, uint64_t *out)
{
    if (buffer >= body->buffers.count)
        return body_damaged("it has fewer buffers than its columns need");
    arrowfile_buffer *b = &body->buffers.items[buffer];
    if (body->is_compressed)
        TRY(make_plain(body, b));
    *out = body->is_compressed ? b->plain_bytes : b->bytes;
    return STATUS_OK;
}

status arrowfile_body_read(arrowfile_body *body, size_t buffer, uint64_t from, void *target,
                           uint64_t bytes)
{
    uint64_t room;
    TRY(arrowfile_body_bytes(body, buffer, &room));
    if (from > room || bytes > room - from)
        return body_damaged("a buffer is shorter than its column");
    if (!bytes)
        return STATUS_OK;
    const arrowfile_buffer *b = &body->buffers.items[buffer];
    if (body->is_in_memory) {
        memcpy(target, (const char *)b->memory + from, bytes);
        return STATUS_OK;
    }
    body->bytes_read += body->is_compressed ? 0 : bytes;
    if (!body->is_compressed)
        return file_read(body->file, body->offset + b->offset + from, target, bytes);
    memcpy(target, (const char *)b->plain->address + from, bytes);
    return STATUS_OK;
}
