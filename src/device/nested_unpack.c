/* nested_unpack.c - bytes to nested values: once to check and count, once to fill. */
#include "base/cancel.h"
#include "device/nested.h"
#include "device/nested_pack.h"
#include "device/nested_pack_bytes.h"

#include <string.h>

/* A tensor that is being made: of the values themselves, or of children. */
typedef struct unpacked {
    data_type type;
    uint64_t rows, text_bytes; /* of long texts */
    uint64_t at, text_at;      /* filled */
    tensor *t;
    char *heap;
    uint32_t child_count;
    struct unpacked *children;
} unpacked;

typedef struct unpacker {
    nested_bytes from;
    nested_form form;
    bool is_filling;
} unpacker;

/* ---- checking and counting, or filling ---- */

static bool unpack_text(unpacker *u, unpacked *part, string_view *out)
{
    uint64_t bytes;
    nested_bytes again = u->from;
    if (!nested_take_text(&u->from, NULL, &bytes))
        return false;
    if (!u->is_filling) {
        part->text_bytes += bytes > STRING_INLINE_BYTES ? bytes : 0;
        return true;
    }
    char inlined[STRING_INLINE_BYTES];
    char *to = bytes > STRING_INLINE_BYTES ? part->heap + part->text_at : inlined;
    part->text_at += bytes > STRING_INLINE_BYTES ? bytes : 0;
    (void)nested_take_text(&again, to, &bytes);
    *out = string_view_make(to, (uint32_t)bytes);
    return true;
}

static bool unpack_interval(unpacker *u, interval_value *out)
{
    uint128 number;
    if (!nested_take_number(&u->from, 16, &number))
        return false;
    if (!out)
        return true;
    if (u->form == NESTED_KEYS) {
        int128 length = (int128)(number ^ nested_sign(16)), day = 86400000000;
        *out = (interval_value){0, (int32_t)(length / day), (int64_t)(length % day)};
    } else {
        *out = (interval_value){(int32_t)(uint32_t)(number >> 96),
                                (int32_t)(uint32_t)(number >> 64), (int64_t)(uint64_t)number};
    }
    return true;
}

static bool unpack_bool(unpacker *u, uint64_t *bits, uint64_t row)
{
    uint8_t byte;
    if (!nested_take_byte(&u->from, &byte) || byte > 1)
        return false;
    if (bits)
        bits[row / 64] |= (uint64_t)byte << (row % 64);
    return true;
}

static bool unpack_fixed(unpacker *u, data_type type, char *to)
{
    if (to)
        return nested_take_fixed(&u->from, type, to);
    if ((size_t)(u->from.end - u->from.at) < type.width)
        return false;
    u->from.at += type.width;
    return true;
}

static bool unpack_scalar(unpacker *u, unpacked *part, uint64_t row)
{
    char *values = u->is_filling ? part->t->values : NULL;
    char *to = values ? values + row * part->type.width : NULL;
    switch (part->type.id) {
    case TYPE_NULL:
        return true;
    case TYPE_BOOL:
        return unpack_bool(u, (uint64_t *)values, row);
    case TYPE_VARCHAR:
    case TYPE_BLOB:
        return unpack_text(u, part, (string_view *)to);
    case TYPE_INTERVAL:
        return unpack_interval(u, (interval_value *)to);
    default:
        return unpack_fixed(u, part->type, to);
    }
}

static bool unpack_value(unpacker *u, unpacked *part);

static uint64_t part_rows(const unpacker *u, const unpacked *part)
{
    return u->is_filling ? part->at : part->rows;
}

/* Adds a row, which is NULL or whose bytes follow. */
static bool unpack_row(unpacker *u, unpacked *part, bool is_null)
{
    if (!is_null)
        return unpack_value(u, part);
    if (u->is_filling) {
        part->t->validity[part->at / 64] &= ~(1ULL << (part->at % 64));
        part->at++;
    } else {
        part->rows++;
    }
    return true;
}

static bool unpack_child(unpacker *u, unpacked *child, uint8_t lead)
{
    return lead <= NESTED_IS_NULL && lead && unpack_row(u, child, lead == NESTED_IS_NULL);
}

/* The first child of an entry is led by what also may be the list's end. */
static bool unpack_children(unpacker *u, unpacked *part, uint8_t lead)
{
    for (uint32_t i = 0; i < part->child_count; i++) {
        if (i && !nested_take_byte(&u->from, &lead))
            return false;
        if (!unpack_child(u, &part->children[i], lead))
            return false;
    }
    return true;
}

static bool unpack_entries(unpacker *u, unpacked *part, uint32_t *out_length)
{
    uint8_t lead;
    uint64_t length = 0;
    for (;; length++) {
        if (!nested_take_byte(&u->from, &lead))
            return false;
        if (!lead)
            break;
        if (length == UINT32_MAX || !unpack_children(u, part, lead))
            return false;
    }
    *out_length = (uint32_t)length;
    return true;
}

