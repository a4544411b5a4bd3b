/* op_join_build.h - the sink of a join's build side. */
#ifndef PISTACHIO_EXEC_JOIN_OP_JOIN_BUILD_H
#define PISTACHIO_EXEC_JOIN_OP_JOIN_BUILD_H

#include "exec/join/op_join.h"

/* Takes what open has made so far. */
void join_build_close(exec_operator *base);
/* Lets go of the table: nobody looks into it any more. */
void join_release(op_join_build *join);

#endif
