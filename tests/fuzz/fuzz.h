/* fuzz.h - what the fuzz targets share.
 *
 * A target is a property of any input whatever, not only "it did not crash": an input is either
 * taken, and then something holds of the result, or refused with a failure of a kind that bad input
 * may have. Whatever happens, nothing stays allocated. */
#ifndef PISTACHIO_FUZZ_H
#define PISTACHIO_FUZZ_H

#include "base/mem.h"
#include "base/status.h"

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

/* libFuzzer's entry; replay.c calls it as well. Returns 0. */
int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length);

/* Stops the program, so that the fuzzer keeps the input, unless the property holds. */
#define FUZZ_CHECK(property)                                                                       \
    do {                                                                                           \
        if (!(property)) {                                                                         \
            fprintf(stderr, "%s:%d: does not hold: %s\n", __FILE__, __LINE__, #property);          \
            abort();                                                                               \
        }                                                                                          \
    } while (0)

/* Frees a failure, which must be one that input can cause, with a message. True: there was none. */
int fuzz_settle(status st);

/* A file in memory with these bytes: a path that can be opened, valid until fuzz_file_close. */
typedef struct fuzz_file {
    int descriptor;
    char path[64];
} fuzz_file;
fuzz_file fuzz_file_open(const uint8_t *bytes, size_t length);
void fuzz_file_close(fuzz_file *f);

#endif
