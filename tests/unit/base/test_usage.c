/* test_usage.c - busy threads and bytes by bins of time. */
#include "base/trace/usage.h"
#include "test.h"

#define MILLISECOND ((uint64_t)1000000)
#define BEGIN (7000 * MILLISECOND)

static void write_plain(FILE *f, const char *name)
{
    fprintf(f, "'%s'", name);
}

static char *written(usage *u)
{
    char *text = NULL;
    size_t bytes = 0;
    FILE *f = open_memstream(&text, &bytes);
    CHECK(f);
    usage_write(u, f, write_plain);
    fclose(f);
    return text;
}

static bool add(usage *u, const void *key, uint64_t start, uint64_t end, uint64_t bytes)
{
    return usage_add(u, key, BEGIN + start, BEGIN + end, bytes);
}

TEST(bins)
{
    int a, b;
    usage *u;
    CHECK_OK(usage_new(&u));
    usage_begin(u, 4);
    CHECK(!add(u, &a, 0, 500000, 100));
    usage_name(u, &a, "scan");
    CHECK(add(u, &a, 500000, 1500000, 300));
    CHECK(!add(u, &b, MILLISECOND, 2 * MILLISECOND, 0));
    usage_name(u, &b, "join");
    usage_name(u, &b, "another");
    usage_set_bound(u, 1250000);
    char *text = written(u);
    CHECK_TEXT_EQ(text,
                  "{\"threads\": 4, \"seconds\": 0.002000, \"bound\": 0.001250, \"bin\": 0.001000, "
                  "\"bytes\": [100, 200, 0], \"operators\": [\n"
                  "{\"name\": 'scan', \"busy\": [0.001, 0.0005, 0]},\n"
                  "{\"name\": 'join', \"busy\": [0, 0.001, 0]}]}\n");
    (free)(text);
    /* A step that began before the first one counts from that one on. */
    usage_begin(u, 1);
    CHECK(!add(u, &a, MILLISECOND, 2 * MILLISECOND, 0));
    CHECK(!add(u, &a, 0, 2 * MILLISECOND, 0));
    text = written(u);
    CHECK_TEXT_EQ(text,
                  "{\"threads\": 1, \"seconds\": 0.001000, \"bound\": 0.000000, \"bin\": 0.001000, "
                  "\"bytes\": [0, 0], \"operators\": [\n{\"name\": '', \"busy\": [0.002, 0]}]}\n");
    (free)(text);
    usage_unref(usage_ref(u));
    usage_unref(u);
}

static double sum_of(const char *text, size_t *out_count)
{
    double sum = 0;
    *out_count = 0;
    text = strstr(text, "\"busy\": [") + 9;
    for (char *end; *text != ']'; text = *end == ',' ? end + 1 : end, ++*out_count)
        sum += strtod(text, &end);
    return sum;
}

/* Bins grow, and nothing is lost. */
TEST(long_statement)
{
    int key;
    usage *u;
    CHECK_OK(usage_new(&u));
    usage_begin(u, 2);
    for (uint64_t i = 0; i < 1000; i++)
        add(u, &key, 10 * i * MILLISECOND, (10 * i + 5) * MILLISECOND, 0);
    char *text = written(u);
    size_t count;
    CHECK(strstr(text, "\"seconds\": 9.995000") && strstr(text, "\"bin\": 0.128000"));
    double sum = sum_of(text, &count);
    CHECK(sum > 4.99 && sum < 5.01);
    CHECK_EQ(count, 79);
    (free)(text);
    usage_unref(u);
}

/* Many operators, the last of which are one. */
TEST(many_operators)
{
    char keys[100];
    usage *u;
    CHECK_OK(usage_new(&u));
    usage_begin(u, 2);
    for (size_t i = 0; i < sizeof keys; i++) {
        if (!add(u, &keys[i], 0, MILLISECOND, 0))
            usage_name(u, &keys[i], "one");
    }
    char *text = written(u);
    CHECK(strstr(text, "'one'") && strstr(text, "{\"name\": 'others', \"busy\": [0.077, 0]}]}"));
    (free)(text);
    usage_unref(u);
}
