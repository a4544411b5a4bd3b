/* ipc_compress.c - buffers of a body, each compressed by itself: its length, then a frame. */
#include "api/ipc/ipc_compress.h"

#include "api/ipc/ipc_body.h"
#include "api/ipc/ipc_parts.h"
#include "base/cancel.h"

#include <lz4frame.h>
#include <zstd.h>

#define LENGTH_BYTES sizeof(int64_t)
#define ZSTD_LEVEL 1 /* as pyarrow writes */

static const LZ4F_preferences_t lz4_preferences;

static size_t ipc_compress_bound_of(ipc_codec codec, size_t bytes)
{
    return codec == IPC_ZSTD ? ZSTD_compressBound(bytes)
                             : LZ4F_compressFrameBound(bytes, &lz4_preferences);
}

/* Returns the bytes of the frame; 0: it could not be made. */
static size_t make_frame(const ipc_compression *how, const ipc_buffer *from, char *target,
                         size_t room)
{
    size_t count;
    if (how->codec == IPC_ZSTD) {
        count = ZSTD_compress(target, room, from->bytes, from->count,
                              how->level ? how->level : ZSTD_LEVEL);
        return ZSTD_isError(count) ? 0 : count;
    }
    count = LZ4F_compressFrame(target, room, from->bytes, from->count, &lz4_preferences);
    return LZ4F_isError(count) ? 0 : count;
}

/* Replaces the buffer. One that does not become smaller stays as it is, after the length -1. */
static status compress_buffer(ipc_body *body, const ipc_compression *how, ipc_buffer *buffer)
{
    char *made;
    int64_t length = (int64_t)buffer->count;
    size_t room = ipc_compress_bound_of(how->codec, buffer->count);
    room = room > buffer->count ? room : buffer->count;
    TRY(ipc_body_make(body, LENGTH_BYTES + room, (void **)&made));
    size_t count = make_frame(how, buffer, made + LENGTH_BYTES, room);
    if (!count || count >= buffer->count) {
        length = -1;
        count = buffer->count;
        memcpy(made + LENGTH_BYTES, buffer->bytes, count);
    }
    memcpy(made, &length, LENGTH_BYTES);
    *buffer = (ipc_buffer){made, LENGTH_BYTES + count};
    return STATUS_OK;
}

status ipc_body_compress(ipc_body *body, const ipc_compression *how)
{
    body->compression = *how;
    if (how->codec == IPC_PLAIN)
        return STATUS_OK;
    for (size_t i = 0; i < body->buffers.count; i++) {
        TRY(cancel_check());
        if (body->buffers.items[i].count)
            TRY(compress_buffer(body, how, &body->buffers.items[i]));
    }
    return STATUS_OK;
}

void ipc_compression_describe(const ipc_compression *how, flat *f, uint32_t batch)
{
    if (how->codec == IPC_PLAIN)
        return;
    uint32_t table = flat_table(f, 2);
    flat_set(f, table, 0, how->codec == IPC_ZSTD);
    flat_link(f, batch, 3, table);
}
