/* rewrite.c - the arguments of `pistachio rewrite`; api/rewriter/rewrite.h does the work. */
#include "cli/rewrite.h"

#include "api/rewriter/rewrite.h"
#include "cli/output/figures.h"
#include "cli/output/status_line.h"
#include "cli/output/usage.h"
#include "cli/rewrite_forms.h"
#include "parquet/profile/profile_measure.h"
#include "storage/calibrate.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <time.h>

#define DEFAULT_GROUP_ROWS 122880
#define CPU_GROUP_ROWS 131072
#define CPU_PAGE_ROWS 16384 /* what operators work on at a time */
#define GPU_GROUP_ROWS 10000000
#define GPU_PAGES 100
#define MEMORY_MIN (16 << 20) /* as memory_limit */

static const char usage[] =
    "usage: pistachio rewrite [OPTIONS] IN... OUT\n"
    "\n"
    "Writes Parquet files anew so that they scan fast. IN: files, patterns, folders. OUT: a file "
    "for\n"
    "one file, else a folder. A target is replaced whole or not at all.\n"
    "\n"
    "  --for cpu|gpu          a preset, which the other options change\n"
    "  --row-group-rows N     rows of a row group; default 122880\n"
    "  --row-groups N         the number of row groups\n"
    "  --row-group-size SIZE  uncompressed: 128MiB\n"
    "  --pages N              at least N pages in a column chunk\n"
    "  --page-rows N          at most N rows in a page\n"
    "  --page-size SIZE       uncompressed; default 1MiB\n"
    "  --page-version 1|2     of data pages; default 1\n"
    "  --encoding [COLUMN=]LIST  v1, v2, plain, dictionary, delta, delta_length, delta_bytes, "
    "split,\n"
    "                         rle; the best of the list is taken; default v1\n"
    "  --codec [COLUMN=]LIST  none, snappy, lz4_raw, zstd(N), gzip, brotli, lightweight (none,\n"
    "                         snappy, lz4_raw), optimal (all); default snappy\n"
    "  --choose RULE          smallest, threshold(PERCENT), fastest; default smallest\n"
    "  --profile FILE         decoding speeds for fastest; default: measured\n"
    "  --save-profile FILE    writes what fastest went by\n"
    "  --bandwidth SIZE       of the storage, a second, for fastest; default: what calibrate "
    "measured,\n"
    "                         else 3GB\n"
    "  --hot PERCENT          of scans that find the file in the page cache, for fastest; "
    "default 50\n"
    "  --sort COLUMNS         as in ORDER BY\n"
    "  --bloom COLUMNS        Bloom filters of these, divided by commas\n"
    "  --no-page-index, --no-statistics, --no-checksums\n"
    "  --report FILE          every form tried, as CSV\n"
    "  --threads N            default: one for each core\n"
    "  --memory SIZE          default: 80% of the machine's\n"
    "\n"
    "exit status: 0, 1 something failed, 2 wrong usage\n";

/* Options of one column. */
typedef struct column_words {
    const char *name, *encoding, *codec;
    bool bloom;
} column_words;

typedef struct arguments {
    api_rewrite_options options;
    column_words columns[256];
    api_rewrite_column entries[256];
    size_t column_count;
    const char *report, *profile; /* where to write them */
    const char *group_option;     /* the one that says how large row groups are, or NULL */
    bool has_profile, has_bandwidth;
} arguments;

#define PROGRAM "pistachio rewrite"

