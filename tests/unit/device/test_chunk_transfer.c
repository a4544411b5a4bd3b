/* test_chunk_transfer.c - chunks to the host and back, on each device: every type, any form, counts
 * that only the device knows, and copies that are refused.
 *
 * test_label: threads */
#include "device/chunk.h"
#include "device/chunk_transfer.h"
#include "device/tensor.h"
#include "device/transfer.h"
#include "device_test.h"

static mem_budget *budget, *host_budget;
static device *dev;
static dev_stream *stream;

static void begin(const char *name)
{
    CHECK_OK(mem_budget_new(0, &budget));
    CHECK_OK(mem_budget_new(0, &host_budget));
    if (!strcmp(name, "cpu"))
        CHECK_OK(dev_open_cpu("auto", 0, budget, &dev));
    else
        CHECK_OK(dev_open_simulated(0, budget, &dev));
    CHECK_OK(dev_host_open(dev, host_budget));
    CHECK_OK(dev->ops->stream_open(dev, &stream));
}

static void end(void)
{
    dev->ops->stream_close(stream);
    CHECK_EQ(mem_budget_used(budget), 0);
    CHECK_EQ(mem_budget_used(host_budget), 0);
    dev_close(dev);
    mem_budget_free(budget);
    mem_budget_free(host_budget);
}

static const char *const devices[] = {"cpu", "simulated"};

static const char words[] = "a text that is longer than what a view has room for, much longer";

/* Row i's text: every third is short, its length says which row it is. */
static string_view text_at(uint64_t i)
{
    return string_view_make(words, (uint32_t)(i % 3 ? 13 + i % 40 : i % 12));
}

static bool is_valid_at(uint64_t i)
{
    return i % 5 != 2;
}

enum { INT, DECIMAL, BOOL, TEXT, LABEL, COLUMNS };

/* In host memory: an integer, a wide decimal, a boolean, a text, each with NULLs but the first. */
static chunk *make_host(uint64_t rows)
{
    static const type_id ids[] = {TYPE_INT32, TYPE_DECIMAL, TYPE_BOOL, TYPE_VARCHAR};
    device *host = dev_host(dev);
    chunk *c;
    CHECK_OK(chunk_new(COLUMNS, dev_count_exact(rows), &c));
    for (unsigned k = 0; k < LABEL; k++) {
        data_type type = ids[k] == TYPE_DECIMAL ? type_decimal(38, 2) : type_make(ids[k]);
        CHECK_OK(tensor_new_flat(host, type, rows, k > 0, &c->columns[k]));
        memset(c->columns[k]->values, 0, type_values_bytes(type, rows));
        if (k)
            memset(c->columns[k]->validity, 0, bitmap_bytes(rows));
    }
    for (uint64_t i = 0; i < rows; i++) {
        uint64_t bit = (uint64_t)1 << i % 64;
        ((int32_t *)c->columns[INT]->values)[i] = (int32_t)(7 * i);
        for (unsigned k = 1; k < LABEL && is_valid_at(i); k++)
            c->columns[k]->validity[i / 64] |= bit;
        if (!is_valid_at(i))
            continue;
        ((int128 *)c->columns[DECIMAL]->values)[i] = ((int128)i << 70) + 3;
        ((uint64_t *)c->columns[BOOL]->values)[i / 64] |= i % 2 ? bit : 0;
        ((string_view *)c->columns[TEXT]->values)[i] = text_at(i);
    }
    return c;
}

/* The last column: every row's text by a dictionary of 50, of which row 4, 14, ... have none. */
static void add_label(chunk *c)
{
    tensor *base;
    row_index *index;
    CHECK_OK(tensor_new_flat(dev_host(dev), type_make(TYPE_VARCHAR), 50, false, &base));
    for (uint64_t i = 0; i < 50; i++)
        ((string_view *)base->values)[i] = text_at(i);
    CHECK_OK(row_index_new(dev_host(dev), c->rows.bound, &index));
    index->has_nulls = true;
    for (uint64_t i = 0; i < c->rows.bound; i++)
        index->rows[i] = i % 10 == 4 ? ROW_NULL : (uint32_t)(i * 3 % 50);
    CHECK_OK(tensor_new_indexed(stream, base, 50, index, c->rows, &c->columns[LABEL]));
    c->columns[LABEL]->is_dictionary = true;
    row_index_unref(index);
    tensor_unref(base);
}

static bool bit(const uint64_t *bits, uint64_t row)
{
    return !bits || bits[row / 64] >> (row % 64) & 1;
}

static void check_text(const string_view *is, string_view expected)
{
    CHECK_EQ(is->bytes, expected.bytes);
    CHECK(!memcmp(string_data(is), string_data(&expected), is->bytes));
}

static void check_label(const tensor *t, uint64_t at, uint64_t row)
{
    if (t->form == TENSOR_FLAT) {
        CHECK_EQ(bit(t->validity, at), row % 10 != 4);
        if (row % 10 != 4)
            check_text((string_view *)t->values + at, text_at(row * 3 % 50));
        return;
    }
    CHECK(t->is_dictionary);
    CHECK_EQ(t->index->rows[at], row % 10 == 4 ? ROW_NULL : row * 3 % 50);
    CHECK_EQ(t->base_rows, 50);
    if (row % 10 != 4)
        check_text((string_view *)t->base->values + t->index->rows[at], text_at(row * 3 % 50));
}

