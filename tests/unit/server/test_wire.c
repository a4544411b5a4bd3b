/* test_wire.c - rows of every type and form to the bytes of messages and back: in messages of any
 * size, with NULLs and without, with dictionaries that come once, and bytes that are damaged.
 * test_label: not-tsan */
#include "device/chunk.h"
#include "device/tensor.h"
#include "device_test.h"

#include "net/wire/wire.h"
#include "net/wire/wire_read.h"
#include "net/wire/wire_write.h"

static mem_budget *budget;
static device *dev;
static dev_stream *stream;

static void begin(void)
{
    test_cpu_open(&budget, &dev, &stream);
}

static void end(void)
{
    test_cpu_close(budget, dev, stream);
}

static void fill_text(tensor *t, uint64_t rows, uint32_t longest)
{
    dev_buffer *heap;
    CHECK_OK(dev_alloc(dev, rows * longest + 1, "test", &heap));
    for (uint64_t i = 0; i < rows; i++) {
        char *text = (char *)heap->address + i * longest;
        uint32_t bytes = (uint32_t)test_random_below(longest + 1);
        for (uint32_t k = 0; k < bytes; k++)
            text[k] = (char)test_random();
        ((string_view *)t->values)[i] = string_view_make(text, bytes);
    }
    CHECK_OK(string_heap_new(&heap, 1, &t->heap));
}

static tensor *make_flat(data_type type, uint64_t rows, bool with_nulls, uint32_t longest)
{
    tensor *t;
    CHECK_OK(tensor_new_flat(dev, type, rows, with_nulls, &t));
    uint8_t *bytes = t->values;
    if (type_is_text(type))
        fill_text(t, rows, longest);
    else
        for (size_t i = 0; i < type_values_bytes(type, rows); i++)
            bytes[i] = (uint8_t)test_random();
    for (uint64_t i = 0; with_nulls && i < (rows + 63) / 64; i++)
        t->validity[i] = test_random();
    return t;
}

static row_index *make_index(uint64_t base_rows, uint64_t rows, bool with_nulls)
{
    row_index *index;
    CHECK_OK(row_index_new(dev, rows, &index));
    index->has_nulls = with_nulls;
    for (uint64_t i = 0; i < rows; i++) {
        bool is_null = with_nulls && test_random_below(4) == 0;
        index->rows[i] = is_null ? ROW_NULL : (uint32_t)test_random_below(base_rows);
    }
    return index;
}

static tensor *make_indexed(tensor *base, uint64_t base_rows, uint64_t rows, bool is_dictionary)
{
    tensor *t;
    row_index *index = make_index(base_rows, rows, test_random() % 2);
    CHECK_OK(tensor_new_indexed(stream, base, base_rows, index, dev_count_exact(rows), &t));
    row_index_unref(index);
    t->is_dictionary = is_dictionary;
    return t;
}

static tensor *make_constant(data_type type)
{
    tensor *t;
    value v = value_null(type);
    if (test_random() % 3) {
        v.is_null = false;
        v.i128 = 0x123456789abcdef;
        if (type_is_text(type)) {
            v.text = "a text that is longer than its view";
            v.bytes = test_random() % 2 ? 35 : 7;
        } else if (type.id == TYPE_BOOL) {
            v.boolean = test_random() % 2;
        }
    }
    CHECK_OK(tensor_new_constant(stream, &v, &t));
    return t;
}

static tensor *make_column(data_type type, uint64_t rows, uint32_t longest)
{
    bool with_nulls = test_random() % 2;
    tensor *base, *t;
    switch (type.id == TYPE_NULL ? 0 : test_random_below(4)) {
    case 1:
        return make_constant(type);
    case 2:
    case 3:
        base = make_flat(type, 20, with_nulls, longest);
        t = make_indexed(base, 20, rows, test_random() % 2);
        tensor_unref(base);
        return t;
    default:
        return make_flat(type, rows, with_nulls, longest);
    }
}

static chunk *make_chunk(uint64_t rows, const data_type *types, uint32_t columns, uint32_t longest)
{
    chunk *c;
    CHECK_OK(chunk_new(columns, dev_count_exact(rows), &c));
    for (unsigned i = 0; i < columns; i++)
        c->columns[i] = make_column(types[i], rows, longest);
    return c;
}

