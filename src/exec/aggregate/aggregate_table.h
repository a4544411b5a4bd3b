/* aggregate_table.h - tables of groups: the four forms have this in common. */
#ifndef PISTACHIO_EXEC_AGGREGATE_AGGREGATE_TABLE_H
#define PISTACHIO_EXEC_AGGREGATE_AGGREGATE_TABLE_H

#include "exec/aggregate/aggregate_core.h"

typedef enum table_form { TABLE_ONE, TABLE_CODES, TABLE_RUNS, TABLE_HASH } table_form;

/* A key of CODES: code 0 is NULL, else 1 + value - minimum, or 1 + the text's number. */
typedef struct code_key {
    bool is_interned;
    int64_t minimum;
    uint32_t radix, digit; /* codes below radix; the key's code is counted `digit` times */
    key_layout layout;     /* interned: of this key alone */
    hash_groups texts;
    tensor *base; /* the dictionary that `ids` is for */
    uint64_t base_rows;
    row_index *ids;
} code_key;

/* The greatest value that has a code, of a key that is an integer. */
static inline int64_t code_key_last(const code_key *key)
{
    return key->minimum + ((int64_t)key->radix - 2); /* with the minimum first it might overflow */
}

/* Groups [first, first + count) of RUNS, which came with one chunk of rows, whose leading key lies
 * in [minimum, maximum]. continues: the chunk's first rows are of the group before, not one of
 * these. */
typedef struct run_segment {
    uint64_t first, count;
    int64_t minimum, maximum;
    bool continues;
} run_segment;

typedef struct aggregate_table {
    table_form form;
    int source;          /* where its rows come from */
    uint64_t count;      /* groups, at most (aggregate_hash.h); CODES: the domain */
    uint64_t capacity;   /* groups that states have room for */
    uint64_t row_count;  /* rows that have come, at most */
    state_array *states; /* those of the source, or all (states_complete) */
    state_range held;    /* their numbers */
    hash_groups groups;  /* HASH; RUNS: without a directory */
    tensor **bases;      /* HASH by row numbers: the columns of keys that are rows; else NULL */
    uint64_t base_rows;
    bool is_passing;    /* HASH: each row may be a group of its own */
    bool has_null_rows; /* some rows are missing from the bases */
    code_key *codes;    /* CODES: one per key */
    dev_buffer *marks;  /* CODES: a byte per group, 1 where it has rows; NULL: rows are counted */
    ARRAY(run_segment) segments; /* RUNS */
    _Atomic size_t slices_left;  /* of it that were not copied yet, while it is merged */
} aggregate_table;

static inline uint32_t table_state_count(const aggregate_table *table)
{
    return table->held.end - table->held.first;
}

static inline bool table_has_state(const aggregate_table *table, uint32_t state)
{
    return state >= table->held.first && state < table->held.end;
}

static inline bool tables_hold_same_states(const aggregate_table *a, const aggregate_table *b)
{
    return a->held.first == b->held.first && a->held.end == b->held.end;
}

/* A state that the table has. */
static inline state_array *table_state(const aggregate_table *table, uint32_t state)
{
    assert(table_has_state(table, state));
    return &table->states[state - table->held.first];
}

/* Makes an empty table with the states of the source. HASH and RUNS: packed by `layout`. capacity: groups to make room
 * for; CODES: the domain. */
CHECKED status aggregate_table_new(const aggregate_core *core, dev_stream *stream, table_form form,
                                   int source, const key_layout *layout, uint64_t capacity,
                                   aggregate_table **out);
void aggregate_table_free(const aggregate_core *core, aggregate_table *table); /* takes NULL */
/* Its groups were copied: what remains is their text, and what is known of their states. */
void aggregate_table_give_up(aggregate_table *table);
/* Makes exact what is known of the table only as a bound; its text lies in its heaps then. */
CHECKED status aggregate_table_learn(const aggregate_core *core, dev_stream *stream,
                                     aggregate_table *table);
/* Seals the table: its states may be read, copied and added to another table's. */
CHECKED status aggregate_table_seal(const aggregate_core *core, dev_stream *stream,
                                    aggregate_table *table);
uint64_t aggregate_table_bytes(const aggregate_table *table);

/* ---- slices ----
 * * Some of a table's groups: those from `first` on, or, of CODES, the ones of them that occur. */

typedef struct table_slice {
    uint64_t first, count; /* of CODES: first is 0, and count that of the list */
    row_index *list;       /* CODES: the groups' numbers */
} table_slice;

/* Groups that are handled at a time, so that the cache has them still. */
#define SLICE_GROUPS 65536

/* Returns how many groups a slice has at most: on lazy devices a chunk's, because each launch costs the same time there
 * for few groups as for many. */
static inline uint64_t table_slice_groups(const device *dev)
{
    return dev->is_host || dev->chunk_rows < SLICE_GROUPS ? SLICE_GROUPS : dev->chunk_rows;
}

CHECKED status table_slice_open(const aggregate_core *core, dev_stream *stream,
                                const aggregate_table *table, uint64_t first, uint64_t count,
                                table_slice *out);
void table_slice_close(table_slice *slice);
/* Key `key` of the slice's groups, FLAT or INDEXED. */
CHECKED status table_slice_key(const aggregate_core *core, dev_stream *stream,
                               const aggregate_table *table, const table_slice *slice, uint32_t key,
                               tensor **out);
/* All keys of the slice as packed rows: memory of *owner. */
CHECKED status table_slice_rows(const aggregate_core *core, exec_task *task,
                                const aggregate_table *table, const table_slice *slice,
                                const key_layout *layout, const uint8_t **out, dev_buffer **owner);
/* Lets what refers to the text of the table's keys outlive it. */
CHECKED status table_share_text(const aggregate_core *core, dev_stream *stream, hash_groups *groups,
                                const aggregate_table *table);
/* Adds all groups of a table to another: HASH, or CODES that has room for their keys. */
CHECKED status aggregate_table_absorb(const aggregate_core *core, exec_task *task,
                                      aggregate_table *target, const aggregate_table *from);
/* Adds all groups of a table to a HASH table for which states_prepare() was called, and which borrows text. */
CHECKED status aggregate_table_add(const aggregate_core *core, exec_task *task,
                                   aggregate_table *target, const aggregate_table *from);
/* The groups of rows in a HASH table, of keys in any form, coded or not. There is room for their
 * states then. How many groups there are is asked for. */
CHECKED status hash_table_find(const aggregate_core *core, exec_task *task, aggregate_table *table,
                               tensor *const *keys, dev_count rows, row_index **out);
/* The layout that keys of these rows need: with NULL bits if one of them may have NULLs. */
const key_layout *key_layout_for(const aggregate_core *core, tensor *const *keys);
/* Whether groups of a layout (NULL: of CODES) may need NULL bits in one of that coding: a
 * coded text's NULL is a number, and has none. */
bool key_layout_may_need_nulls(const key_layout *from, text_coding coding);
/* The keys, text coded: at most as many of it as `most` says. *coding: which; out: references. */
CHECKED status keys_encode(const aggregate_core *core, exec_task *task, tensor *const *keys,
                           dev_count rows, text_coding most, tensor **out, text_coding *coding);

#endif
