/* test_timeline.c - the figures in the picture of a query's time. */
#include "base/trace/timeline.h"
#include "test.h"

#define SECOND ((int64_t)1000000000)

static char *drawn(timeline *t)
{
    char *text = NULL;
    size_t bytes = 0;
    FILE *f = open_memstream(&text, &bytes);
    CHECK(f);
    timeline_write(t, f);
    fclose(f);
    timeline_free(t);
    return text;
}

static bool has(const char *text, const char *part)
{
    return strstr(text, part) != NULL;
}

TEST(means_and_names)
{
    timeline *t;
    CHECK_OK(timeline_new(5 * SECOND, 7 * SECOND, 4, &t));
    CHECK_OK(timeline_add_span(t, "scan a<b&c", 5 * SECOND, 7 * SECOND));
    CHECK_OK(timeline_add_span(t, "join", 6 * SECOND, 7 * SECOND));
    CHECK_OK(timeline_add_span(t, "join", 5 * SECOND, 6 * SECOND));
    CHECK_OK(timeline_add_read(t, 600000000, 5 * SECOND, 6 * SECOND));
    CHECK_OK(timeline_add_read(t, 400000000, 5 * SECOND, 7 * SECOND));
    timeline_set_statement(t, "select a\n  from b where c < 'ä'");
    char *text = drawn(t);
    CHECK(!strncmp(text, "<svg ", 5) && has(text, "</svg>\n"));
    CHECK(has(text, ">select a from b where c &lt; 'ä'</text>"));
    CHECK(has(text, ">2.000 s in total, 4 workers</text>"));
    CHECK(has(text, "mean 0.50 GB/s")); /* 1 GB in 2 s */
    CHECK(has(text, "mean 2.00"));      /* both always: two workers */
    CHECK(has(text, "scan a&lt;b&amp;c</text>"));
    CHECK(has(text, ">2.000 s</text>"));
    CHECK(has(text, ">1.2 s</text>")); /* of the axis */
    CHECK(has(text, ">0.6</text>"));   /* the first second's bandwidth: the axis ends there */
    CHECK(!has(text, ">0.8</text>"));
    CHECK(has(text, "share of the workers") && has(text, ">thread time</text>"));
    free(text);
}

/* Ticks are 1, 2 or 5 times a power of ten, whatever the query took. */
TEST(ticks_are_round)
{
    static const struct {
        int64_t nanoseconds;
        const char *tick, *next;
    } cases[] = {{413 * SECOND / 1000, ">50 ms</text>", ">100 ms</text>"},
                 {1700 * 1000, ">0.2 ms</text>", ">1.6 ms</text>"},
                 {37 * SECOND, ">5 s</text>", ">35 s</text>"},
                 {900, ">0.1 us</text>", ">0.9 us</text>"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        timeline *t;
        CHECK_OK(timeline_new(SECOND, SECOND + cases[i].nanoseconds, 2, &t));
        char *text = drawn(t);
        CHECK(has(text, cases[i].tick) && has(text, cases[i].next));
        free(text);
    }
}

TEST(a_long_statement_is_cut)
{
    char sql[4000];
    timeline *t;
    memset(sql, 'x', sizeof sql - 1);
    sql[sizeof sql - 1] = 0;
    CHECK_OK(timeline_new(0, SECOND, 2, &t));
    timeline_set_statement(t, sql);
    char *text = drawn(t);
    CHECK(has(text, "xx...</text>") && has(text, "xxx</title>"));
    free(text);
}

TEST(nothing_happened)
{
    timeline *t;
    CHECK_OK(timeline_new(SECOND, SECOND, 0, &t));
    CHECK_OK(timeline_add_read(t, 0, SECOND, SECOND));
    CHECK_OK(timeline_add_span(t, "x", SECOND, SECOND));
    char *text = drawn(t);
    CHECK(has(text, "mean 0.00 GB/s") && has(text, "</svg>\n"));
    CHECK(!has(text, "nan") && !has(text, "inf"));
    free(text);
}
