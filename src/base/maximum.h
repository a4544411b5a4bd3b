/* maximum.h - the greatest of numbers that several threads see. */
#ifndef PISTACHIO_BASE_MAXIMUM_H
#define PISTACHIO_BASE_MAXIMUM_H

#include <stdatomic.h>
#include <stdint.h>

/* *maximum becomes `number` if it is less; it never falls. Orders nothing else: the number is all
 * that threads tell one another. */
static inline void maximum_raise(_Atomic uint64_t *maximum, uint64_t number)
{
    uint64_t before = atomic_load_explicit(maximum, memory_order_relaxed);
    while (before < number &&
           !atomic_compare_exchange_weak_explicit(maximum, &before, number, memory_order_relaxed,
                                                  memory_order_relaxed))
        ;
}

#endif
