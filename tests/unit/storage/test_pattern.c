/* test_pattern.c - which files patterns, folders and paths mean. */
#include "test.h"

#include "storage/pattern.h"

#include <sys/stat.h>
#include <unistd.h>

static const char *root;

static void put_file(const char *name)
{
    char path[512];
    snprintf(path, sizeof path, "%s/%s", root, name);
    for (char *slash = path + strlen(root) + 1; (slash = strchr(slash, '/')); slash++) {
        *slash = 0;
        mkdir(path, 0755);
        *slash = '/';
    }
    FILE *file = fopen(path, "we");
    CHECK(file);
    fclose(file);
}

static void make_files(void)
{
    static const char *const names[] = {
        "b.parquet",          "a.parquet",         "_a.parquet",
        ".c.parquet",         "_SUCCESS",          "readme.txt",
        "d/x.parquet",        "d/e/x.parquet",     "d/e/f/y.parquet",
        "d/.h/x.parquet",     "d/_log/x.parquet",  "_k=1/x.parquet",
        "y=2/m=10/x.parquet", "y=2/m=9/x.parquet", "B.parquet",
        "d/e/f/notes.txt",    "s p/q[1].parquet",  "d/f.parquet/in.parquet"};
    root = test_folder();
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        put_file(names[i]);
}

/* Checks what the pattern, or path, finds below the root, with blanks between. */
static void check_found(const char *pattern, const char *expected)
{
    arena *memory;
    path_list found = {0};
    char path[512], text[2048] = "";
    snprintf(path, sizeof path, "%s%s%s", root, *pattern ? "/" : "", pattern);
    CHECK_OK(arena_new(&memory));
    status st = file_expand(memory, path, &found);
    for (size_t i = 0; i < found.count; i++) {
        const char *name = found.items[i] + strlen(root) + 1;
        size_t used = strlen(text);
        snprintf(text + used, sizeof text - used, "%s%s", i ? "|" : "", name);
    }
    CHECK_EQ(st != NULL, !found.count);
    if (st)
        CHECK_EQ(status_get_kind(st), STATUS_KIND_NOT_FOUND);
    status_free(st);
    CHECK_TEXT_EQ(text, expected);
    arena_free(memory);
}

TEST(patterns_match_parts)
{
    make_files();
    check_found("*.parquet", "B.parquet|a.parquet|b.parquet");
    check_found("?.parquet", "B.parquet|a.parquet|b.parquet");
    check_found("[ab].parquet", "a.parquet|b.parquet");
    check_found("[!a].parquet", "B.parquet|b.parquet");
    check_found("*/x.parquet", "_k=1/x.parquet|d/x.parquet");
    check_found("y=*/m=*/*.parquet", "y=2/m=10/x.parquet|y=2/m=9/x.parquet");
    check_found("s p/q\\[1].*", "s p/q[1].parquet");
    check_found("d/*", "d/x.parquet"); /* a folder is not a file */
    check_found("nothing/*.parquet", "");
    check_found("a.parquet/*", ""); /* a file is not a folder */
    check_found("z*", "");
}

TEST(hidden_files_are_matched_by_name)
{
    make_files();
    check_found("_*.parquet", "_a.parquet");
    check_found(".*.parquet", ".c.parquet");
    check_found("d/.h/*", "d/.h/x.parquet");
    check_found("d/_log/*.parquet", "d/_log/x.parquet");
}

/* An existing name is meant by itself, whatever else the name would match. */
TEST(names_come_before_patterns)
{
    make_files();
    put_file("g/D[x]/t.parquet");
    put_file("g/Dx/t.parquet");
    put_file("g/q?.parquet");
    put_file("g/qa.parquet");
    put_file("g/[!.parquet");
    put_file("g/LOUD.PARQUET");
    check_found("g/D[x]", "g/D[x]/t.parquet");
    check_found("g/D[x]/t.parquet", "g/D[x]/t.parquet");
    check_found("g/D[x]/*.parquet", "g/D[x]/t.parquet");
    check_found("g/D[x]/**", "g/D[x]/t.parquet");
    check_found("*/D[x]/?.parquet", "g/D[x]/t.parquet");
    check_found("g/D[xy]/t.parquet", "g/Dx/t.parquet");
    check_found("g/q?.parquet", "g/q?.parquet");
    check_found("g/q*.parquet", "g/q?.parquet|g/qa.parquet");
    check_found("g/[!.parquet", "g/[!.parquet");
    check_found("g", "g/D[x]/t.parquet|g/Dx/t.parquet|g/LOUD.PARQUET|g/[!.parquet|g/q?.parquet|"
                     "g/qa.parquet");
    check_found("s p/q[1].parquet", "s p/q[1].parquet");
}

