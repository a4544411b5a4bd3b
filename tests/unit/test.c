/* test.c - the main program of the unit tests: runs those of the file by whose name it is called, one by one. */
#include "test.h"
#include <errno.h>

#include "base/fault.h"
#include "exec/scan/column_cache.h"
#include "parquet/table/footer.h"

#include <ftw.h>
#include <stdarg.h>
#include <time.h>
#include <unistd.h>

#define EXIT_ALL_SKIPPED 77

static test_case *first_test, **last_link = &first_test;
static jmp_buf test_end;
static enum { OUTCOME_PASSED, OUTCOME_FAILED, OUTCOME_SKIPPED } outcome;
static uint64_t seed, random_state;
static const test_case *current;
static char folder_path[64];

/* A test asks for more memory than there is, and expects NULL. */
const char *__asan_default_options(void);
const char *__tsan_default_options(void);
const char *__ubsan_default_options(void);

__attribute__((visibility("default"))) const char *__asan_default_options(void)
{
    return "allocator_may_return_null=1:handle_sigill=1";
}

__attribute__((visibility("default"))) const char *__tsan_default_options(void)
{
    return "allocator_may_return_null=1";
}

__attribute__((visibility("default"))) const char *__ubsan_default_options(void)
{
    return "print_stacktrace=1";
}

void test_register(test_case *entry)
{
    *last_link = entry;
    last_link = &entry->next;
}

void test_fail(const char *file, int line, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    fprintf(stderr, "%s:%d: %s: ", file, line, current->name);
    vfprintf(stderr, format, arguments);
    fprintf(stderr, "\n  repeat with: TEST_SEED=%" PRIu64 " %s %s\n", seed,
            program_invocation_short_name, current->name);
    va_end(arguments);
    outcome = OUTCOME_FAILED;
    longjmp(test_end, 1);
}

void test_skip(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    printf("skipped %s: ", current->name);
    vprintf(format, arguments);
    printf("\n");
    va_end(arguments);
    outcome = OUTCOME_SKIPPED;
    longjmp(test_end, 1);
}

void test_check_text(const char *file, int line, const char *what, const char *actual,
                     const char *expected)
{
    if (actual == expected || (actual && expected && strcmp(actual, expected) == 0))
        return;
    test_fail(file, line, "%s is\n  \"%s\", expected\n  \"%s\"", what, actual ? actual : "(NULL)",
              expected ? expected : "(NULL)");
}

void test_check_ok(const char *file, int line, const char *what, status st)
{
    if (!st)
        return;
    char message[512];
    snprintf(message, sizeof message, "%s", status_message(st));
    status_free(st);
    test_fail(file, line, "%s failed: %s", what, message);
}

void test_check_fails(const char *file, int line, const char *what, status st, status_kind kind,
                      const char *part)
{
    if (!st)
        test_fail(file, line, "%s succeeded, expected failure of kind %d", what, (int)kind);
    char message[512];
    status_kind actual = status_get_kind(st);
    bool has_part = !part || strstr(status_message(st), part);
    snprintf(message, sizeof message, "%s", status_message(st));
    status_free(st);
    if (actual != kind)
        test_fail(file, line, "%s failed with kind %d, expected %d: %s", what, (int)actual,
                  (int)kind, message);
    if (!has_part)
        test_fail(file, line, "%s failed with \"%s\", which lacks \"%s\"", what, message, part);
}

void test_print_signed(int128 number, char *text)
{
    int128_format(number, 0, text);
}

void test_print_unsigned(uint128 number, char *text)
{
    if (number >> 127)
        snprintf(text, 64, "0x%016" PRIx64 "%016" PRIx64, (uint64_t)(number >> 64),
                 (uint64_t)number);
    else
        int128_format((int128)number, 0, text);
}

void test_print_double(double number, char *text)
{
    double_format(number, text);
}

void test_print_pointer(const void *pointer, char *text)
{
    snprintf(text, 64, "%p", pointer);
}

/* splitmix64 (Steele, Lea, Flood 2014). */
uint64_t test_random(void)
{
    uint64_t z = random_state += 0x9e3779b97f4a7c15;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
    z = (z ^ z >> 27) * 0x94d049bb133111eb;
    return z ^ z >> 31;
}

void test_random_restart(uint64_t state)
{
    random_state = state;
}

uint64_t test_random_below(uint64_t bound)
{
    return (uint64_t)((uint128)test_random() * bound >> 64);
}

bool test_has_less_to_do(void)
{
    const char *effort = getenv("PISTACHIO_TEST_EFFORT");
    return effort && !strcmp(effort, "less");
}

bool test_is_in_turn(uint64_t number, unsigned parts)
{
    const char *choice = getenv("PISTACHIO_TEST_CHOICE");
    return !choice || !*choice || (number + strtoull(choice, NULL, 10)) % parts == 0;
}

const char *test_source(void)
{
    return TEST_SOURCE;
}

