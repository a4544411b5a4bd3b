/* kernel_over_aggregate.cu - aggregates of ranges of rows.
 *
 * Level k of a tree has the states of 2^k rows each; the rows themselves are level 0, and nodes of fewer
 * rows there are none. So the tree has fewer nodes than there are rows, and stands in `scratch`. It is
 * built CUDA_TILE_LEVELS at a time; then each row puts its range together, of at most two nodes a level, from
 * left to right. Nothing is ever subtracted, and no row is used that is not in the range: any state that
 * can be put together will do. Counts need no tree: they are differences of sums. */
#include "device/cuda/over.cuh"
#include "device/value/bits_value.h"
#include "device/value/pair_value.h"

/* ---- counts ---- */

KERNEL_STEP_TOGETHER_WIDE(over_count_sums, over_count)
{
    __shared__ uint64_t shared[OVER_SHARED_WORDS];
    if (kernel_row() == 0)
        a.sums[0] = 0;
    over_number_marks(
        extra, kernel_count(a.count), shared, NULL,
        [&](uint64_t i) { return kernel_bit(a.validity, i); },
        [&](uint64_t i, uint64_t number, bool) { a.sums[i + 1] = (uint32_t)number; });
}

KERNEL_ALONE(over_count)
{
    uint64_t count = kernel_count(a.count), i = kernel_row();
    if (i >= count)
        return;
    uint32_t from = a.from[i], to = a.to[i];
    uint64_t rows = from < to ? a.validity ? a.sums[to] - a.sums[from] : to - from : 0;
    a.states[i] = rows + (a.combine ? a.states[i] : 0);
}

/* ---- the tree ---- */

/* Returns where level `level`, from 1, begins: the number of nodes on the levels below. */
DEVICE uint64_t tree_level(uint64_t count, unsigned level)
{
    uint64_t below = count >> (level - 1);
    uint64_t all = count - (uint64_t)__popcll(count);
    return all - (below - (uint64_t)__popcll(below));
}

template <class S>
DEVICE void tree_put(S *tree, uint64_t count, unsigned level, uint64_t node, S state)
{
    if (node < count >> level)
        tree[tree_level(count, level) + node] = state;
}

template <class S, class VALUE>
DEVICE S tree_node(const S *tree, uint64_t count, unsigned level, uint64_t node, VALUE value)
{
    return level ? tree[tree_level(count, level) + node] : value(node);
}

/* The levels above extra.step. value(k): the state of row k alone. `shared`: a state for each thread. */
template <class S, class VALUE, class JOIN>
DEVICE void tree_build(const cuda_extra &extra, S *tree, uint64_t count, S nothing, S *shared,
                       VALUE value, JOIN join)
{
    unsigned level = (unsigned)extra.step;
    uint64_t nodes = count >> level, block = blockIdx.x;
    uint64_t first = block * CUDA_TILE_ROWS + threadIdx.x * 8;
    S own[8];
    if (block * CUDA_TILE_ROWS >= nodes)
        return;
    for (unsigned k = 0; k < 8; k++)
        own[k] = first + k < nodes ? tree_node(tree, count, level, first + k, value) : nothing;
    for (unsigned size = 4; size; size /= 2) {
        level++;
        first /= 2;
        for (unsigned k = 0; k < size; k++) {
            own[k] = join(own[2 * k], own[2 * k + 1]);
            tree_put(tree, count, level, first + k, own[k]);
        }
    }
    for (unsigned threads = CUDA_BLOCK / 2; threads; threads /= 2) {
        level++;
        shared[threadIdx.x] = own[0];
        __syncthreads();
        if (threadIdx.x < threads) {
            own[0] = join(shared[2 * threadIdx.x], shared[2 * threadIdx.x + 1]);
            tree_put(tree, count, level, block * threads + threadIdx.x, own[0]);
        }
        __syncthreads();
    }
}

/* The state of rows [from, to). */
template <class S, class VALUE, class JOIN>
DEVICE S tree_range(const S *tree, uint64_t count, uint64_t from, uint64_t to, S nothing,
                    VALUE value, JOIN join)
{
    S found = nothing;
    while (from < to) {
        unsigned level = 63 - (unsigned)__clzll((long long)(to - from));
        unsigned aligned = from ? (unsigned)__ffsll((long long)from) - 1 : level;
        level = aligned < level ? aligned : level;
        found = join(found, tree_node(tree, count, level, from >> level, value));
        from += (uint64_t)1 << level;
    }
    return found;
}

