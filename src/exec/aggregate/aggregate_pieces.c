/* aggregate_pieces.c - values that came and are in no group's list yet. */
#include "exec/aggregate/aggregate_pieces.h"

void value_piece_release(value_piece *piece)
{
    dev_buffer_unref(piece->codes);
    dev_buffer_unref(piece->groups);
    dev_buffer_unref(piece->words);
}

void value_pieces_release(value_pieces *pieces)
{
    for (size_t i = 0; i < pieces->count; i++)
        value_piece_release(&pieces->items[i]);
    array_release(pieces);
}

uint64_t value_pieces_bytes(const value_pieces *pieces)
{
    uint64_t bytes = 0;
    for (size_t i = 0; i < pieces->count; i++) {
        const value_piece *piece = &pieces->items[i];
        bytes += piece->codes->bytes + (piece->groups ? piece->groups->bytes : 0);
    }
    return bytes;
}
