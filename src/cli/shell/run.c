/* run.c - runs statements and commands, prints results, errors and times. */
#include "cli/shell/run.h"

#include "base/mem.h"
#include "base/text/text_place.h"
#include "cli/output/progress.h"
#include "cli/shell/command.h"
#include "cli/shell/interrupt.h"
#include "cli/shell/screen.h"
#include "cli/shell/statement.h"
#include "cli/shell/target.h"

#include <errno.h>
#include <poll.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

static double run_seconds(void)
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

/* Prints notices from the one with this number on, and returns how many there are. */
static uint32_t print_notices(const pistachio_result *result, uint32_t first)
{
    const char *notice;
    for (; (notice = pistachio_notice(result, first)); first++)
        fprintf(stderr, "notice: %s\n", notice);
    return first;
}

/* Returns whether the result is EXPLAIN's, of which nothing is cut. */
static bool is_plan(const pistachio_result *result)
{
    return pistachio_column_count(result) == 1 && !strcmp(pistachio_column_name(result, 0), "plan");
}

static pistachio_error *print_result(cli_session *s, pistachio_result *result)
{
    uint64_t rows = 0;
    screen_look(s);
    FILE *target = screen_begin(s);
    s->output.screen.is_terminal &= !is_plan(result);
    pistachio_error *error = output_print(result, &s->output, target, &rows);
    screen_end(s, target);
    return error;
}

