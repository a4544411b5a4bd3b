/* bootstrap_socket.c - see bootstrap_socket.h. */
#include "net/bootstrap/bootstrap_socket.h"

#include <endian.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#define MAGIC UINT64_C(0x3241544953494e50) /* "PNISITA2" */
#define RETRY_MS 100

int64_t net_now_ms(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (int64_t)time.tv_sec * 1000 + time.tv_nsec / 1000000;
}

/* Until the socket is ready, or the time is over: false. */
static bool bootstrap_socket_wait_for(int descriptor, short events, int64_t until)
{
    for (;;) {
        int64_t left = until - net_now_ms();
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

static status bootstrap_socket_send_all(int descriptor, const char *bytes, size_t count,
                                        int64_t until)
{
    while (count) {
        ssize_t sent = send(descriptor, bytes, count, MSG_NOSIGNAL);
        if (sent < 0 && errno != EAGAIN && errno != EINTR)
            return status_new_errno(errno, "could not send");
        if (sent < 0 && !bootstrap_socket_wait_for(descriptor, POLLOUT, until))
            return status_new(STATUS_KIND_IO, "it does not take what is sent");
        if (sent > 0) {
            bytes += sent;
            count -= (size_t)sent;
        }
    }
    return STATUS_OK;
}

status net_socket_send(int descriptor, const net_packet *packet, int64_t until)
{
    uint64_t head[2] = {htole64(MAGIC), htole64(packet->bytes.count)};
    TRY(bootstrap_socket_send_all(descriptor, (const char *)head, sizeof head, until));
    return bootstrap_socket_send_all(descriptor, packet->bytes.items, packet->bytes.count, until);
}

/* ---- receiving ---- */

/* *out: how many bytes have come; 0: none for now. */
static status receive_some(int descriptor, void *bytes, size_t count, size_t *out)
{
    ssize_t got = recv(descriptor, bytes, count, 0);
    *out = got > 0 ? (size_t)got : 0;
    if (got == 0)
        return status_new(STATUS_KIND_IO, "it has closed the connection");
    if (got < 0 && errno != EAGAIN && errno != EINTR)
        return status_new_errno(errno, "could not receive");
    return STATUS_OK;
}

static status check_head(net_arriving_packet *in, size_t most)
{
    if (le64toh(in->head[0]) != MAGIC)
        return status_new(STATUS_KIND_CORRUPT, "it does not speak as this version of Pistachio");
    uint64_t count = le64toh(in->head[1]);
    if (count > most)
        return status_new(STATUS_KIND_CORRUPT, "it sends %" PRIu64 " bytes at once", count);
    return array_reserve(NULL, &in->packet.bytes, count + 1);
}

status net_socket_read(int descriptor, size_t most, net_arriving_packet *in, bool *out_is_whole)
{
    size_t got;
    *out_is_whole = false;
    while (in->head_bytes < sizeof in->head) {
        TRY(receive_some(descriptor, (char *)in->head + in->head_bytes,
                         sizeof in->head - in->head_bytes, &got));
        if (!got)
            return STATUS_OK;
        in->head_bytes += got;
        if (in->head_bytes == sizeof in->head)
            TRY(check_head(in, most));
    }
    uint64_t count = le64toh(in->head[1]);
    while (in->packet.bytes.count < count) {
        TRY(receive_some(descriptor, in->packet.bytes.items + in->packet.bytes.count,
                         count - in->packet.bytes.count, &got));
        if (!got)
            return STATUS_OK;
        in->packet.bytes.count += got;
    }
    *out_is_whole = true;
    return STATUS_OK;
}

status net_socket_receive(int descriptor, size_t most, net_packet *packet, int64_t until)
{
    net_arriving_packet in = {0};
    bool is_whole = false;
    net_packet_release(packet);
    status st = net_socket_read(descriptor, most, &in, &is_whole);
    while (!st && !is_whole) {
        if (bootstrap_socket_wait_for(descriptor, POLLIN, until))
            st = net_socket_read(descriptor, most, &in, &is_whole);
        else
            st = status_new(STATUS_KIND_IO, "it does not answer");
    }
    *packet = in.packet;
    return st;
}

/* ---- opening ---- */

void net_socket_set_options(int descriptor)
{
    int one = 1;
    fcntl(descriptor, F_SETFD, FD_CLOEXEC);
    fcntl(descriptor, F_SETFL, fcntl(descriptor, F_GETFL) | O_NONBLOCK);
    setsockopt(descriptor, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
}

static status bootstrap_socket_look_up(const net_place *place, bool is_root, struct addrinfo **out)
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

status net_socket_listen(const net_place *place, int *out)
{
    struct addrinfo *found;
    int error = 0, one = 1;
    *out = -1;
    TRY(bootstrap_socket_look_up(place, true, &found));
    for (struct addrinfo *a = found; a && *out < 0; a = a->ai_next) {
        int descriptor = socket(a->ai_family, a->ai_socktype, a->ai_protocol);
        if (descriptor < 0) {
            error = errno;
            continue;
        }
        setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &one, sizeof one);
        if (bind(descriptor, a->ai_addr, a->ai_addrlen) || listen(descriptor, SOMAXCONN)) {
            error = errno;
            close(descriptor);
            continue;
        }
        net_socket_set_options(descriptor);
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
        net_socket_set_options(descriptor);
        error = connect(descriptor, a->ai_addr, a->ai_addrlen) ? errno : 0;
        if (error == EINPROGRESS) {
            error = ETIMEDOUT;
            if (bootstrap_socket_wait_for(descriptor, POLLOUT, until))
                getsockopt(descriptor, SOL_SOCKET, SO_ERROR, &error, &bytes);
        }
        if (!error)
            return descriptor;
        close(descriptor);
    }
    errno = error;
    return -1;
}

status net_socket_connect(const net_place *place, int64_t until, int *out)
{
    struct addrinfo *found;
    TRY(bootstrap_socket_look_up(place, false, &found));
    while ((*out = connect_once(found, until)) < 0 && errno != EMFILE && errno != ENFILE &&
           net_now_ms() + RETRY_MS < until) {
        struct timespec moment = {.tv_nsec = RETRY_MS * 1000000};
        nanosleep(&moment, NULL);
    }
    int error = errno;
    freeaddrinfo(found);
    if (*out >= 0)
        return STATUS_OK;
    return status_hint(status_new_errno(error, "rank 0 does not answer at %s:%s within %u s",
                                        place->root_host, place->root_port,
                                        place->timeout_ms / 1000),
                       "is rank 0 running, on the host that PISTACHIO_ROOT names?");
}
