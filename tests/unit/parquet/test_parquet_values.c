/* test_parquet_values.c - files of other writers, decoded on each device, slice by slice: the
 * values that tests/parquet/make_fixtures.py says are in them. */
#include "device/chunk.h"
#include "device/transfer.h"
#include "parquet/read/batch.h"
#include "parquet/read/batch_decode.h"
#include "parquet_reader.h"

#include <unistd.h>

typedef struct text {
    char *bytes;
    size_t count, capacity;
} text;

static void append(text *t, const char *bytes, size_t count)
{
    if (t->count + count + 1 > t->capacity) {
        t->capacity = (t->count + count + 1) * 2;
        t->bytes = mem_resize(t->bytes, t->capacity);
        CHECK(t->bytes != NULL);
    }
    memcpy(t->bytes + t->count, bytes, count);
    t->count += count;
    t->bytes[t->count] = 0;
}

static char *load(const char *path)
{
    file *f;
    CHECK_OK(file_open(path, &f));
    char *bytes = mem_new(f->bytes + 1);
    CHECK(bytes != NULL);
    CHECK_OK(file_read(f, 0, bytes, f->bytes));
    file_close(f);
    return bytes;
}

static uint64_t hash_of(const text *t)
{
    uint64_t number = 0xcbf29ce484222325;
    for (size_t i = 0; i < t->count; i++)
        number = (number ^ (uint8_t)t->bytes[i]) * 0x100000001b3;
    return number;
}

/* ---- reading ---- */

static void *to_host(parquet_reader *r, const void *source, size_t bytes)
{
    return test_to_host(r->stream, source, bytes);
}

/* Strings' bytes, wherever the device has them, as blob literals: copied by way of a concatenation
 * whose heap is one buffer. */
static tensor *gather_strings(parquet_reader *r, tensor *t, uint64_t rows)
{
    chunk *one, *whole;
    CHECK_OK(chunk_new(1, dev_count_exact(rows), &one));
    one->columns[0] = tensor_ref(t);
    CHECK_OK(chunk_concat(r->stream, &one, 1, "test", &whole));
    tensor *result = tensor_ref(whole->columns[0]);
    chunk_free(one);
    chunk_free(whole);
    return result;
}

static void append_string(text *out, const string_view *view, const char *heap,
                          const char *heap_address)
{
    static const char digits[] = "0123456789abcdef";
    const char *data = view->inlined;
    if (view->bytes > STRING_INLINE_BYTES)
        data = heap + (view->data - heap_address);
    append(out, "x", 1);
    for (uint32_t i = 0; i < view->bytes; i++) {
        char pair[] = {digits[(uint8_t)data[i] >> 4], digits[(uint8_t)data[i] & 15]};
        append(out, pair, 2);
    }
}

static void append_value(text *out, data_type type, const void *values, uint64_t row)
{
    char buffer[INT128_TEXT_BYTES];
    int128 number = 0;
    if (type.id == TYPE_BOOL) {
        number = ((const uint64_t *)values)[row / 64] >> (row % 64) & 1;
    } else if (type.id == TYPE_FLOAT || type.id == TYPE_DOUBLE) {
        const float *floats = values;
        const double *doubles = values;
        if (type.id == TYPE_FLOAT ? floats[row] != floats[row] : doubles[row] != doubles[row]) {
            append(out, "nan", 3);
            return;
        }
        memcpy(&number, (const char *)values + row * type.width, type.width);
    } else {
        const char *at = (const char *)values + row * type.width;
        memcpy(&number, at, type.width);
        bool is_signed = type.id < TYPE_UINT8 || type.id > TYPE_UINT64;
        if (is_signed && type.width < 16 && at[type.width - 1] & 0x80)
            number -= (int128)1 << (type.width * 8);
    }
    append(out, buffer, int128_format(number, 0, buffer));
}

/* The values of a slice, one text a row. */
static void append_slice(parquet_reader *r, tensor *t, uint64_t rows, text *cells)
{
    tensor *flat;
    CHECK_OK(tensor_flatten(r->stream, t, dev_count_exact(rows), &flat));
    bool is_text = type_is_text(flat->type);
    if (is_text) {
        tensor *gathered = gather_strings(r, flat, rows);
        tensor_unref(flat);
        flat = gathered;
    }
    size_t bytes = flat->type.width ? rows * flat->type.width : (rows + 63) / 64 * 8;
    void *values = to_host(r, flat->values, bytes);
    uint64_t *validity = flat->validity ? to_host(r, flat->validity, (rows + 63) / 64 * 8) : NULL;
    dev_buffer *heap = flat->heap ? flat->heap->buffers[0] : NULL;
    char *heap_bytes = heap ? to_host(r, heap->address, heap->bytes) : NULL;
    for (uint64_t i = 0; i < rows; i++) {
        if (validity && !(validity[i / 64] >> (i % 64) & 1))
            append(&cells[i], "-", 1);
        else if (is_text)
            append_string(&cells[i], (string_view *)values + i, heap_bytes,
                          heap ? heap->address : NULL);
        else
            append_value(&cells[i], flat->type, values, i);
    }
    mem_free(values);
    mem_free(validity);
    mem_free(heap_bytes);
    tensor_unref(flat);
}

