/* program_error.c - what a kernel reported, in words: with the values at fault where the host can
 * read them. */
#include "base/text/blob_text.h"
#include "exec/expression/program_instruction.h"
#include "exec/expression/program_run.h"

#define VALUE_TEXT_BYTES 128

/* The row's value of an argument as SQL prints it, cut where it is long. */
static void program_error_describe(frame *f, uint32_t number, uint64_t row, char *text)
{
    const tensor *t = f->slots[number];
    bool is_there = t->form == TENSOR_FLAT || t->form == TENSOR_CONSTANT;
    value v = is_there ? tensor_value(t, row) : value_null(t->type);
    size_t bytes = value_format(&v, text, VALUE_TEXT_BYTES);
    if (bytes >= VALUE_TEXT_BYTES)
        memcpy(text + VALUE_TEXT_BYTES - 4, "...", 4);
}

static const char *symbol(const instruction *s)
{
    static const char *const symbols[] = {"+", "-", "*", "/", "%"};
    return symbols[s->op];
}

/* NULL: nothing better than the general message is known. */
static status explain(frame *f, const instruction *s, dev_error_code code, uint64_t row)
{
    char left[VALUE_TEXT_BYTES], right[VALUE_TEXT_BYTES], type[TYPE_NAME_BYTES];
    type_name(s->type, type);
    if (s->arg_count > 0)
        program_error_describe(f, s->args[0], row, left);
    if (s->arg_count > 1)
        program_error_describe(f, s->args[1], row, right);
    switch (s->kind) {
    case INSTRUCTION_CAST_FROM_TEXT:
        return status_new(STATUS_KIND_DATA, "\"%s\" is not a value of type %s", left, type);
    case INSTRUCTION_CAST_NUMBER:
        return status_new(STATUS_KIND_DATA, "%s does not fit %s", left, type);
    case INSTRUCTION_ARITHMETIC:
        if (code == DEV_ERROR_OVERFLOW)
            return status_new(STATUS_KIND_DATA, "%s %s %s does not fit %s", left, symbol(s), right,
                              type);
        return NULL;
    case INSTRUCTION_LIKE_COLUMN:
        return status_new(STATUS_KIND_DATA, "the pattern \"%s\" ends with its escape character",
                          right);
    case INSTRUCTION_SLICE:
        return status_new(STATUS_KIND_DATA, "substring has a negative length");
    case INSTRUCTION_BUILD:
        if (code == DEV_ERROR_CAST)
            return status_hint(
                status_new(STATUS_KIND_DATA, "\"%s\" is not a value of type %s", left, type),
                BLOB_TEXT_HINT);
        return status_new(STATUS_KIND_DATA, "a text would have more than 4 GiB");
    case INSTRUCTION_DATE_TRUNC:
    case INSTRUCTION_TIME:
        if (s->kind == INSTRUCTION_TIME && s->op == DEV_TIME_INTERVAL_DIVIDE)
            return status_new(STATUS_KIND_DATA, "%s / %s: division by zero, or too large", left,
                              right);
        if (s->kind == INSTRUCTION_TIME && s->op == DEV_TIME_TIMESTAMP_DIFFERENCE)
            return status_new(STATUS_KIND_DATA,
                              "%s - %s does not fit interval: no timestamp is infinite there", left,
                              right);
        return status_new(STATUS_KIND_DATA, "a result computed from %s does not fit %s", left,
                          type);
    case INSTRUCTION_MATH:
        return status_new(STATUS_KIND_DATA,
                          code == DEV_ERROR_ARGUMENT
                              ? "a function is not defined for %s"
                              : "the result of a function of %s does not fit "
                                "its type",
                          left);
    default:
        return NULL;
    }
}

status run_check(program_run *run, frame *f, const instruction *s)
{
    dev_error *error = run->task->error;
    if (!run_has_error(run))
        return STATUS_OK;
    status st = NULL;
    if (error->location == run_location(s))
        st = explain(f, s, (dev_error_code)atomic_load(&error->code), error->detail);
    if (!st)
        return exec_check_error(run->task);
    if (s->place)
        st = status_hint(status_context(st, "%s", s->place),
                         "a column has the type that it has in the first file; read the others in "
                         "a query of their own");
    return s->position < 0 ? st : status_at(st, s->position);
}
