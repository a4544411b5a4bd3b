/* wake.c - one thread per device that looks at words which streams write, and wakes whoever waits
 * for them. It sleeps as long as nobody does. */
#include "device/cuda/cuda.h"

/* How often the driver is asked whether the device still is there: each so many looks. */
#define TURNS_PER_QUESTION 256

void cuda_waker_init(cuda_waker *waker)
{
    pthread_mutex_init(&waker->lock, NULL);
    pthread_cond_init(&waker->changed, NULL);
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

static void ask_driver(cuda_device *dev, const cuda_stream *stream)
{
    cuda_result result = dev->driver->cuStreamQuery(stream->queue);
    if (result != CUDA_SUCCESS && result != CUDA_NOT_READY)
        cuda_lose(dev, result, "cuStreamQuery");
}

static void *waker_main(void *argument)
{
    cuda_device *dev = argument;
    cuda_waker *waker = &dev->waker;
    unsigned turn = 0;
    status_free(cuda_enter(dev));
    pthread_mutex_lock(&waker->lock);
    for (;;) {
        if (!waker->events && waker->is_closing)
            break;
        if (!waker->events) {
            pthread_cond_wait(&waker->changed, &waker->lock);
            turn = 0;
            continue;
        }
        dev_event *reached = take_reached(waker);
        cuda_stream *waited_for = waker->events ? waker->events->stream : NULL;
        if (waited_for)
            atomic_fetch_add(&waited_for->references, 1);
        pthread_mutex_unlock(&waker->lock);
        if (reached)
            turn = 0;
        wake_all(reached);
        if (waited_for) {
            if (turn % TURNS_PER_QUESTION == TURNS_PER_QUESTION - 1)
                ask_driver(dev, waited_for);
            cuda_stream_unref(waited_for);
            cuda_pause(&turn);
        }
        pthread_mutex_lock(&waker->lock);
    }
    pthread_mutex_unlock(&waker->lock);
    return NULL;
}

status cuda_waker_add(cuda_device *dev, dev_event *event)
{
    cuda_waker *waker = &dev->waker;
    int number = 0;
    pthread_mutex_lock(&waker->lock);
    if (!waker->is_started) {
        number = pthread_create(&waker->thread, NULL, waker_main, dev);
        waker->is_started = !number;
    }
    if (!number) {
        atomic_fetch_add(&event->references, 1);
        event->next = waker->events;
        waker->events = event;
        pthread_cond_signal(&waker->changed);
    }
    pthread_mutex_unlock(&waker->lock);
    return number ? status_new_errno(number, "could not start the thread that wakes tasks")
                  : STATUS_OK;
}

void cuda_waker_release(cuda_waker *waker)
{
    pthread_mutex_lock(&waker->lock);
    waker->is_closing = true;
    pthread_cond_signal(&waker->changed);
    pthread_mutex_unlock(&waker->lock);
    if (waker->is_started)
        pthread_join(waker->thread, NULL);
    pthread_cond_destroy(&waker->changed);
    pthread_mutex_destroy(&waker->lock);
}
