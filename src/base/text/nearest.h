/* nearest.h - which of some names was meant: "did you mean". */
#ifndef PISTACHIO_BASE_TEXT_NEAREST_H
#define PISTACHIO_BASE_TEXT_NEAREST_H

#include <stddef.h>

/* The name that the fewest edits (insert, delete, replace, exchange with the next letter; upper and lower case are the same) make
 * of `name`, if they are at most a third of its bytes; else NULL. */
const char *nearest_name(const char *name, const char *const *names, size_t count);

#endif
