/* weight.h - weights of queries, by which they share the threads (shares.h). */
#ifndef PISTACHIO_EXEC_SCHED_WEIGHT_H
#define PISTACHIO_EXEC_SCHED_WEIGHT_H

#define EXEC_WEIGHT_LOW 1u
#define EXEC_WEIGHT_NORMAL 4u
#define EXEC_WEIGHT_HIGH 16u

#endif
