/* kernel_sort_radix.cu - row numbers sorted by packed keys: digit after digit, least first, only those in
 * which rows differ; each digit is one pass, whose blocks know from those before them where their rows
 * go. (A. Adinets, D. Merrill: Onesweep: A Faster Least Significant Digit Radix Sort for GPUs, 2022)
 *
 * A text's digits are its length and its first RADIX_TEXT_BYTES bytes. Where there are longer texts, rows
 * of one beginning may be in a wrong order, though they stand together: blocks put windows of rows in
 * order by whole keys, which half overlap, and if that was not enough all rows are merged
 * (kernel_sort.cu). Launches find out on the device what they need not do.
 *
 * The key's word travels with the row's number while digits of the same word follow each other; the
 * next word is read from the packed row again. Launches for digits that do not differ do nothing. */
#include "device/cuda/kernel.cuh"
#include "device/cuda/sort_radix.h"
#include "device/cuda/sort_rows.cuh"

#define RADIX_WARPS (CUDA_BLOCK / CUDA_WARP)
#define RADIX_ITEMS (RADIX_TILE_ROWS / CUDA_BLOCK) /* of a thread */
#define RADIX_FLAG_OWN (1u << 30)
#define RADIX_FLAG_ALL (2u << 30)
#define RADIX_NUMBER ((1u << 30) - 1)

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

DEVICE uint64_t *radix_words(const sort_rows_arguments &a, const cuda_extra &extra, uint32_t pass)
{
    uint32_t *tables = (uint32_t *)(radix_of(extra) + 1);
    uint64_t *words = (uint64_t *)(tables + 2 * radix_tiles(a.count.bound) * RADIX_VALUES);
    return words + (pass & 1) * a.count.bound;
}

/* The next digit in which rows differ, from the one numbered *at on, least first. A key's least is the
 * length of texts, its greatest where NULL goes. */
DEVICE bool radix_next(const sort_rows_arguments &a, const radix_state *state, uint32_t *at,
                       radix_digit *out)
{
    uint32_t digits = a.has_text ? RADIX_TEXT_DIGITS : RADIX_KEY_DIGITS;
    uint32_t words = a.has_text ? RADIX_TEXT_CHUNKS : 2;
    while (*at < a.key_count * digits) {
        uint32_t key = a.key_count - 1 - *at / digits, digit = *at % digits + !a.has_text;
        uint32_t word = digit ? words - (digit - 1) / 8 : RADIX_KEY_WORDS - 1;
        uint32_t shift = digit && word ? (digit - 1) % 8 * 8 : 0;
        uint64_t differ = state->differ[key * RADIX_KEY_WORDS + word] >> shift;
        if (!differ && digit && word) { /* nor do the word's other digits */
            *at += 8 - shift / 8;
            continue;
        }
        ++*at;
        if (differ & (RADIX_VALUES - 1)) {
            *out = {(uint8_t)key, (uint8_t)word, (uint8_t)shift, (uint8_t)(differ < RADIX_VALUES)};
            return true;
        }
    }
    return false;
}

DEVICE uint32_t radix_value(uint64_t word, radix_digit digit)
{
    return (uint32_t)(word >> digit.shift) & (RADIX_VALUES - 1);
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
    uint64_t number = word < RADIX_KEY_WORDS - 1 ? radix_text_chunk(&view, word - 1)
                                                 : bytes < more ? bytes : more;
    return words[0] & SORT_KEY_DESCENDING ? ~number : number;
}

/* ---- what differs ---- */

DEVICE bool radix_is_long_text(const sort_rows_arguments &a, uint64_t row, uint32_t key)
{
    const uint64_t *words = a.rows + (row * a.key_count + key) * 3;
    return words[0] & SORT_KEY_TEXT && (uint32_t)words[1] > RADIX_TEXT_BYTES;
}

/* In which bits of a key's WORDS words the block's rows differ from the first one. Each row is read once. */
template <unsigned WORDS>
DEVICE void radix_differ(const sort_rows_arguments &a, uint32_t key, uint64_t first, uint64_t end,
                         uint64_t *out)
{
    uint64_t of_first[WORDS], differ[WORDS] = {};
    for (unsigned word = 0; word < WORDS; word++)
        of_first[word] = radix_word_of(a, 0, key, word);
    for (uint64_t i = first + threadIdx.x; i < end; i += CUDA_BLOCK)
        for (unsigned word = 0; word < WORDS; word++)
            differ[word] |= radix_word_of(a, i, key, word) ^ of_first[word];
    for (unsigned word = 0; word < WORDS; word++) {
        for (unsigned step = 16; step; step /= 2)
            differ[word] |= __shfl_xor_sync(ALL_LANES, differ[word], step);
        /* Most blocks find what others have found. */
        if (kernel_lane() == 0 && (differ[word] & ~*(const volatile uint64_t *)&out[word]))
            atomicOr((word64 *)&out[word], (word64)differ[word]);
    }
}

