/* test_status.c - failures carry their message, place, hint and position, also without memory. */
#include "test.h"

#include "base/fault.h"

TEST(status_carries_message_context_hint_and_position)
{
    status st = status_new(STATUS_KIND_CORRUPT, "page of %d bytes ends after %d", 100, 42);
    st = status_context(st, "column \"%s\"", "l_tax");
    st = status_context(st, "file \"%s\"", "a.parquet");
    st = status_hint(st, "write it again");
    st = status_at(st, 17);
    st = status_at(st, 99);
    CHECK_TEXT_EQ(status_message(st),
                  "file \"a.parquet\": column \"l_tax\": page of 100 bytes ends after 42");
    CHECK_TEXT_EQ(status_get_hint(st), "write it again");
    CHECK_EQ(status_position(st), 17);
    CHECK_EQ(status_get_kind(st), STATUS_KIND_CORRUPT);
    status_free(st);
}

TEST(status_of_success_is_empty)
{
    CHECK_EQ(status_get_kind(STATUS_OK), STATUS_KIND_OK);
    CHECK_TEXT_EQ(status_message(STATUS_OK), "");
    CHECK(!status_get_hint(STATUS_OK));
    CHECK_EQ(status_position(STATUS_OK), -1);
    CHECK(!status_context(STATUS_OK, "file"));
    status_free(STATUS_OK);
}

TEST(status_errno_ends_with_the_reason)
{
    status st = status_new_errno(2, "could not open \"%s\"", "x");
    CHECK_TEXT_EQ(status_message(st), "could not open \"x\": No such file or directory");
    CHECK_EQ(status_get_kind(st), STATUS_KIND_NOT_FOUND);
    status_free(st);
}

TEST(status_without_memory_still_says_what_happened)
{
    fault_arm(FAULT_ALLOC, 1, FAULT_ALWAYS);
    status st = status_no_memory("page", 4096);
    st = status_context(st, "file \"%s\"", "a.parquet");
    st = status_hint(st, "use less");
    status other = status_new(STATUS_KIND_DATA, "division by %s", "zero");
    CHECK(fault_disarm(FAULT_ALLOC));
    CHECK_TEXT_EQ(status_message(st), "file \"a.parquet\": no memory for 4096 bytes of page");
    CHECK_TEXT_EQ(status_get_hint(st), "use less");
    CHECK_EQ(status_get_kind(st), STATUS_KIND_NO_MEMORY);
    CHECK_TEXT_EQ(status_message(other), "division by zero");
    CHECK_EQ(status_get_kind(other), STATUS_KIND_DATA);
    status_free(st);
    status_free(other);
}

TEST(status_slots_run_out_into_a_constant)
{
    status many[40];
    for (int i = 0; i < 40; i++)
        many[i] = status_hint(status_at(status_context(status_no_memory("x", 1), "c"), 3), "h");
    CHECK_EQ(status_get_kind(many[39]), STATUS_KIND_NO_MEMORY);
    CHECK_TEXT_EQ(status_message(many[39]), "no memory");
    for (int i = 0; i < 40; i++)
        status_free(many[i]);
    status st = status_no_memory("x", 1);
    CHECK_TEXT_EQ(status_message(st), "no memory for 1 bytes of x");
    status_free(st);
}

TEST(status_survives_each_failing_allocation)
{
    for (uint64_t nth = 1;; nth++) {
        fault_arm(FAULT_ALLOC, nth, FAULT_ONCE);
        status st = status_new(STATUS_KIND_DATA, "value %d", 7);
        st = status_context(st, "row %d", 3);
        st = status_hint(st, "hint");
        bool has_fired = fault_disarm(FAULT_ALLOC);
        CHECK(st);
        CHECK(status_message(st)[0]);
        if (!has_fired)
            CHECK_TEXT_EQ(status_message(st), "row 3: value 7");
        status_free(st);
        if (!has_fired)
            return;
    }
}

TEST(internal_errors_say_so_and_how_to_report_them)
{
    status st = status_context(status_new(STATUS_KIND_INTERNAL, "column %d made twice", 7), "plan");
    CHECK_TEXT_EQ(status_message(st), "plan: internal error: column 7 made twice");
    CHECK(strstr(status_get_hint(st), "report"));
    status_free(st);
}
