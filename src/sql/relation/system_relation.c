/* system_relation.c - see system_relation.h. */
#include "sql/relation/system_relation.h"

#include "base/system/guard.h"
#include "base/type/pg_type.h"
#include "parquet/table/table.h"
#include "sql/relation/system_routine.h"

#include <time.h>

/* Identifiers of tables begin here; below are PostgreSQL's own. */

typedef enum system_source {
    NOTHING,
    ONE,
    SCHEMAS,
    TYPES,
    TABLES,
    PLAIN_TABLES, /* without views */
    VIEWS,
    COLUMNS,
    ROUTINES,
    AGGREGATES,
    OPERATORS,
    CLIENTS,
    PAST,
    SETTINGS
} system_source;

static const struct {
    const char *schema, *name;
    system_source source;
    const char *columns;
} relations[] = {
#define RELATION(schema, name, source, columns) {schema, name, source, columns},
#include "sql/relation/system_relation.def"
};
#define RELATION_COUNT (sizeof relations / sizeof *relations)

/* ---- text ---- */

typedef struct text {
    binder *b;
    system_bind_view bind_view;
    ARRAY(char) bytes;
    size_t rows;
} text;

static status add_bytes(text *t, const char *bytes, size_t count)
{
    TRY(array_reserve(t->b->memory, &t->bytes, count + 1));
    memcpy(t->bytes.items + t->bytes.count, bytes, count);
    t->bytes.count += count;
    t->bytes.items[t->bytes.count] = 0;
    return STATUS_OK;
}

static status add(text *t, const char *words)
{
    return words ? add_bytes(t, words, strlen(words)) : bind_no_memory();
}

/* Adds a literal: a text in quotes. */
static status add_literal(text *t, const char *value)
{
    TRY(add(t, "'"));
    for (const char *at = value; *at;) {
        size_t bytes = strcspn(at, "'");
        TRY(add_bytes(t, at, bytes));
        at += bytes;
        if (*at)
            TRY(add(t, "''"));
        at += *at != 0;
    }
    return add(t, "'");
}

static status add_number(text *t, int64_t number)
{
    return add(t, arena_format(t->b->memory, "%lld", (long long)number));
}

/* Begins a row of VALUES. */
static status begin_row(text *t)
{
    return add(t, t->rows++ ? ",(" : "(");
}

/* ---- sources ---- */

static int64_t system_relation_oid_of(const char *name)
{
    return pg_oid_of_name(name, strlen(name));
}

/* PostgreSQL's number of its first schema, which is called "public" for its clients. */
#define FIRST_SCHEMA 2200

static bool is_first(const sql_table_name *name)
{
    return !strcmp(name->catalog, SQL_CATALOG) && !strcmp(name->schema, SQL_SCHEMA);
}

/* Adds a schema's number, its name before a table's in SQL, its own name and that of its catalog. */
static status add_schema(text *t, const sql_table_name *of)
{
    const sql_table_name schema = {of->catalog, of->schema, ""};
    const char *key = sql_table_key(t->b->memory, &schema),
               *shown = sql_table_shown(t->b->memory, &schema, NULL);
    if (!key || !shown)
        return bind_no_memory();
    TRY(add_number(t, is_first(of) ? FIRST_SCHEMA : system_relation_oid_of(key)));
    TRY(add(t, ","));
    TRY(add_literal(t, is_first(of) ? "public" : shown));
    TRY(add(t, ","));
    TRY(add_literal(t, is_first(of) ? "public" : of->schema));
    TRY(add(t, ","));
    return add_literal(t, of->catalog);
}

