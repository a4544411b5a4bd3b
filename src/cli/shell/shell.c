/* shell.c - the loop: a line, a command or part of a statement, and what it gives.
 *
 * Ctrl-C while a query runs cancels it (interrupt.h); while a line is edited it drops what has been
 * typed: the handler jumps out of libedit's wait for a key, the one place where that is safe. */
#include "cli/shell/shell.h"

#include "cli/shell/complete.h"
#include "cli/shell/interrupt.h"
#include "cli/shell/paste.h"
#include "cli/shell/statement.h"
#include "cli/shell/target.h"

#include <errno.h>
#include <histedit.h>
#include <langinfo.h>
#include <locale.h>
#include <setjmp.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

#define HISTORY_LINES 5000
#define PATH_BYTES 4096

typedef struct shell {
    cli_session *session;
    EditLine *editor;
    History *history;
    paste paste;
    char history_path[PATH_BYTES]; /* empty: none is kept */
    ARRAY(char) statement;         /* typed so far; ends with a NUL */
} shell;

static sigjmp_buf interrupted;
static volatile sig_atomic_t is_reading;

static void shell_on_signal(int number)
{
    if (number != SIGINT)
        interrupt_note(number);
    if (is_reading)
        siglongjmp(interrupted, 1);
}

static paste *paste_of_shell(EditLine *editor)
{
    shell *s;
    el_get(editor, EL_CLIENTDATA, &s);
    return &s->paste;
}

/* ---- lines ---- */

static char *prompt(EditLine *editor)
{
    static char first[] = "pistachio> ", next[] = "       ... ";
    shell *s = NULL;
    el_get(editor, EL_CLIENTDATA, &s);
    return s && s->statement.count ? next : first;
}

/* Characters of UTF-8 text, which is what libedit counts in. */
static int shell_count_characters(const char *text, size_t bytes)
{
    int count = 0;
    for (size_t i = 0; i < bytes; i++)
        count += ((unsigned char)text[i] & 0xc0) != 0x80;
    return count;
}

/* Bytes of whole characters that all words begin with. */
static size_t shell_common_bytes(const complete_list *words)
{
    size_t common = strlen(words->items[0]);
    for (size_t i = 1; i < words->count; i++)
        for (size_t c = 0; c < common; c++)
            if (words->items[i][c] != words->items[0][c])
                common = c;
    while (common && ((unsigned char)words->items[0][common] & 0xc0) == 0x80)
        common--;
    return common;
}

/* Puts what all words have in common in the place of the one that is typed, or lists them. */
static unsigned char use_words(EditLine *editor, const complete_list *words,
                               const complete_place *place)
{
    char text[1024];
    size_t common = shell_common_bytes(words);
    const char *word = words->items[0];
    int length = snprintf(text, sizeof text, "%.*s%s", (int)common, word,
                          words->count == 1 ? complete_ending(place->kind, word) : "");
    if (length > 0 && length < (int)sizeof text && (common > place->bytes || words->count == 1)) {
        el_deletestr(editor, shell_count_characters(place->start, place->bytes));
        el_insertstr(editor, text);
        return CC_REFRESH;
    }
    printf("\n");
    for (size_t i = 0; i < words->count && i < 60; i++)
        printf("%s  ", words->items[i]);
    printf("\n");
    fflush(stdout);
    return CC_REDISPLAY;
}

static unsigned char shell_complete(EditLine *editor, int key)
{
    (void)key;
    shell *s = NULL;
    complete_list words;
    el_get(editor, EL_CLIENTDATA, &s);
    const LineInfo *line = el_line(editor);
    if (!s)
        return CC_ERROR;
    complete_place place = complete_find(line->buffer, line->cursor, !s->statement.count);
    is_reading = false; /* nobody jumps out of a query */
    complete_word(s->session->connection, &place, &words);
    unsigned char result = words.count ? use_words(editor, &words, &place) : CC_ERROR;
    complete_free(&words);
    is_reading = true;
    return result;
}

static void shell_remember(shell *s, const char *text, size_t bytes)
{
    HistEvent event;
    while (bytes && text[bytes - 1] == '\n')
        bytes--;
    char *copy = bytes ? mem_copy_text(text, bytes) : NULL;
    if (!copy)
        return;
    history(s->history, &event, H_ENTER, copy);
    if (*s->history_path)
        history(s->history, &event, H_SAVE, s->history_path);
    mem_free(copy);
}

/* Returns the command for a word that users of other shells type, with or without a semicolon. */
static const char *command_of_word(const char *line)
{
    static const char *const words[][2] = {{"help", ".help"}, {"exit", ".quit"}, {"quit", ".quit"}};
    size_t bytes = strcspn(line, " \t\n;");
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strlen(words[i][0]) == bytes && !strncasecmp(line, words[i][0], bytes) &&
            !line[bytes + strspn(line + bytes, " \t\n;")])
            return words[i][1];
    return line;
}

