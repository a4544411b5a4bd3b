/* arrow_column.h - rows of a client's Arrow array as a batch of our own, for a sink. */
#ifndef PISTACHIO_API_ARROW_ARROW_COLUMN_H
#define PISTACHIO_API_ARROW_ARROW_COLUMN_H

#include "api/arrow/arrow_nested.h"
#include "api/arrow/arrow_row.h"
#include "base/status.h"
#include "base/type/type.h"
#include "device/device.h"
#include "exec/operators/op_result.h"

/* The type of a table's column that is made of it: as api_arrow_type, or a nested type that the arena holds, but that of a
 * column without a type is varchar. UNSUPPORTED, with its name, for one that files do not have (intervals). */
CHECKED status api_arrow_table_type(arena *a, const struct ArrowSchema *column, data_type *out);

/* Rows [first, first + count) of a struct array that was checked, of columns with these types; nested ones have taken their
 * arrays, the others are NULL there. Numbers of the same layout are borrowed from the array, texts and all else are
 * copied; what texts take is charged to the device's budget for memory of the host. */
CHECKED status api_arrow_batch(const struct ArrowSchema *schema, const struct ArrowArray *array,
                               int64_t first, uint64_t count, const data_type *types,
                               api_arrow_nested *const *nested, device *dev, exec_batch **out);

#endif
