/* sort_lanes.c - the phases in which all tasks sort. */
#include "exec/sort/sort_lanes.h"

#include "device/chunk.h"
#include "exec/sort/sort.h"
#include "exec/sort/sort_run.h"

#include <stdlib.h>
#include <string.h>

/* Fewer chunks are sorted by one task sooner than tasks are woken. */
#define CHUNKS_MIN 4
/* Items of a part, 96 KiB with the usual number of rows in a chunk, and twice that with what they
 * are moved to, stay in a core's own cache. */
#define PART_BYTES_OF_ROW 6
#define PARTS_MAX 2048
/* Rows drawn for each cut. */
#define DRAWN_ROWS 32
#define RANGES_PER_TASK 8
#define BATCH_ROWS 1024

bool sort_lanes_pay(const exec_task *task, uint64_t row_count)
{
    const device *dev = task->stream->dev;
    return dev->is_host && row_count >= CHUNKS_MIN * (uint64_t)dev->chunk_rows &&
           row_count < ROW_NULL;
}

static bool take_job(sort_lanes *lanes, const exec_task *task, uint64_t job_count, uint64_t *out)
{
    *out = atomic_fetch_add_explicit(&lanes->next_job, 1, memory_order_relaxed);
    return *out < job_count && !exec_is_cancelled(task->query);
}

/* The task leaves the phase; true: as the last one, which makes ready what the next phase needs. */
static bool leave_phase(sort_lanes *lanes, const exec_task *task)
{
    if (atomic_fetch_sub(&lanes->tasks_left, 1) != 1)
        return false;
    atomic_store(&lanes->tasks_left, task->count);
    atomic_store(&lanes->next_job, 0);
    return !exec_is_cancelled(task->query);
}

/* ---- phase 1: one array for each column ---- */

/* The first chunk's column is of the type of all. */
static status sort_lanes_make_column(const op_sort *op, device *dev, uint32_t column, tensor **out)
{
    const sort_lanes *lanes = &op->lanes;
    tensor_target target = {0};
    bool has_nulls = false;
    uint32_t heaps = 0;
    const tensor *first = lanes->inputs.items[0].rows->columns[column];
    for (size_t i = 0; i < lanes->inputs.count && first; i++) {
        const tensor *t = lanes->inputs.items[i].rows->columns[column];
        has_nulls |= t->validity != NULL;
        heaps += t->heap ? t->heap->buffer_count : 0;
    }
    if (!first)
        return STATUS_OK;
    if (lanes->is_placed && reserved_columns_have(&op->reserved, column)) {
        target.owner = op->reserved.columns[column];
        target.values = target.owner->address;
        TRY(dev->ops->commit(target.owner,
                             (lanes->row_count - op->reserved.rows) * first->type.width, "sort"));
    }
    TRY(tensor_new_flat_at(dev, first->type, lanes->row_count, has_nulls, target, out));
    if (!heaps)
        return STATUS_OK;
    dev_buffer **buffers = mem_new_array(heaps, sizeof *buffers);
    if (!buffers)
        return status_no_memory("sort", heaps * sizeof *buffers);
    uint32_t count = 0;
    for (size_t i = 0; i < lanes->inputs.count; i++) {
        const string_heap *heap = lanes->inputs.items[i].rows->columns[column]->heap;
        for (uint32_t k = 0; heap && k < heap->buffer_count; k++)
            buffers[count++] = dev_buffer_ref(heap->buffers[k]);
    }
    status st = string_heap_new(buffers, count, &(*out)->heap);
    mem_free(buffers);
    return st;
}

static status sort_lanes_make_columns(op_sort *op, device *dev)
{
    sort_lanes *lanes = &op->lanes;
    uint32_t columns = lanes->inputs.items[0].rows->column_count;
    TRY(chunk_new(columns, dev_count_exact(lanes->row_count), &lanes->all));
    for (uint32_t c = 0; c < columns; c++)
        TRY(sort_lanes_make_column(op, dev, c, &lanes->all->columns[c]));
    return STATUS_OK;
}

