/* kept_column.c - entries of one column, of many row groups, become one. */
#include "parquet/table/kept_column.h"

#include <stdlib.h>
#include <string.h>

static int kept_compare(const void *a, const void *b)
{
    const pq_kept_column *x = a, *y = b;
    int by_path = strcmp(x->path, y->path);
    int by_column = by_path ? by_path : strcmp(x->column, y->column);
    return by_column ? by_column : strcmp(x->form, y->form);
}

size_t pq_kept_merge(pq_kept_column *entries, size_t count)
{
    size_t left = 0;
    if (count)
        qsort(entries, count, sizeof *entries, kept_compare);
    for (size_t i = 0; i < count; i++) {
        const pq_kept_column *e = &entries[i];
        pq_kept_column *last = left ? &entries[left - 1] : NULL;
        if (!last || kept_compare(last, e)) {
            entries[left++] = *e;
            continue;
        }
        last->rows += e->rows;
        last->bytes += e->bytes;
        last->width = e->width > last->width ? e->width : last->width;
        last->uses = e->uses > last->uses ? e->uses : last->uses;
    }
    return left;
}
