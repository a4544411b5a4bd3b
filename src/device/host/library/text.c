/* text.c - functions of texts: letters without accents, SHA-1, an error on demand. */
#include "base/text/utf8.h"
#include "device/host/host.h"
#include "device/host/library/sha1.h"

/* Letters without their accents, of U+00C0 to U+024F and U+1E00 to U+1EFF; a blank: it stays. */
static const char latin[] = "AAAAAA CEEEEIIII NOOOOO  UUUUY  aaaaaa ceeeeiiii nooooo  uuuuy y"
                            "AaAaAaCcCcCcCcDd  EeEeEeEeEeGgGgGgGgHh  IiIiIiIiI   JjKk LlLlLl "
                            "   NnNnNn   OoOoOo  RrRrRrSsSsSsSsTtTt  UuUuUuUuUuUuWwYyYZzZzZz "
                            "                                Oo             Uu               "
                            "             AaIiOoUuUuUuUuUu AaAa    GgKkOoOo  j   Gg  NnAa    "
                            "AaAaEeEeIiIiOoOoRrRrUuUuSsTt  Hh      AaEeOoOoOoOoYy            "
                            "                ";
static const char latin_additional[] =
    "AaBbBbBbCcDdDdDdDdDdEeEeEeEeEeFfGgHhHhHhHhHhIiIiKkKkKkLlLlLlLlMm"
    "MmMmNnNnNnNnOoOoOoOoPpPpRrRrRrRrSsSsSsSsSsTtTtTtTtUuUuUuUuUuVvVv"
    "WwWwWwWwWwXxXxYyZzZzZzhtwy      AaAaAaAaAaAaAaAaAaAaAaAaEeEeEeEe"
    "EeEeEeEeIiIiOoOoOoOoOoOoOoOoOoOoOoOoUuUuUuUuUuUuUuYyYyYyYy      ";

/* Returns the letter for a character of two or three bytes; a blank: it stays; 0: an accent, which goes. */
static char plain_letter(const unsigned char *at, unsigned bytes)
{
    uint32_t code = bytes == 2 ? (uint32_t)(at[0] & 0x1f) << 6 | (at[1] & 0x3f)
                               : (uint32_t)(at[0] & 0x0f) << 12 | (uint32_t)(at[1] & 0x3f) << 6 |
                                     (at[2] & 0x3f);
    if (code >= 0x300 && code < 0x370)
        return 0;
    if (code >= 0xc0 && code < 0xc0 + sizeof latin - 1)
        return latin[code - 0xc0];
    bool is_additional = code >= 0x1e00 && code < 0x1e00 + sizeof latin_additional - 1;
    return is_additional ? latin_additional[code - 0x1e00] : ' ';
}

status host_strip_accents(host_call *c, uint64_t row)
{
    const string_view *text = host_text(c, 0, row);
    const char *from = string_data(text);
    size_t made = 0;
    char *room;
    TRY(host_put_room(c, text->bytes, &room));
    for (uint32_t at = 0; at < text->bytes;) {
        bool is_character;
        unsigned bytes = utf8_part(from + at, text->bytes - at, &is_character);
        char letter =
            bytes == 2 || bytes == 3 ? plain_letter((const unsigned char *)from + at, bytes) : ' ';
        if (letter == ' ')
            memcpy(room + made, from + at, bytes);
        else if (letter)
            room[made] = letter;
        made += letter == ' ' ? bytes : letter != 0;
        at += bytes;
    }
    host_put_filled(c, row, made);
    return STATUS_OK;
}

status host_sha1(host_call *c, uint64_t row)
{
    const string_view *bytes = host_text(c, 0, row);
    unsigned char digest[SHA1_BYTES];
    char digits[SHA1_BYTES * 2];
    sha1_digest(string_data(bytes), bytes->bytes, digest);
    for (size_t i = 0; i < SHA1_BYTES; i++) {
        digits[2 * i] = "0123456789abcdef"[digest[i] >> 4];
        digits[2 * i + 1] = "0123456789abcdef"[digest[i] & 15];
    }
    return host_put_text(c, row, digits, sizeof digits);
}

status host_error(host_call *c, uint64_t row)
{
    const string_view *text = host_text(c, 0, row);
    return status_new(STATUS_KIND_DATA, "%.*s", (int)(text->bytes < 1000 ? text->bytes : 1000),
                      string_data(text));
}
