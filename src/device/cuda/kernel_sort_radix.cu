/* kernel_sort_radix.cu - row numbers sorted by packed keys: digit after digit, least first; each digit is one
 * pass, whose blocks know from those before them where their rows go. (A. Adinets, D. Merrill: Onesweep: A
 * Faster Least Significant Digit Radix Sort for GPUs, 2022)
 *
 * Digits are made of those bits alone that tell rows apart, put side by side: a bit that all rows share says
 * nothing, nor does one that follows from the next higher bit in all rows, as those of a sign do. So a key of
 * 64 bits has eight digits, one of a small range two or three, and a text's digit characters half a digit each.
 *
 * A word of up to 64 such bits travels with the row's number, without the digits that are sorted already: in 8
 * bytes, then in 4, in the last pass not at all. The next word is made from the packed rows again. Launches for
 * digits that there are not do nothing.
 *
 * A text's bits are those of its length and its first RADIX_TEXT_BYTES bytes. Where there are longer texts, rows
 * of one beginning may be in a wrong order, though they stand together: blocks put windows of rows in
 * order by whole keys, which half overlap, and if that was not enough all rows are merged
 * (kernel_sort.cu). Launches find out on the device what they need not do. */
#include "device/cuda/kernel.cuh"
#include "device/cuda/sort_look_back.cuh"
#include "device/cuda/sort_radix.h"
#include "device/cuda/sort_rows.cuh"

#define RADIX_WARPS (CUDA_BLOCK / CUDA_WARP)
#define RADIX_WARP_ROWS (RADIX_TILE_ROWS / RADIX_WARPS)
#define RADIX_WORD_ROWS 4 /* of a thread that makes words */

static_assert(RADIX_VALUES == CUDA_BLOCK, "a thread for each value of a digit");

DEVICE radix_state *radix_of(const cuda_extra &extra)
{
    return (radix_state *)extra.scratch;
}

/* Returns a number of each tile for each value: this digit's table, while the other one is zeroed. */
DEVICE uint32_t *radix_look_back(const sort_rows_arguments &a, const cuda_extra &extra, uint32_t pass)
{
    uint32_t *tables = (uint32_t *)(radix_of(extra) + 1);
    return tables + (pass & 1) * radix_tiles(a.count.bound) * RADIX_VALUES;
}

/* Returns the words that a pass reads. */
DEVICE uint64_t *radix_words(const sort_rows_arguments &a, const cuda_extra &extra, uint32_t pass)
{
    uint32_t *tables = (uint32_t *)(radix_of(extra) + 1);
    uint64_t *words = (uint64_t *)(tables + 2 * radix_tiles(a.count.bound) * RADIX_VALUES);
    return words + (pass & 1) * a.count.bound;
}

/* Returns how many bits the word of a pass has left: 0 where there is nothing to do. */
DEVICE uint32_t radix_bits_left(const radix_state *state, uint32_t pass)
{
    uint32_t before = pass / RADIX_WORD_DIGITS * RADIX_WORD_BITS;
    uint32_t done = pass % RADIX_WORD_DIGITS * RADIX_DIGIT_BITS;
    uint32_t bits = state->bits > before ? state->bits - before : 0;
    bits = bits < RADIX_WORD_BITS ? bits : RADIX_WORD_BITS;
    return bits > done ? bits - done : 0;
}

/* Returns the rows' order after so many passes; before the first one they are in that of their numbers. */
DEVICE uint32_t *radix_order(const sort_rows_arguments &a, const radix_state *state, uint32_t passes)
{
    uint32_t all = (state->bits + RADIX_DIGIT_BITS - 1) / RADIX_DIGIT_BITS;
    return (all - passes) & 1 ? a.scratch : a.out;
}

/* Words of a key: numbers have only the first three. */
DEVICE uint32_t radix_key_words(const sort_rows_arguments &a)
{
    return a.has_text ? RADIX_TEXT_WORDS : RADIX_KEY_WORDS;
}