TEST(two_stars_are_any_folders)
{
    static const char all[] = "B.parquet|_k=1/x.parquet|a.parquet|b.parquet|d/e/f/y.parquet|"
                              "d/e/x.parquet|d/f.parquet/in.parquet|d/x.parquet|s p/q[1].parquet|"
                              "y=2/m=10/x.parquet|y=2/m=9/x.parquet";
    make_files();
    check_found("**", all);
    check_found("**/*.parquet", all);
    check_found("**/**/*.parquet", all);
    check_found("**/x.parquet", "_k=1/x.parquet|d/e/x.parquet|d/x.parquet|y=2/m=10/x.parquet|"
                                "y=2/m=9/x.parquet");
    check_found("d/**/[xy].parquet", "d/e/f/y.parquet|d/e/x.parquet|d/x.parquet");
    check_found("**/e/**/y.*", "d/e/f/y.parquet");
    check_found("d/**", "d/e/f/y.parquet|d/e/x.parquet|d/f.parquet/in.parquet|d/x.parquet");
    check_found("**/f/*.txt", "d/e/f/notes.txt");
    check_found("**/none.parquet", "");
    check_found("**/e/../*.parquet", "d/e/../x.parquet");
    check_found("d/**/e/**/f/y.parquet", "d/e/f/y.parquet");
    check_found("**/_k=1/x.parquet", "_k=1/x.parquet");
    check_found("**/.h/x.parquet", "d/.h/x.parquet");
}

/* Each of the folders could be in any of the stars. */
TEST(many_stars_over_deep_folders_read_each_once)
{
    char deep[256] = "";
    root = test_folder();
    for (size_t i = 0; i < 40; i++)
        memcpy(deep + 2 * i, "a/", 2);
    memcpy(deep + 80, "x.parquet", sizeof "x.parquet");
    put_file(deep);
    check_found("**/a/**/a/**/a/**/a/**/a/**/a/**/a/*.parquet", deep);
    check_found("**/b/**/a/**/a/**/a/**/a/**/a/**/a/*.parquet", "");
}

TEST(links_are_followed_but_not_by_two_stars)
{
    char from[512], to[512];
    make_files();
    snprintf(from, sizeof from, "%s/d/e/up", root);
    snprintf(to, sizeof to, "%s/d", root);
    CHECK_EQ(symlink(to, from), 0);
    check_found("d/**/x.parquet", "d/e/x.parquet|d/x.parquet");
    check_found("d/e/*/x.parquet", "d/e/up/x.parquet");
}

TEST(folders_leave_hidden_files_out)
{
    make_files();
    check_found("y=2", "y=2/m=10/x.parquet|y=2/m=9/x.parquet");
    check_found("d", "d/e/f/y.parquet|d/e/x.parquet|d/f.parquet/in.parquet|d/x.parquet");
}

TEST(patterns_match_names_of_a_list)
{
    static const struct {
        const char *pattern, *name;
        bool matches;
    } cases[] = {
        {"a/*.parquet", "a/x.parquet", true},
        {"a/*.parquet", "a/b/x.parquet", false},
        {"a/*.parquet", "a/.x.parquet", false},
        {"a/_x/*.parquet", "a/_x/y.parquet", true},
        {"*/y=?/*", "d/y=1/x", true},
        {"*/y=?/*", "d/y=10/x", false},
        {"a/**", "a/x.parquet", true},
        {"a/**", "a/b/c/x.parquet", true},
        {"a/**", "a/b/c/x.txt", false},
        {"a/**", "a/_log/x.parquet", false},
        {"a/**", "a/_k=1/x.parquet", true},
        {"a/**", "b/x.parquet", false},
        {"**/x.*", "x.parquet", true},
        {"**/b/**/x.*", "a/b/c/d/x.parquet", true},
        {"**/b/**/x.*", "b/x.parquet", true},
        {"**/b/**/x.*", "a/c/x.parquet", false},
        {"a[b]/x", "a[b]/x", true},
        {"a[b]/x", "ab/x", true},
        {"a/x", "a//x", false},
        {"a/*", "a/", false},
        {"a", "a", true},
        {"", "a", false},
    };
    char many[3 * FILE_PATTERN_PARTS_MAX + 8] = "";
    arena *a;
    const file_pattern *pattern;
    CHECK_OK(arena_new(&a));
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        CHECK_OK(file_pattern_new(a, cases[i].pattern, &pattern));
        if (file_pattern_matches(pattern, cases[i].name) != cases[i].matches)
            test_fail(__FILE__, __LINE__, "pattern %s, name %s", cases[i].pattern, cases[i].name);
    }
    for (size_t i = 0; i < FILE_PATTERN_PARTS_MAX + 1; i++)
        memcpy(many + 2 * i, "a/", 2);
    CHECK_FAILS(file_pattern_new(a, many, &pattern), STATUS_KIND_INVALID, "more than");
    many[2 * FILE_PATTERN_PARTS_MAX - 1] = '\0';
    CHECK_OK(file_pattern_new(a, many, &pattern));
    CHECK(file_pattern_matches(pattern, many));
    arena_free(a);
}
