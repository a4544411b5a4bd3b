/* aggregate.h - inside aggregation: keys, states, tables of groups, tasks, merging.
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
#ifndef PISTACHIO_EXEC_AGGREGATE_AGGREGATE_H
#define PISTACHIO_EXEC_AGGREGATE_AGGREGATE_H

#include "exec/keys/key_layout.h"
#include "exec/keys/text_heap.h"
#include "exec/spill/partitions.h"

/* Grouping keys, and the value of a DISTINCT set beside them. */
#define KEYS_MAX 65

/* ---- groups by hash: aggregate_hash.c ---- */

typedef struct hash_groups {
    const key_layout *layout;
    const char *who;
    bool borrows_text; /* long strings are not copied */
    uint64_t count, capacity, slot_count;
    dev_buffer *rows, *slots;
    dev_buffer *words; /* [0]: count, on the device */
    text_heap heap;
} hash_groups;

void hash_groups_init(hash_groups *groups, const key_layout *layout, const char *who);
void hash_groups_release(hash_groups *groups);
/* Room for `capacity` rows in all. */
CHECKED status hash_groups_reserve_rows(hash_groups *groups, dev_stream *stream, uint64_t capacity);
/* Room for that many groups to be looked up, so that the directory need not grow up to there. */
CHECKED status hash_groups_expect(hash_groups *groups, dev_stream *stream, uint64_t count);
/* Room for the long strings of packed rows. */
CHECKED status hash_groups_reserve_text(hash_groups *groups, dev_stream *stream,
                                        const uint8_t *rows, uint64_t count);
/* The groups of packed rows; those that are new are added. */
CHECKED status hash_groups_find(hash_groups *groups, dev_stream *stream, const uint8_t *rows,
                                uint64_t count, uint32_t *out);
/* The same where their hashes are known already. */
CHECKED status hash_groups_find_hashed(hash_groups *groups, dev_stream *stream, const uint8_t *rows,
                                       const uint32_t *hashes, uint64_t count, uint32_t *out);
/* No more rows will come: memory that only looking up needs goes. */
void hash_groups_seal(hash_groups *groups);

/* ---- text keys as numbers: aggregate_intern.c ---- */

#define INTERNED_BASES 8

typedef struct key_interner {
    bool is_used; /* the key is text */
    bool is_full; /* too many different texts */
    pthread_mutex_t lock;
    key_layout layout; /* of this key alone */
    hash_groups texts;
    struct {
        tensor *base;
        uint64_t rows;
        row_index *ids;
    } bases[INTERNED_BASES]; /* that were numbered last */
    size_t next_base;
    tensor *decoded; /* the texts, FLAT, when there were decoded_count */
    uint64_t decoded_count;
} key_interner;

CHECKED status key_interner_init(key_interner *interner, data_type type, const char *who);
void key_interner_release(key_interner *interner);
/* The key's texts as FLAT numbers, for any task. *out is NULL where that is not to be done, unless
 * it must. */
CHECKED status key_interner_encode(key_interner *interner, exec_task *task, const tensor *key,
                                   uint64_t rows, bool must, tensor **out);
/* What refers to the texts may outlive the interner. */
CHECKED status key_interner_share(key_interner *interner, text_heap *heap);
/* The texts behind FLAT numbers. */
CHECKED status key_interner_decode(key_interner *interner, dev_stream *stream, const tensor *ids,
                                   uint64_t rows, tensor **out);

/* ---- states: aggregate_state.c ---- */

typedef enum state_kind {
    STATE_COUNT,
    STATE_SUM,    /* of integers and decimals */
    STATE_NUMBER, /* of floats */
    STATE_LEAST,
    STATE_GREATEST,
    STATE_VARIANCE
} state_kind;

#define SOURCE_ROWS (-1)

/* One array of states, shared by the aggregates that need the same. */
typedef struct state_plan {
    state_kind kind;
    data_type type;       /* of the values */
    int argument, filter; /* numbers of input values; -1: none */
    int source;           /* SOURCE_ROWS, or the number of a DISTINCT set */
    bool is_exact;        /* a count that is wanted itself, not only whether it is 0 */
    uint32_t location;
} state_plan;

typedef struct state_array {
    dev_buffer *buffer; /* NULL: nothing yet, or a shared count */
    uint32_t width;
    bool is_shared; /* a count of values among which there was no NULL: that of the rows */
    uint128 bound;  /* sums of width 8: no group's magnitude is greater */
    text_heap heap;
    uint64_t heap_kept; /* bytes of the heap when it was last compacted */
} state_array;

/* ---- what is aggregated ---- */

