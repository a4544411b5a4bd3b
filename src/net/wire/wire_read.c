/* wire_read.c - the bytes of a message to rows. Nothing that they say is believed without a look. */
#include "net/wire/wire_read.h"

#include "base/type/bitmap_copy.h"
#include "device/chunk.h"
#include "net/wire/wire.h"
#include "net/wire/wire_format.h"
#include "net/wire/wire_write.h"

#include <assert.h>

typedef struct read_dictionary {
    tensor *base; /* FLAT */
    uint32_t rows, number;
} read_dictionary;

/* A column of one block: checked, so that all of it lies in the block. */
typedef struct read_column {
    wire_column head;
    const uint64_t *validity; /* NULL: no NULLs */
    const char *values;       /* of texts: their lengths */
    const char *texts;
    tensor *base; /* CODES: the dictionary */
    uint32_t base_rows;
} read_column;

typedef struct read_block {
    uint32_t rows;
    uint64_t first; /* of the chunk's rows */
} read_block;

/* One column of all blocks of a message, or of a dictionary. */
typedef struct column_source {
    const read_block *blocks;
    size_t block_count;
    const read_column *columns; /* block b's is columns[b * stride] */
    size_t stride;
    uint64_t rows;
    data_type type;
    device *dev;
    const char *name;
} column_source;

struct wire_reader {
    device *dev;
    char *name;
    uint32_t column_count;
    read_dictionary known[WIRE_DICTIONARIES];
    dev_buffer *large; /* a block that comes in pieces */
    uint32_t large_bytes, large_at;
    /* Blocks of the message that is being read. */
    ARRAY(read_block) blocks;
    ARRAY(read_column) columns; /* of each block, column_count */
    ARRAY(tensor *) retired;    /* dictionaries that were replaced meanwhile */
    uint64_t rows;
    data_type types[];
};

static status wire_read_damaged(const wire_reader *reader, const char *what)
{
    return status_new(STATUS_KIND_CORRUPT, "a message of %s has %s", reader->name, what);
}

status wire_reader_new(device *dev, const data_type *types, uint32_t column_count, const char *name,
                       wire_reader **out)
{
    *out = NULL;
    assert(dev->is_host);
    TRY(wire_check_columns(column_count));
    size_t bytes = sizeof(wire_reader) + column_count * sizeof *types;
    wire_reader *reader = mem_new(bytes);
    if (!reader)
        return status_no_memory("reader of messages", bytes);
    reader->name = mem_copy_text(name, strlen(name));
    if (!reader->name) {
        mem_free(reader);
        return status_no_memory("reader of messages", strlen(name));
    }
    reader->dev = dev;
    reader->column_count = column_count;
    if (column_count)
        memcpy(reader->types, types, column_count * sizeof *types);
    *out = reader;
    return STATUS_OK;
}

void wire_reader_free(wire_reader *reader)
{
    if (!reader)
        return;
    for (unsigned i = 0; i < WIRE_DICTIONARIES; i++)
        tensor_unref(reader->known[i].base);
    dev_buffer_unref(reader->large);
    array_release(&reader->blocks);
    array_release(&reader->columns);
    array_release(&reader->retired);
    mem_free(reader->name);
    mem_free(reader);
}

/* ---- looking at a column's bytes ---- */

/* The bytes that are left of a block. */
typedef struct cursor {
    const char *at;
    uint64_t left;
} cursor;

/* Takes so many bytes, and what follows them up to a multiple of 8; NULL: there are not so many. */
static const char *wire_read_take(cursor *from, uint64_t bytes)
{
    const char *taken = from->at;
    uint64_t whole = wire_aligned(bytes);
    if (bytes > from->left || whole > from->left)
        return NULL;
    from->at += whole;
    from->left -= whole;
    return taken;
}

static bool wire_read_is_type(const wire_column *head, data_type type)
{
    const data_type sent = {.id = head->type, .precision = head->precision, .scale = head->scale};
    return type_equal(sent, type) && head->width == type.width;
}

