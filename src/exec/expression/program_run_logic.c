/* program_run_logic.c - instructions that decide: comparisons, logic, IN, CASE. */
#include "exec/expression/program_run_logic.h"

#include "device/transfer.h"
#include "exec/expression/program_frame.h"
#include "exec/expression/program_instruction.h"
#include "exec/expression/program_run.h"
#include "exec/expression/program_run_narrow.h"

status instruction_compare(program_run *run, frame *f, uint32_t number, tensor **result)
{
    const instruction *s = instruction_at(run, number);
    operand x[2];
    TRY(instruction_compare_narrow(run, f, number, result));
    if (*result)
        return STATUS_OK;
    TRY(run_operands(run, f, s, x));
    TRY(run_result(run, f, s->type, result));
    TRY(DEV_LAUNCH(run->stream, compare, .type = x[0].column->type, .op = s->op,
                   .left = x[0].values, .left_stride = x[0].stride, .right = x[1].values,
                   .right_stride = x[1].stride, .count = f->count, .out = (*result)->values));
    return run_validity(run, f, *result, x, 2);
}

status instruction_range(program_run *run, frame *f, uint32_t number, tensor **result)
{
    const instruction *s = instruction_at(run, number);
    operand x;
    TRY(instruction_range_narrow(run, f, number, result));
    if (*result)
        return STATUS_OK;
    TRY(run_column(run, f, s->args[0], &x));
    TRY(run_result(run, f, s->type, result));
    TRY(DEV_LAUNCH(run->stream, compare_range, .type = x.column->type, .values = x.values,
                   .low = s->first_number, .high = s->second_number, .count = f->count,
                   .out = (*result)->values));
    return run_validity(run, f, *result, &x, 1);
}

/* ---- IN ---- */

/* Bytes of the items' texts that lie outside of their views. */
static size_t program_run_logic_text_bytes(const value *items, size_t count)
{
    size_t bytes = 0;
    for (size_t i = 0; i < count; i++)
        bytes += items[i].bytes > STRING_INLINE_BYTES ? items[i].bytes : 0;
    return bytes;
}

/* The views, then the texts, which will lie behind `address`. */
static void stage_texts(const value *items, size_t count, char *address, char *staged)
{
    string_view *views = (string_view *)(void *)staged;
    size_t used = count * sizeof *views;
    for (size_t i = 0; i < count; i++) {
        views[i] = string_view_make(items[i].text, (uint32_t)items[i].bytes);
        if (items[i].bytes <= STRING_INLINE_BYTES)
            continue;
        memcpy(staged + used, items[i].text, items[i].bytes);
        views[i].data = address + used;
        used += items[i].bytes;
    }
}

/* Views of text need the address that their bytes have on the device. */
static status upload_texts(program_run *run, uint32_t number)
{
    const instruction *s = instruction_at(run, number);
    size_t bytes =
        s->item_count * sizeof(string_view) + program_run_logic_text_bytes(s->data, s->item_count);
    dev_buffer *buffer;
    void *staged;
    TRY(dev_alloc(run->dev, bytes + 1, "constant", &buffer));
    run->uploads[number] = buffer;
    TRY(dev_host_alloc(run->dev, bytes + 1, "list", &staged));
    stage_texts(s->data, s->item_count, buffer->address, staged);
    status st = run->dev->ops->copy_in(run->stream, buffer->address, staged, bytes);
    dev_host_free(run->dev, staged, bytes + 1);
    return st;
}

status instruction_in_list(program_run *run, frame *f, uint32_t number, tensor **result)
{
    const instruction *s = instruction_at(run, number);
    operand x;
    const void *items;
    TRY(instruction_in_list_narrow(run, f, number, result));
    if (*result)
        return STATUS_OK;
    TRY(run_column(run, f, s->args[0], &x));
    data_type type = x.column->type;
    if (type_is_text(type) && !run->uploads[number])
        TRY(upload_texts(run, number));
    TRY(run_upload(run, number, &items));
    TRY(run_result(run, f, s->type, result));
    if (s->item_count)
        TRY(DEV_LAUNCH(run->stream, in_list, .type = type, .values = x.values, .count = f->count,
                       .items = items, .item_count = s->item_count, .out = (*result)->values));
    else
        TRY(DEV_LAUNCH(run->stream, fill, .width = 0, .count = f->count, .out = (*result)->values));
    TRY(run_validity(run, f, *result, &x, 1));
    if (!s->first_number)
        return STATUS_OK;
    /* With a NULL in the list it is true or NULL, never false. */
    tensor *found = *result;
    if (!found->validity) {
        found->validity = found->values;
        found->validity_owner = dev_buffer_ref(found->values_owner);
        return STATUS_OK;
    }
    dev_buffer *both;
    TRY(dev_alloc(run->dev, bitmap_bytes(f->count.bound), "chunk", &both));
    status st =
        DEV_LAUNCH(run->stream, logic, .op = DEV_LOGIC_BOTH_VALID, .left_validity = found->validity,
                   .left_stride = 1, .right_validity = found->values, .right_stride = 1,
                   .count = f->count, .out = both->address);
    dev_buffer_unref(found->validity_owner);
    found->validity = both->address;
    found->validity_owner = both;
    return st;
}

