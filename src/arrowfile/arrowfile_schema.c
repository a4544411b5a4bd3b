/* arrowfile_schema.c - see arrowfile_schema.h. */
#include "arrowfile/arrowfile_schema.h"

#include "arrowfile/arrow_type.h"
#include "base/text/utf8.h"
#include "base/type/nested_type.h"

static const char *const type_names[ARROW_TYPE_COUNT] = {"none",
                                                         "null",
                                                         "int",
                                                         "float",
                                                         "binary",
                                                         "utf8",
                                                         "bool",
                                                         "decimal",
                                                         "date",
                                                         "time",
                                                         "timestamp",
                                                         "interval",
                                                         "list",
                                                         "struct",
                                                         "union",
                                                         "fixed binary",
                                                         "fixed list",
                                                         "map",
                                                         "duration",
                                                         "large binary",
                                                         "large utf8",
                                                         "large list",
                                                         "run-end encoded",
                                                         "binary view",
                                                         "utf8 view",
                                                         "list view",
                                                         "large list view"};

/* Units of dates and times. */
enum { SECONDS, MILLISECONDS, MICROSECONDS, NANOSECONDS };

#define FIELD_BYTES_LEAST                                                                          \
    16 /* of the metadata: a position in a vector, a table, its reference to a vtable, a type */

typedef struct schema_reader {
    arena *memory;
    size_t fields_left; /* no more fit the metadata */
} schema_reader;

static status damaged(void)
{
    return status_new(STATUS_KIND_CORRUPT, "the schema is damaged");
}

static status no_such_type(const arrowfile_field *f, int64_t number, const char *why)
{
    const char *name = number > 0 && number < ARROW_TYPE_COUNT ? type_names[number] : "unknown";
    return status_new(STATUS_KIND_UNSUPPORTED,
                      "column \"%s\": the Arrow type %s%s is not supported", f->name, name, why);
}

/* ---- types of fixed width ---- */

static void set_fixed(arrowfile_field *f, type_id id, uint32_t width)
{
    f->type = type_make(id);
    f->layout = ARROWFILE_FIXED;
    f->width = width;
}

static bool read_int(arrowfile_field *f, const flat_object *type)
{
    static const uint8_t with_sign[] = {TYPE_INT8, TYPE_INT16, TYPE_INT32, TYPE_INT64};
    static const uint8_t without[] = {TYPE_UINT8, TYPE_UINT16, TYPE_UINT32, TYPE_UINT64};
    int64_t bits = flat_number(type, 0, 4, 0);
    for (unsigned i = 0; i < 4; i++)
        if (bits == INT64_C(8) << i) {
            set_fixed(f, flat_bool(type, 1) ? with_sign[i] : without[i], 1U << i);
            return true;
        }
    return false;
}

static bool read_float(arrowfile_field *f, const flat_object *type)
{
    int64_t precision = flat_number(type, 0, 2, 0);
    if (precision < 0 || precision > 2)
        return false;
    set_fixed(f, precision == 2 ? TYPE_DOUBLE : TYPE_FLOAT, 2U << precision);
    f->conversion = precision ? ARROWFILE_AS_IT_IS : ARROWFILE_HALF;
    return true;
}

static bool arrowfile_schema_read_decimal(arrowfile_field *f, const flat_object *type)
{
    int64_t precision = flat_number(type, 0, 4, 0), scale = flat_number(type, 1, 4, 0);
    int64_t bits = flat_number(type, 2, 4, 128);
    if (precision < 1 || precision > 38 || scale < 0 || scale > precision ||
        (bits != 32 && bits != 64 && bits != 128))
        return false;
    set_fixed(f, TYPE_DOUBLE, (uint32_t)bits / 8);
    f->type = type_decimal((unsigned)precision, (unsigned)scale);
    f->conversion = ARROWFILE_DECIMAL;
    return true;
}

/* Sets what makes microseconds of a unit. */
static bool set_unit(arrowfile_field *f, int64_t unit)
{
    static const int64_t factors[] = {1000000, 1000, 1, 1000};
    if (unit < SECONDS || unit > NANOSECONDS)
        return false;
    f->factor = factors[unit];
    f->is_divided = unit == NANOSECONDS;
    f->conversion = unit == NANOSECONDS    ? ARROWFILE_DIVIDED
                    : unit == MICROSECONDS ? ARROWFILE_AS_IT_IS
                                           : ARROWFILE_TIMES;
    return true;
}

