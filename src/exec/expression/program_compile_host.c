/* program_compile_host.c - functions that the host computes: constants that are looked at once, and patterns that are
 * plain texts. */
#include "device/host/regex.h"
#include "exec/expression/program_compile.h"
#include "exec/expression/program_compile_value.h"
#include "exec/expression/program_instruction.h"
#include "plan/tree/function.h"

/* Returns the value of an argument; NULL if it is not constant. */
static const value *constant_of(const compiler *c, uint32_t arg)
{
    const instruction *s = instruction_of(c, arg);
    return s->kind == INSTRUCTION_CONSTANT && !s->constant.is_null ? &s->constant : NULL;
}

/* Arguments as the signature wants them, and those that are constants. */
static status program_compile_host_compile_args(compiler *c, const expr *e, uint32_t *args,
                                                const value **constants)
{
    const char *signature = function_info_of(e->op)->signature;
    for (uint32_t i = 0; i < e->arg_count; i++) {
        char letter = function_argument(signature, i);
        TRY(compile_expr(c, e->args[i], &args[i]));
        if (letter != 'x')
            TRY(compile_cast(c, args[i], function_letter_type(letter), e->position, &args[i]));
    }
    for (uint32_t i = 0; i < e->arg_count; i++)
        constants[i] = constant_of(c, args[i]);
    return STATUS_OK;
}

/* A pattern without anything special is looked for as LIKE does, on every device. */
static status compile_literal(compiler *c, const expr *e, const uint32_t *args,
                              const regex_source *pattern, uint32_t *out)
{
    instruction s = instruction_make(INSTRUCTION_LIKE, 0, e->type, e->position);
    TRY(compile_like_literal(c, pattern->literal, pattern->literal_bytes, pattern->literal_at_start,
                             pattern->ends_at_end, &s));
    return instruction_add(c, &s, args, 1, out);
}

status compile_call_host(compiler *c, const expr *e, int op, uint32_t *out)
{
    host_function function = (host_function)op;
    arena *memory = c->program->memory;
    uint32_t *args = arena_alloc_array(memory, e->arg_count + 1, sizeof *args);
    const value **constants = arena_alloc_array(memory, e->arg_count + 1, sizeof *constants);
    const void *plan;
    if (!args || !constants)
        return status_no_memory("expression", e->arg_count * sizeof *args);
    TRY(program_compile_host_compile_args(c, e, args, constants));
    status st = host_plan(function, constants, e->arg_count, memory, &plan);
    if (st)
        return e->position < 0 ? st : status_at(st, e->position);
    if (function == HOST_REGEXP_LIKE && plan && regex_source_of(plan)->literal_is_all)
        return compile_literal(c, e, args, regex_source_of(plan), out);
    instruction s = instruction_make(INSTRUCTION_HOST, (uint8_t)op, e->type, e->position);
    s.can_fail = host_traits_of(function) & HOST_FAILS;
    s.data = plan;
    if (host_traits_of(function) & HOST_VOLATILE) {
        /* Calls of one draw are one instruction; no other calls are, and none is evaluated by dictionary entry. */
        s.first_number = e->draw ? -(int64_t)e->draw : (int64_t)c->program->instructions.count;
        s.only_column = COLUMN_SEVERAL;
    }
    return instruction_add(c, &s, args, e->arg_count, out);
}
