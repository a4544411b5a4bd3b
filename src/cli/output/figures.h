/* figures.h - numbers as people read them. */
#ifndef PISTACHIO_CLI_OUTPUT_FIGURES_H
#define PISTACHIO_CLI_OUTPUT_FIGURES_H

#include <stdint.h>

#define FIGURES_BYTES 32

/* "512 bytes", "1.2 kB", "34.5 MB", into `out` (FIGURES_BYTES), which is returned. */
const char *figures_bytes(uint64_t bytes, char *out);
/* "1 file", "2 files". */
const char *figures_count(uint64_t count, const char *noun, char *out);

#endif
