/* sort_code.c - bounds of keys, codes made by them, and what codes do not say compared in full. */
#include "exec/sort/sort_code.h"

#include <string.h>

/* ---- numbers in order ---- */

#define SIGN_64 ((uint64_t)1 << 63)
#define SIGN_128 ((uint128)1 << 127)

/* Negative ones turned round; NaN above all, -0 as 0. */
static inline uint64_t ordered_double(double number)
{
    uint64_t bits;
    if (number != number)
        return UINT64_MAX;
    number += 0.0;
    memcpy(&bits, &number, sizeof bits);
    return bits & SIGN_64 ? ~bits : bits | SIGN_64;
}

/* As PostgreSQL compares: a month is 30 days, a day 24 hours. */
static inline uint128 ordered_interval(interval_value v)
{
    return (uint128)(((int128)v.months * 30 + v.days) * 86400000000 + v.microseconds) ^ SIGN_128;
}

/* BODY with ORDERED(row): the row's value as an unsigned number, for a type other than text. */
#define WITH_ORDERED(type, BODY)                                                                   \
    switch ((type).id) {                                                                           \
    case TYPE_BOOL:                                                                                \
        BODY(((const uint64_t *)values)[row / 64] >> (row % 64) & 1);                              \
        break;                                                                                     \
    case TYPE_INT8:                                                                                \
        BODY((uint64_t)(int64_t)((const int8_t *)values)[row] ^ SIGN_64);                          \
        break;                                                                                     \
    case TYPE_INT16:                                                                               \
        BODY((uint64_t)(int64_t)((const int16_t *)values)[row] ^ SIGN_64);                         \
        break;                                                                                     \
    case TYPE_INT32:                                                                               \
    case TYPE_DATE:                                                                                \
        BODY((uint64_t)(int64_t)((const int32_t *)values)[row] ^ SIGN_64);                         \
        break;                                                                                     \
    case TYPE_UINT8:                                                                               \
        BODY((uint64_t)((const uint8_t *)values)[row]);                                            \
        break;                                                                                     \
    case TYPE_UINT16:                                                                              \
        BODY((uint64_t)((const uint16_t *)values)[row]);                                           \
        break;                                                                                     \
    case TYPE_UINT32:                                                                              \
        BODY((uint64_t)((const uint32_t *)values)[row]);                                           \
        break;                                                                                     \
    case TYPE_UINT64:                                                                              \
        BODY((uint64_t)((const uint64_t *)values)[row]);                                           \
        break;                                                                                     \
    case TYPE_FLOAT:                                                                               \
        BODY(ordered_double((double)((const float *)values)[row]));                                \
        break;                                                                                     \
    case TYPE_DOUBLE:                                                                              \
        BODY(ordered_double(((const double *)values)[row]));                                       \
        break;                                                                                     \
    case TYPE_INTERVAL:                                                                            \
        BODY(ordered_interval(((const interval_value *)values)[row]));                             \
        break;                                                                                     \
    case TYPE_NULL:                                                                                \
        break;                                                                                     \
    default:                                                                                       \
        if ((type).width == 16)                                                                    \
            BODY((uint128)((const int128 *)values)[row] ^ SIGN_128);                               \
        else                                                                                       \
            BODY((uint64_t)((const int64_t *)values)[row] ^ SIGN_64);                              \
    }

static inline bool row_is_null(const tensor *t, uint32_t row)
{
    return t->type.id == TYPE_NULL || (t->validity && !(t->validity[row / 64] >> (row % 64) & 1));
}

static unsigned sort_code_bits_of(uint128 number)
{
    uint64_t high = (uint64_t)(number >> 64), low = (uint64_t)number;
    return high ? 128 - (unsigned)__builtin_clzll(high)
                : (low ? 64 - (unsigned)__builtin_clzll(low) : 0);
}

/* ---- bounds ---- */

/* Texts lie anywhere: those that will be looked at soon, from a byte on, are fetched before, first their views. */
#define VIEWS_AHEAD 32
#define TEXTS_AHEAD 16

