/* program_compile_like.c - LIKE: a constant pattern is taken apart once. */
#include "device/value/like_split.h"
#include "exec/expression/program_compile.h"
#include "exec/expression/program_compile_value.h"
#include "exec/expression/program_instruction.h"

#define DEFAULT_ESCAPE '\\'

/* Texts of either case alike: both in lower case. */
static status program_compile_like_lower(compiler *c, const expr *e, uint32_t arg, uint32_t *out)
{
    instruction s =
        instruction_make(INSTRUCTION_BUILD, DEV_BUILD_LOWER, type_make(TYPE_VARCHAR), e->position);
    return instruction_add(c, &s, &arg, 1, out);
}

/* The escape byte, -1 for none. */
static status escape_of(const expr *e, int *out)
{
    *out = DEFAULT_ESCAPE;
    if (e->arg_count < 3)
        return STATUS_OK;
    const expr *escape = e->args[2];
    if (escape->kind != EXPR_CONSTANT || escape->constant.is_null ||
        !type_is_text(escape->constant.type) || escape->constant.bytes > 1)
        return status_at(status_new(STATUS_KIND_INVALID,
                                    "the escape of like has to be a constant text of at most one "
                                    "character"),
                         e->position);
    *out = escape->constant.bytes ? (unsigned char)escape->constant.text[0] : -1;
    return STATUS_OK;
}

static status pieces_new(arena *memory, size_t bytes, like_pieces *out)
{
    *out = (like_pieces){.ends = arena_alloc_array(memory, bytes + 1, sizeof(uint32_t)),
                         .bytes = arena_alloc(memory, bytes + 1)};
    return out->ends && out->bytes ? STATUS_OK : status_no_memory("pattern", bytes);
}

/* The pieces as the kernel reads them: dev_pattern. */
static status program_compile_like_lay_out(arena *memory, const like_pieces *p, instruction *s)
{
    size_t ends_bytes = p->header.piece_count * sizeof(uint32_t);
    size_t bytes = sizeof p->header + ends_bytes + p->header.piece_bytes;
    char *data = arena_alloc(memory, bytes + 64);
    if (!data)
        return status_no_memory("pattern", bytes);
    memcpy(data, &p->header, sizeof p->header);
    memcpy(data + sizeof p->header, p->ends, ends_bytes);
    memcpy(data + sizeof p->header + ends_bytes, p->bytes, p->header.piece_bytes);
    s->data = data;
    s->data_bytes = bytes;
    return STATUS_OK;
}

status compile_like_literal(compiler *c, const char *text, size_t bytes, bool at_start, bool at_end,
                            instruction *s)
{
    arena *memory = c->program->memory;
    uint32_t start = 0;
    like_pieces p;
    TRY(pieces_new(memory, bytes, &p));
    memcpy(p.bytes, text, bytes);
    p.header.piece_bytes = (uint32_t)bytes;
    like_end_piece(&p, &start);
    p.header.at_start = at_start;
    p.header.at_end = at_end;
    return program_compile_like_lay_out(memory, &p, s);
}

static status compile_pattern(compiler *c, const expr *e, const value *pattern, int escape,
                              instruction *s)
{
    arena *memory = c->program->memory;
    size_t bytes = pattern->bytes;
    like_pieces p;
    TRY(pieces_new(memory, bytes, &p));
    if (!like_split(pattern->text, bytes, escape, &p))
        return status_at(status_new(STATUS_KIND_INVALID,
                                    "the pattern \"%.*s\" ends with its escape character",
                                    (int)(bytes < 100 ? bytes : 100), pattern->text),
                         e->position);
    return program_compile_like_lay_out(memory, &p, s);
}

/* ASCII in lower case; false where other letters are in it. */
static bool lower_ascii(arena *memory, const value *pattern, value *out)
{
    char *text = arena_copy_text(memory, pattern->text, pattern->bytes);
    if (!text)
        return false;
    for (size_t i = 0; i < pattern->bytes; i++) {
        if ((unsigned char)text[i] >= 0x80)
            return false;
        if (text[i] >= 'A' && text[i] <= 'Z')
            text[i] = (char)(text[i] | 0x20);
    }
    *out = value_text(text, pattern->bytes);
    return true;
}

status compile_call_like(compiler *c, const expr *e, int op, uint32_t *out)
{
    (void)op;
    uint32_t args[2];
    int escape;
    value pattern = {.is_null = true};
    TRY(escape_of(e, &escape));
    TRY(compile_expr(c, e->args[0], &args[0]));
    if (e->op == EXPR_ILIKE)
        TRY(program_compile_like_lower(c, e, args[0], &args[0]));
    const expr *given = e->args[1];
    bool is_constant = given->kind == EXPR_CONSTANT && !given->constant.is_null;
    if (is_constant) {
        pattern = given->constant;
        if (e->op == EXPR_ILIKE)
            is_constant = lower_ascii(c->program->memory, &given->constant, &pattern);
    }
    if (is_constant) {
        instruction s = instruction_make(INSTRUCTION_LIKE, 0, e->type, e->position);
        TRY(compile_pattern(c, e, &pattern, escape, &s));
        return instruction_add(c, &s, args, 1, out);
    }
    TRY(compile_expr(c, given, &args[1]));
    TRY(compile_cast(c, args[1], type_make(TYPE_VARCHAR), e->position, &args[1]));
    if (e->op == EXPR_ILIKE)
        TRY(program_compile_like_lower(c, e, args[1], &args[1]));
    instruction s = instruction_make(INSTRUCTION_LIKE_COLUMN, 0, e->type, e->position);
    s.first_number = escape;
    s.can_fail = true;
    return instruction_add(c, &s, args, 2, out);
}
