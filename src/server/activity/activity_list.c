/* activity_list.c - see activity_list.h. */
#include "server/activity/activity_list.h"

#include "server/protocol/pg_setting.h"

#define HIDDEN "<of another user>"

static const char *state_of(const activity_entry *one)
{
    if (one->state != ACTIVITY_IDLE)
        return "active";
    if (one->transaction == 'T')
        return "idle in transaction";
    return one->transaction == 'E' ? "idle in transaction (aborted)" : "idle";
}

static void set_wait(const activity_entry *one, activity_fact *fact)
{
    if (one->state == ACTIVITY_QUEUED) {
        fact->wait_type = "Extension";
        fact->wait = "StatementQueue";
    } else if (one->paused || one->state == ACTIVITY_IDLE) {
        fact->wait_type = "Client";
        fact->wait = one->paused ? one->paused : "ClientRead";
    }
}

static bool is_visible(const activity_entry *asking, const char *user)
{
    return asking->sees_all || !strcmp(asking->user, user);
}

static activity_fact fact_of(const activity_entry *asking, const activity_entry *one)
{
    activity_fact fact = {.number = one->number,
                          .user = one->user,
                          .group = one->limits.group,
                          .application = one->application,
                          .protocol = one->protocol,
                          .state = state_of(one),
                          .query = is_visible(asking, one->user) ? one->sql : HIDDEN,
                          .connected = one->connected,
                          .begun = one->begun,
                          .run = one->run,
                          .changed = one->changed,
                          .transaction = one->transaction == 'I' ? 0 : one->transaction_begun};
    set_wait(one, &fact);
    return fact;
}

static activity_fact fact_of_past(const activity_past *one)
{
    return (activity_fact){.number = one->number,
                           .user = one->user,
                           .group = one->group,
                           .application = one->application,
                           .protocol = one->protocol,
                           .state = one->state,
                           .query = one->sql,
                           .sqlstate = *one->sqlstate ? one->sqlstate : NULL,
                           .message = *one->sqlstate ? one->message : NULL,
                           .begun = one->begun,
                           .run = one->run,
                           .ended = one->ended,
                           .rows = one->rows};
}

static status list_present(const activity_entry *asking, activity_sink sink, void *argument)
{
    for (const activity_entry *one = asking->all->first; one; one = one->next) {
        const activity_fact fact = fact_of(asking, one);
        TRY(sink(argument, &fact));
    }
    return STATUS_OK;
}

static status list_past(const activity_entry *asking, activity_sink sink, void *argument)
{
    const activity *all = asking->all;
    uint64_t end = all->past_count;
    uint64_t begin = end > ACTIVITY_PAST_COUNT ? end - ACTIVITY_PAST_COUNT : 0;
    for (uint64_t i = begin; i < end; i++) {
        const activity_past *one = &all->past[i % ACTIVITY_PAST_COUNT];
        const activity_fact fact = fact_of_past(one);
        if (is_visible(asking, one->user))
            TRY(sink(argument, &fact));
    }
    return STATUS_OK;
}

/* Lists as sql_activity says; context: the entry of the client that asks. */
static status list(void *context, bool is_past, activity_sink sink, void *argument)
{
    const activity_entry *asking = context;
    activity *all = asking->all;
    if (!all)
        return STATUS_OK;
    mutex_lock(&all->lock);
    status st = is_past ? list_past(asking, sink, argument) : list_present(asking, sink, argument);
    mutex_unlock(&all->lock);
    return st;
}

/* Hands the settings as sql_activity says; context: the entry of the client that asks. */
static status list_settings(void *context, setting_sink sink, void *argument)
{
    const activity_entry *asking = context;
    for (int i = 0; asking->settings && i < PG_SETTING_COUNT; i++)
        TRY(sink(argument, pg_setting_name(i), pg_setting_get(asking->settings, i),
                 pg_setting_initial(i)));
    return STATUS_OK;
}

/* Copies the value of one of the engine's settings, in which PostgreSQL's name of the first schema stands; NULL: there is no
 * such setting. */
static const char *get_engine_setting(activity_entry *asking, const char *name)
{
    settings all;
    api_settings(asking->connection, &all);
    const char *value = settings_get(&all, name);
    if (!value)
        return NULL;
    bool is_first = !strcasecmp(name, "search_path") && !strcmp(value, "main");
    snprintf(asking->shown, sizeof asking->shown, "%s", is_first ? "public" : value);
    return asking->shown;
}

static status get_setting(void *context, const char *name, const char *value, const char **out)
{
    activity_entry *asking = context;
    int number = asking->settings ? pg_setting_find(name, strlen(name)) : -1;
    *out = number < 0 && !value ? get_engine_setting(asking, name) : NULL;
    if (number < 0)
        return STATUS_OK;
    if (value)
        TRY(pg_setting_set(asking->settings, number, value, asking->told));
    *out = pg_setting_get(asking->settings, number);
    return STATUS_OK;
}

void activity_show(activity_entry *asking)
{
    const sql_activity listed = {asking, list, list_settings, get_setting};
    sql_catalog_use_activity(asking->connection->catalog, &listed);
}