typedef struct aggregate_core {
    const char *who;
    device *dev;
    uint32_t key_count;
    data_type *key_types;
    key_layout layouts[4]; /* bit 0: with NULL bits; bit 1: text is coded */
    struct row_keys *rows; /* HASH by row numbers */
    key_interner *interners;
    uint32_t state_count;
    state_plan *states;
    int rows_state;           /* the exact count of all rows; -1: there is none */
    uint64_t codes_bytes_max; /* of a table of CODES; 0: any number */
} aggregate_core;

/* ---- tables ---- */

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
    int source;         /* where its rows come from */
    uint64_t count;     /* groups; CODES: the domain */
    uint64_t capacity;  /* groups that states have room for */
    uint64_t row_count; /* rows that have come */
    state_array *states;
    hash_groups groups; /* HASH; RUNS: without a directory */
    tensor **bases;     /* HASH by row numbers: the columns of keys that are rows; else NULL */
    uint64_t base_rows;
    bool has_null_rows; /* some rows are no row of the bases */
    code_key *codes;    /* CODES: one per key */
    dev_buffer *marks;  /* CODES: a byte per group, 1 where it has rows; NULL: rows are counted */
    ARRAY(run_segment) segments; /* RUNS */
} aggregate_table;

/* An empty table. HASH and RUNS: packed by `layout`. capacity: groups to make room for; CODES: the
 * domain. */
CHECKED status aggregate_table_new(const aggregate_core *core, dev_stream *stream, table_form form,
                                   int source, const key_layout *layout, uint64_t capacity,
                                   aggregate_table **out);
void aggregate_table_free(const aggregate_core *core, aggregate_table *table); /* takes NULL */
uint64_t aggregate_table_bytes(const aggregate_core *core, const aggregate_table *table);

/* Memory for the arrays of a table's states, empty. */
CHECKED status states_init(const aggregate_core *core, aggregate_table *table);
void states_release(const aggregate_core *core, aggregate_table *table);
/* Room for the states of groups below `groups`. */
CHECKED status states_reserve(const aggregate_core *core, dev_stream *stream,
                              aggregate_table *table, uint64_t groups);
/* The states of the table's source. values: FLAT, by number; groups NULL: all rows are of group 0.
 * Groups from groups_before on are new with these rows. */
CHECKED status states_update(const aggregate_core *core, exec_task *task, aggregate_table *table,
                             tensor *const *values, const uint32_t *groups, uint64_t rows,
                             uint64_t groups_before);
/* Makes target's states as wide as adding from's needs, and keeps alive what from's text is. To be
 * called once for each table that is merged. */
CHECKED status states_prepare(const aggregate_core *core, dev_stream *stream,
                              aggregate_table *target, const aggregate_table *from);
/* The same for tables any of which may then be added to any other, but for text. */
CHECKED status states_align(const aggregate_core *core, dev_stream *stream,
                            aggregate_table *const *tables, size_t table_count);
CHECKED status states_share_text(const aggregate_core *core, aggregate_table *target,
                                 const aggregate_table *from);
/* Adds the states of `count` groups of `from`: those at first + list[i], or (list NULL) those from
 * `first` on. groups: where to; NULL: all to group 0. */
CHECKED status states_merge(const aggregate_core *core, exec_task *task, aggregate_table *target,
                            const uint32_t *groups, const aggregate_table *from,
                            const uint32_t *list, uint64_t first, uint64_t count);
/* The same groups' states as an array: the table's own, or (list) gathered into *owner. *out is
 * NULL for a shared count where the rows are not counted: all 1 at least. */
CHECKED status states_view(const aggregate_core *core, dev_stream *stream,
                           const aggregate_table *table, uint32_t state, const uint32_t *list,
                           uint64_t first, uint64_t count, const void **out, dev_buffer **owner);
uint64_t states_bytes(const aggregate_core *core, const aggregate_table *table);

/* ---- pieces: aggregate_table.c ----
 * Some of a table's groups: those from `first` on, or, of CODES, the ones of them that occur. */

typedef struct table_slice {
    uint64_t first, count; /* of CODES: first is 0, and count that of the list */
    row_index *list;       /* CODES: the groups' numbers */
} table_slice;

/* Groups that are handled at a time. */
#define PIECE_GROUPS 65536

CHECKED status table_slice_open(const aggregate_core *core, dev_stream *stream,
                                const aggregate_table *table, uint64_t first, uint64_t count,
                                table_slice *out);
void table_slice_close(table_slice *piece);
/* Key `key` of the piece's groups, FLAT or INDEXED. */
CHECKED status table_slice_key(const aggregate_core *core, dev_stream *stream,
                               const aggregate_table *table, const table_slice *piece, uint32_t key,
                               tensor **out);
/* All keys of the piece as packed rows: memory of *owner. */
CHECKED status table_slice_rows(const aggregate_core *core, exec_task *task,
                                const aggregate_table *table, const table_slice *piece,
                                const key_layout *layout, const uint8_t **out, dev_buffer **owner);
