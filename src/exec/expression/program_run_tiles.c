/* program_run_tiles.c - runs of instructions that a device computes in one launch (KERNEL expression).
 *
 * A run grows from the instruction that is asked for towards the columns: what is read by its
 * instructions, and can be computed with them, becomes part of it, the last compiled first, so that
 * all who read an instruction are known before it is looked at. What is left are the run's leaves:
 * columns, constants, text, what other frames have. An instruction of the run that others read as
 * well is stored, as its own kernel would have. */
#include "exec/expression/program_run_tiles.h"

#include "exec/expression/program_frame.h"
#include "exec/expression/program_instruction.h"
#include "exec/expression/program_run.h"

/* An instruction of a run: computed by it, or a leaf. */
typedef struct tile_part {
    uint32_t number;
    bool is_computed, is_kept; /* kept: a leaf for good */
    uint8_t uses;              /* by instructions that the run computes */
    uint8_t left;              /* of them, when steps are written */
    uint8_t output;            /* its number + 1, or 0 */
    bool is_loaded;
    uint8_t place; /* register */
    /* The origin of its NULLs: bit i: input i's; FROM_SEVERAL: it has a validity of its own. */
    uint32_t nulls;
} tile_part;

#define FROM_SEVERAL ((uint32_t)1 << TILE_INPUTS)

struct tile_run {
    program_run *run;
    frame *f;
    uint32_t roots[TILE_OUTPUTS], root_count; /* what the run is for */
    bool is_cut;                              /* something did not fit */
    uint32_t count;
    tile_part parts[TILE_STEPS]; /* ascending: arguments come first */
    /* While steps are written: */
    uint32_t taken; /* registers */
    uint32_t constant_count, input_count, output_count;
    tensor *inputs[TILE_INPUTS];
    tensor *outputs[TILE_OUTPUTS];
    uint32_t output_numbers[TILE_OUTPUTS];
    expression_arguments arguments;
};

/* ---- which instructions ---- */

static bool program_run_tiles_is_number(data_type type)
{
    return type.id >= TYPE_BOOL && type.id <= TYPE_TIMESTAMP_TZ;
}

static data_type arg_type(const program *p, const instruction *s, uint32_t number)
{
    return p->instructions.items[s->args[number]].type;
}

static bool are_alike(data_type x, data_type y)
{
    return program_run_tiles_is_number(x) && x.id == y.id && x.width == y.width;
}

/* Returns whether both are float, both double, or neither. */
static bool are_operands(data_type x, data_type y, data_type result)
{
    if (tile_type_is_real(result))
        return x.id == result.id && y.id == result.id;
    return program_run_tiles_is_number(x) && program_run_tiles_is_number(y) &&
           !tile_type_is_real(x) && !tile_type_is_real(y);
}

bool tile_has_step(const program *p, const instruction *s)
{
    data_type boolean = type_make(TYPE_BOOL);
    switch (s->kind) {
    case INSTRUCTION_TEST:
    case INSTRUCTION_DISTINCT: /* of the operands only whether they are NULL */
        return true;
    case INSTRUCTION_RANGE:
        return program_run_tiles_is_number(arg_type(p, s, 0));
    case INSTRUCTION_CAST_NUMBER:
        return program_run_tiles_is_number(arg_type(p, s, 0)) &&
               program_run_tiles_is_number(s->type);
    case INSTRUCTION_COMPARE:
        return are_alike(arg_type(p, s, 0), arg_type(p, s, 1));
    case INSTRUCTION_LOGIC:
        return are_alike(arg_type(p, s, 0), boolean) &&
               (s->op == DEV_LOGIC_NOT || are_alike(arg_type(p, s, 1), boolean));
    case INSTRUCTION_CHOOSE:
        return are_alike(arg_type(p, s, 1), s->type) && are_alike(arg_type(p, s, 2), s->type);
    case INSTRUCTION_ARITHMETIC:
        return are_operands(arg_type(p, s, 0), arg_type(p, s, 1), s->type);
    default:
        return false;
    }
}

/* ---- growing ---- */

static tile_part *program_run_tiles_find_part(tile_run *t, uint32_t number)
{
    for (uint32_t i = 0; i < t->count; i++)
        if (t->parts[i].number == number)
            return &t->parts[i];
    return NULL;
}

static tile_part *program_run_tiles_add_part(tile_run *t, uint32_t number)
{
    tile_part *part = program_run_tiles_find_part(t, number);
    if (part)
        return part;
    uint32_t at = t->count++;
    for (; at && t->parts[at - 1].number > number; at--)
        t->parts[at] = t->parts[at - 1];
    t->parts[at] = (tile_part){.number = number};
    return &t->parts[at];
}

