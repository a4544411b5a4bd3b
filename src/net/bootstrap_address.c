/* bootstrap_address.c - introductions over TCP, with rank 0 as the root.
 *
 *     rank ── hello: version, token, ranks, rank, host, bytes ──> root
 *     rank <── answer: a refusal's text, or all ranks' hosts and bytes ── root, when all have come
 *
 * A hello or an answer is its length, a checksum, and fields, each behind its length; little
 * endian. The token goes as a hash, which is no protection against whoever can listen. */
#include "net/bootstrap.h"

#include <endian.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stdio.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>
#include <xxhash.h>

#define MAGIC UINT64_C(0x3141544953494e50) /* "PNISITA1" */
#define VERSION 1
#define RETRY_MS 100
/* A peer that connects and says nothing is given up after so long. */
#define HELLO_MS 5000
#define HOST_BYTES_MAX 255

typedef struct packet {
    ARRAY(char) bytes;
    size_t at; /* reading */
} packet;

static int64_t now_ms(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (int64_t)time.tv_sec * 1000 + time.tv_nsec / 1000000;
}

static uint64_t token_hash(const char *token)
{
    return XXH3_64bits_withSeed(token, strlen(token), MAGIC);
}

/* ---- packets ---- */

static status put(packet *p, const void *bytes, size_t count)
{
    TRY(array_reserve(NULL, &p->bytes, count));
    if (count)
        memcpy(p->bytes.items + p->bytes.count, bytes, count);
    p->bytes.count += count;
    return STATUS_OK;
}

static status put_number(packet *p, uint64_t number)
{
    number = htole64(number);
    return put(p, &number, sizeof number);
}

static status put_text(packet *p, const void *bytes, size_t count)
{
    TRY(put_number(p, count));
    return put(p, bytes, count);
}

static bool get_number(packet *p, uint64_t *out)
{
    if (p->bytes.count - p->at < sizeof *out)
        return false;
    memcpy(out, p->bytes.items + p->at, sizeof *out);
    *out = le64toh(*out);
    p->at += sizeof *out;
    return true;
}

/* A copy with a closing NUL. */
static status get_text(packet *p, size_t most, char **out, uint32_t *out_count)
{
    uint64_t count;
    *out = NULL;
    if (!get_number(p, &count) || count > most || count > p->bytes.count - p->at)
        return status_new(STATUS_KIND_CORRUPT, "an introduction is cut short");
    *out = mem_copy_text(p->bytes.items + p->at, count);
    if (!*out)
        return status_no_memory("introduction", count);
    p->at += count;
    *out_count = (uint32_t)count;
    return STATUS_OK;
}

/* ---- sockets ---- */

/* Until the socket is ready, or the time is over: false. */
static bool wait_for(int descriptor, short events, int64_t until)
{
    for (;;) {
        int64_t left = until - now_ms();
        struct pollfd poll_one = {.fd = descriptor, .events = events};
        int ready = poll(&poll_one, 1, left > 0 ? (int)(left < 60000 ? left : 60000) : 0);
        if (ready > 0)
            return true;
        if (ready < 0 && errno != EINTR)
            return false;
        if (left <= 0)
            return false;
    }
}

static status send_all(int descriptor, const char *bytes, size_t count, int64_t until)
{
    while (count) {
        ssize_t sent = send(descriptor, bytes, count, MSG_NOSIGNAL);
        if (sent < 0 && errno != EAGAIN && errno != EINTR)
            return status_new_errno(errno, "could not send");
        if (sent < 0 && !wait_for(descriptor, POLLOUT, until))
            return status_new(STATUS_KIND_IO, "it does not take what is sent");
        if (sent > 0) {
            bytes += sent;
            count -= (size_t)sent;
        }
    }
    return STATUS_OK;
}

