/* object_choice.c - which settings of stores a thread works by. */
#include "base/system/mutex.h"
#include "base/system/secret.h"
#include "storage/object_store.h"

#include <stdatomic.h>
#include <stdio.h>

static pthread_mutex_t lock = MUTEX_INITIALIZER;
/* Filled under the lock; those before choice_count stay as they are. Not an array of settings: the program would be 800 KB
 * larger. */
static const object_settings defaults = {.secret = "", .token = "", .timeout = 30};
static const object_settings *choices[OBJECT_CHOICES_MAX] = {&defaults};
static _Atomic uint32_t choice_count = 1;
/* Settings that are lent have the numbers from OBJECT_CHOICES_MAX on; NULL: the number is free. */
static _Atomic(const object_settings *) lent[OBJECT_LENT_MAX];
static uint64_t last_serial; /* under the lock */
static _Thread_local uint32_t used;

static object_settings settings_of(const settings *s)
{
    object_settings made = {.secret = secret_text(s->s3_secret_access_key.number),
                            .token = secret_text(s->s3_session_token.number),
                            .is_path_style = *s->s3_url_style.text == 'p',
                            .is_host_style = *s->s3_url_style.text == 'h',
                            .timeout =
                                s->http_timeout.number ? (unsigned)s->http_timeout.number : 30};
    snprintf(made.endpoint, sizeof made.endpoint, "%s", s->s3_endpoint.text);
    snprintf(made.region, sizeof made.region, "%s", s->s3_region.text);
    snprintf(made.key, sizeof made.key, "%s", s->s3_access_key_id.text);
    return made;
}

static bool object_choice_are_equal(const object_settings *a, const object_settings *b)
{
    return !strcmp(a->endpoint, b->endpoint) && !strcmp(a->region, b->region) &&
           !strcmp(a->key, b->key) && !strcmp(a->secret, b->secret) &&
           !strcmp(a->token, b->token) && a->is_path_style == b->is_path_style &&
           a->is_host_style == b->is_host_style && a->timeout == b->timeout;
}

static bool find(const object_settings *wanted, uint32_t *out)
{
    uint32_t count = atomic_load(&choice_count);
    for (*out = 0; *out < count; ++*out)
        if (object_choice_are_equal(choices[*out], wanted))
            return true;
    return false;
}

/* Under the lock. */
static status add(const object_settings *wanted, uint32_t *out)
{
    if (find(wanted, out))
        return STATUS_OK;
    if (*out == OBJECT_CHOICES_MAX)
        return status_new(STATUS_KIND_LIMIT,
                          "a process has at most %d different settings of object stores",
                          OBJECT_CHOICES_MAX);
    object_settings *made = mem_new(sizeof *made);
    if (!made)
        return status_no_memory("settings", sizeof *made);
    *made = *wanted;
    made->serial = ++last_serial;
    choices[*out] = made;
    atomic_store(&choice_count, *out + 1);
    return STATUS_OK;
}

status object_store_choose(const settings *s, uint32_t *out)
{
    const object_settings wanted = settings_of(s);
    if (find(&wanted, out))
        return STATUS_OK;
    mutex_lock(&lock);
    status st = add(&wanted, out);
    mutex_unlock(&lock);
    return st;
}

/* Copies the settings with their secrets; NULL: no memory. */
static object_settings *copy_lent(const object_settings *s)
{
    size_t secret = strlen(s->secret) + 1, token = strlen(s->token) + 1;
    object_settings *made = mem_new(sizeof *made + secret + token);
    if (!made)
        return NULL;
    char *texts = (char *)(made + 1);
    *made = *s;
    made->secret = memcpy(texts, s->secret, secret);
    made->token = memcpy(texts + secret, s->token, token);
    return made;
}

status object_store_lend(const object_settings *s, uint32_t *out)
{
    object_settings *made = copy_lent(s);
    uint32_t number = 0;
    if (!made)
        return status_no_memory("settings", sizeof *made);
    mutex_lock(&lock);
    made->serial = ++last_serial;
    while (number < OBJECT_LENT_MAX && atomic_load(&lent[number]))
        number++;
    if (number < OBJECT_LENT_MAX)
        atomic_store(&lent[number], made);
    mutex_unlock(&lock);
    *out = OBJECT_CHOICES_MAX + number;
    if (number < OBJECT_LENT_MAX)
        return STATUS_OK;
    mem_free(made);
    return status_hint(status_new(STATUS_KIND_LIMIT,
                                  "a process has at most %d tables with keys that catalogs lend",
                                  OBJECT_LENT_MAX),
                       "DETACH the catalogs that are not needed");
}

status object_store_lend_of(const settings *s, uint32_t *out)
{
    const object_settings own = settings_of(s);
    return object_store_lend(&own, out);
}

void object_store_drop(uint32_t choice)
{
    if (choice >= OBJECT_CHOICES_MAX)
        mem_free((void *)atomic_exchange(&lent[choice - OBJECT_CHOICES_MAX], NULL));
}

uint32_t object_store_use(uint32_t choice)
{
    uint32_t before = used;
    used = choice;
    return before;
}

uint32_t object_store_used(void)
{
    return used;
}

const object_settings *object_store_settings(void)
{
    return used < OBJECT_CHOICES_MAX ? choices[used]
                                     : atomic_load(&lent[used - OBJECT_CHOICES_MAX]);
}

status object_store_tell(status (*tell)(void *context, const char *name, const char *text),
                         void *context)
{
    const object_settings *s = object_store_settings();
    char timeout[16];
    snprintf(timeout, sizeof timeout, "%u", s->timeout);
    const struct {
        const char *name, *text;
    } all[] = {{"s3_endpoint", s->endpoint},
               {"s3_region", s->region},
               {"s3_url_style", s->is_path_style   ? "path"
                                : s->is_host_style ? "host"
                                                   : "auto"},
               {"s3_access_key_id", s->key},
               {"s3_secret_access_key", s->secret},
               {"s3_session_token", s->token},
               {"http_timeout", timeout}};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        TRY(tell(context, all[i].name, all[i].text));
    return STATUS_OK;
}
