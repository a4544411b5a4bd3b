/* listed.c - a hash table with open addressing, by a hash of 128 bits. */
#include "http/listed.h"

#include "base/system/mutex.h"

#include <string.h>
#include <time.h>

#include "http/engine.h"

#define SLOTS_MIN 1024

typedef struct slot {
    uint64_t hash[2]; /* 0, 0: empty */
    listed_version version;
} slot;

static pthread_mutex_t lock = MUTEX_INITIALIZER;
/* Under the lock. */
static slot *slots;
static size_t slot_count, used_count;
static unsigned listings; /* that go on */
static time_t ended;

/* Objects that were opened last, a ring. */
#define OPENED_MAX 256
static struct {
    uint64_t hash[2]; /* 0, 0: none */
    file_version version;
    time_t seconds;
} opened[OPENED_MAX];
static size_t opened_count;

/* ---- with the lock held ---- */

static time_t now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec;
}

static bool has_expired(void)
{
    return !listings && now() - ended > LISTED_SECONDS;
}

static void clear(void)
{
    mem_free(slots);
    slots = NULL;
    slot_count = used_count = 0;
}

/* FNV-1a with two offsets, mixed at the end. */
static void hash_of(const object_settings *s, const char *url, uint64_t out[2])
{
    out[0] = UINT64_C(0xcbf29ce484222325) ^ s->serial;
    out[1] = UINT64_C(0x9ae16a3b2f90404f) + s->serial;
    for (; *url; url++)
        for (int i = 0; i < 2; i++)
            out[i] = (out[i] ^ (unsigned char)*url) * UINT64_C(0x100000001b3);
    for (int i = 0; i < 2; i++)
        out[i] = (out[i] ^ out[i] >> 32) * UINT64_C(0xff51afd7ed558ccd);
    out[0] |= 1;
}

/* The slot of the hash, or the empty one where it would be. */
static slot *find(slot *in, size_t count, const uint64_t hash[2])
{
    size_t at = (size_t)(hash[0] >> 20) & (count - 1);
    while (in[at].hash[0] && (in[at].hash[0] != hash[0] || in[at].hash[1] != hash[1]))
        at = (at + 1) & (count - 1);
    return &in[at];
}

/* At most half of the slots are used. False: there is no room. */
static bool make_room(void)
{
    if (used_count < slot_count / 2)
        return true;
    size_t count = slot_count ? 2 * slot_count : SLOTS_MIN;
    slot *made = used_count < LISTED_MAX ? mem_new(count * sizeof *made) : NULL;
    if (!made)
        return false;
    for (size_t i = 0; i < slot_count; i++)
        if (slots[i].hash[0])
            *find(made, count, slots[i].hash) = slots[i];
    mem_free(slots);
    slots = made;
    slot_count = count;
    return true;
}

/* ---- the interface ---- */

void listed_begin(void)
{
    mutex_lock(&lock);
    if (has_expired())
        clear();
    listings++;
    mutex_unlock(&lock);
}

void listed_end(void)
{
    mutex_lock(&lock);
    listings--;
    ended = now();
    mutex_unlock(&lock);
}

void listed_add(const object_settings *s, const char *url, const listed_version *version)
{
    uint64_t hash[2];
    hash_of(s, url, hash);
    mutex_lock(&lock);
    if (make_room()) {
        slot *at = find(slots, slot_count, hash);
        used_count += !at->hash[0];
        *at = (slot){{hash[0], hash[1]}, *version};
    }
    mutex_unlock(&lock);
}

bool listed_find(const object_settings *s, const char *url, listed_version *out)
{
    uint64_t hash[2];
    hash_of(s, url, hash);
    mutex_lock(&lock);
    const slot *at = slot_count && !has_expired() ? find(slots, slot_count, hash) : NULL;
    bool is_known = at && at->hash[0];
    if (is_known)
        *out = at->version;
    mutex_unlock(&lock);
    return is_known;
}

void listed_opened(const object_settings *s, const char *url, const file_version *version)
{
    uint64_t hash[2];
    hash_of(s, url, hash);
    mutex_lock(&lock);
    size_t at = opened_count++ % OPENED_MAX;
    memcpy(opened[at].hash, hash, sizeof hash);
    opened[at].version = *version;
    opened[at].seconds = now();
    mutex_unlock(&lock);
}

bool listed_take_opened(const object_settings *s, const char *url, file_version *out)
{
    uint64_t hash[2];
    bool is_found = false;
    hash_of(s, url, hash);
    mutex_lock(&lock);
    for (size_t i = 0; i < OPENED_MAX && !is_found; i++) {
        if (memcmp(opened[i].hash, hash, sizeof hash) != 0 ||
            now() - opened[i].seconds > LISTED_SECONDS)
            continue;
        *out = opened[i].version;
        memset(opened[i].hash, 0, sizeof hash);
        is_found = true;
    }
    mutex_unlock(&lock);
    return is_found;
}

void listed_forget(void)
{
    mutex_lock(&lock);
    clear();
    memset(opened, 0, sizeof opened);
    mutex_unlock(&lock);
}