/* What refers to the table's keys' text may outlive it. */
CHECKED status table_share_text(const aggregate_core *core, hash_groups *groups,
                                const aggregate_table *table);
/* Adds all groups of a table to another: HASH, or CODES that has room for their keys. */
CHECKED status aggregate_table_absorb(const aggregate_core *core, exec_task *task,
                                      aggregate_table *target, const aggregate_table *from);
/* The groups of rows in a HASH table, of keys in any form, coded or not. There is room for their
 * states then. */
CHECKED status hash_table_find(const aggregate_core *core, exec_task *task, aggregate_table *table,
                               tensor *const *keys, uint64_t rows, row_index **out);
/* The layout that keys of these rows need: with NULL bits if one of them may have NULLs. */
const key_layout *key_layout_for(const aggregate_core *core, tensor *const *keys);
/* Whether groups of a layout (NULL: of CODES) may need NULL bits in one that is coded or not: a
 * coded text's NULL is a number, and has none. */
bool key_layout_may_need_nulls(const key_layout *from, bool is_coded);
/* The keys, text coded: all of it, or none. *is_coded: whether; out: references. */
CHECKED status keys_encode(const aggregate_core *core, exec_task *task, tensor *const *keys,
                           uint64_t rows, tensor **out, bool *is_coded);
void keys_release(const aggregate_core *core, tensor **keys);

/* ---- HASH by row numbers: aggregate_rows.c ---- */

/* Which keys stand for rows of a base is the same for all tasks, and found out by the first. */
typedef struct row_keys {
    pthread_mutex_t lock;
    bool is_set;
    bool *is_row;       /* of each key: it is a column of the base */
    uint32_t *position; /* of each other key: where it is in the layout; 0 is the row's number */
    key_layout layout;
} row_keys;

CHECKED status row_keys_init(row_keys *rows, uint32_t key_count);
void row_keys_release(row_keys *rows);

/* The keys as columns of the row layout, if several are the same rows of a large base: the rows'
 * number, then the other keys, text coded. out: references; all NULL where that cannot be. */
CHECKED status rows_encode(const aggregate_core *core, exec_task *task, tensor *const *keys,
                           uint64_t rows, tensor **out);
/* The table is of rows of these keys' base. */
bool rows_table_takes(const aggregate_core *core, const aggregate_table *table,
                      tensor *const *keys);
/* A table for the rows of these keys' base, or of another table's. */
CHECKED status rows_table_new(const aggregate_core *core, dev_stream *stream, int source,
                              tensor *const *keys, aggregate_table **out);
CHECKED status rows_table_like(const aggregate_core *core, dev_stream *stream,
                               const aggregate_table *other, uint64_t capacity,
                               aggregate_table **out);
/* The rows of these keys may be no row of the base. */
void rows_table_note_nulls(const aggregate_core *core, aggregate_table *table, tensor *const *keys);
/* A key of groups, by their packed rows. */
CHECKED status rows_table_key(const aggregate_core *core, dev_stream *stream,
                              const aggregate_table *table, const uint8_t *packed, uint64_t count,
                              uint32_t key, tensor **out);
/* All tables are of rows of the same bases. */
bool rows_tables_agree(const aggregate_core *core, aggregate_table *const *tables, size_t count);
/* Whether some key alone shows that no two groups of the tables have equal keys. */
CHECKED status rows_tables_are_distinct(const aggregate_core *core, exec_task *task,
                                        aggregate_table *const *tables, size_t count, bool *out);
void rows_table_release(const aggregate_core *core, aggregate_table *table);

/* ---- CODES: aggregate_codes.c ---- */

/* Integers, dates and the like of at most 8 bytes, and booleans. */
bool codes_key_is_integer(data_type type);
/* What key_statistics says of a FLAT column. */
CHECKED status codes_statistics(dev_stream *stream, const tensor *key, uint64_t rows,
                                int64_t out[KEY_STATISTICS]);
/* Whether a table of that domain is not too large for memory_limit. */
bool codes_table_fits(const aggregate_core *core, uint64_t domain);
/* A table whose codes cover these keys and those of `old` (or NULL), of which it takes the groups;
 * or NULL where that would be too large for the rows that have come. */
CHECKED status codes_table_try(const aggregate_core *core, exec_task *task, int source,
                               const aggregate_table *old, tensor *const *keys, uint64_t rows,
                               uint64_t all_rows, aggregate_table **out);
/* A table for one integer key between bounds. */
CHECKED status codes_table_dense(const aggregate_core *core, dev_stream *stream, int source,
                                 int64_t minimum, int64_t maximum, aggregate_table **out);
/* The groups of rows. *fits: false: some keys have no code, and nothing was done. */
CHECKED status codes_table_find(const aggregate_core *core, exec_task *task, aggregate_table *table,
                                tensor *const *keys, uint64_t rows, bool *fits, row_index **out);
