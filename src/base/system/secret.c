/* secret.c - see secret.h. */
#include "base/system/secret.h"

#include "base/mem.h"
#include "base/system/mutex.h"

#include <stdatomic.h>

static pthread_mutex_t lock = MUTEX_INITIALIZER;
/* By number - 1; filled under the lock. */
static _Atomic(char *) texts[SECRETS_MAX];

static status base_secret_keep(const char *text, uint64_t *out)
{
    size_t i = 0;
    for (; i < SECRETS_MAX && atomic_load(&texts[i]); i++)
        if (!strcmp(atomic_load(&texts[i]), text)) {
            *out = i + 1;
            return STATUS_OK;
        }
    if (i == SECRETS_MAX)
        return status_new(STATUS_KIND_LIMIT, "the process keeps no more than %d secrets",
                          SECRETS_MAX);
    char *copy = mem_copy_text(text, strlen(text));
    if (!copy)
        return status_no_memory("setting", strlen(text));
    atomic_store(&texts[i], copy);
    *out = i + 1;
    return STATUS_OK;
}

status secret_keep(const char *text, uint64_t *out)
{
    *out = 0;
    if (!*text)
        return STATUS_OK;
    mutex_lock(&lock);
    status st = base_secret_keep(text, out);
    mutex_unlock(&lock);
    return st;
}

const char *secret_text(uint64_t number)
{
    const char *text = number && number <= SECRETS_MAX ? atomic_load(&texts[number - 1]) : NULL;
    return text ? text : "";
}
