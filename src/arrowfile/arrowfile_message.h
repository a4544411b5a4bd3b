/* arrowfile_message.h - messages of Arrow's IPC format: what their metadata says. */
#ifndef PISTACHIO_ARROWFILE_ARROWFILE_MESSAGE_H
#define PISTACHIO_ARROWFILE_ARROWFILE_MESSAGE_H

#include "arrowfile/flat_read.h"
#include "base/mem.h"
#include "storage/file.h"

/* Values of a message's union MessageHeader. */
typedef enum arrowfile_kind {
    ARROWFILE_SCHEMA = 1,
    ARROWFILE_DICTIONARY,
    ARROWFILE_RECORDS
} arrowfile_kind;

/* Metadata of more bytes is refused: of a million columns it is some 200 MB. */
#define ARROWFILE_METADATA_MAX (1 << 30)

/* A message's metadata in memory of its own. Zeroed: none; used again and again. */
typedef struct arrowfile_message {
    ARRAY(uint8_t) memory;
    flat_buffer buffer;
    int64_t kind; /* an arrowfile_kind, or another number */
    flat_object header;
    uint64_t body_bytes;
} arrowfile_message;

CHECKED status arrowfile_message_read(const file *f, uint64_t offset, uint32_t bytes,
                                      arrowfile_message *message);
void arrowfile_message_release(arrowfile_message *message);

#endif