static uint64_t rows_of(const parquet_reader *r, pq_row_group_ref group_ref)
{
    return r->table->files.items[group_ref.file]
        .metadata->row_groups[group_ref.row_group]
        .row_count;
}

/* The step of pages that are placed in the device's memory, and decoded from there twice. */
#define PLACED 0

/* Closes the batch, which they outlive. */
static void append_placed(parquet_reader *r, pq_batch *batch, uint64_t rows, text *cells)
{
    pq_placed_pages *placed;
    tensor *first, *again;
    CHECK_OK(pq_batch_place(batch, &placed));
    pq_batch_close(batch);
    CHECK(pq_placed_pages_bytes(placed) > 0);
    CHECK_OK(pq_placed_pages_decode(placed, &first));
    CHECK_OK(pq_placed_pages_decode(placed, &again));
    tensor_unref(first);
    pq_placed_pages_free(placed);
    append_slice(r, again, rows, cells);
    tensor_unref(again);
}

/* Appends a column of all row groups at once, as lazy devices read it. gap: of each 2 * gap rows of a row group only
 * the first half; 0: all. */
static void append_batch(parquet_reader *r, uint32_t column, uint64_t step, uint64_t gap,
                         text *cells)
{
    uint32_t count = (uint32_t)r->table->row_groups.count;
    pq_batch_part *parts = mem_new_array(count + 1, sizeof *parts);
    pq_row_list *rows = mem_new_array(count + 1, sizeof *rows);
    uint64_t *cell_of = mem_new_array(r->table->row_count + 1, sizeof *cell_of);
    uint64_t all = 0, before = 0;
    for (uint32_t i = 0; i < count; i++) {
        pq_row_group_ref group_ref = r->table->row_groups.items[i];
        uint64_t group_rows = rows_of(r, group_ref), length = gap ? gap : group_rows;
        parts[i] = (pq_batch_part){.group_ref = group_ref, .rows = &rows[i]};
        for (uint64_t at = 0; at < group_rows; at += 2 * length) {
            uint64_t end = group_rows - at < length ? group_rows : at + length;
            CHECK_OK(array_push(NULL, &rows[i], ((pq_row_range){at, end})));
            for (uint64_t k = at; k < end; k++)
                cell_of[all++] = before + k;
        }
        before += group_rows;
    }
    pq_batch *batch = NULL;
    if (all)
        CHECK_OK(pq_batch_open(
            r->stream, r->table, column,
            (pq_batch_use){.error = r->error->address, .parts = parts, .part_count = count},
            &batch));
    if (all && step == PLACED) {
        append_placed(r, batch, all, cells);
        batch = NULL;
    }
    for (uint64_t first = 0; first < all && step != PLACED; first += step) {
        uint64_t slice_rows = all - first < step ? all - first : step;
        text *slice = mem_new_array(slice_rows, sizeof *slice);
        tensor *t;
        CHECK_OK(pq_batch_slice(batch, first, slice_rows, &t));
        append_slice(r, t, slice_rows, slice);
        tensor_unref(t);
        for (uint64_t i = 0; i < slice_rows; i++) {
            append(&cells[cell_of[first + i]], slice[i].bytes, slice[i].count);
            mem_free(slice[i].bytes);
        }
        mem_free(slice);
    }
    pq_batch_close(batch);
    for (uint32_t i = 0; i < count; i++)
        array_release(&rows[i]);
    mem_free(cell_of);
    mem_free(rows);
    mem_free(parts);
}

static void append_column(parquet_reader *r, uint32_t column, uint64_t step, text *cells)
{
    if (!r->dev->is_host) {
        append_batch(r, column, step, 0, cells);
        return;
    }
    for (size_t m = 0; m < r->table->row_groups.count; m++) {
        pq_row_group_ref group_ref = r->table->row_groups.items[m];
        uint64_t rows = rows_of(r, group_ref);
        pq_column *c;
        CHECK_OK(pq_column_open(r->stream, r->table, group_ref, column,
                                (pq_column_use){.error = r->error->address}, &c));
        for (uint64_t first = 0; first < rows; first += step) {
            uint64_t count = rows - first < step ? rows - first : step;
            tensor *t;
            CHECK_OK(pq_column_slice(c, first, count, &t));
            append_slice(r, t, count, cells + first);
            tensor_unref(t);
        }
        pq_column_close(c);
        cells += rows;
    }
}

static void read_all(const char *path, const char *isa, uint64_t step, text *out)
{
    parquet_reader r;
    uint64_t error[2];
    parquet_reader_open(&r, path, isa);
    uint64_t rows = r.table->row_count;
    text *cells = mem_new_array(rows + 1, sizeof *cells);
    for (uint32_t c = 0; c < r.table->columns.count; c++) {
        const char *name = r.table->columns.items[c].name;
        append(out, name, strlen(name));
        append(out, c + 1 == r.table->columns.count ? "\n" : "\t", 1);
        append_column(&r, c, step, cells);
        for (uint64_t i = 0; i < rows; i++)
            append(&cells[i], c + 1 == r.table->columns.count ? "\n" : "\t", 1);
    }
    CHECK_OK(dev_words_read(r.stream, r.error->address, error, 2));
    CHECK_EQ(error[0], 0);
    for (uint64_t i = 0; i < rows; i++) {
        append(out, cells[i].bytes, cells[i].count);
        mem_free(cells[i].bytes);
    }
    mem_free(cells);
    parquet_reader_close(&r);
}