static void print_failure(status st)
{
    if (st)
        fprintf(stderr, "error: %s\n", status_message(st));
    status_free(st);
}

static status keep_line(shell *s, const char *line)
{
    size_t bytes = strlen(line);
    TRY(array_reserve(NULL, &s->statement, bytes + 1));
    memcpy(s->statement.items + s->statement.count, line, bytes + 1);
    s->statement.count += bytes;
    return STATUS_OK;
}

static void take_line(shell *s, const char *line)
{
    const char *start, *end;
    status st = keep_line(s, s->statement.count ? line : command_of_word(line));
    if (st) {
        print_failure(st);
        return;
    }
    if (!statement_is_complete(s->statement.items))
        return;
    if (statement_next(s->statement.items, &start, &end) != STATEMENT_NONE) {
        /* As one entry of the history, whatever lines it was typed on. */
        shell_remember(s, s->statement.items, s->statement.count);
        cli_run_text(s->session, s->statement.items);
        print_failure(cli_target_flush(s->session));
    }
    s->statement.count = 0;
    if (interrupt_taken() == SIGINT)
        interrupt_forget();
}

static void loop(shell *s)
{
    struct sigaction action = {.sa_handler = shell_on_signal}, before, before_end;
    sigaction(SIGINT, &action, &before);
    sigaction(SIGTERM, &action, &before_end);
    while (!s->session->is_done && !interrupt_taken()) {
        int bytes = 0;
        if (sigsetjmp(interrupted, 1)) {
            is_reading = false;
            s->paste.is_amid = false;
            el_reset(s->editor);
            paste_end(&s->paste);
            s->statement.count = 0;
            printf("^C\n");
            continue;
        }
        paste_begin(&s->paste, s->editor);
        is_reading = true;
        const char *line = el_gets(s->editor, &bytes);
        is_reading = false;
        paste_end(&s->paste);
        if (!line || bytes <= 0) {
            printf("\n");
            break;
        }
        take_line(s, line);
    }
    sigaction(SIGTERM, &before_end, NULL);
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

/* ---- the start file ---- */

/* Runs ~/.pistachiorc, or what PISTACHIO_RC names; an empty name: none. What fails in it is said, and the shell goes on. */
static void run_start_file(cli_session *session)
{
    char path[PATH_BYTES];
    const char *named = getenv("PISTACHIO_RC"), *home = getenv("HOME");
    int length = named ? snprintf(path, sizeof path, "%s", named)
                       : snprintf(path, sizeof path, "%s/.pistachiorc", home ? home : "");
    if (length <= 0 || length >= (int)sizeof path || (!named && !home) || access(path, R_OK))
        return;
    session->is_interactive = false;
    (void)cli_run_file(session, path);
    session->is_interactive = true;
}

/* Makes libedit read UTF-8, which SQL is, also if the locale has another encoding (LC_ALL=C, a container): else it
 * drops what is not ASCII. */
static void use_utf8(void)
{
    if (!setlocale(LC_CTYPE, "") || strcmp(nl_langinfo(CODESET), "UTF-8") != 0)
        (void)(setlocale(LC_CTYPE, "C.UTF-8") || setlocale(LC_CTYPE, "en_US.UTF-8"));
}

static bool open_editor(shell *s)
{
    HistEvent event;
    s->editor = el_init("pistachio", stdin, stdout, stderr);
    s->history = history_init();
    if (!s->editor || !s->history) {
        fprintf(stderr, "pistachio: the terminal cannot be used: %s\n", strerror(errno));
        return false;
    }
    find_history(s->history_path, sizeof s->history_path);
    history(s->history, &event, H_SETSIZE, HISTORY_LINES);
    history(s->history, &event, H_SETUNIQUE, 1);
    if (*s->history_path)
        history(s->history, &event, H_LOAD, s->history_path);
    el_set(s->editor, EL_CLIENTDATA, s);
    el_set(s->editor, EL_PROMPT, prompt);
    el_set(s->editor, EL_EDITOR, "emacs");
    el_set(s->editor, EL_HIST, history, s->history);
    el_set(s->editor, EL_ADDFN, "pistachio-complete", "completes a word", shell_complete);
    el_set(s->editor, EL_BIND, "^I", "pistachio-complete", NULL);
    el_set(s->editor, EL_BIND, "^R", "em-inc-search-prev", NULL);
    paste_open(&s->paste, s->editor, paste_of_shell);
    el_source(s->editor, NULL);
    return true;
}

int cli_shell(cli_session *session)
{
    shell s = {.session = session};
    session->is_interactive = true;
    use_utf8();
    bool is_open = open_editor(&s);
    if (is_open) {
        run_start_file(session);
        printf("pistachio %s; .help lists commands\n", pistachio_version());
        loop(&s);
    }
    if (s.editor)
        el_end(s.editor);
    if (s.history)
        history_end(s.history);
    array_release(&s.statement);
    return !is_open;
}
