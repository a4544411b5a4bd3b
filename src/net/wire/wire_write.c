/* wire_write.c - rows to the bytes of a message. */
#include "net/wire/wire_write.h"

#include "net/wire/wire.h"
#include "net/wire/wire_format.h"
#include "net/wire/wire_texts.h"

#include <assert.h>

/* A dictionary is sent if it takes no more of a message than this; else values are. */
#define DICTIONARY_SHARE 4
/* Nor if it has more entries than there are rows; texts' may have so many times as many, as who receives codes
 * compares these. */
#define DICTIONARY_TEXTS 4

/* Texts of rows without a dictionary become codes of one that is made here if that makes them less by this
 * factor. It is told early where of so many rows half have texts of their own. */
#define TEXTS_GAIN 2
#define TEXTS_SAMPLE 256

typedef struct known_dictionary {
    tensor *base; /* with a reference: its address is nobody else's; NULL: of a column's texts */
    uint32_t number;
} known_dictionary;

struct wire_writer {
    uint32_t column_count;
    known_dictionary known[WIRE_DICTIONARIES]; /* number n at n % WIRE_DICTIONARIES */
    uint32_t next_number;
    uint32_t message_rows; /* of the message that is being written */
    /* A block that is larger than a message, of one row. */
    char *large;
    uint32_t large_bytes, large_at;
    wire_texts *texts; /* by column */
    data_type types[];
};

/* The values of a column: row i is base[index[i]], or base[first + i]. */
typedef struct column_rows {
    const tensor *base; /* FLAT, or CONSTANT */
    const uint32_t *index;
    bool may_have_nulls;
    uint64_t first;
    const known_dictionary *dictionary; /* its codes are sent */
    uint64_t dictionary_rows;
    uint64_t row_count; /* of the index, if it is not of all rows; else 0 */
} column_rows;

typedef struct message_room {
    char *target;
    uint32_t room, *used;
} message_room;

status wire_check_columns(uint32_t column_count)
{
    if (column_count <= WIRE_COLUMNS_MAX)
        return STATUS_OK;
    return status_hint(
        status_new(STATUS_KIND_UNSUPPORTED,
                   "rows of %u columns cannot be sent to other ranks: %u is the most", column_count,
                   WIRE_COLUMNS_MAX),
        "select fewer columns, or run it with SET distribute = never");
}

status wire_writer_new(const data_type *types, uint32_t column_count, wire_writer **out)
{
    *out = NULL;
    TRY(wire_check_columns(column_count));
    size_t bytes = sizeof(wire_writer) + column_count * sizeof *types;
    wire_writer *writer = mem_new(bytes);
    if (!writer)
        return status_no_memory("writer of messages", bytes);
    writer->texts = mem_new_array(column_count + 1, sizeof *writer->texts);
    if (!writer->texts) {
        mem_free(writer);
        return status_no_memory("writer of messages", column_count * sizeof *writer->texts);
    }
    writer->column_count = column_count;
    if (column_count)
        memcpy(writer->types, types, column_count * sizeof *types);
    for (uint32_t i = 0; i < column_count; i++)
        wire_texts_init(&writer->texts[i], types[i]);
    *out = writer;
    return STATUS_OK;
}

void wire_writer_free(wire_writer *writer)
{
    if (!writer)
        return;
    for (unsigned i = 0; i < WIRE_DICTIONARIES; i++)
        tensor_unref(writer->known[i].base);
    for (uint32_t i = 0; i < writer->column_count; i++)
        wire_texts_release(&writer->texts[i]);
    mem_free(writer->texts);
    mem_free(writer->large);
    mem_free(writer);
}

/* ---- rows of any form ---- */

static column_rows wire_write_rows_of(const tensor *t, uint64_t first)
{
    if (t->form == TENSOR_INDEXED)
        return (column_rows){.base = t->base,
                             .index = t->index->rows + first,
                             .may_have_nulls = t->index->has_nulls || t->base->validity};
    return (column_rows){.base = t, .first = first, .may_have_nulls = t->validity};
}

static uint32_t wire_write_row_at(const column_rows *rows, uint64_t i)
{
    if (rows->base->form == TENSOR_CONSTANT)
        return rows->base->constant.is_null ? ROW_NULL : 0;
    return rows->index ? rows->index[i] : (uint32_t)(rows->first + i);
}

static bool wire_write_is_valid(const column_rows *rows, uint32_t row)
{
    const uint64_t *validity = rows->base->validity;
    return row != ROW_NULL && (!validity || (validity[row / 64] >> (row % 64) & 1));
}

