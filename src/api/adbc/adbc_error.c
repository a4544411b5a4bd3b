/* adbc_error.c - failures as ADBC has them: a code, a SQLSTATE, and position and hint as details. */

#include "api/adbc/adbc_error.h"

#include "api/handles/error.h"
#include "base/mem.h"
#include "base/type/type.h"

#include <stdio.h>
#include <stdlib.h>

/* Details, for callers that know of them. */
typedef struct error_data {
    char position[24], *hint;
} error_data;

static const struct {
    AdbcStatusCode code;
    char state[6];
} codes[] = {
    [STATUS_KIND_OK] = {ADBC_STATUS_OK, "00000"},
    [STATUS_KIND_INVALID] = {ADBC_STATUS_INVALID_ARGUMENT, "42000"},
    [STATUS_KIND_UNSUPPORTED] = {ADBC_STATUS_NOT_IMPLEMENTED, "0A000"},
    [STATUS_KIND_NOT_FOUND] = {ADBC_STATUS_NOT_FOUND, "42704"},
    [STATUS_KIND_CORRUPT] = {ADBC_STATUS_IO, "XX001"},
    [STATUS_KIND_IO] = {ADBC_STATUS_IO, "58030"},
    [STATUS_KIND_DATA] = {ADBC_STATUS_INVALID_DATA, "22000"},
    [STATUS_KIND_NO_MEMORY] = {ADBC_STATUS_INTERNAL, "53200"},
    [STATUS_KIND_LIMIT] = {ADBC_STATUS_INTERNAL, "53400"},
    [STATUS_KIND_CANCELLED] = {ADBC_STATUS_CANCELLED, "57014"},
    [STATUS_KIND_INTERNAL] = {ADBC_STATUS_INTERNAL, "XX000"},
};

/* Callers of version 1.0.0 give a struct without the members behind `release`. */
static bool has_private_data(const struct AdbcError *error)
{
    return error->vendor_code == ADBC_ERROR_VENDOR_CODE_PRIVATE_DATA;
}

static void adbc_error_release(struct AdbcError *error)
{
    mem_free(error->message);
    error->message = NULL;
    if (has_private_data(error)) {
        error_data *data = error->private_data;
        if (data)
            mem_free(data->hint);
        mem_free(data);
        error->private_data = NULL;
    }
    error->release = NULL;
}

static void add_details(struct AdbcError *error, status st)
{
    error_data *data = mem_new(sizeof *data);
    const char *hint = status_get_hint(st);
    error->private_data = data;
    if (!data)
        return;
    if (hint)
        data->hint = mem_copy_text(hint, strlen(hint));
    if (status_position(st) >= 0)
        snprintf(data->position, sizeof data->position, "%lld", (long long)status_position(st));
}

static void set_error(struct AdbcError *error, status st, const char *sql, const char *state)
{
    if (!error)
        return;
    if (error->release)
        error->release(error);
    error->message = api_error_text(st, sql);
    memcpy(error->sqlstate, state, sizeof error->sqlstate);
    error->release = adbc_error_release;
    if (has_private_data(error))
        add_details(error, st);
    else
        error->vendor_code = 0;
}

AdbcStatusCode adbc_fail(struct AdbcError *error, status st)
{
    return adbc_fail_in(error, st, NULL);
}

AdbcStatusCode adbc_fail_in(struct AdbcError *error, status st, const char *sql)
{
    if (!st)
        return ADBC_STATUS_OK;
    status_kind kind = status_get_kind(st);
    set_error(error, st, sql, codes[kind].state);
    status_free(st);
    return codes[kind].code;
}

AdbcStatusCode adbc_fail_public(struct AdbcError *error, pistachio_error *failure)
{
    return adbc_fail(error, api_error_status(failure));
}

AdbcStatusCode adbc_refuse(struct AdbcError *error, AdbcStatusCode code, const char *format, ...)
{
    char text[512];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    status st = status_new(STATUS_KIND_INVALID, "%s", text);
    set_error(error, st, NULL, code == ADBC_STATUS_NOT_IMPLEMENTED ? "0A000" : "HY010");
    status_free(st);
    return code;
}

int adbc_error_detail_count(const struct AdbcError *error)
{
    const error_data *data = has_private_data(error) ? error->private_data : NULL;
    return data ? (*data->position != 0) + (data->hint != NULL) : 0;
}

struct AdbcErrorDetail adbc_error_detail(const struct AdbcError *error, int index)
{
    const error_data *data = has_private_data(error) ? error->private_data : NULL;
    if (!data || index < 0 || index >= adbc_error_detail_count(error))
        return (struct AdbcErrorDetail){0};
    bool is_position = *data->position && !index;
    const char *text = is_position ? data->position : data->hint;
    return (struct AdbcErrorDetail){.key = is_position ? "position" : "hint",
                                    .value = (const uint8_t *)text,
                                    .value_length = strlen(text)};
}
