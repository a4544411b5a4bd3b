/* test_net_comm.c - what a communicator promises, one thing at a time, on two or three stepped ranks.
 *
 * test_label: threads */
#include "net/local/fabric.h"
#include "test.h"

#include "net/collective_tree.h"
#include "net/local/local.h"

#define MOST_RANKS 3

static net_fabric *fabric;
static unsigned ranks;
static net_comm *comms[MOST_RANKS];
static mem_budget *budgets[MOST_RANKS];
static net_query *queries[MOST_RANKS];
static unsigned told[MOST_RANKS], woken;

static void tell(void *argument)
{
    ++*(unsigned *)argument;
}

static net_waiter waiter = {.wake = tell, .argument = &woken};

static void settle(void)
{
    while (net_fabric_step(fabric))
        ;
}

static void begin_queries(uint64_t number)
{
    for (unsigned i = 0; i < ranks; i++) {
        told[i] = 0;
        CHECK_OK(net_query_begin(comms[i], number, budgets[i], tell, &told[i], &queries[i]));
    }
}

static void begin_with(unsigned count)
{
    static const char *const hosts[MOST_RANKS] = {"a", "b", "c"};
    net_fabric_options options = {.ranks = count, .hosts = hosts, .seed = 1, .is_stepped = true};
    net_options comm_options = {.message_bytes = 1000, .credits = 3, .send_buffers = 2};
    ranks = count;
    CHECK_OK(net_fabric_new(&options, &fabric));
    for (unsigned i = 0; i < ranks; i++) {
        CHECK_OK(mem_budget_new(0, &budgets[i]));
        CHECK_OK(net_fabric_open(fabric, i, &comm_options, &comms[i]));
    }
    begin_queries(1);
    woken = 0;
}

static void begin(void)
{
    begin_with(2);
}

/* The rank is done. */
static void leave(unsigned rank)
{
    net_query_end(queries[rank]);
    net_comm_close(comms[rank]);
    queries[rank] = NULL;
    comms[rank] = NULL;
}

static void end_queries(void)
{
    for (unsigned i = 0; i < ranks; i++) {
        net_query_end(queries[i]);
        queries[i] = NULL;
    }
}

static void end(void)
{
    end_queries();
    for (unsigned i = 0; i < ranks; i++) {
        net_comm_close(comms[i]);
        CHECK_EQ(mem_budget_used(budgets[i]), 0);
        mem_budget_free(budgets[i]);
    }
    net_fabric_free(fabric);
}

static net_exchange *open_exchange(unsigned rank, uint32_t id, const char *name)
{
    net_exchange *exchange;
    net_exchange_options options = {.id = id, .name = name};
    CHECK_OK(net_exchange_open(queries[rank], &options, &exchange));
    return exchange;
}

static net_state send_one(net_exchange *exchange, unsigned peer, const char *text)
{
    net_message *message;
    net_state state;
    CHECK_OK(net_try_message(exchange, peer, NULL, &state, &message));
    if (state != NET_READY)
        return state;
    message->bytes = (uint32_t)strlen(text);
    memcpy(message->data, text, message->bytes);
    net_send(exchange, &message);
    return state;
}

/* Sends until it must wait. */
static unsigned send_all(net_exchange *exchange, unsigned peer)
{
    unsigned count = 0;
    while (count < 100 && send_one(exchange, peer, "text") == NET_READY) {
        count++;
        settle();
    }
    return count;
}

static net_state receive_one(net_exchange *exchange, const char *expected)
{
    net_message *message;
    net_state state;
    CHECK_OK(net_try_receive(exchange, NET_ANY, NULL, &state, &message));
    if (state == NET_READY) {
        CHECK_EQ(message->bytes, strlen(expected));
        CHECK(!memcmp(message->data, expected, message->bytes));
    }
    net_message_free(message);
    return state;
}

static void end_exchange(net_exchange *exchange)
{
    net_end(exchange, 0);
    net_end(exchange, 1);
}

/* Receives what is left, and closes. */
static void finish(net_exchange *exchanges[2])
{
    for (unsigned i = 0; i < 2; i++)
        end_exchange(exchanges[i]);
    for (unsigned i = 0; i < 2; i++) {
        do
            settle();
        while (receive_one(exchanges[i], "text") == NET_READY);
        CHECK_EQ(receive_one(exchanges[i], ""), NET_ENDED);
        net_exchange_close(exchanges[i]);
    }
}

