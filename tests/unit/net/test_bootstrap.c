/* test_bootstrap.c - ranks that find each other over TCP, and what is said when they do not.
 *
 * test_label: smoke */
#include "net/bootstrap/bootstrap_address.h"
#include "test.h"

#include "net/bootstrap/bootstrap_packet.h"
#include "net/bootstrap/bootstrap_self.h"

#include <arpa/inet.h>
#include <pthread.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

/* A port of this machine that is free now; *out_socket has it until it is closed. */
static int free_port(int *out_socket)
{
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t bytes = sizeof address;
    *out_socket = socket(AF_INET, SOCK_STREAM, 0);
    CHECK(!bind(*out_socket, (struct sockaddr *)&address, sizeof address));
    CHECK(!getsockname(*out_socket, (struct sockaddr *)&address, &bytes));
    return ntohs(address.sin_port);
}

static int any_port(void)
{
    int socket_of_it, port = free_port(&socket_of_it);
    close(socket_of_it);
    return port;
}

typedef struct member {
    net_place place;
    char port[8];
    net_introduction *all;
    status st;
    pthread_t thread;
} member;

static void *join(void *argument)
{
    member *m = argument;
    char host[16], bytes[16];
    snprintf(host, sizeof host, "host-%u", m->place.rank);
    snprintf(bytes, sizeof bytes, "address %u", m->place.rank);
    net_meeting *meeting;
    CHECK_OK(net_meeting_new(&m->place, host, &meeting));
    m->st = net_meeting_round(meeting, bytes, (uint32_t)strlen(bytes), &m->all);
    if (!m->st) {
        net_introductions_free(m->all, m->place.ranks);
        bytes[0] = 'A'; /* a second round */
        m->st = net_meeting_round(meeting, bytes, (uint32_t)strlen(bytes), &m->all);
    }
    net_meeting_end(meeting);
    return NULL;
}

static void set_member(member *m, unsigned rank, unsigned ranks, int port, const char *token)
{
    *m = (member){.place = {.rank = rank, .ranks = ranks, .token = token, .timeout_ms = 60000}};
    snprintf(m->port, sizeof m->port, "%d", port);
    m->place.root_host = "127.0.0.1";
    m->place.root_port = m->port;
}

static void run(member *members, unsigned count)
{
    for (unsigned i = count; i-- > 0;) /* the root comes last */
        CHECK(!pthread_create(&members[i].thread, NULL, join, &members[i]));
    for (unsigned i = 0; i < count; i++)
        pthread_join(members[i].thread, NULL);
}

TEST(ranks_learn_of_each_other)
{
    member members[5];
    int port = any_port();
    for (unsigned i = 0; i < 5; i++)
        set_member(&members[i], i, 5, port, "secret");
    run(members, 5);
    for (unsigned i = 0; i < 5; i++) {
        CHECK_OK(members[i].st);
        for (unsigned rank = 0; rank < 5; rank++) {
            char expected[16];
            snprintf(expected, sizeof expected, "host-%u", rank);
            CHECK_TEXT_EQ(members[i].all[rank].host, expected);
            snprintf(expected, sizeof expected, "Address %u", rank);
            CHECK_TEXT_EQ(members[i].all[rank].bytes, expected);
        }
        net_introductions_free(members[i].all, 5);
    }
}

TEST(one_rank_alone)
{
    member m;
    set_member(&m, 0, 1, any_port(), "");
    join(&m);
    CHECK_OK(m.st);
    CHECK_TEXT_EQ(m.all[0].host, "host-0");
    net_introductions_free(m.all, 1);
}

TEST(another_token_is_refused)
{
    member members[2];
    int port = any_port();
    set_member(&members[0], 0, 2, port, "secret");
    set_member(&members[1], 1, 2, port, "other");
    members[0].place.timeout_ms = 5000;
    run(members, 2);
    CHECK_FAILS(members[1].st, STATUS_KIND_INVALID, "refuses this rank: its PISTACHIO_TOKEN");
    CHECK_FAILS(
        members[0].st, STATUS_KIND_IO,
        "a rank was refused, as its PISTACHIO_TOKEN is not rank 0's: 1 of 2 ranks did not come");
}

