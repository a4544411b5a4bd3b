/* budget.c - a hard bound on bytes, shared by threads: one counter, taken from by compare and
 * swap, so that it never passes the limit, not even for a moment. */
#include "base/budget.h"

#include "base/maximum.h"
#include "base/mem.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>

struct mem_budget {
    _Atomic uint32_t references;
    _Atomic uint64_t used, peak, exported;
    _Atomic uint64_t lent;    /* of what is used */
    uint64_t limit;           /* UINT64_MAX: none */
    const char *setting;      /* that gives the limit */
    unsigned parts;           /* of the setting's bytes, which are equal */
    const mem_lender *lender; /* NULL: none */
    void *lender_of;
    const mem_lender *holder; /* of what is lent; NULL: none */
    void *holder_of;
    mem_budget *whole; /* of which it is a part; or NULL */
};

status mem_budget_new(uint64_t limit_bytes, mem_budget **out)
{
    return mem_budget_new_of("memory_limit", limit_bytes, out);
}

status mem_budget_new_of(const char *setting, uint64_t limit_bytes, mem_budget **out)
{
    *out = NULL;
    mem_budget *budget = mem_new(sizeof *budget);
    if (!budget)
        return status_no_memory("memory budget", sizeof *budget);
    atomic_init(&budget->references, 1);
    budget->limit = limit_bytes ? limit_bytes : UINT64_MAX;
    budget->setting = setting;
    budget->parts = 1;
    *out = budget;
    return STATUS_OK;
}

status mem_budget_new_within(mem_budget *whole, const char *name, uint64_t limit_bytes,
                             mem_budget **out)
{
    TRY(mem_budget_new_of(name, limit_bytes, out));
    (*out)->whole = mem_budget_ref(whole);
    if (whole->limit < (*out)->limit)
        (*out)->limit = whole->limit;
    return STATUS_OK;
}

void mem_budget_set_parts(mem_budget *budget, unsigned parts)
{
    budget->parts = parts;
}

void mem_budget_set_lender(mem_budget *budget, const mem_lender *lender, void *of)
{
    budget->lender = lender;
    budget->lender_of = of;
}

void mem_budget_set_holder(mem_budget *budget, const mem_lender *holder, void *of)
{
    budget->holder = holder;
    budget->holder_of = of;
}

void mem_budget_lend(mem_budget *budget, uint64_t bytes)
{
    atomic_fetch_add_explicit(&budget->lent, bytes, memory_order_relaxed);
}

void mem_budget_unlend(mem_budget *budget, uint64_t bytes)
{
    uint64_t before = atomic_fetch_sub_explicit(&budget->lent, bytes, memory_order_relaxed);
    assert(before >= bytes);
    (void)before;
}

/* More than is needed is asked back at a time: of the limit. */
#define LENDER_STEP 64

/* Part of the limit, one in so many, that a lender who holds something leaves to what is in no budget: the program, plans,
 * footers, stacks. Without a lender queries seldom come close to the limit, with one always. */
#define UNCOUNTED_PART 16

uint64_t mem_budget_held(const mem_budget *budget)
{
    uint64_t held = budget->lender ? budget->lender->held(budget->lender_of) / budget->parts : 0;
    return held && budget->limit != UINT64_MAX ? held + budget->limit / UNCOUNTED_PART : held;
}

/* Has the lender give back what would pass the limit together with `used` bytes. */
static void ask_back(const mem_budget *budget, uint64_t used)
{
    uint64_t held = mem_budget_held(budget);
    if (used + held > budget->limit)
        budget->lender->give_back(budget->lender_of, (used + held - budget->limit) * budget->parts +
                                                         budget->limit / LENDER_STEP);
}

static status limit_reached(const mem_budget *budget, uint64_t used, uint64_t bytes,
                            const char *who)
{
    char part[64] = "";
    if (budget->parts > 1)
        snprintf(part, sizeof part, ", a part of %u,", budget->parts);
    status st = status_new(STATUS_KIND_LIMIT,
                           "%s of %" PRIu64 " bytes%s reached: %s needs %" PRIu64 " bytes, %" PRIu64
                           " are in use",
                           budget->setting, budget->limit, part, who, bytes, used);
    if (budget->whole)
        return status_hint(st, "%" PRIu64 " bytes would have done here", used + bytes);
    return status_hint(
        st, "SET %s to more (%" PRIu64 " bytes would have done here), or use fewer %s",
        budget->setting, (used + bytes) * budget->parts, budget->parts > 1 ? "ranks" : "threads");
}

