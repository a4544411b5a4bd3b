/* mix.h - plans whose stages run on two devices: where rows move from the one to the other.
 *
 *     aggregate                    the plan's device
 *       move from cpu to cuda      (rows cross here)
 *         scan                     the other device
 *
 * A move stands for a change of device: what is above it is of one, what is below of the other, up to the next move. */
#ifndef PISTACHIO_API_CHOICE_MIX_H
#define PISTACHIO_API_CHOICE_MIX_H

#include "plan/tree/plan.h"

/* Returns whether stages of the plan may run on two devices: not with several ranks, nor where values are nested, which the
 * two hold in different ways. */
bool mix_is_possible(const plan_statement *plan);
/* Returns whether rows of the node's children have to stay in the order in which they lie: none moves below it. */
bool mix_keeps_order(const plan_node *node);
/* Returns whether rows of the node may go to the other device: not above those of a common subplan. */
bool mix_may_move(const plan_statement *plan, const plan_node *node);
/* Returns how many nodes there are. They are numbered from 0 on: common subplans first, then the plan, each node before its
 * children. */
uint32_t mix_node_count(const plan_statement *plan);

/* Puts moves into the plan above the nodes that `moves` says, by number. `device`: the one of its root. `names`: of the two
 * devices. */
CHECKED status mix_as_placed(plan_statement *plan, const bool *moves, const char *const names[2],
                             unsigned device);
/* Takes all moves out of the plan: all of it runs on one device. Filters that were dropped stay so. */
void mix_undo(plan_statement *plan);
/* Puts moves into the plan at random, by the seed and the statement's text: tests. *out_device: the one of its root. */
CHECKED status mix_at_random(plan_statement *plan, uint64_t seed, const char *const names[2],
                             unsigned *out_device);

#endif
