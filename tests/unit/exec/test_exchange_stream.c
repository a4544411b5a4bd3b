/* test_exchange_stream.c - messages of an exchange, as one rank sends them to itself: streams stay in
 * order whoever reads them, columns that do not travel come back empty, and what is not a message is
 * refused.
 *
 * test_label: threads */
#include "device/chunk.h"
#include "net/local/fabric.h"
#include "test.h"

#include "exec/exchange/exchange_lane.h"
#include "net/local/local.h"

#define ROWS 5000
#define MESSAGE_BYTES 256

static mem_budget *budget;
static device *dev;
static net_fabric *fabric;
static net_comm *comm;
static net_query *query;
static net_exchange *net;
static exchange_streams streams;

/* Makes columns a, b and c, of which b stays behind. */
static exchange_columns make_columns(void)
{
    exchange_columns columns = {.count = 2, .all_count = 3};
    columns.sources = mem_new_array(2, sizeof *columns.sources);
    columns.types = mem_new_array(2, sizeof *columns.types);
    CHECK(columns.sources && columns.types);
    columns.sources[1] = 2;
    columns.types[0] = type_make(TYPE_INT64);
    columns.types[1] = type_make(TYPE_INT32);
    return columns;
}

static void begin(void)
{
    const net_fabric_options fabric_options = {.ranks = 1};
    const net_options options = {.message_bytes = MESSAGE_BYTES, .credits = 1000};
    const net_exchange_options exchange = {.id = 20, .name = "rows", .send_buffers = 1000};
    CHECK_OK(mem_budget_new(0, &budget));
    CHECK_OK(dev_open_cpu("auto", 0, budget, &dev));
    CHECK_OK(net_fabric_new(&fabric_options, &fabric));
    CHECK_OK(net_fabric_open(fabric, 0, &options, &comm));
    CHECK_OK(net_query_begin(comm, 1, budget, NULL, NULL, &query));
    CHECK_OK(net_exchange_open(query, &exchange, &net));
    CHECK_OK(exchange_streams_init(&streams, dev, "rows", make_columns(), 1));
}

static void end(void)
{
    exchange_streams_release(&streams);
    net_exchange_close(net);
    net_query_end(query);
    net_comm_close(comm);
    net_fabric_free(fabric);
    dev_close(dev);
    mem_budget_free(budget);
}

/* a: from `first` on; c: the same, negative. */
static chunk *make_rows(int64_t first, uint64_t count)
{
    chunk *c;
    CHECK_OK(chunk_new(2, dev_count_exact(count), &c));
    CHECK_OK(tensor_new_flat(dev, type_make(TYPE_INT64), count, false, &c->columns[0]));
    CHECK_OK(tensor_new_flat(dev, type_make(TYPE_INT32), count, false, &c->columns[1]));
    for (uint64_t i = 0; i < count; i++) {
        ((int64_t *)c->columns[0]->values)[i] = first + (int64_t)i;
        ((int32_t *)c->columns[1]->values)[i] = -(int32_t)(first + (int64_t)i);
    }
    return c;
}

static void send_one(exchange_lane *lane)
{
    uint32_t rank;
    while (exchange_lane_next(lane, &rank)) {
        net_state is;
        net_message *message;
        CHECK_OK(net_try_message(net, rank, NULL, &is, &message));
        CHECK_EQ(is, NET_READY);
        CHECK_OK(exchange_lane_fill(lane, message));
        net_send(net, &message);
        lane->next++;
    }
}

/* Two streams, whose messages alternate. */
static void send_all(void)
{
    exchange_lane lanes[2];
    exchange_columns columns = make_columns();
    for (uint32_t i = 0; i < 2; i++) {
        const exchange_lane_options options = {
            .dev = dev, .columns = &columns, .stream = i, .end = 1, .message_bytes = MESSAGE_BYTES};
        CHECK_OK(exchange_lane_init(&lanes[i], &options));
        exchange_lane_give(&lanes[i], make_rows(i * ROWS, ROWS), 0, ROWS);
    }
    while (lanes[0].rows || lanes[1].rows)
        for (uint32_t i = 0; i < 2; i++) {
            CHECK_OK(exchange_lane_write(&lanes[i]));
            if (!lanes[i].rows)
                exchange_lane_flush(&lanes[i]);
            send_one(&lanes[i]);
        }
    exchange_lane_release(&lanes[0]);
    exchange_lane_release(&lanes[1]);
    exchange_columns_release(&columns);
    net_end(net, 0);
}

/* Looks at the rows of a stream, which come in order. */
static void check_rows(const chunk *c, int64_t next[2])
{
    CHECK_EQ(c->column_count, 3);
    CHECK(c->columns[0] && !c->columns[1] && c->columns[2]);
    const int64_t *a = c->columns[0]->values;
    const int32_t *last = c->columns[2]->values;
    for (uint64_t i = 0; i < c->rows.bound; i++) {
        unsigned stream = a[i] >= ROWS;
        CHECK_EQ(a[i], next[stream]++);
        CHECK_EQ(last[i], -a[i]);
    }
}

