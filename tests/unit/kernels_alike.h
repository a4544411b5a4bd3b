/* kernels_alike.h - for tests that launch a kernel of each table with the same inputs: what one has written is what the scalar
 * one has written. */
#ifndef PISTACHIO_KERNELS_ALIKE_H
#define PISTACHIO_KERNELS_ALIKE_H

#include "device/kernels/kernel_ops.h"
#include "kernel_tables.h"
#include "test.h"

#define ALIKE_BYTES (1 << 20)
#define ALIKE_PARTS 16
#define ALIKE_SLACK 256 /* that kernels may write after a part's last byte */
#define ALIKE_ROWS 1000

/* One launch's outputs. Each begins as zeros. */
typedef struct alike_output {
    _Alignas(64) char bytes[ALIKE_BYTES];
    size_t used;
    struct {
        void *at;
        size_t bytes, slack;
        bool is_text, is_set; /* views, whose texts are compared; numbers of 8 bytes in any order */
    } parts[ALIKE_PARTS];
    unsigned part_count;
    dev_error error;
} alike_output;

/* Memory for an output of so many bytes. */
void *alike_take(alike_output *o, size_t bytes);
/* Views, whose texts are compared wherever they are. */
string_view *alike_take_texts(alike_output *o, size_t count);
/* Numbers whose order is not said. */
uint64_t *alike_take_set(alike_output *o, size_t count);

/* `launch` for each table, with the same random numbers; what comes out is the scalar table's. */
void alike_check(const char *name,
                 void (*launch)(const dev_kernel_function *table, alike_output *o));

/* Random inputs. The memory is one of some blocks that are used in turns: for at most eight at a time. */
void *alike_bytes(size_t bytes);
uint64_t *alike_bits(size_t count);
uint32_t *alike_numbers(size_t count, uint32_t below);
/* Texts of up to `most` bytes, ASCII. */
string_view *alike_texts(size_t count, size_t most);

#define ALIKE(table, name, ...) table[DEV_KERNEL_##name](&(name##_arguments){__VA_ARGS__})
#define ALIKE_FAILURES .error = &o->error, .location = 3

#endif
