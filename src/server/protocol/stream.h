/* stream.h - a client's socket: whole messages in, messages out.
 *
 * One thread uses a stream. Memory for a message grows with the bytes that have come, not with the length that it
 * claims. */
#ifndef PISTACHIO_SERVER_PROTOCOL_STREAM_H
#define PISTACHIO_SERVER_PROTOCOL_STREAM_H

#include "server/protocol/tls.h"
#include "server/protocol/wire.h"

/* Longest message of a client; its first one; one before it is known who the client is. */
#define STREAM_MESSAGE_BYTES_MAX ((size_t)256 << 20)
#define STREAM_FIRST_BYTES_MAX 10000
#define STREAM_LOGIN_BYTES_MAX 65536

typedef struct stream {
    int socket;           /* the owner's, as is: */
    tls *tls;             /* by which everything goes; NULL: nothing is encrypted */
    int ending;           /* an eventfd that can be read once the server ends */
    ARRAY(char) received; /* from `at` on: not yet taken */
    size_t at;
    int64_t deadline; /* of stream_milliseconds, by which a message has come; 0: none */
    wire_writer out;
    bool is_gone; /* sending has failed: nothing is sent any more */
    /* Told when the client begins to be waited for, by PostgreSQL's name of that, and NULL at the end; or NULL. */
    void (*note_wait)(void *context, const char *name);
    void *note_context;
} stream;

typedef enum stream_end {
    STREAM_GOING_ON,
    STREAM_CLOSED, /* by the client, between two messages */
    STREAM_ENDING, /* the server ends, and no message has begun */
} stream_end;

int64_t stream_milliseconds(void);

/* Reads the first message: its code and fields. Fields are valid until the next read. */
CHECKED status stream_read_first(stream *s, stream_end *out_end, uint32_t *out_code,
                                 wire_reader *out);
/* Reads a message of at most `most` bytes. */
CHECKED status stream_read(stream *s, size_t most, stream_end *out_end, char *out_type,
                           wire_reader *out);
/* Returns whether bytes of a further message have been received already. */
bool stream_has_more(const stream *s);
/* Sends what was written; a client that is gone is told by is_gone alone. */
CHECKED status stream_flush(stream *s);
/* Sends what was written, if it is much. */
CHECKED status stream_flush_some(stream *s);
/* Sends one byte outside any message. */
CHECKED status stream_send_byte(stream *s, char byte);
/* Encrypts all that comes and goes from now on. Fails if bytes have come already, which somebody else may have put there. */
CHECKED status stream_start_tls(stream *s, tls_identity *identity, stream_end *out_end);
void stream_release(stream *s);

#endif
