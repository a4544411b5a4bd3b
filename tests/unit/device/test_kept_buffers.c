/* test_kept_buffers.c - the CPU device's buffers are used again: by what needs the same size or a
 * little less, and counted with what they really take.
 *
 * test_label: threads */
#include "test.h"

#include "base/budget.h"
#include "device/cpu/slab.h"
#include "device/device.h"

static device *dev;
static mem_budget *budget;

static void open_device(uint64_t limit)
{
    CHECK_OK(mem_budget_new(limit, &budget));
    CHECK_OK(dev_open_cpu("auto", 0, budget, &dev));
}

static void close_device(void)
{
    dev_close(dev);
    CHECK_EQ(mem_budget_used(budget), 0);
    mem_budget_free(budget);
}

/* The address of a buffer of so many bytes that is given back at once. */
static void *take_and_give(size_t bytes)
{
    dev_buffer *buffer;
    CHECK_OK(dev_alloc(dev, bytes, "test", &buffer));
    void *address = buffer->address;
    CHECK(mem_budget_used(budget) >= bytes);
    dev_buffer_unref(buffer);
    return address;
}

static bool keeps_buffers(void)
{
#if defined __SANITIZE_ADDRESS__ || defined __SANITIZE_THREAD__
    return false;
#else
    return true;
#endif
}

TEST(a_little_less_takes_the_same_buffer)
{
    if (!keeps_buffers())
        SKIP("with a sanitizer each buffer is fresh");
    open_device(0);
    void *first = take_and_give(1 << 20);
    CHECK(take_and_give((1 << 20) - 5000) == first);
    CHECK(take_and_give(700 << 10) == first);
    CHECK(take_and_give(300 << 10) != first);
    close_device();
}

TEST(no_larger_buffer_than_the_limit_allows)
{
    open_device(3 << 20);
    dev_buffer *other;
    take_and_give(1200 << 10);
    CHECK_OK(dev_alloc(dev, 2 << 20, "test", &other));
    CHECK(take_and_give(900 << 10)); /* the kept one would be too much */
    dev_buffer_unref(other);
    close_device();
}

/* Memory that a query held is kept for the next one, up to an eighth of the limit; but memory of other sizes takes
 * its place, so that both together are no more than what was in use. */
TEST(much_memory_is_kept_until_other_memory_is_made)
{
    enum { BUFFERS = 100, MB = 1 << 20 };
    dev_buffer *buffers[BUFFERS];
    void *addresses[BUFFERS];
    unsigned again = 0, left = 0;
    if (!keeps_buffers())
        SKIP("with a sanitizer each buffer is fresh");
    open_device((uint64_t)8 << 30);
    for (int round = 0; round < 3; round++) {
        for (unsigned i = 0; i < BUFFERS; i++) {
            CHECK_OK(dev_alloc(dev, 4 * MB, "test", &buffers[i]));
            for (unsigned k = 0; round && k < BUFFERS; k++)
                again += buffers[i]->address == addresses[k];
            memset(buffers[i]->address, (int)i + 1, 64);
        }
        for (unsigned i = 0; i < BUFFERS; i++) {
            CHECK_EQ(*(unsigned char *)buffers[i]->address, i + 1);
            addresses[i] = buffers[i]->address;
        }
        for (unsigned i = 0; i < BUFFERS; i++)
            dev_buffer_unref(buffers[i]);
    }
    CHECK_EQ(again, 2 * BUFFERS);
    /* 300 MB of another size: as many of the 400 go, and come back as new ones. */
    for (unsigned i = 0; i < 10; i++)
        CHECK_OK(dev_alloc(dev, 30 * MB, "test", &buffers[i]));
    for (unsigned i = 0; i < 10; i++)
        dev_buffer_unref(buffers[i]);
    for (unsigned i = 0; i < BUFFERS; i++) {
        CHECK_OK(dev_alloc(dev, 4 * MB, "test", &buffers[i]));
        left += *(unsigned char *)buffers[i]->address != 0;
    }
    CHECK(left < BUFFERS / 2);
    for (unsigned i = 0; i < BUFFERS; i++)
        dev_buffer_unref(buffers[i]);
    close_device();
}