static status receive_all(int descriptor, char *bytes, size_t count, int64_t until)
{
    while (count) {
        ssize_t got = recv(descriptor, bytes, count, 0);
        if (got == 0)
            return status_new(STATUS_KIND_IO, "it has closed the connection");
        if (got < 0 && errno != EAGAIN && errno != EINTR)
            return status_new_errno(errno, "could not receive");
        if (got < 0 && !wait_for(descriptor, POLLIN, until))
            return status_new(STATUS_KIND_IO, "it does not answer");
        if (got > 0) {
            bytes += got;
            count -= (size_t)got;
        }
    }
    return STATUS_OK;
}

static status send_packet(int descriptor, const packet *p, int64_t until)
{
    uint64_t head[3] = {htole64(MAGIC), htole64(p->bytes.count),
                        htole64(XXH3_64bits(p->bytes.items, p->bytes.count))};
    TRY(send_all(descriptor, (const char *)head, sizeof head, until));
    return send_all(descriptor, p->bytes.items, p->bytes.count, until);
}

static status receive_packet(int descriptor, size_t most, packet *p, int64_t until)
{
    uint64_t head[3];
    TRY(receive_all(descriptor, (char *)head, sizeof head, until));
    if (le64toh(head[0]) != MAGIC)
        return status_new(STATUS_KIND_CORRUPT, "it does not speak as Pistachio does");
    uint64_t count = le64toh(head[1]);
    if (count > most)
        return status_new(STATUS_KIND_CORRUPT, "it sends %" PRIu64 " bytes at once", count);
    TRY(array_reserve(NULL, &p->bytes, count + 1));
    TRY(receive_all(descriptor, p->bytes.items, count, until));
    p->bytes.count = count;
    p->at = 0;
    if (XXH3_64bits(p->bytes.items, count) != le64toh(head[2]))
        return status_new(STATUS_KIND_CORRUPT, "what it sends was changed on its way");
    return STATUS_OK;
}

static void set_options(int descriptor)
{
    int one = 1;
    fcntl(descriptor, F_SETFD, FD_CLOEXEC);
    fcntl(descriptor, F_SETFL, fcntl(descriptor, F_GETFL) | O_NONBLOCK);
    setsockopt(descriptor, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
}

static status look_up(const net_place *place, bool is_root, struct addrinfo **out)
{
    struct addrinfo hints = {.ai_socktype = SOCK_STREAM, .ai_flags = is_root ? AI_PASSIVE : 0};
    int error = getaddrinfo(place->root_host, place->root_port, &hints, out);
    if (!error)
        return STATUS_OK;
    return status_hint(status_new(STATUS_KIND_IO,
                                  "the host \"%s\" of PISTACHIO_ROOT is not known: %s",
                                  place->root_host, gai_strerror(error)),
                       "name a host that every rank can reach");
}

/* ---- the root ---- */

typedef struct root_state {
    const net_place *place;
    net_introduction *all;
    int *connections; /* of each rank; -1: not there */
    unsigned missing;
    char refused[512]; /* why the last one was; "" */
} root_state;

static status listen_at(const net_place *place, int *out)
{
    struct addrinfo *found;
    int error = 0, one = 1;
    *out = -1;
    TRY(look_up(place, true, &found));
    for (struct addrinfo *a = found; a && *out < 0; a = a->ai_next) {
        int descriptor = socket(a->ai_family, a->ai_socktype, a->ai_protocol);
        if (descriptor < 0) {
            error = errno;
            continue;
        }
        setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &one, sizeof one);
        if (bind(descriptor, a->ai_addr, a->ai_addrlen) || listen(descriptor, 128)) {
            error = errno;
            close(descriptor);
            continue;
        }
        set_options(descriptor);
        *out = descriptor;
    }
    freeaddrinfo(found);
    if (*out >= 0)
        return STATUS_OK;
    status st = status_new_errno(error, "rank 0 cannot listen at %s:%s", place->root_host,
                                 place->root_port);
    return status_hint(st, error == EADDRINUSE
                               ? "the port is in use: choose another one for PISTACHIO_ROOT"
                               : "PISTACHIO_ROOT names the host of rank 0, as the others reach it");
}