/* The options that take a value, and what it can be. */
static const struct {
    const char *name, *possible;
} values[] = {
    {"--for", "cpu or gpu"},
    {"--row-group-rows", "a number, 1 or more"},
    {"--row-groups", "a number, 1 or more"},
    {"--row-group-size", "a size as 128MiB or 100MB"},
    {"--pages", "a number, 1 or more"},
    {"--page-rows", "a number, 1 or more"},
    {"--page-size", "a size of at most 1GiB, as 1MiB or 64kB"},
    {"--page-version", "1 or 2"},
    {"--encoding", "[COLUMN=] and a list, divided by commas, of v1, v2, plain, dictionary, delta, "
                   "delta_length, delta_bytes, split, rle"},
    {"--codec",
     "[COLUMN=] and a list, divided by commas, of none, snappy, lz4_raw, zstd, gzip, brotli, "
     "lightweight, optimal; a level as in zstd(9): zstd to 22, gzip to 9, brotli to 11"},
    {"--choose", "smallest, fastest, threshold or threshold(PERCENT), 0 to below 100"},
    {"--profile", "a file that --save-profile wrote"},
    {"--save-profile", "a file's name"},
    {"--bandwidth", "a size, which is read in a second: 3GB"},
    {"--hot", "a percentage, 0 to 100"},
    {"--sort", "a list of columns, as in ORDER BY"},
    {"--bloom", "a list of columns, divided by commas"},
    {"--report", "a file's name"},
    {"--threads", "a number from 1 to 1024"},
    {"--memory", "a size of at least 16MiB, as 4GB"},
};
#define VALUE_COUNT (sizeof values / sizeof *values)
static const char *const flags[] = {"--no-page-index", "--no-statistics", "--no-checksums",
                                    "--help"};
#define FLAG_COUNT (sizeof flags / sizeof *flags)

/* Returns the values that the option can have; NULL: no such option takes one. */
static const char *possible_values(const char *word)
{
    for (size_t i = 0; i < VALUE_COUNT; i++)
        if (!strcmp(values[i].name, word))
            return values[i].possible;
    return NULL;
}

static int rewrite_no_option(const char *word)
{
    const char *names[VALUE_COUNT + FLAG_COUNT];
    for (size_t i = 0; i < VALUE_COUNT; i++)
        names[i] = values[i].name;
    memcpy(names + VALUE_COUNT, flags, sizeof flags);
    return usage_no_option(PROGRAM, word, names, VALUE_COUNT + FLAG_COUNT);
}

/* The words about a column, new ones if there are none; NULL: too many. */
static column_words *rewrite_column_of(arguments *a, const char *name)
{
    for (size_t i = 0; i < a->column_count; i++)
        if (!strcasecmp(a->columns[i].name, name))
            return &a->columns[i];
    if (a->column_count == sizeof a->columns / sizeof *a->columns)
        return NULL;
    a->columns[a->column_count] = (column_words){.name = name};
    return &a->columns[a->column_count++];
}

/* "COLUMN=LIST" or "LIST". */
static bool parse_form(arguments *a, char *text, bool is_codec)
{
    char *equals = strrchr(text, '=');
    pq_choice *choice = &a->options.all.choice, scratch = {0};
    if (equals) {
        *equals = 0;
        column_words *column = rewrite_column_of(a, text);
        text = equals + 1;
        choice = &scratch;
        if (!column)
            return false;
        *(is_codec ? &column->codec : &column->encoding) = text;
    }
    bool is_right =
        is_codec ? cli_parse_codecs(text, choice) : cli_parse_encodings(text, &choice->encodings);
    if (!is_right && equals)
        *equals = '='; /* the message has all of it */
    return is_right;
}

static bool parse_bloom(arguments *a, char *text)
{
    char *rest;
    for (char *name = strtok_r(text, ",", &rest); name; name = strtok_r(NULL, ",", &rest)) {
        column_words *column = rewrite_column_of(a, name);
        if (!column)
            return false;
        column->bloom = true;
    }
    return true;
}

static bool parse_rule(const char *text, pq_choice *choice)
{
    double percent = 10;
    if (!strcmp(text, "smallest"))
        choice->rule = PQ_CHOOSE_SMALLEST;
    else if (!strcmp(text, "fastest"))
        choice->rule = PQ_CHOOSE_FASTEST;
    else if (!strcmp(text, "threshold") || sscanf(text, "threshold(%lf)", &percent) == 1)
        choice->rule = PQ_CHOOSE_THRESHOLD;
    else
        return false;
    choice->threshold = percent / 100;
    return percent >= 0 && percent < 100;
}

