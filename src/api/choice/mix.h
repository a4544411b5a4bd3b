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
/* Puts moves into the plan at random, by the seed and the statement's text: tests. *out_device: the one of its root. `names`: of
 * the two devices. */
CHECKED status mix_at_random(plan_statement *plan, uint64_t seed, const char *const names[2],
                             unsigned *out_device);

#endif
