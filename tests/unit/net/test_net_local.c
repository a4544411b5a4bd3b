/* test_net_local.c - made-up queries over the local network: by seeds, step by step, with faults and
 * without, and by threads.
 *
 * test_label: threads
 * test_cost: 30 */
#include "net_cluster.h"
#include "test.h"

/* TEST_NET_SEED=n: that seed alone, or TEST_NET_SEEDS=k from it on. */
static uint64_t first_seed(void)
{
    const char *text = getenv("TEST_NET_SEED");
    return text ? strtoull(text, NULL, 10) : 1;
}

/* Whether the test takes a seed: one that was named, or each fourth, by the gate's number. */
static bool takes_seed(uint64_t seed)
{
    return getenv("TEST_NET_SEED") || test_has_less_to_do() || test_is_in_turn(seed, 4);
}

static uint64_t seed_count(uint64_t count)
{
    const char *text = getenv("TEST_NET_SEEDS");
    if (text)
        return strtoull(text, NULL, 10);
    if (getenv("TEST_NET_SEED"))
        return 1;
    return test_has_less_to_do() ? count / 8 + 1 : count;
}

TEST(every_message_arrives_once_in_order)
{
    uint64_t frames = 0;
    for (uint64_t i = 0, seed = first_seed(); i < seed_count(80); i++, seed++) {
        if (!takes_seed(seed))
            continue;
        cluster_options options = {
            .ranks = 1 + (unsigned)(seed % 5), .queries = 3, .seed = seed, .is_stepped = true};
        cluster_result result = cluster_run(&options);
        CHECK_EQ(result.completed, options.ranks * options.queries);
        CHECK_EQ(result.failed, 0);
        frames += result.frames;
    }
    CHECK(frames > 300);
}

/* More than net_unite has speak each to each; some of whom have no parent's bytes to hand on. */
TEST(many_ranks_send_along_a_tree)
{
    for (uint64_t i = 0, seed = first_seed(); i < seed_count(8); i++, seed++) {
        if (!takes_seed(seed))
            continue;
        cluster_options options = {
            .ranks = 9 + (unsigned)(seed % 8), .queries = 2, .seed = seed, .is_stepped = true};
        cluster_result result = cluster_run(&options);
        CHECK_EQ(result.completed, options.ranks * options.queries);
    }
}

TEST(many_ranks_lose_one)
{
    for (uint64_t i = 0, seed = first_seed(); i < seed_count(8); i++, seed++) {
        if (!takes_seed(seed))
            continue;
        cluster_options options = {.ranks = 9 + (unsigned)(seed % 8),
                                   .queries = 2,
                                   .seed = seed,
                                   .is_stepped = true,
                                   .fault = NET_FAULT_GONE + seed % 3,
                                   .fault_rank = (unsigned)(seed % 9),
                                   .fault_frame = 1 + seed * 113 % 900};
        cluster_run(&options);
    }
}

TEST(a_seed_repeats_itself)
{
    cluster_options options = {.ranks = 4, .queries = 3, .seed = 7, .is_stepped = true};
    cluster_result first = cluster_run(&options), second = cluster_run(&options);
    CHECK_EQ(first.frames, second.frames);
    CHECK_EQ(first.nanoseconds, second.nanoseconds);
}

/* One rank's failure is everybody's, and the next query runs. */
TEST(a_failure_is_everybodys)
{
    unsigned failed = 0, completed = 0;
    for (uint64_t i = 0, seed = first_seed(); i < seed_count(80); i++, seed++) {
        if (!takes_seed(seed))
            continue;
        cluster_options options = {.ranks = 2 + (unsigned)(seed % 3),
                                   .queries = 6,
                                   .seed = seed,
                                   .is_stepped = true,
                                   .has_failing_lanes = true};
        cluster_result result = cluster_run(&options);
        CHECK_EQ(result.failed + result.completed, options.ranks * options.queries);
        failed += result.failed;
        completed += result.completed;
    }
    CHECK(failed > 0 && completed > 0);
}

