/* Fibers: left in the middle, gone on with on other threads.
 *
 * test_label: threads */
#include "base/system/fiber.h"

#include "test.h"

#include <pthread.h>
#include <string.h>

typedef struct counter {
    fiber *f;
    unsigned steps;
    double sum;
} counter;

/* Uses the stack, registers that calls keep, and floating point across switches. */
static void count(void *argument)
{
    counter *c = argument;
    char text[4096];
    double factor = 1.5;
    for (unsigned i = 0; i < c->steps; i++) {
        memset(text, (int)i, sizeof text);
        fiber_suspend(c->f);
        for (unsigned k = 0; k < sizeof text; k += 512)
            CHECK((unsigned char)text[k] == (unsigned char)i);
        c->sum += factor * i;
    }
}

TEST(runs_in_turns)
{
    counter c[3] = {{.steps = 5}, {.steps = 0}, {.steps = 300}};
    for (unsigned i = 0; i < 3; i++)
        CHECK_OK(fiber_new(count, &c[i], &c[i].f));
    unsigned resumed[3] = {0}, left = 3;
    bool has_ended[3] = {false};
    while (left)
        for (unsigned i = 0; i < 3; i++)
            if (!has_ended[i]) {
                resumed[i]++;
                has_ended[i] = fiber_resume(c[i].f);
                left -= has_ended[i];
            }
    CHECK(resumed[0] == 6 && resumed[1] == 1 && resumed[2] == 301);
    CHECK(c[0].sum == 15 && c[1].sum == 0 && c[2].sum == 1.5 * 44850);
    for (unsigned i = 0; i < 3; i++)
        fiber_free(c[i].f);
}

static void *resume(void *argument)
{
    return fiber_resume(((counter *)argument)->f) ? argument : NULL;
}

TEST(goes_on_on_another_thread)
{
    counter c = {.steps = 20};
    void *ended = NULL;
    CHECK_OK(fiber_new(count, &c, &c.f));
    for (unsigned i = 0; i <= 20; i++) {
        pthread_t thread;
        CHECK(!ended);
        CHECK(!pthread_create(&thread, NULL, resume, &c));
        pthread_join(thread, &ended);
    }
    CHECK(ended && c.sum == 285);
    fiber_free(c.f);
}

/* Body after body on what the ones before have left. */
TEST(kept_for_the_next_bodies)
{
    enum { COUNT = 7, ROUNDS = 5 };
    fiber_store store = {0};
    for (unsigned round = 0; round < ROUNDS; round++) {
        counter c[COUNT] = {0};
        for (unsigned i = 0; i < COUNT; i++) {
            c[i].steps = (i + round) % 3;
            CHECK_OK(fiber_take(&store, count, &c[i], &c[i].f));
        }
        CHECK_EQ(store.count, 0);
        for (unsigned step = 0; step < 3; step++)
            for (unsigned i = 0; i < COUNT; i++)
                if (step <= c[i].steps)
                    CHECK_EQ(fiber_resume(c[i].f), step == c[i].steps);
        for (unsigned i = 0; i < COUNT; i++) {
            CHECK(c[i].sum == (c[i].steps == 2 ? 1.5 : 0));
            fiber_give(&store, c[i].f);
        }
        CHECK(store.count > 0 &&
              store.count < COUNT); /* so that the next ones are both kept and new */
    }
    fiber_store_release(&store);
    CHECK(!store.first && !store.count);
}

TEST(never_run)
{
    counter c = {0};
    CHECK_OK(fiber_new(count, &c, &c.f));
    fiber_free(c.f);
    fiber_free(NULL);
}