static status system_relation_add_schemas(text *t)
{
    sql_catalog_entry *entries;
    size_t count;
    TRY(sql_catalog_list_all(t->b->catalog, t->b->held, &entries, &count));
    TRY(add(t, "(VALUES (11,'pg_catalog','pg_catalog','" SQL_CATALOG "'),"
               "(13000,'information_schema','information_schema','" SQL_CATALOG "'),"
               "(2200,'public','public','" SQL_CATALOG "')"));
    t->rows = 1;
    for (size_t i = 0; i < count; i++) {
        if (*entries[i].of.table)
            continue;
        TRY(begin_row(t));
        TRY(add_schema(t, &entries[i].of));
        TRY(add(t, ")"));
    }
    return add(t, ") t(oid,name,schema,catalog)");
}

/* Adds the identifier of a function that reads or writes values of the type. */
static status add_type_function(text *t, const pg_type_entry *type, const char *end)
{
    const char *name = arena_format(t->b->memory, "%s%s", type->io, end);
    TRY(add(t, ","));
    return name ? add_number(t, system_relation_oid_of(name)) : bind_no_memory();
}

static status system_relation_add_type(text *t, const pg_type_entry *type)
{
    TRY(begin_row(t));
    TRY(add(t, arena_format(t->b->memory, "%u,'%s',%d,'%c',%u,%u", (unsigned)type->oid, type->name,
                            type->size, type->category, (unsigned)type->element,
                            (unsigned)type->array)));
    for (size_t i = 0; i < PG_FUNCTION_ENDS; i++)
        TRY(add_type_function(t, type, pg_function_ends[i]));
    return add(t, ")");
}

static status add_types(text *t)
{
    size_t count;
    const pg_type_entry *list = pg_type_list(&count);
    TRY(add(t, "(VALUES "));
    for (size_t i = 0; i < count; i++)
        TRY(system_relation_add_type(t, &list[i]));
    return add(t, ") t(oid,name,size,category,element,arrayed,input,output,receive,send)");
}

/* Returns a view's text without the search path that stands before it (bind_view_text). */
static const char *system_relation_query_of(const char *view)
{
    const char *end = *view == 3 ? strchr(view + 1, 3) : NULL;
    return end ? end + 1 : view;
}

static status system_relation_add_table(text *t, const sql_catalog_entry *entry)
{
    bool is_view = entry->view_sql;
    size_t columns = entry->table ? entry->table->columns.count : 0;
    TRY(begin_row(t));
    TRY(add_number(t, system_relation_oid_of(entry->name)));
    TRY(add(t, ","));
    TRY(add_literal(t, entry->of.table));
    TRY(add(t, ","));
    TRY(add_schema(t, &entry->of));
    TRY(add(t, arena_format(t->b->memory, ",'%s','%s',%d,%zu,-1,", is_view ? "v" : "r",
                            is_view ? "VIEW" : "BASE TABLE", is_view ? 0 : 2, columns)));
    TRY(add_literal(t, is_view ? system_relation_query_of(entry->view_sql) : ""));
    return add(t, ")");
}

/* Adds a row for each table and view (TABLES), or for one of the two. */
static status add_tables(text *t, system_source source)
{
    sql_catalog_entry *entries;
    size_t count;
    TRY(sql_catalog_list(t->b->catalog, false, t->b->held, &entries, &count));
    TRY(add(t, "(SELECT * FROM (VALUES "));
    for (size_t i = 0; i < count; i++)
        if (source != (entries[i].view_sql ? PLAIN_TABLES : VIEWS))
            TRY(system_relation_add_table(t, &entries[i]));
    if (!t->rows)
        TRY(add(t, "(0,'',0,'','','','','',0,0,0,'')"));
    return add(t,
               ") t(oid,name,namespace,namespace_name,schema,catalog,kind,type,am,columns,tuples,"
               "definition) "
               "WHERE t.oid > 0) t");
}

/* ---- columns ---- */

typedef struct column {
    const char *name;
    data_type type;
    bool is_nullable;
} column;

