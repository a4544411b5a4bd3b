/* pistachio.h - SQL over Parquet files: the public interface of libpistachio.
 *
 *     pistachio_database *database;
 *     pistachio_connection *connection;
 *     pistachio_result *result;
 *     pistachio_error *error = pistachio_open(NULL, 0, &database);
 *     if (!error) error = pistachio_connect(database, &connection);
 *     if (!error) error = pistachio_query(connection, "SELECT count(*) FROM 'x.parquet'", NULL,
 *                                         &result);
 *     const pistachio_batch *batch;
 *     while (!error && !(error = pistachio_next(result, &batch)) && batch)
 *         for (uint64_t row = 0; row < pistachio_batch_rows(batch); row++) ...
 *
 * Every function that can fail returns NULL for success or an error that the caller frees. Out
 * pointers are set to NULL on failure.
 *
 * Arguments: a pointer that is NULL where nothing says that it may be fails with
 * PISTACHIO_ERROR_INVALID; functions that cannot fail answer as each says. Numbers of columns and
 * rows that are out of range are answered too, never followed.
 *
 * Threads: a database may be used by many at once. A connection and its results by one at a time,
 * and so may a batch; but pistachio_cancel and pistachio_progress are for any thread, and the
 * functions that close or free something may be called by any thread, while others use or free
 * other things. Nobody may use a handle while, or after, it is closed or freed.
 *
 * Lifetimes: what hangs together is held by counted references, so the order in which databases,
 * connections, results and batches are closed or freed is free. A connection of a closed database,
 * and a result of a closed connection, work on as if nothing had happened: a query that runs goes
 * on to its end, and pistachio_result_free is what stops it. Files are closed and memory is
 * returned when the last thing that needs them goes. */
#ifndef PISTACHIO_PISTACHIO_H
#define PISTACHIO_PISTACHIO_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define PISTACHIO_API __attribute__((visibility("default")))

typedef struct pistachio_database pistachio_database;
typedef struct pistachio_connection pistachio_connection;
typedef struct pistachio_result pistachio_result;
typedef struct pistachio_batch pistachio_batch;
typedef struct pistachio_error pistachio_error;

/* ---- errors ---- */

typedef enum pistachio_error_kind {
    PISTACHIO_ERROR_INVALID = 1, /* the SQL, an argument or a setting's value is wrong */
    PISTACHIO_ERROR_UNSUPPORTED, /* valid, but Pistachio has it not */
    PISTACHIO_ERROR_NOT_FOUND,   /* no such table, column, function, setting, file or folder */
    PISTACHIO_ERROR_CORRUPT,     /* a file's bytes break its format */
    PISTACHIO_ERROR_IO,          /* the system failed to read or write */
    PISTACHIO_ERROR_DATA,        /* a value: overflow, division by zero, impossible cast */
    PISTACHIO_ERROR_NO_MEMORY,   /* the system gave none */
    PISTACHIO_ERROR_LIMIT,       /* memory_limit */
    PISTACHIO_ERROR_CANCELLED,   /* by pistachio_cancel */
    PISTACHIO_ERROR_INTERNAL     /* a bug in Pistachio */
} pistachio_error_kind;

/* Of NULL, which is success, the kind is 0, the message "", the hint NULL and the position -1. */
PISTACHIO_API pistachio_error_kind pistachio_error_get_kind(const pistachio_error *error);
/* One line; valid until the error is freed, as is the hint. */
PISTACHIO_API const char *pistachio_error_message(const pistachio_error *error);
/* How to mend it, or NULL. */
PISTACHIO_API const char *pistachio_error_hint(const pistachio_error *error);
/* Byte offset in the SQL text that was given, or -1. */
PISTACHIO_API int64_t pistachio_error_position(const pistachio_error *error);
PISTACHIO_API void pistachio_error_free(pistachio_error *error); /* takes NULL */

/* ---- databases and connections ---- */

/* A setting: see docs/CONFIG.md. */
typedef struct pistachio_option {
    const char *name, *value;
} pistachio_option;

PISTACHIO_API const char *pistachio_version(void);
/* Settings not given come from the environment (PISTACHIO_THREADS, ...), then from defaults. NULL
 * will do for no options. A setting that does not exist is PISTACHIO_ERROR_NOT_FOUND. */
PISTACHIO_API pistachio_error *pistachio_open(const pistachio_option *options, size_t option_count,
                                              pistachio_database **out);
/* Gives the handle up; connections go on. Takes NULL. */
PISTACHIO_API void pistachio_close(pistachio_database *database);
PISTACHIO_API pistachio_error *pistachio_connect(pistachio_database *database,
                                                 pistachio_connection **out);
/* Gives the handle up; results go on. Takes NULL. */
PISTACHIO_API void pistachio_disconnect(pistachio_connection *connection);

