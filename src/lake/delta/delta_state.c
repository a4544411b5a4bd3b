/* delta_state.c - reconciles actions: of each file and deletion vector the last one counts. */
#include "lake/delta/delta_state.h"

#define FIRST_SLOTS 64

static uint64_t delta_state_hash_text(uint64_t hash, const char *text)
{
    for (; text && *text; text++)
        hash = (hash ^ (uint8_t)*text) * 0x100000001b3;
    return hash * 0x9e3779b97f4a7c15 + 1;
}

static uint64_t hash_action(const delta_action *x)
{
    uint64_t hash = delta_state_hash_text(0xcbf29ce484222325, x->path);
    hash = delta_state_hash_text(delta_state_hash_text(hash, x->vector.storage), x->vector.path);
    hash = (hash ^ (uint64_t)x->vector.offset) * 0x9e3779b97f4a7c15;
    return hash ^ hash >> 29;
}

static bool is_same_text(const char *a, const char *b)
{
    return a && b ? !strcmp(a, b) : a == b;
}

static bool is_same_file(const delta_action *a, const delta_action *b)
{
    return !strcmp(a->path, b->path) && is_same_text(a->vector.storage, b->vector.storage) &&
           is_same_text(a->vector.path, b->vector.path) && a->vector.offset == b->vector.offset;
}

/* The slot that has the action's number, or the free one where it belongs. */
static uint32_t *slot_of(const delta_state *s, const delta_action *x)
{
    size_t at = hash_action(x) & (s->slot_count - 1);
    while (s->slots[at] && !is_same_file(&s->actions.items[s->slots[at] - 1], x))
        at = (at + 1) & (s->slot_count - 1);
    return &s->slots[at];
}

/* At least half of the slots stay free. */
static status grow_slots(delta_state *s)
{
    if (2 * (s->actions.count + 1) <= s->slot_count)
        return STATUS_OK;
    size_t count = s->slot_count ? 2 * s->slot_count : FIRST_SLOTS;
    uint32_t *slots = arena_alloc_array(s->memory, count, sizeof *slots);
    if (!slots || s->actions.count >= UINT32_MAX)
        return status_no_memory("lake", count * sizeof *slots);
    s->slots = slots;
    s->slot_count = count;
    for (size_t i = 0; i < s->actions.count; i++)
        *slot_of(s, &s->actions.items[i]) = (uint32_t)i + 1;
    return STATUS_OK;
}

status delta_state_take(delta_state *s, const delta_action *action)
{
    TRY(grow_slots(s));
    uint32_t *slot = slot_of(s, action);
    if (*slot) {
        s->actions.items[*slot - 1] = *action;
        return STATUS_OK;
    }
    TRY(array_push(s->memory, &s->actions, *action));
    *slot = (uint32_t)s->actions.count;
    return STATUS_OK;
}

status delta_take_sidecar(delta_state *s, const char *path)
{
    return path ? array_push(s->memory, &s->sidecars, path) : STATUS_OK;
}

const char *delta_configuration(const delta_state *s, const char *name)
{
    for (size_t i = 0; i < s->configuration.count; i++)
        if (!strcmp(s->configuration.items[i].name, name))
            return s->configuration.items[i].value;
    return NULL;
}

/* ---- protocol ---- */

static bool is_known_feature(const char *name)
{
    static const char *const known[] = {"columnMapping",
                                        "deletionVectors",
                                        "timestampNtz",
                                        "v2Checkpoint",
                                        "vacuumProtocolCheck",
                                        "typeWidening",
                                        "typeWidening-preview",
                                        "variantType",
                                        "variantType-preview",
                                        "variantShredding",
                                        "variantShredding-preview"};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (!strcmp(name, known[i]))
            return true;
    return false;
}

status delta_check_protocol(const delta_state *s)
{
    if (!s->has_protocol)
        return status_new(STATUS_KIND_CORRUPT,
                          "the log of Delta table \"%s\" has no protocol up to version %lld",
                          s->name, (long long)s->version);
    if (s->reader_version < 1 || s->reader_version > 3)
        return status_new(STATUS_KIND_UNSUPPORTED,
                          "Delta table \"%s\" needs a reader of version %lld; versions up to 3 are "
                          "read",
                          s->name, (long long)s->reader_version);
    for (size_t i = 0; i < s->features.count; i++)
        if (!is_known_feature(s->features.items[i]))
            return status_new(STATUS_KIND_UNSUPPORTED,
                              "Delta table \"%s\" has feature \"%s\", which is not supported",
                              s->name, s->features.items[i]);
    return STATUS_OK;
}