static status add_column(text *t, const sql_catalog_entry *relation, unsigned number,
                         const column *c)
{
    pg_type type = pg_type_of(c->type);
    const pg_type_entry *entry = pg_type_find(type.oid);
    bool is_decimal = c->type.id == TYPE_DECIMAL;
    TRY(begin_row(t));
    TRY(add_number(t, system_relation_oid_of(relation->name)));
    TRY(add(t, ","));
    TRY(add_literal(t, relation->of.table));
    TRY(add(t, ","));
    TRY(add_schema(t, &relation->of));
    TRY(add(t, arena_format(t->b->memory, ",%u,", number)));
    TRY(add_literal(t, c->name));
    return add(
        t, arena_format(
               t->b->memory, ",%u,%d,%d,%s,'%s','%s',%s,%s)", (unsigned)type.oid, type.size,
               (int)type.modifier, c->is_nullable ? "false" : "true", entry->name, entry->sql_name,
               is_decimal ? arena_format(t->b->memory, "%u", (unsigned)c->type.precision) : "NULL",
               is_decimal ? arena_format(t->b->memory, "%u", (unsigned)c->type.scale) : "NULL"));
}

static status system_relation_add_table_columns(text *t, const sql_catalog_entry *listed,
                                                const pq_table *table)
{
    unsigned number = 0;
    for (size_t i = 0; i < table->columns.count; i++) {
        const pq_table_column *source = &table->columns.items[i];
        if (!pq_table_nested_name(table, (uint32_t)i))
            TRY(add_column(t, listed, ++number,
                           &(column){source->name, source->type, source->is_nullable}));
    }
    return STATUS_OK;
}

/* Adds a view's columns, unless it cannot be bound. A view within a view is left alone: it may ask for these columns. */
static status system_relation_add_view_columns(text *t, const sql_catalog_entry *view)
{
    binder *b = t->b;
    plan_node *root = NULL;
    size_t notices = b->notices->count;
    bind_rounds rounds = b->rounds;
    if (b->views)
        return STATUS_OK;
    b->rounds.is_dry = true;
    status st = t->bind_view(b, view, &root);
    b->rounds = rounds;
    b->notices->count = notices;
    if (st) {
        status_free(st);
        return guard_check();
    }
    for (size_t i = 0; i < root->columns.count; i++) {
        const plan_column *source = &root->columns.items[i];
        TRY(add_column(t, view, (unsigned)i + 1,
                       &(column){source->name, source->type, source->is_nullable}));
    }
    return STATUS_OK;
}

/* Adds a relation's columns; of a table that cannot be opened none. */
static status add_relation_columns(text *t, const sql_catalog_entry *listed)
{
    const sql_catalog_entry *entry = NULL;
    if (listed->view_sql)
        return system_relation_add_view_columns(t, listed);
    status st = sql_catalog_find(t->b->catalog, listed->name, t->b->held, &entry);
    if (!st && entry && entry->table)
        return system_relation_add_table_columns(t, listed, entry->table);
    status_free(st);
    return guard_check();
}

static status add_columns(text *t)
{
    sql_catalog_entry *entries;
    size_t count;
    TRY(sql_catalog_list(t->b->catalog, false, t->b->held, &entries, &count));
    TRY(add(t, "(SELECT * FROM (VALUES "));
    for (size_t i = 0; i < count; i++)
        TRY(add_relation_columns(t, &entries[i]));
    if (!t->rows)
        TRY(add(t, "(0,'',0,'','','',0,'',0,0,0,false,'','',0,0)"));
    return add(t, ") "
                  "t(relid,relation,namespace,namespace_name,schema,catalog,number,name,typeid,"
                  "size,modifier,is_required,type_name,type,"
                  "digits,scale) "
                  "WHERE t.relid > 0) t");
}

/* ---- functions and operators ---- */

static status add_types_of(text *t, const system_routine *one)
{
    TRY(add(t, ",CAST(["));
    for (uint32_t i = 0; i < one->count; i++)
        TRY(add(t, arena_format(t->b->memory, i ? ",%u" : "%u", (unsigned)one->args[i])));
    return add(t, "] AS bigint[]))");
}