/* Bytes [8 * chunk, 8 * chunk + 8) of a text, zeros behind it, so that numbers are in their order. */
DEVICE uint64_t radix_text_chunk(const kernel_view *view, uint32_t chunk)
{
    const char *data = kernel_view_data(view);
    uint32_t bytes = kernel_view_bytes(view);
    uint64_t number = 0;
    for (uint32_t k = chunk * 8; k < chunk * 8 + 8; k++)
        number = number << 8 | (k < bytes ? (uint8_t)data[k] : 0);
    return number;
}

/* Word 0: where NULL goes. Of texts then chunks of bytes, and last the length. */
DEVICE uint64_t radix_word_of(const sort_rows_arguments &a, uint64_t row, uint32_t key, uint32_t word)
{
    const uint64_t *words = a.rows + (row * a.key_count + key) * 3;
    if (word == 0)
        return words[0] & 1;
    if (!a.has_text || !(words[0] & SORT_KEY_TEXT))
        return word < 3 ? words[word] : 0;
    kernel_view view = {words[1], words[2]};
    uint32_t bytes = kernel_view_bytes(&view), more = RADIX_TEXT_BYTES + 1;
    uint64_t number = word < RADIX_TEXT_WORDS - 1 ? radix_text_chunk(&view, word - 1)
                                                 : bytes < more ? bytes : more;
    return words[0] & SORT_KEY_DESCENDING ? ~number : number;
}

/* ---- which bits tell rows apart ---- */

DEVICE bool radix_is_long_text(const sort_rows_arguments &a, uint64_t row, uint32_t key)
{
    const uint64_t *words = a.rows + (row * a.key_count + key) * 3;
    return words[0] & SORT_KEY_TEXT && (uint32_t)words[1] > RADIX_TEXT_BYTES;
}

/* Joins bits of the block's threads to a word in memory. Most blocks find what others have found. */
DEVICE void radix_join(uint64_t bits, uint64_t *out)
{
    for (unsigned step = 16; step; step /= 2)
        bits |= __shfl_xor_sync(ALL_LANES, bits, step);
    if (kernel_lane() == 0 && (bits & ~*(const volatile uint64_t *)out))
        atomicOr((word64 *)out, (word64)bits);
}

/* Finds in which bits of words FIRST to END of a key the block's rows differ from the first one, and which are free:
 * not told by the next higher bit, which is the lowest one of the word before where a word ends. */
template <unsigned FIRST, unsigned END>
DEVICE void radix_differ(const sort_rows_arguments &a, uint32_t key, uint64_t first, uint64_t end,
                         const uint64_t *of_first, radix_state *state)
{
    uint64_t differ[END - FIRST] = {}, free[END - FIRST] = {};
    uint32_t at = key * radix_key_words(a) + FIRST;
    for (uint64_t i = first + threadIdx.x; i < end; i += CUDA_BLOCK) {
        uint64_t above = 0;
        for (unsigned word = 0; word < END - FIRST; word++) {
            uint64_t bits = radix_word_of(a, i, key, FIRST + word) ^ of_first[at + word];
            differ[word] |= bits;
            free[word] |= bits ^ (bits >> 1 | above << 63);
            above = bits;
        }
    }
    for (unsigned word = 0; word < END - FIRST; word++) {
        radix_join(differ[word], &state->differ[at + word]);
        radix_join(free[word], &state->free[at + word]);
    }
}

