/* snappy.h - the snappy codec's decompression, the scan's most frequent one. */
#ifndef PISTACHIO_CODEC_SNAPPY_H
#define PISTACHIO_CODEC_SNAPPY_H

#include "base/system/cpu_features.h"

#include <stddef.h>
#include <stdint.h>

/* A block that is decompressed from its beginning on, as far as is asked for. */
typedef struct snappy_state {
    const uint8_t *in, *in_end;
    uint8_t *out, *out_start, *out_end; /* what is behind `out` may be anything yet */
    uint8_t *out_stop, *groups_stop;    /* enough for now; of groups, too near to the end as well */
    size_t stretch;                     /* of groups: how many go one way */
} snappy_state;

/* False: the block is damaged, or does not say that it gives target_bytes. */
bool snappy_begin(snappy_state *state, const void *source, size_t source_bytes, void *target,
                  size_t target_bytes);
/* Goes on until so many bytes of the target are there, or a few more; all: as snappy_decode. False: it is
 * damaged. What was there is not touched again. */
bool snappy_continue(cpu_isa isa, snappy_state *state, size_t bytes);

/* Decompresses a raw snappy block. False: it is damaged, or does not give exactly target_bytes; the
 * target then holds anything. Any input is safe; nothing outside both ranges is touched. isa bounds
 * the instructions; the machine must have it. */
bool snappy_decode(cpu_isa isa, const void *source, size_t source_bytes, void *target,
                   size_t target_bytes);

#endif