/* What is wrong with a hello that could be read; the text is for the rank that sent it. */
static const char *check_hello(const root_state *root, const uint64_t numbers[4], char *text,
                               size_t room)
{
    uint64_t rank = numbers[3];
    if (numbers[0] != VERSION)
        snprintf(text, room, "it is of another version than rank 0 (%" PRIu64 ", not %d)",
                 numbers[0], VERSION);
    else if (numbers[1] != token_hash(root->place->token))
        snprintf(text, room, "its PISTACHIO_TOKEN is not rank 0's");
    else if (numbers[2] != root->place->ranks)
        snprintf(text, room, "it is one of %" PRIu64 " ranks, rank 0 one of %u", numbers[2],
                 root->place->ranks);
    else if (rank == 0 || rank >= root->place->ranks)
        snprintf(text, room, "rank %" PRIu64 " is none that is waited for", rank);
    else if (root->connections[rank] >= 0)
        snprintf(text, room, "rank %" PRIu64 " is there already, from host %.255s", rank,
                 root->all[rank].host);
    else
        return NULL;
    return text;
}

static void refuse(int connection, const char *why)
{
    packet answer = {0};
    status st = put_number(&answer, 0);
    if (!st)
        st = put_text(&answer, why, strlen(why));
    if (!st)
        st = send_packet(connection, &answer, now_ms() + HELLO_MS);
    status_free(st); /* it will see that the connection is closed */
    array_release(&answer.bytes);
}

static status keep_hello(root_state *root, packet *hello, uint64_t rank)
{
    net_introduction *one = &root->all[rank];
    uint32_t host_bytes;
    TRY(get_text(hello, HOST_BYTES_MAX, &one->host, &host_bytes));
    return get_text(hello, NET_ADDRESS_BYTES_MAX, &one->bytes, &one->byte_count);
}

/* Takes the connection's rank in, or refuses it: others may still come, whoever this was. */
static bool take_hello(root_state *root, int connection)
{
    packet hello = {0};
    uint64_t numbers[4];
    status st =
        receive_packet(connection, NET_ADDRESS_BYTES_MAX + 1024, &hello, now_ms() + HELLO_MS);
    bool is_hello = !st;
    for (unsigned i = 0; i < 4; i++)
        is_hello = is_hello && get_number(&hello, &numbers[i]);
    char text[sizeof root->refused];
    const char *why = is_hello ? check_hello(root, numbers, text, sizeof text) : NULL;
    if (is_hello && !why)
        st = keep_hello(root, &hello, numbers[3]);
    array_release(&hello.bytes);
    if (is_hello && !why && !st) {
        root->connections[numbers[3]] = connection;
        root->missing--;
        return true;
    }
    if (st)
        why = status_message(st);
    if (why) {
        snprintf(root->refused, sizeof root->refused, "%s", why);
        refuse(connection, root->refused);
    }
    status_free(st);
    return false;
}

static status missing_ranks(const root_state *root)
{
    char list[200] = "";
    size_t at = 0;
    for (unsigned rank = 1; rank < root->place->ranks && at < sizeof list - 20; rank++)
        if (root->connections[rank] < 0)
            at += (size_t)snprintf(list + at, sizeof list - at, "%s%u", at ? ", " : "", rank);
    status st = status_new(STATUS_KIND_IO, "%u of %u ranks did not come within %u s: %s",
                           root->missing, root->place->ranks, root->place->timeout_ms / 1000, list);
    if (root->refused[0])
        st = status_context(st, "a rank was refused, as %s", root->refused);
    return status_hint(st, "start all ranks, with the same PISTACHIO_ROOT=%s:%s",
                       root->place->root_host, root->place->root_port);
}

