/* kernel_aggregate_values.c - values that groups keep: put into lists, lists put together, the value at a share found;
 * and all of them given back, as words of list(x). */
#include "device/cpu/kernel_aggregate.h"
#include "device/value/list_words.h"
#include "device/value/value_code.h"

/* ---- lists ---- */

static inline aggregate_values_block *block_at(uint64_t address)
{
    return (aggregate_values_block *)((char *)(uintptr_t)address + KERNEL_STRING_OFFSET);
}

static inline uint64_t aggregate_values_address_of(const void *real)
{
    return (uint64_t)(uintptr_t)((const char *)real - KERNEL_STRING_OFFSET);
}

static inline uint64_t *aggregate_values_of(aggregate_values_block *block)
{
    return (uint64_t *)(block + 1);
}

#define FOR_BLOCKS(block, list)                                                                    \
    for (aggregate_values_block *block = (list)->first ? block_at((list)->first) : NULL; block;    \
         block = block->next ? block_at(block->next) : NULL)

/* Two lists become the state's: it may be empty, the other not. */
static inline void put_behind(aggregate_values *state, const aggregate_values *list)
{
    if (state->last)
        block_at(state->last)->next = list->first;
    else
        state->first = list->first;
    state->last = list->last;
    state->count += list->count;
}

static void aggregate_values_add_block(aggregate_values *state, aggregate_values_block *block,
                                       uint64_t count)
{
    uint64_t address = aggregate_values_address_of(block);
    const aggregate_values one = {address, address, count};
    *block = (aggregate_values_block){.count = count};
    put_behind(state, &one);
}

/* ---- rows ---- */

#define ADD(code_expression)                                                                       \
    do {                                                                                           \
        uint64_t *out = a->out + used;                                                             \
        uint32_t *groups = a->out_groups ? a->out_groups + used : NULL;                            \
        size_t n = 0;                                                                              \
        if (groups)                                                                                \
            FOR_ROWS(a, count, out[n] = (code_expression); groups[n++] = a->groups[i]);            \
        else                                                                                       \
            FOR_ROWS(a, count, out[n++] = (code_expression));                                      \
        used += n;                                                                                 \
    } while (0)

void ISA_(values_add)(const values_add_arguments *a)
{
    size_t count = kernel_count(a->count);
    uint64_t used = *a->out_count;
    if (a->type.id == TYPE_DOUBLE)
        ADD(value_code_of_double(((const double *)a->values)[i]));
    else
        ADD(value_code_at(a->type, a->values, i));
    *a->out_count = used;
}

#define AHEAD 16

void ISA_(values_count)(const values_count_arguments *a)
{
    size_t count = kernel_count(a->count);
    if (!a->groups) {
        a->counts[0] += count;
        return;
    }
    for (size_t i = 0; i < count; i++) {
        if (i + AHEAD < count)
            __builtin_prefetch(&a->counts[a->groups[i + AHEAD]], 1);
        a->counts[a->groups[i]]++;
    }
}

void ISA_(values_place)(const values_place_arguments *a)
{
    size_t count = kernel_count(a->count);
    uint64_t used = *a->heap_used;
    for (size_t g = 0; g < count; g++) {
        uint64_t values = a->counts[g];
        if (!values)
            continue;
        aggregate_values_add_block(&a->states[g],
                                   (aggregate_values_block *)(void *)(a->heap + used), values);
        a->counts[g] = used + sizeof(aggregate_values_block);
        used += sizeof(aggregate_values_block) + values * sizeof(uint64_t);
    }
    *a->heap_used = used;
}

void ISA_(values_move)(const values_move_arguments *a)
{
    size_t count = kernel_count(a->count);
    if (!a->groups) {
        memcpy(a->heap + a->places[0], a->values, count * sizeof *a->values);
        a->places[0] += count * sizeof *a->values;
        return;
    }
    for (size_t i = 0; i < count; i++) {
        if (i + AHEAD < count)
            __builtin_prefetch(&a->places[a->groups[i + AHEAD]], 1);
        uint64_t *place = &a->places[a->groups[i]];
        *(uint64_t *)(void *)(a->heap + *place) = a->values[i];
        *place += sizeof *a->values;
    }
}

