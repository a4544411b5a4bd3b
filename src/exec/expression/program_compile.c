/* program_compile.c - expressions to instructions: the graph, what is known of its values, the
 * roots. */
#include "exec/expression/program_compile.h"

#include "base/system/guard.h"
#include "exec/expression/program_compile_logic.h"
#include "exec/expression/program_compile_value.h"
#include "exec/expression/program_instruction.h"
#include "exec/expression/program_run_tiles.h"

#define DEPTH_MAX 2500 /* nested expressions, so that no stack is too small */

/* ---- instructions ---- */

/* Returns the least and greatest value that a type can hold. */
static bool type_bounds(data_type type, int128 *low, int128 *high)
{
    switch (type.id) {
    case TYPE_INT8:
    case TYPE_INT16:
    case TYPE_INT32:
    case TYPE_INT64:
    case TYPE_DATE:
    case TYPE_TIMESTAMP:
    case TYPE_TIMESTAMP_TZ:
        *high = ((int128)1 << (type.width * 8 - 1)) - 1;
        *low = -*high - 1;
        return true;
    case TYPE_UINT8:
    case TYPE_UINT16:
    case TYPE_UINT32:
    case TYPE_UINT64:
        *low = 0;
        *high = ((int128)1 << (type.width * 8)) - 1;
        return true;
    case TYPE_DECIMAL:
        *high = power_of_ten(type.precision) - 1;
        if (type.width == 8 && *high > INT64_MAX)
            *high = INT64_MAX;
        *low = -*high;
        return true;
    default:
        return false;
    }
}

instruction instruction_make(instruction_kind kind, uint8_t op, data_type type, int32_t position)
{
    instruction s = {.kind = (uint8_t)kind,
                     .op = op,
                     .type = type,
                     .position = position,
                     .only_column = COLUMN_NONE,
                     .last_root = UINT32_MAX};
    s.has_bounds = type_bounds(type, &s.low, &s.high);
    return s;
}

static uint64_t program_compile_mix(uint64_t hash, uint64_t word)
{
    hash = (hash ^ word) * 0x9fb21c651e98df25ull;
    return hash ^ hash >> 29;
}

static uint64_t instruction_hash(const instruction *s, const uint32_t *args, uint32_t arg_count)
{
    uint64_t hash = program_compile_mix(s->kind, (uint64_t)s->op << 32 | s->column);
    uint32_t type;
    memcpy(&type, &s->type, sizeof type);
    hash = program_compile_mix(hash, type);
    hash = program_compile_mix(hash, (uint64_t)s->first_number);
    hash = program_compile_mix(hash, (uint64_t)s->second_number);
    for (uint32_t i = 0; i < arg_count; i++)
        hash = program_compile_mix(hash, args[i]);
    for (size_t i = 0; i < s->data_bytes; i++)
        hash = program_compile_mix(hash, ((const uint8_t *)s->data)[i]);
    if (s->kind == INSTRUCTION_CONSTANT && !s->constant.is_null) {
        if (type_is_text(s->type))
            for (size_t i = 0; i < s->constant.bytes; i++)
                hash = program_compile_mix(hash, (uint8_t)s->constant.text[i]);
        else
            hash = program_compile_mix(hash, s->constant.u64);
    }
    return hash;
}

/* Bytes, not values: 0.0 and -0.0 are two constants. */
static bool program_compile_constant_equal(const value *a, const value *b)
{
    if (a->is_null || b->is_null)
        return a->is_null && b->is_null;
    if (type_is_text(a->type))
        return a->bytes == b->bytes && !memcmp(a->text, b->text, a->bytes);
    switch (a->type.id) {
    case TYPE_BOOL:
        return a->boolean == b->boolean;
    case TYPE_INTERVAL:
        return !memcmp(&a->interval, &b->interval, sizeof a->interval);
    case TYPE_FLOAT:
    case TYPE_DOUBLE:
        return !memcmp(&a->f64, &b->f64, sizeof a->f64);
    default:
        return value_int128(a) == value_int128(b);
    }
}

