/* test_net_ucx.c - ranks that are processes of this machine, joined by UCX: rows, agreement, and a
 * rank that is killed or stopped. Skipped where libucp is not.
 *
 * test_label: not-tsan slow release smoke
 * test_cost: 15 */
#include "test.h"

#include "net/ucx/ucx.h"

#include <arpa/inet.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#define MOST_RANKS 4
#define MESSAGE_BYTES 300000

static int free_port(void)
{
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t bytes = sizeof address;
    int s = socket(AF_INET, SOCK_STREAM, 0);
    CHECK(!bind(s, (struct sockaddr *)&address, sizeof address));
    CHECK(!getsockname(s, (struct sockaddr *)&address, &bytes));
    close(s);
    return ntohs(address.sin_port);
}

/* ---- in a rank's process ---- */

/* Ends a rank, if something is wrong: prints it, and leaves with 1. */
#define EXPECT(condition)                                                                          \
    do {                                                                                           \
        if (!(condition)) {                                                                        \
            fprintf(stderr, "%s:%d: rank %u: not %s\n", __FILE__, __LINE__, place->rank,           \
                    #condition);                                                                   \
            _exit(1);                                                                              \
        }                                                                                          \
    } while (0)

static void print_failure(status st)
{
    if (st)
        fprintf(stderr, "%s\n", status_message(st));
}

/* Sends `count` messages of any length to each rank, and takes all that come; returns the query's
 * failure. / */
static status shuffle(const net_place *place, net_exchange *exchange, unsigned count)
{
    unsigned sent[MOST_RANKS] = {0}, taken[MOST_RANKS] = {0};
    unsigned left = place->ranks * count; /* to be sent */
    bool is_ended = false;
    while (!is_ended || left) {
        bool has_moved = false;
        net_state state;
        net_message *message;
        for (unsigned peer = 0; peer < place->ranks; peer++) {
            if (sent[peer] == count)
                continue;
            TRY(net_try_message(exchange, peer, NULL, &state, &message));
            if (!message)
                continue;
            message->bytes = 4 + sent[peer] * 7919 % (MESSAGE_BYTES - 4);
            memset(message->data, (int)(sent[peer] + place->rank), message->bytes);
            memcpy(message->data, &sent[peer], 4);
            net_send(exchange, &message);
            left--;
            if (++sent[peer] == count)
                net_end(exchange, peer);
            has_moved = true;
        }
        TRY(net_try_receive(exchange, NET_ANY, NULL, &state, &message));
        is_ended = state == NET_ENDED;
        if (message) {
            unsigned number, peer = message->peer;
            memcpy(&number, message->data, 4);
            EXPECT(number == taken[peer]++);
            EXPECT(message->bytes == 4 + number * 7919 % (MESSAGE_BYTES - 4));
            for (uint32_t i = 4; i < message->bytes; i++)
                EXPECT((uint8_t)message->data[i] == (uint8_t)(number + peer));
            net_message_free(message);
            has_moved = true;
        }
        if (!has_moved)
            usleep(200);
    }
    return STATUS_OK;
}

static status agree(const net_place *place, net_query *query)
{
    static const uint8_t sum = NET_SUM;
    uint64_t word = place->rank + 1;
    net_collective *agreement;
    net_state state = NET_WAIT;
    TRY(net_agree(query, 9, "count", &word, &sum, 1, &agreement));
    status st = STATUS_OK;
    while (!st && state == NET_WAIT) {
        usleep(200);
        st = net_try_collective(agreement, NULL, &state);
    }
    if (!st)
        EXPECT(*net_collective_words(agreement) == place->ranks * (place->ranks + 1) / 2);
    net_collective_close(agreement);
    return st;
}

/* One query; its failure. */
static status run_query(const net_place *place, net_comm *comm, uint64_t number, unsigned count)
{
    mem_budget *budget;
    net_query *query;
    net_exchange *exchange;
    net_exchange_options options = {.id = 1, .name = "rows", .message_bytes = MESSAGE_BYTES};
    TRY(mem_budget_new(0, &budget));
    status st = net_query_begin(comm, number, budget, NULL, NULL, &query);
    if (!st) {
        st = net_exchange_open(query, &options, &exchange);
        if (!st) {
            st = shuffle(place, exchange, count);
            if (!st)
                st = agree(place, query);
            net_exchange_close(exchange);
        }
        net_query_end(query);
    }
    mem_budget_free(budget);
    return st;
}

/* Five queries; each rank must see all of each. */
static int run_all(const net_place *place, net_comm *comm)
{
    for (uint64_t number = 1; number <= 5; number++) {
        status st = run_query(place, comm, number, 60);
        print_failure(st);
        EXPECT(!st);
    }
    net_comm_close(comm);
    return 0;
}

/* A pipe: a byte of each rank that has heard from the others. Where a rank is killed while they connect with it, UCX
 * 1.13 may abort them: it destroys a failed endpoint that was just made into one that sends (tcp_ep.c:478). */
static int joined[2] = {-1, -1};

/* Until another rank is gone, of which the failure must tell. */
static int run_until_failure(const net_place *place, net_comm *comm)
{
    for (uint64_t number = 1;; number++) {
        status st = run_query(place, comm, number, 200);
        if (number == 1 && joined[1] >= 0 && write(joined[1], "", 1) != 1)
            _exit(3);
        if (!st)
            continue;
        EXPECT(strstr(status_message(st), "rank 1 (host "));
        EXPECT(strstr(status_message(st), "is gone"));
        status_free(st);
        st = net_comm_failure(comm);
        EXPECT(st);
        status_free(st);
        net_comm_close(comm);
        return 0;
    }
}

typedef int (*scenario)(const net_place *place, net_comm *comm);

static pid_t start_rank(unsigned rank, unsigned ranks, int port, scenario run)
{
    pid_t child = fork();
    CHECK(child >= 0);
    if (child)
        return child;
    static net_place place;
    net_options options = {.peer_timeout_ms =
                               6000}; /* a busy machine may stop a rank for seconds */
    net_comm *comm;
    place = (net_place){.rank = rank, .ranks = ranks, .token = "t", .timeout_ms = 60000};
    place.root_host = "127.0.0.1";
    snprintf(place.root_text, sizeof place.root_text, "%d", port);
    place.root_port = place.root_text;
    status st = net_open_ucx(&place, &options, &comm);
    print_failure(st);
    _exit(st ? 2 : run(&place, comm));
}

/* ---- in the test's ---- */

static void skip_without_ucx(void)
{
    net_place place = {.rank = 0, .ranks = 1, .token = "", .root_host = "127.0.0.1"};
    char port[8];
    net_options options = {0};
    net_comm *comm;
    /* A sanitizer looks at memory itself; and the time of loading counts in nobody's timeout. */
    setenv("UCX_MEM_EVENTS", "no", 0);
    setenv("UCX_LOG_LEVEL", "fatal", 0);
    snprintf(port, sizeof port, "%d", free_port());
    place.root_port = port;
    place.timeout_ms = 20000;
    pid_t child = fork();
    CHECK(child >= 0);
    if (!child) {
        status st = net_open_ucx(&place, &options, &comm);
        if (!st)
            net_comm_close(comm);
        print_failure(st);
        _exit(status_get_kind(st) == STATUS_KIND_UNSUPPORTED ? 77 : st != NULL);
    }
    int result;
    CHECK_EQ(waitpid(child, &result, 0), child);
    if (WIFEXITED(result) && WEXITSTATUS(result) == 77)
        SKIP("no libucp here, none when this was built, or no /sys");
    CHECK(WIFEXITED(result) && !WEXITSTATUS(result));
}

static void check_ends_well(pid_t child)
{
    int result;
    CHECK_EQ(waitpid(child, &result, 0), child);
    CHECK(WIFEXITED(result));
    CHECK_EQ(WEXITSTATUS(result), 0);
}

TEST(processes_send_and_agree)
{
    skip_without_ucx();
    for (unsigned ranks = 1; ranks <= 3; ranks++) {
        pid_t children[MOST_RANKS];
        int port = free_port();
        for (unsigned rank = 0; rank < ranks; rank++)
            children[rank] = start_rank(rank, ranks, port, run_all);
        for (unsigned rank = 0; rank < ranks; rank++)
            check_ends_well(children[rank]);
    }
}

/* Rank 1 of three gets the signal while they work; the others end, and say so. */
static void check_signal(int signal_number)
{
    pid_t children[3];
    int port = free_port();
    char byte;
    CHECK(!pipe(joined));
    for (unsigned rank = 0; rank < 3; rank++)
        children[rank] = start_rank(rank, 3, port, run_until_failure);
    close(joined[1]);
    for (unsigned i = 0; i < 3; i++)
        CHECK_EQ(read(joined[0], &byte, 1), 1);
    usleep((useconds_t)test_random_below(500000));
    kill(children[1], signal_number);
    check_ends_well(children[0]);
    check_ends_well(children[2]);
    close(joined[0]);
    joined[1] = -1;
    kill(children[1], SIGKILL);
    waitpid(children[1], NULL, 0);
}

TEST(a_rank_that_is_killed_is_gone)
{
    skip_without_ucx();
    for (unsigned i = 0; i < 3; i++)
        check_signal(SIGKILL);
}

TEST(a_rank_that_is_stopped_is_gone_after_peer_timeout)
{
    skip_without_ucx();
    check_signal(SIGSTOP);
}
