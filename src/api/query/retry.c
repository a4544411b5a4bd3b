/* retry.c - see retry.h. */
#include "api/query/retry.h"

#include "api/engine/cluster.h"
#include "api/session/database.h"
#include "base/cancel.h"
#include "base/system/mutex.h"

#include <time.h>

#define RETRY_LOOK_NS 20000000
/* Another rank may have told of a loss a moment before this one sees it. */
#define RETRY_DOUBTS 50

bool api_retry_is_on(const pistachio_connection *connection, const settings *s)
{
    const api_cluster *cluster = connection->database->cluster;
    return s->retry.number && cluster && cluster->has_keeper;
}

static uint64_t count_losses(api_cluster *cluster)
{
    mutex_lock(&cluster->lock);
    uint64_t losses = cluster->losses;
    mutex_unlock(&cluster->lock);
    return losses;
}

static bool is_lost_now(api_cluster *cluster)
{
    status loss = api_cluster_loss(cluster);
    bool is = loss != NULL;
    status_free(loss);
    return is;
}

static void rest_a_moment(void)
{
    const struct timespec moment = {.tv_nsec = RETRY_LOOK_NS};
    nanosleep(&moment, NULL);
}

/* Returns whether a rank is lost, or was while the statement ran. */
static bool has_lost(const api_retry *retry, bool is_likely)
{
    api_cluster *cluster = retry->connection->database->cluster;
    for (unsigned doubts = 0;; doubts++) {
        if (is_lost_now(cluster) || count_losses(cluster) != retry->losses)
            return true;
        if (!is_likely || doubts == RETRY_DOUBTS || cancel_is_asked())
            return false;
        rest_a_moment();
    }
}

api_retry api_retry_begin(pistachio_connection *connection)
{
    settings now;
    api_settings(connection, &now);
    if (!api_retry_is_on(connection, &now))
        return (api_retry){.is_over = true};
    return (api_retry){.connection = connection,
                       .losses = count_losses(connection->database->cluster)};
}

bool api_retry_wants(api_retry *retry, status *io)
{
    status_kind kind = status_get_kind(*io);
    if (retry->is_over || kind == STATUS_KIND_CANCELLED || !has_lost(retry, kind == STATUS_KIND_IO))
        return false;
    retry->is_over = true;
    while (is_lost_now(retry->connection->database->cluster)) {
        if (cancel_is_asked())
            return false;
        rest_a_moment();
    }
    status_free(*io);
    *io = STATUS_OK;
    return true;
}
