/* op_move.h - rows on their way from one device's memory to another's.
 *
 *     the part, on device A                     the query that wants its rows, on device B
 *     ... ─┤sink: a chunk to the host's memory├─ queue ─ source: into B's memory ─ ...
 *
 * The source is made as every plan node's is, op_move_open(); the part is a query of its own, which begins when a task first
 * pulls. A failure of the part is the query's; the part stops when the query does. */
#ifndef PISTACHIO_EXEC_OPERATORS_OP_MOVE_H
#define PISTACHIO_EXEC_OPERATORS_OP_MOVE_H

#include "exec/sched/query.h"

/* Makes the sink of the part whose rows the source gives. */
CHECKED status op_move_sink_open(exec_query *part, exec_operator *source, exec_operator **out);

#endif
