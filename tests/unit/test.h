/* test.h - what a file of unit tests is made of.
 *
 *     #include "test.h"
 *     TEST(arena_is_zeroed) { ... CHECK(cond); CHECK_EQ(actual, expected); }
 *
 * Tests register themselves; a file holds nothing else. A failed CHECK prints both values and the
 * place, and ends that test. After each test, blocks that it left allocated fail it. Random numbers
 * come from test_random, seeded alike for each test: the seed is printed with a failure, and
 * TEST_SEED=n repeats it. All files are one program, unit_tests; a link to it named after a file
 * (tests/test_mem) runs that file's. Arguments choose tests by a part of their name, by their
 * file's, or as =NAME; --list before them lists what they choose. TEST_TELL=1 tells of each test when it begins and ends.
 * SKIP("reason") ends a test, counts it as skipped and prints the reason. */
#ifndef PISTACHIO_TEST_H
#define PISTACHIO_TEST_H

#include "base/mem.h"
#include "base/status.h"
#include "base/type/type.h"

#include <inttypes.h>
#include <setjmp.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct test_case {
    const char *name, *file;
    void (*run)(void);
    struct test_case *next;
} test_case;

#define TEST(test_name)                                                                            \
    static void test_run_##test_name(void);                                                        \
    __attribute__((constructor)) static void test_register_##test_name(void)                       \
    {                                                                                              \
        static test_case entry = {#test_name, __FILE__, test_run_##test_name, NULL};               \
        test_register(&entry);                                                                     \
    }                                                                                              \
    static void test_run_##test_name(void)

#define CHECK(condition)                                                                           \
    do {                                                                                           \
        if (!(condition))                                                                          \
            test_fail(__FILE__, __LINE__, "CHECK(%s)", #condition);                                \
    } while (0)

/* Integers of any width and sign up to 128 bits, pointers, booleans, doubles. */
#define CHECK_EQ(actual, expected)                                                                 \
    do {                                                                                           \
        __auto_type test_actual_ = (actual);                                                       \
        __auto_type test_expected_ = (expected);                                                   \
        if (!(test_actual_ == test_expected_)) {                                                   \
            char test_left_[64], test_right_[64];                                                  \
            TEST_PRINT_VALUE(test_actual_, test_left_);                                            \
            TEST_PRINT_VALUE(test_expected_, test_right_);                                         \
            test_fail(__FILE__, __LINE__, "%s is %s, expected %s (%s)", #actual, test_left_,       \
                      test_right_, #expected);                                                     \
        }                                                                                          \
    } while (0)

#define TEST_PRINT_VALUE(number, text)                                                             \
    _Generic((number), float                                                                       \
             : test_print_double, double                                                           \
             : test_print_double, uint64_t                                                         \
             : test_print_unsigned, unsigned long long                                             \
             : test_print_unsigned, uint128                                                        \
             : test_print_unsigned, char *                                                         \
             : test_print_pointer, const char *                                                    \
             : test_print_pointer, void *                                                          \
             : test_print_pointer, const void *                                                    \
             : test_print_pointer, default                                                         \
             : test_print_signed)(number, text)

/* Texts with a closing NUL; either may be NULL. */
#define CHECK_TEXT_EQ(actual, expected)                                                            \
    test_check_text(__FILE__, __LINE__, #actual, (actual), (expected))

/* The call succeeds; a failure's message is printed and freed. */
#define CHECK_OK(call) test_check_ok(__FILE__, __LINE__, #call, (call))

/* The call fails with this kind, and its message contains `part` (NULL: any). Frees it. */
#define CHECK_FAILS(call, kind, part)                                                              \
    test_check_fails(__FILE__, __LINE__, #call, (call), (kind), (part))

#define SKIP(...) test_skip(__VA_ARGS__)

void test_register(test_case *entry);
_Noreturn void test_fail(const char *file, int line, const char *format, ...) PRINTF_LIKE(3, 4);
_Noreturn void test_skip(const char *format, ...) PRINTF_LIKE(1, 2);
void test_check_text(const char *file, int line, const char *what, const char *actual,
                     const char *expected);
void test_check_ok(const char *file, int line, const char *what, status st);
void test_check_fails(const char *file, int line, const char *what, status st, status_kind kind,
                      const char *part);
void test_print_signed(int128 number, char *text);
void test_print_unsigned(uint128 number, char *text);
void test_print_double(double number, char *text);
void test_print_pointer(const void *pointer, char *text);

uint64_t test_random(void);
/* Below `bound`, which is not zero. */
uint64_t test_random_below(uint64_t bound);
/* The numbers that follow depend on the state alone: for the same inputs once more. */
void test_random_restart(uint64_t state);

/* Returns the folder of the repository. */
const char *test_source(void);
/* Finds reference data by its path below a folder: PISTACHIO_SHARED or ../shared beside the
 * repository for test_shared, PISTACHIO_DATA or ../data for test_data. NULL when it is not there.
 * The text is valid until the test ends. */
const char *test_shared(const char *path);
const char *test_data(const char *path);
/* Whether PISTACHIO_TEST_EFFORT=less asks for less than all (scripts/test, docs/TESTING.md): a test
 * that goes over many cases may then go over some of them. */
bool test_has_less_to_do(void);
/* Whether case `number` is among those that this run takes: each `parts`-th, others for another commit, if the gate has
 * set PISTACHIO_TEST_CHOICE (scripts/choose-tests); else all are. */
bool test_is_in_turn(uint64_t number, unsigned parts);
/* Called when the test under way has run, before what was not freed is counted. One at a time. */
void test_at_end(void (*release)(void));

/* A new empty folder, removed with all that is in it when the program ends. */
const char *test_folder(void);

#endif
