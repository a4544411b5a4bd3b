/* test_reserved_columns.c - rows that are written where they are wanted.
 *
 * test_label: threads */
#include "device/chunk.h"
#include "exec/keys/reserved_columns.h"
#include "test.h"

enum { CHUNK = 1024, COLUMNS = 4, LIMIT = 8 << 20 };

static mem_budget *budget;
static device *dev;
static dev_stream *stream;
static const bool needed[COLUMNS] = {true, false, true, true};
static tensor *const bases[COLUMNS];
static data_type types[COLUMNS];
static reserved_columns place;
static reserved_columns_want want;
static tensor_target places[COLUMNS];

static void open_device(const char *name)
{
    CHECK_OK(mem_budget_new(LIMIT, &budget));
    if (!strcmp(name, "cpu"))
        CHECK_OK(dev_open_cpu("auto", CHUNK, budget, &dev));
    else
        CHECK_OK(dev_open_simulated(CHUNK, budget, &dev));
    CHECK_OK(dev->ops->stream_open(dev, &stream));
    types[0] = type_make(TYPE_INT64);
    types[1] = type_make(TYPE_INT64);
    types[2] = type_make(TYPE_BOOL); /* bits are moved */
    types[3] = type_make(TYPE_INT32);
    place = (reserved_columns){0};
    want = (reserved_columns_want){dev, COLUMNS, types, needed, bases, "test"};
}

static void close_device(void)
{
    reserved_columns_release(&place);
    dev->ops->stream_close(stream);
    dev_close(dev);
    CHECK_EQ(mem_budget_used(budget), 0);
    mem_budget_free(budget);
}

static bool take(uint64_t rows)
{
    bool is_placed;
    CHECK_OK(reserved_columns_take(&place, &want, rows, places, &is_placed));
    for (uint32_t c = 0; c < COLUMNS && !is_placed; c++)
        CHECK(!places[c].owner);
    return is_placed;
}

/* A chunk of `rows` rows that has been placed: the first column's values are `value`. */
static chunk *make_chunk(uint64_t rows, int64_t value)
{
    chunk *c;
    CHECK_OK(chunk_new(COLUMNS, dev_count_exact(rows), &c));
    for (uint32_t i = 0; i < COLUMNS; i++)
        if (needed[i])
            CHECK_OK(tensor_new_flat_at(dev, types[i], rows, false, places[i], &c->columns[i]));
    for (uint64_t i = 0; i < rows; i++)
        ((int64_t *)c->columns[0]->values)[i] = value;
    return c;
}

TEST(rows_lie_side_by_side)
{
    open_device("cpu");
    CHECK(!take(4 * CHUNK)); /* few rows are not worth it */
    CHECK(take(CHUNK));
    CHECK(!places[1].owner && !places[2].owner);
    uint64_t used = mem_budget_used(budget), row;
    CHECK(used >= CHUNK * 12);
    chunk *first = make_chunk(CHUNK, 1);
    CHECK(take(100));
    chunk *second = make_chunk(100, 2);
    CHECK(take(7));
    chunk *third = make_chunk(7, 3);
    CHECK_EQ(reserved_columns_bytes(&place), (CHUNK + 107) * 12);
    CHECK(reserved_columns_find(&place, second, &row));
    CHECK_EQ(row, CHUNK);
    CHECK(reserved_columns_find(&place, third, &row));
    CHECK_EQ(row, CHUNK + 100);
    const int64_t *values = first->columns[0]->values;
    CHECK_EQ(values[CHUNK - 1], 1);
    CHECK_EQ(values[CHUNK], 2);
    CHECK_EQ(values[CHUNK + 99], 2);
    CHECK_EQ(values[CHUNK + 100], 3);
    CHECK_EQ((char *)third->columns[3]->values - (char *)first->columns[3]->values,
             (CHUNK + 100) * 4);
    chunk_free(first);
    chunk_free(second);
    chunk_free(third);
    close_device();
}

TEST(what_is_given_back_is_neither_there_nor_counted)
{
    open_device("cpu");
    uint64_t rows = 64 * CHUNK;
    CHECK(take(rows));
    chunk *first = make_chunk(rows, 1);
    CHECK(take(rows));
    chunk *second = make_chunk(rows, 2);
    /* A selection of a chunk gives back all of it. */
    row_index *some;
    CHECK_OK(row_index_new(dev, 1, &some));
    some->rows[0] = 5;
    CHECK_OK(chunk_select(stream, first, some, dev_count_exact(1), NULL));
    row_index_unref(some);
    const int64_t *values = second->columns[0]->values;
    uint64_t before = mem_budget_used(budget);
    reserved_columns_give(&place, first);
    reserved_columns_give(&place, NULL);
    CHECK_EQ(before - mem_budget_used(budget), rows * 12);
    CHECK_EQ(values[0], 2);
    CHECK_EQ(values[-(int64_t)rows + 4096], 0);
    chunk_free(first);
    chunk_free(second);
    close_device();
}

TEST(no_more_than_memory_allows)
{
    open_device("cpu");
    uint64_t all = LIMIT / 12, row;
    CHECK(!take(all + 1)); /* more than is reserved at all */
    bool is_placed;
    dev_buffer *other;
    CHECK_OK(dev_alloc(dev, LIMIT / 2, "test", &other));
    status st = reserved_columns_take(&place, &want, all, places, &is_placed);
    CHECK(status_get_kind(st) == STATUS_KIND_LIMIT);
    status_free(st);
    dev_buffer_unref(other);
    /* Rows of a chunk that has no place. */
    memset(places, 0, sizeof places);
    chunk *c = make_chunk(10, 1);
    CHECK(!reserved_columns_find(&place, c, &row));
    uint64_t used = mem_budget_used(budget);
    reserved_columns_give(&place, c);
    CHECK_EQ(mem_budget_used(budget), used);
    chunk_free(c);
    close_device();
}

TEST(a_device_without_reserved_memory_has_no_places)
{
    open_device("simulated");
    CHECK(!take(100 * CHUNK));
    CHECK_EQ(reserved_columns_bytes(&place), 0);
    close_device();
}
