/* program_run_narrow.c - conditions on NARROW columns. A comparison with a constant is a range of narrow values: the constant
 * less the column's origin. Of codes it is a set of the dictionary's rows, and often a range of them. */
#include "exec/expression/program_run_narrow.h"

#include "device/kernels/kernel_ops.h"

/* Levels of AND, OR and NOT that are looked through. */
#define LEVELS_MAX 16
/* Items of a list that are compared one after another. */
#define FEW_ITEMS 8
#define SET_BITS_MAX 65536

#define INT128_LEAST ((int128)((uint128)1 << 127))
#define INT128_MOST (~INT128_LEAST)

/* ---- what takes narrow values ---- */

static bool is_column_of_numbers(const program *p, uint32_t number)
{
    const instruction *s = &p->instructions.items[number];
    return s->kind == INSTRUCTION_COLUMN &&
           (type_is_integer(s->type) || type_is_time(s->type) || s->type.id == TYPE_DECIMAL);
}

static bool takes_numbers(const program *p, const instruction *s)
{
    if (s->kind == INSTRUCTION_RANGE)
        return is_column_of_numbers(p, s->args[0]);
    if (s->kind == INSTRUCTION_IN_LIST)
        return is_column_of_numbers(p, s->args[0]) && s->item_count && !s->first_number;
    if (s->kind != INSTRUCTION_COMPARE)
        return false;
    bool is_constant_left = p->instructions.items[s->args[0]].kind == INSTRUCTION_CONSTANT;
    bool is_constant_right = p->instructions.items[s->args[1]].kind == INSTRUCTION_CONSTANT;
    return is_constant_left != is_constant_right &&
           is_column_of_numbers(p, s->args[is_constant_left]);
}

static narrow_use use_of(const program *p, uint32_t number, uint32_t levels)
{
    const instruction *s = &p->instructions.items[number];
    if (s->can_fail || s->type.id != TYPE_BOOL)
        return NARROW_NOT;
    if (takes_numbers(p, s))
        return NARROW_ANY;
    narrow_use use = s->only_column >= 0 && s->is_strict ? NARROW_CODES : NARROW_NOT;
    if (s->kind != INSTRUCTION_LOGIC || levels == LEVELS_MAX)
        return use;
    narrow_use all = NARROW_ANY;
    for (uint32_t i = 0; i < s->arg_count; i++) {
        narrow_use arg = use_of(p, s->args[i], levels + 1);
        all = arg < all ? arg : all;
    }
    return all > use ? all : use;
}

narrow_use program_takes_narrow(const program *p, uint32_t index)
{
    const instruction *root = &p->instructions.items[p->roots[index]];
    if (p->is_volatile || root->kind == INSTRUCTION_COLUMN)
        return NARROW_NOT;
    return use_of(p, p->roots[index], 0);
}

/* ---- numbers ---- */

static bool is_narrow(const tensor *t)
{
    return t->form == TENSOR_NARROW && !t->base;
}

static uint64_t greatest_of(const tensor *t)
{
    return UINT64_MAX >> (64 - 8 * t->narrow.width);
}

/* Gives the narrow values that stand for [low, high]; false: none does. */
static bool narrow_span(const tensor *t, int128 low, int128 high, uint64_t out[2])
{
    int128 origin = t->narrow.origin, most;
    if (__builtin_add_overflow(origin, (int128)greatest_of(t), &most))
        most = INT128_MOST;
    if (low > high || high < origin || low > most)
        return false;
    out[0] = low <= origin ? 0 : (uint64_t)(low - origin);
    out[1] = high >= most ? (uint64_t)(most - origin) : (uint64_t)(high - origin);
    return true;
}

static status fill_bits(dev_stream *stream, dev_count count, bool bit, tensor *result)
{
    return DEV_LAUNCH(stream, fill, .width = 0, .value_low = bit, .count = count,
                      .out = result->values);
}

static status set_between(dev_stream *stream, const tensor *t, const uint64_t span[2],
                          bool is_outside, bool adds, dev_count count, tensor *result)
{
    return DEV_LAUNCH(stream, narrow_between, .width = t->narrow.width, .is_outside = is_outside,
                      .adds = adds, .low = span[0], .high = span[1], .values = t->values,
                      .bounds = t->narrow.bounds, .count = count, .out = result->values);
}

