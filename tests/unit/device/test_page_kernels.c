/* test_page_kernels.c - pages of many values by every ISA and the CUDA device, against what was put into them: byte arrays
 * behind their lengths, and runs of codes as any writer may make them.
 * test_label: not-tsan release */
#include "device/kernels/parquet_page.h"
#include "kernel_tables.h"
#include "test.h"

#include "parquet/format/format.h"

#define SLACK 64 /* readable bytes that the kernels may count on */
#define SENTINEL 0xa5

static const char *const isas[] = {"scalar", "avx2", "avx512", "cuda"};
#define ISAS (sizeof isas / sizeof *isas)

typedef struct bytes {
    uint8_t *at;
    size_t count, room;
} bytes;

static void add(bytes *b, const void *source, size_t count)
{
    if (b->room < b->count + count + SLACK || !b->at) {
        b->room = 2 * (b->count + count + SLACK);
        b->at = mem_resize(b->at, b->room);
        CHECK(b->at);
    }
    if (count)
        memcpy(b->at + b->count, source, count);
    b->count += count;
}

static void add_number(bytes *b, uint64_t number, unsigned count)
{
    add(b, &number, count);
}

static void add_varint(bytes *b, uint64_t number)
{
    for (; number > 127; number >>= 7)
        add_number(b, (number & 127) | 128, 1);
    add_number(b, number, 1);
}

/* ---- two pages of a column at once, of the same bytes: the second one's values follow those of the first ---- */

#define NULLS 5 /* rows of a page that have no value */

typedef struct two_pages {
    parquet_page pages[2];
    dev_error error;
} two_pages;

static void make_two(two_pages *t, parquet_page_kind kind, uint32_t page_bytes, uint32_t values_at,
                     uint32_t count)
{
    memset(t, 0, sizeof *t);
    for (uint32_t i = 0; i < 2; i++)
        t->pages[i] = (parquet_page){.stored_bytes = page_bytes,
                                     .unpacked_bytes = page_bytes,
                                     .first_row = i * (count + NULLS),
                                     .row_count = count + NULLS,
                                     .valid_count = count,
                                     .values_at = values_at,
                                     .dictionary_first = 3 * i,
                                     .kind = (uint8_t)kind};
}

/* After the values of each page there are zeros, and after all rows nothing was written. */
static void check_two(const uint8_t *out, uint32_t count, size_t width)
{
    for (size_t page = 0; page < 2; page++)
        for (size_t i = 0; i < NULLS * width; i++)
            CHECK_EQ(out[(page * (count + NULLS) + count) * width + i], 0);
    for (size_t i = 0; i < width; i++)
        CHECK_EQ(out[2 * (count + NULLS) * width + i], SENTINEL);
}

/* ---- byte arrays ---- */

#define TEXTS 6000

typedef struct texts {
    bytes page;
    uint32_t count;
    uint32_t places[TEXTS + 1]; /* behind the lengths */
} texts;

/* A length of kind `kind`. */
static uint32_t length_of(unsigned kind)
{
    switch (kind) {
    case 0:
        return 10 + (uint32_t)test_random() % 34;
    case 1:
        return (uint32_t)test_random() % 3;
    case 2:
        return 0;
    case 3:
        return test_random() % 50 ? (uint32_t)test_random() % 20 : (uint32_t)test_random() % 5000;
    case 4:
        return test_random() % 200 ? 1 : 65530 + (uint32_t)test_random() % 12;
    default:
        return length_of((unsigned)test_random() % 5);
    }
}

/* Bytes of `noise`: letters, numbers that look like lengths, zeros, anything. */
static uint8_t byte_of(unsigned noise, uint32_t i)
{
    switch (noise) {
    case 0:
        return (uint8_t)('a' + test_random() % 26);
    case 1:
        return i % 4 ? 0 : (uint8_t)(test_random() % 5);
    case 2:
        return 0;
    default:
        return (uint8_t)test_random();
    }
}

static void make_texts(texts *t, unsigned kind, unsigned noise)
{
    *t = (texts){.count = 1 + (uint32_t)test_random() % TEXTS};
    add(&t->page, "abcde", test_random() % 6);
    t->places[0] = (uint32_t)t->page.count;
    for (uint32_t i = 0; i < t->count; i++) {
        uint32_t length = length_of(kind);
        add_number(&t->page, length, 4);
        for (uint32_t k = 0; k < length; k++)
            add_number(&t->page, byte_of(noise, k), 1);
        t->places[i + 1] = (uint32_t)t->page.count;
    }
}