/* ---- comparing ---- */

static bool bit(const uint64_t *bits, uint64_t row)
{
    return !bits || bits[row / 64] >> (row % 64) & 1;
}

static void check_value(const tensor *a, uint64_t row_a, const tensor *b, uint64_t row_b)
{
    CHECK_EQ(bit(a->validity, row_a), bit(b->validity, row_b));
    if (!bit(a->validity, row_a) || a->type.id == TYPE_NULL)
        return;
    if (a->type.id == TYPE_BOOL) {
        CHECK_EQ(bit(a->values, row_a), bit(b->values, row_b));
    } else if (type_is_text(a->type)) {
        const string_view *left = (const string_view *)a->values + row_a;
        const string_view *right = (const string_view *)b->values + row_b;
        CHECK_EQ(left->bytes, right->bytes);
        CHECK(!memcmp(string_data(left), string_data(right), left->bytes));
    } else {
        size_t width = a->type.width;
        CHECK(!memcmp((const char *)a->values + row_a * width,
                      (const char *)b->values + row_b * width, width));
    }
}

/* Rows [first, ...) of c are those of `read`. */
static void check_rows(const chunk *c, uint64_t first, const chunk *read)
{
    CHECK_EQ(read->column_count, c->column_count);
    for (uint32_t i = 0; i < c->column_count; i++) {
        tensor *a, *b;
        CHECK(type_equal(read->columns[i]->type, c->columns[i]->type));
        CHECK_OK(tensor_flatten(stream, c->columns[i], c->rows, &a));
        CHECK_OK(tensor_flatten(stream, read->columns[i], read->rows, &b));
        for (uint64_t row = 0; row < read->rows.bound; row++)
            check_value(a, first + row, b, row);
        tensor_unref(a);
        tensor_unref(b);
    }
}

/* ---- there and back ---- */

typedef struct channel {
    wire_writer *writer;
    wire_reader *reader;
    char *message;
    uint32_t room, used;
    unsigned messages, dictionaries; /* columns that came as codes */
} channel;

static channel channel_open(const data_type *types, uint32_t columns, uint32_t room)
{
    channel ch = {.room = room};
    CHECK_OK(wire_writer_new(types, columns, &ch.writer));
    CHECK_OK(wire_reader_new(dev, types, columns, "the test", &ch.reader));
    ch.message = mem_new(room);
    return ch;
}

static void channel_close(channel *ch)
{
    wire_writer_free(ch->writer);
    wire_reader_free(ch->reader);
    mem_free(ch->message);
}

/* Receives rows, which must be the rows of c from *checked on. */
static void receive(channel *ch, const chunk *c, uint64_t *checked)
{
    chunk *read;
    CHECK_OK(wire_read(ch->reader, ch->message, ch->used, &read));
    ch->messages++;
    memset(ch->message, 0xee, ch->room);
    ch->used = 0;
    if (!read)
        return;
    check_rows(c, *checked, read);
    *checked += read->rows.bound;
    for (uint32_t i = 0; i < c->column_count; i++)
        ch->dictionaries += read->columns[i]->is_dictionary;
    chunk_free(read);
}

/* Sends rows [first, first + count) a few at a time, so that messages have several blocks. */
static void send_rows(channel *ch, const chunk *c, uint64_t first, uint64_t count)
{
    uint64_t checked = first, at = first, end_at = first + count;
    while (at < end_at) {
        uint64_t want = 1 + test_random_below(end_at - at), rows;
        CHECK_OK(wire_append(ch->writer, c, at, want, ch->message, ch->room, &ch->used, &rows));
        CHECK(ch->used <= ch->room && rows <= want);
        at += rows;
        if (rows < want) {
            CHECK(ch->used);
            receive(ch, c, &checked);
        }
    }
    if (ch->used)
        receive(ch, c, &checked);
    CHECK_EQ(checked, end_at);
}

static void all_types(data_type *types, unsigned *out_count)
{
    *out_count = TEST_TYPE_COUNT;
    for (unsigned i = 0; i < TEST_TYPE_COUNT; i++)
        types[i] = test_type_at(i);
}

