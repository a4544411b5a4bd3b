/* arrow_table.c - a client's rows as a table.
 *
 * A stream can be read once, a table is read by every statement that names it, and perhaps in several
 * places: the rows are kept as a Parquet file without a name in temp_directory, uncompressed. It costs no
 * memory beyond the row group that is being written, is read as every table is, on every device, with
 * statistics of its own, and goes with the catalog or the process. */
#include "api/arrow/arrow_write.h"
#include "api/handles/error.h"
#include "api/session/database.h"

#include <unistd.h>

static status arrow_table_check(const pistachio_connection *connection, const char *name)
{
    if (!*name)
        return status_new(STATUS_KIND_INVALID, "the name of a table is empty");
    return sql_catalog_check_rows(api_catalog(connection), name, true);
}

static status arrow_table_add(pistachio_connection *connection, const char *name,
                              struct ArrowArrayStream *stream)
{
    settings s;
    api_arrow_target target = {.path = "(temporary)", .is_temporary = true};
    int descriptor;
    uint64_t rows;
    api_settings(connection, &s);
    TRY(new_file_open_temporary(s.temp_directory.text, &target.file, &descriptor));
    /* Releases the stream. */
    status st = api_arrow_write(connection, stream, &target, &rows);
    if (!st)
        return sql_catalog_add_rows(api_catalog(connection), name, true, descriptor);
    close(descriptor);
    return st;
}

pistachio_error *pistachio_add_arrow(pistachio_connection *connection, const char *name,
                                     struct ArrowArrayStream *stream)
{
    if (!stream)
        return api_null_argument("stream");
    status st = connection && name
                    ? STATUS_OK
                    : api_error_status(api_null_argument(name ? "connection" : "name"));
    if (!stream->release)
        st = st ? st : status_new(STATUS_KIND_INVALID, "the Arrow stream was released");
    if (!st)
        st = arrow_table_check(connection, name);
    if (!st)
        st = status_context(arrow_table_add(connection, name, stream), "table \"%s\"", name);
    if (stream->release)
        stream->release(stream);
    return api_error(st);
}
