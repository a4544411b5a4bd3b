/* sort_items.c - items made of rows, sorted, and made row numbers. */
#include "exec/sort/sort_items.h"

#include <string.h>

#define BATCH_ROWS 1024

static sort_row_list batch_of(const sort_row_list *rows, uint64_t first)
{
    uint64_t left = rows->count - first;
    return (sort_row_list){.rows = rows->rows ? rows->rows + first : NULL,
                           .first = rows->first + (uint32_t)first,
                           .count = left < BATCH_ROWS ? left : BATCH_ROWS};
}

#define PISTACHIO_SORT_ITEM uint64_t
#define NAMED(name) narrow_##name
#include "exec/sort/sort_items_with.h"
#undef PISTACHIO_SORT_ITEM
#undef NAMED
#define PISTACHIO_SORT_ITEM uint128
#define NAMED(name) wide_##name
#include "exec/sort/sort_items_with.h"
#undef PISTACHIO_SORT_ITEM
#undef NAMED

#define WIDE_ROW_BITS 32

void sort_form_make(const sort_keys *keys, sort_bounds *bounds, uint64_t row_count, sort_form *out)
{
    out->keys = keys;
    out->bounds = bounds;
    sort_code_make(keys, bounds, (sort_place){0}, SORT_CODE_BITS, &out->code);
    unsigned row_bits = row_count > 1 ? 64 - (unsigned)__builtin_clzll(row_count - 1) : 1;
    out->is_narrow = out->code.is_exact && out->code.bits + row_bits <= 64;
    out->row_bits = out->is_narrow ? row_bits : WIDE_ROW_BITS;
    out->item_bytes = out->is_narrow ? sizeof(uint64_t) : sizeof(uint128);
}

void sort_items_make(const sort_form *form, const sort_row_list *rows, void *items)
{
    if (form->is_narrow)
        narrow_make(form->keys, form->bounds, &form->code, rows, form->row_bits, items);
    else
        wide_make(form->keys, form->bounds, &form->code, rows, form->row_bits, items);
}

void sort_items_sort(const sort_form *form, void *items, void *scratch, uint64_t count)
{
    if (form->is_narrow)
        narrow_sort(items, scratch, count, form->row_bits);
    else
        wide_sort(items, scratch, count, form->row_bits);
}

void sort_items_part(const sort_form *form, const void *cuts, uint32_t cut_count, const void *items,
                     uint64_t count, uint16_t *parts)
{
    if (form->is_narrow)
        narrow_find_parts(cuts, cut_count, items, count, parts);
    else
        wide_find_parts(cuts, cut_count, items, count, parts);
}

void sort_items_move(const sort_form *form, const void *items, const uint16_t *parts,
                     uint64_t count, uint64_t *places, void *target)
{
    if (form->is_narrow)
        for (uint64_t i = 0; i < count; i++)
            ((uint64_t *)target)[places[parts[i]]++] = ((const uint64_t *)items)[i];
    else
        for (uint64_t i = 0; i < count; i++)
            ((uint128 *)target)[places[parts[i]]++] = ((const uint128 *)items)[i];
}

void sort_items_round(const sort_form *form, void *cuts, uint32_t count)
{
    uint128 *wide = cuts;
    if (form->code.is_exact)
        return;
    for (uint32_t i = 0; i < count; i++)
        wide[i] = wide[i] >> WIDE_ROW_BITS << WIDE_ROW_BITS;
}

/* ---- rows that a code does not tell apart ---- */

/* Up to so many are compared in full. */
#define FEW_TIES 12
/* Codes of what is left, one after another, before rows are compared in full all the same: texts
 * may be made so that each code tells one row from the others. */
#define DEPTH_MAX 100

static void insert_ties(const sort_keys *keys, sort_place from, uint32_t *rows, uint64_t count)
{
    for (uint64_t i = 1; i < count; i++) {
        uint32_t row = rows[i];
        uint64_t at = i;
        for (; at && sort_compare(keys, from, rows[at - 1], row) > 0; at--)
            rows[at] = rows[at - 1];
        rows[at] = row;
    }
}

