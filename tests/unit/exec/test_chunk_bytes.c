/* test_chunk_bytes.c - rows of every type to bytes and back: with NULLs and without, any range of
 * rows, and bytes that are damaged. */
#include "device/chunk.h"
#include "device/chunk_transfer.h"
#include "device_test.h"

#include "exec/spill/chunk_bytes.h"

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

static size_t values_bytes(data_type type, uint64_t rows)
{
    return type.width ? rows * type.width : (rows + 63) / 64 * 8;
}

static void fill_text(tensor *t, uint64_t rows)
{
    enum { LONGEST = 40 };
    dev_buffer *heap;
    CHECK_OK(dev_alloc(dev, rows * LONGEST, "test", &heap));
    for (uint64_t i = 0; i < rows; i++) {
        char *text = (char *)heap->address + i * LONGEST;
        uint32_t bytes = (uint32_t)test_random_below(LONGEST + 1);
        for (uint32_t k = 0; k < bytes; k++)
            text[k] = (char)test_random();
        ((string_view *)t->values)[i] = string_view_make(text, bytes);
    }
    CHECK_OK(string_heap_new(&heap, 1, &t->heap));
}

static tensor *make_column(data_type type, uint64_t rows, bool with_nulls)
{
    tensor *t;
    CHECK_OK(tensor_new_flat(dev, type, rows, with_nulls, &t));
    uint8_t *bytes = t->values;
    if (type_is_text(type))
        fill_text(t, rows);
    else
        for (size_t i = 0; i < values_bytes(type, rows); i++)
            bytes[i] = (uint8_t)test_random();
    for (uint64_t i = 0; with_nulls && i < (rows + 63) / 64; i++)
        t->validity[i] = test_random();
    return t;
}

/* Every type twice, without NULLs and with them; the last column is not there. */
static chunk *make_chunk(uint64_t rows)
{
    chunk *c;
    CHECK_OK(chunk_new(2 * TEST_TYPE_COUNT + 1, dev_count_exact(rows), &c));
    for (unsigned i = 0; i < 2 * TEST_TYPE_COUNT; i++)
        c->columns[i] = make_column(test_type_at(i / 2), rows, i % 2);
    return c;
}

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

static void check_rows(const chunk *c, uint64_t first, uint64_t count, const chunk *read)
{
    CHECK_EQ(read->rows.bound, count);
    CHECK(!read->rows.actual);
    CHECK_EQ(read->column_count, c->column_count);
    for (uint32_t i = 0; i < c->column_count; i++) {
        CHECK_EQ(!read->columns[i], !c->columns[i]);
        if (!c->columns[i])
            continue;
        CHECK(type_equal(read->columns[i]->type, c->columns[i]->type));
        CHECK_EQ(read->columns[i]->type.width, c->columns[i]->type.width);
        for (uint64_t row = 0; row < count; row++)
            check_value(c->columns[i], first + row, read->columns[i], row);
    }
}

static void check_round_trip(const chunk *c, uint64_t first, uint64_t count)
{
    dev_buffer *bytes, *copy;
    chunk *read;
    CHECK_OK(chunk_bytes_write(dev, c, first, count, "test", &bytes));
    /* Somewhere else, as after a way through a file. */
    CHECK_OK(dev_alloc(dev, bytes->bytes, "test", &copy));
    memcpy(copy->address, bytes->address, bytes->bytes);
    memset(bytes->address, 0xee, bytes->bytes);
    CHECK_OK(chunk_bytes_read(copy, &read));
    dev_buffer_unref(copy);
    dev_buffer_unref(bytes);
    check_rows(c, first, count, read);
    chunk_free(read);
}

TEST(rows_of_every_type_come_back)
{
    static const uint64_t sizes[] = {1, 2, 63, 64, 65, 1000};
    begin();
    for (unsigned i = 0; i < 6; i++) {
        chunk *c = make_chunk(sizes[i]);
        check_round_trip(c, 0, sizes[i]);
        for (int k = 0; k < 20; k++) {
            uint64_t first = test_random_below(sizes[i]);
            check_round_trip(c, first, 1 + test_random_below(sizes[i] - first));
        }
        chunk_free(c);
    }
    end();
}