TEST(a_slow_receiver_holds_its_sender_back_and_nobody_else)
{
    begin();
    net_exchange *slow[2], *other[2];
    slow[0] = open_exchange(0, 1, "slow");
    /* Nothing goes out before the receiver is there: two messages are queued. */
    CHECK_EQ(send_all(slow[0], 1), 2);
    CHECK_EQ(net_comm_counts(comms[0], 1).messages_sent, 0);
    slow[1] = open_exchange(1, 1, "slow");
    settle();
    /* Three are at the receiver, two wait for credits. */
    CHECK_EQ(send_all(slow[0], 1), 3);
    CHECK_EQ(net_comm_counts(comms[1], 0).messages_received, 3);
    for (unsigned i = 0; i < 2; i++)
        other[i] = open_exchange(i, 2, "other");
    settle();
    CHECK_EQ(send_all(other[0], 1), 5);
    /* One is taken: one more. */
    net_message *message;
    net_state state;
    CHECK_OK(net_try_message(slow[0], 1, &waiter, &state, &message));
    CHECK_EQ(state, NET_WAIT);
    CHECK_EQ(woken, 0);
    CHECK_EQ(receive_one(slow[1], "text"), NET_READY);
    settle();
    CHECK_EQ(woken, 1);
    CHECK_EQ(send_all(slow[0], 1), 1);
    /* A receiver's memory that is held is not promised again. */
    CHECK_OK(net_try_receive(slow[1], 0, NULL, &state, &message));
    settle();
    CHECK_EQ(send_all(slow[0], 1), 0);
    net_message_free(message);
    settle();
    CHECK_EQ(send_all(slow[0], 1), 1);
    finish(slow);
    finish(other);
    CHECK_EQ(net_comm_counts(comms[0], 1).bytes_sent, 12 * 4);
    end();
}

/* ---- cargo ---- */

static unsigned dropped;

static void drop(net_cargo *cargo)
{
    dropped++;
    cargo->bytes = 0;
}

static net_state send_cargo(net_exchange *exchange, unsigned peer, net_cargo *cargo)
{
    net_message *message;
    net_state state;
    CHECK_OK(net_try_message(exchange, peer, NULL, &state, &message));
    if (state != NET_READY)
        return state;
    *cargo = (net_cargo){.drop = drop, .bytes = 7};
    message->bytes = 1;
    message->data[0] = 0;
    message->cargo = cargo;
    net_send(exchange, &message);
    return state;
}

/* One that was received goes with its message, or is whoever's took it; one that nobody receives is dropped once. */
TEST(a_cargo_arrives_or_is_dropped)
{
    begin();
    net_cargo cargos[8];
    net_message *message;
    net_state state;
    net_exchange *exchanges[2] = {open_exchange(0, 1, "rows"), open_exchange(1, 1, "rows")};
    dropped = 0;
    CHECK(net_comm_takes_cargo(comms[0]));
    settle();
    CHECK_EQ(send_cargo(exchanges[0], 1, &cargos[0]), NET_READY);
    CHECK_EQ(send_cargo(exchanges[0], 0, &cargos[1]), NET_READY);
    settle();
    CHECK_EQ(dropped, 0);
    CHECK_OK(net_try_receive(exchanges[1], 0, NULL, &state, &message));
    CHECK(message->cargo == &cargos[0]);
    message->cargo = NULL; /* taken */
    net_message_free(message);
    CHECK_EQ(dropped, 0);
    CHECK_OK(net_try_receive(exchanges[0], 0, NULL, &state, &message));
    CHECK(message->cargo == &cargos[1]);
    net_message_free(message);
    CHECK_EQ(dropped, 1);
    /* A failure drops what is queued, what is under way, what has come, and what is held. */
    for (unsigned i = 2; i < 6; i++) {
        settle();
        CHECK_EQ(send_cargo(exchanges[0], 1, &cargos[i]), NET_READY);
    }
    CHECK_OK(net_try_receive(exchanges[1], 0, NULL, &state, &message));
    net_query_fail(queries[0], status_new(STATUS_KIND_IO, "it fails"));
    settle();
    net_message_free(message);
    settle();
    CHECK_EQ(dropped, 5);
    for (unsigned i = 0; i < 2; i++)
        net_exchange_close(exchanges[i]);
    end();
}

TEST(memory_of_messages_is_charged_and_given_back)
{
    begin();
    uint64_t message = 1000;
    net_exchange *exchanges[2] = {open_exchange(0, 1, "rows"), open_exchange(1, 1, "rows")};
    /* Two to send to each rank, three to receive from the other. */
    CHECK_EQ(mem_budget_used(budgets[0]), (2 + 2 + 3) * message);
    end_exchange(exchanges[0]);
    CHECK_EQ(mem_budget_used(budgets[0]), 3 * message);
    end_exchange(exchanges[1]);
    settle();
    CHECK_EQ(mem_budget_used(budgets[0]), 0);
    for (unsigned i = 0; i < 2; i++)
        net_exchange_close(exchanges[i]);
    end();
}

