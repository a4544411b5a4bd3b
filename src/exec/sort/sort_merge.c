/* sort_merge.c - runs to one stream of chunks, a block of each run in memory and the next one being
 * read. The host merges, in its memory, also where the rows come from and go to another device.
 *
 * Rows are picked one by one by a heap of the runs; when enough are picked, the chunk's columns are
 * gathered from the blocks that the rows lie in. Long strings are not copied: the chunk holds the
 * blocks. */
#include "exec/sort/sort_merge.h"

#include "device/chunk.h"
#include "device/value/sort_key.h"
#include "exec/sort/sort.h"
#include "exec/sort/sort_run.h"
#include "exec/sort/sort_spill.h"
#include "exec/spill/chunk_bytes.h"

#define NOT_LISTED UINT32_MAX
/* Blocks done with that a chunk holds until it goes out. */
#define DONE_BLOCKS_MAX 16

typedef struct merge_block {
    chunk *rows;
    dev_buffer *keys;
    uint32_t number;  /* in the list of the chunk at work; NOT_LISTED */
    bool is_finished; /* all rows are picked: only the list holds it */
} merge_block;

typedef struct merge_run {
    const sort_run *run;
    size_t next_block; /* to be read */
    spill_read *reading;
    merge_block *block;
    uint64_t row;        /* of the block: the next one to be picked */
    const uint64_t *key; /* its packed keys */
} merge_run;

struct sort_merge {
    const op_sort *op;
    dev_stream host; /* on which the keys of blocks are packed */
    uint32_t columns;
    size_t run_count, opened_count;
    merge_run *runs;
    uint32_t *heap; /* numbers of runs that have rows, the least row's first */
    size_t heap_count;
    uint64_t rows_left; /* until the limit */
    bool is_started, wants_block;
    /* The chunk at work. */
    uint64_t rows_max, row_count, done_blocks;
    dev_buffer *picks; /* two numbers a row: block in the list, row of the block */
    ARRAY(merge_block *) blocks;
    const void **bases, **validities; /* of one column, by listed block */
    size_t bases_capacity;
};

static void block_free(merge_block *block)
{
    if (!block)
        return;
    chunk_free(block->rows);
    dev_buffer_unref(block->keys);
    mem_free(block);
}

/* ---- order ---- */

/* Returns whether `left` goes first: of equal rows the one of the earlier run does. */
static bool sort_merge_goes_first(const sort_merge *m, uint32_t left, uint32_t right)
{
    int order =
        sort_key_compare(m->runs[left].key, m->runs[right].key, m->op->key_count, string_data);
    return order ? order < 0 : left < right;
}

static void sort_merge_sift_down(sort_merge *m, size_t at)
{
    uint32_t moved = m->heap[at];
    for (;;) {
        size_t child = 2 * at + 1;
        if (child >= m->heap_count)
            break;
        if (child + 1 < m->heap_count &&
            sort_merge_goes_first(m, m->heap[child + 1], m->heap[child]))
            child++;
        if (!sort_merge_goes_first(m, m->heap[child], moved))
            break;
        m->heap[at] = m->heap[child];
        at = child;
    }
    m->heap[at] = moved;
}

/* ---- blocks ---- */

static status start_read(sort_merge *m, merge_run *r)
{
    if (r->next_block == r->run->blocks.count)
        return STATUS_OK;
    TRY(spill_read_start(m->op->spill.file, r->run->blocks.items[r->next_block], m->host.dev,
                         "sort", &r->reading));
    r->next_block++;
    return STATUS_OK;
}

/* The block that was read becomes the run's, and the next one is asked for. */
static status sort_merge_take_block(sort_merge *m, merge_run *r)
{
    dev_buffer *bytes;
    spill_read *reading = r->reading;
    r->reading = NULL;
    TRY(spill_read_finish(reading, &bytes));
    spill_discard(m->op->spill.file, r->run->blocks.items[r->next_block - 1]);
    merge_block *block = mem_new(sizeof *block);
    status st = block ? STATUS_OK : status_no_memory("sort", sizeof *block);
    if (!st) {
        block->number = NOT_LISTED;
        st = chunk_bytes_read(bytes, &block->rows);
    }
    if (!st)
        st = sort_narrow_even(m->op, m->host.dev, &block->rows, 1);
    dev_buffer_unref(bytes);
    if (!st)
        st = sort_pack_keys(m->op, &m->host, block->rows, &block->keys);
    if (!st)
        st = start_read(m, r);
    if (st) {
        block_free(block);
        return st;
    }
    r->block = block;
    r->row = 0;
    r->key = block->keys->address;
    return STATUS_OK;
}

static void sort_merge_wake(void *task)
{
    exec_wake(task);
}

/* The run's next block. EXEC_FINISHED: it is there, or there is none (r->block is NULL). */
static exec_result sort_merge_next_block(sort_merge *m, exec_task *task, merge_run *r)
{
    if (!r->reading)
        return EXEC_FINISHED;
    if (spill_read_wait(r->reading, sort_merge_wake, task))
        return EXEC_WAIT;
    EXEC_TRY(task, sort_merge_take_block(m, r));
    return EXEC_FINISHED;
}

