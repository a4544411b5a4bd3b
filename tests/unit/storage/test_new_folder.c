/* test_new_folder.c - a folder that several make together, some of whom give up. */
#include "test.h"

#include "base/mem.h"
#include "storage/new_file.h"
#include "storage/new_folder.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#define NUMBER 17
#define TAKERS 3
#define ROUNDS 300

static char above[] = "/tmp/pistachio-new-folder-XXXXXX";
static char path[sizeof above + 8], temporary[sizeof above + 32];

static void start_test(void)
{
    memcpy(above + sizeof above - 7, "XXXXXX", 6);
    CHECK(mkdtemp(above));
    snprintf(path, sizeof path, "%s/t", above);
    snprintf(temporary, sizeof temporary, "%s.%d.tmp", path, NUMBER);
}

static void end_test(void)
{
    CHECK_EQ(rmdir(above), 0);
}

static new_folder *open_part(const char *name)
{
    new_folder *f;
    CHECK_OK(new_folder_open(path, NUMBER, name, &f));
    return f;
}

/* As a sink does: the file has no name, or another, until it is whole. */
static void write_part(const new_folder *f)
{
    new_file *file;
    CHECK_OK(new_file_open(new_folder_file(f), &file));
    CHECK_OK(new_file_write(file, "x", 1));
    CHECK_OK(new_file_publish(file));
}

static bool is_there(const char *folder, const char *name)
{
    char file[128];
    snprintf(file, sizeof file, "%s/%s", folder, name);
    return !access(file, F_OK);
}

static void remove_part(const char *name)
{
    char file[128];
    snprintf(file, sizeof file, "%s/%s", path, name);
    CHECK_EQ(unlink(file), 0);
}

TEST(all_parts_appear_with_the_first_who_publishes)
{
    start_test();
    new_folder *a = open_part("a"), *b = open_part("b");
    write_part(a);
    write_part(b);
    CHECK_EQ(is_there(path, "a"), false);
    CHECK_OK(new_folder_publish(b));
    CHECK_EQ(is_there(path, "a") && is_there(path, "b"), true);
    CHECK_OK(new_folder_publish(a));
    CHECK_EQ(access(temporary, F_OK), -1);
    remove_part("a");
    remove_part("b");
    CHECK_EQ(rmdir(path), 0);
    end_test();
}

TEST(who_gives_up_leaves_the_others_their_folder)
{
    start_test();
    new_folder *a = open_part("a"), *b = open_part("b");
    new_folder_abort(a);
    write_part(b); /* not begun before */
    new_folder *c = open_part("c");
    new_folder_abort(b);
    CHECK_EQ(is_there(temporary, "c"), true);
    new_folder_abort(c);
    CHECK_EQ(access(temporary, F_OK), -1);
    c = open_part("c"); /* makes it again */
    write_part(c);
    CHECK_OK(new_folder_publish(c));
    remove_part("c");
    CHECK_EQ(rmdir(path), 0);
    end_test();
}

TEST(what_cannot_be_made_is_an_error)
{
    new_folder *f;
    start_test();
    CHECK_EQ(mkdir(path, 0777), 0);
    new_folder_abort(open_part("a")); /* an empty folder may be there */
    char inner[sizeof path + 8];
    snprintf(inner, sizeof inner, "%s/in", path);
    CHECK_EQ(mkdir(inner, 0777), 0);
    CHECK_FAILS(new_folder_open(path, NUMBER, "a", &f), STATUS_KIND_IO, "is there already");
    CHECK_EQ(rmdir(inner), 0);
    CHECK_EQ(rmdir(path), 0);
    snprintf(inner, sizeof inner, "%s/n/t", above);
    CHECK_FAILS(new_folder_open(inner, NUMBER, "a", &f), STATUS_KIND_NOT_FOUND,
                "could not create folder");
    end_test();
}

/* ---- at once ---- */

static atomic_bool must_stop;

static void *come_and_go(void *argument)
{
    const char *name = argument;
    while (!must_stop) {
        new_folder *f;
        status st = new_folder_open(path, NUMBER, name, &f);
        if (st)
            return st;
        new_folder_abort(f);
    }
    return NULL;
}

TEST(nobody_fails_because_others_give_up)
{
    static const char *const names[TAKERS] = {"b", "c", "d"};
    pthread_t threads[TAKERS];
    start_test();
    must_stop = false;
    for (int i = 0; i < TAKERS; i++)
        CHECK_EQ(pthread_create(&threads[i], NULL, come_and_go, (void *)(uintptr_t)names[i]), 0);
    for (int i = 0; i < ROUNDS; i++) {
        new_folder *f = open_part("a");
        CHECK_EQ(is_there(temporary, "a"), true);
        write_part(f);
        CHECK_EQ(is_there(temporary, "a"), true);
        new_folder_abort(f);
    }
    must_stop = true;
    for (int i = 0; i < TAKERS; i++) {
        void *st;
        pthread_join(threads[i], &st);
        CHECK_OK(st);
    }
    CHECK_EQ(access(temporary, F_OK), -1);
    end_test();
}
