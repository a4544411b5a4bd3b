/* nested_type.h - the table of the process's nested types: lists, structs, maps.
 *
 * A nested type's `precision` and `scale` together are its number in the table. Equal structures have one number, so
 * type_equal() compares four bytes as for any other type. The number means nothing outside of the process.
 *
 *   list     one field, the elements, without a name; `size` elements each unless that is 0
 *   struct   its fields
 *   map      two fields, key and value
 *
 * An entry stays as long as somebody holds it, and holds its fields' types: footers hold those of their columns, batches of
 * results theirs. Any thread. */
#ifndef PISTACHIO_BASE_TYPE_NESTED_TYPE_H
#define PISTACHIO_BASE_TYPE_NESTED_TYPE_H

#include "base/type/type.h"

typedef struct nested_field {
    const char *name;
    data_type type;
} nested_field;

typedef struct nested_type {
    uint32_t field_count;
    uint32_t size; /* lists of a fixed size: the number of elements; else 0 */
    nested_field fields[];
} nested_type;

/* Nested types in one another, at most. */
#define NESTED_DEPTH_MAX 64

/* The type with these fields, which it copies. The caller holds it, and holds the fields' types meanwhile. */
CHECKED status nested_type_make(type_id id, const nested_field *fields, uint32_t count,
                                data_type *out);
CHECKED status nested_type_make_list(data_type element, data_type *out);
/* The type of lists that have `size` elements each; 0: any number. */
CHECKED status nested_type_make_sized(data_type element, uint32_t size, data_type *out);
/* Elements of a list of a fixed size, at most. */
#define NESTED_SIZE_MAX 100000
/* How many elements each list of the type has; 0: any number, or the type is not a list. */
uint32_t nested_type_size(data_type type);
/* Holds the type, which the caller knows to be held; of others nothing is done, here and below. */
void nested_type_hold(data_type type);
void nested_type_release(data_type type);
/* Releases the type, which the caller holds, when the arena is freed; at once on failure. */
CHECKED status nested_type_keep(arena *a, data_type type);
/* Whether a type that was read somewhere is one that somebody holds. */
bool nested_type_is_known(data_type type);
/* Its fields. Somebody holds the type. */
const nested_type *nested_type_of(data_type type);
/* As SQL spells the type, nested or not: "bigint[]", "float[3]", "struct(a bigint, b varchar)", "map(varchar, integer)". Returns the
 * bytes needed; writes at most `room` with a closing NUL. */
size_t nested_type_text(data_type type, char *text, size_t room);
/* The number of its entry, for tests; 0: not nested. */
uint32_t nested_type_number(data_type type);

/* Returns whether two lists, structs or maps have the same names and types, of which type_equal() takes some for the same. */
bool nested_type_is_equal(data_type a, data_type b);

#endif