static bool is_constant(const tile_run *t, uint32_t number)
{
    return instruction_at(t->run, number)->kind == INSTRUCTION_CONSTANT;
}

static uint32_t column_leaves(const tile_run *t)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < t->count; i++)
        count +=
            !t->parts[i].is_computed && t->parts[i].uses && !is_constant(t, t->parts[i].number);
    return count;
}

/* Others than the run's instructions read it, or it is an expression's own value. */
static bool program_run_tiles_is_wanted(const tile_run *t, const tile_part *part)
{
    return part->uses < instruction_at(t->run, part->number)->user_count;
}

/* Is there room for it and its arguments? */
static bool program_run_tiles_has_room(tile_run *t, const tile_part *part, uint32_t most)
{
    const instruction *s = instruction_at(t->run, part->number);
    uint32_t more = 0, columns = 0, outputs = program_run_tiles_is_wanted(t, part);
    for (uint32_t i = 0; i < s->arg_count; i++) {
        bool is_new = !program_run_tiles_find_part(t, s->args[i]);
        for (uint32_t k = 0; k < i; k++)
            is_new &= s->args[k] != s->args[i];
        more += is_new;
        columns += is_new && !is_constant(t, s->args[i]);
    }
    for (uint32_t i = 0; i < t->count; i++)
        outputs += t->parts[i].is_computed && program_run_tiles_is_wanted(t, &t->parts[i]);
    return t->count + more <= most &&
           column_leaves(t) + columns <= TILE_INPUTS + (part->uses > 0) && outputs <= TILE_OUTPUTS;
}

/* Makes a leaf part of the run, if it can be: its arguments are leaves then. */
static status grow_at(tile_run *t, tile_part *part, uint32_t most)
{
    const instruction *s = instruction_at(t->run, part->number);
    bool is_open = false;
    if (tile_has_step(t->run->program, s))
        TRY(run_needs_kernel(t->run, t->f, part->number, &is_open));
    if (is_open && !program_run_tiles_has_room(t, part, most)) {
        t->is_cut = true;
        is_open = false;
    }
    part->is_kept = !is_open;
    part->is_computed = is_open;
    for (uint32_t i = 0; is_open && i < s->arg_count; i++)
        program_run_tiles_add_part(t, s->args[i])->uses++; /* which may move `part` */
    return STATUS_OK;
}

static status program_run_tiles_grow(tile_run *t, uint32_t most)
{
    t->count = 0;
    t->is_cut = false;
    for (uint32_t i = 0; i < t->root_count; i++)
        (void)program_run_tiles_add_part(t, t->roots[i]);
    for (uint32_t i = t->count; i-- > 0;) {
        if (t->parts[i].is_computed || t->parts[i].is_kept)
            continue;
        uint32_t number = t->parts[i].number;
        TRY(grow_at(t, &t->parts[i], most));
        for (i = t->count; t->parts[i - 1].number > number; i--) {
        }
    }
    return STATUS_OK;
}

/* Tells whether a leaf that is still to be computed may read the first root: arguments have lower numbers than what
 * reads them. Its run would ask for the leaf again, without end. */
static bool may_lead_back(const tile_run *t)
{
    for (uint32_t i = 0; i < t->count; i++) {
        uint32_t number = t->parts[i].number;
        if (!t->parts[i].is_computed && number > t->roots[0] && !t->f->slots[number] &&
            !is_constant(t, number) && instruction_at(t->run, number)->kind != INSTRUCTION_COLUMN)
            return true;
    }
    return false;
}

/* The values of expressions that will be asked for next, if all of it is one run. Not beside a leaf of
 * such a run, which may be one of theirs as well: it would be asked for again and again. */
static status add_roots(tile_run *t, uint32_t most)
{
    const program *p = t->run->program;
    if (!t->run->takes_all || t->f != &t->run->main || t->roots[0] != p->roots[t->run->root])
        return STATUS_OK;
    for (uint32_t r = t->run->root + 1; r < p->root_count && t->root_count < TILE_OUTPUTS; r++) {
        if (program_run_tiles_find_part(t, p->roots[r]) ||
            !tile_has_step(p, instruction_at(t->run, p->roots[r])))
            continue;
        t->roots[t->root_count++] = p->roots[r];
        TRY(program_run_tiles_grow(t, most));
        if (t->is_cut || may_lead_back(t) ||
            !program_run_tiles_find_part(t, p->roots[r])->is_computed) {
            t->root_count--;
            TRY(program_run_tiles_grow(t, most));
        }
    }
    return STATUS_OK;
}