/* The column's bits of all chunks: words are shared by chunks, so it is one task's. */
static status move_bits(const sort_lanes *lanes, dev_stream *stream, const tensor *target,
                        uint32_t column)
{
    for (size_t i = 0; i < lanes->inputs.count; i++) {
        const sort_input *input = &lanes->inputs.items[i];
        const tensor *t = input->rows->columns[column];
        if (!t->type.width && t->type.id != TYPE_NULL)
            TRY(DEV_LAUNCH(stream, copy_bits, .source = t->values, .count = input->rows->rows,
                           .target = target->values, .target_at = input->first));
        if (target->validity)
            TRY(DEV_LAUNCH(stream, copy_bits, .source = t->validity, .count = input->rows->rows,
                           .target = target->validity, .target_at = input->first));
    }
    return STATUS_OK;
}

static status move_bitmaps(const sort_lanes *lanes, dev_stream *stream, uint32_t column)
{
    const tensor *target = lanes->all->columns[column];
    if (!target || (target->type.width && !target->validity))
        return STATUS_OK;
    if (!target->type.width)
        memset(target->values, 0, bitmap_bytes(lanes->row_count));
    if (target->validity)
        memset(target->validity, 0, bitmap_bytes(lanes->row_count));
    return move_bits(lanes, stream, target, column);
}

static void move_values(const sort_lanes *lanes, const sort_input *input)
{
    for (uint32_t c = 0; c < lanes->all->column_count; c++) {
        const tensor *target = lanes->all->columns[c], *t = input->rows->columns[c];
        if (!target || !t->type.width)
            continue;
        char *place = (char *)target->values + input->first * t->type.width;
        if (place != t->values)
            memcpy(place, t->values, input->rows->rows.bound * t->type.width);
    }
}

static status sort_lanes_find_bounds(const op_sort *op, sort_input *input)
{
    const tensor **columns = mem_new_array(op->key_count + 1, sizeof *columns);
    if (!columns)
        return status_no_memory("sort", op->key_count * sizeof *columns);
    sort_keys keys = sort_keys_of(op, input->rows, columns);
    sort_row_list rows = {.count = input->rows->rows.bound};
    for (uint32_t k = 0; k < keys.count; k++)
        sort_bounds_add(&keys, k, &rows, &input->bounds[k]);
    input->is_sorted = sort_is_sorted(&keys, 0, rows.count);
    mem_free(columns);
    return STATUS_OK;
}

static status sort_lanes_move(op_sort *op, const exec_task *task)
{
    sort_lanes *lanes = &op->lanes;
    uint64_t job, columns = lanes->all->column_count;
    while (take_job(lanes, task, columns + lanes->inputs.count, &job)) {
        if (job < columns) {
            TRY(move_bitmaps(lanes, task->stream, (uint32_t)job));
            continue;
        }
        sort_input *input = &lanes->inputs.items[job - columns];
        TRY(sort_lanes_find_bounds(op, input));
        move_values(lanes, input);
    }
    return STATUS_OK;
}

/* ---- chunks that are in order ---- */

static const sort_input *input_of(const sort_lanes *lanes, uint32_t first)
{
    size_t low = 0, high = lanes->inputs.count - 1;
    while (low < high) {
        size_t middle = low + (high - low + 1) / 2;
        if (lanes->inputs.items[middle].first <= first)
            low = middle;
        else
            high = middle - 1;
    }
    return &lanes->inputs.items[low];
}

/* starts: the chunks' first rows, in order. */
static bool follow_each_other(const sort_lanes *lanes, const uint32_t *starts)
{
    for (size_t i = 1; i < lanes->inputs.count; i++) {
        const sort_input *before = input_of(lanes, starts[i - 1]);
        uint32_t last = starts[i - 1] + (uint32_t)before->rows->rows.bound - 1;
        if (sort_compare(&lanes->keys, (sort_place){0}, last, starts[i]) > 0)
            return false;
    }
    return true;
}