static void share_validity(tensor *result, const tensor *t)
{
    result->validity = t->validity;
    result->validity_owner = dev_buffer_ref(t->validity_owner);
}

/* A truth value for each row: whether its value lies in [low, high], or does not. */
static status compare_span(program_run *run, frame *f, const instruction *s, const tensor *t,
                           const int128 range[2], tensor **result)
{
    uint64_t span[2];
    bool is_outside = s->kind == INSTRUCTION_COMPARE && s->op == DEV_COMPARE_NE;
    TRY(tensor_new_flat(run->dev, s->type, f->count.bound, false, result));
    share_validity(*result, t);
    if (!narrow_span(t, range[0], range[1], span))
        return fill_bits(run->stream, f->count, is_outside, *result);
    return set_between(run->stream, t, span, is_outside, false, f->count, *result);
}

/* The op that holds with the sides exchanged. */
static uint8_t program_run_narrow_mirrored(uint8_t op)
{
    switch (op) {
    case DEV_COMPARE_LT:
        return DEV_COMPARE_GT;
    case DEV_COMPARE_LE:
        return DEV_COMPARE_GE;
    case DEV_COMPARE_GT:
        return DEV_COMPARE_LT;
    case DEV_COMPARE_GE:
        return DEV_COMPARE_LE;
    default:
        return op;
    }
}

/* Gives the range of values for which `value op x` holds or, of NE, does not; least > greatest: none. */
static void program_run_narrow_range_of(uint8_t op, int128 x, int128 out[2])
{
    out[0] = INT128_LEAST;
    out[1] = INT128_MOST;
    if (op == DEV_COMPARE_EQ || op == DEV_COMPARE_NE)
        out[0] = out[1] = x;
    else if (op == DEV_COMPARE_LE)
        out[1] = x;
    else if (op == DEV_COMPARE_GE)
        out[0] = x;
    else if (x == (op == DEV_COMPARE_LT ? INT128_LEAST : INT128_MOST))
        out[0] = 1, out[1] = 0;
    else if (op == DEV_COMPARE_LT)
        out[1] = x - 1;
    else
        out[0] = x + 1;
}

status instruction_compare_narrow(program_run *run, frame *f, uint32_t number, tensor **result)
{
    const instruction *s = instruction_at(run, number);
    const tensor *left = f->slots[s->args[0]], *right = f->slots[s->args[1]];
    bool is_swapped = left->form == TENSOR_CONSTANT;
    const tensor *t = is_swapped ? right : left, *other = is_swapped ? left : right;
    int128 range[2];
    if (!is_narrow(t) || other->form != TENSOR_CONSTANT || other->constant.is_null)
        return STATUS_OK;
    program_run_narrow_range_of(is_swapped ? program_run_narrow_mirrored(s->op) : s->op,
                                value_int128(&other->constant), range);
    return compare_span(run, f, s, t, range, result);
}

status instruction_range_narrow(program_run *run, frame *f, uint32_t number, tensor **result)
{
    const instruction *s = instruction_at(run, number);
    const tensor *t = f->slots[s->args[0]];
    if (!is_narrow(t))
        return STATUS_OK;
    return compare_span(run, f, s, t, (int128[]){s->first_number, s->second_number}, result);
}

/* ---- lists ---- */

static int128 item_at(const instruction *s, data_type type, size_t i)
{
    uint128 bits = 0;
    unsigned unused = 128 - 8u * type.width;
    memcpy(&bits, (const char *)s->data + i * type.width, type.width);
    return type_is_integer(type) && !type_is_signed(type) ? (int128)bits
                                                          : (int128)(bits << unused) >> unused;
}

static status in_few(program_run *run, frame *f, const instruction *s, const tensor *t,
                     tensor *result)
{
    bool adds = false;
    for (size_t i = 0; i < s->item_count; i++) {
        int128 item = item_at(s, t->type, i);
        uint64_t span[2];
        if (!narrow_span(t, item, item, span))
            continue;
        TRY(set_between(run->stream, t, span, false, adds, f->count, result));
        adds = true;
    }
    return adds ? STATUS_OK : fill_bits(run->stream, f->count, false, result);
}