static status gather_hellos(root_state *root, int listening, int64_t until)
{
    while (root->missing) {
        if (!wait_for(listening, POLLIN, until))
            return missing_ranks(root);
        int connection = accept(listening, NULL, NULL);
        if (connection < 0)
            continue;
        set_options(connection);
        if (!take_hello(root, connection))
            close(connection);
    }
    return STATUS_OK;
}

static status put_all(const root_state *root, packet *answer)
{
    TRY(put_number(answer, 1));
    for (unsigned rank = 0; rank < root->place->ranks; rank++) {
        const net_introduction *one = &root->all[rank];
        TRY(put_text(answer, one->host, strlen(one->host)));
        TRY(put_text(answer, one->bytes, one->byte_count));
    }
    return STATUS_OK;
}

static status answer_all(const root_state *root, int64_t until)
{
    packet answer = {0};
    status st = put_all(root, &answer);
    for (unsigned rank = 1; rank < root->place->ranks && !st; rank++)
        st = status_context(send_packet(root->connections[rank], &answer, until),
                            "rank %u (host %s)", rank, root->all[rank].host);
    array_release(&answer.bytes);
    return st;
}

static status be_root(const net_place *place, net_introduction *all)
{
    root_state root = {.place = place, .all = all, .missing = place->ranks - 1};
    int listening = -1;
    int64_t until = now_ms() + place->timeout_ms;
    root.connections = mem_new_array(place->ranks, sizeof *root.connections);
    if (!root.connections)
        return status_no_memory("ranks", place->ranks * sizeof *root.connections);
    for (unsigned rank = 0; rank < place->ranks; rank++)
        root.connections[rank] = -1;
    status st = STATUS_OK;
    if (place->is_listening)
        set_options(listening = place->listener);
    else
        st = listen_at(place, &listening);
    if (!st)
        st = gather_hellos(&root, listening, until);
    if (!st)
        st = answer_all(&root, now_ms() + HELLO_MS);
    for (unsigned rank = 0; rank < place->ranks; rank++) {
        if (root.connections[rank] < 0)
            continue;
        if (st)
            refuse(root.connections[rank], status_message(st));
        close(root.connections[rank]);
    }
    if (listening >= 0)
        close(listening);
    mem_free(root.connections);
    return st;
}

/* ---- the others ---- */

/* One try at each address; -1 and errno. */
static int connect_once(const struct addrinfo *found, int64_t until)
{
    int error = 0;
    for (const struct addrinfo *a = found; a; a = a->ai_next) {
        int descriptor = socket(a->ai_family, a->ai_socktype, a->ai_protocol);
        socklen_t bytes = sizeof error;
        if (descriptor < 0) {
            error = errno;
            continue;
        }
        set_options(descriptor);
        error = connect(descriptor, a->ai_addr, a->ai_addrlen) ? errno : 0;
        if (error == EINPROGRESS) {
            error = ETIMEDOUT;
            if (wait_for(descriptor, POLLOUT, until))
                getsockopt(descriptor, SOL_SOCKET, SO_ERROR, &error, &bytes);
        }
        if (!error)
            return descriptor;
        close(descriptor);
    }
    errno = error;
    return -1;
}

/* Rank 0 may not have begun to listen. */
static status connect_to_root(const net_place *place, int64_t until, int *out)
{
    struct addrinfo *found;
    TRY(look_up(place, false, &found));
    int error;
    while ((*out = connect_once(found, until)) < 0 && now_ms() + RETRY_MS < until) {
        struct timespec moment = {.tv_nsec = RETRY_MS * 1000000};
        nanosleep(&moment, NULL);
    }
    error = errno;
    freeaddrinfo(found);
    if (*out >= 0)
        return STATUS_OK;
    return status_hint(status_new_errno(error, "rank 0 does not answer at %s:%s within %u s",
                                        place->root_host, place->root_port,
                                        place->timeout_ms / 1000),
                       "is rank 0 running, on the host that PISTACHIO_ROOT names?");
}