/* The lengths of texts make up the bytes that there are. */
static bool check_texts(const char *lengths, uint64_t count, uint32_t text_bytes)
{
    uint64_t sum = 0;
    for (uint64_t i = 0; i < count; i++) {
        uint32_t bytes;
        memcpy(&bytes, lengths + i * sizeof bytes, sizeof bytes);
        sum += bytes;
    }
    return sum == text_bytes;
}

static const char *look_at_values(data_type type, uint64_t count, cursor *from, read_column *out)
{
    static const char too_short[] = "fewer values than rows";
    if (type_is_text(type)) {
        out->values = wire_read_take(from, count * sizeof(uint32_t));
        out->texts = out->values ? wire_read_take(from, out->head.text_bytes) : NULL;
        if (!out->texts)
            return too_short;
        return check_texts(out->values, count, out->head.text_bytes) ? NULL
                                                                     : "texts of other lengths";
    }
    out->values = wire_read_take(from, type_values_bytes(type, count));
    return out->values ? NULL : too_short;
}

/* All of a column's, one step of a width: codes lie at multiples of it. */
#define EACH_CODE(code_type, step)                                                                 \
    do {                                                                                           \
        const code_type *codes = (const code_type *)column->values + first;                        \
        for (uint64_t i = 0; i < count; i++)                                                       \
            step;                                                                                  \
    } while (0)

static uint32_t greatest_code(const read_column *column, uint64_t count)
{
    const uint64_t first = 0;
    uint32_t most = 0;
    if (column->head.code_bytes == 1)
        EACH_CODE(uint8_t, most = codes[i] > most ? codes[i] : most);
    else if (column->head.code_bytes == 2)
        EACH_CODE(uint16_t, most = codes[i] > most ? codes[i] : most);
    else
        EACH_CODE(uint32_t, most = codes[i] > most ? codes[i] : most);
    return most;
}

/* Takes the codes of the block's rows [first, first + count). */
static void take_wire_codes(const read_column *column, uint64_t first, uint64_t count,
                            uint32_t *out)
{
    if (column->head.code_bytes == 1)
        EACH_CODE(uint8_t, out[i] = codes[i]);
    else if (column->head.code_bytes == 2)
        EACH_CODE(uint16_t, out[i] = codes[i]);
    else
        EACH_CODE(uint32_t, out[i] = codes[i]);
}

static bool wire_read_is_valid(const read_column *column, uint64_t i)
{
    return !column->validity || (column->validity[i / 64] >> (i % 64) & 1);
}

static const char *look_at_codes(const wire_reader *reader, uint64_t count, cursor *from,
                                 read_column *out)
{
    const read_dictionary *known = &reader->known[out->head.number % WIRE_DICTIONARIES];
    unsigned width = out->head.code_bytes;
    if (!known->base || known->number != out->head.number ||
        !wire_read_is_type(&out->head, known->base->type))
        return "codes of a dictionary that did not come";
    if (width != 1 && width != 2 && width != 4)
        return "codes of another width";
    out->base = known->base;
    out->base_rows = known->rows;
    out->values = wire_read_take(from, count * width);
    if (!out->values)
        return "fewer codes than rows";
    return count && greatest_code(out, count) >= known->rows
               ? "codes behind the end of their dictionary"
               : NULL;
}

/* NULL, or what is wrong. */
static const char *look_at_column(const wire_reader *reader, uint32_t number, uint64_t count,
                                  cursor *from, read_column *out)
{
    const char *head = wire_read_take(from, sizeof out->head);
    *out = (read_column){0};
    if (!head)
        return "fewer columns than it says";
    memcpy(&out->head, head, sizeof out->head);
    data_type type = reader->types[number];
    unsigned form = out->head.form;
    if (!wire_read_is_type(&out->head, type))
        return "columns of other types";
    if (form == WIRE_CONSTANT)
        return out->head.has_nulls ? NULL : look_at_values(type, 1, from, out);
    if (out->head.has_nulls) {
        out->validity = (const uint64_t *)wire_read_take(from, bitmap_bytes(count));
        if (!out->validity)
            return "fewer NULLs than rows";
    }
    if (form == WIRE_CODES)
        return look_at_codes(reader, count, from, out);
    return form == WIRE_VALUES ? look_at_values(type, count, from, out) : "columns of another form";
}

