/* fuzz_grammar.c - any text for scanner and grammar: refused with a position inside the text, or taken; tokens lie one
 * after the other in it. */
#include "fuzz.h"
#include "sql/text/parser.h"

#include <string.h>

static void check_position(status st, size_t bytes)
{
    if (st)
        FUZZ_CHECK(status_position(st) >= -1 && status_position(st) <= (int64_t)bytes);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length)
{
    arena *a;
    pg_token *tokens;
    pg_node *tree = NULL;
    size_t count = 0;
    FUZZ_CHECK(!arena_new(&a));
    char *sql = arena_copy_text(a, (const char *)bytes, length);
    FUZZ_CHECK(sql);
    size_t sql_bytes = strlen(sql);

    status st = sql_scan(a, sql, &tokens, &count);
    bool is_scanned = !st;
    check_position(st, sql_bytes);
    fuzz_settle(st);
    for (size_t i = 0; is_scanned && i < count; i++) {
        FUZZ_CHECK(tokens[i].start < tokens[i].end && (size_t)tokens[i].end <= sql_bytes);
        FUZZ_CHECK(i == 0 || tokens[i - 1].end <= tokens[i].start);
    }

    st = sql_parse(a, sql, &tree);
    check_position(st, sql_bytes);
    FUZZ_CHECK(is_scanned || st || !tree);
    fuzz_settle(st);
    arena_free(a);
    return 0;
}
