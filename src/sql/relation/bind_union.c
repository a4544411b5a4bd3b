/* bind_union.c - union_by_name: scans of files that differ in their columns, as one relation. */
#include "sql/relation/bind_union.h"

#include "sql/types/bind_type.h"
#include "sql/types/binder.h"

#include <strings.h>

/* A column of the union. */
typedef struct union_column {
    const char *name; /* as the first file that has it writes it */
    data_type type;
    data_type file_type; /* of the file that made the type what it is */
    const char *file;
} union_column;
typedef ARRAY(union_column) union_list;

/* ---- types ---- */

/* Decimal digits that an integer of the type may have. */
static unsigned union_digits_of(data_type type)
{
    static const unsigned digits[] = {[1] = 3, [2] = 5, [4] = 10, [8] = 19};
    return digits[type.width] + (type.id == TYPE_UINT64);
}

static bool union_is_float(data_type type)
{
    return type.id == TYPE_FLOAT || type.id == TYPE_DOUBLE;
}

static bool widen_integers(data_type a, data_type b, data_type *out)
{
    static const type_id signed_types[] = {
        [1] = TYPE_INT8, [2] = TYPE_INT16, [4] = TYPE_INT32, [8] = TYPE_INT64};
    bool is_signed = type_is_signed(a);
    if (is_signed == type_is_signed(b)) {
        *out = a.width > b.width ? a : b;
        return true;
    }
    unsigned signed_width = is_signed ? a.width : b.width;
    unsigned unsigned_width = 2u * (is_signed ? b.width : a.width);
    unsigned width = signed_width > unsigned_width ? signed_width : unsigned_width;
    if (width > 8)
        return false;
    *out = type_make(signed_types[width]);
    return true;
}

static bool union_widen_decimals(data_type a, data_type b, data_type *out)
{
    data_type as_decimal[2] = {a, b};
    for (int i = 0; i < 2; i++)
        if (as_decimal[i].id != TYPE_DECIMAL)
            as_decimal[i] = type_decimal(union_digits_of(as_decimal[i]), 0);
    unsigned left = as_decimal[0].precision - as_decimal[0].scale;
    unsigned right = as_decimal[1].precision - as_decimal[1].scale;
    unsigned whole = left > right ? left : right;
    unsigned scale =
        as_decimal[0].scale > as_decimal[1].scale ? as_decimal[0].scale : as_decimal[1].scale;
    if (whole + scale > 38)
        return false;
    *out = type_decimal(whole + scale, scale);
    return true;
}

static bool union_is_timestamp(data_type type)
{
    return type.id == TYPE_TIMESTAMP || type.id == TYPE_TIMESTAMP_TZ;
}

/* Nanoseconds if one has them, a zone if one has it. */
static bool widen_timestamps(data_type a, data_type b, data_type *out)
{
    *out = type_make(a.id == TYPE_TIMESTAMP_TZ || b.id == TYPE_TIMESTAMP_TZ ? TYPE_TIMESTAMP_TZ
                                                                            : TYPE_TIMESTAMP);
    out->precision = a.precision > b.precision ? a.precision : b.precision;
    return true;
}

/* A type that holds the values of both, of doubles nearly. */
static bool union_widen(data_type a, data_type b, data_type *out)
{
    bool are_numbers = (type_is_integer(a) || union_is_float(a) || a.id == TYPE_DECIMAL) &&
                       (type_is_integer(b) || union_is_float(b) || b.id == TYPE_DECIMAL);
    *out = a.id == TYPE_NULL ? b : a;
    if (type_equal(a, b) || a.id == TYPE_NULL || b.id == TYPE_NULL)
        return true;
    if (union_is_timestamp(a) && union_is_timestamp(b))
        return widen_timestamps(a, b, out);
    if (!are_numbers)
        return false;
    if (union_is_float(a) || union_is_float(b)) {
        *out = type_make(TYPE_DOUBLE);
        return true;
    }
    return type_is_integer(a) && type_is_integer(b) ? widen_integers(a, b, out)
                                                    : union_widen_decimals(a, b, out);
}

/* ---- columns ---- */

static int union_find_column(const union_list *list, const char *name)
{
    for (size_t i = 0; i < list->count; i++)
        if (!strcasecmp(list->items[i].name, name))
            return (int)i;
    return -1;
}