static void list_in_order(sort_lanes *lanes, const uint32_t *starts)
{
    uint32_t *out = lanes->order->rows;
    for (size_t i = 0; i < lanes->inputs.count; i++) {
        uint64_t rows = input_of(lanes, starts[i])->rows->rows.bound;
        for (uint64_t k = 0; k < rows; k++)
            *out++ = starts[i] + (uint32_t)k;
    }
    lanes->is_done = true;
}

/* Finds the chunks' order, which is all that is to be found if each chunk is in order and they do not overlap. */
static status sort_lanes_find_order(sort_lanes *lanes)
{
    size_t count = lanes->inputs.count;
    for (size_t i = 0; i < count; i++)
        if (!lanes->inputs.items[i].is_sorted)
            return STATUS_OK;
    uint32_t *starts = mem_new_array(2 * count, sizeof *starts);
    if (!starts)
        return status_no_memory("sort", 2 * count * sizeof *starts);
    for (size_t i = 0; i < count; i++)
        starts[i] = (uint32_t)lanes->inputs.items[i].first;
    sort_rows_merge(&lanes->keys, (sort_place){0}, starts, starts + count, count);
    if (follow_each_other(lanes, starts))
        list_in_order(lanes, starts);
    mem_free(starts);
    return STATUS_OK;
}

/* ---- cuts ---- */

/* Rows from all places of the input, so that what repeats in it does not fall together with them. */
static void draw_rows(uint64_t row_count, uint32_t count, uint32_t *out)
{
    uint64_t step = row_count / count + 1;
    for (uint32_t i = 0; i < count; i++)
        out[i] = (uint32_t)((i * step + (i * 0x9e3779b97f4a7c15u >> 32) % step) % row_count);
}

/* Cuts among drawn rows' items, which are in order; equal ones are one. */
static void sort_lanes_choose_cuts(sort_lanes *lanes, char *drawn, uint32_t wanted)
{
    uint32_t bytes = lanes->form.item_bytes, count = 0;
    for (uint32_t i = 1; i < wanted; i++)
        memcpy(drawn + (size_t)(i - 1) * bytes, drawn + (size_t)i * DRAWN_ROWS * bytes, bytes);
    sort_items_round(&lanes->form, drawn, wanted - 1);
    for (uint32_t i = 0; i + 1 < wanted; i++) {
        const char *cut = drawn + (size_t)i * bytes;
        if (count && !memcmp(drawn + (size_t)(count - 1) * bytes, cut, bytes))
            continue;
        memmove(drawn + (size_t)count++ * bytes, cut, bytes);
    }
    lanes->part_count = count + 1;
}

static status sort_lanes_make_cuts(sort_lanes *lanes, device *dev)
{
    uint64_t part_bytes = PART_BYTES_OF_ROW * (uint64_t)dev->chunk_rows;
    uint64_t wanted = lanes->row_count * lanes->form.item_bytes / part_bytes + 1;
    wanted = wanted < PARTS_MAX ? wanted : PARTS_MAX;
    uint32_t drawn = (uint32_t)wanted * DRAWN_ROWS;
    dev_buffer *scratch = NULL, *rows = NULL;
    status st = dev_alloc(dev, (size_t)drawn * lanes->form.item_bytes, "sort", &lanes->cuts);
    if (!st)
        st = dev_alloc(dev, (size_t)drawn * lanes->form.item_bytes, "sort", &scratch);
    if (!st)
        st = dev_alloc(dev, drawn * sizeof(uint32_t), "sort", &rows);
    if (!st) {
        draw_rows(lanes->row_count, drawn, rows->address);
        sort_items_make(&lanes->form, &(sort_row_list){.rows = rows->address, .count = drawn},
                        lanes->cuts->address);
        sort_items_sort(&lanes->form, lanes->cuts->address, scratch->address, drawn);
        sort_lanes_choose_cuts(lanes, lanes->cuts->address, (uint32_t)wanted);
    }
    dev_buffer_unref(scratch);
    dev_buffer_unref(rows);
    return st;
}

