/* test_launch_window.c - which commands of a stream become one, and that each comes after those that it
 * needs.
 *
 * test_label: threads */
#include "device/launch_window.h"
#include "test.h"

#include <string.h>

#define USES 4

typedef struct command {
    uint32_t group;
    window_use uses[USES];
    unsigned use_count;
    unsigned turn; /* in which it was taken; 0: not yet */
} command;

static void add(launch_window *w, command *c)
{
    CHECK(window_has_room(w, c->use_count));
    window_add(w, c->group, c, c->uses, c->use_count);
}

/* Takes everything, at most `most` at once; how often there was something. */
static unsigned take_all(launch_window *w, unsigned most)
{
    void *taken[WINDOW_COMMANDS];
    unsigned turn = 0, count;
    while ((count = window_take(w, most, taken))) {
        turn++;
        CHECK(count <= most);
        for (unsigned i = 0; i < count; i++) {
            command *c = taken[i];
            CHECK(c->group == ((command *)taken[0])->group);
            CHECK_EQ(c->turn, 0);
            c->turn = turn;
        }
    }
    return turn;
}

static bool needs(const command *later, const command *earlier)
{
    for (unsigned i = 0; i < later->use_count; i++)
        for (unsigned k = 0; k < earlier->use_count; k++)
            if (later->uses[i].block == earlier->uses[k].block &&
                (later->uses[i].kind == USE_WRITE || later->uses[i].kind != earlier->uses[k].kind))
                return true;
    return false;
}

/* Decompress, decode, gather: of three columns each is one launch. */
TEST(columns_are_one_launch)
{
    static launch_window w;
    command c[9];
    for (uint32_t column = 0; column < 3; column++)
        for (uint32_t step = 0; step < 3; step++) {
            c[column * 3 + step] = (command){
                .group = step,
                .uses = {{column * 10 + step, USE_READ}, {column * 10 + step + 1, USE_WRITE}},
                .use_count = 2,
            };
            add(&w, &c[column * 3 + step]);
        }
    CHECK_EQ(take_all(&w, 16), 3);
    for (unsigned i = 0; i < 9; i++)
        CHECK_EQ(c[i].turn, i % 3 + 1);
    CHECK(!w.count && !w.block_count);
}

/* A chain is as long as it is; what only reads the same is one; who writes it comes last. */
TEST(order)
{
    static launch_window w;
    command chain[3], readers[3], writer = {.group = 1, .uses = {{8, USE_WRITE}}, .use_count = 1};
    for (unsigned i = 0; i < 3; i++) {
        chain[i] = (command){.group = 1, .uses = {{7, USE_WRITE}}, .use_count = 1};
        readers[i] = (command){.group = 2, .uses = {{8, USE_READ}}, .use_count = 1};
        add(&w, &chain[i]);
        add(&w, &readers[i]);
    }
    add(&w, &writer);
    CHECK_EQ(take_all(&w, 16), 4);
    CHECK_EQ(readers[0].turn, readers[2].turn);
    CHECK(chain[0].turn < chain[1].turn && chain[1].turn < chain[2].turn);
    CHECK(writer.turn > readers[0].turn);
}

/* An event is behind everything before it, and nothing is behind it. */
TEST(events)
{
    static launch_window w;
    command before = {.group = 1}, event = {.group = 2}, behind = {.group = 1};
    add(&w, &before);
    window_add_last(&w, event.group, &event);
    add(&w, &behind);
    CHECK_EQ(take_all(&w, 16), 2);
    CHECK_EQ(before.turn, 1);
    CHECK_EQ(behind.turn, 1);
    CHECK_EQ(event.turn, 2);
}

/* Texts' bytes come by a copy of their own: whoever has views of them is behind it. */
TEST(launches_are_behind_copies)
{
    static launch_window w;
    command launch = {.group = 1, .uses = {{1, USE_WRITE}}, .use_count = 1};
    command views = {.group = 2, .uses = {{2, USE_WRITE}}, .use_count = 1};
    command bytes = {.group = 3, .uses = {{3, USE_WRITE}}, .use_count = 1};
    command reader = {.group = 1, .uses = {{2, USE_READ}, {4, USE_WRITE}}, .use_count = 2};
    add(&w, &launch);
    window_add_copy(&w, views.group, &views, views.uses, views.use_count);
    window_add_copy(&w, bytes.group, &bytes, bytes.uses, bytes.use_count);
    add(&w, &reader);
    CHECK(take_all(&w, 16) >= 3);
    CHECK(reader.turn > views.turn && reader.turn > bytes.turn);
    CHECK_EQ(launch.turn, reader.turn);
}

