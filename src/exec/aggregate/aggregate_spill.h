/* aggregate_spill.h - groups that do not fit memory, in partitions by the hash of their keys. */
#ifndef PISTACHIO_EXEC_AGGREGATE_AGGREGATE_SPILL_H
#define PISTACHIO_EXEC_AGGREGATE_AGGREGATE_SPILL_H

#include "exec/aggregate/aggregate_local.h"
#include "exec/spill/partitions.h"

typedef struct spilled_part {
    partitions *parts;
    size_t number;
} spilled_part;

typedef struct aggregate_spill {
    exec_operator *op;
    pthread_mutex_t lock;
    spill_file *file;                 /* NULL: all is in memory */
    ARRAY(partitions *) cuts;         /* the first is the tasks' */
    ARRAY(spilled_part) parts;        /* of the result, that nobody has taken yet */
    _Atomic uint64_t held, held_most; /* bytes of all tasks' tables: now, and at most */
} aggregate_spill;

void aggregate_spill_init(aggregate_spill *spill, exec_operator *op);
void aggregate_spill_release(aggregate_spill *spill);
/* From now on tables may be spilled. */
CHECKED status aggregate_spill_begin(const aggregate_core *core, aggregate_spill *spill);
/* Writes all groups of a table, which stays. */
CHECKED status aggregate_spill_table(const aggregate_core *core, exec_task *task,
                                     aggregate_spill *spill, const aggregate_table *table);
/* After rows were added to a task: spills its tables if they, and all tasks', are too large. */
CHECKED status aggregate_local_settle(aggregate_local *local, exec_task *task,
                                      aggregate_spill *spill);
/* Whether all tasks' tables can be merged in memory. */
bool aggregate_spill_fits(const aggregate_spill *spill, const table_list *tables);
/* All tables have been spilled: the result may be read. */
CHECKED status aggregate_spill_finish(aggregate_spill *spill);

#endif