TEST(rows_of_every_type_and_form_come_back)
{
    static const uint64_t sizes[] = {1, 2, 63, 64, 65, 1000};
    static const uint32_t rooms[] = {64, 300, 5000, 1 << 20};
    data_type types[TEST_TYPE_COUNT];
    unsigned count;
    begin();
    all_types(types, &count);
    for (unsigned i = 0; i < 6; i++)
        for (unsigned k = 0; k < 4; k++) {
            channel ch = channel_open(types, count, rooms[k]);
            for (unsigned n = 0; n < 4; n++) {
                chunk *c = make_chunk(sizes[i], types, count, 40);
                uint64_t first = test_random_below(sizes[i]);
                send_rows(&ch, c, first, sizes[i] - first);
                chunk_free(c);
            }
            channel_close(&ch);
        }
    end();
}

TEST(texts_that_are_longer_than_messages_come_back)
{
    data_type types[2] = {type_make(TYPE_VARCHAR), type_make(TYPE_INT64)};
    begin();
    for (unsigned i = 0; i < 20; i++) {
        channel ch = channel_open(types, 2, 64 + (uint32_t)test_random_below(300));
        chunk *c = make_chunk(30, types, 2, 3000);
        send_rows(&ch, c, 0, 30);
        chunk_free(c);
        channel_close(&ch);
    }
    end();
}

TEST(rows_without_columns_are_counted)
{
    chunk *c;
    begin();
    channel ch = channel_open(NULL, 0, 1000);
    CHECK_OK(chunk_new(0, dev_count_exact(500), &c));
    send_rows(&ch, c, 0, 500);
    chunk_free(c);
    channel_close(&ch);
    end();
}

/* A dictionary under several chunks goes out once; others replace it, many at once. */
TEST(a_dictionary_is_sent_once)
{
    data_type types[2] = {type_make(TYPE_VARCHAR), type_make(TYPE_VARCHAR)};
    begin();
    channel ch = channel_open(types, 2, 8000);
    tensor *bases[3];
    for (unsigned i = 0; i < 3; i++)
        bases[i] = make_flat(types[0], 50, i == 1, 30);
    uint32_t bytes[6];
    for (unsigned i = 0; i < 6; i++) {
        chunk *c;
        CHECK_OK(chunk_new(2, dev_count_exact(40), &c));
        c->columns[0] = make_indexed(bases[i % 2], 50, 40, true);
        c->columns[1] = make_indexed(bases[2], 50, 40, true);
        uint64_t rows, checked = 0;
        CHECK_OK(wire_append(ch.writer, c, 0, 40, ch.message, ch.room, &ch.used, &rows));
        CHECK_EQ(rows, 40);
        bytes[i] = ch.used;
        receive(&ch, c, &checked);
        chunk_free(c);
    }
    /* Two dictionaries, then one, then none: codes of a byte each, and bitmaps. */
    CHECK(bytes[0] > bytes[1] && bytes[1] > bytes[2]);
    CHECK(bytes[2] <= 16 + 2 * (16 + 8 + 40) && bytes[5] <= 16 + 2 * (16 + 8 + 40));
    CHECK_EQ(ch.dictionaries, 12);
    for (unsigned i = 0; i < 3; i++)
        tensor_unref(bases[i]);
    channel_close(&ch);
    end();
}

/* A few rows over a large dictionary, as a filter leaves them, travel as values, which take less. */
TEST(a_few_rows_do_not_take_a_large_dictionary_along)
{
    enum { ENTRIES = 2000 };
    data_type type = type_make(TYPE_INT64);
    begin();
    tensor *base = make_flat(type, ENTRIES, false, 0);
    channel ch = channel_open(&type, 1, 1 << 20);
    static const uint64_t counts[] = {100, 2 * ENTRIES};
    for (unsigned i = 0; i < 2; i++) {
        chunk *c;
        uint64_t rows, checked = 0;
        CHECK_OK(chunk_new(1, dev_count_exact(counts[i]), &c));
        c->columns[0] = make_indexed(base, ENTRIES, counts[i], true);
        CHECK_OK(wire_append(ch.writer, c, 0, counts[i], ch.message, ch.room, &ch.used, &rows));
        CHECK_EQ(rows, counts[i]);
        CHECK(ch.used <= 16 + 16 + 16 + counts[i] * 8 || i); /* values, and bits of NULLs */
        receive(&ch, c, &checked);
        CHECK_EQ(ch.dictionaries, i);
        chunk_free(c);
    }
    tensor_unref(base);
    channel_close(&ch);
    end();
}