static uint64_t lender_bytes;

static uint64_t lender_held(void *of)
{
    (void)of;
    return lender_bytes;
}

static void lender_keep(void *of, uint64_t bytes)
{
    (void)of, (void)bytes;
}

/* Returns whether a buffer comes again with what was written into it. */
static bool is_kept_buffer(size_t bytes)
{
    dev_buffer *buffer;
    CHECK_OK(dev_alloc(dev, bytes, "test", &buffer));
    memset(buffer->address, 1, bytes);
    dev_buffer_unref(buffer);
    CHECK_OK(dev_alloc(dev, bytes, "test", &buffer));
    bool is_kept = *(char *)buffer->address == 1;
    dev_buffer_unref(buffer);
    return is_kept;
}

TEST(what_a_lender_holds_is_not_kept_as_well)
{
    static const mem_lender lender = {lender_held, lender_keep};
    enum { MB = 1 << 20 };
    if (!keeps_buffers())
        SKIP("with a sanitizer each buffer is fresh");
    CHECK_OK(mem_budget_new(64 * MB, &budget));
    mem_budget_set_lender(budget, &lender, NULL);
    CHECK_OK(dev_open_cpu("auto", 0, budget, &dev));
    CHECK(is_kept_buffer(6 * MB));
    lender_bytes = 60 * MB;
    CHECK(!is_kept_buffer(6 * MB));
    close_device();
}

/* Pieces of slabs lie apart, whatever comes and goes. */
TEST(pieces_of_slabs_keep_what_is_theirs)
{
    enum { PIECES = 64, ROUNDS = 2000 };
    static unsigned char *pieces[PIECES];
    static size_t bytes[PIECES];
    cpu_slab *slabs[PIECES] = {0};
    cpu_slab_pool pool = {.lock = PTHREAD_MUTEX_INITIALIZER};
    for (unsigned round = 0; round < ROUNDS; round++) {
        unsigned i = (unsigned)(test_random() % PIECES);
        if (pieces[i]) {
            CHECK_EQ(pieces[i][0], i);
            CHECK_EQ(pieces[i][bytes[i] - 1], i);
            cpu_slab_give(&pool, slabs[i], pieces[i], bytes[i]);
            pieces[i] = NULL;
            continue;
        }
        bytes[i] = 1 + test_random() % (1 << 20);
        pieces[i] = cpu_slab_take(&pool, bytes[i], i % 2, &slabs[i]);
        CHECK(pieces[i] && !((uintptr_t)pieces[i] & 63));
        CHECK_EQ(pieces[i][0] | pieces[i][bytes[i] - 1], 0);
        pieces[i][0] = pieces[i][bytes[i] - 1] = (unsigned char)i;
    }
    for (unsigned i = 0; i < PIECES; i++)
        if (pieces[i])
            cpu_slab_give(&pool, slabs[i], pieces[i], bytes[i]);
    cpu_slab_close(&pool);
}

typedef struct lane {
    cpu_slab_pool *pool;
    cpu_slab *slab;
    unsigned char *piece;
} lane;

static void *take_piece(void *argument)
{
    lane *l = argument;
    l->piece = cpu_slab_take(l->pool, 100000, true, &l->slab);
    if (l->piece)
        memset(l->piece, 1, 100000);
    return NULL;
}

/* Each thread's pieces are of a slab of its own, which goes with the last of them, whoever gives it back; behind the
 * last piece that fits there are bytes that can be read. */
