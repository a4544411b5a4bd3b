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
 * Threads: a database may be used by many at once. A connection by one at a time; statements and
 * results of one connection may run at the same time, each used by one thread at a time, and so may
 * a batch; but the functions named cancel and progress are for any thread, and those that close or
 * free something may be called by any thread, while others use or free other things. Nobody may use
 * a handle while, or after, it is closed or freed.
 *
 * Lifetimes: what hangs together is held by counted references, so the order in which databases,
 * connections, statements, results, batches and Arrow streams and arrays are closed, freed or
 * released is free. A connection of a closed database,
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
typedef struct pistachio_statement pistachio_statement;
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

/* For NULL, which is success, the kind is 0, the message "", the hint NULL and the position -1. */
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
/* A connection with settings, tables and views of its own over the database's, which the others do
 * not see: for one of many clients. A setting that is the whole process's (threads, memory_limit,
 * device, io_engine, temp_directory and their like) is PISTACHIO_ERROR_INVALID there; RESET puts the
 * database's value in force again. SET of another connection is the database's. */
PISTACHIO_API pistachio_error *pistachio_connect_session(pistachio_database *database,
                                                         pistachio_connection **out);
/* Gives the handle up; results go on. Takes NULL. */
PISTACHIO_API void pistachio_disconnect(pistachio_connection *connection);

/* Keeps columns of a table decoded in the process's column cache, as CACHE TABLE does: all of them if
 * column_count is 0. Later statements of any connection read them from there, as long as the files stay as they are and
 * memory suffices. PISTACHIO_ERROR_INVALID if setting cache_memory is 0. */
PISTACHIO_API pistachio_error *pistachio_cache_table(pistachio_connection *connection,
                                                     const char *table, const char *const *columns,
                                                     size_t column_count);
/* Empties the column cache for all connections of the process, as CLEAR CACHE does. */
PISTACHIO_API pistachio_error *pistachio_cache_clear(pistachio_connection *connection);

/* A table of Parquet files: path is a file, a glob, or a folder of them. name NULL: the file's or
 * folder's own name. Tables and views belong to the database, those of a session to it. A name that a table or view has is
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
/* The class of a column's values, as far as a client that prints them must know. */
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
 * it was referenced. Its memory leaves memory_limit and counts in pistachio_memory_exported instead.
 * Returns the batch. Takes NULL. */
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
/* Returns what a statement that returns no rows did, as psql says it: "COPY 25", "SET", "CREATE VIEW". Valid as long
 * as the result; NULL for statements that return rows, and for NULL. */
PISTACHIO_API const char *pistachio_tag(const pistachio_result *result);
/* Returns a notice, which the user should know though the statement has not failed: columns that a * leaves out, and
 * the like. The index-th text, from 0, valid as long as the result; NULL after the last, and for NULL. */
PISTACHIO_API const char *pistachio_notice(const pistachio_result *result, uint32_t index);
/* Rows that a COPY wrote; 0 for other statements, and for NULL. */
PISTACHIO_API uint64_t pistachio_rows_written(const pistachio_result *result);
/* Most bytes that the database's queries have held at once so far, and what was kept of them; 0 for
 * NULL. */
PISTACHIO_API uint64_t pistachio_memory_peak(const pistachio_connection *connection);
/* Bytes that have been handed out (batches that were referenced, Arrow arrays) and not been given
 * back, of the queries that ran under the present settings of the database; they are not in
 * memory_limit, but those of a device with memory of its own are in device_memory_limit. 0 for NULL. */
PISTACHIO_API uint64_t pistachio_memory_exported(const pistachio_connection *connection);
/* Stops the query if it still runs. Takes NULL. */
PISTACHIO_API void pistachio_result_free(pistachio_result *result);

/* ---- prepared statements ---- */

/* Binds the first statement of `sql`, without running it; *out_rest and *out as in pistachio_query.
 * Parameters are $1, $2, ..., or ? (numbered as they come), or $name; one style in a statement.
 * Where this interface numbers parameters, the first is 0. */
PISTACHIO_API pistachio_error *pistachio_prepare(pistachio_connection *connection, const char *sql,
                                                 const char **out_rest, pistachio_statement **out);
/* Describes the rows that it will return, as the functions of a result do. Types that depend on a parameter whose
 * type is not known are varchar. */
PISTACHIO_API uint32_t pistachio_statement_column_count(const pistachio_statement *statement);
PISTACHIO_API const char *pistachio_statement_column_name(const pistachio_statement *statement,
                                                          uint32_t column);
PISTACHIO_API const char *pistachio_statement_column_type(const pistachio_statement *statement,
                                                          uint32_t column);
/* 0 for NULL. */
/* As pistachio_notice, before the statement is executed. */
PISTACHIO_API const char *pistachio_statement_notice(const pistachio_statement *statement,
                                                     uint32_t index);