KERNEL_STEP_TOGETHER_WIDE(sort_rows_differ, sort_rows)
{
    __shared__ uint64_t of_first[RADIX_SOURCES_MAX];
    uint64_t count = kernel_count(a.count), first = (uint64_t)blockIdx.x * CUDA_TILE_ROWS;
    uint64_t end = first + CUDA_TILE_ROWS < count ? first + CUDA_TILE_ROWS : count;
    uint32_t words = radix_key_words(a);
    bool has_long_text = false;
    if (first >= count)
        return;
    if (threadIdx.x < a.key_count * words)
        of_first[threadIdx.x] = radix_word_of(a, 0, threadIdx.x / words, threadIdx.x % words);
    __syncthreads();
    for (uint32_t key = 0; key < a.key_count; key++) {
        radix_differ<0, RADIX_KEY_WORDS>(a, key, first, end, of_first, radix_of(extra));
        if (!a.has_text)
            continue;
        radix_differ<RADIX_KEY_WORDS, RADIX_TEXT_WORDS>(a, key, first, end, of_first,
                                                        radix_of(extra));
        for (uint64_t i = first + threadIdx.x; i < end; i += CUDA_BLOCK)
            has_long_text |= radix_is_long_text(a, i, key);
    }
    if (has_long_text)
        radix_of(extra)->has_long_text = 1;
}

/* Returns the bits of source `number` that digits are made of. The least one is the last key's last word. */
DEVICE uint64_t radix_mask(const sort_rows_arguments &a, const radix_state *state, uint32_t number,
                           radix_source *out)
{
    uint32_t words = radix_key_words(a);
    out->key = (uint8_t)(a.key_count - 1 - number / words);
    out->word = (uint8_t)(words - 1 - number % words);
    uint32_t at = out->key * words + out->word;
    return state->differ[at] & state->free[at];
}

/* Finds how bits that lie anywhere come to lie side by side: six times, some of them go down twice as far as before.
 * (H. S. Warren: Hacker's Delight, 7-4) */
DEVICE void radix_steps(uint64_t mask, uint64_t *out)
{
    uint64_t gaps = ~mask << 1;
    for (unsigned step = 0; step < 6; step++) {
        uint64_t odd = gaps;
        for (unsigned distance = 1; distance < 64; distance *= 2)
            odd ^= odd << distance;
        uint64_t moved = odd & mask;
        out[step] = moved;
        mask = (mask ^ moved) | moved >> (1u << step);
        gaps &= ~odd;
    }
}

/* Describes the sources, a thread each. */
KERNEL_STEP_ALONE(sort_rows_sources, sort_rows)
{
    radix_state *state = radix_of(extra);
    uint32_t number = (uint32_t)kernel_row(), sources = a.key_count * radix_key_words(a);
    radix_source source = {};
    if (number >= sources)
        return;
    for (uint32_t i = 0; i < number; i++)
        source.at += (uint32_t)__popcll(radix_mask(a, state, i, &source));
    uint64_t mask = radix_mask(a, state, number, &source);
    source.width = (uint8_t)__popcll(mask);
    source.shift = (uint8_t)(mask ? __ffsll((long long)mask) - 1 : 0);
    source.low = mask >> source.shift;
    source.has_gaps = (source.low & (source.low + 1)) != 0;
    if (source.has_gaps)
        radix_steps(source.low, source.steps);
    state->sources[number] = source;
    if (number == sources - 1)
        state->bits = source.at + source.width;
}

/* ---- a word ---- */

/* Puts a source's bits of a row's word side by side. */
DEVICE uint64_t radix_extract(uint64_t word, const radix_source &source)
{
    uint64_t bits = word >> source.shift & source.low;
    for (unsigned step = 0; source.has_gaps && step < 6; step++) {
        uint64_t moved = bits & source.steps[step];
        bits = (bits ^ moved) | moved >> (1u << step);
    }
    return bits;
}

