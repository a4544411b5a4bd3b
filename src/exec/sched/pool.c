/* pool.c - worker threads: takes ready tasks, runs them, and walks the stage graph. */
#include "exec/sched/pool.h"

#include "base/system/mutex.h"
#include "base/system/slice.h"
#include "exec/sched/stages.h"
#include "exec/sched/task.h"

#include "base/trace/trace.h"

#include <time.h>

/* How soon a cancelled query is noticed whose tasks all wait for other ranks: cancelling only sets a
 * flag, which may be done in a signal handler. */
#define CANCEL_NANOSECONDS 50000000
/* Tasks of the queue that are looked at to find a stage's place. */
#define LOOKED_AT_MAX 256

struct exec_pool {
    pthread_mutex_t lock;
    pthread_cond_t changed; /* something became ready, finished, or was notified */
    scheduled_task *first, **end;
    pool_shares shares;     /* of the queries that have tasks */
    unsigned running_count; /* threads that run a task, but for these: */
    unsigned guest_count;   /* threads that run a task of a new query beyond what may run else */
    exec_stage *failed;     /* could not start, and nobody has been told yet */
    unsigned thread_count;  /* the asking thread included */
    unsigned started_count; /* workers running: first thread_count - 1, then as many in reserve */
    unsigned query_count;   /* with stages that are not finished */
    pthread_t *threads;     /* room for both */
    pthread_cond_t reserve; /* a task of a new query is ready, for those in reserve */
    fiber_store fibers;     /* of the thread that asks for rows, while none does */
    bool is_closing;
};

static void trace_task(const char *what, const scheduled_task *scheduled)
{
    trace_point(what, scheduled, NULL, 0);
}

/* Queries are served first while they are new: the thread that asks takes no other's tasks, and threads take theirs even
 * where as many run as may. Those whose tasks wait for lanes of a device, or for a part on another one, are not. */
static bool is_served_first(const exec_query *query)
{
    return query->share.nanoseconds < POOL_NEW_NANOSECONDS && query->dev->is_host &&
           !query->parts.count;
}

/* Returns whether a thread may run any query's task. One is left to all queries however many new ones come. */
static bool has_room(const exec_pool *pool)
{
    unsigned taken = pool->running_count + pool->guest_count;
    return taken < pool->thread_count || !pool->running_count;
}

static bool has_guest_room(const exec_pool *pool)
{
    return pool->guest_count < pool->thread_count;
}

/* Wakes the thread that waits for the query alone. Returns whether there is one. */
static bool tell_asking(exec_query *query)
{
    bool is_awaited = query->is_awaited;
    query->is_awaited = false;
    if (is_awaited)
        pthread_cond_signal(&query->changed);
    return is_awaited;
}

static void enqueue_at(exec_pool *pool, scheduled_task **at, scheduled_task *scheduled)
{
    scheduled->state = TASK_READY;
    pool_shares_add(&pool->shares, &scheduled->stage->query->share);
    scheduled->next = *at;
    *at = scheduled;
    if (!scheduled->next)
        pool->end = &scheduled->next;
    if (pool->query_count > 1 && !has_room(pool) && is_served_first(scheduled->stage->query))
        pthread_cond_signal(&pool->reserve);
}

static void enqueue(exec_pool *pool, scheduled_task *scheduled)
{
    enqueue_at(pool, pool->end, scheduled);
}

/* Finds where a stage's tasks are queued: before those of the query's later stages, which may not be needed when it
 * is over, else after all. */
static scheduled_task **pool_place_of(exec_pool *pool, const exec_stage *stage)
{
    scheduled_task **at = &pool->first;
    for (unsigned i = 0; *at && i < LOOKED_AT_MAX; i++, at = &(*at)->next)
        if ((*at)->stage->query == stage->query && (*at)->stage->number > stage->number)
            return at;
    return pool->end;
}