/* As a share of 1. */
static bool parse_percent(const char *text, double *out)
{
    char *end;
    double percent = strtod(text, &end);
    *out = percent / 100;
    return end != text && !*end && percent >= 0 && percent <= 100;
}

static bool parse_preset(const char *text, api_rewrite_options *o)
{
    bool is_gpu = !strcmp(text, "gpu");
    if (!is_gpu && strcmp(text, "cpu") != 0)
        return false;
    o->page_v2 = true;
    o->all.choice.threshold = 0.1;
    if (is_gpu) {
        o->group_rows = GPU_GROUP_ROWS;
        o->pages_per_chunk = GPU_PAGES;
        o->all.choice.rule = PQ_CHOOSE_THRESHOLD;
        return cli_parse_encodings("v2", &o->all.choice.encodings) &&
               cli_parse_codecs("lightweight", &o->all.choice);
    }
    o->group_rows = CPU_GROUP_ROWS;
    o->page_rows = CPU_PAGE_ROWS;
    o->all.choice.rule = PQ_CHOOSE_FASTEST;
    return cli_parse_encodings("v2", &o->all.choice.encodings) &&
           cli_parse_codecs("lightweight,zstd", &o->all.choice);
}

/* 1: the profile cannot be used, and why was printed. */
static int read_profile(const char *path, pq_profile *out)
{
    unsigned line;
    if (cli_read_profile(path, out, &line))
        return 0;
    if (line)
        fprintf(stderr, "pistachio: profile \"%s\", line %u: not understood\n", path, line);
    else
        fprintf(stderr, "pistachio: could not read profile \"%s\": %s\n", path, strerror(errno));
    return 1;
}

/* One of the three says how large row groups are. */
static bool rewrite_set_group(api_rewrite_options *o, uint64_t rows, uint64_t count, uint64_t bytes)
{
    o->group_rows = rows;
    o->group_count = count;
    o->group_bytes = bytes;
    return true;
}

/* Options that stand alone. */
static bool parse_flag(const char *word, api_rewrite_options *o)
{
    if (!strcmp(word, "--no-page-index"))
        o->no_page_index = true;
    else if (!strcmp(word, "--no-statistics"))
        o->no_statistics = true;
    else if (!strcmp(word, "--no-checksums"))
        o->no_checksums = true;
    else
        return false;
    return true;
}

/* Row groups are of so many rows, or so many, or so large: 0, or 2 if two are asked for. */
static int check_group_option(arguments *a, const char *word)
{
    if (strncmp(word, "--row-group", 11) != 0)
        return 0;
    const char *other = a->group_option;
    a->group_option = word;
    if (!other || !strcmp(other, word))
        return 0;
    fprintf(stderr,
            PROGRAM ": %s and %s cannot both be\nhint: each says how large row groups are\n", other,
            word);
    return 2;
}

