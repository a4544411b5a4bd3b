/* test_scan_chunk.c - how many rows of a table are a chunk of a device whose chunks are large. */
#include "exec/scan/scan_chunk.h"
#include "test.h"

enum { LEAST = 1 << 20, MOST = 1 << 23 };
#define GIBIBYTE ((uint64_t)1 << 30)

static uint64_t even(uint64_t rows, uint64_t row_bytes, uint64_t memory_bytes)
{
    return scan_chunk_even(rows, row_bytes, 4, memory_bytes, LEAST, MOST);
}

TEST(small_tables_have_chunks_of_the_least_size)
{
    CHECK_EQ(even(25, 100, 0), LEAST);
    CHECK_EQ(even(4 * LEAST / 2, 100, 0), LEAST);
}

TEST(tasks_have_as_many_chunks)
{
    CHECK_EQ(even(16000000, 100, 0), 4000000 + 4000000 / 16 + 1);
    CHECK_EQ(even(59986052, 38, 0), 7498256 + 7498256 / 16 + 1); /* two for each of four tasks */
    CHECK_EQ(even((uint64_t)4 * MOST - 4, 38, 0), MOST);
}

TEST(little_memory_of_the_host)
{
    CHECK_EQ(even(600000000, 38, 100 * GIBIBYTE), MOST);
    CHECK_EQ(even(600000000, 127, 4 * GIBIBYTE), 4 * GIBIBYTE / (4 * 8 * 128));
    CHECK_EQ(even(600000000, 127, 64 << 20), LEAST);
}
