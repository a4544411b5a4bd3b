/* processes.c - a second rank for the runner. */
#include "processes.h"

#include "api/handles/error.h"
#include "api/ranks/cluster_join.h"
#include "api/ranks/ranks_parts.h"
#include "base/status.h"

#include <arpa/inet.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

static net_place place = {.ranks = 2,
                          .sharers = 2,
                          .token = "sql_runner",
                          .timeout_ms = 60000,
                          .root_host = "127.0.0.1",
                          .is_listening = true};
static pid_t other;

/* Prints it. */
static int result_of(status st)
{
    int result = !st ? 0 : status_get_kind(st) == STATUS_KIND_UNSUPPORTED ? 77 : 1;
    if (result == 1)
        printf("rank %u: %s\n", place.rank, status_message(st));
    status_free(st);
    return result;
}

static status join(pistachio_database *database)
{
    TRY(api_cluster_join(database, &place));
    return api_cluster_start(database);
}

static int serve(const pistachio_option *options, size_t option_count)
{
    pistachio_database *database;
    status st = api_error_status(pistachio_open(options, option_count, &database));
    if (!st)
        st = join(database);
    if (!st)
        st = api_cluster_serve(database, false);
    pistachio_close(database);
    return result_of(st);
}

void processes_start(const pistachio_option *options, size_t option_count)
{
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t bytes = sizeof address;
    place.listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (place.listener < 0 || bind(place.listener, (struct sockaddr *)&address, sizeof address) ||
        listen(place.listener, 1) ||
        getsockname(place.listener, (struct sockaddr *)&address, &bytes)) {
        perror("a socket for the ranks");
        exit(2);
    }
    snprintf(place.root_text, sizeof place.root_text, "%u", ntohs(address.sin_port));
    place.root_port = place.root_text;
    fflush(NULL);
    other = fork();
    if (other < 0) {
        perror("fork");
        exit(2);
    }
    if (other)
        return;
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    close(place.listener);
    place.is_listening = false;
    place.rank = 1;
    exit(serve(options, option_count));
}

int processes_join(pistachio_database *database)
{
    return result_of(join(database));
}

int processes_end(void)
{
    int result = 0;
    waitpid(other, &result, 0);
    return WIFEXITED(result) ? WEXITSTATUS(result) : 1;
}
