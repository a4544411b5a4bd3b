/* mutex.h - mutexes, which a build with assertions checks: a thread that locks what it has locked already,
 * or unlocks what it has not locked, ends the process in an assertion, with its stack, where it would
 * otherwise hang.
 *
 * Mutexes are locked and unlocked by these functions alone, so that none is left out (scripts/check-style). */
#ifndef PISTACHIO_BASE_SYSTEM_MUTEX_H
#define PISTACHIO_BASE_SYSTEM_MUTEX_H

#include <assert.h>
#include <pthread.h>
#include <stdbool.h>

#ifdef NDEBUG
#define MUTEX_INITIALIZER PTHREAD_MUTEX_INITIALIZER
#define MUTEX_KIND PTHREAD_MUTEX_NORMAL
#else
#define MUTEX_INITIALIZER PTHREAD_ERRORCHECK_MUTEX_INITIALIZER_NP
#define MUTEX_KIND PTHREAD_MUTEX_ERRORCHECK
#endif

/* Cannot fail: a mutex of Linux takes no memory. */
static inline void mutex_init(pthread_mutex_t *mutex)
{
    pthread_mutexattr_t attributes;
    pthread_mutexattr_init(&attributes);
    pthread_mutexattr_settype(&attributes, MUTEX_KIND);
    pthread_mutex_init(mutex, &attributes);
    pthread_mutexattr_destroy(&attributes);
}

static inline void mutex_destroy(pthread_mutex_t *mutex)
{
    int error = pthread_mutex_destroy(mutex);
    assert(!error); /* somebody has it locked */
    (void)error;
}

static inline void mutex_lock(pthread_mutex_t *mutex)
{
    int error = pthread_mutex_lock(mutex);
    assert(!error); /* this thread has it locked */
    (void)error;
}

/* False: this thread or another one has it locked. */
static inline bool mutex_try_lock(pthread_mutex_t *mutex)
{
    return !pthread_mutex_trylock(mutex);
}

static inline void mutex_unlock(pthread_mutex_t *mutex)
{
    int error = pthread_mutex_unlock(mutex);
    assert(!error); /* this thread does not have it locked */
    (void)error;
}

#endif
