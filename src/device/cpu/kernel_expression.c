/* kernel_expression.c - a run of an expression's instructions: each step by its own kernel, over a few
 * rows at a time, so that what is between two steps stays in the cache. */
#include "device/cpu/kernel.h"
#include "device/kernels/kernel_ops.h"

#define TILE_ROWS 256 /* whole words of bits */
#define TILE_BITS (TILE_ROWS / 64)

/* A register's column; validity NULL: no NULLs. */
typedef struct tile_column {
    const void *values;
    const uint64_t *validity;
} tile_column;

/* The rows from `first` on. Values of 128 bits lie in two registers, one behind the other. */
typedef struct tile {
    const expression_arguments *a;
    size_t first, rows;
    tile_column columns[TILE_REGISTERS];
    _Alignas(64) uint64_t words[TILE_WORDS][TILE_ROWS];
    uint64_t bits[TILE_REGISTERS][TILE_BITS], validity[TILE_REGISTERS][TILE_BITS];
    uint64_t slack[8]; /* kernels may read behind a column's end */
} tile;

/* Returns where the step's result goes. */
static void *expression_target_of(tile *t, const tile_step *s)
{
    char *out = s->output ? TILE_OUT(t->a, s->output - 1u) : NULL;
    if (out)
        return out + (s->type.width ? t->first * s->type.width : t->first / 8);
    return s->target < TILE_WORDS ? (void *)t->words[s->target] : t->bits[s->target];
}

static const tile_column *arg_of(const tile *t, const tile_step *s, unsigned number)
{
    return &t->columns[s->args[number]];
}

/* ---- validity ---- */

static dev_count expression_rows_of(const tile *t)
{
    return (dev_count){t->rows, NULL};
}

/* NULL where one of the two is, in the target's own words. */
static const uint64_t *both_valid(tile *t, const tile_step *s, const uint64_t *left,
                                  const uint64_t *right)
{
    if (!left && !right)
        return NULL;
    logic_arguments both = {.op = DEV_LOGIC_BOTH_VALID,
                            .left_validity = left,
                            .left_stride = 1,
                            .right_validity = right,
                            .right_stride = 1,
                            .count = expression_rows_of(t),
                            .out = t->validity[s->target]};
    ISA_(logic)(&both);
    return t->validity[s->target];
}

static void store_validity(const tile *t, const tile_step *s, const uint64_t *validity)
{
    uint64_t *out = s->output ? TILE_OUT_VALIDITY(t->a, s->output - 1u) : NULL;
    for (size_t w = 0; out && w * 64 < t->rows; w++)
        out[t->first / 64 + w] =
            (validity ? validity[w] : ~(uint64_t)0) & kernel_word_mask(t->rows, w);
}

/* ---- steps ---- */

/* base[index[i]]; of an input that has no values only whether it is NULL. */
static const uint64_t *load_indexed(tile *t, const tile_step *s, const uint32_t *index, void *out)
{
    gather_arguments g = {.width = s->type.width,
                          .index_has_nulls = true,
                          .base = TILE_INPUT(t->a, s->args[0]),
                          .base_validity = TILE_VALIDITY(t->a, s->args[0]),
                          .index = index + t->first,
                          .count = expression_rows_of(t),
                          .out = out,
                          .out_validity = t->validity[s->target]};
    if (!g.base)
        g.base = g.base_validity;
    if (g.base) {
        ISA_(gather)(&g);
        return t->validity[s->target];
    }
    memset(t->validity[s->target], 0, sizeof t->validity[0]);
    for (size_t i = 0; i < t->rows; i++)
        t->validity[s->target][i / 64] |= (uint64_t)(g.index[i] != ROW_NULL) << (i % 64);
    return t->validity[s->target];
}

static const uint64_t *expression_load(tile *t, const tile_step *s, void *out)
{
    const uint32_t *index = TILE_INDEX(t->a, s->args[0]);
    if (index)
        return load_indexed(t, s, index, out);
    const char *values = TILE_INPUT(t->a, s->args[0]);
    const uint64_t *validity = TILE_VALIDITY(t->a, s->args[0]);
    size_t bytes = s->type.width ? t->rows * s->type.width : (t->rows + 63) / 64 * 8;
    size_t first = s->type.width ? t->first * s->type.width : t->first / 8;
    if (values)
        memcpy(out, values + first, bytes);
    return validity ? both_valid(t, s, validity + t->first / 64, NULL) : NULL;
}

static const uint64_t *constant(tile *t, const tile_step *s, void *out)
{
    const uint64_t *words = &t->a->code.constants[s->args[0]];
    if (s->type.width)
        for (size_t i = 0; i < t->rows; i++)
            memcpy((char *)out + i * s->type.width, words, s->type.width);
    else
        memset(out, words[0] & 1 ? 0xff : 0, (t->rows + 63) / 64 * 8);
    if (!s->op)
        return NULL;
    memset(t->validity[s->target], 0, sizeof t->validity[0]);
    return t->validity[s->target];
}

static const uint64_t *expression_compare(tile *t, const tile_step *s, void *out)
{
    const tile_column *left = arg_of(t, s, 0), *right = arg_of(t, s, 1);
    compare_arguments c = {.type = s->from,
                           .op = s->op,
                           .left = left->values,
                           .left_stride = 1,
                           .right = right->values,
                           .right_stride = 1,
                           .count = expression_rows_of(t),
                           .out = out};
    ISA_(compare)(&c);
    return both_valid(t, s, left->validity, right->validity);
}

