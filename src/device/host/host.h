/* host.h - functions of rows that the host computes, whatever the device: regular expressions,
 * formats, and what else makes no sense, or is not worth it, as a GPU's kernel.
 *
 * The kernel host_call (kernels_host.def) runs one over columns in the host's reach: on a host
 * device where they are, on others in pinned memory, where program_run_host.c brings them. A
 * function is a row of host_functions.def and computes one row at a time:
 *
 *     plan    once: what can be made of arguments that are constants (a compiled pattern)
 *     begin   per call, on one thread: what rows need besides (the memory of a match)
 *     row     per row whose arguments are not NULL
 *     end     whatever begin made
 *
 * Rows fail with a status of their own, in words: nothing goes to a task's error cell. */
#ifndef PISTACHIO_DEVICE_HOST_HOST_H
#define PISTACHIO_DEVICE_HOST_HOST_H

#include "base/type/calendar.h"
#include "device/tensor.h"

typedef enum host_function {
#define HOST_FUNCTION(NAME, name, ops, traits) HOST_##NAME,
#include "device/host/host_functions.def"
    HOST_FUNCTION_COUNT
} host_function;

typedef enum host_traits {
    HOST_FAILS = 1,       /* a row may fail, for another reason than memory */
    HOST_MAKES_NULLS = 2, /* its result may be NULL where no argument is */
    HOST_SEES_NULLS = 4,  /* it is called for rows with NULLs, too */
    HOST_SHARES_TEXT = 8, /* results may be parts of the arguments: host_put_part */
    HOST_VOLATILE = 16    /* each call gives another value */
} host_traits;

/* A text that a function makes has fewer bytes. */
#define HOST_TEXT_MAX ((uint64_t)1 << 30)

/* A column, or (stride 0) one value for all rows. */
typedef struct host_operand {
    data_type type;
    const void *values;
    const uint64_t *validity; /* or NULL */
    uint8_t stride;
} host_operand;

/* A constant's value as a column has it. */
typedef union host_place {
    string_view text;
    int64_t integer;
    double real;
    int128 wide;
    interval_value interval;
    uint64_t bits;
    char bytes[64]; /* kernels may read past a value */
} host_place;

/* Buffers that new long texts go to, which stay where they are. */
typedef struct host_heap {
    ARRAY(dev_buffer *) buffers;
    char *at, *end;
} host_heap;

typedef struct host_call {
    host_function function;
    device *dev; /* a host device, for new texts; NULL: they go to `memory` */
    arena *memory;
    uint64_t text_max; /* bytes of a new text; 0: HOST_TEXT_MAX */
    data_type type;    /* of the result */
    uint64_t count;
    const host_operand *args;
    uint32_t arg_count;
    const void *plan;
    void *values;       /* of the result: zeros */
    uint64_t *validity; /* of the result: set already where all arguments are; or NULL */
    host_heap heap;
    void *state;    /* of begin */
    status failure; /* of the call */
} host_call;

/* The constant arguments of a call: NULL where an argument is not constant. */
typedef const value *const *host_constants;

/* A function's steps in addition to the rows; each may be NULL. */
typedef struct host_function_ops {
    /* *out stays NULL where the constants say too little. Lives in memory. */
    status (*plan)(host_function function, host_constants args, uint32_t arg_count, arena *memory,
                   const void **out);
    status (*begin)(host_call *call);
    void (*end)(host_call *call);
    bool begin_is_all; /* begin() computes all rows */
} host_function_ops;

unsigned host_traits_of(host_function function);
/* See host_function_ops.plan. Its failures (an invalid pattern) are the statement's. */
CHECKED status host_plan(host_function function, host_constants args, uint32_t arg_count,
                         arena *memory, const void **out);
/* Computes all rows into call->values; call->failure says how it went. What was made of the heap is
 * the caller's then, also after a failure: host_heap_take or host_heap_drop. */
void host_run(host_call *call);
/* The texts' buffers as one heap (NULL: none was needed). */
CHECKED status host_heap_take(host_call *call, string_heap **out);
void host_heap_drop(host_call *call);

/* ---- for functions: arguments of a row, and its result ---- */

static inline bool host_is_null(const host_call *c, uint32_t arg, uint64_t row)
{
    const host_operand *x = &c->args[arg];
    uint64_t at = row * x->stride;
    return x->validity && !(x->validity[at / 64] >> (at % 64) & 1);
}

static inline const string_view *host_text(const host_call *c, uint32_t arg, uint64_t row)
{
    return (const string_view *)c->args[arg].values + row * c->args[arg].stride;
}

static inline int64_t host_integer(const host_call *c, uint32_t arg, uint64_t row)
{
    return ((const int64_t *)c->args[arg].values)[row * c->args[arg].stride];
}

static inline double host_double(const host_call *c, uint32_t arg, uint64_t row)
{
    return ((const double *)c->args[arg].values)[row * c->args[arg].stride];
}

static inline void host_put_boolean(host_call *c, uint64_t row, bool boolean)
{
    if (boolean)
        ((uint64_t *)c->values)[row / 64] |= (uint64_t)1 << (row % 64);
}

static inline void host_put_integer(host_call *c, uint64_t row, int64_t number)
{
    ((int64_t *)c->values)[row] = number;
}

static inline void host_put_double(host_call *c, uint64_t row, double number)
{
    ((double *)c->values)[row] = number;
}

/* The value stays what it was made as: zero. */
static inline void host_put_null(host_call *c, uint64_t row)
{
    c->validity[row / 64] &= ~((uint64_t)1 << (row % 64));
}

/* NULL, and true, where one of the timestamps from argument `from` on is infinite. */
static inline bool host_put_null_of_infinite(host_call *c, uint32_t from, uint64_t row)
{
    bool is_infinite = false;
    for (uint32_t i = from; i < c->arg_count; i++)
        is_infinite |= calendar_is_infinite(host_integer(c, i, row));
    if (is_infinite)
        host_put_null(c, row);
    return is_infinite;
}

/* A part of an argument, which stays where it is. */
static inline void host_put_part(host_call *c, uint64_t row, const char *text, size_t bytes)
{
    ((string_view *)c->values)[row] = string_view_make(text, (uint32_t)bytes);
}

/* Room for a new text of at most so many bytes. */
CHECKED status host_put_room(host_call *c, uint64_t bytes, char **out);
/* The room has the row's text, of so many bytes. */
void host_put_filled(host_call *c, uint64_t row, size_t bytes);
/* A copy of the text. */
CHECKED status host_put_text(host_call *c, uint64_t row, const char *text, size_t bytes);

/* ---- those of functions that need more than rows ---- */

extern const host_function_ops host_regexp_ops, host_to_char_number_ops, host_random_ops,
    host_random_uuid_ops, host_template_ops, host_zone_ops, host_zone_template_ops,
    host_similarity_ops, host_json_ops, host_json_member_ops;

#endif
