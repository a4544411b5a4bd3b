/* json_names.h - numbers of fields by their exact names: the one that is expected is tried first. */
#ifndef PISTACHIO_TEXTFILE_READ_JSON_NAMES_H
#define PISTACHIO_TEXTFILE_READ_JSON_NAMES_H

#include "textfile/read/text_parse.h"

typedef struct json_name {
    const char *text;
    size_t bytes;
} json_name;

/* Zeroed: empty. Names are numbered in the order in which they are added. */
typedef struct json_names {
    ARRAY(json_name) items;
    uint32_t *slots; /* 1 more than a number; 0: free */
    size_t size;     /* of slots: 0 or a power of two */
} json_names;

/* Keeps the pointer. The name is not there yet. Without an arena the caller releases the names. */
CHECKED status json_names_add(arena *a, json_names *names, const char *text, size_t bytes);
void json_names_release(json_names *names);
/* Takes all names out of those that have no arena. */
void json_names_clear(json_names *names);
/* Finds a name in the hash table. */
bool json_names_search(const json_names *names, const char *text, size_t bytes, uint32_t *out);

ALWAYS_INLINE uint64_t name_word(const char *text)
{
    uint64_t word;
    memcpy(&word, text, sizeof word);
    return word;
}

/* Compares by words, because most names are too short for a call of memcmp to pay. */
ALWAYS_INLINE bool json_name_is(const json_name *name, const char *text, size_t bytes)
{
    if (name->bytes != bytes)
        return false;
    if (bytes < sizeof(uint64_t)) {
        for (size_t i = 0; i < bytes; i++)
            if (name->text[i] != text[i])
                return false;
        return true;
    }
    for (size_t i = 0; i + sizeof(uint64_t) < bytes; i += sizeof(uint64_t))
        if (name_word(name->text + i) != name_word(text + i))
            return false;
    return name_word(name->text + bytes - sizeof(uint64_t)) ==
           name_word(text + bytes - sizeof(uint64_t));
}

/* Gives the number of the name; *expected is tried first, and then the number after it. */
ALWAYS_INLINE bool json_names_find(const json_names *names, uint32_t *expected, const char *text,
                                   size_t bytes, uint32_t *out)
{
    *out = *expected;
    if (*out >= names->items.count || !json_name_is(&names->items.items[*out], text, bytes))
        if (!json_names_search(names, text, bytes, out))
            return false;
    *expected = *out + 1;
    return true;
}

#endif
