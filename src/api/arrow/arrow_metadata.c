/* arrow_metadata.c - the metadata of an Arrow schema: how many pairs, then of each the lengths and bytes of its key and
 * value, all lengths as 32 bits; and the extension type that they tell of, arrow.uuid. */
#include "api/arrow/arrow_metadata.h"

#include "base/mem.h"

#define NAME_KEY "ARROW:extension:name"
#define VALUE_KEY "ARROW:extension:metadata"
#define UUID_NAME "arrow.uuid"

/* A text behind its length; NULL: the length is negative, which no schema of a client should have. */
static const char *arrow_metadata_next_text(const char **at, size_t *out_bytes)
{
    int32_t bytes;
    memcpy(&bytes, *at, sizeof bytes);
    if (bytes < 0)
        return NULL;
    const char *text = *at + sizeof bytes;
    *at = text + bytes;
    *out_bytes = (size_t)bytes;
    return text;
}

static bool equals(const char *text, size_t bytes, const char *word)
{
    return bytes == strlen(word) && !memcmp(text, word, bytes);
}

/* The bytes of all of it, 0 if it is broken; *out_uuid: whether it names the extension type. */
static size_t arrow_metadata_measure(const char *metadata, bool *out_uuid)
{
    int32_t count;
    const char *at = metadata + sizeof count;
    *out_uuid = false;
    memcpy(&count, metadata, sizeof count);
    for (int32_t i = 0; i < count; i++) {
        size_t key_bytes, value_bytes;
        const char *key = arrow_metadata_next_text(&at, &key_bytes);
        const char *text = key ? arrow_metadata_next_text(&at, &value_bytes) : NULL;
        if (!text)
            return 0;
        *out_uuid |= equals(key, key_bytes, NAME_KEY) && equals(text, value_bytes, UUID_NAME);
    }
    return (size_t)(at - metadata);
}

char *api_arrow_metadata_copy(const char *metadata)
{
    bool is_uuid;
    size_t bytes = metadata ? arrow_metadata_measure(metadata, &is_uuid) : 0;
    char *copy = bytes ? mem_new(bytes) : NULL;
    if (copy)
        memcpy(copy, metadata, bytes);
    return copy;
}

bool api_arrow_is_uuid(const struct ArrowSchema *column)
{
    bool is_uuid = false;
    if (!column->metadata || !column->format || strcmp(column->format, "w:16"))
        return false;
    return arrow_metadata_measure(column->metadata, &is_uuid) && is_uuid;
}

static char *arrow_metadata_put_text(char *at, const char *text)
{
    int32_t bytes = (int32_t)strlen(text);
    memcpy(at, &bytes, sizeof bytes);
    memcpy(at + sizeof bytes, text, (size_t)bytes);
    return at + sizeof bytes + bytes;
}

status api_arrow_mark_uuid(struct ArrowSchema *column)
{
    static const char *const texts[] = {NAME_KEY, UUID_NAME, VALUE_KEY, ""};
    char metadata[128];
    int32_t count = 2;
    char *at = metadata + sizeof count;
    memcpy(metadata, &count, sizeof count);
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        at = arrow_metadata_put_text(at, texts[i]);
    column->metadata = api_arrow_metadata_copy(metadata);
    return column->metadata ? STATUS_OK : status_no_memory("Arrow schema", sizeof metadata);
}
