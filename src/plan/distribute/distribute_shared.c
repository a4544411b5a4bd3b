/* distribute_shared.c - see distribute_shared.h. */
#include "plan/distribute/distribute_shared.h"

#include "plan/edit/copy.h"
#include "plan/edit/shared.h"

/* Notes how many rows the last shared plan can have. */
static status distribute_shared_note(distributor *d, uint32_t id)
{
    const double *known = d->most_shared_rows;
    d->most_shared_rows =
        arena_alloc_array(d->statement->memory, (size_t)id + 2, sizeof *d->most_shared_rows);
    if (!d->most_shared_rows)
        return status_no_memory("plan", sizeof *known);
    if (id)
        memcpy(d->most_shared_rows, known, id * sizeof *known);
    d->most_shared_rows[id] = d->statement->shared.items[id]->estimated_rows;
    return STATUS_OK;
}

status distribute_share(distributor *d, plan_node **slot, uint32_t *out_id)
{
    plan_statement *s = d->statement;
    plan_node *copy, *reference;
    *out_id = (uint32_t)s->shared.count;
    TRY(plan_copy_renamed(s, *slot, &copy));
    TRY(array_push(s->memory, &s->shared, copy));
    TRY(distribute_shared_note(d, *out_id));
    TRY(plan_shared_reference(s, *out_id, &reference));
    reference->columns = (*slot)->columns;
    reference->position = (*slot)->position;
    reference->placement = PLACEMENT_PARTS;
    reference->estimated_rows = copy->estimated_rows;
    *slot = reference;
    return STATUS_OK;
}