static inline __attribute__((always_inline)) void sort_code_fetch_ahead(const string_view *views,
                                                                        const sort_row_list *rows,
                                                                        uint64_t i, uint32_t from)
{
    if (rows->rows && i + VIEWS_AHEAD < rows->count)
        __builtin_prefetch(&views[rows->rows[i + VIEWS_AHEAD]]);
    if (i + TEXTS_AHEAD < rows->count)
        string_prefetch(&views[sort_row_at(rows, i + TEXTS_AHEAD)], from);
}

static uint32_t sort_code_common_bytes(const char *a, const char *b, uint32_t most)
{
    uint32_t i = 0;
    while (i < most && a[i] == b[i])
        i++;
    return i;
}

/* The text itself, which may lie anywhere, is looked at only if what its view has of it is the same. */
static void sort_code_add_text(const string_view *view, sort_bounds *b)
{
    uint32_t bytes = view->bytes;
    if (!b->has_values) {
        b->has_values = true;
        b->sample = string_data(view);
        b->common = b->bytes_max = bytes;
        return;
    }
    if (bytes > b->bytes_max)
        b->bytes_max = bytes;
    uint32_t most = bytes < b->common ? bytes : b->common;
    uint32_t of_view = most < sizeof view->prefix ? most : sizeof view->prefix;
    b->common = sort_code_common_bytes(view->prefix, b->sample, of_view);
    if (b->common == of_view && of_view < most)
        b->common += sort_code_common_bytes(string_data(view) + of_view, b->sample + of_view,
                                            most - of_view);
}

static void add_texts(const tensor *t, const sort_row_list *rows, sort_bounds *b)
{
    const string_view *views = t->values;
    for (uint64_t i = 0; i < rows->count; i++) {
        uint32_t row = sort_row_at(rows, i);
        if (b->common > sizeof views->prefix)
            sort_code_fetch_ahead(views, rows, i, sizeof views->prefix);
        if (row_is_null(t, row))
            b->has_nulls = true;
        else
            sort_code_add_text(&views[row], b);
    }
}

#define ADD_NUMBERS(ordered)                                                                       \
    do {                                                                                           \
        __typeof__(ordered) least = 0, greatest = 0;                                               \
        bool has_values = false;                                                                   \
        for (uint64_t i = 0; i < rows->count; i++) {                                               \
            row = sort_row_at(rows, i);                                                            \
            if (t->validity && row_is_null(t, row))                                                \
                continue;                                                                          \
            __typeof__(least) number = (ordered);                                                  \
            least = has_values && least < number ? least : number;                                 \
            greatest = has_values && greatest > number ? greatest : number;                        \
            has_values = true;                                                                     \
        }                                                                                          \
        found = (sort_bounds){.has_values = has_values, .least = least, .greatest = greatest};     \
    } while (0)

#define ADD_ALL_NUMBERS(ordered)                                                                   \
    do {                                                                                           \
        row = rows->first;                                                                         \
        __typeof__(ordered) least = (ordered), greatest = least;                                   \
        for (uint32_t end = row + (uint32_t)rows->count; row < end; row++) {                       \
            __typeof__(least) number = (ordered);                                                  \
            least = least < number ? least : number;                                               \
            greatest = greatest > number ? greatest : number;                                      \
        }                                                                                          \
        found = (sort_bounds){.has_values = true, .least = least, .greatest = greatest};           \
    } while (0)

static void sort_code_add_numbers(const tensor *t, const sort_row_list *rows, sort_bounds *b)
{
    const void *values = t->values;
    sort_bounds found = {0};
    uint32_t row;
    if (t->validity || rows->rows)
        WITH_ORDERED(t->type, ADD_NUMBERS)
    else
        WITH_ORDERED(t->type, ADD_ALL_NUMBERS)
    for (uint64_t i = 0; t->validity && i < rows->count && !b->has_nulls; i++)
        b->has_nulls = row_is_null(t, sort_row_at(rows, i));
    sort_bounds_unite(&found, b);
}

void sort_bounds_add(const sort_keys *keys, uint32_t k, const sort_row_list *rows,
                     sort_bounds *bounds)
{
    const tensor *t = keys->columns[k];
    if (!rows->count)
        return;
    if (t->type.id == TYPE_NULL)
        bounds->has_nulls = true;
    else if (type_is_text(t->type))
        add_texts(t, rows, bounds);
    else
        sort_code_add_numbers(t, rows, bounds);
}