/* Row `at` of the chunk is row `row` of what was made. */
static void check_row(const chunk *c, uint64_t at, uint64_t row)
{
    CHECK_EQ(((int32_t *)c->columns[INT]->values)[at], (int32_t)(7 * row));
    for (unsigned k = 1; k < LABEL; k++)
        CHECK_EQ(bit(c->columns[k]->validity, at), is_valid_at(row));
    if (is_valid_at(row)) {
        CHECK(((int128 *)c->columns[DECIMAL]->values)[at] == ((int128)row << 70) + 3);
        CHECK_EQ(bit(c->columns[BOOL]->values, at), row % 2);
        check_text((string_view *)c->columns[TEXT]->values + at, text_at(row));
    }
    check_label(c->columns[LABEL], at, row);
}

static chunk *make_device_chunk(uint64_t rows)
{
    chunk *host = make_host(rows), *c;
    add_label(host);
    CHECK_OK(chunk_to_device(stream, host, "test", &c));
    chunk_free(host);
    return c;
}

static void check_there_and_back(uint64_t rows, bool keep_dictionaries)
{
    chunk *c = make_device_chunk(rows), *back;
    CHECK_OK(chunk_to_host(stream, c, keep_dictionaries, "test", &back));
    chunk_free(c);
    CHECK_EQ(back->rows.bound, rows);
    CHECK(!back->rows.actual);
    CHECK_EQ(back->columns[LABEL]->form, keep_dictionaries ? TENSOR_INDEXED : TENSOR_FLAT);
    for (uint64_t i = 0; i < rows; i++)
        check_row(back, i, i);
    chunk_free(back);
}

TEST(there_and_back)
{
    static const uint64_t sizes[] = {1, 63, 64, 65, 1000};
    for (unsigned d = 0; d < 2; d++) {
        begin(devices[d]);
        for (unsigned i = 0; i < 5; i++) {
            check_there_and_back(sizes[i], false);
            check_there_and_back(sizes[i], true);
        }
        end();
    }
}

/* Rows 30, 29, ..., of which the device says that there are 20. */
TEST(a_selection_with_a_lazy_count)
{
    uint32_t numbers[31];
    uint64_t actual = 20;
    for (uint32_t i = 0; i < 31; i++)
        numbers[i] = 30 - i;
    for (unsigned d = 0; d < 2; d++) {
        begin(devices[d]);
        chunk *c = make_device_chunk(100), *back;
        row_index *index;
        dev_buffer *word;
        CHECK_OK(row_index_new(dev, 31, &index));
        CHECK_OK(dev_upload(stream, index->rows, numbers, sizeof numbers, "test"));
        CHECK_OK(dev_words_new(stream, 1, &word));
        CHECK_OK(dev_upload(stream, word->address, &actual, sizeof actual, "test"));
        dev_count count = {31, word->address};
        CHECK_OK(chunk_select(stream, c, index, count, word));
        row_index_unref(index);
        dev_buffer_unref(word);
        CHECK_OK(chunk_to_host(stream, c, d == 1, "test", &back));
        chunk_free(c);
        CHECK_EQ(back->rows.bound, 20);
        for (uint64_t i = 0; i < 20; i++)
            check_row(back, i, 30 - i);
        chunk_free(back);
        end();
    }
}

TEST(no_wait_without_texts_but_the_last)
{
    dev_work work = {0};
    begin("simulated");
    chunk *host = make_host(100), *c, *back;
    tensor_unref(host->columns[TEXT]);
    host->columns[TEXT] = NULL;
    dev_work_now = &work;
    CHECK_OK(chunk_to_device(stream, host, "test", &c));
    CHECK_EQ(work.waits, 0);
    chunk_free(host);
    CHECK_OK(chunk_to_host(stream, c, false, "test", &back));
    dev_work_now = NULL;
    CHECK_EQ(work.waits, 1);
    CHECK_EQ(work.pageable_copies, 0);
    CHECK(!back->columns[TEXT] && !back->columns[LABEL]);
    chunk_free(c);
    chunk_free(back);
    end();
}

/* Memory that a budget does not have is an error, and nothing is left behind. */
TEST(no_room)
{
    for (unsigned d = 0; d < 2; d++)
        for (uint64_t limit = 1000; limit < 60000; limit += 700) {
            mem_budget *small;
            begin(devices[d]);
            chunk *c = make_device_chunk(200), *back = NULL;
            mem_budget *large = dev_host(dev)->budget;
            CHECK_OK(mem_budget_new(limit, &small));
            if (d)
                dev_host(dev)->budget = small;
            status st = chunk_to_host(stream, c, limit % 2, "test", &back);
            CHECK(d ? !st == !!back : !st);
            CHECK(!st || status_get_kind(st) == STATUS_KIND_LIMIT);
            status_free(st);
            chunk_free(back);
            chunk_free(c);
            if (d)
                dev_host(dev)->budget = large;
            CHECK_EQ(mem_budget_used(small), 0);
            mem_budget_free(small);
            end();
        }
}

TEST(memory_that_is_not_pinned_is_refused)
{
    char bytes[8] = {0};
    dev_buffer *buffer;
    begin("simulated");
    CHECK_OK(dev_alloc(dev, sizeof bytes, "test", &buffer));
    CHECK_FAILS(dev->ops->copy_in(stream, buffer->address, bytes, sizeof bytes),
                STATUS_KIND_INTERNAL, "from host memory that is not pinned");
    CHECK_FAILS(dev->ops->copy_out(stream, bytes, buffer->address, sizeof bytes),
                STATUS_KIND_INTERNAL, "to host memory that is not pinned");
    dev_buffer_unref(buffer);
    end();
}