TEST(threads_take_from_slabs_of_their_own)
{
    enum { THREADS = 3, PIECE = 1 << 20 };
    cpu_slab_pool pool = {.lock = PTHREAD_MUTEX_INITIALIZER};
    lane lanes[THREADS];
    cpu_slab *slabs[40];
    unsigned char *pieces[40];
    for (unsigned i = 0; i < THREADS; i++) {
        pthread_t thread;
        lanes[i] = (lane){.pool = &pool};
        CHECK(!pthread_create(&thread, NULL, take_piece, &lanes[i]));
        pthread_join(thread, NULL);
        CHECK(lanes[i].piece);
        for (unsigned k = 0; k < i; k++)
            CHECK(lanes[k].slab != lanes[i].slab);
    }
    for (unsigned i = 0; i < 40; i++) {
        pieces[i] = cpu_slab_take(&pool, PIECE, i < 20, &slabs[i]);
        CHECK(pieces[i]);
        for (unsigned k = 0; k < 64; k++)
            CHECK_EQ(pieces[i][PIECE + k], 0);
    }
    for (unsigned i = 0; i < 40; i++)
        cpu_slab_give(&pool, slabs[i], pieces[i], PIECE);
    for (unsigned i = 0; i < THREADS; i++)
        cpu_slab_give(&pool, lanes[i].slab, lanes[i].piece, 100000);
    cpu_slab_close(&pool);
}

/* Memory that is out stays when no query runs on its device any more, and can be given back later, also after its
 * opener has closed it. */
TEST(a_retired_device_keeps_nothing)
{
    dev_buffer *out[20], *other;
    open_device(0);
    for (unsigned i = 0; i < 20; i++) {
        CHECK_OK(dev_alloc(dev, 300 << 10, "test", &out[i]));
        memset(out[i]->address, (int)i + 1, out[i]->bytes);
    }
    for (unsigned i = 0; i < 20; i += 2)
        dev_buffer_unref(out[i]);
    dev_retire(dev);
    for (unsigned i = 1; i < 20; i += 2)
        CHECK_EQ(((const unsigned char *)out[i]->address)[(300 << 10) - 1], i + 1);
    CHECK_OK(dev_alloc(dev, 300 << 10, "test", &other));
    memset(other->address, 1, other->bytes);
    dev_buffer_unref(other);
    for (unsigned i = 1; i < 20; i += 2)
        dev_buffer_unref(out[i]);
    close_device();
}

/* Pieces of small pages come back in any order: all of it goes with the last, and before that most. */
TEST(pieces_of_small_pages_come_back_in_any_order)
{
    enum { PIECES = 300, ROUNDS = 6 };
    static unsigned char *pieces[PIECES];
    static size_t bytes[PIECES];
    cpu_slab *slabs[PIECES] = {0};
    cpu_slab_pool pool = {.lock = PTHREAD_MUTEX_INITIALIZER};
    for (unsigned round = 0; round < ROUNDS; round++) {
        for (unsigned i = 0; i < PIECES; i++) {
            if (pieces[i])
                continue;
            bytes[i] = 1 + test_random() % (round == 1 ? 5000 : 400 << 10);
            pieces[i] = cpu_slab_take(&pool, bytes[i], true, &slabs[i]);
            CHECK(pieces[i]);
            for (size_t k = 0; k < bytes[i]; k += 4096)
                CHECK_EQ(pieces[i][k], 0);
            memset(pieces[i], (int)(i % 250) + 1, bytes[i]);
        }
        for (unsigned k = 0; k < PIECES; k++) {
            unsigned i = round % 2 ? PIECES - 1 - k : (unsigned)(test_random() % PIECES);
            if (!pieces[i] || (round < 3 && i % 10 == 0))
                continue;
            CHECK_EQ(pieces[i][0] + pieces[i][bytes[i] - 1], 2 * (i % 250 + 1));
            cpu_slab_give(&pool, slabs[i], pieces[i], bytes[i]);
            pieces[i] = NULL;
        }
    }
    for (unsigned i = 0; i < PIECES; i++)
        if (pieces[i])
            cpu_slab_give(&pool, slabs[i], pieces[i], bytes[i]);
    cpu_slab_close(&pool);
}
