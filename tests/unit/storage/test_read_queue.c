/* test_read_queue.c - parts that wait for a device: whose comes next, worked out by hand from the shares of read_queue.h. */
#include "storage/read_queue.h"
#include "test.h"

#define MIB ((size_t)1 << 20)
enum { PARTS = 64 };

static read_item parts[3][PARTS];

/* Puts so many parts of 1 MiB of a share into the queue. */
static void put(read_queue *queue, read_share *share, read_item *of, unsigned count)
{
    for (unsigned i = 0; i < count; i++) {
        of[i] = (read_item){.share = share, .bytes = MIB};
        read_queue_put(queue, &of[i]);
    }
}

/* Takes parts, each of which must be of the share that a letter names: L the first, S the second, N nobody's. */
static void take(read_queue *queue, const read_share shares[2], const char *expected)
{
    for (; *expected; expected++) {
        const read_item *part = read_queue_take(queue);
        CHECK(part);
        CHECK(part->share == (*expected == 'L'   ? &shares[0]
                              : *expected == 'S' ? &shares[1]
                                                 : NULL));
    }
}

TEST(what_a_short_statement_reads_comes_before_what_a_long_one_reads_ahead)
{
    read_share shares[2] = {{1 << 30}, {0}};
    read_queue queue = {0};
    put(&queue, &shares[0], parts[0], 3);
    put(&queue, &shares[1], parts[1], 5);
    take(&queue, shares, "LSSSSSLL");
    CHECK(!read_queue_take(&queue));
    CHECK(shares[1].bytes == 5 * MIB);
}

/* A part of who has read 512 MiB weighs 16, of who has read less than 32 MiB 1, between them 4. */
TEST(the_longer_a_statement_reads_the_more_it_is_one_among_others)
{
    read_share shares[2] = {{1 << 30}, {0}};
    read_queue queue = {0};
    put(&queue, &shares[0], parts[0], 6);
    put(&queue, &shares[1], parts[1], 42);
    take(&queue, shares,
         "L"
         "SSSSSSSSSSSSSSSS"
         "L"
         "SSSSSSSSSSSSSSSS"
         "L"
         "SSSS"
         "L"
         "SSSS"
         "L");
}

TEST(nobody_is_owed_what_he_did_not_ask_for)
{
    read_share shares[2] = {{1 << 30}, {1 << 30}};
    read_queue queue = {0};
    put(&queue, &shares[0], parts[0], 10);
    take(&queue, shares, "LLLLL");
    put(&queue, &shares[1], parts[1], 5);
    take(&queue, shares, "SLSLSLSLSL");
}

TEST(reads_of_nobody_in_particular_take_turns)
{
    read_share shares[2] = {{0}, {0}};
    read_queue queue = {0};
    put(&queue, &shares[0], parts[0], 2);
    put(&queue, &shares[1], parts[1], 2);
    put(&queue, NULL, parts[2], 2);
    take(&queue, shares, "LSNLSN");
    CHECK(!read_queue_take(&queue));
}

/* Some have one list together where more read than there are lists: all is read, and each one's in its order. */
TEST(more_read_than_there_are_lists)
{
    enum { READERS = 3 * READ_LISTS, EACH = 3 };
    static read_share shares[READERS];
    static read_item some[EACH][READERS];
    unsigned taken[READERS] = {0};
    read_queue queue = {0};
    for (unsigned i = 0; i < EACH; i++)
        for (unsigned k = 0; k < READERS; k++) {
            some[i][k] = (read_item){.share = &shares[k], .bytes = MIB + i};
            read_queue_put(&queue, &some[i][k]);
        }
    for (unsigned i = 0; i < EACH * READERS; i++) {
        const read_item *part = read_queue_take(&queue);
        CHECK(part);
        CHECK(part->bytes == MIB + taken[part->share - shares]++);
    }
    CHECK(!read_queue_take(&queue));
}
