/* program_compile_logic.c - AND, OR, CASE, COALESCE, IN: what decides, and what is decided between.
 *
 * Where nothing can fail, all branches are computed for all rows and chosen from: no row number is
 * ever made. A branch that can fail is computed for the rows that need it (INSTRUCTION_LAZY_CASE).
 */
#include "exec/expression/program_compile_logic.h"

#include "exec/expression/program_compile.h"
#include "exec/expression/program_compile_value.h"
#include "exec/expression/program_instruction.h"

#include <stdlib.h>

status compile_test(compiler *c, dev_logic_op op, uint32_t arg, uint32_t *out)
{
    if (op == DEV_LOGIC_IS_TRUE || op == DEV_LOGIC_IS_FALSE)
        TRY(compile_cast(c, arg, type_make(TYPE_BOOL), -1, &arg));
    instruction s = instruction_make(INSTRUCTION_TEST, (uint8_t)op, type_make(TYPE_BOOL), -1);
    return instruction_add(c, &s, &arg, 1, out);
}

static bool is_literal(const instruction *s, bool boolean)
{
    return s->kind == INSTRUCTION_CONSTANT && !s->constant.is_null &&
           s->constant.boolean == boolean;
}

/* ---- AND, OR ---- */

/* low <= x <= high; what a comparison leaves open is the type's bound. */
typedef struct range {
    uint32_t arg;
    int128 low, high;
} range;

/* A comparison of a narrow integer-like instruction with a constant, but not <>. */
static bool as_range(const compiler *c, const instruction *s, range *out)
{
    if (s->kind != INSTRUCTION_COMPARE || s->op == DEV_COMPARE_NE)
        return false;
    const instruction *arg = instruction_of(c, s->args[0]),
                      *constant = instruction_of(c, s->args[1]);
    if (constant->kind != INSTRUCTION_CONSTANT || constant->constant.is_null || !arg->has_bounds ||
        arg->type.width > 8 || arg->type.id == TYPE_UINT64)
        return false;
    int128 number = value_int128(&constant->constant);
    bool is_signed = type_is_signed(arg->type) || type_is_time(arg->type);
    int128 highest = ((int128)1 << (arg->type.width * 8 - is_signed)) - 1;
    *out = (range){s->args[0], is_signed ? -highest - 1 : 0, highest};
    if (s->op == DEV_COMPARE_EQ || s->op == DEV_COMPARE_GE)
        out->low = number;
    else if (s->op == DEV_COMPARE_GT)
        out->low = number + 1;
    if (s->op == DEV_COMPARE_EQ || s->op == DEV_COMPARE_LE)
        out->high = number;
    else if (s->op == DEV_COMPARE_LT)
        out->high = number - 1;
    return true;
}

/* The comparisons of one value, together. */
typedef struct merged_range {
    range all;
    uint32_t count;
    bool is_added; /* the test that stands for all of them */
} merged_range;

/* out[n]: of the comparisons of instruction n; *out_any: some are of the same. */
static status collect_ranges(const compiler *c, const uint32_t *args, uint32_t count,
                             merged_range **out, bool *out_any)
{
    size_t instructions = c->program->instructions.count;
    merged_range *ranges = arena_alloc_array(c->program->memory, instructions + 1, sizeof *ranges);
    *out = ranges;
    *out_any = false;
    if (!ranges)
        return status_no_memory("expression", instructions * sizeof *ranges);
    for (uint32_t i = 0; i < count; i++) {
        range one;
        if (!as_range(c, instruction_of(c, args[i]), &one))
            continue;
        merged_range *m = &ranges[one.arg];
        if (!m->count++) {
            m->all = one;
            continue;
        }
        m->all.low = one.low > m->all.low ? one.low : m->all.low;
        m->all.high = one.high < m->all.high ? one.high : m->all.high;
        *out_any = true;
    }
    return STATUS_OK;
}

/* Comparisons that no number satisfies stay as they are: NULL AND false has its own rules. */
static bool is_one_test(const merged_range *m)
{
    return m->count > 1 && m->all.low <= m->all.high && m->all.low >= INT64_MIN &&
           m->all.high <= INT64_MAX;
}

