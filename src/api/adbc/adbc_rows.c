/* adbc_rows.c - a statement executed for each row of its parameters, the results one behind the other
 * as one stream. */
#include "api/adbc/adbc_rows.h"

#include "api/adbc/adbc_stream.h"
#include "api/arrow/arrow_row.h"
#include "api/arrow/arrow_schema.h"
#include "api/handles/error.h"
#include "api/session/statement.h"
#include "api/stream/arrow_stream.h"

#include <stdio.h>

/* ---- a stream of one array ---- */

typedef struct one_array {
    struct ArrowSchema schema;
    struct ArrowArray array;
    char error[256]; /* of the last call that failed */
} one_array;

static int one_get_schema(struct ArrowArrayStream *stream, struct ArrowSchema *out)
{
    one_array *one = stream->private_data;
    status st = api_arrow_schema_copy(&one->schema, out);
    int number = api_arrow_errno(st);
    if (st)
        snprintf(one->error, sizeof one->error, "%s", status_message(st));
    status_free(st);
    return number;
}

static int one_get_next(struct ArrowArrayStream *stream, struct ArrowArray *out)
{
    one_array *one = stream->private_data;
    *out = one->array;
    one->array.release = NULL;
    return 0;
}

static const char *one_get_last_error(struct ArrowArrayStream *stream)
{
    return ((one_array *)stream->private_data)->error;
}

static void one_release(struct ArrowArrayStream *stream)
{
    one_array *one = stream->private_data;
    if (one->schema.release)
        one->schema.release(&one->schema);
    if (one->array.release)
        one->array.release(&one->array);
    mem_free(one);
    stream->release = NULL;
}

status adbc_stream_of(struct ArrowSchema *schema, struct ArrowArray *array,
                      struct ArrowArrayStream *out)
{
    one_array *one = mem_new(sizeof *one);
    if (!one)
        return status_no_memory("parameters", sizeof *one);
    one->schema = *schema;
    one->array = *array;
    schema->release = NULL;
    array->release = NULL;
    *out = (struct ArrowArrayStream){.get_schema = one_get_schema,
                                     .get_next = one_get_next,
                                     .get_last_error = one_get_last_error,
                                     .release = one_release,
                                     .private_data = one};
    return STATUS_OK;
}

/* ---- rows of parameters ---- */

typedef struct rows_data {
    pistachio_statement *statement;
    struct ArrowArrayStream bound;
    struct ArrowSchema schema; /* of bound */
    struct ArrowArray array;   /* the present one, or released */
    int64_t row;               /* its next */
    pistachio_result *first; /* of the first row, until it is taken; its columns are the stream's */
    struct ArrowSchema columns;    /* theirs */
    struct ArrowArrayStream inner; /* the present result */
    char error[1024];              /* of the last call that failed */
} rows_data;

static void rows_free(rows_data *data)
{
    if (data->inner.release)
        data->inner.release(&data->inner);
    if (data->columns.release)
        data->columns.release(&data->columns);
    pistachio_result_free(data->first);
    if (data->array.release)
        data->array.release(&data->array);
    if (data->schema.release)
        data->schema.release(&data->schema);
    if (data->bound.release)
        data->bound.release(&data->bound);
    pistachio_statement_free(data->statement);
    mem_free(data);
}

static status bound_failed(rows_data *data)
{
    const char *text = data->bound.get_last_error(&data->bound);
    return status_new(STATUS_KIND_INVALID, "rows of parameters: %s",
                      text ? text : "no more of them");
}

/* Another array with rows; *out_is_end: there is none. */
static status next_array(rows_data *data, bool *out_is_end)
{
    *out_is_end = false;
    while (!data->array.release || data->row == data->array.length) {
        if (data->array.release)
            data->array.release(&data->array);
        data->array.release = NULL;
        data->row = 0;
        if (data->bound.get_next(&data->bound, &data->array))
            return bound_failed(data);
        if (!data->array.release) {
            *out_is_end = true;
            return STATUS_OK;
        }
        TRY(api_arrow_check(&data->schema, &data->array, NULL));
    }
    return STATUS_OK;
}

/* The column that has the parameter's value: by name where both have names, else by number. */
static int64_t adbc_rows_column_of(const rows_data *data, uint32_t parameter)
{
    const char *name = pistachio_parameter_name(data->statement, parameter);
    for (int64_t i = 0; name && i < data->schema.n_children; i++)
        if (data->schema.children[i]->name && !strcmp(data->schema.children[i]->name, name))
            return i;
    return parameter;
}

static status adbc_rows_bind_row(rows_data *data)
{
    uint32_t count = pistachio_parameter_count(data->statement);
    if (data->schema.n_children != count)
        return status_new(STATUS_KIND_INVALID,
                          "the statement has %u parameters, a row of them %lld columns",
                          (unsigned)count, (long long)data->schema.n_children);
    for (uint32_t i = 0; i < count; i++) {
        value v;
        TRY(api_arrow_value(&data->schema, &data->array, adbc_rows_column_of(data, i), data->row,
                            &v));
        TRY(api_bind(data->statement, i, &v));
    }
    data->row++;
    return STATUS_OK;
}

/* The result of the next row; NULL: there is none. */
static status next_result(rows_data *data, pistachio_result **out)
{
    bool is_end;
    *out = NULL;
    TRY(next_array(data, &is_end));
    if (is_end)
        return STATUS_OK;
    TRY(adbc_rows_bind_row(data));
    return api_error_status(pistachio_execute(data->statement, out));
}

/* ---- the stream ---- */

