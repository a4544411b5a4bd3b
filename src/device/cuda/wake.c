/* wake.c - one thread per device that looks at words which streams write, and wakes whoever waits
 * for them. It sleeps as long as nobody does; else it looks often for a short time, as what short queries wait for takes
 * some ten microseconds, then seldom, until there is something new to wait for. */
#include "device/cuda/wake.h"
#include "base/system/mutex.h"
#include "device/cuda/cuda.h"
#include "device/cuda/stream.h"

#include <time.h>

void cuda_waker_init(cuda_waker *waker)
{
    pthread_condattr_t attributes;
    mutex_init(&waker->lock);
    pthread_condattr_init(&attributes);
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
    pthread_cond_init(&waker->changed, &attributes);
    pthread_condattr_destroy(&attributes);
}

/* Takes those that are reached off the list. Under the lock. */
static dev_event *take_reached(cuda_waker *waker)
{
    dev_event *reached = NULL;
    for (dev_event **at = &waker->events; *at;) {
        dev_event *event = *at;
        if (!cuda_event_passed(event)) {
            at = &event->next;
            continue;
        }
        *at = event->next;
        event->next = reached;
        reached = event;
    }
    return reached;
}

static void wake_all(dev_event *reached)
{
    while (reached) {
        dev_event *event = reached;
        reached = event->next;
        event->wake(event->argument);
        cuda_event_free(event);
    }
}

/* Until the next look, or something new. Under the lock, which is given up meanwhile. */
static void pause_waker(cuda_device *dev, unsigned *turn)
{
    cuda_waker *waker = &dev->waker;
    if (waker->has_new)
        *turn = 0;
    waker->has_new = false;
    mutex_unlock(&waker->lock);
    long pause = cuda_pause_length(dev, turn);
    mutex_lock(&waker->lock);
    if (!pause || waker->has_new)
        return;
    struct timespec until;
    clock_gettime(CLOCK_MONOTONIC, &until);
    until.tv_nsec += pause;
    if (until.tv_nsec >= 1000000000) {
        until.tv_sec++;
        until.tv_nsec -= 1000000000;
    }
    pthread_cond_timedwait(&waker->changed, &waker->lock, &until);
}

/* Wakes whom it can; then, if others wait, asks about the first of them now and then. Gives the lock up meanwhile. */
static void look(cuda_device *dev, unsigned *turn)
{
    cuda_waker *waker = &dev->waker;
    dev_event *reached = take_reached(waker);
    cuda_stream *waited_for = waker->events ? waker->events->stream : NULL;
    if (waited_for)
        atomic_fetch_add(&waited_for->references, 1);
    mutex_unlock(&waker->lock);
    if (reached)
        *turn = 0;
    wake_all(reached);
    if (waited_for) {
        if (*turn % CUDA_TURNS_PER_QUESTION == CUDA_TURNS_PER_QUESTION - 1)
            cuda_ask_driver(dev, waited_for);
        cuda_lose_patience(dev, waited_for, &waker->patience);
        cuda_stream_unref(waited_for);
    }
    mutex_lock(&waker->lock);
}

static void *waker_main(void *argument)
{
    cuda_device *dev = argument;
    cuda_waker *waker = &dev->waker;
    unsigned turn = 0;
    cuda_sleep_exactly();
    mutex_lock(&waker->lock);
    while (waker->events || !waker->is_closing) {
        if (!waker->events) {
            pthread_cond_wait(&waker->changed, &waker->lock);
            turn = 0;
            continue;
        }
        look(dev, &turn);
        if (waker->events)
            pause_waker(dev, &turn);
    }
    mutex_unlock(&waker->lock);
    return NULL;
}

status cuda_waker_add(cuda_device *dev, dev_event *event)
{
    cuda_waker *waker = &dev->waker;
    int number = 0;
    mutex_lock(&waker->lock);
    if (!waker->is_started) {
        number = pthread_create(&waker->thread, NULL, waker_main, dev);
        waker->is_started = !number;
    }
    if (!number) {
        atomic_fetch_add(&event->references, 1);
        event->next = waker->events;
        waker->events = event;
        waker->has_new = true;
        pthread_cond_signal(&waker->changed);
    }
    mutex_unlock(&waker->lock);
    return number ? status_new_errno(number, "could not start the thread that wakes tasks")
                  : STATUS_OK;
}

void cuda_waker_release(cuda_waker *waker)
{
    mutex_lock(&waker->lock);
    waker->is_closing = true;
    pthread_cond_signal(&waker->changed);
    mutex_unlock(&waker->lock);
    if (waker->is_started)
        pthread_join(waker->thread, NULL);
    pthread_cond_destroy(&waker->changed);
    mutex_destroy(&waker->lock);
}