static const char *find_beside(const char *variable, const char *sibling, const char *path)
{
    static char found[4][1024];
    static unsigned next;
    char *text = found[next++ % 4];
    const char *folder = getenv(variable);
    if (folder)
        snprintf(text, sizeof found[0], "%s/%s", folder, path);
    else
        snprintf(text, sizeof found[0], "%s/../%s/%s", TEST_SOURCE, sibling, path);
    return access(text, R_OK) == 0 ? text : NULL;
}

const char *test_shared(const char *path)
{
    return find_beside("PISTACHIO_SHARED", "shared", path);
}

const char *test_data(const char *path)
{
    return find_beside("PISTACHIO_DATA", "data", path);
}

static int remove_entry(const char *path, const struct stat *info, int type, struct FTW *walk)
{
    (void)info, (void)type, (void)walk;
    return remove(path);
}

static void remove_folder(void)
{
    nftw(folder_path, remove_entry, 16, FTW_DEPTH | FTW_PHYS);
}

const char *test_folder(void)
{
    static char sub[96];
    static unsigned count;
    if (!folder_path[0]) {
        snprintf(folder_path, sizeof folder_path, "/tmp/pistachio-test-XXXXXX");
        if (!mkdtemp(folder_path)) {
            folder_path[0] = '\0';
            test_fail(__FILE__, __LINE__, "could not create a folder in /tmp");
        }
        atexit(remove_folder);
    }
    snprintf(sub, sizeof sub, "%s/%u", folder_path, count++);
    if (mkdir(sub, 0700) != 0)
        test_fail(__FILE__, __LINE__, "could not create folder %s", sub);
    return sub;
}

static void disarm_faults(void)
{
    for (int kind = 0; kind < FAULT_KIND_COUNT; kind++)
        (void)fault_disarm((fault_kind)kind);
}

static void (*release_at_end)(void);

void test_at_end(void (*release)(void))
{
    release_at_end = release;
}

static void call_release(void)
{
    void (*release)(void) = release_at_end;
    release_at_end = NULL;
    if (release)
        release();
}

static void run_one(const test_case *test)
{
    current = test;
    outcome = OUTCOME_PASSED;
    random_state = seed;
    uint64_t blocks = mem_in_use();
    if (setjmp(test_end) == 0) {
        test->run();
        call_release();
        disarm_faults();
        pq_footer_cache_clear();
        column_cache_clear();
        if (mem_in_use() != blocks)
            test_fail(test->file, 0, "%" PRIu64 " blocks were not freed", mem_in_use() - blocks);
    }
    disarm_faults();
    fflush(stdout);
}

/* Returns whether a test is of the file, which is named without its folder and ".c". */
static bool is_of(const test_case *test, const char *file)
{
    const char *slash = strrchr(test->file, '/'), *name = slash ? slash + 1 : test->file;
    size_t length = strlen(file);
    return !strncmp(name, file, length) && !strcmp(name + length, ".c");
}

/* The program is one for all files; a link to it that has a file's name stands for that file's tests. */
static bool is_of_program(const test_case *test)
{
    const char *name = program_invocation_short_name;
    return strncmp(name, "test_", 5) != 0 || is_of(test, name);
}

static bool is_meant(const test_case *test, const char *part)
{
    if (*part == '=')
        return !strcmp(test->name, part + 1);
    return strstr(test->name, part) || is_of(test, part);
}

static bool is_chosen(const test_case *test, int count, char **parts)
{
    if (!is_of_program(test))
        return false;
    for (int i = 0; i < count; i++)
        if (is_meant(test, parts[i]))
            return true;
    return !count;
}

static const char *const outcome_names[] = {"passed", "failed", "skipped"};

/* TEST_TELL=1: a line when a test begins and one when it ends, so that whoever reads them knows which one was under way
 * when the process ended. */
static void tell(const test_case *test, const char *what)
{
    static int is_told = -1;
    if (is_told < 0)
        is_told = getenv("TEST_TELL") != NULL;
    if (!is_told)
        return;
    printf("%s %s\n", what, test->name);
    fflush(stdout);
}

int main(int argument_count, char **arguments)
{
    const char *seed_text = getenv("TEST_SEED");
    seed = seed_text ? strtoull(seed_text, NULL, 10) : (uint64_t)time(NULL);

    unsigned counts[3] = {0};
    bool is_list = argument_count > 1 && !strcmp(arguments[1], "--list");
    int first = is_list ? 2 : 1;
    for (const test_case *test = first_test; test; test = test->next) {
        if (!is_chosen(test, argument_count - first, arguments + first))
            continue;
        if (is_list) {
            printf("%s\n", test->name);
            continue;
        }
        tell(test, "begin");
        run_one(test);
        tell(test, outcome_names[outcome]);
        counts[outcome]++;
    }
    if (is_list)
        return EXIT_SUCCESS;
    printf("%u passed, %u failed, %u skipped\n", counts[OUTCOME_PASSED], counts[OUTCOME_FAILED],
           counts[OUTCOME_SKIPPED]);
    if (counts[OUTCOME_FAILED] || counts[OUTCOME_PASSED] + counts[OUTCOME_SKIPPED] == 0)
        return EXIT_FAILURE;
    return counts[OUTCOME_PASSED] ? EXIT_SUCCESS : EXIT_ALL_SKIPPED;
}