/* Comparisons of the same value with constants become one range test, in the first one's place. */
static status merge_ranges(compiler *c, uint32_t *args, uint32_t *count)
{
    merged_range *ranges;
    bool has_any;
    uint32_t kept = 0;
    if (*count < 2)
        return STATUS_OK;
    TRY(collect_ranges(c, args, *count, &ranges, &has_any));
    for (uint32_t i = 0; i < *count && has_any; i++) {
        range one;
        bool is_range = as_range(c, instruction_of(c, args[i]), &one);
        merged_range *m = is_range ? &ranges[one.arg] : NULL;
        if (!m || !is_one_test(m)) {
            args[kept++] = args[i];
            continue;
        }
        if (m->is_added)
            continue;
        m->is_added = true;
        instruction s = instruction_make(INSTRUCTION_RANGE, 0, type_make(TYPE_BOOL), -1);
        s.first_number = (int64_t)m->all.low;
        s.second_number = (int64_t)m->all.high;
        TRY(instruction_add(c, &s, &one.arg, 1, &args[kept++]));
    }
    *count = has_any ? kept : *count;
    return STATUS_OK;
}

/* acc AND arg, arg being computed only where acc does not decide already. */
static status and_or_lazily(compiler *c, dev_logic_op op, uint32_t acc, uint32_t arg, uint32_t *out)
{
    uint32_t both[2] = {acc, arg}, args[3];
    value decided = value_bool(op == DEV_LOGIC_OR);
    TRY(compile_test(c, op == DEV_LOGIC_OR ? DEV_LOGIC_IS_TRUE : DEV_LOGIC_IS_FALSE, acc,
                     &args[0]));
    TRY(instruction_add_constant(c, &decided, &args[1]));
    instruction combine =
        instruction_make(INSTRUCTION_LOGIC, (uint8_t)op, type_make(TYPE_BOOL), -1);
    TRY(instruction_add(c, &combine, both, 2, &args[2]));
    instruction s = instruction_make(INSTRUCTION_LAZY_CASE, 0, type_make(TYPE_BOOL), -1);
    return instruction_add(c, &s, args, 3, out);
}

/* Appends the arguments' instructions, those of nested ANDs (ORs) one by one. */
typedef ARRAY(uint32_t) instruction_list;

static status flatten_args(compiler *c, const expr *e, instruction_list *list)
{
    for (uint32_t i = 0; i < e->arg_count; i++) {
        const expr *arg = e->args[i];
        uint32_t number;
        if (arg->kind == EXPR_CALL && arg->op == e->op && c->depth < 1000) {
            c->depth++;
            TRY(flatten_args(c, arg, list));
            c->depth--;
            continue;
        }
        TRY(compile_expr(c, arg, &number));
        TRY(compile_cast(c, number, type_make(TYPE_BOOL), arg->position, &number));
        TRY(array_push(c->program->memory, list, number));
    }
    return STATUS_OK;
}

status compile_logic(compiler *c, dev_logic_op op, uint32_t *args, uint32_t count, uint32_t *out)
{
    if (op == DEV_LOGIC_AND)
        TRY(merge_ranges(c, args, &count));
    bool is_first = true;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t arg = args[i];
        if (is_literal(instruction_of(c, arg), op == DEV_LOGIC_AND))
            continue; /* neutral */
        if (is_literal(instruction_of(c, arg), op == DEV_LOGIC_OR)) {
            *out = arg; /* decides; what is left of it could fail, but need not be computed */
            return STATUS_OK;
        }
        if (is_first) {
            *out = arg;
        } else if (instruction_of(c, arg)->can_fail) {
            TRY(and_or_lazily(c, op, *out, arg, out));
        } else {
            uint32_t both[2] = {*out, arg};
            instruction s =
                instruction_make(INSTRUCTION_LOGIC, (uint8_t)op, type_make(TYPE_BOOL), -1);
            TRY(instruction_add(c, &s, both, 2, out));
        }
        is_first = false;
    }
    if (!is_first)
        return STATUS_OK;
    value neutral = value_bool(op == DEV_LOGIC_AND);
    return instruction_add_constant(c, &neutral, out);
}

status compile_call_logic(compiler *c, const expr *e, int op, uint32_t *out)
{
    instruction_list list = {0};
    TRY(flatten_args(c, e, &list));
    return compile_logic(c, (dev_logic_op)op, list.items, (uint32_t)list.count, out);
}

/* ---- CASE, COALESCE ---- */