static bool read_texts(dev_kernel_function kernel, const texts *t, const uint8_t *page,
                       uint32_t page_bytes, string_view *out)
{
    uint64_t words[2] = {t->count, t->places[0]};
    dev_error error = {.code = DEV_ERROR_NONE};
    memset(out, SENTINEL, (TEXTS + 1) * sizeof *out);
    kernel(&(parquet_plain_arguments){.page = page,
                                      .page_bytes = page_bytes,
                                      .words = words,
                                      .physical = PQ_BYTE_ARRAY,
                                      .type = type_make(TYPE_VARCHAR),
                                      .out = out,
                                      .error = &error});
    for (size_t i = 0; i < sizeof *out; i++)
        CHECK_EQ(((const uint8_t *)(out + t->count))[i], SENTINEL);
    return atomic_load(&error.code) == DEV_ERROR_NONE;
}

/* Each view says what the page has at its place. */
static void check_texts(const texts *t, const uint8_t *page, const string_view *views)
{
    for (uint32_t i = 0; i < t->count; i++) {
        const uint8_t *value = page + t->places[i] + 4;
        uint32_t length = t->places[i + 1] - t->places[i] - 4;
        CHECK_EQ(views[i].bytes, length);
        CHECK(!memcmp(string_data(&views[i]), value, length));
        CHECK(length <= STRING_INLINE_BYTES || string_data(&views[i]) == (const char *)value);
    }
}

static string_view views[TEXTS + 1], views_of_two[2 * (TEXTS + NULLS) + 1];

/* False: the pages are refused. Then there are views of the page's own bytes, or zeros. */
static bool read_two_texts(dev_kernel_function kernel, const texts *t, const uint8_t *page,
                           uint32_t page_bytes)
{
    static two_pages two;
    make_two(&two, PARQUET_PAGE_PLAIN, page_bytes, t->places[0], t->count);
    memset(views_of_two, SENTINEL, sizeof views_of_two);
    kernel(&(parquet_batch_plain_arguments){.stored = page,
                                            .pages = two.pages,
                                            .page_count = 2,
                                            .kinds = PARQUET_PAGE_KIND(PLAIN),
                                            .physical = PQ_BYTE_ARRAY,
                                            .type = type_make(TYPE_VARCHAR),
                                            .out = views_of_two,
                                            .error = &two.error});
    check_two((const uint8_t *)views_of_two, t->count, sizeof *views_of_two);
    return atomic_load(&two.error.code) == DEV_ERROR_NONE;
}

static void check_two_texts(dev_kernel_function kernel, const texts *t)
{
    CHECK(read_two_texts(kernel, t, t->page.at, (uint32_t)t->page.count));
    check_texts(t, t->page.at, views_of_two);
    check_texts(t, t->page.at, views_of_two + t->count + NULLS);
}

static void check_two_broken(dev_kernel_function kernel, const texts *t, const uint8_t *page,
                             uint32_t page_bytes)
{
    CHECK(!read_two_texts(kernel, t, page, page_bytes));
    for (uint32_t i = 0; i < 2 * (t->count + NULLS); i++) {
        const string_view *view = &views_of_two[i];
        const char *first = string_data(view), *begin = (const char *)page;
        CHECK(view->bytes <= STRING_INLINE_BYTES ||
              (first >= begin && first + view->bytes <= begin + page_bytes));
    }
}

TEST(byte_arrays_of_many_lengths)
{
    static texts t;
    for (size_t isa = 0; isa < ISAS; isa++) {
        dev_kernel_function kernel = test_kernel(isas[isa], DEV_KERNEL_parquet_plain);
        dev_kernel_function batch = test_kernel(isas[isa], DEV_KERNEL_parquet_batch_plain);
        for (unsigned round = 0; kernel && round < 24; round++) {
            make_texts(&t, round % 6, round / 6);
            CHECK(read_texts(kernel, &t, t.page.at, (uint32_t)t.page.count, views));
            check_texts(&t, t.page.at, views);
            add(&t.page, "\0\0\0\0\0\0\0\0", test_random() % 9); /* what is behind them */
            CHECK(read_texts(kernel, &t, t.page.at, (uint32_t)t.page.count, views));
            check_texts(&t, t.page.at, views);
            check_two_texts(batch, &t);
            mem_free(t.page.at);
        }
    }
}