static status in_many(program_run *run, frame *f, const instruction *s, const tensor *t,
                      tensor *result)
{
    uint64_t set[SET_BITS_MAX / 64], span[2], rows = greatest_of(t) + 1;
    memset(set, 0, rows / 8);
    for (size_t i = 0; i < s->item_count; i++) {
        int128 item = item_at(s, t->type, i);
        if (narrow_span(t, item, item, span))
            set[span[0] / 64] |= (uint64_t)1 << span[0] % 64;
    }
    return DEV_LAUNCH(run->stream, narrow_in, .width = t->narrow.width, .set = set,
                      .set_rows = rows, .values = t->values, .count = f->count,
                      .out = result->values);
}

status instruction_in_list_narrow(program_run *run, frame *f, uint32_t number, tensor **result)
{
    const instruction *s = instruction_at(run, number);
    const tensor *t = f->slots[s->args[0]];
    bool is_few = s->item_count <= FEW_ITEMS;
    if (!is_narrow(t) || !s->item_count || s->first_number || (!is_few && t->narrow.width > 2))
        return STATUS_OK;
    TRY(tensor_new_flat(run->dev, s->type, f->count.bound, false, result));
    share_validity(*result, t);
    return is_few ? in_few(run, f, s, t, *result) : in_many(run, f, s, t, *result);
}

/* ---- codes ---- */

/* Gives the first and the last entry whose bit is set, if all between are set as well; false: they are not, or none is. */
static bool is_span(const uint64_t *bits, uint64_t rows, uint64_t out[2])
{
    uint64_t set = 0;
    bool has_any = false;
    for (uint64_t w = 0; w * 64 < rows; w++) {
        uint64_t word = rows - w * 64 < 64 ? bits[w] & (((uint64_t)1 << rows % 64) - 1) : bits[w];
        if (!word)
            continue;
        set += (uint64_t)__builtin_popcountll(word);
        if (!has_any)
            out[0] = w * 64 + (uint64_t)__builtin_ctzll(word);
        out[1] = w * 64 + 63 - (uint64_t)__builtin_clzll(word);
        has_any = true;
    }
    return has_any && out[1] - out[0] + 1 == set;
}

static status look_up_bits(dev_stream *stream, const tensor *codes, const tensor *entries,
                           dev_count count, tensor *result)
{
    uint64_t span[2];
    if (is_span(entries->values, codes->base_rows, span))
        return set_between(stream, codes, span, false, false, count, result);
    return DEV_LAUNCH(stream, narrow_in, .width = codes->narrow.width, .set = entries->values,
                      .set_rows = codes->base_rows, .values = codes->values, .count = count,
                      .out = result->values);
}

/* Codes beyond the dictionary's rows stand for NULL. */
static status look_up_validity(dev_stream *stream, const tensor *codes, dev_count count,
                               tensor *result)
{
    if (!codes->narrow.has_null_codes)
        return STATUS_OK;
    TRY(dev_alloc(stream->dev, bitmap_bytes(count.bound), "chunk", &result->validity_owner));
    result->validity = result->validity_owner->address;
    return DEV_LAUNCH(stream, narrow_between, .width = codes->narrow.width, .low = 0,
                      .high = codes->base_rows - 1, .values = codes->values, .count = count,
                      .out = result->validity);
}

/* Looks entries of any type up, by codes in full width. */
static status look_up_wide(dev_stream *stream, const tensor *codes, tensor *entries,
                           dev_count count, tensor **out)
{
    tensor *wide;
    TRY(tensor_widen(stream, codes, count, &wide));
    status st = tensor_new_indexed(stream, entries, codes->base_rows, wide->index, count, out);
    tensor_unref(wide);
    return st;
}

status narrow_look_up(dev_stream *stream, const tensor *codes, tensor *entries, dev_count count,
                      tensor **out)
{
    *out = NULL;
    if (entries->form != TENSOR_FLAT || entries->type.id != TYPE_BOOL || entries->validity ||
        !codes->base_rows)
        return look_up_wide(stream, codes, entries, count, out);
    tensor *result;
    TRY(tensor_new_flat(stream->dev, entries->type, count.bound, false, &result));
    status st = look_up_bits(stream, codes, entries, count, result);
    if (!st)
        st = look_up_validity(stream, codes, count, result);
    if (st) {
        tensor_unref(result);
        return st;
    }
    *out = result;
    return STATUS_OK;
}
