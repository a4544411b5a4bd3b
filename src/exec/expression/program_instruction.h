/* program_instruction.h - inside programs: instructions, frames, and what is shared by the
 * program_*.c files.
 *
 * A program is a graph of instructions: each computes one column from those of other instructions,
 * and equal instructions are one. A frame is a set of rows with a slot for each instruction's
 * column there:
 *
 *     main        the chunk's rows
 *     selection   those rows of another frame that one branch of a lazy CASE needs
 *     dictionary  the entries of a column's dictionary
 *     constant    one row: instructions that read no column (host devices)
 *
 * An instruction is evaluated in a frame when somebody asks for it and its slot is empty; a
 * selection frame takes over what its parent has. So an evaluation that had to wait starts again
 * from the top and finds in the slots what was done. */
#ifndef PISTACHIO_EXEC_EXPRESSION_PROGRAM_INSTRUCTION_H
#define PISTACHIO_EXEC_EXPRESSION_PROGRAM_INSTRUCTION_H

#include "device/host/host.h"
#include "device/kernels/kernel_ops.h"
#include "device/nested/nested_function.h"
#include "exec/expression/program.h"
#include "plan/tree/column_map.h"

typedef enum instruction_kind {
    INSTRUCTION_COLUMN,   /* input column `column` */
    INSTRUCTION_CONSTANT, /* `constant` */
    INSTRUCTION_COMPARE,
    INSTRUCTION_RANGE, /* first_number <= arg <= second_number */
    INSTRUCTION_IN_LIST,
    INSTRUCTION_LOGIC,     /* AND, OR, NOT */
    INSTRUCTION_TEST,      /* IS_TRUE, IS_FALSE, IS_NULL, IS_NOT_NULL: never NULL */
    INSTRUCTION_DISTINCT,  /* args: a, b, a = b */
    INSTRUCTION_CHOOSE,    /* args: condition, then, else */
    INSTRUCTION_LAZY_CASE, /* args: condition, result, ..., else; results evaluated where needed */
    INSTRUCTION_ARITHMETIC,
    INSTRUCTION_MATH,
    INSTRUCTION_CAST_NUMBER,
    INSTRUCTION_CAST_FROM_TEXT,
    INSTRUCTION_CAST_TO_TEXT,
    INSTRUCTION_LIKE, /* constant pattern, compiled in `data` */
    INSTRUCTION_LIKE_COLUMN,
    INSTRUCTION_STARTS_WITH,
    INSTRUCTION_SLICE,
    INSTRUCTION_TRIM,
    INSTRUCTION_MEASURE,
    INSTRUCTION_BUILD,
    INSTRUCTION_DATE_PART,
    INSTRUCTION_DATE_TRUNC,
    INSTRUCTION_TIME,
    INSTRUCTION_RETYPE, /* the same values as another type of their width */
    INSTRUCTION_NESTED, /* op: a nested_function; first_number: as nested_args.number */
    INSTRUCTION_LAMBDA, /* op: a lambda_function; `data`: a lambda */
    INSTRUCTION_HOST,   /* op: a host_function; `data` is what it made of constants */
    INSTRUCTION_KIND_COUNT
} instruction_kind;

#define COLUMN_NONE (-1)
#define COLUMN_SEVERAL (-2)

