/* window_sliding.c - see window_sliding.h. Trees are arrays: node 1 is the root, those below node i are 2 i and 2 i + 1,
 * the leaf of a code is `leaves` + code. */
#include "exec/window/window_sliding.h"

#include "device/value/text_value.h"

static size_t node_bytes(sliding_kind kind)
{
    return kind == SLIDING_PLACES || kind == SLIDING_MODE ? sizeof(uint32_t)
           : kind == SLIDING_DOUBLES                      ? sizeof(double)
                                                          : 0;
}

static status alloc_tree(device *host, sliding_values *s)
{
    uint64_t counts = ((uint64_t)s->codes.count + 1) * sizeof *s->counts;
    uint64_t at = (counts + 7) / 8 * 8;
    uint64_t bytes = at + 2 * (uint64_t)s->leaves * node_bytes(s->kind);
    TRY(dev_alloc(host, bytes, "window", &s->memory));
    char *base = s->memory->address;
    memset(base, 0, bytes);
    s->counts = (uint32_t *)(void *)base;
    if (s->kind == SLIDING_PLACES)
        s->places = (uint32_t *)(void *)(base + at);
    else if (s->kind == SLIDING_MODE)
        s->most = (uint32_t *)(void *)(base + at);
    else if (s->kind == SLIDING_DOUBLES)
        s->sums = (double *)(void *)(base + at);
    return STATUS_OK;
}

status sliding_open(device *host, sliding_kind kind, window_codes *codes, const tensor *values,
                    sliding_values *out)
{
    *out = (sliding_values){.kind = kind, .codes = *codes, .values = values, .leaves = 1};
    *codes = (window_codes){0};
    while (out->leaves < out->codes.count)
        out->leaves *= 2;
    status st = alloc_tree(host, out);
    if (st)
        sliding_close(out);
    return st;
}

void sliding_close(sliding_values *s)
{
    window_codes_release(&s->codes);
    dev_buffer_unref(s->memory);
    *s = (sliding_values){0};
}

/* ---- changes ---- */

static void count_places(sliding_values *s, uint32_t code, bool is_more)
{
    for (uint32_t node = s->leaves + code; node; node /= 2)
        s->places[node] += is_more ? 1 : -1u;
}

static void count_most(sliding_values *s, uint32_t code)
{
    uint32_t node = s->leaves + code;
    s->most[node] = s->counts[code];
    for (node /= 2; node; node /= 2) {
        uint32_t left = s->most[2 * node], right = s->most[2 * node + 1];
        uint32_t most = left > right ? left : right;
        if (s->most[node] == most)
            return;
        s->most[node] = most;
    }
}

static void window_sliding_set_double(sliding_values *s, uint32_t code, double number)
{
    uint32_t node = s->leaves + code;
    s->sums[node] = number;
    for (node /= 2; node; node /= 2)
        s->sums[node] = s->sums[2 * node] + s->sums[2 * node + 1];
}

static void window_sliding_add_number(sliding_values *s, uint64_t row, bool is_added)
{
    data_type type = s->values->type;
    int128 number = cast_load_integer(type, (const char *)s->values->values + row * type.width);
    int128 high = number >> 64;
    uint64_t low = (uint64_t)number;
    s->high_sum += is_added ? high : -high;
    s->low_sum += is_added ? (uint128)low : -(uint128)low;
}

/* A value comes in that is not there, or the last one of it goes. */
static void change_values(sliding_values *s, uint32_t code, bool is_added)
{
    uint32_t row = s->codes.rows[code];
    s->distinct += is_added ? 1 : -1u;
    if (s->kind == SLIDING_NUMBERS)
        window_sliding_add_number(s, row, is_added);
    else if (s->kind == SLIDING_DOUBLES)
        window_sliding_set_double(s, code, is_added ? ((const double *)s->values->values)[row] : 0);
}

static void change(sliding_values *s, uint64_t row, bool is_added)
{
    uint32_t code = s->codes.codes[row];
    if (code == WINDOW_NO_CODE)
        return;
    bool is_only = s->counts[code] == !is_added;
    s->total += is_added ? 1 : -(uint64_t)1;
    s->counts[code] += is_added ? 1 : -1u;
    if (is_only)
        change_values(s, code, is_added);
    if (s->kind == SLIDING_PLACES)
        count_places(s, code, is_added);
    else if (s->kind == SLIDING_MODE)
        count_most(s, code);
}

void sliding_add(sliding_values *s, uint64_t row)
{
    change(s, row, true);
}

void sliding_remove(sliding_values *s, uint64_t row)
{
    change(s, row, false);
}

/* ---- questions ---- */

uint32_t sliding_code_at(const sliding_values *s, uint64_t place)
{
    uint32_t node = 1;
    while (node < s->leaves) {
        node *= 2;
        if (place >= s->places[node])
            place -= s->places[node++];
    }
    return node - s->leaves;
}

uint32_t sliding_mode(const sliding_values *s, bool is_greatest)
{
    uint32_t node = 1;
    while (node < s->leaves) {
        node = 2 * node + is_greatest;
        if (s->most[node] != s->most[1])
            node ^= 1;
    }
    return node - s->leaves;
}

bool sliding_sum(const sliding_values *s, int128 *out)
{
    int128 high = s->high_sum + (int128)(s->low_sum >> 64);
    *out = (int128)((uint128)high << 64 | (uint64_t)s->low_sum);
    return high == (int64_t)high;
}

double sliding_double_sum(const sliding_values *s)
{
    return s->sums[1];
}