static bool wire_write_has_nulls(const column_rows *rows, uint64_t count)
{
    if (rows->base->form == TENSOR_CONSTANT)
        return rows->base->constant.is_null;
    for (uint64_t i = 0; rows->may_have_nulls && i < count; i++)
        if (!wire_write_is_valid(rows, wire_write_row_at(rows, i)))
            return true;
    return false;
}

static const string_view *wire_write_text_at(const column_rows *rows, uint32_t row)
{
    return (const string_view *)rows->base->values + row;
}

static uint64_t wire_write_text_bytes(const column_rows *rows, uint64_t i)
{
    uint32_t row = wire_write_row_at(rows, i);
    return wire_write_is_valid(rows, row) ? wire_write_text_at(rows, row)->bytes : 0;
}

/* ---- how much it takes ---- */

static unsigned code_bytes(uint64_t dictionary_rows)
{
    return dictionary_rows <= 1u << 8 ? 1 : dictionary_rows <= 1u << 16 ? 2 : 4;
}

/* Returns the bits of one row, without texts' bytes. */
static uint64_t row_bits(const column_rows *rows)
{
    data_type type = rows->base->type;
    if (rows->base->form == TENSOR_CONSTANT)
        return 0;
    if (rows->dictionary)
        return 8 * code_bytes(rows->dictionary_rows) + 1;
    if (type_is_text(type))
        return 8 * sizeof(uint32_t) + 1;
    return type.width ? 8 * (uint64_t)type.width + 1 : 2;
}

static bool is_text_by_row(const column_rows *rows)
{
    return type_is_text(rows->base->type) && !rows->dictionary &&
           rows->base->form != TENSOR_CONSTANT;
}

/* Returns the bytes of a block without rows: headers, the ends of parts, constants. */
static uint64_t wire_write_fixed_bytes(const column_rows *columns, uint32_t column_count)
{
    uint64_t bytes = sizeof(wire_block);
    for (uint32_t i = 0; i < column_count; i++) {
        bytes += sizeof(wire_column);
        const tensor *base = columns[i].base;
        if (base->form == TENSOR_CONSTANT)
            bytes += type_is_text(base->type)
                         ? 8 + wire_aligned(wire_write_text_bytes(&columns[i], 0))
                         : 16;
        else
            bytes += 8 + 8 + 8; /* validity, values, texts: each ends at a multiple of 8 */
    }
    return bytes;
}

/* How many of the rows fit into so many bytes. */
static uint64_t rows_that_fit(const column_rows *columns, uint32_t column_count, uint64_t count,
                              uint64_t room)
{
    uint64_t fixed = wire_write_fixed_bytes(columns, column_count), bits = 0, texts = 0;
    if (fixed > room)
        return 0;
    bool has_texts = false;
    for (uint32_t i = 0; i < column_count; i++) {
        bits += row_bits(&columns[i]);
        has_texts |= is_text_by_row(&columns[i]);
    }
    if (!has_texts) {
        uint64_t most = bits ? (room - fixed) * 8 / bits : count;
        return most < count ? most : count;
    }
    for (uint64_t row = 0; row < count; row++) {
        for (uint32_t i = 0; i < column_count; i++)
            if (is_text_by_row(&columns[i]))
                texts += wire_write_text_bytes(&columns[i], row);
        if (fixed + ((row + 1) * bits + 7) / 8 + texts > room)
            return row;
    }
    return count;
}

/* ---- writing a column ---- */

static char *write_validity(const column_rows *rows, uint64_t count, char *target)
{
    uint64_t *words = (uint64_t *)target;
    memset(words, 0, bitmap_bytes(count));
    for (uint64_t i = 0; i < count; i++)
        words[i / 64] |= (uint64_t)wire_write_is_valid(rows, wire_write_row_at(rows, i))
                         << (i % 64);
    return target + bitmap_bytes(count);
}

#define GATHER(type)                                                                               \
    do {                                                                                           \
        const type *source = rows->base->values;                                                   \
        for (uint64_t i = 0; i < count; i++) {                                                     \
            uint32_t row = wire_write_row_at(rows, i);                                             \
            type item = 0;                                                                         \
            if (row != ROW_NULL)                                                                   \
                item = source[row];                                                                \
            memcpy(target + i * sizeof item, &item, sizeof item);                                  \
        }                                                                                          \
    } while (0)

