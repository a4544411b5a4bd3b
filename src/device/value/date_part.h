/* date_part.h - names of the fields of dates and times. */
#ifndef PISTACHIO_DEVICE_VALUE_DATE_PART_H
#define PISTACHIO_DEVICE_VALUE_DATE_PART_H

#include "base/type/type.h"
#include "device/kernels/kernel_ops.h"

/* The field of this name, a text in lower case; also in the plural, and as PostgreSQL abbreviates it. False: there is none. */
bool dev_part_find(const value *name, dev_date_part *out);
/* Does a value of the type have the field? */
bool dev_part_is_of(dev_date_part part, data_type type);

#endif
