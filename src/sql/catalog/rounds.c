/* rounds.c - see rounds.h. */
#include "sql/catalog/rounds.h"

#include <stdio.h>

void sql_round_table(uint32_t number, bool is_last_round, char *out)
{
    snprintf(out, SQL_ROUND_NAME_BYTES, "\001recursive %u %s", number,
             is_last_round ? "round" : "rows");
}

void sql_round_values(uint32_t number, char *out)
{
    snprintf(out, SQL_ROUND_NAME_BYTES, "\001pivot %u", number);
}