void sort_bounds_unite(const sort_bounds *other, sort_bounds *bounds)
{
    bool has_nulls = bounds->has_nulls || other->has_nulls;
    if (other->has_values && !bounds->has_values) {
        *bounds = *other;
    } else if (other->has_values) {
        uint32_t most = other->common < bounds->common ? other->common : bounds->common;
        if (other->least < bounds->least)
            bounds->least = other->least;
        if (other->greatest > bounds->greatest)
            bounds->greatest = other->greatest;
        if (other->bytes_max > bounds->bytes_max)
            bounds->bytes_max = other->bytes_max;
        bounds->common = most ? sort_code_common_bytes(other->sample, bounds->sample, most) : 0;
    }
    bounds->has_nulls = has_nulls;
}

/* ---- codes ---- */

static void sort_code_add_piece(sort_code *code, sort_piece piece)
{
    if (!piece.bits)
        return;
    code->pieces[code->piece_count++] = piece;
    code->bits += piece.bits;
}

/* False: there is no room for all of the key, `done` of which is in the code. */
static bool sort_code_add_number(sort_code *code, const sort_bounds *b, uint32_t key,
                                 uint32_t *done, uint32_t bits_max)
{
    uint32_t left = sort_code_bits_of(b->greatest - b->least) - *done;
    while (left && code->bits < bits_max) {
        uint32_t room = bits_max - code->bits, bits = left < room ? left : room;
        bits = bits < 64 ? bits : 64;
        left -= bits;
        sort_code_add_piece(code, (sort_piece){SORT_PIECE_NUMBER, key, bits, left});
        *done += bits;
    }
    return !left;
}

static void add_text_pieces(sort_code *code, uint32_t key, uint32_t first, uint32_t bytes)
{
    for (uint32_t at = 0; at < bytes; at += 8)
        sort_code_add_piece(code, (sort_piece){SORT_PIECE_TEXT, key,
                                               8 * (bytes - at < 8 ? bytes - at : 8), first + at});
}

static bool add_text_key(sort_code *code, const sort_bounds *b, uint32_t key, uint32_t *done,
                         uint32_t bits_max)
{
    if (*done < b->common)
        *done = b->common;
    uint32_t left = b->bytes_max > *done ? b->bytes_max - *done : 0, room = bits_max - code->bits;
    uint32_t length_bits = b->common == b->bytes_max ? 0 : sort_code_bits_of(b->bytes_max);
    if (left <= room / 8 && left * 8 + length_bits <= room) {
        add_text_pieces(code, key, *done, left);
        sort_code_add_piece(code, (sort_piece){SORT_PIECE_LENGTH, key, length_bits, 0});
        return true;
    }
    uint32_t bytes = left < room / 8 ? left : room / 8;
    add_text_pieces(code, key, *done, bytes);
    *done += bytes;
    return false;
}

static bool sort_code_add_key(const sort_keys *keys, const sort_bounds *b, uint32_t key,
                              uint32_t *done, uint32_t bits_max, sort_code *code)
{
    if (!b->has_values)
        return true; /* NULLs alone */
    if (b->has_nulls && !*done) {
        if (code->bits == bits_max)
            return false;
        sort_code_add_piece(code, (sort_piece){SORT_PIECE_NULL, key, 1, 0});
    }
    return type_is_text(keys->columns[key]->type)
               ? add_text_key(code, b, key, done, bits_max)
               : sort_code_add_number(code, b, key, done, bits_max);
}

void sort_code_make(const sort_keys *keys, const sort_bounds *bounds, sort_place from,
                    uint32_t bits_max, sort_code *out)
{
    out->piece_count = out->bits = 0;
    out->is_exact = true;
    for (; out->is_exact && from.key < keys->count; from.done = 0) {
        uint32_t done = from.done;
        out->is_exact = sort_code_add_key(keys, &bounds[from.key], from.key, &done, bits_max, out);
        if (!out->is_exact)
            out->rest = (sort_place){from.key, done};
        else
            from.key++;
    }
    if (out->is_exact)
        out->rest = (sort_place){keys->count, 0};
}

