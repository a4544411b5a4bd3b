/* wire_texts.h - the different texts of a column that does not come with a dictionary, while they are few: a
 * dictionary that the writer of messages makes by itself. Rows out of a join are an example: the build side
 * keeps texts, not codes.
 *
 *     block of rows ─ codes ─┬─ few texts ──────────────────────> codes (and the texts, where there are new ones)
 *                            └─ too many: all are forgotten ────> texts, for some blocks without a look
 *
 * On the host. One thread at a time. */
#ifndef PISTACHIO_NET_WIRE_WIRE_TEXTS_H
#define PISTACHIO_NET_WIRE_WIRE_TEXTS_H

#include "device/tensor.h"

/* Rows that tell whether texts repeat. Fewer are looked at only if others before did. */
#define WIRE_TEXTS_ROWS 64

typedef struct wire_texts {
    tensor
        entries; /* FLAT: the different texts, in the order in which they came; `count` of them */
    uint32_t count;
    uint64_t bytes;       /* of them */
    uint32_t *codes;      /* of the block's rows; ROW_NULL for NULL */
    uint32_t sent_count;  /* so many of the entries are in the dictionary that was sent last */
    uint32_t sent_number; /* its number */
    uint64_t saved;       /* bytes, by codes instead of texts since it was sent */
    /* private */
    string_view *views;
    char *text;      /* of those that are not in their views */
    uint64_t *slots; /* half a hash, then 1 + the entry; 0: free */
    uint32_t views_room, text_bytes, slot_count;
    uint64_t codes_room;
    uint32_t pause,
        paused; /* blocks that are not looked at, and how many of them there have been */
} wire_texts;

void wire_texts_init(wire_texts *texts, data_type type);
void wire_texts_release(wire_texts *texts);
/* Whether a block of so many rows is to be looked at; else it is sent as it is. */
bool wire_texts_begin(wire_texts *texts, uint64_t rows);
/* The text's code, in *out; false: there are too many, or there is no memory. */
bool wire_texts_find(wire_texts *texts, const string_view *text, uint32_t *out);
/* All is forgotten, and some blocks are not looked at, more each time. */
void wire_texts_give_up(wire_texts *texts);
/* It was worth it: all entries are in the dictionary of that number now. */
void wire_texts_sent(wire_texts *texts, uint32_t number);

#endif
