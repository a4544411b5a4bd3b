/* program_compile_nested.c - functions of lists, structs and maps. */
#include "exec/expression/program_compile.h"
#include "exec/expression/program_compile_value.h"
#include "exec/expression/program_instruction.h"

status compile_call_nested(compiler *c, const expr *e, int op, uint32_t *out)
{
    uint32_t args[2];
    instruction s = instruction_make(INSTRUCTION_NESTED, (uint8_t)op, e->type, e->position);
    TRY(compile_expr(c, e->args[0], &args[0]));
    if (op == NESTED_FIELD)
        s.first_number = value_int128(&e->args[1]->constant) & UINT32_MAX;
    if (op != NESTED_ELEMENT)
        return instruction_add(c, &s, args, 1, out);
    TRY(compile_expr(c, e->args[1], &args[1]));
    TRY(compile_cast(c, args[1], type_make(TYPE_INT64), e->position, &args[1]));
    return instruction_add(c, &s, args, 2, out);
}