KERNEL_STEP_TOGETHER_WIDE(sort_rows_differ, sort_rows)
{
    uint64_t count = kernel_count(a.count), first = (uint64_t)blockIdx.x * CUDA_TILE_ROWS;
    uint64_t end = first + CUDA_TILE_ROWS < count ? first + CUDA_TILE_ROWS : count;
    bool has_long_text = false;
    if (first >= count)
        return;
    for (uint32_t key = 0; key < a.key_count; key++) {
        uint64_t *differ = &radix_of(extra)->differ[key * RADIX_KEY_WORDS];
        if (!a.has_text) {
            radix_differ<3>(a, key, first, end, differ);
            continue;
        }
        radix_differ<RADIX_KEY_WORDS>(a, key, first, end, differ);
        for (uint64_t i = first + threadIdx.x; i < end; i += CUDA_BLOCK)
            has_long_text |= radix_is_long_text(a, i, key);
    }
    if (has_long_text)
        radix_of(extra)->has_long_text = 1;
}

/* Which digits there are to sort by: one thread makes their list. */
KERNEL_STEP_ALONE(sort_rows_digits, sort_rows)
{
    radix_state *state = radix_of(extra);
    uint32_t at = 0, digits = 0;
    radix_digit digit;
    if (threadIdx.x)
        return;
    while (radix_next(a, state, &at, &digit))
        state->digits[digits++] = digit;
    state->digit_count = digits;
}

#define RADIX_WORD_DIGITS 8

/* The digits of the word that digit `number` is of: a bit for each. */
DEVICE unsigned radix_word_digits(const radix_state *state, uint32_t number)
{
    radix_digit first = state->digits[number], digit = first;
    unsigned found = 0;
    for (; number < state->digit_count; number++) {
        digit = state->digits[number];
        if (digit.key != first.key || digit.word != first.word)
            break;
        found |= 1u << (digit.shift / 8);
    }
    return found;
}

/* How many rows have each value of each digit in which any differ: digits of one word together, as reading it
 * is what takes long. Blocks take tiles in turns. */
KERNEL_STEP_TOGETHER_WIDE(sort_rows_counts, sort_rows)
{
    __shared__ uint32_t counts[RADIX_WORD_DIGITS][RADIX_VALUES];
    radix_state *state = radix_of(extra);
    uint64_t count = kernel_count(a.count);
    for (uint32_t number = 0; number < state->digit_count;) {
        radix_digit of = state->digits[number];
        unsigned digits = radix_word_digits(state, number);
        for (unsigned k = 0; k < RADIX_WORD_DIGITS; k++)
            counts[k][threadIdx.x] = 0;
        __syncthreads();
        for (uint64_t tile = blockIdx.x; tile * CUDA_TILE_ROWS < count; tile += extra.blocks) {
            uint64_t words[CUDA_TILE_ROWS / CUDA_BLOCK];
            uint64_t first = tile * CUDA_TILE_ROWS + threadIdx.x;
            for (unsigned k = 0; k < CUDA_TILE_ROWS / CUDA_BLOCK; k++)
                words[k] = first + k * CUDA_BLOCK < count
                               ? radix_word_of(a, first + k * CUDA_BLOCK, of.key, of.word)
                               : 0;
            for (unsigned k = 0; k < CUDA_TILE_ROWS / CUDA_BLOCK; k++)
                for (unsigned d = 0; d < RADIX_WORD_DIGITS; d++)
                    if (first + k * CUDA_BLOCK < count && (digits >> d & 1))
                        atomicAdd(&counts[d][words[k] >> (8 * d) & (RADIX_VALUES - 1)], 1u);
        }
        __syncthreads();
        for (unsigned d = 0; d < RADIX_WORD_DIGITS; d++)
            if (digits >> d & 1) {
                uint32_t own = counts[d][threadIdx.x];
                if (own)
                    atomicAdd(&state->counts[number][threadIdx.x], own);
                number++;
            }
        __syncthreads();
    }
}

/* ---- a digit ---- */

