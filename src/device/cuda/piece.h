/* piece.h - pieces of memory from the driver, or one for each buffer. */
#ifndef PISTACHIO_DEVICE_CUDA_PIECE_H
#define PISTACHIO_DEVICE_CUDA_PIECE_H

#include "device/cuda/cuda.h"

const cuda_allocation_properties *cuda_piece_properties(const cuda_device *dev,
                                                        cuda_allocation_properties *out);
/* Maps memory at a place of the range, for the caller alone. */
CHECKED status cuda_map_piece(const cuda_device *dev, cuda_address at, size_t bytes,
                              cuda_piece *piece);

/* How many addresses it takes for a device of so much memory. */
size_t cuda_apart_range(size_t total);
/* Under the device's lock: a mapping that ends where a buffer of so many bytes ends, whose address is *out_address. */
CHECKED status cuda_apart_map(cuda_device *dev, size_t bytes, cuda_piece *piece, char **out_address,
                              size_t *out_room);
/* Unmaps a buffer that has a mapping of its own. */
void cuda_apart_unmap(const cuda_device *dev, cuda_buffer *buffer);

#endif
