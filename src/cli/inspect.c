/* inspect.c - the arguments of `pistachio inspect`; parquet/inspect/inspect.h does the work. */
#include "cli/inspect.h"

#include "cli/output/usage.h"
#include "parquet/inspect/inspect.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static const char usage[] =
    "usage: pistachio inspect [--pages] [--row-group N] FILE|DIR...\n"
    "\n"
    "Shows what Parquet files are made of: schema, row groups, columns with their encodings,\n"
    "codecs, statistics and indexes.\n"
    "\n"
    "  --pages         also every page\n"
    "  --row-group N   only this row group; the first one is 0\n";

#define PROGRAM "pistachio inspect"

static const char *const option_names[] = {"--pages", "--row-group", "--help"};

static bool inspect_parse_number(const char *text, uint32_t *out)
{
    char *end;
    errno = 0;
    unsigned long number = strtoul(text, &end, 10);
    *out = (uint32_t)number;
    return *text >= '0' && *text <= '9' && !*end && !errno && number <= UINT32_MAX;
}

int cli_inspect(int count, char **words)
{
    pq_inspect_options options = {0};
    int paths = 0, exit_status = 0;
    for (int i = 0; i < count; i++) {
        if (!strcmp(words[i], "--help") || !strcmp(words[i], "-h")) {
            fputs(usage, stdout);
            return 0;
        } else if (!strcmp(words[i], "--pages")) {
            options.with_pages = true;
        } else if (!strcmp(words[i], "--row-group")) {
            options.is_one_group = true;
            if (++i == count)
                return usage_error(PROGRAM, "a value is missing behind", "--row-group");
            if (!inspect_parse_number(words[i], &options.row_group))
                return usage_value(PROGRAM, "--row-group", words[i],
                                   "a number; the first one is 0");
        } else if (words[i][0] == '-') {
            return usage_no_option(PROGRAM, words[i], option_names,
                                   sizeof option_names / sizeof *option_names);
        } else {
            words[paths++] = words[i];
        }
    }
    if (!paths)
        return usage_error(PROGRAM, "a file is missing", NULL);
    for (int i = 0; i < paths && !exit_status; i++) {
        status st = pq_inspect(words[i], &options, stdout);
        if (st)
            fprintf(stderr, "pistachio: %s\n", status_message(st));
        exit_status = st != NULL;
        status_free(st);
    }
    if (fflush(stdout) || ferror(stdout)) {
        fprintf(stderr, "pistachio: could not write the tables\n");
        return 1;
    }
    return exit_status;
}