/* Failures are reported in any order, and read behind all of them. */
TEST(reports)
{
    static launch_window w;
    command reports[3], reader = {.group = 2, .uses = {{5, USE_READ}}, .use_count = 1};
    for (unsigned i = 0; i < 3; i++) {
        reports[i] = (command){.group = 1, .uses = {{5, USE_REPORT}}, .use_count = 1};
        if (i == 2)
            add(&w, &reader);
        add(&w, &reports[i]);
    }
    CHECK_EQ(take_all(&w, 16), 3);
    CHECK_EQ(reports[0].turn, reports[1].turn);
    CHECK(reader.turn > reports[0].turn && reports[2].turn > reader.turn);
}

/* More than may be one, and windows that are full. */
TEST(bounds)
{
    static launch_window w;
    static command c[WINDOW_COMMANDS];
    memset(c, 0, sizeof c);
    for (unsigned i = 0; i < WINDOW_COMMANDS; i++)
        add(&w, &c[i]);
    CHECK(!window_has_room(&w, 0));
    CHECK_EQ(take_all(&w, 16), WINDOW_COMMANDS / 16);
    CHECK(window_has_room(&w, KERNEL_USES));
    CHECK_EQ(take_all(&w, 16), 0);
}

/* Commands of any kind: whoever needs another one comes in a later turn. */
TEST(random_commands)
{
    static launch_window w;
    static command c[WINDOW_COMMANDS];
    for (unsigned round = 0; round < 200; round++) {
        unsigned count = 0, blocks = 1 + (uint32_t)test_random_below(60);
        while (count < WINDOW_COMMANDS && window_has_room(&w, USES)) {
            command *next = &c[count++];
            *next = (command){.group = (uint32_t)test_random_below(5),
                              .use_count = (uint32_t)test_random_below(USES + 1)};
            for (unsigned i = 0; i < next->use_count; i++)
                next->uses[i] = (window_use){(uint32_t)test_random_below(blocks),
                                             (uint32_t)test_random_below(USE_KINDS)};
            add(&w, next);
        }
        take_all(&w, 1 + (uint32_t)test_random_below(16));
        for (unsigned later = 0; later < count; later++) {
            CHECK(c[later].turn);
            for (unsigned earlier = 0; earlier < later; earlier++)
                CHECK(!needs(&c[later], &c[earlier]) || c[later].turn > c[earlier].turn);
        }
    }
}

static const kernel_use *find_use(const kernel_use *uses, unsigned count, const void *address)
{
    for (unsigned i = 0; i < count; i++)
        if (uses[i].address == address)
            return &uses[i];
    return NULL;
}

/* Addresses of arguments: read, written, of counts, of errors; no NULLs. */
TEST(kernel_uses_of_arguments)
{
    static uint64_t left, right, out, rows;
    static dev_error error;
    kernel_use uses[KERNEL_USES];
    arithmetic_arguments a = {.left = &left,
                              .right = &right,
                              .count = {.bound = 1, .actual = &rows},
                              .out = &out,
                              .error = &error};
    unsigned count = kernel_uses(DEV_KERNEL_arithmetic, &a, uses);
    CHECK_EQ(count, 5);
    CHECK(find_use(uses, count, &left)->kind == USE_READ &&
          find_use(uses, count, &right)->kind == USE_READ);
    CHECK(find_use(uses, count, &rows)->kind == USE_READ);
    CHECK(find_use(uses, count, &out)->kind == USE_WRITE);
    CHECK(find_use(uses, count, &error)->kind == USE_REPORT);
    spread_arguments b = {.source = &left, .out = &out};
    count = kernel_uses(DEV_KERNEL_spread, &b, uses);
    CHECK(find_use(uses, count, &left)->kind == USE_READ &&
          find_use(uses, count, &out)->kind == USE_WRITE);
}

TEST(block_starts)
{
    static block_starts list;
    static char memory[1000];
    CHECK_OK(block_starts_open(&list, 3));
    CHECK_EQ(block_starts_find(&list, memory), 0);
    CHECK(block_starts_add(&list, memory + 10) && block_starts_add(&list, memory + 300) &&
          block_starts_add(&list, memory + 301));
    CHECK(!block_starts_add(&list, memory + 900));
    CHECK_EQ(block_starts_find(&list, memory + 9), 0);
    CHECK_EQ(block_starts_find(&list, memory + 10), 1);
    CHECK_EQ(block_starts_find(&list, memory + 299), 1);
    CHECK_EQ(block_starts_find(&list, memory + 300), 2);
    CHECK_EQ(block_starts_find(&list, memory + 999), 3);
    block_starts_close(&list);
}