/* The run that computes the instruction. */
static status program_run_tiles_grow_from(tile_run *t, frame *f, uint32_t number, uint32_t most)
{
    t->f = f;
    t->root_count = 1;
    t->roots[0] = number;
    TRY(program_run_tiles_grow(t, most));
    return t->is_cut ? STATUS_OK : add_roots(t, most);
}

static uint32_t computed_parts(const tile_run *t)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < t->count; i++)
        count += t->parts[i].is_computed;
    return count;
}

/* Evaluates the leaves that nothing has to be computed for. The first of the others, or NO_LEAF. */
#define NO_LEAF UINT32_MAX
static exec_result evaluate_leaves(tile_run *t, uint32_t *out_missing)
{
    *out_missing = NO_LEAF;
    for (uint32_t i = 0; i < t->count; i++) {
        uint32_t number = t->parts[i].number;
        bool is_column = instruction_at(t->run, number)->kind == INSTRUCTION_COLUMN;
        if (t->parts[i].is_computed || t->f->slots[number])
            continue;
        if (is_column || is_constant(t, number)) {
            exec_result done = run_instruction(t->run, t->f, number);
            if (done != EXEC_FINISHED)
                return done;
        } else if (*out_missing == NO_LEAF) {
            *out_missing = number;
        }
    }
    return EXEC_FINISHED;
}

/* ---- writing steps ---- */

/* A register, of numbers of 128 bits two; false: all are taken. */
static bool take_register(tile_run *t, data_type type, uint8_t *out)
{
    uint32_t mask = type.width == 16 ? 3 : 1;
    uint32_t first = type.id == TYPE_BOOL ? TILE_WORDS : 0;
    uint32_t end = type.id == TYPE_BOOL ? TILE_REGISTERS : TILE_WORDS - (type.width == 16);
    for (uint32_t i = first; i < end; i++)
        if (!(t->taken & mask << i)) {
            t->taken |= mask << i;
            *out = (uint8_t)i;
            return true;
        }
    return false;
}

static void give_register(tile_run *t, const tile_part *part, data_type type)
{
    t->taken &= ~((type.width == 16 ? 3u : 1u) << part->place);
}

static tile_step *add_step(tile_run *t, tile_kind kind, const tile_part *part, data_type type)
{
    tile_step *step = &t->arguments.code.steps[t->arguments.code.step_count++];
    *step = (tile_step){
        .kind = (uint8_t)kind, .target = part->place, .type = type, .location = DEV_LOCATION_NONE};
    return step;
}

static bool add_constant(tile_run *t, uint64_t low, uint64_t high, bool is_wide, uint8_t *out)
{
    uint32_t words = is_wide ? 2 : 1;
    if (t->constant_count + words > TILE_CONSTANTS)
        return false;
    *out = (uint8_t)t->constant_count;
    t->arguments.code.constants[t->constant_count] = low;
    if (is_wide)
        t->arguments.code.constants[t->constant_count + 1] = high;
    t->constant_count += words;
    return true;
}

/* As a register has it. */
static bool program_run_tiles_add_value(tile_run *t, const value *v, uint8_t *out)
{
    int128 number = 0;
    if (v->is_null) {
        number = 0;
    } else if (v->type.id == TYPE_BOOL) {
        number = v->boolean;
    } else if (v->type.id == TYPE_FLOAT) {
        float narrow = (float)v->f64;
        memcpy(&number, &narrow, sizeof narrow);
    } else if (v->type.id == TYPE_DOUBLE) {
        memcpy(&number, &v->f64, sizeof v->f64);
    } else {
        number = value_int128(v);
    }
    return add_constant(t, (uint64_t)(uint128)number, (uint64_t)((uint128)number >> 64),
                        v->type.width == 16, out);
}

/* Returns a leaf's type: a boolean without values, if only its NULLs are asked for. */
static data_type leaf_type(const tile_run *t, const tile_part *part)
{
    data_type type = instruction_at(t->run, part->number)->type;
    return program_run_tiles_is_number(type) ? type : type_make(TYPE_BOOL);
}

static void set_address(tile_run *t, size_t first, uint32_t number, const void *address)
{
    memcpy((char *)&t->arguments + first + number * sizeof address, &address, sizeof address);
}

static void load_constant(tile_run *t, tile_part *part, const value *v, bool *out_fits)
{
    data_type type = leaf_type(t, part);
    value none = value_null(type);
    tile_step *step = add_step(t, TILE_CONSTANT, part, type);
    step->op = v->is_null;
    part->nulls = v->is_null ? FROM_SEVERAL : 0;
    *out_fits = program_run_tiles_add_value(t, program_run_tiles_is_number(v->type) ? v : &none,
                                            &step->args[0]);
}

