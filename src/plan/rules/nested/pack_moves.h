/* pack_moves.h - nested values travel as bytes.
 *
 *     sort [a]                 project [a, nested_of_bytes(p) as l]
 *       rows (a, l)     ->       sort [a]
 *                                  project [a, nested_bytes(l) as p]
 *                                    rows (a, l)
 *
 * What sorts, keeps or sends rows moves texts, whole or in pieces, to disk and to other ranks. Only what is left of a statement's
 * columns at the end of its planning is made so. */
#ifndef PISTACHIO_PLAN_RULES_NESTED_PACK_MOVES_H
#define PISTACHIO_PLAN_RULES_NESTED_PACK_MOVES_H

#include "plan/tree/plan.h"

/* After plan_distribute, or plan_optimize of a statement of one rank. */
CHECKED status plan_pack_moves(plan_statement *statement);

#endif
