/* The features that are asked for are those that the kernels are compiled with, and SET isa bounds
 * all code of ours that chooses by them.
 *
 * test_label: release */
#include "base/system/cpu_features.h"
#include "parquet/table/footer.h"
#include "pistachio/pistachio.h"
#include "test.h"

/* Is the word in a text of words? */
static bool has_word(const char *words, const char *word, size_t bytes)
{
    for (const char *at = words; (at = strstr(at, word)); at++)
        if ((at == words || at[-1] == ' ') && (!at[bytes] || at[bytes] == ' '))
            return true;
    return false;
}

/* The options of cmake/Kernels.cmake from `set(flags_<isa>` up to the parenthesis: each -m<feature>
 * is one of the ISA's, and they are as many. */
static void check_flags(const char *text, cpu_isa isa)
{
    char head[32], word[32];
    snprintf(head, sizeof head, "set(flags_%s", cpu_isa_name(isa));
    const char *features = cpu_isa_features(isa), *at = text;
    while ((at = strstr(at, head)) && (at[strlen(head)] == ')')) /* the empty one that goes first */
        at++;
    CHECK(at != NULL);
    const char *end = strchr(strchr(at, '}') && isa == CPU_ISA_AVX512 ? strchr(at, '}') : at, ')');
    size_t count = 0, expected = 1;
    for (const char *c = features; *c; c++)
        expected += *c == ' ';
    while ((at = strstr(at, "-m")) && at < end) {
        at += 2;
        size_t bytes = strcspn(at, " )\n");
        if (!strncmp(at, "prefer-", 7))
            continue;
        snprintf(word, sizeof word, "%.*s", (int)bytes, at);
        if (!has_word(features, word, bytes))
            test_fail(__FILE__, __LINE__, "-m%s is not asked for", word);
        count++;
    }
    CHECK_EQ(count, expected);
}

TEST(features_are_those_of_the_compiler_options)
{
    char path[600], text[8192];
    snprintf(path, sizeof path, "%s/cmake/Kernels.cmake", test_source());
    FILE *f = fopen(path, "r");
    CHECK(f != NULL);
    size_t bytes = fread(text, 1, sizeof text - 1, f);
    fclose(f);
    text[bytes] = 0;
    CHECK(bytes < sizeof text - 1);
    check_flags(text, CPU_ISA_AVX2);
    check_flags(text, CPU_ISA_AVX512);
}

TEST(names)
{
    cpu_isa isa = CPU_ISA_COUNT;
    CHECK(cpu_isa_find("auto", &isa) && isa == cpu_isa_best());
    CHECK(cpu_isa_find("scalar", &isa) && isa == CPU_ISA_SCALAR);
    CHECK(cpu_isa_find("avx2", &isa) == (cpu_isa_best() >= CPU_ISA_AVX2));
    CHECK(cpu_isa_find("avx512", &isa) == (cpu_isa_best() >= CPU_ISA_AVX512));
    CHECK(!cpu_isa_find("avx", &isa) && !cpu_isa_find("", &isa));
    CHECK(!cpu_may_multiply(CPU_ISA_SCALAR) && !cpu_may_multiply_wide(CPU_ISA_AVX2));
}

static void run(pistachio_connection *connection, const char *sql)
{
    pistachio_result *result;
    const pistachio_batch *batch;
    pistachio_error *error = pistachio_query(connection, sql, NULL, &result);
    while (!error && !(error = pistachio_next(result, &batch)) && batch)
        ;
    if (error)
        test_fail(__FILE__, __LINE__, "%s", pistachio_error_message(error));
    pistachio_result_free(result);
}

/* The instructions that a COPY, which takes checksums, and a query, which checks them and decompresses, use at most
 * under a setting. */
static cpu_isa used_under(const char *isa)
{
    const pistachio_option option = {"isa", isa};
    char copy[1000], query[600];
    const char *folder = test_folder();
    pistachio_database *database;
    pistachio_connection *connection;
    CHECK(!pistachio_open(&option, 1, &database));
    CHECK(!pistachio_connect(database, &connection));
    snprintf(copy, sizeof copy,
             "COPY (WITH d(i) AS (VALUES (0), (1), (2), (3), (4), (5), (6), (7), (8), (9)) "
             "SELECT a.i * 10 + b.i AS x, 'number ' || cast(c.i AS varchar) AS s "
             "FROM d a, d b, d c, d e) TO '%s/x.parquet' (CODEC snappy)",
             folder);
    snprintf(query, sizeof query, "SELECT max(x), max(s) FROM '%s/x.parquet'", folder);
    cpu_take_used();
    run(connection, copy);
    run(connection, query);
    pistachio_disconnect(connection);
    pistachio_close(database);
    pq_footer_cache_clear();
    return cpu_take_used();
}

TEST(set_isa_bounds_all)
{
    cpu_isa best = cpu_isa_best();
    CHECK_EQ(used_under("scalar"), CPU_ISA_SCALAR);
    if (best >= CPU_ISA_AVX2)
        CHECK_EQ(used_under("avx2"), cpu_may_multiply(best) ? CPU_ISA_AVX2 : CPU_ISA_SCALAR);
    if (best >= CPU_ISA_AVX512)
        CHECK_EQ(used_under("avx512"), CPU_ISA_AVX512);
    CHECK_EQ(used_under("auto") >= CPU_ISA_AVX512, best >= CPU_ISA_AVX512);
}