TEST(a_failure_arrives_with_rank_host_hint_and_position)
{
    begin();
    net_exchange *exchange = open_exchange(0, 1, "rows");
    net_message *message;
    net_state state;
    CHECK_OK(net_try_receive(exchange, NET_ANY, &waiter, &state, &message));
    CHECK_EQ(state, NET_WAIT);
    net_query_fail(queries[1],
                   status_at(status_hint(status_new(STATUS_KIND_DATA, "it broke"), "mend it"), 17));
    settle();
    CHECK_EQ(woken, 1);
    CHECK_EQ(told[0], 1);
    CHECK_EQ(told[1], 0);
    status st = net_try_receive(exchange, NET_ANY, NULL, &state, &message);
    CHECK_TEXT_EQ(status_message(st), "rank 1 (host b): it broke");
    CHECK_TEXT_EQ(status_get_hint(st), "mend it");
    CHECK_EQ(status_position(st), 17);
    CHECK_EQ(status_get_kind(st), STATUS_KIND_DATA);
    status_free(st);
    net_exchange_close(exchange);
    /* The next query runs. */
    end_queries();
    begin_queries(2);
    net_exchange *exchanges[2] = {open_exchange(0, 1, "rows"), open_exchange(1, 1, "rows")};
    settle();
    CHECK_EQ(send_one(exchanges[1], 0, "text"), NET_READY);
    finish(exchanges);
    end();
}

/* A query that failed elsewhere before it began here. */
TEST(a_failure_waits_for_a_query)
{
    begin();
    end_queries();
    CHECK_OK(net_query_begin(comms[1], 2, budgets[1], NULL, NULL, &queries[1]));
    net_query_fail(queries[1], status_new(STATUS_KIND_CANCELLED, "cancelled"));
    settle();
    CHECK_OK(net_query_begin(comms[0], 2, budgets[0], NULL, NULL, &queries[0]));
    CHECK_FAILS(net_query_failure(queries[0]), STATUS_KIND_CANCELLED, "rank 1 (host b): cancelled");
    end();
}

TEST(a_receiver_that_wants_no_more_says_so)
{
    begin();
    net_exchange *exchanges[2] = {open_exchange(0, 1, "rows"), open_exchange(1, 1, "rows")};
    settle();
    CHECK_EQ(send_all(exchanges[0], 1), 5);
    net_decline(exchanges[1]);
    CHECK_EQ(receive_one(exchanges[1], ""), NET_ENDED);
    settle();
    CHECK_EQ(send_one(exchanges[0], 1, "text"), NET_ENDED);
    CHECK_EQ(send_one(exchanges[1], 1, "text"), NET_ENDED); /* to itself */
    CHECK_EQ(send_one(exchanges[1], 0, "text"), NET_READY);
    finish(exchanges);
    end();
}

TEST(ranks_that_differ_in_the_size_of_messages_fail)
{
    begin();
    net_exchange *exchange, *here = open_exchange(0, 1, "rows of orders");
    net_exchange_options options = {.id = 1, .name = "rows of orders", .message_bytes = 500};
    CHECK_OK(net_exchange_open(queries[1], &options, &exchange));
    settle();
    for (unsigned i = 0; i < 2; i++)
        CHECK_FAILS(net_query_failure(queries[i]), STATUS_KIND_INVALID,
                    "messages of rows of orders");
    net_exchange_close(here);
    net_exchange_close(exchange);
    end();
}

TEST(a_side_that_is_closed_before_its_end_fails_the_query)
{
    begin();
    net_exchange *exchanges[2] = {open_exchange(0, 1, "rows"), open_exchange(1, 1, "rows")};
    settle();
    CHECK_EQ(send_one(exchanges[0], 1, "text"), NET_READY);
    net_exchange_close(exchanges[0]);
    settle();
    CHECK_FAILS(net_query_failure(queries[1]), STATUS_KIND_INTERNAL,
                "rows is closed before its end");
    net_exchange_close(exchanges[1]);
    end();
}

