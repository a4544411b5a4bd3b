/* date.c - the calendar for the host. */
#include "base/type/calendar.h"

int32_t date_from_civil(int32_t year, unsigned month, unsigned day)
{
    return calendar_from_civil(year, month, day);
}

void date_to_civil(int32_t days, int32_t *year, unsigned *month, unsigned *day)
{
    calendar_to_civil(days, year, month, day);
}

int32_t date_add_months(int32_t days, int32_t months)
{
    return calendar_add_months(days, months);
}

unsigned date_month_days(int32_t year, unsigned month)
{
    return calendar_month_days(year, month);
}
