/* scan_look.h - a scan that reads ahead, from the inside: scan_ahead.c decides what is read when, scan_look.c which row
 * group comes next and what is wanted of it. */
#ifndef PISTACHIO_EXEC_SCAN_SCAN_LOOK_H
#define PISTACHIO_EXEC_SCAN_SCAN_LOOK_H

#include "exec/scan/scan_ahead.h"
#include "exec/scan/scan_files.h"
#include "exec/scan/scan_split.h"
#include "exec/scan/scan_steal.h"
#include "exec/scan/scan_stretch.h"

/* Row groups looked at ahead of need: where they are cached, looking is all that is done. */
#define QUEUE_MAX 48

/* Row groups of other ranks, when all of this one's have been looked at. */
typedef enum loot_state { LOOT_UNASKED, LOOT_ASKED, LOOT_HERE, LOOT_OVER } loot_state;

struct scan_ahead {
    exec_query *query;
    const plan_node *plan;
    const pq_table *table;
    scan_files *files;     /* that opens the table's; NULL: they are open */
    exec_metrics *metrics; /* of the operator */
    const uint32_t *columns;
    uint32_t column_count;
    uint32_t *
        wanted; /* of them, those that are read of the row group at hand; of the task that holds the scan */
    size_t *
        kept; /* by column, one more than the stretch of which a lazy device's cache has all; of who holds the scan */
    uint64_t morsel_bytes;
    uint64_t chunk_rows;
    unsigned reader; /* the scan's number in scan_share.h */
    /* The row groups of this rank, and the table's next one that was not looked at. With `steal` they are changed
     * under the lock, by others than the task that holds the scan, too. */
    pq_deal deal;
    size_t cursor;
    scan_steal *steal; /* NULL: row groups stay with their ranks */
    /* For the task that holds the scan. */
    bool is_looting;             /* the deal is what another rank gave, */
    uint64_t first_row, end_row; /* and of its first row group these rows; end_row 0: all */
    size_t number;               /* of the row group before the cursor */
    uint64_t rows_before;        /* the cursor's, in the table */
    scan_stretches stretches;
    uint32_t *order;            /* the row groups, as they are looked at; NULL: as they lie */
    size_t expected;            /* those before it were announced */
    pq_row_group_ref group_ref; /* the one before the cursor, */
    scan_split split;           /* and what is left of it */
    bool has_no_memory;         /* memory ran short: not tried again */
    /* Under the lock. */
    bool is_held;
    bool has_started; /* tasks have asked for rows */
    uint64_t bytes;   /* held by its fetches */
    uint64_t window;  /* the most of them that regulation allows, */
    uint64_t least;   /* and what it always allows */
    uint64_t taken;   /* by tasks since the window became larger */
    unsigned calm_takes;
    _Atomic bool is_starved; /* the last rows that were asked for were not there yet */
    bool is_done; /* all row groups were looked at, and there are none to take from others */
    bool is_dry;  /* all of the deal were */
    loot_state loot_state;
    scan_loot loot;
    uint64_t turns; /* taken by tasks */
    status failure; /* or looking has failed */
    exec_task_list waiting;
    /* On lazy devices: the task that takes a stretch, its stretch once it has some, and tasks that wait for the next one. */
    const exec_task *collector;
    bool has_stretch;
    size_t stretch;
    exec_task_list waiting_for_stretch;
    ARRAY(pq_fetch *) given_up; /* of rows that nobody wants any more, reads still under way */
    /* A ring. */
    scan_morsel queue[QUEUE_MAX];
    unsigned queue_first, queue_count;
};

/* The next row group of which statistics leave something becomes the split; else there is none
 * left. For who holds the scan. */
CHECKED status scan_look(scan_ahead *scan);
/* The scan has no need any more of what is kept of the row group before the cursor. */
void scan_look_pass(scan_ahead *scan);

#endif