/* Adds a row: the identifier is that of the name with the arguments' types. */
static status add_routine(void *argument, const system_routine *one)
{
    text *t = argument;
    const char *key =
        arena_format(t->b->memory, "%c %s %u %u %u", one->kind, one->name, (unsigned)one->count,
                     (unsigned)one->args[0], (unsigned)one->args[1]);
    if (!key)
        return bind_no_memory();
    TRY(begin_row(t));
    TRY(add_number(t, system_relation_oid_of(key)));
    TRY(add(t, ","));
    TRY(add_literal(t, one->name));
    TRY(add(t, arena_format(t->b->memory, ",'%c',%u,%u,%u,%u", one->kind, (unsigned)one->result,
                            (unsigned)one->count, (unsigned)one->args[0], (unsigned)one->args[1])));
    return add_types_of(t, one);
}

static status add_routines(text *t, system_source source)
{
    TRY(add(t, "(SELECT * FROM (VALUES "));
    TRY(source == OPERATORS ? system_operators(add_routine, t) : system_routines(add_routine, t));
    return add(t, source == AGGREGATES
                      ? ") t(oid,name,kind,result,count,of,at,args) WHERE t.kind = 'a') t"
                      : ") t(oid,name,kind,result,count,of,at,args)) t");
}

/* ---- a server's statements ---- */

static status add_text_or_null(text *t, const char *value)
{
    TRY(add(t, ","));
    return value ? add_literal(t, value) : add(t, "NULL");
}

/* Adds a time of microseconds; 0: NULL. */
static status add_time(text *t, int64_t microseconds)
{
    char day[32];
    struct tm parts;
    time_t seconds = (time_t)(microseconds / 1000000);
    if (!microseconds || !gmtime_r(&seconds, &parts))
        return add(t, ",NULL");
    strftime(day, sizeof day, "%Y-%m-%d %H:%M:%S", &parts);
    return add(t, arena_format(t->b->memory, ",'%s.%06d+00'", day, (int)(microseconds % 1000000)));
}

static status add_fact(void *argument, const activity_fact *f)
{
    text *t = argument;
    const char *const texts[] = {f->user,     f->group,    f->application, f->address,
                                 f->protocol, f->state,    f->wait_type,   f->wait,
                                 f->query,    f->sqlstate, f->message};
    const int64_t times[] = {f->connected, f->begun, f->run, f->changed, f->ended, f->transaction};
    TRY(begin_row(t));
    TRY(add_number(t, f->number));
    TRY(add(t, ","));
    TRY(add_number(t, (int64_t)f->rows));
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        TRY(add_text_or_null(t, texts[i]));
    for (size_t i = 0; i < sizeof times / sizeof *times; i++)
        TRY(add_time(t, times[i]));
    return add(t, ")");
}

/* Adds a row for each client, or for each statement that is over; the first row says the types. */
static status add_activity(text *t, bool is_past)
{
    const sql_activity activity = sql_catalog_activity(t->b->catalog);
    const activity_fact none = {.user = "",
                                .group = "",
                                .application = "",
                                .address = "",
                                .protocol = "",
                                .state = "",
                                .wait_type = "",
                                .wait = "",
                                .query = "",
                                .sqlstate = "",
                                .message = ""};
    TRY(add(t, "(SELECT * FROM (VALUES "));
    TRY(add_fact(t, &none));
    if (activity.list)
        TRY(activity.list(activity.context, is_past, add_fact, t));
    return add(t, ") t(number,rows,client,grouped,application,address,protocol,state,wait_type,"
                  "wait,query,sqlstate,message,connected,begun,run,changed,ended,transaction) "
                  "WHERE t.number > 0) t");
}

static status add_setting(void *argument, const char *name, const char *value, const char *initial)
{
    text *t = argument;
    TRY(begin_row(t));
    TRY(add_literal(t, name));
    TRY(add_text_or_null(t, value));
    TRY(add_text_or_null(t, initial));
    return add(t, ")");
}

