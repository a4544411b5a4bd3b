/* nested_order.h - the order of two values of any type, in tensors of any form on a host device. */
#ifndef PISTACHIO_DEVICE_NESTED_NESTED_ORDER_H
#define PISTACHIO_DEVICE_NESTED_NESTED_ORDER_H

#include "device/tensor.h"

/* -1, 0, 1: values of one type. NULL is greater than all others and equal to NULL; lists are compared element by element and
 * then by length, structs field by field. */
int nested_compare(const tensor *left, uint64_t i, const tensor *right, uint64_t k);
/* Whether the row has a value. */
bool nested_value_is_valid(const tensor *t, uint64_t row);

#endif
