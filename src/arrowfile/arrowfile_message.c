/* arrowfile_message.c - see arrowfile_message.h. */
#include "arrowfile/arrowfile_message.h"

#define VERSION_4 3 /* the first whose buffers lie as today's do, but for unions */

static status bad_message(uint64_t offset, const char *why)
{
    return status_new(STATUS_KIND_CORRUPT, "the Arrow message at byte %llu %s",
                      (unsigned long long)offset, why);
}

status arrowfile_message_read(const file *f, uint64_t offset, uint32_t bytes,
                              arrowfile_message *message)
{
    if (bytes > ARROWFILE_METADATA_MAX || offset > f->bytes || bytes > f->bytes - offset)
        return bad_message(offset, "is cut off");
    message->memory.count = 0;
    TRY(array_reserve(NULL, &message->memory, (size_t)bytes + 1));
    TRY(file_read(f, offset, message->memory.items, bytes));
    message->buffer = (flat_buffer){.bytes = message->memory.items, .count = bytes};
    flat_object root = flat_root(&message->buffer);
    if (!root.in || flat_number(&root, 0, 2, 0) < VERSION_4)
        return bad_message(offset, root.in ? "is of a version before 4" : "is damaged");
    message->kind = flat_number(&root, 1, 1, 0);
    message->header = flat_child(&root, 2);
    int64_t body_bytes = flat_number(&root, 3, 8, 0);
    message->body_bytes = (uint64_t)body_bytes;
    if (body_bytes < 0 || !message->header.in || message->buffer.is_damaged)
        return bad_message(offset, "is damaged");
    return STATUS_OK;
}

void arrowfile_message_release(arrowfile_message *message)
{
    array_release(&message->memory);
    *message = (arrowfile_message){0};
}
