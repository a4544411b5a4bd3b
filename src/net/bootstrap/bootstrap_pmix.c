/* bootstrap_pmix.c - introductions by whoever started the ranks: mpirun, prterun or srun, which speak
 * PMIx. libpmix is loaded when it is needed, and done with when the ranks know each other. */
#include "net/bootstrap/bootstrap_pmix.h"

#include "net/net.h"

#include <stdlib.h>

bool net_pmix_is_there(void)
{
    const char *rank = getenv("PMIX_RANK");
    return rank && *rank;
}

#if __has_include(<pmix.h>)

#include <dlfcn.h>
#include <pmix.h>
#include <stdio.h>

#define LIBRARY "libpmix.so.2"
#define HOST_KEY "pistachio.host"
#define ADDRESS_KEY "pistachio.address"

#define PMIX_FUNCTIONS(F)                                                                          \
    F(PMIx_Init)                                                                                   \
    F(PMIx_Finalize)                                                                               \
    F(PMIx_Get)                                                                                    \
    F(PMIx_Put)                                                                                    \
    F(PMIx_Commit)                                                                                 \
    F(PMIx_Fence)                                                                                  \
    F(PMIx_Error_string)

static struct pmix_library {
#define F(name) __typeof__(&name) name;
    PMIX_FUNCTIONS(F)
#undef F
    void (*release)(void *memory); /* the C library's, which PMIx's values come from */
} pmix;

static pmix_proc_t self;

