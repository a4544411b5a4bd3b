/* combine.cuh - rows of one group are put together by the threads of a warp and then of a block, before
 * anything is done to the group's state: few groups, or none, make few additions to few addresses.
 *
 * The lanes of a warp whose rows are of one group put their states together pair by pair. The first of
 * them keeps what came of it in the warp's table, if the group has its slot there, or takes a slot that
 * is free; else it goes to the group's state at once. In the end the block puts its warps' tables
 * together, and a thread for each slot adds to the group's state. A launch has no more blocks than run at
 * a time (cuda_shape_turns): each takes tiles in turns, so that however many rows there are, a group is
 * added to by each block once, if groups are few. */
#ifndef PISTACHIO_DEVICE_CUDA_COMBINE_CUH
#define PISTACHIO_DEVICE_CUDA_COMBINE_CUH

#include "device/cuda/kernel.cuh"

#define COMBINE_WARPS (CUDA_BLOCK / CUDA_WARP)
#define COMBINE_SLOTS CUDA_WARP
#define COMBINE_NONE UINT32_MAX /* no group has this number */
#define COMBINE_TURNS (CUDA_TILE_ROWS / CUDA_BLOCK)
/* Rows of a thread that are read before any is put together, so that they are on their way at once: of
 * larger states one. */
#define COMBINE_AHEAD(state) (sizeof(state) <= 24 ? 4u : 1u)

template <class S> struct combine_table {
    S states[COMBINE_WARPS][COMBINE_SLOTS];
    uint32_t groups[COMBINE_WARPS][COMBINE_SLOTS];
};

/* Words of 8 bytes; all lanes come. */
template <class S> DEVICE S combine_shuffle(S state, unsigned lane)
{
    static_assert(sizeof(S) % 8 == 0, "words");
    uint64_t words[sizeof(S) / 8];
    memcpy(words, &state, sizeof state);
    for (unsigned w = 0; w < sizeof(S) / 8; w++)
        words[w] = __shfl_sync(ALL_LANES, words[w], (int)lane);
    memcpy(&state, words, sizeof state);
    return state;
}

/* Joins the states of the lanes that share `peers` in the first of them. Lanes without a row, whose peers are empty,
 * come too. (E. Westphal: Voting and Shuffling to Optimize Atomic Operations, 2015) */
template <class S, class JOIN> DEVICE void combine_peers(unsigned peers, S *state, JOIN join)
{
    unsigned lane = kernel_lane(), above = peers & (0xfffffffeu << lane);
    unsigned rank = (unsigned)__popc(peers & ((1u << lane) - 1));
    while (__ballot_sync(ALL_LANES, above != 0)) {
        S other = combine_shuffle(*state, above ? (unsigned)__ffs((int)above) - 1 : lane);
        bool is_taken = rank & 1; /* by the one before, who from then on stands for both */
        if (above && !is_taken)
            join(state, &other);
        unsigned stays = __ballot_sync(ALL_LANES, !is_taken);
        above = is_taken ? 0 : above & stays;
        rank /= 2;
    }
}

/* Adds the lane's state of `group` to the warp's table, or by put(group, &state) where it is at home. */
template <class S, class JOIN, class PUT>
DEVICE void combine_keep(combine_table<S> *table, uint32_t group, S state, JOIN join, PUT put)
{
    unsigned peers = __match_any_sync(ALL_LANES, group), slot = group % COMBINE_SLOTS;
    S *kept = &table->states[kernel_warp()][slot];
    if (group == COMBINE_NONE)
        peers = 0;
    combine_peers(peers, &state, join);
    if (peers && !(peers & ((1u << kernel_lane()) - 1))) {
        uint32_t found = atomicCAS(&table->groups[kernel_warp()][slot], COMBINE_NONE, group);
        if (found == COMBINE_NONE)
            *kept = state;
        else if (found == group)
            join(kept, &state);
        else
            put(group, &state);
    }
    __syncwarp();
}

/* A thread for each warp's slots: the first warp that has a group takes what the others have of it. */
template <class S, class JOIN, class PUT>
DEVICE void combine_put(combine_table<S> *table, JOIN join, PUT put)
{
    unsigned slot = kernel_lane();
    uint32_t group = table->groups[kernel_warp()][slot];
    bool is_first = group != COMBINE_NONE;
    for (unsigned warp = 0; warp < kernel_warp(); warp++)
        is_first &= table->groups[warp][slot] != group;
    if (!is_first)
        return;
    S state = table->states[kernel_warp()][slot];
    for (unsigned warp = kernel_warp() + 1; warp < COMBINE_WARPS; warp++)
        if (table->groups[warp][slot] == group)
            join(&state, &table->states[warp][slot]);
    put(group, &state);
}

/* Returns whether row i is there, has a value and is not masked, for an aggregate. */
template <class A> DEVICE bool row_counts(const A &a, uint64_t count, uint64_t i)
{
    return i < count && kernel_is_valid(a.validity, i) && kernel_is_valid(a.mask, i);
}

/* All rows of the launch. load(i, &state): the state of row i alone; false: the row does not count.
 * join(&state, &other): both together. put(group, &state): what is added to the group's state, which
 * other blocks do as well. groups NULL: all rows are group 0's. */
