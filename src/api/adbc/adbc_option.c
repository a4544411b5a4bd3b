/* adbc_option.c - an option of any object, by each of the four types: all are texts inside. */
#include "api/adbc/adbc_option.h"

#include "api/adbc/adbc_error.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

/* ---- setting ---- */

AdbcStatusCode adbc_option_set_text(adbc_option_setter *set, void *object, const char *key,
                                    const char *value, struct AdbcError *error)
{
    if (!object)
        return adbc_refuse(error, ADBC_STATUS_INVALID_STATE,
                           "the object that the option is of was released");
    if (!key || !value)
        return adbc_refuse(error, ADBC_STATUS_INVALID_ARGUMENT, "option has no name or no value");
    return set(object, key, value, error);
}

AdbcStatusCode adbc_option_set_bytes(adbc_option_setter *set, void *object, const char *key,
                                     const uint8_t *value, size_t length, struct AdbcError *error)
{
    if ((!value && length) || (value && memchr(value, 0, length)))
        return adbc_refuse(error, ADBC_STATUS_INVALID_ARGUMENT, "bytes of an option are not text");
    char *text = mem_copy_text(value ? (const char *)value : "", length);
    if (!text)
        return adbc_fail(error, status_no_memory("option", length));
    AdbcStatusCode code = adbc_option_set_text(set, object, key, text, error);
    mem_free(text);
    return code;
}

AdbcStatusCode adbc_option_set_int(adbc_option_setter *set, void *object, const char *key,
                                   int64_t value, struct AdbcError *error)
{
    char text[24];
    snprintf(text, sizeof text, "%" PRId64, value);
    return adbc_option_set_text(set, object, key, text, error);
}

AdbcStatusCode adbc_option_set_double(adbc_option_setter *set, void *object, const char *key,
                                      double value, struct AdbcError *error)
{
    char text[DOUBLE_TEXT_BYTES];
    double_format(value, text);
    return adbc_option_set_text(set, object, key, text, error);
}

/* ---- getting ---- */

AdbcStatusCode adbc_option_give(const char *text, char **out, struct AdbcError *error)
{
    *out = mem_copy_text(text, strlen(text));
    return *out ? ADBC_STATUS_OK : adbc_fail(error, status_no_memory("option", strlen(text)));
}

static AdbcStatusCode adbc_adbc_option_get_text(adbc_option_getter *get, void *object,
                                                const char *key, const void *room, char **out,
                                                struct AdbcError *error)
{
    *out = NULL;
    if (!object)
        return adbc_refuse(error, ADBC_STATUS_INVALID_STATE,
                           "the object that the option is of was released");
    if (!key || !room)
        return adbc_refuse(error, ADBC_STATUS_INVALID_ARGUMENT, "option has no name or no room");
    return get(object, key, out, error);
}

/* Copies a text if it fits whole. */
static void adbc_option_copy(const char *text, size_t bytes, void *value, size_t *length)
{
    if (value && *length >= bytes)
        memcpy(value, text, bytes);
    *length = bytes;
}

AdbcStatusCode adbc_option_get_text(adbc_option_getter *get, void *object, const char *key,
                                    char *value, size_t *length, struct AdbcError *error)
{
    char *text;
    AdbcStatusCode code = adbc_adbc_option_get_text(get, object, key, length, &text, error);
    if (!code)
        adbc_option_copy(text, strlen(text) + 1, value, length);
    mem_free(text);
    return code;
}

AdbcStatusCode adbc_option_get_bytes(adbc_option_getter *get, void *object, const char *key,
                                     uint8_t *value, size_t *length, struct AdbcError *error)
{
    char *text;
    AdbcStatusCode code = adbc_adbc_option_get_text(get, object, key, length, &text, error);
    if (!code)
        adbc_option_copy(text, strlen(text), value, length);
    mem_free(text);
    return code;
}

static AdbcStatusCode no_number(const char *key, const char *text, struct AdbcError *error)
{
    return adbc_refuse(error, ADBC_STATUS_INVALID_ARGUMENT,
                       "option %s is \"%s\", which is not a number", key, text);
}

AdbcStatusCode adbc_option_get_int(adbc_option_getter *get, void *object, const char *key,
                                   int64_t *value, struct AdbcError *error)
{
    char *text, *end;
    AdbcStatusCode code = adbc_adbc_option_get_text(get, object, key, value, &text, error);
    if (!code) {
        errno = 0;
        int64_t number = strtoll(text, &end, 10);
        if (errno || end == text || *end)
            code = no_number(key, text, error);
        else
            *value = number;
    }
    mem_free(text);
    return code;
}

AdbcStatusCode adbc_option_get_double(adbc_option_getter *get, void *object, const char *key,
                                      double *value, struct AdbcError *error)
{
    char *text;
    double number;
    AdbcStatusCode code = adbc_adbc_option_get_text(get, object, key, value, &text, error);
    if (!code && !double_parse(text, strlen(text), &number))
        code = no_number(key, text, error);
    else if (!code)
        *value = number;
    mem_free(text);
    return code;
}