/* ---- filling tensors ---- */

static void wire_read_fill_words(void *target, unsigned width, uint64_t count, const char *value)
{
    for (uint64_t i = 0; i < count; i++)
        memcpy((char *)target + i * width, value, width);
}

static void wire_read_fill_bits(uint64_t *target, uint64_t first, uint64_t count, bool bit)
{
    for (uint64_t i = first; i < first + count; i++) {
        uint64_t mask = (uint64_t)1 << (i % 64);
        target[i / 64] = bit ? target[i / 64] | mask : target[i / 64] & ~mask;
    }
}

/* Rows [first, first + count) of t are those of the column. */
static void fill_fixed(const read_column *column, uint64_t first, uint64_t count, tensor *t)
{
    unsigned width = t->type.width;
    bool is_constant = column->head.form == WIRE_CONSTANT;
    char *target = (char *)t->values + first * width;
    if (!column->values && !width) /* NULL */
        wire_read_fill_bits(t->values, first, count, false);
    else if (!column->values)
        memset(target, 0, count * width);
    else if (!width && is_constant)
        wire_read_fill_bits(t->values, first, count, column->values[0] & 1);
    else if (!width)
        bitmap_copy(t->values, first, (const uint64_t *)column->values, 0, count);
    else if (is_constant)
        wire_read_fill_words(target, width, count, column->values);
    else
        memcpy(target, column->values, count * width);
}

/* Texts end in the heap, from *heap on. */
static void wire_read_fill_texts(const read_column *column, uint64_t first, uint64_t count,
                                 tensor *t, char **heap)
{
    bool is_constant = column->head.form == WIRE_CONSTANT;
    string_view *views = (string_view *)t->values + first;
    const char *from = *heap;
    if (!column->values) {
        memset(views, 0, count * sizeof *views);
        return;
    }
    if (column->head.text_bytes) { /* without text bytes there may not be a heap */
        memcpy(*heap, column->texts, column->head.text_bytes);
        *heap += column->head.text_bytes;
    }
    for (uint64_t i = 0; i < count; i++) {
        uint32_t bytes;
        memcpy(&bytes, column->values + (is_constant ? 0 : i) * sizeof bytes, sizeof bytes);
        views[i] = string_view_make(from, bytes);
        if (!is_constant && bytes)
            from += bytes;
    }
}

#define CODES_AT_ONCE 256u

#define GATHER(width)                                                                              \
    do {                                                                                           \
        for (uint64_t i = 0; i < count; i++)                                                       \
            memcpy((char *)target + i * (width),                                                   \
                   (const char *)base + (uint64_t)codes[i] * (width), (width));                    \
    } while (0)

static void wire_read_gather(const void *base, const uint32_t *codes, uint64_t count,
                             unsigned width, void *target)
{
    switch (width) {
    case 1:
        GATHER(1);
        break;
    case 2:
        GATHER(2);
        break;
    case 4:
        GATHER(4);
        break;
    case 8:
        GATHER(8);
        break;
    default:
        GATHER(width);
    }
}

static void fill_coded(const read_column *column, uint64_t first, uint64_t count, tensor *t)
{
    uint32_t codes[CODES_AT_ONCE];
    const void *base = column->base->values;
    unsigned width = t->type.width;
    for (uint64_t at = 0, some; at < count; at += some) {
        some = count - at < CODES_AT_ONCE ? count - at : CODES_AT_ONCE;
        take_wire_codes(column, at, some, codes);
        if (width)
            wire_read_gather(base, codes, some, width, (char *)t->values + (first + at) * width);
        for (uint64_t i = 0; i < some && !width; i++)
            wire_read_fill_bits(t->values, first + at + i, 1,
                                ((const uint64_t *)base)[codes[i] / 64] >> (codes[i] % 64) & 1);
    }
}

