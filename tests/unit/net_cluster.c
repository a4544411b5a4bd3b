/* net_cluster.c - made-up queries over a local network. */
#include "net_cluster.h"

#include "net/local/fabric.h"
#include "test.h"

#include "base/fault.h"

#include <pthread.h>
#include <stdarg.h>
#include <stdatomic.h>

#define EXCHANGES 3
#define MOST_RANKS 16
#define COLLECTIVE_FIRST 100 /* ids of collectives */
#define AGREE_WORDS 5
#define MADE_FAILURE "a lane fails on purpose"

typedef enum lane_kind { LANE_SEND, LANE_RECEIVE, LANE_AGREE, LANE_UNITE, LANE_GATHER } lane_kind;

typedef struct rank_run rank_run;

typedef struct lane {
    rank_run *rank;
    lane_kind kind;
    unsigned exchange;
    unsigned number; /* of the lanes of its kind */
    net_waiter waiter;
    struct lane *next_ready;
    bool is_ready; /* in the queue; under its lock */
    bool is_over;

    unsigned peer;     /* sending to it */
    uint64_t sent;     /* to that peer */
    net_message *held; /* received, not given back yet */
    unsigned turns;    /* to hold it for */
    uint64_t taken;    /* in all */
    net_collective *collective;
    uint64_t *bitmap;
    char *bytes;
} lane;

struct rank_run {
    struct cluster *cluster;
    unsigned rank;
    net_comm *comm;
    mem_budget *budget;
    net_query *query;
    uint64_t number; /* of the query */
    net_exchange *exchanges[EXCHANGES];
    lane lanes[32];
    unsigned lane_count, over;
    bool is_done;
    _Atomic bool has_failed; /* the query */
    _Atomic unsigned told;
    uint64_t expected[EXCHANGES][MOST_RANKS]; /* next number from each rank; one receiving lane */
    _Atomic uint64_t received[EXCHANGES][MOST_RANKS];
    _Atomic bool has_declined[EXCHANGES];
    _Atomic uint64_t random;
    pthread_mutex_t lock;
    pthread_cond_t changed;
    lane *first, **last;
};

typedef struct cluster {
    cluster_options options;
    net_fabric *fabric;
    rank_run *ranks;
    cluster_result result;
    _Atomic bool is_wrong;
    pthread_mutex_t lock;
    char wrong[512];
} cluster;

/* ---- what is expected ---- */

static uint64_t mix(uint64_t z)
{
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
    z = (z ^ z >> 27) * 0x94d049bb133111eb;
    return z ^ z >> 31;
}

static uint64_t chance(const cluster *c, uint64_t query, uint64_t a, uint64_t b, uint64_t use)
{
    return mix(mix(mix(c->options.seed * 0x9e3779b97f4a7c15 + query) + a * 1000003 + b) + use);
}

static uint64_t rank_random(rank_run *r)
{
    return mix(atomic_fetch_add(&r->random, 0x9e3779b97f4a7c15));
}

/* Ends the test, but later: this may be another thread. */
static void wrong(cluster *c, const char *format, ...) PRINTF_LIKE(2, 3);
static void wrong(cluster *c, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    pthread_mutex_lock(&c->lock);
    if (!c->is_wrong) {
        vsnprintf(c->wrong, sizeof c->wrong, format, arguments);
        fprintf(stderr, "seed %" PRIu64 ": %s\n", c->options.seed, c->wrong);
    }
    c->is_wrong = true;
    pthread_mutex_unlock(&c->lock);
    va_end(arguments);
}

static uint32_t message_bytes(const cluster *c, uint64_t query, unsigned exchange)
{
    return 64 + (uint32_t)(chance(c, query, exchange, 0, 1) % 500);
}

static unsigned sending_lanes(const cluster *c, uint64_t query, unsigned exchange)
{
    return 1 + (unsigned)(chance(c, query, exchange, 0, 2) % 2);
}

static unsigned receiving_lanes(const cluster *c, uint64_t query, unsigned exchange)
{
    return 1 + (unsigned)(chance(c, query, exchange, 0, 3) % 2);
}

/* Messages of each sending lane of a rank to another; often none. */
static uint64_t message_count(const cluster *c, uint64_t query, unsigned exchange, unsigned from,
                              unsigned to)
{
    uint64_t dice = chance(c, query, exchange * 64 + from, to, 4);
    return dice % 4 == 0 ? 0 : dice / 4 % 30;
}