TEST(another_number_of_ranks_or_a_rank_twice_is_refused)
{
    member members[4];
    int port = any_port();
    set_member(&members[0], 0, 3, port, "");
    set_member(&members[1], 1, 4, port, "");
    set_member(&members[2], 2, 3, port, "");
    set_member(&members[3], 2, 3, port, "");
    members[0].place.timeout_ms = 5000;
    run(members, 4);
    CHECK_FAILS(members[1].st, STATUS_KIND_INVALID, "it is one of 4 ranks, rank 0 one of 3");
    CHECK_FAILS(members[0].st, STATUS_KIND_IO, "1 of 3 ranks did not come within 5 s: 1");
    /* The one that is taken may be told of the other's refusal, too. */
    bool is_second =
        strstr(status_message(members[2].st), "refuses this rank: rank 2 is there already");
    CHECK_FAILS(members[is_second ? 2 : 3].st, STATUS_KIND_INVALID,
                "rank 2 is there already, from host host-2");
    /* The one that was taken is told why all end. */
    CHECK_FAILS(members[is_second ? 3 : 2].st, STATUS_KIND_INVALID, "did not come");
}

TEST(a_stranger_is_passed_by)
{
    member members[2];
    int port = any_port();
    set_member(&members[0], 0, 2, port, "");
    set_member(&members[1], 1, 2, port, "");
    CHECK(!pthread_create(&members[0].thread, NULL, join, &members[0]));
    struct sockaddr_in address = {.sin_family = AF_INET,
                                  .sin_addr.s_addr = htonl(INADDR_LOOPBACK),
                                  .sin_port = htons((uint16_t)port)};
    int stranger = socket(AF_INET, SOCK_STREAM, 0);
    while (connect(stranger, (struct sockaddr *)&address, sizeof address))
        usleep(1000);
    CHECK(write(stranger, "GET / HTTP/1.1\r\nHost: pistachio\r\n\r\n", 36) == 36);
    join(&members[1]);
    pthread_join(members[0].thread, NULL);
    close(stranger);
    for (unsigned i = 0; i < 2; i++) {
        CHECK_OK(members[i].st);
        net_introductions_free(members[i].all, 2);
    }
}

TEST(a_port_in_use_and_a_root_that_does_not_answer)
{
    member m;
    int taken, port = free_port(&taken);
    CHECK(!listen(taken, 1));
    set_member(&m, 0, 2, port, "");
    join(&m);
    CHECK_TEXT_EQ(status_get_hint(m.st),
                  "the port is in use: choose another one for PISTACHIO_ROOT");
    CHECK_FAILS(m.st, STATUS_KIND_IO, "rank 0 cannot listen at 127.0.0.1:");
    close(taken);
    set_member(&m, 1, 2, port, "");
    m.place.timeout_ms = 1500;
    join(&m);
    CHECK_FAILS(m.st, STATUS_KIND_IO, "rank 0 does not answer at 127.0.0.1:");
    set_member(&m, 1, 2, port, "");
    m.place.root_host = "no.such.host.invalid";
    join(&m);
    CHECK_FAILS(m.st, STATUS_KIND_IO, "the host \"no.such.host.invalid\" of PISTACHIO_ROOT");
}

/* ---- those who disturb ---- */

static int visit(int port)
{
    struct sockaddr_in address = {.sin_family = AF_INET,
                                  .sin_addr.s_addr = htonl(INADDR_LOOPBACK),
                                  .sin_port = htons((uint16_t)port)};
    int visitor = socket(AF_INET, SOCK_STREAM, 0);
    while (connect(visitor, (struct sockaddr *)&address, sizeof address))
        usleep(1000);
    return visitor;
}

TEST(silent_connections_hold_up_nobody)
{
    member members[2];
    int visitors[300], port = any_port();
    set_member(&members[0], 0, 2, port, "secret");
    set_member(&members[1], 1, 2, port, "secret");
    members[0].place.timeout_ms = members[1].place.timeout_ms = 20000; /* not 300 times 5 s */
    CHECK(!pthread_create(&members[0].thread, NULL, join, &members[0]));
    for (unsigned i = 0; i < 300; i++)
        visitors[i] = visit(port);
    join(&members[1]);
    pthread_join(members[0].thread, NULL);
    for (unsigned i = 0; i < 300; i++)
        close(visitors[i]);
    for (unsigned i = 0; i < 2; i++) {
        CHECK_OK(members[i].st);
        net_introductions_free(members[i].all, 2);
    }
}