/* An option and its value: 0, or the exit status. */
static int rewrite_parse_option(arguments *a, const char *word, char *next)
{
    api_rewrite_options *o = &a->options;
    uint64_t number = 0;
    bool is_right = false;
    if (!strcmp(word, "--for"))
        is_right = true; /* read before all others */
    else if (!strcmp(word, "--row-group-rows"))
        is_right = cli_parse_count(next, &number) && rewrite_set_group(o, number, 0, 0);
    else if (!strcmp(word, "--row-groups"))
        is_right = cli_parse_count(next, &number) && rewrite_set_group(o, 0, number, 0);
    else if (!strcmp(word, "--row-group-size"))
        is_right = cli_parse_bytes(next, &number) && rewrite_set_group(o, 0, 0, number);
    else if (!strcmp(word, "--pages"))
        is_right = cli_parse_count(next, &o->pages_per_chunk);
    else if (!strcmp(word, "--page-rows"))
        is_right = cli_parse_count(next, &o->page_rows);
    else if (!strcmp(word, "--page-size"))
        is_right = cli_parse_bytes(next, &o->page_bytes) && o->page_bytes <= 1 << 30;
    else if (!strcmp(word, "--page-version")) {
        o->page_v2 = !strcmp(next, "2");
        is_right = o->page_v2 || !strcmp(next, "1");
    } else if (!strcmp(word, "--encoding"))
        is_right = parse_form(a, next, false);
    else if (!strcmp(word, "--codec"))
        is_right = parse_form(a, next, true);
    else if (!strcmp(word, "--choose"))
        is_right = parse_rule(next, &o->all.choice);
    else if (!strcmp(word, "--profile")) {
        a->has_profile = true;
        return read_profile(next, &o->all.choice.profile);
    } else if (!strcmp(word, "--save-profile")) {
        a->profile = next;
        is_right = *next;
    } else if (!strcmp(word, "--bandwidth")) {
        is_right = a->has_bandwidth = cli_parse_bytes(next, &number);
        o->all.choice.profile.bandwidth = (double)number;
    } else if (!strcmp(word, "--hot")) {
        is_right = parse_percent(next, &o->all.choice.profile.hot);
    } else if (!strcmp(word, "--sort")) {
        o->sort = next;
        is_right = *next;
    } else if (!strcmp(word, "--bloom"))
        is_right = parse_bloom(a, next);
    else if (!strcmp(word, "--report")) {
        a->report = next;
        is_right = *next;
    } else if (!strcmp(word, "--threads")) {
        is_right = cli_parse_count(next, &number) && number <= 1024;
        o->threads = (unsigned)number;
    } else if (!strcmp(word, "--memory"))
        is_right = cli_parse_bytes(next, &o->memory_bytes) && o->memory_bytes >= MEMORY_MIN;
    return is_right ? check_group_option(a, word)
                    : usage_value(PROGRAM, word, next, possible_values(word));
}

/* Columns' own words over those for all columns, once all are known. */
static void fill_entries(arguments *a)
{
    for (size_t i = 0; i < a->column_count; i++) {
        const column_words *words = &a->columns[i];
        api_rewrite_column *entry = &a->entries[i];
        *entry = a->options.all;
        entry->name = words->name;
        entry->bloom_filter = words->bloom;
        if (words->encoding)
            cli_parse_encodings(words->encoding, &entry->choice.encodings);
        if (words->codec)
            cli_parse_codecs(words->codec, &entry->choice);
    }
    a->options.columns = a->entries;
    a->options.column_count = a->column_count;
}

/* -1: go on; else the exit status. Paths are moved to the front of `words`. */
static int rewrite_parse(int count, char **words, arguments *a, size_t *out_paths)
{
    size_t paths = 0;
    for (int i = 0; i + 1 < count; i++)
        if (!strcmp(words[i], "--for") && !parse_preset(words[i + 1], &a->options))
            return usage_value(PROGRAM, words[i], words[i + 1], possible_values(words[i]));
    for (int i = 0; i < count; i++) {
        char *word = words[i];
        if (!strcmp(word, "--help") || !strcmp(word, "-h")) {
            fputs(usage, stdout);
            return 0;
        }
        if (word[0] != '-' || !word[1]) {
            words[paths++] = word;
        } else if (!parse_flag(word, &a->options)) {
            if (!possible_values(word))
                return rewrite_no_option(word);
            if (++i == count)
                return usage_error(PROGRAM, "a value is missing behind", word);
            int exit_status = rewrite_parse_option(a, word, words[i]);
            if (exit_status)
                return exit_status;
        }
    }
    fill_entries(a);
    *out_paths = paths;
    return paths < 2 ? usage_error(PROGRAM, "IN and OUT are needed", NULL) : -1;
}

static double rewrite_seconds(void)
{
    struct timespec ts;
    clock_gettime(CLOCK_MONOTONIC, &ts);
    return (double)ts.tv_sec + (double)ts.tv_nsec / 1e9;
}

