/* fold_text.c - functions of constant texts, by the same code as the kernels: upper('abc'), a part of a name. */

#include "plan/fold/fold_parts.h"
#include "plan/tree/function.h"

#include <string.h>

#define TEXT_HAS(text, bytes, part, part_bytes) (memmem(text, bytes, part, part_bytes) != NULL)

#include "device/value/text_trim.h"

/* Longer texts are left to the executor, which says what is too long. */
#define TEXT_MOST ((size_t)1 << 20)

static bool fold_text_is_text(const expr *e)
{
    return e->type.id == TYPE_VARCHAR && e->constant.type.id == TYPE_VARCHAR;
}

/* Bytes [from, to) of the first argument. */
static bool fold_text_take_part(arena *a, const expr *e, size_t from, size_t to, value *out)
{
    const char *text = arena_copy_text(a, e->args[0]->constant.text + from, to - from);
    if (text)
        *out = value_text(text, to - from);
    return text;
}

static bool fold_slice(arena *a, const expr *e, dev_slice_op op, value *out)
{
    const value *text = &e->args[0]->constant;
    int64_t numbers[2] = {0};
    size_t from, to;
    for (uint32_t i = 1; i < e->arg_count; i++) {
        if (!type_is_integer(e->args[i]->type))
            return false;
        int128 number = value_int128(&e->args[i]->constant);
        numbers[i - 1] = (int64_t)number;
        if (numbers[i - 1] != number)
            return false;
    }
    if (op == DEV_SLICE_SUBSTRING && e->arg_count == 2)
        op = DEV_SLICE_FROM;
    if (op == DEV_SLICE_SUBSTRING && numbers[1] < 0) /* an error */
        return false;
    text_slice(op, text->text, text->bytes, numbers[0], numbers[1], &from, &to);
    return fold_text_take_part(a, e, from, to, out);
}

static bool fold_trim(arena *a, const expr *e, uint8_t ends, value *out)
{
    const value *text = &e->args[0]->constant;
    value space = value_text(" ", 1);
    const value *set = e->arg_count > 1 ? &e->args[1]->constant : &space;
    size_t from, to;
    if (e->arg_count > 1 && !fold_text_is_text(e->args[1]))
        return false;
    text_trim(ends, text->text, text->bytes, set->text, set->bytes, &from, &to);
    return fold_text_take_part(a, e, from, to, out);
}

static bool fold_build(arena *a, const expr *e, dev_build_op op, value *out)
{
    const value *text = &e->args[0]->constant;
    char *made = arena_copy_text(a, text->text, text->bytes);
    if (!made || e->arg_count != 1 || !text_rewrite(op, text->text, text->bytes, made))
        return false;
    *out = value_text(made, text->bytes);
    return true;
}

static bool fold_concat(arena *a, const expr *e, value *out)
{
    size_t bytes = 0, at = 0;
    for (uint32_t i = 0; i < e->arg_count; i++) {
        if (!fold_text_is_text(e->args[i]) || e->args[i]->constant.bytes > TEXT_MOST)
            return false;
        bytes += e->args[i]->constant.bytes;
    }
    char *text = arena_alloc(a, bytes + 1);
    if (!text)
        return false;
    for (uint32_t i = 0; i < e->arg_count; i++) {
        memcpy(text + at, e->args[i]->constant.text, e->args[i]->constant.bytes);
        at += e->args[i]->constant.bytes;
    }
    *out = value_text(text, bytes);
    return true;
}

static bool fold_measure(const expr *e, int op, value *out)
{
    const value *text = &e->args[0]->constant;
    if (e->arg_count != 1 || (op != DEV_MEASURE_CHARACTERS && op != DEV_MEASURE_BYTES) ||
        !type_is_integer(e->type))
        return false;
    size_t size = op == DEV_MEASURE_BYTES ? text->bytes : text_characters(text->text, text->bytes);
    *out = value_int(e->type.id, (int64_t)size);
    return true;
}

static bool fold_starts_with(const expr *e, value *out)
{
    const value *text = &e->args[0]->constant, *prefix = &e->args[1]->constant;
    if (!fold_text_is_text(e->args[1]))
        return false;
    *out = value_bool(text->bytes >= prefix->bytes &&
                      !memcmp(text->text, prefix->text, prefix->bytes));
    return true;
}

bool fold_text(arena *a, const expr *e, value *out)
{
    const function_info *info = function_info_of(e->op);
    if (!e->arg_count || !fold_text_is_text(e->args[0]) || e->args[0]->constant.bytes > TEXT_MOST)
        return false;
    if (!strcmp(info->family, "measure"))
        return fold_measure(e, info->operation, out);
    if (!strcmp(info->family, "starts_with"))
        return fold_starts_with(e, out);
    if (e->type.id != TYPE_VARCHAR)
        return false;
    if (!strcmp(info->family, "slice"))
        return fold_slice(a, e, (dev_slice_op)info->operation, out);
    if (!strcmp(info->family, "trim"))
        return fold_trim(a, e, (uint8_t)info->operation, out);
    if (!strcmp(info->family, "build"))
        return fold_build(a, e, (dev_build_op)info->operation, out);
    return (e->op == EXPR_CONCAT || e->op == EXPR_CONCAT_SKIP) && fold_concat(a, e, out);
}
