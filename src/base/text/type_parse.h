/* type_parse.h - names of types, and values of a type, from text. */
#ifndef PISTACHIO_BASE_TEXT_TYPE_PARSE_H
#define PISTACHIO_BASE_TEXT_TYPE_PARSE_H

#include "base/type/type.h"

/* Reads a type's name, with spaces around it or not: "varchar", "decimal(15,2)"; false: it is not one. */
bool type_parse(const char *text, size_t bytes, data_type *out);
/* Reads a value of any type but blob; a varchar borrows the text. False: it is not one. */
bool value_parse(const char *text, size_t bytes, data_type type, value *out);

#endif
