/* start_floor.c - what starting ranks costs at least: so many processes that exec and open UCX, as src/net/ucx does. */
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <ucp/api/ucp.h>
#include <unistd.h>

static int open_ucx(void)
{
    ucp_config_t *config;
    ucp_context_h context;
    ucp_worker_h worker;
    ucp_params_t parameters = {.field_mask = UCP_PARAM_FIELD_FEATURES,
                               .features = UCP_FEATURE_AM | UCP_FEATURE_WAKEUP};
    ucp_worker_params_t how = {.field_mask = UCP_WORKER_PARAM_FIELD_THREAD_MODE,
                               .thread_mode = UCS_THREAD_MODE_SERIALIZED};
    if (ucp_config_read(NULL, NULL, &config) != UCS_OK)
        return 1;
    (void)ucp_config_modify(config, "TLS", "^shm");
    (void)ucp_config_modify(config, "NET_DEVICES", "lo");
    ucs_status_t code = ucp_init(&parameters, config, &context);
    ucp_config_release(config);
    if (code != UCS_OK || ucp_worker_create(context, &how, &worker) != UCS_OK)
        return 1;
    ucp_worker_destroy(worker);
    ucp_cleanup(context);
    return 0;
}

int main(int count, char **arguments)
{
    int processes = count > 1 ? atoi(arguments[1]) : 0, failed = 0, state;
    if (!processes)
        return open_ucx();
    for (int i = 0; i < processes; i++) {
        pid_t child = fork();
        if (!child) {
            execl(arguments[0], arguments[0], (char *)NULL);
            _exit(127);
        }
        failed += child < 0;
    }
    while (wait(&state) > 0)
        failed += state != 0;
    if (failed)
        fprintf(stderr, "%d processes failed\n", failed);
    return failed != 0;
}
