/* test_trace.c - what a trace's file says of several threads; traces that are not made.
 *
 * test_label: threads */
#include "base/fault.h"
#include "base/trace/trace.h"
#include "test.h"

#include <pthread.h>
#include <time.h>
#include <unistd.h>

enum { THREADS = 6, SPANS = 5000 };

static char *read_file(const char *path)
{
    FILE *f = fopen(path, "r");
    CHECK(f);
    char *text = mem_new(8 << 20);
    CHECK(text);
    size_t bytes = fread(text, 1, (8 << 20) - 1, f);
    text[bytes] = '\0';
    fclose(f);
    return text;
}

/* By hand: sanitizers measure all of the text in each strstr. */
static unsigned count_of(const char *text, const char *part)
{
    unsigned count = 0;
    size_t bytes = strlen(part);
    for (const char *at = text; *at; at++)
        count += *at == *part && !strncmp(at, part, bytes);
    return count;
}

static const char *path_of_trace(void)
{
    static char path[512];
    snprintf(path, sizeof path, "%s/trace.json", test_folder());
    return path;
}

/* Processor time of the calling thread, in nanoseconds. */
static int64_t processor_time(void)
{
    struct timespec t;
    CHECK_EQ(clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t), 0);
    return t.tv_sec * 1000000000LL + t.tv_nsec;
}

/* Notes `points` points between two others, checks what the trace says of them, and returns the
 * processor time that it gives the thread between the two; *whole: what the thread used in truth. */
static int64_t time_beside_points(int points, int64_t *whole)
{
    const char *path = path_of_trace();
    trace_point("early", NULL, NULL, 0);
    CHECK(trace_start());
    int64_t start = processor_time();
    trace_point("kernel", (void *)0x12ab, NULL, 77);
    for (int i = 0; i < points; i++)
        trace_point("copy", NULL, (void *)0xff, 5);
    trace_point("last", NULL, NULL, 0);
    *whole = processor_time() - start;
    CHECK_OK(trace_stop(path, NULL, NULL));
    char *text = read_file(path);
    CHECK_EQ(count_of(text, "\"name\":\"early\""), 0);
    CHECK_EQ(count_of(text, "\"cat\":\"device\""), points + 2);
    CHECK_EQ(count_of(text, "\"name\":\"worker"), 0);
    const char *first =
        strstr(text, "\"args\":{\"a\":\"12ab\",\"b\":\"0\",\"number\":77,\"used\":");
    const char *last = strstr(text, "\"name\":\"last\"");
    CHECK(first && last);
    first = strstr(first, "\"used\":"), last = strstr(last, "\"used\":");
    CHECK(first && last);
    int64_t passed = atoll(last + 7) - atoll(first + 7);
    mem_free(text);
    return passed;
}

/* The time of noting points does not belong to a thread's time. A busy machine makes single times
 * longer: one of many attempts must show it. */
TEST(points)
{
    bool left_out = false;
    for (int attempt = 0; attempt < 200 && !left_out; attempt++) {
        int64_t whole;
        int64_t passed = time_beside_points(2000, &whole);
        CHECK(passed < whole);
        left_out = passed < whole / 2;
    }
    CHECK(left_out);
}

TEST(spans_and_reads)
{
    const char *path = path_of_trace();
    CHECK(!trace_is_on());
    CHECK(trace_start());
    CHECK(trace_is_on());
    CHECK(!trace_start()); /* one is under way */
    int64_t start = trace_now();
    trace_span("pull", "scan \"a\\b\"\n of a name that is so long that it is cut", start,
               start + 1500);
    trace_read("t.parquet", 8192, 4096, start, start + 2000000);
    trace_read("early", 0, 1, start - 1000000000, start);
    CHECK_OK(trace_stop(path, NULL, NULL));
    CHECK(!trace_is_on());
    char *text = read_file(path);
    CHECK_EQ(count_of(text, "\"name\":\"pull scan ?a?b?? of a name that is so lo"), 1);
    CHECK_EQ(count_of(text, "\"dur\":1.500}"), 1);
    CHECK_EQ(count_of(text, "\"args\":{\"file\":\"t.parquet\",\"offset\":8192,\"bytes\":4096}"), 1);
    CHECK_EQ(count_of(text, "\"ph\":\"b\""), 1); /* not the one from before the trace */
    CHECK_EQ(count_of(text, "\"ph\":\"e\""), 1);
    CHECK_EQ(count_of(text, "\"name\":\"worker 1\""), 1);
    CHECK_EQ(count_of(text, "\"name\":\"storage\""), 1);
    mem_free(text);
}

