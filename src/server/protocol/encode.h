/* encode.h - values of a result as a DataRow has them: in text, or in PostgreSQL's binary forms.
 *
 * Text is what SQL prints, but booleans are t and f. Timestamps are cut to microseconds in both. */
#ifndef PISTACHIO_SERVER_PROTOCOL_ENCODE_H
#define PISTACHIO_SERVER_PROTOCOL_ENCODE_H

#include "base/time/zone.h"
#include "exec/operators/op_result.h"
#include "server/protocol/wire.h"

typedef enum encode_format { ENCODE_TEXT, ENCODE_BINARY } encode_format;

/* Writes the value's length and bytes, or -1 for NULL. zone: of texts of timestamps with time zone; NULL: UTC. */
void encode_value(wire_writer *out, const exec_batch_column *column, uint64_t row,
                  encode_format format, const zone *zone);
bool encode_is_null(const exec_batch_column *column, uint64_t row);

#endif
