/* nested_of_text.c - texts as lists, structs and maps of texts, level by level: the parts of a level's texts are a column of
 * texts each, which the level below takes apart. */
#include "base/system/guard.h"
#include "base/text/nested_scan.h"
#include "device/nested/nested_build.h"

/* A column of texts while it is made. */
typedef struct part_column {
    ARRAY(char) bytes;
    ARRAY(uint64_t) ends;
    ARRAY(bool) nulls;
    bool has_nulls;
} part_column;

/* A level: a column for each field of its type. */
typedef struct of_text_level {
    dev_stream *stream;
    data_type type;
    const nested_type *fields;
    part_column *columns;
    uint64_t row; /* structs: the row at work */
    bool tries;   /* a text that is not a value is NULL */
} of_text_level;

static status add_text(part_column *to, const nested_part *part, bool is_nested)
{
    bool is_null = !part || part->is_null;
    if (!is_null) {
        TRY(array_reserve(NULL, &to->bytes, part->bytes + 1));
        to->bytes.count += nested_part_text(part, is_nested, to->bytes.items + to->bytes.count);
    }
    to->has_nulls |= is_null;
    TRY(array_push(NULL, &to->nulls, is_null));
    return array_push(NULL, &to->ends, (uint64_t)to->bytes.count);
}

static status add_field_text(void *context, uint32_t field, const nested_part *part)
{
    of_text_level *level = context;
    part_column *to = &level->columns[field];
    if (level->type.id == TYPE_STRUCT && to->ends.count > level->row)
        return status_new(STATUS_KIND_DATA, "the text has field \"%s\" twice",
                          level->fields->fields[field].name);
    return add_text(to, part, type_is_nested(level->fields->fields[field].type));
}

/* ---- a row ---- */

/* Gives the fields of a struct that the text lacks NULL. */
static status fill_fields(of_text_level *level)
{
    for (uint32_t i = 0; i < level->fields->field_count; i++)
        if (level->columns[i].ends.count == level->row)
            TRY(add_text(&level->columns[i], NULL, false));
    level->row++;
    return STATUS_OK;
}

static status scan_row(of_text_level *level, const string_view *text, nested_value *out)
{
    uint64_t before = level->columns[0].ends.count;
    TRY(nested_scan_parts(level->type, string_data(text), text->bytes,
                          (nested_parts){add_field_text, level}));
    if (level->type.id == TYPE_STRUCT)
        TRY(fill_fields(level));
    uint64_t after = level->columns[0].ends.count;
    if (after >= ROW_NULL)
        return status_new(STATUS_KIND_DATA, "the elements of texts are too many");
    if (after > before)
        *out = (nested_value){(uint32_t)before, (uint32_t)(after - before)};
    return STATUS_OK;
}

/* Takes back what the row at work has added. */
static void drop_row(of_text_level *level, uint64_t rows)
{
    for (uint32_t i = 0; i < level->fields->field_count; i++) {
        part_column *column = &level->columns[i];
        column->ends.count = column->nulls.count = rows;
        column->bytes.count = rows ? column->ends.items[rows - 1] : 0;
    }
}

/* *is_value: the text is one, or is to be. */
static status try_row(of_text_level *level, const string_view *text, nested_value *out,
                      bool *is_value)
{
    uint64_t before = level->type.id == TYPE_STRUCT ? level->row : level->columns[0].ends.count;
    status st = scan_row(level, text, out);
    *is_value = true;
    if (!level->tries ||
        (status_get_kind(st) != STATUS_KIND_DATA && status_get_kind(st) != STATUS_KIND_INVALID))
        return st;
    if (st) {
        status_free(st);
        drop_row(level, before);
        *is_value = false;
    }
    return STATUS_OK;
}

/* ---- columns ---- */

static status put_texts(device *dev, const part_column *from, tensor *t)
{
    dev_buffer *heap;
    uint64_t start = 0;
    TRY(dev_alloc(dev, from->bytes.count + 1, "text", &heap));
    char *to = heap->address;
    if (from->bytes.count)
        memcpy(to, from->bytes.items, from->bytes.count);
    for (uint64_t i = 0; i < from->ends.count; start = from->ends.items[i++])
        ((string_view *)t->values)[i] =
            string_view_make(to + start, (uint32_t)(from->ends.items[i] - start));
    return string_heap_new(&heap, 1, &t->heap);
}

