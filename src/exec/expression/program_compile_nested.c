/* program_compile_nested.c - functions of lists, structs and maps, lambdas, and what the host computes of these for a lazy
 * device. */
#include "base/system/guard.h"
#include "base/type/nested_type.h"
#include "exec/expression/program_compile.h"
#include "exec/expression/program_compile_value.h"
#include "exec/expression/program_instruction.h"
#include "exec/expression/program_run_lambda.h"
#include "exec/expression/program_run_on_host.h"

/* ---- functions ---- */

/* The type, with its width, that an argument has to have: what the function puts into a child. False: as it is. */
static bool wanted_type(const expr *e, int op, uint32_t number, data_type *out)
{
    const nested_type *type = type_is_nested(e->type) ? nested_type_of(e->type) : NULL;
    switch (op) {
    case NESTED_LIST_VALUE:
        *out = type->fields[0].type;
        return true;
    case NESTED_STRUCT_PACK:
        *out = type->fields[number].type;
        return true;
    case NESTED_STRUCT_LIKE:
        *out = number ? type->fields[number - 1].type : e->args[0]->type;
        return number > 0;
    case NESTED_ELEMENT:
    case NESTED_SLICE:
    case NESTED_RANGE:
        *out = type_make(TYPE_INT64);
        return number > 0 || op == NESTED_RANGE;
    case NESTED_CONTAINS:
    case NESTED_POSITION:
    case NESTED_AT_KEY:
        *out = nested_type_of(e->args[0]->type)->fields[0].type;
        return number == 1;
    default:
        return false;
    }
}

status compile_call_nested(compiler *c, const expr *e, int op, uint32_t *out)
{
    instruction s = instruction_make(INSTRUCTION_NESTED, (uint8_t)op, e->type, e->position);
    uint32_t count = e->arg_count,
             *args = arena_alloc_array(c->program->memory, count + 1, sizeof *args);
    data_type type;
    if (!args)
        return status_no_memory("expression", count * sizeof *args);
    if (op == NESTED_FIELD || op == NESTED_SORT || op == NESTED_RANGE) /* a constant ends them */
        s.first_number = (int64_t)value_int128(&e->args[--count]->constant);
    for (uint32_t i = 0; i < count; i++) {
        TRY(compile_expr(c, e->args[i], &args[i]));
        if (wanted_type(e, op, i, &type))
            TRY(compile_cast(c, args[i], type, e->position, &args[i]));
    }
    s.can_fail = op == NESTED_MAP || op == NESTED_FROM_ENTRIES || op == NESTED_SUM ||
                 op == NESTED_RANGE || op == NESTED_SLICE || op == NESTED_SIZED ||
                 op == NESTED_OF_TEXT || op == NESTED_BINS || op == NESTED_INNER_PRODUCT ||
                 op == NESTED_DISTANCE || op == NESTED_COSINE;
    return instruction_add(c, &s, args, count, out);
}

/* ---- lambdas ---- */

/* A parameter is a column of the lambda's program, by its number. */
static uint32_t parameter_id(const expr *e)
{
    return (uint32_t)e->args[0]->constant.i64;
}

static bool is_parameter(const expr *e)
{
    return e->kind == EXPR_CALL && e->op == EXPR_LAMBDA_PARAMETER;
}

status compile_call_parameter(compiler *c, const expr *e, int op, uint32_t *out)
{
    (void)op;
    int place = column_map_find(&c->columns, parameter_id(e));
    if (place < 0)
        return status_at(
            status_new(STATUS_KIND_INVALID, "a parameter of a lambda stands outside of it"),
            e->position);
    instruction s =
        instruction_make(INSTRUCTION_COLUMN, 0, c->program->layout.columns[place].type, -1);
    s.column = (uint32_t)place;
    return instruction_add(c, &s, NULL, 0, out);
}

/* The columns of a lambda's program, and the expressions that those from outside are. */
typedef struct lambda_columns {
    arena *memory;
    ARRAY(plan_column) columns;
    ARRAY(const expr *) outside;
    ARRAY(uint32_t) inner; /* parameters of lambdas within it */
} lambda_columns;

static bool is_lambda(const expr *e)
{
    return e->kind == EXPR_CALL && (e->op == EXPR_LIST_TRANSFORM || e->op == EXPR_LIST_REDUCE ||
                                    e->op == EXPR_LIST_REDUCE_FROM);
}

/* The argument that is the body: parameters come after it. */
static uint32_t body_of(const expr *e)
{
    return e->op == EXPR_LIST_REDUCE_FROM ? 2 : 1;
}

static bool has_column(const lambda_columns *columns, uint32_t id)
{
    for (size_t i = 0; i < columns->columns.count; i++)
        if (columns->columns.items[i].id == id)
            return true;
    for (size_t i = 0; i < columns->inner.count; i++)
        if (columns->inner.items[i] == id)
            return true;
    return false;
}

static status collect_inner(lambda_columns *to, const expr *e)
{
    TRY(guard_check());
    for (uint32_t i = 0; i < e->arg_count; i++) {
        if (is_lambda(e) && i > body_of(e))
            TRY(array_push(to->memory, &to->inner, parameter_id(e->args[i])));
        TRY(collect_inner(to, e->args[i]));
    }
    return STATUS_OK;
}

static status add_column(lambda_columns *to, uint32_t id, data_type type)
{
    plan_column column = {.id = id, .type = type, .is_nullable = true};
    return array_push(to->memory, &to->columns, column);
}