/* The exchange of which only this many messages are wanted by the rank; 0: all. */
static uint64_t wanted(const cluster *c, uint64_t query, unsigned exchange, unsigned rank)
{
    uint64_t dice = chance(c, query, exchange * 64 + rank, 0, 5);
    return dice % 8 ? 0 : 1 + dice / 8 % 6;
}

typedef struct message_head {
    uint64_t query, number, seed;
    uint32_t exchange, from, to, lane;
} message_head;

static message_head head_of(const cluster *c, uint64_t query, unsigned exchange, unsigned from,
                            unsigned to, unsigned lane_number, uint64_t number)
{
    return (message_head){query, number, c->options.seed, exchange, from, to, lane_number};
}

static uint32_t body_bytes(const cluster *c, const message_head *head)
{
    uint32_t room = message_bytes(c, head->query, head->exchange) - (uint32_t)sizeof *head;
    return (uint32_t)(mix(head->number * 31 + head->from * 7 + head->to) % (room + 1));
}

static uint8_t body_byte(const message_head *head, uint32_t at)
{
    return (uint8_t)(head->number * 7 + head->from + head->to * 3 + at);
}

static void fill_message(const cluster *c, const message_head *head, net_message *message)
{
    uint32_t bytes = body_bytes(c, head);
    memcpy(message->data, head, sizeof *head);
    for (uint32_t i = 0; i < bytes; i++)
        message->data[sizeof *head + i] = (char)body_byte(head, i);
    message->bytes = (uint32_t)sizeof *head + bytes;
}

static void check_message(rank_run *r, unsigned exchange, const net_message *message,
                          bool is_ordered)
{
    cluster *c = r->cluster;
    message_head head, expected;
    if (message->bytes < sizeof head) {
        wrong(c, "a message of %u bytes", message->bytes);
        return;
    }
    memcpy(&head, message->data, sizeof head);
    expected = head_of(c, r->number, exchange, message->peer, r->rank, head.lane, head.number);
    if (memcmp(&head, &expected, sizeof head) != 0 ||
        message->bytes != sizeof head + body_bytes(c, &head)) {
        wrong(c, "rank %u, query %" PRIu64 ", exchange %u: message from %u is not the expected one",
              r->rank, r->number, exchange, message->peer);
        return;
    }
    for (uint32_t i = 0; i < message->bytes - sizeof head; i++)
        if ((uint8_t)message->data[sizeof head + i] != body_byte(&head, i))
            wrong(c, "byte %u of a message is wrong", i);
    /* With one lane on each side messages come in order. */
    if (is_ordered && r->expected[exchange][message->peer]++ != head.number)
        wrong(c, "message %" PRIu64 " from %u is out of order", head.number, message->peer);
}

/* ---- lanes ---- */

static void make_ready(void *argument)
{
    lane *l = argument;
    rank_run *r = l->rank;
    pthread_mutex_lock(&r->lock);
    if (l->is_ready)
        wrong(r->cluster, "a waiter was called twice");
    l->is_ready = true;
    l->next_ready = NULL;
    *r->last = l;
    r->last = &l->next_ready;
    pthread_cond_signal(&r->changed);
    pthread_mutex_unlock(&r->lock);
}

typedef enum lane_step { STEP_WAIT, STEP_AGAIN, STEP_OVER } lane_step;

/* A failure of the network's: it must have a reason. */
static lane_step note_failure(lane *l, status st)
{
    cluster *c = l->rank->cluster;
    const char *message = status_message(st);
    bool is_made = strstr(message, MADE_FAILURE);
    pthread_mutex_lock(&c->lock);
    if (!is_made && !c->result.failure[0])
        snprintf(c->result.failure, sizeof c->result.failure, "%s", message);
    pthread_mutex_unlock(&c->lock);
    if (!is_made && c->options.fault == NET_FAULT_NONE && !c->options.memory_limit &&
        !c->options.failing_allocation)
        wrong(c, "failed without a reason: %s", message);
    l->rank->has_failed = true;
    status_free(st);
    return STEP_OVER;
}