/* ---- states ---- */

void ISA_(values_merge)(const values_merge_arguments *a)
{
    size_t count = kernel_count(a->count);
    for (size_t i = 0; i < count; i++)
        if (a->values[i].count)
            put_behind(&a->states[a->groups ? a->groups[i] : 0], &a->values[i]);
}

void ISA_(values_bytes)(const values_bytes_arguments *a)
{
    size_t count = kernel_count(a->count);
    uint64_t total = 0;
    for (size_t i = 0; i < count; i++)
        total += a->states[i].count * sizeof(uint64_t);
    *a->out_total += total;
}

static string_view to_blob(const aggregate_values *list, char *target)
{
    uint64_t bytes = 0;
    FOR_BLOCKS(block, list)
    {
        memcpy(target + bytes, aggregate_values_of(block), block->count * sizeof(uint64_t));
        bytes += block->count * sizeof(uint64_t);
    }
    return kernel_string_make(target, (uint32_t)bytes);
}

/* A blob has at most so many values. */
#define BLOB_VALUES_MAX (UINT32_MAX / sizeof(uint64_t))

void ISA_(values_to_blob)(const values_to_blob_arguments *a)
{
    size_t count = kernel_count(a->count);
    uint64_t used = *a->heap_used;
    memset(a->out_validity, 0, (count + 63) / 64 * sizeof(uint64_t));
    for (size_t i = 0; i < count; i++) {
        const aggregate_values *list = &a->states[i];
        a->out[i] = (string_view){0};
        if (list->count > BLOB_VALUES_MAX)
            kernel_fail(a->error, DEV_ERROR_OVERFLOW, 0, 0);
        if (!list->count || list->count > BLOB_VALUES_MAX)
            continue;
        a->out[i] = to_blob(list, a->heap + used);
        a->out_validity[i / 64] |= (uint64_t)1 << (i % 64);
        used += list->count * sizeof(uint64_t);
    }
    *a->heap_used = used;
}

void ISA_(values_from_blob)(const values_from_blob_arguments *a)
{
    size_t count = kernel_count(a->count);
    uint64_t used = *a->heap_used;
    for (size_t i = 0; i < count; i++) {
        uint64_t values =
            kernel_is_valid(a->validity, i) ? a->values[i].bytes / sizeof(uint64_t) : 0;
        a->states[i] = (aggregate_values){0};
        if (!values)
            continue;
        aggregate_values_block *block = (aggregate_values_block *)(void *)(a->heap + used);
        memcpy(aggregate_values_of(block), kernel_string_data(&a->values[i]),
               values * sizeof(uint64_t));
        aggregate_values_add_block(&a->states[i], block, values);
        used += sizeof *block + values * sizeof(uint64_t);
    }
    *a->heap_used = used;
}

/* ---- the value at a place ----
 * By the bits in which the values differ, some at a time from the top: values are counted by them, and those that
 * have the bits of the one that is looked for are moved to the front of their blocks. Each round is linear, and
 * there are at most 8. */

#define ROUND_BITS 8
#define ROUND_PARTS (1u << ROUND_BITS)
/* Up to so many are sorted. */
#define SORTED_MAX 48

/* The values in front: at most SORTED_MAX. */
static uint64_t select_sorted(const aggregate_values *list, uint64_t rank)
{
    uint64_t sorted[SORTED_MAX];
    size_t n = 0;
    FOR_BLOCKS(block, list)
    {
        for (size_t i = 0; i < block->front; i++) {
            uint64_t value = aggregate_values_of(block)[i];
            size_t at = n++;
            for (; at && sorted[at - 1] > value; at--)
                sorted[at] = sorted[at - 1];
            sorted[at] = value;
        }
    }
    return sorted[rank];
}