/* The two steps of an aggregate: row(a, k) is the state of row k alone, join(a, left, right) puts two
 * together. */
#define BUILD_TREE(state, none, row, join)                                                         \
    __shared__ state shared[CUDA_BLOCK];                                                           \
    tree_build(                                                                                    \
        extra, (state *)a.scratch, kernel_count(a.count), none, shared,                            \
        [&](uint64_t k) { return row(a, k); },                                                     \
        [&](state left, state right) { return join(a, left, right); })

#define USE_TREE(state, none, row, join)                                                           \
    uint64_t count = kernel_count(a.count), i = kernel_row();                                      \
    if (i >= count)                                                                                \
        return;                                                                                    \
    state *states = (state *)a.states;                                                             \
    state found = tree_range(                                                                      \
        (const state *)a.scratch, count, a.from[i], a.to[i], none,                                 \
        [&](uint64_t k) { return row(a, k); },                                                     \
        [&](state left, state right) { return join(a, left, right); });                            \
    states[i] = a.combine ? join(a, states[i], found) : found

/* ---- sums ---- */

/* A sum that left the range: nothing else is this number, as decimals have 38 digits at most. A node of
 * it fails the rows whose range has it, and no others. */
#define SUM_LOST ((int128)((uint128)1 << 127))

DEVICE int128 join_sums(const over_sum_arguments &, int128 left, int128 right)
{
    int128 sum;
    bool is_lost = left == SUM_LOST || right == SUM_LOST;
    return kernel_add_overflows(left, right, &sum) || is_lost ? SUM_LOST : sum;
}

DEVICE int128 sum_of_row(const over_sum_arguments &a, uint64_t k)
{
    if (!kernel_is_valid(a.validity, k))
        return 0;
    WITH_INTEGER(a.type, return ((const number *)a.values)[k];)
}

KERNEL_STEP_TOGETHER(over_sum_tree, over_sum)
{
    BUILD_TREE(int128, (int128)0, sum_of_row, join_sums);
}

KERNEL_ALONE(over_sum)
{
    USE_TREE(int128, (int128)0, sum_of_row, join_sums);
    if (states[i] == SUM_LOST)
        kernel_fail(a.error, DEV_ERROR_OVERFLOW, a.location, 0);
}

/* Joins sums; the error keeps what rounding loses (D. Knuth's two-sum). */
DEVICE aggregate_number join_numbers(const over_sum_number_arguments &, aggregate_number left, aggregate_number right)
{
    double sum = left.sum + right.sum, part = sum - left.sum;
    double lost = (left.sum - (sum - part)) + (right.sum - part);
    aggregate_number joined = {sum, left.error + right.error + lost};
    return joined;
}

DEVICE aggregate_number number_of_row(const over_sum_number_arguments &a, uint64_t k)
{
    aggregate_number number = {kernel_is_valid(a.validity, k) ? a.values[k] : 0, 0};
    return number;
}

#define NO_NUMBER (aggregate_number{0, 0})

KERNEL_STEP_TOGETHER(over_sum_number_tree, over_sum_number)
{
    BUILD_TREE(aggregate_number, NO_NUMBER, number_of_row, join_numbers);
}

KERNEL_ALONE(over_sum_number)
{
    USE_TREE(aggregate_number, NO_NUMBER, number_of_row, join_numbers);
}

DEVICE aggregate_variance join_variances(const over_vary_arguments &, aggregate_variance left, aggregate_variance right)
{
    if (!left.count || !right.count)
        return left.count ? left : right;
    double n = (double)left.count, m = (double)right.count, delta = right.mean - left.mean;
    aggregate_variance joined = {
        left.mean + delta * (m / (n + m)),
        left.squares + right.squares + delta * delta * (n * m / (n + m)),
        left.count + right.count,
    };
    return joined;
}

DEVICE aggregate_variance variance_of_row(const over_vary_arguments &a, uint64_t k)
{
    aggregate_variance none = {0, 0, 0}, one = {a.values[k], 0, 1};
    return kernel_is_valid(a.validity, k) ? one : none;
}

