/* adbc_option.h - options of ADBC's objects, by text, bytes, integers and doubles.
 *
 * An object has one function that sets an option by its text and one that gives its text; the functions of
 * the driver's table, which are alike for each object, stand on these. */
#ifndef PISTACHIO_API_ADBC_ADBC_OPTION_H
#define PISTACHIO_API_ADBC_ADBC_OPTION_H

#include "base/type/type.h"
#include "pistachio/adbc.h"

/* `object` is the private data, perhaps NULL. */
typedef AdbcStatusCode adbc_option_setter(void *object, const char *key, const char *value,
                                          struct AdbcError *error);
/* *out is the caller's (mem_free). */
typedef AdbcStatusCode adbc_option_getter(void *object, const char *key, char **out,
                                          struct AdbcError *error);

AdbcStatusCode adbc_option_set_text(adbc_option_setter *set, void *object, const char *key,
                                    const char *value, struct AdbcError *error);
AdbcStatusCode adbc_option_set_bytes(adbc_option_setter *set, void *object, const char *key,
                                     const uint8_t *value, size_t length, struct AdbcError *error);
AdbcStatusCode adbc_option_set_int(adbc_option_setter *set, void *object, const char *key,
                                   int64_t value, struct AdbcError *error);
AdbcStatusCode adbc_option_set_double(adbc_option_setter *set, void *object, const char *key,
                                      double value, struct AdbcError *error);
/* Text for a caller's buffer of *length bytes; *length becomes what it takes, with its end. */
AdbcStatusCode adbc_option_get_text(adbc_option_getter *get, void *object, const char *key,
                                    char *value, size_t *length, struct AdbcError *error);
/* Gets bytes, which have no end mark. */
AdbcStatusCode adbc_option_get_bytes(adbc_option_getter *get, void *object, const char *key,
                                     uint8_t *value, size_t *length, struct AdbcError *error);
/* Gets a number; INVALID_ARGUMENT if the text is not one, whole. */
AdbcStatusCode adbc_option_get_int(adbc_option_getter *get, void *object, const char *key,
                                   int64_t *value, struct AdbcError *error);
AdbcStatusCode adbc_option_get_double(adbc_option_getter *get, void *object, const char *key,
                                      double *value, struct AdbcError *error);

/* For a getter. */
AdbcStatusCode adbc_option_give(const char *text, char **out, struct AdbcError *error);

/* The eight functions of one object, of set and get. */
#define ADBC_OPTION_FUNCTIONS(Object, set, get)                                                    \
    static AdbcStatusCode set_option_text(struct Adbc##Object *o, const char *key, const char *v,  \
                                          struct AdbcError *error)                                 \
    {                                                                                              \
        return adbc_option_set_text(set, o->private_data, key, v, error);                          \
    }                                                                                              \
    static AdbcStatusCode set_option_bytes(struct Adbc##Object *o, const char *key,                \
                                           const uint8_t *v, size_t n, struct AdbcError *error)    \
    {                                                                                              \
        return adbc_option_set_bytes(set, o->private_data, key, v, n, error);                      \
    }                                                                                              \
    static AdbcStatusCode set_option_int(struct Adbc##Object *o, const char *key, int64_t v,       \
                                         struct AdbcError *error)                                  \
    {                                                                                              \
        return adbc_option_set_int(set, o->private_data, key, v, error);                           \
    }                                                                                              \
    static AdbcStatusCode set_option_double(struct Adbc##Object *o, const char *key, double v,     \
                                            struct AdbcError *error)                               \
    {                                                                                              \
        return adbc_option_set_double(set, o->private_data, key, v, error);                        \
    }                                                                                              \
    static AdbcStatusCode get_option_text(struct Adbc##Object *o, const char *key, char *v,        \
                                          size_t *n, struct AdbcError *error)                      \
    {                                                                                              \
        return adbc_option_get_text(get, o->private_data, key, v, n, error);                       \
    }                                                                                              \
    static AdbcStatusCode get_option_bytes(struct Adbc##Object *o, const char *key, uint8_t *v,    \
                                           size_t *n, struct AdbcError *error)                     \
    {                                                                                              \
        return adbc_option_get_bytes(get, o->private_data, key, v, n, error);                      \
    }                                                                                              \
    static AdbcStatusCode get_option_int(struct Adbc##Object *o, const char *key, int64_t *v,      \
                                         struct AdbcError *error)                                  \
    {                                                                                              \
        return adbc_option_get_int(get, o->private_data, key, v, error);                           \
    }                                                                                              \
    static AdbcStatusCode get_option_double(struct Adbc##Object *o, const char *key, double *v,    \
                                            struct AdbcError *error)                               \
    {                                                                                              \
        return adbc_option_get_double(get, o->private_data, key, v, error);                        \
    }

/* Them, in the driver's table. */
#define ADBC_OPTION_FILL(driver, Object, has_1_1)                                                  \
    do {                                                                                           \
        (driver)->Object##SetOption = set_option_text;                                             \
        if (!(has_1_1))                                                                            \
            break;                                                                                 \
        (driver)->Object##SetOptionBytes = set_option_bytes;                                       \
        (driver)->Object##SetOptionInt = set_option_int;                                           \
        (driver)->Object##SetOptionDouble = set_option_double;                                     \
        (driver)->Object##GetOption = get_option_text;                                             \
        (driver)->Object##GetOptionBytes = get_option_bytes;                                       \
        (driver)->Object##GetOptionInt = get_option_int;                                           \
        (driver)->Object##GetOptionDouble = get_option_double;                                     \
    } while (0)

#endif
