/* encode_nested.h - lists, structs and maps as clients get them: a list of flat values as PostgreSQL's array, in text and in
 * binary; another as json. */
#ifndef PISTACHIO_SERVER_PROTOCOL_ENCODE_NESTED_H
#define PISTACHIO_SERVER_PROTOCOL_ENCODE_NESTED_H

#include "server/protocol/encode.h"

/* Writes the length and bytes of the row's value, which is not NULL. */
void encode_nested(wire_writer *out, const exec_batch_column *column, uint64_t row,
                   encode_format format, const zone *zone);

#endif
