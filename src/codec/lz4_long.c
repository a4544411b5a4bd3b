/* lz4_long.c - LZ4 blocks that take long (lz4_Block_format.md). A block is a sequence of
 *
 *   token   4 bits: literals; 4 bits: length of the match, less 4; 15: bytes follow that are added, up to one below 255
 *   literals
 *   offset  2 bytes: how far back the match begins; the last sequence ends with its literals */
#include "codec/lz4_long.h"

#include "base/cancel.h"

#include <string.h>

#define MATCH_MIN 4
#define LOOK_BYTES ((size_t)4 << 20) /* between two looks */

typedef struct lz4_block {
    const uint8_t *source;
    size_t source_bytes, at; /* of it that were read */
    uint8_t *target;
    size_t target_bytes, done; /* of it that were written */
} lz4_block;

/* Adds what follows a 4-bit length. */
static bool read_length(lz4_block *b, size_t *length)
{
    uint8_t more = 255;
    if (*length < 15)
        return true;
    for (; more == 255; *length += more) {
        if (b->at == b->source_bytes)
            return false;
        more = b->source[b->at++];
    }
    return true;
}

static bool copy_literals(lz4_block *b, size_t length)
{
    if (!read_length(b, &length) || length > b->source_bytes - b->at ||
        length > b->target_bytes - b->done)
        return false;
    memcpy(b->target + b->done, b->source + b->at, length);
    b->at += length;
    b->done += length;
    return true;
}

/* Copies what overlaps in pieces that do not: each is as long as what is before it from the match on. */
static bool copy_match(lz4_block *b, size_t length)
{
    if (b->source_bytes - b->at < 2)
        return false;
    size_t offset = b->source[b->at] | (size_t)b->source[b->at + 1] << 8;
    b->at += 2;
    if (!offset || offset > b->done || !read_length(b, &length) ||
        length > b->target_bytes - b->done || length + MATCH_MIN > b->target_bytes - b->done)
        return false;
    const uint8_t *match = b->target + b->done - offset;
    for (length += MATCH_MIN; length;) {
        uint8_t *to = b->target + b->done;
        size_t bytes = (size_t)(to - match) < length ? (size_t)(to - match) : length;
        memcpy(to, match, bytes);
        b->done += bytes;
        length -= bytes;
    }
    return true;
}

bool lz4_decode_long(const uint8_t *source, size_t source_bytes, uint8_t *target,
                     size_t target_bytes)
{
    lz4_block b = {source, source_bytes, 0, target, target_bytes, 0};
    for (size_t looked = 0; b.at < source_bytes;) {
        uint8_t token = source[b.at++];
        if (!copy_literals(&b, token >> 4))
            return false;
        if (b.at == source_bytes)
            return b.done == target_bytes;
        if (!copy_match(&b, token & 15))
            return false;
        if (b.done - looked >= LOOK_BYTES) {
            if (cancel_is_asked())
                return false;
            looked = b.done;
        }
    }
    return false;
}