/* ---- values of pieces ---- */

static inline uint64_t text_word(const string_view *view, uint32_t first, uint32_t bytes)
{
    uint64_t word = 0;
    if (view->bytes <= first)
        return 0;
    uint32_t left = view->bytes - first;
    const char *data = string_data(view) + first;
    if (left >= 8) {
        memcpy(&word, data, 8);
        return __builtin_bswap64(word) >> (64 - 8 * bytes);
    }
    for (uint32_t i = 0; i < left && i < bytes; i++)
        word |= (uint64_t)(unsigned char)data[i] << (8 * (bytes - 1 - i));
    return word;
}

static uint64_t sort_code_mask_of(uint32_t bits)
{
    return bits < 64 ? ((uint64_t)1 << bits) - 1 : UINT64_MAX;
}

static void text_values(const tensor *t, const sort_piece *piece, const sort_row_list *rows,
                        uint64_t *out)
{
    const string_view *views = t->values;
    if (piece->kind == SORT_PIECE_LENGTH)
        for (uint64_t i = 0; i < rows->count; i++)
            out[i] = views[sort_row_at(rows, i)].bytes;
    else
        for (uint64_t i = 0; i < rows->count; i++) {
            sort_code_fetch_ahead(views, rows, i, piece->shift);
            out[i] = text_word(&views[sort_row_at(rows, i)], piece->shift, piece->bits / 8);
        }
}

#define NUMBER_VALUES(ordered)                                                                     \
    do {                                                                                           \
        __typeof__(ordered) base = (__typeof__(ordered))least;                                     \
        if (rows->rows)                                                                            \
            for (uint64_t i = 0; i < rows->count; i++) {                                           \
                row = rows->rows[i];                                                               \
                out[i] = (uint64_t)((__typeof__(base))((ordered)-base) >> piece->shift);           \
            }                                                                                      \
        else                                                                                       \
            for (uint64_t i = 0; i < rows->count; i++) {                                           \
                row = rows->first + i;                                                             \
                out[i] = (uint64_t)((__typeof__(base))((ordered)-base) >> piece->shift);           \
            }                                                                                      \
    } while (0)

static void number_values(const tensor *t, uint128 least, const sort_piece *piece,
                          const sort_row_list *rows, uint64_t *out)
{
    const void *values = t->values;
    uint64_t row;
    WITH_ORDERED(t->type, NUMBER_VALUES)
}

/* Turned round for a descending key, and cut to its bits; nothing under a NULL. */
static void sort_code_finish_values(const sort_keys *keys, const sort_bounds *b,
                                    const sort_piece *piece, const sort_row_list *rows,
                                    uint64_t *out)
{
    const tensor *t = keys->columns[piece->key];
    uint64_t mask = sort_code_mask_of(piece->bits);
    uint64_t turn = keys->keys[piece->key].is_descending ? UINT64_MAX : 0;
    bool is_whole = piece->kind == SORT_PIECE_NUMBER &&
                    piece->bits == sort_code_bits_of(b->greatest - b->least);
    for (uint64_t i = 0; (turn || !is_whole) && i < rows->count; i++)
        out[i] = (out[i] ^ turn) & mask;
    for (uint64_t i = 0; b->has_nulls && i < rows->count; i++)
        out[i] = row_is_null(t, sort_row_at(rows, i)) ? 0 : out[i];
}

void sort_piece_values(const sort_keys *keys, const sort_bounds *bounds, const sort_piece *piece,
                       const sort_row_list *rows, uint64_t *out)
{
    const tensor *t = keys->columns[piece->key];
    const sort_bounds *b = &bounds[piece->key];
    if (piece->kind == SORT_PIECE_NULL) {
        bool nulls_first = keys->keys[piece->key].nulls_first;
        for (uint64_t i = 0; i < rows->count; i++)
            out[i] = row_is_null(t, sort_row_at(rows, i)) != nulls_first;
        return;
    }
    if (piece->kind == SORT_PIECE_NUMBER)
        number_values(t, b->least, piece, rows, out);
    else
        text_values(t, piece, rows, out);
    sort_code_finish_values(keys, b, piece, rows, out);
}

