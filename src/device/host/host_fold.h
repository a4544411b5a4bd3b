/* host_fold.h - functions of constants, computed when the plan is made. */
#ifndef PISTACHIO_DEVICE_HOST_HOST_FOLD_H
#define PISTACHIO_DEVICE_HOST_HOST_FOLD_H

#include "device/host/host.h"

/* A constant for all rows; it lies in *place, its text where it was. */
host_operand host_operand_of(const value *v, host_place *place);
/* The value of a call whose arguments are constants; false: it has to be left to the executor. */
bool host_fold(host_function function, data_type type, host_constants args, uint32_t arg_count,
               arena *memory, value *out);

#endif
