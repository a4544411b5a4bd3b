/* ranks.c - see ranks.h. */
#include "bench/ranks.h"

#include "net/local/fabric.h"
#include "net/local/local.h"
#include "net/ucx/ucx.h"

typedef struct rank_thread {
    pthread_t thread;
    bool is_started;
    net_comm *comm;
    const settings *settings;
    bench_work *work;
    void *argument;
    status st;
} rank_thread;

/* st: what went wrong before; then the others are told. Closes the communicator: so they learn at least that this
 * rank has left. */
static status ranks_run(net_comm *comm, bool owns_process, const settings *s, bench_work *work,
                        void *argument, status st)
{
    bench_rank r;
    status opened = bench_rank_open(comm, 1, owns_process, s, &r);
    if (st)
        status_free(opened);
    else
        st = opened;
    if (!st)
        st = work(&r, argument);
    if (!st)
        st = bench_barrier(&r);
    st = bench_rank_close(&r, st);
    net_comm_close(comm);
    return st;
}

static void *thread_main(void *argument)
{
    rank_thread *t = argument;
    t->st = ranks_run(t->comm, false, t->settings, t->work, t->argument, STATUS_OK);
    return NULL;
}

static status ranks_start(net_fabric *fabric, const net_options *options, rank_thread *threads,
                          unsigned ranks)
{
    for (unsigned rank = 0; rank < ranks; rank++)
        TRY(net_fabric_open(fabric, rank, options, &threads[rank].comm));
    for (unsigned rank = 1; rank < ranks; rank++) {
        int failed = pthread_create(&threads[rank].thread, NULL, thread_main, &threads[rank]);
        if (failed)
            return status_new_errno(failed, "could not start a thread for rank %u", rank);
        threads[rank].is_started = true;
    }
    return STATUS_OK;
}

/* The calling thread is rank 0's. Of several ranks' failures the first one is all ranks'. */
static status ranks_run_threads(net_fabric *fabric, const net_options *options, const settings *s,
                                rank_thread *threads, unsigned ranks, bench_work *work,
                                void *argument)
{
    for (unsigned rank = 0; rank < ranks; rank++) {
        threads[rank].settings = s;
        threads[rank].work = work;
        threads[rank].argument = argument;
    }
    status st = ranks_start(fabric, options, threads, ranks);
    if (threads[0].comm)
        st = ranks_run(threads[0].comm, false, s, work, argument, st);
    for (unsigned rank = 1; rank < ranks; rank++)
        if (threads[rank].is_started) {
            pthread_join(threads[rank].thread, NULL);
            status_free(threads[rank].st);
        } else {
            net_comm_close(threads[rank].comm);
        }
    return st;
}

status bench_on_threads(unsigned ranks, const net_options *options, const settings *s,
                        bench_work *work, void *argument)
{
    net_fabric *fabric;
    TRY(net_fabric_new(&(net_fabric_options){.ranks = ranks}, &fabric));
    rank_thread *threads = mem_new_array(ranks, sizeof *threads);
    status st = threads ? ranks_run_threads(fabric, options, s, threads, ranks, work, argument)
                        : status_no_memory("ranks", ranks * sizeof *threads);
    mem_free(threads);
    net_fabric_free(fabric);
    return st;
}

status bench_on_processes(const net_place *place, const net_options *options, const settings *s,
                          bench_work *work, void *argument)
{
    net_comm *comm;
    TRY(net_open_ucx(place, options, &comm));
    return ranks_run(comm, true, s, work, argument, STATUS_OK);
}