static status bootstrap_pmix_load(void)
{
    const char *why = NULL;
    void *library = dlopen(LIBRARY, RTLD_NOW | RTLD_LOCAL);
    if (!library)
        why = dlerror();
#define F(name)                                                                                    \
    if (!why) {                                                                                    \
        *(void **)&pmix.name = dlsym(library, #name);                                              \
        why = pmix.name ? NULL : "it has no function " #name;                                      \
    }
    PMIX_FUNCTIONS(F)
#undef F
    *(void **)&pmix.release = dlsym(RTLD_DEFAULT, "free");
    if (!why && pmix.release)
        return STATUS_OK;
    return status_hint(status_new(STATUS_KIND_UNSUPPORTED,
                                  "this process was started by PMIx, whose library could not be "
                                  "loaded: %s",
                                  why ? why : "the C library gives no memory back"),
                       "install the package libpmix2, or take PMIX_RANK out of the environment");
}

static status bootstrap_pmix_failure(pmix_status_t code, const char *what)
{
    return status_new(STATUS_KIND_IO, "PMIx %s: %s", what, pmix.PMIx_Error_string(code));
}

static pmix_proc_t process(uint32_t rank)
{
    pmix_proc_t one = self;
    one.rank = rank;
    return one;
}

static status bootstrap_pmix_get(uint32_t rank, const char *key, pmix_data_type_t type,
                                 pmix_value_t **out)
{
    pmix_proc_t of = process(rank);
    pmix_status_t code = pmix.PMIx_Get(&of, key, NULL, 0, out);
    if (code != PMIX_SUCCESS)
        return status_context(bootstrap_pmix_failure(code, "does not say"), "%s", key);
    if ((*out)->type == type)
        return STATUS_OK;
    pmix.release(*out);
    return status_new(STATUS_KIND_CORRUPT, "%s from PMIx is of another type", key);
}

static status bootstrap_pmix_get_number(const char *key, unsigned *out)
{
    pmix_value_t *value;
    TRY(bootstrap_pmix_get(PMIX_RANK_WILDCARD, key, PMIX_UINT32, &value));
    *out = value->data.uint32;
    pmix.release(value);
    return STATUS_OK;
}

void net_pmix_leave(void)
{
    (void)pmix.PMIx_Finalize(NULL, 0);
}

status net_pmix_place(net_place *out)
{
    TRY(bootstrap_pmix_load());
    pmix_status_t code = pmix.PMIx_Init(&self, NULL, 0);
    if (code != PMIX_SUCCESS)
        return bootstrap_pmix_failure(code, "does not answer");
    status st = bootstrap_pmix_get_number(PMIX_JOB_SIZE, &out->ranks);
    if (!st)
        st = bootstrap_pmix_get_number(PMIX_LOCAL_SIZE, &out->sharers);
    out->rank = self.rank;
    out->is_pmix = true;
    if (!st &&
        (!out->sharers || !out->ranks || out->ranks > NET_RANKS_MAX || out->rank >= out->ranks))
        st = status_new(STATUS_KIND_INVALID, "PMIx says that this is rank %u of %u", out->rank,
                        out->ranks);
    if (st || out->ranks == 1)
        net_pmix_leave();
    return st;
}

/* ---- introductions ---- */

static void round_key(unsigned round, char *out, size_t room)
{
    snprintf(out, room, ADDRESS_KEY ".%u", round);
}

static status bootstrap_pmix_put_bytes(char *key, const void *bytes, size_t count)
{
    pmix_value_t value = {.type = PMIX_BYTE_OBJECT,
                          .data.bo = {.bytes = (char *)(uintptr_t)bytes, .size = count}};
    pmix_status_t code = pmix.PMIx_Put(PMIX_GLOBAL, key, &value);
    return code == PMIX_SUCCESS ? STATUS_OK : bootstrap_pmix_failure(code, "takes no address");
}

static status bootstrap_pmix_put(unsigned round, const net_introduction *own)
{
    char host_key[PMIX_MAX_KEYLEN + 1] = HOST_KEY, key[PMIX_MAX_KEYLEN + 1];
    round_key(round, key, sizeof key);
    if (!round)
        TRY(bootstrap_pmix_put_bytes(host_key, own->host, strlen(own->host)));
    TRY(bootstrap_pmix_put_bytes(key, own->bytes, own->byte_count));
    pmix_status_t code = pmix.PMIx_Commit();
    return code == PMIX_SUCCESS ? STATUS_OK : bootstrap_pmix_failure(code, "takes no address");
}

/* Until all have put theirs, which it brings. */
static status fence(void)
{
    bool yes = true;
    pmix_info_t collect = {.key = PMIX_COLLECT_DATA, .value = {.type = PMIX_BOOL}};
    collect.value.data.flag = yes;
    pmix_status_t code = pmix.PMIx_Fence(NULL, 0, &collect, 1);
    return code == PMIX_SUCCESS ? STATUS_OK
                                : bootstrap_pmix_failure(code, "does not bring the ranks together");
}

static status get_bytes(uint32_t rank, const char *key, char **out, uint32_t *out_count)
{
    pmix_value_t *value;
    TRY(bootstrap_pmix_get(rank, key, PMIX_BYTE_OBJECT, &value));
    const pmix_byte_object_t *bytes = &value->data.bo;
    status st = STATUS_OK;
    if (bytes->size > NET_ADDRESS_BYTES_MAX)
        st = status_new(STATUS_KIND_CORRUPT, "%s has %zu bytes", key, bytes->size);
    else if (!(*out = mem_copy_text(bytes->bytes, bytes->size)))
        st = status_no_memory("introduction", bytes->size);
    *out_count = (uint32_t)bytes->size;
    pmix.release(bytes->bytes);
    pmix.release(value);
    return st;
}

static status get_all(const net_place *place, unsigned round, net_introduction *all)
{
    uint32_t bytes;
    char key[PMIX_MAX_KEYLEN + 1];
    round_key(round, key, sizeof key);
    for (unsigned rank = 0; rank < place->ranks; rank++) {
        TRY(get_bytes(rank, HOST_KEY, &all[rank].host, &bytes));
        TRY(get_bytes(rank, key, &all[rank].bytes, &all[rank].byte_count));
    }
    return STATUS_OK;
}

status net_pmix_round(const net_place *place, unsigned round, const net_introduction *own,
                      net_introduction *all)
{
    TRY(bootstrap_pmix_put(round, own));
    TRY(fence());
    return get_all(place, round, all);
}

#else

static status unknown(void)
{
    return status_hint(
        status_new(STATUS_KIND_UNSUPPORTED,
                   "this process was started by PMIx, which this build does not know"),
        "install the package libpmix-dev and build again, or take PMIX_RANK out of "
        "the environment");
}

status net_pmix_place(net_place *out)
{
    (void)out;
    return unknown();
}

status net_pmix_round(const net_place *place, unsigned round, const net_introduction *own,
                      net_introduction *all)
{
    (void)place, (void)round, (void)own, (void)all;
    return unknown();
}

void net_pmix_leave(void)
{
}

#endif
