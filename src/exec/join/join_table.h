/* join_table.h - the complete build side of a join: its rows, and where each key's rows are.
 *
 *   form       key -> group
 *   RANKED     one integer key: bit (key - minimum) of a bitmap; the group is its rank
 *   CODED      integer keys that fit 64 bits together: one code; the group is its slot's number
 *   OPEN       the same with twice as many slots as rows, not a power of two: the table of the talk
 *              (GTC S9557), of which ranks can make a part each and put the parts one behind the other
 *   HASHED     other keys, packed as rows; the group is its slot's number
 *   KEYLESS    all rows are in group 0
 *
 *   is_unique  group -> build rows
 *   yes        rows[group]; is_direct: the group's number is its row's
 *   no         rows[starts[group]] to rows[starts[group + 1] - 1]; some groups may have none
 *
 * Slots of devices that want it have a row's number beside its key (row_bits), those of HASHED always. While it is being
 * made groups are the slots' numbers; if no key is there twice a probe then reads the row where it has found the key.
 *
 * The bitmap serves as the exact runtime filter as well. Made once from all tasks' chunks, in steps
 * some of which all tasks do together, then only read. Where only the presence of a key matters no
 * rows are kept. */
#ifndef PISTACHIO_EXEC_JOIN_JOIN_TABLE_H
#define PISTACHIO_EXEC_JOIN_JOIN_TABLE_H

#include "exec/keys/key_array.h"
#include "exec/keys/key_layout.h"
#include "exec/keys/reserved_columns.h"

typedef enum join_table_form {
    JOIN_TABLE_HASHED,
    JOIN_TABLE_RANKED,
    JOIN_TABLE_CODED,
    JOIN_TABLE_OPEN,
    JOIN_TABLE_KEYLESS
} join_table_form;

/* When the way from a group to its build rows is wanted. */
typedef enum join_row_need {
    JOIN_ROWS_NEVER,   /* only a key's presence matters */
    JOIN_ROWS_IF_MANY, /* how many they are, not which */
    JOIN_ROWS_ALWAYS
} join_row_need;

#define JOIN_KEYS_MAX 20000

/* Facts about one key column of an integer-like type. */
typedef struct join_key_range {
    int64_t min, max;
    uint64_t count; /* keys that are not NULL */
} join_key_range;

static inline void join_range_widen(join_key_range *range, int64_t min, int64_t max)
{
    range->min = min < range->min ? min : range->min;
    range->max = max > range->max ? max : range->max;
}

typedef struct join_table {
    /* Set by init. */
    device *dev;
    uint32_t key_count, range_count, column_count; /* ranges are behind the keys */
    const data_type *key_types;
    const uint32_t *key_columns; /* the keys' places among the columns */
    const bool *needed;          /* columns that are read after the build */
    bool null_equal;
    bool wants_open;    /* setting join_table: OPEN rather than RANKED and CODED */
    uint64_t open_rows; /* OPEN: slots are for so many rows at least: as those of other parts */
    uint64_t all_rows;  /* OPEN: so many rows have numbers at least: those of all parts */
    uint64_t
        first_row; /* OPEN, unique keys: the number of the first one, among those of all parts */
    join_row_need row_need;
    const reserved_columns *reserved; /* some chunks' rows are there; NULL: none */

    join_table_form form;
    chunk *build; /* FLAT, or INDEXED; what is not needed is NULL; NULL: no rows */
    uint64_t row_count, key_row_count; /* all rows; those whose keys are not NULL */
    uint64_t group_count;
    bool is_unique;               /* no group has two rows */
    bool is_direct;               /* probing gives build rows, not groups */
    const join_key_range *ranges; /* RANKED, CODED, OPEN: of the keys */
    uint64_t bits;                /* RANKED: max - min + 1 */
    dev_buffer *bitmap, *ranks;
    /* CODED, OPEN: 64-bit codes, perhaps with rows (row_bits as code_insert knows them); HASHED: rows of `packed` with
     * their hashes; 0 for none. */
    dev_buffer *slots;
    uint32_t row_bits;
    uint64_t slot_count; /* OPEN: of each part */
    uint32_t part_count; /* OPEN: tables one behind the other, as code_find knows them; 0: one */
    key_layout layout;
    dev_buffer *packed; /* HASHED: all rows' keys; their text is in key_heaps */
    ARRAY(string_heap *) key_heaps;
    bool has_null_keys; /* HASHED: some may be */
    dev_buffer *starts; /* NULL: is_unique */
    dev_buffer *rows;   /* NULL: row_need says so */
    /* With ranges: each list is in the order of its rows' first one, whose values these are, two
     * words each as sort_pack makes them; rows with NULLs are in no list. */
    dev_buffer *range_values;
    /* With a second one: its values in order, and for each place in `rows` how high that row stands
     * among them, counted from the greatest where the bound is an upper one. Then the highest of
     * each 64, and of each 64 of those. */
    dev_buffer *second_values, *heights, *tops[2];
    bool second_is_upper;

    /* While it is being made. */
    chunk_list chunks;
    uint64_t *chunk_rows; /* the chunks' first rows */
    dev_buffer *row_groups;
    dev_buffer *stats; /* words */
    _Atomic uint64_t next;
} join_table;