static void aggregate_values_find_bounds(const aggregate_values *list, uint64_t *least,
                                         uint64_t *greatest)
{
    uint64_t low = UINT64_MAX, high = 0;
    FOR_BLOCKS(block, list)
    {
        const uint64_t *values = aggregate_values_of(block);
        for (size_t i = 0; i < block->front; i++) {
            low = values[i] < low ? values[i] : low;
            high = values[i] > high ? values[i] : high;
        }
    }
    *least = low;
    *greatest = high;
}

/* Values with that part come first; returns how many. */
static uint64_t bring_to_front(const aggregate_values *list, uint64_t least, unsigned shift,
                               uint64_t part)
{
    uint64_t left = 0;
    FOR_BLOCKS(block, list)
    {
        uint64_t *values = aggregate_values_of(block), front = 0;
        for (size_t i = 0; i < block->front; i++) {
            uint64_t value = values[i];
            if ((value - least) >> shift != part)
                continue;
            values[i] = values[front];
            values[front++] = value;
        }
        block->front = front;
        left += front;
    }
    return left;
}

/* One round: the part that the rank is in, of which it becomes the rank. */
static uint64_t aggregate_values_find_part(const aggregate_values *list, uint64_t least,
                                           unsigned shift, uint64_t *rank)
{
    uint64_t part = 0, counts[ROUND_PARTS] = {0};
    FOR_BLOCKS(block, list)
    {
        const uint64_t *values = aggregate_values_of(block);
        for (size_t i = 0; i < block->front; i++)
            counts[(values[i] - least) >> shift]++;
    }
    for (; *rank >= counts[part]; part++)
        *rank -= counts[part];
    return part;
}

static uint64_t select_value(const aggregate_values *list, uint64_t rank)
{
    uint64_t left = list->count, least, greatest;
    FOR_BLOCKS(block, list)
    {
        block->front = block->count;
    }
    while (left > SORTED_MAX) {
        aggregate_values_find_bounds(list, &least, &greatest);
        if (least == greatest)
            return least;
        unsigned bits = 64 - (unsigned)__builtin_clzll(greatest - least);
        unsigned shift = bits > ROUND_BITS ? bits - ROUND_BITS : 0;
        uint64_t part = aggregate_values_find_part(list, least, shift, &rank);
        left = bring_to_front(list, least, shift, part);
    }
    return select_sorted(list, rank);
}

/* The value behind the one at the rank: itself again, if there are more of it. */
static uint64_t select_next(const aggregate_values *list, uint64_t value, uint64_t rank)
{
    uint64_t next = UINT64_MAX, up_to = 0;
    FOR_BLOCKS(block, list)
    {
        const uint64_t *values = aggregate_values_of(block);
        for (size_t i = 0; i < block->count; i++) {
            up_to += values[i] <= value;
            next = values[i] > value && values[i] < next ? values[i] : next;
        }
    }
    return up_to > rank + 1 ? value : next;
}

static void select_one(const values_select_arguments *a, size_t i)
{
    const aggregate_values *list = &a->states[i];
    uint64_t rank = value_code_rank(a->share, list->count, a->between);
    uint64_t low = select_value(list, rank);
    if (!a->between) {
        value_code_put(a->type, low, a->out, i);
        return;
    }
    double at = a->share * (double)(list->count - 1);
    bool has_next = at > floor(at) && rank + 1 < list->count;
    uint64_t high = has_next ? select_next(list, low, rank) : low;
    ((double *)a->out)[i] = value_code_between(a->share, list->count, low, high);
}

void ISA_(values_select)(const values_select_arguments *a)
{
    size_t count = kernel_count(a->count);
    for (size_t w = 0; w * 64 < count; w++) {
        uint64_t valid = 0;
        for (size_t i = w * 64; i < count && i < w * 64 + 64; i++) {
            bool has_values = a->states[i].count;
            valid |= (uint64_t)has_values << (i % 64);
            if (has_values)
                select_one(a, i);
            else
                memset((char *)a->out + i * (a->between ? sizeof(double) : a->type.width), 0,
                       a->between ? sizeof(double) : a->type.width);
        }
        a->out_validity[w] = valid;
    }
}