/* A lazy device that has a task's work in each lane needs no further task's, nor more of one that has
 * waited for something else: its chunk would only hold memory. Tasks that await their streams, or run, go
 * on by themselves, and leave their lane when they wait for anything else, so whoever is kept back here
 * goes on some time. */
static bool may_run(const scheduled_task *scheduled)
{
    const exec_query *query = scheduled->stage->query;
    return scheduled->is_busy || query->dev->is_host || query->busy_tasks < exec_task_count(query);
}

static void set_busy(scheduled_task *scheduled, bool is_busy)
{
    exec_query *query = scheduled->stage->query;
    query->busy_tasks += is_busy;
    query->busy_tasks -= scheduled->is_busy;
    scheduled->is_busy = is_busy;
}

/* Before all others: the thread that left it, or one that is idle, goes on where it was. */
static void enqueue_first(exec_pool *pool, scheduled_task *scheduled)
{
    enqueue_at(pool, &pool->first, scheduled);
}

/* The tasks that a thread takes. */
typedef struct pool_choice {
    const exec_query *of; /* of this query; NULL: of any */
    bool is_new;          /* of queries that are served first */
    bool is_awaited;      /* of queries whose asking threads wait for them alone */
} pool_choice;

static bool may_choose(const scheduled_task *scheduled, pool_choice choice)
{
    const exec_query *query = scheduled->stage->query;
    return may_run(scheduled) && (!choice.of || query == choice.of) &&
           (!choice.is_new || is_served_first(query)) && (!choice.is_awaited || query->is_awaited);
}

/* Finds the first task that may run; of several queries' the first one of the query that has had least of its share. */
static scheduled_task **find_next(exec_pool *pool, pool_choice choice)
{
    scheduled_task **found = NULL;
    for (scheduled_task **at = &pool->first; *at; at = &(*at)->next) {
        const exec_query *query = (*at)->stage->query;
        if (!may_choose(*at, choice) ||
            (found && query->share.pass >= (*found)->stage->query->share.pass))
            continue;
        found = at;
        if (!pool_shares_are_several(&pool->shares))
            break;
    }
    return found;
}

/* Counts one thread more (1) or fewer (-1) that runs a task. */
static void count_running(exec_pool *pool, bool is_guest, int change)
{
    unsigned *count = is_guest ? &pool->guest_count : &pool->running_count;
    *count += (unsigned)change;
    bool is_crowded = pool->running_count + pool->guest_count > pool->thread_count;
    atomic_store_explicit(&pool->shares.is_crowded, is_crowded, memory_order_relaxed);
}

/* A task that a thread has taken. */
typedef struct pool_turn {
    scheduled_task *scheduled; /* NULL: there is none for it */
    bool is_guest;             /* it is counted in guest_count */
} pool_turn;

static pool_turn dequeue(exec_pool *pool, pool_choice choice)
{
    bool is_guest = !has_room(pool);
    bool may = !is_guest || ((choice.of || choice.is_new) && has_guest_room(pool));
    scheduled_task **at = may ? find_next(pool, choice) : NULL;
    scheduled_task *scheduled = at ? *at : NULL;
    if (scheduled) {
        *at = scheduled->next;
        if (!*at)
            pool->end = at;
        scheduled->state = TASK_RUNNING;
        count_running(pool, is_guest, 1);
        pool_shares_take(&pool->shares, &scheduled->stage->query->share);
        set_busy(scheduled, true);
    }
    return (pool_turn){scheduled, is_guest};
}

/* The thread that asks for a new query takes its tasks alone, which others do not keep waiting. */
static pool_turn dequeue_asking(exec_pool *pool, const exec_query *query)
{
    return dequeue(pool, (pool_choice){.of = is_served_first(query) ? query : NULL});
}

/* Offers the place of this thread, which takes no task, to others: to whoever runs the next task, and to a thread that waits
 * for its own query alone, as a pool of one thread has no worker that could run that task. */