static void run_faults(net_fault_kind fault, const char *part)
{
    unsigned struck = 0, failed = 0, named = 0;
    for (uint64_t i = 0, seed = first_seed(); i < seed_count(100); i++, seed++) {
        if (!takes_seed(seed))
            continue;
        cluster_options options = {.ranks = 2 + (unsigned)(seed % 4),
                                   .queries = 3,
                                   .seed = seed,
                                   .is_stepped = true,
                                   .fault = fault,
                                   .fault_frame = 1 + seed * 37 % 600};
        options.fault_rank = (unsigned)(seed / 4 % options.ranks);
        cluster_result result = cluster_run(&options);
        struck += result.has_faulted;
        failed += result.failed;
        named += result.failure[0] && strstr(result.failure, part);
    }
    CHECK(struck > 0 && failed > 0 && named > 0);
}

TEST(a_rank_that_goes_fails_the_query)
{
    run_faults(NET_FAULT_GONE, "is gone");
}

TEST(a_rank_that_falls_silent_is_gone_after_peer_timeout)
{
    run_faults(NET_FAULT_SILENT, "nothing came from it for 5.");
}

TEST(a_rank_that_sends_rubbish_is_gone)
{
    run_faults(NET_FAULT_RUBBISH, "it sent");
}

/* The smallest memory with which exchanges and collectives open at all, and less. */
TEST(little_memory_is_enough_or_an_error)
{
    for (uint64_t i = 0, seed = first_seed(); i < seed_count(60); i++, seed++) {
        if (!takes_seed(seed))
            continue;
        cluster_options options = {.ranks = 3,
                                   .queries = 3,
                                   .seed = seed,
                                   .is_stepped = true,
                                   .memory_limit = 1000 + seed * 40000 % 2500000};
        cluster_result result = cluster_run(&options);
        CHECK_EQ(result.failed + result.completed, options.ranks * options.queries);
    }
}

TEST(each_failing_allocation_fails_one_query_at_most)
{
    unsigned failed = 0;
    for (uint64_t nth = 1;; nth++) {
        cluster_options options = {
            .ranks = 3, .queries = 2, .seed = 3, .is_stepped = true, .failing_allocation = nth};
        cluster_result result = cluster_run(&options);
        failed += result.failed;
        if (!result.has_faulted) {
            CHECK_EQ(result.failed, 0);
            break;
        }
        nth += test_has_less_to_do() ? 30 : nth / 50;
    }
    CHECK(failed);
}

TEST(threads_send_and_receive)
{
    for (uint64_t i = 0, seed = first_seed(); i < seed_count(8); i++, seed++) {
        if (!takes_seed(seed))
            continue;
        cluster_options options = {.ranks = 1 + (unsigned)(seed % 4),
                                   .queries = 8,
                                   .seed = seed,
                                   .workers = 1 + (unsigned)(seed % 3)};
        cluster_result result = cluster_run(&options);
        CHECK_EQ(result.completed, options.ranks * options.queries);
    }
}

TEST(threads_send_and_receive_without_delay)
{
    for (uint64_t i = 0, seed = first_seed(); i < seed_count(20); i++, seed++) {
        if (!takes_seed(seed))
            continue;
        cluster_options options = {.ranks = 1 + (unsigned)(seed % 4),
                                   .queries = 20,
                                   .seed = seed,
                                   .workers = 1 + (unsigned)(seed % 3),
                                   .has_no_checksums = seed % 2,
                                   .has_no_delays = true};
        cluster_result result = cluster_run(&options);
        CHECK_EQ(result.completed, options.ranks * options.queries);
    }
}

TEST(threads_fail)
{
    for (uint64_t i = 0, seed = first_seed(); i < seed_count(8); i++, seed++) {
        if (!takes_seed(seed))
            continue;
        cluster_options options = {
            .ranks = 3, .queries = 20, .seed = seed, .workers = 2, .has_failing_lanes = true};
        cluster_result result = cluster_run(&options);
        CHECK_EQ(result.failed + result.completed, options.ranks * options.queries);
    }
}

TEST(threads_lose_a_rank)
{
    for (uint64_t i = 0, seed = first_seed(); i < seed_count(9); i++, seed++) {
        if (!takes_seed(seed))
            continue;
        cluster_options options = {.ranks = 3,
                                   .queries = 10,
                                   .seed = seed,
                                   .workers = 2,
                                   .fault = NET_FAULT_GONE + seed % 3,
                                   .fault_rank = (unsigned)(seed % 2),
                                   .fault_frame = 1 + seed * 113 % 900};
        cluster_run(&options);
    }
}
