/* crew.c - see crew.h. */
#include "storage/crew.h"

#include "base/cancel.h"
#include "storage/object_store.h"

#include <pthread.h>
#include <stdatomic.h>

typedef struct crew {
    void (*work)(void *context);
    void *context;
    uint32_t store;    /* as object_store_use */
    cancel_flag *flag; /* of the statement that it works for */
} crew;

static _Atomic unsigned helpers_now;

static void *crew_help(void *context)
{
    const crew *c = context;
    cancel_set(c->flag);
    object_store_use(c->store);
    c->work(c->context);
    return NULL;
}

/* Counts one more helper of the process, if there may be one. */
static bool take_place(void)
{
    if (atomic_fetch_add(&helpers_now, 1) < CREW_MAX)
        return true;
    atomic_fetch_sub(&helpers_now, 1);
    return false;
}

/* Starts a helper; false: there is none to be had. */
static bool start_helper(crew *c, pthread_t *out)
{
    if (!take_place())
        return false;
    if (!pthread_create(out, NULL, crew_help, c))
        return true;
    atomic_fetch_sub(&helpers_now, 1);
    return false;
}

void crew_run(void (*work)(void *context), void *context, unsigned helpers)
{
    pthread_t threads[CREW_MAX];
    crew c = {work, context, object_store_used(), cancel_current()};
    unsigned count = 0;
    while (count < helpers && count < CREW_MAX && start_helper(&c, &threads[count]))
        count++;
    work(context);
    for (unsigned i = 0; i < count; i++)
        pthread_join(threads[i], NULL);
    atomic_fetch_sub(&helpers_now, count);
}