static bool instruction_equal(const instruction *a, const instruction *b, const uint32_t *args,
                              uint32_t arg_count)
{
    return a->kind == b->kind && a->op == b->op && type_equal(a->type, b->type) &&
           a->type.width == b->type.width && a->column == b->column &&
           a->is_checked == b->is_checked && a->first_number == b->first_number &&
           a->second_number == b->second_number && a->arg_count == arg_count &&
           a->item_count == b->item_count && a->data_bytes == b->data_bytes &&
           (!arg_count || !memcmp(a->args, args, arg_count * sizeof *args)) &&
           (!a->data_bytes || !memcmp(a->data, b->data, a->data_bytes)) &&
           (a->kind != INSTRUCTION_CONSTANT ||
            program_compile_constant_equal(&a->constant, &b->constant));
}

static status buckets_grow(compiler *c)
{
    uint32_t count = c->bucket_count ? c->bucket_count * 4 : 64;
    uint32_t *buckets = arena_alloc_array(c->program->memory, count, sizeof *buckets);
    if (!buckets)
        return status_no_memory("expression", count * sizeof *buckets);
    for (uint32_t i = 0; i < c->program->instructions.count; i++) {
        instruction *s = &c->program->instructions.items[i];
        s->next = buckets[s->hash % count];
        buckets[s->hash % count] = i + 1;
    }
    c->buckets = buckets;
    c->bucket_count = count;
    return STATUS_OK;
}

/* Column dependence, failures and NULLs follow from the arguments'. */
static void program_compile_derive(const compiler *c, instruction *s)
{
    bool any_strict = false, all_strict = s->arg_count > 0;
    s->kernel_fails = s->can_fail && s->kind != INSTRUCTION_HOST;
    for (uint32_t i = 0; i < s->arg_count; i++) {
        const instruction *arg = instruction_of(c, s->args[i]);
        if (s->kind != INSTRUCTION_LAZY_CASE || i == 0)
            s->levels = arg->levels >= s->levels ? arg->levels + 1 : s->levels;
        s->can_fail |= arg->can_fail;
        s->kernel_fails |= arg->kernel_fails;
        any_strict |= arg->is_strict;
        all_strict &= arg->is_strict;
        if (s->only_column == COLUMN_NONE)
            s->only_column = arg->only_column;
        else if (arg->only_column != COLUMN_NONE && arg->only_column != s->only_column)
            s->only_column = COLUMN_SEVERAL;
    }
    if (s->kind == INSTRUCTION_COLUMN) {
        s->only_column = (int32_t)s->column;
        s->is_strict = true;
    } else if (s->passes_null) {
        s->is_strict = any_strict;
    } else if (s->kind == INSTRUCTION_LOGIC) {
        s->is_strict = all_strict;
    }
}

static bool kind_passes_null(uint8_t kind, uint8_t op)
{
    switch (kind) {
    case INSTRUCTION_HOST:
        return !(host_traits_of((host_function)op) & HOST_SEES_NULLS);
    case INSTRUCTION_NESTED:
        return nested_is_strict((nested_function)op);
    case INSTRUCTION_COLUMN:
    case INSTRUCTION_CONSTANT:
    case INSTRUCTION_IN_LIST: /* NULL in the list makes it depend on the value */
    case INSTRUCTION_LOGIC:
    case INSTRUCTION_TEST:
    case INSTRUCTION_DISTINCT:
    case INSTRUCTION_CHOOSE:
    case INSTRUCTION_LAZY_CASE:
    case INSTRUCTION_LAMBDA:
        return kind == INSTRUCTION_IN_LIST;
    default:
        return true;
    }
}

status instruction_add(compiler *c, instruction *s, const uint32_t *args, uint32_t arg_count,
                       uint32_t *out)
{
    program *p = c->program;
    s->hash = instruction_hash(s, args, arg_count);
    if (p->instructions.count >= c->bucket_count)
        TRY(buckets_grow(c));
    uint32_t *bucket = &c->buckets[s->hash % c->bucket_count];
    for (uint32_t i = *bucket; i; i = p->instructions.items[i - 1].next)
        if (p->instructions.items[i - 1].hash == s->hash &&
            instruction_equal(&p->instructions.items[i - 1], s, args, arg_count)) {
            *out = i - 1;
            return STATUS_OK;
        }
    if (arg_count) {
        uint32_t *copy = arena_alloc_array(p->memory, arg_count, sizeof *copy);
        if (!copy)
            return status_no_memory("expression", arg_count * sizeof *copy);
        memcpy(copy, args, arg_count * sizeof *copy);
        s->args = copy;
    }
    s->arg_count = arg_count;
    s->passes_null = kind_passes_null(s->kind, s->op);
    program_compile_derive(c, s);
    s->next = *bucket;
    TRY(array_push(p->memory, &p->instructions, *s));
    *bucket = (uint32_t)p->instructions.count;
    *out = (uint32_t)p->instructions.count - 1;
    return STATUS_OK;
}