void sort_rows_merge(const sort_keys *keys, sort_place from, uint32_t *rows, uint32_t *scratch,
                     uint64_t count)
{
    if (count <= FEW_TIES) {
        insert_ties(keys, from, rows, count);
        return;
    }
    uint64_t middle = count / 2, left = 0, right = middle;
    sort_rows_merge(keys, from, rows, scratch, middle);
    sort_rows_merge(keys, from, rows + middle, scratch, count - middle);
    for (uint64_t i = 0; i < count; i++) {
        bool is_left = left < middle &&
                       (right == count || sort_compare(keys, from, rows[left], rows[right]) <= 0);
        scratch[i] = rows[is_left ? left++ : right++];
    }
    memcpy(rows, scratch, count * sizeof *rows);
}

static void finish_items(sort_form *form, sort_place rest, uint128 *items, uint128 *scratch,
                         uint64_t count, unsigned depth, uint32_t *out);

/* Items of a code for what is left: of the first key by the bounds of these rows alone, which of
 * texts are much narrower. Returns where it ends. */
static sort_place sort_items_sort_rest(sort_form *form, sort_place from, uint128 *items,
                                       uint128 *scratch, const uint32_t *rows, uint64_t count)
{
    sort_row_list list = {.rows = rows, .count = count};
    sort_bounds own = {0}, *bounds = &form->bounds[from.key], all = *bounds;
    sort_code code;
    if (type_is_text(form->keys->columns[from.key]->type)) {
        sort_bounds_add(form->keys, from.key, &list, &own);
        *bounds = own;
    }
    sort_code_make(form->keys, form->bounds, from, SORT_CODE_BITS, &code);
    wide_make(form->keys, form->bounds, &code, &list, WIDE_ROW_BITS, items);
    *bounds = all;
    wide_sort(items, scratch, count, WIDE_ROW_BITS);
    return code.rest;
}

/* Rows that are equal up to `from`, ascending, of which the items are used up. */
static void sort_ties(sort_form *form, sort_place from, uint128 *items, uint128 *scratch,
                      uint64_t count, unsigned depth, uint32_t *rows)
{
    if (count <= FEW_TIES || depth == DEPTH_MAX)
        sort_rows_merge(form->keys, from, rows, (uint32_t *)scratch, count);
    else
        finish_items(form, sort_items_sort_rest(form, from, items, scratch, rows, count), items,
                     scratch, count, depth, rows);
}

/* Texts lie anywhere: those that will be looked at soon are fetched before, first their views. */
#define VIEWS_AHEAD 32
#define TEXTS_AHEAD 16

static bool is_tie(const uint128 *items, uint64_t i)
{
    return items[i] >> WIDE_ROW_BITS == items[i - 1] >> WIDE_ROW_BITS;
}

static inline __attribute__((always_inline)) void sort_items_fetch_ahead(const string_view *views,
                                                                         uint32_t done,
                                                                         const uint128 *items,
                                                                         uint64_t i, uint64_t count)
{
    if (i + VIEWS_AHEAD < count && is_tie(items, i + VIEWS_AHEAD))
        __builtin_prefetch(&views[(uint32_t)items[i + VIEWS_AHEAD]]);
    if (i + TEXTS_AHEAD < count && is_tie(items, i + TEXTS_AHEAD))
        string_prefetch(&views[(uint32_t)items[i + TEXTS_AHEAD]], done);
}

/* rest: where the code that the items were made by ends. */
static void finish_items(sort_form *form, sort_place rest, uint128 *items, uint128 *scratch,
                         uint64_t count, unsigned depth, uint32_t *out)
{
    for (uint64_t i = 0; i < count; i++)
        out[i] = (uint32_t)items[i];
    if (rest.key == form->keys->count)
        return;
    const tensor *t = form->keys->columns[rest.key];
    const string_view *views = type_is_text(t->type) ? t->values : NULL;
    for (uint64_t first = 0, end; first < count; first = end) {
        for (end = first + 1;; end++) {
            if (views)
                sort_items_fetch_ahead(views, rest.done, items, end, count);
            if (end == count || !is_tie(items, end))
                break;
        }
        if (end - first > 1)
            sort_ties(form, rest, items + first, scratch + first, end - first, depth + 1,
                      out + first);
    }
}

