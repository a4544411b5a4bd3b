/* fuzz_server.c - any bytes as what a client of the server sends: it is answered, and its end is the session's.
 *
 * The first byte says whether the client has to prove who it is. */
#include "fuzz.h"
#include "server/access/users.h"
#include "server/engine.h"
#include "server/session/session.h"

#include <stdlib.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#define USERS "/tmp/pistachio-fuzz-users"

static session_shared shared;

static void open_server(void)
{
    static const pistachio_option options[] = {
        {"enable_external_access", "off"}, {"threads", "1"}, {"memory_limit", "64MiB"}};
    char path[64];
    snprintf(path, sizeof path, USERS "-%d", (int)getpid());
    status_free(users_add(path, "anna", "secret", 6));
    pistachio_error *error = pistachio_open(options, 3, &shared.database);
    FUZZ_CHECK(!error);
    shared.users = strdup(path);
    shared.ending = eventfd(0, EFD_CLOEXEC);
    shared.login_milliseconds = 1000;
    clients_open(&shared.clients, 4);
    FUZZ_CHECK(!activity_open(&shared.activity, 4));
}

static void close_server(void)
{
    unlink(shared.users);
    free((char *)shared.users);
    pistachio_close(shared.database);
    clients_close(&shared.clients);
    activity_close(&shared.activity);
    close(shared.ending);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length)
{
    int ends[2];
    client *one;
    struct timeval patience = {.tv_usec = 100000}; /* nobody reads what is sent */
    if (!length || length > 65536)
        return 0;
    if (!shared.database) {
        open_server();
        atexit(close_server);
    }
    FUZZ_CHECK(!socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends));
    FUZZ_CHECK(!setsockopt(ends[0], SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof patience));
    FUZZ_CHECK(send(ends[1], bytes + 1, length - 1, MSG_NOSIGNAL) == (ssize_t)length - 1);
    FUZZ_CHECK(!shutdown(ends[1], SHUT_WR));
    FUZZ_CHECK(!clients_add(&shared.clients, ends[0], bytes[0] & 1, &one));
    session_run(&shared, one);
    FUZZ_CHECK(!clients_count(&shared.clients) && !shared.clients.admitted);
    close(ends[1]);
    return 0;
}