/* ---- comparing ---- */

static void compare(const char *path, const char *isa, uint64_t step, const char *expected,
                    const char *actual)
{
    size_t line = 1, cell = 1;
    while (*expected && *expected == *actual) {
        cell = *expected == '\n' ? 1 : cell + (*expected == '\t');
        line += *expected == '\n';
        expected++;
        actual++;
    }
    if (*expected != *actual)
        test_fail(__FILE__, __LINE__,
                  "%s on %s by %" PRIu64
                  " rows: line %zu, column %zu: \"%.20s\", expected \"%.20s\"",
                  path, isa, step, line, cell, actual, expected);
}

static void check_file(const char *name, const char *expected)
{
    static const char *const isas[] = {"scalar", "auto", "simulated"};
    static const uint64_t steps[] = {PLACED, 1 << 20, 640, 64, 37};
    char path[1024];
    const char *found = path;
    snprintf(path, sizeof path, "%s/tests/data/parquet/%s.parquet", test_source(), name);
    if (!strncmp(name, "parquet-testing/", 16)) {
        snprintf(path, sizeof path, "data/%s.parquet", name);
        found = test_shared(path);
        if (!found)
            SKIP("the public Parquet test files are not there");
    }
    char *values = NULL;
    if (expected[0] != '=') {
        char text_path[1024];
        snprintf(text_path, sizeof text_path, "%s/tests/data/parquet/%s.txt", test_source(),
                 expected);
        values = load(text_path);
    }
    for (size_t i = 0; i < sizeof isas / sizeof *isas; i++)
        for (size_t s = 0; s < sizeof steps / sizeof *steps; s++) {
            /* The delays of the simulated device would add up to minutes. */
            bool is_simulated = !strcmp(isas[i], "simulated");
            if (is_simulated ? s > 2 : steps[s] == PLACED)
                continue;
            text actual = {0};
            read_all(found, isas[i], steps[s], &actual);
            if (values)
                compare(name, isas[i], steps[s], values, actual.bytes);
            else
                CHECK_EQ(hash_of(&actual), strtoull(expected + 1, NULL, 16));
            mem_free(actual.bytes);
        }
    mem_free(values);
}

static void check_files(bool are_public)
{
    char path[1024];
    snprintf(path, sizeof path, "%s/tests/data/parquet/files.txt", test_source());
    char *list = load(path), *rest = list, *line;
    while ((line = strsep(&rest, "\n")) && *line) {
        char *name = strsep(&line, " ");
        if (!strncmp(name, "parquet-testing/", 16) == are_public)
            check_file(name, line);
    }
    mem_free(list);
}

TEST(every_encoding_type_and_codec_of_other_writers)
{
    check_files(false);
}

TEST(public_files_have_their_documented_values)
{
    if (!test_shared("data/parquet-testing"))
        SKIP("the public Parquet test files are not there");
    check_files(true);
}

/* ---- rows with gaps ---- */

static void check_gaps(const char *path, uint64_t gap, uint64_t step)
{
    parquet_reader host, device;
    parquet_reader_open(&host, path, "scalar");
    parquet_reader_open(&device, path, "simulated");
    uint64_t rows = host.table->row_count;
    for (uint32_t c = 0; c < host.table->columns.count; c++) {
        text *expected = mem_new_array(rows + 1, sizeof *expected);
        text *actual = mem_new_array(rows + 1, sizeof *actual);
        uint64_t found = 0;
        append_column(&host, c, 1 << 20, expected);
        append_batch(&device, c, step, gap, actual);
        for (uint64_t i = 0; i < rows; i++) {
            if (actual[i].count) {
                CHECK_TEXT_EQ(actual[i].bytes, expected[i].bytes);
                found++;
            }
            mem_free(actual[i].bytes);
            mem_free(expected[i].bytes);
        }
        CHECK(found >= rows / 2);
        mem_free(actual);
        mem_free(expected);
    }
    parquet_reader_close(&host);
    parquet_reader_close(&device);
}

/* Pages that are not wanted are not read, where there is a page index; slices go over the gaps. */
TEST(rows_with_gaps_of_several_row_groups_are_those_of_the_whole)
{
    char path[1024];
    snprintf(path, sizeof path, "%s/tests/data/parquet/files.txt", test_source());
    char *list = load(path), *rest = list, *line;
    while ((line = strsep(&rest, "\n")) && *line) {
        const char *name = strsep(&line, " ");
        if (!strncmp(name, "parquet-testing/", 16))
            continue;
        snprintf(path, sizeof path, "%s/tests/data/parquet/%s.parquet", test_source(), name);
        check_gaps(path, 64, 1 << 20);
        check_gaps(path, 192, 256);
    }
    mem_free(list);
}
