/* adbc_statistics.c - GetStatistics: what footers say of tables. */
#include "api/adbc/adbc_statistics.h"

#include "api/adbc/adbc_connection.h"
#include "api/adbc/adbc_error.h"
#include "api/adbc/adbc_objects.h"
#include "api/session/database.h"
#include "base/type/type.h"

#define FIELDS(list) sizeof(list) / sizeof *(list), list

static const arrow_build_field value_fields[] = {{"l", "int64", false, 0, NULL},
                                                 {"L", "uint64", false, 0, NULL},
                                                 {"g", "float64", false, 0, NULL},
                                                 {"z", "binary", false, 0, NULL}};
enum { INTEGER = 0, DOUBLE = 2 };
static const arrow_build_field statistic_fields[] = {
    {"u", "table_name", true, 0, NULL},
    {"u", "column_name", false, 0, NULL},
    {"s", "statistic_key", true, 0, NULL},
    {"+ud:0,1,2,3", "statistic_value", true, FIELDS(value_fields)},
    {"b", "statistic_is_approximate", true, 0, NULL}};
static const arrow_build_field statistic_item[] = {{"+s", "item", false, FIELDS(statistic_fields)}};
static const arrow_build_field schema_fields[] = {
    {"u", "db_schema_name", false, 0, NULL},
    {"+l", "db_schema_statistics", true, FIELDS(statistic_item)}};
static const arrow_build_field schema_item[] = {{"+s", "item", false, FIELDS(schema_fields)}};
static const arrow_build_field fields[] = {{"u", "catalog_name", false, 0, NULL},
                                           {"+l", "catalog_db_schemas", true, FIELDS(schema_item)}};

/* Adds a statistic of a column, or with NULL of the table. */
static void adbc_statistics_add(arrow_build *list, const pq_table_column *column, const char *table,
                                int16_t key, int64_t number)
{
    arrow_build *item = arrow_build_child(list, 0), *value = arrow_build_child(item, 3);
    bool is_approximate = key == ADBC_STATISTIC_DISTINCT_COUNT_KEY;
    arrow_build_text(arrow_build_child(item, 0), table);
    arrow_build_text(arrow_build_child(item, 1), column ? column->name : NULL);
    arrow_build_int(arrow_build_child(item, 2), key);
    arrow_build_pick(value, is_approximate ? DOUBLE : INTEGER);
    if (is_approximate)
        arrow_build_double(arrow_build_child(value, DOUBLE), (double)number);
    else
        arrow_build_int(arrow_build_child(value, INTEGER), number);
    arrow_build_int(arrow_build_child(item, 4), is_approximate);
    arrow_build_end(item);
}

/* Bounds are given where a number of 64 bits is the value itself. */
static bool has_integer_range(const pq_table_column *column)
{
    return column->has_range && column->type.id != TYPE_DECIMAL && column->min >= INT64_MIN &&
           column->max <= INT64_MAX;
}

static void adbc_statistics_add_column(arrow_build *list, const pq_table_column *column,
                                       const char *table, bool approximate)
{
    if (column->null_count >= 0)
        adbc_statistics_add(list, column, table, ADBC_STATISTIC_NULL_COUNT_KEY, column->null_count);
    if (column->distinct_count >= 0 && approximate)
        adbc_statistics_add(list, column, table, ADBC_STATISTIC_DISTINCT_COUNT_KEY,
                            column->distinct_count);
    if (!has_integer_range(column))
        return;
    adbc_statistics_add(list, column, table, ADBC_STATISTIC_MIN_VALUE_KEY, (int64_t)column->min);
    adbc_statistics_add(list, column, table, ADBC_STATISTIC_MAX_VALUE_KEY, (int64_t)column->max);
}

static void adbc_statistics_add_tables(arrow_build *list, const sql_catalog_entry *entries,
                                       size_t count, const char *pattern, bool approximate)
{
    for (size_t i = 0; i < count; i++) {
        const pq_table *table = entries[i].table;
        if (!table || !adbc_matches(pattern, entries[i].name))
            continue;
        uint64_t rows;
        status st = sql_catalog_rows(&entries[i], &rows);
        if (!st)
            adbc_statistics_add(list, NULL, entries[i].name, ADBC_STATISTIC_ROW_COUNT_KEY,
                                (int64_t)rows);
        status_free(st);                            /* a query that reads the file says so */
        bool is_whole = entries[i].parts.count < 2; /* the columns' are one part's */
        for (size_t c = 0; is_whole && c < table->columns.count; c++)
            if (!pq_table_nested_name(table, (uint32_t)c))
                adbc_statistics_add_column(list, &table->columns.items[c], entries[i].name,
                                           approximate);
    }
}

static status adbc_statistics_list_tables(pistachio_connection *connection, arena *memory,
                                          arrow_build *list, const char *pattern, bool approximate)
{
    sql_catalog_entry *entries;
    size_t count;
    sql_held held = {.memory = memory};
    status st = sql_catalog_list(api_catalog(connection), true, &held, &entries, &count);
    if (!st)
        adbc_statistics_add_tables(list, entries, count, pattern, approximate);
    sql_held_release(&held);
    return st;
}

static status adbc_statistics_make(pistachio_connection *connection, arrow_build *build,
                                   const char *pattern, bool approximate)
{
    arena *memory;
    arrow_build *schemas = arrow_build_child(build, 1), *schema = arrow_build_child(schemas, 0),
                *list = arrow_build_child(schema, 1);
    TRY(arena_new(&memory));
    status st = adbc_statistics_list_tables(connection, memory, list, pattern, approximate);
    arena_free(memory);
    arrow_build_null(arrow_build_child(build, 0));
    arrow_build_null(arrow_build_child(schema, 0));
    arrow_build_end(list);
    arrow_build_end(schema);
    arrow_build_end(schemas);
    arrow_build_end(build);
    return st;
}

AdbcStatusCode adbc_connection_get_statistics(struct AdbcConnection *connection,
                                              const char *catalog, const char *db_schema,
                                              const char *table, char approximate,
                                              struct ArrowArrayStream *out, struct AdbcError *error)
{
    pistachio_connection *open;
    arrow_build *build;
    AdbcStatusCode code = adbc_open_connection(connection, &open, error);
    if (code)
        return code;
    status st = arrow_build_new(fields, 2, &build);
    if (st)
        return adbc_fail(error, st);
    if (adbc_matches_unnamed(catalog, db_schema))
        st = adbc_statistics_make(open, build, table, approximate);
    status finished = arrow_build_finish(build, out);
    if (st && !finished)
        out->release(out);
    else if (st)
        status_free(finished);
    return adbc_fail(error, st ? st : finished);
}

AdbcStatusCode adbc_connection_get_statistic_names(struct AdbcConnection *connection,
                                                   struct ArrowArrayStream *out,
                                                   struct AdbcError *error)
{
    static const arrow_build_field names[] = {{"u", "statistic_name", true, 0, NULL},
                                              {"s", "statistic_key", true, 0, NULL}};
    pistachio_connection *open;
    arrow_build *build;
    AdbcStatusCode code = adbc_open_connection(connection, &open, error);
    if (code)
        return code;
    status st = arrow_build_new(names, 2, &build);
    return adbc_fail(error, st ? st : arrow_build_finish(build, out));
}