/* Makes word `number` of a thread's rows, of which those behind `end` are left out. */
DEVICE void radix_make_words(const sort_rows_arguments &a, const radix_source *sources, uint32_t count,
                             uint32_t number, uint64_t first, uint64_t end, const uint32_t *rows,
                             uint64_t *words)
{
    int start = (int)(number * RADIX_WORD_BITS);
    for (unsigned k = 0; k < RADIX_WORD_ROWS; k++)
        words[k] = 0;
    for (uint32_t s = 0; s < count; s++) {
        const radix_source &source = sources[s];
        uint64_t bits[RADIX_WORD_ROWS];
        int at = (int)source.at - start;
        if (!source.width || at >= RADIX_WORD_BITS || at + source.width <= 0)
            continue;
        for (unsigned k = 0; k < RADIX_WORD_ROWS; k++)
            bits[k] = first + k * CUDA_BLOCK < end
                          ? radix_word_of(a, rows[k], source.key, source.word)
                          : 0;
        for (unsigned k = 0; k < RADIX_WORD_ROWS; k++) {
            bits[k] = radix_extract(bits[k], source);
            words[k] |= at < 0 ? bits[k] >> -at : bits[k] << at;
        }
    }
}

/* Adds the values of a word's digits to the block's. */
DEVICE void radix_count(uint32_t (*counts)[RADIX_VALUES], uint64_t word, uint32_t bits)
{
    for (unsigned digit = 0; digit < RADIX_WORD_DIGITS; digit++)
        if (digit * RADIX_DIGIT_BITS < bits)
            atomicAdd(&counts[digit][word >> (digit * RADIX_DIGIT_BITS) & (RADIX_VALUES - 1)], 1u);
}

/* extra.step: the pass that comes next. Makes the word that it begins with, of all rows in the order that they have
 * now, and counts how many have each value of each of its digits. Blocks take tiles in turns. */
KERNEL_STEP_TOGETHER_WIDE(sort_rows_words, sort_rows)
{
    __shared__ uint32_t counts[RADIX_WORD_DIGITS][RADIX_VALUES];
    __shared__ radix_source sources[RADIX_SOURCES_MAX];
    radix_state *state = radix_of(extra);
    uint32_t pass = (uint32_t)extra.step, bits = radix_bits_left(state, pass);
    uint32_t source_count = a.key_count * radix_key_words(a);
    uint64_t count = kernel_count(a.count), *out = radix_words(a, extra, pass);
    const uint32_t *order = radix_order(a, state, pass);
    if (!bits)
        return;
    for (unsigned digit = 0; digit < RADIX_WORD_DIGITS; digit++)
        counts[digit][threadIdx.x] = 0;
    if (threadIdx.x < source_count)
        sources[threadIdx.x] = state->sources[threadIdx.x];
    __syncthreads();
    const uint64_t tile_rows = RADIX_WORD_ROWS * CUDA_BLOCK;
    for (uint64_t tile = blockIdx.x; tile * tile_rows < count; tile += extra.blocks) {
        uint64_t first = tile * tile_rows + threadIdx.x, words[RADIX_WORD_ROWS];
        uint32_t rows[RADIX_WORD_ROWS];
        for (unsigned k = 0; k < RADIX_WORD_ROWS; k++) {
            uint64_t i = first + k * CUDA_BLOCK;
            rows[k] = pass && i < count ? order[i] : (uint32_t)i;
        }
        radix_make_words(a, sources, source_count, pass / RADIX_WORD_DIGITS, first, count, rows,
                         words);
        for (unsigned k = 0; k < RADIX_WORD_ROWS; k++) {
            uint64_t i = first + k * CUDA_BLOCK;
            if (i >= count)
                continue;
            if (bits > 32)
                out[i] = words[k];
            else
                ((uint32_t *)out)[i] = (uint32_t)words[k];
            radix_count(counts, words[k], bits);
        }
    }
    __syncthreads();
    for (unsigned digit = 0; digit < RADIX_WORD_DIGITS; digit++)
        if (digit * RADIX_DIGIT_BITS < bits && counts[digit][threadIdx.x])
            atomicAdd(&state->counts[pass + digit][threadIdx.x], counts[digit][threadIdx.x]);
}

/* ---- a digit ---- */