static void leave_to_others(exec_pool *pool)
{
    pool_choice choice = {.is_new = !has_room(pool)};
    if (!pool->first || (choice.is_new && !has_guest_room(pool)))
        return;
    scheduled_task **next = find_next(pool, choice);
    choice.is_awaited = true;
    scheduled_task **awaited = find_next(pool, choice);
    if (next && next != awaited)
        pthread_cond_signal(choice.is_new ? &pool->reserve : &pool->changed);
    if (awaited)
        (void)tell_asking((*awaited)->stage->query);
}

static void stage_start(exec_pool *pool, exec_stage *stage);

static void leave_operator(exec_operator *op)
{
    if (--op->pipelines == 0 && op->ops->release)
        op->ops->release(op);
}

/* The stage is over: whoever waited for it may start. Under the lock. */
static void stage_finish(exec_pool *pool, exec_stage *stage)
{
    if (!--stage->query->stages_active) {
        pool->query_count--;
        (void)tell_asking(stage->query);
    }
    stages_give_up(stage);
    if (stage->source)
        leave_operator(stage->source);
    for (size_t i = 0; i < stage->operators.count; i++)
        leave_operator(stage->operators.items[i]);
    for (size_t i = 0; i < stage->dependents.count; i++)
        if (--stage->dependents.items[i]->pending == 0)
            stage_start(pool, stage->dependents.items[i]);
}

/* Under the lock, which telling the query's failure would take again, so that it has to wait for
 * tell_failures(). Until then the failure counts as a task, so that the query stays. */
static void stage_fail(exec_pool *pool, exec_stage *stage, status st)
{
    stage->failure = st;
    stage->tasks_active++;
    stage->next_failed = pool->failed;
    pool->failed = stage;
}

/* Under the lock. A cancelled query's stages finish without running. */
static void stage_start(exec_pool *pool, exec_stage *stage)
{
    if (!stage_has_work(stage) || atomic_load(&stage->query->is_cancelled)) {
        stage_finish(pool, stage);
        return;
    }
    unsigned count = exec_task_count(stage->query);
    if (stage->source && stage->source->task_limit && stage->source->task_limit < count)
        count = stage->source->task_limit;
    status st = STATUS_OK;
    scheduled_task **at = pool_place_of(pool, stage);
    stage->tasks_active = 0;
    for (unsigned i = 0; i < count && !st; i++) {
        scheduled_task *scheduled;
        st = task_new(stage, i, count, &scheduled);
        if (!st) {
            stage->tasks_active++;
            trace_point("task", scheduled, stage, stage->phase);
            enqueue_at(pool, at, scheduled);
            at = &scheduled->next;
        }
    }
    (void)tell_asking(stage->query);
    if (st)
        stage_fail(pool, stage, st);
    if (!stage->tasks_active)
        stage_finish(pool, stage);
}

/* A task of the stage is over. Under the lock. */
static void leave_stage(exec_pool *pool, exec_stage *stage)
{
    if (--stage->tasks_active)
        return;
    if (!stage->source && ++stage->phase < stage->sink->ops->phase_count)
        stage_start(pool, stage);
    else
        stage_finish(pool, stage);
}

/* Tells the failures of stages that could not start. Called with the lock held, by whoever has started
 * stages, before anything else; gives it up meanwhile. */
static void tell_failures(exec_pool *pool)
{
    for (exec_stage *stage; (stage = pool->failed);) {
        status st = stage->failure;
        pool->failed = stage->next_failed;
        stage->failure = STATUS_OK;
        mutex_unlock(&pool->lock);
        task_fail_query(stage->query, st);
        mutex_lock(&pool->lock);
        leave_stage(pool, stage);
    }
}

static void task_finished(exec_pool *pool, scheduled_task *scheduled)
{
    exec_stage *stage = scheduled->stage;
    (void)tell_asking(stage->query);
    set_busy(scheduled, false);
    task_free(scheduled);
    leave_stage(pool, stage);
    tell_failures(pool);
}

