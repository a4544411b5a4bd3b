/* sort_narrow.h - inside ORDER BY: rows as they are kept, narrower than they come and go.
 *
 *     numbers and times    as far as they are from the least one of the files' statistics, in as few bytes as the
 *                          greatest takes
 *     texts                where they are few, the number of each (sort_texts.h)
 *     everything else     all of a row in one place, where one miss of the cache finds it:
 *
 *         record    │ NULL bits │ field │ field │ field │      the last column of what is kept
 *
 * Keys are columns of their own, and so are texts that are not few, and booleans. What comes out has its columns
 * as they were; numbers of texts come out INDEXED. On host devices, without a limit. */
#ifndef PISTACHIO_EXEC_SORT_SORT_NARROW_H
#define PISTACHIO_EXEC_SORT_SORT_NARROW_H

#include "exec/sched/operator.h"
#include "exec/sort/sort_texts.h"
#include "plan/tree/column_map.h"

typedef enum sort_field_kind {
    SORT_FIELD_AS_IT_IS,
    SORT_FIELD_COLUMN, /* a number in a column of its own */
    SORT_FIELD_RECORD, /* one in the record */
    SORT_FIELD_TEXT    /* the number of a text, in the record */
} sort_field_kind;

/* How a column is kept. */
typedef struct sort_field {
    sort_field_kind kind;
    data_type type; /* outside */
    unsigned width; /* as it is kept */
    bool is_key;
    /* From the files' statistics: */
    bool has_range;
    uint128 least;  /* which is taken off; 0 where nothing is */
    uint128 spread; /* to the greatest one */
    /* In the record: */
    uint32_t at, null_bit;
    _Atomic bool has_nulls; /* or may have */
    sort_texts *texts;
    _Atomic bool has_others; /* some chunks have the texts themselves, in a column of their own */
} sort_field;

typedef struct sort_narrow {
    bool is_used;                      /* rows are kept so */
    uint32_t column_count;             /* outside */
    sort_field *fields;                /* by column */
    uint32_t record_bytes;             /* 0: there is no record */
    uint32_t field_count, field_bytes; /* of the record, without the NULL bits */
} sort_narrow;

struct op_sort;

/* For open, when keys are known: finds the ranges. input: the places of the sort's columns. */
CHECKED status sort_narrow_open(struct op_sort *op, const column_map *input);
void sort_narrow_close(sort_narrow *narrow); /* takes a zeroed one */
/* By the first chunk: how columns are kept. types, needed: of the columns as they come, then as they are kept. By one
 * task. */
CHECKED status sort_narrow_learn(struct op_sort *op, const chunk *rows, data_type *types,
                                 bool *needed);
/* A copy of the rows as they are kept: FLAT, at these places. */
CHECKED status sort_narrow_rows(struct op_sort *op, exec_task *task, const chunk *rows,
                                const tensor_target *places, chunk **out);
/* Chunks of kept rows, FLAT: where a column has texts in some of them, it has texts in all. */
CHECKED status sort_narrow_even(const struct op_sort *op, device *host, chunk *const *chunks,
                                size_t count);
/* Returns the bytes, at most, by which keeping rows narrow makes a row larger. */
uint64_t sort_narrow_even_bytes(const struct op_sort *op);

#endif
