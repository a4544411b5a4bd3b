/* statement_bytes.c - of a table, or another request: a header and a text. Of a statement: a header, then texts with their closing NUL: names and values of settings, an
 * empty one, names and queries of views, an empty one, names and paths of tables, an empty one, names and
 * paths of the parts of tables of rows, an empty one; then
 * values of parameters, each a header and the bytes of a text; then the statement's text. */
#include "api/ranks/statement_bytes.h"

#include "api/ranks/cluster_tables.h"
#include "api/session/database.h"
#include "api/session/statement.h"
#include "exec/sched/weight.h"
#include "storage/object_store.h"

typedef struct statement_header {
    int64_t time;
    uint64_t memory_bytes;
    uint32_t value_count;
    uint32_t request;   /* statement_request */
    uint32_t use_cache; /* of a table's footers */
    uint32_t weight;    /* of its query among others */
    uint32_t is_measured;
    sql_rounds rounds;
} statement_header;

typedef struct value_header {
    data_type type;
    bool is_null;
    uint64_t bytes; /* of a text, behind the header */
    char fixed[16]; /* of another value */
} value_header;

typedef ARRAY(char) byte_list;

/* ---- writing ---- */

static status statement_bytes_put(byte_list *to, const void *bytes, size_t count)
{
    TRY(array_reserve(NULL, to, count));
    memcpy(to->items + to->count, bytes, count);
    to->count += count;
    return STATUS_OK;
}

static status statement_bytes_put_text(byte_list *to, const char *text)
{
    return statement_bytes_put(to, text, strlen(text) + 1);
}