/* ---- logic ---- */

status instruction_logic(program_run *run, frame *f, uint32_t number, tensor **result)
{
    const instruction *s = instruction_at(run, number);
    operand x[2] = {{0}, {0}};
    for (uint32_t i = 0; i < s->arg_count; i++)
        TRY(run_operand(run, f, s->args[i], &x[i]));
    bool has_nulls = x[0].validity || x[1].validity;
    if (s->op == DEV_LOGIC_NOT) {
        TRY(run_column(run, f, s->args[0], &x[0]));
        has_nulls = false;
    }
    TRY(tensor_new_flat(run->dev, s->type, f->count.bound, has_nulls, result));
    TRY(DEV_LAUNCH(run->stream, logic, .op = s->op, .left = x[0].values,
                   .left_validity = x[0].validity, .left_stride = x[0].stride, .right = x[1].values,
                   .right_validity = x[1].validity, .right_stride = x[1].stride, .count = f->count,
                   .out = (*result)->values, .out_validity = (*result)->validity));
    return s->op == DEV_LOGIC_NOT ? run_validity(run, f, *result, x, 1) : STATUS_OK;
}

status instruction_test(program_run *run, frame *f, uint32_t number, tensor **result)
{
    const instruction *s = instruction_at(run, number);
    operand x;
    TRY(run_operand(run, f, s->args[0], &x));
    bool needs_values = s->op == DEV_LOGIC_IS_TRUE || s->op == DEV_LOGIC_IS_FALSE;
    TRY(run_result(run, f, s->type, result));
    return DEV_LAUNCH(run->stream, logic, .op = s->op, .left = needs_values ? x.values : NULL,
                      .left_validity = x.validity, .left_stride = x.stride, .count = f->count,
                      .out = (*result)->values);
}

status instruction_distinct(program_run *run, frame *f, uint32_t number, tensor **result)
{
    const instruction *s = instruction_at(run, number);
    operand x[3];
    for (int i = 0; i < 2; i++)
        TRY(run_operand(run, f, s->args[i], &x[i]));
    /* The comparison's bits, and so the left side, are a column; a constant goes to the right. */
    TRY(run_column(run, f, s->args[2], &x[2]));
    if (!x[0].stride && !x[1].stride)
        TRY(run_column(run, f, s->args[0], &x[0]));
    const operand *left = x[0].stride ? &x[0] : &x[1], *right = x[0].stride ? &x[1] : &x[0];
    TRY(run_result(run, f, s->type, result));
    return DEV_LAUNCH(run->stream, logic, .op = s->op, .left = x[2].values,
                      .left_validity = left->validity, .left_stride = 1,
                      .right_validity = right->validity, .right_stride = right->stride,
                      .count = f->count, .out = (*result)->values);
}

/* ---- choosing ---- */

status instruction_choose(program_run *run, frame *f, uint32_t number, tensor **result)
{
    const instruction *s = instruction_at(run, number);
    operand x[3];
    TRY(run_column(run, f, s->args[0], &x[0]));
    TRY(run_operand(run, f, s->args[1], &x[1]));
    TRY(run_operand(run, f, s->args[2], &x[2]));
    TRY(tensor_new_flat(run->dev, s->type, f->count.bound, x[1].validity || x[2].validity, result));
    tensor *branches[2] = {x[1].column, x[2].column};
    TRY(run_merge_heaps(branches, 2, &(*result)->heap));
    return DEV_LAUNCH(run->stream, choose, .width = s->type.width, .condition = x[0].values,
                      .condition_validity = x[0].validity, .first = x[1].values,
                      .first_validity = x[1].validity, .first_stride = x[1].stride,
                      .second = x[2].values, .second_validity = x[2].validity,
                      .second_stride = x[2].stride, .count = f->count, .out = (*result)->values,
                      .out_validity = (*result)->validity);
}