/* Returns nanoseconds by which a turn's cost is counted. Beside other queries they are the thread's own, as waiting for a core
 * is not to make a statement an old one; alone the clock's, which is read without a system call. */
static uint64_t turn_time(bool is_shared)
{
    struct timespec own;
    if (!is_shared)
        return task_now();
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &own);
    return (uint64_t)own.tv_sec * 1000000000 + (uint64_t)own.tv_nsec;
}

/* Runs a task until it ends or waits, and counts its time as the query's. The lock is held on entry and exit, and given
 * up between them. */
static task_end take_turn(exec_pool *pool, scheduled_task *scheduled, const task_asked *asked,
                          fiber_store *fibers)
{
    exec_query *query = scheduled->stage->query;
    bool is_shared = pool->query_count > 1;
    query->turns++;
    mutex_unlock(&pool->lock);
    trace_task("turn", scheduled);
    uint64_t since = turn_time(is_shared);
    task_end end = task_run(scheduled, asked, fibers);
    if (end == TASK_OVER)
        task_close(scheduled);
    uint64_t nanoseconds = turn_time(is_shared) - since;
    trace_task(end == TASK_OVER ? "end" : "yield", scheduled);
    mutex_lock(&pool->lock);
    pool_shares_use(&query->share, nanoseconds);
    return end;
}

/* Runs one task until it finishes, waits or leaves its thread to others, or what the thread was asked for is there; the
 * lock is held on entry and exit. */
static void pool_run_task(exec_pool *pool, scheduled_task *scheduled, const task_asked *asked,
                          fiber_store *fibers)
{
    exec_query *query = scheduled->stage->query;
    task_turn_begin(scheduled);
    for (;;) {
        task_end end = take_turn(pool, scheduled, asked, fibers);
        if (end == TASK_WAITS && scheduled->state == TASK_WOKEN &&
            task_is_to_leave(scheduled, asked))
            end = TASK_LEFT; /* operators that wake their own task would keep the thread for ever */
        if (end == TASK_OVER) {
            task_finished(pool, scheduled);
            pthread_cond_broadcast(&pool->changed);
            return;
        }
        if (end == TASK_LEFT) {
            enqueue_first(pool, scheduled);
            if (!tell_asking(query))
                pthread_cond_signal(&pool->changed);
            return;
        }
        if (scheduled->state == TASK_RUNNING) {
            scheduled->state = TASK_WAITING;
            set_busy(scheduled, scheduled->awaits_device);
            return;
        }
        scheduled->state = TASK_RUNNING; /* woken already: go on */
    }
}

static void pool_run(exec_pool *pool, pool_turn turn, const task_asked *asked, fiber_store *fibers)
{
    pool_run_task(pool, turn.scheduled, asked, fibers);
    count_running(pool, turn.is_guest, -1);
}

void exec_wake(exec_task *task)
{
    trace_task("wake", task->scheduled);
    task_wake(task->scheduled);
}

void task_wake(scheduled_task *scheduled)
{
    exec_query *query = scheduled->stage->query;
    exec_pool *pool = query->pool;
    mutex_lock(&pool->lock);
    query->wakes++;
    if (scheduled->state == TASK_WAITING) {
        enqueue(pool, scheduled);
        if (!tell_asking(query))
            pthread_cond_signal(&pool->changed);
    } else {
        scheduled->state = TASK_WOKEN;
    }
    mutex_unlock(&pool->lock);
}

void exec_wake_all(exec_task_list *waiting)
{
    for (size_t i = 0; i < waiting->count; i++)
        exec_wake(waiting->items[i]);
    waiting->count = 0;
}

void exec_wake_each(pthread_mutex_t *guard, exec_task_list *waiting)
{
    mutex_lock(guard);
    exec_task_list taken = *waiting;
    *waiting = (exec_task_list){0};
    mutex_unlock(guard);
    exec_wake_all(&taken);
    array_release(&taken);
}