static uint32_t send_texts(channel *ch, tensor *t, uint64_t rows)
{
    chunk *c;
    uint64_t written, checked = 0;
    CHECK_OK(chunk_new(1, dev_count_exact(rows), &c));
    c->columns[0] = t;
    CHECK_OK(wire_append(ch->writer, c, 0, rows, ch->message, ch->room, &ch->used, &written));
    CHECK_EQ(written, rows);
    uint32_t bytes = ch->used;
    receive(ch, c, &checked);
    chunk_free(c);
    return bytes;
}

/* Rows of a join's build side are numbers of its rows, not codes, even where texts repeat. */
TEST(texts_that_repeat_become_codes)
{
    enum { ROWS = 5000, BASE_ROWS = 30 };
    data_type type = type_make(TYPE_VARCHAR);
    begin();
    channel ch = channel_open(&type, 1, 1 << 20);
    tensor *base = make_flat(type, BASE_ROWS, true, 40), *other = make_flat(type, 5, false, 40);
    uint32_t bytes[5];
    for (unsigned i = 0; i < 5; i++) {
        /* new ones; the same; new ones again; all of them; few rows, after others that repeat */
        tensor *t = make_indexed(i == 2 ? other : base, i == 2 ? 5 : BASE_ROWS, ROWS, false);
        bytes[i] = send_texts(&ch, t, i == 4 ? 10 : ROWS);
        CHECK_EQ(ch.dictionaries, i + 1);
    }
    uint32_t codes = ROWS + 16 + 16 + ROWS / 8 + 16; /* a byte each, and bits of NULLs */
    CHECK(bytes[0] > codes && bytes[0] < codes + 3000);
    CHECK(bytes[1] <= codes && bytes[3] <= codes);
    CHECK(bytes[2] < codes + 3000);
    tensor_unref(base);
    tensor_unref(other);
    channel_close(&ch);
    end();
}

/* Different texts go as they are, and what repeats later is seen again. */
TEST(texts_that_differ_stay_texts)
{
    enum { ROWS = 3000 };
    data_type type = type_make(TYPE_BLOB);
    begin();
    channel ch = channel_open(&type, 1, 1 << 20);
    tensor *base = make_flat(type, 20, false, 40);
    for (unsigned i = 0; i < 20; i++) {
        send_texts(&ch, make_flat(type, ROWS, i % 2, 40), ROWS);
        CHECK_EQ(ch.dictionaries, 0);
    }
    for (unsigned i = 0; i < 100; i++)
        send_texts(&ch, make_indexed(base, 20, ROWS, false), ROWS);
    CHECK(ch.dictionaries > 30 && ch.dictionaries < 100);
    tensor_unref(base);
    channel_close(&ch);
    end();
}

/* Texts that are ever new, and messages too small for a dictionary of them. */
TEST(texts_that_change_come_back)
{
    data_type types[2] = {type_make(TYPE_VARCHAR), type_make(TYPE_VARCHAR)};
    static const uint32_t rooms[] = {300, 5000, 70000, 1 << 20};
    begin();
    for (unsigned r = 0; r < 4; r++) {
        channel ch = channel_open(types, 2, rooms[r]);
        for (unsigned i = 0; i < 40; i++) {
            chunk *c;
            uint64_t rows = 1 + test_random_below(2000);
            CHECK_OK(chunk_new(2, dev_count_exact(rows), &c));
            for (unsigned k = 0; k < 2; k++) {
                uint64_t base_rows = 1 + test_random_below(i % 8 ? 100 : 5000);
                tensor *base = make_flat(types[k], base_rows, i % 3 == 0, 30);
                c->columns[k] = make_indexed(base, base_rows, rows, i % 5 == 4);
                tensor_unref(base);
            }
            send_rows(&ch, c, 0, rows);
            chunk_free(c);
        }
        CHECK(r == 0 || ch.dictionaries);
        channel_close(&ch);
    }
    end();
}

