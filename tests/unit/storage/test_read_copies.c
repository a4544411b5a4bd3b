/* test_read_copies.c - bytes that the page cache has, copied by several threads: all of them, of any place, of many requests at
 * once; and of a file that has become shorter an error.
 *
 * test_label: threads */
#include "base/mem.h"
#include "storage/copiers.h"
#include "storage/read.h"
#include "test.h"

#include <unistd.h>

enum { FILE_BYTES = (3 << 20) + 77, REQUESTS = 40 };

static file *opened;
static uint8_t *target;

static uint8_t byte_at(uint64_t at)
{
    return (uint8_t)(at * 2654435761u >> 13);
}

static void end_copies(void)
{
    storage_use_copiers(1);
    mem_free(target);
    file_close(opened);
    target = NULL;
    opened = NULL;
}

static void begin_copies(void)
{
    char path[512];
    target = mem_new(FILE_BYTES);
    CHECK(target);
    for (uint64_t i = 0; i < FILE_BYTES; i++)
        target[i] = byte_at(i);
    snprintf(path, sizeof path, "%s/bytes", test_folder());
    FILE *f = fopen(path, "wb");
    CHECK(f && fwrite(target, 1, FILE_BYTES, f) == FILE_BYTES && !fclose(f));
    CHECK_OK(file_open(path, &opened));
    memset(target, 0, FILE_BYTES);
    storage_use_copiers(4);
    test_at_end(end_copies);
}

static void check_bytes(uint64_t offset, const uint8_t *bytes, uint64_t count)
{
    for (uint64_t i = 0; i < count; i++)
        if (bytes[i] != byte_at(offset + i))
            CHECK_EQ(bytes[i], byte_at(offset + i));
}

TEST(all_of_a_file)
{
    read_request *r;
    begin_copies();
    CHECK_OK(storage_read_submit_cached(opened, 0, target, FILE_BYTES, &r));
    CHECK_EQ(storage_read_stored_bytes(r), 0);
    CHECK_OK(storage_read_finish(r));
    check_bytes(0, target, FILE_BYTES);
}

TEST(many_requests)
{
    read_request *r[REQUESTS];
    const uint64_t bytes = FILE_BYTES / REQUESTS;
    begin_copies();
    for (unsigned i = 0; i < REQUESTS; i++)
        CHECK_OK(storage_read_submit_cached(opened, 3 + i * bytes, target + i * bytes, bytes - 3,
                                            &r[i]));
    for (unsigned i = 0; i < REQUESTS; i++)
        CHECK_OK(storage_read_finish(r[i]));
    for (unsigned i = 0; i < REQUESTS; i++)
        check_bytes(3 + i * bytes, target + i * bytes, bytes - 3);
}

TEST(a_file_that_became_shorter)
{
    read_request *r;
    begin_copies();
    CHECK(!truncate(opened->path, FILE_BYTES / 2));
    CHECK_OK(storage_read_submit_cached(opened, 0, target, FILE_BYTES, &r));
    CHECK_FAILS(storage_read_finish(r), STATUS_KIND_IO, "it had 3145805 bytes");
}