static void *worker(void *argument)
{
    exec_pool *pool = argument;
    const task_asked asked = {.shares = &pool->shares};
    fiber_store fibers = {0};
    mutex_lock(&pool->lock);
    while (!pool->is_closing) {
        pool_turn turn = dequeue(pool, (pool_choice){0});
        if (turn.scheduled)
            pool_run(pool, turn, &asked, &fibers);
        else
            pthread_cond_wait(&pool->changed, &pool->lock);
    }
    mutex_unlock(&pool->lock);
    fiber_store_release(&fibers);
    return NULL;
}

/* A thread in reserve runs tasks of new queries while others run long steps. */
static void *worker_in_reserve(void *argument)
{
    exec_pool *pool = argument;
    const task_asked asked = {.shares = &pool->shares};
    fiber_store fibers = {0}; /* of host devices alone: none is made */
    slice_manage();
    mutex_lock(&pool->lock);
    while (!pool->is_closing) {
        pool_turn turn = dequeue(pool, (pool_choice){.is_new = true});
        if (turn.scheduled) {
            pool_run(pool, turn, &asked, &fibers);
        } else {
            leave_to_others(pool);
            pthread_cond_wait(&pool->reserve, &pool->lock);
        }
    }
    mutex_unlock(&pool->lock);
    return NULL;
}

static void await_change(exec_pool *pool, const exec_query *query, pthread_cond_t *changed)
{
    struct timespec until;
    if (!query->net) {
        pthread_cond_wait(changed, &pool->lock);
        return;
    }
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_nsec += CANCEL_NANOSECONDS;
    until.tv_sec += until.tv_nsec / 1000000000;
    until.tv_nsec %= 1000000000;
    pthread_cond_timedwait(changed, &pool->lock, &until);
}

/* Waits for a task that the thread may take, or until there is something of the query. */
static void wait_for_change(exec_pool *pool, exec_query *query)
{
    leave_to_others(pool);
    query->is_awaited = is_served_first(query);
    await_change(pool, query, query->is_awaited ? &query->changed : &pool->changed);
    query->is_awaited = false;
}

void exec_pool_work(exec_pool *pool, exec_query *query, bool (*is_done)(void *argument),
                    void *argument)
{
    const task_asked asked = {query, is_done, argument, &pool->shares};
    mutex_lock(&pool->lock);
    fiber_store fibers = pool->fibers;
    pool->fibers = (fiber_store){0};
    while (query->stages_active && !is_done(argument)) {
        pool_turn turn = dequeue_asking(pool, query);
        slice_choose(is_served_first(query));
        if (turn.scheduled)
            pool_run(pool, turn, &asked, &fibers);
        else
            wait_for_change(pool, query);
    }
    slice_choose(true);
    leave_to_others(pool);
    fiber_store others = pool->fibers; /* of another thread that asked, and is done */
    pool->fibers = fibers;
    mutex_unlock(&pool->lock);
    fiber_store_release(&others);
}

void exec_pool_turns(exec_pool *pool, const exec_query *query, uint64_t *out_turns,
                     uint64_t *out_wakes)
{
    mutex_lock(&pool->lock);
    *out_turns = query->turns;
    *out_wakes = query->wakes;
    mutex_unlock(&pool->lock);
}

void exec_pool_notify(exec_pool *pool, exec_query *query)
{
    mutex_lock(&pool->lock);
    (void)tell_asking(query);
    pthread_cond_broadcast(&pool->changed);
    mutex_unlock(&pool->lock);
}

/* Threads are started with the first query that can use them, those in reserve with the first that runs beside another.
 * Under the lock: several queries may be the first. */
