/* exchange_heavy.h - of a join's probe side, rows of heavy keys stay on this rank. */
#ifndef PISTACHIO_EXEC_EXCHANGE_EXCHANGE_HEAVY_H
#define PISTACHIO_EXEC_EXCHANGE_EXCHANGE_HEAVY_H

#include "exec/exchange/exchange_columns.h"
#include "exec/sched/heavy_keys.h"

/* A chunk that is to be sent, with an exact count, and its keys, FLAT. */
typedef struct exchange_keyed {
    const exchange_columns *columns;
    chunk **rows; /* fewer of its columns come back, where some rows stay; NULL: all do */
    tensor **keys;
    uint32_t key_count;
} exchange_keyed;

/* Rows whose keys are heavy go to the join from here. */
CHECKED status exchange_heavy_keep(heavy_keys *heavy, exec_task *task, const exchange_keyed *keyed);
/* Looks at some of the chunk's hashes, and asks for a key that has many. */
CHECKED status exchange_heavy_sample(heavy_keys *heavy, exec_task *task,
                                     const exchange_keyed *keyed, const uint64_t *hashes);

#endif