/* ---- in full ---- */

static int sort_code_compare_texts(const string_view *a, const string_view *b, uint32_t done)
{
    uint32_t common = a->bytes < b->bytes ? a->bytes : b->bytes;
    const char *left = string_data(a), *right = string_data(b);
    int order = done < common ? memcmp(left + done, right + done, common - done) : 0;
    return order ? order : (a->bytes > b->bytes) - (a->bytes < b->bytes);
}

#define COMPARE(ordered)                                                                           \
    do {                                                                                           \
        row = left;                                                                                \
        __typeof__(ordered) first = (ordered);                                                     \
        row = right;                                                                               \
        __typeof__(first) second = (ordered);                                                      \
        order = (first > second) - (first < second);                                               \
    } while (0)

static int compare_numbers(const tensor *t, uint32_t left, uint32_t right)
{
    const void *values = t->values;
    uint32_t row;
    int order = 0;
    WITH_ORDERED(t->type, COMPARE)
    return order;
}

int sort_compare(const sort_keys *keys, sort_place from, uint32_t left, uint32_t right)
{
    for (uint32_t k = from.key; k < keys->count; k++, from.done = 0) {
        const tensor *t = keys->columns[k];
        const plan_sort_key *key = &keys->keys[k];
        bool left_null = row_is_null(t, left), right_null = row_is_null(t, right);
        if (left_null != right_null)
            return left_null == key->nulls_first ? -1 : 1;
        if (left_null)
            continue;
        const string_view *views = t->values;
        int order = type_is_text(t->type)
                        ? sort_code_compare_texts(&views[left], &views[right], from.done)
                        : compare_numbers(t, left, right);
        if (order)
            return key->is_descending ? -order : order;
    }
    return 0;
}

bool sort_is_sorted(const sort_keys *keys, uint32_t first, uint64_t count)
{
    for (uint64_t i = 1; i < count; i++)
        if (sort_compare(keys, (sort_place){0}, first + (uint32_t)i - 1, first + (uint32_t)i) > 0)
            return false;
    return true;
}

/* ---- as bytes ---- */

static void add_byte(sort_bytes *b, unsigned char byte)
{
    if (b->count < SORT_BYTES)
        b->bytes[b->count++] = byte;
    else
        b->is_whole = false;
}

#define ADD_BYTES(ordered)                                                                         \
    do {                                                                                           \
        __typeof__(ordered) number = (ordered);                                                    \
        for (unsigned left = 8 * sizeof number; left; left -= 8)                                   \
            add_byte(out, (unsigned char)(number >> (left - 8)) ^ turn);                           \
    } while (0)

static void add_number_bytes(const tensor *t, uint32_t row, unsigned char turn, sort_bytes *out)
{
    const void *values = t->values;
    WITH_ORDERED(t->type, ADD_BYTES)
}

/* Two zeros end the text, so that none that goes on comes before it: a zero in it is 0, 255. */
static void add_text_bytes(const string_view *view, unsigned char turn, sort_bytes *out)
{
    const char *data = string_data(view);
    for (uint32_t i = 0; i < view->bytes && out->is_whole; i++) {
        add_byte(out, (unsigned char)data[i] ^ turn);
        if (!data[i])
            add_byte(out, 255 ^ turn);
    }
    add_byte(out, turn);
    add_byte(out, turn);
}

void sort_bytes_make(const sort_keys *keys, uint32_t row, sort_bytes *out)
{
    out->count = 0;
    out->is_whole = true;
    for (uint32_t k = 0; k < keys->count && out->is_whole; k++) {
        const tensor *t = keys->columns[k];
        unsigned char turn = keys->keys[k].is_descending ? 255 : 0;
        bool is_null = row_is_null(t, row);
        add_byte(out, is_null != keys->keys[k].nulls_first);
        if (is_null)
            continue;
        if (type_is_text(t->type))
            add_text_bytes((const string_view *)t->values + row, turn, out);
        else
            add_number_bytes(t, row, turn, out);
    }
}
