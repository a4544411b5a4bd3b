/* check.h - what must hold of tensors and chunks, said once and asserted where chunks are handed
 * on. Debug builds only: in others these are nothing.
 *
 * Device memory is looked at on host devices alone; of others' only addresses and sizes are. */
#ifndef PISTACHIO_DEVICE_CHECK_H
#define PISTACHIO_DEVICE_CHECK_H

#include "device/tensor.h"

#ifndef NDEBUG
/* Checks a tensor with room for so many rows. */
void tensor_check(const tensor *t, uint64_t rows);
/* Checks a chunk whose memory is the device's. Columns that nobody reads may be NULL. */
void chunk_check(const device *dev, const chunk *c);
#else
static inline void tensor_check(const tensor *t, uint64_t rows)
{
    (void)t, (void)rows;
}
static inline void chunk_check(const device *dev, const chunk *c)
{
    (void)dev, (void)c;
}
#endif

#endif
