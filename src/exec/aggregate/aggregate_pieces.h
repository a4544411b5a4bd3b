/* aggregate_pieces.h - values that came and are in no group's list yet (aggregate_state_values.c). */
#ifndef PISTACHIO_EXEC_AGGREGATE_AGGREGATE_PIECES_H
#define PISTACHIO_EXEC_AGGREGATE_AGGREGATE_PIECES_H

#include "device/device.h"

/* Values that came, as codes in their order, and their groups: they are in no state yet. */
typedef struct value_piece {
    dev_buffer *codes, *groups; /* groups NULL: all are of group 0 */
    dev_buffer *words;          /* how many, on the device */
    dev_count rows;
    uint64_t capacity;
} value_piece;

typedef ARRAY(value_piece) value_pieces;

void value_piece_release(value_piece *piece);
void value_pieces_release(value_pieces *pieces);
uint64_t value_pieces_bytes(const value_pieces *pieces);

#endif