static status pool_start_threads(exec_pool *pool)
{
    unsigned workers = pool->thread_count - 1;
    while (pool->started_count < (pool->query_count ? 2 * workers : workers)) {
        bool is_reserve = pool->started_count >= workers;
        int number = pthread_create(&pool->threads[pool->started_count], NULL,
                                    is_reserve ? worker_in_reserve : worker, pool);
        if (number)
            return status_hint(status_new_errno(number, "could not start a worker thread"),
                               "lower the setting threads");
        pool->started_count++;
    }
    return STATUS_OK;
}

/* Not one task alone, as of a statement without a table. */
static bool can_use_threads(const exec_query *query)
{
    for (size_t i = 0; i < query->stages.count; i++) {
        const exec_operator *source = query->stages.items[i]->source;
        if (source && source->task_limit != 1)
            return true;
    }
    return query->stages.count > 2;
}

/* Which stages wait for which. */
static void trace_graph(const exec_query *query)
{
    for (size_t i = 0; i < query->stages.count; i++) {
        const exec_stage *stage = query->stages.items[i];
        trace_point("stage", stage, NULL, stage->pending);
        for (size_t k = 0; k < stage->dependents.count; k++)
            trace_point("then", stage, stage->dependents.items[k], 0);
    }
}

status exec_pool_start(exec_pool *pool, exec_query *query)
{
    mutex_lock(&pool->lock);
    status st = can_use_threads(query) ? pool_start_threads(pool) : STATUS_OK;
    if (st) {
        mutex_unlock(&pool->lock);
        return st;
    }
    query->stages_active = (unsigned)query->stages.count;
    pool->query_count += query->stages_active != 0;
    trace_graph(query);
    /* Starting a stage may finish it and start others: take the list of sources first. */
    size_t source_count = 0;
    for (size_t i = 0; i < query->stages.count; i++)
        if (query->stages.items[i]->pending == 0)
            query->stages.items[i]->pending = UINT32_MAX;
    for (size_t i = 0; i < query->stages.count; i++)
        if (query->stages.items[i]->pending == UINT32_MAX) {
            query->stages.items[i]->pending = 0;
            source_count++;
            stage_start(pool, query->stages.items[i]);
        }
    tell_failures(pool);
    pthread_cond_broadcast(&pool->changed);
    mutex_unlock(&pool->lock);
    if (!source_count && query->stages.count)
        return status_new(STATUS_KIND_INTERNAL, "no stage of the query can start");
    return STATUS_OK;
}

status exec_pool_new(unsigned thread_count, exec_pool **out)
{
    *out = NULL;
    exec_pool *pool = mem_new(sizeof *pool);
    if (!pool)
        return status_no_memory("worker pool", sizeof *pool);
    pool->threads = mem_new_array(2 * (size_t)thread_count, sizeof *pool->threads);
    if (!pool->threads) {
        mem_free(pool);
        return status_no_memory("worker threads", thread_count * sizeof *pool->threads);
    }
    pool->thread_count = thread_count ? thread_count : 1;
    pool->end = &pool->first;
    mutex_init(&pool->lock);
    pthread_cond_init(&pool->changed, NULL);
    pthread_cond_init(&pool->reserve, NULL);
    *out = pool;
    return STATUS_OK;
}

void exec_pool_free(exec_pool *pool)
{
    if (!pool)
        return;
    mutex_lock(&pool->lock);
    pool->is_closing = true;
    pthread_cond_broadcast(&pool->changed);
    pthread_cond_broadcast(&pool->reserve);
    mutex_unlock(&pool->lock);
    for (unsigned i = 0; i < pool->started_count; i++)
        pthread_join(pool->threads[i], NULL);
    fiber_store_release(&pool->fibers);
    pthread_cond_destroy(&pool->changed);
    pthread_cond_destroy(&pool->reserve);
    mutex_destroy(&pool->lock);
    mem_free(pool->threads);
    mem_free(pool);
}

unsigned exec_pool_thread_count(const exec_pool *pool)
{
    return pool->thread_count;
}
