/* tensor_value.h - a row of a tensor as a value, for messages, constants and comparisons. */
#ifndef PISTACHIO_DEVICE_TENSOR_VALUE_H
#define PISTACHIO_DEVICE_TENSOR_VALUE_H

#include "device/tensor.h"

/* The value of a row of a FLAT or CONSTANT tensor on a host device. Text is borrowed. */
value tensor_value(const tensor *flat, uint64_t row);

#endif