static lane_step fail_on_purpose(lane *l)
{
    l->rank->has_failed = true;
    net_query_fail(l->rank->query, status_new(STATUS_KIND_DATA, MADE_FAILURE));
    return STEP_OVER;
}

static lane_step send_step(lane *l)
{
    rank_run *r = l->rank;
    const cluster *c = r->cluster;
    net_exchange *exchange = r->exchanges[l->exchange];
    while (l->peer < c->options.ranks) {
        uint64_t count = message_count(c, r->number, l->exchange, r->rank, l->peer);
        net_state state;
        net_message *message;
        if (l->sent == count) {
            l->peer++;
            l->sent = 0;
            continue;
        }
        status st = net_try_message(exchange, l->peer, &l->waiter, &state, &message);
        if (st)
            return note_failure(l, st);
        if (state == NET_WAIT)
            return STEP_WAIT;
        if (state == NET_ENDED) {
            l->sent = count;
            continue;
        }
        message_head head =
            head_of(c, r->number, l->exchange, r->rank, l->peer, l->number, l->sent++);
        fill_message(c, &head, message);
        net_send(exchange, &message);
    }
    return STEP_OVER;
}

static lane_step receive_step(lane *l)
{
    rank_run *r = l->rank;
    const cluster *c = r->cluster;
    net_exchange *exchange = r->exchanges[l->exchange];
    if (l->turns) { /* slow */
        l->turns--;
        return STEP_AGAIN;
    }
    net_message_free(l->held);
    l->held = NULL;
    uint64_t want = wanted(c, r->number, l->exchange, r->rank);
    if (want && l->taken == want && !r->has_declined[l->exchange]) {
        r->has_declined[l->exchange] = true;
        net_decline(exchange);
    }
    net_state state;
    status st = net_try_receive(exchange, NET_ANY, &l->waiter, &state, &l->held);
    if (st)
        return note_failure(l, st);
    if (state == NET_WAIT)
        return STEP_WAIT;
    if (state == NET_ENDED)
        return STEP_OVER;
    bool is_ordered = receiving_lanes(c, r->number, l->exchange) == 1 &&
                      sending_lanes(c, r->number, l->exchange) == 1;
    check_message(r, l->exchange, l->held, is_ordered);
    r->received[l->exchange][l->held->peer]++;
    l->taken++;
    l->turns = (unsigned)(rank_random(r) % 4);
    return STEP_AGAIN;
}

/* ---- collectives ---- */

static uint64_t agree_word(const cluster *c, uint64_t query, unsigned rank, unsigned word)
{
    return word == 4 ? query + (rank == 2) : chance(c, query, rank, word, 6) % 1000;
}

static status begin_agree(lane *l)
{
    static const uint8_t operations[AGREE_WORDS] = {NET_SUM, NET_MIN, NET_MAX, NET_OR, NET_SAME};
    rank_run *r = l->rank;
    uint64_t words[AGREE_WORDS];
    for (unsigned i = 0; i < AGREE_WORDS; i++)
        words[i] = agree_word(r->cluster, r->number, r->rank, i);
    return net_agree(r->query, COLLECTIVE_FIRST, "agreement", words, operations, AGREE_WORDS,
                     &l->collective);
}

static void check_agree(lane *l)
{
    rank_run *r = l->rank;
    cluster *c = r->cluster;
    uint64_t expected[AGREE_WORDS] = {0, UINT64_MAX, 0, 0, r->number};
    for (unsigned rank = 0; rank < c->options.ranks; rank++) {
        uint64_t minimum = agree_word(c, r->number, rank, 1);
        uint64_t maximum = agree_word(c, r->number, rank, 2);
        expected[0] += agree_word(c, r->number, rank, 0);
        expected[1] = minimum < expected[1] ? minimum : expected[1];
        expected[2] = maximum > expected[2] ? maximum : expected[2];
        expected[3] |= agree_word(c, r->number, rank, 3);
    }
    if (memcmp(expected, net_collective_words(l->collective), sizeof expected) != 0)
        wrong(c, "ranks agreed on something else");
    int differs = c->options.ranks > 2 ? 2 : -1;
    if (net_collective_differs(l->collective, 4) != differs)
        wrong(c, "rank %d differs, not %d", net_collective_differs(l->collective, 4), differs);
}