/* Two words each, which need not lie at multiples of 16. */
static void gather_wide(const column_rows *rows, uint64_t count, char *target)
{
    const char *source = rows->base->values;
    memset(target, 0, count * sizeof(uint128));
    for (uint64_t i = 0; i < count; i++) {
        uint32_t row = wire_write_row_at(rows, i);
        if (row != ROW_NULL)
            memcpy(target + i * sizeof(uint128), source + row * sizeof(uint128), sizeof(uint128));
    }
}

static void wire_write_gather_values(const column_rows *rows, uint64_t count, char *target)
{
    unsigned width = rows->base->type.width;
    switch (width) {
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
    default:
        gather_wide(rows, count, target);
    }
}

static void wire_write_gather_bits(const column_rows *rows, uint64_t count, char *target)
{
    const uint64_t *source = rows->base->values;
    uint64_t *words = (uint64_t *)target;
    memset(words, 0, bitmap_bytes(count));
    for (uint64_t i = 0; i < count && rows->base->type.id == TYPE_BOOL; i++) {
        uint32_t row = wire_write_row_at(rows, i);
        if (row != ROW_NULL)
            words[i / 64] |= (source[row / 64] >> (row % 64) & 1) << (i % 64);
    }
}

/* Lengths, then bytes; returns how many these are. */
static uint32_t wire_write_texts(const column_rows *rows, uint64_t count, char *target)
{
    char *lengths = target, *to = target + wire_aligned(count * sizeof(uint32_t));
    uint32_t all = 0;
    memset(lengths, 0, wire_aligned(count * sizeof(uint32_t)));
    for (uint64_t i = 0; i < count; i++) {
        uint32_t row = wire_write_row_at(rows, i);
        if (!wire_write_is_valid(rows, row))
            continue;
        const string_view *view = wire_write_text_at(rows, row);
        memcpy(lengths + i * sizeof view->bytes, &view->bytes, sizeof view->bytes);
        memcpy(to + all, string_data(view), view->bytes);
        all += view->bytes;
    }
    memset(to + all, 0, wire_aligned(all) - all);
    return all;
}

static char *wire_write_values(const column_rows *rows, uint64_t count, char *target,
                               wire_column *head)
{
    data_type type = rows->base->type;
    if (type_is_text(type)) {
        head->text_bytes = wire_write_texts(rows, count, target);
        return target + wire_aligned(count * sizeof(uint32_t)) + wire_aligned(head->text_bytes);
    }
    if (!type.width) {
        wire_write_gather_bits(rows, count, target);
        return target + bitmap_bytes(count);
    }
    uint64_t bytes = count * type.width;
    if (rows->index || rows->base->form == TENSOR_CONSTANT)
        wire_write_gather_values(rows, count, target);
    else
        memcpy(target, (const char *)rows->base->values + rows->first * type.width, bytes);
    memset(target + bytes, 0, wire_aligned(bytes) - bytes);
    return target + wire_aligned(bytes);
}

#define NARROW(code_type)                                                                          \
    do {                                                                                           \
        code_type *codes = (code_type *)target;                                                    \
        for (uint64_t i = 0; i < count; i++)                                                       \
            codes[i] = (code_type)wire_write_row_at(rows, i);                                      \
        for (uint64_t i = 0; rows->may_have_nulls && i < count; i++)                               \
            if (!wire_write_is_valid(rows, wire_write_row_at(rows, i)))                            \
                codes[i] = 0;                                                                      \
    } while (0)

static char *write_codes(const column_rows *rows, uint64_t count, char *target, wire_column *head)
{
    unsigned width = code_bytes(rows->dictionary_rows);
    head->form = WIRE_CODES;
    head->code_bytes = (uint8_t)width;
    head->number = rows->dictionary->number;
    if (width == 1)
        NARROW(uint8_t);
    else if (width == 2)
        NARROW(uint16_t);
    else
        NARROW(uint32_t);
    memset(target + count * width, 0, wire_aligned(count * width) - count * width);
    return target + wire_aligned(count * width);
}

/* Returns the end. */
static char *wire_write_column(const column_rows *rows, uint64_t count, char *target)
{
    char *at = target + sizeof(wire_column);
    data_type type = rows->base->type;
    bool is_constant = rows->base->form == TENSOR_CONSTANT;
    wire_column head = {.type = type.id,
                        .precision = type.precision,
                        .scale = type.scale,
                        .width = type.width,
                        .form = is_constant ? WIRE_CONSTANT : WIRE_VALUES,
                        .has_nulls = wire_write_has_nulls(rows, count)};
    if (head.has_nulls && !is_constant)
        at = write_validity(rows, count, at);
    if (rows->dictionary)
        at = write_codes(rows, count, at, &head);
    else if (!is_constant || !head.has_nulls)
        at = wire_write_values(rows, is_constant ? 1 : count, at, &head);
    memcpy(target, &head, sizeof head);
    return at;
}