/* Bounds that hold for both. */
static void program_compile_logic_unite_bounds(const compiler *c, const uint32_t *args,
                                               uint32_t count, instruction *s)
{
    bool is_first = true;
    int128 low = s->low, high = s->high;
    for (uint32_t i = 0; i < count; i++) {
        const instruction *arg = instruction_of(c, args[i]);
        if (arg->kind == INSTRUCTION_CONSTANT && arg->constant.is_null)
            continue;
        if (!arg->has_bounds)
            return;
        low = is_first || arg->low < low ? arg->low : low;
        high = is_first || arg->high > high ? arg->high : high;
        is_first = false;
    }
    s->low = low;
    s->high = high;
}

status compile_choose(compiler *c, data_type type, uint32_t condition, uint32_t first,
                      uint32_t second, uint32_t *out)
{
    uint32_t args[3] = {condition, first, second};
    TRY(compile_cast(c, first, type, -1, &args[1]));
    TRY(compile_cast(c, second, type, -1, &args[2]));
    const instruction *test = instruction_of(c, condition);
    if (is_literal(test, true) || args[1] == args[2]) {
        *out = args[1];
        return STATUS_OK;
    }
    if (test->kind == INSTRUCTION_CONSTANT) {
        *out = args[2];
        return STATUS_OK;
    }
    bool is_lazy = instruction_of(c, args[1])->can_fail || instruction_of(c, args[2])->can_fail;
    instruction s =
        instruction_make(is_lazy ? INSTRUCTION_LAZY_CASE : INSTRUCTION_CHOOSE, 0, type, -1);
    if (s.has_bounds)
        program_compile_logic_unite_bounds(c, args + 1, 2, &s);
    return instruction_add(c, &s, args, 3, out);
}

/* The branches of a CASE or COALESCE, compiled: the result with the number `count` is the one of ELSE. */
typedef struct branch_list {
    uint32_t count;
    uint32_t *conditions, *results;
    data_type type;
    int32_t position;
} branch_list;

static status new_branches(compiler *c, const expr *e, uint32_t count, branch_list *out)
{
    arena *a = c->program->memory;
    *out = (branch_list){.count = count, .type = e->type, .position = e->position};
    out->conditions = arena_alloc_array(a, count + 1, sizeof *out->conditions);
    out->results = arena_alloc_array(a, count + 1, sizeof *out->results);
    return out->conditions && out->results
               ? STATUS_OK
               : status_no_memory("expression", count * sizeof(uint32_t));
}

/* Each branch within the ELSE of the one before it. */
static status nest_branches(compiler *c, const branch_list *b, uint32_t *out)
{
    TRY(compile_cast(c, b->results[b->count], b->type, b->position, out));
    for (uint32_t i = b->count; i-- > 0;)
        TRY(compile_choose(c, b->type, b->conditions[i], b->results[i], *out, out));
    return STATUS_OK;
}

static status program_compile_logic_add_number(compiler *c, uint32_t number, uint32_t *out)
{
    value v = value_int(TYPE_INT32, number);
    return instruction_add_constant(c, &v, out);
}

/* The number of the branch that a row takes. Conditions that can fail are computed for the rows that no
 * branch before has taken. */
static status number_branches(compiler *c, const branch_list *b, uint32_t *out)
{
    data_type type = type_make(TYPE_INT32);
    uint32_t none;
    TRY(program_compile_logic_add_number(c, b->count, &none));
    *out = none;
    for (uint32_t i = 0; i < b->count; i++) {
        uint32_t number, is_free, taken;
        TRY(program_compile_logic_add_number(c, i, &number));
        TRY(compile_comparison(c, DEV_COMPARE_EQ, *out, none, -1, &is_free));
        TRY(compile_choose(c, type, b->conditions[i], number, none, &taken));
        TRY(compile_choose(c, type, is_free, taken, *out, out));
    }
    return STATUS_OK;
}

/* The results [from, to] by the branch's number: halves, and halves of these. */
static status choose_by_number(compiler *c, const branch_list *b, uint32_t number, uint32_t from,
                               uint32_t to, uint32_t *out)
{
    if (from == to)
        return compile_cast(c, b->results[from], b->type, b->position, out);
    uint32_t middle = from + (to - from) / 2, last, is_first, first, second;
    TRY(choose_by_number(c, b, number, from, middle, &first));
    TRY(choose_by_number(c, b, number, middle + 1, to, &second));
    TRY(program_compile_logic_add_number(c, middle, &last));
    TRY(compile_comparison(c, DEV_COMPARE_LE, number, last, -1, &is_first));
    return compile_choose(c, b->type, is_first, first, second, out);
}

