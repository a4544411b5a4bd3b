/* adbc_ingest.c - bulk ingest: rows of a client become a Parquet file in the database's folder.
 *
 *   create          NAME.parquet, which must not be there
 *   replace         NAME.parquet, whatever it was
 *   create_append   another file in NAME/, which is made if there is no table
 *   append          another file in NAME/, which must be there
 *
 * The file is whole or not at all. A temporary table is the session's, as of pistachio_add_arrow. */
#include "api/adbc/adbc_ingest.h"

#include "api/adbc/adbc_error.h"
#include "api/arrow/arrow_column.h"
#include "api/arrow/arrow_write.h"
#include "api/session/database.h"

#include <errno.h>
#include <stdio.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

/* ---- options ---- */

static AdbcStatusCode set_mode(adbc_ingest *ingest, const char *value, struct AdbcError *error)
{
    static const char *const modes[] = {
        ADBC_INGEST_OPTION_MODE_CREATE, ADBC_INGEST_OPTION_MODE_APPEND,
        ADBC_INGEST_OPTION_MODE_REPLACE, ADBC_INGEST_OPTION_MODE_CREATE_APPEND};
    for (size_t i = 0; i < sizeof modes / sizeof *modes; i++)
        if (!strcmp(value, modes[i])) {
            ingest->mode = modes[i];
            return ADBC_STATUS_OK;
        }
    return adbc_refuse(error, ADBC_STATUS_INVALID_ARGUMENT, "there is no mode of ingest \"%s\"",
                       value);
}

static AdbcStatusCode set_table(adbc_ingest *ingest, const char *value, struct AdbcError *error)
{
    char *table = mem_copy_text(value, strlen(value));
    if (!table)
        return adbc_fail(error, status_no_memory("option", strlen(value)));
    mem_free(ingest->table);
    ingest->table = table;
    return ADBC_STATUS_OK;
}

bool adbc_ingest_set(adbc_ingest *ingest, const char *key, const char *value,
                     struct AdbcError *error, AdbcStatusCode *out_code)
{
    *out_code = ADBC_STATUS_OK;
    if (!strcmp(key, ADBC_INGEST_OPTION_TARGET_TABLE))
        *out_code = set_table(ingest, value, error);
    else if (!strcmp(key, ADBC_INGEST_OPTION_MODE))
        *out_code = set_mode(ingest, value, error);
    else if (!strcmp(key, ADBC_INGEST_OPTION_TEMPORARY))
        ingest->is_temporary = !strcmp(value, ADBC_OPTION_VALUE_ENABLED);
    else if (strcmp(key, ADBC_INGEST_OPTION_TARGET_CATALOG) &&
             strcmp(key, ADBC_INGEST_OPTION_TARGET_DB_SCHEMA))
        return false;
    else if (*value)
        *out_code = adbc_refuse(error, ADBC_STATUS_NOT_IMPLEMENTED,
                                "there are no catalogs and schemas, so no \"%s\"", value);
    return true;
}

void adbc_ingest_release(adbc_ingest *ingest)
{
    mem_free(ingest->table);
    mem_free(ingest->folder);
}

/* ---- where rows go ---- */

typedef struct ingesting {
    pistachio_connection *connection;
    const adbc_ingest *ingest;
    struct ArrowArrayStream *stream;
    bool creates, appends, replaces; /* what the mode allows */
    const pq_table *table;           /* that has the name; NULL: none */
    sql_held held;
    char path[4096];   /* of the file */
    char folder[4096]; /* NAME/ */
} ingesting;

/* It becomes the name of a file, and a pattern of names. */
static bool adbc_ingest_is_plain(const char *name)
{
    return *name && *name != '.' && strlen(name) < 200 && !strpbrk(name, "/*?[]\\");
}

static AdbcStatusCode exists(const ingesting *g, struct AdbcError *error, const char *why)
{
    return adbc_refuse(error, ADBC_STATUS_ALREADY_EXISTS, "table \"%s\" %s", g->ingest->table, why);
}

