/* json_write.c - JSON of values: texts in quotes, numbers. */
#include "device/host/host.h"

#include <yyjson/yyjson.h>

/* Bytes that a character takes at most: \u001f. */
#define ESCAPE_BYTES 6

static size_t json_escape(unsigned char c, char *out)
{
    static const char letters[] = "btnvfr"; /* of 8 to 13 */
    if (c >= 0x20 && c != '"' && c != '\\') {
        *out = (char)c;
        return 1;
    }
    out[0] = '\\';
    if (c == '"' || c == '\\' || (c >= 8 && c <= 13 && c != 11)) {
        out[1] = c < 0x20 ? letters[c - 8] : (char)c;
        return 2;
    }
    memcpy(out, "\\u00", 4);
    out[4] = "0123456789ABCDEF"[c >> 4];
    out[5] = "0123456789ABCDEF"[c & 15];
    return ESCAPE_BYTES;
}

status host_json_quote(host_call *c, uint64_t row)
{
    const string_view *text = host_text(c, 0, row);
    char *room;
    size_t bytes = 1;
    TRY(host_put_room(c, (uint64_t)text->bytes * ESCAPE_BYTES + 2, &room));
    room[0] = '"';
    for (uint32_t i = 0; i < text->bytes; i++)
        bytes += json_escape((unsigned char)string_data(text)[i], room + bytes);
    room[bytes++] = '"';
    host_put_filled(c, row, bytes);
    return STATUS_OK;
}

/* A decimal's text without zeros at its end: 1.50 is 1.5, 2.00 is 2.0. */
status host_json_decimal(host_call *c, uint64_t row)
{
    const string_view *text = host_text(c, 0, row);
    const char *digits = string_data(text);
    size_t bytes = text->bytes;
    if (memchr(digits, '.', bytes))
        while (digits[bytes - 1] == '0' && digits[bytes - 2] != '.')
            bytes--;
    host_put_part(c, row, digits, bytes);
    return STATUS_OK;
}

/* Gives null for infinities and NaN, which JSON lacks. */
status host_json_double(host_call *c, uint64_t row)
{
    char buffer[1024];
    yyjson_alc memory;
    yyjson_val number = {.tag = YYJSON_TYPE_NUM | YYJSON_SUBTYPE_REAL};
    size_t bytes = 0;
    number.uni.f64 = host_double(c, 0, row);
    const char *text = NULL;
    if (yyjson_alc_pool_init(&memory, buffer, sizeof buffer))
        text = yyjson_val_write_opts(&number, 0, &memory, &bytes, NULL);
    return text ? host_put_text(c, row, text, bytes) : host_put_text(c, row, "null", 4);
}
