/* encoding.c - bytes as text and back: hex, base64, escape. */
#include "base/text/utf8.h"
#include "device/host/host.h"

#include <ctype.h>
#include <strings.h>

#define BASE64 "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
#define BASE64_LINE 76 /* characters, as PostgreSQL and MIME break them */

typedef enum encoding { ENCODING_HEX, ENCODING_BASE64, ENCODING_ESCAPE } encoding;

static status encoding_of(const host_call *c, uint64_t row, encoding *out)
{
    static const char *const names[] = {"hex", "base64", "escape"};
    const string_view *name = host_text(c, 1, row);
    for (unsigned i = 0; i < sizeof names / sizeof *names; i++)
        if (name->bytes == strlen(names[i]) &&
            !strncasecmp(string_data(name), names[i], name->bytes)) {
            *out = (encoding)i;
            return STATUS_OK;
        }
    return status_hint(status_new(STATUS_KIND_DATA, "there is no encoding \"%.*s\"",
                                  (int)(name->bytes < 40 ? name->bytes : 40), string_data(name)),
                       "encodings are hex, base64 and escape");
}

/* ---- encode ---- */

static size_t to_hex(const unsigned char *from, size_t count, char *to)
{
    for (size_t i = 0; i < count; i++) {
        to[2 * i] = "0123456789abcdef"[from[i] >> 4];
        to[2 * i + 1] = "0123456789abcdef"[from[i] & 15];
    }
    return 2 * count;
}

/* Lines of so many characters, a multiple of 4. One that is full ends in \n, but for a last one with padding. */
static size_t to_base64(const unsigned char *from, size_t count, size_t line, char *to)
{
    size_t length = 0;
    for (size_t i = 0; i < count; i += 3) {
        uint32_t bits = (uint32_t)from[i] << 16;
        bits |= i + 1 < count ? (uint32_t)from[i + 1] << 8 : 0;
        bits |= i + 2 < count ? from[i + 2] : 0;
        to[length++] = BASE64[bits >> 18];
        to[length++] = BASE64[bits >> 12 & 63];
        to[length++] = (char)(i + 1 < count ? BASE64[bits >> 6 & 63] : '=');
        to[length++] = (char)(i + 2 < count ? BASE64[bits & 63] : '=');
        if (i + 2 < count && length % (line + 1) == line)
            to[length++] = '\n';
    }
    return length;
}

static size_t to_escape(const unsigned char *from, size_t count, char *to)
{
    size_t length = 0;
    for (size_t i = 0; i < count; i++) {
        if (from[i] && from[i] < 0x80 && from[i] != '\\') {
            to[length++] = (char)from[i];
            continue;
        }
        to[length++] = '\\';
        if (from[i] == '\\') {
            to[length++] = '\\';
            continue;
        }
        to[length++] = (char)('0' + (from[i] >> 6));
        to[length++] = (char)('0' + (from[i] >> 3 & 7));
        to[length++] = (char)('0' + (from[i] & 7));
    }
    return length;
}

status host_encode(host_call *c, uint64_t row)
{
    const string_view *view = host_text(c, 0, row);
    const unsigned char *from = (const unsigned char *)string_data(view);
    encoding e;
    char *room;
    TRY(encoding_of(c, row, &e));
    TRY(host_put_room(c, (uint64_t)view->bytes * 4 + 4, &room));
    size_t length = e == ENCODING_HEX      ? to_hex(from, view->bytes, room)
                    : e == ENCODING_BASE64 ? to_base64(from, view->bytes, BASE64_LINE, room)
                                           : to_escape(from, view->bytes, room);
    host_put_filled(c, row, length);
    return STATUS_OK;
}

/* ---- decode: false where the text is not of the encoding ---- */

static int encoding_hex_digit(char c)
{
    return c >= '0' && c <= '9'                     ? c - '0'
           : (c | 0x20) >= 'a' && (c | 0x20) <= 'f' ? (c | 0x20) - 'a' + 10
                                                    : -1;
}

static bool from_hex(const char *from, size_t count, char *to, size_t *length)
{
    for (size_t i = 0; i < count; i++) {
        if (isspace((unsigned char)from[i]))
            continue;
        if (i + 1 == count || encoding_hex_digit(from[i]) < 0 ||
            encoding_hex_digit(from[i + 1]) < 0)
            return false;
        to[(*length)++] =
            (char)(encoding_hex_digit(from[i]) << 4 | encoding_hex_digit(from[i + 1]));
        i++;
    }
    return true;
}

static bool from_base64(const char *from, size_t count, char *to, size_t *length)
{
    uint32_t bits = 0;
    unsigned digits = 0, closing = 0;
    for (size_t i = 0; i < count; i++) {
        if (isspace((unsigned char)from[i]))
            continue;
        const char *digit = from[i] ? strchr(BASE64, from[i]) : NULL;
        closing += from[i] == '=';
        if (from[i] == '=' ? digits < 2 : closing || !digit)
            return false;
        bits = bits << 6 | (digit ? (uint32_t)(digit - BASE64) : 0);
        if (++digits < 4)
            continue;
        if (closing > 2)
            return false;
        for (unsigned k = 0; k < 3 - closing; k++)
            to[(*length)++] = (char)(bits >> (16 - 8 * k));
        bits = digits = 0;
    }
    return !digits;
}