static bool read_date(arrowfile_field *f, const flat_object *type)
{
    bool is_milliseconds = flat_number(type, 0, 2, 1) == 1;
    set_fixed(f, TYPE_DATE, is_milliseconds ? 8 : 4);
    f->conversion = is_milliseconds ? ARROWFILE_DIVIDED : ARROWFILE_AS_IT_IS;
    f->factor = 86400000;
    return true;
}

static bool read_time(arrowfile_field *f, const flat_object *type)
{
    int64_t unit = flat_number(type, 0, 2, MILLISECONDS), bits = flat_number(type, 1, 4, 32);
    set_fixed(f, TYPE_TIME, (uint32_t)(bits / 8));
    return (bits == 32 ? unit <= MILLISECONDS : bits == 64 && unit >= MICROSECONDS) &&
           set_unit(f, unit);
}

static bool read_timestamp(arrowfile_field *f, const flat_object *type)
{
    size_t zone_bytes;
    int64_t unit = flat_number(type, 0, 2, SECONDS);
    bool has_zone = flat_string(type, 1, &zone_bytes) && zone_bytes;
    set_fixed(f, has_zone ? TYPE_TIMESTAMP_TZ : TYPE_TIMESTAMP, 8);
    if (!set_unit(f, unit))
        return false;
    if (unit == NANOSECONDS) {
        f->type.precision = 9;
        f->conversion = ARROWFILE_AS_IT_IS;
    }
    return true;
}

static bool read_interval(arrowfile_field *f, const flat_object *type)
{
    static const struct {
        uint8_t width, conversion;
    } units[] = {
        {4, ARROWFILE_MONTHS}, {8, ARROWFILE_DAYS}, {16, ARROWFILE_MONTHS_DAYS_NANOSECONDS}};
    int64_t unit = flat_number(type, 0, 2, 0);
    if (unit < 0 || unit > 2)
        return false;
    set_fixed(f, TYPE_INTERVAL, units[unit].width);
    f->conversion = (arrowfile_conversion)units[unit].conversion;
    return true;
}

static bool read_duration(arrowfile_field *f, const flat_object *type)
{
    set_fixed(f, TYPE_INTERVAL, 8);
    bool is_known = set_unit(f, flat_number(type, 0, 2, MILLISECONDS));
    f->conversion = ARROWFILE_DURATION;
    return is_known;
}

/* ---- texts and blobs ---- */

static bool set_text(arrowfile_field *f, type_id id, arrowfile_layout layout, uint32_t width)
{
    f->type = type_make(id);
    f->layout = layout;
    f->width = width;
    return true;
}

/* Returns whether the field's metadata names the extension type. */
static bool is_extension(const flat_object *field, const char *name)
{
    static const char key_wanted[] = "ARROW:extension:name";
    flat_span pairs = flat_list(field, 6, 4);
    for (size_t i = 0; i < pairs.count; i++) {
        size_t key_bytes, value_bytes;
        flat_object pair = flat_list_table(&pairs, i);
        const char *key = flat_string(&pair, 0, &key_bytes);
        const char *value = flat_string(&pair, 1, &value_bytes);
        if (key && value && key_bytes == strlen(key_wanted) &&
            !memcmp(key, key_wanted, key_bytes) && value_bytes == strlen(name) &&
            !memcmp(value, name, value_bytes))
            return true;
    }
    return false;
}

static bool read_fixed_binary(arrowfile_field *f, const flat_object *field, const flat_object *type)
{
    int64_t width = flat_number(type, 0, 4, 0);
    bool is_uuid = width == 16 && is_extension(field, "arrow.uuid");
    if (width < 1)
        return false;
    set_fixed(f, is_uuid ? TYPE_UUID : TYPE_BLOB, (uint32_t)width);
    f->conversion = is_uuid ? ARROWFILE_UUID : ARROWFILE_FIXED_TEXT;
    return true;
}

/* ---- nested types ---- */

