/* nested_words.c - lists of the words that groups have kept: device/value/list_words.h. */
#include "device/value/list_words.h"

#include "device/nested/nested_build.h"

#define WHO "lists"

/* The words of all lists, and the elements that are made of them. */
typedef struct word_reader {
    data_type type; /* of an element */
    tensor *elements;
    uint64_t count; /* elements so far */
} word_reader;

/* The bytes of a row's words, which lie as they may. */
typedef struct word_range {
    const char *at, *end;
} word_range;

static word_range words_of(const tensor *t, uint64_t row)
{
    const string_view *view = (const string_view *)t->values + row;
    if (!nested_is_valid(t, row))
        return (word_range){0};
    return (word_range){string_data(view), string_data(view) + view->bytes};
}

static bool take_word(word_range *from, uint64_t *out)
{
    if (from->end - from->at < (ptrdiff_t)sizeof *out)
        return false;
    memcpy(out, from->at, sizeof *out);
    from->at += sizeof *out;
    return true;
}

static bool skip_words(word_range *from, uint64_t words)
{
    if ((uint64_t)(from->end - from->at) / sizeof(uint64_t) < words)
        return false;
    from->at += words * sizeof(uint64_t);
    return true;
}

/* The first word of a number, or NULL. */
static bool take_first(word_range *from, uint64_t *out, bool *out_is_null)
{
    uint64_t which;
    *out_is_null = false;
    if (!take_word(from, out))
        return false;
    if (*out != LIST_ESCAPE)
        return true;
    if (!take_word(from, &which) || which > 1)
        return false;
    *out_is_null = !which;
    return true;
}

/* ---- counting ---- */

static bool count_numbers(word_range from, bool is_pair, uint64_t *out)
{
    uint64_t escapes = 0, words = (uint64_t)(from.end - from.at) / sizeof(uint64_t), word;
    bool is_null;
    for (uint64_t i = 0; i < words && !is_pair; i++) {
        memcpy(&word, from.at + i * sizeof word, sizeof word);
        escapes += word == LIST_ESCAPE;
    }
    *out = words;
    if (!is_pair && !escapes)
        return !((uint64_t)(from.end - from.at) % sizeof(uint64_t));
    for (*out = 0; from.at < from.end; ++*out)
        if (!take_first(&from, &word, &is_null) ||
            (is_pair && !is_null && !take_word(&from, &word)))
            return false;
    return true;
}

static bool count_texts(word_range from, uint64_t *out)
{
    uint64_t word;
    for (*out = 0; from.at < from.end; ++*out) {
        if (!take_word(&from, &word) ||
            ((word & 0xff) > LIST_SHORT_BYTES && (word & 0xff) < LIST_LONG))
            return false;
        if ((word & 0xff) == LIST_LONG &&
            !skip_words(&from, list_text_words((uint32_t)(word >> 32))))
            return false;
    }
    return true;
}

/* The elements of each row, as its length. */
static status count_elements(const nested_args *c, data_type type, tensor *lists, uint64_t *out)
{
    nested_value *values = lists->values;
    uint64_t total = 0;
    for (uint64_t i = 0; i < c->count; i++) {
        uint64_t elements;
        word_range from = words_of(c->args[0], i);
        bool is_whole = type_is_text(type) ? count_texts(from, &elements)
                                           : count_numbers(from, type.width > 8, &elements);
        if (cancel_look(i))
            return cancel_check();
        if (!is_whole)
            return status_new(STATUS_KIND_CORRUPT, "the words of a list are damaged");
        if (total + elements >= ROW_NULL)
            return status_new(STATUS_KIND_UNSUPPORTED,
                              "%llu elements of lists together are too many",
                              (unsigned long long)(total + elements));
        if (elements)
            values[i] = (nested_value){(uint32_t)total, (uint32_t)elements};
        total += elements;
    }
    *out = total;
    return STATUS_OK;
}

/* ---- filling ---- */

static void put_null(word_reader *r)
{
    uint64_t at = r->count++;
    r->elements->validity[at / 64] &= ~((uint64_t)1 << (at % 64));
    memset((char *)r->elements->values + at * r->type.width, 0, r->type.width);
}