/* Runs the statement at *at, and sets *at behind it. */
static pistachio_error *cli_run_statement(cli_session *s, const char **at)
{
    double start = run_seconds();
    const char *rest = *at;
    pistachio_result *result = NULL;
    progress_begin(s->connection);
    progress_show();
    pistachio_error *error = pistachio_query(s->connection, *at, &rest, &result);
    progress_hide();
    if (interrupt_taken()) /* perhaps before there was a query to cancel */
        pistachio_cancel(s->connection);
    uint32_t notices = print_notices(result, 0);
    if (!error && result)
        error = print_result(s, result);
    print_notices(result, notices); /* of its run */
    progress_end();
    pistachio_result_free(result);
    if (!error && result && s->has_timer)
        print_time(run_seconds() - start);
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

/* Ends the file of one statement. Returns true if it is not all there, and prints why. */
static bool end_once(cli_session *s, bool is_good)
{
    s->is_once = false;
    status st = cli_target_close(s, is_good);
    if (!st)
        return false;
    fprintf(stderr, "error: %s\n", status_message(st));
    status_free(st);
    return true;
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
    if (!s->is_repeat)
        keep_sql(s, *at, (size_t)(end - *at));
    interrupt_watch(s->connection, s->is_interactive);
    pistachio_error *error = cli_run_statement(s, at);
    interrupt_unwatch();
    if (error)
        cli_report(error, text, start);
    if (ferror(s->target) && s->is_interactive && !s->file && interrupt_taken())
        clearerr(s->target); /* an interrupted write */
    bool is_failed = error || ferror(s->target);
    return (s->is_once && end_once(s, !error)) || is_failed;
}

/* Runs what begins at *at, and sets it behind that: statements and commands that are complete or, at the end of the
 * text, all. */
static int run_complete(cli_session *s, const char *text, size_t *at, bool is_end)
{
    const char *next = text + *at, *end;
    statement_kind kind;
    int result = 0;
    while (!result && !s->is_done && !interrupt_taken() &&
           (kind = statement_next(next, &next, &end)) != STATEMENT_NONE &&
           (is_end || kind == STATEMENT_WHOLE || (kind == STATEMENT_COMMAND && *end)))
        result = run_next(s, text, kind, &next, end);
    *at = (size_t)(next - text);
    return result || interrupt_taken();
}

int cli_run_text(cli_session *s, const char *text)
{
    size_t at = 0;
    return run_complete(s, text, &at, true);
}

/* ---- streams ---- */

typedef ARRAY(char) text_buffer;

#define BLOCK_BYTES 16384

/* Waits for more, of which it takes a block; *out_is_end: there is none. The text ends with a NUL that is not counted. */
static status run_read_block(int source, text_buffer *text, bool *out_is_end)
{
    TRY(array_reserve(NULL, text, BLOCK_BYTES + 1));
    ssize_t bytes;
    do
        bytes = read(source, text->items + text->count, BLOCK_BYTES);
    while (bytes < 0 && errno == EINTR && !interrupt_taken());
    if (bytes < 0)
        return status_new_errno(errno, "could not read the statements");
    text->count += (size_t)bytes;
    text->items[text->count] = 0;
    *out_is_end = !bytes;
    return STATUS_OK;
}

static bool has_more(int source)
{
    struct pollfd one = {.fd = source, .events = POLLIN};
    return poll(&one, 1, 0) > 0;
}

/* Reads what is there, so that each statement runs as soon as it is complete. Of a long one at least as much again as
 * there is of it: its beginning is looked at again each time. */
static status read_some(int source, text_buffer *text, size_t begun, bool *out_is_end)
{
    size_t first = text->count;
    do
        TRY(run_read_block(source, text, out_is_end));
    while (!*out_is_end && has_more(source) && text->count - first < begun);
    return STATUS_OK;
}

/* A regular file is read whole first: nothing runs if it cannot be read to its end. */
static status run_read_all(int source, text_buffer *text, bool *out_is_end)
{
    do
        TRY(run_read_block(source, text, out_is_end));
    while (!*out_is_end);
    return STATUS_OK;
}

/* Returns the bytes that have come since there were `before`. */
static status check_encoding(const text_buffer *text, size_t before)
{
    const char *zero = memchr(text->items + before, 0, text->count - before);
    if (!strncmp(text->items, "\xff\xfe", 2) || !strncmp(text->items, "\xfe\xff", 2))
        return status_hint(status_new(STATUS_KIND_INVALID, "the statements are UTF-16 text"),
                           "save them as UTF-8");
    if (zero)
        return status_new(STATUS_KIND_INVALID, "byte %zu of the statements is zero",
                          (size_t)(zero - text->items) + 1);
    return STATUS_OK;
}

typedef struct stream {
    int source;
    bool is_file; /* else a pipe or the like, which may go on later */
    bool is_end;
    text_buffer text;
    size_t at; /* what is before has been run */
} stream;

static status run_read_next(stream *in)
{
    size_t before = in->text.count;
    TRY(in->is_file ? run_read_all(in->source, &in->text, &in->is_end)
                    : read_some(in->source, &in->text, before - in->at, &in->is_end));
    TRY(check_encoding(&in->text, before));
    /* A mark of UTF-8's byte order, which Windows' editors write. */
    if (!in->at && !strncmp(in->text.items, "\xef\xbb\xbf", 3))
        in->at = 3;
    return STATUS_OK;
}

/* Flushes, so that whoever waits for an answer before going on finds it. */
static status flush_if_idle(cli_session *s, const stream *in)
{
    return in->is_end || has_more(in->source) ? STATUS_OK : cli_target_flush(s);
}

static int report_stream(status st)
{
    fprintf(stderr, "error: %s\n", status_message(st));
    if (status_get_hint(st))
        fprintf(stderr, "hint: %s\n", status_get_hint(st));
    status_free(st);
    return 1;
}

int cli_run_stream(cli_session *s, FILE *source)
{
    struct stat info;
    stream in = {.source = fileno(source)};
    int result = 0;
    in.is_file = !fstat(in.source, &info) && S_ISREG(info.st_mode);
    while (!result && !in.is_end && !s->is_done) {
        status st = run_read_next(&in);
        if (!st) {
            result = run_complete(s, in.text.items, &in.at, in.is_end);
            st = result ? STATUS_OK : flush_if_idle(s, &in);
        }
        if (st)
            result = report_stream(st);
    }
    array_release(&in.text);
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
