/* scheduler.c - how long the pool's lock is held: bench/scheduler asks. Prints nanoseconds.
 *
 * Two threads take and give the lock in turns, as fast as they can, with a list's end moved under it,
 * as a turn of a task does; then one wakes the other, which sleeps, as a wake-up does. */
#include "base/system/mutex.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <time.h>

#define TURNS 2000000
#define WAKES 20000

typedef struct item {
    struct item *next;
} item;

static pthread_mutex_t lock = MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static item *first, **end = &first;
static uint64_t held; /* nanoseconds, while somebody slept */
static bool is_awaited, is_there, is_over;

static uint64_t now(void)
{
    struct timespec ts;
    clock_gettime(CLOCK_MONOTONIC, &ts);
    return (uint64_t)ts.tv_sec * 1000000000u + (uint64_t)ts.tv_nsec;
}

static void *turns(void *argument)
{
    item *own = argument;
    for (int i = 0; i < TURNS; i++) {
        mutex_lock(&lock);
        own->next = NULL;
        *end = own;
        end = &own->next;
        item *taken = first;
        first = taken->next;
        if (!first)
            end = &first;
        own = taken;
        mutex_unlock(&lock);
    }
    return NULL;
}

static void *sleeper(void *argument)
{
    mutex_lock(&lock);
    while (!is_over) {
        is_awaited = true;
        is_there = false;
        while (!is_there && !is_over)
            pthread_cond_wait(&changed, &lock);
    }
    mutex_unlock(&lock);
    return argument;
}

int main(void)
{
    pthread_t thread;
    item items[2];
    uint64_t start = now();
    if (pthread_create(&thread, NULL, turns, &items[1]))
        return 1;
    turns(&items[0]);
    pthread_join(thread, NULL);
    double turn = (double)(now() - start) / (2.0 * TURNS);

    if (pthread_create(&thread, NULL, sleeper, NULL))
        return 1;
    for (int i = 0; i < WAKES;) {
        mutex_lock(&lock);
        if (is_awaited) {
            start = now();
            is_awaited = false;
            is_there = true;
            pthread_cond_signal(&changed);
            held += now() - start;
            i++;
        }
        mutex_unlock(&lock);
    }
    mutex_lock(&lock);
    is_over = true;
    pthread_cond_signal(&changed);
    mutex_unlock(&lock);
    pthread_join(thread, NULL);
    printf("%.1f %.1f\n", turn, (double)held / WAKES);
    return 0;
}
