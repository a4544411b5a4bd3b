/* host_fold.c - functions of constants, when the plan is made. */
#include "device/host/host_fold.h"

#include "device/host/host.h"

#define FOLD_ARGS_MAX 8
#define FOLDED_BYTES_MAX 4096 /* longer texts are made where they are counted: in the query */

host_operand host_operand_of(const value *v, host_place *place)
{
    static const uint64_t none = 0;
    memset(place, 0, sizeof *place);
    if (v->is_null)
        return (host_operand){v->type, place, &none, 0};
    if (type_is_text(v->type))
        place->text = string_view_make(v->text, (uint32_t)v->bytes);
    else if (v->type.id == TYPE_BOOL)
        place->bits = v->boolean;
    else if (v->type.id == TYPE_FLOAT)
        memcpy(place->bytes, &(float){(float)v->f64}, sizeof(float));
    else if (v->type.id == TYPE_DOUBLE)
        place->real = v->f64;
    else if (v->type.id == TYPE_INTERVAL)
        place->interval = v->interval;
    else if (v->type.width == 16)
        place->wide = v->i128;
    else
        place->integer = v->i64;
    return (host_operand){v->type, place, NULL, 0};
}

static bool host_fold_fits(const value *v)
{
    return !v->is_null && v->type.id != TYPE_FLOAT &&
           (!type_is_text(v->type) || v->bytes <= FOLDED_BYTES_MAX);
}

/* The type's values take at most 64 bits. */
static bool host_fold_read_integer(data_type type, const host_place *at, value *out)
{
    bool is_read = type.width == sizeof at->integer ||
                   (type_is_integer(type) && type.width < sizeof at->integer);
    if (!is_read)
        return false;
    unsigned shift = 64 - 8 * (unsigned)type.width;
    uint64_t bits = (uint64_t)at->integer << shift;
    if (!type_is_signed(type))
        out->u64 = bits >> shift;
    else
        out->i64 = (int64_t)bits >> shift;
    return true;
}

static bool read_result(const host_call *c, host_place *at, value *out)
{
    *out = (value){.type = c->type};
    if (c->validity && !(*c->validity & 1)) {
        *out = value_null(c->type);
        return true;
    }
    switch (c->type.id) {
    case TYPE_BOOL:
        out->boolean = at->bits & 1;
        return true;
    case TYPE_VARCHAR:
    case TYPE_BLOB: {
        char *text = arena_copy_text(c->memory, string_data(&at->text), at->text.bytes);
        *out = value_text(text, at->text.bytes);
        out->type = c->type;
        return text;
    }
    case TYPE_DOUBLE:
        out->f64 = at->real;
        return true;
    case TYPE_INTERVAL:
        out->interval = at->interval;
        return true;
    case TYPE_DATE:
        out->i64 = (int32_t)at->integer;
        return true;
    case TYPE_DECIMAL:
        if (c->type.width == sizeof at->wide) {
            out->i128 = at->wide;
            return true;
        }
        break;
    default:
        break;
    }
    return host_fold_read_integer(c->type, at, out);
}

bool host_fold(host_function function, data_type type, host_constants args, uint32_t arg_count,
               arena *memory, value *out)
{
    host_place places[FOLD_ARGS_MAX], result;
    host_operand operands[FOLD_ARGS_MAX];
    uint64_t validity = 1;
    memset(&result, 0, sizeof result);
    if (arg_count > FOLD_ARGS_MAX || host_traits_of(function) & (HOST_SEES_NULLS | HOST_VOLATILE))
        return false;
    for (uint32_t i = 0; i < arg_count; i++) {
        if (!host_fold_fits(args[i]))
            return false;
        operands[i] = host_operand_of(args[i], &places[i]);
    }
    host_call c = {.function = function,
                   .memory = memory,
                   .text_max = FOLDED_BYTES_MAX,
                   .type = type,
                   .count = 1,
                   .args = operands,
                   .arg_count = arg_count,
                   .values = &result,
                   .validity = &validity};
    status st = host_plan(function, args, arg_count, memory, &c.plan);
    if (!st) {
        host_run(&c);
        st = c.failure;
    }
    bool is_done = !st && read_result(&c, &result, out);
    status_free(st);
    return is_done;
}
