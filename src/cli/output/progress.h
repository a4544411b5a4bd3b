/* progress.h - a line on stderr while a query takes long: share of the scans, bytes a second.
 *
 * Only where stderr is a terminal, and only after half a second. */
#ifndef PISTACHIO_CLI_OUTPUT_PROGRESS_H
#define PISTACHIO_CLI_OUTPUT_PROGRESS_H

#include "pistachio/pistachio.h"

/* A statement of the connection begins; ends. One at a time, from one thread. */
void progress_begin(pistachio_connection *connection);
void progress_end(void);
/* Around what may take long and prints nothing: the line is there only between both. */
void progress_show(void);
void progress_hide(void);
/* pistachio_next, between both. */
pistachio_error *progress_next(pistachio_result *result, const pistachio_batch **out);

#endif
