/* test_chunk_combine.c - chunks put together: rows in their order, and indexes over one base kept.
 */
#include "device/chunk.h"
#include "device/tensor.h"
#include "test.h"

typedef struct fixture {
    mem_budget *budget;
    device *dev;
    dev_stream *stream;
} fixture;

static void start(fixture *f)
{
    CHECK_OK(mem_budget_new(0, &f->budget));
    CHECK_OK(dev_open_cpu("auto", 0, f->budget, &f->dev));
    CHECK_OK(f->dev->ops->stream_open(f->dev, &f->stream));
}

static void finish(fixture *f)
{
    f->dev->ops->stream_close(f->stream);
    dev_close(f->dev);
    CHECK_EQ(mem_budget_used(f->budget), 0);
    mem_budget_free(f->budget);
}

/* first, first + 10, ... */
static tensor *numbers(fixture *f, int64_t first, uint64_t count)
{
    tensor *t;
    CHECK_OK(tensor_new_flat(f->dev, type_make(TYPE_INT64), count, false, &t));
    for (uint64_t i = 0; i < count; i++)
        ((int64_t *)t->values)[i] = first + (int64_t)i * 10;
    return t;
}

/* The base's rows `start`, `start` + 1, ...; with_null: the first is NULL. */
static row_index *rows_from(fixture *f, uint32_t start, uint64_t count, bool with_null)
{
    row_index *index;
    CHECK_OK(row_index_new(f->dev, count, &index));
    for (uint64_t i = 0; i < count; i++)
        index->rows[i] = start + (uint32_t)i;
    if (with_null) {
        index->rows[0] = ROW_NULL;
        index->has_nulls = true;
    }
    return index;
}

static chunk *new_chunk(uint32_t columns, uint64_t rows)
{
    chunk *c;
    CHECK_OK(chunk_new(columns, dev_count_exact(rows), &c));
    return c;
}

static tensor *indexed(fixture *f, tensor *base, uint64_t base_rows, row_index *index,
                       uint64_t count)
{
    tensor *t;
    CHECK_OK(tensor_new_indexed(f->stream, base, base_rows, index, dev_count_exact(count), &t));
    return t;
}

static int64_t value_at(fixture *f, tensor *t, uint64_t count, uint64_t row, bool *is_null)
{
    tensor *flat;
    CHECK_OK(tensor_flatten(f->stream, t, dev_count_exact(count), &flat));
    *is_null = flat->validity && !(flat->validity[row / 64] >> row % 64 & 1);
    int64_t v = ((int64_t *)flat->values)[row];
    tensor_unref(flat);
    return v;
}

/* Columns: 0 flat, 1 and 2 indexed over one base each with the same index, 3 over a base of each
 * chunk's own, 4 nobody needs. */
TEST(rows_in_order_and_indexes_kept)
{
    fixture f;
    chunk *parts[3], *whole;
    start(&f);
    tensor *left = numbers(&f, 0, 100), *right = numbers(&f, 5, 100);
    for (uint32_t i = 0; i < 3; i++) {
        uint64_t rows = 2 + i;
        tensor *own = numbers(&f, 1000 * (int64_t)i, 100);
        row_index *index = rows_from(&f, 10 * i, rows, i == 1);
        parts[i] = new_chunk(5, rows);
        parts[i]->columns[0] = numbers(&f, 7000 + 100 * (int64_t)i, rows);
        parts[i]->columns[1] = indexed(&f, left, 100, index, rows);
        parts[i]->columns[2] = indexed(&f, right, 100, index, rows);
        parts[i]->columns[3] = indexed(&f, own, 100, index, rows);
        tensor_unref(own);
        row_index_unref(index);
    }
    CHECK_OK(chunk_combine(f.stream, parts, 3, "test", &whole));
    CHECK_EQ(whole->rows.bound, 9);
    CHECK_EQ(whole->columns[1]->form, TENSOR_INDEXED);
    CHECK(whole->columns[1]->base == left && whole->columns[2]->base == right);
    CHECK(whole->columns[1]->index == whole->columns[2]->index);
    CHECK_EQ(whole->columns[3]->form, TENSOR_FLAT);
    CHECK(!whole->columns[4]);
    for (uint64_t i = 0, row = 0; i < 3; i++)
        for (uint64_t r = 0; r < 2 + i; r++, row++) {
            bool is_null, expects_null = i == 1 && r == 0;
            int64_t at = (int64_t)(10 * i + r) * 10;
            CHECK_EQ(value_at(&f, whole->columns[0], 9, row, &is_null), 7000 + 100 * i + r * 10);
            int64_t v = value_at(&f, whole->columns[1], 9, row, &is_null);
            CHECK(is_null == expects_null && (is_null || v == at));
            v = value_at(&f, whole->columns[2], 9, row, &is_null);
            CHECK(is_null == expects_null && (is_null || v == at + 5));
            v = value_at(&f, whole->columns[3], 9, row, &is_null);
            CHECK(is_null == expects_null && (is_null || v == at + 1000 * (int64_t)i));
        }
    for (int i = 0; i < 3; i++)
        chunk_free(parts[i]);
    chunk_free(whole);
    tensor_unref(left);
    tensor_unref(right);
    finish(&f);
}
