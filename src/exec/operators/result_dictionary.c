/* result_dictionary.c - a batch's text column as codes and a dictionary of distinct texts.
 *
 *   column                       codes                                dictionary
 *   codes and a dictionary       as they are, borrowed; made anew     its texts, each once,
 *                                where it has NULLs or a text twice   used by a row or not
 *   texts                        made                                 those of its rows
 *
 * What is made lies in one block: codes, validity, offsets, bytes of texts. Nothing else of a column whose codes
 * are made stays but its validity, so that little text does not hold large pages. */
#include "exec/operators/result_dictionary.h"

#include "exec/operators/op_result.h"
#include "exec/operators/result_batch.h"

#include <xxhash.h>

/* The texts that there are, each numbered by the first like it. */
typedef struct numbering {
    const string_view *texts;
    const uint64_t *validity; /* or NULL */
    uint64_t count;
    uint32_t *numbers; /* of each text */
    uint32_t *firsts;  /* the text that has a number first */
    uint64_t distinct, bytes;
    uint32_t *slots; /* a number + 1; 0: empty */
    uint64_t slot_mask;
} numbering;

static bool result_dictionary_is_valid(const uint64_t *validity, uint64_t row)
{
    return !validity || validity[row / 64] >> (row % 64) & 1;
}

static bool result_dictionary_is_same(const string_view *left, const string_view *right)
{
    return left->bytes == right->bytes &&
           !memcmp(string_data(left), string_data(right), left->bytes);
}

static uint32_t result_dictionary_number_of(numbering *n, uint64_t row)
{
    const string_view *text = &n->texts[row];
    uint64_t at = XXH3_64bits(string_data(text), text->bytes) & n->slot_mask;
    while (n->slots[at]) {
        uint32_t number = n->slots[at] - 1;
        if (result_dictionary_is_same(&n->texts[n->firsts[number]], text))
            return number;
        at = (at + 1) & n->slot_mask;
    }
    uint32_t number = (uint32_t)n->distinct++;
    n->slots[at] = number + 1;
    n->firsts[number] = (uint32_t)row;
    n->bytes += text->bytes;
    return number;
}

/* One block, which n->numbers begins. */
static status number_texts(const exec_batch_column *column, uint64_t count, numbering *n)
{
    uint64_t slots = 16;
    while (slots < 2 * count)
        slots *= 2;
    *n = (numbering){.texts = column->values,
                     .validity = column->codes ? NULL : column->validity,
                     .count = count,
                     .slot_mask = slots - 1};
    n->numbers = mem_new_array(2 * count + slots, sizeof *n->numbers);
    if (!n->numbers)
        return status_no_memory("dictionary", (2 * count + slots) * sizeof *n->numbers);
    n->firsts = n->numbers + count;
    n->slots = n->firsts + count;
    for (uint64_t row = 0; row < count; row++)
        if (result_dictionary_is_valid(n->validity, row))
            n->numbers[row] = result_dictionary_number_of(n, row);
    return STATUS_OK;
}

/* ---- what is made ---- */

/* Places in the block; NULL: it has no such part. */
typedef struct parts {
    int32_t *codes;
    uint64_t *validity;
    int64_t *offsets;
    char *text;
} parts;

typedef struct block {
    dev_buffer *owner; /* of the batch's device; or ... */
    void *host;        /* ... where it has none */
    parts parts;
} block;

static void block_release(block *b)
{
    dev_buffer_unref(b->owner);
    mem_free(b->host);
}

static size_t result_dictionary_padded(size_t bytes)
{
    return (bytes + 63) / 64 * 64;
}

static status block_new(const exec_batch *batch, const numbering *n, bool with_codes,
                        bool with_validity, block *out)
{
    size_t codes = with_codes ? result_dictionary_padded(batch->row_count * sizeof(int32_t)) : 0;
    size_t validity = with_validity ? result_dictionary_padded(bitmap_bytes(batch->row_count)) : 0;
    size_t offsets = result_dictionary_padded((n->distinct + 1) * sizeof(int64_t));
    size_t bytes = codes + validity + offsets + n->bytes + 1;
    *out = (block){0};
    if (batch->dev)
        TRY(exec_batch_new_buffer(batch, bytes, &out->owner));
    else if (!(out->host = mem_new(bytes)))
        return status_no_memory("dictionary", bytes);
    char *place = batch->dev ? out->owner->address : out->host;
    out->parts = (parts){.codes = with_codes ? (int32_t *)(void *)place : NULL,
                         .validity = with_validity ? (uint64_t *)(void *)(place + codes) : NULL,
                         .offsets = (int64_t *)(void *)(place + codes + validity),
                         .text = place + codes + validity + offsets};
    return STATUS_OK;
}

