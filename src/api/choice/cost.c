/* cost.c - see cost.h. Counts of work.h are multiplied by nanoseconds of a core of the CPU, and of what the host does for a
 * device. The CPU's are fitted to the 22 queries of TPC-H at scale factors 0.1 and 1 on one core and 10 on 16, with a mean error of
 * a third; the device's to those at 1 and 10 on an H200 beside these 16 cores, nothing kept on it, with 15%. */
#include "api/choice/cost.h"

#include "plan/distribute/distribute_cost.h"

#define NANOSECOND 1e-9
#define LAUNCH_FITTED 4e-6 /* the launch_seconds of that device */
#define STREAMS 4
#define ONE_THREAD                                                                                 \
    1.5 /* what a host of one thread takes longer than one of a thread for each stream */
#define STEP                                                                                       \
    27e-6 /* what a step took there: telling it, its wait for those before, the least that a kernel takes */
#define ROW_BYTES                                                                                  \
    84 /* of the device's memory that kernels move for a row of a join or grouping, and an aggregate */

#define MOVE_STEPS 6  /* a part's beginning and wake-ups; for each column two more */
#define MOVE_BYTE 1.0 /* for a byte, that the host copies into place and out of it */

/* Returns how many threads' work so many do, as they share caches and the memory's rate, and often a core: 16 as much as 3.5. */
static double threads_worth(unsigned threads)
{
    return threads / (1 + 0.238 * (threads - 1));
}

/* Returns what a host of few threads takes longer for a device. */
static double host_factor(unsigned threads)
{
    return threads < STREAMS ? 1 + (ONE_THREAD - 1) * (STREAMS - threads) / (STREAMS - 1) : 1;
}

/* Returns what so many seconds of launches on the device of the fit take on this one. */
static double launches_take(const cost_devices *devices, double seconds)
{
    return seconds * devices->figures.launch_seconds / LAUNCH_FITTED *
           host_factor(devices->threads);
}

static double on_cpu(const statement_work *work, unsigned threads)
{
    double shared = work->stored_bytes * 0.57 + work->computed * 0.62 + work->built * 29 +
                    work->probed * 2.3 + work->grouped * 0.68 + work->ordered * 116;
    return shared / threads_worth(threads) * NANOSECOND;
}

static double on_device(const statement_work *work, const cost_devices *devices)
{
    const device_figures *figures = &devices->figures;
    double host = launches_take(devices, work->steps * STEP) +
                  work->stored_bytes * 0.039 * host_factor(devices->threads) * NANOSECOND;
    double link = work->stored_bytes / figures->link_bytes;
    double rows = (work->probed + work->grouped) * ROW_BYTES / figures->memory_bytes;
    return (host > link ? host : link) + rows;
}

double cost_to_begin(const cost_devices *devices, bool is_cpu)
{
    return is_cpu ? 0.6e-3 : launches_take(devices, 4.5e-3);
}

double cost_of_work(const cost_devices *devices, const statement_work *work, bool is_cpu)
{
    return is_cpu ? on_cpu(work, devices->threads) : on_device(work, devices);
}

double cost_to_move(const cost_devices *devices, const plan_node *node)
{
    double bytes = distribute_bytes(node);
    double copied = bytes * MOVE_BYTE / threads_worth(devices->threads) * NANOSECOND;
    double steps = MOVE_STEPS + 2 * (double)node->columns.count;
    return launches_take(devices, steps * STEP) + copied + bytes / devices->figures.link_bytes;
}
