/* bit_places.h - the numbers of a byte's set bits, in their order, in a byte each: what a shuffle takes that puts the values
 * of set bits in front. For kernels without an instruction that does. */
#ifndef PISTACHIO_DEVICE_CPU_BIT_PLACES_H
#define PISTACHIO_DEVICE_CPU_BIT_PLACES_H

#include <stdint.h>

/* The number of one bit, at the place that those below it leave to it. */
#define BIT_PLACE(byte, bit)                                                                       \
    ((uint64_t)((byte) >> (bit)&1 ? (bit) : 0)                                                     \
     << 8 * __builtin_popcount((byte) & ((1u << (bit)) - 1)))
#define BIT_PLACES(byte)                                                                           \
    (BIT_PLACE(byte, 1) | BIT_PLACE(byte, 2) | BIT_PLACE(byte, 3) | BIT_PLACE(byte, 4) |           \
     BIT_PLACE(byte, 5) | BIT_PLACE(byte, 6) | BIT_PLACE(byte, 7))
#define BIT_PLACES_4(byte)                                                                         \
    BIT_PLACES(byte), BIT_PLACES((byte) + 1), BIT_PLACES((byte) + 2), BIT_PLACES((byte) + 3)
#define BIT_PLACES_16(byte)                                                                        \
    BIT_PLACES_4(byte), BIT_PLACES_4((byte) + 4), BIT_PLACES_4((byte) + 8),                        \
        BIT_PLACES_4((byte) + 12)
#define BIT_PLACES_64(byte)                                                                        \
    BIT_PLACES_16(byte), BIT_PLACES_16((byte) + 16), BIT_PLACES_16((byte) + 32),                   \
        BIT_PLACES_16((byte) + 48)

static const uint64_t bit_places[256] = {BIT_PLACES_64(0u), BIT_PLACES_64(64u), BIT_PLACES_64(128u),
                                         BIT_PLACES_64(192u)};

#endif