/* A table of Parquet files: path is a file, a glob, or a folder of them. name NULL: the file's or
 * folder's own name. Tables and views belong to the database. A name that a table or view has is
 * PISTACHIO_ERROR_INVALID, nothing is replaced (SQL looks names up exactly first, then whatever
 * their case, so two may differ in that alone). A path where nothing is, or a folder without
 * Parquet files, is PISTACHIO_ERROR_NOT_FOUND. */
PISTACHIO_API pistachio_error *pistachio_add_table(pistachio_connection *connection,
                                                   const char *name, const char *path);
/* A file: as pistachio_add_table. A folder: a table of each Parquet file in it and of each
 * sub-folder that holds Parquet files, opened when a statement first names it; all of them, or none
 * on failure. */
PISTACHIO_API pistachio_error *pistachio_add_path(pistachio_connection *connection,
                                                  const char *path);

/* ---- queries ---- */

/* Runs the first statement of `sql`. *out_rest (may be NULL) is set to the text behind it: run
 * statement after statement until it is empty. *out is NULL where the text has no statement.
 *
 * A SET is in force for the statements that begin after it. Results that are open go on with the
 * threads, memory_limit and device that they began with, and what is kept of them counts in the
 * memory_limit of then. */
PISTACHIO_API pistachio_error *pistachio_query(pistachio_connection *connection, const char *sql,
                                               const char **out_rest, pistachio_result **out);
/* Makes the running query of the connection (the one that started last) fail with
 * PISTACHIO_ERROR_CANCELLED, soon. Any thread; also from a signal handler. Takes NULL. */
PISTACHIO_API void pistachio_cancel(pistachio_connection *connection);
/* Bytes that the running query's scans have read, and will have read at the end if nothing more is
 * skipped; 0 of 0 when nothing runs. Any thread. Takes NULL for each argument. */
PISTACHIO_API void pistachio_progress(pistachio_connection *connection, uint64_t *out_done,
                                      uint64_t *out_total);

/* Columns of the result: 0 for statements that return no rows, and for NULL. */
PISTACHIO_API uint32_t pistachio_column_count(const pistachio_result *result);
/* Valid until the result is freed. NULL where there is no such column, or no result. */
PISTACHIO_API const char *pistachio_column_name(const pistachio_result *result, uint32_t column);
/* The SQL type, as "decimal(15,2)"; else as the name. */
PISTACHIO_API const char *pistachio_column_type(const pistachio_result *result, uint32_t column);
/* What the column holds, as far as a client that prints it must know. */
typedef enum pistachio_column_class {
    PISTACHIO_CLASS_NUMBER,
    PISTACHIO_CLASS_BOOLEAN,
    PISTACHIO_CLASS_OTHER
} pistachio_column_class;
/* PISTACHIO_CLASS_OTHER where there is no such column, or no result. */
PISTACHIO_API pistachio_column_class pistachio_column_get_class(const pistachio_result *result,
                                                                uint32_t column);

/* The next batch of rows, valid until the next call for the result, or its end; NULL when there are
 * no more. */
PISTACHIO_API pistachio_error *pistachio_next(pistachio_result *result,
                                              const pistachio_batch **out);
/* The batch stays, beyond its result, connection and database, until it was given up as often as
 * it was referenced. Its memory counts in memory_limit meanwhile. Returns the batch. Takes NULL. */
PISTACHIO_API const pistachio_batch *pistachio_batch_ref(const pistachio_batch *batch);
PISTACHIO_API void pistachio_batch_unref(const pistachio_batch *batch); /* takes NULL */
/* 0 for NULL. */
PISTACHIO_API uint64_t pistachio_batch_rows(const pistachio_batch *batch);
/* True also where there is no such value. */
PISTACHIO_API bool pistachio_is_null(const pistachio_batch *batch, uint32_t column, uint64_t row);
/* The value as text, as SQL prints it: *out_bytes (may be NULL) bytes, without a closing NUL.
 * Where the text lies in the batch it is valid as long as that, else until the next call for the
 * same batch. NULL for NULL values, and where there is no such value. */
PISTACHIO_API const char *pistachio_text(const pistachio_batch *batch, uint32_t column,
                                         uint64_t row, size_t *out_bytes);
/* What a statement that returns no rows did, as psql says it: "COPY 25", "SET", "CREATE VIEW".
 * Valid as long as the result; NULL for statements that return rows, and for NULL. */
PISTACHIO_API const char *pistachio_tag(const pistachio_result *result);
/* Rows that a COPY wrote; 0 for other statements, and for NULL. */
PISTACHIO_API uint64_t pistachio_rows_written(const pistachio_result *result);
/* Most bytes that the database's queries have held at once so far, and what was kept of them; 0 for
 * NULL. */
PISTACHIO_API uint64_t pistachio_memory_peak(const pistachio_connection *connection);
/* Stops the query if it still runs. Takes NULL. */
PISTACHIO_API void pistachio_result_free(pistachio_result *result);

#ifdef __cplusplus
}
#endif

#endif
