/* interrupt.c - the handler, and what it has noted. */
#include "cli/shell/interrupt.h"

#include <signal.h>
#include <stddef.h>
#include <time.h>

#define SLEEP_SECONDS 0.1 /* a signal that comes just before a sleep is seen after it */

static pistachio_connection *volatile watched;
static volatile sig_atomic_t taken, is_in_shell;
static struct sigaction before[2];
static const int numbers[] = {SIGINT, SIGTERM};

static void interrupt_on_signal(int number)
{
    if (taken && !(is_in_shell && number == SIGINT)) {
        signal(number, SIG_DFL);
        raise(number); /* when the handler returns */
        return;
    }
    taken = number;
    if (watched)
        pistachio_cancel(watched);
}

void interrupt_watch(pistachio_connection *connection, bool is_interactive)
{
    is_in_shell = is_interactive;
    struct sigaction action = {.sa_handler = interrupt_on_signal};
    watched = connection;
    for (int i = 0; i < 2; i++) {
        sigaction(numbers[i], NULL, &before[i]);
        /* A program that was started with a signal ignored (nohup, a job in the background) is meant to ignore it. */
        if (before[i].sa_handler != SIG_IGN)
            sigaction(numbers[i], &action, NULL);
    }
}

void interrupt_unwatch(void)
{
    for (int i = 0; i < 2; i++)
        sigaction(numbers[i], &before[i], NULL);
    watched = NULL;
}

bool interrupt_sleep(pistachio_connection *connection, bool is_interactive, double seconds)
{
    interrupt_watch(connection, is_interactive);
    for (double left = seconds; left > 0 && !taken; left -= SLEEP_SECONDS) {
        double part = left < SLEEP_SECONDS ? left : SLEEP_SECONDS;
        nanosleep(&(struct timespec){.tv_nsec = (long)(part * 1e9)}, NULL);
    }
    interrupt_unwatch();
    return taken;
}

int interrupt_taken(void)
{
    return taken;
}

void interrupt_forget(void)
{
    taken = 0;
}

void interrupt_note(int number)
{
    taken = number;
}

void interrupt_die(void)
{
    if (!taken)
        return;
    signal(taken, SIG_DFL);
    raise(taken);
}