void sort_items_rows(sort_form *form, void *items, void *scratch, uint64_t count, uint32_t *out)
{
    const uint64_t *narrow = items;
    uint64_t mask = ((uint64_t)1 << form->row_bits) - 1;
    if (form->is_narrow)
        for (uint64_t i = 0; i < count; i++)
            out[i] = (uint32_t)(narrow[i] & mask);
    else
        finish_items(form, form->code.rest, items, scratch, count, 0, out);
}

/* ---- values of keys ---- */

/* Whole numbers whose code is their distance from the least one. *out_sign: the bit that is turned in it. */
static bool is_distance(data_type type, uint128 *out_sign)
{
    switch (type.id) {
    case TYPE_BOOL:
    case TYPE_FLOAT:
    case TYPE_DOUBLE:
    case TYPE_INTERVAL:
    case TYPE_VARCHAR:
    case TYPE_BLOB:
    case TYPE_NULL:
        return false;
    case TYPE_UINT8:
    case TYPE_UINT16:
    case TYPE_UINT32:
    case TYPE_UINT64:
        *out_sign = 0;
        return true;
    default:
        *out_sign = (uint128)1 << (type.width == 16 ? 127 : 63);
        return true;
    }
}

sort_decoder sort_form_decoder(const sort_form *form, uint32_t key)
{
    const sort_bounds *bounds = &form->bounds[key];
    data_type type = form->keys->columns[key]->type;
    uint128 sign;
    if (!form->code.is_exact || bounds->has_nulls || !bounds->has_values ||
        !is_distance(type, &sign))
        return (sort_decoder){0};
    sort_decoder found = {.width = type.width, .base = bounds->least ^ sign};
    unsigned shift = form->row_bits;
    for (uint32_t p = form->code.piece_count; p-- > 0; shift += form->code.pieces[p].bits) {
        unsigned bits = form->code.pieces[p].bits;
        if (form->code.pieces[p].key != key)
            continue;
        if (found.mask)
            return (sort_decoder){0}; /* of two pieces */
        found.shift = shift;
        found.mask = UINT64_MAX >> (64 - bits);
        found.turn = form->keys->keys[key].is_descending ? UINT64_MAX : 0;
    }
    return found;
}

void sort_items_decode(const sort_form *form, const sort_decoder *decoder, const void *items,
                       uint64_t count, void *out)
{
    if (form->is_narrow)
        narrow_decode(decoder, items, count, out);
    else
        wide_decode(decoder, items, count, out);
}

/* ---- by one task ---- */

static status sort_items_order_rows(device *host, sort_form *form, uint64_t count, uint32_t *out)
{
    dev_buffer *items = NULL, *scratch = NULL;
    uint64_t bytes = count * form->item_bytes;
    status st = dev_alloc(host, bytes, "sort", &items);
    if (!st)
        st = dev_alloc(host, bytes, "sort", &scratch);
    if (!st) {
        sort_items_make(form, &(sort_row_list){.count = count}, items->address);
        sort_items_sort(form, items->address, scratch->address, count);
        sort_items_rows(form, items->address, scratch->address, count, out);
    }
    dev_buffer_unref(items);
    dev_buffer_unref(scratch);
    return st;
}

status sort_rows_alone(device *host, const sort_keys *keys, uint64_t count, uint32_t *out)
{
    sort_form form;
    if (sort_is_sorted(keys, 0, count)) {
        for (uint64_t i = 0; i < count; i++)
            out[i] = (uint32_t)i;
        return STATUS_OK;
    }
    sort_bounds *bounds = mem_new_array(keys->count, sizeof *bounds);
    if (!bounds)
        return status_no_memory("sort", keys->count * sizeof *bounds);
    for (uint32_t k = 0; k < keys->count; k++)
        sort_bounds_add(keys, k, &(sort_row_list){.count = count}, &bounds[k]);
    sort_form_make(keys, bounds, count, &form);
    status st = sort_items_order_rows(host, &form, count, out);
    mem_free(bounds);
    return st;
}