static void result_dictionary_put_texts(const numbering *n, const parts *to)
{
    int64_t at = 0;
    for (uint64_t number = 0; number < n->distinct; number++) {
        const string_view *text = &n->texts[n->firsts[number]];
        to->offsets[number] = at;
        if (text->bytes)
            memcpy(to->text + at, string_data(text), text->bytes);
        at += text->bytes;
    }
    to->offsets[n->distinct] = at;
}

/* The column's codes by the numbers; zeroes under NULLs. */
static void result_dictionary_put_numbers(const exec_batch_column *column, const numbering *n,
                                          uint64_t rows, const parts *to)
{
    const uint32_t *codes = column->codes ? column->codes->rows : NULL;
    if (to->validity)
        memset(to->validity, 0, bitmap_bytes(rows));
    for (uint64_t row = 0; row < rows; row++) {
        bool is_there =
            codes ? codes[row] != ROW_NULL : result_dictionary_is_valid(column->validity, row);
        to->codes[row] = is_there ? (int32_t)n->numbers[codes ? codes[row] : row] : 0;
        if (to->validity)
            to->validity[row / 64] |= (uint64_t)is_there << (row % 64);
    }
}

/* ---- the column ---- */

/* In the place of the texts; nothing fails once anything is changed. */
static status put_owned(exec_batch_column *column, block *made, tensor **out)
{
    const row_index *codes = column->codes;
    const tensor *before = column->owner;
    data_type type = type_make(TYPE_INT32);
    *out = NULL;
    if (!made->owner)
        return STATUS_OK;
    dev_buffer *owner = made->parts.codes ? made->owner : codes->owner;
    TRY(tensor_new_view(type, owner, made->parts.codes ? (void *)made->parts.codes : codes->rows,
                        out));
    if (!codes && before) {
        (*out)->validity = before->validity;
        (*out)->validity_owner = dev_buffer_ref(before->validity_owner);
    }
    return STATUS_OK;
}

static status put_dictionary(exec_batch_column *column, const numbering *n, block *made)
{
    tensor *owner;
    TRY(put_owned(column, made, &owner));
    column->values = made->parts.codes ? (void *)made->parts.codes : column->codes->rows;
    column->validity = column->codes ? made->parts.validity : column->validity;
    column->dictionary = (exec_batch_dictionary){.count = n->distinct,
                                                 .offsets = made->parts.offsets,
                                                 .text = made->parts.text,
                                                 .owner = made->owner,
                                                 .host_owner = made->host};
    tensor_unref(column->owner);
    string_heap_unref(column->heap);
    row_index_unref(column->codes);
    mem_free(column->host_values);
    mem_free(column->host_heap);
    column->owner = owner;
    column->heap = NULL;
    column->codes = NULL;
    column->host_values = column->host_heap = column->pinned_heap = NULL;
    column->own_heap_bytes = 0;
    column->is_shaped = true;
    return STATUS_OK;
}

static status result_dictionary_replace(exec_batch *batch, exec_batch_column *column,
                                        const numbering *n)
{
    block made;
    bool has_nulls = column->codes && column->codes->has_nulls;
    bool with_codes = !column->codes || has_nulls || n->distinct != n->count;
    TRY(block_new(batch, n, with_codes, has_nulls, &made));
    result_dictionary_put_texts(n, &made.parts);
    if (with_codes)
        result_dictionary_put_numbers(column, n, batch->row_count, &made.parts);
    status st = put_dictionary(column, n, &made);
    if (st)
        block_release(&made);
    return st;
}

status exec_batch_make_dictionary(exec_batch *batch, uint32_t index)
{
    exec_batch_column *column = &batch->columns[index];
    numbering n;
    if (column->is_shaped)
        return STATUS_OK;
    TRY(number_texts(column, column->codes ? column->entries : batch->row_count, &n));
    status st = result_dictionary_replace(batch, column, &n);
    mem_free(n.numbers);
    return st;
}

/* ---- codes that a column comes with ---- */

bool exec_batch_keeps_codes(const tensor *t, uint64_t rows)
{
    return t->form == TENSOR_INDEXED && t->is_dictionary && t->type.id == TYPE_VARCHAR &&
           !t->base->validity && t->base_rows <= rows;
}

void exec_batch_put_codes(exec_batch_column *column, tensor *t)
{
    column->owner = tensor_ref(t->base);
    column->codes = row_index_ref(t->index);
    column->entries = t->base_rows;
    column->type = t->type;
    column->values = t->base->values;
}
