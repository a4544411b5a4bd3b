/* window_ignore.h - IGNORE NULLS. */
#ifndef PISTACHIO_EXEC_WINDOW_WINDOW_IGNORE_H
#define PISTACHIO_EXEC_WINDOW_WINDOW_IGNORE_H

#include "exec/window/window.h"

/* The row whose value each row is given; ROW_NULL: none. The default of lag and lead is the row behind the last by the row's own
 * number. */
CHECKED status window_ignore_nulls(window_rows *rows, const plan_window_call *call,
                                   row_index **out);

#endif
