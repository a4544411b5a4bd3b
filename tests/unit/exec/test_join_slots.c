/* test_join_slots.c - how many slots a join's table has, up to more rows than a test can make.
 *
 * test_label: threads */
#include "exec/join/join_table_build.h"
#include "test.h"

#include "exec/join/join_table.h"

static const join_table_form forms[] = {JOIN_TABLE_HASHED, JOIN_TABLE_CODED, JOIN_TABLE_OPEN};

/* A slot's number is 32 bits of which ROW_NULL means none, and a free slot ends the search. */
static void check(join_table_form form, uint64_t rows)
{
    uint64_t slots = join_table_slot_count(form, rows);
    bool is_power = !(slots & (slots - 1));
    if (!slots)
        return;
    CHECK(slots > rows);
    CHECK(slots <= ROW_NULL);
    CHECK(slots - rows >= slots / 8);
    if (form == JOIN_TABLE_HASHED)
        CHECK(is_power);
}

TEST(slots_have_numbers_of_32_bits)
{
    for (size_t f = 0; f < sizeof forms / sizeof *forms; f++)
        for (unsigned bit = 0; bit < 40; bit++)
            for (uint64_t part = 8; part < 16; part++)
                for (uint64_t around = 0; around < 3; around++) {
                    uint64_t rows = (part << bit) / 8;
                    check(forms[f], rows + around - (rows > 0));
                }
}

/* The most that are whole lines of 8. */
#define CODE_SLOTS (ROW_NULL - 7)

TEST(rows_that_fit)
{
    CHECK_EQ(join_table_slot_count(JOIN_TABLE_HASHED, 0), 64);
    CHECK_EQ(join_table_slot_count(JOIN_TABLE_CODED, 44), 128);
    CHECK_EQ(join_table_slot_count(JOIN_TABLE_OPEN, 43), 88);
    /* 1.5 times as many as rows, while there are so many numbers; then the table becomes fuller. */
    CHECK_EQ(join_table_slot_count(JOIN_TABLE_HASHED, 1431655765), UINT64_C(1) << 31);
    CHECK_EQ(join_table_slot_count(JOIN_TABLE_HASHED, 1431655767), UINT64_C(1) << 31);
    CHECK_EQ(join_table_slot_count(JOIN_TABLE_CODED, 1431655765), UINT64_C(1) << 31);
    CHECK_EQ(join_table_slot_count(JOIN_TABLE_CODED, 1431655767), CODE_SLOTS);
    CHECK_EQ(join_table_slot_count(JOIN_TABLE_CODED, 3000000000), CODE_SLOTS);
    CHECK_EQ(join_table_slot_count(JOIN_TABLE_OPEN, 3000000000), CODE_SLOTS);
}

TEST(rows_that_do_not_fit)
{
    CHECK_EQ(join_table_slot_count(JOIN_TABLE_HASHED, 1900000000), 0);
    CHECK_EQ(join_table_slot_count(JOIN_TABLE_CODED, 4000000000), 0);
    CHECK_EQ(join_table_slot_count(JOIN_TABLE_OPEN, UINT64_C(1) << 40), 0);
}