static uint64_t bitmap_words(const cluster *c, uint64_t query)
{
    return chance(c, query, 0, 0, 7) % 3 ? chance(c, query, 0, 0, 8) % 20
                                         : 10000 + chance(c, query, 0, 0, 8) % 20000;
}

static uint64_t bitmap_word(const cluster *c, uint64_t query, unsigned rank, uint64_t word)
{
    return chance(c, query, rank, word, 9) & chance(c, query, rank, word, 10);
}

static status begin_unite(lane *l)
{
    rank_run *r = l->rank;
    uint64_t count = bitmap_words(r->cluster, r->number);
    l->bitmap = calloc(count + 1, sizeof *l->bitmap);
    for (uint64_t i = 0; i < count; i++)
        l->bitmap[i] = bitmap_word(r->cluster, r->number, r->rank, i);
    return net_unite(r->query, COLLECTIVE_FIRST + 1, "union", l->bitmap, count, &l->collective);
}

static void check_unite(lane *l)
{
    rank_run *r = l->rank;
    cluster *c = r->cluster;
    for (uint64_t i = 0; i < bitmap_words(c, r->number); i++) {
        uint64_t expected = 0;
        for (unsigned rank = 0; rank < c->options.ranks; rank++)
            expected |= bitmap_word(c, r->number, rank, i);
        if (l->bitmap[i] != expected) {
            wrong(c, "word %" PRIu64 " of the union is wrong", i);
            return;
        }
    }
}

static uint64_t gather_bytes(const cluster *c, uint64_t query, unsigned rank)
{
    uint64_t dice = chance(c, query, rank, 0, 11);
    return dice % 3 == 0 ? 0 : dice % 3 == 1 ? dice / 3 % 100 : dice / 3 % 200000;
}

static unsigned gather_root(const cluster *c, uint64_t query)
{
    uint64_t dice = chance(c, query, 0, 0, 12);
    return dice % 2 ? NET_ANY : (unsigned)(dice / 2 % c->options.ranks);
}

static char gather_byte(uint64_t query, unsigned rank, uint64_t at)
{
    return (char)(query + rank * 5 + at * 3);
}

static status begin_gather(lane *l)
{
    rank_run *r = l->rank;
    uint64_t bytes = gather_bytes(r->cluster, r->number, r->rank);
    l->bytes = calloc(1, bytes + 1);
    for (uint64_t i = 0; i < bytes; i++)
        l->bytes[i] = gather_byte(r->number, r->rank, i);
    return net_gather(r->query, COLLECTIVE_FIRST + 2, "gathering", l->bytes, bytes,
                      gather_root(r->cluster, r->number), 4 << 20, &l->collective);
}

static void check_gather(lane *l)
{
    rank_run *r = l->rank;
    cluster *c = r->cluster;
    unsigned root = gather_root(c, r->number);
    if (root != NET_ANY && root != r->rank)
        return;
    for (unsigned rank = 0; rank < c->options.ranks; rank++) {
        uint64_t bytes;
        const char *data = net_collective_bytes(l->collective, rank, &bytes);
        if (bytes != gather_bytes(c, r->number, rank))
            wrong(c, "%" PRIu64 " bytes came from rank %u", bytes, rank);
        for (uint64_t i = 0; i < bytes; i++)
            if (data[i] != gather_byte(r->number, rank, i)) {
                wrong(c, "byte %" PRIu64 " from rank %u is wrong", i, rank);
                return;
            }
    }
}

static lane_step collective_step(lane *l)
{
    net_state state;
    status st = STATUS_OK;
    if (!l->collective)
        st = l->kind == LANE_AGREE   ? begin_agree(l)
             : l->kind == LANE_UNITE ? begin_unite(l)
                                     : begin_gather(l);
    if (!st)
        st = net_try_collective(l->collective, &l->waiter, &state);
    if (st) {
        net_query_fail(l->rank->query,
                       status_new(STATUS_KIND_DATA, MADE_FAILURE " (cannot begin)"));
        return note_failure(l, st);
    }
    if (state == NET_WAIT)
        return STEP_WAIT;
    if (l->kind == LANE_AGREE)
        check_agree(l);
    else if (l->kind == LANE_UNITE)
        check_unite(l);
    else
        check_gather(l);
    return STEP_OVER;
}