static void wire_read_fill_validity(const read_column *column, uint64_t first, uint64_t count,
                                    tensor *t)
{
    if (column->head.form == WIRE_CONSTANT)
        wire_read_fill_bits(t->validity, first, count, !column->head.has_nulls);
    else
        bitmap_copy(t->validity, first, column->validity, 0, count);
}

/* ---- columns of a chunk ---- */

static const read_column *wire_read_column_of(const column_source *source, size_t block)
{
    return &source->columns[block * source->stride];
}

/* Whether all blocks have codes of one dictionary, which may have got longer from block to block: then the last
 * has all entries. */
static bool has_one_dictionary(const column_source *source)
{
    const read_column *last = wire_read_column_of(source, source->block_count - 1);
    for (size_t b = 0; b < source->block_count; b++) {
        const read_column *column = wire_read_column_of(source, b);
        if (!column->base || column->head.number != last->head.number ||
            column->base_rows > last->base_rows)
            return false;
    }
    return last->base;
}

static status wire_read_make_coded(const column_source *source, tensor **out)
{
    row_index *index;
    const read_column *last = wire_read_column_of(source, source->block_count - 1);
    dev_stream stream = {.dev = source->dev}; /* nothing is launched: the base is FLAT */
    TRY(row_index_new(source->dev, source->rows, &index));
    for (size_t b = 0; b < source->block_count; b++) {
        const read_column *from = wire_read_column_of(source, b);
        const read_block *block = &source->blocks[b];
        index->has_nulls |= from->validity != NULL;
        take_wire_codes(from, 0, block->rows, index->rows + block->first);
        for (uint64_t i = 0; from->validity && i < block->rows; i++)
            if (!wire_read_is_valid(from, i))
                index->rows[block->first + i] = ROW_NULL;
    }
    status st = tensor_new_indexed(&stream, last->base, last->base_rows, index,
                                   dev_count_exact(source->rows), out);
    row_index_unref(index);
    if (!st)
        (*out)->is_dictionary = true;
    return st;
}

typedef ARRAY(dev_buffer *) buffer_list;

/* Adds the heaps of the dictionaries that rows come from. */
static status add_dictionary_heaps(const column_source *source, buffer_list *owners)
{
    const tensor *last = NULL;
    for (size_t b = 0; b < source->block_count; b++) {
        const tensor *base = wire_read_column_of(source, b)->base;
        if (!base || base == last || !base->heap)
            continue;
        last = base;
        TRY(array_reserve(NULL, owners, base->heap->buffer_count));
        for (uint32_t i = 0; i < base->heap->buffer_count; i++)
            owners->items[owners->count++] = dev_buffer_ref(base->heap->buffers[i]);
    }
    return STATUS_OK;
}

/* Memory for the bytes of all texts that are in the message. */
static status add_text_heap(const column_source *source, buffer_list *owners, char **out_bytes)
{
    uint64_t bytes = 0;
    *out_bytes = NULL;
    for (size_t b = 0; b < source->block_count; b++)
        bytes += wire_read_column_of(source, b)->head.text_bytes;
    if (!bytes)
        return STATUS_OK;
    TRY(array_reserve(NULL, owners, 1));
    TRY(dev_alloc(source->dev, bytes, source->name, &owners->items[0]));
    owners->count = 1;
    *out_bytes = owners->items[0]->address;
    return STATUS_OK;
}

static status wire_read_make_heap(const column_source *source, tensor *t, char **out_bytes)
{
    buffer_list owners = {0};
    status st = add_text_heap(source, &owners, out_bytes);
    if (!st)
        st = add_dictionary_heaps(source, &owners);
    if (!st && owners.count)
        st = string_heap_new(owners.items, (uint32_t)owners.count, &t->heap);
    else
        for (size_t i = 0; i < owners.count; i++)
            dev_buffer_unref(owners.items[i]);
    array_release(&owners);
    return st;
}