static void sort_lanes_unite_bounds(sort_lanes *lanes)
{
    uint32_t keys = lanes->keys.count;
    sort_bounds *all = lanes->bounds + lanes->inputs.count * keys;
    for (size_t i = 0; i < lanes->inputs.count; i++)
        for (uint32_t k = 0; k < keys; k++)
            sort_bounds_unite(&lanes->inputs.items[i].bounds[k], &all[k]);
}

static void drop_inputs(sort_lanes *lanes)
{
    for (size_t i = 0; i < lanes->inputs.count; i++)
        chunk_free(lanes->inputs.items[i].rows);
    array_release(&lanes->inputs);
}

/* Chooses decoders; with a limit few rows are wanted, and none is needed. */
static status choose_decoders(op_sort *op)
{
    sort_lanes *lanes = &op->lanes;
    lanes->decoders = mem_new_array(lanes->keys.count + 1, sizeof *lanes->decoders);
    if (!lanes->decoders)
        return status_no_memory("sort", lanes->keys.count * sizeof *lanes->decoders);
    for (uint32_t k = 0; k < lanes->keys.count && !op->base.plan->sort.has_limit; k++)
        lanes->decoders[k] = sort_form_decoder(&lanes->form, k);
    return STATUS_OK;
}

static status sort_lanes_plan(op_sort *op, const exec_task *task)
{
    sort_lanes *lanes = &op->lanes;
    device *dev = task->stream->dev;
    TRY(row_index_new(dev, lanes->row_count, &lanes->order));
    TRY(sort_lanes_find_order(lanes));
    if (lanes->is_done) {
        drop_inputs(lanes);
        return STATUS_OK;
    }
    sort_lanes_unite_bounds(lanes);
    sort_bounds *all = lanes->bounds + lanes->inputs.count * lanes->keys.count;
    sort_form_make(&lanes->keys, all, lanes->row_count, &lanes->form);
    drop_inputs(lanes);
    TRY(choose_decoders(op));
    TRY(sort_lanes_make_cuts(lanes, dev));
    lanes->range_count = task->count * RANGES_PER_TASK;
    uint64_t places = (uint64_t)lanes->range_count * lanes->part_count;
    lanes->places = mem_new_array(places, sizeof *lanes->places);
    lanes->part_ends = mem_new_array(lanes->part_count, sizeof *lanes->part_ends);
    if (!lanes->places || !lanes->part_ends)
        return status_no_memory("sort", places * sizeof *lanes->places);
    return dev_alloc(dev, lanes->row_count * sizeof(uint16_t), "sort", &lanes->parts);
}

/* ---- phases 2 and 3: ranges of rows ---- */

/* Rows [*first, *end) are the range's. */
static void sort_lanes_range_rows(const sort_lanes *lanes, uint64_t range, uint64_t *first,
                                  uint64_t *end)
{
    *first = lanes->row_count / lanes->range_count * range;
    *end = range + 1 < lanes->range_count ? lanes->row_count / lanes->range_count * (range + 1)
                                          : lanes->row_count;
}

/* The range's rows, in batches: their parts are found, or they are moved there. */
static void pass_range(sort_lanes *lanes, uint64_t range, bool is_moving)
{
    uint128 items[BATCH_ROWS];
    uint64_t first, end, *places = lanes->places + range * lanes->part_count;
    sort_lanes_range_rows(lanes, range, &first, &end);
    for (; first < end; first += BATCH_ROWS) {
        uint64_t count = end - first < BATCH_ROWS ? end - first : BATCH_ROWS;
        uint16_t *parts = (uint16_t *)lanes->parts->address + first;
        sort_items_make(&lanes->form, &(sort_row_list){.first = (uint32_t)first, .count = count},
                        items);
        if (is_moving) {
            sort_items_move(&lanes->form, items, parts, count, places, lanes->items->address);
            continue;
        }
        sort_items_part(&lanes->form, lanes->cuts->address, lanes->part_count - 1, items, count,
                        parts);
        for (uint64_t i = 0; i < count; i++)
            places[parts[i]]++;
    }
}

static void pass_ranges(sort_lanes *lanes, const exec_task *task, bool is_moving)
{
    uint64_t range;
    while (take_job(lanes, task, lanes->range_count, &range))
        pass_range(lanes, range, is_moving);
}