/* Branches that can fail are computed for the rows that take them, each within the one before it. More than this
 * are too deep. */
#define NESTED_BRANCHES_MAX 32

static status compile_branches(compiler *c, const branch_list *b, uint32_t *out)
{
    bool can_fail = instruction_of(c, b->results[b->count])->can_fail;
    for (uint32_t i = 0; i < b->count; i++)
        can_fail |= instruction_of(c, b->conditions[i])->can_fail ||
                    instruction_of(c, b->results[i])->can_fail;
    if (!can_fail || b->count <= NESTED_BRANCHES_MAX)
        return nest_branches(c, b, out);
    uint32_t number;
    TRY(number_branches(c, b, &number));
    return choose_by_number(c, b, number, 0, b->count, out);
}

status compile_case(compiler *c, const expr *e, uint32_t *out)
{
    branch_list b;
    TRY(new_branches(c, e, e->arg_count / 2, &b));
    for (uint32_t i = 0; i < b.count; i++) {
        TRY(compile_expr(c, e->args[2 * i], &b.conditions[i]));
        TRY(compile_cast(c, b.conditions[i], type_make(TYPE_BOOL), e->position, &b.conditions[i]));
        TRY(compile_expr(c, e->args[2 * i + 1], &b.results[i]));
    }
    TRY(compile_expr(c, e->args[e->arg_count - 1], &b.results[b.count]));
    return compile_branches(c, &b, out);
}

/* The first argument that is not NULL. */
static status compile_coalesce(compiler *c, const expr *e, uint32_t *out)
{
    branch_list b;
    TRY(new_branches(c, e, e->arg_count - 1, &b));
    for (uint32_t i = 0; i <= b.count; i++) {
        TRY(compile_expr(c, e->args[i], &b.results[i]));
        TRY(compile_cast(c, b.results[i], e->type, e->position, &b.results[i]));
        if (i < b.count)
            TRY(compile_test(c, DEV_LOGIC_IS_NOT_NULL, b.results[i], &b.conditions[i]));
    }
    return compile_branches(c, &b, out);
}

/* GREATEST and LEAST pass NULLs over: the first is kept if it wins or there is no second. */
static status compile_extreme(compiler *c, const expr *e, uint32_t left, uint32_t right,
                              uint32_t *out)
{
    dev_compare_op op = e->op == EXPR_GREATEST ? DEV_COMPARE_GE : DEV_COMPARE_LE;
    uint32_t tests[2], condition;
    TRY(compile_cast(c, left, e->type, e->position, &left));
    TRY(compile_cast(c, right, e->type, e->position, &right));
    TRY(compile_comparison(c, op, left, right, e->position, &tests[0]));
    TRY(compile_test(c, DEV_LOGIC_IS_NULL, right, &tests[1]));
    instruction either =
        instruction_make(INSTRUCTION_LOGIC, DEV_LOGIC_OR, type_make(TYPE_BOOL), -1);
    TRY(instruction_add(c, &either, tests, 2, &condition));
    return compile_choose(c, e->type, condition, left, right, out);
}

static status compile_nullif(compiler *c, const expr *e, uint32_t *out)
{
    uint32_t args[2], condition, null_instruction;
    TRY(compile_expr(c, e->args[0], &args[0]));
    TRY(compile_expr(c, e->args[1], &args[1]));
    uint32_t kept = args[0];
    TRY(compile_same_width(c, args));
    TRY(compile_comparison(c, DEV_COMPARE_EQ, args[0], args[1], e->position, &condition));
    value null = value_null(e->type);
    TRY(instruction_add_constant(c, &null, &null_instruction));
    return compile_choose(c, e->type, condition, null_instruction, kept, out);
}