#define NO_VARIANCE (aggregate_variance{0, 0, 0})

KERNEL_STEP_TOGETHER(over_vary_tree, over_vary)
{
    BUILD_TREE(aggregate_variance, NO_VARIANCE, variance_of_row, join_variances);
}

KERNEL_ALONE(over_vary)
{
    USE_TREE(aggregate_variance, NO_VARIANCE, variance_of_row, join_variances);
}

/* ---- pairs ---- */

DEVICE aggregate_pair join_pairs(const over_pair_arguments &, aggregate_pair left, aggregate_pair right)
{
    pair_merge(&left, &right);
    return left;
}

DEVICE aggregate_pair pair_of_row(const over_pair_arguments &a, uint64_t k)
{
    aggregate_pair pair = {0, 0, 0, 0, 0, 0, 0, 0};
    if (kernel_is_valid(a.validity, k) && kernel_is_valid(a.second_validity, k))
        pair_add(&pair, a.second[k], a.values[k]);
    return pair;
}

#define NO_PAIR (aggregate_pair{0, 0, 0, 0, 0, 0, 0, 0})

KERNEL_STEP_TOGETHER(over_pair_tree, over_pair)
{
    BUILD_TREE(aggregate_pair, NO_PAIR, pair_of_row, join_pairs);
}

KERNEL_ALONE(over_pair)
{
    USE_TREE(aggregate_pair, NO_PAIR, pair_of_row, join_pairs);
}

/* ---- bits ---- */

DEVICE uint64_t no_bits(const over_bits_arguments &a)
{
    return bits_begin(a.op);
}

DEVICE uint64_t bits_of_row(const over_bits_arguments &a, uint64_t k)
{
    if (!kernel_is_valid(a.validity, k))
        return no_bits(a);
    switch (a.width) {
    case 1:
        return ((const uint8_t *)a.values)[k];
    case 2:
        return ((const uint16_t *)a.values)[k];
    case 4:
        return ((const uint32_t *)a.values)[k];
    default:
        return ((const uint64_t *)a.values)[k];
    }
}

DEVICE uint64_t join_bits(const over_bits_arguments &a, uint64_t left, uint64_t right)
{
    return bits_join(a.op, left, right);
}

KERNEL_STEP_TOGETHER(over_bits_tree, over_bits)
{
    BUILD_TREE(uint64_t, no_bits(a), bits_of_row, join_bits);
}

KERNEL_ALONE(over_bits)
{
    USE_TREE(uint64_t, no_bits(a), bits_of_row, join_bits);
}

KERNEL_ALONE(over_narrow)
{
    uint64_t count = kernel_count(a.count), i = kernel_row();
    if (i >= count)
        return;
    uint64_t state = a.states[i];
    switch (a.width) {
    case 1:
        ((uint8_t *)a.out)[i] = (uint8_t)state;
        break;
    case 2:
        ((uint16_t *)a.out)[i] = (uint16_t)state;
        break;
    case 4:
        ((uint32_t *)a.out)[i] = (uint32_t)state;
        break;
    default:
        ((uint64_t *)a.out)[i] = state;
    }
}

/* ---- the least and the greatest ---- */

DEVICE uint32_t picked_row(const over_pick_arguments &a, uint64_t k)
{
    return kernel_is_valid(a.validity, k) ? (uint32_t)k : ROW_NULL;
}

/* Joins picked rows; of equal values the first. */
DEVICE uint32_t join_picked(const over_pick_arguments &a, uint32_t left, uint32_t right)
{
    if (left == ROW_NULL || right == ROW_NULL)
        return left == ROW_NULL ? right : left;
    int order = over_compare(a.type, a.values, right, a.values, left);
    return (a.is_greatest ? order > 0 : order < 0) ? right : left;
}

KERNEL_STEP_TOGETHER_WIDE(over_pick_tree, over_pick)
{
    BUILD_TREE(uint32_t, (uint32_t)ROW_NULL, picked_row, join_picked);
}

KERNEL_ALONE_WIDE(over_pick)
{
    USE_TREE(uint32_t, (uint32_t)ROW_NULL, picked_row, join_picked);
}