/* A block's knowledge of its tile. */
typedef struct radix_tile {
    uint32_t counts[RADIX_WARPS][RADIX_VALUES]; /* later: a place in the tile, by warp and value */
    uint32_t base[RADIX_VALUES];                /* what makes a place in the tile one among all rows */
    uint64_t sums[RADIX_WARPS];
    uint32_t rows[RADIX_TILE_ROWS]; /* in the tile's order */
    union {
        uint32_t masks[RADIX_WARPS][RADIX_VALUES]; /* while rows are ranked: lanes by value */
        uint64_t words[RADIX_TILE_ROWS];           /* then in the tile's order, of 8 bytes or of 4 */
    } room;
} radix_tile;

/* A pass, in shared memory, because registers are few: source NULL means that rows are in the order of their
 * numbers. */
typedef struct radix_pass {
    const uint32_t *source;
    uint32_t *target, *look_back, *next_look_back;
    const void *source_words;
    void *target_words;
    uint32_t *tiles_taken;
    uint32_t count, bits, taken; /* rows; bits that words have left; the number of the block's tile */
    uint32_t start[RADIX_VALUES]; /* places of the first row with each value */
} radix_pass;

/* Returns where the row of this lane stands among those of its warp with the same value; all lanes come. The lanes
 * that have a value meet in the value's mask, which the first of them clears again. */
DEVICE uint32_t radix_rank(radix_tile *tile, uint32_t value, bool is_row)
{
    uint32_t *mask = &tile->room.masks[kernel_warp()][value];
    uint32_t *counted = &tile->counts[kernel_warp()][value];
    if (is_row)
        atomicOr(mask, 1u << kernel_lane());
    __syncwarp();
    uint32_t peers = *mask, before = (uint32_t)__popc(peers & ((1u << kernel_lane()) - 1));
    uint32_t rank = *counted + before;
    __syncwarp();
    if (is_row && !before) {
        *counted += (uint32_t)__popc(peers);
        *mask = 0;
    }
    __syncwarp();
    return rank;
}

/* From how many rows of each warp have each value to the places of the first of them. Returns how many of the tile
 * have the thread's, and says so to the tiles behind. */
DEVICE uint32_t radix_places(radix_tile *tile, const radix_pass &p, uint32_t number)
{
    uint32_t own = 0;
    uint64_t total;
    for (unsigned warp = 0; warp < RADIX_WARPS; warp++)
        own += tile->counts[warp][threadIdx.x];
    atomicExch(&p.look_back[number * RADIX_VALUES + threadIdx.x],
               (number ? RADIX_FLAG_OWN : RADIX_FLAG_ALL) | own);
    uint32_t place = (uint32_t)kernel_block_scan(own, tile->sums, &total);
    tile->base[threadIdx.x] = p.start[threadIdx.x] - place;
    for (unsigned warp = 0; warp < RADIX_WARPS; warp++) {
        uint32_t of_warp = tile->counts[warp][threadIdx.x];
        tile->counts[warp][threadIdx.x] = place;
        place += of_warp;
    }
    __syncthreads();
    return own;
}

/* Returns a place in a tile, of which a word holds two: registers are few. */
DEVICE uint32_t radix_place(const uint32_t *places, unsigned k)
{
    return places[k / 2] >> (16 * (k % 2)) & 0xffff;
}

/* Writes the tile's rows in their order, which makes neighbours of those that are neighbours among all, and what is
 * left of their words: FROM says as what they were read, TO as what they are written. Not at all in the last pass. */
template <class FROM, class TO>
DEVICE void radix_write(const radix_pass &p, const radix_tile *tile, uint32_t rows, bool is_last)
{
    const FROM *words = (const FROM *)tile->room.words;
    TO *target_words = (TO *)p.target_words;
    for (unsigned k = 0; k < RADIX_ITEMS; k++) {
        uint32_t i = threadIdx.x + k * CUDA_BLOCK;
        if (i >= rows)
            continue;
        FROM word = words[i];
        uint32_t at = tile->base[(uint32_t)word & (RADIX_VALUES - 1)] + i;
        p.target[at] = tile->rows[i];
        if (!is_last)
            target_words[at] = (TO)(word >> RADIX_DIGIT_BITS);
    }
}