static status say_hello(const net_place *place, const net_introduction *own, int connection,
                        int64_t until)
{
    packet hello = {0};
    status st = put_number(&hello, VERSION);
    if (!st)
        st = put_number(&hello, token_hash(place->token));
    if (!st)
        st = put_number(&hello, place->ranks);
    if (!st)
        st = put_number(&hello, place->rank);
    if (!st)
        st = put_text(&hello, own->host, strlen(own->host));
    if (!st)
        st = put_text(&hello, own->bytes, own->byte_count);
    if (!st)
        st = send_packet(connection, &hello, until);
    array_release(&hello.bytes);
    return st;
}

static status read_answer(const net_place *place, packet *answer, net_introduction *all)
{
    uint64_t is_accepted;
    uint32_t bytes;
    if (!get_number(answer, &is_accepted))
        return status_new(STATUS_KIND_CORRUPT, "its answer is cut short");
    if (!is_accepted) {
        char *why;
        TRY(get_text(answer, 4096, &why, &bytes));
        status st = status_new(STATUS_KIND_INVALID, "it refuses this rank: %s", why);
        mem_free(why);
        return st;
    }
    for (unsigned rank = 0; rank < place->ranks; rank++) {
        TRY(get_text(answer, HOST_BYTES_MAX, &all[rank].host, &bytes));
        TRY(get_text(answer, NET_ADDRESS_BYTES_MAX, &all[rank].bytes, &all[rank].byte_count));
    }
    return STATUS_OK;
}

static status be_other(const net_place *place, const net_introduction *own, net_introduction *all)
{
    int connection;
    packet answer = {0};
    int64_t until = now_ms() + place->timeout_ms;
    TRY(connect_to_root(place, until, &connection));
    status st = say_hello(place, own, connection, until);
    if (!st) /* rank 0 gives up by itself: this one waits a little longer, to be told */
        st = receive_packet(connection, (size_t)place->ranks * (NET_ADDRESS_BYTES_MAX + 1024),
                            &answer, until + HELLO_MS);
    if (!st)
        st = read_answer(place, &answer, all);
    close(connection);
    array_release(&answer.bytes);
    return status_context(st, "rank 0 at %s:%s", place->root_host, place->root_port);
}

/* ---- both ---- */

void net_introductions_free(net_introduction *all, unsigned ranks)
{
    for (unsigned rank = 0; all && rank < ranks; rank++) {
        mem_free(all[rank].host);
        mem_free(all[rank].bytes);
    }
    mem_free(all);
}

static status set_own(const char *host, const void *bytes, uint32_t byte_count,
                      net_introduction *out)
{
    out->host = mem_copy_text(host, strnlen(host, HOST_BYTES_MAX));
    out->bytes = mem_copy_text(bytes, byte_count);
    out->byte_count = byte_count;
    return out->host && out->bytes ? STATUS_OK : status_no_memory("introduction", byte_count);
}

status net_introduce(const net_place *place, const char *host, const void *bytes,
                     uint32_t byte_count, net_introduction **out)
{
    *out = NULL;
    if (byte_count > NET_ADDRESS_BYTES_MAX)
        return status_new(STATUS_KIND_INTERNAL, "an address of %u bytes", byte_count);
    net_introduction *all = mem_new_array(place->ranks, sizeof *all), own = {0};
    if (!all)
        return status_no_memory("ranks", place->ranks * sizeof *all);
    status st = set_own(host, bytes, byte_count, place->rank ? &own : &all[0]);
    if (!st && place->rank)
        st = be_other(place, &own, all);
    else if (!st)
        st = be_root(place, all);
    mem_free(own.host);
    mem_free(own.bytes);
    if (st) {
        net_introductions_free(all, place->ranks);
        return st;
    }
    *out = all;
    return STATUS_OK;
}
