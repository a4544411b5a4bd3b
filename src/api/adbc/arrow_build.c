/* arrow_build.c - a tree of builders, whose memory becomes that of the arrays: an arena, which goes with
 * the last of them. */
#include "api/adbc/arrow_build.h"

#include "api/adbc/adbc_rows.h"
#include "api/arrow/arrow_schema.h"

/* Memory of all arrays of one tree. */
typedef struct build_memory {
    _Atomic uint32_t references;
    arena *memory;
    status failure; /* the first */
} build_memory;

struct arrow_build {
    const arrow_build_field *field;
    build_memory *shared;
    int64_t length, null_count;
    ARRAY(uint8_t) valid;   /* a byte a value */
    ARRAY(uint8_t) bytes;   /* values; of texts their bytes; of unions the fields */
    ARRAY(int32_t) offsets; /* of texts and lists; of unions the places */
    arrow_build *children;
};

static void memory_unref(build_memory *shared)
{
    if (atomic_fetch_sub(&shared->references, 1) != 1)
        return;
    status_free(shared->failure);
    arena_free(shared->memory);
    mem_free(shared);
}

static void arrow_build_keep(arrow_build *build, status st)
{
    if (build->shared->failure)
        status_free(st);
    else
        build->shared->failure = st;
}

static bool arrow_build_is_list(const arrow_build *build)
{
    return build->field->format[0] == '+' && strchr("lm", build->field->format[1]);
}

static bool arrow_build_is_text(const arrow_build *build)
{
    return strchr("uz", build->field->format[0]) != NULL;
}

/* ---- making ---- */

static status open_build(arrow_build *build, const arrow_build_field *field, build_memory *shared)
{
    *build = (arrow_build){.field = field, .shared = shared};
    build->children =
        arena_alloc_array(shared->memory, field->child_count + 1, sizeof *build->children);
    if (!build->children)
        return status_no_memory("Arrow array", field->child_count * sizeof *build->children);
    if (arrow_build_is_text(build) || arrow_build_is_list(build))
        TRY(array_push(shared->memory, &build->offsets, 0));
    for (uint32_t i = 0; i < field->child_count; i++)
        TRY(open_build(&build->children[i], &field->children[i], shared));
    return STATUS_OK;
}

static status open_root(build_memory *shared, const arrow_build_field *fields, uint32_t count,
                        arrow_build **out)
{
    TRY(arena_new(&shared->memory));
    arrow_build_field *root = arena_alloc(shared->memory, sizeof *root);
    *out = arena_alloc(shared->memory, sizeof **out);
    if (!root || !*out)
        return status_no_memory("Arrow array", sizeof **out);
    *root = (arrow_build_field){
        .format = "+s", .name = "", .is_required = true, .child_count = count, .children = fields};
    return open_build(*out, root, shared);
}

status arrow_build_new(const arrow_build_field *fields, uint32_t count, arrow_build **out)
{
    build_memory *shared = mem_new(sizeof *shared);
    if (!shared)
        return status_no_memory("Arrow array", sizeof *shared);
    atomic_init(&shared->references, 1);
    status st = open_root(shared, fields, count, out);
    if (st)
        memory_unref(shared);
    return st;
}

arrow_build *arrow_build_child(const arrow_build *build, uint32_t index)
{
    return &build->children[index];
}

/* ---- values ---- */

static void arrow_build_add_bytes(arrow_build *build, const void *bytes, size_t count)
{
    status st = array_reserve(build->shared->memory, &build->bytes, count);
    if (!st && count) {
        memcpy(build->bytes.items + build->bytes.count, bytes, count);
        build->bytes.count += count;
    }
    arrow_build_keep(build, st);
}

static void add_offset(arrow_build *build, int64_t offset)
{
    if (offset > INT32_MAX)
        arrow_build_keep(
            build, status_new(STATUS_KIND_LIMIT, "the answer is too large for an Arrow array"));
    else
        arrow_build_keep(build,
                         array_push(build->shared->memory, &build->offsets, (int32_t)offset));
}

static void end_value(arrow_build *build, bool is_valid)
{
    arrow_build_keep(build, array_push(build->shared->memory, &build->valid, is_valid));
    build->length++;
    build->null_count += !is_valid;
    if (arrow_build_is_text(build))
        add_offset(build, (int64_t)build->bytes.count);
    else if (arrow_build_is_list(build))
        add_offset(build, build->children[0].length);
}

static size_t width(const arrow_build *build)
{
    switch (build->field->format[0]) {
    case 'b': /* made a bitmap at the end */
    case 'c':
        return 1;
    case 's':
        return 2;
    case 'i':
    case 'I':
        return 4;
    default:
        return 8;
    }
}

void arrow_build_text(arrow_build *build, const char *text)
{
    if (text)
        arrow_build_add_bytes(build, text, strlen(text));
    end_value(build, text != NULL);
}

void arrow_build_int(arrow_build *build, int64_t number)
{
    arrow_build_add_bytes(build, &number, width(build)); /* little-endian */
    end_value(build, true);
}