/* A block's knowledge of its tile. */
typedef struct radix_tile {
    uint32_t counts[RADIX_WARPS][RADIX_VALUES]; /* later: a place in the tile, by warp and value */
    uint32_t base[RADIX_VALUES];                /* what makes a place in the tile one among all rows */
    uint64_t sums[RADIX_WARPS];
    union {
        uint32_t masks[RADIX_WARPS][RADIX_VALUES]; /* while rows are ranked: lanes by value */
        uint64_t moved[RADIX_TILE_ROWS];           /* words, then numbers, in the tile's order */
    } room;
} radix_tile;

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

/* How many rows of the tiles before have the thread's value. */
DEVICE uint32_t radix_before(uint32_t *table, uint64_t tile, uint32_t own)
{
    uint32_t before = 0;
    if (tile)
        atomicExch(&table[tile * RADIX_VALUES + threadIdx.x], RADIX_FLAG_OWN | own);
    for (uint64_t t = tile; t-- > 0;) {
        const volatile uint32_t *at = &table[t * RADIX_VALUES + threadIdx.x];
        uint32_t found;
        do
            found = *at;
        while (!(found & ~RADIX_NUMBER));
        before += found & RADIX_NUMBER;
        if (found & RADIX_FLAG_ALL)
            break;
    }
    atomicExch(&table[tile * RADIX_VALUES + threadIdx.x], RADIX_FLAG_ALL | (before + own));
    return before;
}

/* From how many rows of each warp have each value to the places of the first of them. */
DEVICE void radix_places(radix_tile *tile, uint32_t *table, uint64_t number, uint32_t count_of_all)
{
    uint32_t own = 0;
    uint64_t total;
    for (unsigned warp = 0; warp < RADIX_WARPS; warp++) {
        uint32_t of_warp = tile->counts[warp][threadIdx.x];
        tile->counts[warp][threadIdx.x] = own;
        own += of_warp;
    }
    uint32_t before = radix_before(table, number, own);
    uint32_t start = (uint32_t)kernel_block_scan(count_of_all, tile->sums, &total);
    __syncthreads();
    uint32_t in_tile = (uint32_t)kernel_block_scan(own, tile->sums, &total);
    for (unsigned warp = 0; warp < RADIX_WARPS; warp++)
        tile->counts[warp][threadIdx.x] += in_tile;
    tile->base[threadIdx.x] = start + before - in_tile;
    __syncthreads();
}

/* The places that rows, and words, are read from and written to: NULL where they are not. */
typedef struct radix_pass {
    const uint32_t *source;       /* else they are in the order of their numbers */
    const uint64_t *source_words; /* else they are the packed row's */
    uint32_t *target;
    uint64_t *target_words;
    uint32_t *look_back;
    radix_digit digit;
    uint32_t number;
} radix_pass;

/* The thread's rows, all read before anything waits for one of them: the tile is then on its way at once. */
DEVICE void radix_read(const sort_rows_arguments &a, const radix_pass &p, uint64_t first, uint32_t at,
                       uint32_t rows, uint32_t *row, uint64_t *words)
{
    for (unsigned k = 0; k < RADIX_ITEMS; k++) {
        uint32_t i = at + k * CUDA_WARP;
        row[k] = i < rows ? (uint32_t)(first + i) : 0;
        words[k] = 0;
    }
    if (p.source)
        for (unsigned k = 0; k < RADIX_ITEMS; k++)
            if (at + k * CUDA_WARP < rows)
                row[k] = p.source[first + at + k * CUDA_WARP];
    if (p.source_words) {
        for (unsigned k = 0; k < RADIX_ITEMS; k++)
            if (at + k * CUDA_WARP < rows)
                words[k] = p.source_words[first + at + k * CUDA_WARP];
    } else {
        for (unsigned k = 0; k < RADIX_ITEMS; k++)
            if (at + k * CUDA_WARP < rows)
                words[k] = radix_word_of(a, row[k], p.digit.key, p.digit.word);
    }
}

/* Returns a place in a tile, of which a word holds two: registers are few. */
DEVICE uint32_t radix_place(const uint32_t *places, unsigned k)
{
    return places[k / 2] >> (16 * (k % 2)) & 0xffff;
}

/* Reads the tile, ranks its rows, and writes them in their order, which makes neighbours of those that
 * are neighbours among all. */