/* Adds a row for each setting of PostgreSQL's that the session has; the first row says the types. */
static status system_relation_add_settings(text *t)
{
    const sql_activity session = sql_catalog_activity(t->b->catalog);
    TRY(add(t, "(SELECT * FROM (VALUES "));
    TRY(add_setting(t, "", "", ""));
    if (session.list_settings)
        TRY(session.list_settings(session.context, add_setting, t));
    return add(t, ") t(name,setting,initial) WHERE t.name <> '') t");
}

static status system_relation_add_source(text *t, system_source source)
{
    switch (source) {
    case SCHEMAS:
        return system_relation_add_schemas(t);
    case TYPES:
        return add_types(t);
    case TABLES:
    case PLAIN_TABLES:
    case VIEWS:
        return add_tables(t, source);
    case COLUMNS:
        return add_columns(t);
    case ROUTINES:
    case AGGREGATES:
    case OPERATORS:
        return add_routines(t, source);
    case SETTINGS:
        return system_relation_add_settings(t);
    case CLIENTS:
    case PAST:
        return add_activity(t, source == PAST);
    default:
        return add(t, source == ONE ? "(VALUES (1)) t(one)" : "(VALUES (1)) t(one) WHERE false");
    }
}

/* ---- relations ---- */

static const char *system_relation_type_of_letter(char letter)
{
    switch (letter) {
    case 'o':
        return "oid";
    case 'l':
        return "bigint";
    case 'c':
        return "\"char\"";
    case 'p':
        return "regproc";
    case 'i':
        return "integer";
    case 'b':
        return "boolean";
    case 'd':
        return "double";
    case 'z':
        return "timestamptz";
    case 'O':
        return "oid[]";
    case 'I':
        return "integer[]";
    case 'T':
        return "varchar[]";
    default:
        return "varchar";
    }
}

/* Adds "CAST(value AS type) AS name" of "letter name=value". */
static status add_selected(text *t, const char *column, size_t bytes, bool is_first)
{
    const char *name = column + 2, *equals = memchr(column, '=', bytes), *end = column + bytes;
    TRY(add(t, is_first ? "CAST(" : ",CAST("));
    TRY(equals ? add_bytes(t, equals + 1, (size_t)(end - equals - 1)) : add(t, "NULL"));
    TRY(add(t, " AS "));
    TRY(add(t, system_relation_type_of_letter(*column)));
    TRY(add(t, ") AS \""));
    TRY(add_bytes(t, name, (size_t)((equals ? equals : end) - name)));
    return add(t, "\"");
}

static status system_relation_make_text(text *t, size_t relation)
{
    const char *columns = relations[relation].columns;
    TRY(add(t, "SELECT "));
    for (const char *at = columns; *at;) {
        size_t bytes = strcspn(at, ";");
        TRY(add_selected(t, at, bytes, at == columns));
        at += bytes + (at[bytes] == ';');
    }
    if (!strncmp(columns, "o oid", 5)) /* a table of PostgreSQL's, not a view */
        TRY(add(t, arena_format(t->b->memory, ",CAST(%lld AS oid) AS tableoid",
                                (long long)system_relation_oid_of(relations[relation].name))));
    TRY(add(t, " FROM "));
    return system_relation_add_source(t, relations[relation].source);
}

status system_relation_text(binder *b, const char *schema, const char *name,
                            system_bind_view bind_view, const char **out)
{
    text t = {.b = b, .bind_view = bind_view};
    *out = NULL;
    for (size_t i = 0; i < RELATION_COUNT; i++)
        if (!strcmp(relations[i].name, name) &&
            !strcmp(relations[i].schema, schema ? schema : "pg_catalog")) {
            TRY(system_relation_make_text(&t, i));
            b->statement->is_of_one_rank = true;
            *out = t.bytes.items;
            return STATUS_OK;
        }
    return STATUS_OK;
}
