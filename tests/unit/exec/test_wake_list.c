/* test_wake_list.c - who waits in a list is woken once, also if he is in it again before the others are.
 *
 * test_label: threads
 * test_cost: 20 */
#include "test.h"

#include "exec/sched/pool.h"
#include "exec/sched/task.h"

#define ROUNDS 2000

/* A task that finds nothing to do, each time that it is woken. */
typedef struct waiter {
    exec_query query;
    exec_stage stage;
    scheduled_task scheduled;
    pthread_mutex_t guard;
    exec_task_list waiting;
    _Atomic bool is_over;
} waiter;

static uint64_t count_wakes(const waiter *w)
{
    uint64_t turns, wakes;
    exec_pool_turns(w->query.pool, &w->query, &turns, &wakes);
    return wakes;
}

static void wait_again(waiter *w)
{
    pthread_mutex_lock(&w->guard);
    CHECK_OK(array_push(NULL, &w->waiting, &w->scheduled.task));
    pthread_mutex_unlock(&w->guard);
}

static void *be_woken(void *argument)
{
    waiter *w = argument;
    for (uint64_t seen = 0; !atomic_load(&w->is_over);)
        if (count_wakes(w) != seen) {
            seen = count_wakes(w);
            wait_again(w);
        }
    return NULL;
}

static bool is_waiting(waiter *w)
{
    pthread_mutex_lock(&w->guard);
    bool is = w->waiting.count;
    pthread_mutex_unlock(&w->guard);
    return is;
}

TEST(a_task_that_waits_again_is_woken_once)
{
    static waiter w = {.guard = PTHREAD_MUTEX_INITIALIZER};
    pthread_t thread;
    mem_budget *budget;
    CHECK_OK(exec_pool_new(1, &w.query.pool));
    CHECK_OK(mem_budget_new(0, &budget));
    CHECK_OK(dev_open_cpu("auto", 0, budget, &w.query.dev));
    w.stage.query = &w.query;
    w.scheduled.stage = &w.stage;
    w.scheduled.task = (exec_task){.query = &w.query, .scheduled = &w.scheduled};
    w.scheduled.state = TASK_RUNNING; /* so that it is not put into the pool's queue */
    wait_again(&w);
    CHECK(!pthread_create(&thread, NULL, be_woken, &w));
    for (unsigned i = 1; i <= ROUNDS; i++) {
        while (!is_waiting(&w))
            sched_yield();
        exec_wake_each(&w.guard, &w.waiting);
        CHECK_EQ(count_wakes(&w), i);
    }
    atomic_store(&w.is_over, true);
    pthread_join(thread, NULL);
    array_release(&w.waiting);
    exec_pool_free(w.query.pool);
    dev_close(w.query.dev);
    mem_budget_free(budget);
}

TEST(nobody_waits)
{
    pthread_mutex_t guard = PTHREAD_MUTEX_INITIALIZER;
    exec_task_list waiting = {0};
    exec_wake_each(&guard, &waiting);
    CHECK_EQ(waiting.count, 0);
}
