/* decode.h - values that a client sends, of parameters and of rows that are copied, as values of the engine's.
 *
 * A parameter is of the type that the client has declared, or else of the one that it was told. In text it is read as SQL
 * reads a literal, in binary by PostgreSQL's forms; each length is checked. Failures say what is wrong with "the value":
 * whose it is, is the caller's to put before it. */
#ifndef PISTACHIO_SERVER_PROTOCOL_DECODE_H
#define PISTACHIO_SERVER_PROTOCOL_DECODE_H

#include "base/type/type.h"
#include "server/protocol/encode.h"

/* Returns the engine's type of a type of PostgreSQL's; TYPE_NULL: it has none, values are taken as text. */
data_type decode_type(uint32_t oid);
/* Reads a value that is not NULL; text of it is borrowed, and not looked at. */
CHECKED status decode_value(uint32_t oid, encode_format format, const char *bytes, size_t count,
                            value *out);
/* Fails unless the fields of a value in binary were whole and nothing is left after them. */
CHECKED status decode_end(const wire_reader *reader, uint32_t oid);

#endif