static uint32_t wire_write_block(wire_block block, const column_rows *columns,
                                 uint32_t column_count, char *target)
{
    char *at = target + sizeof block;
    for (uint32_t i = 0; i < column_count; i++)
        at = wire_write_column(&columns[i], block.rows, at);
    block.version = WIRE_VERSION;
    block.bytes = (uint32_t)(at - target);
    memcpy(target, &block, sizeof block);
    return block.bytes;
}

/* ---- dictionaries ---- */

static const known_dictionary *wire_write_find_dictionary(const wire_writer *writer,
                                                          const tensor *base)
{
    for (unsigned i = 0; i < WIRE_DICTIONARIES; i++)
        if (writer->known[i].base == base)
            return &writer->known[i];
    return NULL;
}

static uint64_t dictionary_bytes(const tensor *t, uint64_t *out_rows)
{
    column_rows rows = wire_write_rows_of(t->base, 0);
    *out_rows = t->base_rows;
    uint64_t bytes = wire_write_fixed_bytes(&rows, 1) + (t->base_rows * row_bits(&rows) + 7) / 8;
    for (uint64_t i = 0; is_text_by_row(&rows) && i < t->base_rows; i++)
        bytes += wire_write_text_bytes(&rows, i);
    return bytes;
}

static bool is_used(const known_dictionary *known, const column_rows *columns, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        if (columns[i].dictionary == known)
            return true;
    return false;
}

/* Returns whether rows, which a filter may have left over, have many of its entries. */
static bool has_many_entries(const tensor *t, uint64_t row_count)
{
    return t->base_rows / (type_is_text(t->type) ? DICTIONARY_TEXTS : 1) > row_count;
}

/* Whether there is room for a dictionary: it takes a part of a message. */
static bool wire_write_has_room(const message_room *to, uint64_t bytes)
{
    return bytes <= to->room / DICTIONARY_SHARE && bytes <= to->room - *to->used;
}

static void write_wire_dictionary(uint32_t number, const column_rows *entries, uint64_t rows,
                                  uint32_t column, const message_room *to)
{
    wire_block block = {.kind = WIRE_DICTIONARY,
                        .column_count = (uint16_t)column,
                        .rows = (uint32_t)rows,
                        .number = number};
    *to->used += wire_write_block(block, entries, 1, to->target + *to->used);
}

/* A new number, whose dictionary is written next; NULL where it is one of a column before it. */
static known_dictionary *next_known(wire_writer *writer, const column_rows *columns,
                                    uint32_t column)
{
    known_dictionary *known = &writer->known[writer->next_number % WIRE_DICTIONARIES];
    if (is_used(known, columns, column))
        return NULL;
    tensor_unref(known->base);
    *known = (known_dictionary){.number = writer->next_number++};
    return known;
}

/* Writes that of a column of so many rows, if it is worth it. */
static const known_dictionary *send_dictionary(wire_writer *writer, const tensor *t,
                                               uint64_t row_count, const column_rows *columns,
                                               uint32_t column, const message_room *to)
{
    if (has_many_entries(t, row_count))
        return NULL;
    uint64_t rows, bytes = dictionary_bytes(t, &rows);
    if (!rows || rows > WIRE_ROWS_MAX || !wire_write_has_room(to, bytes))
        return NULL;
    known_dictionary *known = next_known(writer, columns, column);
    if (!known)
        return NULL;
    column_rows entries = wire_write_rows_of(t->base, 0);
    known->base = tensor_ref(t->base);
    write_wire_dictionary(known->number, &entries, rows, column, to);
    return known;
}

/* ---- texts that repeat ---- */

/* The codes of the rows' texts, and how many bytes these have; false: they are too many. */
static bool find_wire_codes(wire_texts *texts, const column_rows *rows, uint64_t count,
                            uint64_t *out_bytes)
{
    uint32_t before = texts->count;
    *out_bytes = 0;
    for (uint64_t i = 0; i < count; i++) {
        uint32_t row = wire_write_row_at(rows, i);
        texts->codes[i] = ROW_NULL;
        if (!wire_write_is_valid(rows, row))
            continue;
        const string_view *text = wire_write_text_at(rows, row);
        *out_bytes += text->bytes;
        if (!wire_texts_find(texts, text, &texts->codes[i]) ||
            (i == TEXTS_SAMPLE && texts->count - before > TEXTS_SAMPLE / 2))
            return false;
    }
    return texts->count;
}

