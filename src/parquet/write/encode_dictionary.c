/* encode_dictionary.c - finds a column's distinct values and codes for them.
 *
 * Integers of a small range are looked up directly, which also sorts the dictionary. Everything
 * else goes through a hash table of codes (open addressing, at most half full), and gives up as
 * soon as the dictionary cannot pay: a first sample that hardly repeats, or too many bytes. */
#include "parquet/write/encode_dictionary.h"

#include "parquet/write/encode.h"
#include "parquet/write/encode_hybrid.h"
#include "parquet/write/encode_plain.h"

#include <xxhash.h>

enum {
    RANGE_MAX = 1 << 16, /* integers: span of values for direct lookup */
    SAMPLE = 2048,       /* values after which a look at the repetition is worth it */
    SLOTS_MIN = 1 << 12
};

/* Dictionary and codes together save an eighth. */
static bool encode_dictionary_pays(uint64_t plain_bytes, uint64_t dictionary_bytes,
                                   uint64_t distinct, uint64_t count)
{
    uint64_t coded = dictionary_bytes + count * pq_code_width(distinct) / 8;
    return coded <= plain_bytes - plain_bytes / 8;
}

/* ---- integers of a small range ---- */

static bool encode_dictionary_find_range(const pq_dense *dense, int64_t *out_min,
                                         uint64_t *out_range)
{
    if (!dense->count)
        return false;
    int64_t min, max;
    if (dense->physical == PQ_INT32) {
        const int32_t *values = dense->values;
        int32_t low = values[0], high = values[0];
        for (uint64_t i = 0; i < dense->count; i++) {
            low = values[i] < low ? values[i] : low;
            high = values[i] > high ? values[i] : high;
        }
        min = low;
        max = high;
    } else if (dense->physical == PQ_INT64) {
        const int64_t *values = dense->values;
        min = max = values[0];
        for (uint64_t i = 0; i < dense->count; i++) {
            min = values[i] < min ? values[i] : min;
            max = values[i] > max ? values[i] : max;
        }
    } else {
        return false;
    }
    *out_min = min;
    *out_range = (uint64_t)max - (uint64_t)min;
    return *out_range < RANGE_MAX && *out_range < dense->count * 4;
}

#define MARK(type)                                                                                 \
    for (uint64_t i = 0; i < dense->count; i++)                                                    \
        codes_of[(uint64_t)((const type *)dense->values)[i] - (uint64_t)min] = 1;
#define LOOK_UP(type)                                                                              \
    for (uint64_t i = 0; i < dense->count; i++)                                                    \
        out->codes[i] = codes_of[(uint64_t)((const type *)dense->values)[i] - (uint64_t)min];

static status build_direct(const pq_dense *dense, int64_t min, uint64_t range, pq_dictionary *out)
{
    uint32_t stride = pq_dense_stride(dense), count = 0;
    uint32_t *codes_of = mem_new_array(range + 1, sizeof *codes_of);
    out->owned = mem_new_array(range + 1, stride);
    out->codes = mem_resize(NULL, (dense->count + 1) * sizeof *out->codes);
    if (!codes_of || !out->owned || !out->codes) {
        mem_free(codes_of);
        return status_no_memory("dictionary", range * stride);
    }
    bool is_32 = dense->physical == PQ_INT32;
    if (is_32)
        MARK(int32_t)
    else
        MARK(int64_t)
    for (uint64_t i = 0; i <= range; i++)
        if (codes_of[i]) {
            int64_t value = min + (int64_t)i;
            memcpy((char *)out->owned + (size_t)count * stride, &value, stride);
            codes_of[i] = count++;
        }
    if (is_32)
        LOOK_UP(int32_t)
    else
        LOOK_UP(int64_t)
    mem_free(codes_of);
    out->is_sorted = true;
    out->distinct.count = count;
    return STATUS_OK;
}

/* ---- the hash table ---- */

typedef struct slot {
    uint32_t hash;
    uint32_t code_after; /* code + 1; 0: free */
} slot;

typedef struct building {
    const pq_dense *dense;
    pq_dictionary *out;
    uint32_t stride;
    slot *slots;
    uint64_t slot_count; /* a power of two */
    uint64_t capacity;   /* of out->owned, in values */
    uint64_t bytes;      /* of the dictionary's page */
} building;

