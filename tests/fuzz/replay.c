/* replay.c - runs a fuzz target without a fuzzer, as a test: over each file of a folder (or each
 * file named), and over changes of it that a seed makes: bits flipped, bytes set to extremes, parts
 * cut out, doubled, or taken from another file.
 *
 *     fuzz_parquet_file [-n CHANGES] [-s SEED] FOLDER|FILE...
 *
 * When the target or a sanitizer stops the program, the input is kept in a file, which is named. */
#include "fuzz.h"

#include <fcntl.h>
#include <ftw.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

#define INPUT_BYTES_MAX ((size_t)1 << 20)

typedef struct input {
    uint8_t *bytes;
    size_t length;
} input;

static ARRAY(input) inputs;
static uint64_t random_state = 1;
static unsigned change_count = 300;
static const uint8_t *running; /* the input, while it runs */
static size_t running_length;

/* The sanitizers' run time, where there is one. */
void __sanitizer_set_death_callback(void (*callback)(void)) __attribute__((weak));

/* splitmix64 */
static uint64_t next_random(void)
{
    uint64_t z = random_state += 0x9e3779b97f4a7c15;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
    z = (z ^ z >> 27) * 0x94d049bb133111eb;
    return z ^ z >> 31;
}

static size_t below(size_t bound)
{
    return bound ? (size_t)(next_random() % bound) : 0;
}

static int load(const char *path, const struct stat *info, int type, struct FTW *walk)
{
    (void)walk;
    if (type != FTW_F || (size_t)info->st_size > INPUT_BYTES_MAX)
        return 0;
    FILE *file = fopen(path, "rb");
    FUZZ_CHECK(file);
    input one = {mem_new((size_t)info->st_size + 1), 0};
    FUZZ_CHECK(one.bytes);
    one.length = fread(one.bytes, 1, (size_t)info->st_size, file);
    fclose(file);
    FUZZ_CHECK(!array_push(NULL, &inputs, one));
    return 0;
}

/* UndefinedBehaviorSanitizer's way out must pass by on_signal. */
const char *__ubsan_default_options(void);

__attribute__((visibility("default"))) const char *__ubsan_default_options(void)
{
    return "abort_on_error=1:print_stacktrace=1";
}

/* One change of `length` bytes that have room for INPUT_BYTES_MAX; returns the new length. */
static size_t change(uint8_t *bytes, size_t length)
{
    static const uint8_t extremes[] = {0, 1, 0x7f, 0x80, 0xff};
    size_t at = below(length), span = below(length - at) % 64;
    const input *other = &inputs.items[below(inputs.count)];
    switch (length ? below(6) : 5) {
    case 0:
        bytes[at] ^= (uint8_t)(1 << below(8));
        return length;
    case 1:
        bytes[at] = extremes[below(sizeof extremes)];
        return length;
    case 2:
        memset(bytes + at, extremes[below(sizeof extremes)], span);
        return length;
    case 3: /* cut out */
        memmove(bytes + at, bytes + at + span, length - at - span);
        return length - span;
    case 4: /* doubled */
        if (length + span > INPUT_BYTES_MAX)
            return length;
        memmove(bytes + at + span, bytes + at, length - at);
        return length + span;
    default: { /* from another file */
        size_t from = below(other->length), count = below(other->length - from) % 64;
        if (at + count > length)
            return length;
        memcpy(bytes + at, other->bytes + from, count);
        return length;
    }
    }
}

static void run(const uint8_t *bytes, size_t length)
{
    uint8_t *exact = mem_new(length); /* so that a sanitizer sees a read past the end */
    FUZZ_CHECK(exact);
    memcpy(exact, bytes, length);
    running = exact;
    running_length = length;
    LLVMFuzzerTestOneInput(exact, length);
    running = NULL;
    mem_free(exact);
}

/* Called when the program is about to die: only what a signal handler may do. */
static void keep_input(void)
{
    static const char path[] = "/tmp/pistachio-fuzz-input", text[] = "the input is kept in ";
    int file = running ? open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600) : -1;
    if (file < 0)
        return;
    if (write(file, running, running_length) == (ssize_t)running_length) {
        (void)!write(2, text, sizeof text - 1);
        (void)!write(2, path, sizeof path - 1);
        (void)!write(2, "\n", 1);
    }
    close(file);
}

static void on_signal(int number)
{
    keep_input();
    signal(number, SIG_DFL);
    raise(number);
}

int main(int argument_count, char **arguments)
{
    int option;
    uint64_t seed = 1;
    /* The gate's number of the commit chooses a third of the changes (scripts/choose-tests). */
    const char *choice = getenv("PISTACHIO_TEST_CHOICE");
    uint64_t number = choice ? strtoull(choice, NULL, 10) : 0;
    while ((option = getopt(argument_count, arguments, "n:s:")) != -1)
        if (option == 'n')
            change_count = (unsigned)strtoul(optarg, NULL, 10);
        else if (option == 's')
            seed = strtoull(optarg, NULL, 10);
        else
            return 2;
    for (int i = optind; i < argument_count; i++)
        nftw(arguments[i], load, 16, 0);
    if (!inputs.count) {
        fprintf(stderr, "no inputs found\n");
        return 1;
    }

    signal(SIGABRT, on_signal);
    signal(SIGILL, on_signal); /* a check of UndefinedBehaviorSanitizer that failed */
    if (__sanitizer_set_death_callback)
        __sanitizer_set_death_callback(keep_input);
    else
        signal(SIGSEGV, on_signal);
    uint8_t *bytes = mem_new(INPUT_BYTES_MAX);
    FUZZ_CHECK(bytes);
    for (size_t i = 0; i < inputs.count; i++) {
        run(inputs.items[i].bytes, inputs.items[i].length);
        for (unsigned c = 0; c < change_count; c++) {
            if (choice && (i + c + number) % 3)
                continue;
            random_state = seed * 1000003 + i * 10007 + c;
            size_t length = inputs.items[i].length;
            memcpy(bytes, inputs.items[i].bytes, length);
            for (size_t more = 1 + below(4); more; more--)
                length = change(bytes, length);
            run(bytes, length);
        }
    }
    printf("%zu inputs, %u changes of each\n", inputs.count, change_count);

    mem_free(bytes);
    for (size_t i = 0; i < inputs.count; i++)
        mem_free(inputs.items[i].bytes);
    array_release(&inputs);
    return 0;
}