/* Counts become places: part by part, and in each the ranges in their order. */
static status make_places(sort_lanes *lanes, device *dev)
{
    uint64_t sum = 0;
    for (uint32_t p = 0; p < lanes->part_count; p++) {
        for (uint32_t r = 0; r < lanes->range_count; r++) {
            uint64_t *place = &lanes->places[(uint64_t)r * lanes->part_count + p], here = *place;
            *place = sum;
            sum += here;
        }
        lanes->part_ends[p] = sum;
    }
    return dev_alloc(dev, lanes->row_count * lanes->form.item_bytes, "sort", &lanes->items);
}

/* ---- phase 4 ---- */

static uint64_t part_start(const sort_lanes *lanes, uint64_t part)
{
    return part ? lanes->part_ends[part - 1] : 0;
}

/* Values of keys, in order. */
static void write_keys(const sort_lanes *lanes, const void *items, uint64_t first, uint64_t count)
{
    for (uint32_t k = 0; k < lanes->keys.count; k++) {
        const sort_decoder *decoder = &lanes->decoders[k];
        char *values = lanes->keys.columns[k]->values;
        if (decoder->width)
            sort_items_decode(&lanes->form, decoder, items, count, values + first * decoder->width);
    }
}

static void sort_parts(sort_lanes *lanes, const exec_task *task, sort_form *form, void *scratch)
{
    uint64_t part;
    while (take_job(lanes, task, lanes->part_count, &part)) {
        uint64_t first = part_start(lanes, part), count = lanes->part_ends[part] - first;
        char *items = (char *)lanes->items->address + first * form->item_bytes;
        sort_items_sort(form, items, scratch, count);
        sort_items_rows(form, items, scratch, count, lanes->order->rows + first);
        write_keys(lanes, items, first, count);
    }
}

static status sort_all_parts(sort_lanes *lanes, const exec_task *task)
{
    sort_form form = lanes->form;
    uint64_t most = 0;
    dev_buffer *scratch = NULL;
    for (uint32_t p = 0; p < lanes->part_count; p++) {
        uint64_t count = lanes->part_ends[p] - part_start(lanes, p);
        most = count > most ? count : most;
    }
    form.bounds = mem_new_array(lanes->keys.count, sizeof *form.bounds);
    if (!form.bounds)
        return status_no_memory("sort", lanes->keys.count * sizeof *form.bounds);
    memcpy(form.bounds, lanes->form.bounds, lanes->keys.count * sizeof *form.bounds);
    status st = dev_alloc(task->stream->dev, most * form.item_bytes, "sort", &scratch);
    if (!st)
        sort_parts(lanes, task, &form, scratch->address);
    dev_buffer_unref(scratch);
    mem_free(form.bounds);
    return st;
}

/* Columns whose values are in order leave op->sorted. */
static status take_in_order(op_sort *op, tensor **out)
{
    sort_lanes *lanes = &op->lanes;
    for (uint32_t k = 0; k < lanes->keys.count && lanes->decoders; k++) {
        uint32_t column = op->key_columns[k];
        tensor *t = op->sorted->columns[column];
        if (!lanes->decoders[k].width || !t)
            continue;
        TRY(tensor_new_view(t->type, t->values_owner, t->values, &out[column]));
        tensor_unref(t);
        op->sorted->columns[column] = NULL;
    }
    return STATUS_OK;
}

/* op->sorted: all rows, as the order says. */
static status sort_lanes_finish(op_sort *op, const exec_task *task)
{
    sort_lanes *lanes = &op->lanes;
    dev_buffer_unref(lanes->items);
    dev_buffer_unref(lanes->parts);
    lanes->items = lanes->parts = NULL;
    op->sorted = lanes->all;
    lanes->all = NULL;
    tensor **in_order = mem_new_array(op->sorted->column_count + 1, sizeof *in_order);
    if (!in_order)
        return status_no_memory("sort", op->sorted->column_count * sizeof *in_order);
    status st = take_in_order(op, in_order);
    if (!st)
        st = sort_select(op, task->stream, op->sorted, lanes->order);
    for (uint32_t c = 0; c < op->sorted->column_count; c++)
        if (in_order[c]) {
            tensor_unref(op->sorted->columns[c]);
            op->sorted->columns[c] = in_order[c];
        }
    mem_free(in_order);
    return st;
}

