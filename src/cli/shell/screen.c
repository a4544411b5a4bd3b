/* screen.c - see screen.h. */
#include "cli/shell/screen.h"

#include "cli/output/progress.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

static bool is_table(const cli_session *s)
{
    return s->output.format == OUTPUT_TABLE && !s->file && isatty(STDOUT_FILENO);
}

void screen_look(cli_session *s)
{
    struct winsize size;
    output_screen *screen = &s->output.screen;
    screen->is_terminal = is_table(s);
    if (!screen->is_terminal)
        return;
    screen->columns = s->max_width;
    if (!s->max_width && !ioctl(STDOUT_FILENO, TIOCGWINSZ, &size))
        screen->columns = size.ws_col;
    screen->max_rows = s->max_rows;
    if (s->has_pager) {
        screen->max_rows = 0; /* the pager has all of it */
        screen->columns = 0;
    }
}

FILE *screen_begin(cli_session *s)
{
    const char *pager = getenv("PAGER");
    if (!s->has_pager || !s->output.screen.is_terminal)
        return s->target;
    fflush(s->target);
    (void)setenv("LESS", "FSRX", 0); /* one screen needs no key; long lines are scrolled */
    FILE *target = popen(pager && *pager ? pager : "less", "w");
    if (!target) {
        fprintf(stderr, "error: could not start the pager: %s\n", strerror(errno));
        return s->target;
    }
    progress_end(); /* the terminal is the pager's */
    signal(SIGPIPE, SIG_IGN);
    return target;
}

void screen_end(cli_session *s, FILE *target)
{
    if (target == s->target)
        return;
    (void)pclose(target); /* a user who leaves early has seen enough */
    signal(SIGPIPE, SIG_DFL);
}
