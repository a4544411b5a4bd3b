/* stream.c - see stream.h. */
#include "server/protocol/stream.h"

#include "server/engine.h"

#include <errno.h>
#include <poll.h>
#include <sys/socket.h>
#include <time.h>

#define BLOCK_BYTES 16384
/* Written messages are sent once they are so long. */
#define SEND_BYTES 65536
/* A buffer that one long message has made is given back after it. */
#define KEEP_BYTES ((size_t)1 << 20)

int64_t stream_milliseconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

/* Waits as poll does, and tells who wants to know. */
static int wait_on(const stream *s, struct pollfd *items, nfds_t count, int milliseconds,
                   const char *name)
{
    if (s->note_wait)
        s->note_wait(s->note_context, name);
    int found = poll(items, count, milliseconds);
    int error = errno;
    if (s->note_wait)
        s->note_wait(s->note_context, NULL);
    errno = error;
    return found;
}

/* ---- receiving ---- */

/* Waits for the socket's events, for the client's end or, between two messages, for the server's. */
static status wait_for(const stream *s, short events, stream_end *out_end)
{
    bool is_between = s->received.count == s->at;
    struct pollfd both[] = {{.fd = s->socket, .events = events},
                            {.fd = s->ending, .events = POLLIN}};
    for (;;) {
        int64_t left = s->deadline ? s->deadline - stream_milliseconds() : -1;
        if (s->deadline && left <= 0)
            return status_new(STATUS_KIND_IO, "the client took too long to log in");
        int found = wait_on(s, both, is_between ? 2 : 1, (int)left, "ClientRead");
        if (found < 0 && errno != EINTR)
            return status_new_errno(errno, "could not wait for the client");
        if (found > 0 && both[0].revents)
            return STATUS_OK;
        if (found > 0) {
            *out_end = STREAM_ENDING;
            return STATUS_OK;
        }
    }
}

/* Returns what recv does of bytes that are there now; with EAGAIN: what is to be waited for. */
static ssize_t stream_receive_some(stream *s, short *out_events)
{
    char *room = s->received.items + s->received.count;
    *out_events = POLLIN;
    return s->tls ? tls_receive(s->tls, room, BLOCK_BYTES, out_events)
                  : recv(s->socket, room, BLOCK_BYTES, MSG_DONTWAIT);
}

/* Receives some bytes, at least one unless there is an end. */
static status receive(stream *s, stream_end *out_end)
{
    TRY(array_reserve(NULL, &s->received, BLOCK_BYTES));
    while (!*out_end) {
        short events;
        ssize_t bytes = stream_receive_some(s, &events);
        if (bytes > 0) {
            s->received.count += (size_t)bytes;
            return STATUS_OK;
        }
        if (!bytes || errno == ECONNRESET)
            *out_end = STREAM_CLOSED;
        else if (errno == EAGAIN || errno == EWOULDBLOCK)
            TRY(wait_for(s, events, out_end));
        else if (errno != EINTR)
            return status_new_errno(errno, "could not receive from the client");
    }
    return STATUS_OK;
}

/* Drops what was taken, so that the next message begins the buffer. */
static void drop_taken(stream *s)
{
    size_t left = s->received.count - s->at;
    if (!left && s->received.capacity > KEEP_BYTES)
        array_release(&s->received);
    else if (left && s->at)
        memmove(s->received.items, s->received.items + s->at, left);
    s->received.count = left;
    s->at = 0;
}

/* Receives until `bytes` bytes are there. *out_end: there is an end before the first of them; after it an end is a
 * failure. */
static status fill(stream *s, size_t bytes, stream_end *out_end)
{
    *out_end = STREAM_GOING_ON;
    while (s->received.count - s->at < bytes && !*out_end)
        TRY(receive(s, out_end));
    if (*out_end && s->received.count > s->at)
        return status_new(STATUS_KIND_IO, "the client has ended in the middle of a message");
    return STATUS_OK;
}

