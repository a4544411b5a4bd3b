/* terminal.c - runs a program on a pseudo-terminal and types what standard input says.
 *
 *     terminal COLUMNS PROGRAM [ARGUMENT...]
 *
 * A line is typed when the program has printed a prompt ("> " or "... ") and waits; what follows
 * the byte 0x1e is typed some time later, prompt or not. A Ctrl-C there is typed again until there is
 * a prompt: a program that had not yet begun what it is to stop may not have heard of it. 0x1f and
 * three digits: from now on the terminal has so many columns. All that the program prints goes to standard output. The exit
 * status is the program's (128 + n: signal n ended it); 77: no pseudo-terminal can be made; 124: it
 * took too long. */
#include <errno.h>
#include <poll.h>
#include <pty.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <unistd.h>

#define PAUSE '\x1e'
#define RESIZE '\x1f'
#define INTERRUPT '\x03'
#define PAUSE_MS 700
#define QUIET_MS 60
#define AGAIN_MS 3000
#define LONGEST_MS 120000

static int terminal;
static pid_t child;
static char tail[4];  /* what was printed last */
static bool has_line; /* a line has ended since something was typed */

static void give_up(void)
{
    fprintf(stderr, "terminal: the program did not go on\n");
    kill(child, SIGKILL);
    exit(124);
}

/* Copies what the program prints within `ms`; 0: nothing came, -1: it has ended. */
static int copy_output(int ms)
{
    char block[4096];
    struct pollfd wait = {.fd = terminal, .events = POLLIN};
    if (poll(&wait, 1, ms) <= 0)
        return 0;
    ssize_t bytes = read(terminal, block, sizeof block);
    if (bytes <= 0)
        return -1;
    fwrite(block, 1, (size_t)bytes, stdout);
    for (ssize_t i = 0; i < bytes; i++) {
        memmove(tail, tail + 1, sizeof tail - 1);
        tail[sizeof tail - 1] = block[i];
        has_line |= block[i] == '\n';
    }
    return 1;
}

static bool is_prompt(void)
{
    return !memcmp(tail + 2, "> ", 2) || !memcmp(tail, "... ", 4);
}

/* Within `ms`; -1: the program has ended. */
static int see_prompt(int ms)
{
    for (int waited = 0; waited < ms; waited += QUIET_MS) {
        int copied = copy_output(QUIET_MS);
        if (copied < 0)
            return -1;
        if (!copied && is_prompt())
            return 1;
    }
    return 0;
}

/* False: the program has ended. */
static bool wait_for_prompt(void)
{
    int seen = see_prompt(LONGEST_MS);
    if (!seen)
        give_up();
    return seen > 0;
}

/* After what was typed: a line that has been typed was taken, as its end is shown. */
static void pause_typing(bool is_line)
{
    for (int waited = 0; is_line && !has_line && waited < LONGEST_MS; waited += QUIET_MS)
        if (copy_output(QUIET_MS) < 0)
            return;
    for (int waited = 0; waited < PAUSE_MS; waited += QUIET_MS)
        if (copy_output(QUIET_MS) > 0)
            usleep(QUIET_MS * 1000);
}

static void set_columns(int columns)
{
    struct winsize size = {.ws_row = 24, .ws_col = (unsigned short)columns};
    ioctl(terminal, TIOCSWINSZ, &size);
}

static void type(const char *text, size_t bytes)
{
    memset(tail, 0, sizeof tail);
    has_line = false;
    while (bytes) {
        ssize_t written = write(terminal, text, bytes);
        if (written < 0)
            return; /* it has ended; what it printed says how */
        text += written;
        bytes -= (size_t)written;
    }
}

/* False: the program has ended. */
static bool interrupt(void)
{
    for (int waited = 0; waited < LONGEST_MS; waited += AGAIN_MS) {
        type((char[]){INTERRUPT}, 1);
        int seen = see_prompt(AGAIN_MS);
        if (seen)
            return seen > 0;
    }
    give_up();
    return false;
}

/* Types a piece that ends with a line, or before a pause. */
static void type_all(char *text, size_t bytes)
{
    bool is_paused = false;
    for (size_t i = 0; i < bytes;) {
        size_t length = 0;
        if (text[i] == PAUSE) {
            pause_typing(i && text[i - 1] == '\n');
            is_paused = true;
            i++;
            continue;
        }
        if (text[i] == INTERRUPT) {
            if (!interrupt())
                return;
            i++;
            continue;
        }
        if (text[i] == RESIZE && i + 3 < bytes) {
            char digits[] = {text[i + 1], text[i + 2], text[i + 3], 0};
            set_columns((int)strtol(digits, NULL, 10));
            i += 4;
            continue;
        }
        while (i + length < bytes && text[i + length] != PAUSE && text[i + length] != RESIZE &&
               text[i + length] != INTERRUPT && text[i + length++] != '\n')
            ;
        if (!is_paused && !wait_for_prompt())
            return;
        type(text + i, length);
        is_paused = false;
        i += length;
    }
}

int main(int count, char **words)
{
    static char text[1 << 20];
    struct winsize size = {.ws_row = 24};
    int result;
    if (count < 3)
        return 2;
    size_t bytes = fread(text, 1, sizeof text, stdin);
    size.ws_col = (unsigned short)strtol(words[1], NULL, 10);
    setenv("TERM", "dumb", 1);
    child = forkpty(&terminal, NULL, NULL, &size);
    if (child < 0)
        return 77;
    if (!child) {
        execvp(words[2], words + 2);
        _exit(127);
    }
    type_all(text, bytes);
    for (int waited = 0; waited < LONGEST_MS; waited += 1000) {
        int copied;
        while ((copied = copy_output(1000)) > 0)
            ;
        if (copied < 0)
            break;
        if (waited + 1000 >= LONGEST_MS)
            give_up();
    }
    if (waitpid(child, &result, 0) < 0)
        return 2;
    return WIFSIGNALED(result) ? 128 + WTERMSIG(result) : WEXITSTATUS(result);
}
