/* aggregate_core.h - inside aggregation: keys, states, tables of groups, tasks, merging.
 *
 * Each task adds rows to tables of its own. A table numbers groups from 0 and keeps one array of
 * states per aggregate, indexed by group. There are four forms of it, which differ in how a row's
 * group is found:
 *
 *   ONE     no keys: one group
 *   CODES   the group's number is made of the keys' values: small domains, and dense integers
 *   RUNS    rows come ordered by an integer key: a new group where a row differs from the last one
 *   HASH    anything else: open addressing over packed keys
 *
 * A task begins with the form that its first rows suggest and changes when rows say otherwise. A
 * group may be in several tables, and then its states are parts of its result. When all tasks are
 * done their tables are merged: not at all where RUNS do not overlap, position by position for
 * CODES of one integer key, else by hash, in parts that tasks merge in parallel. */
#ifndef PISTACHIO_EXEC_AGGREGATE_AGGREGATE_CORE_H
#define PISTACHIO_EXEC_AGGREGATE_AGGREGATE_CORE_H

#include "exec/aggregate/aggregate_intern.h"
#include "exec/aggregate/aggregate_pieces.h"
#include "exec/keys/key_array.h"

#define KEYS_MAX 20000 /* by which rows are grouped, without the value of a DISTINCT set */

#define SOURCE_ROWS (-1)

/* One array of states, shared by the aggregates that need the same. */
typedef struct state_plan {
    const struct aggregate_state_ops *ops; /* aggregate_state_ops.h */
    uint8_t operation;                     /* that the ops are told: aggregates.def */
    data_type type;                        /* of the values */
    int argument, second, filter;          /* numbers of input values; -1: none */
    int source;                            /* SOURCE_ROWS, or the number of a DISTINCT set */
    bool is_exact; /* a count that is wanted itself, not only whether it is 0 */
    uint32_t location;
} state_plan;

/* Lazy devices: text that became states and still lies where it came from. Zeroed: none. */
typedef struct lent_text {
    dev_buffer *changed, *words; /* which states, some perhaps twice; [0]: how many, [1]: bytes */
    uint64_t most;               /* of them */
    string_heap *heap;
    dev_fetch asked; /* the words */
} lent_text;

typedef struct state_array {
    dev_buffer *buffer; /* NULL: nothing yet, or a shared count */
    uint32_t width;
    bool is_shared; /* a count of values among which there was no NULL: that of the rows */
    uint128 bound;  /* sums of width 8: no group's magnitude is greater */
    text_heap heap;
    lent_text lent;
    value_pieces pieces;
    uint64_t heap_kept; /* bytes of the heap when it was last compacted */
} state_array;

/* Text keys of which some, the same for all tasks, have texts few enough to be coded: found out by the first. Host
 * devices. */
typedef struct some_coded {
    pthread_mutex_t lock;
    bool is_set;
    key_layout layouts[2]; /* 1: with NULL bits */
} some_coded;

typedef struct aggregate_core {
    const char *who;
    device *dev;
    uint32_t key_count;
    data_type *key_types;
    key_layout layouts[4]; /* bit 0: with NULL bits; bit 1: all text is coded */
    some_coded *some;
    struct row_keys *rows; /* HASH by row numbers */
    key_interner *interners;
    uint32_t state_count;
    state_plan *states;       /* ordered by source */
    uint32_t *source_states;  /* [1 + source]: its first one; then the end. NULL: all are of rows */
    int rows_state;           /* the exact count of all rows; -1: there is none */
    bool counts_groups;       /* aggregate_enough.h: forms whose groups may be equal are avoided */
    uint64_t codes_bytes_max; /* of a table of CODES; 0: any number */
} aggregate_core;

/* Keys of these types, and room for plans of so many states. What failed half-way is released, too. */
CHECKED status aggregate_core_init(aggregate_core *core, exec_query *query, const data_type *types,
                                   uint32_t key_count, uint32_t states_max);
void aggregate_core_release(aggregate_core *core);
/* Numbers of states that follow each other. */
typedef struct state_range {
    uint32_t first, end;
} state_range;

/* The states that rows of a source come to. */
static inline state_range aggregate_core_states(const aggregate_core *core, int source)
{
    if (!core->source_states)
        return (state_range){0, core->state_count};
    const uint32_t *first = core->source_states + (source - SOURCE_ROWS);
    return (state_range){first[0], first[1]};
}
/* How keys lie in rows. CODED_SOME: once it is known which. */
static inline const key_layout *aggregate_core_layout(const aggregate_core *core,
                                                      text_coding coding, bool has_nulls)
{
    return coding == CODED_SOME ? &core->some->layouts[has_nulls]
                                : &core->layouts[has_nulls + 2 * (coding == CODED_ALL)];
}
/* Whether the layout, which is not one of row numbers, has the texts of a key as numbers. */
static inline bool aggregate_core_codes(const aggregate_core *core, const key_layout *layout,
                                        uint32_t key)
{
    return type_is_text(core->key_types[key]) && !type_is_text(layout->types[key]);
}

#endif