/* Takes a message whose length stands `before` bytes after its beginning. */
static status take(stream *s, size_t before, size_t least, size_t most, stream_end *out_end,
                   wire_reader *out)
{
    drop_taken(s);
    TRY(fill(s, before + 4, out_end));
    if (*out_end)
        return STATUS_OK;
    const char *begin = s->received.items + s->at + before;
    wire_reader head = {.at = begin, .end = begin + 4};
    size_t length = wire_read_32(&head);
    if (length < least || length > most)
        return status_new(STATUS_KIND_CORRUPT,
                          "a message claims to have %zu bytes; it may have %zu to %zu", length,
                          least, most);
    TRY(fill(s, before + length, out_end));
    begin = s->received.items + s->at + before;
    *out = (wire_reader){.at = begin + 4, .end = begin + length};
    s->at += before + length;
    return STATUS_OK;
}

status stream_read_first(stream *s, stream_end *out_end, uint32_t *out_code, wire_reader *out)
{
    *out_code = 0;
    TRY(take(s, 0, 8, STREAM_FIRST_BYTES_MAX, out_end, out));
    if (!*out_end)
        *out_code = wire_read_32(out);
    return STATUS_OK;
}

status stream_read(stream *s, size_t most, stream_end *out_end, char *out_type, wire_reader *out)
{
    *out_type = 0;
    TRY(take(s, 1, 4, most, out_end, out));
    if (!*out_end)
        *out_type = out->at[-5];
    return STATUS_OK;
}

bool stream_has_more(const stream *s)
{
    return s->received.count > s->at;
}

/* ---- sending ---- */

/* Returns what send does of bytes that there is room for; with EAGAIN: what is to be waited for. */
static ssize_t send_now(stream *s, const char *bytes, size_t count, short *out_events)
{
    *out_events = POLLOUT;
    return s->tls ? tls_send(s->tls, bytes, count, out_events)
                  : send(s->socket, bytes, count, MSG_NOSIGNAL | MSG_DONTWAIT);
}

/* Waits for room and sends some. Returns what send does. */
static ssize_t send_some(stream *s, const char *bytes, size_t count)
{
    struct pollfd one = {.fd = s->socket};
    ssize_t sent;
    while ((sent = send_now(s, bytes, count, &one.events)) < 0 &&
           (errno == EAGAIN || errno == EWOULDBLOCK))
        if (wait_on(s, &one, 1, -1, "ClientWrite") < 0 && errno != EINTR)
            return -1;
    return sent ? sent : -1;
}

static status send_all(stream *s, const char *bytes, size_t count)
{
    while (count && !s->is_gone) {
        ssize_t sent = send_some(s, bytes, count);
        if (sent < 0 && errno != EINTR)
            s->is_gone = true;
        if (sent > 0) {
            bytes += sent;
            count -= (size_t)sent;
        }
    }
    return s->is_gone ? status_new(STATUS_KIND_IO, "the client is gone") : STATUS_OK;
}

status stream_flush(stream *s)
{
    TRY(wire_status(&s->out));
    status st = send_all(s, s->out.bytes.items, s->out.bytes.count);
    s->out.bytes.count = 0;
    if (s->out.bytes.capacity > KEEP_BYTES)
        array_release(&s->out.bytes);
    return st;
}

status stream_flush_some(stream *s)
{
    return s->out.bytes.count < SEND_BYTES ? wire_status(&s->out) : stream_flush(s);
}

status stream_send_byte(stream *s, char byte)
{
    return send_all(s, &byte, 1);
}

/* ---- encryption ---- */

status stream_start_tls(stream *s, tls_identity *identity, stream_end *out_end)
{
    int result;
    short events;
    *out_end = STREAM_GOING_ON;
    if (stream_has_more(s))
        return status_new(STATUS_KIND_CORRUPT, "bytes came unencrypted after TLS was asked for");
    TRY(stream_send_byte(s, 'S'));
    TRY(tls_open(identity, s->socket, &s->tls));
    while ((result = tls_shake_hands(s->tls, &events)) < 0 && errno == EAGAIN && !*out_end)
        TRY(wait_for(s, events, out_end));
    if (result > 0 || *out_end)
        return STATUS_OK;
    s->is_gone = true; /* a message would not be understood */
    return status_new(STATUS_KIND_IO, "the client and the server do not agree on TLS");
}

void stream_release(stream *s)
{
    tls_close(s->tls);
    array_release(&s->received);
    wire_release(&s->out);
}