/* A column, or rows of one, which are picked as they are read. */
static void load_column(tile_run *t, tile_part *part, tensor *column)
{
    uint32_t input = t->input_count++;
    const tensor *base = column->form == TENSOR_INDEXED ? column->base : column;
    const row_index *index = column->form == TENSOR_INDEXED ? column->index : NULL;
    tile_step *step = add_step(t, TILE_LOAD, part, leaf_type(t, part));
    step->args[0] = (uint8_t)input;
    if (index && (base->validity || index->has_nulls))
        part->nulls = FROM_SEVERAL;
    else
        part->nulls = base->validity ? (uint32_t)1 << input : 0;
    t->inputs[input] = column;
    set_address(t, offsetof(expression_arguments, input0), input,
                program_run_tiles_is_number(base->type) ? base->values : NULL);
    set_address(t, offsetof(expression_arguments, validity0), input, base->validity);
    set_address(t, offsetof(expression_arguments, index0), input, index ? index->rows : NULL);
}

static void program_run_tiles_load(tile_run *t, tile_part *part, bool *out_fits)
{
    tensor *column = t->f->slots[part->number];
    *out_fits = take_register(t, leaf_type(t, part), &part->place);
    if (!*out_fits)
        return;
    part->is_loaded = true;
    if (column->form == TENSOR_CONSTANT)
        load_constant(t, part, &column->constant, out_fits);
    else
        load_column(t, part, column);
}

static uint32_t nulls_of(const instruction *s, tile_part *const args[3])
{
    uint32_t all = 0;
    for (uint32_t i = 0; i < s->arg_count; i++)
        all |= args[i]->nulls;
    switch (s->kind) {
    case INSTRUCTION_TEST:
    case INSTRUCTION_DISTINCT:
        return 0;
    case INSTRUCTION_LOGIC:
        return all && s->op != DEV_LOGIC_NOT ? FROM_SEVERAL : all;
    case INSTRUCTION_CHOOSE:
        return args[1]->nulls | args[2]->nulls ? FROM_SEVERAL : 0;
    default:
        return all;
    }
}

static tile_kind program_run_tiles_kind_of(const instruction *s)
{
    switch (s->kind) {
    case INSTRUCTION_COMPARE:
        return TILE_COMPARE;
    case INSTRUCTION_RANGE:
        return TILE_RANGE;
    case INSTRUCTION_CHOOSE:
        return TILE_CHOOSE;
    case INSTRUCTION_ARITHMETIC:
        return TILE_ARITHMETIC;
    case INSTRUCTION_CAST_NUMBER:
        return TILE_CAST;
    default:
        return TILE_LOGIC;
    }
}

/* The instruction's own step; its arguments are in registers. */
static bool write_step(tile_run *t, tile_part *part, tile_part *const args[3])
{
    const instruction *s = instruction_at(t->run, part->number);
    data_type from = leaf_type(t, args[0]);
    if (!take_register(t, s->type, &part->place))
        return false;
    tile_step *step = add_step(t, program_run_tiles_kind_of(s), part, s->type);
    step->op = s->op;
    step->from = step->kind == TILE_ARITHMETIC || step->kind == TILE_CHOOSE ? s->type : from;
    step->flags = s->is_checked ? TILE_CHECKED : 0;
    step->location = run_location(s);
    for (uint32_t i = 0; i < 3; i++) /* what is not there is not looked at, but is a register */
        step->args[i] = args[i < s->arg_count ? i : 0]->place;
    if (step->kind == TILE_ARITHMETIC) {
        step->flags |= from.width == 16 ? TILE_LEFT_WIDE : 0;
        step->flags |= leaf_type(t, args[1]).width == 16 ? TILE_RIGHT_WIDE : 0;
    }
    part->nulls = nulls_of(s, args);
    if (program_run_tiles_is_wanted(t, part)) {
        t->output_numbers[t->output_count] = part->number;
        step->output = part->output = (uint8_t)++t->output_count;
    }
    return s->kind != INSTRUCTION_RANGE ||
           add_constant(t, (uint64_t)s->first_number, (uint64_t)s->second_number, true,
                        &step->args[1]);
}

/* The steps of one instruction: what it reads first, if it is not there. *out_fits false: the run is
 * too long. */
