/* listen.c - see listen.h. */
#include "server/listen.h"

#include "server/engine.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netdb.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#define WAITING_MAX 128
#define HOST_BYTES 256
/* Name by which psql looks for a socket in a folder. */
#define UNIX_NAME ".s.PGSQL.5432"

static status listen_on(listeners *all, int socket, const struct sockaddr *address, socklen_t bytes,
                        const char *name)
{
    if (all->count == LISTENERS_MAX)
        return status_new(STATUS_KIND_LIMIT, "there are too many addresses to listen on");
    if (bind(socket, address, bytes) || listen(socket, WAITING_MAX))
        return status_new_errno(errno, "could not listen on %s", name);
    listener *one = &all->items[all->count++];
    *one = (listener){.socket = socket};
    snprintf(one->name, sizeof one->name, "%s", name);
    return STATUS_OK;
}

/* ---- Unix sockets ---- */

/* Removes a socket on which nobody listens any more. */
static status remove_left(const struct sockaddr_un *address)
{
    struct stat info;
    if (lstat(address->sun_path, &info))
        return STATUS_OK;
    if (!S_ISSOCK(info.st_mode))
        return status_new(STATUS_KIND_INVALID, "\"%s\" is there and is not a socket",
                          address->sun_path);
    int probe = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (probe < 0)
        return status_new_errno(errno, "could not make a socket");
    bool is_served = !connect(probe, (const struct sockaddr *)address, sizeof *address);
    close(probe);
    if (is_served)
        return status_new(STATUS_KIND_INVALID, "another server listens on \"%s\"",
                          address->sun_path);
    if (unlink(address->sun_path))
        return status_new_errno(errno, "could not remove \"%s\"", address->sun_path);
    return STATUS_OK;
}

static status name_socket(const char *path, struct sockaddr_un *out)
{
    struct stat info;
    bool is_folder = !stat(path, &info) && S_ISDIR(info.st_mode);
    *out = (struct sockaddr_un){.sun_family = AF_UNIX};
    int bytes =
        snprintf(out->sun_path, sizeof out->sun_path, "%s%s", path, is_folder ? "/" UNIX_NAME : "");
    if (!*path || bytes < 0 || (size_t)bytes >= sizeof out->sun_path)
        return status_new(STATUS_KIND_INVALID, "a socket's path has 1 to %zu bytes: \"%s\"",
                          sizeof out->sun_path - 1, path);
    return STATUS_OK;
}

static status listen_unix(listeners *all, const char *path)
{
    struct sockaddr_un address;
    TRY(name_socket(path, &address));
    TRY(remove_left(&address));
    int made = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (made < 0)
        return status_new_errno(errno, "could not make a socket");
    mode_t before = umask(0177); /* from its first moment on nobody else can connect */
    status st =
        listen_on(all, made, (const struct sockaddr *)&address, sizeof address, address.sun_path);
    umask(before);
    if (st) {
        close(made);
        return st;
    }
    listener *one = &all->items[all->count - 1];
    one->is_local = true;
    memcpy(one->path, address.sun_path, sizeof one->path);
    return STATUS_OK;
}

/* ---- TCP ---- */

static bool is_loopback(const struct sockaddr *address)
{
    if (address->sa_family == AF_INET)
        return ntohl(((const struct sockaddr_in *)address)->sin_addr.s_addr) >> 24 == 127;
    return address->sa_family == AF_INET6 &&
           IN6_IS_ADDR_LOOPBACK(&((const struct sockaddr_in6 *)address)->sin6_addr);
}

/* Writes "127.0.0.1:5432", "[::1]:5432". */
static void name_address(const struct sockaddr *address, socklen_t bytes,
                         char name[LISTENER_NAME_BYTES])
{
    char host[80] = "", port[16] = "";
    (void)getnameinfo(address, bytes, host, sizeof host, port, sizeof port,
                      NI_NUMERICHOST | NI_NUMERICSERV);
    bool has_colons = strchr(host, ':');
    snprintf(name, LISTENER_NAME_BYTES, "%s%s%s:%s", has_colons ? "[" : "", host,
             has_colons ? "]" : "", port);
}