PISTACHIO_API uint32_t pistachio_parameter_count(const pistachio_statement *statement);
/* Returns the name of $name; NULL for other parameters, and where there is no such parameter. */
PISTACHIO_API const char *pistachio_parameter_name(const pistachio_statement *statement,
                                                   uint32_t parameter);
/* The SQL type that its first place in the statement asks for, or that it is cast to; NULL: it is
 * known when a value is bound. */
PISTACHIO_API const char *pistachio_parameter_type(const pistachio_statement *statement,
                                                   uint32_t parameter);
/* Sets the value that later executions use, in place of the one before; bytes are copied. It takes part as a constant
 * that is written in the statement would: a text becomes what its place asks for. A number without a parameter, or a
 * text that is not UTF-8, is PISTACHIO_ERROR_INVALID. */
PISTACHIO_API pistachio_error *pistachio_bind_null(pistachio_statement *statement,
                                                   uint32_t parameter);
PISTACHIO_API pistachio_error *pistachio_bind_boolean(pistachio_statement *statement,
                                                      uint32_t parameter, bool boolean);
PISTACHIO_API pistachio_error *pistachio_bind_int64(pistachio_statement *statement,
                                                    uint32_t parameter, int64_t number);
PISTACHIO_API pistachio_error *pistachio_bind_double(pistachio_statement *statement,
                                                     uint32_t parameter, double number);
PISTACHIO_API pistachio_error *pistachio_bind_text(pistachio_statement *statement,
                                                   uint32_t parameter, const char *text,
                                                   size_t bytes);
/* As pistachio_query, with the values bound; again and again. Files that changed since are read as
 * they are now. A parameter without value is PISTACHIO_ERROR_INVALID. */
PISTACHIO_API pistachio_error *pistachio_execute(pistachio_statement *statement,
                                                 pistachio_result **out);
/* As pistachio_cancel, of the query that the statement started last, and of no other. */
PISTACHIO_API void pistachio_statement_cancel(pistachio_statement *statement);
/* Gives the handle up; results go on. Takes NULL. */
PISTACHIO_API void pistachio_statement_free(pistachio_statement *statement);

/* ---- Arrow: https://arrow.apache.org/docs/format/CDataInterface.html ---- */

#ifndef ARROW_C_DATA_INTERFACE
#define ARROW_C_DATA_INTERFACE

#define ARROW_FLAG_DICTIONARY_ORDERED 1
#define ARROW_FLAG_NULLABLE 2
#define ARROW_FLAG_MAP_KEYS_SORTED 4

struct ArrowSchema {
    const char *format;
    const char *name;
    const char *metadata;
    int64_t flags;
    int64_t n_children;
    struct ArrowSchema **children;
    struct ArrowSchema *dictionary;
    void (*release)(struct ArrowSchema *);
    void *private_data;
};

struct ArrowArray {
    int64_t length;
    int64_t null_count;
    int64_t offset;
    int64_t n_buffers;
    int64_t n_children;
    const void **buffers;
    struct ArrowArray **children;
    struct ArrowArray *dictionary;
    void (*release)(struct ArrowArray *);
    void *private_data;
};

#endif
#ifndef ARROW_C_STREAM_INTERFACE
#define ARROW_C_STREAM_INTERFACE

struct ArrowArrayStream {
    int (*get_schema)(struct ArrowArrayStream *, struct ArrowSchema *out);
    int (*get_next)(struct ArrowArrayStream *, struct ArrowArray *out);
    const char *(*get_last_error)(struct ArrowArrayStream *);
    void (*release)(struct ArrowArrayStream *);
    void *private_data;
};

#endif

/* https://arrow.apache.org/docs/format/CDeviceDataInterface.html */
#ifndef ARROW_C_DEVICE_DATA_INTERFACE
#define ARROW_C_DEVICE_DATA_INTERFACE

typedef int32_t ArrowDeviceType;

#define ARROW_DEVICE_CPU 1
#define ARROW_DEVICE_CUDA 2
#define ARROW_DEVICE_CUDA_HOST 3
#define ARROW_DEVICE_EXT_DEV 12

struct ArrowDeviceArray {
    struct ArrowArray array;
    int64_t device_id;
    ArrowDeviceType device_type;
    void *sync_event;
    int64_t reserved[3];
};

#endif
#ifndef ARROW_C_DEVICE_STREAM_INTERFACE
#define ARROW_C_DEVICE_STREAM_INTERFACE

struct ArrowDeviceArrayStream {
    ArrowDeviceType device_type;
    int (*get_schema)(struct ArrowDeviceArrayStream *, struct ArrowSchema *out);
    int (*get_next)(struct ArrowDeviceArrayStream *, struct ArrowDeviceArray *out);
    const char *(*get_last_error)(struct ArrowDeviceArrayStream *);
    void (*release)(struct ArrowDeviceArrayStream *);
    void *private_data;
};

#endif