TEST(more_dictionaries_than_are_kept)
{
    enum { COLUMNS = WIRE_DICTIONARIES + 8, BASES = 100 };
    data_type types[COLUMNS];
    tensor *bases[BASES];
    begin();
    for (unsigned i = 0; i < COLUMNS; i++)
        types[i] = type_make(TYPE_INT64);
    for (unsigned i = 0; i < BASES; i++)
        bases[i] = make_flat(types[0], 10, i % 3 == 0, 0);
    channel ch = channel_open(types, COLUMNS, 60000);
    for (unsigned n = 0; n < 20; n++) {
        chunk *c;
        CHECK_OK(chunk_new(COLUMNS, dev_count_exact(30), &c));
        for (unsigned i = 0; i < COLUMNS; i++)
            c->columns[i] = make_indexed(bases[test_random_below(BASES)], 10, 30, true);
        send_rows(&ch, c, 0, 30);
        chunk_free(c);
    }
    CHECK(ch.dictionaries);
    for (unsigned i = 0; i < BASES; i++)
        tensor_unref(bases[i]);
    channel_close(&ch);
    end();
}

/* Blocks of several chunks in one message, with dictionaries between. */
TEST(a_message_of_several_chunks)
{
    data_type types[2] = {type_make(TYPE_VARCHAR), type_make(TYPE_INT16)};
    begin();
    for (unsigned n = 0; n < 50; n++) {
        channel ch = channel_open(types, 2, 20000);
        chunk *parts[5], *whole, *read;
        for (unsigned i = 0; i < 5; i++) {
            uint64_t rows;
            parts[i] = make_chunk(1 + test_random_below(20), types, 2, 30);
            CHECK_OK(wire_append(ch.writer, parts[i], 0, parts[i]->rows.bound, ch.message, ch.room,
                                 &ch.used, &rows));
            CHECK_EQ(rows, parts[i]->rows.bound);
        }
        CHECK_OK(chunk_concat(stream, parts, 5, "test", &whole));
        CHECK_OK(wire_read(ch.reader, ch.message, ch.used, &read));
        CHECK_EQ(read->rows.bound, whole->rows.bound);
        check_rows(whole, 0, read);
        for (unsigned i = 0; i < 5; i++)
            chunk_free(parts[i]);
        chunk_free(whole);
        chunk_free(read);
        channel_close(&ch);
    }
    end();
}

/* Damaged bytes fail, or give rows that can be looked at; nothing is read outside. */
TEST(damaged_messages_are_noticed)
{
    data_type types[TEST_TYPE_COUNT];
    unsigned count;
    begin();
    all_types(types, &count);
    unsigned failed = 0;
    for (int i = 0; i < 3000; i++) {
        channel ch = channel_open(types, count, 8000);
        chunk *c = make_chunk(20, types, count, 30), *read;
        uint64_t rows;
        CHECK_OK(wire_append(ch.writer, c, 0, 20, ch.message, ch.room, &ch.used, &rows));
        uint32_t cut = i % 10 ? 0 : (uint32_t)test_random_below(ch.used);
        char *copy =
            mem_new(ch.used - cut); /* of its exact length, so that reading past it shows */
        memcpy(copy, ch.message, ch.used - cut);
        copy[test_random_below(ch.used - cut)] ^= (char)(1 + test_random_below(255));
        status st = wire_read(ch.reader, copy, ch.used - cut, &read);
        CHECK(!st || status_get_kind(st) == STATUS_KIND_CORRUPT);
        failed += st != NULL;
        status_free(st);
        if (read) {
            for (uint32_t k = 0; k < count; k++) {
                tensor *flat;
                CHECK_OK(chunk_flatten_column(stream, read, k, &flat));
            }
        }
        chunk_free(read);
        chunk_free(c);
        mem_free(copy);
        channel_close(&ch);
    }
    CHECK(failed > 300);
    end();
}