static status union_add_column(binder *b, const plan_node *scan, size_t number, int32_t location,
                               union_list *list)
{
    const plan_column *column = &scan->columns.items[number];
    const char *file = scan->scan.table->files.items[0].file->path;
    int known = union_find_column(list, column->name);
    char one[TYPE_NAME_BYTES], other[TYPE_NAME_BYTES];
    data_type type;
    status st = pq_table_check_column(scan->scan.table, scan->scan.sources.items[number]);
    if (st)
        return status_context(st, "union_by_name");
    if (known < 0)
        return array_push(b->memory, list,
                          ((union_column){column->name, column->type, column->type, file}));
    union_column *c = &list->items[known];
    if (!union_widen(c->type, column->type, &type))
        return status_hint(
            bind_error(b, STATUS_KIND_INVALID, location,
                       "column \"%s\" is %s in file \"%s\" and %s in file \"%s\"", c->name,
                       type_name(c->file_type, one), c->file, type_name(column->type, other), file),
            "union_by_name widens integers, floats, decimals and timestamps; CAST one of them "
            "in a query of its "
            "own");
    if (!type_equal(type, c->type)) {
        c->file_type = column->type;
        c->file = file;
    }
    c->type = type;
    return STATUS_OK;
}

/* Whether it is a key in folders' names: the number of its leaf is behind those that the file has. */
static bool bind_union_is_key(const plan_node *scan, size_t number)
{
    const pq_table *table = scan->scan.table;
    return table->columns.items[scan->scan.sources.items[number]].leaf >= table->schema->leaf_count;
}

/* Keys in folders' names come behind all columns of files. */
static status list_columns(binder *b, const bind_scan_list *scans, bool are_keys, int32_t location,
                           union_list *list)
{
    for (size_t s = 0; s < scans->scans.count; s++) {
        const plan_node *scan = scans->scans.items[s];
        for (size_t i = 0; i < scan->columns.count; i++)
            if (bind_union_is_key(scan, i) == are_keys)
                TRY(union_add_column(b, scan, i, location, list));
    }
    return STATUS_OK;
}

/* ---- plans ---- */

/* Says where the values of a cast come from: the scan's files have equal types. */
static status name_place(binder *b, const plan_node *scan, const plan_column *column, expr *cast)
{
    const pq_table *table = scan->scan.table;
    const char *path = table->files.items[0].file->path;
    size_t count = table->files.count;
    cast->name =
        count > 1
            ? arena_format(b->memory,
                           "column \"%s\" of file \"%s\", or another of %zu that have its type",
                           column->name, path, count)
            : arena_format(b->memory, "column \"%s\" of file \"%s\"", column->name, path);
    return cast->name ? STATUS_OK : bind_no_memory();
}

static const plan_column *bind_union_column_named(const plan_node *scan, const char *name)
{
    for (size_t i = 0; i < scan->columns.count; i++)
        if (!strcasecmp(scan->columns.items[i].name, name))
            return &scan->columns.items[i];
    return NULL;
}

static status union_make_column(binder *b, const plan_node *scan, const union_column *c, expr **out)
{
    const plan_column *column = bind_union_column_named(scan, c->name);
    const value null = value_null(c->type);
    if (!column)
        return bind_constant(b, &null, -1, out);
    expr *e = bind_column_expr(b, column);
    if (!e)
        return bind_no_memory();
    TRY(bind_cast(b, e, c->type, -1, out));
    return (*out)->kind == EXPR_CAST ? name_place(b, scan, column, *out) : STATUS_OK;
}

static status union_project(binder *b, const union_list *list, plan_node **scan)
{
    expr **exprs = arena_alloc_array(b->memory, list->count + 1, sizeof *exprs);
    const char **names = arena_alloc_array(b->memory, list->count + 1, sizeof *names);
    if (!exprs || !names)
        return bind_no_memory();
    for (size_t i = 0; i < list->count; i++) {
        names[i] = list->items[i].name;
        TRY(union_make_column(b, *scan, &list->items[i], &exprs[i]));
    }
    return bind_project(b, *scan, exprs, names, list->count, scan);
}

/* A column of nothing but NULLs has the type of the first file that has another one. */
static status add_first_types(binder *b, const plan_node *scan, union_list *list)
{
    for (size_t i = 0; i < scan->columns.count; i++) {
        const plan_column *column = &scan->columns.items[i];
        int known = union_find_column(list, column->name);
        if (known < 0)
            TRY(array_push(b->memory, list,
                           ((union_column){.name = column->name, .type = column->type})));
        else if (list->items[known].type.id == TYPE_NULL)
            list->items[known].type = column->type;
    }
    return STATUS_OK;
}

status bind_union_by_first(binder *b, bind_scan_list *list)
{
    union_list columns = {0};
    for (size_t i = 0; i < list->scans.count; i++)
        TRY(add_first_types(b, list->scans.items[i], &columns));
    for (size_t i = 0; i < list->scans.count; i++)
        TRY(union_project(b, &columns, &list->scans.items[i]));
    return STATUS_OK;
}

status bind_union_by_name(binder *b, bind_scan_list *list, int32_t location)
{
    union_list columns = {0};
    TRY(list_columns(b, list, false, location, &columns));
    TRY(list_columns(b, list, true, location, &columns));
    for (size_t i = 0; i < list->scans.count; i++)
        TRY(union_project(b, &columns, &list->scans.items[i]));
    return STATUS_OK;
}