status compile_call_choice(compiler *c, const expr *e, int op, uint32_t *out)
{
    (void)op;
    if (e->op == EXPR_NULLIF)
        return compile_nullif(c, e, out);
    if (e->op == EXPR_COALESCE)
        return compile_coalesce(c, e, out);
    uint32_t last = e->arg_count - 1, arg;
    TRY(compile_expr(c, e->args[last], out));
    TRY(compile_cast(c, *out, e->type, e->position, out));
    for (uint32_t i = last; i-- > 0;) {
        TRY(compile_expr(c, e->args[i], &arg));
        TRY(compile_cast(c, arg, e->type, e->position, &arg));
        TRY(compile_extreme(c, e, arg, *out, out));
    }
    return STATUS_OK;
}

/* ---- IN ---- */

static int item_order(const void *a, const void *b)
{
    return value_compare(a, b);
}

/* A value as its column has it in memory; text stays a value. */
static void store_item(const value *v, data_type type, char *target)
{
    if (type.id == TYPE_FLOAT) {
        float narrow = (float)v->f64;
        memcpy(target, &narrow, sizeof narrow);
    } else if (type.id == TYPE_DOUBLE) {
        memcpy(target, &v->f64, sizeof v->f64);
    } else if (type.id == TYPE_INTERVAL) {
        memcpy(target, &v->interval, sizeof v->interval);
    } else {
        int128 number = value_int128(v);
        memcpy(target, &number, type.width);
    }
}

/* Sorted and each once; in memory's form. */
static status pack_items(compiler *c, value *items, size_t count, data_type type, instruction *s)
{
    size_t kept = 0;
    if (count)
        qsort(items, count, sizeof *items, item_order);
    for (size_t i = 0; i < count; i++)
        if (!kept || value_compare(&items[kept - 1], &items[i]))
            items[kept++] = items[i];
    s->item_count = kept;
    if (type_is_text(type)) {
        s->data = items;
        s->data_bytes = kept * sizeof *items;
        return STATUS_OK;
    }
    char *packed = arena_alloc_array(c->program->memory, kept + 1, type.width);
    if (!packed)
        return status_no_memory("list", kept * type.width);
    for (size_t i = 0; i < kept; i++)
        store_item(&items[i], type, packed + i * type.width);
    s->data = packed;
    s->data_bytes = kept * type.width;
    return STATUS_OK;
}

/* Compiles an IN with items that are not constant: = OR = ... */
static status in_list_by_or(compiler *c, const expr *e, uint32_t arg, uint32_t *out)
{
    for (uint32_t i = 1; i < e->arg_count; i++) {
        uint32_t item, args[2];
        TRY(compile_expr(c, e->args[i], &item));
        TRY(compile_comparison(c, DEV_COMPARE_EQ, arg, item, e->position, &args[1]));
        args[0] = *out;
        instruction s = instruction_make(INSTRUCTION_LOGIC, DEV_LOGIC_OR, type_make(TYPE_BOOL), -1);
        if (i == 1)
            *out = args[1];
        else
            TRY(instruction_add(c, &s, args, 2, out));
    }
    return STATUS_OK;
}

status compile_call_in_list(compiler *c, const expr *e, int op, uint32_t *out)
{
    (void)op;
    uint32_t arg;
    TRY(compile_expr(c, e->args[0], &arg));
    data_type type = instruction_of(c, arg)->type;
    bool has_null = false, all_constant = type.width > 0;
    for (uint32_t i = 1; i < e->arg_count; i++)
        all_constant &= expr_is_constant(e->args[i]);
    if (!all_constant)
        return in_list_by_or(c, e, arg, out);
    value *items = arena_alloc_array(c->program->memory, e->arg_count, sizeof *items);
    if (!items)
        return status_no_memory("list", e->arg_count * sizeof *items);
    size_t count = 0;
    for (uint32_t i = 1; i < e->arg_count; i++) {
        value v = e->args[i]->constant;
        if (v.is_null) {
            has_null = true;
            continue;
        }
        if (v.type.id != type.id || v.type.scale != type.scale)
            return in_list_by_or(c, e, arg, out);
        if (type.id == TYPE_DECIMAL) {
            int128 number = value_int128(&v);
            if (type.width == 8 && number != (int64_t)number)
                continue; /* no value of the column can be that */
            v = value_decimal(number, type);
        }
        items[count++] = v;
    }
    instruction s = instruction_make(INSTRUCTION_IN_LIST, 0, type_make(TYPE_BOOL), e->position);
    TRY(pack_items(c, items, count, type, &s));
    s.first_number = has_null;
    return instruction_add(c, &s, &arg, 1, out);
}