void arrow_build_double(arrow_build *build, double number)
{
    arrow_build_add_bytes(build, &number, sizeof number);
    end_value(build, true);
}

void arrow_build_null(arrow_build *build)
{
    const uint64_t zero = 0;
    if (build->field->format[0] != '+' && !arrow_build_is_text(build))
        arrow_build_add_bytes(build, &zero, width(build));
    for (uint32_t i = 0; !strcmp(build->field->format, "+s") && i < build->field->child_count; i++)
        arrow_build_null(&build->children[i]);
    end_value(build, false);
}

void arrow_build_end(arrow_build *build)
{
    end_value(build, true);
}

void arrow_build_pick(arrow_build *build, uint32_t field)
{
    assert(field <= INT8_MAX);
    uint8_t id = (uint8_t)field;
    arrow_build_add_bytes(build, &id, 1);
    add_offset(build, build->children[field].length);
    build->length++;
}

/* ---- the end ---- */

typedef struct array_data {
    build_memory *shared;
    const void *buffers[3];
} array_data;

static void arrow_build_release(struct ArrowArray *array)
{
    array_data *data = array->private_data;
    for (int64_t i = 0; i < array->n_children; i++)
        if (array->children[i]->release)
            array->children[i]->release(array->children[i]);
    array->release = NULL;
    memory_unref(data->shared);
}

static const void *pack_bits(const arrow_build *build, const uint8_t *bytes)
{
    uint8_t *bits = arena_alloc(build->shared->memory, (size_t)build->length / 8 + 1);
    for (int64_t i = 0; bits && i < build->length; i++)
        bits[i / 8] |= (uint8_t)(bytes[i] << (i % 8));
    return bits;
}

static const void *validity(const arrow_build *build)
{
    return build->null_count ? pack_bits(build, build->valid.items) : NULL;
}

/* The array's buffers; returns their number. */
static int64_t arrow_build_put_buffers(const arrow_build *build, const void **buffers)
{
    static const uint64_t nothing;
    const void *bytes = build->bytes.items ? (const void *)build->bytes.items : &nothing;
    const void *offsets = build->offsets.items ? (const void *)build->offsets.items : &nothing;
    const char *format = build->field->format;
    buffers[0] = validity(build);
    buffers[1] = offsets;
    if (!strcmp(format, "+s"))
        return 1;
    if (arrow_build_is_list(build))
        return 2;
    if (arrow_build_is_text(build)) {
        buffers[2] = bytes;
        return 3;
    }
    if (*format == '+') {
        buffers[0] = bytes;
        return 2;
    }
    buffers[1] = *format == 'b' ? pack_bits(build, build->bytes.items) : bytes;
    return 2;
}

/* Takes a reference of the memory. */
static status make_array(const arrow_build *build, struct ArrowArray *out)
{
    arena *memory = build->shared->memory;
    uint32_t count = build->field->child_count;
    array_data *data = arena_alloc(memory, sizeof *data);
    struct ArrowArray *children = arena_alloc_array(memory, count + 1, sizeof *children);
    struct ArrowArray **list = arena_alloc_array(memory, count + 1, sizeof *list);
    if (!data || !children || !list)
        return status_no_memory("Arrow array", count * sizeof *children);
    data->shared = build->shared;
    *out = (struct ArrowArray){.length = build->length,
                               .null_count = build->null_count,
                               .n_buffers = arrow_build_put_buffers(build, data->buffers),
                               .n_children = count,
                               .buffers = data->buffers,
                               .children = list,
                               .private_data = data};
    for (uint32_t i = 0; i < count; i++) {
        list[i] = &children[i];
        TRY(make_array(&build->children[i], &children[i]));
    }
    return STATUS_OK;
}

/* From here on each array has a reference. */
static void arrow_build_own(struct ArrowArray *array)
{
    array_data *data = array->private_data;
    atomic_fetch_add(&data->shared->references, 1);
    array->release = arrow_build_release;
    for (int64_t i = 0; i < array->n_children; i++)
        arrow_build_own(array->children[i]);
}

static status arrow_build_make_schema(const arrow_build_field *field, struct ArrowSchema *out)
{
    TRY(api_arrow_schema_new(field->format, field->name, field->child_count, out));
    if (field->is_required)
        out->flags = 0;
    status st = STATUS_OK;
    for (uint32_t i = 0; i < field->child_count && !st; i++)
        st = arrow_build_make_schema(&field->children[i], out->children[i]);
    if (st)
        out->release(out);
    return st;
}

status arrow_build_finish(arrow_build *build, struct ArrowArrayStream *out)
{
    build_memory *shared = build->shared;
    struct ArrowArray array;
    struct ArrowSchema schema = {0};
    status st = shared->failure;
    shared->failure = STATUS_OK;
    if (!st)
        st = make_array(build, &array);
    if (!st)
        st = arrow_build_make_schema(build->field, &schema);
    if (!st) {
        arrow_build_own(&array);
        st = adbc_stream_of(&schema, &array, out);
        if (st)
            array.release(&array);
    }
    if (schema.release)
        schema.release(&schema);
    memory_unref(shared);
    return st;
}
