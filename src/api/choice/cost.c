/* cost.c - see cost.h. Counts of work.h are multiplied by nanoseconds of a core of the CPU, and of what the host does for a
 * device, fitted to the 22 queries of TPC-H at scale factors 0.1 and 1: measured, and replayed with a GPU's times
 * (bench/device_replay.py). */
#include "api/choice/cost.h"

#define NANOSECOND 1e-9
#define LAUNCH_FITTED 5e-6 /* the launch_seconds of the device that was replayed */
#define STREAMS 4
#define ONE_THREAD                                                                                 \
    1.5           /* what a host of one thread takes longer than one of a thread for each stream */
#define PASSES 48 /* bytes of the device's memory that kernels move for each value */

double cost_on_cpu(const statement_work *work, unsigned threads)
{
    double shared = work->stored_bytes * 0.74 + work->computed * 0.1 + work->built * 54 +
                    work->probed * 1.7 + work->grouped * 0.85 + work->ordered * 73;
    return (4.7e5 + shared / threads) * NANOSECOND;
}

double cost_on_device(const statement_work *work, unsigned threads, const device_figures *figures)
{
    double slow =
        threads < STREAMS ? 1 + (ONE_THREAD - 1) * (STREAMS - threads) / (STREAMS - 1) : 1;
    double launches = 1.1e6 + work->nodes * 13e3 + work->chunks * 81e3 + work->chunk_columns * 31e3;
    double host = (launches * figures->launch_seconds / LAUNCH_FITTED + work->stored_bytes * 0.13) *
                  slow * NANOSECOND;
    double link = work->stored_bytes / figures->link_bytes;
    return (host > link ? host : link) + work->values * PASSES / figures->memory_bytes;
}
