/* rank.c - see rank.h. */
#include "bench/rank.h"

#include "api/engine/engine_device.h"
#include "base/system/mutex.h"

#include <sys/resource.h>
#include <time.h>

#define FIRST_ID 16u

/* Ranks are threads: each tells the others where its device is. */
static status rank_meet_devices(bench_rank *r)
{
    uint64_t *devices = mem_new_array(r->ranks, sizeof *devices);
    uint8_t *operations = mem_new_array(r->ranks, sizeof *operations); /* all NET_SUM */
    status st =
        devices && operations ? STATUS_OK : status_no_memory("ranks", r->ranks * sizeof *devices);
    if (!st) {
        devices[r->rank] = (uintptr_t)r->dev;
        st = bench_agree(r, devices, operations, r->ranks);
    }
    for (unsigned peer = 0; peer < r->ranks && !st && r->dev->ops->meet; peer++)
        if (peer != r->rank)
            st = r->dev->ops->meet(r->dev, (const device *)(uintptr_t)devices[peer]);
    mem_free(devices);
    mem_free(operations);
    return st ? st : bench_barrier(r);
}

status bench_rank_open(net_comm *comm, uint64_t number, bool owns_process, const settings *s,
                       bench_rank *out)
{
    unsigned ranks = net_comm_ranks(comm);
    *out = (bench_rank){.rank = net_comm_rank(comm),
                        .ranks = ranks,
                        .owns_process = owns_process,
                        .comm = comm,
                        .next_id = FIRST_ID};
    mutex_init(&out->lock);
    pthread_cond_init(&out->changed, NULL);
    out->task.count = 1;
    TRY(mem_budget_new(0, &out->budget));
    api_neighbors neighbors = {.index = out->rank, .count = ranks, .are_threads = true};
    if (owns_process)
        neighbors = api_neighbors_find(comm, NULL);
    TRY(api_device_open(s, owns_process ? 1 : ranks, &neighbors, out->budget, &out->dev));
    TRY(out->dev->ops->stream_open(out->dev, &out->task.stream));
    dev_stream_now = out->task.stream;
    TRY(net_query_begin(comm, number, out->budget, NULL, NULL, &out->query));
    out->sends_cargo = ranks > 1 && net_comm_takes_cargo(comm) && out->dev->ops->copy_from;
    return out->sends_cargo ? rank_meet_devices(out) : STATUS_OK;
}

status bench_rank_close(bench_rank *r, status st)
{
    if (st && r->query) {
        net_query_fail(r->query, st);
        st = net_query_failure(r->query);
    }
    net_query_end(r->query);
    dev_stream_now = NULL;
    if (r->task.stream)
        r->dev->ops->stream_close(r->task.stream);
    dev_close(r->dev);
    mem_budget_free(r->budget);
    pthread_cond_destroy(&r->changed);
    mutex_destroy(&r->lock);
    return st;
}

/* ---- bytes of devices ---- */

static void drop(net_cargo *base)
{
    bench_cargo *cargo = (bench_cargo *)base;
    device *dev = cargo->owner->dev;
    dev_buffer_unref(cargo->owner);
    dev_close(dev);
    mem_free(cargo);
}

status bench_cargo_load(net_message *message, dev_buffer *owner, const void *address,
                        uint64_t bytes)
{
    bench_cargo *cargo = mem_new(sizeof *cargo);
    if (!cargo)
        return status_no_memory("bench", sizeof *cargo);
    dev_ref(owner->dev);
    *cargo = (bench_cargo){{.drop = drop, .bytes = bytes}, dev_buffer_ref(owner), address};
    message->cargo = &cargo->base;
    return STATUS_OK;
}

/* ---- waiting ---- */

static void woken(void *argument)
{
    bench_waiter *w = argument;
    bench_rank *r = w->rank;
    mutex_lock(&r->lock);
    w->is_registered = false;
    r->is_woken = true;
    pthread_cond_signal(&r->changed);
    mutex_unlock(&r->lock);
}

net_waiter *bench_waiter_arm(bench_waiter *w)
{
    mutex_lock(&w->rank->lock);
    bool is_free = !w->is_registered;
    w->is_registered = true;
    mutex_unlock(&w->rank->lock);
    if (!is_free)
        return NULL;
    w->waiter = (net_waiter){.wake = woken, .argument = w};
    return &w->waiter;
}

void bench_waiter_said(bench_waiter *w, const net_waiter *given, net_state said)
{
    if (!given || said == NET_WAIT)
        return;
    mutex_lock(&w->rank->lock);
    w->is_registered = false;
    mutex_unlock(&w->rank->lock);
}

void bench_rank_sleep(bench_rank *r)
{
    mutex_lock(&r->lock);
    while (!r->is_woken)
        pthread_cond_wait(&r->changed, &r->lock);
    r->is_woken = false;
    mutex_unlock(&r->lock);
}

void bench_waiter_settle(bench_waiter *w)
{
    mutex_lock(&w->rank->lock);
    while (w->is_registered)
        pthread_cond_wait(&w->rank->changed, &w->rank->lock);
    mutex_unlock(&w->rank->lock);
}

/* ---- agreement ---- */

status bench_agree(bench_rank *r, uint64_t *words, const uint8_t *operations, uint32_t count)
{
    net_collective *collective;
    bench_waiter waiter = {.rank = r};
    net_state state = NET_WAIT;
    TRY(net_agree(r->query, r->next_id++, "bench", words, operations, count, &collective));
    status st = STATUS_OK;
    while (!st && state == NET_WAIT) {
        net_waiter *given = bench_waiter_arm(&waiter);
        st = net_try_collective(collective, given, &state);
        bench_waiter_said(&waiter, given, st ? NET_ENDED : state);
        if (!st && state == NET_WAIT)
            bench_rank_sleep(r);
    }
    if (!st)
        memcpy(words, net_collective_words(collective), count * sizeof *words);
    else
        net_query_fail(r->query, st);
    net_collective_close(collective);
    bench_waiter_settle(&waiter);
    return st ? net_query_failure(r->query) : STATUS_OK;
}

status bench_barrier(bench_rank *r)
{
    uint64_t word = 0;
    return bench_agree(r, &word, &(uint8_t){NET_OR}, 1);
}

/* ---- time ---- */

double bench_seconds(void)
{
    struct timespec ts;
    clock_gettime(CLOCK_MONOTONIC, &ts);
    return (double)ts.tv_sec + (double)ts.tv_nsec / 1e9;
}

static double cpu_seconds(void)
{
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    return (double)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
           (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) / 1e6;
}

status bench_clock_start(bench_rank *r, bench_clock *clock)
{
    TRY(dev_stream_await(r->task.stream));
    TRY(bench_barrier(r));
    clock->started = bench_seconds();
    clock->cpu_started = cpu_seconds();
    return STATUS_OK;
}

status bench_clock_stop(bench_rank *r, bench_clock *clock)
{
    TRY(dev_stream_await(r->task.stream));
    TRY(bench_barrier(r));
    clock->seconds += bench_seconds() - clock->started;
    clock->cpu_seconds += cpu_seconds() - clock->cpu_started;
    return STATUS_OK;
}
