/* thrift_write.h - writing Thrift's compact protocol into a buffer.
 *
 * Fields are put in the order of their identifiers; a struct, the outermost one as well, is closed
 * by thrift_end. */
#ifndef PISTACHIO_PARQUET_FORMAT_THRIFT_WRITE_H
#define PISTACHIO_PARQUET_FORMAT_THRIFT_WRITE_H

#include "parquet/format/buffer.h"
#include "parquet/format/thrift.h"

typedef struct thrift_writer {
    pq_buffer *out;
    unsigned depth;
    int16_t last[THRIFT_DEPTH_MAX]; /* the last field's identifier, per open struct */
} thrift_writer;

thrift_writer thrift_writer_make(pq_buffer *out);
void thrift_put_bool(thrift_writer *writer, int16_t id, bool boolean);
void thrift_put_i8(thrift_writer *writer, int16_t id, int8_t number);
void thrift_put_i16(thrift_writer *writer, int16_t id, int16_t number);
void thrift_put_i32(thrift_writer *writer, int16_t id, int32_t number);
void thrift_put_i64(thrift_writer *writer, int16_t id, int64_t number);
void thrift_put_binary(thrift_writer *writer, int16_t id, const void *data, size_t bytes);
void thrift_put_text(thrift_writer *writer, int16_t id, const char *text);
/* Opens a struct; thrift_end closes it. */
void thrift_put_struct(thrift_writer *writer, int16_t id);
void thrift_end(thrift_writer *writer);
/* A union's member or an annotation without fields. */
void thrift_put_empty(thrift_writer *writer, int16_t id);
/* A field whose value is a struct that is encoded already. */
void thrift_put_encoded(thrift_writer *writer, int16_t id, const void *data, size_t bytes);

/* A list; exactly `count` items follow. */
void thrift_put_list(thrift_writer *writer, int16_t id, thrift_type element, size_t count);
void thrift_item_bool(thrift_writer *writer, bool boolean);
void thrift_item_int(thrift_writer *writer, int64_t number); /* i16, i32, i64 */
void thrift_item_binary(thrift_writer *writer, const void *data, size_t bytes);
void thrift_item_struct(thrift_writer *writer); /* closed by thrift_end */

#endif
