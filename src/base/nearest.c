/* nearest.c - edits between short names. */
#include "base/nearest.h"

#include <stdint.h>
#include <string.h>

#define LONGEST 40

static size_t least(size_t a, size_t b)
{
    return a < b ? a : b;
}

static size_t distance(const char *left, const char *right)
{
    size_t left_bytes = strlen(left), right_bytes = strlen(right), row[LONGEST + 1];
    if (left_bytes > LONGEST || right_bytes > LONGEST)
        return SIZE_MAX;
    for (size_t j = 0; j <= right_bytes; j++)
        row[j] = j;
    for (size_t i = 1; i <= left_bytes; i++) {
        size_t diagonal = row[0];
        row[0] = i;
        for (size_t j = 1; j <= right_bytes; j++) {
            size_t replaced = diagonal + ((left[i - 1] | 0x20) != (right[j - 1] | 0x20));
            diagonal = row[j];
            row[j] = least(least(row[j], row[j - 1]) + 1, replaced);
        }
    }
    return row[right_bytes];
}

const char *nearest_name(const char *name, const char *const *names, size_t count)
{
    /* Of three letters one may be wrong, of five two: else "foo" would mean "pow". */
    size_t best = (strlen(name) + 1) / 3 + 1;
    const char *nearest = NULL;
    for (size_t i = 0; i < count; i++) {
        size_t edits = distance(name, names[i]);
        if (edits < best) {
            best = edits;
            nearest = names[i];
        }
    }
    return nearest;
}
