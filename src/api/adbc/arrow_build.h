/* arrow_build.h - arrays made value by value, nested ones too: for what a client asks of the catalog.
 *
 *     static const arrow_build_field names[] = {{.format = "u", .name = "item"}};
 *     arrow_build_text(build, "x");                 a text
 *     arrow_build_end(list);                        the items so far, since the last end, are one list
 *     arrow_build_end(row);                         the fields so far are one struct
 *     arrow_build_pick(value, 2);                   the next value is one of the union's third field
 *
 * What fails is told once, by arrow_build_finish. */
#ifndef PISTACHIO_API_ADBC_ARROW_BUILD_H
#define PISTACHIO_API_ADBC_ARROW_BUILD_H

#include "base/status.h"
#include "pistachio/pistachio.h"

#include <stdbool.h>

/* Formats: u, b, c, s, i, l, I, L, g, z of texts, +s, +l, +m (a list of structs of key and value), +ud:... */
typedef struct arrow_build_field {
    const char *format, *name;
    bool is_required; /* has no NULLs */
    uint32_t child_count;
    const struct arrow_build_field *children;
} arrow_build_field;

typedef struct arrow_build arrow_build;

/* Begins a struct; *out is for arrow_build_finish. */
CHECKED status arrow_build_new(const arrow_build_field *fields, uint32_t count, arrow_build **out);
arrow_build *arrow_build_child(const arrow_build *build, uint32_t index);

void arrow_build_text(arrow_build *build, const char *text); /* NULL: a NULL */
void arrow_build_int(arrow_build *build, int64_t number);    /* of any width; a boolean, too */
void arrow_build_double(arrow_build *build, double number);
void arrow_build_null(arrow_build *build);
void arrow_build_end(arrow_build *build);
void arrow_build_pick(arrow_build *build, uint32_t field);

/* The rows as a stream of one array, or the first failure. Frees the build. */
CHECKED status arrow_build_finish(arrow_build *build, struct ArrowArrayStream *out);

#endif
