/* check.c - compares a result with a published answer, row by row as it comes. */
#include "tpch/check.h"

#include "tpch/embedded.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TOLERANCE 1e-9
#define FNV_START 0xcbf29ce484222325u
#define FNV_PRIME 0x100000001b3u

static const char *tpch_check_find(const tpch_text *texts, const char *name)
{
    for (; texts->name; texts++)
        if (!strcmp(texts->name, name))
            return texts->text;
    return NULL;
}

const char *tpch_query(unsigned number)
{
    char name[32];
    snprintf(name, sizeof name, "q%02u.sql", number);
    return tpch_check_find(tpch_queries, name);
}

const char *tpch_answers_scale(uint64_t orders)
{
    return orders == 15000 ? "0.01" : orders == 150000 ? "0.1" : orders == 1500000 ? "1" : NULL;
}

typedef struct comparison {
    pistachio_result *result;
    const char *expected; /* the rest of the answer's rows; NULL: there is only a digest */
    uint64_t rows, hash;
    char *difference;
    size_t bytes;
} comparison;

static bool is_approximate(const comparison *c, uint32_t column)
{
    const char *type = pistachio_column_type(c->result, column);
    return !strcmp(type, "double") || !strcmp(type, "float");
}

static bool is_close(const char *a, const char *b)
{
    char *end_a, *end_b;
    double x = strtod(a, &end_a), y = strtod(b, &end_b);
    return end_a != a && end_b != b && fabs(x - y) <= TOLERANCE * fmax(fabs(x), fabs(y));
}

/* Length of a decimal without zeros at its end. */
static size_t significant(const char *text, size_t bytes)
{
    if (!memchr(text, '.', bytes))
        return bytes;
    while (text[bytes - 1] == '0')
        bytes--;
    return bytes - (text[bytes - 1] == '.');
}

static void check_cell(comparison *c, uint32_t column, const char *text, size_t bytes)
{
    const char *expected = c->expected;
    size_t length = strcspn(expected, "|\n");
    c->expected += length + (expected[length] == '|');
    bool is_decimal = !strncmp(pistachio_column_type(c->result, column), "decimal", 7);
    size_t mine_bytes = is_decimal ? significant(text, bytes) : bytes;
    size_t their_bytes = is_decimal ? significant(expected, length) : length;
    if (mine_bytes == their_bytes && !memcmp(expected, text, mine_bytes))
        return;
    char mine[64], theirs[64];
    snprintf(mine, sizeof mine, "%.*s", (int)bytes, text);
    snprintf(theirs, sizeof theirs, "%.*s", (int)length, expected);
    if (is_approximate(c, column) && is_close(mine, theirs))
        return;
    snprintf(c->difference, c->bytes, "row %" PRIu64 ", %s: %s instead of %s", c->rows + 1,
             pistachio_column_name(c->result, column), mine, theirs);
}

static void check_hash_bytes(comparison *c, const char *text, size_t bytes)
{
    for (size_t i = 0; i < bytes; i++)
        c->hash = (c->hash ^ (unsigned char)text[i]) * FNV_PRIME;
}

static void check_row(comparison *c, const pistachio_batch *batch, uint64_t row)
{
    uint32_t columns = pistachio_column_count(c->result);
    if (c->expected && !*c->expected) {
        snprintf(c->difference, c->bytes, "more than %" PRIu64 " rows", c->rows);
        return;
    }
    for (uint32_t i = 0; i < columns && !*c->difference; i++) {
        size_t bytes = 0;
        const char *text =
            pistachio_is_null(batch, i, row) ? "" : pistachio_text(batch, i, row, &bytes);
        if (c->expected)
            check_cell(c, i, text, bytes);
        check_hash_bytes(c, text, bytes);
        check_hash_bytes(c, i + 1 < columns ? "|" : "\n", 1);
    }
    if (c->expected && *c->expected == '\n')
        c->expected++;
}

/* "18314 rows, fnv1a64 0123456789abcdef" */
static void check_digest(comparison *c, const char *digest)
{
    uint64_t rows = 0, hash = 0;
    if (sscanf(digest, "%" SCNu64 " rows, fnv1a64 %" SCNx64, &rows, &hash) != 2)
        snprintf(c->difference, c->bytes, "the published answer's digest is damaged");
    else if (rows != c->rows)
        snprintf(c->difference, c->bytes, "%" PRIu64 " rows instead of %" PRIu64, c->rows, rows);
    else if (hash != c->hash)
        snprintf(c->difference, c->bytes, "%" PRIu64 " rows whose digest is another", rows);
}

pistachio_error *tpch_check(pistachio_result *result, const char *scale, unsigned number,
                            uint64_t *out_rows, char *out_difference, size_t bytes)
{
    comparison c = {.result = result, .hash = FNV_START, .bytes = bytes};
    char name[64];
    const char *digest = NULL;
    c.difference = out_difference;
    *out_difference = 0;
    if (scale) {
        snprintf(name, sizeof name, "sf%s/q%02u.csv", scale, number);
        c.expected = tpch_check_find(tpch_answers, name);
        if (c.expected)
            c.expected += strcspn(c.expected, "\n") + 1;
        snprintf(name, sizeof name, "sf%s/q%02u.digest", scale, number);
        digest = tpch_check_find(tpch_answers, name);
    }
    pistachio_error *error = NULL;
    const pistachio_batch *batch;
    while (!(error = pistachio_next(result, &batch)) && batch)
        for (uint64_t row = 0; row < pistachio_batch_rows(batch); row++, c.rows++)
            if (!*c.difference)
                check_row(&c, batch, row);
    if (!error && !*c.difference && c.expected && *c.expected)
        snprintf(c.difference, c.bytes, "only %" PRIu64 " rows", c.rows);
    if (!error && !*c.difference && digest)
        check_digest(&c, digest);
    *out_rows = c.rows;
    return error;
}