DEVICE void radix_move(const sort_rows_arguments &a, const radix_pass &p, radix_tile *tile,
                       uint64_t number, uint32_t count_of_all)
{
    uint64_t first = number * RADIX_TILE_ROWS, count = kernel_count(a.count);
    uint32_t rows = (uint32_t)(count - first < RADIX_TILE_ROWS ? count - first : RADIX_TILE_ROWS);
    uint32_t at = kernel_warp() * (RADIX_TILE_ROWS / RADIX_WARPS) + kernel_lane();
    uint64_t words[RADIX_ITEMS];
    uint32_t row[RADIX_ITEMS], places[RADIX_ITEMS / 2] = {};
    radix_digit digit = p.digit;
    radix_read(a, p, first, at, rows, row, words);
    for (unsigned k = 0; k < RADIX_ITEMS; k++)
        places[k / 2] |= radix_rank(tile, radix_value(words[k], digit), at + k * CUDA_WARP < rows)
                         << (16 * (k % 2));
    __syncthreads();
    radix_places(tile, p.look_back, number, count_of_all);
    for (unsigned k = 0; k < RADIX_ITEMS; k++) {
        places[k / 2] += tile->counts[kernel_warp()][radix_value(words[k], digit)] << (16 * (k % 2));
        if (at + k * CUDA_WARP < rows)
            tile->room.moved[radix_place(places, k)] = words[k];
    }
    __syncthreads();
    uint32_t values[RADIX_ITEMS / 4] = {}; /* four in a word */
    for (unsigned k = 0; k < RADIX_ITEMS; k++) {
        uint32_t i = threadIdx.x + k * CUDA_BLOCK;
        if (i >= rows)
            continue;
        uint32_t value = radix_value(tile->room.moved[i], digit);
        values[k / 4] |= value << (8 * (k % 4));
        if (p.target_words)
            p.target_words[i + tile->base[value]] = tile->room.moved[i];
    }
    __syncthreads();
    for (unsigned k = 0; k < RADIX_ITEMS; k++)
        if (at + k * CUDA_WARP < rows)
            tile->room.moved[radix_place(places, k)] = row[k];
    __syncthreads();
    for (unsigned k = 0; k < RADIX_ITEMS; k++) {
        uint32_t i = threadIdx.x + k * CUDA_BLOCK;
        if (i < rows)
            p.target[i + tile->base[values[k / 4] >> (8 * (k % 4)) & (RADIX_VALUES - 1)]] =
                (uint32_t)tile->room.moved[i];
    }
}

/* Rows that are equal in all digits are in order. */
DEVICE void radix_identity(const sort_rows_arguments &a, const cuda_extra &extra)
{
    uint64_t count = kernel_count(a.count);
    for (uint64_t i = kernel_row(); i < count; i += extra.blocks * CUDA_BLOCK)
        a.out[i] = (uint32_t)i;
}

DEVICE radix_pass radix_pass_of(const sort_rows_arguments &a, const cuda_extra &extra)
{
    const radix_state *state = radix_of(extra);
    uint32_t pass = (uint32_t)extra.step;
    bool writes_out = (state->digit_count - pass) & 1;
    bool is_first_of_word = !pass || state->digits[pass - 1].is_last_of_word;
    radix_digit digit = state->digits[pass];
    return {pass == 0 ? NULL : writes_out ? a.scratch : a.out,
            is_first_of_word ? NULL : radix_words(a, extra, pass),
            writes_out ? a.out : a.scratch,
            digit.is_last_of_word ? NULL : radix_words(a, extra, pass + 1),
            radix_look_back(a, extra, pass),
            digit,
            pass};
}

/* extra.step: which of the digits that differ. The last one writes to out. No more blocks than run at a time
 * take tile after tile: where there is no such digit, they end at once. */
KERNEL_STEP_TOGETHER_WIDEST(sort_rows_radix, sort_rows)
{
    __shared__ radix_tile tile;
    __shared__ uint32_t taken;
    radix_state *state = radix_of(extra);
    if (!state->digit_count && !extra.step)
        radix_identity(a, extra);
    if (extra.step >= state->digit_count)
        return;
    radix_pass p = radix_pass_of(a, extra);
    uint32_t *next_look_back = radix_look_back(a, extra, p.number + 1);
    uint32_t count_of_all = state->counts[p.number][threadIdx.x];
    for (;;) {
        if (threadIdx.x == 0)
            taken = atomicAdd(&state->tiles_taken[p.number], 1u);
        for (unsigned warp = 0; warp < RADIX_WARPS; warp++)
            tile.counts[warp][threadIdx.x] = tile.room.masks[warp][threadIdx.x] = 0;
        __syncthreads();
        uint64_t number = taken;
        if (number * RADIX_TILE_ROWS >= kernel_count(a.count))
            return;
        next_look_back[number * RADIX_VALUES + threadIdx.x] = 0;
        radix_move(a, p, &tile, number, count_of_all);
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