TEST(columns_of_any_form_are_made_flat_first)
{
    chunk *flat;
    begin();
    row_index *index;
    chunk *c = make_chunk(100);
    value text = value_text("a text that does not fit its view", 33);
    CHECK_OK(row_index_new(dev, 50, &index));
    for (uint32_t i = 0; i < 50; i++)
        index->rows[i] = 99 - 2 * i;
    tensor_unref(c->columns[0]);
    CHECK_OK(tensor_new_constant(stream, &text, &c->columns[0]));
    CHECK_OK(chunk_select(stream, c, index, dev_count_exact(50), NULL));
    row_index_unref(index);
    CHECK_OK(chunk_to_host(stream, c, false, "test", &flat));
    chunk_free(c);
    for (uint32_t i = 0; i + 1 < flat->column_count; i++)
        CHECK_EQ(flat->columns[i]->form, TENSOR_FLAT);
    CHECK_EQ(((string_view *)flat->columns[0]->values)[49].bytes, 33);
    check_round_trip(flat, 3, 40);
    chunk_free(flat);
    end();
}

TEST(as_many_rows_as_fit)
{
    chunk *c;
    begin();
    CHECK_OK(chunk_new(2, dev_count_exact(100), &c));
    CHECK_OK(tensor_new_flat(dev, type_make(TYPE_INT64), 100, false, &c->columns[0]));
    CHECK_OK(tensor_new_flat(dev, type_make(TYPE_VARCHAR), 100, true, &c->columns[1]));
    for (unsigned i = 0; i < 100; i++)
        ((string_view *)c->columns[1]->values)[i] =
            string_view_make("0123456789012345678901234567890123456789", i < 50 ? 12 : 40);
    memset(c->columns[1]->validity, 0xff, 16);
    CHECK_EQ(chunk_bytes_fit(c, 0, 100, 240), 10);
    CHECK_EQ(chunk_bytes_fit(c, 0, 5, 240), 5);
    CHECK_EQ(chunk_bytes_fit(c, 0, 100, 1), 1);
    CHECK_EQ(chunk_bytes_fit(c, 50, 50, 640), 10);
    CHECK_EQ(chunk_bytes_fit(c, 45, 55, 5 * 24 + 2 * 64), 7);
    c->columns[1]->validity[0] = c->columns[1]->validity[1] = 0;
    CHECK_EQ(chunk_bytes_fit(c, 50, 50, 640), 26);
    chunk_free(c);
    end();
}

/* Damaged bytes fail, or give rows whose strings lie in them; nothing is read outside. */
TEST(damaged_bytes_are_noticed)
{
    begin();
    chunk *c = make_chunk(70), *read;
    dev_buffer *bytes, *copy;
    CHECK_OK(chunk_bytes_write(dev, c, 0, 70, "test", &bytes));
    CHECK_OK(dev_alloc(dev, bytes->bytes - 64, "test", &copy));
    memcpy(copy->address, bytes->address, copy->bytes);
    CHECK_FAILS(chunk_bytes_read(copy, &read), STATUS_KIND_CORRUPT, NULL);
    dev_buffer_unref(copy);
    CHECK_OK(dev_alloc(dev, bytes->bytes, "test", &copy));
    for (int i = 0; i < 3000; i++) {
        memcpy(copy->address, bytes->address, bytes->bytes);
        /* The headers' bytes matter most. */
        uint64_t at = test_random_below(i % 2 ? bytes->bytes : 2000);
        ((uint8_t *)copy->address)[at] ^= (uint8_t)(1 + test_random_below(255));
        status st = chunk_bytes_read(copy, &read);
        CHECK(!st || status_get_kind(st) == STATUS_KIND_CORRUPT);
        status_free(st);
        chunk_free(read);
    }
    dev_buffer_unref(copy);
    dev_buffer_unref(bytes);
    chunk_free(c);
    end();
}
