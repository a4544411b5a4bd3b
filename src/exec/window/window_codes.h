/* window_codes.h - values numbered in their order, on the host: what is asked of them in an order then
 * needs no type. */
#ifndef PISTACHIO_EXEC_WINDOW_WINDOW_CODES_H
#define PISTACHIO_EXEC_WINDOW_WINDOW_CODES_H

#include "device/tensor.h"

#define WINDOW_NO_CODE UINT32_MAX

typedef struct window_codes {
    uint32_t *codes; /* of rows: how many different values are less; NULLs have WINDOW_NO_CODE */
    uint32_t *rows;  /* of codes: a row that has it */
    uint32_t count;  /* of codes */
    dev_buffer *memory;
} window_codes;

/* Makes codes of a FLAT tensor in the host's memory. NaN is the greatest, 0 and -0 are one value. */
CHECKED status window_codes_make(device *host, const tensor *values, uint64_t count,
                                 window_codes *out);
void window_codes_release(window_codes *codes); /* takes a zeroed one */

#endif