TEST(a_rank_that_ended_before_all_had_come_may_come_again)
{
    member members[3];
    int port = any_port();
    for (unsigned i = 0; i < 3; i++)
        set_member(&members[i], i, 3, port, "secret");
    CHECK(!pthread_create(&members[0].thread, NULL, join, &members[0]));
    pid_t first = fork();
    if (!first) {
        join(&members[1]);
        _exit(0);
    }
    usleep(500000); /* it is in by then, or comes later and finds its successor: both are well */
    kill(first, SIGKILL);
    waitpid(first, NULL, 0);
    for (unsigned i = 1; i < 3; i++)
        CHECK(!pthread_create(&members[i].thread, NULL, join, &members[i]));
    for (unsigned i = 0; i < 3; i++)
        pthread_join(members[i].thread, NULL);
    for (unsigned i = 0; i < 3; i++) {
        CHECK_OK(members[i].st);
        net_introductions_free(members[i].all, 3);
    }
}

static unsigned looks; /* before rank 2 ends */

static unsigned rank_2_ends(void)
{
    return looks ? (looks--, 0) : 2;
}

TEST(a_process_that_has_ended_is_not_waited_for)
{
    member m;
    set_member(&m, 0, 3, any_port(), "secret");
    m.place.find_ended = rank_2_ends;
    looks = 3;
    join(&m);
    CHECK_FAILS(m.st, STATUS_KIND_IO, "rank 2 ended before all ranks had come");
}

/* ---- proofs ---- */

static net_packet sealed_gift(net_session *session)
{
    net_packet packet = {0};
    char host[] = "a", bytes[] = "address";
    net_introduction gift = {.host = host, .bytes = bytes, .byte_count = 7};
    CHECK_OK(net_gift_write(&gift, &packet));
    CHECK_OK(net_session_seal(session, &packet));
    return packet;
}

static bool opens(net_session session, const net_packet *packet, size_t changed)
{
    net_packet copy = {0};
    CHECK_OK(array_reserve(NULL, &copy.bytes, packet->bytes.count));
    memcpy(copy.bytes.items, packet->bytes.items, packet->bytes.count);
    copy.bytes.count = packet->bytes.count;
    if (changed < copy.bytes.count)
        copy.bytes.items[changed] ^= 1;
    bool is_good = net_session_open(&session, &copy);
    net_packet_release(&copy);
    return is_good;
}

TEST(a_seal_is_of_one_packet_of_one_meeting)
{
    net_hello hello = {.version = NET_BOOTSTRAP_VERSION, .ranks = 3, .rank = 1};
    uint8_t nonce[NET_NONCE_BYTES] = {1}, other_nonce[NET_NONCE_BYTES] = {2};
    net_session rank, root, other;
    net_session_begin(&rank, false, "secret", &hello, nonce);
    net_session_begin(&root, true, "secret", &hello, nonce);
    net_packet first = sealed_gift(&rank), second = sealed_gift(&rank);
    CHECK(opens(root, &first, SIZE_MAX));
    for (size_t i = 0; i < first.bytes.count; i++)
        CHECK(!opens(root, &first, i));
    CHECK(!opens(root, &second, SIZE_MAX)); /* out of order */
    CHECK(!opens(rank, &first, SIZE_MAX));  /* sent back */
    root.opened++;
    CHECK(opens(root, &second, SIZE_MAX));
    CHECK(!opens(root, &first, SIZE_MAX)); /* again */
    net_session_begin(&other, true, "secret", &hello, other_nonce);
    CHECK(!opens(other, &first, SIZE_MAX)); /* in another meeting */
    net_session_begin(&other, true, "secre", &hello, nonce);
    CHECK(!opens(other, &first, SIZE_MAX)); /* with another token */
    hello.rank = 2;
    net_session_begin(&other, true, "secret", &hello, nonce);
    CHECK(!opens(other, &first, SIZE_MAX)); /* of another rank */
    net_packet_release(&first);
    net_packet_release(&second);
}