mem_budget *mem_budget_ref(mem_budget *budget)
{
    atomic_fetch_add_explicit(&budget->references, 1, memory_order_relaxed);
    return budget;
}

void mem_budget_free(mem_budget *budget)
{
    if (!budget || atomic_fetch_sub_explicit(&budget->references, 1, memory_order_acq_rel) != 1)
        return;
    mem_budget_free(budget->whole);
    mem_free(budget);
}

/* *out_used: before. */
static bool take_within_limit(mem_budget *budget, uint64_t bytes, uint64_t *out_used)
{
    uint64_t used = atomic_load_explicit(&budget->used, memory_order_relaxed);
    bool has_room;
    do
        has_room = bytes <= budget->limit - used;
    while (has_room &&
           !atomic_compare_exchange_weak_explicit(&budget->used, &used, used + bytes,
                                                  memory_order_relaxed, memory_order_relaxed));
    *out_used = used;
    if (has_room)
        maximum_raise(&budget->peak, used + bytes);
    return has_room;
}

static void untake(mem_budget *budget, uint64_t bytes)
{
    uint64_t before = atomic_fetch_sub_explicit(&budget->used, bytes, memory_order_relaxed);
    assert(before >= bytes);
    (void)before;
}

bool mem_budget_try(mem_budget *budget, uint64_t bytes)
{
    uint64_t used;
    if (!take_within_limit(budget, bytes, &used))
        return false;
    if (!budget->whole || mem_budget_try(budget->whole, bytes))
        return true;
    untake(budget, bytes);
    return false;
}

status mem_budget_take(mem_budget *budget, uint64_t bytes, const char *who)
{
    uint64_t used;
    if (!take_within_limit(budget, bytes, &used)) {
        if (budget->holder && atomic_load_explicit(&budget->lent, memory_order_relaxed))
            budget->holder->give_back(budget->holder_of,
                                      bytes - (budget->limit - used) + budget->limit / LENDER_STEP);
        return limit_reached(budget, used, bytes, who);
    }
    status st = budget->whole ? mem_budget_take(budget->whole, bytes, who) : STATUS_OK;
    if (st)
        untake(budget, bytes);
    else if (budget->lender && budget->limit != UINT64_MAX)
        ask_back(budget, used + bytes);
    return st;
}

void mem_budget_give(mem_budget *budget, uint64_t bytes)
{
    untake(budget, bytes);
    if (budget->whole)
        mem_budget_give(budget->whole, bytes);
}

void mem_budget_export(mem_budget *budget, uint64_t bytes)
{
    mem_budget_add_exported(budget, bytes);
    mem_budget_give(budget, bytes);
}

void mem_budget_add_exported(mem_budget *budget, uint64_t bytes)
{
    atomic_fetch_add_explicit(&budget->exported, bytes, memory_order_relaxed);
    if (budget->whole)
        mem_budget_add_exported(budget->whole, bytes);
}

void mem_budget_give_exported(mem_budget *budget, uint64_t bytes)
{
    uint64_t before = atomic_fetch_sub_explicit(&budget->exported, bytes, memory_order_relaxed);
    assert(before >= bytes);
    (void)before;
    if (budget->whole)
        mem_budget_give_exported(budget->whole, bytes);
}

uint64_t mem_budget_exported(const mem_budget *budget)
{
    return atomic_load_explicit(&budget->exported, memory_order_relaxed);
}

uint64_t mem_budget_used(const mem_budget *budget)
{
    uint64_t used = atomic_load_explicit(&budget->used, memory_order_relaxed);
    uint64_t lent = atomic_load_explicit(&budget->lent, memory_order_relaxed);
    return used > lent ? used - lent : 0;
}

uint64_t mem_budget_peak(const mem_budget *budget)
{
    return atomic_load_explicit(&budget->peak, memory_order_relaxed);
}

uint64_t mem_budget_limit(const mem_budget *budget)
{
    return budget->limit == UINT64_MAX ? 0 : budget->limit;
}
