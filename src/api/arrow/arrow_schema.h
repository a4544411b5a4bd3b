/* arrow_schema.h - columns as the Arrow C data interface has them. */
#ifndef PISTACHIO_API_ARROW_ARROW_SCHEMA_H
#define PISTACHIO_API_ARROW_ARROW_SCHEMA_H

#include "api/handles/handles.h"

/* A text in an array of views: up to 12 bytes in place, else a buffer and a place in it. */
typedef struct arrow_view {
    int32_t bytes;
    union {
        char inlined[12];
        struct {
            char prefix[4];
            int32_t buffer, offset;
        };
    };
} arrow_view;

/* Choices that the interface leaves open. */
typedef struct api_arrow_options {
    bool has_narrow_decimals; /* decimals of up to 18 digits are decimal64 */
    bool has_dictionaries;    /* texts are codes and a dictionary */
    bool has_offsets;         /* texts are offsets and bytes: in a device's memory */
} api_arrow_options;

api_arrow_options api_arrow_options_of(const settings *s);
/* Returns the choices for the arrays that the result gives. */
api_arrow_options api_result_arrow_options(const pistachio_result *result);
/* A struct of the columns; the caller releases it. */
CHECKED status api_arrow_schema_make(const api_columns *columns, api_arrow_options options,
                                     struct ArrowSchema *out);
/* A schema of its own: the texts are copied, children are zeroed and released if not made. */
CHECKED status api_arrow_schema_new(const char *format, const char *name, uint32_t child_count,
                                    struct ArrowSchema *out);
/* Copies a schema, which may be a client's. */
CHECKED status api_arrow_schema_copy(const struct ArrowSchema *from, struct ArrowSchema *out);
#define API_ARROW_FORMAT_BYTES 40
/* The format string of a type. */
void api_arrow_format(data_type type, api_arrow_options options, char *out);

#endif