/* Has the rows of the thread's warp, from the lane's first one on, brought near: they are read once few registers
 * hold words. */
DEVICE void radix_prefetch(const uint32_t *source, uint32_t first, uint32_t rows)
{
    const uint32_t line = PREFETCH_BYTES / sizeof *source;
    uint32_t behind = kernel_lane() * (line - 1);
    if (kernel_lane() < RADIX_WARP_ROWS / line && behind < rows)
        kernel_prefetch(&source[first + behind]);
}

/* Reads the words of a tile, ranks its rows by their lowest digit, and puts both in their order. */
template <class WORD>
DEVICE void radix_arrange(const radix_pass &p, radix_tile *tile, uint32_t number)
{
    uint32_t first = number * RADIX_TILE_ROWS + kernel_warp() * RADIX_WARP_ROWS + kernel_lane();
    uint32_t rows = first < p.count ? p.count - first : 0; /* from the lane's first one on */
    uint32_t places[RADIX_ITEMS / 2] = {}, row[RADIX_ITEMS];
    const WORD *source_words = (const WORD *)p.source_words + first;
    WORD words[RADIX_ITEMS];
    for (unsigned k = 0; k < RADIX_ITEMS; k++)
        words[k] = k * CUDA_WARP < rows ? source_words[k * CUDA_WARP] : 0;
    if (p.source)
        radix_prefetch(p.source, first, rows);
    for (unsigned k = 0; k < RADIX_ITEMS; k++)
        places[k / 2] |= radix_rank(tile, (uint32_t)words[k] & (RADIX_VALUES - 1), k * CUDA_WARP < rows)
                         << (16 * (k % 2));
    __syncthreads();
    uint32_t own = radix_places(tile, p, number);
    for (unsigned k = 0; k < RADIX_ITEMS; k++) {
        uint32_t of_warp = tile->counts[kernel_warp()][(uint32_t)words[k] & (RADIX_VALUES - 1)];
        places[k / 2] += of_warp << (16 * (k % 2));
        if (k * CUDA_WARP < rows)
            ((WORD *)tile->room.words)[radix_place(places, k)] = words[k];
    }
    for (unsigned k = 0; k < RADIX_ITEMS; k++) {
        row[k] = first + k * CUDA_WARP;
        if (p.source && k * CUDA_WARP < rows)
            row[k] = p.source[first + k * CUDA_WARP];
    }
    tile->base[threadIdx.x] += radix_before(p.look_back, number, own);
    for (unsigned k = 0; k < RADIX_ITEMS; k++)
        if (k * CUDA_WARP < rows)
            tile->rows[radix_place(places, k)] = row[k];
    __syncthreads();
}

/* Moves a tile. */
DEVICE void radix_move(const radix_pass &p, radix_tile *tile, uint32_t number)
{
    uint32_t left = p.count - number * RADIX_TILE_ROWS, bits = p.bits;
    uint32_t rows = left < RADIX_TILE_ROWS ? left : RADIX_TILE_ROWS;
    if (bits <= 32) {
        radix_arrange<uint32_t>(p, tile, number);
        radix_write<uint32_t, uint32_t>(p, tile, rows, bits <= RADIX_DIGIT_BITS);
        return;
    }
    radix_arrange<uint64_t>(p, tile, number);
    if (bits <= 32 + RADIX_DIGIT_BITS)
        radix_write<uint64_t, uint32_t>(p, tile, rows, false);
    else
        radix_write<uint64_t, uint64_t>(p, tile, rows, false);
}

/* Rows that are equal in all digits are in order. */
DEVICE void radix_identity(const sort_rows_arguments &a, const cuda_extra &extra)
{
    uint64_t count = kernel_count(a.count);
    for (uint64_t i = kernel_row(); i < count; i += extra.blocks * CUDA_BLOCK)
        a.out[i] = (uint32_t)i;
}

