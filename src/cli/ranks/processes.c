/* processes.c - forking a process per rank, which meet at a socket of the loopback interface. */
#include "cli/ranks/processes.h"

#include "base/system/machine.h"
#include "net/net.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <spawn.h>
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
static char port[16];
static cpu_set_t cores; /* of this process, before it has a share of them */

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
    place->is_listening = place->keeps_listener = true;
    place->listener = listener;
    place->kept_listener = fcntl(listener, F_DUPFD_CLOEXEC, 0);
    if (place->kept_listener < 0) {
        close(listener);
        return status_new_errno(errno, "could not open a socket for the ranks to meet at");
    }
    snprintf(place->root_text, sizeof place->root_text, "%u", ntohs(address.sin_port));
    snprintf(port, sizeof port, "%u", ntohs(address.sin_port));
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

/* Ends with its parent, and is not interrupted by the terminal. */
static void become_child(pid_t parent)
{
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent) /* it ended before */
        _exit(1);
    signal(SIGINT, SIG_IGN); /* rank 0 has it, and cancels on all */
    int nothing = open("/dev/null", O_RDONLY | O_CLOEXEC);
    if (nothing >= 0)
        dup2(nothing, STDIN_FILENO);
}

/* In a process that was just forked. */
static void become_rank(net_place *place, unsigned rank, pid_t parent)
{
    become_child(parent);
    close(place->listener);
    close(place->kept_listener);
    place->is_listening = place->keeps_listener = false;
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
        if (children[i] && !waitid(P_PID, (id_t)children[i], &info, WEXITED | WNOHANG | WNOWAIT) &&
            info.si_pid)
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
    sched_getaffinity(0, sizeof cores, &cores);
    TRY(make_token());
    TRY(open_listener(out));
    return fork_ranks(out);
}

/* ---- processes that are started anew ---- */

/* Number of the process that has started this one again, as a rank that the other variables name. */
#define PARENT_VARIABLE "PISTACHIO_STARTED_BY"

static status place_revived(unsigned processes, const char *parent, net_place *out)
{
    bool is_there;
    become_child((pid_t)strtol(parent, NULL, 10));
    TRY(net_place_from_environment(out, &is_there));
    if (!is_there || out->ranks != processes)
        return status_new(STATUS_KIND_INVALID, PARENT_VARIABLE " is set, but not for %u ranks",
                          processes);
    out->sharers = processes;
    nodes = out->nodes = mem_new_array(processes, sizeof *nodes);
    if (!nodes)
        return status_no_memory("ranks", processes * sizeof *nodes);
    for (unsigned rank = 0; rank < processes; rank++)
        nodes[rank] = MACHINE_NODE_UNKNOWN;
    return STATUS_OK;
}

/* Splits the arguments of this process, as it was given them, at their NULs; NULL: there is no room for all. */
static char **read_arguments(char *text, size_t room)
{
    static char *words[8192];
    int file = open("/proc/self/cmdline", O_RDONLY | O_CLOEXEC);
    ssize_t bytes = file < 0 ? -1 : read(file, text, room);
    size_t count = 0;
    if (file >= 0)
        close(file);
    if (bytes <= 0 || (size_t)bytes == room)
        return NULL;
    for (char *at = text; at < text + bytes; at += strlen(at) + 1) {
        if (count + 1 == sizeof words / sizeof *words)
            return NULL;
        words[count++] = at;
    }
    words[count] = NULL;
    return words;
}

/* Returns the program's file, by whose name processes are listed. */
static const char *find_program(void)
{
    static char path[4096];
    ssize_t bytes = readlink("/proc/self/exe", path, sizeof path - 1);
    if (bytes > 0)
        path[bytes] = 0;
    return bytes > 0 && !access(path, X_OK) ? path : "/proc/self/exe";
}

/* Returns the environment with the rank's place in it; NULL: there is no room. */
static char **rank_environment(unsigned rank)
{
    static char own[5][64], *all[4096];
    size_t count = 0;
    snprintf(own[0], sizeof own[0], "PISTACHIO_RANK=%u", rank);
    snprintf(own[1], sizeof own[1], "PISTACHIO_RANKS=%u", child_count + 1);
    snprintf(own[2], sizeof own[2], "PISTACHIO_ROOT=127.0.0.1:%s", port);
    snprintf(own[3], sizeof own[3], "PISTACHIO_TOKEN=%s", token);
    snprintf(own[4], sizeof own[4], PARENT_VARIABLE "=%ld", (long)getpid());
    for (; count < sizeof own / sizeof *own; count++)
        all[count] = own[count]; /* the first of a name counts */
    for (char **at = environ; *at; at++) {
        if (count + 1 == sizeof all / sizeof *all)
            return NULL;
        all[count++] = *at;
    }
    all[count] = NULL;
    return all;
}

static pid_t spawn_rank(unsigned rank)
{
    static char text[65536];
    char **words = read_arguments(text, sizeof text), **environment = rank_environment(rank);
    posix_spawnattr_t attributes;
    posix_spawn_file_actions_t files;
    sigset_t all, none;
    pid_t child = 0;
    if (!words || !environment || posix_spawnattr_init(&attributes))
        return 0;
    if (!posix_spawn_file_actions_init(&files)) {
        sigfillset(&all);
        sigemptyset(&none);
        posix_spawnattr_setsigdefault(&attributes, &all);
        posix_spawnattr_setsigmask(&attributes, &none);
        posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK);
        posix_spawn_file_actions_addclosefrom_np(&files, STDERR_FILENO + 1);
        if (posix_spawn(&child, find_program(), &files, &attributes, words, environment))
            child = 0;
        posix_spawn_file_actions_destroy(&files);
    }
    posix_spawnattr_destroy(&attributes);
    return child;
}

void cli_processes_revive(void)
{
    (void)sched_setaffinity(0, sizeof cores,
                            &cores); /* of the calling thread: the rank takes its share */
    for (unsigned i = 0; i < child_count; i++) {
        if (children[i] && waitpid(children[i], NULL, WNOHANG) == 0)
            continue;
        children[i] = spawn_rank(i + 1);
    }
}

/* ---- any of them ---- */

status cli_processes_place(unsigned processes, net_place *out)
{
    bool is_there = false;
    const char *parent = getenv(PARENT_VARIABLE);
    if (processes > 1)
        return parent ? place_revived(processes, parent, out) : start_ranks(processes, out);
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
        if (children[i] && waitpid(children[i], NULL, WNOHANG) == 0)
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
