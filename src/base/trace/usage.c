/* usage.c - see usage.h. */
#include "base/trace/usage.h"

#include "base/mem.h"
#include "base/system/mutex.h"

#include <stdatomic.h>

#define BIN_COUNT 128
#define FIRST_BIN_NANOSECONDS 1000000u
/* Operators of their own; the last row is that of all others. */
#define ROW_COUNT 24

typedef struct usage_row {
    const void *key;
    char name[USAGE_NAME_BYTES];
    uint64_t bytes_seen;
    float busy[BIN_COUNT]; /* nanoseconds */
} usage_row;

struct usage {
    _Atomic uint32_t references;
    pthread_mutex_t lock; /* of what follows */
    unsigned threads, row_count;
    uint64_t start, end; /* of the first step, 0: there was none; of the last one */
    uint64_t width;      /* of a bin */
    uint64_t bound;      /* T_min; 0: not known */
    float bytes[BIN_COUNT];
    usage_row rows[ROW_COUNT];
};

status usage_new(usage **out)
{
    *out = mem_new(sizeof **out);
    if (!*out)
        return status_no_memory("usage", sizeof **out);
    atomic_store(&(*out)->references, 1);
    mutex_init(&(*out)->lock);
    (*out)->width = FIRST_BIN_NANOSECONDS;
    return STATUS_OK;
}

usage *usage_ref(usage *u)
{
    atomic_fetch_add(&u->references, 1);
    return u;
}

void usage_unref(usage *u)
{
    if (!u || atomic_fetch_sub(&u->references, 1) != 1)
        return;
    mutex_destroy(&u->lock);
    mem_free(u);
}

void usage_begin(usage *u, unsigned threads)
{
    mutex_lock(&u->lock);
    u->threads = threads;
    u->row_count = 0;
    u->start = u->end = u->bound = 0;
    u->width = FIRST_BIN_NANOSECONDS;
    memset(u->bytes, 0, sizeof u->bytes);
    mutex_unlock(&u->lock);
}

/* Puts each two bins together. */
static void usage_halve(float *bins)
{
    for (unsigned i = 0; i < BIN_COUNT / 2; i++)
        bins[i] = bins[2 * i] + bins[2 * i + 1];
    memset(bins + BIN_COUNT / 2, 0, BIN_COUNT / 2 * sizeof *bins);
}

/* Makes bins longer until they reach to the time. */
static void usage_reach(usage *u, uint64_t end)
{
    while ((end - u->start) / u->width >= BIN_COUNT) {
        u->width *= 2;
        usage_halve(u->bytes);
        for (unsigned i = 0; i < u->row_count; i++)
            usage_halve(u->rows[i].busy);
    }
}

static usage_row *usage_find_row(usage *u, const void *key)
{
    for (unsigned i = 0; i < u->row_count; i++)
        if (u->rows[i].key == key)
            return &u->rows[i];
    if (u->row_count == ROW_COUNT)
        return &u->rows[ROW_COUNT - 1];
    usage_row *row = &u->rows[u->row_count++];
    bool is_last = u->row_count == ROW_COUNT;
    *row = (usage_row){.key = is_last ? NULL : key};
    if (is_last)
        snprintf(row->name, sizeof row->name, "others");
    return row;
}

bool usage_add(usage *u, const void *key, uint64_t start, uint64_t end, uint64_t bytes)
{
    mutex_lock(&u->lock);
    u->start = u->start ? u->start : start;
    start = start < u->start ? u->start : start;
    end = end < start ? start : end;
    usage_reach(u, end);
    usage_row *row = usage_find_row(u, key);
    for (uint64_t at = start; at < end;) {
        uint64_t bin = (at - u->start) / u->width, next = u->start + (bin + 1) * u->width;
        next = next < end ? next : end;
        row->busy[bin] += (float)(next - at);
        at = next;
    }
    if (row->key && bytes > row->bytes_seen) {
        u->bytes[(end - u->start) / u->width] += (float)(bytes - row->bytes_seen);
        row->bytes_seen = bytes;
    }
    u->end = end > u->end ? end : u->end;
    bool has_name = row->name[0];
    mutex_unlock(&u->lock);
    return has_name;
}

void usage_name(usage *u, const void *key, const char *name)
{
    mutex_lock(&u->lock);
    usage_row *row = usage_find_row(u, key);
    if (!row->name[0])
        snprintf(row->name, sizeof row->name, "%s", name);
    mutex_unlock(&u->lock);
}

bool usage_has_steps(usage *u)
{
    mutex_lock(&u->lock);
    bool has_steps = u->row_count;
    mutex_unlock(&u->lock);
    return has_steps;
}

void usage_set_bound(usage *u, uint64_t nanoseconds)
{
    mutex_lock(&u->lock);
    u->bound = nanoseconds;
    mutex_unlock(&u->lock);
}

static void write_bins(FILE *f, const float *bins, unsigned count, double unit)
{
    fputs("[", f);
    for (unsigned i = 0; i < count; i++)
        fprintf(f, "%s%.4g", i ? ", " : "", (double)bins[i] / unit);
    fputs("]", f);
}

void usage_write(usage *u, FILE *f, void (*text)(FILE *f, const char *name))
{
    mutex_lock(&u->lock);
    uint64_t nanoseconds = u->end - u->start;
    unsigned count = u->row_count ? (unsigned)(nanoseconds / u->width) + 1 : 0;
    count = count < BIN_COUNT ? count : BIN_COUNT;
    fprintf(f, "{\"threads\": %u, \"seconds\": %.6f, \"bound\": %.6f, \"bin\": %.6f, \"bytes\": ",
            u->threads, (double)nanoseconds / 1e9, (double)u->bound / 1e9, (double)u->width / 1e9);
    write_bins(f, u->bytes, count, 1);
    fputs(", \"operators\": [", f);
    for (unsigned i = 0; i < u->row_count; i++) {
        fputs(i ? ",\n{\"name\": " : "\n{\"name\": ", f);
        text(f, u->rows[i].name);
        fputs(", \"busy\": ", f);
        write_bins(f, u->rows[i].busy, count, 1e9);
        fputs("}", f);
    }
    fputs("]}\n", f);
    mutex_unlock(&u->lock);
}
