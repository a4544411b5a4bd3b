/* decode_array.h - PostgreSQL's arrays that a client sends: each becomes the text of a list. */
#ifndef PISTACHIO_SERVER_PROTOCOL_DECODE_ARRAY_H
#define PISTACHIO_SERVER_PROTOCOL_DECODE_ARRAY_H

#include "server/protocol/encode.h"
#include "server/protocol/wire.h"

/* Makes the type of lists of the elements; the caller releases it (nested_type_release). False: the type is not one of
 * arrays. */
CHECKED status decode_array_type(uint32_t oid, data_type *out, bool *out_is_array);

/* Reads an array. *out has the list's type, which the caller releases, and its text, which is
 * the message's or lies in `room`. Failures are as those of decode_value. */
CHECKED status decode_array(uint32_t oid, encode_format format, const char *bytes, size_t count,
                            wire_writer *room, value *out);

#endif