static lane_step lane_step_once(lane *l)
{
    const cluster *c = l->rank->cluster;
    if (c->options.has_failing_lanes && rank_random(l->rank) % 1000 == 0)
        return fail_on_purpose(l);
    switch (l->kind) {
    case LANE_SEND:
        return send_step(l);
    case LANE_RECEIVE:
        return receive_step(l);
    case LANE_AGREE:
    case LANE_UNITE:
    case LANE_GATHER:
        break;
    }
    return collective_step(l);
}

/* ---- a rank ---- */

static void add_lane(rank_run *r, lane_kind kind, unsigned exchange, unsigned number)
{
    lane *l = &r->lanes[r->lane_count++];
    *l = (lane){.rank = r, .kind = kind, .exchange = exchange, .number = number};
    l->waiter = (net_waiter){.wake = make_ready, .argument = l};
}

static void told(void *argument)
{
    rank_run *r = argument;
    r->told++;
}

static status open_exchanges(rank_run *r)
{
    static const char *const names[EXCHANGES] = {"orders", "lineitem", "part"};
    for (unsigned i = 0; i < EXCHANGES; i++) {
        net_exchange_options options = {.id = i,
                                        .name = names[i],
                                        .message_bytes = message_bytes(r->cluster, r->number, i),
                                        .credits = 1 + (uint32_t)(rank_random(r) % 4),
                                        .send_buffers = 1 + (uint32_t)(rank_random(r) % 3)};
        TRY(net_exchange_open(r->query, &options, &r->exchanges[i]));
    }
    return STATUS_OK;
}

/* Begins the next query; false: there is none, or the network has failed. */
static bool begin_query(rank_run *r)
{
    cluster *c = r->cluster;
    r->lane_count = r->over = 0;
    r->has_failed = false;
    memset(r->expected, 0, sizeof r->expected);
    for (unsigned i = 0; i < EXCHANGES; i++) {
        r->has_declined[i] = false;
        for (unsigned rank = 0; rank < MOST_RANKS; rank++)
            r->received[i][rank] = 0;
    }
    if (r->number == c->options.queries)
        return false;
    r->number++;
    r->told = 0;
    status st = net_query_begin(r->comm, r->number, r->budget, told, r, &r->query);
    if (st && c->options.failing_allocation) { /* that was the one */
        status_free(st);
        st = net_query_begin(r->comm, r->number, r->budget, told, r, &r->query);
    }
    if (st) {
        if (c->options.fault == NET_FAULT_NONE)
            wrong(c, "query %" PRIu64 " does not begin: %s", r->number, status_message(st));
        status_free(st);
        return false;
    }
    st = open_exchanges(r);
    if (st) {
        r->has_failed = true;
        net_query_fail(r->query, st);
        return true;
    }
    for (unsigned i = 0; i < EXCHANGES; i++) {
        for (unsigned k = 0; k < sending_lanes(c, r->number, i); k++)
            add_lane(r, LANE_SEND, i, k);
        for (unsigned k = 0; k < receiving_lanes(c, r->number, i); k++)
            add_lane(r, LANE_RECEIVE, i, k);
    }
    add_lane(r, LANE_AGREE, 0, 0);
    add_lane(r, LANE_UNITE, 0, 0);
    add_lane(r, LANE_GATHER, 0, 0);
    return true;
}

static void check_received(rank_run *r)
{
    cluster *c = r->cluster;
    for (unsigned i = 0; i < EXCHANGES; i++)
        for (unsigned from = 0; from < c->options.ranks; from++) {
            uint64_t expected =
                sending_lanes(c, r->number, i) * message_count(c, r->number, i, from, r->rank);
            if (!r->has_declined[i] && r->received[i][from] != expected)
                wrong(c,
                      "rank %u, query %" PRIu64 ", exchange %u: %" PRIu64
                      " messages from %u, not %" PRIu64,
                      r->rank, r->number, i, (uint64_t)r->received[i][from], from, expected);
        }
}

