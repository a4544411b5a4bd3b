/* test_spill.c - the temporary file: blocks come back as they were, from many threads; failures
 * name the folder; nothing is left in it.
 *
 * test_label: threads */
#include "test.h"

#include "base/fault.h"
#include "storage/spill.h"

#include <dirent.h>
#include <pthread.h>

static mem_budget *budget;
static device *dev;

static void begin(void)
{
    CHECK_OK(mem_budget_new(0, &budget));
    CHECK_OK(dev_open_cpu("auto", 0, budget, &dev));
}

static void end(void)
{
    CHECK_EQ(mem_budget_used(budget), 0);
    dev_close(dev);
    mem_budget_free(budget);
}

static bool is_empty(const char *folder)
{
    bool has_any = false;
    DIR *open = opendir(folder);
    CHECK(open);
    for (struct dirent *entry = readdir(open); entry; entry = readdir(open))
        has_any |= entry->d_name[0] != '.';
    closedir(open);
    return !has_any;
}

/* `bytes` bytes that follow from `seed`; every other seed's cannot be compressed. */
static dev_buffer *make_block(uint64_t seed, size_t bytes)
{
    dev_buffer *buffer;
    uint64_t state = seed * 2654435761u + 1;
    CHECK_OK(dev_alloc(dev, bytes, "test", &buffer));
    uint8_t *target = buffer->address;
    for (size_t i = 0; i < bytes; i++) {
        state = state * 6364136223846793005u + 1442695040888963407u;
        target[i] = seed % 2 ? (uint8_t)(state >> 56) : (uint8_t)(i / 100 + seed);
    }
    return buffer;
}

static void check_block(const spill_file *spill, spill_block block, uint64_t seed, size_t bytes)
{
    spill_read *reading;
    dev_buffer *read, *expected = make_block(seed, bytes);
    CHECK_OK(spill_read_start(spill, block, dev, "test", &reading));
    CHECK_OK(spill_read_finish(reading, &read));
    CHECK_EQ(read->bytes, bytes);
    CHECK(!memcmp(read->address, expected->address, bytes));
    dev_buffer_unref(read);
    dev_buffer_unref(expected);
}

TEST(blocks_come_back_as_they_were)
{
    static const size_t sizes[] = {0, 1, 63, 4096, 100000, 3000001};
    spill_block blocks[12];
    spill_file *spill;
    const char *folder = test_folder();
    begin();
    CHECK_OK(spill_open(folder, &spill));
    CHECK(is_empty(folder));
    for (unsigned i = 0; i < 12; i++) {
        dev_buffer *plain = make_block(i, sizes[i / 2]);
        CHECK_OK(spill_append(spill, plain, "test", &blocks[i]));
        CHECK(blocks[i].bytes <= sizes[i / 2]);
        dev_buffer_unref(plain);
    }
    CHECK(blocks[10].bytes < sizes[5] / 10);
    CHECK_EQ(blocks[11].bytes, sizes[5]);
    CHECK_EQ(spill_bytes(spill), blocks[11].offset + blocks[11].bytes);
    for (unsigned i = 12; i-- > 0;)
        check_block(spill, blocks[i], i, sizes[i / 2]);
    /* A block that is given up leaves what lies beside it. */
    for (unsigned i = 0; i < 12; i += 3)
        spill_discard(spill, blocks[i]);
    for (unsigned i = 0; i < 12; i++)
        if (i % 3)
            check_block(spill, blocks[i], i, sizes[i / 2]);
    spill_close(spill);
    CHECK(is_empty(folder));
    end();
}

#define THREADS 4
#define BLOCKS 50

typedef struct appender {
    spill_file *spill;
    unsigned number;
    spill_block blocks[BLOCKS];
} appender;

static void *append_blocks(void *argument)
{
    appender *a = argument;
    for (unsigned i = 0; i < BLOCKS; i++) {
        dev_buffer *plain = make_block(a->number * BLOCKS + i, 1000 + i * 700);
        status st = spill_append(a->spill, plain, "test", &a->blocks[i]);
        dev_buffer_unref(plain);
        if (st)
            abort();
    }
    return NULL;
}

TEST(threads_append_at_once)
{
    static appender appenders[THREADS];
    pthread_t threads[THREADS];
    spill_file *spill;
    begin();
    CHECK_OK(spill_open(test_folder(), &spill));
    for (unsigned t = 0; t < THREADS; t++) {
        appenders[t] = (appender){.spill = spill, .number = t};
        CHECK_EQ(pthread_create(&threads[t], NULL, append_blocks, &appenders[t]), 0);
    }
    for (unsigned t = 0; t < THREADS; t++)
        pthread_join(threads[t], NULL);
    for (unsigned t = 0; t < THREADS; t++)
        for (unsigned i = 0; i < BLOCKS; i++)
            check_block(spill, appenders[t].blocks[i], t * BLOCKS + i, 1000 + i * 700);
    spill_close(spill);
    end();
}

TEST(failures_say_where)
{
    char missing[1200];
    spill_file *spill;
    spill_block block;
    spill_read *reading;
    dev_buffer *read;
    const char *folder = test_folder();
    begin();
    snprintf(missing, sizeof missing, "%s/none", folder);
    CHECK_FAILS(spill_open(missing, &spill), STATUS_KIND_NOT_FOUND, missing);
    fault_arm(FAULT_WRITE, 1, FAULT_ONCE);
    CHECK_FAILS(spill_open(folder, &spill), STATUS_KIND_IO, folder);
    fault_disarm(FAULT_WRITE);

    CHECK_OK(spill_open(folder, &spill));
    dev_buffer *plain = make_block(1, 5000);
    CHECK_OK(spill_append(spill, plain, "test", &block));
    fault_arm(FAULT_WRITE, 1, FAULT_ONCE);
    CHECK_FAILS(spill_append(spill, plain, "test", &block), STATUS_KIND_IO, "at byte 5000");
    fault_disarm(FAULT_WRITE);
    fault_arm(FAULT_READ, 1, FAULT_ALWAYS);
    CHECK_OK(spill_read_start(spill, (spill_block){0, 5000, 5000}, dev, "test", &reading));
    CHECK_FAILS(spill_read_finish(reading, &read), STATUS_KIND_IO, folder);
    fault_disarm(FAULT_READ);
    /* Bytes of something other than a block. */
    CHECK_OK(spill_read_start(spill, (spill_block){0, 5000, 9000}, dev, "test", &reading));
    CHECK_FAILS(spill_read_finish(reading, &read), STATUS_KIND_CORRUPT, "were changed");
    CHECK_OK(spill_read_start(spill, (spill_block){0, 5000, 5000}, dev, "test", &reading));
    spill_read_drop(reading);
    dev_buffer_unref(plain);
    spill_close(spill);
    CHECK(is_empty(folder));
    end();
}