/* The dictionary that was sent, if it is still known. */
static const known_dictionary *find_sent(const wire_writer *writer, const wire_texts *texts)
{
    const known_dictionary *known = &writer->known[texts->sent_number % WIRE_DICTIONARIES];
    bool is_known = !known->base && known->number == texts->sent_number;
    return is_known && texts->sent_count ? known : NULL;
}

/* Sends a dictionary of all texts so far, or what was sent once more with those that are new, if what codes
 * have saved is more. NULL: it is not (is_worse), or there is no room now. */
static const known_dictionary *send_texts(wire_writer *writer, wire_texts *texts,
                                          const column_rows *columns, uint32_t column,
                                          const message_room *to, bool *is_worse)
{
    const column_rows entries = wire_write_rows_of(&texts->entries, 0);
    const known_dictionary *known = find_sent(writer, texts);
    uint64_t bytes = wire_write_fixed_bytes(&entries, 1) +
                     (texts->count * row_bits(&entries) + 7) / 8 + texts->bytes;
    *is_worse = bytes > to->room / DICTIONARY_SHARE || TEXTS_GAIN * bytes > texts->saved;
    if (*is_worse || !wire_write_has_room(to, bytes))
        return NULL;
    if (!known)
        known = next_known(writer, columns, column);
    if (!known)
        return NULL;
    texts->saved -= TEXTS_GAIN * bytes;
    write_wire_dictionary(known->number, &entries, texts->count, column, to);
    wire_texts_sent(texts, known->number);
    return known;
}

/* The dictionary of rows that are codes in texts->codes now; NULL: they are sent as they are. */
static const known_dictionary *wire_write_find_texts(wire_writer *writer, uint32_t column,
                                                     uint64_t count, const column_rows *columns,
                                                     const message_room *to)
{
    wire_texts *texts = &writer->texts[column];
    uint64_t text_bytes;
    bool is_worse = !find_wire_codes(texts, &columns[column], count, &text_bytes);
    const known_dictionary *known = NULL;
    if (!is_worse) {
        texts->saved += text_bytes + count * (sizeof(uint32_t) - code_bytes(texts->count));
        known = texts->sent_count == texts->count ? find_sent(writer, texts) : NULL;
        if (!known)
            known = send_texts(writer, texts, columns, column, to, &is_worse);
    }
    if (is_worse && count >= WIRE_TEXTS_ROWS)
        wire_texts_give_up(texts);
    return known;
}

/* Codes instead of texts without a dictionary, if that is less. */
static void code_texts(wire_writer *writer, uint32_t column, uint64_t count, column_rows *columns,
                       const message_room *to)
{
    column_rows *rows = &columns[column];
    wire_texts *texts = &writer->texts[column];
    uint64_t left = to->room - *to->used;
    uint64_t some = count < left ? count : left; /* each takes a byte at least */
    if (!is_text_by_row(rows) || !wire_texts_begin(texts, some))
        return;
    const known_dictionary *known = wire_write_find_texts(writer, column, some, columns, to);
    if (known)
        *rows = (column_rows){.base = &texts->entries,
                              .index = texts->codes,
                              .may_have_nulls = rows->may_have_nulls,
                              .dictionary = known,
                              .dictionary_rows = texts->count,
                              .row_count = some};
}

/* Returns how many of the rows can be written: others do not fit. */
static uint64_t set_columns(wire_writer *writer, const chunk *c, uint64_t first, uint64_t count,
                            column_rows *columns, const message_room *to)
{
    uint64_t most = count;
    for (uint32_t i = 0; i < c->column_count; i++) {
        const tensor *t = c->columns[i];
        assert(type_equal(t->type, writer->types[i]) && t->type.width == writer->types[i].width);
        columns[i] = wire_write_rows_of(t, first);
        if (t->form == TENSOR_INDEXED && t->is_dictionary) {
            columns[i].dictionary = wire_write_find_dictionary(writer, t->base);
            columns[i].dictionary_rows = t->base_rows;
            if (!columns[i].dictionary)
                columns[i].dictionary = send_dictionary(writer, t, count, columns, i, to);
        }
        code_texts(writer, i, count, columns, to);
        if (columns[i].row_count && columns[i].row_count < most)
            most = columns[i].row_count;
    }
    return most;
}

