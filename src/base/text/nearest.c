/* nearest.c - edits between short names. */
#include "base/text/nearest.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#define LONGEST 40

static size_t nearest_least(size_t a, size_t b)
{
    return a < b ? a : b;
}

static bool nearest_is_same(char left, char right)
{
    return (left | 0x20) == (right | 0x20);
}

/* Letters that are added, left out, replaced, or exchanged with the next one. */
static size_t nearest_distance(const char *left, const char *right)
{
    size_t left_bytes = strlen(left), right_bytes = strlen(right), rows[3][LONGEST + 1];
    if (left_bytes > LONGEST || right_bytes > LONGEST)
        return SIZE_MAX;
    for (size_t j = 0; j <= right_bytes; j++)
        rows[0][j] = j;
    for (size_t i = 1; i <= left_bytes; i++) {
        size_t *row = rows[i % 3], *last = rows[(i + 2) % 3], *before_last = rows[(i + 1) % 3];
        row[0] = i;
        for (size_t j = 1; j <= right_bytes; j++) {
            size_t replaced = last[j - 1] + !nearest_is_same(left[i - 1], right[j - 1]);
            row[j] = nearest_least(nearest_least(last[j], row[j - 1]) + 1, replaced);
            if (i > 1 && j > 1 && nearest_is_same(left[i - 1], right[j - 2]) &&
                nearest_is_same(left[i - 2], right[j - 1]))
                row[j] = nearest_least(row[j], before_last[j - 2] + 1);
        }
    }
    return rows[left_bytes % 3][right_bytes];
}

const char *nearest_name(const char *name, const char *const *names, size_t count)
{
    /* One of three letters may be wrong, two of five: else "foo" would mean "pow". */
    size_t best = (strlen(name) + 1) / 3 + 1;
    const char *nearest = NULL;
    for (size_t i = 0; i < count; i++) {
        size_t edits = nearest_distance(name, names[i]);
        if (edits < best) {
            best = edits;
            nearest = names[i];
        }
    }
    return nearest;
}