/* ---- words of list(x) ---- */

/* Runs `body` for each row i of the mask, with whether it has a value. */
#define FOR_LISTED(a, count, body)                                                                 \
    do {                                                                                           \
        for (size_t w_ = 0; w_ * 64 < (count); w_++) {                                             \
            uint64_t bits_ = rows_that_count(NULL, (a)->mask, (count), w_);                        \
            uint64_t valid_ = (a)->validity ? (a)->validity[w_] : UINT64_MAX;                      \
            for (; bits_; bits_ &= bits_ - 1) {                                                    \
                size_t i = w_ * 64 + (size_t)__builtin_ctzll(bits_);                               \
                bool has_value = valid_ >> (i % 64) & 1;                                           \
                body;                                                                              \
            }                                                                                      \
        }                                                                                          \
    } while (0)

void ISA_(list_count)(const list_count_arguments *a)
{
    size_t count = kernel_count(a->count);
    const string_view *texts = a->values;
    uint64_t words = 0;
    if (type_is_text(a->type))
        FOR_LISTED(a, count, words += 1 + (has_value ? list_text_words(texts[i].bytes) : 0));
    else
        words = count * (a->type.width > 8 ? 3 : 2);
    *a->out_words += words;
}

/* The place that words go to. */
typedef struct list_target {
    uint64_t *words;
    uint32_t *groups; /* or NULL */
} list_target;

static inline void list_put(list_target *to, uint32_t group, uint64_t word)
{
    *to->words++ = word;
    if (to->groups)
        *to->groups++ = group;
}

static inline void list_put_first(list_target *to, uint32_t group, uint64_t word, bool has_value)
{
    if (!has_value || word == LIST_ESCAPE) {
        list_put(to, group, LIST_ESCAPE);
        word = has_value;
    }
    list_put(to, group, word);
}