typedef struct instruction {
    uint8_t kind;      /* an instruction_kind */
    uint8_t op;        /* of the kernel, by kind */
    bool is_checked;   /* its kernel has to look for overflow */
    bool can_fail;     /* it, or an instruction below it, may report an error */
    bool kernel_fails; /* likewise, to the task's error cell: not the host's */
    bool is_strict;    /* NULL wherever its only column is */
    bool passes_null;  /* NULL if any argument is */
    data_type type;
    int32_t position;  /* in the SQL text, -1: none */
    const char *place; /* of the values, for errors: a file's column; or NULL */
    int32_t only_column;
    uint32_t column;
    uint32_t arg_count;
    const uint32_t *args;
    uint32_t last_root;  /* the last of the program's expressions that needs it */
    uint32_t user_count; /* by how many arguments and expressions it is read */
    uint32_t levels;     /* of instructions below it that are computed in the same frame */
    bool has_bounds;     /* integers, decimals, dates: every value lies between */
    int128 low, high;
    value constant;
    int64_t first_number, second_number;
    /* IN_LIST: item_count items, ascending (text: as values). LIKE: the compiled pattern. HOST: of
     * host_plan; equal for equal arguments, so that data_bytes is 0. */
    const void *data;
    size_t data_bytes, item_count;
    uint64_t hash;
    uint32_t next; /* in its hash bucket: an instruction's number + 1 */
} instruction;

struct program {
    arena *memory;
    exec_layout layout;
    ARRAY(instruction) instructions;
    uint32_t root_count;
    uint32_t *roots;
    uint32_t *input_counts;
    uint32_t **inputs;
    /* Instructions that no root after r needs: releases[release_ends[r - 1] .. release_ends[r]). */
    uint32_t *releases, *release_ends;
    bool is_volatile;      /* it has volatile instructions */
    ARRAY(uint32_t) draws; /* volatile instructions with several readers */
};

/* ---- compiling: program_compile.c and program_compile_*.c ---- */

typedef struct compiler {
    program *program;
    column_map columns; /* of the layout */
    uint32_t *buckets;  /* an instruction's number + 1, by hash */
    uint32_t bucket_count;
    uint32_t depth;
} compiler;

static inline const instruction *instruction_of(const compiler *c, uint32_t number)
{
    return &c->program->instructions.items[number];
}

/* Dates and timestamps: some value may be infinite. */
static inline bool instruction_may_be_infinite(const instruction *s)
{
    int128 infinity = s->type.id == TYPE_DATE ? INT32_MAX : INT64_MAX;
    bool has_infinity = type_is_time(s->type) && s->type.id != TYPE_TIME;
    return has_infinity && (!s->has_bounds || s->low <= -infinity || s->high >= infinity);
}

/* The data of a LIKE for a text that stands somewhere, at the start, at the end. */
CHECKED status compile_like_literal(compiler *c, const char *text, size_t bytes, bool at_start,
                                    bool at_end, instruction *s);
/* The families of functions.def: the call e, whose operation is a number of kernel_ops.h. */
#define FUNCTION(op, name, signature, nulls, notation, family, operation, help)                    \
    CHECKED status compile_call_##family(compiler *c, const expr *e, int operation_, uint32_t *out);
#include "plan/tree/functions.def"

/* ---- running: program_run.c and program_step_*.c ---- */

typedef struct frame {
    struct frame *parent;          /* selections */
    struct frame *children, *next; /* selections of this frame, by instruction and branch */
    uint32_t instruction, branch;
    bool is_ready;   /* selections: rows are set for the present chunk */
    row_index *rows; /* selections: of the parent */
    dev_count count;
    dev_buffer *count_owner;
    tensor **slots; /* by instruction */
    uint32_t *set;  /* the slots that were set: slot_set */
    uint32_t set_count, set_room;
    tensor **columns;        /* selections: the parent's, by input column, when asked for */
    tensor *dictionary;      /* dictionaries: the entries that the slots are for */
    bool is_refused;         /* dictionaries: something failed for an entry */
    uint64_t rows_declined;  /* dictionaries: rows evaluated without it so far */
    uint64_t declined_chunk; /* dictionaries: the last chunk whose rows were */
} frame;

#define ENTRY_ARGS_MAX 2
typedef struct tile_run tile_run;
typedef struct host_side host_side; /* program_run_on_host.c */