static AdbcStatusCode adbc_ingest_find_table(ingesting *g, struct AdbcError *error)
{
    const char *name = g->ingest->table;
    const sql_catalog_entry *entry;
    status st = sql_catalog_find(api_catalog(g->connection), name, &g->held, &entry);
    if (st)
        return adbc_fail(error, st);
    if (entry && strcmp(entry->name, name))
        entry = NULL;
    if (entry && entry->view_sql)
        return exists(g, error, "is a view");
    g->table = entry ? entry->table : NULL;
    if (g->table && !g->replaces && !g->appends)
        return exists(g, error, "exists");
    if (!g->table && !g->creates)
        return adbc_refuse(error, ADBC_STATUS_NOT_FOUND, "there is no table \"%s\" to append to",
                           name);
    return ADBC_STATUS_OK;
}

/* The types and names of a table's columns are those of the stream. */
static status adbc_ingest_check_columns(const ingesting *g, arena *a,
                                        const struct ArrowSchema *schema, bool *out_same)
{
    *out_same = schema->n_children == (int64_t)g->table->columns.count && schema->children;
    for (int64_t i = 0; *out_same && i < schema->n_children; i++) {
        const pq_table_column *column = &g->table->columns.items[i];
        const struct ArrowSchema *child = schema->children[i];
        data_type type;
        if (!child || !child->release)
            return status_new(STATUS_KIND_INVALID, "Arrow schema has a column that was released");
        TRY(api_arrow_table_type(a, child, &type));
        *out_same =
            !strcmp(child->name ? child->name : "", column->name) && type_equal(type, column->type);
    }
    return STATUS_OK;
}

static AdbcStatusCode check_appended(const ingesting *g, struct AdbcError *error)
{
    struct ArrowSchema schema = {0};
    bool is_same = false;
    if (g->stream->get_schema(g->stream, &schema) || !schema.release)
        return adbc_refuse(error, ADBC_STATUS_INVALID_ARGUMENT, "the bound stream gives no schema");
    arena *memory;
    status st = arena_new(&memory);
    if (!st) {
        st = adbc_ingest_check_columns(g, memory, &schema, &is_same);
        arena_free(memory);
    }
    schema.release(&schema);
    if (st)
        return adbc_fail(error, st);
    return is_same ? ADBC_STATUS_OK : exists(g, error, "has other columns");
}

/* Files of a folder are read in the order of their names: a later one has the greater name. */
static void name_part(ingesting *g)
{
    static _Atomic unsigned number;
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    snprintf(g->path, sizeof g->path, "%.3800s/part-%010lld%09ld-%ld-%u.parquet", g->folder,
             (long long)now.tv_sec, now.tv_nsec, (long)getpid(), atomic_fetch_add(&number, 1));
}

static AdbcStatusCode adbc_ingest_name_file(ingesting *g, struct AdbcError *error)
{
    const char *name = g->ingest->table;
    if (!g->ingest->folder)
        return adbc_refuse(error, ADBC_STATUS_INVALID_STATE,
                           "the database has no folder for the table \"%s\"; give one as path",
                           name);
    if (!adbc_ingest_is_plain(name) || strlen(g->ingest->folder) > 3500)
        return adbc_refuse(error, ADBC_STATUS_INVALID_ARGUMENT, "\"%s\" cannot be a file's name",
                           name);
    snprintf(g->folder, sizeof g->folder, "%s/%s", g->ingest->folder, name);
    snprintf(g->path, sizeof g->path, "%s/%s.parquet", g->ingest->folder, name);
    bool is_folder = g->appends && (!g->table || !strcmp(g->table->name, g->folder));
    if (g->table && !is_folder && strcmp(g->table->name, g->path))
        return exists(g, error,
                      g->replaces ? "is not of a file of the database's folder"
                                  : "is not of a folder");
    if (g->appends && !is_folder)
        return adbc_refuse(error, ADBC_STATUS_NOT_IMPLEMENTED,
                           "table \"%s\" is one file, to which rows cannot be added; mode "
                           "create_append makes a folder of files",
                           name);
    if (!g->table && (!access(g->folder, F_OK) || (!access(g->path, F_OK) && !g->replaces)))
        return exists(g, error, "has a file or folder already");
    if (is_folder && g->table && g->table->hive.keys.count)
        return exists(g, error, "has folders for its keys");
    if (is_folder)
        name_part(g);
    return ADBC_STATUS_OK;
}

