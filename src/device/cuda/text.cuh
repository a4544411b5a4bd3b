/* text.cuh - inside the kernels of texts: UTF-8, searching. */
#ifndef PISTACHIO_DEVICE_CUDA_TEXT_CUH
#define PISTACHIO_DEVICE_CUDA_TEXT_CUH

#include "device/cuda/hash.cuh"
#include "device/value/text_search.h"

#define TEXT_NOT_FOUND UINT64_MAX
/* Needles of more bytes are searched for in linear time. */
#define SHORT_NEEDLE_BYTES 32

DEVICE bool text_differs(const char *left, const char *right, uint64_t bytes)
{
    for (uint64_t i = 0; i < bytes; i++)
        if (left[i] != right[i])
            return true;
    return false;
}

/* Returns where the needle begins first. */
DEVICE uint64_t find_text(const char *text, uint64_t bytes, const char *needle,
                          uint64_t needle_bytes)
{
    if (needle_bytes > SHORT_NEEDLE_BYTES) {
        text_needle n = text_needle_of(needle, needle_bytes);
        return text_search_linear(text, bytes, &n);
    }
    for (uint64_t at = 0; at + needle_bytes <= bytes; at++)
        if (!text_differs(text + at, needle, needle_bytes))
            return at;
    return TEXT_NOT_FOUND;
}

#include "device/value/text_part.h"

#endif
