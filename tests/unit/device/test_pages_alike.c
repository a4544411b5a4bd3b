/* test_pages_alike.c - kernels of Parquet's pages, one at a time and all of a column at once, compared with the scalar ones.
 * test_label: not-tsan release */
#include "device/kernels/parquet_numbers.h"
#include "device/kernels/parquet_page.h"
#include "kernel_tables.h"
#include "kernels_alike.h"

#define PAGES 3
#define PAGE_BYTES 8192
#define ROWS_MOST (PAGES * 512)

typedef const dev_kernel_function *tables;

#define TEST_ALIKE(name)                                                                           \
    static void launch_##name(tables t, alike_output *o);                                          \
    TEST(name##_is_the_scalar_one)                                                                 \
    {                                                                                              \
        alike_check(#name, launch_##name);                                                         \
    }                                                                                              \
    static void launch_##name(tables t, alike_output *o)

static const uint32_t rows_of_page[PAGES] = {256, 512, 192};
#define ROWS (256 + 512 + 192)

/* Pages of a kind, whose values begin at byte values_at, in random bytes. */
static uint8_t *make_pages(parquet_page_kind kind, uint32_t values_at, parquet_page *pages)
{
    uint8_t *stored = alike_bytes(PAGES * PAGE_BYTES);
    uint64_t row = 0;
    for (uint32_t i = 0; i < PAGES; i++) {
        pages[i] = (parquet_page){.stored_at = i * PAGE_BYTES,
                                  .stored_bytes = PAGE_BYTES,
                                  .unpacked_bytes = PAGE_BYTES,
                                  .first_row = row,
                                  .row_count = rows_of_page[i],
                                  .valid_count = rows_of_page[i],
                                  .values_at = values_at,
                                  .location = i,
                                  .dictionary_rows = 256,
                                  .dictionary_first = 7 * i,
                                  .kind = (uint8_t)kind};
        row += rows_of_page[i];
    }
    return stored;
}

/* Makes the pages' rows so many times as many: several parts of them, which blocks share. */
#define TIMES 10
static void make_long(parquet_page *pages)
{
    for (uint32_t i = 0; i < PAGES; i++) {
        pages[i].first_row *= TIMES;
        pages[i].row_count *= TIMES;
        pages[i].valid_count *= TIMES;
    }
}

/* A run of bit-packed codes, whose bits are whatever is there: its header, for a count that is a multiple of 8. */
static uint8_t *add_run(uint8_t *at, uint32_t count)
{
    uint32_t header = count / 8 << 1 | 1;
    *at++ = (uint8_t)(header & 127) | 128;
    *at++ = (uint8_t)(header >> 7);
    return at;
}

static uint8_t *add_varint(uint8_t *at, uint64_t number)
{
    for (; number > 127; number >>= 7)
        *at++ = (uint8_t)(number & 127) | 128;
    *at++ = (uint8_t)number;
    return at;
}

/* DELTA_BINARY_PACKED: so many values, differences of 8 bits each. The byte after them. */
static uint8_t *add_deltas(uint8_t *at, uint32_t count)
{
    at = add_varint(add_varint(add_varint(add_varint(at, 128), 4), count), 84);
    for (uint32_t done = 1; done < count; done += 128) {
        at = add_varint(at, 3);
        memset(at, 8, 4);
        at += 4;
        at += 128;
    }
    return at;
}

TEST_ALIKE(parquet_levels)
{
    uint8_t *page = alike_bytes(PAGE_BYTES);
    add_run(page, 512);
    ALIKE(t, parquet_levels, .page = page, .page_bytes = PAGE_BYTES, .level_bytes = 2 + 64,
          .row_count = 512, .validity = alike_take(o, 64), .words = alike_take(o, 16),
          ALIKE_FAILURES);
    ALIKE(t, parquet_levels, .page = page, .page_bytes = PAGE_BYTES, .level_start = 100,
          .level_bytes = 64, .is_bit_packed = true, .row_count = 512, .validity = alike_take(o, 64),
          .words = alike_take(o, 16), ALIKE_FAILURES);
}

TEST_ALIKE(parquet_batch_levels)
{
    static parquet_page pages[PAGES];
    uint8_t *stored = make_pages(PARQUET_PAGE_PLAIN, 0, pages);
    for (uint32_t i = 0; i < PAGES; i++) {
        add_run(stored + i * PAGE_BYTES, pages[i].row_count);
        pages[i].levels = i == 1 ? PARQUET_LEVELS_NONE : PARQUET_LEVELS_READ;
        pages[i].level_form = PARQUET_LEVEL_RUNS;
        pages[i].level_bytes = 2 + pages[i].row_count / 8;
    }
    ALIKE(t, parquet_batch_levels, .stored = stored, .pages = pages, .page_count = PAGES,
          .row_count = ROWS, .validity = alike_take(o, ROWS / 8), .error = &o->error);
    uint32_t *words = alike_take(o, PAGES * 8);
    for (uint32_t i = 0; i < PAGES; i++) {
        words[2 * i] = pages[i].valid_count;
        words[2 * i + 1] = pages[i].values_at;
    }
}

TEST_ALIKE(parquet_booleans)
{
    uint8_t *page = alike_bytes(PAGE_BYTES);
    uint32_t bytes = 2 + 64;
    memcpy(page, &bytes, 4);
    add_run(page + 4, 512);
    ALIKE(t, parquet_booleans, .page = page, .page_bytes = PAGE_BYTES,
          .words = (uint64_t[2]){500, 0}, .out = alike_take(o, 512 / 8), ALIKE_FAILURES);
}

TEST_ALIKE(parquet_batch_codes)
{
    static parquet_page pages[PAGES];
    uint8_t *stored = make_pages(PARQUET_PAGE_CODES, 0, pages);
    for (uint32_t i = 0; i < PAGES; i++) {
        stored[i * PAGE_BYTES] = (uint8_t)(6 + i);
        add_run(stored + i * PAGE_BYTES + 1, pages[i].row_count);
    }
    ALIKE(t, parquet_batch_codes, .stored = stored, .pages = pages, .page_count = PAGES,
          .out = alike_take(o, ROWS * 4), .error = &o->error);
}

TEST_ALIKE(parquet_batch_plain)
{
    static parquet_page pages[PAGES];
    uint8_t *stored = make_pages(PARQUET_PAGE_PLAIN, 8, pages);
    const struct {
        uint8_t physical, conversion;
        data_type type;
    } forms[] = {
        {PQ_INT32, PQ_CONVERT_NONE, type_make(TYPE_INT32)},
        {PQ_INT32, PQ_CONVERT_NONE, type_decimal(9, 2)},
        {PQ_INT64, PQ_CONVERT_NONE, type_make(TYPE_INT64)},
        {PQ_DOUBLE, PQ_CONVERT_NONE, type_make(TYPE_DOUBLE)},
    };
    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++)
        ALIKE(t, parquet_batch_plain, .stored = stored, .pages = pages, .page_count = PAGES,
              .kinds = PARQUET_PAGE_KIND(PLAIN), .physical = forms[i].physical,
              .conversion = forms[i].conversion, .type = forms[i].type,
              .out = alike_take(o, ROWS * forms[i].type.width), .error = &o->error);
    ALIKE(t, parquet_batch_plain, .stored = stored, .pages = pages, .page_count = PAGES,
          .kinds = PARQUET_PAGE_KIND(PLAIN), .physical = PQ_BOOLEAN, .type = type_make(TYPE_BOOL),
          .out = alike_take(o, ROWS / 8), .error = &o->error);
}

TEST_ALIKE(parquet_batch_delta)
{
    static parquet_page pages[PAGES];
    uint8_t *stored = make_pages(PARQUET_PAGE_DELTA, 5, pages);
    for (uint32_t i = 0; i < PAGES; i++)
        add_deltas(stored + i * PAGE_BYTES + 5, pages[i].row_count);
    ALIKE(t, parquet_batch_delta, .stored = stored, .pages = pages, .page_count = PAGES,
          .kinds = PARQUET_PAGE_KIND(DELTA), .width = 8, .out = alike_take(o, ROWS * 8),
          .error = &o->error);
    uint64_t *ends = alike_take(o, PAGES * 8);
    for (uint32_t i = 0; i < PAGES; i++)
        ends[i] = pages[i].second_at;
}

TEST_ALIKE(parquet_split)
{
    uint8_t *page = alike_bytes(PAGE_BYTES);
    for (uint32_t width = 4; width <= 12; width += 4)
        ALIKE(t, parquet_split, .page = page, .page_bytes = 3 + 512 * width,
              .words = (uint64_t[2]){512, 3}, .width = width, .out = alike_take(o, 512 * width),
              ALIKE_FAILURES);
}

TEST_ALIKE(parquet_batch_split)
{
    static parquet_page pages[PAGES];
    uint8_t *stored = make_pages(PARQUET_PAGE_SPLIT, 3, pages);
    for (uint32_t i = 0; i < PAGES; i++)
        pages[i].stored_bytes = pages[i].unpacked_bytes = 3 + pages[i].row_count * 8;
    ALIKE(t, parquet_batch_split, .stored = stored, .pages = pages, .page_count = PAGES, .width = 8,
          .out = alike_take(o, ROWS * 8), .error = &o->error);
}

/* Lengths of values, and of what each shares with the one before it. */
static int32_t *make_lengths(size_t count, uint32_t below)
{
    return (int32_t *)alike_numbers(count, below);
}

TEST_ALIKE(parquet_strings)
{
    const uint8_t *page = alike_bytes(PAGE_BYTES);
    const int32_t *lengths = make_lengths(256, 30);
    ALIKE(t, parquet_strings, .source = page, .page_bytes = PAGE_BYTES,
          .words = (uint64_t[2]){256, 0}, .start = (uint64_t[1]){9}, .lengths = lengths,
          .type = type_make(TYPE_BLOB), .out = alike_take_texts(o, 256), ALIKE_FAILURES);
}

TEST_ALIKE(parquet_batch_strings)
{
    static parquet_page pages[PAGES];
    uint8_t *stored = make_pages(PARQUET_PAGE_LENGTHS, 0, pages);
    const int32_t *lengths = make_lengths(TIMES * ROWS, 2);
    make_long(pages);
    for (uint32_t i = 0; i < PAGES; i++)
        pages[i].second_at = pages[i].tail_at = 11 + i;
    ALIKE(t, parquet_batch_strings, .stored = stored, .pages = pages, .page_count = PAGES,
          .lengths = lengths, .type = type_make(TYPE_BLOB),
          .out = alike_take_texts(o, TIMES * ROWS), .error = &o->error);
}

/* Values of which each has the first bytes of the one before. */
TEST_ALIKE(parquet_batch_prefix_copy)
{
    static parquet_page pages[PAGES];
    uint8_t *stored = make_pages(PARQUET_PAGE_PREFIXES, 0, pages);
    int32_t *prefixes = make_lengths(ROWS, 1), *suffixes = make_lengths(ROWS, 14);
    int32_t *lengths = alike_take(o, ROWS * 4);
    uint64_t *total = alike_take(o, 8), row = 0;
    memcpy(lengths, suffixes, ROWS * 4);
    for (uint32_t i = 0; i < PAGES; i++) {
        pages[i].second_at = pages[i].tail_at = 5 + i;
        int32_t before = 0;
        for (uint32_t k = 0; k < pages[i].row_count; k++, row++) {
            prefixes[row] = (int32_t)test_random_below((uint64_t)before + 1);
            before = prefixes[row] + suffixes[row];
        }
    }
    ALIKE(t, parquet_batch_prefix_bytes, .pages = pages, .page_count = PAGES, .prefixes = prefixes,
          .lengths = lengths, .out_bytes = total, .error = &o->error);
    uint64_t *places = alike_take(o, PAGES * 16);
    for (uint32_t i = 0; i < PAGES; i++) {
        places[2 * i] = pages[i].text_bytes;
        places[2 * i + 1] = pages[i].text_at;
    }
    CHECK(*total && *total < ALIKE_BYTES / 4);
    ALIKE(t, parquet_batch_prefix_copy, .stored = stored, .pages = pages, .page_count = PAGES,
          .prefixes = prefixes, .lengths = lengths, .out = alike_take(o, *total));
}

TEST_ALIKE(parquet_batch_spread)
{
    static parquet_page pages[PAGES];
    static const uint8_t widths[] = {0, 4, 8, 16};
    const void *dense = alike_bytes(TIMES * ROWS * 16);
    make_pages(PARQUET_PAGE_PLAIN, 0, pages);
    make_long(pages);
    const uint64_t *validity = alike_bits(TIMES * ROWS);
    for (size_t i = 0; i < sizeof widths; i++)
        ALIKE(t, parquet_batch_spread, .pages = pages, .page_count = PAGES, .width = widths[i],
              .dense = dense, .validity = validity, .row_count = TIMES * ROWS,
              .out = alike_take(o, TIMES * (widths[i] ? ROWS * widths[i] : ROWS / 8)));
}

TEST_ALIKE(parquet_spread)
{
    static const uint8_t widths[] = {0, 1, 4, 8, 16};
    const void *dense = alike_bytes(ROWS * 16);
    const uint64_t *validity = alike_bits(ROWS);
    for (size_t i = 0; i < sizeof widths; i++)
        ALIKE(t, parquet_spread, .width = widths[i], .dense = dense, .validity = validity,
              .row_count = ROWS, .fill_low = 7 * (widths[i] == 4),
              .out = alike_take(o, widths[i] ? ROWS * widths[i] : ROWS / 8));
}

/* Which error there is, after values that are right and one that is wrong. */
static void note_error(alike_output *o)
{
    uint64_t *found = alike_take(o, 24);
    found[0] = atomic_load(&o->error.code);
    found[1] = found[0] ? o->error.detail : 0;
    found[2] = found[0] ? o->error.location : 0;
    memset(&o->error, 0, sizeof o->error);
}

TEST_ALIKE(parquet_check_bounds)
{
    int64_t *values = alike_bytes(ROWS * 8);
    for (size_t i = 0; i < ROWS; i++)
        values[i] %= 1000;
    for (unsigned i = 0; i < 2; i++) {
        ALIKE(t, parquet_check_bounds, .type = type_make(TYPE_INT64), .values = values,
              .words = (uint64_t[2]){ROWS, 0}, .minimum = -1000, .maximum = 1000, ALIKE_FAILURES);
        note_error(o);
        values[700] = 1001;
    }
}

TEST_ALIKE(parquet_batch_bounds)
{
    static parquet_page pages[PAGES];
    make_pages(PARQUET_PAGE_PLAIN, 0, pages);
    int32_t *values = alike_bytes(ROWS * 4);
    for (size_t i = 0; i < ROWS; i++)
        values[i] %= 1000;
    for (unsigned i = 0; i < 2; i++) {
        ALIKE(t, parquet_batch_bounds, .pages = pages, .page_count = PAGES,
              .kinds = PARQUET_PAGE_KIND(PLAIN), .type = type_make(TYPE_INT32), .values = values,
              .minimum = -1000, .maximum = 1000, .error = &o->error);
        note_error(o);
        values[700] = 1001;
    }
}

static string_view *texts_with_a_wrong_one(bool is_wrong)
{
    string_view *values = alike_texts(ROWS, 30);
    if (is_wrong)
        values[700] = string_view_make("abc\xff", 4);
    return values;
}

TEST_ALIKE(parquet_check_text)
{
    for (unsigned i = 0; i < 2; i++) {
        const string_view *values = texts_with_a_wrong_one(i);
        ALIKE(t, parquet_check_text, .values = values, .words = (uint64_t[2]){ROWS, 0}, .first = 17,
              ALIKE_FAILURES);
        note_error(o);
    }
}

TEST_ALIKE(parquet_batch_text)
{
    static parquet_page pages[PAGES];
    make_pages(PARQUET_PAGE_PLAIN, 0, pages);
    for (unsigned i = 0; i < 2; i++) {
        const string_view *values = texts_with_a_wrong_one(i);
        ALIKE(t, parquet_batch_text, .pages = pages, .page_count = PAGES,
              .kinds = PARQUET_PAGE_KIND(PLAIN), .values = values, .error = &o->error);
        note_error(o);
    }
}

TEST_ALIKE(parquet_run_rows)
{
    static const parquet_run runs[] = {{100, 0, 77}, {5000, 77, 1}, {9, 78, 1500}};
    ALIKE(t, parquet_run_rows, .runs = runs, .run_count = 3, .out = alike_take(o, 1578 * 4));
}
