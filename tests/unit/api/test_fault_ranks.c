/* test_fault_ranks.c - statements of several ranks with each allocation made to fail, on whichever rank makes it: the
 * statement fails on all of them, none waits for what does not come, nothing stays allocated.
 *
 * test_label: slow */
#include "test.h"

#include "fault_sweep.h"

#include <stdlib.h>

static const char *const statements[] = {
    "SELECT s, md5(s) FROM t UNION SELECT s, b::text FROM t ORDER BY 1, 2",
    "SELECT a.s, count(*), sum(b.j) FROM t a LEFT JOIN t b ON a.i = b.i GROUP BY a.s ORDER BY 1",
    ("SELECT i, j, rank() OVER (PARTITION BY b ORDER BY j) FROM t WHERE j > (SELECT avg(j) FROM t) "
     "ORDER BY 1, 2 LIMIT 5"),
};
#define STATEMENT_COUNT (sizeof statements / sizeof *statements)

TEST(each_allocation_of_any_rank_may_fail)
{
    setenv("PISTACHIO_RANKS", "3", 1);
    setenv("PISTACHIO_DISTRIBUTE", "always", 1);
    for (size_t i = 0; i < STATEMENT_COUNT; i++)
        fault_sweep(statements[i], "cpu", FAULT_ALLOC, 10);
}