status instruction_add_constant(compiler *c, const value *v, uint32_t *out)
{
    instruction s = instruction_make(INSTRUCTION_CONSTANT, 0, v->type, -1);
    s.constant = *v;
    if (s.has_bounds && !v->is_null)
        s.low = s.high = value_int128(v);
    return instruction_add(c, &s, NULL, 0, out);
}

/* ---- expressions ---- */

static status compile_column(compiler *c, const expr *e, uint32_t *out)
{
    int place = column_map_find(&c->columns, e->column_id);
    if (place < 0)
        return status_new(STATUS_KIND_INTERNAL,
                          "an expression reads the column \"%s\", which its input does not have",
                          e->name ? e->name : "?");
    data_type type = c->program->layout.columns[place].type;
    instruction s = instruction_make(INSTRUCTION_COLUMN, 0, type, -1);
    s.column = (uint32_t)place;
    if (e->has_range && s.has_bounds) {
        s.low = e->range_min > s.low ? e->range_min : s.low;
        s.high = e->range_max < s.high ? e->range_max : s.high;
    }
    return instruction_add(c, &s, NULL, 0, out);
}

status compile_call_distinct(compiler *c, const expr *e, int op, uint32_t *out)
{
    uint32_t args[3];
    TRY(compile_expr(c, e->args[0], &args[0]));
    TRY(compile_expr(c, e->args[1], &args[1]));
    TRY(compile_same_width(c, args));
    TRY(compile_comparison(c, DEV_COMPARE_EQ, args[0], args[1], e->position, &args[2]));
    instruction s = instruction_make(INSTRUCTION_DISTINCT, (uint8_t)op, e->type, e->position);
    return instruction_add(c, &s, args, 3, out);
}

status compile_call_not(compiler *c, const expr *e, int op, uint32_t *out)
{
    (void)op;
    uint32_t arg;
    TRY(compile_expr(c, e->args[0], &arg));
    TRY(compile_cast(c, arg, e->type, e->position, &arg));
    instruction s = instruction_make(INSTRUCTION_LOGIC, DEV_LOGIC_NOT, e->type, e->position);
    return instruction_add(c, &s, &arg, 1, out);
}

status compile_call_test(compiler *c, const expr *e, int op, uint32_t *out)
{
    uint32_t arg;
    TRY(compile_expr(c, e->args[0], &arg));
    return compile_test(c, (dev_logic_op)op, arg, out);
}

status compile_call_arithmetic(compiler *c, const expr *e, int op, uint32_t *out)
{
    uint32_t args[2];
    for (int i = 0; i < 2; i++)
        TRY(compile_expr(c, e->args[i], &args[i]));
    return compile_arithmetic(c, e, (dev_arithmetic_op)op, args[0], args[1], out);
}

status compile_call_comparison(compiler *c, const expr *e, int op, uint32_t *out)
{
    uint32_t args[2];
    for (int i = 0; i < 2; i++)
        TRY(compile_expr(c, e->args[i], &args[i]));
    return compile_comparison(c, (dev_compare_op)op, args[0], args[1], e->position, out);
}

