/* cost.c - what launches and waits would cost on a GPU, as time that passes.
 *
 * A launch's time is the stream's: it is added up and slept through before anybody may see that the
 * stream has come so far. A wait's is the waiting thread's; a wake-up's passes between the event and
 * the call, on a thread of the device, while the stream goes on. */
#include "device/simulated/cost.h"

#include "base/system/mutex.h"

#include <sys/prctl.h>
#include <time.h>

/* Nanoseconds of a sleep's end by which timers are late, about. */
#define SPIN_NANOSECONDS 5000

uint64_t cost_now(void)
{
    struct timespec ts;
    clock_gettime(CLOCK_MONOTONIC, &ts);
    return (uint64_t)ts.tv_sec * 1000000000u + (uint64_t)ts.tv_nsec;
}

void cost_sleep_until(uint64_t due)
{
    uint64_t now = cost_now();
    if (now + SPIN_NANOSECONDS < due) {
        uint64_t until = due - SPIN_NANOSECONDS;
        struct timespec ts = {(time_t)(until / 1000000000u), (long)(until % 1000000000u)};
        /* Without it the kernel adds up to 50 microseconds, so as to wake threads together. */
        int slack = prctl(PR_GET_TIMERSLACK);
        prctl(PR_SET_TIMERSLACK, 1UL);
        while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &ts, NULL))
            continue;
        prctl(PR_SET_TIMERSLACK, (unsigned long)(slack > 0 ? slack : 0));
    }
    while (cost_now() < due)
        continue;
}

/* ---- late wake-ups ---- */

static void *cost_waker_main(void *argument)
{
    cost_waker *waker = argument;
    mutex_lock(&waker->lock);
    for (;;) {
        late_wake *first = waker->first;
        if (!first && waker->is_closing)
            break;
        if (!first) {
            pthread_cond_wait(&waker->changed, &waker->lock);
            continue;
        }
        waker->first = first->next;
        if (!waker->first)
            waker->end = &waker->first;
        mutex_unlock(&waker->lock);
        cost_sleep_until(first->due);
        first->call(first);
        mutex_lock(&waker->lock);
    }
    mutex_unlock(&waker->lock);
    return NULL;
}

status cost_waker_start(cost_waker *waker)
{
    mutex_init(&waker->lock);
    pthread_cond_init(&waker->changed, NULL);
    waker->end = &waker->first;
    int number = pthread_create(&waker->thread, NULL, cost_waker_main, waker);
    if (number) {
        pthread_cond_destroy(&waker->changed);
        mutex_destroy(&waker->lock);
        return status_new_errno(number, "could not start the device's thread for wake-ups");
    }
    waker->is_started = true;
    return STATUS_OK;
}

void cost_waker_stop(cost_waker *waker)
{
    if (!waker->is_started)
        return;
    mutex_lock(&waker->lock);
    waker->is_closing = true;
    pthread_cond_signal(&waker->changed);
    mutex_unlock(&waker->lock);
    pthread_join(waker->thread, NULL);
    pthread_cond_destroy(&waker->changed);
    mutex_destroy(&waker->lock);
}

void cost_waker_add(cost_waker *waker, late_wake *wake)
{
    wake->next = NULL;
    mutex_lock(&waker->lock);
    *waker->end = wake;
    waker->end = &wake->next;
    pthread_cond_signal(&waker->changed);
    mutex_unlock(&waker->lock);
}