static void *note_spans(void *unused)
{
    for (int i = 0; i < SPANS; i++) {
        int64_t now = trace_now();
        trace_span("push", "filter", now, now);
    }
    return unused;
}

static void run_threads(void)
{
    pthread_t threads[THREADS];
    for (int i = 0; i < THREADS; i++)
        CHECK_EQ(pthread_create(&threads[i], NULL, note_spans, NULL), 0);
    for (int i = 0; i < THREADS; i++)
        CHECK_EQ(pthread_join(threads[i], NULL), 0);
}

TEST(each_thread_has_a_track)
{
    const char *path = path_of_trace();
    for (int round = 0; round < 2; round++) { /* the second begins with nothing of the first */
        CHECK(trace_start());
        run_threads();
        CHECK_OK(trace_stop(path, NULL, NULL));
        char *text = read_file(path);
        CHECK_EQ(count_of(text, "\"name\":\"push filter\""), THREADS * SPANS);
        CHECK_EQ(count_of(text, "\"name\":\"worker "), THREADS);
        CHECK_EQ(count_of(text, "\"dropped\":\"0\""), 1);
        mem_free(text);
    }
}

static void *note_until_told(void *stop)
{
    while (!atomic_load((atomic_bool *)stop))
        if (trace_is_on())
            note_spans(NULL);
    return NULL;
}

/* Threads that are late find that it is over. */
TEST(traces_stop_while_threads_note)
{
    atomic_bool stop = false;
    pthread_t threads[2];
    for (int i = 0; i < 2; i++)
        CHECK_EQ(pthread_create(&threads[i], NULL, note_until_told, &stop), 0);
    for (int round = 0; round < 50; round++) {
        CHECK(trace_start());
        usleep(200);
        CHECK_OK(trace_stop(round % 2 ? path_of_trace() : NULL, NULL, NULL));
    }
    atomic_store(&stop, true);
    for (int i = 0; i < 2; i++)
        CHECK_EQ(pthread_join(threads[i], NULL), 0);
}

TEST(a_trace_that_cannot_be_written_leaves_no_file)
{
    const char *path = path_of_trace();
    CHECK(trace_start());
    fault_arm(FAULT_WRITE, 1, FAULT_ONCE);
    CHECK_FAILS(trace_stop(path, NULL, NULL), STATUS_KIND_IO, "could not write trace");
    CHECK_EQ(access(path, F_OK), -1);
    CHECK(trace_start());
    CHECK_FAILS(trace_stop("/nowhere/trace.json", NULL, NULL), STATUS_KIND_NOT_FOUND,
                "could not write trace");
    CHECK(trace_start());
    CHECK_OK(trace_stop(NULL, NULL, NULL));
}

TEST(without_memory_events_are_counted)
{
    const char *path = path_of_trace();
    CHECK(trace_start());
    fault_arm(FAULT_ALLOC, 1, FAULT_ALWAYS);
    note_spans(NULL);
    (void)fault_disarm(FAULT_ALLOC);
    CHECK_OK(trace_stop(path, NULL, NULL));
    char *text = read_file(path);
    CHECK_EQ(count_of(text, "\"dropped\":\"5000\""), 1);
    CHECK_EQ(count_of(text, "push"), 0);
    mem_free(text);
}
