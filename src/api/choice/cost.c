/* cost.c - see cost.h. Counts of work.h are multiplied by nanoseconds of a core of the CPU, and of what the host does for a
 * device. The CPU's are fitted to the 22 queries of TPC-H at scale factors 0.1 and 1, the device's to those at 1 and 10 on an
 * H200 beside 16 cores, nothing kept on it: the mean error is 15%. */
#include "api/choice/cost.h"

#define NANOSECOND 1e-9
#define LAUNCH_FITTED 4e-6 /* the launch_seconds of that device */
#define STREAMS 4
#define ONE_THREAD                                                                                 \
    1.5          /* what a host of one thread takes longer than one of a thread for each stream */
#define PASSES 8 /* bytes of the device's memory that kernels move for each value */

/* Returns how many threads' work so many do: those above four share caches and the memory's rate, and often a core. 16 took as
 * long as 8 there. */
static double threads_worth(unsigned threads)
{
    return threads > STREAMS ? STREAMS + (threads - STREAMS) / 4.0 : threads;
}

double cost_on_cpu(const statement_work *work, unsigned threads)
{
    double shared = work->stored_bytes * 0.74 + work->computed * 0.1 + work->built * 54 +
                    work->probed * 1.7 + work->grouped * 0.85 + work->ordered * 73;
    return (4.7e5 + shared / threads_worth(threads)) * NANOSECOND;
}

double cost_on_device(const statement_work *work, unsigned threads, const device_figures *figures)
{
    double slow =
        threads < STREAMS ? 1 + (ONE_THREAD - 1) * (STREAMS - threads) / (STREAMS - 1) : 1;
    double launches =
        4.1e6 + work->nodes * 730e3 + work->chunks * 113e3 + work->chunk_columns * 26e3;
    double host = (launches * figures->launch_seconds / LAUNCH_FITTED + work->stored_bytes * 0.04) *
                  slow * NANOSECOND;
    double link = work->stored_bytes / figures->link_bytes;
    double rows = (work->probed + work->grouped) * 0.03 * NANOSECOND;
    return (host > link ? host : link) + rows + work->values * PASSES / figures->memory_bytes;
}