template <class S, class LOAD, class JOIN, class PUT>
DEVICE void combine_rows(const cuda_extra &extra, uint64_t count, const uint32_t *groups,
                         combine_table<S> *table, LOAD load, JOIN join, PUT put)
{
    const unsigned ahead = COMBINE_AHEAD(S);
    S sum = {};
    bool has_sum = false;
    table->groups[kernel_warp()][kernel_lane()] = COMBINE_NONE;
    __syncwarp();
    for (uint64_t first = (uint64_t)blockIdx.x * CUDA_TILE_ROWS; first < count;
         first += extra.blocks * CUDA_TILE_ROWS)
        for (unsigned turn = 0; turn < COMBINE_TURNS; turn += ahead) {
            S states[ahead] = {};
            uint32_t of[ahead];
            for (unsigned k = 0; k < ahead; k++) {
                uint64_t i = first + (turn + k) * CUDA_BLOCK + threadIdx.x;
                bool is_row = i < count && load(i, &states[k]);
                of[k] = !is_row ? COMBINE_NONE : groups ? groups[i] : 0;
            }
            for (unsigned k = 0; k < ahead; k++) {
                if (groups)
                    combine_keep(table, of[k], states[k], join, put);
                else if (of[k] != COMBINE_NONE && has_sum)
                    join(&sum, &states[k]);
                else if (of[k] != COMBINE_NONE)
                    sum = states[k];
                has_sum |= of[k] != COMBINE_NONE;
            }
        }
    if (!groups)
        combine_keep(table, has_sum ? 0 : COMBINE_NONE, sum, join, put);
    __syncthreads();
    combine_put(table, join, put);
}

/* Adds what each thread has of all rows, states of which one with a count of 0 has none, to that of group 0. */
template <class S, class JOIN, class PUT>
DEVICE void combine_all(S sum, combine_table<S> *table, JOIN join, PUT put)
{
    table->groups[kernel_warp()][kernel_lane()] = COMBINE_NONE;
    __syncwarp();
    combine_keep(table, sum.count ? 0 : COMBINE_NONE, sum, join, put);
    __syncthreads();
    combine_put(table, join, put);
}

/* ---- few groups ----
 * Each thread has a state of each group in registers, so that no row is put together with others of its warp before the
 * end. Groups of more than these would take more registers than multiprocessors have for enough threads. */

#define COMBINE_FEW 4u

/* Returns whether only few groups occur, given the bits of those that do (NULL: not known). */
DEVICE bool combine_has_few(const uint64_t *present)
{
    return present && (unsigned)__popcll(*present) <= COMBINE_FEW;
}

/* As combine_rows. A state of zeros must change nothing that it is joined or put to. */
template <class S, class LOAD, class JOIN, class PUT>
DEVICE void combine_few(const cuda_extra &extra, uint64_t count, const uint32_t *groups,
                        uint64_t present, combine_table<S> *table, LOAD load, JOIN join, PUT put)
{
    const unsigned ahead = COMBINE_AHEAD(S);
    S sums[COMBINE_FEW] = {};
    table->groups[kernel_warp()][kernel_lane()] = COMBINE_NONE;
    __syncwarp();
    for (uint64_t first = (uint64_t)blockIdx.x * CUDA_TILE_ROWS; first < count;
         first += extra.blocks * CUDA_TILE_ROWS)
        for (unsigned turn = 0; turn < COMBINE_TURNS; turn += ahead) {
            S states[ahead] = {};
            unsigned of[ahead];
            for (unsigned k = 0; k < ahead; k++) {
                uint64_t i = first + (turn + k) * CUDA_BLOCK + threadIdx.x;
                bool is_row = i < count && load(i, &states[k]);
                uint64_t before = is_row ? ((uint64_t)1 << (groups[i] & 63)) - 1 : 0;
                of[k] = is_row ? (unsigned)__popcll(present & before) : COMBINE_FEW;
            }
            for (unsigned k = 0; k < ahead; k++) {
                KERNEL_UNROLLED
                for (unsigned s = 0; s < COMBINE_FEW; s++) {
                    /* With a branch here the compiler would index the sums, in memory. */
                    S state = of[k] == s ? states[k] : S();
                    join(&sums[s], &state);
                }
            }
        }
    KERNEL_UNROLLED
    for (unsigned s = 0; s < COMBINE_FEW; s++, present &= present - 1)
        if (present)
            combine_keep(table, (uint32_t)__popcll((present & (0 - present)) - 1), sums[s], join, put);
    __syncthreads();
    combine_put(table, join, put);
}

/* Calls combine_few if few groups occur, else combine_rows. */
template <class S, class LOAD, class JOIN, class PUT>
DEVICE void combine_sums(const cuda_extra &extra, uint64_t count, const uint32_t *groups,
                         const uint64_t *present, combine_table<S> *table, LOAD load, JOIN join,
                         PUT put)
{
    if (groups && combine_has_few(present))
        combine_few(extra, count, groups, *present, table, load, join, put);
    else
        combine_rows(extra, count, groups, table, load, join, put);
}

/* ---- states without a form of atomics ---- */

/* One thread at a time has the word of the scratch that its group falls to. */
template <class BODY> DEVICE void with_lock(uint64_t *scratch, uint64_t group, BODY body)
{
    word64 *lock = (word64 *)scratch + group % CUDA_LOCKS;
    for (bool is_done = false; !is_done;)
        if (atomicCAS(lock, (word64)0, (word64)1) == 0) {
            __threadfence();
            body();
            __threadfence();
            atomicExch(lock, (word64)0);
            is_done = true;
        }
}

/* Loads what another thread wrote, not what this one's cache has. */
template <class T> DEVICE T load_fresh(const T *at)
{
    T value;
    static_assert(sizeof(T) % 8 == 0, "words");
    for (unsigned i = 0; i < sizeof(T) / 8; i++)
        ((uint64_t *)&value)[i] = ((const volatile uint64_t *)at)[i];
    return value;
}

#endif