static status encode_dictionary_grow(building *b)
{
    uint64_t slots = b->slot_count ? b->slot_count * 4 : SLOTS_MIN;
    slot *grown = mem_new_array(slots, sizeof *grown);
    void *values = mem_resize(b->out->owned, slots / 2 * b->stride);
    if (values)
        b->out->owned = values;
    if (!grown || !values) {
        mem_free(grown);
        return status_no_memory("dictionary", slots * (sizeof *grown + b->stride));
    }
    for (uint64_t i = 0; i < b->slot_count; i++) {
        if (!b->slots[i].code_after)
            continue;
        uint64_t at = b->slots[i].hash & (slots - 1);
        while (grown[at].code_after)
            at = (at + 1) & (slots - 1);
        grown[at] = b->slots[i];
    }
    mem_free(b->slots);
    b->slots = grown;
    b->slot_count = slots;
    b->capacity = slots / 2;
    return STATUS_OK;
}

static inline uint64_t encode_dictionary_mix(uint64_t number)
{
    number *= 0x9e3779b97f4a7c15;
    return number ^ number >> 32;
}

static inline uint32_t encode_dictionary_view_bytes(const void *view)
{
    return ((const string_view *)view)->bytes;
}

static inline uint64_t view_hash(const void *view)
{
    return XXH3_64bits(string_data(view), encode_dictionary_view_bytes(view));
}

static inline bool view_equal(const void *left, const void *right)
{
    const string_view *a = left, *b = right;
    if (memcmp(a, b, 8)) /* length and first four bytes */
        return false;
    return a->bytes <= STRING_INLINE_BYTES ? !memcmp(a, b, sizeof *a)
                                           : !memcmp(a->data, b->data, a->bytes);
}

static inline uint64_t encode_dictionary_load(const uint8_t *value, uint32_t bytes)
{
    uint64_t number = 0;
    memcpy(&number, value, bytes);
    return number;
}

/* Texts that were seen last, by their views: of a dictionary's texts all rows have the same few views, whose bytes
 * need not be looked at again. */
#define RECENT_BITS 6
typedef struct recent_text {
    uint64_t view[2];
    uint32_t code_after; /* code + 1; 0: none */
} recent_text;

static inline recent_text *recent_place(recent_text *recent, const void *view)
{
    uint64_t words[2];
    memcpy(words, view, sizeof words);
    return &recent[(words[0] ^ words[1] * 3) * 0x9e3779b97f4a7c15 >> (64 - RECENT_BITS)];
}

/* False: it is not known by its view; *known is where it goes then. */
static inline bool find_recent(recent_text *recent, const void *view, recent_text **known,
                               uint32_t *out)
{
    *known = recent_place(recent, view);
    if (!(*known)->code_after || memcmp((*known)->view, view, sizeof(*known)->view))
        return false;
    *out = (*known)->code_after - 1;
    return true;
}

static inline void keep_recent(recent_text *known, const void *view, uint32_t code)
{
    memcpy(known->view, view, sizeof known->view);
    known->code_after = code + 1;
}

/* The loop of all value types: `size` bytes from one value to the next, value_bytes in the
 * dictionary's page; KNOWN: the value's code is known already, KEEP remembers it; HASH gives the hash of the value v,
 * SAME compares it with `other`. */
