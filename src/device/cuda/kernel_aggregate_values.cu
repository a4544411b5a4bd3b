/* kernel_aggregate_values.cu - values that groups keep: put into lists, lists put together, the value at a share found,
 * by one thread for each group, or, where a group has many, by all of the block. */
#include "device/cuda/kernel.cuh"
#include "device/value/value_code.h"

DEVICE aggregate_values_block *block_at(uint64_t address)
{
    return (aggregate_values_block *)address;
}

DEVICE uint64_t *values_of(aggregate_values_block *block)
{
    return (uint64_t *)(block + 1);
}

#define FOR_BLOCKS(block, list)                                                                    \
    for (aggregate_values_block *block = block_at((list).first); block;                            \
         block = block_at(block->next))

/* Two lists become the state's: it may be empty, the other not. */
DEVICE void put_before(aggregate_values *state, aggregate_values list)
{
    block_at(list.last)->next = state->first;
    state->first = list.first;
    if (!state->last)
        state->last = list.last;
    state->count += list.count;
}

DEVICE void add_block(aggregate_values *state, char *at, uint64_t count)
{
    aggregate_values_block *block = (aggregate_values_block *)at;
    block->next = 0;
    block->count = count;
    block->front = 0;
    put_before(state, {(uint64_t)at, (uint64_t)at, count});
}

/* ---- rows ---- */

KERNEL_ALONE(values_add)
{
    uint64_t count = kernel_count(a.count), i = kernel_row();
    if (!row_counts(a, count, i))
        return;
    uint64_t at = kernel_atomic_add(a.out_count, 1);
    a.out[at] = value_code_at(a.type, a.values, i);
    if (a.out_groups)
        a.out_groups[at] = a.groups[i];
}

KERNEL_ALONE(values_count)
{
    uint64_t count = kernel_count(a.count), i = kernel_row();
    if (!a.groups && i == 0)
        kernel_atomic_add(a.counts, count);
    if (a.groups && i < count)
        kernel_atomic_add(&a.counts[a.groups[i]], 1);
}

KERNEL_ALONE(values_place)
{
    uint64_t count = kernel_count(a.count), g = kernel_row();
    if (g >= count || !a.counts[g])
        return;
    uint64_t values = a.counts[g], head = sizeof(aggregate_values_block);
    uint64_t at = kernel_atomic_add(a.heap_used, head + values * sizeof(uint64_t));
    add_block(&a.states[g], a.heap + at, values);
    a.counts[g] = at + head;
}

KERNEL_ALONE(values_move)
{
    uint64_t count = kernel_count(a.count), i = kernel_row();
    if (i >= count)
        return;
    uint64_t at = kernel_atomic_add(&a.places[a.groups ? a.groups[i] : 0], sizeof(uint64_t));
    *(uint64_t *)(a.heap + at) = a.values[i];
}

/* ---- states ---- */

KERNEL_ALONE(values_merge)
{
    uint64_t count = kernel_count(a.count), i = kernel_row();
    if (i >= count || !a.values[i].count)
        return;
    uint64_t group = a.groups ? a.groups[i] : 0;
    aggregate_values list = a.values[i];
    with_lock(extra.scratch, group, [=]() {
        aggregate_values state = load_fresh(&a.states[group]);
        put_before(&state, list);
        a.states[group] = state;
    });
}

KERNEL_TOGETHER(values_bytes)
{
    uint64_t count = kernel_count(a.count), i = kernel_row();
    uint64_t bytes = i < count ? a.states[i].count * sizeof(uint64_t) : 0;
    kernel_add_total(bytes, a.out_total);
}

/* A blob has at most so many values. */
#define BLOB_VALUES_MAX (UINT32_MAX / sizeof(uint64_t))

KERNEL_TOGETHER_WIDE(values_to_blob)
{
    uint64_t count = kernel_count(a.count), i = kernel_row();
    uint64_t values = i < count ? a.states[i].count : 0;
    if (values > BLOB_VALUES_MAX) {
        kernel_fail(a.error, DEV_ERROR_OVERFLOW, 0, 0);
        values = 0;
    }
    if (i < count) {
        uint64_t bytes = values * sizeof(uint64_t);
        char *target = a.heap + (values ? kernel_atomic_add(a.heap_used, bytes) : 0);
        uint64_t *to = (uint64_t *)target;
        if (values)
            FOR_BLOCKS(block, a.states[i])
                for (uint64_t v = 0; v < block->count; v++)
                    *to++ = values_of(block)[v];
        ((kernel_view *)a.out)[i] = kernel_view_make(target, (uint32_t)bytes);
    }
    kernel_write_bit(a.out_validity, i, count, values != 0);
}

KERNEL_ALONE(values_from_blob)
{
    uint64_t count = kernel_count(a.count), i = kernel_row();
    if (i >= count)
        return;
    kernel_view view = ((const kernel_view *)a.values)[i];
    uint64_t values =
        kernel_is_valid(a.validity, i) ? kernel_view_bytes(&view) / sizeof(uint64_t) : 0;
    aggregate_values state = {0, 0, 0};
    if (values) {
        uint64_t head = sizeof(aggregate_values_block), bytes = values * sizeof(uint64_t);
        char *at = a.heap + kernel_atomic_add(a.heap_used, head + bytes);
        memcpy(at + head, kernel_view_data(&view), bytes);
        add_block(&state, at, values);
    }
    a.states[i] = state;
}

/* ---- the value at a place ---- */