/* The page breaks off, or a length says more than there is. */
TEST(byte_arrays_that_break_off)
{
    static texts t;
    static const string_view zero;
    for (size_t isa = 0; isa < ISAS; isa++) {
        dev_kernel_function kernel = test_kernel(isas[isa], DEV_KERNEL_parquet_plain);
        dev_kernel_function batch = test_kernel(isas[isa], DEV_KERNEL_parquet_batch_plain);
        for (unsigned round = 0; kernel && round < 24; round++) {
            make_texts(&t, round % 6, round / 6);
            uint32_t count = t.places[t.count];
            if (round % 2)
                count -= 1 + (uint32_t)test_random() % (count - t.places[0]);
            else
                t.page.at[t.places[test_random() % t.count] + 3] = test_random() % 2 ? 0x7f : 0xff;
            uint8_t *page = mem_new(count + SLACK);
            CHECK(page);
            memcpy(page, t.page.at, count);
            CHECK(!read_texts(kernel, &t, page, count, views));
            for (uint32_t i = 0; i < t.count; i++)
                CHECK(!memcmp(&views[i], &zero, sizeof zero));
            check_two_broken(batch, &t, page, count);
            mem_free(page);
            mem_free(t.page.at);
        }
    }
}

/* ---- numbers ---- */

#define NUMBERS 9000

/* Values of `width` bytes from any byte of the page on, as they are. */
TEST(numbers_of_two_pages)
{
    static _Alignas(8) uint8_t out[(2 * (NUMBERS + NULLS) + 1) * 8];
    static two_pages two;
    for (size_t isa = 0; isa < ISAS; isa++) {
        dev_kernel_function kernel = test_kernel(isas[isa], DEV_KERNEL_parquet_batch_plain);
        for (uint32_t round = 0; kernel && round < 40; round++) {
            uint32_t width = round % 2 ? 8 : 4, count = (uint32_t)test_random() % NUMBERS,
                     at = round / 2 % 9;
            bytes page = {0};
            for (uint32_t i = 0; i < at + count * width; i++)
                add_number(&page, test_random() & 255, 1);
            make_two(&two, PARQUET_PAGE_PLAIN, (uint32_t)page.count, at, count);
            memset(out, SENTINEL, sizeof out);
            kernel(&(parquet_batch_plain_arguments){
                .stored = page.at,
                .pages = two.pages,
                .page_count = 2,
                .kinds = PARQUET_PAGE_KIND(PLAIN),
                .physical = width == 8 ? PQ_INT64 : PQ_INT32,
                .type = type_make(width == 8 ? TYPE_INT64 : TYPE_INT32),
                .out = out,
                .error = &two.error});
            CHECK_EQ(atomic_load(&two.error.code), DEV_ERROR_NONE);
            check_two(out, count, width);
            for (uint32_t i = 0; page.at && i < 2; i++)
                CHECK(!memcmp(out + i * (count + NULLS) * width, page.at + at, count * width));
            mem_free(page.at);
        }
    }
}

/* ---- codes ---- */

#define CODES 40000

static uint32_t codes[CODES], found[CODES + 1];

/* The bits of `count` more codes, after `done`. */
static uint32_t add_packed(bytes *page, unsigned width, uint32_t count, uint32_t done)
{
    uint64_t bits = 0;
    unsigned have = 0;
    for (uint32_t i = 0; i < count; i++) {
        codes[done++] = (uint32_t)test_random() & (uint32_t)(((uint64_t)1 << width) - 1);
        for (unsigned k = 0; k < width; k++) {
            bits |= (uint64_t)(codes[done - 1] >> k & 1) << have++;
            if (have == 8) {
                add_number(page, bits, 1);
                bits = have = 0;
            }
        }
    }
    return done;
}

/* Up to so many runs of a kind: of one value each, some, any number; packed ones among them. */
static uint32_t make_runs(bytes *page, unsigned width, unsigned kind, uint32_t most)
{
    uint32_t mask = (uint32_t)(((uint64_t)1 << width) - 1), done = 0;
    add_number(page, width, 1);
    while (done < most) {
        bool is_packed = kind && test_random() % (kind == 2 ? 10 : 2) == 0;
        uint32_t groups = kind == 3 ? 32 : 1 + (uint32_t)test_random() % (kind == 4 ? 600 : 5);
        uint32_t count = kind == 0   ? 1
                         : kind == 4 ? 1 + (uint32_t)test_random() % 5000
                                     : 1 + (uint32_t)test_random() % 40;
        uint32_t value = (uint32_t)test_random() & mask;
        count = is_packed ? groups * 8 : count;
        if (count > CODES - done)
            break;
        add_varint(page, is_packed ? groups << 1 | 1 : (uint64_t)count << 1);
        if (!is_packed)
            add_number(page, value, (width + 7) / 8);
        if (is_packed)
            done = add_packed(page, width, count, done);
        for (uint32_t i = 0; !is_packed && i < count; i++)
            codes[done++] = value;
    }
    return done;
}

