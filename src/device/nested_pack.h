/* nested_pack.h - lists, structs and maps as bytes, in whose order they are, and back. On host devices.
 *
 * The bytes of a value are a blob's, so that all that blobs can do holds for nested values, too: grouping, joins, sorts, windows,
 * least and greatest values, texts in temporary files and between ranks. None of it has to know of levels. They carry the
 * structure alone; the type is known to whoever reads them.
 *
 *   list     01 element 01 element 02 00      an element, an element, NULL, the end
 *   map      01 key 01 value 00               entries one after the other; a value is led by 01, or is 02: NULL
 *   struct   01 field 02                      each field is led by 01, or is 02: NULL
 *   number   its bytes from the highest on, the sign turned over
 *   text     its bytes, 00 as 00 ff; then 00 00
 *
 * memcmp() of two such texts compares by element, then by length; structs by their fields; maps as lists of pairs; NULL after all
 * values. So do DuckDB and PostgreSQL. NESTED_KEYS: equal values have equal bytes: -0.0 is 0.0, any NaN is one, 30 days are
 * a month. NESTED_EXACT: what is read back is what was written, bit by bit.
 *
 * Decided against: kernels that hash and compare pairs of rows level by level. Each hash table, sort and exchange would need
 * another way to keep rows. A copy of each value is the price. */
#ifndef PISTACHIO_DEVICE_NESTED_PACK_H
#define PISTACHIO_DEVICE_NESTED_PACK_H

#include "device/tensor.h"

typedef enum nested_form { NESTED_KEYS, NESTED_EXACT } nested_form;

/* Makes a FLAT blob column of rows [first, first + count) of a FLAT nested tensor. `who` names the holder in a memory limit's error. */
CHECKED status nested_pack(device *dev, const tensor *t, uint64_t first, uint64_t count,
                           nested_form form, const char *who, tensor **out);
/* Returns the bytes that a row takes; 0: it is NULL. */
uint64_t nested_packed_bytes(const tensor *t, uint64_t row, nested_form form);
/* Makes a FLAT column of the type of `count` rows of a FLAT text or blob column, which may come from anywhere: a failure
 * of kind CORRUPT says that they are not what nested_pack made of this type. */
CHECKED status nested_unpack(device *dev, data_type type, const tensor *texts, uint64_t count,
                             nested_form form, const char *who, tensor **out);

#endif
