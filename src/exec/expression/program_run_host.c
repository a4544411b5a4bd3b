/* program_run_host.c - functions that the host computes: columns are brought into its reach and results back, if the
 * device is lazy. On a lazy device the arguments are copied to pinned memory, awaited (the thread works on something
 * else meanwhile), and what was computed of them is copied back, which nobody waits for. */
#include "exec/expression/program_run_host.h"

#include "device/chunk.h"
#include "device/chunk_transfer.h"
#include "device/host/host_fold.h"
#include "exec/expression/program_instruction.h"
#include "exec/expression/program_run.h"

/* The arguments of a call, in the host's reach. */
typedef struct brought {
    chunk *columns; /* lazy devices: copies of those that are not constant */
    host_operand *operands;
    host_place *places; /* of constants */
    tensor **heaps;     /* the result, and then the arguments, where results may be parts of them */
    uint64_t count;
} brought;

static void program_run_host_release(brought *b)
{
    chunk_free(b->columns);
    mem_free(b->operands);
    mem_free(b->places);
    mem_free(b->heaps);
}

static status program_run_host_allocate(const instruction *s, brought *b)
{
    size_t count = s->arg_count + 1;
    b->operands = mem_new_array(count, sizeof *b->operands);
    b->places = mem_new_array(count, sizeof *b->places);
    b->heaps = mem_new_array(count, sizeof *b->heaps);
    if (!b->operands || !b->places || !b->heaps)
        return status_no_memory("expression", count * sizeof *b->operands);
    return STATUS_OK;
}

/* Copies of the arguments in pinned memory. */
static status program_run_host_bring(program_run *run, frame *f, const instruction *s, brought *b)
{
    chunk *c;
    uint32_t columns = 0;
    for (uint32_t i = 0; i < s->arg_count; i++)
        columns += f->slots[s->args[i]]->form != TENSOR_CONSTANT;
    if (!columns)
        return STATUS_OK;
    TRY(chunk_new(columns, f->count, &c));
    columns = 0;
    for (uint32_t i = 0; i < s->arg_count; i++)
        if (f->slots[s->args[i]]->form != TENSOR_CONSTANT)
            c->columns[columns++] = tensor_ref(f->slots[s->args[i]]);
    status st = chunk_to_host(run->stream, c, false, "function of the host", &b->columns);
    chunk_free(c);
    if (!st)
        b->count = b->columns->rows.bound;
    return st;
}

static status bring_all(program_run *run, frame *f, const instruction *s, brought *b)
{
    operand x;
    uint32_t column = 0;
    b->count = f->count.bound;
    TRY(program_run_host_allocate(s, b));
    if (!run->dev->is_host)
        TRY(program_run_host_bring(run, f, s, b));
    else if (f->count.actual && *f->count.actual < b->count)
        b->count = *f->count.actual;
    for (uint32_t i = 0; i < s->arg_count; i++) {
        tensor *t = f->slots[s->args[i]];
        if (t->form == TENSOR_CONSTANT) {
            b->operands[i] = host_operand_of(&t->constant, &b->places[i]);
        } else if (run->dev->is_host) {
            TRY(run_operand(run, f, s->args[i], &x));
            t = x.column;
            b->operands[i] = (host_operand){t->type, x.values, x.validity, 1};
        } else {
            t = b->columns->columns[column++];
            b->operands[i] = (host_operand){t->type, t->values, t->validity, 1};
        }
        b->heaps[i + 1] = t;
    }
    return STATUS_OK;
}

/* Rows whose arguments are there; all, for a function that looks at NULLs itself. */
static void program_run_host_fill_validity(const instruction *s, const brought *b,
                                           uint64_t *validity)
{
    size_t words = (b->count + 63) / 64;
    memset(validity, 0xff, words * sizeof *validity);
    for (uint32_t i = 0; i < s->arg_count && s->passes_null; i++)
        for (size_t w = 0; w < words && b->operands[i].validity && b->operands[i].stride; w++)
            validity[w] &= b->operands[i].validity[w];
    if (b->count % 64)
        validity[words - 1] &= ((uint64_t)1 << (b->count % 64)) - 1;
}

static bool needs_validity(const instruction *s, const brought *b)
{
    bool is_needed = host_traits_of((host_function)s->op) & HOST_MAKES_NULLS;
    for (uint32_t i = 0; i < s->arg_count && s->passes_null; i++)
        is_needed |= b->operands[i].validity != NULL;
    return is_needed;
}

/* The result's texts are new, and parts of the arguments. */
static status take_heap(const instruction *s, brought *b, host_call *call, tensor *result)
{
    string_heap *own = NULL;
    TRY(host_heap_take(call, &result->heap));
    if (!type_is_text(s->type) || !(host_traits_of((host_function)s->op) & HOST_SHARES_TEXT))
        return STATUS_OK;
    b->heaps[0] = result;
    TRY(run_merge_heaps(b->heaps, s->arg_count + 1, &own));
    string_heap_unref(result->heap);
    result->heap = own;
    return STATUS_OK;
}

static status program_run_host_compute(program_run *run, const instruction *s, brought *b,
                                       uint64_t rows, tensor *result)
{
    dev_stream host = {.dev = dev_host(run->dev)};
    host_call call = {.function = (host_function)s->op,
                      .dev = host.dev,
                      .type = s->type,
                      .count = b->count,
                      .args = b->operands,
                      .arg_count = s->arg_count,
                      .plan = s->data,
                      .values = result->values,
                      .validity = result->validity};
    memset(result->values, 0, type_values_bytes(s->type, rows));
    if (result->validity) {
        memset(result->validity, 0, bitmap_bytes(rows));
        program_run_host_fill_validity(s, b, result->validity);
    }
    status st = DEV_LAUNCH(&host, host_call, .call = &call);
    if (call.failure) {
        status_free(st); /* the same: it was cancelled */
        st = s->position < 0 ? call.failure : status_at(call.failure, s->position);
    }
    if (st) {
        host_heap_drop(&call);
        return st;
    }
    return take_heap(s, b, &call, result);
}

status run_send_result(program_run *run, uint64_t rows, tensor **result)
{
    chunk *c, *sent;
    DEV_WORK_ADD(host_rows, rows);
    TRY(chunk_new(1, dev_count_exact(rows), &c));
    c->columns[0] = *result;
    *result = NULL;
    status st = chunk_to_device(run->stream, c, "function of the host", &sent);
    chunk_free(c);
    TRY(st);
    *result = tensor_ref(sent->columns[0]);
    chunk_free(sent);
    return STATUS_OK;
}

status instruction_host(program_run *run, frame *f, uint32_t number, tensor **result)
{
    const instruction *s = instruction_at(run, number);
    brought b = {0};
    uint64_t rows = f->count.bound; /* as many as the device believes that there may be */
    status st = bring_all(run, f, s, &b);
    if (!st)
        st = tensor_new_flat(dev_host(run->dev), s->type, rows, needs_validity(s, &b), result);
    if (!st)
        st = program_run_host_compute(run, s, &b, rows, *result);
    program_run_host_release(&b);
    if (!st && !run->dev->is_host)
        st = run_send_result(run, rows, result);
    return st;
}

exec_result run_draws(program_run *run, uint32_t index)
{
    const program *p = run->program;
    for (size_t i = 0; i < p->draws.count; i++) {
        uint32_t number = p->draws.items[i];
        if (p->instructions.items[number].last_root < index)
            continue;
        exec_result done = run_instruction(run, &run->main, number);
        if (done != EXEC_FINISHED)
            return done;
    }
    return EXEC_FINISHED;
}
