/* decode.h - parameters that a client sends, as values of the engine's.
 *
 * A parameter is of the type that the client has declared, or else of the one that it was told. In text it is read as SQL
 * reads a literal, in binary by PostgreSQL's forms; each length is checked. */
#ifndef PISTACHIO_SERVER_DECODE_H
#define PISTACHIO_SERVER_DECODE_H

#include "base/type.h"
#include "server/encode.h"

/* Returns the engine's type of a type of PostgreSQL's; TYPE_NULL: it has none, values are taken as text. */
data_type decode_type(uint32_t oid);
/* Reads a value that is not NULL; text of it is borrowed. `number`, from 1, is for messages. */
CHECKED status decode_value(uint32_t oid, encode_format format, const char *bytes, size_t count,
                            unsigned number, value *out);

#endif