/* Adds what the expression reads from outside. */
static status collect_outside(lambda_columns *to, const expr *e)
{
    TRY(guard_check());
    if (e->kind == EXPR_COLUMN || is_parameter(e)) {
        uint32_t id = e->kind == EXPR_COLUMN ? e->column_id : parameter_id(e);
        if (has_column(to, id))
            return STATUS_OK;
        TRY(add_column(to, id, e->type));
        return array_push(to->memory, &to->outside, e);
    }
    for (uint32_t i = 0; i < e->arg_count; i++)
        TRY(collect_outside(to, e->args[i]));
    return STATUS_OK;
}

static void release_body(void *body)
{
    program_free(body);
}

static status compile_body(compiler *c, const expr *body, lambda_columns *columns, lambda **out)
{
    exec_layout layout = {(uint32_t)columns->columns.count, columns->columns.items};
    *out = arena_alloc(c->program->memory, sizeof **out);
    if (!*out)
        return status_no_memory("expression", sizeof **out);
    TRY(program_compile(&body, 1, layout, &(*out)->body));
    status st = arena_on_free(c->program->memory, release_body, (*out)->body);
    if (st)
        program_free((*out)->body);
    return st;
}

/* The types of the parameters are those of the element and of what was computed so far. */
static data_type parameter_type(const expr *e, uint32_t number)
{
    data_type element = nested_type_of(e->args[0]->type)->fields[0].type;
    if (e->op == EXPR_LIST_TRANSFORM)
        return number ? type_make(TYPE_INT64) : element;
    return number == 0 ? e->type : number == 1 ? element : type_make(TYPE_INT64);
}

/* The list, the initial value, and what the body reads from outside. */
static status lambda_arguments(compiler *c, const expr *e, const lambda_columns *columns,
                               uint32_t *args, uint32_t *out_count)
{
    uint32_t count = body_of(e);
    for (uint32_t i = 0; i < count; i++)
        TRY(compile_expr(c, e->args[i], &args[i]));
    if (count == 2)
        TRY(compile_cast(c, args[1], e->type, e->position, &args[1]));
    for (size_t i = 0; i < columns->outside.count; i++)
        TRY(compile_expr(c, columns->outside.items[i], &args[count++]));
    *out_count = count;
    return STATUS_OK;
}

status compile_call_lambda(compiler *c, const expr *e, int op, uint32_t *out)
{
    arena *memory = c->program->memory;
    lambda_columns columns = {.memory = memory};
    uint32_t first = body_of(e) + 1, count;
    lambda *made;
    for (uint32_t i = first; i < e->arg_count; i++)
        TRY(add_column(&columns, parameter_id(e->args[i]), parameter_type(e, i - first)));
    TRY(collect_inner(&columns, e->args[first - 1]));
    TRY(collect_outside(&columns, e->args[first - 1]));
    TRY(compile_body(c, e->args[first - 1], &columns, &made));
    made->parameters = e->arg_count - first;
    made->run = instruction_lambda;
    uint32_t *args = arena_alloc_array(memory, columns.outside.count + 2, sizeof *args);
    if (!args)
        return status_no_memory("expression", columns.outside.count * sizeof *args);
    TRY(lambda_arguments(c, e, &columns, args, &count));
    instruction s = instruction_make(INSTRUCTION_LAMBDA, (uint8_t)op, e->type, e->position);
    s.data = made;
    s.first_number = (int64_t)c->program->instructions.count; /* equal to no other */
    s.can_fail =
        made->body->instructions.items[made->body->roots[0]].can_fail || op == LAMBDA_REDUCE;
    for (uint32_t i = 0; i < count; i++)
        if (instruction_of(c, args[i])->only_column != COLUMN_NONE)
            s.only_column = COLUMN_SEVERAL; /* not by entries of a dictionary: a failure is final */
    return instruction_add(c, &s, args, count, out);
}

/* ---- expressions that the host computes ---- */

/* Compiles the arguments: what the parameters stand for, then the columns that the body reads. */
static status on_host_arguments(compiler *c, const expr *e, const lambda_columns *columns,
                                uint32_t *args, uint32_t *out_count)
{
    uint32_t count = 0;
    for (uint32_t i = 1; i < e->arg_count; i += 2)
        TRY(compile_expr(c, e->args[i + 1], &args[count++]));
    for (size_t i = 0; i < columns->outside.count; i++)
        TRY(compile_expr(c, columns->outside.items[i], &args[count++]));
    *out_count = count;
    return STATUS_OK;
}

status compile_call_on_host(compiler *c, const expr *e, int op, uint32_t *out)
{
    arena *memory = c->program->memory;
    lambda_columns columns = {.memory = memory};
    lambda *made;
    uint32_t count;
    (void)op;
    for (uint32_t i = 1; i < e->arg_count; i += 2)
        TRY(add_column(&columns, parameter_id(e->args[i]), e->args[i]->type));
    TRY(collect_inner(&columns, e->args[0]));
    TRY(collect_outside(&columns, e->args[0]));
    TRY(compile_body(c, e->args[0], &columns, &made));
    made->run = instruction_on_host;
    uint32_t *args = arena_alloc_array(memory, columns.columns.count + 1, sizeof *args);
    if (!args)
        return status_no_memory("expression", columns.columns.count * sizeof *args);
    TRY(on_host_arguments(c, e, &columns, args, &count));
    instruction s = instruction_make(INSTRUCTION_LAMBDA, 0, e->type, e->position);
    s.data = made;
    s.first_number = (int64_t)c->program->instructions.count; /* equal to no other */
    s.can_fail = made->body->instructions.items[made->body->roots[0]].can_fail;
    s.only_column = COLUMN_SEVERAL; /* not by entries of a dictionary: a failure is final */
    return instruction_add(c, &s, args, count, out);
}