/* The first block of each run, then the heap of them. */
static exec_result sort_merge_start(sort_merge *m, exec_task *task)
{
    if (!m->picks) {
        EXEC_TRY(task,
                 dev_alloc(m->host.dev, m->rows_max * 2 * sizeof(uint32_t), "sort", &m->picks));
        for (size_t i = 0; i < m->run_count; i++)
            EXEC_TRY(task, start_read(m, &m->runs[i]));
    }
    for (; m->opened_count < m->run_count; m->opened_count++) {
        exec_result result = sort_merge_next_block(m, task, &m->runs[m->opened_count]);
        if (result != EXEC_FINISHED)
            return result;
        if (m->runs[m->opened_count].block)
            m->heap[m->heap_count++] = (uint32_t)m->opened_count;
    }
    for (size_t i = m->heap_count / 2; i-- > 0;)
        sort_merge_sift_down(m, i);
    m->is_started = true;
    return EXEC_FINISHED;
}

/* ---- picking ---- */

static status list_block(sort_merge *m, merge_block *block)
{
    block->number = (uint32_t)m->blocks.count;
    status st = array_push(NULL, &m->blocks, block);
    if (st)
        block->number = NOT_LISTED;
    return st;
}

/* The least row goes to the chunk at work. */
static status sort_merge_pick(sort_merge *m)
{
    merge_run *r = &m->runs[m->heap[0]];
    merge_block *block = r->block;
    uint32_t *picks = m->picks->address;
    if (block->number == NOT_LISTED)
        TRY(list_block(m, block));
    picks[2 * m->row_count] = block->number;
    picks[2 * m->row_count + 1] = (uint32_t)r->row;
    m->row_count++;
    m->rows_left--;
    if (++r->row < block->rows->rows.bound) {
        r->key += (size_t)m->op->key_count * 3;
        sort_merge_sift_down(m, 0);
    } else {
        block->is_finished = true;
        r->block = NULL;
        m->done_blocks++;
        m->wants_block = true;
    }
    return STATUS_OK;
}

/* After the last row of a block: the run goes on, or leaves the heap. */
static exec_result refill(sort_merge *m, exec_task *task)
{
    merge_run *r = &m->runs[m->heap[0]];
    exec_result result = sort_merge_next_block(m, task, r);
    if (result != EXEC_FINISHED)
        return result;
    if (!r->block)
        m->heap[0] = m->heap[--m->heap_count];
    if (m->heap_count)
        sort_merge_sift_down(m, 0);
    m->wants_block = false;
    return EXEC_FINISHED;
}

/* ---- gathering ---- */

#define GATHER(ctype)                                                                              \
    do {                                                                                           \
        ctype *target = out->values;                                                               \
        for (uint64_t i = 0; i < m->row_count; i++)                                                \
            target[i] = ((const ctype *)m->bases[picks[2 * i]])[picks[2 * i + 1]];                 \
    } while (0)

static void sort_merge_gather_bits(const sort_merge *m, const void *const *bases, uint64_t *target)
{
    const uint32_t *picks = m->picks->address;
    memset(target, 0, bitmap_bytes(m->row_count));
    for (uint64_t i = 0; i < m->row_count; i++) {
        const uint64_t *source = bases[picks[2 * i]];
        uint64_t row = picks[2 * i + 1];
        uint64_t bit = source ? source[row / 64] >> (row % 64) & 1 : 1;
        target[i / 64] |= bit << (i % 64);
    }
}

/* Gathers records of any width. */
static void sort_merge_gather_records(const sort_merge *m, tensor *out)
{
    const uint32_t *picks = m->picks->address;
    size_t width = out->type.width;
    for (uint64_t i = 0; i < m->row_count; i++)
        memcpy((char *)out->values + i * width,
               (const char *)m->bases[picks[2 * i]] + picks[2 * i + 1] * width, width);
}

static void sort_merge_gather_values(const sort_merge *m, tensor *out)
{
    const uint32_t *picks = m->picks->address;
    switch (out->type.width) {
    case 0:
        sort_merge_gather_bits(m, m->bases, out->values);
        break;
    case 1:
        GATHER(uint8_t);
        break;
    case 2:
        GATHER(uint16_t);
        break;
    case 4:
        GATHER(uint32_t);
        break;
    case 8:
        GATHER(uint64_t);
        break;
    case 16:
        GATHER(uint128);
        break;
    default:
        sort_merge_gather_records(m, out);
    }
}

/* The column holds the long strings of all listed blocks. */
static status hold_strings(const sort_merge *m, uint32_t column, tensor *out)
{
    uint32_t count = 0;
    dev_buffer **buffers = mem_new_array(m->blocks.count, sizeof *buffers);
    if (!buffers)
        return status_no_memory("sort", m->blocks.count * sizeof *buffers);
    for (size_t i = 0; i < m->blocks.count; i++) {
        const string_heap *heap = m->blocks.items[i]->rows->columns[column]->heap;
        for (uint32_t k = 0; heap && k < heap->buffer_count; k++)
            buffers[count++] = dev_buffer_ref(heap->buffers[k]);
    }
    status st = count ? string_heap_new(buffers, count, &out->heap) : STATUS_OK;
    mem_free(buffers);
    return st;
}

