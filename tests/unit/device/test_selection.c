/* test_selection.c - rows of masks, and chunks whose count comes late, on both kinds of device. */
#include "device/chunk.h"
#include "device/selection.h"
#include "device/tensor.h"
#include "device/transfer.h"
#include "test.h"

#define ROWS_MAX 200

static const size_t counts[] = {0, 1, 63, 64, 65, 127, 200};

typedef struct fixture {
    mem_budget *budget;
    device *dev;
    dev_stream *stream;
    uint64_t bits[ROWS_MAX / 64 + 2], validity[ROWS_MAX / 64 + 2];
    dev_buffer *bits_there, *validity_there;
} fixture;

static dev_buffer *put(fixture *f, const void *bytes, size_t count)
{
    dev_buffer *buffer;
    CHECK_OK(dev_alloc(f->dev, count, "test", &buffer));
    CHECK_OK(dev_upload(f->stream, buffer->address, bytes, count, "test"));
    return buffer;
}

static void start(fixture *f, bool is_lazy)
{
    *f = (fixture){0};
    CHECK_OK(mem_budget_new(0, &f->budget));
    CHECK_OK(is_lazy ? dev_open_simulated(64, f->budget, &f->dev)
                     : dev_open_cpu("auto", 0, f->budget, &f->dev));
    CHECK_OK(f->dev->ops->stream_open(f->dev, &f->stream));
    for (size_t w = 0; w < sizeof f->bits / sizeof *f->bits; w++) {
        f->bits[w] = test_random();
        f->validity[w] = test_random() | test_random();
    }
    f->bits_there = put(f, f->bits, sizeof f->bits);
    f->validity_there = put(f, f->validity, sizeof f->validity);
}

static void finish(fixture *f)
{
    dev_buffer_unref(f->bits_there);
    dev_buffer_unref(f->validity_there);
    f->dev->ops->stream_close(f->stream);
    dev_close(f->dev);
    CHECK_EQ(mem_budget_used(f->budget), 0);
    mem_budget_free(f->budget);
}

/* The numbers that a plain loop finds. */
static size_t expected_rows(const fixture *f, const row_mask *mask, size_t count, uint32_t *out)
{
    size_t found = 0;
    for (size_t i = 0; i < count; i++) {
        bool is_set = f->bits[i / 64] >> i % 64 & 1;
        bool is_valid = !mask->validity || (f->validity[i / 64] >> i % 64 & 1);
        if (is_set != mask->is_inverted && is_valid)
            out[found++] = mask->first_row + (uint32_t)i;
    }
    return found;
}

static void check_selection(fixture *f, const row_mask *mask, dev_count rows, size_t count)
{
    uint32_t expected[ROWS_MAX];
    uint64_t actual[ROWS_MAX / 2 + 1];
    row_selection selection;
    size_t wanted = expected_rows(f, mask, count, expected);
    CHECK_OK(row_selection_make(f->stream, mask, rows, &selection));
    CHECK_EQ(selection.count.actual != NULL, !f->dev->is_host);
    CHECK_EQ(selection.count.actual != NULL, selection.count_owner != NULL);
    CHECK_OK(dev_count_read(f->stream, &selection.count));
    CHECK_EQ(selection.count.bound, wanted);
    if (!selection.rows)
        CHECK(wanted == count && !mask->first_row);
    else if (wanted) {
        CHECK_OK(dev_words_read(f->stream, selection.rows->rows, actual, (wanted + 1) / 2));
        CHECK(memcmp(actual, expected, wanted * sizeof *expected) == 0);
    }
    row_selection_release(&selection);
}

TEST(selected_rows_are_those_of_a_loop)
{
    for (int is_lazy = 0; is_lazy < 2; is_lazy++) {
        fixture f;
        start(&f, is_lazy);
        for (size_t c = 0; c < sizeof counts / sizeof *counts; c++)
            for (unsigned form = 0; form < 16; form++) {
                uint64_t word = counts[c];
                row_mask mask = {.bits = f.bits_there->address,
                                 .validity = form & 1 ? f.validity_there->address : NULL,
                                 .is_inverted = form & 2,
                                 .first_row = form & 4 ? 640 : 0};
                dev_buffer *count = put(&f, &word, sizeof word);
                dev_count lazy = {.bound = ROWS_MAX, .actual = count->address};
                check_selection(&f, &mask, form & 8 ? lazy : dev_count_exact(counts[c]), counts[c]);
                dev_buffer_unref(count);
            }
        finish(&f);
    }
}

TEST(a_host_selects_all_rows_without_an_index)
{
    fixture f;
    uint64_t ones = ~(uint64_t)0;
    row_selection selection;
    start(&f, false);
    row_mask mask = {.bits = &ones};
    CHECK_OK(row_selection_make(f.stream, &mask, dev_count_exact(64), &selection));
    CHECK(!selection.rows && selection.count.bound == 64);
    row_selection_release(&selection);
    finish(&f);
}

/* A chunk without columns, of so many rows that the host does not know. */
static chunk *lazy_chunk(fixture *f, uint64_t rows, uint64_t bound)
{
    chunk *c;
    dev_buffer *count = put(f, &rows, sizeof rows);
    CHECK_OK(chunk_new(0, (dev_count){.bound = bound, .actual = count->address}, &c));
    c->rows_owner = count;
    return c;
}

TEST(late_counts_become_exact)
{
    fixture f;
    late_chunk late = {0};
    chunk *c;
    start(&f, true);
    CHECK_OK(late_chunk_finish(f.stream, &late, &c));
    CHECK(!c);
    CHECK_OK(late_chunk_start(f.stream, lazy_chunk(&f, 7, 64), &late));
    CHECK_OK(late_chunk_finish(f.stream, &late, &c));
    CHECK(c && c->rows.bound == 7 && !c->rows.actual && !late.rows);
    /* An exact count stays so. */
    CHECK_OK(late_chunk_start(f.stream, c, &late));
    CHECK(!late.count.words);
    CHECK_OK(late_chunk_finish(f.stream, &late, &c));
    CHECK(c && c->rows.bound == 7);
    chunk_free(c);
    /* No more than the bound; none at all. */
    CHECK_OK(late_chunk_start(f.stream, lazy_chunk(&f, 100, 64), &late));
    CHECK_OK(late_chunk_finish(f.stream, &late, &c));
    CHECK(c && c->rows.bound == 64);
    chunk_free(c);
    CHECK_OK(late_chunk_start(f.stream, lazy_chunk(&f, 0, 64), &late));
    CHECK_OK(late_chunk_finish(f.stream, &late, &c));
    CHECK(!c);
    CHECK_OK(late_chunk_start(f.stream, lazy_chunk(&f, 5, 64), &late));
    late_chunk_close(f.dev, &late);
    finish(&f);
}