#define BUILD(size, value_bytes, KNOWN, KEEP, HASH, SAME)                                          \
    do {                                                                                           \
        const uint8_t *v = dense->values;                                                          \
        bool has_looked = is_demanded;                                                             \
        for (uint64_t i = 0; i < dense->count; i++, v += (size)) {                                 \
            if (KNOWN)                                                                             \
                continue;                                                                          \
            uint32_t hash = (uint32_t)(HASH);                                                      \
            uint64_t at = hash & (b->slot_count - 1);                                              \
            uint8_t *distinct = out->owned;                                                        \
            for (;; at = (at + 1) & (b->slot_count - 1)) {                                         \
                uint32_t after = b->slots[at].code_after;                                          \
                const uint8_t *other = distinct + (uint64_t)(after - 1) * (size);                  \
                if (after && (b->slots[at].hash != hash || !(SAME)))                               \
                    continue;                                                                      \
                if (!after) {                                                                      \
                    memcpy(distinct + out->distinct.count * (size), v, (size));                    \
                    after = (uint32_t)++out->distinct.count;                                       \
                    b->slots[at] = (slot){hash, after};                                            \
                    b->bytes += (value_bytes);                                                     \
                }                                                                                  \
                out->codes[i] = after - 1;                                                         \
                KEEP;                                                                              \
                break;                                                                             \
            }                                                                                      \
            bool is_many = !has_looked && i >= SAMPLE && out->distinct.count > i / 4 * 3;          \
            has_looked |= i >= SAMPLE;                                                             \
            if (b->bytes > limit_bytes || is_many)                                                 \
                return STATUS_OK;                                                                  \
            if (out->distinct.count == b->capacity)                                                \
                TRY(encode_dictionary_grow(b));                                                    \
        }                                                                                          \
    } while (0)

/* *out_is_whole false: gave up. */
static status build_hashed(building *b, uint64_t limit_bytes, bool is_demanded, bool *out_is_whole)
{
    const pq_dense *dense = b->dense;
    pq_dictionary *out = b->out;
    uint32_t stride = b->stride;
    recent_text recent[1 << RECENT_BITS] = {0}, *known;
    TRY(encode_dictionary_grow(b));
    if (dense->physical == PQ_BYTE_ARRAY)
        BUILD(sizeof(string_view), 4 + encode_dictionary_view_bytes(v),
              find_recent(recent, v, &known, &out->codes[i]), keep_recent(known, v, after - 1),
              view_hash(v), view_equal(v, other));
    else if (stride == 4)
        BUILD(4, 4, false, (void)known, encode_dictionary_mix(encode_dictionary_load(v, 4)),
              encode_dictionary_load(v, 4) == encode_dictionary_load(other, 4));
    else if (stride == 8)
        BUILD(8, 8, false, (void)known, encode_dictionary_mix(encode_dictionary_load(v, 8)),
              encode_dictionary_load(v, 8) == encode_dictionary_load(other, 8));
    else
        BUILD(stride, stride, false, (void)known, XXH3_64bits(v, stride),
              !memcmp(v, other, stride));
    *out_is_whole = true;
    return STATUS_OK;
}

status pq_dictionary_build(const pq_dense *dense, uint64_t limit_bytes, bool is_demanded,
                           pq_dictionary *out, bool *out_pays)
{
    *out = (pq_dictionary){.distinct = *dense};
    out->distinct.count = 0;
    *out_pays = false;
    uint32_t stride = pq_dense_stride(dense);
    int64_t min;
    uint64_t range, dictionary_bytes = 0;
    bool is_whole = false;
    status st;
    if (encode_dictionary_find_range(dense, &min, &range)) {
        st = build_direct(dense, min, range, out);
        is_whole = !st;
        dictionary_bytes = out->distinct.count * stride;
    } else {
        building b = {.dense = dense, .out = out, .stride = stride};
        out->codes = mem_resize(NULL, (dense->count + 1) * sizeof *out->codes);
        st = out->codes ? build_hashed(&b, limit_bytes, is_demanded, &is_whole)
                        : status_no_memory("dictionary", dense->count * sizeof *out->codes);
        dictionary_bytes = b.bytes;
        mem_free(b.slots);
    }
    out->distinct.values = out->owned;
    if (is_whole) {
        uint64_t plain = dense->physical == PQ_BYTE_ARRAY ? pq_text_bytes(dense) + 4 * dense->count
                                                          : dense->count * stride;
        *out_pays = dictionary_bytes <= limit_bytes &&
                    (is_demanded || encode_dictionary_pays(plain, dictionary_bytes,
                                                           out->distinct.count, dense->count));
    }
    if (!*out_pays)
        pq_dictionary_release(out);
    return st;
}

void pq_dictionary_release(pq_dictionary *dictionary)
{
    mem_free(dictionary->owned);
    mem_free(dictionary->codes);
    *dictionary = (pq_dictionary){0};
}
