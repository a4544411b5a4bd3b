/* run.c - runs statements, prints results, errors and times. Ctrl-C cancels the query. */
#include "cli/run.h"

#include "base/mem.h"
#include "cli/progress.h"

#include <signal.h>
#include <string.h>
#include <time.h>

static pistachio_connection *volatile running;

static void on_interrupt(int number)
{
    (void)number;
    if (running)
        pistachio_cancel(running);
}

static double seconds(void)
{
    struct timespec ts;
    clock_gettime(CLOCK_MONOTONIC, &ts);
    return (double)ts.tv_sec + (double)ts.tv_nsec / 1e9;
}

/* The line that byte `position` is in, and a mark below the place. */
static void show_place(const char *sql, int64_t position)
{
    size_t length = strlen(sql), at = (uint64_t)position < length ? (size_t)position : length;
    size_t start = at, end = at, line = 1;
    while (start && sql[start - 1] != '\n')
        start--;
    while (sql[end] && sql[end] != '\n')
        end++;
    for (size_t i = 0; i < start; i++)
        line += sql[i] == '\n';
    if (end - start > 200) {
        size_t left = at - start > 100 ? at - 100 : start;
        start = left;
        end = end - start > 200 ? start + 200 : end;
    }
    int shown = fprintf(stderr, "line %zu: ", line);
    fprintf(stderr, "%.*s\n%*s^\n", (int)(end - start), sql + start, shown + (int)(at - start), "");
}

void cli_report(pistachio_error *error, const char *sql)
{
    fprintf(stderr, "error: %s\n", pistachio_error_message(error));
    if (sql && pistachio_error_position(error) >= 0)
        show_place(sql, pistachio_error_position(error));
    if (pistachio_error_hint(error))
        fprintf(stderr, "hint: %s\n", pistachio_error_hint(error));
    pistachio_error_free(error);
}

int cli_run_text(pistachio_connection *connection, const char *sql, const cli_options *options)
{
    struct sigaction action = {.sa_handler = on_interrupt}, before;
    pistachio_error *error = NULL;
    running = connection;
    sigaction(SIGINT, &action, &before);
    while (*sql && !error && !ferror(options->target)) {
        double start = seconds();
        const char *rest = sql;
        pistachio_result *result = NULL;
        uint64_t rows = 0;
        progress_begin(connection);
        progress_show();
        error = pistachio_query(connection, sql, &rest, &result);
        progress_hide();
        if (!error && result)
            error = output_print(result, options->format, options->target, &rows);
        progress_end();
        pistachio_result_free(result);
        if (error)
            cli_report(error, sql);
        else if (result && options->has_timer)
            fprintf(stderr, "time: %.3f s\n", seconds() - start);
        sql = rest;
    }
    sigaction(SIGINT, &before, NULL);
    running = NULL;
    return error || ferror(options->target);
}

int cli_run_stream(pistachio_connection *connection, FILE *source, const cli_options *options)
{
    ARRAY(char) text = {0};
    char block[16384];
    size_t bytes;
    status st = STATUS_OK;
    while (!st && (bytes = fread(block, 1, sizeof block, source)) > 0) {
        st = array_reserve(NULL, &text, bytes + 1);
        if (!st) {
            memcpy(text.items + text.count, block, bytes);
            text.count += bytes;
            text.items[text.count] = 0;
        }
    }
    int result = 0;
    if (st) {
        fprintf(stderr, "pistachio: %s\n", status_message(st));
        status_free(st);
        result = 1;
    } else if (text.count) {
        result = cli_run_text(connection, text.items, options);
    }
    array_release(&text);
    return result;
}
