/* iceberg_value.h - values in manifests: bounds of columns in bytes, values of partitions. */
#ifndef PISTACHIO_LAKE_ICEBERG_ICEBERG_VALUE_H
#define PISTACHIO_LAKE_ICEBERG_ICEBERG_VALUE_H

#include "lake/iceberg/iceberg_metadata.h"
#include "lake/log/avro.h"

/* Reads a value in its binary form; false: the bytes are not one of the type, or of one that is widened to it. Text in the
 * arena. */
bool iceberg_value_of_bytes(arena *a, const uint8_t *bytes, size_t count, data_type type,
                            value *out);
/* Narrows the bounds by what the partition's field says of its column. `v` NULL: all of its values are NULL, or the
 * transform makes NULL of them. */
bool iceberg_narrow(arena *a, const iceberg_field *field, const avro_value *v, data_type type,
                    pq_statistics *bounds);
/* Narrows the bounds by partitions that lie between two bounds, which are in their binary form. */
void iceberg_narrow_between(arena *a, const iceberg_field *field, const avro_value *low,
                            const avro_value *high, data_type type, pq_statistics *bounds);
/* Reads a bound of a partition's field that is a number; false: its bytes are not one. */
bool iceberg_number_of_bytes(const avro_value *bytes, int64_t *out);
/* Reads the value of an identity partition; false: it is not one of the type. */
bool iceberg_value_of_avro(arena *a, const avro_value *v, data_type type, value *out);

#endif
