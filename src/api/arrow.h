/* arrow.h - rows and columns as the Arrow C data interface has them. */
#ifndef PISTACHIO_API_ARROW_H
#define PISTACHIO_API_ARROW_H

#include "api/internal.h"

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

/* What the interface leaves open. */
typedef struct api_arrow_options {
    bool has_narrow_decimals; /* decimals of up to 18 digits are decimal64 */
    bool has_dictionaries;    /* texts are codes and a dictionary */
    bool has_offsets;         /* texts are offsets and bytes: in a device's memory */
} api_arrow_options;
api_arrow_options api_arrow_options_of(const settings *s);
/* Those of the arrays that the result gives. */
api_arrow_options api_result_arrow_options(const pistachio_result *result);
/* pistachio_arrow_stream, of arrays in whatever memory the result's rows are. */
CHECKED status api_arrow_stream(pistachio_result *result, struct ArrowArrayStream *out);

/* A struct of the columns; the caller releases it. */
CHECKED status api_arrow_schema_make(const api_columns *columns, api_arrow_options options,
                                     struct ArrowSchema *out);
/* A schema of its own: the texts are copied, children are zeroed and released if not made. */
CHECKED status api_arrow_schema_new(const char *format, const char *name, uint32_t child_count,
                                    struct ArrowSchema *out);
/* The same as another one, which may be a client's. */
CHECKED status api_arrow_schema_copy(const struct ArrowSchema *from, struct ArrowSchema *out);
#define API_ARROW_FORMAT_BYTES 40
/* The format string of a type. */
void api_arrow_format(data_type type, api_arrow_options options, char *out);

/* Says that the column is a UUID (Arrow's canonical extension type), and whether another one says so of its
 * 16 bytes, whose metadata may be NULL. */
CHECKED status api_arrow_mark_uuid(struct ArrowSchema *column);
bool api_arrow_is_uuid(const struct ArrowSchema *column);
/* A copy of a schema's metadata, for mem_free; NULL: there is none, or no memory. */
char *api_arrow_metadata_copy(const char *metadata);

/* Makes the values of a column of the batch what Arrow has, where they are not yet: before it is handed to anybody. */
CHECKED status api_arrow_convert(exec_batch *batch, uint32_t column, api_arrow_options options);
/* The rows as a struct array, which holds the batch; the caller releases it. Takes the reference
 * over, also on failure. */
CHECKED status api_arrow_array_make(pistachio_batch *batch, api_arrow_options options,
                                    struct ArrowArray *out);

/* The batch whose column that of an array of api_arrow_array_make is; INVALID for others, and where the column was
 * moved out. */
CHECKED status api_arrow_batch_of(const struct ArrowArray *rows, uint32_t column,
                                  const pistachio_batch **out);

/* errno for what get_next and get_schema return. */
int api_arrow_errno(status st);

#endif