static bool unpack_value(unpacker *u, unpacked *part)
{
    uint64_t row = part_rows(u, part);
    nested_value v = {0, 1};
    uint8_t lead;
    *(u->is_filling ? &part->at : &part->rows) += 1;
    if (!type_is_nested(part->type))
        return unpack_scalar(u, part, row);
    v.offset = part->child_count ? (uint32_t)part_rows(u, &part->children[0]) : 0;
    if (part->type.id != TYPE_STRUCT) {
        if (!unpack_entries(u, part, &v.length))
            return false;
    } else if (part->child_count &&
               (!nested_take_byte(&u->from, &lead) || !unpack_children(u, part, lead))) {
        return false;
    }
    if (u->is_filling)
        ((nested_value *)part->t->values)[row] = v.length ? v : (nested_value){0};
    return true;
}

static status damaged(data_type type)
{
    char name[TYPE_NAME_BYTES];
    return status_new(STATUS_KIND_CORRUPT, "the bytes of a value of type %s are damaged",
                      type_name(type, name));
}

static status unpack_rows(unpacker *u, unpacked *top, const tensor *texts, uint64_t count)
{
    for (uint64_t i = 0; i < count; i++) {
        bool is_null = !nested_is_valid(texts, i);
        const string_view *view = (const string_view *)texts->values + i;
        if (cancel_look(i))
            return cancel_check();
        u->from.at = is_null ? NULL : (const uint8_t *)string_data(view);
        u->from.end = is_null ? NULL : u->from.at + view->bytes;
        if (!unpack_row(u, top, is_null) || u->from.at != u->from.end)
            return damaged(top->type);
    }
    return STATUS_OK;
}

/* ---- the parts ---- */

static void free_parts(unpacked *part)
{
    tensor_unref(part->t);
    for (uint32_t i = 0; part->children && i < part->child_count; i++)
        free_parts(&part->children[i]);
    mem_free(part->children);
}

static status make_parts(data_type type, unpacked *part)
{
    *part = (unpacked){.type = type};
    if (!type_is_nested(type))
        return STATUS_OK;
    const nested_type *nested = nested_type_of(type);
    part->children = mem_new_array((size_t)nested->field_count + 1, sizeof *part->children);
    if (!part->children)
        return status_no_memory("nested values", nested->field_count * sizeof *part->children);
    part->child_count = nested->field_count;
    for (uint32_t i = 0; i < part->child_count; i++)
        TRY(make_parts(nested->fields[i].type, &part->children[i]));
    return STATUS_OK;
}

static status nested_unpack_make_tensor(device *dev, const char *who, unpacked *part)
{
    if (part->rows >= ROW_NULL)
        return status_new(STATUS_KIND_UNSUPPORTED, "%llu elements of lists together are too many",
                          (unsigned long long)part->rows);
    TRY(tensor_new_flat(dev, part->type, part->rows, true, &part->t));
    memset(part->t->validity, 0xff, bitmap_bytes(part->rows));
    memset(part->t->values, 0, type_values_bytes(part->type, part->rows));
    if (part->text_bytes) {
        dev_buffer *heap;
        TRY(dev_alloc(dev, part->text_bytes, who, &heap));
        part->heap = heap->address;
        TRY(string_heap_new(&heap, 1, &part->t->heap));
    }
    for (uint32_t i = 0; i < part->child_count; i++)
        TRY(nested_unpack_make_tensor(dev, who, &part->children[i]));
    return STATUS_OK;
}

/* Gives each tensor its children. */
static status join_parts(unpacked *part)
{
    if (!part->child_count)
        return STATUS_OK;
    tensor **children = mem_new_array(part->child_count, sizeof(tensor *));
    if (!children)
        return status_no_memory("nested values", part->child_count * sizeof *children);
    status st = STATUS_OK;
    for (uint32_t i = 0; i < part->child_count && !st; i++)
        st = join_parts(&part->children[i]);
    for (uint32_t i = 0; i < part->child_count; i++)
        children[i] = tensor_ref(part->children[i].t);
    if (!st) {
        st = string_heap_new_children(children, part->child_count, part->children[0].rows,
                                      &part->t->heap);
    } else {
        for (uint32_t i = 0; i < part->child_count; i++)
            tensor_unref(children[i]);
    }
    mem_free(children);
    return st;
}

status nested_unpack(device *dev, data_type type, const tensor *texts, uint64_t count,
                     nested_form form, const char *who, tensor **out)
{
    unpacked top;
    unpacker u = {.form = form};
    *out = NULL;
    assert(dev->is_host && type_is_nested(type) && texts->form == TENSOR_FLAT);
    status st = make_parts(type, &top);
    if (!st)
        st = unpack_rows(&u, &top, texts, count);
    if (!st)
        st = nested_unpack_make_tensor(dev, who, &top);
    u.is_filling = true;
    if (!st)
        st = unpack_rows(&u, &top, texts, count);
    if (!st)
        st = join_parts(&top);
    if (!st)
        *out = tensor_ref(top.t);
    free_parts(&top);
    return st;
}