static void fill_block(const read_column *from, const read_block *block, tensor *t, char **heap)
{
    if (from->base)
        fill_coded(from, block->first, block->rows, t);
    else if (type_is_text(t->type))
        wire_read_fill_texts(from, block->first, block->rows, t, heap);
    else
        fill_fixed(from, block->first, block->rows, t);
    if (t->validity)
        wire_read_fill_validity(from, block->first, block->rows, t);
}

static status wire_read_make_flat(const column_source *source, tensor **out)
{
    bool has_nulls = false;
    char *heap = NULL;
    for (size_t b = 0; b < source->block_count; b++)
        has_nulls |= wire_read_column_of(source, b)->head.has_nulls;
    TRY(tensor_new_flat(source->dev, source->type, source->rows, has_nulls, out));
    status st = STATUS_OK;
    if (type_is_text(source->type))
        st = wire_read_make_heap(source, *out, &heap);
    if (st) {
        tensor_unref(*out);
        *out = NULL;
        return st;
    }
    for (size_t b = 0; b < source->block_count; b++)
        fill_block(wire_read_column_of(source, b), &source->blocks[b], *out, &heap);
    return STATUS_OK;
}

static status wire_read_make_column(const wire_reader *reader, uint32_t column, tensor **out)
{
    column_source source = {.blocks = reader->blocks.items,
                            .block_count = reader->blocks.count,
                            .columns = reader->columns.items + column,
                            .stride = reader->column_count,
                            .rows = reader->rows,
                            .type = reader->types[column],
                            .dev = reader->dev,
                            .name = reader->name};
    return has_one_dictionary(&source) ? wire_read_make_coded(&source, out)
                                       : wire_read_make_flat(&source, out);
}

static status wire_read_make_chunk(const wire_reader *reader, chunk **out)
{
    chunk *c;
    TRY(chunk_new(reader->column_count, dev_count_exact(reader->rows), &c));
    status st = STATUS_OK;
    for (uint32_t i = 0; i < reader->column_count && !st; i++)
        st = wire_read_make_column(reader, i, &c->columns[i]);
    if (st) {
        chunk_free(c);
        return st;
    }
    *out = c;
    return STATUS_OK;
}

/* ---- blocks ---- */

static status wire_read_rows(wire_reader *reader, const wire_block *block, cursor from)
{
    if (block->column_count != reader->column_count)
        return wire_read_damaged(reader, "another number of columns");
    if (!block->rows || block->rows > WIRE_ROWS_MAX - reader->rows)
        return wire_read_damaged(reader, "no rows, or too many");
    TRY(array_reserve(NULL, &reader->columns, reader->column_count));
    TRY(array_reserve(NULL, &reader->blocks, 1));
    for (uint32_t i = 0; i < reader->column_count; i++) {
        read_column *column = &reader->columns.items[reader->columns.count++];
        const char *wrong = look_at_column(reader, i, block->rows, &from, column);
        if (wrong)
            return wire_read_damaged(reader, wrong);
    }
    reader->blocks.items[reader->blocks.count++] =
        (read_block){.rows = block->rows, .first = reader->rows};
    reader->rows += block->rows;
    return STATUS_OK;
}

static status keep_dictionary(wire_reader *reader, const wire_block *block, tensor *base)
{
    read_dictionary *known = &reader->known[block->number % WIRE_DICTIONARIES];
    if (known->base) { /* codes before it may refer to it */
        status st = array_push(NULL, &reader->retired, known->base);
        if (st) {
            tensor_unref(base);
            return st;
        }
    }
    *known = (read_dictionary){base, block->rows, block->number};
    return STATUS_OK;
}

static status read_entries(wire_reader *reader, const wire_block *block, cursor from)
{
    uint32_t column = block->column_count;
    if (column >= reader->column_count || !block->rows || block->rows > WIRE_ROWS_MAX)
        return wire_read_damaged(reader, "a dictionary of no column");
    read_column values;
    const char *wrong = look_at_column(reader, column, block->rows, &from, &values);
    if (wrong)
        return wire_read_damaged(reader, wrong);
    if (values.head.form != WIRE_VALUES)
        return wire_read_damaged(reader, "a dictionary without values");
    read_block rows = {.rows = block->rows};
    column_source source = {.blocks = &rows,
                            .block_count = 1,
                            .columns = &values,
                            .stride = 1,
                            .rows = block->rows,
                            .type = reader->types[column],
                            .dev = reader->dev,
                            .name = reader->name};
    tensor *base;
    TRY(wire_read_make_flat(&source, &base));
    return keep_dictionary(reader, block, base);
}

