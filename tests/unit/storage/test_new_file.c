/* test_new_file.c - files that appear when they are whole: with and without a name until then. */
#include "test.h"

#include "base/fault.h"
#include "storage/new_file.h"

#include <dirent.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

typedef status open_function(const char *path, new_file **out);
static open_function *const openers[] = {new_file_open, new_file_open_named};

static char folder[] = "/tmp/pistachio-new-file-XXXXXX", path[sizeof folder + NAME_MAX + 2];

static void make_folder(void)
{
    memcpy(folder + sizeof folder - 7, "XXXXXX", 6);
    CHECK(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/t", folder);
}

static unsigned count_files(void)
{
    unsigned count = 0;
    DIR *open = opendir(folder);
    CHECK(open);
    for (const struct dirent *entry; (entry = readdir(open));)
        count += entry->d_name[0] != '.';
    closedir(open);
    return count;
}

static bool file_is(const char *expected)
{
    char text[64] = "";
    FILE *source = fopen(path, "re");
    if (!source)
        return false;
    size_t got = fread(text, 1, sizeof text - 1, source);
    fclose(source);
    return got == strlen(expected) && !strcmp(text, expected);
}

static void remove_folder(void)
{
    unlink(path);
    CHECK_EQ(rmdir(folder), 0);
}

static void write_text(open_function *open, const char *text)
{
    new_file *f;
    CHECK_OK(open(path, &f));
    CHECK_OK(new_file_write(f, text, strlen(text)));
    CHECK_EQ(new_file_bytes(f), strlen(text));
    CHECK_OK(new_file_publish(f));
}

TEST(appears_and_replaces)
{
    for (size_t i = 0; i < 2; i++) {
        make_folder();
        write_text(openers[i], "first");
        CHECK(file_is("first"));
        write_text(openers[i], "second");
        CHECK(file_is("second"));
        CHECK_EQ(count_files(), 1);
        remove_folder();
    }
}

TEST(a_name_as_long_as_can_be_is_replaced)
{
    for (size_t i = 0; i < 2; i++) {
        make_folder();
        snprintf(path, sizeof path, "%s/%0*d", folder, NAME_MAX, 0);
        write_text(openers[i], "first");
        write_text(openers[i], "second");
        CHECK(file_is("second"));
        CHECK_EQ(count_files(), 1);
        remove_folder();
    }
}

TEST(has_no_name_before)
{
    for (size_t i = 0; i < 2; i++) {
        new_file *f;
        make_folder();
        CHECK_OK(openers[i](path, &f));
        CHECK_OK(new_file_write(f, "x", 1));
        CHECK(!file_is("x"));
        new_file_abort(f);
        CHECK_EQ(count_files(), 0);
        remove_folder();
    }
}

TEST(stream)
{
    new_file *f;
    FILE *stream;
    make_folder();
    CHECK_OK(new_file_open(path, &f));
    CHECK_OK(new_file_stream(f, &stream));
    CHECK(fputs("text", stream) >= 0);
    CHECK_EQ(fclose(stream), 0);
    CHECK_OK(new_file_publish(f));
    CHECK(file_is("text"));
    remove_folder();
}

TEST(a_stream_that_fails_says_why_once)
{
    new_file *f;
    FILE *stream;
    make_folder();
    CHECK_OK(new_file_open(path, &f));
    CHECK_OK(new_file_stream(f, &stream));
    fault_arm(FAULT_WRITE, 1, FAULT_ALWAYS);
    CHECK(fputs("text", stream) >= 0);
    CHECK(fflush(stream));
    CHECK(ferror(stream));
    CHECK_FAILS(new_file_failure(f), STATUS_KIND_IO, "at byte 0: No space left on device");
    (void)fclose(stream); /* which may be too late to fail */
    fault_disarm(FAULT_WRITE);
    new_file_abort(f);
    CHECK_EQ(count_files(), 0);
    remove_folder();
}

TEST(a_link_stays)
{
    char link[sizeof folder + 8];
    struct stat info;
    make_folder();
    snprintf(link, sizeof link, "%s/l", folder);
    CHECK_EQ(symlink("t", link), 0);
    write_text(new_file_open, "first"); /* by its own name */
    new_file *f;
    CHECK_OK(new_file_open(link, &f));
    CHECK_OK(new_file_write(f, "second", 6));
    CHECK_OK(new_file_publish(f));
    CHECK(file_is("second"));
    CHECK_EQ(lstat(link, &info), 0);
    CHECK(S_ISLNK(info.st_mode));
    CHECK_EQ(unlink(link), 0);
    remove_folder();
}

TEST(permissions_are_those_of_new_files)
{
    make_folder();
    mode_t before = umask(027);
    struct stat info;
    write_text(new_file_open, "x");
    umask(before);
    CHECK_EQ(stat(path, &info), 0);
    CHECK_EQ(info.st_mode & 0777, 0640);
    remove_folder();
}

TEST(places_that_cannot_be)
{
    new_file *f;
    make_folder();
    CHECK_EQ(mkdir(path, 0777), 0);
    CHECK_FAILS(new_file_open(path, &f), STATUS_KIND_IO, "is not a regular file");
    CHECK_EQ(rmdir(path), 0);
    CHECK_FAILS(new_file_open("/dev/null", &f), STATUS_KIND_IO, "is not a regular file");
    CHECK_FAILS(new_file_open("/nowhere/at/all", &f), STATUS_KIND_NOT_FOUND, "/nowhere/at/all");
    remove_folder();
}