TEST(streams_stay_in_order)
{
    begin();
    send_all();
    /* Two that read in turns, as tasks do; each may get whichever stream is free. */
    exchange_stream *stream[2] = {NULL, NULL};
    bool has_ended[2] = {false, false};
    int64_t next[2] = {0, ROWS};
    for (unsigned reader = 0; !has_ended[0] || !has_ended[1]; reader = !reader) {
        net_state is;
        net_message *message;
        chunk *c;
        CHECK_OK(exchange_streams_next(&streams, net, NULL, &stream[reader], &is, &message));
        has_ended[reader] = is == NET_ENDED;
        CHECK(is != NET_WAIT && (is == NET_ENDED || stream[0] != stream[1]));
        if (!message)
            continue;
        CHECK_OK(exchange_stream_read(&streams, stream[reader], message, &c));
        net_message_free(message);
        if (c)
            check_rows(c, next);
        chunk_free(c);
    }
    CHECK_EQ(next[0], ROWS);
    CHECK_EQ(next[1], 2 * ROWS);
    end();
}

static void note_wake(void *argument)
{
    ++*(unsigned *)argument;
}

/* A task that has had enough leaves messages of its stream behind: whoever waits is woken, and gets them in order. */
TEST(what_is_left_goes_to_others)
{
    enum { FIRST, SECOND };
    begin();
    exchange_lane lane;
    exchange_columns columns = make_columns();
    const exchange_lane_options options = {
        .dev = dev, .columns = &columns, .end = 1, .message_bytes = MESSAGE_BYTES};
    exchange_stream *stream[2] = {NULL, NULL};
    unsigned wakes = 0;
    net_waiter waiter = {.wake = note_wake, .argument = &wakes};
    int64_t next[2] = {0, ROWS};
    net_message *message[2];
    net_state is;
    chunk *c;
    CHECK_OK(exchange_lane_init(&lane, &options));
    exchange_lane_give(&lane, make_rows(0, ROWS), 0, ROWS);
    for (unsigned i = 0; i < 3; i++) {
        CHECK_OK(exchange_lane_write(&lane));
        send_one(&lane);
    }
    CHECK_OK(exchange_streams_next(&streams, net, NULL, &stream[FIRST], &is, &message[FIRST]));
    CHECK(is == NET_READY && stream[FIRST]);
    /* The others of what is there go behind the first one's. */
    CHECK_OK(exchange_streams_next(&streams, net, &waiter, &stream[SECOND], &is, &message[SECOND]));
    CHECK(is == NET_WAIT && !stream[SECOND] && !wakes);
    CHECK_OK(exchange_stream_read(&streams, stream[FIRST], message[FIRST], &c));
    net_message_free(message[FIRST]);
    if (c)
        check_rows(c, next);
    chunk_free(c);
    exchange_streams_leave(&streams, net, stream[FIRST]);
    CHECK_EQ(wakes, 1);
    while (lane.rows) {
        CHECK_OK(exchange_lane_write(&lane));
        if (!lane.rows)
            exchange_lane_flush(&lane);
        send_one(&lane);
    }
    net_end(net, 0);
    for (is = NET_READY; is != NET_ENDED;) {
        CHECK_OK(
            exchange_streams_next(&streams, net, NULL, &stream[SECOND], &is, &message[SECOND]));
        CHECK(is != NET_WAIT);
        if (is == NET_ENDED)
            break;
        CHECK_OK(exchange_stream_read(&streams, stream[SECOND], message[SECOND], &c));
        net_message_free(message[SECOND]);
        if (c)
            check_rows(c, next);
        chunk_free(c);
    }
    CHECK_EQ(next[0], ROWS);
    exchange_streams_leave(&streams, net, NULL);
    exchange_lane_release(&lane);
    exchange_columns_release(&columns);
    end();
}

static void check_refused(const void *bytes, uint32_t count)
{
    begin();
    net_state is;
    net_message *message;
    exchange_stream *stream = NULL;
    chunk *c;
    CHECK_OK(net_try_message(net, 0, NULL, &is, &message));
    memcpy(message->data, bytes, count);
    message->bytes = count;
    net_send(net, &message);
    net_end(net, 0);
    status st = exchange_streams_next(&streams, net, NULL, &stream, &is, &message);
    if (!st) {
        st = exchange_stream_read(&streams, stream, message, &c);
        net_message_free(message);
    }
    CHECK_EQ(status_get_kind(st), STATUS_KIND_CORRUPT);
    CHECK(strstr(status_message(st), "rank 0"));
    status_free(st);
    net_decline(net);
    end();
}

TEST(what_is_no_message_is_refused)
{
    const uint32_t large[] = {EXCHANGE_STREAMS_MAX, 0, 0, 0}, zero[] = {0, 1, 0, 0},
                   rubbish[] = {3, 0, 77, 99, 5, 5};
    check_refused(large, sizeof large);
    check_refused(zero, sizeof zero);
    check_refused(zero, 4);
    check_refused(rubbish, sizeof rubbish);
}
