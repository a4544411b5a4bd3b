/* function.c - functions.def as a table, and as the tables of docs/SQL.md. */
#include "plan/tree/function.h"

#include "base/system/guard.h"
#include "device/host/host.h"
#include "device/kernels/kernel_ops.h"
#include "device/nested/nested_function.h"
#include "plan/tree/plan.h"

#include <ctype.h>

static const function_info functions[EXPR_OP_COUNT] = {
#define FUNCTION(op, name, signature, nulls, notation, family, operation, help)                    \
    [EXPR_##op] = {name,    signature, FUNCTION_NULLS_##nulls, FUNCTION_NOTATION_##notation,       \
                   #family, operation},
#include "plan/tree/functions.def"
};

const function_info *function_info_of(expr_op op)
{
    return &functions[op];
}

bool function_is_null_of_null(expr_op op)
{
    return functions[op].nulls == FUNCTION_NULLS_STRICT ||
           functions[op].nulls == FUNCTION_NULLS_MORE;
}

const char *expr_op_name(expr_op op)
{
    return functions[op].name;
}

/* The host computes it: host_functions.def says what it is like. */
static bool is_of_host(expr_op op)
{
    return !strcmp(functions[op].family, "host");
}

static bool has_host_trait(expr_op op, host_traits trait)
{
    return host_traits_of((host_function)functions[op].operation) & trait;
}

static bool op_cannot_fail(expr_op op)
{
    static const bool kernels[EXPR_OP_COUNT] = {
#define FUNCTION_CANNOT_FAIL(op) [EXPR_##op] = true,
#include "plan/tree/functions.def"
    };
    return is_of_host(op) ? !has_host_trait(op, HOST_FAILS) : kernels[op];
}

bool expr_cannot_fail(const expr *e)
{
    if (!guard_may_go_on())
        return false;
    bool is_leaf = e->kind == EXPR_COLUMN || e->kind == EXPR_CONSTANT;
    if (!is_leaf && e->kind != EXPR_CASE && (e->kind != EXPR_CALL || !op_cannot_fail(e->op)))
        return false;
    for (uint32_t i = 0; i < e->arg_count; i++)
        if (!expr_cannot_fail(e->args[i]))
            return false;
    return true;
}

bool function_is_volatile(expr_op op)
{
    return is_of_host(op) && has_host_trait(op, HOST_VOLATILE);
}

bool expr_is_volatile(const expr *e)
{
    if (!guard_may_go_on())
        return false;
    bool is = e->kind == EXPR_CALL && function_is_volatile(e->op);
    for (uint32_t i = 0; i < e->arg_count && !is; i++)
        is = expr_is_volatile(e->args[i]);
    return is;
}

bool expr_is_repeatable(const expr *e)
{
    return !expr_has_subquery(e) && !expr_is_volatile(e);
}

void function_counts(const char *signature, uint32_t *out_least, uint32_t *out_most)
{
    bool is_optional = false;
    *out_least = *out_most = 0;
    for (const char *at = signature; *at && *at != ' ' && *at != '-'; at++) {
        if (*at == '|') {
            is_optional = true;
        } else if (*at == '*') {
            *out_most = UINT32_MAX;
        } else {
            *out_least += !is_optional;
            ++*out_most;
        }
    }
}

bool expr_op_takes(expr_op op, uint32_t arg_count)
{
    uint32_t least, most;
    function_counts(functions[op].signature, &least, &most);
    return arg_count >= least && arg_count <= most;
}

char function_argument(const char *signature, uint32_t i)
{
    char letter = 'x';
    for (const char *at = signature; isalpha((unsigned char)*at) || *at == '|'; at++) {
        if (*at == '|')
            continue;
        letter = *at;
        if (i-- == 0)
            break;
    }
    return letter;
}

char function_result(const char *signature)
{
    return signature[strlen(signature) - 1];
}

data_type function_letter_type(char letter)
{
    switch (letter) {
    case 't':
        return type_make(TYPE_VARCHAR);
    case 'i':
        return type_make(TYPE_INT64);
    case 'd':
        return type_make(TYPE_DOUBLE);
    case 'B':
        return type_make(TYPE_BLOB);
    case 'D':
        return type_make(TYPE_DATE);
    case 'T':
        return type_make(TYPE_TIMESTAMP);
    case 'I':
        return type_make(TYPE_INTERVAL);
    case 'U':
        return type_make(TYPE_UUID);
    default:
        return type_make(TYPE_BOOL);
    }
}

/* ---- documentation ---- */

static const char *type_of_letter(char letter, const char *any)
{
    return letter == 't'   ? "text"
           : letter == 'i' ? "bigint"
           : letter == 'd' ? "double"
           : letter == 'b' ? "boolean"
           : letter == 'B' ? "blob"
           : letter == 'D' ? "date"
           : letter == 'T' ? "timestamp"
           : letter == 'I' ? "interval"
           : letter == 'U' ? "uuid"
                           : any;
}

/* A pipe would end a cell. */
static void function_print_cell(const char *text, FILE *to)
{
    for (; *text; text++)
        fprintf(to, *text == '|' ? "\\|" : "%c", *text);
}

/* name(text, bigint [, bigint]) */
static void print_call(const char *name, const char *signature, FILE *to)
{
    uint32_t least, most;
    function_counts(signature, &least, &most);
    uint32_t count = most == UINT32_MAX ? least : most;
    fprintf(to, "%s(", name);
    for (uint32_t i = 0; i < count; i++) {
        fputs(i >= least ? " [, " : i ? ", " : "", to);
        fputs(type_of_letter(function_argument(signature, i), "x"), to);
        fputs(i >= least ? "]" : "", to);
    }
    fputs(most == UINT32_MAX ? ", ...)" : ")", to);
}

static void print_usage(const char *name, const char *signature, function_notation notation,
                        FILE *to)
{
    bool is_word = isalpha((unsigned char)*name);
    fputs("`", to);
    switch (notation) {
    case FUNCTION_NOTATION_CALL:
        print_call(name, signature, to);
        break;
    case FUNCTION_NOTATION_INFIX:
        fputs("x ", to);
        function_print_cell(name, to);
        fputs(" y", to);
        break;
    case FUNCTION_NOTATION_PREFIX:
        fprintf(to, is_word ? "%s x" : "%sx", name);
        break;
    case FUNCTION_NOTATION_POSTFIX:
        fprintf(to, "x %s", name);
        break;
    case FUNCTION_NOTATION_LIKE:
        fprintf(to, "x %s y [escape z]", name);
        break;
    case FUNCTION_NOTATION_IN:
        fprintf(to, "x %s (y, ...)", name);
        break;
    }
    fputs("`", to);
}

/* The other names of an operation. */
static void print_aliases(int op, FILE *to)
{
    static const struct {
        const char *name;
        int op;
    } aliases[] = {
#define FUNCTION_ALIAS(name, op) {name, EXPR_##op},
#include "plan/tree/functions.def"
    };
    for (size_t i = 0; i < sizeof aliases / sizeof *aliases; i++)
        if (aliases[i].op == op)
            fprintf(to, ", `%s`", aliases[i].name);
}

static void function_print_row(int op, const char *name, const char *signature,
                               function_notation notation, const char *help, FILE *to)
{
    if (!*help)
        return;
    fputs("| ", to);
    print_usage(name, signature, notation, to);
    print_aliases(op, to);
    fprintf(to, " | %s | ", type_of_letter(function_result(signature), ""));
    function_print_cell(help, to);
    fputs(" |\n", to);
}

static void print_function_group(const char *title, const char *text, FILE *to)
{
    fprintf(to, "\n### %s\n\n%s%s| | result | |\n|---|---|---|\n", title, text,
            *text ? "\n\n" : "");
}

static void print_aggregate_aliases(int function, FILE *to)
{
    static const struct {
        const char *name;
        int function;
    } aliases[] = {
#define AGGREGATE_ALIAS(sql, name) {sql, AGGREGATE_##name},
#include "plan/tree/aggregates.def"
    };
    for (size_t i = 0; i < sizeof aliases / sizeof *aliases; i++)
        if (aliases[i].function == function)
            fprintf(to, ", `%s`", aliases[i].name);
}

static void print_aggregates(FILE *to)
{
    static const struct {
        const char *name, *argument, *type, *help;
    } aggregates[] = {
#define ARGUMENT_NONE "*"
#define ARGUMENT_ANY "x"
#define ARGUMENT_NUMBER "number"
#define ARGUMENT_INTEGER "integer"
#define ARGUMENT_BOOLEAN "boolean"
#define ARGUMENT_PAIR "y, x"
#define ARGUMENT_SHARE "x, p"
#define RESULT_BIGINT "bigint"
#define RESULT_DOUBLE "double"
#define RESULT_SAME "as x"
#define RESULT_LIST "list of x"
#define RESULT_SUM "decimal(38, s), double"
#define AGGREGATE(name, sql, argument, type, state, operation, result, ignores_distinct, help)     \
    {sql, ARGUMENT_##argument, RESULT_##type, help},
#include "plan/tree/aggregates.def"
    };
    print_function_group(
        "Aggregates",
        "Each with `DISTINCT` (but those of pairs) and `FILTER (WHERE ...)`. NULLs are passed "
        "over, and pairs with one; of no values count is 0 and the others are NULL.",
        to);
    for (int i = 0; i < AGGREGATE_FUNCTION_COUNT; i++) {
        fprintf(to, "| `%s(%s)`", aggregates[i].name, aggregates[i].argument);
        print_aggregate_aliases(i, to);
        fprintf(to, " | %s | %s |\n", aggregates[i].type, aggregates[i].help);
    }
#define AGGREGATE_MADE(sql, arguments, count, type, takes_distinct, text, help)                    \
    fprintf(to, "| `%s(%s)` | %s | %s |\n", sql, arguments, type, help);
#include "plan/tree/aggregates.def"
}

static void print_windows(FILE *to)
{
    static const struct {
        const char *name, *arguments, *type, *help;
    } windows[] = {
#define TYPE_OF_BIGINT "bigint"
#define TYPE_OF_INTEGER "integer"
#define TYPE_OF_DOUBLE "double"
#define TYPE_OF_SAME "as x"
#define WINDOW_FUNCTION(name, sql, arguments, least, most, type, help)                             \
    {sql, arguments, TYPE_OF_##type, help},
#include "plan/tree/windows.def"
    };
    print_function_group("Window functions",
                         "Each `OVER (...)`, as aggregates may be: see [windows](#windows).", to);
    for (size_t i = 0; i < sizeof windows / sizeof *windows; i++)
        fprintf(to, "| `%s(%s)` | %s | %s |\n", windows[i].name, windows[i].arguments,
                windows[i].type, windows[i].help);
}

void functions_print_markdown(FILE *to)
{
#define FUNCTION(op, name, signature, nulls, notation, family, operation, help)                    \
    function_print_row(EXPR_##op, name, signature, FUNCTION_NOTATION_##notation, help, to);
#define FUNCTION_OTHER(name, binder, signature, help)                                              \
    function_print_row(-1, name, signature, FUNCTION_NOTATION_CALL, help, to);
#define FUNCTION_MADE(name, signature, text, help)                                                 \
    function_print_row(-1, name, signature, FUNCTION_NOTATION_CALL, help, to);
#define FUNCTION_GROUP(title, text) print_function_group(title, text, to);
#include "plan/tree/functions.def"
    print_aggregates(to);
    print_windows(to);
}
