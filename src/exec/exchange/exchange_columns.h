/* exchange_columns.h - which columns of an exchange travel: all but those that nobody above needs. */
#ifndef PISTACHIO_EXEC_EXCHANGE_EXCHANGE_COLUMNS_H
#define PISTACHIO_EXEC_EXCHANGE_EXCHANGE_COLUMNS_H

#include "device/tensor.h"
#include "plan/tree/plan.h"

/* An exchange's columns, alike on all ranks. */
typedef struct exchange_columns {
    uint32_t count;     /* that travel */
    uint32_t all_count; /* of the exchange */
    uint32_t *sources;  /* of those that travel, which of the exchange's */
    data_type *types;   /* of those that travel */
} exchange_columns;

CHECKED status exchange_columns_init(const plan_node *exchange, exchange_columns *out);
void exchange_columns_release(exchange_columns *columns); /* takes a zeroed one */
/* A chunk of those that travel, sharing them; *out has references of its own. */
CHECKED status exchange_columns_narrow(const exchange_columns *columns, const chunk *c,
                                       chunk **out);
/* The way back: the others are NULL. Takes the chunk over, also on failure. */
CHECKED status exchange_columns_widen(const exchange_columns *columns, chunk *c, chunk **out);
/* Rows with an exact count in the host's reach (dev_host), which a lazy device's stream is awaited for.
 * Takes the chunk over, also on failure. */
CHECKED status exchange_to_host(dev_stream *stream, chunk *c, chunk **out);
/* Another chunk of the same columns. */
CHECKED status exchange_share(const chunk *c, chunk **out);

#endif
