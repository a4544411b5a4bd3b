/* test_csv.c - which texts a CSV file has in quotes, and what those look like; text in TSV and
 * JSON. */
#include "test.h"

#include "base/row/csv.h"
#include "base/row/json_text.h"

typedef void writer_function(const char *text, size_t bytes, text_out *out);

static csv_dialect dialect = {',', ""};

static void write_csv(const char *text, size_t bytes, text_out *out)
{
    csv_write_field(text, bytes, dialect, out);
}

static void check_written(writer_function *write, const char *text, size_t bytes,
                          const char *expected, size_t expected_bytes)
{
    char *written = NULL;
    size_t written_bytes = 0;
    FILE *target = open_memstream(&written, &written_bytes);
    CHECK(target);
    char buffer[TEXT_OUT_BYTES_MIN];
    text_out out = {.begin = buffer, .at = buffer, .end = buffer + sizeof buffer, .target = target};
    write(text, bytes, &out);
    text_out_flush(&out);
    bool is_whole = !ferror(target);
    is_whole = !fclose(target) && is_whole;
    bool is_same = written_bytes == expected_bytes && !memcmp(written, expected, expected_bytes);
    if (!is_same)
        fprintf(stderr, "%s became %s, not %s\n", text, written, expected);
    free(written);
    CHECK(is_whole);
    CHECK(is_same);
}

static void check_field(const char *text, size_t bytes, const char *expected, size_t expected_bytes)
{
    check_written(write_csv, text, bytes, expected, expected_bytes);
}

static void check_text(const char *text, const char *expected)
{
    check_field(text, strlen(text), expected, strlen(expected));
}

TEST(plain_text_stays)
{
    check_text("a", "a");
    check_text("a plain text", "a plain text");
    check_text("-12.50", "-12.50");
    check_text("it's; a\ttab | and \\N", "it's; a\ttab | and \\N");
    check_text("Gr\xc3\xbc\xc3\x9f", "Gr\xc3\xbc\xc3\x9f");
}

TEST(spaces_at_the_ends_need_no_quotes)
{
    check_text(" ", " ");
    check_text(" a", " a");
    check_text("a ", "a ");
}

TEST(what_is_larger_than_the_buffer_is_whole)
{
    char text[3 * TEXT_OUT_BYTES_MIN], quoted[sizeof text + 3];
    memset(text, 'x', sizeof text);
    check_field(text, sizeof text, text, sizeof text);
    text[TEXT_OUT_BYTES_MIN - 2] = '"';
    quoted[0] = quoted[sizeof quoted - 1] = '"';
    memcpy(quoted + 1, text, TEXT_OUT_BYTES_MIN - 1);
    memcpy(quoted + TEXT_OUT_BYTES_MIN, text + TEXT_OUT_BYTES_MIN - 2,
           sizeof text - TEXT_OUT_BYTES_MIN + 2);
    check_field(text, sizeof text, quoted, sizeof quoted);
}

TEST(without_a_stream_the_buffer_is_full)
{
    char buffer[TEXT_OUT_BYTES_MIN], text[TEXT_OUT_BYTES_MIN] = {0};
    text_out out = {.begin = buffer, .at = buffer, .end = buffer + sizeof buffer};
    text_out_add(&out, text, sizeof text - 1);
    CHECK(!out.is_full);
    CHECK(text_out_room(&out, 1) == buffer + sizeof text - 1);
    text_out_char(&out, 'a');
    CHECK(!out.is_full);
    CHECK(!text_out_room(&out, 1));
    CHECK(out.is_full);
    out.is_full = false;
    text_out_add(&out, text, 2);
    CHECK(out.is_full && out.at == out.end);
}

TEST(special_characters_are_seen_anywhere)
{
    static const char special[] = ",\"\n\r";
    for (size_t bytes = 1; bytes < 20; bytes++)
        for (size_t at = 0; at < bytes; at++)
            for (size_t s = 0; s < 4; s++) {
                char text[24], expected[48];
                memset(text, s ? '+' : '\x8c', bytes); /* a bit from the special ones */
                text[at] = special[s];
                int length = snprintf(expected, sizeof expected, "\"%.*s%s", (int)at, text,
                                      special[s] == '"' ? "\"" : "");
                length += snprintf(expected + length, sizeof expected - (size_t)length, "%.*s\"",
                                   (int)(bytes - at), text + at);
                check_field(text, bytes, expected, (size_t)length);
            }
}

TEST(an_empty_text_is_not_null)
{
    check_text("", "\"\"");
}

TEST(separators_and_line_ends_are_quoted)
{
    check_text(",", "\",\"");
    check_text("a,b", "\"a,b\"");
    check_text("a,", "\"a,\"");
    check_text("a\nb", "\"a\nb\"");
    check_text("a\rb", "\"a\rb\"");
    check_text("\r\n", "\"\r\n\"");
    check_text(" a, b ", "\" a, b \"");
}

TEST(quotes_are_doubled)
{
    check_text("\"", "\"\"\"\"");
    check_text("\"\"", "\"\"\"\"\"\"");
    check_text("a\"b", "\"a\"\"b\"");
    check_text("\"a\"", "\"\"\"a\"\"\"");
    check_text("a\"\"b\"c", "\"a\"\"\"\"b\"\"c\"");
    check_text("say \"a, b\"\r\nor \"c\"", "\"say \"\"a, b\"\"\r\nor \"\"c\"\"\"");
}

TEST(a_zero_byte_is_a_byte_as_others)
{
    check_field("a\0b", 3, "a\0b", 3);
    check_field("a\0\"b", 4, "\"a\0\"\"b\"", 7);
    check_field("a,b", 1, "a", 1); /* the text ends where it is said to */
}

TEST(another_delimiter_and_another_null)
{
    dialect = (csv_dialect){';', "NA"};
    check_text("a,b", "a,b");
    check_text("a;b", "\"a;b\"");
    check_text("", "");
    check_text("NA", "\"NA\"");
    check_text("NAN", "NAN");
    check_text("na", "na");
    dialect = CSV_DEFAULT;
}

TEST(tsv_escapes)
{
    check_written(tsv_write_field, "", 0, "", 0);
    check_written(tsv_write_field, "a \"b\", c", 8, "a \"b\", c", 8);
    check_written(tsv_write_field, "\ta\\N\r\n", 6, "\\ta\\\\N\\r\\n", 10);
    check_written(tsv_write_field, "a\0b", 3, "a\0b", 3);
}

TEST(json_escapes)
{
    check_written(json_write_text, "", 0, "\"\"", 2);
    check_written(json_write_text, "a/b\xc3\xbc", 5, "\"a/b\xc3\xbc\"", 7);
    check_written(json_write_text, "\"a\\\n\t", 5, "\"\\\"a\\\\\\n\\t\"", 11);
    check_written(json_write_text, "\x1f\0", 2, "\"\\u001f\\u0000\"", 14);
}