/* The columns of a result, or of what a statement will return, as a struct; the caller releases it.
 * Numbers, dates, times and booleans are as in Arrow; text is utf8_view, a blob binary_view, a decimal
 * decimal128 (or as the setting arrow_decimal says), an interval month_day_nano. With the setting arrow_dictionary
 * text is a dictionary of large_utf8 by int32: each array has one of its own, of distinct texts. Where rows stay in a
 * device's memory (result_memory) text is large_utf8, a blob large_binary. */
PISTACHIO_API pistachio_error *pistachio_arrow_schema(const pistachio_result *result,
                                                      struct ArrowSchema *out);
PISTACHIO_API pistachio_error *pistachio_statement_schema(const pistachio_statement *statement,
                                                          struct ArrowSchema *out);
/* The rows that are left, as a stream, which takes the result over on success: its release stops the
 * query. Values and validity are Pistachio's own memory, as are the bytes of texts; views of texts,
 * decimals and intervals are made. Arrays hold what they lie in, however long, and count in
 * pistachio_memory_exported. The stream is for one thread at a time; its arrays for any. What fails
 * is told by get_last_error, with the hint. */
PISTACHIO_API pistachio_error *pistachio_arrow_stream(pistachio_result *result,
                                                      struct ArrowArrayStream *out);
/* Gives rows to clients that take arrays of any device, in its memory.
 *
 * With the setting result_memory = host, which is the default, rows come to the host's memory from whichever device: the
 * stream and its arrays are of ARROW_DEVICE_CPU, with the id -1.
 *
 * With result_memory = device a SELECT's rows stay where they were computed: on a CUDA device they are of ARROW_DEVICE_CUDA,
 * with the driver's number of the device as id, in its primary context; on the device `simulated`, which is for tests, of
 * ARROW_DEVICE_EXT_DEV, at addresses that only its kernels and copies may use. (The device `cpu` has the host's memory, and
 * statements that compute no rows, like SHOW, make them there: ARROW_DEVICE_CPU.) Buffers are the device's, structs and their
 * pointers the host's; null_count is known. An array is given out when the device has written it: sync_event is NULL,
 * there is nothing to wait for. Whoever releases it says that nothing on the device uses it any more: the work of its own
 * streams with it is over. get_next and the releases leave the thread the context of CUDA's that it had.
 *
 * What is given out stays in device_memory_limit, as a device has no other memory, and counts in
 * pistachio_memory_exported; it holds the device, whatever is closed. Where rows are in a device's memory pistachio_next and
 * pistachio_arrow_stream are PISTACHIO_ERROR_INVALID; with arrow_dictionary = on such a statement is
 * PISTACHIO_ERROR_UNSUPPORTED. */
PISTACHIO_API pistachio_error *pistachio_arrow_device_stream(pistachio_result *result,
                                                             struct ArrowDeviceArrayStream *out);
/* The stream's rows as a table, a session's if the connection is one; a table that was made so, or by CREATE
 * TABLE, and has exactly that name is replaced, any other is PISTACHIO_ERROR_INVALID. The stream is read to its
 * end now and released, also on failure; the rows are kept in a file without a name in temp_directory, which
 * goes with the database, or the session, or by DROP TABLE. Columns are of all flat Arrow types but intervals
 * and durations, of each layout, and dictionaries of them; one that is nested is PISTACHIO_ERROR_UNSUPPORTED,
 * and named. One without a type is a varchar of NULLs. Lengths, offsets and texts are checked as far as the
 * interface lets one see. Of ranks that are processes those of this machine read it. */
PISTACHIO_API pistachio_error *pistachio_add_arrow(pistachio_connection *connection,
                                                   const char *name,
                                                   struct ArrowArrayStream *stream);

/* ---- DLPack: https://dmlc.github.io/dlpack ---- */

struct DLManagedTensorVersioned; /* pistachio/dlpack.h */

/* The batch's column as a tensor of one dimension in Pistachio's own memory, read-only as its flags say: whoever writes
 * there changes what others see. It holds the batch (pistachio_batch_ref), whatever is closed; its deleter, for any
 * thread, gives that up. Integers and floats without NULLs; others are PISTACHIO_ERROR_UNSUPPORTED with the way out as
 * hint, and a column that there is not is PISTACHIO_ERROR_INVALID. */
PISTACHIO_API pistachio_error *pistachio_dlpack(const pistachio_batch *batch, uint32_t column,
                                                struct DLManagedTensorVersioned **out);
/* Makes a tensor of a column of an array that a stream of pistachio_arrow_stream, or of the ADBC driver, gave and that is
 * whole; another array is PISTACHIO_ERROR_INVALID. Of the array in an ArrowDeviceArray of
 * pistachio_arrow_device_stream the tensor is where that is: kDLCUDA with the device's number, say. */
PISTACHIO_API pistachio_error *pistachio_arrow_dlpack(const struct ArrowArray *rows,
                                                      uint32_t column,
                                                      struct DLManagedTensorVersioned **out);

#ifdef __cplusplus
}
#endif

#endif