/* ---- running ---- */

static status adbc_ingest_write_file(const ingesting *g, int64_t *out_rows)
{
    const api_arrow_target target = {.path = g->path};
    uint64_t rows;
    bool makes_folder = g->appends && !g->table;
    if (makes_folder && mkdir(g->folder, 0777) && errno != EEXIST)
        return status_new_errno(errno, "could not make folder \"%s\"", g->folder);
    status st = api_arrow_write(g->connection, g->stream, &target, &rows);
    if (st && makes_folder)
        rmdir(g->folder); /* if it is empty */
    if (!st && out_rows)
        *out_rows = (int64_t)rows;
    if (st || g->table)
        return st;
    return sql_catalog_add_table(g->connection->database->catalog, g->ingest->table,
                                 makes_folder ? g->folder : g->path);
}

static AdbcStatusCode run_temporary(ingesting *g, int64_t *out_rows, struct AdbcError *error)
{
    AdbcStatusCode code = ADBC_STATUS_OK;
    const sql_catalog_entry *entry = NULL;
    status st = sql_catalog_find(api_catalog(g->connection), g->ingest->table, &g->held, &entry);
    if (st)
        return adbc_fail(error, st);
    if (!g->creates || (g->appends && entry))
        code = adbc_refuse(error, ADBC_STATUS_NOT_IMPLEMENTED,
                           "rows cannot be added to the temporary table \"%s\"", g->ingest->table);
    else if (entry && !g->replaces)
        code = exists(g, error, "exists");
    if (code)
        return code;
    if (out_rows)
        *out_rows = -1;
    return adbc_fail_public(error, pistachio_add_arrow(g->connection, g->ingest->table, g->stream));
}

static AdbcStatusCode adbc_adbc_ingest_run(ingesting *g, int64_t *out_rows, struct AdbcError *error)
{
    if (g->ingest->is_temporary)
        return run_temporary(g, out_rows, error);
    AdbcStatusCode code = adbc_ingest_find_table(g, error);
    if (!code)
        code = adbc_ingest_name_file(g, error);
    if (!code && g->appends && g->table)
        code = check_appended(g, error);
    return code ? code : adbc_fail(error, adbc_ingest_write_file(g, out_rows));
}

AdbcStatusCode adbc_ingest_run(pistachio_connection *connection, const adbc_ingest *ingest,
                               struct ArrowArrayStream *bound, int64_t *out_rows,
                               struct AdbcError *error)
{
    struct ArrowArrayStream stream = *bound;
    const char *mode = ingest->mode ? ingest->mode : ADBC_INGEST_OPTION_MODE_CREATE;
    if (!bound->release)
        return adbc_refuse(error, ADBC_STATUS_INVALID_STATE, "no rows are bound for table \"%s\"",
                           ingest->table);
    bound->release = NULL;
    ingesting g = {.connection = connection, .ingest = ingest, .stream = &stream};
    g.replaces = !strcmp(mode, ADBC_INGEST_OPTION_MODE_REPLACE);
    g.appends = !strcmp(mode, ADBC_INGEST_OPTION_MODE_APPEND) ||
                !strcmp(mode, ADBC_INGEST_OPTION_MODE_CREATE_APPEND);
    g.creates = strcmp(mode, ADBC_INGEST_OPTION_MODE_APPEND) != 0;
    status st = arena_new(&g.held.memory);
    AdbcStatusCode code = st ? adbc_fail(error, st) : adbc_adbc_ingest_run(&g, out_rows, error);
    sql_held_release(&g.held);
    arena_free(g.held.memory);
    if (stream.release)
        stream.release(&stream);
    return code;
}