static bool from_escape(const char *from, size_t count, char *to, size_t *length)
{
    for (size_t i = 0; i < count; i++) {
        if (from[i] != '\\') {
            to[(*length)++] = from[i];
        } else if (i + 1 < count && from[i + 1] == '\\') {
            to[(*length)++] = from[++i];
        } else {
            unsigned byte = 0;
            for (unsigned k = 1; k <= 3; k++) {
                if (i + k >= count || from[i + k] < '0' || from[i + k] > (k == 1 ? '3' : '7'))
                    return false;
                byte = byte << 3 | (unsigned)(from[i + k] - '0');
            }
            to[(*length)++] = (char)byte;
            i += 3;
        }
    }
    return true;
}

status host_decode(host_call *c, uint64_t row)
{
    const string_view *view = host_text(c, 0, row);
    const char *from = string_data(view);
    size_t length = 0;
    encoding e;
    char *room;
    TRY(encoding_of(c, row, &e));
    TRY(host_put_room(c, view->bytes, &room));
    bool is_right = e == ENCODING_HEX      ? from_hex(from, view->bytes, room, &length)
                    : e == ENCODING_BASE64 ? from_base64(from, view->bytes, room, &length)
                                           : from_escape(from, view->bytes, room, &length);
    if (!is_right)
        return status_new(STATUS_KIND_DATA, "\"%.*s\" is not text of this encoding",
                          (int)(view->bytes < 60 ? view->bytes : 60), from);
    host_put_filled(c, row, length);
    return STATUS_OK;
}

/* ---- base64 alone, without white space ---- */

status host_to_base64(host_call *c, uint64_t row)
{
    const string_view *view = host_text(c, 0, row);
    const unsigned char *from = (const unsigned char *)string_data(view);
    char *room;
    TRY(host_put_room(c, ((uint64_t)view->bytes + 2) / 3 * 4, &room));
    host_put_filled(c, row, to_base64(from, view->bytes, SIZE_MAX - 3, room));
    return STATUS_OK;
}

status host_from_base64(host_call *c, uint64_t row)
{
    const string_view *view = host_text(c, 0, row);
    const char *from = string_data(view);
    size_t length = 0;
    char *room;
    TRY(host_put_room(c, view->bytes, &room));
    bool has_space = false;
    for (size_t i = 0; i < view->bytes; i++)
        has_space |= isspace((unsigned char)from[i]);
    if (has_space || !from_base64(from, view->bytes, room, &length))
        return status_new(STATUS_KIND_DATA, "\"%.*s\" is not base64",
                          (int)(view->bytes < 60 ? view->bytes : 60), from);
    host_put_filled(c, row, length);
    return STATUS_OK;
}

/* ---- URLs ---- */

static bool is_plain_in_url(unsigned char byte)
{
    return byte < 0x80 && (isalnum(byte) || (byte && strchr("-._~", byte)));
}

status host_url_encode(host_call *c, uint64_t row)
{
    const string_view *view = host_text(c, 0, row);
    const unsigned char *from = (const unsigned char *)string_data(view);
    size_t length = 0;
    char *room;
    TRY(host_put_room(c, (uint64_t)view->bytes * 3, &room));
    for (size_t i = 0; i < view->bytes; i++) {
        if (is_plain_in_url(from[i])) {
            room[length++] = (char)from[i];
            continue;
        }
        room[length++] = '%';
        room[length++] = "0123456789ABCDEF"[from[i] >> 4];
        room[length++] = "0123456789ABCDEF"[from[i] & 15];
    }
    host_put_filled(c, row, length);
    return STATUS_OK;
}

status host_url_decode(host_call *c, uint64_t row)
{
    const string_view *view = host_text(c, 0, row);
    const char *from = string_data(view);
    size_t length = 0;
    char *room;
    TRY(host_put_room(c, view->bytes, &room));
    for (size_t i = 0; i < view->bytes; i++) {
        bool is_coded = from[i] == '%' && i + 2 < view->bytes &&
                        encoding_hex_digit(from[i + 1]) >= 0 &&
                        encoding_hex_digit(from[i + 2]) >= 0;
        room[length++] =
            is_coded
                ? (char)(encoding_hex_digit(from[i + 1]) << 4 | encoding_hex_digit(from[i + 2]))
                : from[i];
        i += is_coded ? 2 : 0;
    }
    if (utf8_valid_bytes(room, length) < length)
        return status_new(STATUS_KIND_DATA, "\"%.*s\" does not decode to UTF-8",
                          (int)(view->bytes < 60 ? view->bytes : 60), from);
    host_put_filled(c, row, length);
    return STATUS_OK;
}

/* ---- bytes of a text ---- */

status host_bytes_of_text(host_call *c, uint64_t row)
{
    const string_view *view = host_text(c, 0, row);
    host_put_part(c, row, string_data(view), view->bytes);
    return STATUS_OK;
}

status host_text_of_bytes(host_call *c, uint64_t row)
{
    const string_view *view = host_text(c, 0, row);
    if (utf8_valid_bytes(string_data(view), view->bytes) < view->bytes)
        return status_hint(
            status_new(STATUS_KIND_DATA, "a blob of %u bytes is not UTF-8", (unsigned)view->bytes),
            "encode(blob, 'hex') writes any blob");
    host_put_part(c, row, string_data(view), view->bytes);
    return STATUS_OK;
}
