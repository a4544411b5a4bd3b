/* test_timeline.c - the figures in the picture of a query's time. */
#include "base/timeline.h"
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
    char *text = drawn(t);
    CHECK(!strncmp(text, "<svg ", 5) && has(text, "</svg>\n"));
    CHECK(has(text, "mean 0.50 GB/s")); /* 1 GB in 2 s */
    CHECK(has(text, "mean 2.00"));      /* both always: two workers */
    CHECK(has(text, "scan a&lt;b&amp;c</text>"));
    CHECK(has(text, ">2.000 s</text>"));
    CHECK(has(text, ">1.20 s</text>")); /* of the axis */
    CHECK(has(text, ">0.60</text>"));   /* the first second's bandwidth: the axis ends there */
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
