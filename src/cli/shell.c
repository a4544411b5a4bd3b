/* shell.c - the loop: a line, a command or part of a statement, and what it gives.
 *
 * Ctrl-C while a query runs cancels it (run.c); while a line is edited it drops what has been
 * typed: the handler jumps out of libedit's wait for a key, the one place where that is safe. */
#include "cli/shell.h"

#include "cli/complete.h"
#include "cli/statement.h"
#include "cli/target.h"

#include <errno.h>
#include <histedit.h>
#include <setjmp.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define HISTORY_LINES 5000
#define PATH_BYTES 4096

typedef struct shell {
    pistachio_connection *connection;
    cli_options *options;
    EditLine *editor;
    History *history;
    char history_path[PATH_BYTES]; /* empty: none is kept */
    ARRAY(char) statement;         /* typed so far; ends with a NUL */
    bool is_done;
    int exit_status;
} shell;

static sigjmp_buf interrupted;
static volatile sig_atomic_t is_reading;

static void on_interrupt(int number)
{
    (void)number;
    if (is_reading)
        siglongjmp(interrupted, 1);
}

static const char help[] =
    "SQL ends with a semicolon and may take several lines. Ctrl-C drops what has been typed, or\n"
    "cancels the query that runs; Ctrl-D ends. Commands, with a dot or a backslash:\n"
    "  .help  \\?           this text\n"
    "  .tables  \\d         the tables\n"
    "  .schema T  \\d T     the columns of a table\n"
    "  .mode FORMAT        table, csv, tsv, json, jsonl, markdown, none\n"
    "  .timer  \\timing     times of statements on or off\n"
    "  .output [FILE]  \\o  results to a file; without one, back to the terminal\n"
    "  .read FILE  \\i      runs the SQL of a file\n"
    "  .quit  \\q           ends\n";

/* ---- commands ---- */

static bool is_one_of(const char *word, const char *first, const char *second)
{
    return !strcmp(word, first) || (second && !strcmp(word, second));
}

static void print_failure(status st)
{
    if (st)
        fprintf(stderr, "%s\n", status_message(st));
    status_free(st);
}

/* What a statement fails to print is not missed in what others have printed: the file may be cut.
 */
static void set_output(shell *s, const char *path)
{
    print_failure(cli_target_close(s->options, true));
    if (*path)
        print_failure(cli_target_open(s->options, path, true));
}

static void run_file(shell *s, const char *path)
{
    FILE *source = fopen(path, "re");
    if (!source) {
        fprintf(stderr, "could not open \"%s\": %s\n", path, strerror(errno));
        return;
    }
    cli_run_stream(s->connection, source, s->options);
    fclose(source);
}

static void describe(shell *s, const char *table)
{
    char sql[1024];
    int length = snprintf(sql, sizeof sql, "DESCRIBE %s", table);
    if (length > 0 && length < (int)sizeof sql)
        cli_run_text(s->connection, sql, s->options);
}

/* ".name argument": both are cut out of the line. */
static void run_command(shell *s, char *line)
{
    char *name = line + 1, *argument = name + strcspn(name, " \t\n;");
    if (*argument)
        *argument++ = 0;
    argument += strspn(argument, " \t");
    argument[strcspn(argument, "\n;")] = 0;
    if (is_one_of(name, "quit", "q") || is_one_of(name, "exit", NULL))
        s->is_done = true;
    else if (is_one_of(name, "help", "?") || is_one_of(name, "h", NULL))
        fputs(help, stdout);
    else if (is_one_of(name, "tables", "dt") || (is_one_of(name, "d", NULL) && !*argument))
        cli_run_text(s->connection, "SHOW TABLES", s->options);
    else if (is_one_of(name, "schema", "d") && *argument)
        describe(s, argument);
    else if (is_one_of(name, "timer", "timing")) {
        s->options->has_timer = *argument ? !strcmp(argument, "on") : !s->options->has_timer;
        printf("times of statements: %s\n", s->options->has_timer ? "on" : "off");
    } else if (is_one_of(name, "mode", "pset")) {
        if (!output_format_parse(argument, &s->options->format))
            fprintf(stderr, "there is no format \"%s\"; there are %s\n", argument,
                    output_format_names);
    } else if (is_one_of(name, "output", "o"))
        set_output(s, argument);
    else if (is_one_of(name, "read", "i"))
        run_file(s, argument);
    else
        fprintf(stderr, "there is no command %s; .help lists them\n", line);
}

/* ---- lines ---- */

static char *prompt(EditLine *editor)
{
    static char first[] = "pistachio> ", next[] = "       ... ";
    shell *s = NULL;
    el_get(editor, EL_CLIENTDATA, &s);
    return s && s->statement.count ? next : first;
}

