/* fault_sweep.c - see fault_sweep.h. */
#include "fault_sweep.h"

#include "run_statement.h"
#include "test.h"

#include <dirent.h>

/* A cancelled statement has ended by then: each of its tasks looks a few times more. */
#define LOOKS_AFTER_MAX 200

static char corpus_file[1024];

const char *fault_sample_path(void)
{
    snprintf(corpus_file, sizeof corpus_file,
             "%s/tests/fuzz/corpus/fuzz_parquet_file/dictionary_snappy", test_source());
    return corpus_file;
}

bool fault_fails_cleanly(const char *sql, const char *device, fault_kind kind, uint64_t nth,
                         bool always, const char *expected)
{
    static char rows[FAULT_TEXT_ROOM];
    uint64_t blocks = mem_in_use();
    fault_arm(kind, nth, always);
    pistachio_error *error = run_statement(sql, fault_sample_path(), device, rows, sizeof rows);
    bool has_fired = fault_disarm(kind);
    pistachio_error_kind wanted = kind == FAULT_ALLOC    ? PISTACHIO_ERROR_NO_MEMORY
                                  : kind == FAULT_CANCEL ? PISTACHIO_ERROR_CANCELLED
                                                         : PISTACHIO_ERROR_IO;
    if (kind == FAULT_CANCEL && has_fired)
        CHECK(fault_checks(kind) < nth + LOOKS_AFTER_MAX);
    if (error) {
        if (!has_fired)
            fprintf(stderr, "%s\n", pistachio_error_message(error));
        CHECK(has_fired);
        if (pistachio_error_get_kind(error) != wanted)
            fprintf(stderr, "%s\n", pistachio_error_message(error));
        CHECK_EQ(pistachio_error_get_kind(error), wanted);
        CHECK(pistachio_error_message(error)[0]);
    } else if (expected) {
        CHECK_TEXT_EQ(rows, expected); /* a fault that only cost speed, or none */
    }
    pistachio_error_free(error);
    if (mem_in_use() != blocks)
        fprintf(stderr, "fault %d number %" PRIu64 " in: %s\n", (int)kind, nth, sql);
    CHECK_EQ(mem_in_use(), blocks);
    return has_fired;
}

void fault_sweep(const char *sql, const char *device, fault_kind kind, uint64_t part)
{
    static char expected[FAULT_TEXT_ROOM];
    pistachio_error *error =
        run_statement(sql, fault_sample_path(), device, expected, sizeof expected);
    if (error)
        fprintf(stderr, "%s: %s\n", sql, pistachio_error_message(error));
    CHECK(!error);
    if (test_has_less_to_do())
        part = part / 8 + 1;
    else if (!test_is_in_turn(0, 2))
        part = part / 3 + 1;
    else if (!test_is_in_turn(1, 2))
        part = part / 3 + 2; /* others of those that come late */
    for (int always = 0; always <= 1; always++)
        for (uint64_t nth = 1; fault_fails_cleanly(sql, device, kind, nth, always, expected);)
            nth += 1 + nth / part;
}

unsigned fault_entry_count(const char *folder)
{
    unsigned count = 0;
    DIR *open = opendir(folder);
    CHECK(open);
    for (struct dirent *entry = readdir(open); entry; entry = readdir(open))
        count += entry->d_name[0] != '.';
    closedir(open);
    return count;
}