static void end_query(rank_run *r)
{
    cluster *c = r->cluster;
    for (unsigned i = 0; i < r->lane_count; i++) {
        lane *l = &r->lanes[i];
        net_message_free(l->held);
        net_collective_close(l->collective);
        free(l->bitmap);
        free(l->bytes);
    }
    for (unsigned i = 0; i < EXCHANGES; i++) {
        net_exchange_close(r->exchanges[i]);
        r->exchanges[i] = NULL;
    }
    status st = net_query_failure(r->query);
    bool has_failed = st != NULL;
    status_free(st);
    if (r->has_failed && !has_failed)
        wrong(c, "a query failed, but not for the network");
    net_query_end(r->query);
    if (r->told > 1 || (r->told && !has_failed))
        wrong(c, "rank %u was told %u times", r->rank, r->told);
    if (!has_failed)
        check_received(r);
    pthread_mutex_lock(&c->lock);
    has_failed ? c->result.failed++ : c->result.completed++;
    pthread_mutex_unlock(&c->lock);
}

static void start_lanes(rank_run *r)
{
    unsigned count = r->lane_count; /* the last one may be over, and the next query's be there */
    for (unsigned i = 0; i < count; i++)
        make_ready(&r->lanes[i]);
}

/* Queries whose beginning fails have no lanes. */
static void next_query(rank_run *r)
{
    while (begin_query(r)) {
        if (r->lane_count) {
            start_lanes(r);
            return;
        }
        end_query(r);
    }
    pthread_mutex_lock(&r->lock);
    r->is_done = true;
    pthread_cond_broadcast(&r->changed);
    pthread_mutex_unlock(&r->lock);
}

/* The last sending lane of an exchange ends it. */
static void end_if_sent(lane *l)
{
    rank_run *r = l->rank;
    if (l->kind != LANE_SEND)
        return;
    pthread_mutex_lock(&r->lock);
    l->is_over = true;
    bool is_last = true;
    for (unsigned i = 0; i < r->lane_count; i++)
        if (r->lanes[i].kind == LANE_SEND && r->lanes[i].exchange == l->exchange)
            is_last = is_last && r->lanes[i].is_over;
    pthread_mutex_unlock(&r->lock);
    for (unsigned peer = 0; is_last && peer < r->cluster->options.ranks; peer++)
        net_end(r->exchanges[l->exchange], peer);
}

static void lane_over(lane *l)
{
    rank_run *r = l->rank;
    end_if_sent(l);
    pthread_mutex_lock(&r->lock);
    bool is_last = ++r->over == r->lane_count;
    pthread_mutex_unlock(&r->lock);
    if (!is_last)
        return;
    end_query(r);
    next_query(r);
}

static void run_lane(lane *l)
{
    switch (lane_step_once(l)) {
    case STEP_WAIT:
        break;
    case STEP_AGAIN:
        make_ready(l);
        break;
    case STEP_OVER:
        lane_over(l);
        break;
    }
}

/* Under the rank's lock. */
static lane *take_ready(rank_run *r)
{
    lane *l = r->first;
    if (!l)
        return NULL;
    r->first = l->next_ready;
    if (!r->first)
        r->last = &r->first;
    l->is_ready = false;
    return l;
}

static void *work(void *argument)
{
    rank_run *r = argument;
    pthread_mutex_lock(&r->lock);
    while (!r->is_done) {
        lane *l = take_ready(r);
        if (!l) {
            pthread_cond_wait(&r->changed, &r->lock);
            continue;
        }
        pthread_mutex_unlock(&r->lock);
        run_lane(l);
        pthread_mutex_lock(&r->lock);
    }
    pthread_mutex_unlock(&r->lock);
    return NULL;
}

/* ---- the cluster ---- */

static void open_rank(cluster *c, unsigned rank)
{
    rank_run *r = &c->ranks[rank];
    net_options options = {.has_no_checksums = c->options.has_no_checksums,
                           .peer_timeout_ms = c->options.is_stepped ? 0 : 1000};
    r->cluster = c;
    r->rank = rank;
    r->random = c->options.seed * 31 + rank;
    r->last = &r->first;
    pthread_mutex_init(&r->lock, NULL);
    pthread_cond_init(&r->changed, NULL);
    CHECK_OK(mem_budget_new(c->options.memory_limit, &r->budget));
    CHECK_OK(net_fabric_open(c->fabric, rank, &options, &r->comm));
}