/* Init takes a table whose first fields are set; what they point to is borrowed. */
CHECKED status join_table_init(join_table *table);
void join_table_release(join_table *table);

/* Returns whether the ranges of the keys must be known when the table is made. */
bool join_table_needs_ranges(const join_table *table);

/* The table is made in these phases, in order, each called by all tasks at once; in between the
 * streams must have been waited for. The even ones are task 0's alone. Before the first, `chunks`
 * has all rows, with exact counts and FLAT columns (others than needed ones and keys may be NULL),
 * which are released on the way. The keys' ranges are borrowed. After JOIN_TABLE_PHASE_SUM the
 * chunks still have their keys. */
typedef enum join_table_phase_number {
    JOIN_TABLE_PHASE_START,   /* the form is chosen, columns are allocated */
    JOIN_TABLE_PHASE_MOVE,    /* chunks go to their columns */
    JOIN_TABLE_PHASE_NUMBER,  /* RANKED: ranks are counted */
    JOIN_TABLE_PHASE_FIND,    /* the group of each row */
    JOIN_TABLE_PHASE_LISTS,   /* lists of rows by group are allocated, */
    JOIN_TABLE_PHASE_COUNT,   /* counted, */
    JOIN_TABLE_PHASE_SUM,     /* summed up to where each begins, */
    JOIN_TABLE_PHASE_FILL,    /* and filled */
    JOIN_TABLE_PHASE_RELEASE, /* what only making it needed goes */
    JOIN_TABLE_PHASES
} join_table_phase_number;

#ifndef NDEBUG
/* Asserts what must hold after the last phase. */
void join_table_check(const join_table *table);
#else
static inline void join_table_check(const join_table *table)
{
    (void)table;
}
#endif

/* Keys as 64-bit codes, 0 for NULLs and what is outside the ranges; keys FLAT. Of CODED and OPEN tables,
 * or with `ranges` set. */
CHECKED status join_table_codes(const join_table *table, dev_stream *stream, tensor *const *keys,
                                dev_count rows, dev_buffer **out);

/* In slots of CODED, OPEN and HASHED tables: puts the keys of build rows [first_row, first_row + rows)
 * in, or (is_build false) looks probe rows' keys up. The count of build rows is exact. */
CHECKED status join_table_slots(const join_table *table, exec_task *task, tensor *const *keys,
                                dev_count rows, bool is_build, uint64_t first_row, uint32_t *out);

/* The group of each of `rows` probe rows, or (is_direct) its build row; ROW_NULL for none; keys FLAT. */
CHECKED status join_table_probe(const join_table *table, exec_task *task, tensor *const *keys,
                                dev_count rows, row_index **out);

#endif
