/* host_piece.h - inside the CUDA device: pieces of the host's memory that copies go through. */
#ifndef PISTACHIO_DEVICE_CUDA_HOST_PIECE_H
#define PISTACHIO_DEVICE_CUDA_HOST_PIECE_H

#include "device/cuda/cuda.h"

/* Maps a piece of piece->bytes at least, pinned or not. */
CHECKED status cuda_map_host_piece(const cuda_device *dev, bool is_pinned, cuda_piece *piece);
void cuda_unmap_host_piece(const cuda_device *dev, const cuda_piece *piece);

#endif
