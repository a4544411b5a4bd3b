/* scan_steal.h - a rank that has read its row groups takes some of another one's, which is slower or has more to do.
 *
 *     this rank    all read: ask ──> another rank    has some that it has not begun: the last half of them
 *                  them, or none <── (else the next rank is asked)
 *
 * A rank answers as soon as its network has the question, whatever its tasks do. Row groups that were taken can be
 * taken on. A scan's rows are those of its plan, whichever rank reads them.
 *
 * Threads: any, but for opening and closing. */
#ifndef PISTACHIO_EXEC_SCAN_SCAN_STEAL_H
#define PISTACHIO_EXEC_SCAN_SCAN_STEAL_H

#include "exec/scan/scan_deal.h"

typedef struct scan_steal scan_steal;

/* Row groups of a table, by number; of the first one only these rows. end_row 0: all of each. */
typedef struct scan_loot {
    uint64_t first, end;
    uint64_t first_row, end_row;
} scan_loot;

/* The scan that takes, and is taken from. Called without a lock that scan_steal_want's caller holds. */
typedef struct scan_steal_ops {
    /* Gives up something that no task has begun; false: there is nothing. */
    bool (*give)(void *scan, scan_loot *out);
    /* Answers scan_steal_want: some of another rank's, or NULL: nobody has any more. */
    void (*got)(void *scan, const scan_loot *loot);
} scan_steal_ops;

/* Opens it for the scan where it is worth its messages; *out is NULL where it is not, on all ranks alike. */
CHECKED status scan_steal_new(exec_query *query, const plan_node *plan, scan_worth worth,
                              const scan_steal_ops *ops, void *scan, scan_steal **out);
/* Begins to answer, when the scan can be taken from. Takes NULL. */
void scan_steal_start(scan_steal *steal);
/* Asks others until one has something; answered by `got`, perhaps before it returns. */
void scan_steal_want(scan_steal *steal);
/* Nothing is asked, given or got any more. Takes NULL. */
void scan_steal_free(scan_steal *steal);

#endif
