/* kernels_alike.c - the outputs of a kernel by each table, compared. */
#include "kernels_alike.h"

#include <stdlib.h>
#include <string.h>

#define INPUTS 8
#define INPUT_BYTES (1 << 18)

static alike_output outputs[2];
static _Alignas(64) char inputs[INPUTS][INPUT_BYTES];
static unsigned input_count;

static void *take(alike_output *o, size_t bytes, bool is_text, bool is_set)
{
    size_t room = (bytes + 63) / 64 * 64;
    CHECK(o->part_count < ALIKE_PARTS && o->used + room + ALIKE_SLACK <= ALIKE_BYTES);
    void *at = o->bytes + o->used;
    o->used += room + ALIKE_SLACK;
    o->parts[o->part_count].at = at;
    o->parts[o->part_count].bytes = bytes;
    o->parts[o->part_count].is_text = is_text;
    o->parts[o->part_count].is_set = is_set;
    o->part_count++;
    return at;
}

void *alike_take(alike_output *o, size_t bytes)
{
    return take(o, bytes, false, false);
}

string_view *alike_take_texts(alike_output *o, size_t count)
{
    return take(o, count * sizeof(string_view), true, false);
}

uint64_t *alike_take_set(alike_output *o, size_t count)
{
    return take(o, count * sizeof(uint64_t), false, true);
}

static int by_size(const void *left, const void *right)
{
    uint64_t a = *(const uint64_t *)left, b = *(const uint64_t *)right;
    return a < b ? -1 : a > b;
}

static void check_texts(const char *name, const char *isa, unsigned part)
{
    const string_view *left = outputs[0].parts[part].at, *right = outputs[1].parts[part].at;
    for (size_t i = 0; i < outputs[0].parts[part].bytes / sizeof *left; i++)
        if (left[i].bytes != right[i].bytes ||
            memcmp(string_data(&left[i]), string_data(&right[i]), left[i].bytes) ||
            memcmp(left[i].inlined, right[i].inlined,
                   left[i].bytes > STRING_INLINE_BYTES ? sizeof left[i].prefix
                                                       : sizeof left[i].inlined))
            test_fail(__FILE__, __LINE__, "%s, %s: text %zu of output %u is another one", isa, name,
                      i, part);
}

static void check_part(const char *name, const char *isa, unsigned part)
{
    char *left = outputs[0].parts[part].at, *right = outputs[1].parts[part].at;
    size_t bytes = outputs[0].parts[part].bytes;
    CHECK_EQ(bytes, outputs[1].parts[part].bytes);
    if (outputs[0].parts[part].is_text) {
        check_texts(name, isa, part);
        return;
    }
    if (outputs[0].parts[part].is_set)
        for (unsigned i = 0; i < 2; i++)
            qsort(outputs[i].parts[part].at, bytes / sizeof(uint64_t), sizeof(uint64_t), by_size);
    for (size_t i = 0; i < bytes; i++)
        if (left[i] != right[i])
            test_fail(__FILE__, __LINE__,
                      "%s, %s: byte %zu of output %u is %u, the scalar one's %u", isa, name, i,
                      part, (unsigned char)right[i], (unsigned char)left[i]);
}

static void run(alike_output *o, const dev_kernel_function *table, uint64_t seed,
                void (*launch)(const dev_kernel_function *table, alike_output *o))
{
    memset(o, 0, sizeof *o);
    test_random_restart(seed);
    input_count = 0;
    launch(table, o);
}

void alike_check(const char *kernel,
                 void (*launch)(const dev_kernel_function *table, alike_output *o))
{
    static const char *const isas[] = {"avx2", "avx512", "cuda"};
    uint64_t seed = test_random();
    const char *name;
    run(&outputs[0], dev_kernel_table("scalar", &name), seed, launch);
    for (size_t i = 0; i < sizeof isas / sizeof *isas; i++) {
        const dev_kernel_function *table = test_kernel_table(isas[i], &name);
        if (!table)
            continue;
        run(&outputs[1], table, seed, launch);
        CHECK_EQ(outputs[0].part_count, outputs[1].part_count);
        unsigned code = atomic_load(&outputs[1].error.code);
        if (code != atomic_load(&outputs[0].error.code))
            test_fail(__FILE__, __LINE__, "%s, %s: error %u, the scalar one's is %u", isas[i],
                      kernel, code, atomic_load(&outputs[0].error.code));
        CHECK(!code || (outputs[0].error.detail == outputs[1].error.detail &&
                        outputs[0].error.location == outputs[1].error.location));
        for (unsigned part = 0; part < outputs[0].part_count; part++)
            check_part(kernel, isas[i], part);
    }
}

/* ---- inputs ---- */

void *alike_bytes(size_t bytes)
{
    CHECK(bytes <= INPUT_BYTES - ALIKE_SLACK && input_count < INPUTS);
    char *at = inputs[input_count++];
    for (size_t i = 0; i < INPUT_BYTES; i += sizeof(uint64_t)) {
        uint64_t random = i < bytes ? test_random() : 0;
        memcpy(at + i, &random, sizeof random);
    }
    return at;
}

uint64_t *alike_bits(size_t count)
{
    uint64_t *bits = alike_bytes((count + 63) / 64 * 8);
    if (count % 64)
        bits[count / 64] &= ((uint64_t)1 << (count % 64)) - 1;
    return bits;
}

uint32_t *alike_numbers(size_t count, uint32_t below)
{
    uint32_t *numbers = alike_bytes(count * sizeof *numbers);
    for (size_t i = 0; i < count; i++)
        numbers[i] = (uint32_t)test_random_below(below);
    return numbers;
}

string_view *alike_texts(size_t count, size_t most)
{
    char *text = alike_bytes(INPUT_BYTES - ALIKE_SLACK);
    string_view *views = alike_bytes(count * sizeof *views);
    for (size_t i = 0; i < INPUT_BYTES; i++)
        text[i] = "abcdef x"[(unsigned char)text[i] % 8];
    for (size_t i = 0; i < count; i++)
        views[i] = string_view_make(text + test_random_below(INPUT_BYTES / 2),
                                    (uint32_t)test_random_below(most + 1));
    return views;
}
