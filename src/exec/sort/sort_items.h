/* sort_items.h - inside ORDER BY: items, which are codes with row numbers (sort_code.h), in order.
 *
 * Narrow items have 8 bytes: the code is exact and leaves room for the row's number. Others have 16,
 * of which the last 4 are the row's number. */
#ifndef PISTACHIO_EXEC_SORT_SORT_ITEMS_H
#define PISTACHIO_EXEC_SORT_SORT_ITEMS_H

#include "exec/sort/sort_code.h"

/* How the rows of a sort become items. */
typedef struct sort_form {
    const sort_keys *keys;
    sort_bounds *bounds; /* by key */
    sort_code code;
    bool is_narrow;
    unsigned row_bits, item_bytes;
} sort_form;

/* How a key's values are made of items again. Zeroed: they are not. */
typedef struct sort_decoder {
    unsigned width; /* of a value */
    unsigned shift; /* where in an item the key's piece begins */
    uint64_t mask, turn;
    uint128 base; /* what is added to the piece */
} sort_decoder;

/* For row numbers below row_count. The keys and bounds stay the caller's. */
void sort_form_make(const sort_keys *keys, sort_bounds *bounds, uint64_t row_count, sort_form *out);
void sort_items_make(const sort_form *form, const sort_row_list *rows, void *items);
/* scratch: room for as many. Rows of equal codes come, and stay, in the order of their numbers. */
void sort_items_sort(const sort_form *form, void *items, void *scratch, uint64_t count);
/* Which part each item belongs to: how many of the cuts, which are items in order, are not above
 * it. */
void sort_items_part(const sort_form *form, const void *cuts, uint32_t cut_count, const void *items,
                     uint64_t count, uint16_t *parts);
/* Moves items behind each other by part: places[p] is where the next item of part p goes. */
void sort_items_move(const sort_form *form, const void *items, const uint16_t *parts,
                     uint64_t count, uint64_t *places, void *target);
/* Lowers cuts so that rows which the code does not tell apart stay together. */
void sort_items_round(const sort_form *form, void *cuts, uint32_t count);
/* The row numbers of items that are sorted; rows that the code does not tell apart are put in order.
 * Scratch is used up, and so are the items of a
 * code that is not exact. The bounds change meanwhile: they are the task's alone. */
void sort_items_rows(sort_form *form, void *items, void *scratch, uint64_t count, uint32_t *out);

/* Returns how values are read from items, for a key of whole numbers without NULLs whose code is exact: they need not
 * be looked up by row. */
sort_decoder sort_form_decoder(const sort_form *form, uint32_t key);
/* The key's values of some items, into `out`. */
void sort_items_decode(const sort_form *form, const sort_decoder *decoder, const void *items,
                       uint64_t count, void *out);

/* Rows in order by comparing them; scratch: room for as many. */
void sort_rows_merge(const sort_keys *keys, sort_place from, uint32_t *rows, uint32_t *scratch,
                     uint64_t count);

/* All of it by one task: the order of rows [0, count), into `out`. */
CHECKED status sort_rows_alone(device *host, const sort_keys *keys, uint64_t count, uint32_t *out);

#endif