static const uint64_t *range(tile *t, const tile_step *s, void *out)
{
    const uint64_t *bounds = &t->a->code.constants[s->args[1]];
    compare_range_arguments r = {.type = s->from,
                                 .values = arg_of(t, s, 0)->values,
                                 .low = (int64_t)bounds[0],
                                 .high = (int64_t)bounds[1],
                                 .count = expression_rows_of(t),
                                 .out = out};
    ISA_(compare_range)(&r);
    return both_valid(t, s, arg_of(t, s, 0)->validity, NULL);
}

static const uint64_t *logic(tile *t, const tile_step *s, void *out)
{
    const tile_column *left = arg_of(t, s, 0), *right = arg_of(t, s, 1);
    bool compares = s->op == DEV_LOGIC_SAME || s->op == DEV_LOGIC_DIFFERENT;
    bool decides = s->op == DEV_LOGIC_AND || s->op == DEV_LOGIC_OR;
    bool has_nulls = decides && (left->validity || right->validity);
    logic_arguments l = {.op = s->op,
                         .left = compares ? arg_of(t, s, 2)->values : left->values,
                         .left_validity = left->validity,
                         .left_stride = 1,
                         .right = compares ? NULL : right->values,
                         .right_validity = right->validity,
                         .right_stride = 1,
                         .count = expression_rows_of(t),
                         .out = out,
                         .out_validity = has_nulls ? t->validity[s->target] : NULL};
    ISA_(logic)(&l);
    if (s->op == DEV_LOGIC_NOT)
        return both_valid(t, s, left->validity, NULL);
    return l.out_validity;
}

static const uint64_t *expression_choose(tile *t, const tile_step *s, void *out)
{
    const tile_column *condition = arg_of(t, s, 0), *first = arg_of(t, s, 1),
                      *second = arg_of(t, s, 2);
    bool has_nulls = first->validity || second->validity;
    choose_arguments c = {.width = s->type.width,
                          .condition = condition->values,
                          .condition_validity = condition->validity,
                          .first = first->values,
                          .first_validity = first->validity,
                          .first_stride = 1,
                          .second = second->values,
                          .second_validity = second->validity,
                          .second_stride = 1,
                          .count = expression_rows_of(t),
                          .out = out,
                          .out_validity = has_nulls ? t->validity[s->target] : NULL};
    ISA_(choose)(&c);
    return c.out_validity;
}

static const uint64_t *arithmetic(tile *t, const tile_step *s, void *out, dev_error *error)
{
    const tile_column *left = arg_of(t, s, 0), *right = arg_of(t, s, 1);
    const uint64_t *validity = both_valid(t, s, left->validity, right->validity);
    arithmetic_arguments x = {.op = s->op,
                              .type = s->type,
                              .is_checked = s->flags & TILE_CHECKED,
                              .left = left->values,
                              .left_width = s->flags & TILE_LEFT_WIDE ? 16
                                            : s->type.width == 4      ? 4
                                                                      : 8,
                              .left_stride = 1,
                              .right = right->values,
                              .right_width = s->flags & TILE_RIGHT_WIDE ? 16
                                             : s->type.width == 4       ? 4
                                                                        : 8,
                              .right_stride = 1,
                              .validity = validity,
                              .count = expression_rows_of(t),
                              .out = out,
                              .error = error,
                              .location = s->location};
    ISA_(arithmetic)(&x);
    return validity;
}

static const uint64_t *cast(tile *t, const tile_step *s, void *out, dev_error *error)
{
    const uint64_t *validity = both_valid(t, s, arg_of(t, s, 0)->validity, NULL);
    cast_number_arguments c = {.from = s->from,
                               .to = s->type,
                               .is_checked = s->flags & TILE_CHECKED,
                               .values = arg_of(t, s, 0)->values,
                               .validity = validity,
                               .count = expression_rows_of(t),
                               .out = out,
                               .error = error,
                               .location = s->location};
    ISA_(cast_number)(&c);
    return validity;
}

static const uint64_t *expression_compute(tile *t, const tile_step *s, void *out, dev_error *error)
{
    switch ((tile_kind)s->kind) {
    case TILE_LOAD:
        return expression_load(t, s, out);
    case TILE_CONSTANT:
        return constant(t, s, out);
    case TILE_COMPARE:
        return expression_compare(t, s, out);
    case TILE_RANGE:
        return range(t, s, out);
    case TILE_LOGIC:
        return logic(t, s, out);
    case TILE_CHOOSE:
        return expression_choose(t, s, out);
    case TILE_ARITHMETIC:
        return arithmetic(t, s, out, error);
    case TILE_CAST:
        return cast(t, s, out, error);
    }
    return NULL;
}

void ISA_(expression)(const expression_arguments *a)
{
    size_t count = kernel_count(a->count);
    tile t = {.a = a};
    for (t.first = 0; t.first < count; t.first += TILE_ROWS) {
        t.rows = count - t.first < TILE_ROWS ? count - t.first : TILE_ROWS;
        for (uint32_t i = 0; i < a->code.step_count; i++) {
            const tile_step *s = &a->code.steps[i];
            dev_error error = {0};
            void *out = expression_target_of(&t, s);
            const uint64_t *validity = expression_compute(&t, s, out, &error);
            if (error.code)
                kernel_fail(a->error, (dev_error_code)error.code, error.location,
                            t.first + error.detail);
            store_validity(&t, s, validity);
            t.columns[s->target] = (tile_column){out, validity};
        }
    }
}
