/* sort_texts.h - inside ORDER BY: a column's texts where they are few: rows are kept with a number for each.
 *
 * Any task adds texts; what has been added stays where it is. */
#ifndef PISTACHIO_EXEC_SORT_SORT_TEXTS_H
#define PISTACHIO_EXEC_SORT_SORT_TEXTS_H

#include "device/tensor.h"

#include <pthread.h>

/* So that numbers are bytes. */
#define SORT_TEXTS_MAX 255
/* Bytes of a text, at most. */
#define SORT_TEXT_BYTES 256

typedef struct sort_texts {
    pthread_mutex_t lock;
    data_type type;
    uint32_t count;
    string_view texts[SORT_TEXTS_MAX];
    uint8_t slots[2 * (SORT_TEXTS_MAX + 1)]; /* a number + 1 by hash; 0: empty */
    dev_buffer *bytes;                       /* of long texts */
    uint64_t used;
    string_heap *heap; /* that buffer */
    tensor *all;       /* under the lock: a column of all texts, when no more will come */
} sort_texts;

CHECKED status sort_texts_new(device *host, data_type type, sort_texts **out);
void sort_texts_free(sort_texts *texts); /* takes NULL */
/* The numbers of `count` texts, adding those that are new. False: one is too long, or they are too many. */
bool sort_texts_number(sort_texts *texts, const string_view *views, uint64_t count, uint8_t *out);
/* A FLAT column of all texts, by number; with a reference. No more are added behind it. */
CHECKED status sort_texts_column(sort_texts *texts, device *host, tensor **out);

#endif