status sort_lanes_phase(op_sort *op, exec_task *task, unsigned number)
{
    sort_lanes *lanes = &op->lanes;
    if (!lanes->row_count)
        return STATUS_OK;
    if (number == 1)
        TRY(sort_lanes_move(op, task));
    else if (number < SORT_LANES_PHASES && !lanes->is_done)
        pass_ranges(lanes, task, number == 3);
    else if (!lanes->is_done)
        TRY(sort_all_parts(lanes, task));
    if (!leave_phase(lanes, task))
        return STATUS_OK;
    if (number == 1)
        return sort_lanes_plan(op, task);
    if (number == 2 && !lanes->is_done)
        return make_places(lanes, task->stream->dev);
    return number == SORT_LANES_PHASES ? sort_lanes_finish(op, task) : STATUS_OK;
}

/* ---- life ---- */

static int compare_inputs(const void *a, const void *b)
{
    uint64_t left = ((const sort_input *)a)->first, right = ((const sort_input *)b)->first;
    return (left > right) - (left < right);
}

/* Chunks that have a place stay there, the others go behind them. */
static void place_inputs(op_sort *op)
{
    sort_lanes *lanes = &op->lanes;
    uint64_t end;
    lanes->is_placed = op->reserved.columns && lanes->row_count <= op->reserved.capacity;
    end = lanes->is_placed ? op->reserved.rows : 0;
    for (size_t i = 0; i < lanes->inputs.count; i++) {
        sort_input *input = &lanes->inputs.items[i];
        if (lanes->is_placed && reserved_columns_find(&op->reserved, input->rows, &input->first))
            continue;
        input->first = end;
        end += input->rows->rows.bound;
    }
    qsort(lanes->inputs.items, lanes->inputs.count, sizeof *lanes->inputs.items, compare_inputs);
}

static status make_inputs(op_sort *op, chunk_list *list)
{
    sort_lanes *lanes = &op->lanes;
    size_t keys = op->key_count;
    TRY(array_reserve(NULL, &lanes->inputs, list->count));
    lanes->bounds = mem_new_array((list->count + 1) * keys + 1, sizeof *lanes->bounds);
    lanes->keys.columns = mem_new_array(keys + 1, sizeof *lanes->keys.columns);
    if (!lanes->bounds || !lanes->keys.columns)
        return status_no_memory("sort", (list->count + 1) * keys * sizeof *lanes->bounds);
    for (size_t i = 0; i < list->count; i++) {
        sort_input input = {
            .rows = list->items[i], .first = lanes->row_count, .bounds = lanes->bounds + i * keys};
        lanes->row_count += input.rows->rows.bound;
        lanes->inputs.items[lanes->inputs.count++] = input;
    }
    array_release(list);
    place_inputs(op);
    return STATUS_OK;
}

status sort_lanes_start(op_sort *op, exec_task *task, chunk_list *list)
{
    sort_lanes *lanes = &op->lanes;
    TRY(make_inputs(op, list));
    TRY(sort_lanes_make_columns(op, task->stream->dev));
    lanes->keys = sort_keys_of(op, lanes->all, lanes->keys.columns);
    atomic_store(&lanes->tasks_left, task->count);
    return STATUS_OK;
}

void sort_lanes_release(sort_lanes *lanes)
{
    drop_inputs(lanes);
    chunk_free(lanes->all);
    dev_buffer_unref(lanes->cuts);
    dev_buffer_unref(lanes->parts);
    dev_buffer_unref(lanes->items);
    row_index_unref(lanes->order);
    mem_free(lanes->bounds);
    mem_free(lanes->keys.columns);
    mem_free(lanes->places);
    mem_free(lanes->part_ends);
    mem_free(lanes->decoders);
}