TEST(another_build_is_refused)
{
    char *text, host[] = "a", other[] = "build 0.0.9, build 123\nmachine x\n";
    net_selves selves;
    CHECK_OK(net_self_text(&text));
    net_introduction all[2] = {{host, text, (uint32_t)strlen(text)},
                               {host, text, (uint32_t)strlen(text)}};
    CHECK_OK(net_selves_read(all, 2, &selves));
    CHECK(selves.is_one_machine);
    CHECK(selves.addresses.count >= 2);
    net_selves_release(&selves);
    all[1] = (net_introduction){host, other, sizeof other - 1};
    CHECK_FAILS(net_selves_read(all, 2, &selves), STATUS_KIND_INVALID,
                "rank 1 (host a) is Pistachio 0.0.9, build 123, this rank");
    mem_free(text);
}

/* ---- the environment ---- */

static status place_of(const char *rank, const char *index, const char *ranks, const char *root,
                       net_place *out, bool *out_is_there)
{
    const char *names[] = {"PISTACHIO_RANK", "JOB_COMPLETION_INDEX", "PISTACHIO_RANKS",
                           "PISTACHIO_ROOT"};
    const char *values[] = {rank, index, ranks, root};
    for (unsigned i = 0; i < 4; i++)
        values[i] ? setenv(names[i], values[i], 1) : unsetenv(names[i]);
    status st = net_place_from_environment(out, out_is_there);
    for (unsigned i = 0; i < 4; i++)
        unsetenv(names[i]);
    return st;
}

TEST(the_environment_says_which_rank_this_is)
{
    net_place place;
    bool is_there;
    setenv("PISTACHIO_TOKEN", "secret", 1);
    CHECK_OK(place_of(NULL, "3", "8", NULL, &place, &is_there));
    CHECK(!is_there);
    CHECK_OK(place_of("3", NULL, "8", "hostA:7077", &place, &is_there));
    CHECK(is_there);
    CHECK_EQ(place.rank, 3);
    CHECK_EQ(place.ranks, 8);
    CHECK_TEXT_EQ(place.root_host, "hostA");
    CHECK_TEXT_EQ(place.root_port, "7077");
    CHECK_OK(place_of(NULL, "5", "8", "[::1]:7077", &place, &is_there));
    CHECK_EQ(place.rank, 5);
    CHECK_TEXT_EQ(place.root_host, "::1");
    CHECK_FAILS(place_of("8", NULL, "8", "a:1", &place, &is_there), STATUS_KIND_INVALID,
                "PISTACHIO_RANK is \"8\", not a number from 0 to 7");
    CHECK_FAILS(place_of("-1", NULL, "8", "a:1", &place, &is_there), STATUS_KIND_INVALID, "\"-1\"");
    CHECK_FAILS(place_of("1", NULL, "many", "a:1", &place, &is_there), STATUS_KIND_INVALID,
                "PISTACHIO_RANKS is \"many\"");
    CHECK_FAILS(place_of("1", NULL, "2", "a", &place, &is_there), STATUS_KIND_INVALID,
                "PISTACHIO_ROOT is \"a\", not a host and a port");
    CHECK_FAILS(place_of("1", NULL, "2", "a:70000", &place, &is_there), STATUS_KIND_INVALID,
                "the port of PISTACHIO_ROOT");
    CHECK_FAILS(place_of("1", NULL, "2", NULL, &place, &is_there), STATUS_KIND_INVALID,
                "PISTACHIO_RANK is set, but not PISTACHIO_ROOT");
    CHECK_FAILS(place_of(NULL, NULL, "2", "a:1", &place, &is_there), STATUS_KIND_INVALID,
                "but not PISTACHIO_RANK");
    unsetenv("PISTACHIO_TOKEN");
    CHECK_FAILS(place_of("1", NULL, "2", "a:1", &place, &is_there), STATUS_KIND_INVALID,
                "but not PISTACHIO_TOKEN");
    CHECK_OK(place_of("0", NULL, "1", "a:1", &place, &is_there)); /* there is nobody else */
}
