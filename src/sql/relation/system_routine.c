/* system_routine.c - see system_routine.h. The lists are those of plan/tree. Where the binder picks types, the type is anyelement. */
#include "sql/relation/system_routine.h"

#include "base/type/pg_type.h"
#include "plan/tree/function.h"

/* More arguments than the least by so many are listed of a function that takes any number. */
#define MORE_ARGS 2

static const struct {
    const char *name, *signature;
    uint8_t notation;
} functions[] = {
#define FUNCTION(op, name, signature, nulls, notation, family, operation, help)                    \
    {name, signature, FUNCTION_NOTATION_##notation},
#define FUNCTION_OTHER(name, binder, signature, help) {name, signature, FUNCTION_NOTATION_CALL},
#define FUNCTION_MADE(name, signature, text, help) {name, signature, FUNCTION_NOTATION_CALL},
#include "plan/tree/functions.def"
};

typedef enum aggregate_takes { NONE, ANY, NUMBER, INTEGER, BOOLEAN, PAIR, SHARE } aggregate_takes;
typedef enum aggregate_gives { BIGINT, DOUBLE, SAME, LIST, SUM } aggregate_gives;

static const struct {
    const char *name;
    aggregate_takes takes;
    aggregate_gives gives;
} aggregates[] = {
#define AGGREGATE(name, sql, argument, type, state, operation, result, ignores_distinct, help)     \
    {sql, argument, type},
#include "plan/tree/aggregates.def"
};

static const struct {
    const char *name;
    uint32_t least;
    const char *type;
} windows[] = {
#define WINDOW_FUNCTION(name, sql, arguments, least, most, type, help) {sql, least, #type},
#include "plan/tree/windows.def"
};

/* Returns the type that a letter of functions.def stands for. */
static uint32_t routine_type_of_letter(char letter)
{
    static const char letters[] = "tidbBDTIU";
    static const uint16_t types[] = {PG_TEXT, PG_INT8,      PG_FLOAT8,   PG_BOOL, PG_BYTEA,
                                     PG_DATE, PG_TIMESTAMP, PG_INTERVAL, PG_UUID};
    const char *found = strchr(letters, letter);
    return letter && found ? types[found - letters] : PG_ANYELEMENT;
}

/* Sets how many arguments are listed of a function. */
static void count_listed(size_t i, uint32_t *least, uint32_t *most)
{
    function_counts(functions[i].signature, least, most);
    *most = *most < *least + MORE_ARGS ? *most : *least + MORE_ARGS;
}

/* Returns whether a function before it has its name, and the arguments with the same first two. */
static bool is_listed(size_t of, const system_routine *one)
{
    for (size_t i = 0; i < of; i++) {
        const char *signature = functions[i].signature;
        uint32_t least, most;
        count_listed(i, &least, &most);
        bool is_same = functions[i].notation == FUNCTION_NOTATION_CALL &&
                       !strcmp(functions[i].name, one->name) && one->count >= least &&
                       one->count <= most;
        for (uint32_t n = 0; is_same && n < one->count && n < 2; n++)
            is_same = one->args[n] == routine_type_of_letter(function_argument(signature, n));
        if (is_same)
            return true;
    }
    return false;
}

static status list_function(size_t i, system_routine_sink sink, void *argument)
{
    const char *signature = functions[i].signature;
    uint32_t least, most;
    count_listed(i, &least, &most);
    system_routine one = {.name = functions[i].name,
                          .kind = 'f',
                          .result = routine_type_of_letter(function_result(signature))};
    for (one.count = 0; one.count < SYSTEM_ROUTINE_ARGS && one.count <= most; one.count++) {
        if (one.count >= least && !is_listed(i, &one))
            TRY(sink(argument, &one));
        one.args[one.count] = routine_type_of_letter(function_argument(signature, one.count));
    }
    return STATUS_OK;
}

/* Hands over the aggregate of a type. */
static status list_aggregate_of(size_t i, uint32_t type, uint32_t count, system_routine_sink sink,
                                void *argument)
{
    system_routine one = {
        .name = aggregates[i].name, .kind = 'a', .args = {type, type}, .count = count};
    switch (aggregates[i].gives) {
    case BIGINT:
        one.result = PG_INT8;
        break;
    case DOUBLE:
        one.result = PG_FLOAT8;
        break;
    case SAME:
        one.result = type;
        break;
    case LIST:
        one.result = PG_ANYELEMENT;
        break;
    case SUM:
        one.result = type == PG_FLOAT8 ? PG_FLOAT8 : PG_NUMERIC;
        break;
    }
    return sink(argument, &one);
}

static status list_aggregate(size_t i, system_routine_sink sink, void *argument)
{
    switch (aggregates[i].takes) {
    case NONE:
        return list_aggregate_of(i, 0, 0, sink, argument);
    case ANY:
        return list_aggregate_of(i, PG_ANYELEMENT, 1, sink, argument);
    case NUMBER:
        TRY(list_aggregate_of(i, PG_INT8, 1, sink, argument));
        TRY(list_aggregate_of(i, PG_NUMERIC, 1, sink, argument));
        return list_aggregate_of(i, PG_FLOAT8, 1, sink, argument);
    case INTEGER:
        return list_aggregate_of(i, PG_INT8, 1, sink, argument);
    case BOOLEAN:
        return list_aggregate_of(i, PG_BOOL, 1, sink, argument);
    case PAIR:
        return list_aggregate_of(i, PG_FLOAT8, 2, sink, argument);
    default: /* the share is a constant */
        return STATUS_OK;
    }
}

static status list_window(size_t i, system_routine_sink sink, void *argument)
{
    char letter = *windows[i].type;
    uint32_t result = letter == 'B'   ? PG_INT8
                      : letter == 'I' ? PG_INT4
                      : letter == 'D' ? PG_FLOAT8
                                      : PG_ANYELEMENT;
    uint32_t first = result == PG_ANYELEMENT ? PG_ANYELEMENT : PG_INT4;
    const system_routine one = {.name = windows[i].name,
                                .kind = 'w',
                                .result = result,
                                .args = {first, PG_INT4},
                                .count = windows[i].least};
    return sink(argument, &one);
}

status system_routines(system_routine_sink sink, void *argument)
{
    for (size_t i = 0; i < sizeof functions / sizeof *functions; i++)
        if (functions[i].notation == FUNCTION_NOTATION_CALL)
            TRY(list_function(i, sink, argument));
    for (size_t i = 0; i < sizeof aggregates / sizeof *aggregates; i++)
        TRY(list_aggregate(i, sink, argument));
    for (size_t i = 0; i < sizeof windows / sizeof *windows; i++)
        TRY(list_window(i, sink, argument));
    return STATUS_OK;
}

/* ---- operators ---- */

/* Operators whose sides and result are of the types; 0: the result is the sides' type. */
static const struct {
    const char *names[6];
    uint16_t sides[9], result;
} operators[] = {
    {{"=", "<>", "<", "<=", ">", ">="},
     {PG_INT4, PG_INT8, PG_FLOAT8, PG_NUMERIC, PG_TEXT, PG_DATE, PG_TIMESTAMP, PG_BOOL},
     PG_BOOL},
    {{"+", "-", "*", "/"}, {PG_INT4, PG_INT8, PG_FLOAT8, PG_NUMERIC}, 0},
    {{"%"}, {PG_INT4, PG_INT8, PG_NUMERIC}, 0},
    {{"&", "|"}, {PG_INT4, PG_INT8}, 0},
    {{"||"}, {PG_TEXT}, 0},
    {{"~~", "!~~", "~", "!~"}, {PG_TEXT}, PG_BOOL},
};

status system_operators(system_routine_sink sink, void *argument)
{
    for (size_t i = 0; i < sizeof operators / sizeof *operators; i++)
        for (size_t n = 0; n < 6 && operators[i].names[n]; n++)
            for (size_t t = 0; operators[i].sides[t]; t++) {
                uint32_t type = operators[i].sides[t];
                const system_routine one = {.name = operators[i].names[n],
                                            .kind = 'o',
                                            .result =
                                                operators[i].result ? operators[i].result : type,
                                            .args = {type, type},
                                            .count = 2};
                TRY(sink(argument, &one));
            }
    return STATUS_OK;
}