/* Returns whether a setting is a machine's own, which its own rank knows best. */
static bool is_of_machine(const char *name)
{
    static const char *const names[] = {"threads",     "memory_limit", "device",
                                        "isa",         "io_engine",    "device_memory_limit",
                                        "direct_io",   "read_ahead",   "temp_directory",
                                        "trace",       "timeline",     "ranks",
                                        "peer_timeout"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (!strcmp(name, names[i]))
            return true;
    return false;
}

static status put_settings(byte_list *to, const settings *s, const settings *unchanged)
{
    setting_info info;
    for (unsigned i = 0; setting_describe(i, &info); i++) {
        const char *text = settings_get(s, info.name);
        if (unchanged && is_of_machine(info.name) &&
            !strcmp(text, settings_get(unchanged, info.name)))
            continue;
        TRY(statement_bytes_put_text(to, info.name));
        TRY(statement_bytes_put_text(to, settings_reveal(s, info.name)));
    }
    return statement_bytes_put_text(to, "");
}

/* The query of a view, or the path of a table; NULL: it is the other, or one of rows. */
static const char *statement_bytes_text_of(const sql_catalog_entry *entry, bool is_view)
{
    if (is_view)
        return entry->view_sql;
    if (entry->parts.count)
        return NULL;
    return entry->table ? entry->table->name : entry->path;
}

static status put_names(byte_list *to, const sql_catalog_entry *entries, size_t count, bool is_view)
{
    for (size_t i = 0; i < count; i++) {
        const char *text = statement_bytes_text_of(&entries[i], is_view);
        if (!text)
            continue;
        TRY(statement_bytes_put_text(to, entries[i].name));
        TRY(statement_bytes_put_text(to, text));
    }
    return statement_bytes_put_text(to, "");
}

/* Has all ranks know the part, which ranks that have come back since it was made do not. */
static status know_part(pistachio_database *database, const char *text)
{
    pq_table *table;
    if (!database->cluster)
        return STATUS_OK;
    const sql_opener opener = api_cluster_opener(database);
    return opener.open(opener.context, text, true, NULL, &table);
}

static status put_parts(byte_list *to, const sql_catalog_entry *entries, size_t count,
                        pistachio_database *database)
{
    for (size_t i = 0; i < count; i++)
        for (size_t p = 0; p < entries[i].parts.count; p++) {
            const char *text = entries[i].parts.items[p]->table->name;
            TRY(know_part(database, text));
            TRY(statement_bytes_put_text(to, entries[i].name));
            TRY(statement_bytes_put_text(to, text));
        }
    return statement_bytes_put_text(to, "");
}

static status put_catalog(byte_list *to, const pistachio_result *result, sql_held *held)
{
    sql_catalog *catalog = api_result_catalog(result);
    sql_catalog_entry *entries;
    size_t count;
    TRY(sql_catalog_list_known(catalog, held, &entries, &count));
    TRY(put_names(to, entries, count, true));
    TRY(put_names(to, entries, count, false));
    return put_parts(to, entries, count, result->connection->database);
}

static status statement_bytes_put_value(byte_list *to, const value *v)
{
    if (type_is_nested(v->type)) /* whose number is this process's */
        return status_hint(
            status_new(STATUS_KIND_UNSUPPORTED,
                       "a list as the value of a parameter is not supported over ranks"),
            "give the parameter the list's text, and cast it: $1::varchar::integer[]");
    value_header header = {.type = v->type, .is_null = v->is_null};
    bool is_text = type_is_text(v->type) && !v->is_null;
    if (is_text)
        header.bytes = v->bytes;
    else
        memcpy(header.fixed, &v->i128, sizeof header.fixed);
    TRY(statement_bytes_put(to, &header, sizeof header));
    return is_text ? statement_bytes_put(to, v->text, v->bytes) : STATUS_OK;
}

static status statement_bytes_put_values(byte_list *to, const pistachio_statement *prepared)
{
    value *values;
    status st = STATUS_OK;
    if (!prepared)
        return STATUS_OK;
    TRY(api_bound_values(prepared, &values));
    for (uint32_t i = 0; i < pistachio_parameter_count(prepared) && !st; i++)
        st = statement_bytes_put_value(to, &values[i]);
    mem_free(values);
    return st;
}

static status put_all(byte_list *to, const pistachio_result *result, uint64_t memory_bytes,
                      const settings *unchanged)
{
    const plan_statement *plan = &result->statement->query;
    sql_held held = {.memory = plan->memory};
    const statement_header header = {.time = result->statement_time,
                                     .memory_bytes = memory_bytes,
                                     .rounds = result->rounds,
                                     .weight = result->connection->weight,
                                     .is_measured = result->statement->kind == SQL_EXPLAIN_ANALYZE,
                                     .value_count = pistachio_parameter_count(result->prepared)};
    TRY(statement_bytes_put(to, &header, sizeof header));
    TRY(put_settings(to, &result->settings, unchanged));
    status st = put_catalog(to, result, &held);
    sql_held_release(&held);
    TRY(st);
    TRY(statement_bytes_put_values(to, result->prepared));
    return statement_bytes_put_text(to, plan->sql);
}

status statement_write(const pistachio_result *result, uint64_t memory_bytes,
                       const settings *unchanged, char **out, uint64_t *out_bytes)
{
    byte_list bytes = {0};
    status st = put_all(&bytes, result, memory_bytes, unchanged);
    if (st) {
        array_release(&bytes);
        return st;
    }
    *out = bytes.items;
    *out_bytes = bytes.count;
    return STATUS_OK;
}

static status put_setting(void *to, const char *name, const char *text)
{
    TRY(statement_bytes_put_text(to, name));
    return statement_bytes_put_text(to, text);
}

/* With the settings of object stores by which the calling thread works. */
static status put_request(byte_list *to, statement_request request, const char *text,
                          bool use_cache)
{
    const statement_header header = {.request = request, .use_cache = use_cache};
    TRY(statement_bytes_put(to, &header, sizeof header));
    TRY(object_store_tell(put_setting, to));
    TRY(statement_bytes_put_text(to, ""));
    return statement_bytes_put_text(to, text);
}

status statement_write_request(statement_request request, const char *text, bool use_cache,
                               char **out, uint64_t *out_bytes)
{
    byte_list bytes = {0};
    status st = put_request(&bytes, request, text, use_cache);
    if (st) {
        array_release(&bytes);
        return st;
    }
    *out = bytes.items;
    *out_bytes = bytes.count;
    return STATUS_OK;
}

/* ---- reading ---- */

static status statement_bytes_damaged(void)
{
    return status_new(STATUS_KIND_CORRUPT, "the statement from rank 0 is cut off");
}

typedef struct text_cursor {
    const char *at, *end;
} text_cursor;

static status statement_bytes_next_text(text_cursor *from, const char **out)
{
    const char *text = from->at, *stop = memchr(text, 0, (size_t)(from->end - text));
    if (!stop)
        return statement_bytes_damaged();
    from->at = stop + 1;
    *out = text;
    return STATUS_OK;
}

static status read_settings(text_cursor *from, settings *s)
{
    const char *name, *text;
    for (;;) {
        TRY(statement_bytes_next_text(from, &name));
        if (!*name)
            return STATUS_OK;
        TRY(statement_bytes_next_text(from, &text));
        TRY(settings_set(s, name, text));
    }
}

static status statement_bytes_read_names(text_cursor *from, statement_names *names)
{
    statement_name one;
    for (;;) {
        TRY(statement_bytes_next_text(from, &one.name));
        if (!*one.name)
            return STATUS_OK;
        TRY(statement_bytes_next_text(from, &one.text));
        TRY(array_push(NULL, names, one));
    }
}

static status next_value(text_cursor *from, value *out)
{
    value_header header;
    if ((size_t)(from->end - from->at) < sizeof header)
        return statement_bytes_damaged();
    memcpy(&header, from->at, sizeof header);
    from->at += sizeof header;
    if (header.type.id >= TYPE_ID_COUNT || header.bytes > (size_t)(from->end - from->at))
        return statement_bytes_damaged();
    *out = (value){.type = header.type, .is_null = header.is_null};
    if (type_is_text(header.type) && !header.is_null) {
        out->text = from->at;
        out->bytes = header.bytes;
        from->at += header.bytes;
    } else {
        memcpy(&out->i128, header.fixed, sizeof header.fixed);
    }
    return STATUS_OK;
}

static status statement_bytes_read_values(text_cursor *from, uint32_t count, statement_read *out)
{
    for (uint32_t i = 0; i < count; i++) {
        value v;
        TRY(next_value(from, &v));
        TRY(array_push(NULL, &out->values, v));
    }
    return STATUS_OK;
}

void statement_read_release(statement_read *read)
{
    array_release(&read->views);
    array_release(&read->tables);
    array_release(&read->parts);
    array_release(&read->values);
}

status statement_read_bytes(const char *data, uint64_t bytes, settings *s, statement_read *out)
{
    statement_header header;
    *out = (statement_read){0};
    if (bytes < sizeof header)
        return statement_bytes_damaged();
    memcpy(&header, data, sizeof header);
    text_cursor from = {data + sizeof header, data + bytes};
    if (header.request > REQUEST_TOPOLOGY)
        return statement_bytes_damaged();
    out->request = header.request;
    if (header.request) {
        out->use_cache = header.use_cache;
        TRY(read_settings(&from, s));
        return statement_bytes_next_text(&from, &out->table);
    }
    out->time = header.time;
    out->memory_bytes = header.memory_bytes;
    out->rounds = header.rounds;
    out->is_measured = header.is_measured;
    out->weight = header.weight > EXEC_WEIGHT_HIGH ? EXEC_WEIGHT_HIGH : header.weight;
    TRY(read_settings(&from, s));
    TRY(statement_bytes_read_names(&from, &out->views));
    TRY(statement_bytes_read_names(&from, &out->tables));
    TRY(statement_bytes_read_names(&from, &out->parts));
    TRY(statement_bytes_read_values(&from, header.value_count, out));
    return statement_bytes_next_text(&from, &out->sql);
}