/* Its words are whole, and so many: they were counted. */
#define FILL_NUMBERS(name, type, put)                                                              \
    static void fill_##name(word_reader *r, word_range from)                                       \
    {                                                                                              \
        type *values = r->elements->values;                                                        \
        uint64_t word;                                                                             \
        bool is_null;                                                                              \
        while (from.at < from.end && take_first(&from, &word, &is_null)) {                         \
            if (is_null) {                                                                         \
                put_null(r);                                                                       \
                continue;                                                                          \
            }                                                                                      \
            put;                                                                                   \
            r->count++;                                                                            \
        }                                                                                          \
    }

FILL_NUMBERS(1, uint8_t, values[r->count] = (uint8_t)word)
FILL_NUMBERS(2, uint16_t, values[r->count] = (uint16_t)word)
FILL_NUMBERS(4, uint32_t, values[r->count] = (uint32_t)word)
FILL_NUMBERS(8, uint64_t, values[r->count] = word)
FILL_NUMBERS(bits, uint64_t, values[r->count / 64] |= (word & 1) << (r->count % 64))
FILL_NUMBERS(16, uint64_t, values[2 * r->count] = word;
             (void)take_word(&from, &values[2 * r->count + 1]))

/* Texts lie where their words do. */
static void fill_texts(word_reader *r, word_range from)
{
    string_view *values = r->elements->values;
    uint64_t word;
    while (from.at < from.end && take_word(&from, &word)) {
        uint8_t first = (uint8_t)word;
        if (first == LIST_NULL) {
            put_null(r);
            continue;
        }
        if (first == LIST_LONG) {
            uint32_t bytes = (uint32_t)(word >> 32);
            values[r->count] = string_view_make(from.at, bytes);
            (void)skip_words(&from, list_text_words(bytes));
        } else {
            word >>= 8;
            values[r->count] = string_view_make((const char *)&word, first);
        }
        r->count++;
    }
}

static void (*fill_of(data_type type))(word_reader *, word_range)
{
    if (type_is_text(type))
        return fill_texts;
    if (type.id == TYPE_BOOL)
        return fill_bits;
    return type.width == 1   ? fill_1
           : type.width == 2 ? fill_2
           : type.width == 4 ? fill_4
           : type.width == 8 ? fill_8
                             : fill_16;
}

static status fill(const nested_args *c, word_reader *r, const tensor *lists)
{
    const nested_value *values = lists->values;
    void (*fill_row)(word_reader *, word_range) = fill_of(r->type);
    for (uint64_t i = 0; i < c->count; i++) {
        word_range from = words_of(c->args[0], i);
        if (cancel_look(i))
            return cancel_check();
        if (r->type.width == 8 &&
            (uint64_t)(from.end - from.at) == 8 * (uint64_t)values[i].length) {
            if (values[i].length)
                memcpy((uint64_t *)r->elements->values + r->count, from.at, 8 * values[i].length);
            r->count += values[i].length;
            continue;
        }
        fill_row(r, from);
    }
    return STATUS_OK;
}

/* The elements of all lists. */
static status make_elements(const nested_args *c, data_type type, uint64_t count,
                            const tensor *lists, tensor **out)
{
    word_reader r = {.type = type};
    TRY(tensor_new_flat(c->stream->dev, type, count, true, &r.elements));
    memset(r.elements->validity, 0xff, bitmap_bytes(count));
    if (type.id == TYPE_BOOL)
        memset(r.elements->values, 0, type_values_bytes(type, count));
    status st = fill(c, &r, lists);
    assert(st || r.count == count);
    if (st) {
        tensor_unref(r.elements);
        return st;
    }
    if (type_is_text(type))
        r.elements->heap = string_heap_ref(c->args[0]->heap);
    *out = r.elements;
    return STATUS_OK;
}

status compute_from_words(const nested_args *c, tensor **out)
{
    data_type type = nested_type_of(c->type)->fields[0].type;
    tensor *lists, *elements = NULL;
    uint64_t count;
    TRY(nested_new(c, c->type, false, &lists));
    lists->validity = c->args[0]->validity;
    lists->validity_owner = dev_buffer_ref(c->args[0]->validity_owner);
    status st = list_words_take(type) ? count_elements(c, type, lists, &count)
                                      : status_new(STATUS_KIND_INTERNAL, "a list has no words");
    if (!st)
        st = make_elements(c, type, count, lists, &elements);
    if (!st)
        st = nested_own(lists, &elements, 1, count);
    if (st)
        tensor_unref(lists);
    else
        *out = lists;
    return st;
}
