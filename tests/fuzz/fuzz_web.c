/* fuzz_web.c - any bytes as what a client of HTTP sends: the server answers, or ends the connection, and goes on.
 *
 * The first byte says whether the client has to prove who it is. */
#include "fuzz.h"
#include "server/web/web_parts.h"

#include <arpa/inet.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#define USERS "/tmp/pistachio-fuzz-web-users"
#define REPLY_BYTES_MOST (1 << 20)

static session_shared shared;
static server_options asks = {.http = {"127.0.0.1:0"}, .http_count = 1, .max_connections = 4};
static server_options trusts;
static web *servers[2];

static void close_servers(void)
{
    web_close(servers[0]);
    web_close(servers[1]);
    unlink(shared.users);
    free((char *)shared.users);
    pistachio_close(shared.database);
    clients_close(&shared.clients);
    activity_close(&shared.activity);
    close(shared.ending);
}

static void open_servers(void)
{
    static const pistachio_option options[] = {
        {"enable_external_access", "off"}, {"threads", "1"}, {"memory_limit", "64MiB"}};
    char path[64];
    signal(SIGPIPE, SIG_IGN);
    snprintf(path, sizeof path, USERS "-%d", (int)getpid());
    status_free(users_add(path, "anna", "secret", 6));
    FUZZ_CHECK(!pistachio_open(options, 3, &shared.database));
    shared.users = strdup(path);
    shared.ending = eventfd(0, EFD_CLOEXEC);
    clients_open(&shared.clients, 4);
    FUZZ_CHECK(!activity_open(&shared.activity, 4));
    asks.users = shared.users;
    trusts = asks;
    trusts.trusts_loopback = true;
    FUZZ_CHECK(!web_open(&asks, &shared, &servers[0]) && !web_open(&trusts, &shared, &servers[1]));
    atexit(close_servers);
}

static int connect_to(const web *w)
{
    const char *colon = strrchr(w->addresses[0].name, ':');
    struct sockaddr_in address = {.sin_family = AF_INET,
                                  .sin_port = htons((uint16_t)strtoul(colon + 1, NULL, 10)),
                                  .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    struct timeval patience = {.tv_usec = 20000};
    int made = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    FUZZ_CHECK(made >= 0 && !connect(made, (struct sockaddr *)&address, sizeof address));
    FUZZ_CHECK(!setsockopt(made, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience));
    return made;
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length)
{
    static char reply[65536];
    if (!length || length > 65536)
        return 0;
    if (!shared.database)
        open_servers();
    int one = connect_to(servers[bytes[0] & 1]);
    (void)send(one, bytes + 1, length - 1, MSG_NOSIGNAL);
    for (ssize_t got, all = 0; all < REPLY_BYTES_MOST; all += got)
        if ((got = recv(one, reply, sizeof reply, 0)) <= 0)
            break;
    close(one);
    return 0;
}
