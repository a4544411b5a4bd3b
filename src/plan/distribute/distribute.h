/* distribute.h - a plan for several ranks: where each node's rows are made, and exchanges in between.
 *
 * Every rank has the same plan and runs the same stages of it, on its own row groups. Whatever needs
 * rows together that lie on different ranks (a join's partners, a group, an order) gets an exchange
 * below it. What is placed on rank 0 runs there alone; the others only send to it.
 *
 *     sort                          one     rank 0
 *       gather                      one     <── all ranks
 *         aggregate                 parts
 *           repartition by o_key    parts   all ranks <──> all ranks
 *             inner join            parts
 *               scan lineitem       parts   each rank its row groups
 *               broadcast           copies  all ranks <── all ranks
 *                 scan orders       parts
 */
#ifndef PISTACHIO_PLAN_DISTRIBUTE_DISTRIBUTE_H
#define PISTACHIO_PLAN_DISTRIBUTE_DISTRIBUTE_H

#include "plan/distribute/distribution.h"

/* After plan_optimize: places the nodes and adds exchanges; sets exchange_count, which is 0 where the
 * statement is to run on one rank. The result is a function of the plan and the distribution. */
CHECKED status plan_distribute(plan_statement *statement, const plan_distribution *distribution);
/* A number that differs where plans do. */
CHECKED status plan_hash(const plan_statement *statement, uint64_t *out);
/* A number that differs where a table's files do, as far as lengths and row groups say, whatever they
 * are called. */
uint64_t plan_files_hash(const struct pq_table *table);

#endif
