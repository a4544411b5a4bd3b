/* test_aggregate_sample.c - a sample of hashes tells how many rows have equal ones. */
#include "exec/aggregate/aggregate_sample.h"
#include "test.h"

#define HASHES 400000

static uint32_t hashes[HASHES];

static void draw(uint32_t different)
{
    for (uint32_t i = 0; i < HASHES; i++) {
        uint64_t x = (i % different + 1) * UINT64_C(0x9e3779b97f4a7c15);
        hashes[i] = (uint32_t)((x ^ x >> 29) >> 16);
    }
}

static void check(uint32_t different)
{
    hash_sample sample = {0};
    draw(different);
    for (size_t first = 0; first < HASHES; first += HASHES / 8)
        CHECK(!hash_sample_add(&sample, hashes + first, HASHES / 8));
    uint64_t estimate = hash_sample_estimate(&sample);
    CHECK(estimate > different / 10 * 7 && estimate < different / 10 * 13);
    CHECK(sample.rows >= sample.distinct);
    uint64_t repeats = HASHES / different,
             seen = sample.distinct ? sample.rows / sample.distinct : 0;
    CHECK(seen >= repeats && seen <= repeats + 1);
    hash_sample_release(&sample);
}

TEST(a_sample_tells_groups_from_rows)
{
    check(HASHES);
    check(HASHES / 2);
    check(HASHES / 8);
}

TEST(an_empty_sample_has_no_groups)
{
    hash_sample sample = {0};
    CHECK(!hash_sample_add(&sample, hashes, 0));
    CHECK_EQ(hash_sample_estimate(&sample), 0);
    hash_sample_release(&sample);
}
