/* test_utf8.c - what is UTF-8, and what replacement makes of the rest: as Python's errors="replace" has it. */
#include "base/text/utf8.h"
#include "test.h"

#define R "\xef\xbf\xbd"

static const struct {
    const char *bytes, *replaced;
} cases[] = {
    {"", ""},
    {"plain text of more than eight bytes", "plain text of more than eight bytes"},
    {"\xc3\xa9\xe6\xbc\xa2\xf0\x9f\x98\x80", "\xc3\xa9\xe6\xbc\xa2\xf0\x9f\x98\x80"},
    {"\x7f\xc2\x80\xdf\xbf\xe0\xa0\x80\xef\xbf\xbf",
     "\x7f\xc2\x80\xdf\xbf\xe0\xa0\x80\xef\xbf\xbf"},
    {"\xed\x9f\xbf\xee\x80\x80\xf4\x8f\xbf\xbf", "\xed\x9f\xbf\xee\x80\x80\xf4\x8f\xbf\xbf"},
    {"\x80", R},
    {"\xff\xfe", R R},
    {"\xc0\x80", R R},             /* too long a form of 0 */
    {"\xe0\x80\x80", R R R},       /* the same */
    {"\xf0\x80\x80\x80", R R R R}, /* the same */
    {"\xed\xa0\x80", R R R},       /* a surrogate */
    {"\xf4\x90\x80\x80", R R R R}, /* beyond U+10FFFF */
    {"\xf0\x9f\x98", R},           /* the beginning of a character */
    {"\xf0\x9f\x98z", R "z"},
    {"\xe6\xbc"
     "\xe6\xbc\xa2",
     R "\xe6\xbc\xa2"},
    {"12345678\xc3", "12345678" R},
    {"caf\xe9 au lait", "caf" R " au lait"},
    {"\x61\xf1\x80\x80\xe1\x80\xc2\x62\x80\x63\x80\xbf\x64", "a" R R R "b" R "c" R R "d"},
};

TEST(texts_are_replaced_as_python_does)
{
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char out[128];
        size_t bytes = strlen(cases[i].bytes);
        bool is_valid = !strcmp(cases[i].bytes, cases[i].replaced);
        CHECK_EQ(utf8_valid_bytes(cases[i].bytes, bytes) == bytes, is_valid);
        CHECK_EQ(utf8_replaced_bytes(cases[i].bytes, bytes), strlen(cases[i].replaced));
        memset(out, 0, sizeof out);
        utf8_replace(cases[i].bytes, bytes, out);
        CHECK_TEXT_EQ(out, cases[i].replaced);
    }
}

/* Each two bytes at each place among ASCII: valid where both are ASCII, or a character together. */
TEST(two_bytes_anywhere)
{
    for (unsigned pair = 0; pair < 65536; pair++) {
        unsigned first = pair >> 8, second = pair & 255, at = pair % 23;
        char text[32];
        memset(text, 'a', sizeof text);
        text[at] = (char)first;
        text[at + 1] = (char)second;
        bool is_ascii = first < 128 && second < 128;
        bool is_character = first >= 0xc2 && first < 0xe0 && second >= 0x80 && second < 0xc0;
        uint64_t wrong = first < 128 && second >= 128 ? at + 1 : at;
        CHECK_EQ(utf8_valid_bytes(text, sizeof text),
                 is_ascii || is_character ? sizeof text : wrong);
    }
}