static int failed(rows_data *data, status st)
{
    int number = api_arrow_errno(st);
    char *text = api_error_text(st, data->statement->sql);
    snprintf(data->error, sizeof data->error, "%s", text ? text : status_message(st));
    mem_free(text);
    status_free(st);
    return number;
}

static bool adbc_rows_same_type(const struct ArrowSchema *left, const struct ArrowSchema *right)
{
    return !strcmp(left->format, right->format) && !left->dictionary == !right->dictionary;
}

static bool same_columns(const struct ArrowSchema *left, const struct ArrowSchema *right)
{
    bool is_same = left->n_children == right->n_children;
    for (int64_t i = 0; is_same && i < left->n_children; i++)
        is_same = adbc_rows_same_type(left->children[i], right->children[i]);
    return is_same;
}

static status adbc_rows_check_columns(const rows_data *data, const pistachio_result *result)
{
    struct ArrowSchema columns;
    TRY(api_error_status(pistachio_arrow_schema(result, &columns)));
    bool is_same = same_columns(&data->columns, &columns);
    columns.release(&columns);
    return is_same ? STATUS_OK
                   : status_hint(status_new(STATUS_KIND_DATA,
                                            "a row of parameters gives columns of other types than "
                                            "the first one"),
                                 "cast the parameters in the statement");
}

/* The inner stream of the next row; released: there is none. */
static status start_row(rows_data *data)
{
    pistachio_result *result = data->first;
    data->first = NULL;
    if (!result)
        TRY(next_result(data, &result));
    if (!result)
        return STATUS_OK;
    status st = adbc_rows_check_columns(data, result);
    if (!st)
        st = api_error_status(pistachio_arrow_stream(result, &data->inner));
    if (st)
        pistachio_result_free(result);
    return st;
}

static int rows_get_schema(struct ArrowArrayStream *stream, struct ArrowSchema *out)
{
    rows_data *data = stream->private_data;
    status st = api_arrow_schema_copy(&data->columns, out);
    return st ? failed(data, st) : 0;
}

static int rows_get_next(struct ArrowArrayStream *stream, struct ArrowArray *out)
{
    rows_data *data = stream->private_data;
    *out = (struct ArrowArray){0};
    for (;;) {
        status st = data->inner.release ? STATUS_OK : start_row(data);
        if (st)
            return failed(data, st);
        if (!data->inner.release)
            return 0;
        int number = data->inner.get_next(&data->inner, out);
        if (number)
            snprintf(data->error, sizeof data->error, "%s",
                     data->inner.get_last_error(&data->inner));
        if (number || out->release)
            return number;
        data->inner.release(&data->inner);
        data->inner.release = NULL;
    }
}

static const char *rows_get_last_error(struct ArrowArrayStream *stream)
{
    return ((rows_data *)stream->private_data)->error;
}

static void rows_release(struct ArrowArrayStream *stream)
{
    rows_free(stream->private_data);
    stream->release = NULL;
}

/* ---- executing ---- */

/* The result's rows are not wanted, but what fails is. */
static status adbc_rows_drain(pistachio_result *result, int64_t *out_rows)
{
    const pistachio_batch *batch;
    do {
        TRY(api_error_status(pistachio_next(result, &batch)));
    } while (batch);
    const char *tag = pistachio_tag(result);
    if (out_rows && tag && !strncmp(tag, "COPY", 4))
        *out_rows = (*out_rows < 0 ? 0 : *out_rows) + (int64_t)pistachio_rows_written(result);
    return STATUS_OK;
}

status adbc_execute_once(pistachio_statement *statement, struct ArrowArrayStream *out,
                         int64_t *out_rows)
{
    pistachio_result *result;
    TRY(api_error_status(pistachio_execute(statement, &result)));
    status st = STATUS_OK;
    if (!out || !pistachio_column_count(result))
        st = adbc_rows_drain(result, out_rows);
    if (!st && out) {
        st = api_error_status(pistachio_arrow_stream(result, out));
        if (!st)
            return adbc_stream_wrap(out);
    }
    pistachio_result_free(result);
    return st;
}

static status drain_rows(rows_data *data, int64_t *out_rows)
{
    pistachio_result *result = data->first;
    data->first = NULL;
    while (result) {
        status st = adbc_rows_drain(result, out_rows);
        pistachio_result_free(result);
        TRY(st);
        TRY(next_result(data, &result));
    }
    return STATUS_OK;
}

static status adbc_rows_begin_rows(rows_data *data, struct ArrowArrayStream *out, int64_t *out_rows)
{
    if (data->bound.get_schema(&data->bound, &data->schema))
        return bound_failed(data);
    TRY(next_result(data, &data->first));
    if (!out)
        return drain_rows(data, out_rows);
    return api_error_status(data->first
                                ? pistachio_arrow_schema(data->first, &data->columns)
                                : pistachio_statement_schema(data->statement, &data->columns));
}

status adbc_execute_rows(pistachio_statement *statement, struct ArrowArrayStream *bound,
                         struct ArrowArrayStream *out, int64_t *out_rows)
{
    rows_data *data = mem_new(sizeof *data);
    if (!data) {
        bound->release(bound);
        return status_no_memory("parameters", sizeof *data);
    }
    data->statement = api_statement_ref(statement);
    data->bound = *bound;
    status st = adbc_rows_begin_rows(data, out, out_rows);
    if (st || !out) {
        rows_free(data);
        return st;
    }
    *out = (struct ArrowArrayStream){.get_schema = rows_get_schema,
                                     .get_next = rows_get_next,
                                     .get_last_error = rows_get_last_error,
                                     .release = rows_release,
                                     .private_data = data};
    return adbc_stream_wrap(out);
}
