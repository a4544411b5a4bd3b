/* calibrate.c - the arguments of `pistachio calibrate`; storage/calibrate.h does the work. */
#include "cli/calibrate.h"

#include "cli/output/usage.h"
#include "storage/calibrate_store.h"
#include "storage/object_store.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/sysmacros.h>
#include <time.h>

static const char usage[] =
    "usage: pistachio calibrate [--path DIR|FILE|URL] [--force] [--json]\n"
    "\n"
    "Measures how fast a storage device is read, in two to three seconds, and keeps the result "
    "for\n"
    "EXPLAIN ANALYZE, which tells how much faster a query could have been.\n"
    "\n"
    "  --path DIR     the device that holds DIR; default: the working directory. A temporary file\n"
    "                 of 256 MiB is made there for the time\n"
    "  --path FILE    a file of 64 MiB or more that is there is read instead\n"
    "  --path URL     objects of a store, of 64 MiB or more together, are read\n"
    "  --force        measures again, even if there is a result of the last 30 days\n"
    "  --json         prints JSON\n"
    "\n"
    "exit status: 0, 1 it could not be measured, 2 wrong usage\n";

#define PROGRAM "pistachio calibrate"

static const char *const option_names[] = {"--path", "--force", "--json", "--help"};

static void print_table(const calibration *c, bool is_kept)
{
    const calibration_trial *best = calibration_best(c);
    char date[32] = "";
    time_t measured = (time_t)c->measured;
    struct tm local;
    if (localtime_r(&measured, &local))
        strftime(date, sizeof date, "%Y-%m-%d %H:%M", &local);
    if (c->device >> 63)
        printf("object store %016" PRIx64 ", measured %s%s\n\n request  depth      MB/s\n",
               c->device, date, is_kept ? "; --force measures again" : "");
    else
        printf("device %u:%u, measured %s%s\n\n request  depth      MB/s\n", major(c->device),
               minor(c->device), date, is_kept ? "; --force measures again" : "");
    for (unsigned i = 0; i < c->trial_count; i++) {
        const calibration_trial *t = &c->trials[i];
        printf("%4" PRIu64 " KiB  %5" PRIu64 "  %8.1f%s\n", t->request_bytes / 1024, t->depth,
               (double)t->bytes_per_second / 1e6, t == best ? "  best" : "");
    }
}

static void print_json(const calibration *c)
{
    printf("{\"device\": \"%u:%u\", \"measured\": %" PRId64 ", \"bytes_per_second\": %" PRIu64
           ", \"trials\": [",
           major(c->device), minor(c->device), c->measured, calibration_best(c)->bytes_per_second);
    for (unsigned i = 0; i < c->trial_count; i++) {
        const calibration_trial *t = &c->trials[i];
        printf("%s\n  {\"request_bytes\": %" PRIu64 ", \"depth\": %" PRIu64
               ", \"bytes_per_second\": %" PRIu64 "}",
               i ? "," : "", t->request_bytes, t->depth, t->bytes_per_second);
    }
    printf("]}\n");
}

static status calibrate_measure(const char *path, calibration *out)
{
    TRY(object_store_has(path) ? calibrate_store_measure(path, out)
                               : calibration_measure(path, out));
    status st = calibration_keep(out);
    if (st) /* it is printed all the same */
        fprintf(stderr, "pistachio: the result is not kept: %s\n", status_message(st));
    status_free(st);
    return STATUS_OK;
}

static int calibrate(const char *path, bool must_measure, bool as_json)
{
    uint64_t device;
    calibration c;
    status st = object_store_has(path) ? calibrate_store_device(path, &device)
                                       : calibration_device(path, &device);
    bool is_kept = !st && !must_measure && calibration_find(device, &c);
    if (!st && !is_kept)
        st = calibrate_measure(path, &c);
    if (st) {
        fprintf(stderr, "pistachio: %s\n", status_message(st));
        if (status_get_hint(st))
            fprintf(stderr, "hint: %s\n", status_get_hint(st));
        status_free(st);
        return 1;
    }
    if (as_json)
        print_json(&c);
    else
        print_table(&c, is_kept);
    if (fflush(stdout) || ferror(stdout)) {
        fprintf(stderr, "pistachio: could not write the results\n");
        return 1;
    }
    return 0;
}

int cli_calibrate(int count, char **words)
{
    const char *path = ".";
    bool must_measure = false, as_json = false;
    for (int i = 0; i < count; i++) {
        if (!strcmp(words[i], "--help") || !strcmp(words[i], "-h")) {
            fputs(usage, stdout);
            return 0;
        } else if (!strcmp(words[i], "--force")) {
            must_measure = true;
        } else if (!strcmp(words[i], "--json")) {
            as_json = true;
        } else if (!strcmp(words[i], "--path")) {
            if (++i == count)
                return usage_error(PROGRAM, "a value is missing behind", "--path");
            path = words[i];
        } else {
            return usage_no_option(PROGRAM, words[i], option_names,
                                   sizeof option_names / sizeof *option_names);
        }
    }
    return calibrate(path, must_measure, as_json);
}
