/* calibrate.c - the arguments of `pistachio calibrate`; storage/calibrate.h does the work. */
#include "cli/calibrate.h"

#include "api/choice/measure.h"
#include "cli/output/usage.h"
#include "storage/calibrate_store.h"
#include "storage/object_store.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/sysmacros.h>
#include <time.h>

static const char usage[] =
    "usage: pistachio calibrate [--path DIR|FILE|URL | --device] [--force] [--json]\n"
    "\n"
    "Measures how fast a storage device is read, in two to three seconds, and keeps the result "
    "for\n"
    "EXPLAIN ANALYZE, which tells how much faster a query could have been.\n"
    "\n"
    "  --path DIR     the device that holds DIR; default: the working directory. A temporary file\n"
    "                 of 256 MiB is made there for the time\n"
    "  --path FILE    a file of 64 MiB or more that is there is read instead\n"
    "  --path URL     objects of a store, of 64 MiB or more together, are read\n"
    "  --device       measures the first GPU instead, in about two seconds, for device = auto, and "
    "keeps "
    "that\n"
    "  --force        measures again, even if there is a result of the last 30 days\n"
    "  --json         prints JSON\n"
    "\n"
    "exit status: 0, 1 it could not be measured, 2 wrong usage\n";

#define PROGRAM "pistachio calibrate"

static const char *const option_names[] = {"--path", "--device", "--force", "--json", "--help"};

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

/* Frees the status. A result that could not be kept is printed all the same. */
static void calibrate_note_unkept(status st)
{
    if (st)
        fprintf(stderr, "pistachio: the result is not kept: %s\n", status_message(st));
    status_free(st);
}

static status calibrate_measure(const char *path, calibration *out)
{
    TRY(object_store_has(path) ? calibrate_store_measure(path, out)
                               : calibration_measure(path, out));
    calibrate_note_unkept(calibration_keep(out));
    return STATUS_OK;
}

static status measure_storage(const char *path, bool must_measure, bool as_json)
{
    uint64_t device;
    calibration c;
    status st = object_store_has(path) ? calibrate_store_device(path, &device)
                                       : calibration_device(path, &device);
    bool is_kept = !st && !must_measure && calibration_find(device, &c);
    if (!st && !is_kept)
        st = calibrate_measure(path, &c);
    TRY(st);
    if (as_json)
        print_json(&c);
    else
        print_table(&c, is_kept);
    return STATUS_OK;
}

#define ORDINAL 0 /* device = auto takes the driver's first device */

static void print_figures(const device_figures *f, bool as_json)
{
    if (as_json)
        printf(
            "{\"open_seconds\": %.6g, \"launch_seconds\": %.6g, \"link_bytes_per_second\": %.6g, "
            "\"memory_bytes_per_second\": %.6g}\n",
            f->open_seconds, f->launch_seconds, f->link_bytes, f->memory_bytes);
    else
        printf("device cuda:%d\n\nto open it     %9.1f ms\na launch       %9.2f us\nits link       "
               "%9.1f GB/s\n"
               "copies within  %9.1f GB/s\n",
               ORDINAL, f->open_seconds * 1e3, f->launch_seconds * 1e6, f->link_bytes / 1e9,
               f->memory_bytes / 1e9);
}

static status measure_device(bool must_measure, bool as_json)
{
    device_figures figures;
    bool is_kept = !must_measure && device_figures_find(ORDINAL, &figures);
    if (!is_kept) {
        TRY(device_figures_measure(ORDINAL, &figures));
        calibrate_note_unkept(device_figures_keep(ORDINAL, &figures));
    }
    print_figures(&figures, as_json);
    return STATUS_OK;
}

/* path NULL: of the device. */
static int calibrate(const char *path, bool must_measure, bool as_json)
{
    status st =
        path ? measure_storage(path, must_measure, as_json) : measure_device(must_measure, as_json);
    if (st) {
        fprintf(stderr, "pistachio: %s\n", status_message(st));
        if (status_get_hint(st))
            fprintf(stderr, "hint: %s\n", status_get_hint(st));
        status_free(st);
        return 1;
    }
    if (fflush(stdout) || ferror(stdout)) {
        fprintf(stderr, "pistachio: could not write the results\n");
        return 1;
    }
    return 0;
}

int cli_calibrate(int count, char **words)
{
    const char *path = NULL;
    bool must_measure = false, as_json = false, is_device = false;
    for (int i = 0; i < count; i++) {
        if (!strcmp(words[i], "--help") || !strcmp(words[i], "-h")) {
            fputs(usage, stdout);
            return 0;
        } else if (!strcmp(words[i], "--force")) {
            must_measure = true;
        } else if (!strcmp(words[i], "--device")) {
            is_device = true;
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
    if (is_device && path)
        return usage_error(PROGRAM, "--device and --path exclude each other", NULL);
    return calibrate(is_device ? NULL : path ? path : ".", must_measure, as_json);
}