/* ---- large rows ---- */

/* Bytes that a block of one row may take. */
static uint64_t one_row_bytes(const column_rows *columns, uint32_t column_count)
{
    uint64_t bytes = wire_write_fixed_bytes(columns, column_count);
    for (uint32_t i = 0; i < column_count; i++) {
        bytes += (row_bits(&columns[i]) + 7) / 8;
        if (is_text_by_row(&columns[i]))
            bytes += wire_write_text_bytes(&columns[i], 0);
    }
    return bytes;
}

static status begin_large(wire_writer *writer, const column_rows *columns)
{
    uint64_t bytes = one_row_bytes(columns, writer->column_count);
    if (bytes > WIRE_LARGE_BYTES_MAX)
        return status_new(STATUS_KIND_LIMIT, "a row of %llu bytes is too large to be sent",
                          (unsigned long long)bytes);
    writer->large = mem_new(bytes);
    if (!writer->large)
        return status_no_memory("a large row", bytes);
    wire_block block = {
        .kind = WIRE_ROWS, .column_count = (uint16_t)writer->column_count, .rows = 1};
    writer->large_bytes = wire_write_block(block, columns, writer->column_count, writer->large);
    writer->large_at = 0;
    return STATUS_OK;
}

/* As much of it as fits; true: that was the last. */
static bool append_large(wire_writer *writer, char *target, uint32_t room, uint32_t *used)
{
    uint32_t left = writer->large_bytes - writer->large_at;
    if (room - *used < sizeof(wire_block) + WIRE_ALIGNMENT)
        return false;
    uint32_t most = (room - *used - (uint32_t)sizeof(wire_block)) & ~(WIRE_ALIGNMENT - 1);
    uint32_t bytes = left < most ? left : most;
    wire_block block = {.version = WIRE_VERSION,
                        .kind = WIRE_PIECE,
                        .rows = writer->large_bytes,
                        .bytes = (uint32_t)sizeof block + bytes,
                        .number = writer->large_at};
    memcpy(target + *used, &block, sizeof block);
    memcpy(target + *used + sizeof block, writer->large + writer->large_at, bytes);
    *used += block.bytes;
    writer->large_at += bytes;
    if (writer->large_at < writer->large_bytes)
        return false;
    mem_free(writer->large);
    writer->large = NULL;
    return true;
}

/* ---- appending ---- */

static status wire_write_append_rows(wire_writer *writer, column_rows *columns, uint64_t count,
                                     char *target, uint32_t room, uint32_t *used,
                                     uint64_t *out_rows)
{
    uint32_t most = WIRE_ROWS_MAX - writer->message_rows;
    uint64_t rows =
        rows_that_fit(columns, writer->column_count, count < most ? count : most, room - *used);
    if (rows) {
        wire_block block = {.kind = WIRE_ROWS,
                            .column_count = (uint16_t)writer->column_count,
                            .rows = (uint32_t)rows};
        *used += wire_write_block(block, columns, writer->column_count, target + *used);
        *out_rows += rows;
        writer->message_rows += (uint32_t)rows;
        return STATUS_OK;
    }
    if (*used) /* perhaps it fits into an empty one */
        return STATUS_OK;
    TRY(begin_large(writer, columns));
    *out_rows += append_large(writer, target, room, used);
    return STATUS_OK;
}

status wire_append(wire_writer *writer, const chunk *c, uint64_t first, uint64_t count,
                   char *target, uint32_t room, uint32_t *used, uint64_t *out_rows)
{
    assert(c->column_count == writer->column_count && !c->rows.actual && *used <= room);
    room &= ~(WIRE_ALIGNMENT - 1);
    *out_rows = 0;
    if (!*used)
        writer->message_rows = 0;
    if (writer->large) { /* the first row, which was begun before */
        *out_rows = append_large(writer, target, room, used);
        return STATUS_OK;
    }
    if (!count)
        return STATUS_OK;
    column_rows *columns = mem_new_array(c->column_count + 1, sizeof *columns);
    if (!columns)
        return status_no_memory("message", c->column_count * sizeof *columns);
    const message_room to = {target, room, used};
    count = set_columns(writer, c, first, count, columns, &to);
    status st = wire_write_append_rows(writer, columns, count, target, room, used, out_rows);
    mem_free(columns);
    return st;
}
