/* test_levels.c - levels of nested columns: unpacked whatever their width, counted and found many at a time as one by one. */
#include "device_test.h"
#include "parquet/read/levels.h"

enum { VALUES = 1000, ROUNDS = 200 };

static void draw_levels(uint8_t *out, uint32_t below)
{
    for (uint32_t i = 0; i < VALUES; i++)
        out[i] = (uint8_t)(uint32_t)test_random_below(below);
}

static pq_level_range draw_range(void)
{
    unsigned low = (uint32_t)test_random_below(6), high = low + (uint32_t)test_random_below(4);
    return (pq_level_range){low, (uint32_t)test_random_below(5) ? high : PQ_LEVEL_MOST};
}

static bool is_in(uint8_t level, pq_level_range range)
{
    return level >= range.low && level <= range.high;
}

TEST(levels_are_counted_many_at_a_time)
{
    uint8_t left[VALUES], right[VALUES];
    for (int round = 0; round < ROUNDS; round++) {
        uint32_t first = (uint32_t)test_random_below(VALUES),
                 count = (uint32_t)test_random_below(VALUES - first + 1);
        pq_level_range x = draw_range(), y = draw_range();
        uint64_t within = 0, both = 0, mask = 0;
        draw_levels(left, 1 + (uint32_t)test_random_below(8));
        draw_levels(right, 1 + (uint32_t)test_random_below(8));
        for (uint32_t i = first; i < first + count; i++) {
            within += is_in(left[i], x);
            both += is_in(left[i], x) && is_in(right[i], y);
            if (i - first < PQ_LEVEL_BITS)
                mask |= (uint64_t)is_in(left[i], x) << (i - first);
        }
        CHECK(pq_levels_within(left + first, count, x) == within);
        CHECK(pq_levels_both(left + first, x, right + first, y, count) == both);
        CHECK(pq_levels_mask(left + first, count, x) == mask);
    }
}

TEST(ranges_without_levels_have_none)
{
    uint8_t levels[VALUES];
    draw_levels(levels, 256);
    CHECK(pq_levels_within(levels, VALUES, (pq_level_range){0, PQ_LEVEL_MOST}) == VALUES);
    CHECK(!pq_levels_within(levels, VALUES, (pq_level_range){3, 2}));
    CHECK(!pq_levels_within(levels, VALUES, (pq_level_range){300, 400}));
    CHECK(!pq_levels_mask(levels, VALUES, (pq_level_range){300, 400}));
}

/* Writes one bit-packed run, and returns its end. */
static uint8_t *pack(const uint8_t *levels, unsigned width, uint8_t *to)
{
    uint32_t groups = (VALUES + 7) / 8, header = groups << 1 | 1;
    *to++ = (uint8_t)(header & 0x7f) | 0x80;
    *to++ = (uint8_t)(header >> 7);
    memset(to, 0, (size_t)groups * width);
    for (uint32_t i = 0; i < VALUES; i++)
        for (unsigned b = 0; b < width; b++)
            to[(i * width + b) / 8] |= (uint8_t)((levels[i] >> b & 1) << ((i * width + b) % 8));
    return to + (size_t)groups * width;
}

static void check_validity(const pq_levels *read, const pq_leaf *leaf, unsigned slot_definition)
{
    uint64_t bits[VALUES / 64 + 1];
    uint32_t slot = 0;
    pq_levels_set_validity(read, leaf, slot_definition, bits);
    for (uint32_t i = 0; i < VALUES; i++) {
        if (read->definition[i] < slot_definition)
            continue;
        CHECK((bits[slot / 64] >> (slot % 64) & 1) ==
              (read->definition[i] == leaf->max_definition));
        slot++;
    }
    CHECK(slot == read->slots);
}

TEST(levels_of_each_width_are_read)
{
    mem_budget *budget;
    device *dev;
    dev_stream *stream;
    test_cpu_open(&budget, &dev, &stream);
    for (unsigned width = 1; width <= 7; width++) {
        uint8_t repetition[VALUES], definition[VALUES], page[3 * VALUES], *at;
        unsigned highest = (1u << width) - 1;
        pq_leaf leaf = {.max_repetition = 1, .max_definition = (uint16_t)highest};
        pq_page_header header = {.type = PQ_PAGE_DATA_V2, .value_count = VALUES};
        pq_levels read;
        draw_levels(repetition, 2);
        draw_levels(definition, highest + 1);
        at = pack(repetition, 1, page);
        header.repetition_bytes = (uint32_t)(at - page);
        header.definition_bytes = (uint32_t)(pack(definition, width, at) - at);
        uint32_t bytes = header.repetition_bytes + header.definition_bytes;
        for (unsigned slot = 0; slot <= highest && slot < 3; slot++) {
            CHECK_OK(pq_levels_read(dev, &leaf, slot, &header, page, bytes, &read));
            CHECK(!memcmp(read.repetition, repetition, VALUES));
            CHECK(!memcmp(read.definition, definition, VALUES));
            CHECK(read.values_at == bytes);
            check_validity(&read, &leaf, slot);
            pq_levels_release(&read);
        }
    }
    test_cpu_close(budget, dev, stream);
}

TEST(levels_beyond_the_highest_fail)
{
    mem_budget *budget;
    device *dev;
    dev_stream *stream;
    uint8_t definition[VALUES], page[3 * VALUES];
    pq_leaf leaf = {.max_definition = 4};
    pq_page_header header = {.type = PQ_PAGE_DATA_V2, .value_count = VALUES};
    pq_levels read;
    test_cpu_open(&budget, &dev, &stream);
    draw_levels(definition, 5);
    definition[VALUES / 2] = 6;
    header.definition_bytes = (uint32_t)(pack(definition, 3, page) - page);
    status st = pq_levels_read(dev, &leaf, 1, &header, page, header.definition_bytes, &read);
    CHECK(st && strstr(status_message(st), "go up to 6, those of the column to 4"));
    status_free(st);
    pq_levels_release(&read);
    test_cpu_close(budget, dev, stream);
}