void codes_table_release(const aggregate_core *core, aggregate_table *table);

/* ---- RUNS: aggregate_runs.c ---- */

typedef ARRAY(aggregate_table *) table_list;

typedef struct run_state {
    bool is_over;           /* rows were not in order: never again */
    int leading;            /* the key that ascends; -1: not chosen */
    int64_t last;           /* its value in the last row */
    uint64_t falls, groups; /* how often it fell from chunk to chunk, and groups so far */
} run_state;

/* Adds rows to the last table of the list, or to a new one. *is_taken: false: the rows are not in
 * order, and nothing was done. */
CHECKED status runs_push(const aggregate_core *core, exec_task *task, run_state *runs,
                         table_list *tables, int source, tensor *const *keys, tensor *const *values,
                         uint64_t rows, bool *is_taken);
/* Joins the segments of all tables where they touch. *is_disjoint: false: they overlap, and nothing
 * was done. */
CHECKED status runs_merge(const aggregate_core *core, exec_task *task, const table_list *tables,
                          bool *is_disjoint);

/* ---- tasks: aggregate_local.c ---- */

typedef struct aggregate_local {
    const aggregate_core *core;
    int source;
    table_list tables; /* the last one takes rows */
    uint64_t row_count;
    bool is_plain; /* text is not to be coded */
    run_state runs;
    int64_t minimum, maximum; /* of a single integer key, while the table is HASH */
    uint64_t dense_check;     /* rows after which it is asked whether it is dense; 0: never */
    uint64_t held;            /* bytes of the tables when they were last counted */
    size_t full_count;        /* of the tables, the first: they take no more rows, and were */
    uint64_t full_bytes;      /* counted to be these */
    bool has_spilled;         /* no CODES from then on */
} aggregate_local;

void aggregate_local_init(aggregate_local *local, const aggregate_core *core, int source);
void aggregate_local_release(aggregate_local *local);
/* Adds rows: keys in any form, values (by number) FLAT. */
CHECKED status aggregate_local_push(aggregate_local *local, exec_task *task, tensor *const *keys,
                                    tensor *const *values, uint64_t rows);
/* Its tables were spilled: the next rows come to a new one. */
void aggregate_local_restart(aggregate_local *local);

/* ---- groups that do not fit memory: aggregate_spill.c ---- */

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
bool aggregate_spill_fits(const aggregate_core *core, const aggregate_spill *spill,
                          const table_list *tables);
/* All tables have been spilled: the result may be read. */
CHECKED status aggregate_spill_finish(aggregate_spill *spill);

/* ---- merging: aggregate_merge.c ---- */

typedef struct merge_slice merge_slice;

/* Groups of one table, for a reader to take. */
typedef struct result_range {
    const aggregate_table *table;
    uint64_t first, count;
} result_range;

typedef struct aggregate_merge {
    const aggregate_core *core;
    pthread_mutex_t lock;
    table_list tables; /* of the tasks; then of the result */
    enum { MERGE_NONE, MERGE_POSITIONS, MERGE_PARTS, MERGE_SPILL } mode;
    ARRAY(merge_slice) slices;
    uint32_t part_bits;
    _Atomic size_t next_slice, next_part;
    aggregate_table *target; /* POSITIONS */
    aggregate_table **parts; /* PARTS */
    bool is_again;           /* what was merged by row numbers is merged by keys */
    uint64_t peak_bytes;     /* of tables, and what was made of them */
    aggregate_spill spill;
    ARRAY(result_range) ranges; /* the result, as far as it is in memory */
    _Atomic size_t next_range;
} aggregate_merge;

void aggregate_merge_init(aggregate_merge *merge, const aggregate_core *core, exec_operator *op);
void aggregate_merge_release(aggregate_merge *merge);
/* Takes the task's tables. */
CHECKED status aggregate_merge_add(aggregate_merge *merge, exec_task *task, aggregate_local *local);
/* The phases, each on all tasks; the result is complete after the last. */
#define MERGE_PHASES 7
CHECKED status aggregate_merge_phase(aggregate_merge *merge, exec_task *task, unsigned number);

/* A task's place in the result. Zeroed before the first call. */
typedef struct aggregate_reader {
    spilled_part part;
    partition_reader blocks;
    bool is_loading;
    aggregate_table *table; /* the part's groups */
    uint64_t next;          /* of them */
    partitions *cut;        /* the part is too large: a level deeper */
} aggregate_reader;

void aggregate_reader_close(const aggregate_core *core, aggregate_reader *reader);
/* EXEC_HAVE_OUTPUT: *out are groups that nobody else gets; it holds until the next call.
 * EXEC_FINISHED: there are no more for this task. Else as any step. */
exec_result aggregate_result_next(aggregate_merge *merge, exec_task *task, aggregate_reader *reader,
                                  result_range *out);

#endif
