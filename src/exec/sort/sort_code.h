/* sort_code.h - inside ORDER BY: rows' keys as numbers that compare as the rows do.
 *
 * A code is made of pieces, the first key's first, each no wider than the values that there are ask
 * for; with the row's number behind it, it is an item, which is all that a sort moves:
 *
 *     │ 0 │ NULL? │ number - least │ NULL? │ 8 bytes of text │ length │ row │
 *       └───────────────────── code, at most 96 bits ────────────────┘
 *
 * Numbers are as far from the least one as they are, texts without the bytes that all of them begin
 * with. What comes after the last piece that has room is compared where codes are equal alone: the
 * code is not exact then, and a code for those rows goes on where it ended.
 *
 * For rows in host memory: columns are FLAT. */
#ifndef PISTACHIO_EXEC_SORT_SORT_CODE_H
#define PISTACHIO_EXEC_SORT_SORT_CODE_H

#include "device/tensor.h"
#include "plan/tree/plan.h"

#include <string.h>

#define SORT_CODE_BITS 96

/* The keys of rows [0, count) of a chunk. */
typedef struct sort_keys {
    uint32_t count;
    const plan_sort_key *keys;
    const tensor **columns; /* by key */
} sort_keys;

/* Properties that a key's values have in common. Zeroed: without rows. */
typedef struct sort_bounds {
    bool has_nulls, has_values;
    uint128 least, greatest; /* of numbers, as unsigned ones in the same order */
    /* If the key is text: */
    const char *sample; /* one of them, */
    uint32_t common;    /* and with how many of its bytes all begin */
    uint32_t bytes_max;
} sort_bounds;

/* The place where a comparison goes on: a key, and how much of it is known to be equal: bits of a number's distance
 * from the least one, bytes of a text. */
typedef struct sort_place {
    uint32_t key, done;
} sort_place;

typedef enum sort_piece_kind {
    SORT_PIECE_NULL,   /* a bit */
    SORT_PIECE_NUMBER, /* `bits` bits of the distance, without the last `shift` */
    SORT_PIECE_TEXT,   /* bits / 8 bytes from `shift` on, zeros behind the end */
    SORT_PIECE_LENGTH  /* of the whole text */
} sort_piece_kind;

typedef struct sort_piece {
    sort_piece_kind kind;
    uint32_t key, bits, shift;
} sort_piece;

typedef struct sort_code {
    uint32_t piece_count, bits;
    bool is_exact;
    sort_place rest; /* of rows whose codes are equal */
    sort_piece pieces[SORT_CODE_BITS];
} sort_code;

/* The numbers of rows: a list, or those from `first` on. */
typedef struct sort_row_list {
    const uint32_t *rows; /* or NULL */
    uint32_t first;
    uint64_t count;
} sort_row_list;

static inline uint32_t sort_row_at(const sort_row_list *list, uint64_t i)
{
    return list->rows ? list->rows[i] : list->first + (uint32_t)i;
}

/* Adds rows to the bounds of key k. The texts stay where they are while the bounds are used. */
void sort_bounds_add(const sort_keys *keys, uint32_t k, const sort_row_list *rows,
                     sort_bounds *bounds);
/* Adds other rows' bounds of the same key. */
void sort_bounds_unite(const sort_bounds *other, sort_bounds *bounds);

/* The code of the keys from `from` on, of at most `bits_max` bits: `bounds` by key. */
void sort_code_make(const sort_keys *keys, const sort_bounds *bounds, sort_place from,
                    uint32_t bits_max, sort_code *out);
/* A piece's value of each row. */
void sort_piece_values(const sort_keys *keys, const sort_bounds *bounds, const sort_piece *piece,
                       const sort_row_list *rows, uint64_t *out);

/* Below zero: the first one comes first by what is left of the keys. */
int sort_compare(const sort_keys *keys, sort_place from, uint32_t left, uint32_t right);
#define SORT_BYTES 64

/* A row's keys as bytes that compare as the rows do, as many as there is room for. */
typedef struct sort_bytes {
    uint8_t count;
    bool is_whole; /* rows with the same bytes are equal */
    unsigned char bytes[SORT_BYTES];
} sort_bytes;

void sort_bytes_make(const sort_keys *keys, uint32_t row, sort_bytes *out);
/* Below zero: left comes first, as far as the bytes say. */
static inline int sort_bytes_compare(const sort_bytes *left, const sort_bytes *right)
{
    uint8_t common = left->count < right->count ? left->count : right->count;
    int order = memcmp(left->bytes, right->bytes, common);
    return order ? order : (left->count > right->count) - (left->count < right->count);
}
/* Each row comes after the one before it, or is equal. */
bool sort_is_sorted(const sort_keys *keys, uint32_t first, uint64_t count);

#endif
