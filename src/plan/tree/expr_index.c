/* expr_index.c - a hash table with chains. */
#include "plan/tree/expr_index.h"

#include "base/system/guard.h"

#define BUCKETS_FIRST 64

static uint64_t expr_index_mix(uint64_t hash, uint64_t word)
{
    hash = (hash ^ word) * 0x9fb21c651e98df25ull;
    return hash ^ hash >> 32;
}

/* Values that compare as equal have one hash: of 0.0 and -0.0, and of intervals, nothing but the type counts. */
static uint64_t hash_constant(uint64_t hash, const value *v)
{
    if (v->is_null || v->type.id == TYPE_FLOAT || v->type.id == TYPE_DOUBLE ||
        v->type.id == TYPE_INTERVAL)
        return hash;
    if (!type_is_text(v->type)) {
        uint128 number = v->type.id == TYPE_BOOL ? v->boolean : (uint128)value_int128(v);
        return expr_index_mix(expr_index_mix(hash, (uint64_t)number), (uint64_t)(number >> 64));
    }
    for (size_t i = 0; i < v->bytes; i++)
        hash = expr_index_mix(hash, (uint8_t)v->text[i]);
    return hash;
}

static uint64_t hash_expr(const expr *e)
{
    if (!e || !guard_may_go_on())
        return 0;
    uint64_t hash = expr_index_mix(e->kind, e->type.id);
    if (e->kind == EXPR_COLUMN)
        hash = expr_index_mix(hash, e->column_id);
    else if (e->kind == EXPR_CONSTANT)
        hash = hash_constant(hash, &e->constant);
    else if (e->kind == EXPR_CALL)
        hash = expr_index_mix(hash, e->op);
    for (uint32_t i = 0; i < e->arg_count; i++)
        hash = expr_index_mix(hash, hash_expr(e->args[i]));
    return hash;
}

static status expr_index_grow(arena *a, expr_index *index)
{
    uint32_t count = index->bucket_count ? index->bucket_count * 4 : BUCKETS_FIRST;
    uint32_t *first = arena_alloc_array(a, count, sizeof *first);
    if (!first)
        return status_no_memory("plan", count * sizeof *first);
    memset(first, 0xff, count * sizeof *first);
    for (uint32_t i = 0; i < index->entries.count; i++) {
        expr_index_entry *entry = &index->entries.items[i];
        entry->next = first[entry->hash % count];
        first[entry->hash % count] = i;
    }
    index->first = first;
    index->bucket_count = count;
    return STATUS_OK;
}

status expr_index_add(arena *a, expr_index *index, const expr *e)
{
    if (index->entries.count >= index->bucket_count)
        TRY(expr_index_grow(a, index));
    uint64_t hash = hash_expr(e);
    uint32_t *first = &index->first[hash % index->bucket_count];
    expr_index_entry entry = {e, hash, *first};
    TRY(array_push(a, &index->entries, entry));
    *first = (uint32_t)index->entries.count - 1;
    return STATUS_OK;
}

static bool expr_index_is_equal(const expr *left, const expr *right)
{
    return left && right ? expr_equal(left, right) : left == right;
}

static uint32_t expr_index_find(const expr_index *index, const expr *e, uint64_t hash,
                                uint32_t from)
{
    while (from != EXPR_INDEX_NONE && (index->entries.items[from].hash != hash ||
                                       !expr_index_is_equal(index->entries.items[from].e, e)))
        from = index->entries.items[from].next;
    return from;
}

uint32_t expr_index_first(const expr_index *index, const expr *e)
{
    if (!index->bucket_count)
        return EXPR_INDEX_NONE;
    uint64_t hash = hash_expr(e);
    return expr_index_find(index, e, hash, index->first[hash % index->bucket_count]);
}

uint32_t expr_index_next(const expr_index *index, const expr *e, uint32_t number)
{
    const expr_index_entry *entry = &index->entries.items[number];
    return expr_index_find(index, e, entry->hash, entry->next);
}

uint32_t expr_index_least(const expr_index *index, const expr *e)
{
    uint32_t least = EXPR_INDEX_NONE, number = expr_index_first(index, e);
    for (; number != EXPR_INDEX_NONE; number = expr_index_next(index, e, number))
        least = number < least ? number : least;
    return least;
}