/* Sets the name to the port that the system has chosen for port 0. */
static void name_again(listener *one)
{
    struct sockaddr_storage address;
    socklen_t bytes = sizeof address;
    if (!getsockname(one->socket, (struct sockaddr *)&address, &bytes))
        name_address((const struct sockaddr *)&address, bytes, one->name);
}

static status listen_tcp(listeners *all, const struct addrinfo *found, bool has_tls,
                         bool is_insecure)
{
    char name[LISTENER_NAME_BYTES];
    int on = 1;
    name_address(found->ai_addr, found->ai_addrlen, name);
    bool needs_tls = !is_loopback(found->ai_addr) && !is_insecure;
    if (needs_tls && !has_tls)
        return status_hint(status_new(STATUS_KIND_UNSUPPORTED,
                                      "%s is not a loopback address, and the server has no TLS",
                                      name),
                           "--tls CERT KEY gives it a certificate; --insecure listens without");
    int made = socket(found->ai_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (made < 0)
        return status_new_errno(errno, "could not make a socket for %s", name);
    (void)setsockopt(made, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
    if (found->ai_family == AF_INET6)
        (void)setsockopt(made, IPPROTO_IPV6, IPV6_V6ONLY, &on, sizeof on);
    status st = listen_on(all, made, found->ai_addr, found->ai_addrlen, name);
    if (st)
        close(made);
    if (st)
        return st;
    listener *one = &all->items[all->count - 1];
    one->is_loopback = is_loopback(found->ai_addr);
    one->needs_tls = needs_tls;
    name_again(one);
    return STATUS_OK;
}

/* Splits "host:port" or "[host]:port". */
static status split_place(const char *place, char host[HOST_BYTES], const char **out_port)
{
    const char *colon = strrchr(place, ':');
    size_t bytes = colon ? (size_t)(colon - place) : 0;
    bool has_brackets = bytes > 2 && place[0] == '[' && place[bytes - 1] == ']';
    if (!bytes || bytes >= HOST_BYTES || !colon[1] || colon[1 + strspn(colon + 1, "0123456789")])
        return status_new(STATUS_KIND_INVALID, "--listen takes unix:PATH or ADDR:PORT, not \"%s\"",
                          place);
    snprintf(host, HOST_BYTES, "%.*s", (int)bytes - 2 * has_brackets, place + has_brackets);
    *out_port = colon + 1;
    return STATUS_OK;
}

static status listen_name(listeners *all, const char *place, bool has_tls, bool is_insecure)
{
    char host[HOST_BYTES];
    const char *port;
    struct addrinfo wanted = {.ai_socktype = SOCK_STREAM, .ai_flags = AI_NUMERICSERV | AI_PASSIVE},
                    *found;
    TRY(split_place(place, host, &port));
    int error = getaddrinfo(host, port, &wanted, &found);
    if (error)
        return status_new(STATUS_KIND_INVALID, "there is no address \"%s\": %s", host,
                          gai_strerror(error));
    status st = STATUS_OK;
    for (const struct addrinfo *one = found; one && !st; one = one->ai_next)
        st = listen_tcp(all, one, has_tls, is_insecure);
    freeaddrinfo(found);
    return st;
}

/* ---- both ---- */

status listen_at(listeners *all, const char *place, bool has_tls, bool is_insecure)
{
    return strncmp(place, "unix:", 5) ? listen_name(all, place, has_tls, is_insecure)
                                      : listen_unix(all, place + 5);
}

status listen_at_default(listeners *all)
{
    const char *folder = getenv("XDG_RUNTIME_DIR");
    return listen_unix(all, folder && *folder ? folder : "/tmp");
}

void listen_close(listeners *all)
{
    for (size_t i = 0; i < all->count; i++) {
        close(all->items[i].socket);
        if (all->items[i].is_local)
            (void)unlink(all->items[i].path);
    }
    all->count = 0;
}