DEVICE void radix_begin(const sort_rows_arguments &a, const cuda_extra &extra, radix_pass *p)
{
    radix_state *state = radix_of(extra);
    uint32_t pass = (uint32_t)extra.step;
    p->source = pass ? radix_order(a, state, pass) : NULL;
    p->target = radix_order(a, state, pass + 1);
    p->look_back = radix_look_back(a, extra, pass);
    p->next_look_back = radix_look_back(a, extra, pass + 1);
    p->source_words = radix_words(a, extra, pass);
    p->target_words = radix_words(a, extra, pass + 1);
    p->tiles_taken = &state->tiles_taken[pass];
    p->count = (uint32_t)kernel_count(a.count);
    p->bits = radix_bits_left(state, pass);
}

/* extra.step: which of the passes. The last one writes to out. No more blocks than run at a time take tile after
 * tile: where there is no such digit, they end at once. */
KERNEL_STEP_TOGETHER_WIDE(sort_rows_radix, sort_rows)
{
    __shared__ radix_tile tile;
    __shared__ radix_pass p;
    uint64_t total;
    if (!radix_of(extra)->bits && !extra.step)
        radix_identity(a, extra);
    if (!radix_bits_left(radix_of(extra), (uint32_t)extra.step))
        return;
    uint32_t own = radix_of(extra)->counts[extra.step][threadIdx.x];
    p.start[threadIdx.x] = (uint32_t)kernel_block_scan(own, tile.sums, &total);
    if (threadIdx.x == 0)
        radix_begin(a, extra, &p);
    for (;;) {
        if (threadIdx.x == 0)
            p.taken = atomicAdd(p.tiles_taken, 1u);
        for (unsigned warp = 0; warp < RADIX_WARPS; warp++)
            tile.counts[warp][threadIdx.x] = tile.room.masks[warp][threadIdx.x] = 0;
        __syncthreads();
        uint32_t number = p.taken;
        if ((uint64_t)number * RADIX_TILE_ROWS >= p.count)
            return;
        p.next_look_back[number * RADIX_VALUES + threadIdx.x] = 0;
        radix_move(p, &tile, number);
        __syncthreads();
    }
}

/* ---- rows whose texts begin alike ---- */

/* Sets the word if a row comes before the one in front of it. extra.step: which of the two words. */
KERNEL_STEP_ALONE(sort_rows_verify, sort_rows)
{
    radix_state *state = radix_of(extra);
    uint64_t count = kernel_count(a.count), i = kernel_row();
    bool is_second = extra.step;
    if (!(is_second ? state->is_unsorted : state->has_long_text) || i + 1 >= count)
        return;
    if (sort_rows_before(a, a.out[i + 1], a.out[i]))
        *(is_second ? &state->is_out_of_reach : &state->is_unsorted) = 1;
}

/* Windows of rows from row extra.step on: a row's place is how many of its window come before it. */
KERNEL_STEP_TOGETHER_WIDE(sort_rows_windows, sort_rows)
{
    __shared__ uint32_t rows[RADIX_WINDOW_ROWS];
    uint64_t count = kernel_count(a.count);
    uint64_t first = (uint64_t)blockIdx.x * RADIX_WINDOW_ROWS + extra.step;
    if (!radix_of(extra)->is_unsorted || first >= count)
        return;
    uint32_t window = (uint32_t)(count - first < RADIX_WINDOW_ROWS ? count - first : RADIX_WINDOW_ROWS);
    bool is_row = threadIdx.x < window;
    uint32_t row = is_row ? a.out[first + threadIdx.x] : 0, place = 0;
    rows[threadIdx.x] = row;
    __syncthreads();
    for (uint32_t k = 0; is_row && k < window; k++)
        place += sort_rows_before(a, rows[k], row);
    if (is_row)
        a.out[first + place] = row;
}
