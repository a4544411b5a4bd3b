/* text_pool.h - the text that all comments are cut out of. */
#ifndef PISTACHIO_TPCH_TEXT_POOL_H
#define PISTACHIO_TPCH_TEXT_POOL_H

#include "base/mem.h"

/* Bytes of the pool; where comments begin is drawn from all of it. */
#define TPCH_POOL_BYTES (300 * 1024 * 1024)

/* Makes the pool: TPCH_POOL_BYTES of sentences by the grammar of clause 4.2.2.14; owned by the
 * caller (tpch_pool_free). Some 0.5 to 3 s, at small scales most of the work: a few hundred
 * comments already begin all over the pool, and where a sentence lies is only known when all before
 * it were drawn, so that a part of the pool costs nearly as much as all of it. */
CHECKED status tpch_pool_new(char **out);
void tpch_pool_free(char *pool);

#endif