static bool read_codes(dev_kernel_function kernel, const bytes *page, uint32_t count,
                       uint64_t dictionary_rows)
{
    uint64_t words[2] = {count, 0};
    dev_error error = {.code = DEV_ERROR_NONE};
    memset(found, SENTINEL, sizeof found);
    kernel(&(parquet_codes_arguments){.page = page->at,
                                      .page_bytes = (uint32_t)page->count,
                                      .words = words,
                                      .dictionary_rows = dictionary_rows,
                                      .out = found,
                                      .error = &error});
    for (uint32_t i = count; i <= CODES; i++)
        CHECK_EQ(found[i], 0xa5a5a5a5u);
    return atomic_load(&error.code) == DEV_ERROR_NONE;
}

static uint32_t found_of_two[2 * (CODES + NULLS) + 1];

/* Reads two pages of the codes. Codes of pages that are refused are of the dictionary. */
static void check_two_codes(dev_kernel_function kernel, const bytes *page, uint32_t count,
                            uint64_t dictionary_rows, bool is_right)
{
    static two_pages two;
    make_two(&two, PARQUET_PAGE_CODES, (uint32_t)page->count, 0, count);
    for (uint32_t i = 0; i < 2; i++)
        two.pages[i].dictionary_rows = dictionary_rows;
    memset(found_of_two, SENTINEL, sizeof found_of_two);
    kernel(&(parquet_batch_codes_arguments){.stored = page->at,
                                            .pages = two.pages,
                                            .page_count = 2,
                                            .out = found_of_two,
                                            .error = &two.error});
    CHECK_EQ(atomic_load(&two.error.code) == DEV_ERROR_NONE, is_right);
    check_two((const uint8_t *)found_of_two, count, sizeof *found_of_two);
    for (uint32_t i = 0; i < count; i++)
        for (uint32_t k = 0; k < 2; k++) {
            uint32_t code = found_of_two[k * (count + NULLS) + i] - 3 * k;
            CHECK(is_right ? code == codes[i] : code < dictionary_rows || !code);
        }
}

TEST(codes_of_many_runs)
{
    static const unsigned widths[] = {0, 1, 3, 7, 8, 9, 14, 16, 17, 24, 32};
    for (size_t isa = 0; isa < ISAS; isa++) {
        dev_kernel_function kernel = test_kernel(isas[isa], DEV_KERNEL_parquet_codes);
        dev_kernel_function batch = test_kernel(isas[isa], DEV_KERNEL_parquet_batch_codes);
        for (unsigned round = 0; kernel && round < 55; round++) {
            unsigned width = widths[round % 11];
            bytes page = {0};
            uint32_t count = make_runs(&page, width, round / 11, round % 2 ? CODES : 3000);
            uint32_t wanted = count - (uint32_t)test_random() % 9, largest = 0;
            for (uint32_t i = 0; i < wanted; i++)
                largest = codes[i] > largest ? codes[i] : largest;
            CHECK(read_codes(kernel, &page, wanted, (uint64_t)largest + 1));
            CHECK(!memcmp(found, codes, wanted * sizeof *codes));
            CHECK(!read_codes(kernel, &page, wanted, largest));
            for (uint32_t i = 0; i < wanted; i++)
                CHECK_EQ(found[i], 0);
            check_two_codes(batch, &page, wanted, (uint64_t)largest + round % 3, round % 3);
            if (width && round % 2) {
                page.count -= 1 + test_random() % (page.count / 2);
                CHECK(!read_codes(kernel, &page, count, UINT64_MAX));
                check_two_codes(batch, &page, count, UINT64_MAX, false);
            }
            mem_free(page.at);
        }
    }
}

/* As many runs in a few bytes as have more values than a thread, and a warp, puts. */
TEST(codes_of_long_runs)
{
    for (size_t isa = 0; isa < ISAS; isa++) {
        dev_kernel_function kernel = test_kernel(isas[isa], DEV_KERNEL_parquet_codes);
        dev_kernel_function batch = test_kernel(isas[isa], DEV_KERNEL_parquet_batch_codes);
        for (uint32_t run = 30; kernel && run < 5000; run += run / 2) {
            bytes page = {0};
            uint32_t done = 0;
            add_number(&page, 9, 1);
            for (uint32_t value = 0; done + run <= CODES; value = (value + 7) % 512) {
                add_varint(&page, (uint64_t)run << 1);
                add_number(&page, value, 2);
                for (uint32_t i = 0; i < run; i++)
                    codes[done++] = value;
            }
            CHECK(read_codes(kernel, &page, done, 512));
            CHECK(!memcmp(found, codes, done * sizeof *codes));
            check_two_codes(batch, &page, done, 512, true);
            mem_free(page.at);
        }
    }
}