static status make_nested(arena *a, arrowfile_field *f, type_id id)
{
    const arrowfile_field *of = f;
    if (id == TYPE_MAP)
        of = &f->children[0];
    nested_field *fields = arena_alloc_array(a, (size_t)of->child_count + 1, sizeof *fields);
    if (!fields)
        return status_no_memory("Arrow schema", of->child_count * sizeof *fields);
    for (uint32_t i = 0; i < of->child_count; i++)
        fields[i] = (nested_field){.name = id == TYPE_STRUCT ? of->children[i].name
                                           : id == TYPE_MAP  ? (i ? "value" : "key")
                                                             : "",
                                   .type = of->children[i].type};
    bool is_sized = f->layout == ARROWFILE_FIXED_LIST && f->width <= NESTED_SIZE_MAX;
    TRY(is_sized ? nested_type_make_sized(fields[0].type, f->width, &f->type)
                 : nested_type_make(id, fields, of->child_count, &f->type));
    return nested_type_keep(a, f->type);
}

static bool has_children(const arrowfile_field *f, type_id id)
{
    if (id == TYPE_STRUCT)
        return f->child_count > 0;
    if (f->child_count != 1)
        return false;
    return id == TYPE_LIST ||
           (f->children[0].layout == ARROWFILE_STRUCT && f->children[0].child_count == 2);
}

status arrowfile_field_nest(arena *a, arrowfile_field *f, type_id id, arrowfile_layout layout,
                            int64_t width)
{
    if (!has_children(f, id) || width < 0 || width > INT32_MAX)
        return status_new(STATUS_KIND_UNSUPPORTED,
                          "column \"%s\": %s with %u fields are not supported", f->name,
                          id == TYPE_STRUCT ? "structs"
                          : id == TYPE_MAP  ? "maps"
                                            : "lists",
                          f->child_count);
    f->layout = layout;
    f->width = (uint32_t)width;
    return make_nested(a, f, id);
}

/* ---- fields ---- */

static bool read_flat_type(arrowfile_field *f, int64_t number, const flat_object *field,
                           const flat_object *type)
{
    switch (number) {
    case ARROW_NULL:
        f->type = type_make(TYPE_INT32); /* as DuckDB has it */
        f->layout = ARROWFILE_NULLS;
        return true;
    case ARROW_BOOL:
        f->type = type_make(TYPE_BOOL);
        f->layout = ARROWFILE_BITS;
        return true;
    case ARROW_INT:
        return read_int(f, type);
    case ARROW_FLOAT:
        return read_float(f, type);
    case ARROW_DECIMAL:
        return arrowfile_schema_read_decimal(f, type);
    case ARROW_DATE:
        return read_date(f, type);
    case ARROW_TIME:
        return read_time(f, type);
    case ARROW_TIMESTAMP:
        return read_timestamp(f, type);
    case ARROW_INTERVAL:
        return read_interval(f, type);
    case ARROW_DURATION:
        return read_duration(f, type);
    case ARROW_BINARY:
        return set_text(f, TYPE_BLOB, ARROWFILE_OFFSETS, 4);
    case ARROW_UTF8:
        return set_text(f, TYPE_VARCHAR, ARROWFILE_OFFSETS, 4);
    case ARROW_LARGE_BINARY:
        return set_text(f, TYPE_BLOB, ARROWFILE_OFFSETS, 8);
    case ARROW_LARGE_UTF8:
        return set_text(f, TYPE_VARCHAR, ARROWFILE_OFFSETS, 8);
    case ARROW_BINARY_VIEW:
        return set_text(f, TYPE_BLOB, ARROWFILE_VIEWS, 16);
    case ARROW_UTF8_VIEW:
        return set_text(f, TYPE_VARCHAR, ARROWFILE_VIEWS, 16);
    case ARROW_FIXED_BINARY:
        return read_fixed_binary(f, field, type);
    default:
        return false;
    }
}

