/* kernel_time.c - fields of dates and times, cutting them, and arithmetic with intervals. */
#include "device/cpu/kernel.h"
#include "device/value/time_value.h"

/* ---- dates, vectorized: 32-bit arithmetic without branches (Hinnant's civil_from_days) ---- */

#define BLOCK 1024
/* Days from here on either side of 1970 stay positive, and in 32 bits. */
#define PLAIN_DAYS 1000000000
#define ERA_DAYS 146097u
#define SHIFT_ERAS 7000u

/* Year, month from March on (0 to 11) and its day from 0, of days counted from 0000-03-01 some eras
 * ago. */
static inline void civil_parts(uint32_t shifted, uint32_t *year, uint32_t *month, uint32_t *day)
{
    uint32_t era = shifted / ERA_DAYS, of_era = shifted - era * ERA_DAYS;
    uint32_t year_of_era = (of_era - of_era / 1460 + of_era / 36524 - of_era / 146096) / 365;
    uint32_t of_year = of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    *month = (5 * of_year + 2) / 153;
    *day = of_year - (153 * *month + 2) / 5;
    *year = year_of_era + era * 400 + (*month >= 10);
}

#define PART_LOOP(expression)                                                                      \
    for (size_t i = 0; i < rows; i++) {                                                            \
        uint32_t year, month, day;                                                                 \
        civil_parts((uint32_t)days[i] + 719468u + SHIFT_ERAS * ERA_DAYS, &year, &month, &day);     \
        month = month < 10 ? month + 3 : month - 9;                                                \
        out[i] = (expression);                                                                     \
    }

/* Takes parts of dates in a plain loop. False: the loops do not take the part, or a date. */
static bool plain_date_parts(dev_date_part part, const int32_t *days, size_t rows, int64_t *out)
{
    uint32_t is_far = 0;
    for (size_t i = 0; i < rows; i++)
        is_far |= (uint32_t)days[i] + PLAIN_DAYS > 2u * PLAIN_DAYS;
    if (is_far)
        return false;
    if (part == DEV_PART_YEAR)
        PART_LOOP((int32_t)(year - SHIFT_ERAS * 400) - ((int32_t)(year - SHIFT_ERAS * 400) <= 0))
    else if (part == DEV_PART_MONTH)
        PART_LOOP(month)
    else if (part == DEV_PART_DAY)
        PART_LOOP(day + 1)
    else if (part == DEV_PART_QUARTER)
        PART_LOOP((month + 2) / 3)
    else
        return false;
    return true;
}

void ISA_(date_part)(const date_part_arguments *a)
{
    size_t count = kernel_count(a->count);
    if (a->type.id == TYPE_DATE && !dev_part_is_real((dev_date_part)a->part)) {
        int64_t *out = a->out;
        for (size_t from = 0; from < count; from += BLOCK) {
            size_t rows = count - from < BLOCK ? count - from : BLOCK;
            const int32_t *days = (const int32_t *)a->values + from;
            if (!plain_date_parts((dev_date_part)a->part, days, rows, out + from))
                for (size_t i = 0; i < rows; i++)
                    out[from + i] = part_of_date((dev_date_part)a->part, days[i]);
        }
        return;
    }
    if (dev_part_is_real((dev_date_part)a->part)) {
        for (size_t i = 0; i < count; i++)
            ((double *)a->out)[i] =
                a->part == DEV_PART_EPOCH ? date_part_epoch(a, i) : date_part_julian(a, i);
        return;
    }
    for (size_t i = 0; i < count; i++)
        ((int64_t *)a->out)[i] = date_part_row(a, i);
}

void ISA_(date_trunc)(const date_trunc_arguments *a)
{
    size_t count = kernel_count(a->count);
    for (size_t i = 0; i < count; i++) {
        int64_t result = 0;
        if (!date_trunc_row(a, i, &result) && kernel_is_valid(a->validity, i)) {
            kernel_fail(a->error, DEV_ERROR_OVERFLOW, a->location, i);
            return;
        }
        a->out[i] = result;
    }
}

void ISA_(time_arithmetic)(const time_arithmetic_arguments *a)
{
    size_t count = kernel_count(a->count);
    for (size_t i = 0; i < count; i++) {
        if (time_arithmetic_row(a, i))
            continue;
        if (kernel_is_valid(a->validity, i)) {
            kernel_fail(a->error, DEV_ERROR_OVERFLOW, a->location, i);
            return;
        }
        size_t width = time_arithmetic_width((dev_time_op)a->op);
        memset((char *)a->out + i * width, 0, width);
    }
}