/* 64 rows that all have values, unless one is LIST_ESCAPE. */
#define ADD_WORD_OF_ROWS(type)                                                                     \
    static inline bool add_rows_##type(const list_add_arguments *a, size_t first, list_target *to) \
    {                                                                                              \
        const type *values = (const type *)a->values + first;                                      \
        bool has_escape = false;                                                                   \
        for (size_t i = 0; i < 64; i++) {                                                          \
            to->words[i] = values[i];                                                              \
            has_escape |= to->words[i] == LIST_ESCAPE;                                             \
        }                                                                                          \
        if (has_escape)                                                                            \
            return false;                                                                          \
        if (to->groups) {                                                                          \
            memcpy(to->groups, a->groups + first, 64 * sizeof *to->groups);                        \
            to->groups += 64;                                                                      \
        }                                                                                          \
        to->words += 64;                                                                           \
        return true;                                                                               \
    }                                                                                              \
    static void add_numbers_##type(const list_add_arguments *a, size_t count, list_target *to)     \
    {                                                                                              \
        const type *values = a->values;                                                            \
        for (size_t w = 0; w * 64 < count; w++) {                                                  \
            uint64_t bits = rows_that_count(NULL, a->mask, count, w);                              \
            uint64_t valid = a->validity ? a->validity[w] : UINT64_MAX;                            \
            if ((bits & valid) == UINT64_MAX && add_rows_##type(a, w * 64, to))                    \
                continue;                                                                          \
            for (; bits; bits &= bits - 1) {                                                       \
                size_t i = w * 64 + (size_t)__builtin_ctzll(bits);                                 \
                list_put_first(to, a->groups ? a->groups[i] : 0, values[i],                        \
                               valid >> (i % 64) & 1);                                             \
            }                                                                                      \
        }                                                                                          \
    }

ADD_WORD_OF_ROWS(uint8_t)
ADD_WORD_OF_ROWS(uint16_t)
ADD_WORD_OF_ROWS(uint32_t)
ADD_WORD_OF_ROWS(uint64_t)

static void add_bits(const list_add_arguments *a, size_t count, list_target *to)
{
    const uint64_t *bits = a->values;
    FOR_LISTED(
        a, count,
        list_put_first(to, a->groups ? a->groups[i] : 0, bits[i / 64] >> (i % 64) & 1, has_value));
}

static void add_pairs(const list_add_arguments *a, size_t count, list_target *to)
{
    const uint64_t *words = a->values;
    FOR_LISTED(a, count, {
        uint32_t group = a->groups ? a->groups[i] : 0;
        list_put_first(to, group, words[2 * i], has_value);
        if (has_value)
            list_put(to, group, words[2 * i + 1]);
    });
}

static void add_text(list_target *to, uint32_t group, const string_view *text)
{
    uint64_t words = list_text_words(text->bytes), first = words ? LIST_LONG : text->bytes;
    if (!words) {
        uint64_t bytes = 0;
        memcpy(&bytes, kernel_string_data(text), text->bytes);
        list_put(to, group, first | bytes << 8);
        return;
    }
    list_put(to, group, first | (uint64_t)text->bytes << 32);
    to->words[words - 1] = 0;
    memcpy(to->words, kernel_string_data(text), text->bytes);
    to->words += words;
    for (uint64_t i = 0; to->groups && i < words; i++)
        *to->groups++ = group;
}

static void add_texts(const list_add_arguments *a, size_t count, list_target *to)
{
    const string_view *texts = a->values;
    FOR_LISTED(a, count, {
        uint32_t group = a->groups ? a->groups[i] : 0;
        if (i + AHEAD < count)
            string_prefetch(&texts[i + AHEAD], 0);
        if (has_value)
            add_text(to, group, &texts[i]);
        else
            list_put(to, group, LIST_NULL);
    });
}

void ISA_(list_add)(const list_add_arguments *a)
{
    size_t count = kernel_count(a->count);
    list_target to = {a->out + *a->out_count, a->out_groups ? a->out_groups + *a->out_count : NULL};
    if (type_is_text(a->type))
        add_texts(a, count, &to);
    else if (a->type.id == TYPE_BOOL)
        add_bits(a, count, &to);
    else if (a->type.width == 1)
        add_numbers_uint8_t(a, count, &to);
    else if (a->type.width == 2)
        add_numbers_uint16_t(a, count, &to);
    else if (a->type.width == 4)
        add_numbers_uint32_t(a, count, &to);
    else if (a->type.width == 8)
        add_numbers_uint64_t(a, count, &to);
    else
        add_pairs(a, count, &to);
    *a->out_count = (uint64_t)(to.words - a->out);
}

void ISA_(list_bytes)(const list_bytes_arguments *a)
{
    size_t count = kernel_count(a->count);
    uint64_t total = 0, most = a->out[1];
    for (size_t i = 0; i < count; i++) {
        const aggregate_values *list = &a->states[i];
        total += list->first == list->last ? 0 : list->count * sizeof(uint64_t);
        most = list->count > most ? list->count : most;
    }
    a->out[0] += total;
    a->out[1] = most;
}

void ISA_(list_view)(const list_view_arguments *a)
{
    size_t count = kernel_count(a->count);
    char *heap = a->heap;
    memset(a->out_validity, 0, (count + 63) / 64 * sizeof(uint64_t));
    for (size_t i = 0; i < count; i++) {
        const aggregate_values *list = &a->states[i];
        a->out[i] = (string_view){0};
        if (!list->count)
            continue;
        a->out_validity[i / 64] |= (uint64_t)1 << (i % 64);
        if (list->first == list->last) {
            const uint64_t *words = aggregate_values_of(block_at(list->first));
            a->out[i] =
                kernel_string_make((const char *)words, (uint32_t)(list->count * sizeof *words));
            continue;
        }
        a->out[i] = to_blob(list, heap);
        heap += list->count * sizeof(uint64_t);
    }
}