static status read_block_of(wire_reader *reader, const char *bytes, uint64_t byte_count,
                            bool may_be_piece, uint64_t *out_bytes);

/* A piece of a large block. When it was the last one, the block is read; its memory stays until the
 * chunk is made. */
static status read_piece(wire_reader *reader, const wire_block *block, cursor from)
{
    uint32_t all = block->rows, bytes = block->bytes - (uint32_t)sizeof *block;
    if (!block->number && !reader->large_bytes) {
        if (all < sizeof *block || all > WIRE_LARGE_BYTES_MAX || reader->large)
            return wire_read_damaged(reader, "a large row of an impossible length");
        TRY(dev_alloc(reader->dev, all, reader->name, &reader->large));
        reader->large_bytes = all;
        reader->large_at = 0;
    }
    if (!bytes || all != reader->large_bytes || block->number != reader->large_at ||
        bytes > all - reader->large_at)
        return wire_read_damaged(reader, "a piece of a row that does not fit the others");
    memcpy((char *)reader->large->address + reader->large_at, from.at, bytes);
    reader->large_at += bytes;
    if (reader->large_at < all)
        return STATUS_OK;
    uint64_t taken;
    reader->large_bytes = 0;
    TRY(read_block_of(reader, reader->large->address, all, false, &taken));
    return taken == all ? STATUS_OK : wire_read_damaged(reader, "bytes behind a large row");
}

/* may_be_piece: a message's own block, not one in pieces. */
static status read_block_of(wire_reader *reader, const char *bytes, uint64_t byte_count,
                            bool may_be_piece, uint64_t *out_bytes)
{
    wire_block block;
    if (byte_count < sizeof block)
        return wire_read_damaged(reader, "bytes that are not a block");
    memcpy(&block, bytes, sizeof block);
    if (block.version != WIRE_VERSION)
        return wire_read_damaged(reader, "another version");
    if (block.bytes < sizeof block || block.bytes > byte_count || block.bytes % WIRE_ALIGNMENT)
        return wire_read_damaged(reader, "a block of an impossible length");
    *out_bytes = block.bytes;
    cursor from = {bytes + sizeof block, block.bytes - sizeof block};
    if (reader->large_bytes && block.kind != WIRE_PIECE)
        return wire_read_damaged(reader, "rows between the pieces of one");
    if (block.kind == WIRE_ROWS)
        return wire_read_rows(reader, &block, from);
    if (block.kind == WIRE_DICTIONARY && may_be_piece)
        return read_entries(reader, &block, from);
    if (block.kind == WIRE_PIECE && may_be_piece)
        return read_piece(reader, &block, from);
    return wire_read_damaged(reader, "a block of a kind that there is not");
}

static void forget_message(wire_reader *reader)
{
    reader->blocks.count = reader->columns.count = 0;
    reader->rows = 0;
    for (size_t i = 0; i < reader->retired.count; i++)
        tensor_unref(reader->retired.items[i]);
    reader->retired.count = 0;
    if (!reader->large_bytes) {
        dev_buffer_unref(reader->large);
        reader->large = NULL;
    }
}

status wire_read(wire_reader *reader, const char *bytes, uint32_t byte_count, chunk **out)
{
    assert((uintptr_t)bytes % WIRE_ALIGNMENT == 0);
    *out = NULL;
    status st = STATUS_OK;
    for (uint64_t at = 0, taken; at < byte_count && !st; at += taken) {
        taken = 0;
        st = read_block_of(reader, bytes + at, byte_count - at, true, &taken);
    }
    if (!st && reader->blocks.count)
        st = wire_read_make_chunk(reader, out);
    forget_message(reader);
    return st;
}
