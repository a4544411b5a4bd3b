/* fuzz_parquet_file.c - any bytes as a Parquet file: refused, or each column decodes to as many
 * rows as the row group has, or is refused; scalar and vector kernels agree on which, and on the
 * values. */
#include "device/tensor.h"
#include "fuzz.h"
#include "parquet/read/column.h"
#include "parquet/read/nested_column.h"

#define BUDGET_BYTES ((uint64_t)64 << 20)
#define ROW_COUNT_MAX 100000 /* a footer may promise any number of rows */

typedef struct reader {
    mem_budget *budget;
    device *dev;
    dev_stream *stream;
} reader;

static reader reader_open(const char *isa)
{
    reader r;
    FUZZ_CHECK(!mem_budget_new(BUDGET_BYTES, &r.budget));
    FUZZ_CHECK(!dev_open_cpu(isa, 0, r.budget, &r.dev));
    FUZZ_CHECK(!r.dev->ops->stream_open(r.dev, &r.stream));
    return r;
}

static void reader_close(reader *r)
{
    r->dev->ops->stream_close(r->stream);
    dev_close(r->dev);
    FUZZ_CHECK(mem_budget_used(r->budget) == 0);
    mem_budget_free(r->budget);
}

/* Values of lists, structs and maps are rows of their children, and so on down. */
static void check_children(const tensor *t, uint64_t rows)
{
    if (t->form == TENSOR_INDEXED) {
        for (uint64_t i = 0; i < rows; i++)
            FUZZ_CHECK(t->index->rows[i] == ROW_NULL || t->index->rows[i] < t->base_rows);
        return;
    }
    if (!type_is_nested(t->type) || t->form != TENSOR_FLAT)
        return;
    const nested_value *values = t->values;
    for (uint64_t i = 0; i < rows; i++)
        FUZZ_CHECK((uint64_t)values[i].offset + values[i].length <= t->heap->child_rows);
    for (uint32_t i = 0; i < t->heap->child_count; i++)
        check_children(t->heap->children[i], t->heap->child_rows);
}

/* Lists, structs and maps: the whole row group, as slices of two sizes. */
static tensor *decode_nested(reader *r, const pq_table *table, pq_row_group_ref group_ref,
                             uint32_t column, pq_row_range range)
{
    dev_error error = {.code = DEV_ERROR_NONE};
    pq_nested_column *opened = NULL;
    tensor *first = NULL, *rest = NULL;
    uint64_t half = (range.end - range.first) / 2;
    bool is_taken = fuzz_settle(pq_nested_open(r->stream, table, group_ref, column,
                                               (pq_column_use){.error = &error}, &opened));
    if (is_taken && half)
        is_taken = fuzz_settle(pq_nested_slice(opened, range.first, half, &first));
    if (is_taken && half)
        check_children(first, half);
    is_taken = is_taken && fuzz_settle(pq_nested_slice(opened, range.first + half,
                                                       range.end - range.first - half, &rest));
    if (is_taken)
        check_children(rest, range.end - range.first - half);
    tensor_unref(first);
    tensor_unref(rest);
    pq_nested_close(opened);
    return NULL;
}

/* The column's values in rows of one row group, flat; NULL: refused, or nested. */
static tensor *decode(reader *r, const pq_table *table, pq_row_group_ref group_ref, uint32_t column,
                      pq_row_range range)
{
    uint64_t rows = range.end - range.first;
    pq_row_list list = {&range, 1, 1};
    dev_error error = {.code = DEV_ERROR_NONE};
    pq_column *chunk = NULL;
    tensor *encoded = NULL, *flat = NULL;
    if (type_is_nested(table->columns.items[column].type))
        return decode_nested(r, table, group_ref, column, range);
    int is_taken =
        fuzz_settle(pq_table_check_column(table, column)) &&
        fuzz_settle(pq_column_open(r->stream, table, group_ref, column,
                                   (pq_column_use){.error = &error, .rows = &list}, &chunk)) &&
        fuzz_settle(pq_column_slice(chunk, range.first, rows, &encoded)) &&
        error.code == DEV_ERROR_NONE &&
        fuzz_settle(tensor_flatten(r->stream, encoded, dev_count_exact(rows), &flat));
    tensor_unref(encoded);
    pq_column_close(chunk);
    return is_taken ? flat : NULL;
}

static bool is_null_at(const tensor *t, uint64_t row)
{
    return t->form == TENSOR_CONSTANT ? t->constant.is_null
                                      : t->validity && !(t->validity[row / 64] >> row % 64 & 1);
}

static bool same_value(const tensor *a, const tensor *b, uint64_t row)
{
    if (is_null_at(a, row) != is_null_at(b, row))
        return false;
    if (is_null_at(a, row) || a->form == TENSOR_CONSTANT)
        return true;
    if (a->type.id == TYPE_BOOL) {
        const uint64_t *left = a->values, *right = b->values;
        return (left[row / 64] >> row % 64 & 1) == (right[row / 64] >> row % 64 & 1);
    }
    if (type_is_text(a->type)) {
        const string_view *left = (const string_view *)a->values + row,
                          *right = (const string_view *)b->values + row;
        return left->bytes == right->bytes &&
               memcmp(string_data(left), string_data(right), left->bytes) == 0;
    }
    size_t width = a->type.width;
    return memcmp((const char *)a->values + row * width, (const char *)b->values + row * width,
                  width) == 0;
}

static void check_column(reader *scalar, reader *vector, const pq_table *table,
                         pq_row_group_ref group_ref, uint32_t column)
{
    uint64_t rows =
        table->files.items[group_ref.file].metadata->row_groups[group_ref.row_group].row_count;
    if (rows > ROW_COUNT_MAX)
        return;
    tensor *left = decode(scalar, table, group_ref, column, (pq_row_range){0, rows});
    tensor *right = decode(vector, table, group_ref, column, (pq_row_range){0, rows});
    FUZZ_CHECK(!left == !right);
    if (left) {
        FUZZ_CHECK(left->form == right->form);
        for (uint64_t row = 0; row < rows; row++)
            FUZZ_CHECK(same_value(left, right, row));
    }
    tensor_unref(left);
    tensor_unref(right);
    /* Only the pages of some rows: whatever the page index says of them. */
    if (rows > 2)
        tensor_unref(
            decode(vector, table, group_ref, column, (pq_row_range){rows / 3, rows / 3 * 2}));
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length)
{
    uint64_t blocks = mem_in_use();
    fuzz_file f = fuzz_file_open(bytes, length);
    pq_table *table = NULL;
    if (fuzz_settle(pq_table_open(f.path, false, &table))) {
        reader scalar = reader_open("scalar"), vector = reader_open("auto");
        for (size_t m = 0; m < table->row_groups.count && m < 4; m++)
            for (uint32_t c = 0; c < table->columns.count && c < 32; c++)
                check_column(&scalar, &vector, table, table->row_groups.items[m], c);
        reader_close(&scalar);
        reader_close(&vector);
    }
    pq_table_close(table);
    fuzz_file_close(&f);
    FUZZ_CHECK(mem_in_use() == blocks);
    return 0;
}