static status gather_column(const sort_merge *m, uint32_t column, tensor **out)
{
    bool has_nulls = false;
    const tensor *first = m->blocks.items[0]->rows->columns[column];
    if (!first)
        return STATUS_OK;
    for (size_t i = 0; i < m->blocks.count; i++) {
        const tensor *t = m->blocks.items[i]->rows->columns[column];
        m->bases[i] = t->values;
        m->validities[i] = t->validity;
        has_nulls |= t->validity != NULL;
    }
    TRY(tensor_new_flat(m->host.dev, first->type, m->row_count, has_nulls, out));
    sort_merge_gather_values(m, *out);
    if (has_nulls)
        sort_merge_gather_bits(m, m->validities, (*out)->validity);
    return type_is_text(first->type) ? hold_strings(m, column, *out) : STATUS_OK;
}

static status reserve_bases(sort_merge *m)
{
    size_t count = m->blocks.count, bytes = count * sizeof *m->bases;
    if (count <= m->bases_capacity)
        return STATUS_OK;
    const void **bases = mem_resize(m->bases, bytes);
    if (bases)
        m->bases = bases;
    const void **validities = bases ? mem_resize(m->validities, bytes) : NULL;
    if (!validities)
        return status_no_memory("sort", bytes);
    m->validities = validities;
    m->bases_capacity = count;
    return STATUS_OK;
}

static void forget_blocks(sort_merge *m)
{
    for (size_t i = 0; i < m->blocks.count; i++) {
        m->blocks.items[i]->number = NOT_LISTED;
        if (m->blocks.items[i]->is_finished)
            block_free(m->blocks.items[i]);
    }
    m->blocks.count = 0;
    m->row_count = m->done_blocks = 0;
}

static status sort_merge_make_chunk(sort_merge *m, chunk **out)
{
    chunk *c;
    TRY(reserve_bases(m));
    TRY(chunk_new(m->columns, dev_count_exact(m->row_count), &c));
    status st = STATUS_OK;
    for (uint32_t i = 0; i < m->columns && !st; i++)
        st = gather_column(m, i, &c->columns[i]);
    if (st) {
        chunk_free(c);
        return st;
    }
    forget_blocks(m);
    *out = c;
    return STATUS_OK;
}

exec_result sort_merge_next(sort_merge *m, exec_task *task, chunk **out)
{
    exec_result result;
    if (!m->is_started && (result = sort_merge_start(m, task)) != EXEC_FINISHED)
        return result;
    while (m->row_count < m->rows_max && m->done_blocks < DONE_BLOCKS_MAX && m->rows_left) {
        if (m->wants_block && (result = refill(m, task)) != EXEC_FINISHED)
            return result;
        if (!m->heap_count)
            break;
        EXEC_TRY(task, sort_merge_pick(m));
    }
    if (!m->row_count)
        return EXEC_FINISHED;
    EXEC_TRY(task, sort_merge_make_chunk(m, out));
    return EXEC_HAVE_OUTPUT;
}

/* ---- life ---- */

status sort_merge_new(const op_sort *op, sort_run *const *runs, size_t run_count, uint32_t columns,
                      sort_merge **out)
{
    *out = NULL;
    const plan_node *plan = op->base.plan;
    sort_merge *m = mem_new(sizeof *m);
    if (!m)
        return status_no_memory("sort", sizeof *m);
    m->op = op;
    m->host.dev = dev_host(exec_device(op->base.query));
    m->columns = columns;
    m->run_count = run_count;
    m->rows_left = plan->sort.has_limit ? plan->sort.limit : UINT64_MAX;
    uint64_t rows = 0, bytes = 0;
    for (size_t i = 0; i < run_count; i++) {
        rows += runs[i]->rows;
        bytes += runs[i]->plain_bytes;
    }
    m->rows_max = sort_chunk_rows(op, rows, bytes);
    m->runs = mem_new_array(run_count + 1, sizeof *m->runs);
    m->heap = mem_new_array(run_count + 1, sizeof *m->heap);
    if (!m->runs || !m->heap) {
        sort_merge_free(m);
        return status_no_memory("sort", run_count * sizeof *m->runs);
    }
    for (size_t i = 0; i < run_count; i++)
        m->runs[i].run = runs[i];
    *out = m;
    return STATUS_OK;
}

void sort_merge_free(sort_merge *m)
{
    if (!m)
        return;
    forget_blocks(m);
    for (size_t i = 0; m->runs && i < m->run_count; i++) {
        spill_read_drop(m->runs[i].reading);
        block_free(m->runs[i].block);
    }
    array_release(&m->blocks);
    dev_buffer_unref(m->picks);
    mem_free(m->bases);
    mem_free(m->validities);
    mem_free(m->runs);
    mem_free(m->heap);
    mem_free(m);
}