static status read_type(schema_reader *r, arrowfile_field *f, const flat_object *field)
{
    int64_t number = flat_number(field, 2, 1, 0);
    flat_object type = flat_child(field, 3);
    switch (number) {
    case ARROW_LIST:
        return arrowfile_field_nest(r->memory, f, TYPE_LIST, ARROWFILE_LIST, 4);
    case ARROW_LARGE_LIST:
        return arrowfile_field_nest(r->memory, f, TYPE_LIST, ARROWFILE_LIST, 8);
    case ARROW_LIST_VIEW:
        return arrowfile_field_nest(r->memory, f, TYPE_LIST, ARROWFILE_LIST_VIEW, 4);
    case ARROW_LARGE_LIST_VIEW:
        return arrowfile_field_nest(r->memory, f, TYPE_LIST, ARROWFILE_LIST_VIEW, 8);
    case ARROW_FIXED_LIST:
        return arrowfile_field_nest(r->memory, f, TYPE_LIST, ARROWFILE_FIXED_LIST,
                                    flat_number(&type, 0, 4, 0));
    case ARROW_MAP:
        return arrowfile_field_nest(r->memory, f, TYPE_MAP, ARROWFILE_LIST, 4);
    case ARROW_STRUCT:
        return arrowfile_field_nest(r->memory, f, TYPE_STRUCT, ARROWFILE_STRUCT, 0);
    default:
        if (!read_flat_type(f, number, field, &type))
            return no_such_type(f, number,
                                number == ARROW_DECIMAL ? " of more than 38 digits" : "");
        return f->child_count ? damaged() : STATUS_OK;
    }
}

static status read_dictionary(arrowfile_field *f, const flat_object *field)
{
    arrowfile_field codes = {.name = f->name, .width = 4};
    flat_object encoding = flat_child(field, 4);
    if (!encoding.in)
        return STATUS_OK;
    flat_object type = flat_child(&encoding, 1);
    codes.type = type_make(TYPE_INT32);
    if (type.in && !read_int(&codes, &type))
        return damaged();
    f->has_dictionary = true;
    f->dictionary = flat_number(&encoding, 0, 8, 0);
    f->code_width = codes.width;
    f->has_signed_codes = type_is_signed(codes.type);
    return STATUS_OK;
}

static status read_name(schema_reader *r, arrowfile_field *f, const flat_object *field)
{
    size_t bytes;
    const char *name = flat_string(field, 0, &bytes);
    name = name ? name : "";
    if (memchr(name, '\0', bytes) || utf8_valid_bytes(name, bytes) != bytes)
        return status_new(STATUS_KIND_CORRUPT, "the name of a column is not UTF-8");
    f->name = arena_copy_text(r->memory, name, bytes);
    return f->name ? STATUS_OK : status_no_memory("Arrow schema", bytes);
}

static status read_fields(schema_reader *r, const flat_span *items, unsigned depth,
                          arrowfile_field **out);

static status read_field(schema_reader *r, const flat_object *field, unsigned depth,
                         arrowfile_field *f)
{
    flat_span children = flat_list(field, 5, 4);
    TRY(read_name(r, f, field));
    f->child_count = (uint32_t)children.count;
    TRY(read_fields(r, &children, depth + 1, &f->children));
    TRY(read_type(r, f, field));
    return read_dictionary(f, field);
}

static status read_fields(schema_reader *r, const flat_span *items, unsigned depth,
                          arrowfile_field **out)
{
    if (depth > NESTED_DEPTH_MAX || items->count > r->fields_left)
        return damaged();
    r->fields_left -= items->count;
    *out = arena_alloc_array(r->memory, items->count + 1, sizeof **out);
    if (!*out)
        return status_no_memory("Arrow schema", items->count * sizeof **out);
    for (size_t i = 0; i < items->count; i++) {
        flat_object field = flat_list_table(items, i);
        if (!field.in)
            return damaged();
        TRY(read_field(r, &field, depth, &(*out)[i]));
    }
    return STATUS_OK;
}

status arrowfile_schema_read(arena *a, const flat_object *schema, arrowfile_field **out,
                             uint32_t *out_count)
{
    *out = NULL;
    *out_count = 0;
    if (!schema->in)
        return damaged();
    if (flat_number(schema, 0, 2, 0))
        return status_new(STATUS_KIND_UNSUPPORTED, "values with their first byte last (big endian) "
                                                   "are not supported");
    schema_reader r = {.memory = a, .fields_left = schema->in->count / FIELD_BYTES_LEAST + 1};
    flat_span fields = flat_list(schema, 1, 4);
    TRY(read_fields(&r, &fields, 0, out));
    *out_count = (uint32_t)fields.count;
    return schema->in->is_damaged ? damaged() : STATUS_OK;
}