/* The code with so many below it: bit by bit from the top, by how many values begin with what is known of it. */
DEVICE uint64_t select_value(aggregate_values list, uint64_t rank)
{
    uint64_t known = 0;
    for (int bit = 63; bit >= 0; bit--) {
        uint64_t without = 0;
        FOR_BLOCKS(block, list)
            for (uint64_t v = 0; v < block->count; v++)
                without += values_of(block)[v] >> bit == known >> bit;
        if (rank < without)
            continue;
        rank -= without;
        known |= (uint64_t)1 << bit;
    }
    return known;
}

/* The value behind the one at the rank: itself again, if there are more of it. */
DEVICE uint64_t select_next(aggregate_values list, uint64_t value, uint64_t rank)
{
    uint64_t next = ~(uint64_t)0, up_to = 0;
    FOR_BLOCKS(block, list)
        for (uint64_t v = 0; v < block->count; v++) {
            uint64_t x = values_of(block)[v];
            up_to += x <= value;
            next = x > value && x < next ? x : next;
        }
    return up_to > rank + 1 ? value : next;
}

/* The value at the share, whose code is `low`, or lies between that and the next one's. */
DEVICE bool needs_next(const values_select_arguments &a, const aggregate_values &list, uint64_t rank)
{
    double at = a.share * (double)(list.count - 1);
    return a.between && at > floor(at) && rank + 1 < list.count;
}

DEVICE void put_selected(const values_select_arguments &a, uint64_t i, uint64_t low, uint64_t high)
{
    if (a.between)
        ((double *)a.out)[i] = value_code_between(a.share, a.states[i].count, low, high);
    else
        value_code_put(a.type, low, a.out, i);
}

DEVICE void select_one(const values_select_arguments &a, uint64_t i)
{
    aggregate_values list = a.states[i];
    uint64_t rank = value_code_rank(a.share, list.count, a.between);
    uint64_t low = select_value(list, rank);
    put_selected(a, i, low, needs_next(a, list, rank) ? select_next(list, low, rank) : low);
}

/* ---- by all threads of a block ---- */

#define SELECT_ALONE 64 /* values of which a thread finds one by itself */
#define DIGIT_BITS 8

struct select_shared {
    uint64_t counts[CUDA_BLOCK]; /* of values that have the digit of the number */
    uint32_t large[CUDA_BLOCK / CUDA_WARP];
};

/* As select_value, eight bits at a time. */
DEVICE uint64_t select_value_together(aggregate_values list, uint64_t rank, select_shared *s)
{
    uint64_t known = 0;
    for (int shift = 64 - DIGIT_BITS; shift >= 0; shift -= DIGIT_BITS) {
        uint64_t above = ~(uint64_t)0 << shift << DIGIT_BITS; /* none at first */
        s->counts[threadIdx.x] = 0;
        __syncthreads();
        FOR_BLOCKS(block, list)
            for (uint64_t v = threadIdx.x; v < block->count; v += CUDA_BLOCK) {
                uint64_t x = values_of(block)[v];
                if ((x & above) == known)
                    kernel_atomic_add(&s->counts[x >> shift & (CUDA_BLOCK - 1)], 1);
            }
        __syncthreads();
        uint64_t digit = 0;
        for (; rank >= s->counts[digit]; digit++)
            rank -= s->counts[digit];
        known |= digit << shift;
        __syncthreads();
    }
    return known;
}

/* As select_next. */
DEVICE uint64_t select_next_together(aggregate_values list, uint64_t value, uint64_t rank,
                                     select_shared *s)
{
    uint64_t next = ~(uint64_t)0, up_to = 0;
    FOR_BLOCKS(block, list)
        for (uint64_t v = threadIdx.x; v < block->count; v += CUDA_BLOCK) {
            uint64_t x = values_of(block)[v];
            up_to += x <= value;
            next = x > value && x < next ? x : next;
        }
    s->counts[threadIdx.x] = up_to;
    __syncthreads();
    up_to = 0;
    for (unsigned i = 0; i < CUDA_BLOCK; i++)
        up_to += s->counts[i];
    __syncthreads();
    s->counts[threadIdx.x] = next;
    __syncthreads();
    for (unsigned i = 0; i < CUDA_BLOCK; i++)
        next = s->counts[i] < next ? s->counts[i] : next;
    __syncthreads();
    return up_to > rank + 1 ? value : next;
}

DEVICE void select_together(const values_select_arguments &a, uint64_t i, select_shared *s)
{
    aggregate_values list = a.states[i];
    uint64_t rank = value_code_rank(a.share, list.count, a.between);
    uint64_t low = select_value_together(list, rank, s), high = low;
    if (needs_next(a, list, rank))
        high = select_next_together(list, low, rank, s);
    if (threadIdx.x == 0)
        put_selected(a, i, low, high);
}

KERNEL_TOGETHER_WIDE(values_select)
{
    __shared__ select_shared shared;
    uint64_t count = kernel_count(a.count), i = kernel_row();
    uint64_t values = i < count ? a.states[i].count : 0, first = i - threadIdx.x;
    if (values && values <= SELECT_ALONE)
        select_one(a, i);
    else if (i < count && !values && a.between)
        ((double *)a.out)[i] = 0;
    else if (i < count && !values)
        WITH_WIDTH(a.type.width, bytes nothing = {}; ((bytes *)a.out)[i] = nothing;)
    unsigned large = __ballot_sync(ALL_LANES, values > SELECT_ALONE);
    if (threadIdx.x % CUDA_WARP == 0)
        shared.large[threadIdx.x / CUDA_WARP] = large;
    __syncthreads();
    for (unsigned w = 0; w < CUDA_BLOCK / CUDA_WARP; w++)
        for (unsigned bits = shared.large[w]; bits; bits &= bits - 1)
            select_together(a, first + w * CUDA_WARP + (unsigned)__ffs((int)bits) - 1, &shared);
    kernel_write_bit(a.out_validity, i, count, values != 0);
}