static unsigned char complete(EditLine *editor, int key)
{
    (void)key;
    shell *s = NULL;
    complete_list words;
    el_get(editor, EL_CLIENTDATA, &s);
    const LineInfo *line = el_line(editor);
    const char *start = line->cursor;
    while (start > line->buffer && !strchr(" \t\n(),;=<>+-*/.'\"", start[-1]))
        start--;
    size_t bytes = (size_t)(line->cursor - start);
    if (!s || !bytes)
        return CC_ERROR;
    complete_word(s->connection, start, bytes, &words);
    unsigned char result = words.count ? CC_REFRESH : CC_ERROR;
    if (words.count) {
        /* What all have in common. */
        size_t common = strlen(words.items[0]);
        for (size_t i = 1; i < words.count; i++)
            for (size_t c = 0; c < common; c++)
                if (words.items[i][c] != words.items[0][c])
                    common = c;
        char text[256];
        int length = snprintf(text, sizeof text, "%.*s%s", (int)common, words.items[0],
                              words.count == 1 ? " " : "");
        if (length > 0 && length < (int)sizeof text && (common > bytes || words.count == 1)) {
            el_deletestr(editor, (int)bytes);
            el_insertstr(editor, text);
        } else {
            printf("\n");
            for (size_t i = 0; i < words.count && i < 60; i++)
                printf("%s  ", words.items[i]);
            printf("\n");
            fflush(stdout);
            result = CC_REDISPLAY;
        }
    }
    complete_free(&words);
    return result;
}

static void remember(shell *s, const char *text)
{
    HistEvent event;
    history(s->history, &event, H_ENTER, text);
    if (*s->history_path)
        history(s->history, &event, H_SAVE, s->history_path);
}

static void run_statement(shell *s)
{
    /* As one line of the history, whatever lines it was typed on. */
    remember(s, s->statement.items);
    s->exit_status = cli_run_text(s->connection, s->statement.items, s->options);
    if (s->options->file)
        fflush(s->options->target);
    else
        print_failure(cli_target_close(s->options, true));
    s->statement.count = 0;
}

static void take_line(shell *s, const char *line, size_t bytes)
{
    if (!s->statement.count && (line[0] == '.' || line[0] == '\\')) {
        char command[PATH_BYTES];
        remember(s, line);
        snprintf(command, sizeof command, "%s", line);
        command[strcspn(command, "\n")] = 0;
        run_command(s, command);
        return;
    }
    status st = array_reserve(NULL, &s->statement, bytes + 1);
    if (st) {
        fprintf(stderr, "%s\n", status_message(st));
        status_free(st);
        return;
    }
    memcpy(s->statement.items + s->statement.count, line, bytes);
    s->statement.count += bytes;
    s->statement.items[s->statement.count] = 0;
    if (statement_is_empty(s->statement.items))
        s->statement.count = 0;
    else if (statement_is_complete(s->statement.items))
        run_statement(s);
}

static void loop(shell *s)
{
    struct sigaction action = {.sa_handler = on_interrupt}, before;
    sigaction(SIGINT, &action, &before);
    while (!s->is_done) {
        int bytes = 0;
        if (sigsetjmp(interrupted, 1)) {
            is_reading = false;
            el_reset(s->editor);
            s->statement.count = 0;
            printf("^C\n");
        }
        is_reading = true;
        const char *line = el_gets(s->editor, &bytes);
        is_reading = false;
        if (!line || bytes <= 0) {
            printf("\n");
            break;
        }
        take_line(s, line, (size_t)bytes);
        fflush(stdout);
    }
    sigaction(SIGINT, &before, NULL);
}

/* ---- history ---- */

static void find_history(char *out, size_t bytes)
{
    const char *path = getenv("PISTACHIO_HISTORY"), *state = getenv("XDG_STATE_HOME"),
               *home = getenv("HOME");
    int length = 0;
    *out = 0;
    if (path) {
        length = snprintf(out, bytes, "%s", path);
    } else if (state && *state) {
        length = snprintf(out, bytes, "%s/pistachio", state);
    } else if (home && *home) {
        length = snprintf(out, bytes, "%s/.local/state/pistachio", home);
        for (char *slash = out + strlen(home) + 1;
             length < (int)bytes && (slash = strchr(slash, '/')); slash++) {
            *slash = 0;
            mkdir(out, 0700);
            *slash = '/';
        }
    }
    if (length < 0 || length + 10 > (int)bytes)
        *out = 0;
    else if (*out && !path) {
        mkdir(out, 0700);
        memcpy(out + length, "/history", 9);
    }
}

int cli_shell(pistachio_connection *connection, cli_options *options)
{
    shell s = {.connection = connection, .options = options};
    HistEvent event;
    s.editor = el_init("pistachio", stdin, stdout, stderr);
    s.history = history_init();
    if (!s.editor || !s.history) {
        fprintf(stderr, "pistachio: the terminal cannot be used: %s\n", strerror(errno));
        return 1;
    }
    find_history(s.history_path, sizeof s.history_path);
    history(s.history, &event, H_SETSIZE, HISTORY_LINES);
    history(s.history, &event, H_SETUNIQUE, 1);
    if (*s.history_path)
        history(s.history, &event, H_LOAD, s.history_path);
    el_set(s.editor, EL_CLIENTDATA, &s);
    el_set(s.editor, EL_PROMPT, prompt);
    el_set(s.editor, EL_EDITOR, "emacs");
    el_set(s.editor, EL_HIST, history, s.history);
    el_set(s.editor, EL_ADDFN, "pistachio-complete", "completes a word", complete);
    el_set(s.editor, EL_BIND, "^I", "pistachio-complete", NULL);
    el_set(s.editor, EL_BIND, "^R", "em-inc-search-prev", NULL);
    el_source(s.editor, NULL);
    printf("pistachio %s; .help lists commands\n", pistachio_version());
    loop(&s);
    el_end(s.editor);
    history_end(s.history);
    array_release(&s.statement);
    return s.exit_status;
}
