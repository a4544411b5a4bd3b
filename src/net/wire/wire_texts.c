/* wire_texts.c - the different texts of a column, by a hash table. */
#include "net/wire/wire_texts.h"

/* More entries are not few, nor is more text: for each lane of an exchange there is a table. */
#define ENTRIES_MAX 4096
#define TEXT_MAX (64u << 10)
#define ENTRIES_FIRST 64
#define PAUSE_MAX 64

void wire_texts_init(wire_texts *texts, data_type type)
{
    *texts = (wire_texts){
        .entries = {.references = 1, .type = type, .form = TENSOR_FLAT}, .pause = 1, .paused = 1};
}

static void wire_texts_forget(wire_texts *texts)
{
    mem_free(texts->views);
    mem_free(texts->text);
    mem_free(texts->slots);
    texts->views = NULL;
    texts->text = NULL;
    texts->slots = NULL;
    texts->entries.values = NULL;
    texts->views_room = texts->text_bytes = texts->slot_count = 0;
    texts->count = texts->sent_count = 0;
    texts->bytes = texts->saved = 0;
}

void wire_texts_release(wire_texts *texts)
{
    wire_texts_forget(texts);
    mem_free(texts->codes);
    texts->codes = NULL;
}

bool wire_texts_begin(wire_texts *texts, uint64_t rows)
{
    if (!rows || (rows < WIRE_TEXTS_ROWS && !texts->sent_count))
        return false;
    if (texts->paused < texts->pause) {
        texts->paused++;
        return false;
    }
    if (rows > texts->codes_room) {
        mem_free(texts->codes);
        texts->codes = mem_new_array(rows, sizeof *texts->codes);
        texts->codes_room = texts->codes ? rows : 0;
    }
    return texts->codes;
}

void wire_texts_give_up(wire_texts *texts)
{
    wire_texts_release(texts);
    texts->codes_room = 0;
    texts->paused = 0;
    texts->pause = texts->pause < PAUSE_MAX ? 2 * texts->pause : PAUSE_MAX;
}

void wire_texts_sent(wire_texts *texts, uint32_t number)
{
    texts->sent_count = texts->count;
    texts->sent_number = number;
    texts->pause = texts->paused = 1;
}

/* ---- the table ---- */

static uint64_t wire_texts_mix(uint64_t hash, uint64_t word)
{
    hash = (hash ^ word) * UINT64_C(0x9e3779b97f4a7c15);
    return hash ^ hash >> 29;
}

/* The view's first word is the length and four bytes; then come those that are left, the last ones overlapping. */
static uint64_t wire_texts_hash_text(const string_view *text)
{
    uint64_t word, hash;
    memcpy(&word, text, sizeof word);
    hash = wire_texts_mix(0, word);
    if (text->bytes <= STRING_INLINE_BYTES) {
        memcpy(&word, text->inlined + 4, sizeof word);
        return wire_texts_mix(hash, word);
    }
    const char *at = text->data + 4, *last = text->data + text->bytes - sizeof word;
    for (; at < last; at += sizeof word) {
        memcpy(&word, at, sizeof word);
        hash = wire_texts_mix(hash, word);
    }
    memcpy(&word, last, sizeof word);
    return wire_texts_mix(hash, word);
}

static bool wire_texts_is_same(const string_view *a, const string_view *b)
{
    if (memcmp(a, b, sizeof(uint64_t)) != 0)
        return false;
    if (a->bytes <= STRING_INLINE_BYTES)
        return memcmp(a->inlined + 4, b->inlined + 4, sizeof(uint64_t)) == 0;
    return a->data == b->data || memcmp(a->data, b->data, a->bytes) == 0;
}

static uint64_t wire_texts_slot_of(uint64_t hash, uint32_t entry)
{
    return (hash & ~(uint64_t)UINT32_MAX) | (entry + 1);
}

static bool wire_texts_grow_slots(wire_texts *texts, uint32_t count)
{
    uint64_t *slots = mem_new_array(count, sizeof *slots);
    if (!slots)
        return false;
    for (uint32_t i = 0; i < texts->count; i++) {
        uint64_t hash = wire_texts_hash_text(&texts->views[i]);
        uint64_t at = hash & (count - 1);
        while (slots[at])
            at = (at + 1) & (count - 1);
        slots[at] = wire_texts_slot_of(hash, i);
    }
    mem_free(texts->slots);
    texts->slots = slots;
    texts->slot_count = count;
    return true;
}

/* Slots are half free at least. */
static bool wire_texts_grow(wire_texts *texts)
{
    uint32_t room = texts->views_room ? 2 * texts->views_room : ENTRIES_FIRST;
    string_view *views = room > ENTRIES_MAX ? NULL : mem_new_array(room, sizeof *views);
    if (!views)
        return false;
    if (texts->count)
        memcpy(views, texts->views, texts->count * sizeof *views);
    mem_free(texts->views);
    texts->views = texts->entries.values = views;
    texts->views_room = room;
    return wire_texts_grow_slots(texts, 2 * room);
}

/* A copy that lasts. Text is taken whole at first, so that views may point into it. */
static bool wire_texts_keep_text(wire_texts *texts, const string_view *text, string_view *out)
{
    *out = *text;
    if (text->bytes <= STRING_INLINE_BYTES)
        return true;
    if (text->bytes > TEXT_MAX - texts->text_bytes)
        return false;
    if (!texts->text)
        texts->text = mem_new(TEXT_MAX);
    if (!texts->text)
        return false;
    char *copy = texts->text + texts->text_bytes;
    memcpy(copy, text->data, text->bytes);
    out->data = copy;
    texts->text_bytes += text->bytes;
    return true;
}

bool wire_texts_find(wire_texts *texts, const string_view *text, uint32_t *out)
{
    if (texts->count == texts->views_room && !wire_texts_grow(texts))
        return false;
    uint64_t hash = wire_texts_hash_text(text), mask = texts->slot_count - 1, at = hash & mask;
    for (; texts->slots[at]; at = (at + 1) & mask) {
        uint32_t entry = (uint32_t)texts->slots[at] - 1;
        if (wire_texts_slot_of(hash, entry) == texts->slots[at] &&
            wire_texts_is_same(text, &texts->views[entry])) {
            *out = entry;
            return true;
        }
    }
    if (!wire_texts_keep_text(texts, text, &texts->views[texts->count]))
        return false;
    texts->bytes += text->bytes;
    texts->slots[at] = wire_texts_slot_of(hash, texts->count);
    *out = texts->count++;
    return true;
}