/* A rank that has got all it wanted does not mind that another leaves. */
TEST(a_rank_that_leaves)
{
    begin();
    net_exchange *exchanges[2] = {open_exchange(0, 1, "rows"), open_exchange(1, 1, "rows")};
    settle();
    CHECK_EQ(send_one(exchanges[1], 0, "text"), NET_READY);
    end_exchange(exchanges[0]);
    end_exchange(exchanges[1]);
    settle();
    CHECK_EQ(receive_one(exchanges[1], ""), NET_ENDED);
    net_exchange_close(exchanges[1]);
    net_query_end(queries[1]);
    net_comm_close(comms[1]);
    CHECK(net_comm_has_left(comms[0], 1));
    CHECK_EQ(receive_one(exchanges[0], "text"), NET_READY);
    CHECK_EQ(receive_one(exchanges[0], ""), NET_ENDED);
    net_exchange_close(exchanges[0]);
    net_exchange_options options = {.id = 2, .name = "more"};
    CHECK_FAILS(net_exchange_open(queries[0], &options, &exchanges[0]), STATUS_KIND_IO,
                "rank 1 (host b) has left");
    net_query_end(queries[0]);
    queries[0] = queries[1] = NULL;
    CHECK_FAILS(net_query_begin(comms[0], 2, budgets[0], NULL, NULL, &queries[0]), STATUS_KIND_IO,
                "has left");
    comms[1] = NULL;
    end();
}

TEST(a_rank_that_leaves_too_early)
{
    begin();
    net_exchange *exchange = open_exchange(0, 1, "rows of orders");
    net_query_end(queries[1]);
    net_comm_close(comms[1]);
    settle();
    CHECK_EQ(told[0], 1);
    CHECK_FAILS(net_query_failure(queries[0]), STATUS_KIND_IO,
                "rows of orders: rank 1 (host b) has left");
    net_exchange_close(exchange);
    comms[1] = NULL;
    queries[1] = NULL;
    end();
}

/* It waits for what it still has to send, although somebody has left before: here two messages, for
 * which the receiver's credits are on their way, and its end. */
TEST(a_rank_that_leaves_after_another_one_says_first_what_it_has_to_say)
{
    begin_with(3);
    net_exchange *exchanges[3];
    for (unsigned i = 0; i < 3; i++)
        exchanges[i] = open_exchange(i, 1, "rows");
    settle();
    end_exchange(exchanges[0]); /* which sends nothing, and is sent nothing */
    net_end(exchanges[0], 2);
    net_end(exchanges[1], 0);
    net_end(exchanges[2], 0);
    settle();
    CHECK_EQ(receive_one(exchanges[0], ""), NET_ENDED);
    net_exchange_close(exchanges[0]);
    leave(0);
    settle();
    CHECK(net_comm_has_left(comms[1], 0));
    CHECK(net_comm_has_left(comms[2], 0));
    CHECK_EQ(send_all(exchanges[1], 2), 5); /* three are there, two wait for credits */
    for (unsigned i = 0; i < 3; i++)
        CHECK_EQ(receive_one(exchanges[2], "text"), NET_READY);
    net_end(exchanges[1], 1);
    net_end(exchanges[1], 2);
    net_exchange_close(exchanges[1]);
    leave(1);
    settle();
    CHECK(net_comm_has_left(comms[2], 1));
    CHECK_OK(net_query_failure(queries[2]));
    net_end(exchanges[2], 1);
    net_end(exchanges[2], 2);
    for (unsigned i = 0; i < 2; i++)
        CHECK_EQ(receive_one(exchanges[2], "text"), NET_READY);
    CHECK_EQ(receive_one(exchanges[2], ""), NET_ENDED);
    net_exchange_close(exchanges[2]);
    end();
}

TEST(more_bytes_than_may_be_gathered_fail_everywhere)
{
    begin();
    static char bytes[3000];
    net_collective *gatherings[2];
    for (unsigned i = 0; i < 2; i++)
        CHECK_OK(
            net_gather(queries[i], 1, "footers", bytes, sizeof bytes, 0, 5000, &gatherings[i]));
    settle();
    CHECK_FAILS(net_query_failure(queries[1]), STATUS_KIND_LIMIT,
                "rank 0 (host a): footers: ranks have more than the 5000 bytes");
    for (unsigned i = 0; i < 2; i++)
        net_collective_close(gatherings[i]);
    end();
}

/* Each rank but the root has one parent, with a lower place; below a rank are those up to its end. */
TEST(trees_have_all_ranks)
{
    for (unsigned count = 1; count <= 40; count++) {
        net_tree tree = {.ranks = count, .root = count / 3};
        for (unsigned rank = 0; rank < count; rank++) {
            unsigned place = net_tree_place(tree, rank), parents = 0, below = 1;
            CHECK_EQ(net_tree_rank(tree, place), rank);
            for (unsigned other = 0; other < count; other++) {
                parents += net_tree_is_child(other, place);
                if (net_tree_is_child(place, other))
                    below += net_tree_end(tree, other) - other;
            }
            CHECK_EQ(parents, place != 0);
            CHECK_EQ(below, net_tree_end(tree, place) - place);
        }
    }
}