static void program_run_tiles_write_part(tile_run *t, tile_part *part, bool *out_fits)
{
    const instruction *s = instruction_at(t->run, part->number);
    tile_part *args[3] = {NULL, NULL, NULL};
    for (uint32_t i = 0; i < s->arg_count && *out_fits; i++) {
        args[i] = program_run_tiles_find_part(t, s->args[i]);
        if (!args[i]->is_computed && !args[i]->is_loaded)
            program_run_tiles_load(t, args[i], out_fits);
    }
    *out_fits = *out_fits && write_step(t, part, args);
    if (!*out_fits)
        return;
    for (uint32_t i = 0; i < s->arg_count; i++)
        if (--args[i]->left == 0)
            give_register(t, args[i], leaf_type(t, args[i]));
    if (!part->uses)
        give_register(t, part, s->type);
}

/* All steps. False: the run is too long. */
static bool write_steps(tile_run *t)
{
    bool fits = true;
    memset(&t->arguments, 0, sizeof t->arguments);
    t->taken = t->constant_count = t->input_count = t->output_count = 0;
    for (uint32_t i = 0; i < t->count; i++)
        t->parts[i].left = t->parts[i].uses;
    for (uint32_t i = 0; i < t->count && fits; i++)
        if (t->parts[i].is_computed)
            program_run_tiles_write_part(t, &t->parts[i], &fits);
    return fits;
}

/* ---- launching ---- */

/* A result with the validity of the only input that it has NULLs of, or its own. */
static status program_run_tiles_make_output(tile_run *t, const tile_part *part)
{
    program_run *run = t->run;
    data_type type = instruction_at(run, part->number)->type;
    uint32_t nulls = part->nulls, number = part->output - 1u;
    bool is_shared = nulls && nulls != FROM_SEVERAL && !(nulls & (nulls - 1));
    tensor **out = &t->outputs[number];
    TRY(tensor_new_flat(run->dev, type, t->f->count.bound, nulls && !is_shared, out));
    if (is_shared) {
        const tensor *from = t->inputs[__builtin_ctz(nulls)];
        (*out)->validity = from->validity;
        (*out)->validity_owner = dev_buffer_ref(from->validity_owner);
    }
    set_address(t, offsetof(expression_arguments, out0), number, (*out)->values);
    set_address(t, offsetof(expression_arguments, out_validity0), number,
                is_shared ? NULL : (*out)->validity);
    return STATUS_OK;
}

static status launch(tile_run *t)
{
    status st = STATUS_OK;
    memset(t->outputs, 0, sizeof t->outputs);
    for (uint32_t i = 0; i < t->count && !st; i++)
        if (t->parts[i].output)
            st = program_run_tiles_make_output(t, &t->parts[i]);
    t->arguments.count = t->f->count;
    t->arguments.error = t->run->task->error;
    if (!st)
        st = dev_launch_(t->run->stream, DEV_KERNEL_expression, &t->arguments, sizeof t->arguments);
    for (uint32_t i = 0; i < t->output_count; i++) {
        if (st)
            tensor_unref(t->outputs[i]);
        else
            slot_set(t->f, t->output_numbers[i], t->outputs[i]);
    }
    return st;
}

#define STEPS_MIN 4 /* of a run of two instructions */

exec_result run_tiles(program_run *run, frame *f, uint32_t number, bool *out_ran)
{
    exec_task *task = run->task;
    tile_run *t = run->tiles;
    bool fits = false;
    *out_ran = false;
    if (!t || !tile_has_step(run->program, instruction_at(run, number)))
        return EXEC_FINISHED;
    /* A run that takes too many registers is tried half as long. */
    for (uint32_t most = TILE_STEPS; most >= STEPS_MIN && !fits;) {
        uint32_t missing;
        EXEC_TRY(task, program_run_tiles_grow_from(t, f, number, most));
        if (computed_parts(t) < 2)
            return EXEC_FINISHED;
        exec_result done = evaluate_leaves(t, &missing);
        if (done == EXEC_FINISHED && missing != NO_LEAF) {
            /* The missing instruction may be a run as well, which computes instructions of this one: this one is
             * grown anew. */
            done = run_instruction(run, f, missing);
        } else if (done == EXEC_FINISHED) {
            fits = write_steps(t);
            most /= 2;
        }
        if (done != EXEC_FINISHED)
            return done;
    }
    if (!fits)
        return EXEC_FINISHED;
    EXEC_TRY(task, launch(t));
    *out_ran = true;
    return EXEC_FINISHED;
}

status tile_run_new(program_run *run, tile_run **out)
{
    *out = NULL;
    if (!run->dev->runs_tiles)
        return STATUS_OK;
    *out = mem_new(sizeof **out);
    if (!*out)
        return status_no_memory("expression", sizeof **out);
    (*out)->run = run;
    return STATUS_OK;
}