struct program_run {
    const program *program;
    exec_task *task;
    device *dev;
    dev_stream *stream;
    frame main, constant;
    frame **dictionaries;  /* by input column, made when first needed */
    chunk *input;          /* of the call under way */
    uint32_t root;         /* its expression */
    bool takes_all;        /* program_run_take_all */
    bool has_seen_all;     /* `seen` has the columns of all expressions */
    uint64_t chunk_number; /* counts the chunks that main's slots were for */
    tensor **seen;         /* the columns that main's slots are for, by input column */
    dev_buffer *zeros;     /* 64 zero bytes: the validity of a constant NULL */
    frame *tried;          /* a dictionary's frame: what fails in it is not a failure yet */
    frame *spares;         /* selections that are over, empty */
    uint32_t *visited;     /* by instruction: program_run_deep.c */
    uint32_t visits;
    frame entries;                  /* where combinations of arguments' values are computed */
    struct entry_results **results; /* of those, by instruction */
    row_index *identity;            /* 0, 1, 2 ...; made when first needed */
    /* By instruction: what its kernel reads besides columns. */
    dev_buffer **uploads;
    tensor **constant_columns; /* the constant frame's values as columns of one row */
    program_run **lambdas;     /* by instruction, of lambdas' programs; made when first needed */
    host_side *host; /* of one piece of memory, made when first needed; NULL on host devices */
    tile_run *tiles; /* devices that take runs of instructions; else NULL */
};

/* The data of a lambda instruction: program_run_lambda.h, program_run_on_host.h. */
typedef struct lambda {
    program *body;
    uint32_t parameters; /* columns of the body before those from outside */
    exec_result (*run)(program_run *run, frame *f, uint32_t number, tensor **result);
} lambda;

/* An instruction's column as kernels take it: `stride` 0 for one value for all rows. */
typedef struct operand {
    tensor *column; /* borrowed */
    const void *values;
    const uint64_t *validity;
    uint8_t stride;
} operand;

static inline const instruction *instruction_at(const program_run *run, uint32_t number)
{
    return &run->program->instructions.items[number];
}

/* The instruction's kernel has been launched: a failure that it reported, with what is known of it.
 */
CHECKED status run_check(program_run *run, frame *f, const instruction *s);
/* A kernel has reported a failure; asked on host devices alone. */
static inline bool run_has_error(const program_run *run)
{
    return run->dev->is_host &&
           atomic_load_explicit(&run->task->error->code, memory_order_relaxed) != DEV_ERROR_NONE;
}
/* Before an attempt whose failure need not be one: a failure before it is reported. */
CHECKED static inline status run_check_before(const program_run *run)
{
    return run_has_error(run) ? exec_check_error(run->task) : STATUS_OK;
}
/* Forgets an instruction's failure, and the status, after it was dealt with. */
static inline void run_forgive(program_run *run, status st)
{
    status_free(st);
    if (run_has_error(run))
        atomic_store_explicit(&run->task->error->code, DEV_ERROR_NONE, memory_order_relaxed);
}
static inline uint32_t run_location(const instruction *s)
{
    return s->position < 0 ? DEV_LOCATION_NONE : (uint32_t)s->position;
}

/* ---- program_run_deep.c ---- */

#define WAYPOINT_LEVELS 32
static inline bool instruction_is_waypoint(const instruction *s)
{
    return s->levels && s->levels % WAYPOINT_LEVELS == 0;
}
/* Before an instruction is computed: if it is a waypoint, computes those below it. */
exec_result run_below(program_run *run, frame *f, uint32_t number);

/* Computes an instruction whose arguments are evaluated. *result may be set also on failure: the
 * caller releases it. */
typedef status (*instruction_function)(program_run *run, frame *f, uint32_t number,
                                       tensor **result);

/* ---- program_run_entries.c ---- */

/* The values of an instruction for all combinations of its arguments' values. */
typedef struct entry_results {
    uint32_t base_count;
    tensor *bases[ENTRY_ARGS_MAX];
    uint64_t base_rows[ENTRY_ARGS_MAX];
    bool has_nulls; /* among the arguments there may be NULLs */
    tensor *values; /* FLAT; NULL: it failed for one of them, which perhaps no row has */
} entry_results;

#endif