static status compile_call(compiler *c, const expr *e, uint32_t *out)
{
    static const struct {
        status (*compile)(compiler *c, const expr *e, int operation, uint32_t *out);
        int operation;
    } functions[EXPR_OP_COUNT] = {
#define FUNCTION(op, name, signature, nulls, notation, family, operation, help)                    \
    [EXPR_##op] = {compile_call_##family, operation},
#include "plan/tree/functions.def"
    };
    return functions[e->op].compile(c, e, functions[e->op].operation, out);
}

static status compile_kind(compiler *c, const expr *e, uint32_t *out)
{
    switch (e->kind) {
    case EXPR_COLUMN:
        return compile_column(c, e, out);
    case EXPR_CONSTANT:
        return instruction_add_constant(c, &e->constant, out);
    case EXPR_CAST: {
        uint32_t arg;
        TRY(compile_expr(c, e->args[0], &arg));
        TRY(compile_cast(c, arg, e->type, e->position, out));
        if (e->name && *out != arg)
            c->program->instructions.items[*out].place = e->name;
        return STATUS_OK;
    }
    case EXPR_CASE:
        return compile_case(c, e, out);
    case EXPR_CALL:
        return compile_call(c, e, out);
    default:
        return status_new(STATUS_KIND_INTERNAL, "a subquery is left in an expression");
    }
}

status compile_expr(compiler *c, const expr *e, uint32_t *out)
{
    TRY(guard_check());
    if (++c->depth > DEPTH_MAX)
        return status_at(status_new(STATUS_KIND_UNSUPPORTED,
                                    "an expression is nested deeper than %d levels", DEPTH_MAX),
                         e->position);
    status st = compile_kind(c, e, out);
    c->depth--;
    return st;
}

/* ---- programs ---- */

/* Marks what the root needs and collects the columns that it reads. */
static status visit_steps(compiler *c, uint32_t index)
{
    program *p = c->program;
    ARRAY(uint32_t) pending = {0}, inputs = {0};
    TRY(array_push(p->memory, &pending, p->roots[index]));
    while (pending.count) {
        instruction *s = &p->instructions.items[pending.items[--pending.count]];
        if (s->last_root == index)
            continue;
        s->last_root = index;
        if (s->kind == INSTRUCTION_COLUMN)
            TRY(array_push(p->memory, &inputs, s->column));
        for (uint32_t k = 0; k < s->arg_count; k++)
            TRY(array_push(p->memory, &pending, s->args[k]));
    }
    p->inputs[index] = inputs.items;
    p->input_counts[index] = (uint32_t)inputs.count;
    return STATUS_OK;
}

/* The expression's own type, to the width. */
static status compile_root(compiler *c, const expr *e, uint32_t index)
{
    uint32_t root;
    TRY(compile_expr(c, e, &root));
    if (e->kind != EXPR_COLUMN)
        TRY(compile_cast(c, root, e->type, e->position, &root));
    c->program->roots[index] = root;
    return STATUS_OK;
}

/* Lists the instructions by the last root that needs them. */
static status list_releases(program *p)
{
    uint32_t count = (uint32_t)p->instructions.count;
    p->releases = arena_alloc_array(p->memory, count + 1, sizeof *p->releases);
    p->release_ends = arena_alloc_array(p->memory, p->root_count + 1, sizeof *p->release_ends);
    if (!p->releases || !p->release_ends)
        return status_no_memory("expression", count * sizeof *p->releases);
    for (uint32_t i = 0; i < count; i++)
        if (p->instructions.items[i].last_root != UINT32_MAX)
            p->release_ends[p->instructions.items[i].last_root + 1]++;
    for (uint32_t r = 0; r < p->root_count; r++)
        p->release_ends[r + 1] += p->release_ends[r];
    /* Each start moves to its end, which is the next one's start. */
    for (uint32_t i = 0; i < count; i++)
        if (p->instructions.items[i].last_root != UINT32_MAX)
            p->releases[p->release_ends[p->instructions.items[i].last_root]++] = i;
    return STATUS_OK;
}

/* Counts the users of each instruction that some root needs. */
static void count_users(program *p)
{
    for (uint32_t i = 0; i < p->instructions.count; i++) {
        const instruction *s = &p->instructions.items[i];
        for (uint32_t k = 0; k < s->arg_count && s->last_root != UINT32_MAX; k++)
            p->instructions.items[s->args[k]].user_count++;
    }
    for (uint32_t r = 0; r < p->root_count; r++)
        p->instructions.items[p->roots[r]].user_count++;
}

static status list_draws(program *p)
{
    for (uint32_t i = 0; i < p->instructions.count; i++) {
        const instruction *s = &p->instructions.items[i];
        if (s->kind != INSTRUCTION_HOST || !(host_traits_of((host_function)s->op) & HOST_VOLATILE))
            continue;
        p->is_volatile = true;
        if (s->user_count > 1)
            TRY(array_push(p->memory, &p->draws, i));
    }
    return STATUS_OK;
}

/* ---- conditions ---- */

/* Sets each instruction's flag: columns and constants, and what a run computes of them. */
static void find_runs(const program *p, bool *out)
{
    for (uint32_t i = 0; i < p->instructions.count; i++) {
        const instruction *s = &p->instructions.items[i];
        out[i] = s->kind == INSTRUCTION_COLUMN || s->kind == INSTRUCTION_CONSTANT ||
                 (tile_has_step(p, s) && !s->can_fail);
        for (uint32_t k = 0; k < s->arg_count; k++)
            out[i] = out[i] && out[s->args[k]];
    }
}

/* One condition of those that one launch can compute, in the first one's place. */
static status join_conditions(compiler *c)
{
    program *p = c->program;
    uint32_t count = 0, kept = 0, first = 0;
    uint32_t *joined = arena_alloc_array(p->memory, p->root_count + 1, sizeof *joined);
    bool *is_run = arena_alloc_array(p->memory, p->instructions.count + 1, sizeof *is_run);
    if (!joined || !is_run)
        return status_no_memory("expression", p->instructions.count);
    find_runs(p, is_run);
    for (uint32_t r = 0; r < p->root_count; r++) {
        uint32_t root = p->roots[r];
        bool is_joined = is_run[root] && instruction_of(c, root)->type.id == TYPE_BOOL;
        if (is_joined)
            joined[count++] = root;
        if (is_joined && count > 1)
            continue;
        first = is_joined ? kept : first;
        p->roots[kept++] = root;
    }
    p->root_count = kept;
    return count < 2 ? STATUS_OK : compile_logic(c, DEV_LOGIC_AND, joined, count, &p->roots[first]);
}

/* ---- all of it ---- */

static status compile_roots(program *p, const expr *const *exprs, uint32_t expr_count,
                            bool joins_conditions)
{
    compiler c = {.program = p};
    TRY(column_map_new(p->memory, p->layout.columns, p->layout.count, &c.columns));
    for (uint32_t i = 0; i < expr_count; i++)
        TRY(compile_root(&c, exprs[i], i));
    if (joins_conditions)
        TRY(join_conditions(&c));
    for (uint32_t r = 0; r < p->root_count; r++)
        TRY(visit_steps(&c, r));
    count_users(p);
    TRY(list_draws(p));
    return list_releases(p);
}

static status program_compile_compile(const expr *const *exprs, uint32_t expr_count,
                                      exec_layout input, bool joins_conditions, program **out)
{
    *out = NULL;
    arena *memory;
    TRY(arena_new(&memory));
    program *p = arena_alloc(memory, sizeof *p);
    if (p) {
        p->memory = memory;
        p->layout = input;
        p->root_count = expr_count;
        p->roots = arena_alloc_array(memory, expr_count + 1, sizeof *p->roots);
        p->input_counts = arena_alloc_array(memory, expr_count + 1, sizeof *p->input_counts);
        p->inputs = arena_alloc_array(memory, expr_count + 1, sizeof *p->inputs);
    }
    status st = STATUS_OK;
    if (!p || !p->roots || !p->input_counts || !p->inputs)
        st = status_no_memory("expression", expr_count * sizeof *p->inputs);
    if (!st)
        st = compile_roots(p, exprs, expr_count, joins_conditions);
    if (st) {
        arena_free(memory);
        return st;
    }
    *out = p;
    return STATUS_OK;
}

status program_compile(const expr *const *exprs, uint32_t expr_count, exec_layout input,
                       program **out)
{
    return program_compile_compile(exprs, expr_count, input, false, out);
}

status program_compile_conditions(const expr *const *conditions, uint32_t count, exec_layout input,
                                  const device *dev, program **out, uint32_t *out_count)
{
    TRY(program_compile_compile(conditions, count, input, dev->runs_tiles, out));
    *out_count = (*out)->root_count;
    return STATUS_OK;
}

void program_free(program *p)
{
    if (p)
        arena_free(p->memory);
}

uint32_t program_inputs(const program *p, uint32_t index, const uint32_t **out_columns)
{
    *out_columns = p->inputs[index];
    return p->input_counts[index];
}
