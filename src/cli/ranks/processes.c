/* processes.c - forking a process per rank, which meet at a socket of the loopback interface. */
#include "cli/ranks/processes.h"

#include "base/machine.h"
#include "net/net.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define JOIN_MS 60000
/* How long a rank may take to end after rank 0 has left; one that does not answer gets less. */
#define END_MS 5000
#define END_BADLY_MS 300

static pid_t *children;
static int *nodes; /* of all ranks, once they are bound */
static unsigned child_count;
static char token[33];

/* At a port that the system chooses. */
static status open_listener(net_place *place)
{
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t bytes = sizeof address;
    int listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (listener < 0 || bind(listener, (struct sockaddr *)&address, sizeof address) ||
        listen(listener, 128) || getsockname(listener, (struct sockaddr *)&address, &bytes)) {
        status st = status_new_errno(errno, "could not open a socket for the ranks to meet at");
        if (listener >= 0)
            close(listener);
        return st;
    }
    place->is_listening = true;
    place->listener = listener;
    snprintf(place->root_text, sizeof place->root_text, "%u", ntohs(address.sin_port));
    return STATUS_OK;
}

static status make_token(void)
{
    unsigned char bytes[16];
    if (getrandom(bytes, sizeof bytes, 0) != sizeof bytes)
        return status_new_errno(errno, "could not make a token for the ranks");
    for (unsigned i = 0; i < sizeof bytes; i++)
        snprintf(token + 2 * i, 3, "%02x", bytes[i]);
    return STATUS_OK;
}

/* In a process that was just forked. */
static void become_rank(net_place *place, unsigned rank, pid_t parent)
{
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent) /* it ended before */
        _exit(1);
    signal(SIGINT, SIG_IGN); /* rank 0 has it, and cancels on all */
    int nothing = open("/dev/null", O_RDONLY | O_CLOEXEC);
    if (nothing >= 0)
        dup2(nothing, STDIN_FILENO);
    close(place->listener);
    place->is_listening = false;
    place->rank = rank;
    mem_free(children);
    children = NULL;
    child_count = 0;
}

static status fork_ranks(net_place *place)
{
    pid_t parent = getpid();
    fflush(NULL);
    for (unsigned rank = 1; rank < place->ranks; rank++) {
        pid_t child = fork();
        if (child < 0)
            return status_new_errno(errno, "could not start rank %u", rank);
        if (!child) {
            become_rank(place, rank, parent);
            return STATUS_OK;
        }
        children[child_count++] = child;
    }
    return STATUS_OK;
}

/* Children are the ranks from 1 on. They stay to be reaped. */
static unsigned find_ended(void)
{
    for (unsigned i = 0; i < child_count; i++) {
        siginfo_t info = {0};
        if (!waitid(P_PID, (id_t)children[i], &info, WEXITED | WNOHANG | WNOWAIT) && info.si_pid)
            return i + 1;
    }
    return 0;
}

static status start_ranks(unsigned count, net_place *out)
{
    *out = (net_place){.ranks = count,
                       .token = token,
                       .timeout_ms = JOIN_MS,
                       .sharers = count,
                       .find_ended = find_ended};
    out->root_host = "127.0.0.1";
    out->root_port = out->root_text;
    children = mem_new_array(count, sizeof *children);
    nodes = out->nodes = mem_new_array(count, sizeof *nodes);
    if (!children || !nodes)
        return status_no_memory("ranks", count * (sizeof *children + sizeof *nodes));
    for (unsigned rank = 0; rank < count; rank++)
        nodes[rank] = MACHINE_NODE_UNKNOWN;
    TRY(make_token());
    TRY(open_listener(out));
    return fork_ranks(out);
}

status cli_processes_place(unsigned processes, net_place *out)
{
    bool is_there = false;
    if (processes > 1)
        return start_ranks(processes, out);
    *out = (net_place){.ranks = 1};
    if (!processes)
        TRY(net_place_from_environment(out, &is_there));
    if (!is_there)
        *out = (net_place){.ranks = 1};
    return STATUS_OK;
}

/* Whether all have ended. */
static bool processes_reap(void)
{
    unsigned left = 0;
    for (unsigned i = 0; i < child_count; i++)
        if (waitpid(children[i], NULL, WNOHANG) == 0)
            children[left++] = children[i];
    child_count = left;
    return !left;
}

void cli_processes_end(bool is_good)
{
    const struct timespec moment = {.tv_nsec = 5000000};
    unsigned most = is_good ? END_MS : END_BADLY_MS;
    for (unsigned ms = 0; !processes_reap() && ms < most; ms += 5)
        nanosleep(&moment, NULL);
    for (unsigned i = 0; i < child_count; i++) {
        kill(children[i], SIGKILL);
        waitpid(children[i], NULL, 0);
    }
    mem_free(nodes);
    nodes = NULL;
    mem_free(children);
    children = NULL;
    child_count = 0;
}
