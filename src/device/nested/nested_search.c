/* nested_search.c - values looked for in lists and maps. */
#include "device/nested/nested_build.h"
#include "device/nested/nested_order.h"

/* ---- values of one type ---- */

/* Returns the number of the first element from 1 on that equals the value, which is not NULL; 0: there is none. */
typedef uint32_t (*find_function)(const tensor *child, nested_value list, const void *wanted);

#define IS_SAME(x, y) ((x) == (y))
#define IS_SAME_REAL(x, y) ((x) == (y) || ((x) != (x) && (y) != (y)))
#define FIND(name, number, equal)                                                                  \
    static uint32_t find_##name(const tensor *child, nested_value list, const void *wanted)        \
    {                                                                                              \
        const number *values = (const number *)child->values + list.offset;                        \
        number value = *(const number *)wanted;                                                    \
        for (uint32_t k = 0; k < list.length; k++)                                                 \
            if (equal(values[k], value) && nested_is_valid(child, (uint64_t)list.offset + k))      \
                return k + 1;                                                                      \
        return 0;                                                                                  \
    }

FIND(1, uint8_t, IS_SAME)
FIND(2, uint16_t, IS_SAME)
FIND(4, uint32_t, IS_SAME)
FIND(8, uint64_t, IS_SAME)
FIND(16, uint128, IS_SAME)
FIND(float, float, IS_SAME_REAL)
FIND(double, double, IS_SAME_REAL)

/* The length and the first bytes of a text are its first word, those of a short text its second one, too. */
typedef struct text_words {
    uint64_t words[2];
} text_words;

static uint32_t find_text(const tensor *child, nested_value list, const void *wanted)
{
    const string_view *values = (const string_view *)child->values + list.offset, *text = wanted;
    text_words value;
    memcpy(&value, text, sizeof value);
    for (uint32_t k = 0; k < list.length; k++) {
        text_words element;
        memcpy(&element, &values[k], sizeof element);
        if (element.words[0] != value.words[0])
            continue;
        bool is_equal = text->bytes <= STRING_INLINE_BYTES
                            ? element.words[1] == value.words[1]
                            : !memcmp(values[k].data, text->data, text->bytes);
        if (is_equal && nested_is_valid(child, (uint64_t)list.offset + k))
            return k + 1;
    }
    return 0;
}

/* Finds the function for a type whose equal values have equal bytes, or that is known; NULL: there is none. */
static find_function find_of(data_type type)
{
    switch (type.id) {
    case TYPE_FLOAT:
        return find_float;
    case TYPE_DOUBLE:
        return find_double;
    case TYPE_VARCHAR:
    case TYPE_BLOB:
        return find_text;
    case TYPE_NULL:
    case TYPE_BOOL:
    case TYPE_INTERVAL:
    case TYPE_LIST:
    case TYPE_STRUCT:
    case TYPE_MAP:
        return NULL;
    default:
        return type.width == 1   ? find_1
               : type.width == 2 ? find_2
               : type.width == 4 ? find_4
               : type.width == 8 ? find_8
                                 : find_16;
    }
}

/* ---- a search ---- */

/* A search for values, and for which. */
typedef struct search {
    tensor *child; /* FLAT, or INDEXED with matches */
    const tensor *wanted;
    find_function find; /* NULL: nested_compare finds them */
    bool *matches;      /* by row of the child's base: whether it is what all rows want */
} search;

/* Compares the rows of the child's base with the one value that is wanted: a dictionary has fewer than lists have elements. */
static status match_base(search *s)
{
    const tensor *base = s->child->base;
    s->matches = mem_new_array(s->child->base_rows + 1, sizeof *s->matches);
    if (!s->matches)
        return status_no_memory("lists", s->child->base_rows);
    for (uint64_t i = 0; i < s->child->base_rows; i++)
        s->matches[i] = s->find(base, (nested_value){(uint32_t)i, 1}, s->wanted->values) > 0;
    return STATUS_OK;
}

/* Begins to look in one of the lists' children for what an argument has in each row. */
static status search_begin(const nested_args *c, uint32_t child, uint32_t wanted, search *out)
{
    const tensor *lists = c->args[0], *value = c->args[wanted];
    *out = (search){.wanted = value};
    tensor *given =
        lists->heap && child < lists->heap->child_count ? lists->heap->children[child] : NULL;
    if (given && given->form == TENSOR_INDEXED && c->repeats && c->repeats[wanted] && c->count &&
        given->base_rows <= nested_child_rows(lists) && nested_is_valid(value, 0) &&
        given->base->form == TENSOR_FLAT && given->type.width == value->type.width) {
        out->find = find_of(given->type);
        if (out->find) {
            out->child = tensor_ref(given);
            return match_base(out);
        }
    }
    TRY(nested_child_flat(c->stream, lists, child, &out->child));
    if (out->child->type.width == value->type.width)
        out->find = find_of(value->type);
    return STATUS_OK;
}