static status make_column(device *dev, const part_column *from, tensor **out)
{
    uint64_t rows = from->ends.count;
    TRY(tensor_new_flat(dev, type_make(TYPE_VARCHAR), rows, from->has_nulls, out));
    if (from->has_nulls) {
        memset((*out)->validity, 0, bitmap_bytes(rows));
        for (uint64_t i = 0; i < rows; i++)
            (*out)->validity[i / 64] |= (uint64_t)!from->nulls.items[i] << (i % 64);
    }
    status st = put_texts(dev, from, *out);
    if (st) {
        tensor_unref(*out);
        *out = NULL;
    }
    return st;
}

static status values_of(dev_stream *stream, data_type type, bool tries, tensor *texts,
                        uint64_t rows, tensor **out);

/* The column of a field: its texts, or what these are. */
static status child_of(of_text_level *level, uint32_t field, tensor **out)
{
    tensor *texts;
    TRY(make_column(level->stream->dev, &level->columns[field], &texts));
    status st = values_of(level->stream, level->fields->fields[field].type, level->tries, texts,
                          level->columns[field].ends.count, out);
    tensor_unref(texts);
    return st;
}

static status own_children(of_text_level *level, tensor *result)
{
    uint32_t count = level->fields->field_count, made = 0;
    tensor **children = mem_new_array((size_t)count + 1, sizeof *children);
    if (!children)
        return status_no_memory("lists", count * sizeof *children);
    status st = STATUS_OK;
    for (; made < count && !st; made += !st)
        st = child_of(level, made, &children[made]);
    if (!st)
        st = nested_own(result, children, count, level->columns[0].ends.count);
    else
        for (uint32_t i = 0; i < made; i++)
            tensor_unref(children[i]);
    mem_free(children);
    return st;
}

static status fill_level(of_text_level *level, const tensor *texts, uint64_t rows, tensor *result)
{
    for (uint64_t i = 0; i < rows; i++) {
        nested_value *pair = (nested_value *)result->values + i;
        *pair = (nested_value){0};
        if (nested_is_valid(texts, i)) {
            bool is_value;
            TRY(try_row(level, (const string_view *)texts->values + i, pair, &is_value));
            if (!is_value)
                nested_put_null(result, i);
        }
        if (cancel_look(i))
            TRY(cancel_check());
    }
    return own_children(level, result);
}

static void release_level(of_text_level *level)
{
    for (uint32_t i = 0; level->columns && i < level->fields->field_count; i++) {
        array_release(&level->columns[i].bytes);
        array_release(&level->columns[i].ends);
        array_release(&level->columns[i].nulls);
    }
    mem_free(level->columns);
}

/* The rows' validity is the texts', or a copy of it that has room for more NULLs. */
static status new_values(dev_stream *stream, data_type type, bool tries, const tensor *texts,
                         uint64_t rows, tensor **out)
{
    TRY(tensor_new_flat(stream->dev, type, rows, tries, out));
    if (!tries) {
        (*out)->validity = texts->validity;
        (*out)->validity_owner = dev_buffer_ref(texts->validity_owner);
    } else if (texts->validity) {
        memcpy((*out)->validity, texts->validity, bitmap_bytes(rows));
    } else {
        memset((*out)->validity, 0xff, bitmap_bytes(rows));
    }
    return STATUS_OK;
}

/* Makes values of the type of a FLAT column of texts. */
static status values_of(dev_stream *stream, data_type type, bool tries, tensor *texts,
                        uint64_t rows, tensor **out)
{
    TRY(guard_check());
    if (!type_is_nested(type)) {
        *out = tensor_ref(texts);
        return STATUS_OK;
    }
    of_text_level level = {
        .stream = stream, .type = type, .fields = nested_type_of(type), .tries = tries};
    level.columns = mem_new_array((size_t)level.fields->field_count + 1, sizeof *level.columns);
    if (!level.columns)
        return status_no_memory("lists", sizeof *level.columns);
    status st = new_values(stream, type, tries, texts, rows, out);
    if (!st) {
        st = fill_level(&level, texts, rows, *out);
        if (st) {
            tensor_unref(*out);
            *out = NULL;
        }
    }
    release_level(&level);
    return st;
}

status compute_of_text(const nested_args *c, tensor **out)
{
    return values_of(c->stream, c->type, false, c->args[0], c->count, out);
}

status compute_try_of_text(const nested_args *c, tensor **out)
{
    return values_of(c->stream, c->type, true, c->args[0], c->count, out);
}