/* ---- lazily ---- */

/* Sets a branch's rows: those of f where the mask's bits are set. */
static status select_branch(program_run *run, frame *f, const uint64_t *mask, frame *branch)
{
    TRY(dev_words_new(run->stream, 1, &branch->count_owner));
    TRY(row_index_new(run->dev, f->count.bound + 1, &branch->rows));
    TRY(DEV_LAUNCH(run->stream, mask_to_index, .mask = mask, .count = f->count,
                   .rows = branch->rows->rows, .out_count = branch->count_owner->address));
    branch->count = (dev_count){f->count.bound, branch->count_owner->address};
    dev_count_settle(run->dev, &branch->count);
    branch->is_ready = true;
    return STATUS_OK;
}

/* Two branches: where the condition is true, and the rest. */
static status program_run_logic_split(program_run *run, frame *f, uint32_t number,
                                      frame *const branches[2])
{
    const instruction *s = instruction_at(run, number);
    operand x;
    dev_buffer *mask = NULL;
    TRY(run_operand(run, f, s->args[0], &x));
    TRY(dev_alloc(run->dev, bitmap_bytes(f->count.bound), "chunk", &mask));
    status st = DEV_LAUNCH(run->stream, logic, .op = DEV_LOGIC_IS_TRUE, .left = x.values,
                           .left_validity = x.validity, .left_stride = x.stride, .count = f->count,
                           .out = mask->address);
    if (!st)
        st = select_branch(run, f, mask->address, branches[0]);
    if (!st)
        st = DEV_LAUNCH(run->stream, logic, .op = DEV_LOGIC_NOT, .left = mask->address,
                        .left_stride = 1, .count = f->count, .out = mask->address);
    if (!st)
        st = select_branch(run, f, mask->address, branches[1]);
    dev_buffer_unref(mask);
    return st;
}

static status program_run_logic_merge(program_run *run, frame *f, const instruction *s,
                                      frame *const branches[2], tensor **result)
{
    operand x[2];
    tensor *columns[2];
    bool has_nulls = false;
    for (int i = 0; i < 2; i++) {
        TRY(run_operand(run, branches[i], s->args[i + 1], &x[i]));
        columns[i] = x[i].column;
        has_nulls |= x[i].validity != NULL;
    }
    TRY(tensor_new_flat(run->dev, s->type, f->count.bound, has_nulls, result));
    TRY(run_merge_heaps(columns, 2, &(*result)->heap));
    size_t bits = bitmap_bytes(f->count.bound);
    if (!s->type.width)
        TRY(run->dev->ops->zero(run->stream, (*result)->values, bits));
    if (has_nulls)
        TRY(run->dev->ops->zero(run->stream, (*result)->validity, bits));
    for (int i = 0; i < 2; i++)
        TRY(DEV_LAUNCH(run->stream, scatter, .width = s->type.width, .values = x[i].values,
                       .validity = x[i].validity, .stride = x[i].stride,
                       .index = branches[i]->rows->rows, .count = branches[i]->count,
                       .out = (*result)->values, .out_validity = (*result)->validity));
    return STATUS_OK;
}

exec_result instruction_lazy_case(program_run *run, frame *f, uint32_t number, tensor **out)
{
    exec_task *task = run->task;
    const instruction *s = instruction_at(run, number);
    exec_result done = run_instruction(run, f, s->args[0]);
    if (done != EXEC_FINISHED)
        return done;
    frame *branches[2];
    for (uint32_t i = 0; i < 2; i++) {
        branches[i] = run_child(run, f, number, i);
        if (!branches[i])
            return exec_fail(task, status_no_memory("expression", sizeof(frame)));
    }
    if (!branches[0]->is_ready || !branches[1]->is_ready)
        EXEC_TRY(task, program_run_logic_split(run, f, number, branches));
    for (uint32_t i = 0; i < 2; i++) {
        done = run_instruction(run, branches[i], s->args[i + 1]);
        if (done != EXEC_FINISHED)
            return done;
    }
    tensor *result = NULL;
    status st = program_run_logic_merge(run, f, s, branches, &result);
    run_end_children(run, f, number);
    if (st) {
        tensor_unref(result);
        return exec_fail(task, st);
    }
    *out = result;
    return EXEC_FINISHED;
}