static void rewrite_show_progress(uint64_t done, uint64_t all, void *context)
{
    double *last = context, now = rewrite_seconds();
    char bar[41], line[128];
    if (now - *last < 0.1)
        return;
    *last = now;
    uint64_t percent = all ? done * 100 / all : 100;
    size_t full = percent * (sizeof bar - 1) / 100;
    memset(bar, ' ', sizeof bar - 1);
    memset(bar, '=', full < sizeof bar ? full : sizeof bar - 1);
    bar[sizeof bar - 1] = 0;
    snprintf(line, sizeof line, "%3" PRIu64 "%% [%s] %" PRIu64 " rows", percent, bar, done);
    status_line_draw(line);
}

/* Returns the rate of the storage that the files are on, if somebody measured it. */
static double calibrated_bandwidth(const api_rewrite_options *o)
{
    uint64_t device;
    calibration found;
    status st = calibration_device(o->output, &device);
    if (st) { /* it is not there yet */
        status_free(st);
        st = calibration_device(o->inputs[0], &device);
    }
    if (!st && calibration_find(device, &found))
        return (double)calibration_best(&found)->bytes_per_second;
    status_free(st);
    return 0;
}

static status measure_machine(arguments *a)
{
    pq_profile *profile = &a->options.all.choice.profile;
    double bandwidth = a->has_bandwidth ? 0 : calibrated_bandwidth(&a->options);
    if (bandwidth > 0)
        profile->bandwidth = bandwidth;
    return pq_profile_measure(profile);
}

static status save_profile(const arguments *a)
{
    FILE *target = fopen(a->profile, "we");
    if (target)
        cli_write_profile(&a->options.all.choice.profile, target);
    bool is_written = target && !ferror(target);
    if ((target && fclose(target)) || !is_written)
        return status_new_errno(errno, "could not write profile \"%s\"", a->profile);
    return STATUS_OK;
}

static int rewrite_run(arguments *a)
{
    api_rewrite_options *o = &a->options;
    api_rewrite_totals totals;
    double start = rewrite_seconds(), last = 0;
    if (a->report && !(o->report = fopen(a->report, "we"))) {
        fprintf(stderr, "pistachio: could not write report \"%s\": %s\n", a->report,
                strerror(errno));
        return 1;
    }
    if (status_line_is_possible()) {
        o->progress = rewrite_show_progress;
        o->context = &last;
    }
    status st = STATUS_OK;
    if (o->all.choice.rule == PQ_CHOOSE_FASTEST && !a->has_profile)
        st = measure_machine(a);
    if (!st && a->profile)
        st = save_profile(a);
    if (!st)
        st = api_rewrite(o, &totals);
    status_line_clear();
    bool is_reported = !o->report || !ferror(o->report);
    if (o->report && fclose(o->report))
        is_reported = false;
    if (st) {
        fprintf(stderr, "pistachio: %s\n", status_message(st));
        if (status_get_hint(st))
            fprintf(stderr, "hint: %s\n", status_get_hint(st));
        status_free(st);
        return 1;
    }
    char files[FIGURES_BYTES], rows[FIGURES_BYTES], before[FIGURES_BYTES], after[FIGURES_BYTES];
    fprintf(stderr, "%s, %s, %s to %s in %.1f s\n", figures_count(totals.files, "file", files),
            figures_count(totals.rows, "row", rows), figures_bytes(totals.bytes_read, before),
            figures_bytes(totals.bytes_written, after), rewrite_seconds() - start);
    if (!is_reported)
        fprintf(stderr, "pistachio: could not write report \"%s\"\n", a->report);
    return !is_reported;
}

int cli_rewrite(int count, char **words)
{
    static arguments a; /* large */
    size_t paths;
    a = (arguments){.options = {.group_rows = DEFAULT_GROUP_ROWS}};
    pq_choice *all = &a.options.all.choice;
    all->profile = pq_profile_default();
    cli_parse_encodings("v1", &all->encodings);
    cli_parse_codecs("snappy", all);
    int exit_status = rewrite_parse(count, words, &a, &paths);
    if (exit_status >= 0)
        return exit_status;
    a.options.inputs = (const char *const *)words;
    a.options.input_count = paths - 1;
    a.options.output = words[paths - 1];
    return rewrite_run(&a);
}