static void search_end(search *s)
{
    tensor_unref(s->child);
    mem_free(s->matches);
}

static uint32_t find_match(const search *s, nested_value list)
{
    const uint32_t *rows = s->child->index->rows + list.offset;
    for (uint32_t k = 0; k < list.length; k++)
        if (rows[k] != ROW_NULL && s->matches[rows[k]])
            return k + 1;
    return 0;
}

/* Returns the number of the first element from 1 on that equals the row of `wanted`; 0: there is none. */
static uint32_t find_element(const search *s, nested_value list, uint64_t row)
{
    if (s->matches)
        return find_match(s, list);
    if (s->find && nested_is_valid(s->wanted, row))
        return s->find(s->child, list,
                       (const char *)s->wanted->values + row * s->wanted->type.width);
    for (uint32_t k = 0; k < list.length; k++)
        if (!nested_compare(s->child, (uint64_t)list.offset + k, s->wanted, row))
            return k + 1;
    return 0;
}

/* ---- functions ---- */

/* NULL is in no list. */
status compute_contains(const nested_args *c, tensor **out)
{
    search s = {0};
    TRY(nested_new(c, c->type, true, out));
    status st = search_begin(c, 0, 1, &s);
    for (uint64_t i = 0; i < c->count && !st; i++)
        if (!nested_row_is_valid(c, i))
            nested_put_null(*out, i);
        else
            nested_put_bit(*out, i, find_element(&s, nested_pair(c->args[0], i), i));
    search_end(&s);
    return st ? st : cancel_check();
}

/* The place of NULL is found, too. */
status compute_position(const nested_args *c, tensor **out)
{
    search s = {0};
    TRY(nested_new(c, c->type, true, out));
    status st = search_begin(c, 0, 1, &s);
    for (uint64_t i = 0; i < c->count && !st; i++) {
        uint32_t at = find_element(&s, nested_pair(c->args[0], i), i);
        if (at)
            ((int32_t *)(*out)->values)[i] = (int32_t)at;
        else
            nested_put_null(*out, i);
    }
    search_end(&s);
    return st ? st : cancel_check();
}

/* How many of the second list's elements that are not NULL are wanted, and found in the first. */
static status count_found(const search *s, nested_value left, nested_value right,
                          uint32_t *out_found, uint32_t *out_wanted)
{
    *out_found = *out_wanted = 0;
    for (uint32_t k = 0; k < right.length; k++) {
        if (!nested_value_is_valid(s->wanted, right.offset + k))
            continue;
        ++*out_wanted;
        *out_found += find_element(s, left, right.offset + k) > 0;
        if (cancel_look(k))
            TRY(cancel_check());
    }
    return STATUS_OK;
}

static status has(const nested_args *c, bool wants_all, tensor **out)
{
    tensor *children[2] = {NULL, NULL};
    status st = nested_new(c, c->type, true, out);
    for (int k = 0; k < 2 && !st; k++)
        st = nested_child_flat(c->stream, c->args[k], 0, &children[k]);
    search s = {.child = children[0], .wanted = children[1]};
    if (!st && s.child->type.width == s.wanted->type.width)
        s.find = find_of(s.child->type);
    for (uint64_t i = 0; i < c->count && !st; i++) {
        uint32_t found, wanted;
        st = count_found(&s, nested_pair(c->args[0], i), nested_pair(c->args[1], i), &found,
                         &wanted);
        nested_put_bit(*out, i, wants_all ? found == wanted : found > 0);
        if (!nested_row_is_valid(c, i))
            nested_put_null(*out, i);
    }
    tensor_unref(children[0]);
    tensor_unref(children[1]);
    return st;
}

status compute_has_any(const nested_args *c, tensor **out)
{
    return has(c, false, out);
}

status compute_has_all(const nested_args *c, tensor **out)
{
    return has(c, true, out);
}

/* The value of a map's key. */
status compute_at_key(const nested_args *c, tensor **out)
{
    search s = {0};
    nested_index index = {0};
    status st = search_begin(c, 0, 1, &s);
    if (!st)
        st = nested_index_new(c->stream, c->count, &index);
    for (uint64_t i = 0; i < c->count && !st; i++) {
        nested_value map = nested_pair(c->args[0], i);
        uint32_t at = nested_row_is_valid(c, i) ? find_element(&s, map, i) : 0;
        if (at)
            nested_index_add(&index, map.offset + at - 1);
        else
            nested_index_add_null(&index);
    }
    search_end(&s);
    if (!st)
        st = nested_pick(c->stream, c->args[0], 1, index.rows, c->count, out);
    row_index_unref(index.rows);
    return st ? st : cancel_check();
}
