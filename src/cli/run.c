/* run.c - runs statements and commands, prints results, errors and times. */
#include "cli/run.h"

#include "base/mem.h"
#include "base/text_place.h"
#include "cli/command.h"
#include "cli/interrupt.h"
#include "cli/progress.h"
#include "cli/statement.h"
#include "cli/target.h"

#include <errno.h>
#include <string.h>
#include <time.h>

static double seconds(void)
{
    struct timespec ts;
    clock_gettime(CLOCK_MONOTONIC, &ts);
    return (double)ts.tv_sec + (double)ts.tv_nsec / 1e9;
}

/* ---- errors ---- */

void cli_report(pistachio_error *error, const char *text, size_t start)
{
    fprintf(stderr, "error: %s\n", pistachio_error_message(error));
    if (text && pistachio_error_position(error) >= 0) {
        char place[TEXT_PLACE_BYTES];
        text_place_show(text, start + (size_t)pistachio_error_position(error), place);
        fprintf(stderr, "%s\n", place);
    }
    if (pistachio_error_hint(error))
        fprintf(stderr, "hint: %s\n", pistachio_error_hint(error));
    pistachio_error_free(error);
}

/* ---- statements ---- */

/* With four digits at least, as most statements are short. */
static void print_time(double taken)
{
    int digits = taken >= 1 ? 3 : taken >= 0.1 ? 4 : taken >= 0.01 ? 5 : 6;
    fprintf(stderr, "time: %.*f s\n", digits, taken);
}

static void print_notices(const pistachio_result *result)
{
    const char *notice;
    for (uint32_t i = 0; (notice = pistachio_notice(result, i)); i++)
        fprintf(stderr, "notice: %s\n", notice);
}

/* Runs the statement at *at, and sets *at behind it. */
static pistachio_error *run_statement(cli_session *s, const char **at)
{
    double start = seconds();
    const char *rest = *at;
    pistachio_result *result = NULL;
    uint64_t rows = 0;
    progress_begin(s->connection);
    progress_show();
    pistachio_error *error = pistachio_query(s->connection, *at, &rest, &result);
    progress_hide();
    if (interrupt_taken()) /* perhaps before there was a query to cancel */
        pistachio_cancel(s->connection);
    print_notices(result);
    if (!error && result)
        error = output_print(result, &s->output, s->target, &rows);
    progress_end();
    pistachio_result_free(result);
    if (!error && result && s->has_timer)
        print_time(seconds() - start);
    *at = rest;
    return error;
}

/* For the editor. */
static void keep_sql(cli_session *s, const char *sql, size_t bytes)
{
    char *copy = mem_copy_text(sql, bytes);
    if (!copy)
        return;
    mem_free(s->last_sql);
    s->last_sql = copy;
}

/* 1: it failed, and why was printed. */
static int run_next(cli_session *s, const char *text, statement_kind kind, const char **at,
                    const char *end)
{
    if (kind == STATEMENT_COMMAND) {
        size_t bytes = (size_t)(end - *at);
        char *line = mem_copy_text(*at, bytes);
        int result = line ? command_run(s, line) : 1;
        mem_free(line);
        *at = end;
        return result;
    }
    size_t start = (size_t)(*at - text);
    if (s->is_interactive)
        keep_sql(s, *at, (size_t)(end - *at));
    interrupt_watch(s->connection);
    pistachio_error *error = run_statement(s, at);
    interrupt_unwatch();
    if (error)
        cli_report(error, text, start);
    if (ferror(s->target) && s->is_interactive && !s->file && interrupt_taken())
        clearerr(s->target); /* an interrupted write */
    return error || ferror(s->target);
}

int cli_run_text(cli_session *s, const char *text)
{
    const char *at = text, *end;
    statement_kind kind;
    int result = 0;
    while (!result && !s->is_done && !interrupt_taken() &&
           (kind = statement_next(at, &at, &end)) != STATEMENT_NONE)
        result = run_next(s, text, kind, &at, end);
    return result || interrupt_taken();
}

/* ---- streams ---- */

typedef ARRAY(char) text_buffer;

static status read_all(FILE *source, text_buffer *out)
{
    char block[16384];
    size_t bytes;
    while ((bytes = fread(block, 1, sizeof block, source)) > 0) {
        TRY(array_reserve(NULL, out, bytes + 1));
        memcpy(out->items + out->count, block, bytes);
        out->count += bytes;
    }
    if (ferror(source))
        return status_new_errno(errno, "could not read the statements");
    TRY(array_reserve(NULL, out, 1));
    out->items[out->count] = 0;
    return STATUS_OK;
}

/* *out: the text behind a mark of UTF-8's byte order, which Windows' editors write. */
static status check_encoding(const text_buffer *text, const char **out)
{
    const char *start = text->items;
    *out = strncmp(start, "\xef\xbb\xbf", 3) ? start : start + 3;
    if (!strncmp(start, "\xff\xfe", 2) || !strncmp(start, "\xfe\xff", 2))
        return status_hint(status_new(STATUS_KIND_INVALID, "the statements are UTF-16 text"),
                           "save them as UTF-8");
    if (strlen(start) < text->count)
        return status_new(STATUS_KIND_INVALID, "byte %zu of the statements is zero",
                          strlen(start) + 1);
    return STATUS_OK;
}

int cli_run_stream(cli_session *s, FILE *source)
{
    text_buffer text = {0};
    const char *start;
    int result = 1;
    status st = read_all(source, &text);
    if (!st)
        st = check_encoding(&text, &start);
    if (st)
        fprintf(stderr, "error: %s\n", status_message(st));
    else
        result = cli_run_text(s, start);
    if (st && status_get_hint(st))
        fprintf(stderr, "hint: %s\n", status_get_hint(st));
    status_free(st);
    array_release(&text);
    return result;
}

int cli_run_file(cli_session *s, const char *path)
{
    if (!strcmp(path, "-"))
        return cli_run_stream(s, stdin);
    FILE *source = s->depth < CLI_DEPTH_MAX ? fopen(path, "re") : NULL;
    if (!source) {
        fprintf(stderr, "error: could not read \"%s\": %s\n", path,
                s->depth < CLI_DEPTH_MAX ? strerror(errno) : "files read files too deep");
        return 1;
    }
    s->depth++;
    int result = cli_run_stream(s, source);
    s->depth--;
    fclose(source);
    return result;
}

int cli_session_end(cli_session *s, bool is_good)
{
    status st = cli_target_close(s, is_good);
    mem_free(s->last_sql);
    s->last_sql = NULL;
    if (!st)
        return 0;
    fprintf(stderr, "pistachio: %s\n", status_message(st));
    status_free(st);
    return 1;
}