/* Packed runs of one length after another, as some writers make them, or one for the whole page. */
TEST(codes_of_packed_runs)
{
    for (size_t isa = 0; isa < ISAS; isa++) {
        dev_kernel_function batch = test_kernel(isas[isa], DEV_KERNEL_parquet_batch_codes);
        for (uint32_t round = 0; batch && round < 24; round++) {
            static const uint32_t groups_of[] = {63, 32, 400, CODES / 8};
            uint32_t width = 1 + (uint32_t)test_random() % 20, groups = groups_of[round % 4],
                     done = 0;
            bytes page = {0};
            add_number(&page, width, 1);
            while (done + groups * 8 <= CODES) {
                add_varint(&page, groups << 1 | 1);
                done = add_packed(&page, width, groups * 8, done);
            }
            check_two_codes(batch, &page, done - (uint32_t)test_random() % 9, (uint64_t)1 << width,
                            true);
            mem_free(page.at);
        }
    }
}

/* ---- values that begin as the one before does ---- */

#define VALUES 3000

static int32_t prefixes[VALUES], lengths[VALUES];

/* Suffixes go to `page`, values to `expected`. Sorted ones share most of what they have, others little. */
static uint32_t make_values(bytes *page, bytes *expected, bool is_sorted, uint32_t longest)
{
    uint32_t count = 1 + (uint32_t)test_random() % VALUES, before = 0, behind = 0;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t share = i ? (uint32_t)test_random() % (before + 1) : 0;
        if (is_sorted && test_random() % 8)
            share = before - (before > 3 ? (uint32_t)test_random() % 4 : 0);
        uint32_t more = (uint32_t)test_random() % (test_random() % 200 ? 12 : longest);
        if (share > 4000)
            share = 4000;
        prefixes[i] = (int32_t)share;
        lengths[i] = (int32_t)more;
        add(expected, "", 0);
        for (uint32_t k = 0; k < share; k++)
            add_number(expected, expected->at[behind + k], 1);
        behind = (uint32_t)expected->count - share;
        for (uint32_t k = 0; k < more; k++) {
            uint64_t byte = test_random() & 255;
            add_number(page, byte, 1);
            add_number(expected, byte, 1);
        }
        before = share + more;
    }
    return count;
}

TEST(values_with_prefixes)
{
    for (size_t isa = 0; isa < ISAS; isa++) {
        dev_kernel_function measure = test_kernel(isas[isa], DEV_KERNEL_parquet_prefix_bytes);
        dev_kernel_function copy = test_kernel(isas[isa], DEV_KERNEL_parquet_prefix_copy);
        for (unsigned round = 0; measure && round < 8; round++) {
            bytes page = {0}, expected = {0};
            add(&page, "abc", 3);
            uint32_t count = make_values(&page, &expected, round % 2, round % 4 < 2 ? 12 : 900);
            uint64_t words[2] = {count, 0}, start = 3, total = 0;
            dev_error error = {.code = DEV_ERROR_NONE};
            measure(&(parquet_prefix_bytes_arguments){.page_bytes = (uint32_t)page.count,
                                                      .words = words,
                                                      .start = &start,
                                                      .prefixes = prefixes,
                                                      .suffixes = lengths,
                                                      .out_bytes = &total,
                                                      .error = &error});
            CHECK_EQ(atomic_load(&error.code), DEV_ERROR_NONE);
            CHECK_EQ(total, expected.count);
            uint8_t *out = mem_new(total + SLACK);
            CHECK(out);
            copy(&(parquet_prefix_copy_arguments){.page = page.at,
                                                  .words = words,
                                                  .start = &start,
                                                  .bytes = &total,
                                                  .prefixes = prefixes,
                                                  .lengths = lengths,
                                                  .out = out});
            CHECK(!memcmp(out, expected.at, total));
            for (uint32_t i = 0; i < count; i++) {
                CHECK(lengths[i] >= prefixes[i] && (uint64_t)lengths[i] <= total);
                total -= (uint64_t)lengths[i];
            }
            CHECK_EQ(total, 0u);
            mem_free(out);
            mem_free(page.at);
            mem_free(expected.at);
        }
    }
}