static void open_cluster(cluster *c)
{
    static const char *const hosts[MOST_RANKS] = {"a", "b", "c", "d", "e", "f", "g", "h",
                                                  "i", "j", "k", "l", "m", "n", "o", "p"};
    net_fabric_options options = {.ranks = c->options.ranks,
                                  .hosts = hosts,
                                  .seed = c->options.has_no_delays ? 0 : c->options.seed,
                                  .is_stepped = c->options.is_stepped,
                                  .fault = c->options.fault,
                                  .fault_rank = c->options.fault_rank,
                                  .fault_frame = c->options.fault_frame};
    pthread_mutex_init(&c->lock, NULL);
    CHECK_OK(net_fabric_new(&options, &c->fabric));
    c->ranks = mem_new_array(c->options.ranks, sizeof *c->ranks);
    for (unsigned rank = 0; rank < c->options.ranks; rank++)
        open_rank(c, rank);
}

static void close_cluster(cluster *c)
{
    c->result.nanoseconds = net_fabric_now(c->fabric);
    c->result.has_faulted |= net_fabric_has_faulted(c->fabric);
    for (unsigned rank = 0; rank < c->options.ranks; rank++) {
        rank_run *r = &c->ranks[rank];
        c->result.frames += net_fabric_frames(c->fabric, rank);
        net_comm_close(r->comm);
        if (mem_budget_used(r->budget))
            wrong(c, "rank %u has %" PRIu64 " bytes of its budget left", rank,
                  mem_budget_used(r->budget));
        mem_budget_free(r->budget);
        pthread_mutex_destroy(&r->lock);
        pthread_cond_destroy(&r->changed);
    }
    net_fabric_free(c->fabric);
    mem_free(c->ranks);
    pthread_mutex_destroy(&c->lock);
}

/* One lane of a rank that the seed chooses, if any is ready. */
static bool step_lane(cluster *c, uint64_t dice)
{
    for (unsigned i = 0; i < c->options.ranks; i++) {
        rank_run *r = &c->ranks[(dice + i) % c->options.ranks];
        lane *l = take_ready(r);
        if (!l)
            continue;
        run_lane(l);
        return true;
    }
    return false;
}

static bool is_all_done(const cluster *c)
{
    for (unsigned rank = 0; rank < c->options.ranks; rank++)
        if (!c->ranks[rank].is_done)
            return false;
    return true;
}

/* Longer than peer_timeout takes to strike, in heartbeats of all ranks. */
#define IDLE_STEPS 4000

static void run_stepped(cluster *c)
{
    unsigned idle = 0;
    for (uint64_t step = 0; !is_all_done(c) && !c->is_wrong; step++) {
        uint64_t dice = chance(c, step, 0, 0, 20);
        bool has_moved = (dice % 2 && step_lane(c, dice / 2)) || net_fabric_step(c->fabric) ||
                         step_lane(c, dice / 2);
        idle = has_moved ? 0 : idle + 1;
        if (idle > IDLE_STEPS)
            wrong(c, "nothing is under way, and not all is done");
    }
}

static void run_threaded(cluster *c)
{
    pthread_t threads[MOST_RANKS * 4];
    unsigned count = 0;
    for (unsigned rank = 0; rank < c->options.ranks; rank++)
        for (unsigned i = 0; i < c->options.workers; i++)
            if (pthread_create(&threads[count++], NULL, work, &c->ranks[rank]))
                abort();
    for (unsigned i = 0; i < count; i++)
        pthread_join(threads[i], NULL);
}

cluster_result cluster_run(const cluster_options *options)
{
    cluster c = {.options = *options};
    open_cluster(&c);
    if (options->failing_allocation)
        fault_arm(FAULT_ALLOC, options->failing_allocation, FAULT_ONCE);
    for (unsigned rank = 0; rank < options->ranks; rank++)
        next_query(&c.ranks[rank]);
    if (options->is_stepped)
        run_stepped(&c);
    else
        run_threaded(&c);
    if (c.is_wrong && !is_all_done(&c)) /* what is left cannot be cleaned up */
        test_fail(__FILE__, __LINE__, "seed %" PRIu64 ": %s", options->seed, c.wrong);
    if (options->failing_allocation)
        c.result.has_faulted = fault_disarm(FAULT_ALLOC);
    close_cluster(&c);
    if (c.is_wrong)
        test_fail(__FILE__, __LINE__, "seed %" PRIu64 ": %s", options->seed, c.wrong);
    return c.result;
}
