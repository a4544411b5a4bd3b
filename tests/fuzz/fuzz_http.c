/* fuzz_http.c - any bytes as an answer's headers, as a listing, as a URL, as a file of ~/.aws: what is taken is within the
 * bounds that it promises. The first byte chooses. */
#include "fuzz.h"
#include "http/answer.h"
#include "http/identity.h"
#include "http/list.h"

#include <string.h>

static void read_headers(const char *text, size_t length)
{
    transfer_answer answer = {0};
    for (const char *line = text, *end = text + length; line < end;) {
        const char *stop = memchr(line, '\n', (size_t)(end - line));
        size_t bytes = stop ? (size_t)(stop - line) + 1 : (size_t)(end - line);
        answer_read_header(&answer, line, bytes);
        line += bytes;
    }
    FUZZ_CHECK(answer.code < 1000);
    FUZZ_CHECK(!answer.has_range || answer.range_first < answer.range_end);
    FUZZ_CHECK(memchr(answer.tag, 0, sizeof answer.tag));
    for (const char *c = answer.tag; *c; c++)
        FUZZ_CHECK((unsigned char)*c >= ' ');
}

static status take_key(void *context, const list_item *item)
{
    FUZZ_CHECK(strlen(item->key) + strlen(item->tag) <= 2 + *(size_t *)context);
    return STATUS_OK;
}

static void read_listing(arena *a, const char *text, size_t length)
{
    list_page page;
    if (fuzz_settle(list_read_page(a, text, length, take_key, &length, &page)))
        FUZZ_CHECK(strlen(page.token) <= length);
}

/* Nothing of a URL can end the line or the header that it stands in. */
static void read_url(arena *a, const char *url)
{
    static const url_store stores[] = {
        {.endpoint = "", .region = ""},
        {.endpoint = "http://h:1", .region = "r", .is_path_style = true}};
    for (size_t i = 0; i < 2; i++) {
        url_place place;
        if (!fuzz_settle(url_parse(a, &stores[i], url, &place)))
            continue;
        const char *parts[] = {place.host, place.path, place.query};
        FUZZ_CHECK(*place.path == '/');
        for (size_t k = 0; k < sizeof parts / sizeof *parts; k++)
            for (const char *c = parts[k]; *c; c++)
                FUZZ_CHECK(*c > ' ' && *c < 127);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length)
{
    arena *a;
    if (!length || !fuzz_settle(arena_new(&a)))
        return 0;
    char *text = arena_copy_text(a, (const char *)bytes + 1, length - 1);
    switch (bytes[0] & 3) {
    case 0:
        read_headers(text, length - 1);
        break;
    case 1:
        read_listing(a, text, length - 1);
        break;
    case 2:
        read_url(a, text);
        break;
    default:
        (void)config_find(a, text, "default", "key");
        (void)identity_member(a, text, length - 1, "key");
        break;
    }
    arena_free(a);
    return 0;
}
