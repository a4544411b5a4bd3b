/* text.cuh - inside the kernels of texts: UTF-8, searching. */
#ifndef PISTACHIO_DEVICE_CUDA_TEXT_CUH
#define PISTACHIO_DEVICE_CUDA_TEXT_CUH

#include "device/cuda/hash.cuh"

#define TEXT_NOT_FOUND UINT64_MAX

DEVICE bool is_continuation(char c)
{
    return ((unsigned char)c & 0xc0) == 0x80;
}

DEVICE bool text_differs(const char *left, const char *right, uint64_t bytes)
{
    for (uint64_t i = 0; i < bytes; i++)
        if (left[i] != right[i])
            return true;
    return false;
}

/* Where the needle begins first. */
DEVICE uint64_t find_text(const char *text, uint64_t bytes, const char *needle,
                          uint64_t needle_bytes)
{
    for (uint64_t at = 0; at + needle_bytes <= bytes; at++)
        if (!text_differs(text + at, needle, needle_bytes))
            return at;
    return TEXT_NOT_FOUND;
}

/* Characters: bytes that do not continue one. */
DEVICE uint64_t text_characters(const char *text, uint64_t bytes)
{
    uint64_t characters = 0;
    for (uint64_t i = 0; i < bytes; i++)
        characters += !is_continuation(text[i]);
    return characters;
}

/* Bytes of the first `characters` characters, at most `bytes`. */
DEVICE uint64_t text_skip(const char *text, uint64_t bytes, uint64_t characters)
{
    uint64_t at = 0;
    if (characters >= bytes)
        return bytes;
    for (; characters > 0 && at < bytes; characters--) {
        at++;
        while (at < bytes && is_continuation(text[at]))
            at++;
    }
    return at;
}

#endif
